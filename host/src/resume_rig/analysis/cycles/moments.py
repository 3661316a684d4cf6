"""When a DUT slept and woke, in which state, and what triggered it, from the wires alone."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from resume_rig.analysis.cycles.levels import DARK_MIN_NS, NOT_WIRED, Hold, Line, holds
from resume_rig.model.channel import TRIGGER_WORDS, Actuator, Channel, WakeBy, line_name
from resume_rig.model.result.cycle import OutsideState

# Assumed: no OS is back and asleep again within 2 s of SLP_S3# rising; a fall that soon is a second
# reset of the same wake, with the power cycled.
SAME_WAKE_NS = 2_000_000_000
# Suspend takes 1 to 3 s, with a slow disk image 13 s and more; an older press is another matter.
# Assumed, at twice that.
SLEEP_TRIGGER_MAX_NS = 30_000_000_000
# A wake is held off for the stretch of SLP_S4#, 4 s at most, and then takes its time: of two
# triggers so near to a wake either may be its cause. Assumed, with room.
WAKE_TRIGGER_MAX_NS = 5_000_000_000
# A global reset keeps the power off for 1 to 5 s, and comes while the DUT still starts. Assumed,
# with room.
REBOOT_MAX_NS = 10_000_000_000
# Assumed: a start takes less; decides whether a second fall is a reset or a doze.
REBOOT_WITHIN_NS = 30_000_000_000
# Between the S3 and the S4 of a doze a dark DUT writes its disk image. Assumed: 3 minutes hold it.
DOZE_WRITE_MAX_NS = 180_000_000_000
# SLP_S4# follows SLP_S3# within microseconds; later, and the sleep has become a deeper one.
# Assumed.
DOZE_AFTER_NS = 1_000_000_000
# A power LED blinks while the DUT sleeps; alight for longer, and the DUT runs. Assumed.
_BLINK_MAX_NS = 3_000_000_000


@dataclass(frozen=True, slots=True)
class Wires:
    """The line of each wired channel."""

    lines: Mapping[Channel, Line]

    def wired(self, channel: Channel) -> bool:
        """Return whether the channel was observed at all."""
        return channel in self.lines

    def of(self, channel: Channel) -> Line:
        """Return a channel's line; one without levels and changes where it is not wired."""
        return self.lines.get(channel, NOT_WIRED)

    def power_line(self) -> Channel | None:
        """Return the line that shows sleep: SLP_S3#, or PWR_OK where that is not wired."""
        if Channel.SLP_S3 in self.lines:
            return Channel.SLP_S3
        return Channel.PWR_OK if Channel.PWR_OK in self.lines else None


class Sleep(NamedTuple):
    """One sleep.

    Attributes:
        from_ns, until_ns: when it began and ended; -inf for one that was under way at the
            beginning, +inf for one that never ended.
        by_power: the power line showed it; otherwise only the backlight or the LED did.
        begin_observed, end_observed: the edge was recorded. Otherwise the time is the last one
            before it, or the first one after it.
        deeper_ns: when an S3 became an S4 without anybody's wake; None where it did not.
        over_ns: when the last low of the power line ended that belongs to its wake.
        reboots: how often the power was cycled by a reset in its wake.
    """

    from_ns: float
    until_ns: float
    by_power: bool
    begin_observed: bool = True
    end_observed: bool = True
    deeper_ns: float | None = None
    over_ns: float = math.inf
    reboots: int = 0

    @property
    def wake_from_ns(self) -> float:
        """From when on edges may be of its wake."""
        return self.until_ns if self.end_observed else self.from_ns


def find_sleeps(wires: Wires) -> list[Sleep]:
    """Return every sleep that the wires show, in order.

    Sleeps are read off the power line. Only where that shows none, from a backlight that went
    dark under an open lid, or else from the LED (S0ix).
    """
    line = wires.power_line()
    found: list[Sleep] = []
    for low in () if line is None else _lows(wires, line):
        joined = _joined(wires, found[-1], low) if found else None
        if joined is None:
            found.append(low)
        else:
            found[-1] = joined
    return found or _darks(wires)


def _lows(wires: Wires, channel: Channel) -> list[Sleep]:
    line = wires.of(channel)
    found: list[Sleep] = []
    start_ns: float | None = -math.inf if line.level(-math.inf) == 0 else None
    last_ns = -math.inf
    for change in line.changes:
        if change.level == 0:
            if start_ns is not None:
                found.append(_low(start_ns, change.t_ns, end_observed=False))
            start_ns = change.t_ns
        else:
            begin_observed = start_ns is not None
            from_ns = last_ns if start_ns is None else start_ns
            found.append(_low(from_ns, change.t_ns, begin_observed=begin_observed))
            start_ns = None
        last_ns = change.t_ns
    if start_ns is not None:
        woke_ns = _woke_unrecorded(wires, channel, start_ns)
        found.append(_low(start_ns, woke_ns, end_observed=math.isinf(woke_ns)))
    return found


def _low(
    from_ns: float, until_ns: float, *, begin_observed: bool = True, end_observed: bool = True
) -> Sleep:
    return Sleep(from_ns, until_ns, True, begin_observed, end_observed, over_ns=until_ns)


def _woke_unrecorded(wires: Wires, channel: Channel, from_ns: float) -> float:
    """Return when a line that follows the power line was up for good, though that stayed low."""
    for follower in (Channel.PWR_OK, Channel.PLTRST):
        line = wires.of(follower)
        rises = line.times_to(1, from_ns, math.inf)
        if follower is not channel and rises and line.level(math.inf) == 1:
            return rises[-1].t_ns
    return math.inf


def _joined(wires: Wires, sleep: Sleep, low: Sleep) -> Sleep | None:
    """Return `sleep` with the next low in it; None where that is a sleep of its own."""
    if not (sleep.end_observed and low.begin_observed):
        # A low of which the beginning is missing is of this wake where all of it is.
        soon = sleep.end_observed and low.until_ns - sleep.over_ns < SAME_WAKE_NS
        return sleep._replace(over_ns=low.until_ns) if soon else None
    gap_ns = low.from_ns - sleep.over_ns
    if gap_ns < SAME_WAKE_NS and not math.isinf(sleep.over_ns):
        deep = _is_deep(wires, low) and not _is_deep(wires, sleep)
        return sleep._replace(over_ns=low.until_ns, reboots=sleep.reboots + deep)
    if _is_deep(wires, sleep) or not _is_deep(wires, low):
        return None
    if triggers(wires, None, sleep.over_ns, low.from_ns):
        return None
    short = low.until_ns - low.from_ns <= REBOOT_MAX_NS and gap_ns <= REBOOT_WITHIN_NS
    if short and not triggers(wires, None, low.from_ns, low.until_ns):
        return sleep._replace(over_ns=low.until_ns, reboots=sleep.reboots + 1)
    return _dozed(wires, sleep, low) if gap_ns <= DOZE_WRITE_MAX_NS else None


def _dozed(wires: Wires, sleep: Sleep, low: Sleep) -> Sleep | None:
    """Return an S3 and the S4 that it became; None where somebody may have used the DUT between."""
    watched = wires.wired(Channel.BACKLIGHT) and wires.wired(Channel.BUTTON)
    lit = wires.of(Channel.BACKLIGHT).was(1, sleep.until_ns, low.from_ns)
    if not watched or lit or triggers(wires, None, sleep.from_ns, sleep.until_ns):
        return None
    return sleep._replace(
        until_ns=low.until_ns,
        end_observed=low.end_observed,
        over_ns=low.until_ns,
        deeper_ns=low.from_ns,
    )


def _is_deep(wires: Wires, sleep: Sleep) -> bool:
    return any(
        wires.of(channel).was(0, sleep.from_ns, sleep.over_ns)
        for channel in (Channel.SLP_S4, Channel.SLP_S5)
    )


def deeper_ns(wires: Wires, sleep: Sleep) -> float | None:
    """Return when a sleep that began as S3 became an S4; None where it did not."""
    if sleep.deeper_ns is not None or not (sleep.by_power and sleep.begin_observed):
        return sleep.deeper_ns
    falls = wires.of(Channel.SLP_S4).times_to(0, sleep.from_ns + DOZE_AFTER_NS, sleep.until_ns)
    shallow = wires.of(Channel.SLP_S4).level(sleep.from_ns + DOZE_AFTER_NS) == 1
    return float(falls[0].t_ns) if falls and shallow else None


def _darks(wires: Wires) -> list[Sleep]:
    backlight = wires.of(Channel.BACKLIGHT)
    if wires.wired(Channel.BACKLIGHT):
        darks = (Sleep(d.start_ns, _end(d), False) for d in holds(backlight, 0))
        return [dark for dark in darks if _dark_with_lid_open_ns(wires, dark) >= DARK_MIN_NS]
    joined: list[Sleep] = []
    for dark in holds(wires.of(Channel.LED), 0):
        if joined and dark.start_ns - joined[-1].until_ns < _BLINK_MAX_NS:
            joined[-1] = joined[-1]._replace(until_ns=_end(dark))
        else:
            joined.append(Sleep(dark.start_ns, _end(dark), False))
    return [dark for dark in joined if dark.until_ns - dark.from_ns >= _BLINK_MAX_NS]


def _end(hold: Hold) -> float:
    return math.inf if hold.end_ns is None else float(hold.end_ns)


def _dark_with_lid_open_ns(wires: Wires, dark: Sleep) -> float:
    """Return how long the backlight was dark while no closed lid can be the reason.

    A lid switch may cut the backlight itself (an HP x360 wires it so), asleep or not.
    """
    lid = wires.of(Channel.LID)
    moves = [c.t_ns for c in lid.changes if dark.from_ns < c.t_ns < dark.until_ns]
    marks = (dark.from_ns, *moves, dark.until_ns)
    return sum(end - start for start, end in pairwise(marks) if lid.level(end) != 0)


def state_of(wires: Wires, sleep: Sleep) -> OutsideState:
    """Return the state of a sleep; NONE where the wires deny or do not show one.

    S3 and S4 look the same where SLP_S4# is not wired; such a sleep is called S3, and
    `OutsideCycle.channels` shows that nothing could have shown S4.
    """
    if not sleep.by_power:
        return OutsideState.NONE if wires.power_line() is None else OutsideState.S0IX
    from_ns, until_ns = sleep.from_ns, sleep.until_ns
    if wires.wired(Channel.PWR_OK) and not wires.of(Channel.PWR_OK).was(0, from_ns, until_ns):
        return OutsideState.NONE
    if wires.of(Channel.SLP_S5).was(0, from_ns, until_ns):
        return OutsideState.S5
    if wires.of(Channel.SLP_S4).was(0, from_ns, until_ns):
        return OutsideState.S4
    return OutsideState.S3


def standby_ns(wires: Wires, sleep: Sleep) -> int | None:
    """Return how long a sleep was one in S0; None where it was none, or an end is not known."""
    ends = sleep.begin_observed and sleep.end_observed
    if sleep.by_power or not ends or wires.power_line() is None:
        return None
    asleep_ns = sleep.until_ns - sleep.from_ns
    return None if math.isinf(asleep_ns) else int(asleep_ns)


class Commanded(NamedTuple):
    """A wake that was asked for by a command whose effect no wire shows.

    Attributes:
        by: what was asked to wake the DUT.
        t_ns: board clock of the command; None where its answer was lost, or nothing relates its
            time to the board's clock.
        half_ns: how well that time is known.
    """

    by: WakeBy
    t_ns: int | None
    half_ns: int = 0


class Trigger(NamedTuple):
    """What may have started a sleep or a wake.

    Attributes:
        hold: the press or the move of the lid; None where there was none, or it is not clear.
        unclear: why it is not clear; None where nothing speaks against `hold`.
        missed: an edge of it was not recorded.
        commanded: the command that stands for it where no wire shows it; `hold` is None then.
    """

    hold: Hold | None
    unclear: str | None = None
    missed: bool = False
    commanded: Commanded | None = None

    @property
    def by(self) -> WakeBy | None:
        """What it was; None where there was none, or it is not clear."""
        if self.commanded is not None:
            return self.commanded.by
        return None if self.hold is None else Actuator(self.hold.channel)

    @property
    def t_ns(self) -> int | None:
        """When it was, board clock."""
        if self.commanded is not None:
            return self.commanded.t_ns
        return None if self.hold is None else self.hold.start_ns


def wake_trigger(
    wires: Wires, sleep: Sleep, wake_by: Actuator | None, commanded: Commanded | None = None
) -> Trigger:
    """Return the last press, or opening of the lid, within a sleep.

    Args:
        wires: the lines.
        sleep: the sleep that the trigger ended.
        wake_by: look only at this actuator's channel; None looks at both.
        commanded: was to wake the DUT instead; no wire shows it.
    """
    if commanded is not None:
        return _commanded_trigger(sleep, commanded)
    from_ns, until_ns = sleep.from_ns, sleep.until_ns
    found = triggers(wires, wake_by, from_ns, until_ns)
    last = max(found, key=_start, default=None)
    if not (sleep.begin_observed and sleep.end_observed):
        return Trigger(None, None, missed=True)
    after_ns = from_ns if last is None else last.start_ns
    for channel, level in _waking(wake_by):
        if wires.of(channel).missed(level, after_ns, until_ns):
            return Trigger(
                None, f"a {line_name(channel)} edge before the wake was not seen", missed=True
            )
    if last is not None and not math.isinf(until_ns):
        near = [hold for hold in found if until_ns - hold.start_ns <= WAKE_TRIGGER_MAX_NS]
        if len(near) > 1:
            text = f"{len(near)} triggers came in the last 5 s before the wake"
            return Trigger(None, text)
    return Trigger(last)


def _commanded_trigger(sleep: Sleep, commanded: Commanded) -> Trigger:
    """Return a command as the trigger, if it can have been: in the sleep, within its bound."""
    if not (sleep.begin_observed and sleep.end_observed):
        return Trigger(None, None, missed=True)
    if commanded.t_ns is None:
        word = TRIGGER_WORDS[commanded.by]
        return Trigger(None, f"the time of the {word} is not known on the board's clock")
    before_ns = sleep.until_ns + commanded.half_ns
    asked = sleep.from_ns - commanded.half_ns <= commanded.t_ns < before_ns
    return Trigger(None, commanded=commanded if asked else None)


def sleep_triggers(wires: Wires, sleep: Sleep, after_ns: float = -math.inf) -> list[Hold]:
    """Return the presses, and closings of the lid, shortly before a sleep and after `after_ns`."""
    since_ns = max(after_ns, sleep.from_ns - SLEEP_TRIGGER_MAX_NS)
    return [
        hold
        for channel in (Channel.BUTTON, Channel.LID)
        for hold in holds(wires.of(channel), 0, since_ns, sleep.from_ns)
    ]


def failed_attempts(wires: Wires, from_ns: float, until_ns: float) -> list[Hold]:
    """Return the presses of a DUT that was up, after which it never slept.

    The display was lit; then it went dark and lit again before anything else was pressed, or
    nothing came for so long that no sleep is of this press.

    Args:
        wires: of the whole capture.
        from_ns: when the wake before was over.
        until_ns: when the next sleep begins; infinite where none follows.
    """
    light = wires.of(Channel.BACKLIGHT)
    presses = [
        hold
        for hold in holds(wires.of(Channel.BUTTON), 0, from_ns, until_ns)
        if light.level(hold.start_ns) == 1
    ]
    found: list[Hold] = []
    for place, press in enumerate(presses):
        is_last = place + 1 == len(presses)
        next_ns = until_ns if is_last else float(presses[place + 1].start_ns)
        falls = light.times_to(
            0, press.start_ns, min(next_ns, press.start_ns + SLEEP_TRIGGER_MAX_NS)
        )
        lit_again = falls and light.times_to(1, falls[0].t_ns + DARK_MIN_NS, next_ns)
        too_late = not math.isinf(next_ns) and next_ns - press.start_ns > SLEEP_TRIGGER_MAX_NS
        if lit_again or too_late:
            found.append(press)
    return found


def sleep_trigger(wires: Wires, sleep: Sleep, found: list[Hold]) -> Hold | None:
    """Return which of the triggers before a sleep started it; None where none did for sure."""
    if len(found) != 1 or not sleep.begin_observed:
        return None
    since_ns = sleep.from_ns - SLEEP_TRIGGER_MAX_NS
    missed = any(
        wires.of(channel).missed(0, since_ns, sleep.from_ns)
        for channel in (Channel.BUTTON, Channel.LID)
    )
    return None if missed else found[0]


def triggers(wires: Wires, wake_by: Actuator | None, from_ns: float, until_ns: float) -> list[Hold]:
    """Return the presses and openings of the lid that began in [from_ns, until_ns)."""
    return [
        hold
        for channel, level in _waking(wake_by)
        for hold in holds(wires.of(channel), level, from_ns, until_ns)
    ]


def _waking(wake_by: Actuator | None) -> tuple[tuple[Channel, int], ...]:
    both = ((Channel.BUTTON, 0), (Channel.LID, 1))
    return both if wake_by is None else tuple(each for each in both if each[0] == wake_by.value)


def _start(hold: Hold) -> int:
    return hold.start_ns
