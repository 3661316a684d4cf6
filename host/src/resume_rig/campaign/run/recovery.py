"""Brings the DUT back to where a cycle can begin: one step of the ladder, recorded."""

from collections.abc import Callable
from dataclasses import dataclass

from resume_rig.campaign.dut.supply import OutsideHelp
from resume_rig.campaign.plan.plan import NS_PER_S, Plan
from resume_rig.campaign.plan.states import dead_lines, first_change, is_dark, sleep_channel
from resume_rig.campaign.run.bench import Bench
from resume_rig.campaign.run.power_waits import (
    STARTS_WITHIN_NS,
    goes_off,
    lights_within,
    runs_within,
    switched,
)
from resume_rig.campaign.run.ways import sleep_actuator, wake_actuator
from resume_rig.campaign.store.raw import CommandName, Recovery
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import DeviceFault, RigError
from resume_rig.model.recovery import RecoveryLadder, RecoveryStep
from resume_rig.model.result.cycle import Outcome


def why_recover(bench: Bench, outcome: Outcome, *, silent: bool = False) -> str | None:
    """Return in one sentence why the DUT needs help; None when it does not.

    Args:
        bench: with the newest levels.
        outcome: of the cycle before.
        silent: its OS wrote no record of that cycle, though it did of others.
    """
    if silent and stayed_dark(bench, outcome):
        return "The DUT stayed dark and its OS wrote no record; does it hang in its resume?"
    if outcome is Outcome.NEVER_SLEPT:
        return "The DUT did not react to the sleep trigger; is it still alive?"
    dead = dead_lines(bench.levels(), bench.wired)
    if dead:
        return f"The DUT does not run: {', '.join(dead)} low."
    return None


def stayed_dark(bench: Bench, outcome: Outcome) -> bool:
    """Return whether a DUT woke, and its display did not; whoever woke it."""
    alone = outcome is Outcome.WOKE_ALONE
    return outcome is Outcome.DARK or (alone and is_dark(bench.levels(), bench.wired))


@dataclass(frozen=True, slots=True)
class Trouble:
    """What there is to recover from.

    Attributes:
        session: the run or resume.
        after_cycle: the newest cycle, 0 for none.
        why: one sentence.
        deaf: it ran and did not react, so that lines which show a DUT that runs prove nothing.
    """

    session: int
    after_cycle: int
    why: str
    deaf: bool


class RecoveryRun:
    """One step under way; it holds what was done so far.

    Attributes:
        hung_again: it came back, and stayed dark in the wake that was to show that it is well.
    """

    def __init__(
        self,
        bench: Bench,
        plan: Plan,
        ladder: RecoveryLadder,
        step: RecoveryStep,
        *,
        trouble: Trouble,
        helps: OutsideHelp,
    ) -> None:
        self.step = step
        self.hung_again = False
        self._bench = bench
        self._plan = plan
        self._ladder = ladder
        self._trouble = trouble
        self._helps = helps

    def run(self) -> bool:
        """Do it, and return whether the wires show a DUT that runs and reacts."""
        steps: dict[RecoveryStep, Callable[[], bool]] = {
            RecoveryStep.WAIT: self._wait,
            RecoveryStep.PRESS: self._press,
            RecoveryStep.FORCE_OFF: self._force_off,
            RecoveryStep.POWER_CYCLE: self._power_cycle,
            RecoveryStep.ASK: self._ask,
        }
        self._bench.begin()
        helped = steps[self.step]()
        # A wait reads until it knows its own lines; the others are part of the evidence.
        self._bench.read()
        return helped

    def recorded(self, *, ok: bool) -> Recovery:
        """Return what was done so far."""
        bench = self._bench
        return Recovery(
            session=self._trouble.session,
            after_cycle=self._trouble.after_cycle,
            why=self._trouble.why,
            ok=ok,
            commands=tuple(bench.commands),
            edges=tuple(bench.capture.edges),
            step=self.step,
            levels=self._levels(),
        )

    def _wait(self) -> bool:
        return runs_within(self._bench, self._ladder.wait_ns) and self._settled()

    def _press(self) -> bool:
        if self._bench.is_running() and not self._sleeps():
            return False
        # Whoever reacts sleeps now: the wake below is the same for both.
        return self._wakes()

    def _force_off(self) -> bool:
        bench, ladder = self._bench, self._ladder
        bench.let_go_of_lid()
        try:
            bench.force_off(ladder.force_off_ns)
        except DeviceFault:
            # The board holds no button that long, or has none; the next step may do more.
            return False
        bench.wait(bench.clock.now_ns() + ladder.force_off_ns)
        return goes_off(self._bench) and self._boots(by_itself_ns=0)

    def _power_cycle(self) -> bool:
        bench = self._bench
        bench.let_go_of_lid()
        bench.note(CommandName.POWER_OFF)
        cut = switched(bench, self._helps.power, on=False) and goes_off(self._bench)
        if not cut:
            # Nobody may be left in the dark, whatever the command did.
            bench.note(CommandName.POWER_ON)
            switched(bench, self._helps.power, on=True)
            return False
        bench.wait(bench.clock.now_ns() + self._ladder.off_ns)
        bench.note(CommandName.POWER_ON)
        return switched(bench, self._helps.power, on=True) and self._boots(
            by_itself_ns=STARTS_WITHIN_NS
        )

    def _ask(self) -> bool:
        bench, person = self._bench, self._helps.person
        if person is None:
            return False
        bench.note(CommandName.ASK)
        minutes = self._ladder.ask_ns // NS_PER_S / 60
        person.ask(
            f"{self._trouble.why} Bring the DUT back until its OS runs, then press Enter; the "
            f"campaign waits for {minutes:g} min."
        )
        answered = bench.wait(bench.clock.now_ns() + self._ladder.ask_ns, person.answered)
        return answered and bench.is_running() and self._reacts()

    def _boots(self, *, by_itself_ns: int) -> bool:
        """Switch on what is off, by the button unless it starts by itself, and let its OS come."""
        bench = self._bench
        if not (by_itself_ns and runs_within(self._bench, by_itself_ns)):
            bench.wait(bench.clock.now_ns() + (0 if by_itself_ns else self._ladder.off_ns))
            if Actuator.BUTTON not in bench.movable:
                return False
            bench.move(Actuator.BUTTON, closed=True)
            if not runs_within(self._bench, self._plan.wake_timeout_ns):
                return False
        bench.wait(bench.clock.now_ns() + self._ladder.boot_ns)
        return bench.is_running() and self._reacts()

    def _reacts(self) -> bool:
        """Return whether it sleeps and wakes, where running lines alone prove nothing.

        A display that was lit before has to be lit again; one that never was tells nothing.
        """
        if not self._trouble.deaf:
            return True
        lit = not self._is_dark()
        if not (self._sleeps() and self._wakes()):
            return False
        self.hung_again = lit and not lights_within(self._bench, self._plan.wake_timeout_ns)
        return not self.hung_again

    def _is_dark(self) -> bool:
        return is_dark(self._bench.levels(), self._bench.wired)

    def _settled(self) -> bool:
        self._bench.wait(self._bench.clock.now_ns() + self._plan.settle_ns)
        return self._bench.is_running()

    def _sleeps(self) -> bool:
        bench, plan = self._bench, self._plan
        line = sleep_channel(plan.state, bench.wired) or Channel.PWR_OK
        since_ns = bench.board_now_ns()
        bench.move(sleep_actuator(plan, bench), closed=True)
        slept = bench.wait(
            bench.clock.now_ns() + plan.sleep_timeout_ns,
            lambda: first_change(bench.capture.edges, line, 0, from_ns=since_ns) is not None,
            fast=True,
            signs=(line,),
        )
        if slept:
            bench.wait(bench.clock.now_ns() + plan.dwell_ns)
        else:
            bench.let_go_of_lid()
        return slept

    def _wakes(self) -> bool:
        bench, plan = self._bench, self._plan
        by = Actuator.LID if bench.lid_closed else wake_actuator(plan, bench)
        if by is Actuator.LID and not bench.lid_closed:
            bench.move(Actuator.LID, closed=True)
            bench.wait(bench.clock.now_ns() + bench.slow_pause_ns)
        bench.move(by, closed=False)
        return runs_within(self._bench, plan.wake_timeout_ns) and self._settled()

    def _levels(self) -> dict[Channel, int] | None:
        try:
            levels = self._bench.rig.levels()
        except RigError:
            # What was done is kept without them.
            return None
        return {channel: levels[channel] for channel in self._bench.wired if channel in levels}
