"""Shows on the console that a long campaign goes on; nothing of it goes into output.xml."""

from robot.api import logger

from resume_rig.campaign.events import (
    CampaignBegan,
    CampaignEvent,
    CycleDone,
    CycleStarted,
    Recovering,
    RigLost,
)
from resume_rig.report.hostile_text import encodable, one_line

_TENTHS = 10


class ConsoleProgress:
    """An observer that writes a line for each tenth of a campaign, and for what went wrong."""

    def __init__(self) -> None:
        self._cycles = 0
        self._done = 0
        self._tenth = 0

    def __call__(self, event: CampaignEvent) -> None:
        """Count an event, and say what is worth a line."""
        match event:
            case CampaignBegan(plan=plan):
                self._cycles = plan.cycles
            case CycleStarted(done=done):
                self._done = done
            case CycleDone():
                tenth = _TENTHS * (self._done + 1) // max(self._cycles, 1)
                if tenth > self._tenth and self._cycles >= _TENTHS:
                    self._tenth = tenth
                    logger.console(f"{self._done + 1} of {self._cycles} cycles")
            case Recovering(after_cycle=number, why=text) | RigLost(after_cycle=number, text=text):
                logger.console(f"after cycle {number}: {encodable(one_line(text))}")
