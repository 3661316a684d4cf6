"""Bad input: one sentence, the right exit status, no traceback, nothing half-written."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from resume_rig.campaign.store.schema import APPLICATION_ID
from resume_rig.cli.terminal.arguments import existing_paths

ENTITY_BOMB = """<?xml version="1.0"?>
<!DOCTYPE Events [
 <!ENTITY a "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa">
 <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
 <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
 <!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">
]>
<Events><Event>&d;</Event></Events>
"""

# Windows does not tell a name that is too long from one that is not there.
SIM = ("--rig", "sim:clock=virtual")
TOO_LONG = "nnnnn" if sys.platform == "win32" else "too long"

EVENT = "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'></Event>"


def write_store_with_an_event(path: Path) -> None:
    """A file that begins as stores do, and holds Event XML as their records do."""
    store = sqlite3.connect(path)
    with store:
        store.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        store.execute("CREATE TABLE texts (text)")
        store.execute("INSERT INTO texts VALUES (?)", (EVENT,))
    store.close()


@pytest.fixture
def inputs(folder: Path) -> Path:
    """Files that are not what they are given as."""
    (folder / "empty.xml").write_bytes(b"")
    (folder / "bomb.xml").write_text(ENTITY_BOMB, "utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    (folder / "notes.txt").write_text("milk, bread\n", "utf-8")
    (folder / "cut.evtx").write_bytes(b"ElfFile\0" + bytes(100))
    (folder / "subfolder").mkdir()
    (folder / "plan.toml").write_text("cycles = 0\n", "utf-8")
    (folder / "limits.toml").write_text("limit = 3\n", "utf-8")
    write_store_with_an_event(folder / "night.rrs")
    with closing(sqlite3.connect(folder / "other.rrs")) as other, other:
        other.execute("CREATE TABLE stamps (id)")
    other.close()
    return folder


ALONE = {
    "log": ("two.xml", "is an OS log (Event XML); `resume-rig log` judges it"),
    "folder": ("subfolder", "it is neither a campaign store nor a capture"),
    "text": ("notes.txt", "it is neither a campaign store nor a capture"),
    "capture": ("scope.csv", "is a capture; name the OS log with --log FILE"),
}


@pytest.mark.parametrize(("name", "words"), ALONE.values(), ids=list(ALONE))
def test_what_correlate_is_given_alone_is_named(
    command, inputs: Path, fixtures_dir: Path, name: str, words: str
) -> None:
    (inputs / "two.xml").write_bytes((fixtures_dir / "logs" / "two-s3-cycles.xml").read_bytes())
    (inputs / "scope.csv").write_text("Time [s],SLP_S3#\n0,1\n1,0\n", "utf-8")
    said = command("correlate", name)

    assert said.status == 2
    assert words in said.err


@pytest.mark.parametrize("option", ["--time-column", "--time-unit"])
def test_a_column_of_what_is_no_table_is_refused(
    command, folder: Path, fixtures_dir: Path, option: str
) -> None:
    capture = str(fixtures_dir / "traces" / "two-s3-cycles.vcd")
    log = str(fixtures_dir / "logs" / "two-s3-cycles.xml")

    said = command("correlate", capture, "--log", log, option, "ms")

    assert said.status == 2
    assert "leave out --time-column and --time-unit" in said.err


LOG_CASES = {
    "missing file": (["log", "nowhere.xml"], 2, "nowhere.xml"),
    "empty file": (["log", "empty.xml"], 2, "empty"),
    "folder": (["log", "subfolder"], 2, "subfolder"),
    "entity bomb": (["log", "bomb.xml"], 2, "bomb.xml"),
    "store": (["log", "night.rrs"], 2, "found a campaign store (`resume-rig correlate`"),
    "folder of requirements that is not there": (
        ["log", "notes.txt", "--requirements", "mine"],
        2,
        "no such folder",
    ),
    "limit with a fraction": (["log", "notes.txt", "--limit-ms", "1.5"], 2, "whole number"),
    "picture": (["log", "picture.png"], 2, "picture.png"),
    "text": (["log", "notes.txt"], 2, "notes.txt"),
    "truncated EVTX": (["log", "cut.evtx"], 2, "cut.evtx"),
    "limit of -1": (["log", "notes.txt", "--limit-ms", "-1"], 2, "-1"),
    "limit that is no number": (["log", "notes.txt", "--limit-ms", "soon"], 2, "soon"),
    "unknown requirement": (["log", "notes.txt", "--requirement", "x-1"], 2, "sysfund-0004"),
    "bad requirement file": (["log", "notes.txt", "--requirement", "limits.toml"], 2, "limit"),
    "unknown kind": (["log", "notes.txt", "--kind", "S9"], 2, "hybrid"),
    "file from a variable that is not set": (["log", ""], 2, "not set"),
    "report from a variable that is not set": (["log", "x.xml", "--report", ""], 2, "not set"),
    "option that log has not": (["log", "x.xml", "--frob"], 2, "see resume-rig log --help"),
    "report and records in one file": (
        ["log", "notes.txt", "--report", "x.html", "--emit", "pwrtest-xml", "x.html"],
        2,
        "--report and --emit name one file",
    ),
    "records over the log": (
        ["log", "notes.txt", "--emit", "pwrtest-xml", "notes.txt"],
        2,
        "it would replace notes.txt, which it is made of",
    ),
    "report in no folder": (
        ["log", "notes.txt", "--report", "no/such/place.html"],
        2,
        "its folder is not there",
    ),
}
RUN_CASES = {
    "unknown profile": (["run", "--dut", "toaster"], 2, "healthy-laptop"),
    "unknown scheme": (["run", "--rig", "usb:1"], 2, "serial:"),
    "unknown sim option": (["run", "--rig", "sim:colour=red"], 2, "clock="),
    "native without an image": (["run", "--rig", "native:"], 2, "native:PATH"),
    "native image that is not there": (["run", "--rig", "native:none.exe"], 2, "none.exe"),
    "native image that is none": (["run", "--rig", "native:notes.txt"], 2, "notes.txt"),
    "port that is not there": (["run", "--rig", "serial:/dev/no-such-port"], 3, "no-such-port"),
    "no listener": (["run", "--rig", "socket:127.0.0.1:1"], 3, "127.0.0.1"),
    "run without a rig": (["run"], 2, "`resume-rig demo`"),
    "no cycles": (["run", "--cycles", "0"], 2, "1 to"),
    "short dwell": (["run", "--dwell", "1s"], 2, "5 s"),
    "host clock": (["run", *SIM, "--host-clock-ppb", "-5"], 2, "-5 ppb"),
    "dwell without a unit": (["run", "--dwell", "soon"], 2, "a time with its unit"),
    "state": (["run", "--state", "S7"], 2, "S7"),
    "state that no plan has": (["run", "--state", "S6"], 2, "modern-standby"),
    "rig from a variable that is not set": (["run", "--rig", ""], 2, "not set"),
    "DUT from a variable that is not set": (["run", "--dut", ""], 2, "not set"),
    "log from a variable that is not set": (["run", "--log", ""], 2, "not set"),
    "seed below 0": (["run", "--rig", "sim:seed=-1"], 2, "0 to 999999999999999999"),
    "seed above 64 bits": (
        ["run", "--rig", "sim:seed=9223372036854775808"],
        2,
        "a whole number of 0 to 999999999999999999",
    ),
    "clock that is named twice": (
        ["run", "--rig", "sim:clock=virtual,clock=real"],
        2,
        "has the option 'clock' twice",
    ),
    "dwell below 0": (["run", "--dwell", "-5s"], 2, "a dwell of -5.000 s; allowed are"),
    "settle time below 0": (["run", "--settle", "-1s"], 2, "a settle time of -1.000 s; allowed"),
    "supply from a variable that is not set": (
        ["run", "--power-cycle", ""],
        2,
        "argument --power-cycle: it is empty",
    ),
    "hook from a variable that is not set": (
        ["run", "--on-end", " "],
        2,
        "argument --on-end: it is empty",
    ),
    "cycles that are no number": (["run", "--cycles", "many"], 2, "whole number"),
    "command that is not there": (["run", "--on-failure", "no-such-prog -x"], 2, "no-such-prog"),
    "supply that is not there": (["run", *SIM, "--power-cycle", "no-such-prog"], 2, "no-such-prog"),
    "sleep command that is not there": (
        ["run", *SIM, "--sleep-command", "./no-such-prog"],
        2,
        "no-such-prog",
    ),
    "report that is a folder": (["run", "--report", "subfolder"], 2, "it is a folder"),
    "store that is a folder": (["run", *SIM, "--out", "subfolder"], 2, "it is a folder"),
    "resume of a folder": (["run", "--resume", "subfolder"], 2, "it is a folder"),
    "bad plan": (["run", "--plan", "plan.toml"], 2, "cycles"),
    "missing plan": (["run", "--plan", "none.toml"], 2, "none.toml"),
    "store in no folder": (["run", "--out", "no/such/x.rrs"], 2, "no/such"),
    "store that is there": (["run", *SIM, "--out", "other.rrs"], 2, "other.rrs"),
    "missing log": (["run", *SIM, "--log", "none.xml"], 2, "none.xml"),
    "lid on a desktop": (
        ["run", "--dut", "healthy-desktop", "--wake-by", "lid"],
        2,
        "LID",
    ),
    "resume of nothing": (["run", "--resume", "none.rrs"], 2, "none.rrs"),
    "resume of something else": (["run", "--resume", "other.rrs"], 2, "other.rrs"),
    "store that is this folder": (
        ["run", "--rig", "sim:seed=7", "--out", "."],
        2,
        "it is a folder",
    ),
    "store that is the root": (
        ["run", "--rig", "sim:seed=7", "--out", "/", "--report", "x.html"],
        2,
        "it is a folder",
    ),
    "limit of the usual settle time": (["run", "--settle-limit", "5s"], 2, "--settle adaptive"),
    "limit of a fixed settle time": (
        ["run", "--settle-limit", "5s", "--settle", "4s"],
        2,
        "--settle adaptive",
    ),
    "resume of a text": (["run", "--resume", "notes.txt"], 2, "notes.txt"),
}
OTHER_CASES = {
    "correlate nothing": (["correlate", "none.vcd", "--log", "notes.txt"], 2, "notes.txt"),
    "correlate another database": (["correlate", "other.rrs"], 2, "other.rrs"),
    "channel without a signal": (
        ["correlate", "notes.txt", "--channel", "SLP_S3", "--log", "notes.txt"],
        2,
        "notes.txt",
    ),
    "pair without numbers": (
        ["correlate", "other.rrs", "--pair", "1=first"],
        2,
        "such as 1=5; found '1=first'",
    ),
    "DUT of a name too long": (["run", "--dut", "n" * 300 + ".toml"], 2, TOO_LONG),
    "capture of a name too long": (["correlate", "n" * 300], 2, TOO_LONG),
    "comparison with a name too long": (["compare", "n" * 300, "notes.txt"], 2, TOO_LONG),
    "store of a name too long": (
        ["run", "--rig", "sim:clock=virtual", "--out", f"{'n' * 245}.rrs"],
        2,
        "more than 240 bytes",
    ),
    "report of a store into no folder": (
        ["report", "other.rrs", "--out", "no/such/x.html"],
        2,
        "its folder is not there",
    ),
    "comparison into no folder": (
        ["compare", "notes.txt", "night.rrs", "--html", "no/such/x.html"],
        2,
        "its folder is not there",
    ),
    "correlation into a folder": (
        ["correlate", "other.rrs", "--report", "subfolder"],
        2,
        "it is a folder",
    ),
    "option that a verb of a verb has not": (
        ["store", "check", "other.rrs", "--frob"],
        2,
        "see resume-rig store check --help",
    ),
    "export of a variable that is not set": (["export", "", "--to", "csv"], 2, "not set"),
    "report of this folder": (["report", "."], 2, "it is a folder"),
    "bundle of this folder": (["bundle", "."], 2, "it is a folder"),
    "bundle of this folder elsewhere": (["bundle", ".", "--out", "x.zip"], 2, "it is a folder"),
    "terminal of a variable that is not set": (["sim", "--list", "--pty", ""], 2, "not set"),
    "terminal and port": (["sim", "--list", "--pty", "--tcp", ":0"], 2, "not allowed with"),
    "two pairs": (["correlate", "other.rrs", "--pair", "1=2", "--pair", "2=3"], 2, "one pair"),
    "doctor of a variable that is not set": (["doctor", "--rig", ""], 2, "not set"),
    "check of nothing": (["store", "check", "none.rrs"], 2, "no such file"),
    "check of a folder": (["store", "check", "subfolder"], 2, "it is a folder"),
    "check of a name too long": (["store", "check", "n" * 300], 2, TOO_LONG),
    "info of a folder": (["store", "info", "subfolder"], 2, "it is a folder"),
    "salvage of a text": (["store", "salvage", "notes.txt", "--out", "x.rrs"], 2, "no campaign"),
    "table of JUnit": (
        ["export", "other.rrs", "--to", "junit", "--table", "edges", "--out", "x.xml"],
        2,
        "--table goes with",
    ),
    "report of nothing": (["report", "none.rrs"], 2, "none.rrs"),
    "report of a text": (["report", "notes.txt"], 2, "notes.txt"),
    "press without a rig": (["press"], 2, "--rig"),
    "press for nothing": (
        ["press", "--rig", "sim:clock=virtual", "--for", "0ms"],
        2,
        "--for is 0 ns; allowed are more than 0 s, up to 1.000 s, or up to 12.00 s with "
        "--force-off",
    ),
    "press for too long": (
        ["press", "--rig", "sim:clock=virtual", "--for", "3s"],
        2,
        "--for is 3.000 s; allowed are more than 0 s, up to 1.000 s",
    ),
    "press that cuts the power for too long": (
        ["press", "--rig", "sim:clock=virtual", "--for", "30s", "--force-off"],
        2,
        "up to 12.00 s with --force-off",
    ),
    "loop-back of one change": (
        ["selftest", "--rig", "sim:dut=loopback", "--loopback", "BUTTON=LED", "--count", "1"],
        2,
        "--count 1: allowed are 2 to 10000 changes",
    ),
    "loop-back without a pause": (
        ["selftest", "--rig", "sim:dut=loopback", "--loopback", "BUTTON=LED", "--gap", "99us"],
        2,
        "--gap is 99.00 us; allowed are 100.0 us to 100.0 ms",
    ),
    "lid on a desktop": (
        ["lid", "open", "--rig", "sim:clock=virtual", "--dut", "healthy-desktop"],
        3,
        "LID",
    ),
    "sim on a strange port": (["sim", "--tcp", "127.0.0.1:99999"], 2, "HOST:PORT"),
    "sim of too great a seed": (
        ["sim", "--seed", "99999999999999999999"],
        2,
        "a whole number of 0 to 999999999999999999",
    ),
    "rate below 0": (
        ["correlate", "notes.txt", "--sample-rate", "-1MHz", "--log", "notes.txt"],
        2,
        "argument --sample-rate: ",
    ),
    "sim of a strange DUT": (["sim", "--dut", "toaster"], 2, "healthy-laptop"),
    "sim with a strange fault": (["sim", "--fault", "explodes"], 2, "never-wakes"),
    "sim on top of a file": (["sim", "--pty", "notes.txt"], 2, "notes.txt"),
    "no verb": ([], 2, "VERB"),
    "unknown verb": (["dance"], 2, "dance"),
}
CASES = LOG_CASES | RUN_CASES | OTHER_CASES


@pytest.mark.parametrize(("words", "status", "named"), CASES.values(), ids=CASES.keys())
def test_bad_input_gets_one_sentence_and_leaves_nothing_behind(
    command, inputs: Path, words: list[str], status: int, named: str
) -> None:
    before = sorted(path.name for path in inputs.iterdir())

    said = command(*words)

    assert said.status == status, said.err
    assert said.out == ""
    assert named in said.err.replace("\\", "/")
    assert "Traceback" not in said.err
    assert said.err.startswith("resume-rig")
    assert len(said.err.strip().splitlines()) == 1, said.err
    assert sorted(path.name for path in inputs.iterdir()) == before


def test_debug_shows_the_traceback(command, inputs: Path) -> None:
    with pytest.raises(Exception, match="nowhere"):
        command("log", "nowhere.xml", "--debug")


def test_a_mistake_of_the_program_is_no_verdict(
    command, monkeypatch: pytest.MonkeyPatch, inputs: Path
) -> None:
    def broken(*_args: object, **_options: object) -> None:
        raise ZeroDivisionError("of our own making")

    monkeypatch.setattr("resume_rig.oslog.reading.read_logs", broken)

    said = command("log", "notes.txt")

    assert said.status == 70
    assert "internal error, ZeroDivisionError: of our own making" in said.err
    assert len(said.err.splitlines()) == 1


def test_the_application_runs_no_other_plan_than_the_one_that_is_named(
    command, folder: Path
) -> None:
    (folder / "plan.toml").write_text("rounds = 40\n", "utf-8")

    said = command("gui", "--rig", "sim:clock=virtual", "--plan", "plan.toml", "--run")

    assert said.status == 2
    assert "could not use the plan plan.toml: a plan has no key 'rounds'" in said.err
    assert not list(folder.glob("*.rrs"))


def test_patterns_are_expanded_where_the_shell_does_not(folder: Path) -> None:
    for name in ("b.xml", "a.xml", "c.evtx", "[x].xml"):
        (folder / name).touch()

    named = existing_paths(["*.xml", "c.evtx", "none-*.xml", "?.evtx"], expanded=False)

    assert [path.name for path in named] == [
        *("[x].xml", "a.xml", "b.xml"),
        *("c.evtx", "none-*.xml", "c.evtx"),
    ]
    assert existing_paths(["*.xml"], expanded=True) == [Path("*.xml")]
