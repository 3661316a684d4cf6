"""A rig that measures itself: by a loop-back, and against a second board on the same wire.

Two boards must agree within what both state of themselves. The second one presses and stamps its
own edges (on a Pico by a PIO state machine). What is compared are times between edges: a delay that
all channels share, and the true rate, neither board observes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.campaign.run.actions import newest_edge
from resume_rig.model.channel import Actuator, Channel, line_name
from resume_rig.model.clock import Clock
from resume_rig.model.edge import Edge
from resume_rig.model.errors import DeviceFault, RigError
from resume_rig.model.units import PPB, seconds_text
from resume_rig.rig.interface import (
    Calibration,
    ChannelInfo,
    LoopbackResult,
    LoopbackState,
    Rig,
    RigInfo,
)
from resume_rig.rig.smp.request import SMP_LEVEL, SmpCode

DEFAULT_CHANGES: Final = 200
DEFAULT_GAP_NS: Final = 1_000_000
PROBE_CHANGES: Final = 2
CHANGES: Final = (2, 10_000)
GAP_NS: Final = (100_000, 100_000_000)
"""Of a loop-back, least and most; a board refuses what is outside (fixtures/wire/rig.cddl)."""

_LEAST_PAUSE_NS: Final = 5_000_000
# Late changes make a loop-back longer; one that takes this many times as long hangs.
_MOST_TIMES: Final = 10


@dataclass(frozen=True, slots=True)
class LoopbackPlan:
    """One output, the channels that its wire goes to, and how often it changes.

    Attributes:
        changes: 2 to 10000.
        gap_ns: mean time between two, 100 us to 100 ms.
    """

    actuator: Actuator
    channels: tuple[Channel, ...]
    changes: int = DEFAULT_CHANGES
    gap_ns: int = DEFAULT_GAP_NS


def measure_loopback(rig: Rig, clock: Clock, plan: LoopbackPlan) -> LoopbackResult:
    """Run a loop-back and return what came of it; nothing may be at the output but the wire.

    Two changes come first. Only when both come on every channel do the others follow, so that
    what is not the plug that it was taken for gets no more than one short pulse.

    Raises:
        DeviceFault: the board refuses.
        RigError: the link broke, or the loop-back does not end; the board lets go by itself.
    """
    probe = _measure(rig, clock, plan, min(PROBE_CHANGES, plan.changes))
    if not probe.ended_well or plan.changes <= PROBE_CHANGES:
        return probe
    return _measure(rig, clock, plan, plan.changes)


def _measure(rig: Rig, clock: Clock, plan: LoopbackPlan, changes: int) -> LoopbackResult:
    start = rig.start_loopback(plan.actuator, plan.channels, changes, plan.gap_ns)
    expected_ns = (start.end_ns or start.start_ns) - start.start_ns
    pause_ns = max(min(expected_ns, rig.info().lease_ns // 4), _LEAST_PAUSE_NS)
    begun_ns = clock.now_ns()
    while (result := rig.loopback()).state is LoopbackState.RUNNING:
        if clock.now_ns() - begun_ns > _MOST_TIMES * (expected_ns + pause_ns):
            rig.release()
            raise RigError(
                f"a loop-back of {changes} changes of {plan.actuator} does not end: "
                f"{result.changes} were made in {seconds_text(clock.now_ns() - begun_ns)}; it "
                f"should take {seconds_text(expected_ns)}"
            )
        clock.sleep_ns(pause_ns)
    return result


def check_can_keep(rig: Rig) -> Calibration:
    """Return what the board keeps, before work is done whose result it is to keep.

    Raises:
        RigError: it cannot keep a calibration; the sentence says why.
    """
    kept, info = kept_calibration(rig), rig.info()
    if kept is None:
        raise RigError(
            f"the board {info.board} cannot keep a calibration: its firmware {info.firmware} has "
            "no such command; load a newer one"
        )
    if not kept.crystal:
        raise RigError(
            f"the board {info.board} cannot keep a calibration: its clock {info.clock_source} is "
            "an RC oscillator, which drifts with temperature; use a board that runs on a crystal"
        )
    if kept.store == "none":
        raise RigError(
            f"the board {info.board} cannot keep a calibration: it has no memory that outlives "
            "a reset; use a board with a store"
        )
    return kept


def kept_calibration(rig: Rig) -> Calibration | None:
    """Return what the board keeps of itself; None from firmware without that command."""
    try:
        return rig.calibration()
    except DeviceFault as fault:
        if (fault.group, fault.code) == (SMP_LEVEL, SmpCode.NOT_SUPPORTED):
            return None
        raise


DEFAULT_PULSES: Final = 100
MOST_PULSES: Final = 1_000
"""Each takes a release time, 100 ms by default; pairs of edges are compared, so time is squared."""

_PULSE_NS: Final = 2_000_000
# Within the release time, which the next press waits for; the pulse is over by then.
_PAUSE_NS: Final = 50_000_000
# Assumed: behind the last pulse, for both boards to have stamped it.
_SETTLE_NS: Final = 500_000_000
_BATCH: Final = 128

_Times = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ChannelAgreement:
    """How the two boards' stamps of one channel's edges differ.

    Attributes:
        mean_ns: difference to the mean of all channels; a delay that one channel has alone.
        sd_ns: standard deviation about that mean.
        most_ns: largest difference to the mean of all channels.
        allowed_ns: half-widths of both boards' stamps together.
    """

    channel: Channel
    edges: int
    mean_ns: int
    sd_ns: int
    most_ns: int
    allowed_ns: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """What came of a comparison.

    Attributes:
        span_ns: from the first edge to the last, by the second board.
        rate_low_ppb, rate_high_ppb: rate of our clock against the second board's: what all stamps
            within their half-widths allow, a guaranteed bound. Empty (low above high) where no
            rate explains the stamps.
        stated_ppb: tolerances of both clocks together.
        channels: empty where the boards did not see the same edges.
        complaint: why they do not agree; None where they do.
    """

    span_ns: int
    rate_low_ppb: int
    rate_high_ppb: int
    stated_ppb: int
    channels: tuple[ChannelAgreement, ...]
    complaint: str | None


def measure_against(
    rig: Rig,
    second: Rig,
    clock: Clock,
    wire: tuple[Actuator, Sequence[Channel]],
    pulses: int,
) -> Agreement:
    """Let the second board press, and compare what both saw; nothing else may be at the wire.

    Args:
        rig: the board under test; it drives nothing.
        second: the board that presses, and sees it.
        clock: real time.
        wire: from the output of the second board's actuator to these channels of both boards.
        pulses: 2 to `MOST_PULSES`.

    Raises:
        DeviceFault: a board refuses.
        RigError: a link broke, or a board lost edges.
    """
    starts = [newest_edge(board) for board in (rig, second)]
    for _ in range(pulses):
        second.press(wire[0], _PULSE_NS)
        clock.sleep_ns(_PAUSE_NS)
    clock.sleep_ns(_SETTLE_NS)
    found = [_edges_of(board, start) for board, start in zip((rig, second), starts, strict=True)]
    return compare_stamps(rig.info(), found[0], second.info(), found[1], wire[1])


def _edges_of(board: Rig, start: int) -> list[Edge]:
    found: list[Edge] = []
    while True:
        batch = board.edges(start + len(found), _BATCH)
        if batch.lost:
            raise RigError(
                f"the board {board.info().board} lost {batch.lost} edges that were to be compared; "
                "are there other signals at its channels?"
            )
        found += batch.edges
        if not batch.more:
            return found


def compare_stamps(
    ours: RigInfo,
    our_edges: Sequence[Edge],
    theirs: RigInfo,
    their_edges: Sequence[Edge],
    channels: Sequence[Channel],
) -> Agreement:
    """Return how the stamps of the same edges go together.

    Ours is the board under test, theirs the second one; the same wire goes to `channels` of both.
    """
    stated_ppb = ours.clock_tolerance_ppb + theirs.clock_tolerance_ppb
    mine, others = _by_channel(ours, our_edges), _by_channel(theirs, their_edges)
    for channel in channels:
        here, there = mine.get(channel, []), others.get(channel, [])
        if len(here) < 2 or [level for _, level in here] != [level for _, level in there]:
            complaint = (
                f"{line_name(channel)}: {len(here)} edges here and {len(there)} at the second "
                "board are not the same edges; does the wire go to this channel of both?"
            )
            return Agreement(0, 0, 0, stated_ppb, (), complaint)
    base = others[channels[0]][0][0], mine[channels[0]][0][0]
    their_ns, difference_ns, allowed_ns, places = _columns(
        mine, others, channels, base, (ours, theirs)
    )
    low, high = _rate_bounds(their_ns, difference_ns, allowed_ns)
    rate = np.polyfit(their_ns, difference_ns, 1)[0]
    rest_ns = difference_ns - rate * their_ns
    rest_ns -= rest_ns.mean()
    found = tuple(
        _agreement_of(channel, rest_ns[places == number], int(allowed_ns[places == number][0]))
        for number, channel in enumerate(channels)
    )
    bounds = ceil(low * PPB), floor(high * PPB)
    return Agreement(
        int(their_ns.max() - their_ns.min()),
        *bounds,
        stated_ppb,
        found,
        _complaint(*bounds, stated_ppb),
    )


def _by_channel(info: RigInfo, edges: Sequence[Edge]) -> dict[Channel, list[tuple[int, int]]]:
    """Return times at the pin, and levels, by channel."""
    delays = {each.channel: each.delay_ns for each in info.channels}
    found: dict[Channel, list[tuple[int, int]]] = {}
    for edge in edges:
        times = found.setdefault(edge.channel, [])
        times.append((edge.t_ns - delays.get(edge.channel, 0), edge.level))
    return found


def _columns(
    mine: Mapping[Channel, list[tuple[int, int]]],
    others: Mapping[Channel, list[tuple[int, int]]],
    channels: Sequence[Channel],
    base: tuple[int, int],
    infos: tuple[RigInfo, RigInfo],
) -> tuple[_Times, _Times, _Times, NDArray[np.int64]]:
    """Return of all edges: their time, how far our stamp is from it, what is allowed, the channel.

    Integers are subtracted before they become float64: what is left is far below 2^53.
    """
    rows: list[tuple[int, int, int, int]] = []
    for number, channel in enumerate(channels):
        allowed_ns = sum(half_width_ns(info, channel) for info in infos)
        for (here_ns, _), (there_ns, _) in zip(mine[channel], others[channel], strict=True):
            there = there_ns - base[0]
            rows.append((there, here_ns - base[1] - there, allowed_ns, number))
    table = np.array(sorted(rows), dtype=np.float64)
    return table[:, 0], table[:, 1], table[:, 2], table[:, 3].astype(np.int64)


def half_width_ns(info: RigInfo, channel: Channel) -> int:
    """Return the half-width of a channel's stamps, the resolution's share in it (rounded up)."""
    channel_info: ChannelInfo = next(item for item in info.channels if item.channel == channel)
    share_ns = 0 if channel_info.latency is not None else -(-channel_info.resolution_ns // 2)
    return channel_info.uncertainty_ns + share_ns


def _rate_bounds(at_ns: _Times, difference_ns: _Times, allowed_ns: _Times) -> tuple[float, float]:
    """Return the rates that some line through all (at, difference +/- allowed) can have.

    Two edges allow a range each pair; what all pairs allow is the exact answer (Helly's theorem in
    one dimension, for the slope).
    """
    low, high = -np.inf, np.inf
    for i in range(len(at_ns) - 1):
        span_ns = at_ns[i + 1 :] - at_ns[i]
        distinct = span_ns > 0
        rise_ns = (difference_ns[i + 1 :] - difference_ns[i])[distinct]
        slack_ns = (allowed_ns[i + 1 :] + allowed_ns[i])[distinct]
        if len(rise_ns):
            low = max(low, float(((rise_ns - slack_ns) / span_ns[distinct]).max()))
            high = min(high, float(((rise_ns + slack_ns) / span_ns[distinct]).min()))
    return low, high


def _agreement_of(channel: Channel, rest_ns: _Times, allowed_ns: int) -> ChannelAgreement:
    return ChannelAgreement(
        channel,
        len(rest_ns),
        round(float(rest_ns.mean())),
        round(float(rest_ns.std())),
        ceil(float(np.abs(rest_ns).max())),
        allowed_ns,
    )


def _complaint(low_ppb: int, high_ppb: int, stated_ppb: int) -> str | None:
    if low_ppb > high_ppb:
        return "no rate of the clocks explains the stamps: one board errs by more than it states"
    if low_ppb > stated_ppb or high_ppb < -stated_ppb:
        return (
            f"the clocks are {low_ppb / 1000:+.3f} to {high_ppb / 1000:+.3f} ppm apart, and state "
            f"{stated_ppb / 1000:g} ppm together"
        )
    return None
