"""The tool that tells stacks' headroom follows calls, pointers by rule, and owns up to the rest."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

FIRMWARE = Path(__file__).resolve().parents[3] / "firmware"
SCRIPT = FIRMWARE / "scripts/stack_headroom.py"

CALLS = """\
graph: { title: "a.c"
node: { title: "/x/a.c:run" label: "run\\n/x/a.c:1:1\\n100 bytes (static)" }
node: { title: "shallow" label: "shallow\\n/x/a.c:2:1\\n8 bytes (static)" }
node: { title: "deep" label: "deep\\n/x/a.c:3:1\\n64 bytes (static)" }
node: { title: "/x/drv.c:read" label: "read\\n/x/drv.c:3:1\\n200 bytes (static)" }
node: { title: "again" label: "again\\n/x/a.c:4:1\\n16 bytes (static)" }
node: { title: "sized" label: "sized\\n/x/a.c:5:1\\n24 bytes (dynamic)" }
node: { title: "libgcc" label: "libgcc\\n/x/a.c:6:1" shape : ellipse }
edge: { sourcename: "/x/a.c:run" targetname: "shallow" label: "/x/a.c:9:1" }
edge: { sourcename: "/x/a.c:run" targetname: "deep" label: "/x/a.c:9:2" }
edge: { sourcename: "deep" targetname: "__indirect_call" label: "/x/a.c:9:3" }
edge: { sourcename: "again" targetname: "again" label: "/x/a.c:9:4" }
edge: { sourcename: "sized" targetname: "libgcc" label: "/x/a.c:9:5" }
}
"""
RULE = {"why": ["a driver"], "callers": ["deep"], "targets": ["drv.c:*"]}


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("stack_headroom", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["stack_headroom"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def search(tool: ModuleType, rules: list[dict[str, list[str]]]) -> object:
    graph = tool.Graph()
    graph.read(CALLS)
    return tool.Search(graph, rules, {})


def test_the_deepest_way_counts(tool: ModuleType) -> None:
    found = search(tool, [RULE]).depth("/x/a.c:run")
    assert found.stack_bytes == 100 + 64 + 200
    assert [tool.short(title) for title in found.way] == ["a.c:run", "deep", "drv.c:read"]
    assert found.open_ends == frozenset()


def test_a_pointer_without_a_rule_is_named(tool: ModuleType) -> None:
    found = search(tool, []).depth("/x/a.c:run")
    assert found.stack_bytes == 100 + 64
    assert found.open_ends == {"pointer: deep"}


def test_recursion_is_named(tool: ModuleType) -> None:
    found = search(tool, []).depth("again")
    assert (found.stack_bytes, found.open_ends) == (16, {"recursion: again"})


def test_a_frame_without_a_bound_and_foreign_code_are_named(tool: ModuleType) -> None:
    found = search(tool, []).depth("sized")
    assert found.open_ends == {"frame without a bound: sized", "no figures: libgcc"}


def build_of(folder: Path, stack_bytes: int) -> Path:
    (folder / "zephyr").mkdir()
    (folder / "a.ci").write_text(
        CALLS.replace("/x/a.c:run", "/x/rig_engine.c:run"), encoding="utf-8"
    )
    (folder / "zephyr/.config").write_text(
        f"# CONFIG_LIGHT is not set\nCONFIG_RIG_ENGINE_STACK_SIZE_BYTES={stack_bytes}\n"
        "CONFIG_SRAM_SIZE=64\n",
        encoding="utf-8",
    )
    (folder / "zephyr/zephyr.map").write_text(
        "    0x0000000020000000                _image_ram_start = .\n"
        "    0x0000000020001000                _image_ram_end = .\n",
        encoding="utf-8",
    )
    return folder


@pytest.mark.parametrize(("stack_bytes", "status"), [(1024, 0), (200, 1)])
def test_a_stack_that_is_too_small_fails(tmp_path: Path, stack_bytes: int, status: int) -> None:
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), str(build_of(tmp_path, stack_bytes))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == status
    assert f"engine                 {stack_bytes:>6} B, needs >=   216 B" in ran.stdout
    assert "pointer: deep" in ran.stdout
    assert "RAM: 4096 of 65536 B taken, 61440 B left" in ran.stdout


def test_every_thread_of_ours_is_in_the_table() -> None:
    table = tomllib.loads((FIRMWARE / "scripts/stack_calls.toml").read_text("utf-8"))
    checked = {option for thread in table["threads"].values() for option in thread["stack"]}
    sources = [path for part in ("src", "drivers") for path in (FIRMWARE / part).rglob("*.c")]
    stacks = re.compile(r"K_THREAD_STACK_DEFINE\(\w[\w#]*,\s*(CONFIG_\w+)\)")
    used = {option for path in sources for option in stacks.findall(path.read_text("utf-8"))}
    assert len(used) >= 4
    assert used <= checked
