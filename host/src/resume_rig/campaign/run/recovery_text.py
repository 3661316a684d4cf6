"""A step of a recovery in sentences: what was tried, what the wires showed then. Pure."""

from collections.abc import Mapping

from resume_rig.campaign.store.raw import Recovery
from resume_rig.model.channel import Channel
from resume_rig.model.recovery import RecoveryStep

DONE_BY = {
    RecoveryStep.WAIT: "waiting",
    RecoveryStep.PRESS: "one more try",
    RecoveryStep.FORCE_OFF: "forcing it off and booting it",
    RecoveryStep.POWER_CYCLE: "cutting its supply",
    RecoveryStep.ASK: "asking somebody",
}
"""What each step is called in a sentence."""


def recovery_text(recovery: Recovery) -> str:
    """Return which cycle, why, what was done, whether it helped, which edges, levels and light."""
    return f"After cycle {recovery.after_cycle}: {recovery.why} {step_text(recovery)}"


def step_text(recovery: Recovery) -> str:
    """Return what was done, whether it helped, which edges, levels and light."""
    helped = "brought it back" if recovery.ok else "did not help"
    text = f"{DONE_BY[recovery.step].capitalize()} {helped}"
    if recovery.levels is None:
        return f"{text}."
    count = len(recovery.edges)
    edges = f"{count} edge{'' if count == 1 else 's'}"
    return f"{text} ({edges}; then {levels_text(recovery.levels)})."


def levels_text(levels: Mapping[Channel, int]) -> str:
    """Return levels in words: which lines are high, which are low, and whether there is light."""
    lines = {
        channel: level for channel, level in levels.items() if channel is not Channel.BACKLIGHT
    }
    parts = []
    for wanted, word in ((1, "high"), (0, "low")):
        found = sorted(channel for channel, level in lines.items() if level == wanted)
        parts += [f"{', '.join(found)} {word}"] if found else []
    if Channel.BACKLIGHT in levels:
        parts.append("light" if levels[Channel.BACKLIGHT] else "no light")
    return ", ".join(parts) or "no line is wired"
