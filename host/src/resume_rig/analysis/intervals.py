"""Measures the named intervals of a cycle: two edges, their difference, its bound.

docs/reference/intervals.md is the table of this module.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from resume_rig.analysis.levels import Hold, times_to
from resume_rig.analysis.sleep_moments import Sleep, Wires, sleep_trigger, wake_trigger
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.cycle import IntervalName
from resume_rig.model.quantity import BoundedNs
from resume_rig.timing.edge_uncertainty import IntervalBounds, Moment


@dataclass(frozen=True, slots=True)
class Wake:
    """What followed a sleep, from its end (or its trigger) until the next sleep.

    Attributes:
        trigger: the press or lid opening that came last before it.
        pwr_ok_ns: PWR_OK rising, the last time before PLTRST# rose for good.
        pltrst_ns: PLTRST# rising, the last time (a double reset counts from its second pass).
        light_ns: BACKLIGHT rising, the first time.
        resets: how often PLTRST# rose. powers: how often PWR_OK rose.
        end_ns: until when edges belong to it; +inf for the last of a capture.
    """

    trigger: Hold | None
    pwr_ok_ns: int | None
    pltrst_ns: int | None
    light_ns: int | None
    resets: int
    powers: int
    end_ns: float


def find_wake(wires: Wires, sleep: Sleep, wake_by: Actuator | None, end_ns: float) -> Wake:
    """Return the edges of the wake that ended `sleep`; those that did not come are None."""
    trigger = wake_trigger(wires, sleep, wake_by)
    powers = times_to(wires.of(Channel.PWR_OK), 1, sleep.until_ns, end_ns)
    resets = times_to(wires.of(Channel.PLTRST), 1, sleep.until_ns, end_ns)
    lights = times_to(wires.of(Channel.BACKLIGHT), 1, sleep.until_ns, end_ns)
    pltrst_ns = resets[-1] if resets else None
    before_reset = [t for t in powers if pltrst_ns is None or t <= pltrst_ns]
    return Wake(
        trigger=trigger,
        pwr_ok_ns=before_reset[-1] if before_reset else None,
        pltrst_ns=pltrst_ns,
        light_ns=lights[0] if lights else None,
        resets=len(resets),
        powers=len(powers),
        end_ns=end_ns,
    )


def measure(
    wires: Wires, sleep: Sleep, wake: Wake, bounds: IntervalBounds
) -> Mapping[IntervalName, BoundedNs]:
    """Return every interval of which both edges were measured, in the order of IntervalName."""
    found: dict[IntervalName, BoundedNs] = {}
    for name, (start, end) in _ends(wires, sleep, wake).items():
        if start is None or end is None or end.t_ns < start.t_ns:
            continue
        found[name] = bounds.between(start, end)
    return found


def _ends(
    wires: Wires, sleep: Sleep, wake: Wake
) -> dict[IntervalName, tuple[Moment | None, Moment | None]]:
    line = wires.power_line() or Channel.SLP_S3
    by_slp_s3 = sleep.by_power and line is Channel.SLP_S3
    asleep = _point(line, sleep.from_ns if sleep.by_power else None, rises=False)
    awake = _point(line, sleep.until_ns if sleep.by_power else None)
    slp_s3_falls, slp_s3_rises = (asleep, awake) if by_slp_s3 else (None, None)
    before = _hold_start(sleep_trigger(wires, sleep), lid_rises=False)
    press = _hold_start(wake.trigger, lid_rises=True)
    is_button = wake.trigger is not None and wake.trigger.channel is Channel.BUTTON
    release = _point(Channel.BUTTON, wake.trigger.end_ns if wake.trigger and is_button else None)
    pwr_ok = _point(Channel.PWR_OK, wake.pwr_ok_ns)
    pltrst = _point(Channel.PLTRST, wake.pltrst_ns)
    light = _point(Channel.BACKLIGHT, wake.light_ns)
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
    }


def _point(channel: Channel, t_ns: float | None, *, rises: bool = True) -> Moment | None:
    return None if t_ns is None or math.isinf(t_ns) else Moment(channel, int(t_ns), rises=rises)


def _hold_start(hold: Hold | None, *, lid_rises: bool) -> Moment | None:
    if hold is None:
        return None
    return Moment(hold.channel, hold.start_ns, rises=lid_rises and hold.channel is Channel.LID)
