"""Reads requirement profiles: shipped ones by name, others by path, limits changed on request."""

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Final, TypeVar

from resume_rig.analysis.verdict.measures import (
    FIGURE,
    PHASE,
    is_measure,
    is_rate,
    is_time,
    measure_names,
    units_of,
)
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import TRANSITIONS, SleepKind, transition_of_word
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.verdict import (
    EVIDENCE_MIN,
    FINDING,
    OUTCOME,
    SHARE,
    WHOLE,
    Comparison,
    FindingKind,
    Limit,
    Requirement,
)
from resume_rig.model.units import NS_PER_S, TIME_UNITS_NS, UNIT_BASES

# Assumed: bounds what a file can ask for.
LIMITS_MOST: Final = 50
_SUBJECTS: Final = ("measure", "figure", "outcome", "finding")
_SHARED_KEYS: Final = frozenset({*_SUBJECTS, "demand", "confidence", "kinds", "cycles_min"})
_VALUE_KEYS: Final = _SHARED_KEYS | {"unit", "share", *(each.value for each in Comparison)}
_EVENT_KEYS: Final = _SHARED_KEYS | {"share_at_most"}
# Assumed: more cycles than a campaign can have.
_CYCLES_MOST: Final = 1_000_000
_LARGEST: Final = 1e6
"""Of a limit that is no time, in its unit: bounds what is compared in whole parts of it."""
_DEMANDS: Final = ("required", "advised")
# Assumed: ten minutes, as of [limits]; no disk reads a million pages in 1 ms.
_LONGEST_NS: Final = 600 * NS_PER_S
_FASTEST: Final = 1e6


def refuse_unknown(table: Mapping[str, object], allowed: frozenset[str], what: str) -> None:
    """Check that a table has no key but the allowed ones.

    Raises:
        UsageError: it has one; the sentence names it and those that are allowed.
    """
    unknown = sorted(set(table) - allowed)
    if unknown:
        raise UsageError(
            f"{what}: {unknown[0]!r} is not a key of it; allowed are {', '.join(sorted(allowed))}."
        )


def kinds_of(values: Sequence[object], what: str) -> tuple[SleepKind, ...]:
    """Return kinds of sleep by their names, each once.

    Raises:
        UsageError: one is none, or there is none.
    """
    allowed, found = ", ".join(TRANSITIONS), dict[SleepKind, None]()
    for value in values:
        kind = transition_of_word(value) if isinstance(value, str) else None
        if kind is None:
            raise UsageError(f"{what}: {value!r} is not a kind of sleep; allowed are {allowed}.")
        found[kind] = None
    if not found:
        raise UsageError(f"{what}: no kind of sleep is named; allowed are {allowed}.")
    return tuple(found)


def limits_of(tables: object, kinds: tuple[SleepKind, ...], what: str) -> tuple[Limit, ...]:
    """Return the limits of the [[limit]] tables of a profile.

    Args:
        tables: as TOML gives them.
        kinds: of the profile; a limit may be for some of them.
        what: begins the sentence of an error.

    Raises:
        UsageError: one is not of the form in docs/reference/requirements.md.
    """
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{what}: limit is {_found(tables)}; tables [[limit]] are needed.")
    if len(tables) > LIMITS_MOST:
        raise UsageError(
            f"{what}: it has {len(tables)} tables [[limit]]; allowed are {LIMITS_MOST}."
        )
    return tuple(
        _limit_of_table(table, kinds, f"{what}, [[limit]] {number}")
        for number, table in enumerate(tables, start=1)
    )


def _limit_of_table(table: Mapping[str, object], kinds: tuple[SleepKind, ...], what: str) -> Limit:
    subjects = [name for name in _SUBJECTS if name in table]
    if len(subjects) > 1:
        raise UsageError(f"{what}: it has {' and '.join(subjects)}; exactly one is needed.")
    measure = _subject(table, subjects[0] if subjects else "measure", what)
    demand = table.get("demand", _DEMANDS[0])
    if demand not in _DEMANDS:
        raise UsageError(f"{what}: demand is {_found(demand)}; allowed are {', '.join(_DEMANDS)}.")
    limit = _event_limit if Limit.names_event(measure) else _value_limit
    return replace(
        limit(table, measure, what),
        required=demand == _DEMANDS[0],
        confidence=_share(table.get("confidence", 0.95), f"{what}: confidence"),
        kinds=_own_kinds(table.get("kinds"), kinds, what),
        cycles_min=_cycles_min(table.get("cycles_min", 0), what),
    )


def _subject(table: Mapping[str, object], key: str, what: str) -> str:
    """Return the measure that a limit is on, from any of the keys that can name it."""
    value = table.get(key)
    match key:
        case "outcome":
            names = [outcome.value for outcome in Outcome]
            return OUTCOME + ",".join(_names(value, names, f"{what}: outcome"))
        case "finding":
            names = [kind.value for kind in FindingKind]
            return FINDING + ",".join(_names(value, names, f"{what}: finding"))
        case "figure":
            measure = f"{FIGURE}{value}" if isinstance(value, str) else ""
        case _:
            measure = value if isinstance(value, str) else ""
    if measure == WHOLE or is_measure(measure):
        return measure
    raise UsageError(
        f"{what}: {key} is {_found(value)}; allowed are {', '.join(measure_names())}, {WHOLE}, "
        f"{FIGURE}NAME for a figure whose name ends in its unit, as _ms, _percent or _mwh, or that "
        f"docs/reference/requirements.md names, {PHASE}NAME for a phase of a transition; outcome "
        "and finding name what must not happen."
    )


def _names(value: object, allowed: Sequence[str], what: str) -> list[str]:
    """Return one name or several, each once."""
    names = value if isinstance(value, list) else [value]
    for name in names:
        if name not in allowed:
            raise UsageError(f"{what} is {_found(name)}; allowed are {', '.join(allowed)}.")
    if not names:
        raise UsageError(f"{what} is an empty list; allowed are {', '.join(allowed)}.")
    return list(dict.fromkeys(names))


def _event_limit(table: Mapping[str, object], measure: str, what: str) -> Limit:
    refuse_unknown(table, _EVENT_KEYS, what)
    given = table.get("share_at_most")
    share = _number(given)
    if share is None or not (share == 0 or 0.0001 <= share <= 0.5):
        raise UsageError(
            f"{what}: share_at_most is {_found(given)}; allowed is 0, for no cycle at all, or a "
            "share of the cycles from 0.0001 to 0.5."
        )
    return Limit(measure, Comparison.AT_MOST, share, SHARE, share=1.0 - share if share else None)


def _value_limit(table: Mapping[str, object], measure: str, what: str) -> Limit:
    refuse_unknown(table, _VALUE_KEYS, what)
    sides = [comparison for comparison in Comparison if comparison.value in table]
    if len(sides) != 1:
        found = " and ".join(sides) or "none"
        raise UsageError(
            f"{what}: it has {found} of {', '.join(Comparison)}; exactly one is needed."
        )
    units = units_of(measure)
    # A share of DRIPS has one unit, and needs none to be named; a time has several.
    unit = table.get("unit", units[0] if len(units) == 1 else None)
    if unit not in units:
        raise UsageError(f"{what}: unit is {_found(unit)}; allowed are {', '.join(units)}.")
    return Limit(
        measure=measure,
        comparison=sides[0],
        value=_limit_value(table[sides[0].value], measure, str(unit), f"{what}: {sides[0].value}"),
        unit=str(unit),
        share=_share(table["share"], f"{what}: share") if "share" in table else None,
    )


def _cycles_min(value: object, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _CYCLES_MOST:
        raise UsageError(
            f"{what}: cycles_min is {_found(value)}; a whole number of cycles is needed, 0 to "
            f"{_CYCLES_MOST}."
        )
    return value


def _limit_value(value: object, measure: str, unit: str, what: str) -> int | float:
    number = _number(value)
    if is_rate(measure):
        if number is None or not 0 < number <= _FASTEST:
            raise UsageError(
                f"{what} is {_found(value)}; a number of {unit} above 0 is needed, at most "
                f"{_FASTEST:.0f}."
            )
        return number
    if not is_time(measure):
        if number is None or abs(number) > _LARGEST:
            raise UsageError(
                f"{what} is {_found(value)}; a number of {unit} is needed, at most {_LARGEST:.0f}."
            )
        return round(number * UNIT_BASES[unit])
    limit_ns = None if number is None else round(number * TIME_UNITS_NS[unit])
    # A light that must come before resume complete is a limit below zero.
    least_ns = -_LONGEST_NS if measure == "light_after_complete_ns" else 1
    if limit_ns is None or not least_ns <= limit_ns <= _LONGEST_NS:
        raise UsageError(
            f"{what} is {_found(value, unit)}; allowed is a time above 0, at most 600 s."
        )
    return limit_ns


def _share(value: object, what: str) -> float:
    number = _number(value)
    if number is None or not 0.5 <= number <= 0.9999:
        raise UsageError(f"{what} is {_found(value)}; allowed is a number from 0.5 to 0.9999.")
    return number


def _found(value: object, unit: str = "") -> str:
    """Return what stands in a profile, as a sentence of an error names it: as TOML spells it."""
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return str(value).lower()
    number = isinstance(value, int | float)
    return f"{value!r:.80} {unit}" if unit and number else f"{value!r:.80}"


def _number(value: object) -> float | None:
    # bool is an int to Python, not to a profile.
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _own_kinds(values: object, kinds: tuple[SleepKind, ...], what: str) -> tuple[SleepKind, ...]:
    if values is None:
        return ()
    if not isinstance(values, list):
        raise UsageError(f"{what}: kinds is {_found(values)}; a list of kinds of sleep is needed.")
    own = kinds_of(values, what)
    for kind in own:
        if kind not in kinds:
            raise UsageError(
                f"{what}: {kind.value!r} is not among the kinds of its profile; allowed are "
                f"{', '.join(kinds)}."
            )
    return own


# Assumed: ten minutes are longer than any resume.
LIMIT_MS_MAX = 600_000
# Assumed: bounds memory; far more than a profile needs.
_PROFILE_BYTES_MAX = 65_536
_KEYS = frozenset(
    {
        *("id", "version", "title", "source", "kinds", "limits", "limit", "rule"),
        *("evidence_min", "evidence"),
    }
)
_LIMITS = frozenset({"resume_ms", "bios_advised_ms"})
_RULE = {"ignore_first": False, "limit_fails": False, "guard_band": True, "back_whole": True}
_EVIDENCE = ("any", "real")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

_T = TypeVar("_T", int, str)


def shipped_requirements() -> tuple[str, ...]:
    """Return the names of the profiles that come with the package, sorted."""
    folder = resources.files("resume_rig.analysis") / "requirements"
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_requirement(
    name_or_path: str,
    limit_ms: int | None = None,
    kinds: Sequence[str] | None = None,
    folder: Path | None = None,
    guard_band: bool | None = None,
) -> Requirement:
    """Return a requirement profile.

    Args:
        name_or_path: a name in `folder`, a shipped name, or the path of a TOML file (it ends in
            .toml).
        limit_ms: instead of the profile's limit on BIOS + drivers, 1..600000.
        kinds: instead of the profile's kinds, and those of its limits.
        folder: has profiles of the user's own as NAME.toml.
        guard_band: instead of the profile's rule.

    Raises:
        UsageError: no such profile, not of its form, or an override that is not allowed.
    """
    what = f"Reading the requirement profile {name_or_path!r}"
    placed = _placed(name_or_path, folder)
    content = _read(placed)
    profile = _parse(content, what)
    _refuse_borrowed(placed, profile.id, content, what)
    what = f"Changing the requirement {profile.id}"
    if limit_ms is not None:
        limit = _limit(limit_ms, "the limit", what)
        if profile.resume_limit_ms is None:
            raise UsageError(
                f"{what}: it has no limit on total resume time that {limit_ms} ms could replace; "
                "name a profile that has one, sysfund-0004 for example."
            )
        profile = replace(profile, resume_limit_ms=limit)
    if kinds is not None:
        further = tuple(replace(limit, kinds=()) for limit in profile.further)
        profile = replace(profile, kinds=kinds_of(kinds, what), further=further)
    return profile if guard_band is None else replace(profile, guard_band=guard_band)


def _placed(name_or_path: str, folder: Path | None) -> str:
    """Return a name as it is, or as the path of a profile in the user's own folder."""
    if folder is None or name_or_path.endswith(".toml") or not _NAME.fullmatch(name_or_path):
        return name_or_path
    own = folder / f"{name_or_path}.toml"
    return str(own) if own.is_file() else name_or_path


def _refuse_borrowed(placed: str, own_id: str, content: bytes, what: str) -> None:
    """Check that a profile has neither the name nor the id of a shipped one, or is that very file.

    Raises:
        UsageError: nobody could distinguish its verdicts from those of the shipped one.
    """
    shipped = {name.casefold(): name for name in shipped_requirements()}
    for has, text in (("name", Path(placed).name.removesuffix(".toml")), ("id", own_id)):
        name = shipped.get(text.casefold())
        if name is not None and content != _shipped(name):
            raise UsageError(
                f"{what}: {placed} has the {has} of a shipped profile, {name}; give it another "
                f"{has}, so that nobody takes the one for the other."
            )


def _shipped(name: str) -> bytes:
    folder = resources.files("resume_rig.analysis") / "requirements"
    return (folder / f"{name}.toml").read_bytes()


def _read(name_or_path: str) -> bytes:
    if name_or_path in shipped_requirements():
        return _shipped(name_or_path)
    if not name_or_path.endswith(".toml"):
        raise UsageError(
            f"Reading the requirement profile {name_or_path!r}: there is none of that name; "
            f"shipped are {', '.join(shipped_requirements())}, others are named by the path of a "
            ".toml file."
        )
    path = Path(name_or_path)
    try:
        if path.exists() and not path.is_file():  # a device never ends, a pipe never begins
            raise UsageError(f"Reading the requirement profile {name_or_path!r}: it is no file.")
        with path.open("rb") as file:
            content = file.read(_PROFILE_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"Reading the requirement profile {name_or_path!r}: {reason}; shipped are "
            f"{', '.join(shipped_requirements())}."
        ) from error
    if len(content) > _PROFILE_BYTES_MAX:
        raise UsageError(
            f"Reading the requirement profile {name_or_path!r}: it is larger than "
            f"{_PROFILE_BYTES_MAX} bytes; a profile is a few lines."
        )
    return content


def _parse(content: bytes, what: str) -> Requirement:
    try:
        table: Mapping[str, object] = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{what}: it is not TOML ({error}).") from error
    refuse_unknown(table, _KEYS, what)
    limits = _own_limits(table, what)
    values = table.get("kinds")
    if not isinstance(values, list):
        raise UsageError(f"{what}: kinds is {_found(values)}; a list of kinds of sleep is needed.")
    kinds = kinds_of(values, what)
    further = limits_of(table["limit"], kinds, what) if "limit" in table else ()
    rule = _rule(table.get("rule", {}), what)
    found = Requirement(
        id=_value(table, "id", str, what),
        version=_value(table, "version", int, what),
        title=_value(table, "title", str, what),
        source=_value(table, "source", str, what),
        kinds=kinds,
        resume_limit_ms=limits.get("resume_ms"),
        bios_advised_ms=limits.get("bios_advised_ms"),
        ignore_first=rule["ignore_first"],
        limit_fails=rule["limit_fails"],
        guard_band=rule["guard_band"],
        further=further,
        evidence_min=_evidence_min(table.get("evidence_min", EVIDENCE_MIN), what),
        back_whole=rule["back_whole"],
        real_only=_real_only(table.get("evidence", _EVIDENCE[0]), what),
    )
    if not any(limit.required for limit in replace(found, back_whole=False).limits()):
        raise UsageError(f"{what}: none of its limits is required, so it can give no verdict.")
    return found


def _own_limits(table: Mapping[str, object], what: str) -> dict[str, int]:
    """Return the limits of [limits], which a profile with a [[limit]] may leave out."""
    limits = table.get("limits")
    if limits is None and "limit" in table:
        return {}
    if limits is None:
        raise UsageError(f"{what}: the table [limits] is missing, and there is no [[limit]].")
    if not isinstance(limits, dict):
        raise UsageError(f"{what}: limits is {_found(limits)}; a table [limits] is needed.")
    refuse_unknown(limits, _LIMITS, f"{what}, [limits]")
    needed = set() if "limit" in table else {"resume_ms"}
    return {name: _limit(limits.get(name), name, what) for name in sorted(needed | set(limits))}


def _evidence_min(value: object, what: str) -> float:
    number = _number(value)
    if number is None or not 0 <= number <= 1:
        raise UsageError(
            f"{what}: evidence_min is {_found(value)}; a share of the cycles that woke is needed, "
            "0 to 1."
        )
    return number


def _real_only(value: object, what: str) -> bool:
    if value not in _EVIDENCE:
        raise UsageError(
            f"{what}: evidence is {_found(value)}; allowed are {', '.join(_EVIDENCE)}."
        )
    return value == _EVIDENCE[1]


def _rule(table: object, what: str) -> dict[str, bool]:
    """Return the switches of [rule], those that are missing as they are without it."""
    if not isinstance(table, dict):
        raise UsageError(f"{what}: rule is {_found(table)}; a table [rule] is needed.")
    refuse_unknown(table, frozenset(_RULE), f"{what}, [rule]")
    for key, value in table.items():
        if not isinstance(value, bool):
            raise UsageError(f"{what}: {key} is {_found(value)}; true or false is needed.")
    return {**_RULE, **table}


def _value(table: Mapping[str, object], key: str, kind: type[_T], what: str) -> _T:
    value = table.get(key)
    # bool is an int to Python, not to a profile.
    if not isinstance(value, kind) or isinstance(value, bool) or value in ("", 0):
        form = "a text" if kind is str else "an integer of 1 or more"
        raise UsageError(f"{what}: {key} is {_found(value)}; {form} is needed.")
    return value


def _limit(value: object, name: str, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= LIMIT_MS_MAX:
        raise UsageError(
            f"{what}: {name} is {_found(value, 'ms')}; allowed are whole milliseconds from 1 to "
            f"{LIMIT_MS_MAX}."
        )
    return value
