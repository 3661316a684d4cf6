"""The user's command that is told of a campaign's end. Free of Qt."""

from contextlib import closing

from resume_rig.campaign.hook_watch import hooks_of
from resume_rig.campaign.hooks import HookEvent
from resume_rig.gui.worker.requests import RunCampaign
from resume_rig.model.verdict import Verdict


def run_ending_hook(order: RunCampaign, verdict: Verdict, text: str) -> list[str]:
    """Run the command, if there is one; return a sentence for each thing that went wrong.

    Args:
        order: the campaign that is over.
        verdict: of it.
        text: what the verdict rests on, or the fault that ended it.
    """
    hooks = hooks_of(order.hooks, order.store)
    with closing(hooks):
        hooks.fire(HookEvent.END, {"verdict": verdict.value, "text": text})
    return hooks.problems
