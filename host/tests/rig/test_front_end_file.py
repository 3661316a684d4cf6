"""The delays of the front end are read strictly, and each is one sentence when it is wrong."""

from pathlib import Path

import pytest

from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.front_end import LIGHT_INPUT
from resume_rig.rig.front_end_file import load_front_end, shipped_front_end

ENTRY = """
[[delay]]
path = "logic-3v3"
channels = ["SLP_S3", "PLTRST"]
edge = "rise"
value_ns = 310
half_width_ns = 150
standard_ns = 50
distribution = "normal"
conditions = "3.3 V"
deck = ""
origin = "a test"
"""
WHOLE = f"version = 1\n{ENTRY}"


def written(folder: Path, text: str) -> Path:
    path = folder / "delays.toml"
    path.write_text(text, "utf-8")
    return path


def test_every_wire_of_the_front_end_has_a_delay_for_both_edges() -> None:
    front_end = shipped_front_end()
    # The lid's pilot sensor is digital, and its definition is a thousand times as wide; SLP_S0 is
    # for analysers, as no front end has a circuit for it.
    for channel in set(Channel) - {Channel.LID, Channel.SLP_S0}:
        for rises in (False, True):
            delay = front_end.of(channel, rises)
            assert delay is not None, (channel, rises)
            assert 0 < delay.standard_ns < delay.half_width_ns
    for path in ("photodiode-t10", "photodiode-t50", "photodiode-t90"):
        found = front_end.named(path)
        assert found is not None
        assert LIGHT_INPUT in found.channels


def test_nothing_shipped_claims_to_be_measured() -> None:
    assert all("not measured" in delay.origin for delay in shipped_front_end().delays)


def test_a_delay_is_found_by_channel_and_edge(tmp_path: Path) -> None:
    front_end = load_front_end(written(tmp_path, WHOLE))

    found = front_end.of(Channel.PLTRST, True)
    assert found is not None
    assert (found.path, found.value_ns) == ("logic-3v3", 310)
    assert front_end.of(Channel.PLTRST, False) is None
    assert front_end.of(Channel.BUTTON, True) is None


def test_what_a_ramp_does_is_taken_between_two_that_are_known(tmp_path: Path) -> None:
    slow = ENTRY.replace("value_ns = 310", "value_ns = 2310\nramp_ns = 10000")
    fast = ENTRY.replace("value_ns = 310", "value_ns = 310\nramp_ns = 1000")
    front_end = load_front_end(written(tmp_path, f"version = 1\n{slow}{fast}"))

    values = []
    for ramp_ns in (0, 1_000, 5_500, 10_000, 19_000):
        found = front_end.of(Channel.SLP_S3, True, ramp_ns)
        assert found is not None
        values.append(found.value_ns)
    assert values == [310, 310, 1_310, 2_310, 4_310]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version = 2\n", '"version" is 2'),
        ("version = 1\n", '"delay" is no list'),
        ("version = 1\ndelay = [1]\n", '"delay" is no list'),
        (WHOLE + "[other]\n", 'key "other" is not known'),
        (WHOLE.replace("rise", "up"), "allowed are rise, fall"),
        (WHOLE.replace("310", "-1"), "whole number"),
        (WHOLE.replace("310", "true"), "whole number"),
        (WHOLE.replace("310", "3.5"), "whole number"),
        (WHOLE.replace("= 150", "= 60"), "100 or more goes with its sd"),
        (WHOLE.replace('"normal"', '"pwm-phase"'), "allowed are normal, rectangle"),
        (WHOLE.replace("PLTRST", "RESET"), "names 'RESET'"),
        (WHOLE.replace('["SLP_S3", "PLTRST"]', '"SLP_S3"'), "it takes a list"),
        (WHOLE.replace("path", "way"), 'key "delay 1: way" is not known'),
        (WHOLE.replace('origin = "a test"\n', ""), 'key "delay 1: origin" is missing'),
        (WHOLE.replace('"a test"', '""'), "text of 1 to"),
        (WHOLE + ENTRY, "SLP_S3 has two delays of its rise"),
        (WHOLE + ENTRY.replace("edge", "ramp_ns = 9\nedge"), "SLP_S3 has two delays of its rise"),
        ("version = ", "Cannot read"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, text)

    with pytest.raises(UsageError) as raised:
        load_front_end(path)

    assert said in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Cannot read"):
        load_front_end(tmp_path / "none.toml")
    with pytest.raises(UsageError, match="larger than"):
        load_front_end(written(tmp_path, "#" * 300_000))
