"""`fleet`, used as a person uses it: folders of stores, exit statuses, what ends it early."""

import gzip
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from resume_rig.cli.main import main

ROOT = Path(__file__).resolve().parents[3]
LOGS = ROOT / "fixtures" / "logs"
HOSTILE = "<script>alert(1)</script>\u202e"


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sound units in `good`, a slow one in `slow`."""
    folder = tmp_path_factory.mktemp("stores")
    wanted = (
        ("good/one", 1, ["--cycles", "6"]),
        ("good/two", 2, ["--cycles", "6"]),
        ("slow/three", 3, ["--cycles", "6", "--dut", "slow-laptop"]),
    )
    for name, seed, words in wanted:
        path = folder / f"{name}.rrs"
        path.parent.mkdir(exist_ok=True)
        rig = ["--rig", f"sim:clock=virtual,seed={seed}"]
        assert main(["run", *rig, "--out", str(path), *words]) in (0, 1)
    return folder


def test_sound_units_pass(command, stores: Path, folder: Path) -> None:
    said = command("fleet", str(stores / "good"), "--units", "store", "--html", "f.html")

    assert said.status == 0, said.err
    assert said.out.splitlines()[:2] == [  # the answer comes first
        "SIMULATED: no PC was measured",
        "PASS: 2 of 2 campaigns pass.",
    ]
    assert "2 campaigns of 2 units with 12 cycles, in 1 group" in said.out
    assert "Example Corp. Notebook 14, BIOS 1.08, S3: PASS" in said.out
    assert "2 campaigns of 2 units pass; 0 of 10 judged resumes failed" in said.out
    assert "2 of 2: " in said.err
    page = (folder / "f.html").read_text("utf-8")
    assert page.count("<script") == 1  # our own, which the policy allows by its hash


def test_a_log_and_a_store_are_judged_side_by_side(command, stores: Path) -> None:
    log = str(LOGS / "four-s3-cycles.xml")
    said = command("fleet", str(stores / "good" / "one.rrs"), log, "--jobs", "1", "--json")

    assert said.status == 1
    assert said.document["why"] == f"1 of 2 campaigns and logs of 2 units fails: {log}"
    of_log, of_store = (group["campaigns"][0] for group in said.document["groups"])
    assert (of_log["log"], of_log["kinds"], of_log["unit"]) == ("eventlog-xml", {"S3": 4}, log)
    assert (of_log["failures"]["failures"], of_log["times"][0]["max_ms"]) == (1, 2052.0)
    assert (of_store["log"], of_store["kinds"]) == (None, {})


def test_a_folder_of_logs_says_first_how_the_pcs_sleep(command, folder: Path) -> None:
    (folder / "logs" / "07").mkdir(parents=True)
    shutil.copy(LOGS / "two-s3-cycles.xml", folder / "logs" / "07" / "System.xml")
    shutil.copy(LOGS / "two-s3-cycles.xml", folder / "logs" / "again.xml")
    shutil.copy(LOGS / "pwrtest-new-names.xml", folder / "logs")
    (folder / "logs" / "torn.evtx").write_bytes(b"no log any more")
    (folder / "logs" / "full-disk.xml").touch()
    (folder / "logs" / "notes.txt").write_text("UNIT-7 has no battery", encoding="utf-8")

    said = command("fleet", "logs", "--jobs", "1", "--html", "f.html")

    text = " ".join(said.out.split())
    assert said.status == 2
    assert text.startswith(
        "PASS: 2 of 2 logs pass. No S3 in 1 of 2 logs: 1 uses hybrid sleep (covered). "
    )
    assert "2 logs could not be read" in text
    assert "full-disk.xml: found an empty file" in text
    assert "Left out: could not read " + str(Path("logs/torn.evtx")) + ": found other text" in text
    assert "again.xml is a copy of" in text
    assert "Example Computers Notebook 14 G3, BIOS N14 1.07, hybrid sleep: PASS" in text
    assert "1 hybrid sleep, 1 S4" in text
    assert "notes.txt" not in text
    page = (folder / "f.html").read_text("utf-8")
    assert "Many logs" in page
    assert ">Light<" not in page


def test_a_log_without_evidence_is_worse_than_one_that_passes(command, folder: Path) -> None:
    for name in ("two-s3-cycles.xml", "diagnostics-performance.xml"):
        shutil.copy(LOGS / name, folder)

    said = command("fleet", ".", "--jobs", "1", "--json")

    assert said.status == 4
    assert said.document["why"] == (
        "No S3 in 1 of 2 logs: 1 has no completed sleep. 1 of 2 logs of 2 units gives no evidence: "
        "diagnostics-performance.xml"
    )
    first = said.document["groups"][0]
    assert (first["verdict"], first["traits"]["state"]) == ("NO-EVIDENCE", "")


def test_real_logs_of_windows_are_told_apart_by_how_they_sleep(command, shared_data: Path) -> None:
    # Two of them were anonymised, and have one computer name.
    said = command("fleet", str(shared_data / "eventlog"), "--jobs", "1", "--json")

    assert said.status == 1
    assert said.document["why"].startswith(
        "No S3 in 5 of 5 logs: 1 uses hybrid sleep (covered), 1 uses S1 (not covered), 1 "
        "uses fast startup (not covered), 2 have no completed sleep. 1 of 5 logs of 4 units "
        "fails: "
    )
    hybrid = said.document["groups"][0]["campaigns"][0]
    assert (hybrid["failures"]["n"], hybrid["kinds"]["S4"]) == (54, 16)  # S4 is counted, not judged
    assert len(said.document["copies"]) == 1  # EVTX and XML of one log


def exported(name: str, computer: str, part: slice = slice(None)) -> str:
    """Return some events of a shipped log, as a computer of that name writes them."""
    text = (LOGS / name).read_text("utf-8").replace("<Computer>DUT</Computer>", "")
    events = re.findall("<Event .*?</Event>", text, re.DOTALL)[part]
    named = f"<Computer>{computer}</Computer></System>"
    return f"<Events>{''.join(events).replace('</System>', named)}</Events>"


FIRST_THREE, LAST_THREE = slice(22), slice(8, None)


def test_logs_of_one_computer_are_a_unit_and_each_sleep_counts_once(command, folder: Path) -> None:
    for name, text in {
        "april.xml": exported("four-s3-cycles.xml", "PC-07", FIRST_THREE),
        "may.xml": exported("four-s3-cycles.xml", "PC-07", LAST_THREE),
        "other.xml": exported("two-s3-cycles.xml", "PC-08"),
    }.items():
        (folder / name).write_text(text, "utf-8")

    said = command("fleet", ".", "--jobs", "2", "--json")

    (group,) = said.document["groups"]
    lines = {each["path"]: each for each in group["campaigns"]}
    assert {name: (each["unit"], each["cycles"]) for name, each in lines.items()} == {
        "april.xml": ("PC-07", 3),
        "may.xml": ("PC-07", 1),
        "other.xml": ("PC-08", 2),
    }
    assert lines["may.xml"]["marks"] == ["2 sleeps counted in april.xml"]
    assert (group["units"], group["failures"]["n"]) == (2, 6)
    assert said.document["copies"] == []
    apart = command("fleet", ".", "--jobs", "1", "--units", "store", "--json").document["groups"][0]
    assert (apart["units"], apart["failures"]["n"]) == (3, 8)


def test_a_log_of_several_computers_stays_a_unit_by_its_file(command, folder: Path) -> None:
    first = exported("four-s3-cycles.xml", "PC-07", FIRST_THREE).removesuffix("</Events>")
    last = exported("four-s3-cycles.xml", "PC-08", slice(22, None)).removeprefix("<Events>")
    (folder / "collector.xml").write_text(first + last, "utf-8")

    said = command("fleet", ".", "--json")

    (line,) = said.document["groups"][0]["campaigns"]
    assert (line["unit"], line["cycles"]) == ("collector.xml", 4)
    assert line["marks"] == ["2 computer names (PC-07, PC-08)"]


def test_hostile_computer_names_stay_harmless(command, folder: Path) -> None:
    evil = "&lt;script&gt;alert(1)&lt;/script&gt;\u202e\x9b31m"
    (folder / "a.xml").write_text(exported("two-s3-cycles.xml", evil), "utf-8")
    (folder / "b.xml").write_text(
        exported("four-s3-cycles.xml", evil, FIRST_THREE).removesuffix("</Events>")
        + exported("four-s3-cycles.xml", f"{evil}2", LAST_THREE).removeprefix("<Events>"),
        "utf-8",
    )

    said = command("fleet", ".", "--jobs", "1", "--html", "e.html")

    assert "2 computer names" in " ".join(said.out.split())
    assert "\u202e" not in said.out
    assert "\x9b" not in said.out
    page = (folder / "e.html").read_text("utf-8")
    assert page.count("<script") == 1
    assert "\u202e" not in page
    assert HOSTILE not in command("fleet", ".", "--jobs", "1", "--json").out


def test_one_that_fails_fails_the_fleet_and_stands_first(command, stores: Path) -> None:
    said = command("fleet", str(stores), "--json", "--jobs", "1")

    assert said.status == 1
    document = said.document
    assert document["schema"] == "resume-rig/fleet/1"
    assert [group["verdict"] for group in document["groups"]] == ["FAIL", "PASS"]
    assert document["groups"][0]["traits"]["bios"] == "0.63"
    assert document["groups"][0]["failures"]["failures"] == 5
    assert document["why"].startswith("1 of 3 campaigns of 2 units fails: ")
    (campaign,) = document["groups"][0]["campaigns"]
    assert campaign["times"][0]["measure"] == "resume_ms"
    assert campaign["outcomes"] == {"slept-and-woke": 6}


def test_the_limit_is_the_one_that_is_asked_for(command, stores: Path) -> None:
    assert command("fleet", str(stores), "--limit-ms", "9000").status == 0
    assert command("fleet", str(stores / "good"), "--limit-ms", "700").status == 1


def test_a_store_that_cannot_be_read_hides_no_other(command, stores: Path, folder: Path) -> None:
    shutil.copytree(stores / "good", folder / "good")
    (folder / "good" / "torn.rrs").write_bytes(b"SQLite format 3\0 and no more")

    said = command("fleet", "good")

    assert said.status == 2
    assert "torn.rrs" in said.out
    assert "PASS: 2 of 2 campaigns pass" in said.out
    assert "; 1 store could not be read" in " ".join(said.out.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((".",), "there is no file named *.rrs and no OS log in it or below it"),
        (("missing.rrs",), "there is no such file or folder"),
        ((".", "--by", "colour"), "'colour' is no trait; allowed are product, bios, state"),
        ((".", "--by", "bios,bios"), "names one twice"),
        ((".", "--jobs", "0"), "allowed are 1 to 64"),
        ((".", "--matters", "x"), "allowed are numbers of % from 0.01 to 50"),
    ],
)
def test_bad_input_is_one_sentence(command, words: tuple[str, ...], told: str) -> None:
    said = command("fleet", *words)

    assert said.status == 2
    assert told in said.err
    assert said.out == ""
    assert said.err.count("\n") == 1


def test_a_report_does_not_replace_a_store(command, stores: Path) -> None:
    store = str(stores / "good" / "one.rrs")

    said = command("fleet", store, "--html", store)

    assert said.status == 2
    assert "would replace" in said.err


def test_hostile_names_stay_harmless(command, stores: Path, folder: Path) -> None:
    profile = folder / "evil.toml"
    shipped = ROOT / "fixtures" / "duts" / "healthy-laptop.toml"
    text = shipped.read_text("utf-8").replace("Notebook 14", HOSTILE)
    assert HOSTILE in text
    profile.write_text(text, encoding="utf-8")
    rig = ("--rig", "sim:clock=virtual,seed=1", "--cycles", "2")
    assert command("run", *rig, "--dut", str(profile), "--out", "e.rrs").status == 0

    said = command("fleet", "e.rrs", "--html", "e.html")

    assert "\u202e" not in said.out
    page = (folder / "e.html").read_text("utf-8")
    assert page.count("<script") == 1
    assert "\u202e" not in page
    assert HOSTILE not in command("fleet", "e.rrs", "--json").out


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the children of a process")
@pytest.mark.parametrize(
    ("to_child", "status", "told"),
    [
        (False, 130, "resume-rig: stopped."),
        (True, 1, "1 of 3 campaigns of 2 units fails"),
    ],
)
def test_what_ends_early_leaves_no_process(
    stores: Path, tmp_path: Path, to_child: bool, status: int, told: str
) -> None:
    words = [sys.executable, "-m", "resume_rig", "fleet", str(stores), "--jobs", "2"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path
    ) as parent:
        children = _children_of(parent)
        os.kill(children[-1] if to_child else parent.pid, signal.SIGKILL if to_child else 2)
        said, _ = parent.communicate(timeout=60)

    assert parent.returncode == status, said
    assert told in " ".join(said.split())
    assert "Traceback" not in said
    deadline = time.monotonic() + 20
    while any(map(_lives, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [child for child in children if _lives(child)]


def _children_of(parent: "subprocess.Popen[str]") -> list[int]:
    """Return the processes that it reads stores with, as soon as there are two."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        text = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text("ascii")
        # One more keeps track of what they share, and ends by itself.
        found = [int(each) for each in text.split() if b"spawn_main" in _command_of(int(each))]
        if len(found) == 2:
            return found
        time.sleep(0.01)
    raise AssertionError("no process was started")


def _command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _lives(pid: int) -> bool:
    return bool(_command_of(pid))


def sleeps_of_a_pc(numbers: range, slow: int) -> str:
    """Return Event XML of sleeps by record number, 1 s each, but one of 2.5 s."""
    event = (
        '<Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event"><System>'
        '<Provider Name="Microsoft-Windows-Power-Troubleshooter"/><EventID>1</EventID>'
        '<Version>3</Version><TimeCreated SystemTime="2024-05-01T10:{0:02}:30Z"/>'
        "<EventRecordID>{0}</EventRecordID><Channel>System</Channel><Computer>PC-07</Computer>"
        '</System><EventData><Data Name="SleepTime">2024-05-01T10:{0:02}:00Z</Data>'
        '<Data Name="WakeTime">2024-05-01T10:{0:02}:30Z</Data>'
        '<Data Name="SleepDuration">1400</Data><Data Name="WakeDuration">{1}</Data>'
        '<Data Name="DriverInitDuration">{1}</Data><Data Name="BiosInitDuration">240</Data>'
        '<Data Name="TargetState">4</Data><Data Name="EffectiveState">4</Data>'
        '<Data Name="WakeSourceType">1</Data></EventData></Event>'
    )
    found = (event.format(n, 2300 if n == slow else 800) for n in numbers)
    return f"<Events>{''.join(found)}</Events>"


@pytest.mark.parametrize(
    ("parts", "slow", "failed"),
    [
        ((range(10, 17), range(14, 20)), 17, 1),  # the first that the later file alone holds
        ((range(10, 14), range(12, 20)), 12, 1),  # the longer file begins later
        ((range(10, 14), range(12, 17), range(16, 20)), 16, 1),
        ((range(10, 17), range(14, 20)), 10, 0),  # the first of all
    ],
)
def test_overlapping_logs_of_a_pc_have_one_first_transition(
    command, folder: Path, parts: tuple[range, ...], slow: int, failed: int
) -> None:
    for order in (parts, parts[::-1]):
        names = [f"{place}.xml" for place in range(len(order))]
        for name, numbers in zip(names, order, strict=True):
            (folder / name).write_text(sleeps_of_a_pc(numbers, slow), "utf-8")

        log = command("log", *names, "--requirement", "s3resume", "--json").document
        many = command("fleet", ".", "--requirement", "s3resume", "--jobs", "1", "--json").document

        (rate,) = (group["failures"] for group in many["groups"])
        assert (rate["failures"], rate["n"]) == (failed, 9)
        assert log["statistics"]["failure_rate"]["failures"] == failed
        assert sum(cycle["judged"] for cycle in log["cycles"]) == 9


def test_logs_that_follow_one_another_have_a_first_transition_each(command, folder: Path) -> None:
    for name, numbers in (("a.xml", range(10, 14)), ("b.xml", range(14, 20))):
        (folder / name).write_text(sleeps_of_a_pc(numbers, slow=0), "utf-8")

    said = command("log", "b.xml", "a.xml", "--requirement", "s3resume")

    assert "2 first transitions ignored" in said.out


def test_what_is_neither_log_nor_store_is_refused_as_log_refuses_it(command, folder: Path) -> None:
    (folder / "hello.log").write_text("hello", "utf-8")

    said = command("fleet", "hello.log")

    assert said.status == 2
    assert "1 log could not be read" in said.out
    assert command("log", "hello.log").err.removeprefix("resume-rig: ").strip() in " ".join(
        said.out.split()
    )


def test_a_log_in_gzip_is_found_in_a_folder(command, folder: Path) -> None:
    log = (LOGS / "linux-6.6-dmesg.txt").read_bytes()
    (folder / "dmesg.txt.gz").write_bytes(gzip.compress(log))
    (folder / "notes.txt.gz").write_bytes(gzip.compress(b"UNIT-7 has no battery"))

    said = command("fleet", ".", "--json")

    (group,) = said.document["groups"]
    assert [each["path"] for each in group["campaigns"]] == ["dmesg.txt.gz"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--spark-master", "x"], "--spark-master goes with a lake"),
        (["--engine", "spark"], "--engine goes with a lake"),
        (["--by", "none,bios"], "'none,bios': none stands alone"),
    ],
)
def test_a_wrong_option_is_named(command, folder: Path, words: list[str], told: str) -> None:
    said = command("fleet", str(folder), *words)

    assert said.status == 2
    assert told in said.err
