"""What the user's commands are told of while a campaign runs, whoever shows it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from resume_rig.campaign.events import CampaignEvent, Recovered
from resume_rig.campaign.hooks import HookEvent, Hooks, program_words
from resume_rig.model.cycle import Outcome, OutsideCycle
from resume_rig.model.outcome import AS_PLANNED

UNREMARKABLE: Final = AS_PLANNED | {Outcome.INTERRUPTED}
"""Outcomes that nobody is told of while the campaign runs."""


def hooks_of(commands: Mapping[HookEvent, str], store: Path, *, shown: bool = True) -> Hooks:
    """Return the commands of a campaign.

    Args:
        commands: as the user wrote them.
        store: of the campaign.
        shown: whether what they write may stand between what the campaign says.

    Raises:
        UsageError: one has quotes that are not closed, is empty, or names no program.
    """
    words = {event: program_words(text) for event, text in commands.items()}
    return Hooks(words, {"store": str(store)}, shown=shown)


def tell_hooks(hooks: Hooks, event: CampaignEvent, outside: OutsideCycle | None) -> None:
    """Run the command that an event has, if it has one.

    Args:
        hooks: the commands.
        event: what the campaign told.
        outside: what the wires say of a cycle that is over; None with other events.
    """
    if outside is not None and outside.outcome not in UNREMARKABLE:
        texts = "; ".join(finding.text for finding in outside.findings)
        facts = {"cycle": str(outside.number), "outcome": outside.outcome.value, "text": texts}
        hooks.fire(HookEvent.FAILURE, facts)
    if isinstance(event, Recovered):
        ok = "yes" if event.ok else "no"
        facts = {"cycle": str(event.after_cycle), "ok": ok, "step": event.step.value}
        hooks.fire(HookEvent.RECOVERY, facts)
