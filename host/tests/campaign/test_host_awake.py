"""The host is kept awake while a campaign runs, or the campaign tells that it is not."""

import sys
import time
from pathlib import Path

import pytest

from resume_rig.campaign.run.campaign import host_awake

LOGIND = """#!/bin/sh
echo "$@" >"{folder}/asked"
for word; do program=$word; done
echo held >"{folder}/held"
"$program"
rm "{folder}/held"
"""
REFUSED = "#!/bin/sh\necho 'Failed to inhibit: Access denied' >&2\nexit 1\n"

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="logind is Linux's")


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    program = folder / "systemd-inhibit"
    program.write_text(text.format(folder=folder), "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


@on_linux
def test_a_lock_of_logind_is_held_within_the_block_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, LOGIND)

    with host_awake() as why:
        assert why is None
        assert (tmp_path / "held").exists()

    assert "--what=sleep:idle" in (tmp_path / "asked").read_text("utf-8")
    until_s = time.monotonic() + 20
    while (tmp_path / "held").exists():
        assert time.monotonic() < until_s
        time.sleep(0.01)


@on_linux
def test_a_refusal_is_told_in_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, REFUSED)

    with host_awake() as why:
        assert why == "Failed to inhibit: Access denied"


@on_linux
def test_a_system_without_logind_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with host_awake() as why:
        assert why == "there is no systemd-inhibit to ask"


@pytest.mark.skipif(sys.platform != "win32", reason="SetThreadExecutionState is Windows'")
def test_windows_is_asked_and_asked_no_longer() -> None:
    import ctypes

    with host_awake() as why:
        assert why is None
        assert ctypes.windll.kernel32.SetThreadExecutionState(0x80000000) & 1
    assert not ctypes.windll.kernel32.SetThreadExecutionState(0x80000000) & 1
