"""Runs the cycles of a campaign, keeps each, and leaves everything safe however it ends.

A rig whose link went, or whose board started anew, is waited for, and it must be the same.
"""

import contextlib
import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from resume_rig.campaign.dut.log_source import LogFeed, OsLogSource
from resume_rig.campaign.dut.trace import DutTrace
from resume_rig.campaign.dut.user_program import NO_HELP, OutsideHelp
from resume_rig.campaign.plan.plan import Plan, why_stop
from resume_rig.campaign.plan.states import CycleState, has_record
from resume_rig.campaign.run.bench import Bench
from resume_rig.campaign.run.cycle import CycleRun, LearnedTimeouts
from resume_rig.campaign.run.events import (
    CampaignBegan,
    CycleDone,
    LogUnreadable,
    Observer,
    RigBack,
    RigLost,
)
from resume_rig.campaign.run.recovery import LadderClimb, stayed_dark, why_recover
from resume_rig.campaign.run.settling import HealthCheck, Settling
from resume_rig.campaign.run.ways import CycleWays
from resume_rig.campaign.store.disk import DiskSpace, FreeBytes, free_bytes
from resume_rig.campaign.store.identity import Identity, check_same_bench
from resume_rig.campaign.store.measured_cycle import outside_cycle
from resume_rig.campaign.store.raw import CycleRaw, Session
from resume_rig.campaign.store.read_back import done_of, stopped_by
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import WakeMeans
from resume_rig.model.clock import Clock
from resume_rig.model.errors import (
    BoardRebooted,
    DeviceFault,
    LinkLost,
    ProtocolError,
    RecordError,
    RigError,
    RigGone,
    UsageError,
)
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.model.rig_url import StoredRigUrl, command_to_go_on
from resume_rig.model.units import NS_PER_S
from resume_rig.rig.dut_profile import DutNetwork, packet_for
from resume_rig.rig.interface import DutControl, Rig, RigInfo

# A board enumerates again within seconds; a hub that was unplugged takes somebody's walk.
BACK_WITHIN_NS = 300 * NS_PER_S
PAUSE_NS = NS_PER_S
# So many losses without a good cycle between them are a rig that has to be looked at.
MOST_IN_A_ROW = 5
# What may pass by itself; a refusal and a DUT that stays dead do not.
PASSES = (LinkLost, BoardRebooted, ProtocolError)

Reopen = Callable[[], RigInfo]
"""Opens the rig's port anew, and returns who answers."""


class RigReturn:
    """Every loss of the rig in one session; without `reopen` a rig cannot come back."""

    def __init__(
        self,
        reopen: Reopen | None,
        identity: Identity,
        path: str,
        clock: Clock,
        observe: Observer,
    ) -> None:
        self._reopen = reopen
        self._identity = identity
        self._path = path
        self._clock = clock
        self._observe = observe
        self._in_a_row = 0

    def good_cycle(self) -> None:
        """Note that a cycle was measured."""
        self._in_a_row = 0

    def wait(self, error: RigError, after_cycle: int) -> RigInfo | None:
        """Wait for the rig; return what it reports of itself, None when it is not waited for.

        Raises:
            RigError: another rig answers.
        """
        if self._reopen is None or not isinstance(error, PASSES) or isinstance(error, RigGone):
            return None
        self._in_a_row += 1
        if self._in_a_row > MOST_IN_A_ROW:
            return None
        self._observe(RigLost(after_cycle, str(error)))
        info = self._answer(self._reopen)
        if info is None:
            return None
        try:
            present = dataclasses.replace(self._identity, rig=info)
            check_same_bench(self._identity, present, self._path)
        except UsageError as other:
            raise RigError(f"the rig that came back is another one: {other}") from other
        self._observe(RigBack(after_cycle, info.boot_id))
        return info

    def _answer(self, reopen: Reopen) -> RigInfo | None:
        until_ns = self._clock.now_ns() + BACK_WITHIN_NS
        while self._clock.now_ns() < until_ns:
            try:
                return reopen()
            except RigGone:
                return None
            except (RigError, UsageError):
                # A port that is not there (yet) is no reason to end a campaign.
                self._clock.sleep_ns(PAUSE_NS)
        return None


# Somebody who presses Ctrl-C over and over gets out; the lease then lets go of the actuators.
MOST_INTERRUPTS = 3


def insist(action: Callable[[], None]) -> None:
    """Do what must be done, again if Ctrl-C strikes in between; `action` may run twice."""
    for _ in range(MOST_INTERRUPTS):
        with contextlib.suppress(KeyboardInterrupt):
            action()
            return
    action()


def finding_of(error: RigError) -> Finding:
    """Return what a cycle keeps of a fault that ended it."""
    kind = (
        FindingKind.BOARD_REBOOTED if isinstance(error, BoardRebooted) else FindingKind.NOT_MEASURED
    )
    return Finding(kind, f"The rig failed during this cycle: {error}.")


def advised(text: str, path: Path, url: StoredRigUrl) -> str:
    """Return a sentence that also says what is kept, and how to go on."""
    command = command_to_go_on(path, url)
    return f"{text}; what was measured is in {path}, `{command}` goes on"


def with_advice(error: RigError, path: Path, url: StoredRigUrl) -> RigError:
    """Return the same kind of error, with a sentence that also says how to go on."""
    text = advised(str(error), path, url)
    if isinstance(error, DeviceFault):
        return DeviceFault(error.group, error.code, text)
    return type(error)(text)


LONGEST_ALARM_NS = 25 * 3600 * NS_PER_S
# How many cycles in a row a record is waited for that does not come.
PATIENCE = 2


@dataclass(frozen=True, slots=True)
class CampaignParts:
    """What a campaign works with besides its store; whoever opened it closes it.

    Attributes:
        clock: the rig's.
        log: where OS records come from; None without one.
        control: the DUT's OS; None where nothing reaches it.
        helps: may bring the DUT back, besides the rig.
        reopen: opens the rig's port anew where its link went; None ends the campaign then.
        free: returns how many bytes the disk of the store has left.
        network: that the DUT's adapter listens on while it sleeps; None where nobody needs it.
        trace: records each cycle on the DUT; None where none is to be recorded.
    """

    rig: Rig
    clock: Clock
    log: OsLogSource | None = None
    control: DutControl | None = None
    helps: OutsideHelp = NO_HELP
    reopen: Reopen | None = None
    free: FreeBytes = free_bytes
    network: DutNetwork | None = None
    trace: DutTrace | None = None


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
        self,
        parts: CampaignParts,
        store: Store,
        identity: Identity,
        log: LogFeed,
        observe: Observer,
    ) -> None:
        self._parts, self._identity, self._store = parts, identity, store
        self._session = session = Session(
            number=len(store.sessions()) + 1,
            started_utc_ns=parts.clock.utc_ns(),
            boot_id=identity.rig.boot_id,
            host=identity.host,
            software=identity.software,
            log=log.state(),
        )
        store.begin_session(session)
        self._bench = bench = self._bench_of(identity.rig)
        self._ladder = LadderClimb(bench, store, session.number, parts.helps, observe)
        self._rig_return = RigReturn(
            parts.reopen, store.identity, str(store.path), bench.clock, observe
        )
        self._boot_id = session.boot_id
        if session.number > 1 and WakeMeans.TIMER in store.plan.means:
            # Whoever ran the campaign before may have left one.
            bench.alarm_until_ns = bench.clock.now_ns() + LONGEST_ALARM_NS
        self._plan = store.plan
        self._log = log
        self._observe = observe
        self._cycle: CycleRun | None = None
        self._learned: dict[tuple[str, ...], LearnedTimeouts] = {}
        self._control = parts.control
        self._traced: tuple[OsRecord, ...] = ()
        dut = store.identity.dut
        self._idle_ns = None if dut is None else dut.idle_ns
        self._disk = DiskSpace(store.path, parts.free)
        self._unrewarded = 0
        self._wakes = 0
        # Whoever ran the campaign before may have woken the DUT a moment ago.
        self._unwatched = session.number > 1
        self._of_recovery = 0

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
                    self._store.path,
                    self._plan,
                    self._session.number,
                    done_of(self._store),
                    simulated=self._store.identity.is_simulated is True,
                )
            )
            ready = False
            while self._goes_on():
                try:
                    self._disk.check()
                    ready = ready or self._make_ready()
                    # One is there already where the rig went while its last log was read.
                    self._end_cycle(self._cycle or self._measured_cycle())
                except RigError as error:
                    self._wait_for_rig(error)
                    ready = False
        except KeyboardInterrupt:
            return self._stop()
        except RigError as error:
            kept = (finding_of(error),)
            insist(self._release)
            insist(lambda: self._keep_rest(Outcome.RIG_FAULT, kept))
            raise with_advice(error, self._store.path, self._identity.rig_url) from error
        except RecordError as error:
            raise RecordError(
                advised(str(error), self._store.path, self._identity.rig_url)
            ) from error
        finally:
            insist(self._release)
            if self._parts.trace is not None:
                insist(self._parts.trace.close)
        return CampaignFinished(self._store.path, self._store.outcomes(), stopped_by(self._store))

    def _bench_of(self, info: RigInfo) -> Bench:
        """Return the bench of the rig that reports `info` of itself."""
        return Bench(
            self._parts.rig,
            self._parts.clock,
            info,
            self._identity.wired,
            press_ns=self._store.plan.press_ns,
            movable=tuple(self._identity.movable),
            send_packet=packet_for(self._parts.network, self._identity.dut),
        )

    def _goes_on(self) -> bool:
        return done_of(self._store) < self._plan.cycles and stopped_by(self._store) is None

    def _make_ready(self) -> bool:
        self._bench.begin()
        why = why_recover(self._bench, Outcome.SLEPT_AND_WOKE)
        if why is None and self._unwatched:
            plan = self._plan.of_cycle(done_of(self._store))
            Settling(
                plan, self._bench, self._log, self._control, expects_record=False
            ).after_absence()
            # The press of a cycle that the rig spoiled may have put it to sleep only now.
            why = why_recover(self._bench, Outcome.SLEPT_AND_WOKE)
        if why is not None:
            self._ladder.climb(self._plan, why, fresh=True)
        self._unwatched = False
        return True

    def _wait_for_rig(self, error: RigError) -> None:
        """Keep the cycle in flight as one that the rig spoiled, and wait for the rig.

        Raises:
            RigError: the same one, where it does not pass or the rig does not come back.
        """
        insist(self._release)
        if not self._waits_for_last_log():
            insist(lambda: self._keep_rest(Outcome.RIG_FAULT, (finding_of(error),)))
            # One that had not begun is none: what it did not do says nothing of the DUT.
            self._cycle = None
        info = self._rig_return.wait(error, self._store.last_number())
        if info is None:
            raise error
        alarm_until_ns = self._bench.alarm_until_ns
        self._bench = self._bench_of(info)
        self._bench.alarm_until_ns = alarm_until_ns
        self._ladder.bench = self._bench
        self._boot_id = info.boot_id
        self._unwatched = True
        # What the board was asked before may hold still, as a lid that is closed.
        self._bench.release()

    def _waits_for_last_log(self) -> bool:
        """Return whether the campaign's last cycle is measured whole, and its log is not read.

        No cycle comes behind it that could bring its record.
        """
        cycle = self._cycle
        if cycle is None or cycle.state is not CycleState.DONE or not self._log.present:
            return False
        return self._is_last(self._outcome(cycle))

    def _is_last(self, outcome: Outcome) -> bool:
        return done_of(self._store) + 1 == self._plan.cycles or self._ends_with(outcome)

    def _measured_cycle(self) -> CycleRun:
        done = done_of(self._store)
        number = self._store.last_number() + 1
        self._cycle = cycle = self._next_cycle(number, self._plan.of_cycle(done))
        trace = self._parts.trace
        if trace is not None:
            trace.start(self._bench.wait)
        cycle.run(done)
        if trace is not None:
            self._end_trace(trace, cycle)
        return cycle

    def _end_trace(self, trace: DutTrace, cycle: CycleRun) -> None:
        """Fetch the trace of a cycle; where there is none the cycle says why."""
        traced = trace.finish(cycle.number, self._bench.wait)
        # Without a log no account is there that could take them up.
        self._traced = traced.records if self._log.present else ()
        if traced.why_not:
            text = f"This cycle has no trace of its sleep: {traced.why_not}."
            evidence = {"tool": str(self._plan.trace), "why": traced.why_not}
            cycle.notes = (*cycle.notes, Finding(FindingKind.NO_TRACE, text, evidence))

    def _end_cycle(self, cycle: CycleRun) -> None:
        """Read the log of a cycle, keep both, and help the DUT where it needs that."""
        outcome = self._outcome(cycle)
        self._read_log(cycle.number, last=self._is_last(outcome))
        raw = self._raw(cycle, outcome, ())
        self._commit(raw)
        self._cycle = None
        self._observe(CycleDone(raw))
        if raw.outcome is Outcome.SLEPT_AND_WOKE:
            cycle.teach()
            self._ladder.good_cycle()
            self._rig_return.good_cycle()
        why = why_recover(self._bench, raw.outcome, silent=self._is_silent(raw))
        if why is not None:
            suspected = stayed_dark(self._bench, raw.outcome)
            self._ladder.climb(cycle.plan, why, suspected=suspected)
        self._of_recovery = self._read_of_recovery() if why is not None else 0

    def _read_of_recovery(self) -> int:
        """Return how many records came that are of a recovery's own sleep, and of no cycle."""
        self._log.read()
        return len(self._log.pending)

    def _next_cycle(self, number: int, plan: Plan) -> CycleRun:
        """Return a cycle that has not begun; its time-outs are learned from those of its kind."""
        bench, control = self._bench, self._control
        key = (plan.state, plan.sleep_by, plan.wake_by)
        patient = self._unrewarded < PATIENCE
        settling = Settling(plan, bench, self._log, control, expects_record=patient)
        return CycleRun(
            number,
            bench,
            plan,
            self._observe,
            learned=self._learned.setdefault(key, LearnedTimeouts()),
            ways=CycleWays(bench, plan, control, self._idle_ns),
            settling=None if plan.settle_limit_ns is None else settling,
            health=None if not plan.health or control is None else HealthCheck(bench, control),
        )

    def _is_silent(self, raw: CycleRaw) -> bool:
        """Return whether the OS wrote no record of a cycle, though its log brought others."""
        return self._log.received > 0 and not self._log.any_may_belong(
            raw.records[self._of_recovery :]
        )

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
        if self._cycle is not None and not has_record(self._cycle.plan.state):
            return
        self._wakes += bench.is_running()
        wanted = self._wakes if last else log.received + (not log.has_new_records)
        until_ns = bench.clock.now_ns() + log.wait_ns(last=last)
        patient = log.present and bench.is_running() and (last or self._unrewarded < PATIENCE)
        while patient and log.received < wanted and bench.clock.now_ns() < until_ns:
            bench.wait_for_log(until_ns)
            log.read()
        self._unrewarded = 0 if log.has_new_records else self._unrewarded + 1
        if log.problem is not None:
            self._observe(LogUnreadable(number, log.problem))

    def _outcome(self, cycle: CycleRun) -> Outcome:
        if cycle.findings:
            return Outcome.RIG_FAULT
        raw = self._raw(cycle, Outcome.SLEPT_AND_WOKE, ())
        return outside_cycle(raw, cycle.plan, self._store.identity, measured=False).outcome

    def _raw(self, cycle: CycleRun, outcome: Outcome, findings: tuple[Finding, ...]) -> CycleRaw:
        return cycle.raw(
            self._session.number,
            self._boot_id,
            outcome,
            (*self._log.pending, *self._traced),
            findings,
        )

    def _commit(self, raw: CycleRaw) -> None:
        self._store.commit_cycle(raw, self._log.state())
        self._log.pending.clear()
        self._traced = ()

    def _stop(self) -> CampaignStopped:
        insist(self._release)
        insist(lambda: self._keep_rest(Outcome.INTERRUPTED, ()))
        outcomes = self._store.outcomes()
        path = self._store.path
        kept = sum(outcomes.values())
        text = (
            f"stopped; {kept} {'cycle is' if kept == 1 else 'cycles are'} kept in {path}, "
            f"`{command_to_go_on(path, self._identity.rig_url)}` goes on"
        )
        return CampaignStopped(path, outcomes, text)

    def _release(self) -> None:
        # Where the link is gone the board lets go by itself when its lease is over.
        with contextlib.suppress(RigError):
            self._bench.release()

    def _keep_rest(self, outcome: Outcome, findings: tuple[Finding, ...]) -> None:
        """Put what is under way on the disk, unless it is there already."""
        cycle = self._cycle
        self._ladder.keep()
        if cycle is None or not cycle.triggered or self._store.has_cycle(cycle.number):
            return
        if cycle.state is CycleState.DONE:
            outcome = self._outcome(cycle)
        else:
            with contextlib.suppress(RigError):
                cycle.read_rest()
        # By now: the DUT may be another when somebody goes on. A log that came over the link of
        # the rig went with it.
        with contextlib.suppress(RigError):
            self._log.read()
        self._commit(self._raw(cycle, outcome, findings))
        self._cycle = None
