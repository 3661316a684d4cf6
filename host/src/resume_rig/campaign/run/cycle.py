"""One cycle, run as a state machine: sleep, dwell, wake, settle, read; with time-outs learned.

What the wires show decides where to go next; what became of the cycle is decided afterwards, from
what was recorded, by the same analysis that a report uses.
"""

from collections import deque
from collections.abc import Callable, Collection, Sequence
from math import ceil
from typing import Final

from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.states import (
    RUNNING,
    CycleState,
    dead_lines,
    first_change,
    is_dark,
    sleep_channel,
)
from resume_rig.campaign.run.bench import Bench
from resume_rig.campaign.run.events import Asleep, CycleStarted, Observer, Woke
from resume_rig.campaign.run.settling import HealthCheck, Settling
from resume_rig.campaign.run.ways import CycleWays
from resume_rig.campaign.store.raw import Command, CycleRaw
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.light import LightOnset
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.verdict import Finding
from resume_rig.model.units import NS_PER_MS, NS_PER_S
from resume_rig.rig.interface import Faults
from resume_rig.timing.wall_clock import wall_minus_host_ns

LAST: Final = 200
"""So many of the last cycles teach."""

FEWEST: Final = 20
"""Below that the plan's own time-out holds."""

FLOOR_NS: Final = 15 * NS_PER_S
"""Never less: a disk check or an update makes one wake of a sound DUT slow."""

FACTOR: Final = 2
SHARE: Final = 0.99


def learned_timeout_ns(lasted_ns: Sequence[int], plan_ns: int) -> int:
    """Return twice the 99th percentile (nearest rank) of what lasted, at most the plan's. Pure.

    Args:
        lasted_ns: of the last cycles that went as planned, host clock.
        plan_ns: the plan's own time-out: the sane start, and the ceiling.
    """
    if len(lasted_ns) < FEWEST:
        return plan_ns
    rank = ceil(SHARE * len(lasted_ns))
    return min(plan_ns, max(FLOOR_NS, FACTOR * sorted(lasted_ns)[rank - 1]))


class LearnedTimeouts:
    """What the cycles of one session have taught; a resumed campaign learns anew."""

    def __init__(self) -> None:
        self._sleeps: deque[int] = deque(maxlen=LAST)
        self._wakes: deque[int] = deque(maxlen=LAST)

    def add(self, sleep_ns: int, wake_ns: int) -> None:
        """Learn from a cycle that went as planned."""
        self._sleeps.append(sleep_ns)
        self._wakes.append(wake_ns)

    def sleep_ns(self, plan_ns: int) -> int:
        """Return how long a cycle waits for sleep entry."""
        return learned_timeout_ns(self._sleeps, plan_ns)

    def wake_ns(self, plan_ns: int) -> int:
        """Return how long a cycle waits for the last sign of the wake."""
        return learned_timeout_ns(self._wakes, plan_ns)


# Light onset needs at least 100 ms of darkness before the trigger as its baseline.
LIGHT_LEAD_NS = 200 * NS_PER_MS
# So long after the last sign the level of the light has settled.
LIGHT_SETTLES_NS = 2 * NS_PER_S
# A timer may be so late: it counts whole seconds, and so do some commands that arm one.
TIMER_LATE_NS = 5 * NS_PER_S
# A wake that goes beyond the learned time-out is late, and not lost, for as long again.
LATE_FACTOR = 2


class CycleRun:
    """A cycle under way. It holds what was measured, for whoever has to stop it.

    Attributes:
        triggered: the DUT was touched, so that there is something to keep.
        findings: what the board, or the way to the DUT's OS, did wrong: the DUT had no part.
        notes: what else the wires cannot show.
        settling: what it waits for in the end; None where it waits for a fixed time.
        health: asks for health reports; None where the plan does not.
    """

    def __init__(
        self,
        number: int,
        bench: Bench,
        plan: Plan,
        observe: Observer,
        *,
        learned: LearnedTimeouts,
        ways: CycleWays,
        settling: Settling | None = None,
        health: HealthCheck | None = None,
    ) -> None:
        self._ways = ways
        self.settling = settling
        self.health = health
        self.notes: tuple[Finding, ...] = ()
        self._wake_since_ns = 0
        self._learned = learned
        self._sleep_timeout_ns = learned.sleep_ns(plan.sleep_timeout_ns)
        self._wake_timeout_ns = learned.wake_ns(plan.wake_timeout_ns)
        self._fell_asleep_in_ns = self._woke_in_ns = 0
        self.number = number
        self.state = CycleState.BEGINNING
        self.triggered = False
        self.findings: tuple[Finding, ...] = ()
        self._bench = bench
        self.plan = plan
        self._observe = observe
        self._line = sleep_channel(plan.state, bench.wired) or Channel.PWR_OK
        self._faults: Faults | None = None
        self._onset: LightOnset | None = None
        self._leases = 0
        self._started_host_ns = self._utc_minus_host_ns = 0
        self._asleep_ns = 0
        self._woken = self._dozed = False
        self._action_end_ns = 0

    def run(self, done: int) -> None:
        """Go through the states until none is left; `done` cycles of the plan were before."""
        self._bench.press_ns = self.plan.press_ns
        self._observe(CycleStarted(self.number, done, self.plan.cycles, self._levels()))
        steps: dict[CycleState, Callable[[], CycleState]] = {
            CycleState.BEGINNING: self._begin,
            CycleState.FALLING_ASLEEP: self._fall_asleep,
            CycleState.ASLEEP: self._dwell,
            CycleState.WAKING: self._wake,
            CycleState.SETTLING: self._settle,
            CycleState.READING: self._read,
        }
        while self.state is not CycleState.DONE:
            self.state = steps[self.state]()

    def lasted_ns(self) -> int:
        """Return how long the cycle has lasted by now, host clock."""
        return self._bench.clock.now_ns() - self._started_host_ns

    def raw(
        self,
        session: int,
        boot_id: int,
        outcome: Outcome,
        records: tuple[OsRecord, ...],
        findings: tuple[Finding, ...],
    ) -> CycleRaw:
        """Return what was measured until now."""
        capture = self._bench.capture
        return CycleRaw(
            number=self.number,
            session=session,
            boot_id=boot_id,
            outcome=outcome,
            utc_minus_host_ns=self._utc_minus_host_ns,
            started_host_ns=self._started_host_ns,
            ended_host_ns=self._bench.clock.now_ns(),
            initial_levels=dict(capture.initial_levels),
            edges=tuple(capture.edges),
            light=capture.light,
            exchanges=self._bench.exchanges(),
            commands=tuple(self._bench.commands),
            lost_edges=capture.lost_edges,
            lost_light=capture.lost_light,
            faults=self._faults,
            records=records,
            findings=(*self.findings, *self.notes, *findings),
            onset=self._onset,
            sleep_timeout_ns=self._sleep_timeout_ns,
            wake_timeout_ns=self._wake_timeout_ns,
            power=capture.power,
            lost_power=capture.lost_power,
            health=() if self.health is None else tuple(self.health.readings),
        )

    def teach(self) -> None:
        """Let later cycles learn how long this one took; it went as planned."""
        self._learned.add(self._fell_asleep_in_ns, self._woke_in_ns)

    def read_rest(self, *, wait: bool = False) -> None:
        """Read what the board has of edges, light and its onset; also when the cycle is stopped."""
        self._bench.read(all_light=True)
        self._onset = self._bench.onset(wait=wait)

    def _begin(self) -> CycleState:
        clock = self._bench.clock
        self._started_host_ns = clock.now_ns()
        self._utc_minus_host_ns = wall_minus_host_ns(clock)
        self._bench.begin()
        self._leases = self._bench.leases_before()
        if self.health is not None:
            self._remark(self.health.take_before())
        return CycleState.FALLING_ASLEEP

    def _remark(self, finding: Finding | None) -> None:
        self.notes = self.notes if finding is None else (*self.notes, finding)

    def _fall_asleep(self) -> CycleState:
        self.triggered = True
        ways = self._ways
        failed = ways.arm()
        if failed is not None:
            self.findings = (failed,)
            return CycleState.READING
        since_ns, since_board_ns = self._bench.clock.now_ns(), self._bench.board_now_ns()
        trigger = self._noted(ways.start_sleep())
        timeout_ns = ways.idle_ns + self._sleep_timeout_ns
        asleep = self._wait_for(self._fell_asleep, (self._line,), timeout_ns)
        self._fell_asleep_in_ns = self._bench.clock.now_ns() - since_ns - ways.idle_ns
        if not (asleep or self._went_dark()):
            self._blame(ways.command_failed())
            self._open_lid()
            return CycleState.READING
        ways.end_command()
        start_ns = None if trigger is None else trigger.start_ns
        since_board_ns = since_board_ns if start_ns is None else start_ns
        self._observe(Asleep(self.number, self._asleep_ns - since_board_ns, self._levels()))
        return CycleState.ASLEEP

    def _levels(self) -> dict[Channel, int]:
        """Return the levels as they were read last; nothing is asked of the rig for it."""
        levels = self._bench.capture.levels
        wired = self._bench.wired
        return {line: levels[line] for line in Channel if line in wired and line in levels}

    def _blame(self, failed: Finding | None) -> None:
        """Keep why a command did not work: a DUT that answered is to blame, a link is not."""
        if failed is None:
            return
        if failed.evidence.get("reached") == "yes":
            self._remark(failed)
        else:
            self.findings = (*self.findings, failed)

    def _dwell(self) -> CycleState:
        bench, ways = self._bench, self._ways
        if ways.wake_lid_is_open():
            self._move(Actuator.LID, closed=True)
        if ways.due_ns is not None:
            return self._wait_for_timer(bench.host_time_of(ways.due_ns))
        end_ns = bench.host_time_of(self._asleep_ns) + self.plan.dwell_ns
        signs = (self._line,)
        light_until_ns = end_ns + self._wake_limit_ns()
        lead_ns = LIGHT_LEAD_NS if bench.has_light else 0
        woke = bench.wait(end_ns - lead_ns, self._woke_up, signs=signs)
        if lead_ns and not woke:
            woke = bench.wait(end_ns, self._woke_up, light_until_ns=light_until_ns, signs=signs)
        self._wake_since_ns = bench.clock.now_ns()
        if not woke:
            self._woken = True
            self._noted(ways.start_wake())
            self._remark(ways.warning)
        return CycleState.WAKING

    def _wait_for_timer(self, due_ns: int) -> CycleState:
        """Wait until the DUT's own clock is due, and let the light be recorded from then on."""
        bench = self._bench
        bench.wait(due_ns, self._woke_up, signs=(self._line,))
        self._wake_since_ns = bench.clock.now_ns()
        if not self._woke_up():
            self._woken = True
            self._wake_since_ns += TIMER_LATE_NS
        return CycleState.WAKING

    def _wake_limit_ns(self) -> int:
        """Return how long a wake is waited for before it counts as lost."""
        return min(LATE_FACTOR * self._wake_timeout_ns, self.plan.wake_timeout_ns)

    def _wake(self) -> CycleState:
        since_ns = self._wake_since_ns
        light_until_ns = since_ns + self._wake_limit_ns()
        timeout_ns = light_until_ns - self._bench.clock.now_ns()
        signs = {self._line, *RUNNING, Channel.BACKLIGHT}
        shown = self._wait_for(
            self._is_awake_or_dozed, signs, timeout_ns, light_until_ns=light_until_ns
        )
        if self._dozes_on():
            return CycleState.ASLEEP
        self._open_lid()
        self._woke_in_ns = max(0, self._bench.clock.now_ns() - since_ns)
        if not shown:
            return CycleState.READING
        newest = self._bench.capture.edges[-1].t_ns
        self._observe(Woke(self.number, newest - self._asleep_ns, self._levels()))
        return CycleState.SETTLING

    def _settle(self) -> CycleState:
        bench = self._bench
        woke_ns = bench.clock.now_ns()
        end_ns = max(woke_ns + self.plan.settle_ns, self._action_end_ns)
        limit_ns = self.plan.settle_limit_ns
        # Without a break: a recording that begins anew knows nothing of the light before it.
        light_until_ns = end_ns if limit_ns is None else max(end_ns, woke_ns + LIGHT_SETTLES_NS)
        if self.health is None:
            bench.wait(end_ns, light_until_ns=light_until_ns)
        else:
            self._wait_with_reports(self.health, end_ns, light_until_ns)
        if self.settling is not None and limit_ns is not None:
            bench.wait(woke_ns + limit_ns, self.settling.done, light_until_ns=light_until_ns)
            self._remark(self.settling.finding(limit_ns))
        return CycleState.READING

    def _wait_with_reports(self, health: HealthCheck, end_ns: int, light_until_ns: int) -> None:
        """Wait as without them, asking meanwhile, and then for what has not come."""
        health.begin_after()
        self._bench.wait(end_ns, lambda: health.done() and False, light_until_ns=light_until_ns)
        self._remark(health.take_after())

    def _read(self) -> CycleState:
        self._bench.let_go_of_contact()
        self.read_rest(wait=True)
        self._bench.exchange_clocks()
        self._faults = faults = self._bench.faults()
        if faults.lease_expiries > self._leases:
            self.findings = (self._bench.lease_expired(),)
        return CycleState.DONE

    def _move(self, actuator: Actuator, *, closed: bool) -> None:
        self.triggered = True
        self._noted(self._bench.move(actuator, closed=closed))

    def _noted(self, command: Command | None) -> Command | None:
        if command is not None and command.end_ns is not None:
            self._action_end_ns = self._bench.host_time_of(command.end_ns)
        return command

    def _open_lid(self) -> None:
        if self._bench.lid_closed:
            self._move(Actuator.LID, closed=False)

    def _wait_for(
        self,
        shown: Callable[[], bool],
        signs: Collection[Channel],
        timeout_ns: int,
        *,
        light_until_ns: int | None = None,
    ) -> bool:
        until_ns = self._bench.clock.now_ns() + timeout_ns
        return self._bench.wait(
            until_ns, shown, fast=True, light_until_ns=light_until_ns, signs=signs
        )

    def _fell_asleep(self) -> bool:
        t_ns = first_change(self._bench.capture.edges, self._line, 0, from_ns=0)
        if t_ns is None:
            return False
        self._asleep_ns = t_ns
        return True

    def _went_dark(self) -> bool:
        """Whether the display alone shows a sleep: Modern Standby; it then shows the wake, too."""
        line = Channel.BACKLIGHT
        bench = self._bench
        bench.read()
        if not is_dark(bench.levels(), bench.wired) or bench.lid_closed:
            return False
        t_ns = first_change(bench.capture.edges, line, 0, from_ns=0)
        if t_ns is None:
            return False
        self._line, self._asleep_ns = line, t_ns
        return True

    def _dozes_on(self) -> bool:
        """Whether it woke by itself, dark, to sleep on (S3 to S4); the dwell then starts anew."""
        again_ns = self._fell_again()
        if again_ns is None or self._woken or self._dozed:
            return False
        self._dozed, self._asleep_ns = True, again_ns
        return True

    def _fell_again(self) -> int | None:
        edges = self._bench.capture.edges
        up_ns = first_change(edges, self._line, 1, from_ns=self._asleep_ns)
        return None if up_ns is None else first_change(edges, self._line, 0, from_ns=up_ns)

    def _is_awake_or_dozed(self) -> bool:
        dozed = not self._woken and not self._dozed and self._fell_again() is not None
        return dozed or self._is_awake()

    def _woke_up(self) -> bool:
        edges = self._bench.capture.edges
        return first_change(edges, self._line, 1, from_ns=self._asleep_ns) is not None

    def _is_awake(self) -> bool:
        """Whether every sign is there; a lid that covers the display is opened for the last."""
        bench = self._bench
        if not self._woke_up() or dead_lines(bench.levels(), bench.wired):
            return False
        self._open_lid()
        return not is_dark(bench.levels(), bench.wired)
