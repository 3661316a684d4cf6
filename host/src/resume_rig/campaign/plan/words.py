"""The words of a plan: a row each, and how their values are written. Pure, and loads little.

The command line, plan files, the window, Robot Framework, pytest and labgrid take what this table
has; their help and the tables of the reference are written from it.
"""

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Any, ClassVar, Final, TypeAlias

from resume_rig.model.channel import SLEEPERS, Actuator, SleepMeans, WakeMeans
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind, state_word
from resume_rig.model.units import (
    DURATION_UNITS_NS,
    NS_PER_MS,
    NS_PER_S,
    TIME_UNITS_NS,
    duration_of,
    seconds_text,
)


@unique
class Order(StrEnum):
    """How the values of several lists come together."""

    SEQUENCE = "sequence"
    """Each list goes on by one a cycle, and begins again at its end."""
    MATRIX = "matrix"
    """Every combination in turn; the list that the plan names last changes fastest."""
    RANDOM = "random"
    """Each value is drawn, all with the same chance."""


@unique
class TraceTool(StrEnum):
    """What records a trace of each cycle on the DUT."""

    NONE = "none"
    WPR = "wpr"
    XPERF = "xperf"


MAX_CYCLES: Final = 1_000_000
# SLP_S4# may be stretched to 4 s after sleep entry, and the chipset holds a wake off so long
# (Intel 800-series PCH datasheet, "Event Input Signals").
MIN_DWELL_NS: Final = 5 * NS_PER_S
MAX_DWELL_NS: Final = 24 * 3600 * NS_PER_S
MAX_SETTLE_NS: Final = 3600 * NS_PER_S
SETTLE_LIMIT_NS: Final = 120 * NS_PER_S
# The chipset debounces for 16 ms and an EC for 30 ms; 4 s is the override that cuts the power.
MIN_PRESS_NS: Final = 50 * NS_PER_MS
MAX_PRESS_NS: Final = 1500 * NS_PER_MS
MIN_TIMEOUT_NS: Final = 1 * NS_PER_S
MAX_TIMEOUT_NS: Final = 3600 * NS_PER_S
MAX_TIME_NS: Final = 366 * 24 * 3600 * NS_PER_S
MAX_SEED: Final = 2**63 - 1
ASKED_STATES: Final = (
    *(SleepKind.S3, SleepKind.HYBRID, SleepKind.S4, SleepKind.FAST_STARTUP),
    *(SleepKind.MODERN_STANDBY, SleepKind.BOOT),
)
"""Every state that a plan can ask for; BOOT is S5, off and on again."""

# Far above every limit; a number that is no integer of nanoseconds any more is none.
_MOST_NS: Final = 10**17
_MOST_PERCENT: Final = 10**6
_SHOWN_CHARACTERS: Final = 80

PlanValue: TypeAlias = "int | float | str | bool | list[PlanValue] | dict[str, PlanValue]"


def wrong(name: str, value: object, allowed: str) -> UsageError:
    """Return the error of a value that a word does not have, `name` being the door's own for it."""
    return UsageError(f"{name} = {repr(value)[:_SHOWN_CHARACTERS]}; allowed {allowed}")


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number."""

    low: int
    high: int
    metavar: ClassVar = "N"
    choices: ClassVar[tuple[str, ...]] = ()

    def read(self, name: str, value: object, _bare: str | None = None) -> int:
        """Return a value as a plan has it, its range not checked; UsageError where it is none."""
        if isinstance(value, str) and re.fullmatch(r"\s*-?\d[\d,_]{0,30}\s*", value, re.ASCII):
            value = int(re.sub(r"[,_\s]", "", value))
        if isinstance(value, bool) or not isinstance(value, int):
            raise wrong(name, value, f"is a whole number, {self.low} to {self.high:,}")
        return value

    def check(self, what: str, value: int) -> None:
        """Raise UsageError where a value is out of its range; `what` has a place for it."""
        if not self.low <= value <= self.high:
            raise UsageError(f"{what.format(value)}; allowed are {self.allowed}")

    def text(self, value: int) -> str:
        """Return a value as a person writes it, so that `read` has it again."""
        return str(value)

    def written(self, value: int) -> PlanValue:
        """Return a value as the store keeps it, so that `read` has it again."""
        return value

    @property
    def allowed(self) -> str:
        """The legal values, in words."""
        return f"{self.low} to {'2^63-1' if self.high == MAX_SEED else f'{self.high:,}'}"


@dataclass(frozen=True, slots=True)
class Time:
    """A duration.

    Attributes:
        low_ns, high_ns: its range.
        units: which a key may have at its end, `dwell_s`.
        usual_low_ns: the least one in most plans, where that is more.
        besides: a word that may be there beside it, or in its place.
    """

    low_ns: int
    high_ns: int
    units: Mapping[str, int] = dataclasses.field(default_factory=lambda: TIME_UNITS_NS)
    usual_low_ns: int = 0
    besides: str = ""
    metavar: ClassVar = "TIME"
    choices: ClassVar[tuple[str, ...]] = ()

    def read(self, name: str, value: object, bare: str | None = None) -> int:
        """Return `2.5 s` in nanoseconds; `bare` is the unit of a number without one, if any."""
        text = "".join(value.split()) if isinstance(value, str) else ""
        found = duration_of(text.removeprefix("-"), bare)
        if found is None:
            units = ", ".join(DURATION_UNITS_NS)
            word = f", or {self.besides}" if self.besides else ""
            allowed = f"is a time with its unit ({units}), such as 250 ms or 2 s{word}"
            raise wrong(name, value, allowed)
        return -found if text.startswith("-") else found

    def read_number(self, name: str, value: object, unit_ns: int) -> int:
        """Return a number of a key that has its unit, in nanoseconds."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong(name, value, "is a number")
        if not -_MOST_NS < value * unit_ns < _MOST_NS:
            raise wrong(name, value, "is a number of at most some years")
        return round(value * unit_ns)

    def check(self, what: str, value: int) -> None:
        """Raise UsageError where a value is out of its range; `what` has a place for it."""
        if not self.low_ns <= value <= self.high_ns:
            allowed = f"{seconds_text(self.low_ns)} to {seconds_text(self.high_ns)}"
            raise UsageError(f"{what.format(seconds_text(value))}; allowed are {allowed}")

    def text(self, value: int) -> str:
        """Return a duration exactly, in a unit that fits: hours and minutes whole."""
        for unit, unit_ns in reversed(DURATION_UNITS_NS.items()):
            fits = value % unit_ns == 0 if unit in ("h", "min") else value >= unit_ns
            if value and fits:
                whole, rest = divmod(value, unit_ns)
                fraction = f".{rest:0{len(str(unit_ns)) - 1}}".rstrip("0") if rest else ""
                return f"{whole}{fraction} {unit}"
        return "0 s"

    def written(self, value: int) -> PlanValue:
        """Return nanoseconds."""
        return value

    @property
    def allowed(self) -> str:
        """The legal values, in words."""
        low = self.text(self.usual_low_ns or self.low_ns)
        return f"{low} to {self.text(self.high_ns)}{f', {self.besides}' if self.besides else ''}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words."""

    words: Mapping[str, StrEnum]
    metavar: ClassVar = "WORD"

    def read(self, name: str, value: object, _bare: str | None = None) -> StrEnum:
        """Return what a word names, in capitals or not."""
        for word, each in self.words.items():
            written = (word.lower(), each.value.lower())
            if value is each or (isinstance(value, str) and value.strip().lower() in written):
                return each
        raise wrong(name, value, f"are {self.allowed}")

    def check(self, what: str, value: StrEnum) -> None:
        """Raise UsageError where a plan cannot have it."""
        if all(value is not each for each in self.words.values()):
            raise UsageError(f"{what.format(value)}; allowed are {self.allowed}")

    def text(self, value: StrEnum) -> str:
        """Return the word of a value."""
        return next(word for word, each in self.words.items() if each is value)

    def written(self, value: StrEnum) -> PlanValue:
        """Return what the store keeps: the value's own name, where that is its word."""
        word = self.text(value)
        return value.value if value.value.lower() == word.lower() else word

    @property
    def choices(self) -> tuple[str, ...]:
        """The words."""
        return tuple(self.words)

    @property
    def allowed(self) -> str:
        """The legal values, in words."""
        return ", ".join(self.words)


@dataclass(frozen=True, slots=True)
class Switch:
    """Yes or no; a plan has `values` for no and for yes."""

    values: tuple[object, object] = (False, True)
    metavar: ClassVar = ""
    choices: ClassVar = ("no", "yes")
    allowed: ClassVar = "true, false"

    def read(self, name: str, value: object, _bare: str | None = None) -> object:
        """Return what a plan has for true and false, yes and no."""
        if isinstance(value, str):
            texts = {"yes": True, "no": False, "true": True, "false": False}
            value = texts.get(value.strip().lower(), value)
        if not isinstance(value, bool):
            raise wrong(name, value, "are true and false, or yes and no")
        return self.values[value]

    def check(self, what: str, value: object) -> None:
        """Do nothing: both are allowed."""

    def text(self, value: object) -> str:
        """Return yes or no."""
        return self.choices[bool(value)]

    def written(self, value: object) -> PlanValue:
        """Return a truth value."""
        return bool(value)


@dataclass(frozen=True, slots=True)
class Percent:
    """A share in percent, which a plan has as 0..1; `low` itself is allowed, unless it is 0."""

    low: float
    metavar: ClassVar = "PERCENT"
    choices: ClassVar[tuple[str, ...]] = ()

    def read(self, name: str, value: object, _bare: str | None = None) -> float:
        """Return a number of percent as a share."""
        if isinstance(value, str):
            try:
                value = float(value.strip().removesuffix("%"))
            except ValueError:
                raise wrong(name, value, "is a number of percent") from None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong(name, value, "is a number of percent")
        if not -_MOST_PERCENT < value < _MOST_PERCENT:
            raise wrong(name, value, "is a number of percent")
        return value / 100

    def check(self, what: str, value: float) -> None:
        """Raise UsageError where a share is out of its range; `what` has a place for it."""
        if not (value > 0 and self.low <= value * 100 and value < 1):
            raise UsageError(f"{what.format(f'{value * 100:g} %')}; allowed are {self.allowed}")

    def text(self, value: float) -> str:
        """Return it without its sign."""
        return f"{value * 100:.12g}"

    def written(self, value: float) -> PlanValue:
        """Return percent."""
        return value * 100

    @property
    def allowed(self) -> str:
        """The legal values, in words."""
        return f"{f'{self.low:g} and more' if self.low else 'more than 0'}, less than 100 %"


Kind: TypeAlias = Number | Time | Choice | Switch | Percent


@dataclass(frozen=True, slots=True)
class PlanWord:
    """One word of a plan.

    Attributes:
        key: as Python writes it: `wake_by`; a rule of `[stop]` in a plan file begins with `stop_`.
        kind: what a value is, how it is read and written, and its range.
        default: of the default plan; None where the word is left out.
        title: in the window.
        help: what it does, in a phrase.
        what: the subject of the sentence about a value out of its range, with a place for it.
        field: of Plan, or of StopRules; by default the key, of a Time with `_ns`.
        varies: a list of values is allowed, one a cycle.
        always: the store keeps it also where it is the default.
        needs: keys without which a value cannot be checked.
        more: what the reference's page adds to `help`, in Markdown.
    """

    key: str
    kind: Kind
    default: Any
    title: str
    help: str
    what: str = "{}"
    field: str = ""
    varies: bool = False
    always: bool = False
    needs: tuple[str, ...] = ()
    more: str = ""

    def __post_init__(self) -> None:
        own = f"{self.key}_ns" if isinstance(self.kind, Time) else self.key
        object.__setattr__(self, "field", self.field or own)

    @property
    def is_rule(self) -> bool:
        """Whether it ends a campaign before its last cycle."""
        return self.key.startswith(RULE)

    @property
    def default_text(self) -> str:
        """The default as a person writes it; empty where there is none."""
        return "" if self.default is None else self.kind.text(self.default)

    @property
    def meaning(self) -> str:
        """What it does, what is allowed, and the default, in a phrase."""
        usual = f" (default {self.default_text})" if self.default_text else ""
        several = "; also a list or a range" if isinstance(self.kind, Time) else "; also a list"
        allowed = f": {self.kind.allowed}{several if self.varies else ''}"
        return f"{self.help}{'' if isinstance(self.kind, Switch) else allowed}{usual}"


RULE: Final = "stop_"
ADAPTIVE: Final = "adaptive"
STATE: Final = Choice({state_word(kind): kind for kind in ASKED_STATES})
_SLEEP_BY: Final = Choice({way.lower(): way for way in (*SLEEPERS, *SleepMeans)})
_WAKE_BY: Final = Choice({way.lower(): way for way in (*Actuator, *WakeMeans)})
_TIME_OUT: Final = Time(MIN_TIMEOUT_NS, MAX_TIMEOUT_NS)
_HOURS: Final = {unit: DURATION_UNITS_NS[unit] for unit in ("ns", "s", "min", "h")}
_BUTTON: Final = Actuator.BUTTON
# After a boot a DUT needs longer until the next trigger.
_SETTLING: Final = ("settle", "settle_limit")

WORDS: Final = (
    PlanWord(
        "cycles",
        Number(1, MAX_CYCLES),
        4,
        "Cycles",
        "how many cycles are measured; interrupted ones do not count",
        what="a plan of {} cycles",
        always=True,
    ),
    PlanWord(
        "state",
        STATE,
        SleepKind.S3,
        "Sleep state",
        "the sleep state asked for; S5 is off and on",
        what="a plan for {}",
        varies=True,
        always=True,
        needs=_SETTLING,
        more="see [states](#states)",
    ),
    PlanWord(
        "sleep_by",
        _SLEEP_BY,
        _BUTTON,
        "Sleep by",
        "what puts the DUT to sleep",
        varies=True,
        always=True,
        more="see [ways](#ways-into-sleep-and-out-of-it)",
    ),
    PlanWord(
        "wake_by",
        _WAKE_BY,
        _BUTTON,
        "Wake by",
        "what wakes the DUT",
        varies=True,
        always=True,
    ),
    PlanWord(
        "dwell",
        Time(0, MAX_DWELL_NS, usual_low_ns=MIN_DWELL_NS),
        5 * NS_PER_S,
        "Asleep for",
        "from sleep entry, as the wires show it, to the wake trigger",
        what="a dwell of {}",
        varies=True,
        always=True,
        needs=("short_dwell",),
    ),
    PlanWord(
        "settle",
        Time(0, MAX_SETTLE_NS, besides=ADAPTIVE),
        2 * NS_PER_S,
        "Awake for",
        'from the last sign of the wake to the end of the cycle, at least; with "adaptive" until '
        "its record is read, its light is steady and its log can be read",
        what="a settle time of {}",
        varies=True,
        always=True,
        more="15 s or more after S5; see [when a DUT has settled](#when-a-dut-has-settled)",
    ),
    PlanWord(
        "settle_limit",
        Time(NS_PER_S, MAX_SETTLE_NS),
        None,
        "Settled within",
        "with settle adaptive: at the latest after so long (120 s where it is left out)",
        what="a limit of an adaptive settle time of {}",
        needs=("settle",),
    ),
    PlanWord(
        "press",
        Time(MIN_PRESS_NS, MAX_PRESS_NS),
        150 * NS_PER_MS,
        "Press for",
        "how long the button is pressed",
        what="a press of {}",
        varies=True,
        always=True,
        more="the board has a limit of its own",
    ),
    PlanWord(
        "wake_timeout",
        _TIME_OUT,
        60 * NS_PER_S,
        "Wake time-out",
        "from the trigger to the last sign of the wake, at most",
        what="a wake time-out of {}",
        varies=True,
        always=True,
        more="see [time-outs](#time-outs-are-learned)",
    ),
    PlanWord(
        "sleep_timeout",
        _TIME_OUT,
        60 * NS_PER_S,
        "Sleep time-out",
        "from the trigger to sleep entry, at most",
        what="a sleep time-out of {}",
        varies=True,
        always=True,
    ),
    PlanWord(
        "warm_up",
        Number(0, MAX_CYCLES),
        1,
        "Warm-up cycles",
        "so many cycles at the beginning are measured and kept, and not judged",
        what="a warm-up of {} cycles",
        always=True,
        needs=("cycles",),
    ),
    PlanWord(
        "ignore_first",
        Switch((0, 1)),
        1,
        "",
        "the first cycle is not judged; yes is warm_up 1, no is warm_up 0",
        field="warm_up",
    ),
    PlanWord(
        "short_dwell",
        Switch(),
        False,
        "Short sleeps",
        "allows a dwell below 5 s, to measure how long a wake is held off",
        always=True,
    ),
    PlanWord(
        "trace",
        Choice({tool.value: tool for tool in TraceTool}),
        TraceTool.NONE,
        "Trace by",
        "what records a trace of each cycle on a Windows DUT, by its shell; files go into a folder "
        "beside the store",
        needs=("state", *_SETTLING),
        more="not with S5 or fast startup; see [trace a resume](../how-to/trace-a-resume.md)",
    ),
    PlanWord(
        "health",
        Switch(),
        False,
        "Health reports",
        "before each sleep and after each wake, ask the DUT's OS for its devices, links, idle "
        "counters and errors; takes some seconds a cycle",
        more="see [health reports](health.md)",
    ),
    PlanWord(
        "order",
        Choice({order.value: order for order in Order}),
        Order.SEQUENCE,
        "Lists go",
        "how lists come together",
        more="see [what varies](#what-varies)",
    ),
    PlanWord("seed", Number(0, MAX_SEED), 1, "Seed", "of everything that is drawn", "a seed of {}"),
    PlanWord(
        "stop_failures",
        Number(1, MAX_CYCLES),
        None,
        "Stop at failures",
        "end after so many cycles that are a failure of the DUT; 1 is the first failure",
        what="a stop at {} failures",
        field="failures",
        more="see [outcomes](outcomes.md)",
    ),
    PlanWord(
        "stop_recoveries",
        Number(1, MAX_CYCLES),
        None,
        "Stop at recoveries",
        "end after the DUT had to be brought back so often, whatever steps that took",
        what="a stop at {} recoveries",
        field="recoveries",
        more="see [recovery](recovery.md)",
    ),
    PlanWord(
        "stop_after",
        Time(NS_PER_S, MAX_TIME_NS, _HOURS),
        None,
        "Stop after",
        "end when so long was spent in cycles, all sessions together",
        what="a time to stop after of {}",
        field="time_ns",
    ),
    PlanWord(
        "stop_failure_rate_below_percent",
        Percent(0),
        None,
        "Stop below, %",
        "end when the failure rate is shown to be at most this",
        what="a stop at a failure rate of {}",
        field="failure_rate",
        more="by Clopper and Pearson, one-sided: for 0.1 % at 95 % after 2995 cycles without a "
        "failure",
    ),
    PlanWord(
        "stop_confidence_percent",
        Percent(50),
        0.95,
        "with confidence, %",
        "of that failure rate",
        what="a confidence of {}",
        field="confidence",
        needs=("stop_failure_rate_below_percent",),
    ),
)
WORD_BY_KEY: Final = {word.key: word for word in WORDS}


@dataclass(frozen=True, slots=True)
class Door:
    """Where words of a plan are written.

    Attributes:
        named: how a sentence names a word there, by its key as it was given.
        bare: the unit of a time that has none; None: it is refused, for it could be any.
    """

    named: Callable[[str], str]
    bare: str | None = None


PLAN_FILE: Final = Door(lambda key: re.sub(f"^{RULE}", "stop.", key))
KEYWORDS: Final = Door(str)
"""Arguments of campaigns in Python and in Robot Framework."""
COMMAND_LINE: Final = Door(lambda key: f"--{key.replace('_', '-')}", "s")
WINDOW: Final = Door(lambda key: WORD_BY_KEY[key].title, "s")
