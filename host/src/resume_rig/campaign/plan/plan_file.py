"""Plans as TOML files, as a person writes them, and as the store and reports keep them."""

import dataclasses
import difflib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from resume_rig.campaign.plan.plan import (
    MAX_VALUES,
    SETTLE_LIMIT_NS,
    Order,
    Plan,
    Range,
    StopRules,
    TraceTool,
    Varied,
    Vary,
    check_plan,
    default_plan,
)
from resume_rig.campaign.plan.states import state_of_word
from resume_rig.model.channel import SLEEPERS, Actuator, SleepBy, SleepMeans, WakeBy, WakeMeans
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind, state_word
from resume_rig.model.units import DURATION_UNITS_NS, TIME_UNITS_NS, seconds_text

MAX_FILE_BYTES = 1_000_000
_READY = resources.files("resume_rig.campaign") / "plans"

DURATIONS = ("dwell", "settle", "press", "wake_timeout", "sleep_timeout")
WORDS = ("state", "sleep_by", "wake_by")
OTHERS = (
    *("cycles", "warm_up", "ignore_first", "short_dwell", "health", "order", "seed"),
    *("settle", "stop", "trace"),
)
ADAPTIVE = "adaptive"
LIMIT = "settle_limit"
RULES = (
    *("failures", "recoveries", "after_h", "after_min", "after_s"),
    *("failure_rate_below_percent", "confidence_percent"),
)
_KEYS = (*OTHERS[:1], *WORDS, *OTHERS[1:])
_UNITS = ", ".join(f"_{unit}" for unit in TIME_UNITS_NS)
HOUR_UNITS_NS = {unit: DURATION_UNITS_NS[unit] for unit in ("ns", "s", "min", "h")}
MAX_SEED = 2**63 - 1
MOST_NS = 10**17

PlanValue: TypeAlias = "int | float | str | bool | list[PlanValue] | dict[str, PlanValue]"
_Means = TypeVar("_Means", bound=StrEnum)
_Reader: TypeAlias = Callable[[str, object], Varied]


def ready_plans() -> tuple[str, ...]:
    """Return the names of the plans that come with the package, sorted."""
    names = (entry.name for entry in _READY.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_plan(name_or_path: str) -> Plan:
    """Read a plan; what it does not name is as in `default_plan`.

    Args:
        name_or_path: one of `ready_plans`, or the path of a TOML file (it ends in .toml).

    Raises:
        UsageError: there is no such plan, the file cannot be read, is not TOML, or has a key or
            value that a plan has not.
    """
    if not name_or_path.endswith(".toml"):
        ready = ready_plans()
        if name_or_path not in ready:
            raise UsageError(
                f"there is no plan {name_or_path!r}; allowed are {', '.join(ready)}, or the path "
                "of a file that ends in .toml"
            )
        return parse_plan(tomllib.loads((_READY / f"{name_or_path}.toml").read_text("utf-8")))
    path = Path(name_or_path)
    try:
        if path.exists() and not path.is_file():  # a device never ends, a pipe never begins
            raise UsageError(f"could not read the plan {path}: it is no file")
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
        if len(raw) > MAX_FILE_BYTES:
            raise UsageError(f"could not read the plan {path}: it is over {MAX_FILE_BYTES} bytes")
        document = tomllib.loads(raw.decode("utf-8"))
    except OSError as error:
        raise UsageError(f"could not read the plan {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"could not read the plan {path}: it is not TOML ({error})") from error
    try:
        return parse_plan(document)
    except UsageError as error:
        raise UsageError(f"could not use the plan {path}: {error}") from error


def parse_plan(document: Mapping[str, object]) -> Plan:
    """Read a plan's keys: `cycles`, `state`, `dwell_s`, `press_ms` and so on.

    A value of `state`, `sleep_by`, `wake_by` or of a duration may be a list, and that of a
    duration `{ from = 5, to = 60 }`.

    Raises:
        UsageError: a key or a value that a plan has not.
    """
    fields: dict[str, Varied] = {}
    vary: list[Vary] = []
    for key, value in document.items():
        if key in OTHERS or key.rpartition("_")[0] == LIMIT:
            continue
        name, read = _field(key)
        if name in fields:
            raise UsageError(f"the plan names {name.removesuffix('_ns')} twice")
        values = _values(key, value, read)
        fields[name] = values.low if isinstance(values, Range) else values[0]
        if isinstance(values, Range) or len(values) > 1:
            vary.append(Vary(name, values))
    plan = _with(default_plan(), fields, tuple(vary), document)
    check_plan(plan)
    return plan


def plan_to_mapping(plan: Plan) -> dict[str, PlanValue]:
    """Return the plan as `parse_plan` reads it; times in nanoseconds, so that none is rounded."""
    varied = {each.name: each.values for each in plan.vary}
    # What varies keeps its order: the last one changes fastest in a matrix.
    names = [name for name in _NAMES if name not in varied] + list(varied)
    found: dict[str, PlanValue] = {"cycles": plan.cycles}
    for name in names:
        found[name] = _written(varied.get(name, (getattr(plan, name),)))
    found |= {"warm_up": plan.warm_up, "short_dwell": plan.short_dwell}
    if plan.settle_limit_ns is not None:
        found |= {"settle": ADAPTIVE, f"{LIMIT}_ns": plan.settle_limit_ns}
    if plan.trace is not TraceTool.NONE:
        found["trace"] = str(plan.trace)
    if plan.health:
        found["health"] = True
    if plan.vary:
        found |= {"order": str(plan.order), "seed": plan.seed}
    if plan.stop.any:
        found["stop"] = _rules_written(plan.stop)
    return found


def plan_facts(plan: Plan) -> dict[str, int | float | str | bool | None]:
    """Return the plan for people: a line a key; what varies in words."""
    found: dict[str, int | float | str | bool | None] = {}
    for name, value in plan_to_mapping(plan).items():
        match value:
            case dict() if name == "stop":
                found |= {f"stop_{key}": _plain(each) for key, each in value.items()}
            case dict():
                found[name.removesuffix("_ns")] = (
                    f"{_value_text(value['from'])} to {_value_text(value['to'])}"
                )
            case list():
                found[name.removesuffix("_ns")] = ", ".join(map(_value_text, value))
            case _:
                found[name] = value
    return found


def _plain(value: PlanValue) -> int | float | str | bool:
    return value if isinstance(value, int | float | str) else str(value)


def _value_text(value: PlanValue) -> str:
    return seconds_text(value) if isinstance(value, int) else str(value)


def _with(
    plan: Plan, fields: Mapping[str, Varied], vary: tuple[Vary, ...], document: Mapping[str, object]
) -> Plan:
    """Return `plan` with what the document gives; not checked yet."""
    chosen: dict[str, Any] = dict(fields)
    warm_up, ignore_first = _whole(document, "warm_up"), _switch(document, "ignore_first")
    if warm_up is not None and ignore_first is not None:
        raise UsageError(
            "the plan has warm_up and ignore_first; ignore_first = true is warm_up = 1"
        )
    chosen["vary"] = vary
    optional = {
        "cycles": _whole(document, "cycles"),
        "warm_up": int(ignore_first) if ignore_first is not None else warm_up,
        "short_dwell": _switch(document, "short_dwell"),
        "health": _switch(document, "health"),
        "order": _order(document.get("order")),
        "seed": _seed(document),
        "stop": _rules(document.get("stop")),
        "settle_limit_ns": _settle_limit_ns(document),
        "trace": None if "trace" not in document else trace_of("trace", document["trace"]),
    }
    chosen |= {name: value for name, value in optional.items() if value is not None}
    return dataclasses.replace(plan, **chosen)


_NAMES = (*WORDS, *(f"{name}_ns" for name in DURATIONS))


def _field(key: str) -> tuple[str, _Reader]:
    """Return the field of Plan that a key is of, and who reads one value of it."""
    if key in _WORD_READERS:
        return key, _WORD_READERS[key]
    name, _, unit = key.rpartition("_")
    if name in DURATIONS and unit in TIME_UNITS_NS:
        return f"{name}_ns", lambda key, value: _duration_ns(key, value, TIME_UNITS_NS[unit])
    times = [f"{time}_{unit}" for time in (*DURATIONS, LIMIT) for unit in ("s", *TIME_UNITS_NS)]
    near = difflib.get_close_matches(key, (*_KEYS, *times), n=1)
    nearest = f"; the nearest is {near[0]}" if near else ""
    raise UsageError(
        f"a plan has no key {key!r}{nearest}; allowed are {', '.join(_KEYS)}, and the times "
        f"{', '.join((*DURATIONS, LIMIT))}, each with its unit at the end: {_UNITS}"
    )


def _values(key: str, value: object, read: _Reader) -> tuple[Varied, ...] | Range:
    if isinstance(value, dict):
        return _range(key, value, read)
    if not isinstance(value, list):
        return (read(key, value),)
    if not 1 <= len(value) <= MAX_VALUES:
        raise UsageError(f"{key} is a list of {len(value)}; allowed are 1 to {MAX_VALUES} values")
    return tuple(read(key, each) for each in value)


def _range(key: str, value: Mapping[str, object], read: _Reader) -> Range:
    if set(value) != {"from", "to"}:
        raise UsageError(f"{key} = {value!r}; allowed are a value, a list, or {{ from = , to = }}")
    low, high = read(key, value["from"]), read(key, value["to"])
    if not isinstance(low, int) or not isinstance(high, int) or low > high:
        raise UsageError(f"{key} = {value!r}; a range goes from a duration to a longer one")
    return Range(low, high)


def _written(values: tuple[Varied, ...] | Range) -> PlanValue:
    if isinstance(values, Range):
        return {"from": values.low, "to": values.high}
    plain: list[PlanValue] = [_plainly(value) for value in values]
    return plain if len(plain) > 1 else plain[0]


def _plainly(value: Varied) -> int | str:
    if isinstance(value, SleepKind):
        return state_word(value)
    return value if isinstance(value, int) else str(value)


def _settle_limit_ns(document: Mapping[str, object]) -> int | None:
    """Return how long a DUT may take to settle; None where the settle time is a fixed one."""
    given = [key for key in document if key.rpartition("_")[0] == LIMIT]
    if len(given) > 1:
        raise UsageError(f"the plan names {LIMIT} twice")
    settle = document.get("settle")
    if settle is None:
        if given:
            raise UsageError(f'the plan has {given[0]} without settle = "{ADAPTIVE}"')
        return None
    if settle != ADAPTIVE:
        raise UsageError(f'settle = {settle!r}; allowed is "{ADAPTIVE}", or a time as settle_s')
    if not given:
        return SETTLE_LIMIT_NS
    unit = given[0].rpartition("_")[2]
    if unit not in TIME_UNITS_NS:
        raise UsageError(f"a plan has no key {given[0]!r}; allowed is {LIMIT} with {_UNITS}")
    return _duration_ns(given[0], document[given[0]], TIME_UNITS_NS[unit])


def _rules(value: object) -> StopRules | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise UsageError(f"stop = {value!r}; allowed is a table [stop] of {', '.join(RULES)}")
    rules: dict[str, Any] = {}
    for key, each in value.items():
        name, _, unit = str(key).rpartition("_")
        if key in ("failures", "recoveries"):
            rules[key] = _whole(value, key)
        elif name == "after" and unit in HOUR_UNITS_NS:
            rules["time_ns"] = _duration_ns(key, each, HOUR_UNITS_NS[unit])
        elif key == "failure_rate_below_percent":
            rules["failure_rate"] = _percent(key, each)
        elif key == "confidence_percent":
            if "failure_rate_below_percent" not in value:
                raise UsageError(
                    "confidence_percent stands alone; allowed is with failure_rate_below_percent"
                )
            rules["confidence"] = _percent(key, each)
        else:
            raise UsageError(f"[stop] has no key {key!r}; allowed are {', '.join(RULES)}")
    return StopRules(**rules)


def _rules_written(rules: StopRules) -> dict[str, PlanValue]:
    found: dict[str, PlanValue] = {}
    if rules.failures is not None:
        found["failures"] = rules.failures
    if rules.recoveries is not None:
        found["recoveries"] = rules.recoveries
    if rules.time_ns is not None:
        found["after_ns"] = rules.time_ns
    if rules.failure_rate is not None:
        found["failure_rate_below_percent"] = rules.failure_rate * 100
        found["confidence_percent"] = rules.confidence * 100
    return found


def _percent(key: str, value: object) -> float:
    return _number(key, value) / 100


def _number(key: str, value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{key} = {value!r}; allowed is a number")
    return value


def _order(value: object) -> Order | None:
    return None if value is None else _word_of("order", value, Order)


def _seed(document: Mapping[str, object]) -> int | None:
    seed = _whole(document, "seed")
    if seed is not None and not 0 <= seed <= MAX_SEED:
        raise UsageError(f"seed = {seed}; allowed are 0 to {MAX_SEED}")
    return seed


def _duration_ns(key: str, value: object, unit_ns: int) -> int:
    number = _number(key, value)
    if not -MOST_NS < number * unit_ns < MOST_NS:
        raise UsageError(f"{key} = {number!r}; allowed is a number of at most some years")
    return round(number * unit_ns)


def _whole(document: Mapping[str, object], key: str) -> int | None:
    value = document.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise UsageError(f"{key} = {value!r}; allowed is a whole number")


def _switch(document: Mapping[str, object], key: str) -> bool | None:
    value = document.get(key)
    if value is None or isinstance(value, bool):
        return value
    raise UsageError(f"{key} = {value!r}; allowed are true and false")


def trace_of(what: str, word: object) -> TraceTool:
    """Return what records each cycle, by its word in a plan.

    Raises:
        UsageError: there is no such word; the sentence names `what` and what is allowed.
    """
    return _word_of(what, word, TraceTool)


def _word_of(what: str, word: object, kind: type[_Means]) -> _Means:
    if isinstance(word, str) and word in list(kind):
        return kind(word)
    raise UsageError(f"{what} = {word!r}; allowed are {', '.join(kind)}")


def sleep_by_of(what: str, word: object) -> SleepBy:
    """Return what starts a sleep, by its word in a plan.

    Raises:
        UsageError: there is no such word; the sentence names `what` and what is allowed.
    """
    allowed: tuple[SleepBy, ...] = (*SLEEPERS, *SleepMeans)
    return _one_of(what, word, allowed)


def wake_by_of(what: str, word: object) -> WakeBy:
    """Return what starts a wake, likewise."""
    allowed: tuple[WakeBy, ...] = (*Actuator, *WakeMeans)
    return _one_of(what, word, allowed)


def _one_of(what: str, word: object, allowed: Sequence[_Means]) -> _Means:
    for each in allowed:
        if isinstance(word, str) and word.upper() == each.value:
            return each
    raise UsageError(f"{what} = {word!r}; allowed are {', '.join(a.lower() for a in allowed)}")


_WORD_READERS: Mapping[str, _Reader] = {
    "state": state_of_word,
    "sleep_by": sleep_by_of,
    "wake_by": wake_by_of,
}
