"""Two rigs, two users: labgrid shares them, and somebody dies."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from labgrid_lab import EXAMPLES, PATIENCE_S, Lab

HOLDER = Path(__file__).with_name("holder.py")


@contextmanager
def acquired(lab: Lab, user: str, place: str) -> Iterator[None]:
    """A place, held by a user for the length of the block."""
    taken = lab.client(user, "-p", place, "acquire")
    assert taken.status == 0, taken.said
    try:
        yield
    finally:
        lab.client(user, "-p", place, "release", "-k")


@pytest.fixture(scope="module")
def bobs(lab: Lab) -> Iterator[Lab]:
    """The lab while bob has laptop8."""
    with acquired(lab, "bob", "laptop8"):
        yield lab


def test_a_rig_has_no_port_while_nobody_has_its_place(lab: Lab) -> None:
    seen = lab.client("carol", "-v", "resources")

    assert seen.status == 0
    assert seen.said.count("'port': None") == 2


def test_the_examples_pass_while_another_user_has_the_other_rig(bobs: Lab) -> None:
    seven, eight = (str(bobs.environment(place)) for place in ("laptop7", "laptop8"))
    test = str(EXAMPLES / "test_laptop.py")
    with acquired(bobs, "alice", "laptop7"):
        alice = bobs.start("alice", "python", "-m", "pytest", "-q", "--lg-env", seven, test)
        state = bobs.client("bob", "-c", eight, "-p", "laptop8", "-s", "asleep", "power", "get")
        said, _ = alice.communicate(timeout=PATIENCE_S)

    assert "4 passed" in said, said
    assert alice.returncode == 0
    assert "power for place laptop8 is on" in state.said


def test_labgrids_own_commands_press_and_switch(bobs: Lab) -> None:
    words = ("-c", str(bobs.environment("laptop8")), "-p", "laptop8")

    assert bobs.client("bob", *words, "power", "off").status == 0
    assert "laptop8 is off" in bobs.client("bob", *words, "power", "get").said
    assert bobs.client("bob", *words, "power", "on").status == 0
    assert "laptop8 is on" in bobs.client("bob", *words, "power", "get").said
    assert "laptop8 is low" in bobs.client("bob", *words, "io", "get").said


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("dut: quick.toml", "dut: my-laptop", "no such profile or file; shipped are"),
        ("OutputDriver: {}", "OutputDriver: {line: FOOT}", "'FOOT' is no actuator; allowed are"),
        ("OutputDriver: {}", "OutputDriver: {longest: '2'}", "longest is '2'"),
    ],
    ids=["profile", "line", "unit"],
)
def test_a_mistake_in_an_environment_is_told_what_is_allowed(
    bobs: Lab, before: str, after: str, sentence: str
) -> None:
    text = bobs.environment("laptop8").read_text("utf-8")
    assert before in text
    wrong = bobs.folder / "wrong.yaml"
    wrong.write_text(text.replace(before, after), "utf-8")

    found = bobs.client("bob", "-c", str(wrong), "-p", "laptop8", "power", "get")

    assert found.status != 0
    assert sentence in found.said


def test_one_that_dies_holding_a_place_leaves_the_dut_safe_and_the_place_can_be_taken(
    lab: Lab,
) -> None:
    environment = str(lab.environment("laptop7"))
    words = ("-c", environment, "-p", "laptop7")
    with acquired(lab, "alice", "laptop7"), lab.started("alice", HOLDER, environment) as holder:
        assert "LID 0" in line_with(holder, "LID")
        second = lab.run("alice", "python", str(HOLDER), environment)
        holder.kill()
        holder.wait()

        # One rig has one program at a time, and the second is told which one.
        assert "has it; wait until it is done, or end it" in second.said
        # The place stays with whoever died, until somebody takes it away from exactly that user.
        told = "Place laptop7 is already acquired by alice-pc/alice"
        assert told in lab.client("bob", *words, "acquire").said
        assert lab.client("bob", *words, "release-from", "alice-pc/alice").status == 0
        taken = lab.client("bob", *words, "acquire")
        assert taken.status == 0, taken.said
        # Awake again: the lid that the dead one closed is open, and the rig answers its new user.
        awake = lab.client("bob", *words, "-s", "awake", "power", "get")

    assert "laptop7 is on" in awake.said, awake.said


def line_with(process: "subprocess.Popen[str]", words: str) -> str:
    """Return the first line that has these words."""
    assert process.stdout is not None
    seen: list[str] = []
    for line in process.stdout:
        seen.append(line)
        if words in line:
            return line
    raise AssertionError("".join(seen))


def test_a_rig_is_found_by_the_serial_number_of_its_usb_device(lab: Lab) -> None:
    port = lab.rigs["laptop8"].removeprefix("serial:")

    ended = lab.run("carol", "python", str(HOLDER.with_name("usb_rig.py")), port)

    assert ended.status == 0, ended.said
    found = json.loads(ended.said.splitlines()[-1])
    assert (found["before"], found["another"]) == (False, False)
    assert found["shown"] == "NetworkResumeRig"
    assert found["plugged"] == [True, None, "0001"]
    assert found["board"] == "sim"
    assert found["unplugged"] == [False, None]
    assert "refused" in found["then"]
    assert found["remote"] == ["127.0.0.1", True]  # through SSH, as it listens there alone
    assert "whoever reaches it could press" in found["everywhere"]
