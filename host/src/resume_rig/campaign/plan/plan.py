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
from typing import Any, TypeAlias, TypeVar, cast

from resume_rig.analysis.stats.figures import CYCLES_MOST, cycles_needed, failure_rate_upper
from resume_rig.campaign.plan.states import STATES, sleep_channel
from resume_rig.campaign.plan.words import (
    MAX_PRESS_NS,
    MIN_DWELL_NS,
    WORDS,
    Order,
    TraceTool,
)
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
from resume_rig.model.units import NS_PER_S, count_of, percent_up, seconds_text


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

_OF_EACH_OTHER = frozenset({"state", "sleep_by", "wake_by", "settle_ns", "settle_limit_ns"})
# A DUT that boots shows its logo seconds before its OS reacts to a button.
MIN_BOOT_SETTLE_NS = 15 * NS_PER_S


@dataclass(frozen=True, slots=True)
class Plan:
    """What a campaign does; `words.WORDS` has each field, its default and its range.

    A timer that wakes is armed for `dwell_ns` and the way into the state on top. `vary` is what is
    not the same in every cycle; its fields hold the first value. `settle_limit_ns` is None where
    the settle time is fixed.
    """

    cycles: int
    state: SleepKind
    sleep_by: SleepBy
    wake_by: WakeBy
    dwell_ns: int
    settle_ns: int
    settle_limit_ns: int | None
    press_ns: int
    wake_timeout_ns: int
    sleep_timeout_ns: int
    warm_up: int
    short_dwell: bool
    trace: TraceTool
    health: bool
    order: Order
    seed: int
    stop: StopRules = NO_RULES
    vary: tuple[Vary, ...] = ()

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
    own = {word.field: word.default for word in WORDS if not word.is_rule}
    return Plan(**own)


def override(plan: Plan, **given: Any) -> Plan:
    """Return `plan` with what is given by name of its field, checked; None changes nothing.

    Raises:
        UsageError: a value is outside its range.
    """
    chosen = {name: each for name, each in given.items() if each is not None}
    # One value for all cycles takes the place of a list.
    chosen.setdefault("vary", tuple(each for each in plan.vary if each.name not in chosen))
    changed = dataclasses.replace(plan, **chosen)
    check_plan(changed)
    return changed


def check_plan(plan: Plan) -> None:
    """Check what can be checked without a bench.

    Raises:
        UsageError: a value is outside its range; the sentence names value and range.
    """
    for word in WORDS:
        value = getattr(plan.stop if word.is_rule else plan, word.field)
        if value is not None:
            word.kind.check(word.what, value)
    if plan.warm_up > plan.cycles:
        raise UsageError(
            f"a warm-up of {plan.warm_up} of {plan.cycles} cycles; allowed are 0 to all of them"
        )
    for each in plan.vary:
        for varied in extremes(each.values):
            one: dict[str, Any] = {each.name: varied}
            check_plan(dataclasses.replace(plan, vary=(), **one))
    _check_together(plan)
    if plan.trace is not TraceTool.NONE and any(STATES[state].boots for state in plan.states):
        raise UsageError(
            f"a trace by {plan.trace} in a plan with a boot, which ends a trace; allowed is none "
            "(xbootmgr traces boots and shutdowns)"
        )
    _check_ways(plan)
    if plan.dwell_ns < MIN_DWELL_NS and not plan.short_dwell:
        raise UsageError(
            f"a dwell of {seconds_text(plan.dwell_ns)}; allowed are 5 s or more after sleep "
            "entry, because a chipset may hold off a wake for 4 s (short_dwell allows less, to "
            "measure that)"
        )
    _check_settling(plan)


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
        if limit_ns < plan.settle_ns:
            raise UsageError(
                f"a limit of an adaptive settle time of {seconds_text(limit_ns)}; allowed are "
                f"{seconds_text(plan.settle_ns)}, the settle time, and more"
            )
    elif plan.state is SleepKind.BOOT and plan.settle_ns < MIN_BOOT_SETTLE_NS:
        raise UsageError(
            f"a settle time of {seconds_text(plan.settle_ns)} after a boot; allowed are "
            f"{seconds_text(MIN_BOOT_SETTLE_NS)} or more, because a DUT that boots ignores the "
            'next trigger until its OS runs, or settle = "adaptive"'
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
