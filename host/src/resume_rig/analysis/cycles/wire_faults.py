"""What became of a cycle, and the faults that the wires alone show.

docs/reference/outcomes.md and docs/reference/findings.md are the tables of this module.
"""

import math
from typing import NamedTuple

from resume_rig.analysis.cycles.health import drains_finding
from resume_rig.analysis.cycles.intervals import Wake
from resume_rig.analysis.cycles.levels import DARK_MIN_NS, Gap, holds
from resume_rig.analysis.cycles.moments import (
    WAKE_TRIGGER_MAX_NS,
    Commanded,
    Sleep,
    Wires,
    deeper_ns,
    standby_ns,
)
from resume_rig.model.channel import TRIGGER_WORDS, Actuator, Channel, WakeMeans, line_name
from resume_rig.model.light import LightBasis
from resume_rig.model.result.cycle import Outcome, OutsideState
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.model.units import count_of, seconds_text

# A wake is held off while SLP_S4# is stretched, up to 4 s after sleep entry (coreboot has
# minimum assertion widths of 1 to 4 s).
_STRETCH_NS = 4_000_000_000
# An EC's pulse and the chipset need 0.2 s (ChromeOS EC, power_button_x86.c); a wake that took
# longer was held off by something. Assumed, with room.
_PROMPT_NS = 500_000_000
_NOT_JUDGED = (Outcome.NEVER_WOKE, Outcome.INTERRUPTED)


class Awaited(NamedTuple):
    """What was to wake the DUT.

    Attributes:
        by: the actuator; None where none was asked, or it was to wake by itself.
        due_ns: board clock from which on it was to wake by itself; None where it was not.
        commanded: what was asked to wake it, where no wire shows that.
    """

    by: Actuator | None
    due_ns: int | None = None
    commanded: Commanded | None = None


# What has to be set up on a DUT before these wake it; no wire shows whether it was.
_ARMED_BY = {
    Actuator.KEYBOARD: "let the keyboard wake it (Windows: powercfg /deviceenablewake; Linux: "
    "power/wakeup of its USB device) and keep its port under power (firmware setup)",
    Actuator.CONTACT: "let power or a dock wake it (firmware setup: wake on AC, wake on dock)",
    WakeMeans.LAN: "let its network adapter wake it (firmware setup: Wake on LAN; Windows: "
    "powercfg /deviceenablewake; Linux: ethtool -s ethN wol g), and see that the packet's way has "
    "no router in it",
}


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
    shown = [channel for channel in (line, Channel.BACKLIGHT) if channel and wires.wired(channel)]
    text = "No sleep was seen, and no line is wired that could show one."
    if shown:
        dark = Channel.BACKLIGHT in shown and wires.of(Channel.BACKLIGHT).level(-math.inf) == 0
        high = [line_name(each) for each in shown if not (dark and each is Channel.BACKLIGHT)]
        text = f"The DUT never slept: {' and '.join(high)} stayed high." if high else "No sleep."
        if dark:
            text = f"{text} BACKLIGHT was low before: was it awake at all?"
        if line is Channel.SLP_S3 and wires.of(Channel.PWR_OK).times_to(0, -math.inf, math.inf):
            text = f"{text} PWR_OK fell all the same: the power failed, or edges are missing."
    return Finding(FindingKind.NEVER_SLEPT, text, {"lines": ", ".join(shown)})


def judge_wires(
    wires: Wires, sleep: Sleep, state: OutsideState, wake: Wake, awaited: Awaited
) -> _Judged:
    """Return what became of a cycle that has a sleep, with its findings."""
    line = wires.power_line()
    if sleep.by_power and state is OutsideState.NONE and line is not None:
        finding = Finding(
            FindingKind.NEVER_SLEPT,
            f"The DUT never slept: {line_name(line)} fell but PWR_OK stayed high.",
            {"lines": f"{line}, PWR_OK"},
        )
        return Outcome.NEVER_SLEPT, (finding,)
    outcome, found = _outcome(wires, sleep, wake, awaited)
    return outcome, (*found, *_cautions(wires, sleep, wake, outcome))


def _outcome(wires: Wires, sleep: Sleep, wake: Wake, awaited: Awaited) -> _Judged:
    observed = sleep.begin_observed and sleep.end_observed
    if math.isinf(sleep.until_ns) and observed:
        outcome, found = _still_asleep(wires, wake, awaited)
        return outcome, (*found, *missing_edges(wires, sleep, wake))
    if wake.trigger.missed or not (observed and wake.end_observed):
        return Outcome.INVALID, missing_edges(wires, sleep, wake)
    also = (*missing_edges(wires, sleep, wake), *_rebooted(sleep), *_double_reset(sleep, wake))
    is_alone = wake.trigger.by is None and wake.trigger.unclear is None
    in_time = awaited.due_ns is not None and sleep.until_ns >= awaited.due_ns
    if is_alone and not in_time and _trigger_was_watched(wires, awaited):
        # A wake that nobody asked for may leave the display off; what followed has findings, too.
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
    if awaited.commanded is not None:
        return Outcome.NEVER_WOKE, (_not_armed(awaited.commanded, line),)
    cause = f"the trigger on {awaited.by} was asked for but not seen"
    if trigger.hold is not None:
        cause = f"the trigger on {line_name(trigger.hold.channel)} was seen"
    elif awaited.by is None:
        cause = "its own timer was due"
    return Outcome.NEVER_WOKE, (
        Finding(
            FindingKind.NEVER_WOKE,
            f"The DUT never woke: {cause}, and {line_name(line)} stayed low.",
            {"trigger_ns": None if trigger.hold is None else trigger.hold.start_ns},
        ),
    )


def _not_armed(commanded: Commanded, line: Channel) -> Finding:
    word = TRIGGER_WORDS[commanded.by]
    text = (
        f"The DUT never woke: {line_name(line)} stayed low after the {word}. It may not be armed: "
        f"{_ARMED_BY[commanded.by]}."
    )
    evidence = {"trigger_ns": commanded.t_ns, "wake_by": str(commanded.by)}
    return Finding(FindingKind.NEVER_WOKE, text, evidence)


def _trigger_was_watched(wires: Wires, awaited: Awaited) -> bool:
    """Return whether a trigger would be known; a button wakes every DUT, a lid only some."""
    if awaited.commanded is not None:
        return True
    name = Channel.BUTTON.value if awaited.by is None else str(awaited.by)
    return name in Channel.__members__ and wires.wired(Channel(name))


def _woke_alone(sleep: Sleep, wake: Wake, awaited: Awaited) -> Finding:
    what = {
        None: "no press of the button and no opening of the lid",
        Actuator.BUTTON: "no press of the button",
        Actuator.LID: "no opening of the lid",
    }[awaited.by]
    if awaited.commanded is not None:
        what = f"no {TRIGGER_WORDS[awaited.commanded.by]}"
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
        " intervals count the last rise of PLTRST#, and the OS-reported BIOS time covers the last "
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
    """Return whether nothing ran; light that came after the wake shows that something did."""
    lit = wake.light.came and not wake.light.already
    return not lit and wake.resets == 0 and wires.of(Channel.PLTRST).level(wake.end_ns) == 0


def _cautions(wires: Wires, sleep: Sleep, wake: Wake, outcome: Outcome) -> tuple[Finding, ...]:
    """Return the findings that decide no outcome, in the order of the cycle."""
    found = [
        *glitches(wires),
        _impossible_levels(wires, sleep),
        _dozed(wires, sleep),
        _lit_asleep(wires, sleep),
        _drains(wires, sleep),
        _unclear_sleep(sleep, wake),
        _unclear_wake(wake),
        _held_off(sleep, wake),
        _light_not_timed(wires, wake, outcome),
    ]
    return tuple(finding for finding in found if finding is not None)


def missing_edges(wires: Wires, sleep: Sleep, wake: Wake) -> tuple[Finding, ...]:
    """Return a finding for each line of which an edge is missing within the cycle."""
    found = [
        _missing(channel, gap)
        for channel, line in wires.lines.items()
        for gap in line.gaps
        if channel is not Channel.LED and gap.after_ns <= wake.end_ns
    ]
    line = wires.power_line()
    if line is not None and not sleep.end_observed and not wires.of(line).gaps:
        found.append(_missing(line, Gap(1, sleep.from_ns, sleep.until_ns)))
    follower = wires.of(Channel.PWR_OK)
    if wake.resets and not wake.powers and follower.level(wake.end_ns) == 0:
        found.append(_missing(Channel.PWR_OK, Gap(1, sleep.wake_from_ns, wake.end_ns)))
    lit = wake.light.came and not wake.light.already
    if lit and not wake.resets and wires.of(Channel.PLTRST).level(wake.end_ns) == 0:
        found.append(_missing(Channel.PLTRST, Gap(1, sleep.wake_from_ns, wake.end_ns)))
    return tuple(found)


def _missing(channel: Channel, gap: Gap) -> Finding:
    verb = "rise" if gap.level else "fall"
    text = (
        f"A {verb} of {line_name(channel)} is missing: the lines cannot have gone on as they did "
        "without it. Intervals that would need it are absent."
    )
    evidence: dict[str, int | float | str | None] = {
        "channel": channel.value,
        "after_ns": None if math.isinf(gap.after_ns) else int(gap.after_ns),
        "before_ns": None if math.isinf(gap.before_ns) else int(gap.before_ns),
    }
    return Finding(FindingKind.EDGE_LOST, text, evidence)


def glitches(wires: Wires) -> list[Finding]:
    """Return a finding for each line that pulsed for less than it can mean."""
    found: list[Finding] = []
    for channel, line in wires.lines.items():
        if not line.glitches:
            continue
        longest_ns = max(glitch.until_ns - glitch.t_ns for glitch in line.glitches)
        text = (
            f"{line_name(channel)} had {count_of(len(line.glitches), 'pulse')} of edges less than "
            "60 us apart that left it as it was; a chipset makes none so short, so they count for "
            "nothing."
        )
        evidence = {
            "channel": channel.value,
            "glitches": len(line.glitches),
            "first_ns": line.glitches[0].t_ns,
            "longest_ns": longest_ns,
        }
        found.append(Finding(FindingKind.GLITCH, text, evidence))
    return found


def _impossible_levels(wires: Wires, sleep: Sleep) -> Finding | None:
    if not sleep.by_power:
        return None
    from_ns, until_ns = sleep.from_ns, sleep.until_ns

    def low(channel: Channel) -> bool:
        return wires.of(channel).was(0, from_ns, until_ns)

    if low(Channel.SLP_S5) and wires.wired(Channel.SLP_S4) and not low(Channel.SLP_S4):
        fault = "SLP_S5# was low while SLP_S4# stayed high"
    elif wires.wired(Channel.PLTRST) and not low(Channel.PLTRST):
        fault = "PLTRST# stayed high in the sleep"
    else:
        return None
    text = f"{fault}, which no chipset does: a channel is on the wrong line, or reads a dead one."
    return Finding(FindingKind.ODD_LEVELS, text)


def _dozed(wires: Wires, sleep: Sleep) -> Finding | None:
    at_ns = deeper_ns(wires, sleep)
    if at_ns is None or math.isinf(sleep.from_ns):
        return None
    after_ns = int(at_ns - sleep.from_ns)
    text = (
        f"The sleep began as S3 and became S4 after {seconds_text(after_ns)} (doze to hibernate)."
    )
    return Finding(FindingKind.DOZED, text, {"s4_after_ns": after_ns})


def _lit_asleep(wires: Wires, sleep: Sleep) -> Finding | None:
    if not sleep.by_power or math.isinf(sleep.until_ns) or not sleep.end_observed:
        return None
    line = wires.of(Channel.BACKLIGHT)
    lit = [
        hold.start_ns
        for hold in holds(line, 1, sleep.from_ns, sleep.until_ns)
        if (hold.end_ns or sleep.until_ns) - hold.start_ns >= DARK_MIN_NS
    ]
    at_wake = line.level(sleep.until_ns) == 1
    if not lit and not at_wake:
        return None
    text = "The display was lit while the power lines showed sleep" + (
        ", and still was when the wake began: no edge of BACKLIGHT is taken for its light."
        if at_wake
        else "."
    )
    evidence = {"lit_from_ns": lit[0] if lit else None, "lit_at_wake": int(at_wake)}
    return Finding(FindingKind.LIT_ASLEEP, text, evidence)


def _drains(wires: Wires, sleep: Sleep) -> Finding | None:
    """Return a finding where SLP_S0# shows that a Modern Standby was not a deep one."""
    asleep_ns = standby_ns(wires, sleep)
    line = wires.of(Channel.SLP_S0)
    if asleep_ns is None or not wires.wired(Channel.SLP_S0) or line.gaps:
        return None
    begun = holds(line, 0, until_ns=sleep.until_ns)
    deep_ns = sum(
        max(
            0,
            min(sleep.until_ns, hold.end_ns or sleep.until_ns) - max(sleep.from_ns, hold.start_ns),
        )
        for hold in begun
    )
    return drains_finding(deep_ns / 1e9, asleep_ns, "SLP_S0#")


def _unclear_sleep(sleep: Sleep, wake: Wake) -> Finding | None:
    count = len(wake.before)
    if count < 2 or not sleep.begin_observed:
        return None
    text = (
        f"{count} presses or closings of the lid came in the 30 s before the sleep, so which of "
        "them started it is not known."
    )
    return Finding(FindingKind.TRIGGER_UNCLEAR, text, {"sleep_triggers": count})


def _unclear_wake(wake: Wake) -> Finding | None:
    if wake.trigger.unclear is None or wake.trigger.missed:
        return None
    text = (
        f"What woke the DUT is not clear: {wake.trigger.unclear}, so intervals from the press are "
        "absent."
    )
    evidence = {"within_ns": WAKE_TRIGGER_MAX_NS}
    return Finding(FindingKind.TRIGGER_UNCLEAR, text, evidence)


def _held_off(sleep: Sleep, wake: Wake) -> Finding | None:
    trigger_ns = wake.trigger.t_ns
    if trigger_ns is None or not sleep.by_power:
        return None
    if math.isinf(sleep.from_ns) or math.isinf(sleep.until_ns):
        return None
    after_ns = int(trigger_ns - sleep.from_ns)
    took_ns = int(sleep.until_ns - trigger_ns)
    if after_ns >= _STRETCH_NS or took_ns < _PROMPT_NS:
        return None
    text = (
        f"The wake was triggered {seconds_text(after_ns)} after the sleep began and took "
        f"{seconds_text(took_ns)} to begin: the chipset may hold a wake off for up to 4 s, and "
        "intervals from the press contain that."
    )
    evidence = {"after_sleep_ns": after_ns, "held_off_ns": took_ns}
    return Finding(FindingKind.HELD_OFF, text, evidence)


def _light_not_timed(wires: Wires, wake: Wake, outcome: Outcome) -> Finding | None:
    light = wake.light
    if light.why_not is None or outcome in _NOT_JUDGED or not light.came:
        return None
    if not wires.wired(Channel.BACKLIGHT) and light.first is None and light.main is None:
        return None
    if light.basis not in (None, LightBasis.COMPARATOR):
        text = f"Not every moment of the light was timed: {light.why_not}."
        return Finding(FindingKind.LIGHT_NOT_TIMED, text)
    instead = "BACKLIGHT's edge stands for it" if light.main else "no interval to light is formed"
    text = f"The light was not timed by its level: {light.why_not}; {instead}."
    return Finding(FindingKind.LIGHT_NOT_TIMED, text)
