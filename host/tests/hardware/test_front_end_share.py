"""The front end counts once in a stamp's uncertainty: in the host's table, not in the overlays."""

import re
from pathlib import Path

import pytest

from resume_rig.model.channel import Channel
from resume_rig.model.front_end import FrontEnd
from resume_rig.rig.front_end_file import load_front_end
from resume_rig.timing.budget import StampFacts
from resume_rig.timing.edge_uncertainty import IntervalBounds, Moment, Ramp

ROOT = Path(__file__).resolve().parents[3]
BOARDS = ("rpi_pico", "nucleo_h743zi", "nucleo_f767zi", "nucleo_f446re", "nucleo_g474re")
OVERLAYS = {
    board: (ROOT / "firmware" / "boards" / f"{board}.overlay").read_text("utf-8")
    for board in BOARDS
}
KEYS = ("delay-ns", "uncertainty-ns", "front-end-delay-ns", "front-end-uncertainty-ns")


@pytest.fixture(scope="module")
def front_end() -> FrontEnd:
    return load_front_end(ROOT / "hardware" / "delays.toml")


WIRED = set(Channel) - {Channel.SLP_S0}
"""What boards have a pin for; SLP_S0 comes from a logic analyser alone."""


def stated(text: str) -> dict[Channel, dict[str, int]]:
    """What an overlay states of its channels in nanoseconds."""
    found = {}
    for body in re.findall(r"\{([^{}]*channel = [^{}]*)\}", text):
        name = re.search(r'channel = "(\w+)"', body)
        assert name is not None
        values = {key: re.search(rf"(?<![\w-]){key} = <(\d+)>;", body) for key in KEYS}
        found[Channel[name[1]]] = {key: int(at[1]) for key, at in values.items() if at}
    return found


def counts_the_front_end(text: str) -> list[Channel]:
    """The channels whose overlay counts the front end's share, as the host does."""
    return [
        channel
        for channel, values in stated(text).items()
        if values.get("front-end-uncertainty-ns") != 0 or set(values) & {KEYS[0], KEYS[2]}
    ]


@pytest.mark.parametrize("board", BOARDS)
def test_no_overlay_counts_what_the_host_takes_from_the_table(board: str) -> None:
    assert set(stated(OVERLAYS[board])) == WIRED
    assert counts_the_front_end(OVERLAYS[board]) == []


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"front-end-uncertainty-ns = <0>;", "front-end-uncertainty-ns = <1200>;"),
        (r"front-end-uncertainty-ns = <0>;", ""),
        (r"(front-end-uncertainty-ns = <0>;)", r"\1 delay-ns = <310>;"),
    ],
    ids=["a-share", "none-stated", "a-delay"],
)
def test_an_overlay_that_counts_it_is_found_out(board: str, old: str, new: str) -> None:
    altered, times = re.subn(old, new, OVERLAYS[board], count=1)
    assert times == 1
    assert len(counts_the_front_end(altered)) == 1


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("rises", [True, False], ids=["rise", "fall"])
def test_each_edge_has_the_front_end_once_in_its_budget(
    board: str, rises: bool, front_end: FrontEnd
) -> None:
    stamps = {
        channel: StampFacts(0, values["uncertainty-ns"])
        for channel, values in stated(OVERLAYS[board]).items()
    }
    bounds = IntervalBounds(0, stamps=stamps, front_end=front_end, pwr_ok_ramp=Ramp(0, 0, ""))
    for channel in sorted(WIRED):
        other = Channel.SLP_S4 if channel is Channel.SLP_S3 else Channel.SLP_S3
        rows = bounds.rows(Moment(channel, 0, rises), Moment(other, 1_000_000, True))
        own = [row for row in rows if row.sensitivity < 0]
        shares = [row.half_width_ns for row in own if row.name.startswith("front end of")]
        told = front_end.of(channel, rises, 0 if rises else 1_000_000)
        # The pilot's delay is nothing beside the 6 ms that the lid's definition leaves open.
        assert len(shares) == (0 if channel is Channel.LID else 1)
        assert (told is None) == (channel is Channel.LID)
        stamp = next(row for row in own if row.name.startswith("stamp of"))
        assert stamp.half_width_ns == stamps[channel].uncertainty_ns
