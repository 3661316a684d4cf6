"""A simulated campaign with mixed faults, each outcome held against the simulator's own diary.

Used by test_accounting.py and by benchmarks/soak.py.
"""

import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.dut.log_source import ServedLog
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.run.campaign import CampaignParts, begin, go_on
from resume_rig.campaign.run.events import CampaignEvent, CycleDone, CycleStarted
from resume_rig.campaign.store.identity import identify
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import DutFault
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.cycle import Outcome, ReconciledCycle
from resume_rig.model.result.verdict import FindingKind, Requirement
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.interface import served_log
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.board import LIGHT_RATE_HZ
from resume_rig.rig.sim.dut.event import (
    DutEvent,
    OsBooted,
    OsResumed,
    PanelChange,
    SimFault,
    WakeCause,
    WireChange,
)
from resume_rig.rig.sim.opening import InProcessTransport
from resume_rig.rig.smp.client import SmpClient
from resume_rig.timing.clocks import VirtualClock

S = 1_000_000_000
# One cycle in so many has the fault; the DUT's own shares come on top.
SCHEDULE = {
    SimFault.NEVER_SLEEPS: 60,
    SimFault.NEVER_WAKES: 60,
    SimFault.DARK: 40,
    SimFault.WAKES_ALONE: 40,
    SimFault.NO_RECORD: 30,
}
HANG_SHARE = 0.005
DOUBLE_RESET_SHARE = 0.03
DAMAGED_SHARE = 0.003
# The button held for so long cuts the power; the DUT boots for so long.
FORCE_OFF_NS = 6 * S
BOOTS_NS = 60 * S
REQUIREMENT = Requirement("soak", 1, "Soak", "none", (SleepKind.S3,), 2000, 250)


_RAIL = (Channel.SLP_S3, Channel.PLTRST)


@dataclass(frozen=True, slots=True)
class Deeds:
    """What a DUT did in a span of time.

    Attributes:
        slept: it cut its power.
        woke: it asked for its power again.
        resets: how often it left its reset.
        resumed_by: who woke it, where its OS went on; None where it did not.
        booted: its OS started from cold.
        lit: its panel was lit after it woke.
    """

    slept: bool
    woke: bool
    resets: int
    resumed_by: WakeCause | None
    booted: bool
    lit: bool


class Diary:
    """Deeds of one simulated DUT, oldest first; those that were asked for are forgotten."""

    def __init__(self) -> None:
        self._events: deque[DutEvent] = deque()

    def take(self, event: DutEvent) -> None:
        """Note an event, where it is one of those that make a cycle."""
        rail = isinstance(event, WireChange) and event.channel in _RAIL
        if rail or isinstance(event, OsResumed | OsBooted | PanelChange):
            self._events.append(event)

    def until(self, end_ns: int) -> Deeds:
        """Return what was done up to a world time since this was asked last."""
        slept = woke = booted = lit = False
        resets = 0
        resumed_by: WakeCause | None = None
        while self._events and self._events[0].t_ns <= end_ns:
            match self._events.popleft():
                case WireChange(channel=Channel.SLP_S3, level=level):
                    slept = slept or not level
                    woke = woke or (slept and bool(level))
                case WireChange(channel=Channel.PLTRST, level=1):
                    resets += 1
                case OsResumed(cause=cause):
                    resumed_by = cause
                case OsBooted():
                    booted = True
                case PanelChange(lit=switched_on):
                    lit = switched_on and woke
        return Deeds(slept, woke, resets, resumed_by, booted, lit)


class DamagedLink:
    """Hands packets to a bench, and loses, doubles or cuts some."""

    def __init__(self, handle: Callable[[bytes], bytes | None], seed: int) -> None:
        self._handle = handle
        self._random = random.Random(seed)
        self.damaged = 0

    def handle(self, packet: bytes) -> bytes | None:
        if self._random.random() >= DAMAGED_SHARE:
            return self._handle(packet)
        self.damaged += 1
        kind = self._random.randrange(4)
        if kind == 0:
            return None
        reply = self._handle(packet)
        if kind == 1:
            return None
        return self._handle(packet) if kind == 2 else (reply or b"")[:-1]


@dataclass
class Account:
    """What became of a campaign.

    Attributes:
        outcomes: of the cycles, as the runner stored them.
        wrong: a sentence for each cycle that was told other than it was.
        damaged: packets of the wire.
        operator: how often somebody had to hold the button, as a press did not help.
    """

    cycles: int = 0
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    damaged: int = 0
    operator: int = 0


@dataclass(frozen=True)
class Truth:
    """One cycle as it really was."""

    deeds: Deeds
    record_lost: bool


class Soak:
    """One DUT that errs by schedule and by chance, on a wire that errs too."""

    def __init__(self, path: Path, cycles: int, seed: int, *, light: bool = True) -> None:
        self.path = path
        self.truths: dict[int, Truth] = {}
        self.account = Account()
        self._cycles = cycles
        self._random = random.Random(seed)
        self._faults: frozenset[SimFault] = frozenset()
        self._clock = VirtualClock()
        self._diary = Diary()
        healthy = load_dut_profile("healthy-laptop")
        self._dut = replace(
            healthy,
            behaviour=replace(
                healthy.behaviour, hang_share=HANG_SHARE, double_reset_share=DOUBLE_RESET_SHARE
            ),
            recovery=replace(healthy.recovery, tries=max(healthy.recovery.tries, cycles)),
        )
        self._start_ns = self._clock.now_ns()
        light_rate_hz = LIGHT_RATE_HZ if light else 0
        self._bench = SimulatedBench(
            self._dut, self._clock, seed, diary=self._diary, light_rate_hz=light_rate_hz
        )
        self._link = DamagedLink(self._bench.handle, seed)
        self._rig = SmpRig(
            SmpClient(InProcessTransport(self._link.handle, self._clock), self._clock),
            foresight=self._bench,
        )

    def run(self) -> Account:
        """Run the campaign to the end of its plan, then hold each cycle against the diary."""
        self.run_campaign()
        self.hold_against()
        return self.account

    def run_campaign(self) -> None:
        """Run the campaign; a DUT that no press brings back is forced off and booted."""
        info = self._rig.info()
        identity = identify(
            rig_url="sim:", rig=info, dut=self._dut, requirement=REQUIREMENT, created_utc_ns=2
        )
        served = served_log(self._rig, info)
        assert served is not None
        parts = CampaignParts(self._rig, self._clock, ServedLog(served))
        plan = override(
            default_plan(),
            cycles=self._cycles,
            wake_timeout_ns=12 * S,
            sleep_timeout_ns=8 * S,
        )
        ended = self._ends(lambda: begin(self.path, plan, identity, parts, self._observe))
        while not ended:
            self._bring_back()
            ended = self._ends(lambda: go_on(self.path, identity, parts, self._observe))
        self.account.damaged = self._link.damaged

    def _ends(self, part: Callable[[], object]) -> bool:
        """Return whether a part of the campaign ends with its plan, or with a DUT that is lost."""
        try:
            part()
        except DutFault:
            return False
        return True

    def hold_against(self) -> None:
        """Hold what is told of each cycle against the diary."""
        answer = assess(load_campaign(self.path))
        told = {cycle.outside.number: cycle for cycle in answer.cycles}
        if list(told) != list(range(1, self._cycles + 1)) or set(told) != set(self.truths):
            self.account.wrong.append(f"{len(told)} cycles are told of, {len(self.truths)} were")
        for number, truth in self.truths.items():
            cycle = told.get(number)
            if cycle is not None:
                self.account.wrong += [
                    f"cycle {number}: {text} ({truth.deeds})" for text in wrong(cycle, truth)
                ]

    def _observe(self, event: CampaignEvent) -> None:
        match event:
            case CycleStarted():
                self._forget_until_now()
                drawn = [f for f, one_in in SCHEDULE.items() if not self._random.randrange(one_in)]
                self._faults = frozenset(drawn[:1])
                self._bench.set_faults(self._faults)
            case CycleDone():
                raw = event.raw
                deeds = self._diary.until(self._clock.now_ns() - self._start_ns)
                lost = SimFault.NO_RECORD in self._faults
                self.truths[raw.number] = Truth(deeds, lost)
                self.account.cycles += 1
                self.account.outcomes[raw.outcome] += 1
                self._bench.set_faults(frozenset())

    def _forget_until_now(self) -> None:
        self._diary.until(self._bench.advance())

    def _bring_back(self) -> None:
        self.account.operator += 1
        self._bench.set_faults(frozenset())
        self._rig.press(Actuator.BUTTON, FORCE_OFF_NS, force_off=True)
        self._clock.sleep_ns(FORCE_OFF_NS + S)
        self._rig.press(Actuator.BUTTON, S // 5)
        self._clock.sleep_ns(BOOTS_NS)
        self._bench.advance()


def outcome_of(deeds: Deeds) -> Outcome:
    """Return what an outcome has to say of such deeds."""
    if not deeds.slept:
        return Outcome.NEVER_SLEPT
    if not deeds.woke:
        return Outcome.NEVER_WOKE
    if deeds.booted:
        return Outcome.REBOOTED
    if not deeds.lit:
        return Outcome.DARK
    alone = deeds.resumed_by is WakeCause.DEVICE
    return Outcome.WOKE_ALONE if alone else Outcome.SLEPT_AND_WOKE


def hung_of(deeds: Deeds) -> Outcome | None:
    """Return what may be said of such deeds after one more press, which changed nothing."""
    if deeds.slept and not deeds.woke:
        return Outcome.HUNG_IN_SLEEP
    hung = deeds.woke and deeds.resumed_by is None and not deeds.booted
    return Outcome.HUNG_IN_RESUME if hung else None


def wrong(cycle: ReconciledCycle, truth: Truth) -> list[str]:
    """Say what is told of a cycle that was not so."""
    found: list[str] = []
    expected = outcome_of(truth.deeds)
    kinds = {finding.kind for finding in (*cycle.outside.findings, *cycle.findings)}
    told_both = cycle.outside.outcome is Outcome.WOKE_ALONE and FindingKind.DARK in kinds
    allowed = (expected, hung_of(truth.deeds))
    if cycle.outside.outcome not in allowed and not (told_both and expected is Outcome.DARK):
        found.append(f"told {cycle.outside.outcome.value}, was {expected.value}")
    came_back = expected in (Outcome.SLEPT_AND_WOKE, Outcome.WOKE_ALONE)
    doubled = FindingKind.DOUBLE_RESET in kinds
    if came_back and doubled != (truth.deeds.resets > 1):
        found.append(f"double reset told: {doubled}; resets: {truth.deeds.resets}")
    accounted = cycle.record is not None and cycle.record.ended is None
    if came_back and accounted == truth.record_lost:
        found.append(f"record lost: {truth.record_lost}; accounted: {accounted}")
    return found
