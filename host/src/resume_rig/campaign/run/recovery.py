"""Brings a DUT back to where a cycle can begin, step by step up its ladder, and puts it in words.

A climb ends when the wires show that the DUT is back, or when nothing is left to try.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from resume_rig.campaign.dut.user_program import OutsideHelp
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.states import dead_lines, first_change, is_dark, sleep_channel
from resume_rig.campaign.run.bench import Bench
from resume_rig.campaign.run.events import Observer, Recovering
from resume_rig.campaign.run.settling import (
    STARTS_WITHIN_NS,
    goes_off,
    lights_within,
    runs_within,
    switched,
)
from resume_rig.campaign.run.ways import sleep_actuator, wake_actuator
from resume_rig.campaign.store.raw import CommandName, Recovery
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Actuator, Channel, line_names
from resume_rig.model.dut import DEFAULT_LADDER, RecoveryLadder, RecoveryStep
from resume_rig.model.errors import DeviceFault, DutFault, RigError
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.units import NS_PER_S

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
        parts += [f"{line_names(found)} {word}"] if found else []
    if Channel.BACKLIGHT in levels:
        parts.append("light" if levels[Channel.BACKLIGHT] else "no light")
    return ", ".join(parts) or "no line is wired"


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
        return f"The DUT does not run: {line_names(dead)} low."
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
        deaf: it ran and did not react, so that lines which show a DUT that runs prove nothing.
    """

    session: int
    after_cycle: int
    why: str
    deaf: bool


class RecoveryRun:
    """One step under way; it holds what was done until now.

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
        """Return what was done until now."""
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

        A display that was lit before has to be lit again; one that never was proves nothing.
        """
        if not self._trouble.deaf:
            return True
        lit = not is_dark(self._bench.levels(), self._bench.wired)
        if not (self._sleeps() and self._wakes()):
            return False
        self.hung_again = lit and not lights_within(self._bench, self._plan.wake_timeout_ns)
        return not self.hung_again

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


_HUNG_AGAIN: Final = "The DUT came back, and hung in the wake that was to show that it is well."


def steps_for(
    ladder: RecoveryLadder,
    trouble: Trouble,
    taken: Mapping[RecoveryStep, int],
    *,
    has_button: bool,
    can_move: bool = True,
    helps: OutsideHelp,
) -> tuple[RecoveryStep, ...]:
    """Return the steps that can be taken now, in order. Pure.

    Args:
        ladder: of the DUT.
        trouble: what there is to recover from. One that runs and is deaf does not come by itself,
            nor does one that nobody tried to wake.
        taken: how often each step was taken in this campaign.
        has_button: the rig can press the DUT's.
        can_move: the rig can move a button or a lid.
        helps: a switch of the supply, a person.
    """
    possible = {
        RecoveryStep.WAIT: not trouble.deaf and trouble.after_cycle > 0,
        RecoveryStep.PRESS: can_move,
        RecoveryStep.FORCE_OFF: has_button,
        RecoveryStep.POWER_CYCLE: helps.power is not None,
        RecoveryStep.ASK: helps.person is not None,
    }
    return tuple(
        step for step in ladder.steps if possible[step] and taken.get(step, 0) < ladder.tries
    )


class _Ended(NamedTuple):
    """How a step ended: the DUT is back, or it was and hangs again."""

    ok: bool
    hung_again: bool


class LadderClimb:
    """Every recovery of one session; it holds the step that is under way.

    Attributes:
        bench: may be exchanged between two climbs, when a rig came back.
    """

    def __init__(
        self, bench: Bench, store: Store, session: int, helps: OutsideHelp, observe: Observer
    ) -> None:
        self.bench = bench
        self._store = store
        self._session = session
        self._helps = helps
        self._observe = observe
        dut = store.identity.dut
        self._ladder = DEFAULT_LADDER if dut is None else dut.recovery
        self._in_a_row = 0
        self._taken = Counter(each.step for each in store.recoveries() if each.step is not None)
        self._step: RecoveryRun | None = None

    def good_cycle(self) -> None:
        """Note that the DUT slept and woke."""
        self._in_a_row = 0

    def climb(self, plan: Plan, why: str, *, fresh: bool = False, suspected: bool = False) -> None:
        """Bring the DUT back.

        Args:
            plan: of the cycle that went wrong.
            why: one sentence.
            fresh: nobody tried to wake it in this session, so that waiting has no use.
            suspected: it may be well; that it reacts at once is no recovery then.

        Raises:
            DutFault: the ladder ends; the sentence says what was tried.
            RigError: the rig failed meanwhile.
        """
        after = 0 if fresh else self._store.last_number()
        deaf = self.bench.is_running()
        trouble = Trouble(self._session, self._store.last_number(), why, deaf)
        able = steps_for(
            self._ladder,
            Trouble(self._session, after, why, deaf),
            self._taken,
            has_button=Actuator.BUTTON in self.bench.movable,
            can_move=bool(self.bench.movable),
            helps=self._helps,
        )
        # A rig that came back may find it asleep, which is no fault of the DUT's.
        self._in_a_row += not fresh
        if self._in_a_row > self._ladder.in_a_row:
            raise self._fault(
                trouble,
                f"once more, {self._ladder.in_a_row} times in a row without a cycle that went as "
                "planned",
            )
        for step in able:
            ended = self._take(step, plan, trouble)
            if ended.ok:
                self._in_a_row -= suspected and step is RecoveryStep.PRESS
                return
            if ended.hung_again:
                self.climb(plan, _HUNG_AGAIN)
                return
        tried = ", ".join(DONE_BY[step] for step in able)
        raise self._fault(trouble, f"by {tried}" if tried else "as no step of its ladder is left")

    def keep(self) -> None:
        """Put the step that is under way on the disk, as one that failed."""
        if self._step is not None:
            self._store.commit_recovery(self._step.recorded(ok=False))
            self._step = None

    def _take(self, step: RecoveryStep, plan: Plan, trouble: Trouble) -> _Ended:
        self._observe(Recovering(trouble.after_cycle, trouble.why, step))
        self._step = run = RecoveryRun(
            self.bench, plan, self._ladder, step, trouble=trouble, helps=self._helps
        )
        ok = run.run()
        recorded = run.recorded(ok=ok)
        self._store.commit_recovery(recorded)
        self._taken[step] += 1
        self._step = None
        self._observe(recorded)
        return _Ended(ok, run.hung_again)

    def _fault(self, trouble: Trouble, what: str) -> DutFault:
        after = trouble.after_cycle
        place = f"after cycle {after}" if after else "before the first cycle"
        # A sentence by itself in the store, a clause here.
        why = trouble.why.removesuffix(".")
        why = f"the {why[4:]}" if why.startswith("The ") else why
        more = ""
        if RecoveryStep.POWER_CYCLE in self._ladder.steps and self._helps.power is None:
            more = "; `run --power-cycle COMMAND` would let the campaign cut its supply"
        return DutFault(
            f"could not bring {self._store.identity.dut_name} back {place} {what} ({why}); "
            f"it has to be looked at{more}"
        )
