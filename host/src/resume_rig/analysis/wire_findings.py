"""What became of a cycle, and the faults that the wires alone show."""

import math
from typing import NamedTuple

from resume_rig.analysis.intervals import Wake
from resume_rig.analysis.sleep_moments import Sleep, Wires
from resume_rig.analysis.wire_oddities import missing_edges, oddities
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.cycle import Outcome, OutsideState
from resume_rig.model.units import count_of, seconds_text
from resume_rig.model.verdict import Finding, FindingKind


class Awaited(NamedTuple):
    """What was to wake the DUT.

    Attributes:
        by: the actuator; None where nobody was asked, or it was to wake by itself.
        due_ns: board clock from which on it was to wake by itself; None where it was not.
    """

    by: Actuator | None
    due_ns: int | None = None


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
    text = "No sleep was seen, and no line is wired that could show one."
    if seen:
        dark = Channel.BACKLIGHT in seen and wires.of(Channel.BACKLIGHT).level(-math.inf) == 0
        high = [name for name in seen if not (dark and name == Channel.BACKLIGHT)]
        text = f"The DUT never slept: {' and '.join(high)} stayed high." if high else "No sleep."
        if dark:
            text = f"{text} BACKLIGHT was low before: was it awake at all?"
        if line is Channel.SLP_S3 and wires.of(Channel.PWR_OK).times_to(0, -math.inf, math.inf):
            text = f"{text} PWR_OK fell all the same: the power failed, or edges are missing."
    return Finding(FindingKind.NEVER_SLEPT, text, {"lines": ", ".join(seen)})


def judge_wires(
    wires: Wires, sleep: Sleep, state: OutsideState, wake: Wake, awaited: Awaited
) -> _Judged:
    """Return what became of a cycle that has a sleep, with its findings."""
    if sleep.by_power and state is OutsideState.NONE:
        finding = Finding(
            FindingKind.NEVER_SLEPT,
            f"The DUT never slept: {wires.power_line()} fell but PWR_OK stayed high.",
            {"lines": f"{wires.power_line()}, PWR_OK"},
        )
        return Outcome.NEVER_SLEPT, (finding,)
    outcome, found = _outcome(wires, sleep, wake, awaited)
    return outcome, (*found, *oddities(wires, sleep, wake, outcome))


def _outcome(wires: Wires, sleep: Sleep, wake: Wake, awaited: Awaited) -> _Judged:
    known = sleep.from_known and sleep.until_known
    if math.isinf(sleep.until_ns) and known:
        outcome, found = _still_asleep(wires, wake, awaited)
        return outcome, (*found, *missing_edges(wires, sleep, wake))
    if wake.trigger.missed or not (known and wake.end_known):
        return Outcome.INVALID, missing_edges(wires, sleep, wake)
    also = (*missing_edges(wires, sleep, wake), *_rebooted(sleep), *_double_reset(sleep, wake))
    is_alone = wake.trigger.hold is None and wake.trigger.unclear is None
    in_time = awaited.due_ns is not None and sleep.until_ns >= awaited.due_ns
    if is_alone and not in_time and _trigger_was_watched(wires, awaited.by):
        # A wake that nobody asked for may leave the display off; what followed is told beside it.
        _, followed = _woken(wires, sleep, wake)
        return Outcome.WOKE_ALONE, (_woke_alone(sleep, wake, awaited), *followed, *also)
    outcome, found = _woken(wires, sleep, wake)
    return outcome, (*found, *also)


def _woken(wires: Wires, sleep: Sleep, wake: Wake) -> _Judged:
    """Return what became of a wake that somebody triggered."""
    if sleep.reboots:
        return Outcome.REBOOTED, ()
    dark = _dark(wires, wake)
    if dark is not None:
        return Outcome.DARK, (dark,)
    if _held_in_reset(wires, wake):
        text = "The DUT never woke: power came back, but PLTRST# stayed low."
        return Outcome.NEVER_WOKE, (Finding(FindingKind.NEVER_WOKE, text),)
    return Outcome.SLEPT_AND_WOKE, ()


def _still_asleep(wires: Wires, wake: Wake, awaited: Awaited) -> _Judged:
    trigger = wake.trigger
    if trigger.missed:
        return Outcome.INVALID, ()
    if trigger.hold is None and awaited == Awaited(None):
        # Nobody is known to have tried: the capture ends in the sleep.
        return Outcome.INTERRUPTED, ()
    line = wires.power_line() or (
        Channel.BACKLIGHT if wires.wired(Channel.BACKLIGHT) else Channel.LED
    )
    told = f"the trigger on {awaited.by} was asked for but not seen"
    if trigger.hold is not None:
        told = f"the trigger on {trigger.hold.channel} was seen"
    elif awaited.by is None:
        told = "its own timer was due"
    return Outcome.NEVER_WOKE, (
        Finding(
            FindingKind.NEVER_WOKE,
            f"The DUT never woke: {told}, and {line} stayed low.",
            {"trigger_ns": None if trigger.hold is None else trigger.hold.start_ns},
        ),
    )


def _trigger_was_watched(wires: Wires, wake_by: Actuator | None) -> bool:
    """Return whether a trigger would have been seen; a button wakes every DUT, a lid only some."""
    return wires.wired(Channel.BUTTON if wake_by is None else Channel(wake_by))


def _woke_alone(sleep: Sleep, wake: Wake, awaited: Awaited) -> Finding:
    what = {
        None: "no press of the button and no opening of the lid",
        Actuator.BUTTON: "no press of the button",
        Actuator.LID: "no opening of the lid",
    }[awaited.by]
    text = f"Something else woke the DUT: {what} came between its sleep and its wake."
    if awaited.due_ns is not None:
        early_ns = awaited.due_ns - int(sleep.until_ns)
        text = f"{text} It woke {seconds_text(early_ns)} before its timer may have."
    evidence: dict[str, int | float | str | None] = {"awake_from_ns": int(sleep.until_ns)}
    before = wake.before
    if len(before) > 1:
        since_ns = int(sleep.from_ns) - max(hold.start_ns for hold in before)
        text = (
            f"{text} The last of {len(before)} presses or closings came {seconds_text(since_ns)} "
            "before the sleep; the DUT may have kept it."
        )
        evidence["pressed_before_sleep_ns"] = since_ns
    return Finding(FindingKind.WAKE_NOT_OURS, text, evidence)


def _rebooted(sleep: Sleep) -> tuple[Finding, ...]:
    if not sleep.reboots:
        return ()
    text = (
        "The DUT booted instead of resuming: its power came back, and was then taken away by a "
        "reset that went down to S4 or S5."
    )
    return (Finding(FindingKind.REBOOTED, text, {"resets": sleep.reboots}),)


def _double_reset(sleep: Sleep, wake: Wake) -> tuple[Finding, ...]:
    if sleep.reboots or (wake.resets <= 1 and wake.powers <= 1):
        return ()
    resets, powers = count_of(wake.resets, "time"), count_of(wake.powers, "time")
    text = (
        f"The DUT was reset more than once in this wake: PLTRST# rose {resets} and PWR_OK {powers};"
        " intervals count the last rise of PLTRST#, and the DUT's own BIOS time tells of the last "
        "pass only."
    )
    evidence = {"pltrst_rises": wake.resets, "pwr_ok_rises": wake.powers}
    return (Finding(FindingKind.DOUBLE_RESET, text, evidence),)


def _dark(wires: Wires, wake: Wake) -> Finding | None:
    dark_at_end = wires.of(Channel.BACKLIGHT).level(wake.end_ns) == 0
    if wake.light.came or not dark_at_end:
        return None
    more = " and PLTRST# stayed low" if _held_in_reset(wires, wake) else ""
    return Finding(FindingKind.DARK, f"Power is on, but the display stayed dark{more}.")


def _held_in_reset(wires: Wires, wake: Wake) -> bool:
    """Return whether nothing ran; a display that was lit after the wake says that something did."""
    lit = wake.light.came and not wake.light.already
    return not lit and wake.resets == 0 and wires.of(Channel.PLTRST).level(wake.end_ns) == 0
