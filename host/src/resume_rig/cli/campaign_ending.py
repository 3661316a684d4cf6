"""How `run` ends: the answer from the store, the command on end, and what is said last."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.acceptance.assessment import Assessed, assess_store
from resume_rig.cli.assessment import show
from resume_rig.cli.exit_status import STOPPED, status_of_verdict
from resume_rig.cli.voice import is_for_machine, say_event, voice_of
from resume_rig.model.errors import ResumeRigError

if TYPE_CHECKING:
    from resume_rig.campaign.campaign import CampaignEnd
    from resume_rig.campaign.events import CampaignEvent, Observer
    from resume_rig.campaign.hooks import Hooks
    from resume_rig.model.requirement import Requirement


class CampaignEnding:
    """The end of one campaign, whatever it was.

    Args:
        args: of the command line.
        requirement: what the campaign is judged against.
        store: of the campaign.
        report: where its report is to be.
        hooks: the commands that are told.

    Attributes:
        began: whether the campaign did; what comes before it is told to no command.
    """

    def __init__(
        self,
        args: argparse.Namespace,
        requirement: "Requirement",
        store: Path,
        report: Path,
        hooks: "Hooks",
    ) -> None:
        self._args = args
        self._requirement = requirement
        self._store = store
        self._report = report
        self._hooks = hooks
        self.began = False

    def watched(self, observe: "Observer") -> "Observer":
        """Return an observer that also sees whether the campaign began."""
        from resume_rig.campaign.events import CampaignBegan

        def listen(event: "CampaignEvent") -> None:
            self.began = self.began or isinstance(event, CampaignBegan)
            observe(event)

        return listen

    def ended(self, end: "CampaignEnd") -> int:
        """Show the answer of a campaign that is done, or that somebody stopped.

        Returns:
            The exit status.

        Raises:
            ResumeRigError: the answer cannot be computed or written; the command on end knows.
        """
        from resume_rig.campaign.campaign import CampaignStopped

        try:
            assessed = self._shown()
        except ResumeRigError as error:
            self._fire(None, str(error))
            raise
        self._fire(assessed, assessed.correlation.why)
        tell = voice_of(self._args)
        if isinstance(end, CampaignStopped):
            tell(f"resume-rig: {end.text}")
            return STOPPED
        if end.why is not None:
            tell(f"resume-rig: ended before the plan's last cycle: {end.why}")
        return status_of_verdict(assessed.correlation.verdict)

    def failed(self, fault: Exception) -> None:
        """Show the answer of what was measured before a fault; the caller raises the fault."""
        try:
            assessed = self._shown()
        except ResumeRigError as error:
            # Both may have one cause, as a disk that is full; the fault is told in any case.
            voice_of(self._args)(f"resume-rig: {error}")
            self._fire(None, str(fault))
            return
        self._fire(assessed, str(fault))

    def broke(self, error: Exception) -> None:
        """Tell the command on end of a mistake in the program itself."""
        self._fire(None, f"{type(error).__name__}: {error}")

    def _shown(self) -> Assessed:
        assessed = assess_store(self._store, self._requirement, self._report)
        show(assessed, self._args)
        if is_for_machine(self._args):
            from resume_rig.report.json_text import text_json

            answer = assessed.correlation
            verdict = {"event": "verdict", "verdict": answer.verdict.value}
            files = {"store": str(self._store), "report": str(self._report)}
            texts = {"text": answer.why, **files}
            say_event({**verdict, **{name: text_json(text) for name, text in texts.items()}})
        return assessed

    def _fire(self, assessed: Assessed | None, text: str) -> None:
        from resume_rig.campaign.hooks import HookEvent

        verdict = {} if assessed is None else {"verdict": assessed.correlation.verdict.value}
        self._hooks.fire(HookEvent.END, {**verdict, "text": text})
