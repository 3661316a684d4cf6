"""When a DUT slept and woke, in which state, and what triggered it, from the wires alone."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from resume_rig.analysis.levels import Hold, holds, level_before, times_to
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.cycle import OutsideState
from resume_rig.model.edge import Edge

# No OS is back and asleep again within 2 s of SLP_S3# rising: a fall that soon is a second reset
# of the same wake, with the power cycled.
SAME_WAKE_NS = 2_000_000_000
# Suspend takes 1 to 3 s, with a slow disk image 13 s and more; an older press is another matter.
SLEEP_TRIGGER_MAX_NS = 30_000_000_000
# A PWM-dimmed backlight is off for less than that in each of its periods.
_DARK_MIN_NS = 100_000_000


@dataclass(frozen=True, slots=True)
class Wires:
    """The clean changes of each wired channel, and its level before the first of them."""

    changes: Mapping[Channel, tuple[Edge, ...]]
    initial_levels: Mapping[Channel, int]

    def wired(self, channel: Channel) -> bool:
        """Return whether the channel was observed at all."""
        return channel in self.changes

    def of(self, channel: Channel) -> tuple[Edge, ...]:
        """Return the changes of a channel; none where it is not wired."""
        return self.changes.get(channel, ())

    def power_line(self) -> Channel | None:
        """Return the line that shows sleep: SLP_S3#, or PWR_OK where that is not wired."""
        lines = (Channel.SLP_S3, Channel.PWR_OK)
        return next((line for line in lines if self.wired(line)), None)

    def level(self, channel: Channel, t_ns: float) -> int | None:
        """Return the level just before `t_ns`, which may be infinite; None where not known."""
        return level_before(self.of(channel), self.initial_levels.get(channel), t_ns)

    def low_during(self, channel: Channel, from_ns: float, until_ns: float) -> bool:
        """Return whether a wired channel was at 0 at any moment of [from_ns, until_ns)."""
        changed = self.of(channel)
        return self.level(channel, from_ns) == 0 or bool(times_to(changed, 0, from_ns, until_ns))


@dataclass(frozen=True, slots=True)
class Sleep:
    """One sleep.

    Attributes:
        from_ns, until_ns: when it began and ended; -inf for one that was under way at the
            beginning, +inf for one that never ended.
        by_power: the power line showed it; otherwise only the backlight did.
    """

    from_ns: float
    until_ns: float
    by_power: bool


def find_sleeps(wires: Wires) -> tuple[Sleep, ...]:
    """Return every sleep that the wires show, in order.

    Sleeps are read off the power line. Only where that shows none, from a backlight that went
    dark under an open lid (S0ix).
    """
    line = wires.power_line()
    by_power: list[Sleep] = []
    if line is not None:
        lows = [(float(low.start_ns), _end(low)) for low in holds(wires.of(line), 0, SAME_WAKE_NS)]
        if wires.level(line, -math.inf) == 0:
            lows = _asleep_at_first(wires.of(line), lows)
        by_power = [Sleep(start, _first_rise(wires, line, start, end), True) for start, end in lows]
    if by_power:
        return tuple(by_power)
    darks = holds(wires.of(Channel.BACKLIGHT), 0, 0)
    return tuple(
        Sleep(dark.start_ns, _end(dark), False)
        for dark in darks
        if _dark_with_lid_open_ns(wires, dark) >= _DARK_MIN_NS
    )


def _asleep_at_first(
    changes: tuple[Edge, ...], lows: list[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Add the sleep that was under way when the edges begin; it may join the next low."""
    end = float(changes[0].t_ns) if changes else math.inf
    if lows and lows[0][0] - end < SAME_WAKE_NS:
        return [(-math.inf, lows[0][1]), *lows[1:]]
    return [(-math.inf, end), *lows]


def _end(hold: Hold) -> float:
    return math.inf if hold.end_ns is None else float(hold.end_ns)


def _dark_with_lid_open_ns(wires: Wires, dark: Hold) -> float:
    """Return how long the backlight was dark while no closed lid can be the reason.

    A lid switch may cut the backlight itself (an HP x360 wires it so), asleep or not.
    """
    moves = [edge.t_ns for edge in wires.of(Channel.LID) if dark.start_ns < edge.t_ns < _end(dark)]
    marks = (dark.start_ns, *moves, _end(dark))
    return sum(end - start for start, end in pairwise(marks) if wires.level(Channel.LID, end) != 0)


def _first_rise(wires: Wires, line: Channel, from_ns: float, until_ns: float) -> float:
    rises = times_to(wires.of(line), 1, from_ns, until_ns)
    return float(rises[0]) if rises else until_ns


def state_of(wires: Wires, sleep: Sleep) -> OutsideState:
    """Return the state of a sleep; NONE where the wires deny or do not show one.

    S3 and S4 look alike where SLP_S4# is not wired; such a sleep is called S3, and
    `OutsideCycle.channels` says that nothing could have shown S4.
    """
    if not sleep.by_power:
        return OutsideState.NONE if wires.power_line() is None else OutsideState.S0IX
    if wires.wired(Channel.PWR_OK) and not wires.low_during(
        Channel.PWR_OK, sleep.from_ns, sleep.until_ns
    ):
        return OutsideState.NONE
    if wires.low_during(Channel.SLP_S5, sleep.from_ns, sleep.until_ns):
        return OutsideState.S5
    if wires.low_during(Channel.SLP_S4, sleep.from_ns, sleep.until_ns):
        return OutsideState.S4
    return OutsideState.S3


def wake_trigger(wires: Wires, sleep: Sleep, wake_by: Actuator | None) -> Hold | None:
    """Return the last press, or opening of the lid, within a sleep.

    Args:
        wires: the lines.
        sleep: the sleep that the trigger ended.
        wake_by: look only at this actuator's channel; None looks at both.
    """
    button = holds(wires.of(Channel.BUTTON), 0) if wake_by is not Actuator.LID else ()
    lid = holds(wires.of(Channel.LID), 1) if wake_by is not Actuator.BUTTON else ()
    return _last((*button, *lid), sleep.from_ns, sleep.until_ns)


def sleep_trigger(wires: Wires, sleep: Sleep, after_ns: float = -math.inf) -> Hold | None:
    """Return the last press, or closing of the lid, shortly before a sleep and after `after_ns`."""
    since = max(after_ns, sleep.from_ns - SLEEP_TRIGGER_MAX_NS)
    found = (*holds(wires.of(Channel.BUTTON), 0), *holds(wires.of(Channel.LID), 0))
    return _last(found, since, sleep.from_ns)


def _last(found: tuple[Hold, ...], from_ns: float, until_ns: float) -> Hold | None:
    within = [hold for hold in found if from_ns <= hold.start_ns < until_ns]
    return max(within, key=lambda hold: hold.start_ns, default=None)
