"""How the figures of a product go over its builds or weeks, and where they change.

The unit is what repeats, not the cycle: a point is compared with all points since the last change,
by the units that were measured at both (paired), or by Welch's test where fewer than three were.
docs/reference/trend.md has the methods.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np

from resume_rig.analysis.compare.fleet import worst
from resume_rig.analysis.compare.samples import rounding_ms_of
from resume_rig.analysis.stats.dependence import tau_of_counts
from resume_rig.analysis.stats.figures import (
    failure_rate,
    mean_interval,
    student_t_beyond,
    student_t_tails,
)
from resume_rig.analysis.stats.trend import fisher_p
from resume_rig.model.evidence import band_of
from resume_rig.model.result.fleet import (
    Carrier,
    Repeats,
    SessionTimes,
    Trait,
    Trend,
    TrendBy,
    TrendCell,
    TrendChange,
    TrendFigure,
    TrendGroup,
    TrendPoint,
    TrendSession,
    TrendUnit,
)
from resume_rig.model.result.series import CommonTerm
from resume_rig.model.result.verdict import WORST_FIRST, Verdict
from resume_rig.model.units import count_of

# Of trends in which nothing changes, one in a hundred names a change. Assumed, as of `fleet`.
ALPHA: Final = 0.01
PAIRED_LEAST: Final = 3
"""Units at both points from which on each is its own reference: with two, Student's t has one
degree of freedom, and finds nothing."""

# Names that a list and a sentence hold. Assumed.
_CARRIERS_MOST: Final = 5
_POINTS_NAMED: Final = 3

Components = Callable[[Sequence[int]], Mapping[int, Mapping[str, float]]]
"""Loads -> of each, the median [ms] of its components by name."""


def trend_of(
    sessions: Mapping[tuple[str, str], Sequence[TrendSession]],
    by: TrendBy,
    measures: Sequence[str],
    requirement: str,
    components: Components,
    *,
    matters: float = 0.05,
    left_out: Sequence[str] = (),
) -> Trend:
    """Return the answer over the sessions of products in sleep states.

    Args:
        sessions: by product and state.
        by: what their points are.
        measures: that are looked at, the first of them is shown in cells.
        requirement: that all were judged against.
        components: is asked for the sessions on both sides of a change.
        matters: the smallest change that matters, as a share of the level before, 0..1.
        left_out: what is not among the sessions.
    """
    sorted_in = {key: _points_of(found) for key, found in sorted(sessions.items())}
    tests = sum((len(points) - 1) * (len(measures) + 1) for points in sorted_in.values())
    groups = [
        _group(key, points, _Asked(measures, components, matters, max(tests, 1)))
        for key, points in sorted_in.items()
    ]
    groups.sort(key=lambda group: (group.first_worse is None, WORST_FIRST.index(group.verdict)))
    verdict, why = _answer(groups, by)
    simulated = {each.load_id: each.simulated for found in sessions.values() for each in found}
    return Trend(
        by=by,
        requirement=requirement,
        measures=tuple(measures),
        groups=tuple(groups),
        verdict=verdict,
        why=why,
        left_out=tuple(left_out),
        band=band_of(tuple(simulated.values()), "campaigns"),
    )


def _answer(groups: Sequence[TrendGroup], by: TrendBy) -> tuple[Verdict, str]:
    what = "build" if by is TrendBy.BIOS else "week"
    found = [(group, change) for group in groups if (change := group.first_worse) is not None]
    tested = sum(group.tested for group in groups)
    if found:
        named = ", ".join(
            f"{change.label or 'no name'} of {group.traits[Trait.PRODUCT] or 'no product'}"
            for group, change in found[:_POINTS_NAMED]
        )
        more = len(found) - _POINTS_NAMED
        return Verdict.FAIL, f"first worse {what}: {named}{f' and {more} more' if more > 0 else ''}"
    if not tested:
        return Verdict.NO_EVIDENCE, f"no {what} could be compared with one before it"
    comparisons = count_of(tested, "comparison")
    return Verdict.PASS, f"no {what} is worse than those before it, in {comparisons}"


class _Asked(NamedTuple):
    """What is asked of each group; `tests` are the comparisons of the whole trend."""

    measures: Sequence[str]
    components: Components
    matters: float
    tests: int


def _points_of(sessions: Iterable[TrendSession]) -> list[tuple[str, list[TrendSession]]]:
    """Return the points in order of their first campaign, each with its sessions in order."""
    found: defaultdict[str, list[TrendSession]] = defaultdict(list)
    for session in sessions:
        found[session.point].append(session)
    for each in found.values():
        each.sort(key=lambda one: (one.begun_utc_ns, one.path))
    return sorted(found.items(), key=lambda each: (each[1][0].begun_utc_ns, each[0]))


def _group(
    key: tuple[str, str], points: list[tuple[str, list[TrendSession]]], asked: _Asked
) -> TrendGroup:
    everything = [session for _, sessions in points for session in sessions]
    changes: list[TrendChange] = []
    tested, untested = 0, []
    measures = asked.measures
    for measure in (None, *measures):
        found, count, missing = _changes(points, measure, asked)
        changes += found
        tested += count
        untested += missing
    place = {label: number for number, (label, _) in enumerate(points)}
    changes.sort(key=lambda change: place[change.label])
    return TrendGroup(
        traits={Trait.PRODUCT: key[0], Trait.STATE: key[1]},
        verdict=worst(session.verdict for session in everything),
        points=tuple(_point(label, sessions, measures) for label, sessions in points),
        changes=tuple(changes),
        units=_units(everything, measures),
        tested=tested,
        untested=tuple(dict.fromkeys(untested)),
    )


def _point(label: str, sessions: Sequence[TrendSession], measures: Sequence[str]) -> TrendPoint:
    figures = (_figure(measure, sessions) for measure in measures)
    return TrendPoint(
        label=label,
        first_utc_ns=sessions[0].begun_utc_ns,
        verdict=worst(session.verdict for session in sessions),
        campaigns=len({session.load_id for session in sessions}),
        units=len({session.unit for session in sessions}),
        cycles=sum(session.cycles for session in sessions),
        failures=failure_rate(
            sum(session.failed for session in sessions),
            sum(session.judged for session in sessions),
            sum(session.undecided for session in sessions),
            tau_of_counts([_counts([session]) for session in sessions]),
        ),
        figures=tuple(figure for figure in figures if figure is not None),
    )


class _Middle(NamedTuple):
    """What one unit, or one campaign, shows of a measure."""

    median_ms: float
    p95_ms: float


_unit = attrgetter("unit")
_campaign = attrgetter("load_id")


def _middles(
    measure: str, sessions: Iterable[TrendSession], key: Callable[[TrendSession], object]
) -> dict[object, _Middle]:
    """Return the middle of each unit (or campaign): its sessions' medians by their cycles."""
    found: defaultdict[object, list[SessionTimes]] = defaultdict(list)
    for session in sessions:
        if measure in session.times:
            found[key(session)].append(session.times[measure])
    return {
        name: _Middle(
            sum(each.median_ms * each.n for each in times) / n,
            sum(each.p95_ms * each.n for each in times) / n,
        )
        for name, times in found.items()
        if (n := sum(each.n for each in times))
    }


def _common(measure: str, sessions: Iterable[TrendSession]) -> CommonTerm:
    terms = [each.times[measure].common for each in sessions if measure in each.times]
    return CommonTerm(
        max((term.rig_ms for term in terms), default=0.0),
        max((term.campaign_ms for term in terms), default=0.0),
    )


def _figure(measure: str, sessions: Sequence[TrendSession]) -> TrendFigure | None:
    times = [session.times[measure] for session in sessions if measure in session.times]
    if not times:
        return None
    repeats, found = Repeats.UNITS, _middles(measure, sessions, _unit)
    if len(found) < 2:
        repeats, found = Repeats.CAMPAIGNS, _middles(measure, sessions, _campaign)
    medians = [each.median_ms for each in found.values()]
    interval = mean_interval(medians, _common(measure, sessions))
    low_ms, high_ms = (None, None) if interval is None else (interval.low_ms, interval.high_ms)
    if len(found) < 2:
        repeats, low_ms, high_ms = Repeats.CYCLES, times[0].low_ms, times[0].high_ms
    return TrendFigure(
        measure=measure,
        value_ms=float(np.mean(medians)),
        low_ms=low_ms,
        high_ms=high_ms,
        p95_ms=float(np.median([each.p95_ms for each in found.values()])),
        max_ms=max(each.max_ms for each in times),
        repeats=repeats,
        n=len(found) if len(found) > 1 else times[0].n,
        cycles=sum(each.n for each in times),
    )


def _changes(
    points: Sequence[tuple[str, list[TrendSession]]],
    measure: str | None,
    asked: _Asked,
) -> tuple[list[TrendChange], int, list[str]]:
    """Return the changes of a measure, how many points were compared, and which could not be.

    P is multiplied by the number of comparisons (Bonferroni): the levels depend on the changes that
    were found, so that a step-down procedure would not know its family.
    """
    found: list[TrendChange] = []
    tested, missing = 0, []
    since = points[0][0]
    level = list(points[0][1])
    for label, sessions in (each for _, each in pairwise(points)):
        change = _failing(level, sessions) if measure is None else _shift(measure, level, sessions)
        if change is None:
            if measure is not None and any(measure in each.times for each in sessions):
                missing.append(
                    f"{label or 'a build without a name'} could not be compared: two units, or two "
                    "campaigns of one unit, are needed there and before it"
                )
            level += sessions
            continue
        tested += 1
        p = min(1.0, change.p * asked.tests)
        enough = abs(change.after - change.before) >= asked.matters * abs(change.before)
        beyond = change.shared < abs(change.after - change.before)
        if p <= ALPHA and enough and beyond and change.after != change.before:
            drivers = (
                ()
                if measure is None
                else _drivers(change.after - change.before, level, sessions, asked.components)
            )
            found.append(_named(measure, (since, label), change, p, drivers))
            since, level = label, list(sessions)
        else:
            level += sessions
    return found, tested, missing


class _Change(NamedTuple):
    """Two sides compared; `units` are before and after of each unit that was measured after."""

    before: float
    after: float
    low: float | None
    high: float | None
    p: float
    paired: bool
    units: Mapping[str, tuple[float, float]]
    shared: float = 0.0


def _failing(level: Sequence[TrendSession], sessions: Sequence[TrendSession]) -> _Change | None:
    """Compare how often judged cycles fail, by Fisher's test."""
    (f0, n0), (f1, n1) = _counts(level), _counts(sessions)
    if not n0 or not n1:
        return None
    units = {
        unit: (f0 / n0, f / n)
        for unit in dict.fromkeys(each.unit for each in sessions)
        for f, n in [_counts([each for each in sessions if each.unit == unit])]
        if n
    }
    p = fisher_p(f1, n1, f0, n0)
    return _Change(f0 / n0, f1 / n1, None, None, p, paired=False, units=units)


def _counts(sessions: Sequence[TrendSession]) -> tuple[int, int]:
    return sum(each.failed for each in sessions), sum(each.judged for each in sessions)


def _shift(
    measure: str, level: Sequence[TrendSession], sessions: Sequence[TrendSession]
) -> _Change | None:
    """Compare the medians of units, or of campaigns where a single unit was measured."""
    shared = _common(measure, level).campaign_ms + _common(measure, sessions).campaign_ms
    step = rounding_ms_of(measure)
    units0, units1 = (
        {str(unit): each.median_ms for unit, each in _middles(measure, side, _unit).items()}
        for side in (level, sessions)
    )
    both = [unit for unit in units1 if unit in units0]
    if len(both) >= PAIRED_LEAST:
        pairs = {unit: (units0[unit], units1[unit]) for unit in both}
        before, after = (float(np.mean([pair[i] for pair in pairs.values()])) for i in (0, 1))
        away = np.asarray([b - a for a, b in pairs.values()])
        error = max(float(away.std(ddof=1)), step) / math.sqrt(len(away))
        return _tested((before, after), error, len(away) - 1, shared, pairs, paired=True)
    sides = [list(units0.values()), list(units1.values())]
    if min(map(len, sides)) < 2:
        sides = [
            [each.median_ms for each in _middles(measure, side, _campaign).values()]
            for side in (level, sessions)
        ]
    if min(map(len, sides)) < 2:
        return None
    before, after = (float(np.mean(side)) for side in sides)
    parts = [max(float(np.var(side, ddof=1)), step**2) / len(side) for side in sides]
    error = math.sqrt(sum(parts))
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(side) - 1) for part, side in zip(parts, sides, strict=True)
    )
    pairs = {unit: (units0.get(unit, before), value) for unit, value in units1.items()}
    return _tested((before, after), error, freedom, shared, pairs, paired=False)


def _tested(
    sides: tuple[float, float],
    error: float,
    freedom: float,
    shared: float,
    units: Mapping[str, tuple[float, float]],
    *,
    paired: bool,
) -> _Change:
    before, after = sides
    half = student_t_beyond(0.05, freedom) * error + shared
    away = after - before
    p = student_t_tails(away / error, freedom)
    return _Change(before, after, away - half, away + half, p, paired, units, shared)


def _named(
    measure: str | None,
    labels: tuple[str, str],
    change: _Change,
    p: float,
    drivers: tuple[Carrier, ...],
) -> TrendChange:
    """Return a change with what carries it; `labels` are since when, and from when on."""
    way = 1.0 if change.after > change.before else -1.0
    carriers = [Carrier(unit, before, after) for unit, (before, after) in change.units.items()]
    carriers.sort(key=lambda each: (-way * each.difference, each.name))
    half = abs(change.after - change.before) / 2
    moved = [each for each in carriers if way * each.difference >= half]
    return TrendChange(
        measure=measure,
        label=labels[1],
        since=labels[0],
        before=change.before,
        after=change.after,
        low=change.low,
        high=change.high,
        p=p,
        paired=change.paired,
        moved=len(moved),
        of=len(carriers),
        units=tuple(moved[:_CARRIERS_MOST]),
        drivers=drivers,
    )


def _drivers(
    shift: float,
    level: Sequence[TrendSession],
    sessions: Sequence[TrendSession],
    components: Components,
) -> tuple[Carrier, ...]:
    """Return the components that changed most, of those that both sides time.

    One that changed by less than a tenth of the whole explains nothing of it.
    """
    way = math.copysign(1.0, shift)
    by_load = components([each.load_id for each in (*level, *sessions)])
    sides = [_component_means(side, by_load) for side in (level, sessions)]
    found = [
        Carrier(name, sides[0][name], after)
        for name, after in sides[1].items()
        if name in sides[0] and way * (after - sides[0][name]) >= max(1.0, abs(shift) / 10)
    ]
    found.sort(key=lambda each: (-way * each.difference, each.name))
    return tuple(found[:_CARRIERS_MOST])


def _component_means(
    sessions: Iterable[TrendSession], by_load: Mapping[int, Mapping[str, float]]
) -> dict[str, float]:
    found: defaultdict[str, list[float]] = defaultdict(list)
    for load_id in sorted({each.load_id for each in sessions}):
        for name, median_ms in by_load.get(load_id, {}).items():
            found[name].append(median_ms)
    return {name: float(np.mean(values)) for name, values in found.items()}


def _units(sessions: Sequence[TrendSession], measures: Sequence[str]) -> tuple[TrendUnit, ...]:
    """Return the units with their cells, the worst first."""
    by_unit: defaultdict[str, defaultdict[str, list[TrendSession]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for session in sessions:
        by_unit[session.unit][session.point].append(session)
    found = [
        TrendUnit(
            unit,
            worst(each.verdict for of_point in points.values() for each in of_point),
            {label: _cell(of_point, measures) for label, of_point in points.items()},
        )
        for unit, points in by_unit.items()
    ]
    found.sort(key=lambda unit: (WORST_FIRST.index(unit.verdict), unit.name))
    return tuple(found)


def _cell(sessions: Sequence[TrendSession], measures: Sequence[str]) -> TrendCell:
    medians = (_middles(measure, sessions, _unit) for measure in measures)
    middle = next((next(iter(found.values())) for found in medians if found), None)
    newest = sorted(sessions, key=lambda each: each.begun_utc_ns, reverse=True)
    failed, judged = _counts(sessions)
    return TrendCell(
        verdict=worst(each.verdict for each in sessions),
        campaigns=len({each.load_id for each in sessions}),
        judged=judged,
        failed=failed,
        median_ms=None if middle is None else middle.median_ms,
        reports=tuple(dict.fromkeys(each.report for each in newest if each.report is not None)),
    )
