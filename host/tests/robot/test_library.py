"""The keywords of ResumeRig: what they do, and the one sentence that a mistake gets."""

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import robot
from suites import Ran, results

from resume_rig import __version__
from resume_rig.model.errors import LinkLost
from resume_rig.rig.link.claim import claim_rig

RIG = "Open Rig    sim:clock=virtual,seed=7"
DESKTOP = "Open Rig    sim:clock=virtual    dut=healthy-desktop"
RESTLESS = """\
base = "healthy-laptop"
title = "Restless"
[behaviour]
wakes_alone_share = 1.0
"""
TWO = "Run Campaign    cycles=2    warm_up=0"
# Windows takes a name that is too long for that of a file which is not there.
TOO_LONG = "there is no such file" if sys.platform == "win32" else "name too long"
UNITS = "a time is a number and its unit: ns, us, ms, s, min, h; for example 2 s or 250 ms"

MISTAKES: list[tuple[list[str], str]] = [
    (["Resume Time Should Be At Most    2 parsecs"], UNITS),
    (["Resume Time Should Be At Most    2"], UNITS),
    (["Display Should Light Within    2 s    share=0.95"], "a share is in percent"),
    (
        ["Skip Unless Bench Has    SLP_S9"],
        "SLP_S0, KEYBOARD, CONTACT",
    ),
    (
        [RIG, "Run Campaign    wake_by=FOOT"],
        "wake_by = 'FOOT'; allowed are button, lid",
    ),
    ([RIG, "Run Campaign    dwell=5"], "dwell = '5'; allowed is a time with its unit (ns, us"),
    ([RIG, "Run Campaign    state=S7"], "state = 'S7'; allowed are S3, hybrid, S4"),
    ([RIG, "Run Campaign    state=S1"], "state = 'S1'; allowed are S3, hybrid, S4"),
    (["There Should Be No Finding Of    bad-luck"], "Available: 'AVERAGE_RESUME_WRONG'"),
    (["Channel Should Show    SLP_S9    1"], "Available: 'BACKLIGHT', 'BUTTON'"),
    (["Open Rig    usb:1"], "'usb:1' is not the URL of a rig; allowed are sim:"),
    (
        ["Open Rig    sim:    dut=my-laptop"],
        "no such profile or file; shipped are",
    ),
    (
        ["Open Rig    serial:/dev/no-port"],
        "serial port /dev/no-port: no such port",
    ),
    (["Close Lid"], "could not close the lid: no rig is open; use `Open Rig` first"),
    ([RIG, RIG], "is open in this run; use `Close Rig` first"),
    (["Campaign Should Pass"], "there is no campaign to judge; use `Run Campaign`"),
    ([RIG, "Run Campaign    cycles=0"], "a plan of 0 cycles; allowed are 1 to 1,000,000"),
    ([RIG, "Run Campaign    plan=marathon"], "there is no plan 'marathon'; allowed are"),
    ([RIG, "Run Campaign    requirement=sysfund-9"], "sysfund-9"),
    ([RIG, "Run Campaign    store=x.txt"], "its name ends in .rrs"),
    ([RIG, "Run Campaign And Kill It After    4    cycles=4"], "allowed are 1 to 3"),
    ([RIG, TWO, "Time Should Be At Most    boredom_ms    1 s"], "allowed are resume_ms, bios"),
    ([RIG, TWO, "Load Campaign    no-such.rrs"], "no-such.rrs"),
    # What a shell, a path, a format or a page could take for something else is an argument here.
    ([RIG, "Run Campaign    store=../../../../no/such/place.rrs"], "is not there"),
    ([RIG, "Run Campaign    cycles=9999999999999999999999"], "allowed are 1 to 1,000,000"),
    ([RIG, "Run Campaign    dwell=nan"], "dwell"),
    ([RIG, "Run Campaign    press=1e400 s"], "press"),
    ([RIG, "Run Campaign    requirement=../../etc/passwd"], "requirement"),
    ([RIG, "Load Campaign    ${{ '%n%s{0}' * 99 }}"], "could not open the store"),
    ([RIG, "Load Campaign    ${{ 'a' * 300 }}.rrs"], TOO_LONG),
    (["Open Rig    sim:clock=virtual,faults=/dev/zero"], str(Path("/dev/zero"))),
    (["Open Rig    serial:/dev/null"], "/dev/null"),
    ([RIG, "DUT Should Be    S4"], "the DUT is awake, as the wires show; expected S4"),
    ([RIG, "Wake DUT"], "could not wake the DUT: it does not sleep"),
    (
        [RIG, "Latency Should Be Known To    1 us    BUTTON    PWR_OK"],
        "dut=loopback in the URL",
    ),
    (
        [DESKTOP, "Close Lid"],
        "the rig cannot move the LID of the DUT healthy-desktop; it moves BUTTON",
    ),
    (
        [
            "Open Rig    sim:clock=virtual    dut=healthy-desktop",
            "Channel Should Show    LID    1",
        ],
        "the DUT has no channel LID; wired are PWR_OK",
    ),
    ([DESKTOP, "Press Key"], "could not press a key: the rig cannot move the KEYBOARD"),
    ([DESKTOP, "Set Contact    open"], "could not open the contact: the rig cannot move the"),
    ([RIG, "Set Contact    ajar"], "no such state of a contact; allowed are CLOSED, OPEN"),
    ([RIG, "Send Magic Packet"], "a magic packet needs the DUT's MAC address"),
    ([RIG, "Put DUT To Sleep    KEYBOARD"], "allowed are BUTTON, LID"),
    (
        [DESKTOP, "Run Campaign    wake_by=LID"],
        "LID",
    ),
]


@pytest.fixture(scope="module")
def mistakes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    """Every mistake is a test of one suite."""
    folder = tmp_path_factory.mktemp("mistakes")
    tests = "".join(
        f"{number}\n" + "".join(f"    {step}\n" for step in steps)
        for number, (steps, _) in enumerate(MISTAKES)
    )
    text = "*** Settings ***\nLibrary    resume_rig.robot.ResumeRig\nTest Teardown    Close Rig\n"
    (folder / "many.robot").write_text(f"{text}*** Test Cases ***\n{tests}", "utf-8")
    said = io.StringIO()
    robot.run(str(folder / "many.robot"), outputdir=str(folder), stdout=said, stderr=said)
    return results(folder / "output.xml")


@pytest.mark.parametrize(
    ("number", "sentence"),
    [(number, sentence) for number, (_, sentence) in enumerate(MISTAKES)],
    ids=[steps[-1][:50] for steps, _ in MISTAKES],
)
def test_a_mistake_gets_one_sentence_that_names_what_is_allowed(
    mistakes: dict[str, Ran], number: int, sentence: str
) -> None:
    ran = mistakes[str(number)]

    assert ran.status == "FAIL"
    assert sentence in ran.message
    assert "Traceback" not in ran.message
    assert "\n" not in ran.message


def test_a_rig_that_another_process_has_is_refused_with_its_name(
    suite: Any, tmp_path: Path
) -> None:
    port = tmp_path / "rig"
    with claim_rig(f"serial:{port}", "robot", "2026-01-01T00:00:00Z"):
        script = (
            "import sys\nfrom resume_rig.rig.link.claim import claim_rig\n"
            "from resume_rig.model.errors import LinkLost\n"
            "try:\n    claim_rig(sys.argv[1], 'second', 'now')\n"
            "except LinkLost as e:\n    print(e)\n"
        )
        words = [sys.executable, "-c", script, f"serial:{port}"]
        second = subprocess.run(words, capture_output=True, text=True, check=True).stdout

    assert "robot, process " in second
    assert "since 2026-01-01T00:00:00Z has it; wait until it is done, or end it" in second
    claim_rig(f"serial:{port}", "third", "now").release()


def test_a_claim_by_another_name_of_the_port_is_the_same_claim(tmp_path: Path) -> None:
    port, other = "COM171", r"\\.\com171"
    if sys.platform != "win32":
        port, other = f"{tmp_path}/tty", f"{tmp_path}/link"
        Path(port).touch()
        Path(other).symlink_to(port)

    with claim_rig(f"serial:{port}", "first", "now"):
        with pytest.raises(LinkLost, match="first, process"):
            claim_rig(f"serial:{other}", "second", "now")
        claim_rig("sim:", "second", "now").release()


def test_the_version_of_the_library_is_that_of_the_package(suite: Any) -> None:
    text = "*** Settings ***\nLibrary    resume_rig.robot.ResumeRig    needs={}\n"
    text += "*** Test Cases ***\nOne\n    Close Rig\n"

    good = suite(text=text.format(".".join(__version__.split(".")[:2])))
    other = suite(text=text.format("99.1"))

    assert good.only.status == "PASS"
    assert f"could not use the library ResumeRig {__version__}: these suites need" in other.said


def test_one_sleep_and_one_wake_by_the_lid(suite: Any) -> None:
    ran = suite(
        RIG,
        "Put DUT To Sleep    by=LID",
        "DUT Should Be    S3",
        "Channel Should Show    LID    0",
        "DUT Should Stay Asleep For    6 s",
        "Wake DUT    by=LID",
        "DUT Should Be    awake",
    )

    assert ran.only.status == "PASS", ran.only.message


def test_a_press_returns_what_the_header_saw(suite: Any) -> None:
    ran = suite(RIG, "${saw} =    Press Power Button    200 ms", "Fail    ${saw}")

    assert ran.only.message.startswith(("199.", "200.", "201.", "202."))


def test_a_dut_that_wakes_alone_does_not_stay_asleep(suite: Any, tmp_path: Path) -> None:
    profile = tmp_path / "restless.toml"
    profile.write_text(RESTLESS, "utf-8")

    ran = suite(
        f"Open Rig    sim:clock=virtual,seed=7    dut={profile.as_posix()}",
        "Put DUT To Sleep",
        "DUT Should Stay Asleep For    60 s",
    )

    assert "the DUT did not stay asleep for 60.00 s: it ran again after" in ran.only.message


def test_a_campaign_that_a_fault_ended_is_not_run_again(suite: Any) -> None:
    text = """\
*** Settings ***
Library    resume_rig.robot.ResumeRig
Suite Setup    Open Rig    sim:clock=virtual,seed=7    dut=fake-s3
*** Test Cases ***
First
    Run Campaign Once    by-lid    cycles=2    sleep_by=LID    wake_by=LID
Second
    Run Campaign Once    by-lid
"""
    done = suite(text=text)

    assert done.tests["First"].message == done.tests["Second"].message
    assert "could not bring fake-s3 back" in done.tests["Second"].message
    assert len(list(done.folder.glob("*.rrs"))) == 1


def test_a_killed_campaign_goes_on(suite: Any) -> None:
    ran = suite(
        RIG,
        "${store} =    Run Campaign And Kill It After    1    cycles=3",
        "Resume Campaign    ${store}",
        "Cycles Should Come To    slept-and-woke    at_least=3",
    )

    assert ran.only.status == "PASS", ran.only.message


def test_evidence_that_was_changed_is_not_whole(suite: Any, tmp_path: Path) -> None:
    evidence = (tmp_path / "evidence").as_posix()
    first = suite(
        RIG,
        TWO,
        f"Write Evidence    {evidence}",
        f"Evidence Should Be Whole    {evidence}",
        f"JUnit Should Agree    {evidence}/junit.xml",
    )
    (tmp_path / "evidence" / "cycles.csv").write_text("another", "utf-8")
    (tmp_path / "evidence" / "more.txt").touch()
    second = suite(f"Evidence Should Be Whole    {evidence}")

    assert first.only.status == "PASS", first.only.message
    assert "cycles.csv is not what was written; more.txt is not listed" in second.only.message
