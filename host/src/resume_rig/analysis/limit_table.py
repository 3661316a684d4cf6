"""Reads a [[limit]] of a requirement profile: what it is on, which side conforms, how many must."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from resume_rig.analysis.measures import (
    FIGURE,
    TIME_UNITS_NS,
    is_measure,
    is_rate,
    measure_names,
    units_of,
)
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SLEEPS, SleepKind
from resume_rig.model.requirement import Comparison, Limit

LIMITS_MOST: Final = 50
_KEYS: Final = frozenset(
    {"measure", "unit", "demand", "share", "confidence", "kinds", *(c.value for c in Comparison)}
)
_DEMANDS: Final = ("required", "advised")
# The same reach as that of [limits]: ten minutes; no disk reads a million pages in 1 ms.
_LONGEST_NS: Final = 600 * TIME_UNITS_NS["s"]
_FASTEST: Final = 1e6


def refuse_unknown(table: Mapping[str, object], known: frozenset[str], what: str) -> None:
    """Check that a table has no key but the known ones.

    Raises:
        UsageError: it has one; the sentence names it and those that are allowed.
    """
    unknown = sorted(set(table) - known)
    if unknown:
        raise UsageError(
            f"{what}: {unknown[0]!r} is not a key of it; allowed are {', '.join(sorted(known))}."
        )


def kinds_of(values: Sequence[object], what: str) -> tuple[SleepKind, ...]:
    """Return kinds of sleep by their names, each once.

    Raises:
        UsageError: one is none, or there is none.
    """
    allowed = {kind.value: kind for kind in SLEEPS}
    for value in values:
        if not isinstance(value, str) or value not in allowed:
            raise UsageError(
                f"{what}: {value!r} is not a kind of sleep; allowed are {', '.join(allowed)}."
            )
    if not values:
        raise UsageError(f"{what}: no kind of sleep is named; allowed are {', '.join(allowed)}.")
    return tuple(dict.fromkeys(allowed[str(value)] for value in values))


def limits_of(tables: object, kinds: tuple[SleepKind, ...], what: str) -> tuple[Limit, ...]:
    """Return the limits of the [[limit]] tables of a profile.

    Args:
        tables: as TOML gives them.
        kinds: of the profile; a limit may be for some of them.
        what: begins the sentence of an error.

    Raises:
        UsageError: one is not of the form that docs/reference/requirements.md tells.
    """
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{what}: limit is {tables!r:.80}; tables [[limit]] are needed.")
    if len(tables) > LIMITS_MOST:
        raise UsageError(
            f"{what}: it has {len(tables)} tables [[limit]]; allowed are {LIMITS_MOST}."
        )
    return tuple(
        _limit(table, kinds, f"{what}, [[limit]] {number}")
        for number, table in enumerate(tables, start=1)
    )


def _limit(table: Mapping[str, object], kinds: tuple[SleepKind, ...], what: str) -> Limit:
    refuse_unknown(table, _KEYS, what)
    measure = table.get("measure")
    if not isinstance(measure, str) or not is_measure(measure):
        raise UsageError(
            f"{what}: measure is {measure!r:.80}; allowed are {', '.join(measure_names())}, and "
            f"{FIGURE}NAME for a figure whose name ends in _ns, _us, _ms or _s."
        )
    sides = [comparison for comparison in Comparison if comparison.value in table]
    if len(sides) != 1:
        found = " and ".join(sides) or "none"
        raise UsageError(
            f"{what}: it has {found} of {', '.join(Comparison)}; exactly one is needed."
        )
    unit, units = table.get("unit"), units_of(measure)
    if unit not in units:
        raise UsageError(f"{what}: unit is {unit!r:.80}; allowed are {', '.join(units)}.")
    demand = table.get("demand", _DEMANDS[0])
    if demand not in _DEMANDS:
        raise UsageError(f"{what}: demand is {demand!r:.80}; allowed are {', '.join(_DEMANDS)}.")
    return Limit(
        measure=measure,
        comparison=sides[0],
        value=_value(table[sides[0].value], measure, str(unit), f"{what}: {sides[0].value}"),
        unit=str(unit),
        required=demand == _DEMANDS[0],
        share=_share(table["share"], f"{what}: share") if "share" in table else None,
        confidence=_share(table.get("confidence", 0.95), f"{what}: confidence"),
        kinds=_own_kinds(table.get("kinds"), kinds, what),
    )


def _value(value: object, measure: str, unit: str, what: str) -> int | float:
    number = _number(value)
    if is_rate(measure):
        if number is None or not 0 < number <= _FASTEST:
            raise UsageError(
                f"{what} is {value!r:.80}; a number of {unit} above 0 is needed, at most "
                f"{_FASTEST:.0f}."
            )
        return number
    limit_ns = None if number is None else round(number * TIME_UNITS_NS[unit])
    # A light that must come before resume complete is a limit below zero.
    least_ns = -_LONGEST_NS if measure == "light_after_complete_ns" else 1
    if limit_ns is None or not least_ns <= limit_ns <= _LONGEST_NS:
        raise UsageError(
            f"{what} is {value!r:.80} {unit}; allowed is a time above 0, at most 600 s."
        )
    return limit_ns


def _share(value: object, what: str) -> float:
    number = _number(value)
    if number is None or not 0.5 <= number <= 0.9999:
        raise UsageError(f"{what} is {value!r:.80}; allowed is a number from 0.5 to 0.9999.")
    return number


def _number(value: object) -> float | None:
    # bool is an int to Python, not to a profile.
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _own_kinds(values: object, kinds: tuple[SleepKind, ...], what: str) -> tuple[SleepKind, ...]:
    if values is None:
        return ()
    if not isinstance(values, list):
        raise UsageError(f"{what}: kinds is {values!r:.80}; a list of kinds of sleep is needed.")
    own = kinds_of(values, what)
    for kind in own:
        if kind not in kinds:
            raise UsageError(
                f"{what}: {kind.value!r} is not among the kinds of its profile; allowed are "
                f"{', '.join(kinds)}."
            )
    return own
