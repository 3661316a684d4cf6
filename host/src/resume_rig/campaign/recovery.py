"""Brings the DUT back to where a cycle can begin: one attempt, recorded."""

from resume_rig.campaign.bench import Bench
from resume_rig.campaign.plan import Plan
from resume_rig.campaign.raw import Recovery
from resume_rig.campaign.states import dead_lines, first_change, sleep_line
from resume_rig.model.channel import Actuator
from resume_rig.model.cycle import Outcome


def why_recover(bench: Bench, outcome: Outcome) -> str | None:
    """Return in one sentence why the DUT needs help; None when it does not."""
    if outcome is Outcome.NEVER_SLEPT:
        return "The DUT did not react to the sleep trigger; is it still alive?"
    dead = dead_lines(bench.levels(), bench.wired)
    if dead:
        return f"The DUT does not run: {', '.join(dead)} low."
    return None


class RecoveryRun:
    """One attempt under way; it holds what was done so far."""

    def __init__(self, bench: Bench, plan: Plan, session: int, after_cycle: int, why: str) -> None:
        self._bench = bench
        self._plan = plan
        self._session = session
        self._after_cycle = after_cycle
        self._why = why

    def run(self) -> bool:
        """Try, and return whether the wires show a DUT that runs and reacts."""
        bench = self._bench
        bench.begin()
        if bench.is_running() and not self._sleeps():
            return False
        # Whoever reacts sleeps now: the wake below is the same for both.
        return self._wakes()

    def recorded(self, *, ok: bool) -> Recovery:
        """Return what was done so far."""
        return Recovery(
            session=self._session,
            after_cycle=self._after_cycle,
            why=self._why,
            ok=ok,
            commands=tuple(self._bench.commands),
            edges=tuple(self._bench.capture.edges),
        )

    def _sleeps(self) -> bool:
        bench, plan = self._bench, self._plan
        line = sleep_line(bench.wired)
        bench.move(plan.sleep_by, closed=True)
        slept = bench.wait(
            bench.clock.now_ns() + plan.sleep_timeout_ns,
            lambda: first_change(bench.capture.edges, line, 0, from_ns=0) is not None,
            fast=True,
        )
        if slept:
            bench.wait(bench.clock.now_ns() + plan.dwell_ns)
        elif bench.lid_closed:
            bench.move(Actuator.LID, closed=False)
        return slept

    def _wakes(self) -> bool:
        bench, plan = self._bench, self._plan
        by = Actuator.LID if bench.lid_closed else plan.wake_by
        if by is Actuator.LID and not bench.lid_closed:
            bench.move(Actuator.LID, closed=True)
            bench.wait(bench.clock.now_ns() + bench.slow_pause_ns)
        bench.move(by, closed=False)
        awake = bench.wait(bench.clock.now_ns() + plan.wake_timeout_ns, bench.is_running, fast=True)
        bench.wait(bench.clock.now_ns() + plan.settle_ns)
        return awake and bench.is_running()
