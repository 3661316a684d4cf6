"""What became of a cycle, and the faults that the wires alone show."""

import math

from resume_rig.analysis.intervals import Wake
from resume_rig.analysis.sleep_moments import Sleep, Wires, state_of
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.cycle import Outcome, OutsideState
from resume_rig.model.verdict import Finding, FindingKind

_Judged = tuple[Outcome, tuple[Finding, ...]]


def overrun() -> Finding:
    """Return the finding of a cycle of which edges were lost."""
    return Finding(
        FindingKind.OVERRUN,
        "The board overwrote edges of this cycle before the host had read them, so nothing of it "
        "is measured.",
    )


def never_slept(wires: Wires) -> Finding:
    """Return the finding of a cycle without a sleep."""
    line = wires.power_line()
    seen = [
        str(channel) for channel in (line, Channel.BACKLIGHT) if channel and wires.wired(channel)
    ]
    text = (
        f"The DUT never slept: {' and '.join(seen)} stayed high."
        if seen
        else "No sleep was seen, and no line is wired that could show one."
    )
    return Finding(FindingKind.NEVER_SLEPT, text, {"lines": ", ".join(seen)})


def judge_wires(wires: Wires, sleep: Sleep, wake: Wake, wake_by: Actuator | None) -> _Judged:
    """Return what became of a cycle that has a sleep, with its findings."""
    if sleep.by_power and state_of(wires, sleep) is OutsideState.NONE:
        finding = Finding(
            FindingKind.NEVER_SLEPT,
            f"The DUT never slept: {wires.power_line()} fell but PWR_OK stayed high.",
            {"lines": f"{wires.power_line()}, PWR_OK"},
        )
        return Outcome.NEVER_SLEPT, (finding,)
    if math.isinf(sleep.until_ns):
        return _still_asleep(wires, wake, wake_by)
    resets = _double_reset(wake)
    if wake.trigger is None and _trigger_was_watched(wires, wake_by):
        return Outcome.WOKE_ALONE, (_woke_alone(sleep, wake_by), *resets)
    dark = _dark(wires, wake)
    if dark is not None:
        return Outcome.DARK, (dark, *resets)
    if _held_in_reset(wires, wake):
        text = "The DUT never woke: power came back, but PLTRST# stayed low."
        return Outcome.NEVER_WOKE, (Finding(FindingKind.NEVER_WOKE, text), *resets)
    return Outcome.SLEPT_AND_WOKE, resets


def _still_asleep(wires: Wires, wake: Wake, wake_by: Actuator | None) -> _Judged:
    if wake.trigger is None and wake_by is None:
        # Nobody is known to have tried: the capture ends in the sleep.
        return Outcome.INTERRUPTED, ()
    line = wires.power_line() or Channel.BACKLIGHT
    by = wake_by if wake.trigger is None else wake.trigger.channel
    seen = "was asked for but not seen" if wake.trigger is None else "was seen"
    return Outcome.NEVER_WOKE, (
        Finding(
            FindingKind.NEVER_WOKE,
            f"The DUT never woke: the trigger on {by} {seen}, and {line} stayed low.",
            {"trigger_ns": None if wake.trigger is None else wake.trigger.start_ns},
        ),
    )


def _trigger_was_watched(wires: Wires, wake_by: Actuator | None) -> bool:
    """Return whether a trigger would have been seen; a button wakes every DUT, a lid only some."""
    return wires.wired(Channel.BUTTON if wake_by is None else Channel(wake_by))


def _woke_alone(sleep: Sleep, wake_by: Actuator | None) -> Finding:
    what = {
        None: "no press of the button and no opening of the lid",
        Actuator.BUTTON: "no press of the button",
        Actuator.LID: "no opening of the lid",
    }[wake_by]
    return Finding(
        FindingKind.WAKE_NOT_OURS,
        f"Something else woke the DUT: {what} came between its sleep and its wake.",
        {"awake_from_ns": int(sleep.until_ns)},
    )


def _double_reset(wake: Wake) -> tuple[Finding, ...]:
    if wake.resets <= 1 and wake.powers <= 1:
        return ()
    text = (
        f"The DUT was reset more than once in this wake: PLTRST# rose {wake.resets} times and "
        f"PWR_OK {wake.powers} times; intervals count the last rise of PLTRST#, and the DUT's own "
        "BIOS time tells of the last pass only."
    )
    evidence = {"pltrst_rises": wake.resets, "pwr_ok_rises": wake.powers}
    return (Finding(FindingKind.DOUBLE_RESET, text, evidence),)


def _dark(wires: Wires, wake: Wake) -> Finding | None:
    dark_at_end = wires.level(Channel.BACKLIGHT, wake.end_ns) == 0
    if not wires.wired(Channel.BACKLIGHT) or wake.light_ns is not None or not dark_at_end:
        return None
    more = " and PLTRST# stayed low" if _held_in_reset(wires, wake) else ""
    return Finding(FindingKind.DARK, f"Power is on, but the display stayed dark{more}.")


def _held_in_reset(wires: Wires, wake: Wake) -> bool:
    return wake.pltrst_ns is None and wires.level(Channel.PLTRST, wake.end_ns) == 0
