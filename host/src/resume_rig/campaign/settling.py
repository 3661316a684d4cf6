"""When a DUT that woke has settled: by evidence, and not by a time alone."""

from collections.abc import Callable

from resume_rig.campaign.bench import Bench
from resume_rig.campaign.log_feed import LogFeed
from resume_rig.campaign.plan import NS_PER_MS, NS_PER_S, Plan
from resume_rig.campaign.plan_states import STATES, has_record
from resume_rig.campaign.power_waits import comes_up
from resume_rig.campaign.states import first_change, is_dark
from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError
from resume_rig.model.light import OnsetState
from resume_rig.model.units import seconds_text
from resume_rig.model.verdict import Finding, FindingKind
from resume_rig.rig.dut_control import DutControl

# The level of light counts as settled after a second (core, onset).
LIGHT_STILL_NS = 1 * NS_PER_S
# A log is read, and a DUT asked, no more often.
ASK_PAUSE_NS = 500 * NS_PER_MS


class Settling:
    """What one cycle waits for after its wake; whatever was seen once need not be seen again.

    Args:
        plan: of the cycle.
        bench: where it happens.
        log: OS records, as they come.
        control: the DUT's OS; None where nothing reaches it.
        expects_record: a record is worth waiting for.
    """

    def __init__(
        self,
        plan: Plan,
        bench: Bench,
        log: LogFeed,
        control: DutControl | None,
        *,
        expects_record: bool,
    ) -> None:
        self._bench = bench
        self._plan = plan
        self._log = log
        self._control = control
        self._asked_ns = -ASK_PAUSE_NS
        self._greeting = False
        self._signs: dict[str, Callable[[], bool]] = {"a light that stands still": self._is_still}
        if log.present and expects_record and has_record(plan.state):
            self._signs["an OS record"] = lambda: log.has_news
        if log.present:
            self._signs["a log that can be read"] = lambda: log.problem is None
        if control is not None and STATES[plan.state].boots:
            self._signs["an OS that answers"] = self._answers

    @property
    def missing(self) -> tuple[str, ...]:
        """What is not there yet, in words."""
        return tuple(self._signs)

    def done(self) -> bool:
        """Look, and return whether everything is there."""
        now_ns = self._bench.clock.now_ns()
        if now_ns - self._asked_ns >= ASK_PAUSE_NS:
            self._asked_ns = now_ns
            self._log.read()
            seen = [name for name, sign in self._signs.items() if sign()]
            for name in seen:
                del self._signs[name]
        return not self._signs

    def after_absence(self) -> None:
        """Let a DUT that runs come up, where nobody saw when it woke; it may as well go to sleep.

        One that is pressed before goes to sleep when it is up: that would be told as time that
        its OS hides.
        """
        bench, plan = self._bench, self._plan
        if not comes_up(bench, plan.wake_timeout_ns) and not bench.is_running():
            return
        bench.wait(bench.clock.now_ns() + plan.settle_ns)
        if plan.settle_limit_ns is not None:
            bench.wait(bench.clock.now_ns() + plan.settle_limit_ns, self.done)

    def finding(self, limit_ns: int) -> Finding | None:
        """Return the finding of a DUT that did not settle in time; None of one that did."""
        if not self._signs:
            return None
        what = ", ".join(self._signs)
        return Finding(
            FindingKind.NOT_SETTLED,
            f"The DUT had not settled {seconds_text(limit_ns)} after its wake; missing: {what}.",
            {"limit_ns": limit_ns, "missing": what},
        )

    def _is_still(self) -> bool:
        bench = self._bench
        if Channel.BACKLIGHT not in bench.wired:
            return True
        if is_dark(bench.levels(), bench.wired):
            return False
        since_ns = bench.board_now_ns() - LIGHT_STILL_NS
        moved = (
            first_change(bench.capture.edges, Channel.BACKLIGHT, level, since_ns)
            for level in (0, 1)
        )
        if any(t_ns is not None for t_ns in moved):
            return False
        onset = bench.onset(wait=False)
        # Dark for so long under a backlight that is on: the photodiode sees none of it.
        return onset is None or onset.state is not OnsetState.RISING

    def _answers(self) -> bool:
        if self._control is None:
            return True
        if not self._greeting:
            self._control.greet()
            self._greeting = True
        try:
            ended = self._control.ended()
        except RecordError:
            self._greeting = False
            return False
        self._greeting = ended is None
        return ended is not None and ended.ok
