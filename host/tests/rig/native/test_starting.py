"""Programs that are no image: each is refused with a sentence, and nothing stays behind."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from resume_rig.model.errors import LinkLost, UsageError
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.link.open import open_rig
from resume_rig.rig.native.bench import NativeBench
from resume_rig.rig.native.opening import NativeOptions, parse_native_options
from resume_rig.rig.native.wired_dut import WiredDut
from resume_rig.timing.clocks import SystemClock

if not sys.platform.startswith("linux"):
    pytest.skip("native_sim runs on Linux", allow_module_level=True)

MS = 1_000_000


def script(folder: Path, body: str) -> Path:
    path = folder / "image"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def bench(image: Path, patience_ns: int = 5_000 * MS) -> NativeBench:
    clock = SystemClock()
    dut = WiredDut(load_dut_profile("healthy-laptop"), clock.now_ns(), clock.utc_ns(), 1)
    return NativeBench(image, dut, clock, "native:image", patience_ns)


def children() -> set[str]:
    """Process ids of what this process started and has not waited for."""
    lists = Path("/proc/self/task").glob("*/children")
    return {pid for each in lists for pid in each.read_text().split()}


@pytest.fixture(autouse=True)
def nothing_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    place = tmp_path / "t"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    monkeypatch.setenv("TMPDIR", str(place))
    before = children()
    yield
    assert list(place.iterdir()) == []
    assert [thread.name for thread in threading.enumerate() if "native:" in thread.name] == []
    assert children() <= before


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("zephyr.exe", NativeOptions(Path("zephyr.exe"), None)),
        ("/a b/zephyr.exe,seed=7", NativeOptions(Path("/a b/zephyr.exe"), 7)),
        ("odd,seed=1,seed=2", NativeOptions(Path("odd,seed=1"), 2)),
        ("a,b", NativeOptions(Path("a,b"), None)),
        ("a,dut=loopback", NativeOptions(Path("a"), None, True)),
        ("a,seed=3,dut=loopback", NativeOptions(Path("a"), 3, True)),
        ("a,b,dut=loopback,seed=3", NativeOptions(Path("a,b"), 3, True)),
    ],
)
def test_the_options_of_an_url_are_parsed(text: str, options: NativeOptions) -> None:
    assert parse_native_options(text) == options


@pytest.mark.parametrize("text", ["a,dut=laptop", "a,dut=", "a,seed=1,dut=LOOPBACK"])
def test_no_other_dut_is_simulated_at_an_image(text: str) -> None:
    with pytest.raises(UsageError, match="allowed is loopback, a plug for none"):
        parse_native_options(text)


@pytest.mark.parametrize("text", ["a,faults=f.toml", "a,seed=1,faults=f.toml,dut=loopback"])
def test_a_real_firmware_is_not_struck(text: str) -> None:
    with pytest.raises(UsageError, match=r"takes no fault plan, and was given 'f\.toml'.*sim:"):
        parse_native_options(text)


def test_a_path_that_leads_nowhere(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no such file; allowed is a zephyr\.exe"):
        open_rig(f"native:{tmp_path / 'none'}")


def test_a_folder_and_a_plain_file_cannot_be_started(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("hello")
    for path in (tmp_path, plain):
        with pytest.raises(UsageError, match="it is no file that this user may execute"):
            open_rig(f"native:{path}")


def test_a_file_that_the_kernel_does_not_execute(tmp_path: Path) -> None:
    path = tmp_path / "image"
    path.write_bytes(b"\x00not a program")
    path.chmod(0o755)
    with pytest.raises(LinkLost, match=r"ended with status 126.*Exec format error"):
        bench(path).start()


def test_a_program_that_ends_at_once(tmp_path: Path) -> None:
    image = script(tmp_path, r"printf 'no such option:\001 %s\n' $1; exit 3")
    with pytest.raises(LinkLost) as caught:
        bench(image).start()
    assert f"could not start {image}: it ended with status 3; its last output was" in str(
        caught.value
    )
    assert '"no such option:? -rig-wires=' in str(caught.value)


def test_a_program_that_is_ended_by_a_signal(tmp_path: Path) -> None:
    with pytest.raises(LinkLost, match=r"was ended by signal 11 \(SIGSEGV\); it wrote no output"):
        bench(script(tmp_path, "kill -SEGV $$")).start()


def test_a_program_that_says_nothing_is_waited_for_and_ended(tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    image = script(tmp_path, f"trap '' TERM; echo $$ > {noted}; sleep 60 & wait; sleep 60")
    with pytest.raises(LinkLost, match=r"served no SMP within 1\.5 s; it wrote no output"):
        bench(image, 1_500 * MS).start()
    assert not Path(f"/proc/{noted.read_text().strip()}").exists()


def test_a_program_that_floods_is_ended(tmp_path: Path) -> None:
    with pytest.raises(LinkLost, match='its last output was "y'):
        bench(script(tmp_path, "exec yes"), 2_000 * MS).start()


def test_a_program_that_has_a_terminal_but_no_wires(tmp_path: Path) -> None:
    image = script(tmp_path, "echo 'SMP at /dev/pts/0'; exec sleep 60")
    with pytest.raises(LinkLost, match=r"served no SMP within 0\.3 s"):
        bench(image, 300 * MS).start()


def test_ctrl_c_while_it_starts_leaves_nothing(tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    image = script(tmp_path, f"echo $$ > {noted}; exec sleep 60")
    words = [sys.executable, "-m", "resume_rig", "press", "--rig", f"native:{image}"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        while not noted.exists() or not noted.read_text():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "resume-rig: stopped.\n")
    assert not Path(f"/proc/{noted.read_text().strip()}").exists()


def test_closing_what_was_never_started_is_allowed(tmp_path: Path) -> None:
    never = bench(tmp_path / "none")
    never.close()
    never.close()
