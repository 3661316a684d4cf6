"""The core computes with integers only, as the boards' compiler sees it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PREFIX = "arm-none-eabi-"
CPUS = ("cortex-m0plus", "cortex-m3", "cortex-m7")
M7_FLAGS = ("-mfpu=fpv5-d16", "-mfloat-abi=hard")

# The run-time ABI's names: arithmetic and comparison (fadd, dcmplt, cfcmple, cdrcmple) and
# conversion in either direction (f2iz, d2f, ui2d, ul2f).
FLOAT_CALL = re.compile(
    r"__aeabi_(c?[fd]r?(add|sub|rsub|mul|div|neg|cmp\w*)|[fd]2\w+|u?[il]2[fd])\b"
)
# No loads, stores or moves: GCC copies 64-bit integers through the FPU's registers.
FLOAT_INSTRUCTION = re.compile(r"\b(v(?!mov)[a-z]+\.f(?:32|64)[a-z0-9.]*)\s")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which(f"{PREFIX}gcc") is None,
        reason=f"{PREFIX}gcc is not here (Debian: apt install gcc-arm-none-eabi), so what the core "
        "becomes on the boards' CPUs cannot be looked at",
    ),
]


def output_of(*command: object) -> str:
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=True
    ).stdout


def float_use(thing: Path) -> list[str]:
    """Return the calls and instructions of an object file that compute with floats."""
    calls = FLOAT_CALL.finditer(output_of(f"{PREFIX}nm", "--undefined-only", thing))
    instructions = FLOAT_INSTRUCTION.findall(output_of(f"{PREFIX}objdump", "--disassemble", thing))
    return [call[0] for call in calls] + instructions


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of the core's objects for each CPU, and what `make arm` says of them."""
    build = tmp_path_factory.mktemp("arm")
    folder = ROOT / "firmware" / "tests" / "core"
    report = output_of("make", "-C", folder, "arm", f"PYTHON={sys.executable}", f"BUILD={build}")
    return build / "arm", report


@pytest.mark.parametrize("cpu", CPUS)
def test_no_object_of_the_core_computes_with_floats(arm: tuple[Path, str], cpu: str) -> None:
    objects = sorted((arm[0] / cpu).glob("*.o"))
    sources = sorted(path.stem for path in (ROOT / "firmware" / "core").glob("*.c"))
    assert [path.stem for path in objects if path.stem != "report"] == sources
    assert {path.name: float_use(path) for path in objects if float_use(path)} == {}


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize(
    "line",
    [
        pytest.param("unsigned f(unsigned a) { return a * 0.3f; }", id="float"),
        pytest.param("int f(int a, int b) { return (double)a < b / 3.0; }", id="double"),
        pytest.param("long long f(long long a) { return a * 1.5; }", id="64-bit"),
    ],
)
def test_a_float_would_be_found_out(cpu: str, line: str, tmp_path: Path) -> None:
    source, thing = tmp_path / "float.c", tmp_path / "float.o"
    source.write_text(line + "\n", "utf-8")
    flags = M7_FLAGS if cpu == "cortex-m7" else ()
    output_of(f"{PREFIX}gcc", "-Os", "-mthumb", f"-mcpu={cpu}", *flags, "-c", "-o", thing, source)
    assert float_use(thing) != []


def test_the_core_has_no_variables_of_its_own(arm: tuple[Path, str]) -> None:
    sizes = re.findall(r"\.text (\d+)  \.data (\d+)  \.bss (\d+)", arm[1])
    assert len(sizes) == len(CPUS)
    assert all((data, bss) == ("0", "0") and int(text) > 0 for text, data, bss in sizes)
