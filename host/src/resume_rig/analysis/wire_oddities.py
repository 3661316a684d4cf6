"""What a cycle's wires show beside its outcome: missing edges, glitches, odd orders, odd light."""

import math

from resume_rig.analysis.intervals import Wake
from resume_rig.analysis.levels import DARK_MIN_NS, Gap, holds
from resume_rig.analysis.sleep_moments import (
    WAKE_TRIGGER_MAX_NS,
    Sleep,
    Wires,
    deeper_ns,
)
from resume_rig.model.channel import Channel
from resume_rig.model.cycle import Outcome
from resume_rig.model.light import LightBasis
from resume_rig.model.units import count_of, seconds_text
from resume_rig.model.verdict import Finding, FindingKind

# SLP_S4# is stretched by up to 4 s after sleep entry, and a wake is held off so long.
_STRETCH_NS = 4_000_000_000
# An EC's pulse and the chipset need 0.2 s; a wake that took longer was held off by something.
_PROMPT_NS = 500_000_000
_NOT_JUDGED = (Outcome.NEVER_WOKE, Outcome.INTERRUPTED)


def oddities(wires: Wires, sleep: Sleep, wake: Wake, outcome: Outcome) -> tuple[Finding, ...]:
    """Return the findings that say what to be careful with, in the order of the cycle."""
    found = [
        *glitches(wires),
        _odd_levels(wires, sleep),
        _dozed(wires, sleep),
        _lit_asleep(wires, sleep),
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
    if line is not None and not sleep.until_known and not wires.of(line).gaps:
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
        f"A {verb} of {channel} is missing: the lines cannot have gone on as they did without it. "
        "Intervals that would need it are absent."
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
            f"{channel} had {count_of(len(line.glitches), 'pulse')} of edges less than 60 us apart "
            "that left it as it was; a chipset makes none so short, so they count for nothing."
        )
        evidence = {
            "channel": channel.value,
            "glitches": len(line.glitches),
            "first_ns": line.glitches[0].t_ns,
            "longest_ns": longest_ns,
        }
        found.append(Finding(FindingKind.GLITCH, text, evidence))
    return found


def _odd_levels(wires: Wires, sleep: Sleep) -> Finding | None:
    if not sleep.by_power:
        return None
    from_ns, until_ns = sleep.from_ns, sleep.until_ns

    def low(channel: Channel) -> bool:
        return wires.of(channel).was(0, from_ns, until_ns)

    if low(Channel.SLP_S5) and wires.wired(Channel.SLP_S4) and not low(Channel.SLP_S4):
        odd = "SLP_S5# was low while SLP_S4# stayed high"
    elif wires.wired(Channel.PLTRST) and not low(Channel.PLTRST):
        odd = "PLTRST# stayed high in the sleep"
    else:
        return None
    text = f"{odd}, which no chipset does: a channel is on the wrong line, or reads a dead one."
    return Finding(FindingKind.ODD_LEVELS, text)


def _dozed(wires: Wires, sleep: Sleep) -> Finding | None:
    at_ns = deeper_ns(wires, sleep)
    if at_ns is None or math.isinf(sleep.from_ns):
        return None
    after_ns = int(at_ns - sleep.from_ns)
    text = f"The sleep began as S3 and became S4 after {seconds_text(after_ns)} (a doze)."
    return Finding(FindingKind.DOZED, text, {"s4_after_ns": after_ns})


def _lit_asleep(wires: Wires, sleep: Sleep) -> Finding | None:
    if not sleep.by_power or math.isinf(sleep.until_ns) or not sleep.until_known:
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


def _unclear_sleep(sleep: Sleep, wake: Wake) -> Finding | None:
    count = len(wake.before)
    if count < 2 or not sleep.from_known:
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
    hold = wake.trigger.hold
    if hold is None or not sleep.by_power:
        return None
    if math.isinf(sleep.from_ns) or math.isinf(sleep.until_ns):
        return None
    after_ns = int(hold.start_ns - sleep.from_ns)
    took_ns = int(sleep.until_ns - hold.start_ns)
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
