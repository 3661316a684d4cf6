"""When a campaign is over: its answer and its report, as `resume-rig run` ends, and its hook."""

from collections.abc import Callable
from functools import partial

from resume_rig.campaign.run.hooks import HookEvent
from resume_rig.gui.desk import Desk
from resume_rig.gui.state.answer import CampaignJudged
from resume_rig.gui.worker.campaign_state import Phase
from resume_rig.gui.worker.events import CampaignJudging, CampaignUnjudged, Event
from resume_rig.gui.worker.jobs import Task
from resume_rig.gui.worker.process import Order
from resume_rig.gui.worker.requests import RunCampaign
from resume_rig.model.result.verdict import Verdict

# What reads stores is imported when a campaign is over: the window is there sooner.
_NOTHING = "no cycle was measured, so there is no answer"


class CampaignEnding:
    """Watches the campaign; judges it once when it is over, whichever page is shown.

    Args:
        desk: of the application.
        tell: takes what came of it, as the rig's thread tells.
    """

    def __init__(self, desk: Desk, tell: Callable[[tuple[Event, ...]], None]) -> None:
        self._desk = desk
        self._tell = tell
        self._attempt = 0
        self._task: Task | None = None

    def refresh(self) -> None:
        """Begin to judge a campaign that is over since the last time."""
        state = self._desk.seen.campaign
        if state.phase.active and self._task is not None:
            self._task.cancel()
            self._task = None
        order = self._desk.worker.order
        ended = not state.phase.active and state.phase is not Phase.NONE
        if not ended or state.attempt == self._attempt or order is None:
            return
        self._attempt = state.attempt
        if state.path is None:
            return
        if not order.store.exists():
            self._tell((CampaignUnjudged(_NOTHING),))
            return
        from resume_rig.gui.state.store_writing import conclude

        self._tell((CampaignJudging(),))
        self._task = self._desk.jobs.start_apart(
            f"Judging {order.store.name}",
            Order(conclude, (order.store, order.requirement, order.report_path)),
            partial(self._done, order),
            partial(self._fail, order),
        )

    def _done(self, order: RunCampaign, judged: CampaignJudged) -> None:
        self._task = None
        self._tell((judged,))
        self._desk.say(f"{judged.verdict.value}; the report is {judged.report}.")
        self._run_hook(order, judged.verdict, judged.why)

    def _fail(self, order: RunCampaign, sentence: str) -> None:
        self._task = None
        self._tell((CampaignUnjudged(sentence),))
        self._run_hook(order, None, sentence)

    def _run_hook(self, order: RunCampaign, verdict: Verdict | None, text: str) -> None:
        """Run the command on end, if there is one; a fault is told before what was judged."""
        from resume_rig.gui.worker.campaign_session import run_ending_hook

        if HookEvent.END not in order.hooks:
            return
        state = self._desk.seen.campaign
        said = state.text if state.phase is Phase.FAILED else text
        self._desk.jobs.start(
            "Running the command at the end",
            lambda _: run_ending_hook(order, verdict, said),
            self._say_problems,
            self._desk.say,
        )

    def _say_problems(self, problems: list[str]) -> None:
        for problem in problems:
            self._desk.say(problem)
