"""How a verb ends: readers and terminals that leave, Ctrl-C late, places that cannot be written."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from resume_rig.acceptance.whole_file import write_whole
from resume_rig.campaign.store.store import Store
from resume_rig.cli.terminal import answer

RUN = ("run", "--rig", "sim:clock=virtual,seed=7", "--out", "night.rrs")
PROGRAM = (sys.executable, "-m", "resume_rig", *RUN)
PATIENCE_S = 60
POSIX = pytest.mark.skipif(os.name != "posix", reason="POSIX signals and pipes")


def interrupted(*_args: object, **_options: object) -> None:
    raise KeyboardInterrupt


INTERRUPTED_WHILE_LOADING = """
import sys


class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "resume_rig.cli.offline.verb_store":
            raise KeyboardInterrupt


sys.meta_path.insert(0, Interrupting())
from resume_rig.cli.main import main

sys.exit(main(["log", "some.xml"]))
"""


def test_an_interrupt_while_the_program_is_loaded_is_one_sentence() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_LOADING],
        capture_output=True,
        check=False,
        text=True,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stderr) == (130, "resume-rig: stopped.\n")


@POSIX
def test_a_reader_that_leaves_does_not_turn_a_fail_into_a_pass(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [*PROGRAM, "--dut", "slow-laptop"],
            cwd=tmp_path,
            stdout=write,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
            timeout=PATIENCE_S,
        )
    finally:
        os.close(write)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr


@POSIX
def test_a_terminal_that_closes_stops_no_campaign(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            PROGRAM,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=write,
            check=False,
            text=True,
            timeout=PATIENCE_S,
        )
    finally:
        os.close(write)
    assert done.returncode == 0
    assert "PASS: 3 of 3" in done.stdout


@POSIX
def test_under_nohup_a_hang_up_ends_nothing(tmp_path: Path) -> None:
    campaign = subprocess.Popen(
        ["nohup", *PROGRAM, "--cycles", "40"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert campaign.stderr is not None
    assert any(" 1/40 " in line for line in campaign.stderr)
    campaign.send_signal(signal.SIGHUP)
    out, _ = campaign.communicate(timeout=PATIENCE_S)
    assert campaign.returncode == 0
    assert "PASS: 39 of 39" in out


def test_ctrl_c_while_the_answer_is_made_says_how_to_go_on(command, monkeypatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(answer, "show", interrupted)
        said = command(*RUN)
    assert said.status == 130
    assert "`resume-rig run --resume night.rrs` goes on" in said.err

    said = command("run", "--resume", "night.rrs")
    assert said.status == 0, said.err
    assert "PASS: 3 of 3" in said.out


def test_ctrl_c_while_a_file_is_written_leaves_none(folder: Path, monkeypatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Path, "chmod", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_whole(folder / "report.html", "<p>half</p>")
    assert list(folder.iterdir()) == []


def test_a_report_that_has_no_place_is_refused_before_the_campaign(command, folder: Path) -> None:
    said = command(*RUN, "--report", "no/such/place.html")
    assert (said.status, said.out) == (2, "")
    assert str(Path("no/such/place.html")) in said.err
    assert list(folder.iterdir()) == []


def test_a_report_that_cannot_be_written_keeps_no_answer_back(command, monkeypatch) -> None:
    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        said = command(*RUN, "--json")
    assert said.status == 2
    assert said.document["verdict"] == "PASS"
    assert "No space left on device" in said.err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("report", "night.rrs", "--out", "r.html"), "could not write "),
        (("export", "night.rrs", "--to", "junit", "--out", "j.xml"), "could not write "),
        (("export", "night.rrs", "--evidence", "ev"), "could not write the evidence to ev: "),
        (("bundle", "night.rrs", "--out", "b.zip"), "could not make the bundle b.zip: "),
    ],
)
def test_a_full_disk_is_no_wrong_folder(command, monkeypatch, words, what: str) -> None:
    assert command(*RUN).status == 0

    def full(*_args: object, **_words: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "mkstemp", full)
        patched.setattr(Store, "copy_to", full)
        said = command(*words)

    assert said.status == 2
    assert what in said.err
    assert "make room there, or name a place on another disk" in said.err
    assert ".part" not in said.err
    assert "can be written to" not in said.err


def test_a_rig_that_is_not_there_shows_no_answer_of_the_campaign_before(
    command, folder: Path
) -> None:
    command(*RUN, "--cycles", "2")
    report = (folder / "night.html").read_bytes()

    said = command("run", "--rig", "serial:/dev/no-port", "--out", "night.rrs")

    assert (said.status, said.out) == (3, "")
    assert "no such port" in said.err
    assert (folder / "night.html").read_bytes() == report
