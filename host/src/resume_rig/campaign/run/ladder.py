"""Climbs the ladder of a DUT until the wires show that it is back, or nothing is left to try."""

from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from resume_rig.campaign.dut.supply import OutsideHelp
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.run.bench import Bench
from resume_rig.campaign.run.events import Observer, Recovering
from resume_rig.campaign.run.recovery import RecoveryRun, Trouble
from resume_rig.campaign.run.recovery_text import DONE_BY
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Actuator
from resume_rig.model.errors import DutFault
from resume_rig.model.recovery import RecoveryLadder, RecoveryStep

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

    Args:
        bench: where it happens.
        store: takes each step.
        session: the run or resume.
        helps: beside the rig.
        observe: told of each step.
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
        self._ladder = RecoveryLadder() if dut is None else dut.recovery
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
        more = ""
        if RecoveryStep.POWER_CYCLE in self._ladder.steps and self._helps.power is None:
            more = "; `run --power-cycle COMMAND` would let the campaign cut its supply"
        return DutFault(
            f"could not bring {self._store.identity.dut_name} back {place} {what} ({trouble.why}); "
            f"it has to be looked at{more}"
        )
