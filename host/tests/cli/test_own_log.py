"""The log of the PC that this runs on: judged at once, and watched as it grows."""

import _thread
import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.dut.own_log import (
    export_own_delays,
    export_own_log,
    own_kind,
    own_name,
)
from resume_rig.campaign.dut.shell import COMMAND_LIMIT_NS, DutKind, RunningCommand
from resume_rig.campaign.dut.ssh_log import SshLog
from resume_rig.model.errors import RecordError
from resume_rig.timing.clocks import SystemClock

ROOT = Path(__file__).resolve().parents[3]
XML = ROOT / "fixtures" / "logs" / "two-s3-cycles.xml"
LOG = XML.read_text("utf-8")
HEAD, EVENTS = LOG.split("<Events>")[0], LOG.splitlines()[2:-1]
DMESG = ROOT / "fixtures" / "logs" / "linux-6.6-dmesg.txt"

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="its journal is Linux's")
not_windows = pytest.mark.skipif(sys.platform == "win32", reason="Windows has a wevtutil")


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, script: str) -> None:
    """Put a program of that name before all others."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    (programs / name).write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")


@on_linux
def test_log_without_a_file_judges_the_journal_of_this_pc(
    command: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(folder, monkeypatch, "journalctl", f'echo "$@" >{folder}/asked; cat "{DMESG}"')

    said = command("log", "--json")
    there = command("log", str(DMESG), "--json")

    assert said.status == there.status
    assert said.document["cycles"] == there.document["cycles"] != []
    assert said.document["sources"][0]["path"] == "the kernel's journal of this PC"
    assert (folder / "asked").read_text("utf-8").split()[0] == "-k"


@on_linux
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 0", "journalctl gave no event; this user needs to be in the group systemd-journal"),
        ("echo no rights >&2; exit 1", "journalctl ended with status 1 (no rights); this user"),
        (
            "echo No journal files were found. >&2; exit 1",
            "status 1 (No journal files were found); name a log file",
        ),
        (None, "there is no journalctl that can be started"),
    ],
    ids=["nothing", "refused", "none", "missing"],
)
def test_a_journal_that_cannot_be_read_is_one_sentence(
    command: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, words: str
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    if script is None:
        monkeypatch.setenv("PATH", str(folder))
    else:
        stand_in(folder, monkeypatch, "journalctl", script)

    said = command("log")

    assert said.status == 2
    assert said.err.startswith("resume-rig: could not read the kernel's journal of this PC: ")
    assert words in said.err


@on_linux
def test_who_may_read_all_needs_no_group(
    command: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    stand_in(folder, monkeypatch, "journalctl", "exit 0")

    assert command("log").err.endswith("journalctl gave no event; name a log file\n")


@not_windows
def test_windows_is_asked_to_export_its_system_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = f'echo "$@" >"{tmp_path}/asked"; printf ElfFile >"$3"'
    stand_in(tmp_path, monkeypatch, "wevtutil", asked)

    path = export_own_log(tmp_path, DutKind.WINDOWS)

    assert path.read_bytes() == b"ElfFile"
    assert (tmp_path / "asked").read_text("utf-8").split() == ["epl", "System", str(path)]


@not_windows
@pytest.mark.parametrize("script", ['printf ElfFile >"$3"', "exit 5", "true"])
def test_windows_is_asked_for_what_it_calls_slow_and_may_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    stand_in(tmp_path, monkeypatch, "wevtutil", f'echo "$2" >"{tmp_path}/asked"; {script}')

    path = export_own_delays(tmp_path, DutKind.WINDOWS)

    asked = (tmp_path / "asked").read_text("utf-8").strip()
    assert asked == "Microsoft-Windows-Diagnostics-Performance/Operational"
    assert (path is not None) == script.startswith("printf")
    assert export_own_delays(tmp_path, DutKind.LINUX) is None


@not_windows
def test_rights_that_are_missing_on_windows_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, "wevtutil", "echo Access is denied. >&2; exit 5")

    with pytest.raises(RecordError, match=r"status 5 \(Access is denied\); .* Event Log Readers"):
        export_own_log(tmp_path, DutKind.WINDOWS)


def test_a_system_whose_log_nobody_knows_is_refused() -> None:
    with pytest.raises(RecordError, match="its system is darwin, allowed are Windows and Linux"):
        own_kind("darwin")
    assert own_kind("win32") is DutKind.WINDOWS


class Wevtutil:
    """This PC, with a stand-in for wevtutil that serves events of a file."""

    text = own_name(DutKind.WINDOWS)

    def __init__(self, events: Path) -> None:
        self._events = events

    def stated_kind(self) -> DutKind:
        return DutKind.WINDOWS

    def begin(self, command: str) -> RunningCommand:
        program = ROOT / "host" / "tests" / "campaign" / "ssh" / "stand_in.py"
        script = (
            "import runpy, shlex, sys; stand_in = runpy.run_path(sys.argv[1]);"
            "stand_in['main'].__globals__['HERE'] = stand_in['Path'](sys.argv[2]);"
            "sys.exit(stand_in['main'](shlex.split(sys.argv[3])[1:]))"
        )
        words = [sys.executable, "-c", script, str(program), str(self._events.parent), command]
        return RunningCommand(words, SystemClock(), self.text, COMMAND_LIMIT_NS)

    def try_next_host(self) -> None:
        """There is only one."""


def until_some(read: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    end_s = time.monotonic() + 60
    while not (found := read()):
        assert time.monotonic() < end_s
        time.sleep(0.02)
    return found


def test_the_system_log_of_this_pc_is_followed(tmp_path: Path) -> None:
    events = tmp_path / "log.xml"
    half = len(EVENTS) // 2
    events.write_text("\n".join(EVENTS[:half]), "utf-8")
    log = SshLog(Wevtutil(events), SystemClock())
    try:
        (first,) = log.new_records()
        events.write_text("\n".join(EVENTS), "utf-8")
        (second,) = until_some(log.new_records)
    finally:
        log.close()

    assert (first.resume_ms, second.resume_ms) != (None, None)
    assert log.describe().path == "the System log of this PC"


NONE_CAME = "No sleep came in the time that was watched."
BEFORE = "Sleeps from before do not count here: resume-rig log judges them."


def watch(command: Any, path: Path, *words: str) -> Any:
    """Watch a log while a second sleep is written into it."""
    half = len(EVENTS) // 2
    path.write_text(HEAD + "<Events>\n" + "\n".join(EVENTS[:half]), "utf-8")

    def write() -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write("\n" + "\n".join(EVENTS[half:]))

    writing = threading.Timer(1.5, write)
    writing.start()
    said = command("watch-sleeps", "--log", str(path), *words)
    writing.join()
    return said


@pytest.mark.slow
def test_a_resume_is_judged_when_it_happens_and_those_before_are_not(
    command: Any, folder: Path
) -> None:
    said = watch(command, folder / "system.xml", "--for", "5s")

    line, verdict, *_ = said.out.splitlines()
    assert said.status == 0, said
    assert line[4] == "-"
    assert "PASS" in line
    assert "S3: resumed in " in line
    assert "1 resume" in verdict
    assert "Watching " in said.err


def test_as_json_each_line_is_a_document(command: Any, folder: Path) -> None:
    said = watch(command, folder / "system.xml", "--for", "5s", "--json", "--limit-ms", "100")

    sleep, summary = map(json.loads, said.out.splitlines())
    assert said.status == 1
    assert (sleep["event"], sleep["cycle"]["verdict"]) == ("sleep", "FAIL")
    assert sleep["cycle"]["resume_ms"] > 100
    assert (summary["event"], summary["sleeps"], summary["verdict"]) == ("summary", 1, "FAIL")


def test_ctrl_c_ends_with_a_summary(command: Any, folder: Path) -> None:
    path = folder / "system.xml"
    path.write_text(LOG, "utf-8")
    ending = threading.Timer(2.0, _thread.interrupt_main)
    ending.start()

    said = command("watch-sleeps", "--log", str(path))

    ending.join()
    assert said.status == 4
    assert said.out == f"NO-EVIDENCE: {NONE_CAME}\n{BEFORE}\n"


def test_only_sleeps_that_come_are_watched(command: Any, folder: Path) -> None:
    path = folder / "system.xml"
    path.write_text(LOG, "utf-8")

    document = json.loads(command("watch-sleeps", "--log", str(path), "--for", "1s", "--json").out)

    assert (document["sleeps"], document["why"]) == (0, NONE_CAME)


def test_a_log_that_is_not_there_is_refused_at_once(command: Any, folder: Path) -> None:
    said = command("watch-sleeps", "--log", str(folder / "none.xml"))

    assert said.status == 2
    assert "none.xml" in said.err
