"""Where answers and reports go: closed, full and hostile places, and files worth keeping."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = f"{sys.executable} -m resume_rig"
FIXTURE_LOGS = Path(__file__).parents[3] / "fixtures" / "logs"
FAILING_LOG = FIXTURE_LOGS / "four-s3-cycles.xml"
POSIX = pytest.mark.skipif(os.name != "posix", reason="a POSIX shell, its pipes and devices")


def shell(line: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


@POSIX
def test_a_reader_that_leaves_does_not_turn_fail_into_pass(tmp_path: Path) -> None:
    done = shell(f"{PROGRAM} log {FAILING_LOG} --json | true", tmp_path)
    assert (done.returncode, done.stderr) == (1, "")


@POSIX
@pytest.mark.parametrize("words", ["", "--json"])
def test_a_closed_standard_output_leaves_the_verdict(tmp_path: Path, words: str) -> None:
    done = shell(f"{PROGRAM} log {FAILING_LOG} {words} --report x.html >&-", tmp_path)
    assert done.returncode == 1
    assert done.stderr == "Report: x.html\n"
    assert (tmp_path / "x.html").read_text("utf-8").startswith("<!DOCTYPE html>")


@POSIX
def test_a_closed_standard_error_keeps_json_alone_on_standard_output(tmp_path: Path) -> None:
    done = shell(f"{PROGRAM} log {FAILING_LOG} --json --report x.html 2>&-", tmp_path)
    assert done.stdout.startswith('{"schema"')


@POSIX
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_standard_output_is_one_sentence(tmp_path: Path) -> None:
    done = shell(f"{PROGRAM} log {FAILING_LOG} --json >/dev/full", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("resume-rig: could not write the answer")
    assert len(done.stderr.splitlines()) == 1


def test_what_a_report_is_made_of_is_not_replaced_by_it(command, folder: Path) -> None:
    (folder / "log.xml").write_bytes(FAILING_LOG.read_bytes())
    names = ["log.xml", "./log.xml"]
    if os.name == "posix":  # Windows lets few users make links
        (folder / "link.html").symlink_to("log.xml")
        names.append("link.html")
    for report in names:
        said = command("log", "log.xml", "--report", report)
        assert (said.status, said.out) == (2, "")
        assert "name another file" in said.err
    assert (folder / "log.xml").read_bytes() == FAILING_LOG.read_bytes()


def test_a_store_is_not_replaced_by_its_report(command, folder: Path) -> None:
    sim = ("--rig", "sim:clock=virtual,seed=7", "--cycles", "1")
    assert command("run", *sim, "--out", "night.html").status == 2
    assert not (folder / "night.html").exists()
    command("run", *sim, "--out", "night.rrs")
    (folder / "night.rrs").replace(folder / "night.html")
    stored = (folder / "night.html").read_bytes()
    for words in (["report"], ["correlate", "--report", "night.html"]):
        said = command(words[0], "night.html", *words[1:])
        assert said.status == 2
        assert "night.html" in said.err
    assert (folder / "night.html").read_bytes() == stored


@POSIX
def test_a_report_goes_where_a_link_points_and_into_no_device(command, folder: Path) -> None:
    (folder / "target.html").write_text("old")
    (folder / "link.html").symlink_to("target.html")
    os.mkfifo(folder / "pipe")

    command("log", str(FAILING_LOG), "--report", "link.html")
    said = command("log", str(FAILING_LOG), "--report", "pipe")

    assert (folder / "link.html").is_symlink()
    assert (folder / "target.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert said.status == 2
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)


@POSIX
def test_a_pipe_is_no_capture_and_nobody_waits_for_it(command, folder: Path) -> None:
    os.mkfifo(folder / "pipe.vcd")
    said = command("correlate", "pipe.vcd", "--log", str(FAILING_LOG))
    assert (said.status, said.out) == (2, "")
    assert "a device" in said.err


def test_a_name_cannot_steer_the_terminal(command) -> None:
    said = command("log", "no\nsuch\x1b[31m.xml")
    assert said.status == 2
    assert len(said.err.splitlines()) == 1
    assert "\x1b" not in said.err
