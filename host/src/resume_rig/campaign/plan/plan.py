"""A plan: how often, how, and with which waits a campaign puts a DUT to sleep and wakes it. Pure.

What varies from cycle to cycle follows from the plan, its seed and the cycle's place alone, so that
a resumed campaign has the cycles that it would have had. Stop rules end it sooner. The limits come
from the chipset's own times; docs/reference/plans.md has each.
"""

import dataclasses
import itertools
import math
import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Any, TypeAlias, TypeVar, cast

from resume_rig.analysis.stats.figures import CYCLES_MOST, cycles_needed, failure_rate_upper
from resume_rig.campaign.plan.states import STATE_WORDS, STATES, sleep_channel
from resume_rig.model.channel import (
    SLEEPERS,
    Actuator,
    Channel,
    SleepBy,
    SleepMeans,
    WakeBy,
    WakeMeans,
    line_names,
)
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind, state_word
from resume_rig.model.result.cycle import FAILED, NO_ANSWER, Outcome
from resume_rig.model.units import NS_PER_MS, NS_PER_S, count_of, percent_up, seconds_text


@dataclass(frozen=True, slots=True)
class StopRules:
    """Rules; those that are None stop nothing.

    Attributes:
        failures: so many cycles in which the DUT failed (`model.result.cycle.FAILED`).
        time_ns: so long spent in cycles, all sessions together.
        failure_rate: the failure rate is shown to be at most this, 0..1, at `confidence`.
        recoveries: the DUT was brought back so often.
    """

    failures: int | None = None
    time_ns: int | None = None
    failure_rate: float | None = None
    confidence: float = 0.95
    recoveries: int | None = None

    @property
    def any(self) -> bool:
        """Whether there is a rule at all."""
        rules = (self.failures, self.time_ns, self.failure_rate, self.recoveries)
        return any(rule is not None for rule in rules)

    def rate_words(self) -> str:
        """Return what is to be shown of the failure rate, in words; empty without that rule."""
        if self.failure_rate is None:
            return ""
        sure = f"with {self.confidence * 100:g} % confidence"
        return f"that at most {self.failure_rate * 100:g} % fail {sure}"


NO_RULES = StopRules()


def cycles_for_rate(rules: StopRules) -> int:
    """Return how many cycles without a failure the rule of the failure rate needs, or more.

    0 without it.
    """
    if rules.failure_rate is None:
        return 0
    try:
        return cycles_needed(rules.failure_rate, rules.confidence)
    except ValueError:
        return CYCLES_MOST


def why_stop(
    rules: StopRules, outcomes: Mapping[Outcome, int], spent_ns: int, recoveries: int = 0
) -> str | None:
    """Return which rule ends the campaign, in a sentence without a full stop; None to go on.

    `spent_ns` is the time in cycles, `recoveries` how often the DUT was brought back, or tried to
    be.
    """
    answered = sum(count for outcome, count in outcomes.items() if outcome not in NO_ANSWER)
    failed = sum(count for outcome, count in outcomes.items() if outcome in FAILED)
    if rules.failures is not None and failed >= rules.failures:
        return f"{count_of(failed, 'cycle')} failed, and the plan stops at {rules.failures}"
    if rules.recoveries is not None and recoveries >= rules.recoveries:
        return (
            f"the DUT had to be brought back {recoveries} times, and the plan stops at "
            f"{rules.recoveries}"
        )
    if rules.failure_rate is not None and answered:
        upper = failure_rate_upper(failed, answered, rules.confidence)
        if upper <= rules.failure_rate:
            return (
                f"after {count_of(answered, 'cycle')} with {failed} failed, at most "
                f"{percent_up(upper)} fail with {rules.confidence * 100:g} % confidence, and the "
                f"plan asks for {rules.failure_rate * 100:g} %"
            )
    if rules.time_ns is not None and spent_ns >= rules.time_ns:
        return f"{seconds_text(spent_ns)} were spent in cycles, and the plan ends after that"
    return None


MAX_VALUES = 1_000

Varied: TypeAlias = int | SleepBy | WakeBy | SleepKind


@unique
class Order(StrEnum):
    """How the values of several lists come together."""

    SEQUENCE = "sequence"
    """Each list goes on by one a cycle, and begins again at its end."""
    MATRIX = "matrix"
    """Every combination in turn; the list that the plan names last changes fastest."""
    RANDOM = "random"
    """Each value is drawn, all with the same chance."""


@dataclass(frozen=True, slots=True)
class Range:
    """Any value between two, both included, drawn anew for each cycle."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Vary:
    """One key of a plan that is not the same in every cycle.

    Attributes:
        name: of the field of Plan.
        values: of that field; one or more.
    """

    name: str
    values: tuple[Varied, ...] | Range


def values_of_cycle(vary: Sequence[Vary], order: Order, seed: int, index: int) -> dict[str, Varied]:
    """Return what varies in one cycle, by name; `index` cycles of the plan are done before it."""
    # A generator a cycle: no cycle depends on how many numbers another one drew.
    chance = random.Random(f"{seed}/{index}")
    found: dict[str, Varied] = {}
    combination = index
    for each in reversed(vary):
        values = each.values
        if isinstance(values, Range):
            found[each.name] = chance.randint(values.low, values.high)
        elif order is Order.RANDOM:
            found[each.name] = chance.choice(values)
        elif order is Order.MATRIX:
            combination, place = divmod(combination, len(values))
            found[each.name] = values[place]
        else:
            found[each.name] = values[index % len(values)]
    return found


def combinations(vary: Sequence[Vary], order: Order) -> Iterator[dict[str, Varied]]:
    """Yield which values come together in some cycle, by name; of a range, both ends."""
    lists = [each for each in vary if not isinstance(each.values, Range)]
    ranges = [each for each in vary if isinstance(each.values, Range)]
    if order is Order.SEQUENCE:
        period = math.lcm(*(len(extremes(each.values)) for each in lists))
        rows: Iterable[dict[str, Varied]] = (
            values_of_cycle(lists, order, 0, index) for index in range(min(period, MAX_VALUES**2))
        )
    else:
        rows = _product(lists)
    ends = list(_product(ranges))
    return ({**row, **end} for row in rows for end in ends)


def _product(vary: Sequence[Vary]) -> Iterator[dict[str, Varied]]:
    names = [each.name for each in vary]
    for values in itertools.product(*(extremes(each.values) for each in vary)):
        yield dict(zip(names, values, strict=True))


def extremes(values: tuple[Varied, ...] | Range) -> tuple[Varied, ...]:
    """Return the values that have to be allowed for all of them to be."""
    return (values.low, values.high) if isinstance(values, Range) else values


_T = TypeVar("_T")

MAX_CYCLES = 1_000_000
_OF_EACH_OTHER = frozenset({"state", "sleep_by", "wake_by", "settle_ns", "settle_limit_ns"})
# SLP_S4# may be stretched to 4 s after sleep entry, and the chipset holds a wake off so long
# (Intel 800-series PCH datasheet, "Event Input Signals").
MIN_DWELL_NS = 5 * NS_PER_S
MAX_DWELL_NS = 24 * 3600 * NS_PER_S
MAX_SETTLE_NS = 3600 * NS_PER_S
# A DUT that boots shows its logo seconds before its OS reacts to a button.
MIN_BOOT_SETTLE_NS = 15 * NS_PER_S
SETTLE_LIMIT_NS = 120 * NS_PER_S
# The chipset debounces for 16 ms and an EC for 30 ms; 4 s is the override that cuts the power.
MIN_PRESS_NS = 50 * NS_PER_MS
MAX_PRESS_NS = 1500 * NS_PER_MS
MIN_TIMEOUT_NS = 1 * NS_PER_S
MAX_TIMEOUT_NS = 3600 * NS_PER_S
MAX_TIME_NS = 366 * 24 * 3600 * NS_PER_S
MIN_CONFIDENCE = 0.5


@unique
class TraceTool(StrEnum):
    """What records a trace of each cycle on the DUT."""

    NONE = "none"
    WPR = "wpr"
    XPERF = "xperf"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a campaign does.

    Attributes:
        cycles: how many are measured; interrupted ones do not count.
        sleep_by, wake_by: what starts the sleep, and the wake.
        dwell_ns: from sleep entry, as the wires show it, to the wake trigger. A timer is armed for
            so long and the way into the state on top.
        settle_ns: from the last sign of the wake to the end of the cycle, at least.
        health: the DUT's OS is asked for its devices, links, counters and errors before each sleep
            and after each wake.
        settle_limit_ns: where this is not None, the cycle ends after `settle_ns` only when the DUT
            shows that it has settled, and after so long at the latest.
        warm_up: so many cycles at the beginning are measured and kept, and not judged.
        wake_timeout_ns: from the trigger to the last sign of the wake.
        sleep_timeout_ns: from the trigger to sleep entry.
        short_dwell: dwell_ns may be less than 5 s, to measure how long a wake is held off.
        vary: what is not the same in every cycle; its fields above hold the first value.
        order: how lists in `vary` come together.
        seed: of everything that is drawn.
        stop: when to end before `cycles` are done.
        trace: what records each cycle on the DUT.
    """

    cycles: int
    state: SleepKind
    sleep_by: SleepBy
    wake_by: WakeBy
    dwell_ns: int
    settle_ns: int
    press_ns: int
    warm_up: int
    wake_timeout_ns: int = 60 * NS_PER_S
    sleep_timeout_ns: int = 60 * NS_PER_S
    short_dwell: bool = False
    vary: tuple[Vary, ...] = ()
    order: Order = Order.SEQUENCE
    seed: int = 1
    stop: StopRules = NO_RULES
    settle_limit_ns: int | None = None
    trace: TraceTool = TraceTool.NONE
    health: bool = False

    @property
    def states(self) -> frozenset[SleepKind]:
        """Every state that any of the cycles asks for."""
        return self._all_of(SleepKind)

    @property
    def means(self) -> frozenset[SleepMeans | WakeMeans]:
        """Every way into sleep and out of it that is no actuator's, in any of the cycles."""
        return self._all_of(SleepMeans) | self._all_of(WakeMeans)

    @property
    def actuators(self) -> frozenset[Actuator]:
        """What the plan moves, in any of its cycles."""
        return self._all_of(Actuator)

    def _all_of(self, kind: type[_T]) -> frozenset[_T]:
        varied = (value for each in self.vary for value in extremes(each.values))
        values = (self.state, self.sleep_by, self.wake_by, *varied)
        return frozenset(each for each in values if isinstance(each, kind))

    def longest(self, name: str) -> int:
        """Return the greatest value of all cycles, in ns, of a duration by its attribute."""
        varied = next((each.values for each in self.vary if each.name == name), ())
        own: int = getattr(self, name)
        return max([own, *(v for v in extremes(varied) if isinstance(v, int))])

    def of_cycle(self, index: int) -> "Plan":
        """Return the plan of a cycle, in which nothing varies; `index` cycles are done before."""
        if not self.vary:
            return self
        values: dict[str, Any] = {**values_of_cycle(self.vary, self.order, self.seed, index)}
        return dataclasses.replace(self, vary=(), **values)


def default_plan() -> Plan:
    """Return S3Resume's plan: four S3 cycles by button, the first one not judged."""
    return Plan(
        cycles=4,
        state=SleepKind.S3,
        sleep_by=Actuator.BUTTON,
        wake_by=Actuator.BUTTON,
        dwell_ns=5 * NS_PER_S,
        settle_ns=2 * NS_PER_S,
        press_ns=150 * NS_PER_MS,
        warm_up=1,
    )


def override(
    plan: Plan,
    *,
    cycles: int | None = None,
    state: SleepKind | None = None,
    sleep_by: SleepBy | None = None,
    wake_by: WakeBy | None = None,
    dwell_ns: int | None = None,
    settle_ns: int | None = None,
    settle_limit_ns: int | None = None,
    press_ns: int | None = None,
    warm_up: int | None = None,
    wake_timeout_ns: int | None = None,
    sleep_timeout_ns: int | None = None,
    short_dwell: bool | None = None,
    trace: TraceTool | None = None,
    health: bool | None = None,
) -> Plan:
    """Return `plan` with what is given, checked.

    Raises:
        UsageError: a value is outside its range.
    """
    options = {
        "cycles": cycles,
        "state": state,
        "sleep_by": sleep_by,
        "wake_by": wake_by,
        "dwell_ns": dwell_ns,
        "settle_ns": settle_ns,
        "settle_limit_ns": settle_limit_ns,
        "press_ns": press_ns,
        "warm_up": warm_up,
        "wake_timeout_ns": wake_timeout_ns,
        "sleep_timeout_ns": sleep_timeout_ns,
        "short_dwell": short_dwell,
        "trace": trace,
        "health": health,
    }
    given: dict[str, Any] = {name: each for name, each in options.items() if each is not None}
    # One value for all cycles takes the place of a list.
    vary = tuple(each for each in plan.vary if each.name not in given)
    changed = dataclasses.replace(plan, vary=vary, **given)
    check_plan(changed)
    return changed


def check_plan(plan: Plan) -> None:
    """Check what can be checked without a bench.

    Raises:
        UsageError: a value is outside its range; the sentence names value and range.
    """
    if not 1 <= plan.cycles <= MAX_CYCLES:
        raise UsageError(f"a plan of {plan.cycles} cycles; allowed are 1 to {MAX_CYCLES:,}")
    if not 0 <= plan.warm_up <= plan.cycles:
        raise UsageError(
            f"a warm-up of {plan.warm_up} of {plan.cycles} cycles; allowed are 0 to all of them"
        )
    _check_rules(plan.stop)
    for each in plan.vary:
        for value in extremes(each.values):
            varied: dict[str, Any] = {each.name: value}
            check_plan(dataclasses.replace(plan, vary=(), **varied))
    _check_together(plan)
    if plan.trace is not TraceTool.NONE and any(STATES[s].boots for s in plan.states & set(STATES)):
        raise UsageError(
            f"a trace by {plan.trace} in a plan with a boot, which ends a trace; allowed is none "
            "(xbootmgr traces boots and shutdowns)"
        )
    if plan.state not in STATES:
        raise UsageError(f"a plan for {plan.state}; allowed are {', '.join(STATE_WORDS)}")
    _check_ways(plan)
    if plan.dwell_ns < MIN_DWELL_NS and not plan.short_dwell:
        raise UsageError(
            f"a dwell of {seconds_text(plan.dwell_ns)}; allowed are 5 s or more after sleep "
            "entry, because a chipset may hold off a wake for 4 s (short_dwell = true in a plan "
            "file allows less, to measure that)"
        )
    _check_range("dwell", plan.dwell_ns, 0, MAX_DWELL_NS)
    _check_range("settle time", plan.settle_ns, 0, MAX_SETTLE_NS)
    _check_settling(plan)
    _check_range("press", plan.press_ns, MIN_PRESS_NS, MAX_PRESS_NS)
    _check_range("wake time-out", plan.wake_timeout_ns, MIN_TIMEOUT_NS, MAX_TIMEOUT_NS)
    _check_range("sleep time-out", plan.sleep_timeout_ns, MIN_TIMEOUT_NS, MAX_TIMEOUT_NS)


def _check_together(plan: Plan) -> None:
    """Refuse values that are allowed each by itself, and not in the cycle that has them all."""
    of_each_other = [each for each in plan.vary if each.name in _OF_EACH_OTHER]
    for values in combinations(of_each_other, plan.order):
        one = dataclasses.replace(plan, vary=(), **cast("dict[str, Any]", values))
        _check_ways(one)
        _check_settling(one)


def _check_ways(plan: Plan) -> None:
    """Refuse ways into a state and out of it that cannot work, or that no wire shows."""
    lid = Actuator.LID in (plan.sleep_by, plan.wake_by)
    if plan.state is SleepKind.MODERN_STANDBY and lid:
        raise UsageError(
            "a lid in a plan for modern-standby; a closed lid hides the display, and that is the "
            f"line that shows this state; allowed are {_but_lid((*SLEEPERS, *SleepMeans))} to "
            f"sleep, and {_but_lid((*Actuator, *WakeMeans))} to wake"
        )
    if plan.wake_by is Actuator.LID and not STATES[plan.state].lid_wakes:
        raise UsageError(
            f"a wake by lid from {state_word(plan.state)}; a lid switches no PC on, allowed are "
            f"{_but_lid((*Actuator, *WakeMeans))}"
        )
    if plan.sleep_by is SleepMeans.IDLE and STATES[plan.state].boots:
        raise UsageError(
            f"a sleep by idle time-out into {state_word(plan.state)}; no time-out shuts a PC down, "
            "allowed are button, lid and command"
        )


def _but_lid(ways: Sequence[SleepBy | WakeBy]) -> str:
    *words, last = (str(each).lower() for each in ways if each is not Actuator.LID)
    return f"{', '.join(words)} and {last}"


def _check_settling(plan: Plan) -> None:
    limit_ns = plan.settle_limit_ns
    if limit_ns is not None:
        low_ns = max(plan.settle_ns, NS_PER_S)
        _check_range("limit of an adaptive settle time", limit_ns, low_ns, MAX_SETTLE_NS)
    elif plan.state is SleepKind.BOOT and plan.settle_ns < MIN_BOOT_SETTLE_NS:
        raise UsageError(
            f"a settle time of {seconds_text(plan.settle_ns)} after a boot; allowed are "
            f"{seconds_text(MIN_BOOT_SETTLE_NS)} or more, because a DUT that boots ignores the "
            'next trigger until its OS runs, or settle = "adaptive"'
        )


def _check_rules(rules: StopRules) -> None:
    for count, what in ((rules.failures, "failures"), (rules.recoveries, "recoveries")):
        if count is not None and not 1 <= count <= MAX_CYCLES:
            raise UsageError(f"a stop at {count} {what}; allowed are 1 to {MAX_CYCLES:,}")
    if rules.time_ns is not None:
        _check_range("time to stop after", rules.time_ns, NS_PER_S, MAX_TIME_NS)
    if rules.failure_rate is not None and not 0 < rules.failure_rate < 1:
        raise UsageError(
            f"a stop at a failure rate of {rules.failure_rate * 100:g} %; allowed is more than 0 "
            "and less than 100"
        )
    if not MIN_CONFIDENCE <= rules.confidence < 1:
        raise UsageError(
            f"a confidence of {rules.confidence * 100:g} %; allowed is 50 and more, less than 100"
        )


def check_against_bench(
    plan: Plan,
    dut_name: str,
    actuators: Collection[Actuator],
    channels: Collection[Channel],
    max_press_ns: int = MAX_PRESS_NS,
    *,
    idle_ns: int | None = None,
    commanded: bool = False,
    max_key_ns: int = MAX_PRESS_NS,
    has_mac: bool = False,
) -> None:
    """Check that a bench can do what the plan asks for.

    Args:
        plan: the plan.
        dut_name: for the sentence.
        actuators: what the rig can move on this DUT.
        channels: what is wired on it.
        max_press_ns: the longest press that the board does.
        idle_ns: after so long without input the DUT sleeps; None: not stated.
        commanded: the DUT's OS takes commands.
        max_key_ns: the longest press of a key that the board does.
        has_mac: a magic packet for the DUT can be made.

    Raises:
        UsageError: an actuator or another means is missing, a press is too long for the board, or
            no wire shows that the DUT sleeps.
    """
    _check_means(plan, dut_name, actuators, idle_ns, commanded=commanded)
    missing = sorted(plan.actuators - set(actuators))
    if missing:
        raise UsageError(
            f"the plan moves the {missing[0]}, which the bench of {dut_name} cannot; "
            f"it can move: {', '.join(sorted(actuators)) or 'nothing'}"
        )
    longest_ns = plan.longest("press_ns")
    presses = Actuator.BUTTON in plan.actuators or WakeMeans.NONE in plan.means
    if presses and Actuator.BUTTON in actuators and longest_ns > max_press_ns:
        raise UsageError(
            f"a press of {seconds_text(longest_ns)}; the board's interlock allows at most "
            f"{seconds_text(max_press_ns)}"
        )
    if Actuator.KEYBOARD in plan.actuators and longest_ns > max_key_ns:
        raise UsageError(
            f"a key held for {seconds_text(longest_ns)}; the board's interlock allows at most "
            f"{seconds_text(max_key_ns)}"
        )
    if WakeMeans.LAN in plan.means and not has_mac:
        raise UsageError(
            f"the plan wakes {dut_name} by a magic packet, and its profile names no mac; set mac "
            "to the MAC address of its network adapter"
        )
    for state in sorted(plan.states):
        if sleep_channel(state, channels) is None:
            lines = "BACKLIGHT or LED" if state is SleepKind.MODERN_STANDBY else "SLP_S3# or PWR_OK"
            raise UsageError(
                f"a campaign on {dut_name} needs {lines} to see it sleep; "
                f"wired are: {line_names(sorted(channels)) or 'none'}"
            )


def _check_means(
    plan: Plan,
    dut_name: str,
    actuators: Collection[Actuator],
    idle_ns: int | None,
    *,
    commanded: bool,
) -> None:
    if SleepMeans.IDLE in plan.means and idle_ns is None:
        raise UsageError(
            f"the plan waits until {dut_name} sleeps by itself, and its profile names no idle_s; "
            "set the time-out on the DUT, and idle_s to the same in its profile"
        )
    by_os = [str(each).lower() for each in plan.means & {SleepMeans.COMMAND, WakeMeans.TIMER}]
    by_os += ["health reports"] if plan.health else []
    if by_os and not commanded:
        raise UsageError(
            f"the plan needs the OS of {dut_name} ({', '.join(sorted(by_os))}), and nothing "
            "reaches it; --dut-shell ssh:USER@HOST or --sleep-command COMMAND does"
        )
    if WakeMeans.NONE in plan.means and not actuators:
        raise UsageError(
            f"the plan has {dut_name} stay asleep, and the rig moves nothing that could wake it "
            "afterwards; a button or a lid is needed"
        )


def _check_range(name: str, value_ns: int, low_ns: int, high_ns: int) -> None:
    if not low_ns <= value_ns <= high_ns:
        raise UsageError(
            f"a {name} of {seconds_text(value_ns)}; allowed are {seconds_text(low_ns)} to "
            f"{seconds_text(high_ns)}"
        )
