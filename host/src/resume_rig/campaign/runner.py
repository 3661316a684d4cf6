"""Runs the cycles of a campaign, keeps each, and leaves everything safe however it ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from resume_rig.campaign.bench import Bench
from resume_rig.campaign.cycle_run import CycleRun
from resume_rig.campaign.events import (
    CampaignBegan,
    CycleDone,
    LogUnreadable,
    Observer,
    Recovered,
    Recovering,
)
from resume_rig.campaign.log_feed import LogFeed
from resume_rig.campaign.outside import outside_cycle
from resume_rig.campaign.raw import CycleRaw, Session
from resume_rig.campaign.recovery import RecoveryRun, why_recover
from resume_rig.campaign.states import CycleState
from resume_rig.campaign.stop_rules import why_stop
from resume_rig.campaign.stopping import finding_of, insist, with_advice
from resume_rig.campaign.store import Store
from resume_rig.model.cycle import Outcome
from resume_rig.model.errors import DutFault, RigError
from resume_rig.model.verdict import Finding

# How many cycles in a row a record is waited for that does not come.
PATIENCE = 2


@dataclass(frozen=True, slots=True)
class CampaignFinished:
    """The plan is done.

    Attributes:
        why: the rule of the plan that ended it before its last cycle; None without one.
    """

    path: Path
    outcomes: Mapping[Outcome, int]
    why: str | None = None


@dataclass(frozen=True, slots=True)
class CampaignStopped:
    """Somebody stopped the campaign; `text` says what is kept and how to go on."""

    path: Path
    outcomes: Mapping[Outcome, int]
    text: str


CampaignEnd = CampaignFinished | CampaignStopped


class CampaignRunner:
    """One session of a campaign: from a rig and a store that are open to the end of the plan."""

    def __init__(
        self, bench: Bench, store: Store, session: Session, log: LogFeed, observe: Observer
    ) -> None:
        self._bench = bench
        self._store = store
        self._plan = store.plan
        self._session = session
        self._log = log
        self._observe = observe
        self._cycle: CycleRun | None = None
        self._recovery: RecoveryRun | None = None
        self._unrewarded = 0
        self._wakes = 0

    def run(self) -> CampaignEnd:
        """Do what is left of the plan.

        Raises:
            RigError: the rig failed, or the DUT could not be brought back; what was measured is
                kept, the actuators are released, and the sentence says how to go on.
            RecordError: the store cannot be written to.
        """
        try:
            self._observe(
                CampaignBegan(
                    self._store.path, self._plan, self._session.number, done_of(self._store)
                )
            )
            self._make_ready()
            while done_of(self._store) < self._plan.cycles and stopped_by(self._store) is None:
                self._run_cycle()
        except KeyboardInterrupt:
            return self._stop()
        except RigError as error:
            kept = (finding_of(error),)
            insist(self._release)
            insist(lambda: self._keep_rest(Outcome.INVALID, kept))
            raise with_advice(error, self._store.path) from error
        finally:
            insist(self._release)
        return CampaignFinished(self._store.path, self._store.outcomes(), stopped_by(self._store))

    def _make_ready(self) -> None:
        self._bench.begin()
        why = why_recover(self._bench, Outcome.SLEPT_AND_WOKE)
        if why is not None:
            self._recover(why)

    def _run_cycle(self) -> None:
        number = self._store.last_number() + 1
        done = done_of(self._store)
        plan = self._plan.of_cycle(done)
        self._cycle = cycle = CycleRun(number, self._bench, plan, self._observe)
        cycle.run(done)
        outcome = self._outcome(cycle)
        self._read_log(number, last=done + 1 == self._plan.cycles or self._ends_with(outcome))
        raw = self._raw(cycle, outcome, ())
        self._commit(raw)
        self._cycle = None
        self._observe(CycleDone(raw))
        why = why_recover(self._bench, raw.outcome)
        if why is not None:
            self._recover(why)

    def _ends_with(self, outcome: Outcome) -> bool:
        """Return whether a rule of the plan ends the campaign with the cycle in flight."""
        if not self._plan.stop.any or self._cycle is None:
            return False
        outcomes = dict(self._store.outcomes())
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        spent_ns = self._store.spent_ns() + self._cycle.lasted_ns()
        return why_stop(self._plan.stop, outcomes, spent_ns) is not None

    def _read_log(self, number: int, *, last: bool) -> None:
        """Read the OS log, and give a DUT that is awake the time to write its record.

        One that sleeps again before its record is written writes zeros, or the record of this
        cycle into the next one. A log that brought nothing twice is not waited for any more. In the
        end as many records are waited for as there were wakes: nobody reads the log later.
        """
        bench, log = self._bench, self._log
        log.read()
        self._wakes += bench.is_running()
        wanted = self._wakes if last else log.received + (not log.has_news)
        until_ns = bench.clock.now_ns() + log.wait_ns(last=last)
        patient = log.present and bench.is_running() and (last or self._unrewarded < PATIENCE)
        while patient and log.received < wanted and bench.clock.now_ns() < until_ns:
            bench.wait(min(until_ns, bench.clock.now_ns() + bench.slow_pause_ns))
            log.read()
        self._unrewarded = 0 if log.has_news else self._unrewarded + 1
        if log.problem is not None:
            self._observe(LogUnreadable(number, log.problem))

    def _outcome(self, cycle: CycleRun) -> Outcome:
        if cycle.findings:
            return Outcome.INVALID
        raw = self._raw(cycle, Outcome.SLEPT_AND_WOKE, ())
        return outside_cycle(raw, cycle.plan, self._store.identity).outcome

    def _raw(self, cycle: CycleRun, outcome: Outcome, findings: tuple[Finding, ...]) -> CycleRaw:
        return cycle.raw(
            self._session.number,
            self._session.boot_id,
            outcome,
            tuple(self._log.pending),
            findings,
        )

    def _commit(self, raw: CycleRaw) -> None:
        self._store.commit_cycle(raw, self._log.state())
        self._log.pending.clear()

    def _recover(self, why: str) -> None:
        after = self._store.last_number()
        self._observe(Recovering(after, why))
        self._recovery = recovery = RecoveryRun(
            self._bench, self._plan, self._session.number, after, why
        )
        ok = recovery.run()
        self._store.commit_recovery(recovery.recorded(ok=ok))
        self._recovery = None
        self._observe(Recovered(after, ok))
        if not ok:
            place = f"after cycle {after}" if after else "before the first cycle"
            raise DutFault(
                f"could not bring {self._store.identity.dut_name} back {place} by one more try "
                f"({why}); it has to be looked at"
            )

    def _stop(self) -> CampaignStopped:
        insist(self._release)
        insist(lambda: self._keep_rest(Outcome.INTERRUPTED, ()))
        outcomes = self._store.outcomes()
        path = self._store.path
        kept = sum(outcomes.values())
        text = (
            f"stopped; {kept} {'cycle is' if kept == 1 else 'cycles are'} kept in {path}, "
            f"`resume-rig run --resume {path}` goes on"
        )
        return CampaignStopped(path, outcomes, text)

    def _release(self) -> None:
        try:
            self._bench.release()
        except RigError:
            # The link is gone; the board lets go by itself when its lease is over.
            return

    def _keep_rest(self, outcome: Outcome, findings: tuple[Finding, ...]) -> None:
        """Put what is under way on the disk, unless it is there already."""
        cycle, recovery = self._cycle, self._recovery
        if recovery is not None:
            self._store.commit_recovery(recovery.recorded(ok=False))
            self._recovery = None
        if cycle is None or not cycle.triggered or self._store.has_cycle(cycle.number):
            return
        if cycle.state is CycleState.DONE:
            outcome = self._outcome(cycle)
        else:
            self._read_what_is_left()
        self._commit(self._raw(cycle, outcome, findings))

    def _read_what_is_left(self) -> None:
        try:
            self._bench.read(all_light=True)
        except RigError:
            # What was read before is what there is.
            return


def done_of(store: Store) -> int:
    """Return how many cycles of the plan are done; interrupted ones are to be done again."""
    outcomes = store.outcomes()
    return sum(outcomes.values()) - outcomes.get(Outcome.INTERRUPTED, 0)


def stopped_by(store: Store) -> str | None:
    """Return which rule of its plan ended a campaign; None where none did."""
    rules = store.plan.stop
    return why_stop(rules, store.outcomes(), store.spent_ns()) if rules.any else None
