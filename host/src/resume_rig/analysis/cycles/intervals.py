"""Measures the named intervals of a cycle: two moments, their difference, its bound.

docs/reference/intervals.md is the table of this module.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from resume_rig.analysis.cycles.levels import Change, Hold
from resume_rig.analysis.cycles.light import LightReading, WakeLight, wake_light
from resume_rig.analysis.cycles.moments import (
    SAME_WAKE_NS,
    Commanded,
    Sleep,
    Trigger,
    Wires,
    sleep_trigger,
    sleep_triggers,
    wake_trigger,
)
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName
from resume_rig.timing.edge_uncertainty import IntervalBounds, Moment, TimedCommand


class Wake(NamedTuple):
    """What came about a sleep: its triggers, and its wake until the next sleep.

    Attributes:
        before: presses and lid closings that may have started the sleep.
        trigger: the press or lid opening that came last before it.
        pwr_ok: PWR_OK rising, the last time before PLTRST# rose for good.
        pltrst: PLTRST# rising, the last time (a double reset counts from its second pass).
        light: when the display was lit.
        resets: how often PLTRST# rose. powers: how often PWR_OK rose.
        end_ns: until when edges belong to it; +inf for the last of a capture.
        end_observed: the beginning of the next sleep was observed, or there is none.
    """

    before: list[Hold]
    trigger: Trigger
    pwr_ok: Change | None
    pltrst: Change | None
    light: WakeLight
    resets: int
    powers: int
    end_ns: float
    end_observed: bool


class _End(NamedTuple):
    """A moment, and how long its line bounced there."""

    moment: Moment
    spread_ns: int = 0


_Pair = tuple[_End | None, _End | None]


def find_wake(
    wires: Wires,
    sleep: Sleep,
    following: Sleep | None,
    wake_by: Actuator | None,
    reading: LightReading | None,
    *,
    commanded: Commanded | None = None,
) -> Wake:
    """Return the edges of the wake between two sleeps; those that did not come are None."""
    from_ns = sleep.wake_from_ns
    end_ns = math.inf if following is None else following.from_ns
    powers = wires.of(Channel.PWR_OK).times_to(1, from_ns, end_ns)
    resets = wires.of(Channel.PLTRST).times_to(1, from_ns, end_ns)
    pltrst = _last_rise(wires, Channel.PLTRST, resets, end_ns)
    pwr_ok = None
    if pltrst is not None:
        # Without power nothing leaves reset, so no fall may stand between the two.
        before = [power for power in powers if power.t_ns <= pltrst.t_ns]
        pwr_ok = _last_rise(wires, Channel.PWR_OK, before, pltrst.t_ns, 0)
    elif not resets:
        pwr_ok = _last_rise(wires, Channel.PWR_OK, powers, end_ns)
    return Wake(
        before=sleep_triggers(wires, sleep),
        trigger=wake_trigger(wires, sleep, wake_by, commanded),
        pwr_ok=pwr_ok,
        pltrst=pltrst,
        light=wake_light(wires, sleep, end_ns, reading),
        resets=len(resets),
        powers=len(powers),
        end_ns=end_ns,
        end_observed=following is None or following.begin_observed,
    )


def _last_rise(
    wires: Wires, channel: Channel, rises: list[Change], end_ns: float, entry_ns: int = SAME_WAKE_NS
) -> Change | None:
    """Return the last rise; None where there is none, or a later one may have been missed.

    A fall within `entry_ns` before the end belongs to the next sleep.
    """
    if not rises:
        return None
    last, line = rises[-1], wires.of(channel)
    falls = line.times_to(0, last.t_ns, end_ns)
    fell = falls and end_ns - falls[-1].t_ns > entry_ns
    return None if fell or line.missed(1, last.t_ns, end_ns) else last


def measure(
    wires: Wires, sleep: Sleep, wake: Wake, bounds: IntervalBounds
) -> Mapping[IntervalName, BoundedNs]:
    """Return every interval of which both ends were measured, in the order of IntervalName."""
    found: dict[IntervalName, BoundedNs] = {}
    for name, (start, end) in _ends(wires, sleep, wake).items():
        if start is None or end is None or end.moment.t_ns < start.moment.t_ns:
            continue
        between = bounds.between(start.moment, end.moment)
        spread_ns = start.spread_ns + end.spread_ns
        # A line bounces otherwise each time, so this is no part of what cycles share.
        bounced = BoundedNs(0, spread_ns, campaign_ns=0)
        found[name] = between + bounced if spread_ns else between
    return found


def _ends(wires: Wires, sleep: Sleep, wake: Wake) -> dict[IntervalName, _Pair]:
    line = wires.power_line() or Channel.SLP_S3
    asleep = awake = None
    if sleep.by_power:
        asleep = _at(wires, line, sleep.from_ns, rises=False) if sleep.begin_observed else None
        awake = _at(wires, line, sleep.until_ns, rises=True) if sleep.end_observed else None
    slp_s3_falls, slp_s3_rises = (asleep, awake) if line is Channel.SLP_S3 else (None, None)
    before = _hold_start(sleep_trigger(wires, sleep, wake.before), lid_rises=False)
    hold = wake.trigger.hold
    press = _hold_start(hold, lid_rises=True) or _command(wake.trigger.commanded)
    release = None
    if hold is not None and hold.channel is Channel.BUTTON and hold.end_ns is not None:
        release = _End(Moment(Channel.BUTTON, hold.end_ns))
    pwr_ok, pltrst = _edge(wake.pwr_ok), _edge(wake.pltrst)
    light = _light(wake.light.main)
    return {
        IntervalName.TRIGGER_TO_SLP_S3: (before, slp_s3_falls),
        IntervalName.ASLEEP: (asleep, awake),
        IntervalName.PRESS_WIDTH: (press, release),
        IntervalName.PRESS_TO_SLP_S3: (press, slp_s3_rises),
        IntervalName.PRESS_TO_PWR_OK: (press, pwr_ok),
        IntervalName.SLP_S3_TO_PWR_OK: (slp_s3_rises, pwr_ok),
        IntervalName.PWR_OK_TO_PLTRST: (pwr_ok, pltrst),
        IntervalName.PRESS_TO_PLTRST: (press, pltrst),
        IntervalName.PLTRST_TO_LIGHT: (pltrst, light),
        IntervalName.PRESS_TO_LIGHT: (press, light),
        IntervalName.PRESS_TO_FIRST_LIGHT: (press, _light(wake.light.first)),
        IntervalName.PRESS_TO_LIGHT_90: (press, _light(wake.light.ninety)),
    }


def _at(wires: Wires, channel: Channel, t_ns: float, *, rises: bool) -> _End | None:
    """Return the change of a channel at `t_ns`; None where that is infinite."""
    changed = wires.of(channel).times_to(int(rises), t_ns, t_ns + 1)
    return _edge(changed[0]) if changed and not math.isinf(t_ns) else None


def _edge(change: Change | None) -> _End | None:
    if change is None:
        return None
    spread_ns = change.settled_ns - change.t_ns
    return _End(Moment(change.channel, change.t_ns, bool(change.level)), spread_ns)


def _light(moment: Moment | None) -> _End | None:
    return None if moment is None else _End(moment)


def _command(commanded: Commanded | None) -> _End | None:
    if commanded is None or commanded.t_ns is None:
        return None
    command = TimedCommand.within(commanded.by, commanded.half_ns)
    return _End(Moment(Channel.BUTTON, commanded.t_ns, command=command))


def _hold_start(hold: Hold | None, *, lid_rises: bool) -> _End | None:
    if hold is None:
        return None
    rises = lid_rises and hold.channel is Channel.LID
    return _End(Moment(hold.channel, hold.start_ns, rises))
