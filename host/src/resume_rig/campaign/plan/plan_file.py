"""Plans as TOML files, as a person writes them, and as the store and reports keep them."""

import dataclasses
import difflib
import tomllib
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from resume_rig.campaign.plan.plan import (
    MAX_VALUES,
    Plan,
    Range,
    StopRules,
    Varied,
    Vary,
    default_plan,
    extremes,
    override,
)
from resume_rig.campaign.plan.words import (
    ADAPTIVE,
    PLAN_FILE,
    RULE,
    SETTLE_LIMIT_NS,
    WORD_BY_KEY,
    WORDS,
    Door,
    PlanValue,
    PlanWord,
    Time,
    wrong,
)
from resume_rig.model.errors import UsageError
from resume_rig.model.units import TIME_UNITS_NS, seconds_text

MAX_FILE_BYTES = 1_000_000
_READY = resources.files("resume_rig.campaign") / "plans"
_CONFIDENCE: Final = "stop_confidence_percent"
_Reader: TypeAlias = Callable[[object], Any]


def ready_plans() -> tuple[str, ...]:
    """Return the names of the plans that come with the package, sorted."""
    names = (entry.name for entry in _READY.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_plan(name_or_path: str | None) -> Plan:
    """Read a plan; what it does not name is as in `default_plan`.

    Args:
        name_or_path: one of `ready_plans`, or the path of a TOML file (it ends in .toml); None for
            the default plan.

    Raises:
        UsageError: there is no such plan, the file cannot be read, is not TOML, or has a key or
            value that a plan has not.
    """
    if name_or_path is None:
        return default_plan()
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


def parse_plan(
    words: Mapping[str, object], base: Plan | None = None, door: Door = PLAN_FILE
) -> Plan:
    """Read the words of a plan, from any door: `cycles`, `state`, `dwell`, `press` and so on.

    A value is as Python has it or as a person writes it: `"5 s"`; a time also as a number of a key
    with its unit, `dwell_s`. Of a word that varies it may be a list, `["button", "lid"]` or
    `"button, lid"`, and of a time a range, `{ from = 5, to = 60 }` or `"5 s to 60 s"`. Rules lie
    in a table `stop`, or begin with `stop_`. None is a word that was not given.

    Args:
        words: values by key.
        base: what the words change; the default plan without it.
        door: where they were written.

    Raises:
        UsageError: a key or a value that a plan has not.
    """
    base = default_plan() if base is None else base
    keys: dict[str, str] = {}
    fields: dict[str, Any] = {}
    rules: dict[str, Any] = {}
    vary: list[Vary] = []
    adaptive = base.settle_limit_ns is not None
    for key, value in _flat(words):
        word, unit_ns = _word_of(key, door)
        if isinstance(word.kind, Time) and word.kind.besides and unit_ns is None:
            times, asked = _without_adaptive(value)
            adaptive |= asked
        else:
            times = value
        if times is None:
            continue
        if word.field in keys:
            raise UsageError(
                f"the plan names {word.field.removesuffix('_ns')} twice, by "
                f"{door.named(keys[word.field])} and {door.named(key)}"
            )
        keys[word.field] = key
        values = _values(word, times, _reader(word, key, unit_ns, door), door.named(key))
        first = values.low if isinstance(values, Range) else values[0]
        (rules if word.is_rule else fields)[word.field] = first
        if isinstance(values, Range) or len(values) > 1:
            vary.append(Vary(word.field, values))
    if "settle_limit_ns" in fields and not adaptive:
        raise UsageError(
            f"{door.named(keys['settle_limit_ns'])} goes with {door.named('settle')} {ADAPTIVE}; a "
            "fixed time has no limit"
        )
    if adaptive and base.settle_limit_ns is None:
        fields.setdefault("settle_limit_ns", SETTLE_LIMIT_NS)
    stop = dataclasses.replace(base.stop, **rules)
    if "confidence" in rules and stop.failure_rate is None:
        raise UsageError(
            f"{door.named(keys['confidence'])} is of a failure rate to stop at; it goes with "
            f"{door.named('stop_failure_rate_below_percent')}"
        )
    kept = tuple(each for each in base.vary if each.name not in fields)
    return override(base, **fields, stop=stop, vary=(*kept, *vary))


def plan_to_mapping(plan: Plan) -> dict[str, PlanValue]:
    """Return the plan as `parse_plan` reads it; times in nanoseconds, so that none is rounded."""
    varied = {each.name: each.values for each in plan.vary}
    own = [word for word in WORDS if word.key != "ignore_first" and not word.is_rule]
    fixed = [word for word in own if word.varies and word.field not in varied]
    # What varies keeps its order: the last one changes fastest in a matrix.
    moving = [word for name in varied for word in own if word.field == name]
    found: dict[str, PlanValue] = {}
    for word in (own[0], *fixed, *moving, *(each for each in own[1:] if not each.varies)):
        value = getattr(plan, word.field)
        drawn = bool(plan.vary) and word.key in ("order", "seed")
        if word.key == "settle_limit" and value is not None:
            found["settle"] = ADAPTIVE
        if word.always or drawn or word.field in varied or value != word.default:
            found[word.field] = _written(word, varied.get(word.field, (value,)))
    if plan.stop.any:
        found["stop"] = _rules_written(plan.stop)
    return found


def _rules_written(rules: StopRules) -> dict[str, PlanValue]:
    found: dict[str, PlanValue] = {}
    for word in WORDS:
        value = getattr(rules, word.field) if word.is_rule else None
        if value is not None and (word.key != _CONFIDENCE or rules.failure_rate is not None):
            key = f"{word.key}_ns" if isinstance(word.kind, Time) else word.key
            found[key.removeprefix(RULE)] = word.kind.written(value)
    return found


def plan_texts(plan: Plan) -> dict[str, str]:
    """Return the plan as a person writes it, by key of its words; `parse_plan` reads it."""
    varied = {each.name: each.values for each in plan.vary}
    own = [word for word in WORDS if word.key != "ignore_first"]
    found: dict[str, str] = {}
    # What varies keeps its order here, too.
    for word in sorted(own, key=lambda word: [*varied, word.field].index(word.field)):
        value = getattr(plan.stop if word.is_rule else plan, word.field)
        if value is None or (word.key == _CONFIDENCE and plan.stop.failure_rate is None):
            continue
        values = varied.get(word.field, (value,))
        joint, ends = (" to ", extremes(values)) if isinstance(values, Range) else (", ", values)
        texts = [word.kind.text(cast(Any, each)) for each in ends]
        found[word.key] = joint.join(texts)
        if word.key == "settle" and plan.settle_limit_ns is not None:
            found[word.key] += f", {ADAPTIVE}"
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


def _flat(words: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield keys and values, those of the table `stop` with its name in front."""
    for key, value in words.items():
        if key != "stop":
            yield key, value
        elif isinstance(value, dict):
            yield from ((f"stop.{rule}", each) for rule, each in value.items())
        elif value is not None:
            rules = ", ".join(word.key.removeprefix(RULE) for word in WORDS if word.is_rule)
            raise wrong(key, value, f"is a table [stop] of {rules}")


def _word_of(key: str, door: Door) -> tuple[PlanWord, int | None]:
    """Return the word of a key, and the unit that the key names, if it does."""
    known = key.replace("stop.", RULE, 1)
    if known in WORD_BY_KEY:
        return WORD_BY_KEY[known], None
    name, _, unit = known.rpartition("_")
    word = WORD_BY_KEY.get(name)
    if word is not None and isinstance(word.kind, Time) and unit in word.kind.units:
        return word, word.kind.units[unit]
    times = [each.key for each in WORDS if isinstance(each.kind, Time)]
    with_unit = [f"{time}_{unit}" for time in times for unit in TIME_UNITS_NS]
    near = difflib.get_close_matches(known, (*WORD_BY_KEY, *with_unit), n=1)
    nearest = f"; the nearest is {door.named(near[0])}" if near else ""
    raise UsageError(
        f"a plan has no key {key[:80]!r}{nearest}; allowed are "
        f"{', '.join(map(door.named, WORD_BY_KEY))}; the key of a time may have its unit at the "
        f"end: {', '.join(f'_{unit}' for unit in TIME_UNITS_NS)}"
    )


def _without_adaptive(value: object) -> tuple[object, bool]:
    """Return the times of a settle time, None where there are none, and whether it is adaptive."""
    each = value.split(",") if isinstance(value, str) else value
    if not isinstance(each, list):
        return value, False
    times = [one for one in each if not (isinstance(one, str) and one.strip() == ADAPTIVE)]
    return (times if times or not each else None), len(times) < len(each)


def _reader(word: PlanWord, key: str, unit_ns: int | None, door: Door) -> _Reader:
    kind, name = word.kind, door.named(key)
    if unit_ns is not None and isinstance(kind, Time):
        return lambda value: kind.read_number(name, value, unit_ns)
    return lambda value: kind.read(name, value, door.bare)


def _values(word: PlanWord, value: object, read: _Reader, name: str) -> tuple[Any, ...] | Range:
    if not word.varies:
        return (read(value),)
    if isinstance(value, str) and isinstance(word.kind, Time) and " to " in value:
        low, _, high = value.partition(" to ")
        value = {"from": low, "to": high}
    if isinstance(value, dict):
        return _range(word, value, read, name)
    each = value.split(",") if isinstance(value, str) else value
    if not isinstance(each, list | tuple):
        return (read(value),)
    if not 1 <= len(each) <= MAX_VALUES:
        raise UsageError(f"{name} is a list of {len(each)}; allowed are 1 to {MAX_VALUES} values")
    return tuple(read(one.strip() if isinstance(one, str) else one) for one in each)


def _range(word: PlanWord, value: Mapping[str, object], read: _Reader, name: str) -> Range:
    if not isinstance(word.kind, Time):
        raise wrong(name, value, "are a value and a list")
    if set(value) != {"from", "to"}:
        raise wrong(name, value, "are a value, a list, or { from = , to = }")
    low, high = read(value["from"]), read(value["to"])
    if low > high:
        raise wrong(name, value, "is a range from a duration to a longer one")
    return Range(low, high)


def _written(word: PlanWord, values: tuple[Varied, ...] | Range) -> PlanValue:
    if isinstance(values, Range):
        return {"from": values.low, "to": values.high}
    plain = [word.kind.written(cast(Any, value)) for value in values]
    return plain if len(plain) > 1 else plain[0]
