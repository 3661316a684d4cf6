"""Figures and series of times, in sentences for a terminal and a page."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.reconcile.hidden_time import BIOS_IS_WRONG
from resume_rig.analysis.stats.figures import summarise
from resume_rig.analysis.verdict.limits import limit_in_unit
from resume_rig.analysis.verdict.measures import (
    Sighting,
    measure_words,
    measured,
    shown_value,
)
from resume_rig.analysis.verdict.series import wires_count
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.cycle import DetectableBios, ReconciledCycle
from resume_rig.model.result.judgement import LimitJudgement
from resume_rig.model.result.series import FailureRate, QuantileInterval, SeriesStatistics
from resume_rig.model.result.verdict import (
    RESUME,
    WORST_FIRST,
    Comparison,
    Limit,
    Statistics,
    Verdict,
)
from resume_rig.model.units import NS_PER_MS, count_of, percent_up
from resume_rig.report.drawing.axis import PRESS, outside_milestones
from resume_rig.report.text.findings import cycle_ranges
from resume_rig.report.text.wording import capitalised


@dataclass(frozen=True, slots=True)
class CampaignSummary:
    """Over the judged cycles; light over those whose wires count (analysis/verdict/series.py).

    None where no cycle has the time.

    Attributes:
        resume: total resume time, OS-reported: what the limit is for.
        complete: trigger to resume complete.
        light: trigger to light: what the user waits for.
    """

    judged: int
    resume: Statistics | None
    complete: Statistics | None
    light: Statistics | None


def campaign_summary(cycles: Collection[ReconciledCycle]) -> CampaignSummary:
    """Return the figures over `cycles`."""
    judged = sum(cycle.judged for cycle in cycles)
    completes = (c.press_to_resume_complete for c in cycles if c.judged)
    return CampaignSummary(
        judged=judged,
        resume=summary_of(time_ms for _, time_ms in resume_times(cycles)),
        complete=summary_of(q.value_ns / NS_PER_MS for q in completes if q is not None),
        light=summary_of(time_ms for _, time_ms in light_times(cycles)),
    )


def resume_times(cycles: Iterable[ReconciledCycle]) -> list[tuple[int, float]]:
    """Return number and total resume time [ms] of each judged cycle whose record has it."""
    found = ((cycle.outside.number, cycle.record) for cycle in cycles if cycle.is_timed)
    return [
        (number, float(record.resume_ms))
        for number, record in found
        if record is not None and record.resume_ms is not None
    ]


def light_times(cycles: Collection[ReconciledCycle]) -> list[tuple[int, float]]:
    """Return number and trigger to light [ms] of the cycles whose wires count in the figures."""
    judged = any(cycle.is_timed for cycle in cycles)
    lit = (cycle for cycle in cycles if wires_count(cycle, judged=judged))
    found = ((cycle.outside.number, outside_milestones(cycle.outside).light) for cycle in lit)
    return [(number, q.value_ns / NS_PER_MS) for number, q in found if q is not None]


def summary_of(times_ms: Iterable[float]) -> Statistics | None:
    """Return the figures; None of nothing."""
    times = list(times_ms)
    return summarise(times) if times else None


_WHOLE_FROM_MS: Final = 100
_MS_OF: Final = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
_DIGITS_MOST: Final = 6  # of a millisecond: a nanosecond
# Who conforms, and who does not.
_SIDES: Final = {
    Comparison.AT_MOST: ("within {}", "over {}"),
    Comparison.BELOW: ("below {}", "{} or more"),
    Comparison.AT_LEAST: ("at least {}", "below {}"),
    Comparison.ABOVE: ("above {}", "{} or less"),
}


def counted_from(measure: str, trigger: str) -> str:
    """Return a measure in words that begin with what it counts from, "lid opening" for one."""
    words = measure_words(measure)
    rest = words.removeprefix(f"{PRESS} to ")
    return words if rest == words else f"{trigger} to {rest}"


def limit_sentence(
    limits: Sequence[LimitJudgement],
    noun: str = "cycle",
    *,
    margin: bool = True,
    trigger: str = PRESS,
) -> str:
    """Return how many keep the limit that decides, and the worst; "" where none has a value.

    Args:
        limits: as judged.
        noun: what has the value, where it is no resume time.
        margin: say how far the worst is from the limit.
        trigger: what the times of the wires count from.
    """
    limit = decisive_limit(limits)
    if limit is None or limit.worst is None:
        return ""
    if limit.limit.share is not None:
        return first_clause(limit.why)
    unit, value, worst = _values(limit.limit, limit.worst)
    is_resume = limit.limit.measure == RESUME
    name = "resumes" if is_resume else f"{noun}s: {counted_from(limit.limit.measure, trigger)}"
    n, text_worst = limit.n + limit.broken, f"the worst {_plain(worst)} {unit}"
    within, beyond = (
        side.format(f"{_plain(value)} {unit}") for side in _SIDES[limit.limit.comparison]
    )
    if limit.failed:
        text = f"{limit.failed} of {n} {name} {beyond}; {text_worst}"
        text += f" ({_plain(worst - value, '+')} {unit})" if margin else ""
        return f"{text}; {limit.broken} did not resume." if limit.broken else f"{text}."
    if limit.broken:
        return f"{limit.broken} of {n} {noun}s did not resume; {text_worst}."
    text = f"{limit.n - limit.marginal} of {n} {name} {within}; {text_worst}"
    return f"{text} (margin {_plain(abs(value - worst))} {unit})." if margin else f"{text}."


def worst_clause(limits: Sequence[LimitJudgement]) -> str:
    """Return the worst value of the limit that decides, e.g. ", the worst 1205 ms"; or ""."""
    worst = worst_value(limits)
    return f", the worst{worst[0] and f' {worst[0]}'} {worst[1]}" if worst else ""


def worst_value(limits: Sequence[LimitJudgement]) -> tuple[str, str] | None:
    """Return of what the limit that decides is, "" for the total resume time, and the worst."""
    limit = decisive_limit([each for each in limits if each.worst is not None])
    if limit is None:
        return None
    unit, _, worst = _values(limit.limit, limit.worst or 0.0)
    words = "" if limit.limit.measure == RESUME else measure_words(limit.limit.measure)
    return words, f"{_plain(worst)} {unit}"


def limited_values(limits: Sequence[Limit], record: OsRecord) -> str:
    """Return what a record has of what is required, but for the total resume time; or ""."""
    found: dict[str, None] = {}
    for limit in limits:
        value = measured(limit.measure, Sighting(record)) if limit.required else None
        if value is None or limit.measure == RESUME:
            continue
        shown = shown_value(limit, value, record)
        unit, _, rounded = _values(limit, shown)
        found[f"{measure_words(limit.measure)} {_plain(rounded)} {unit}"] = None
    return ", ".join(found)


def _values(limit: Limit, shown: float) -> tuple[str, float, float]:
    """Return a unit, the limit and a value in it, which is rounded on its side of the limit."""
    unit, value, digits = limit.unit, limit_in_unit(limit), 2
    if unit in _MS_OF:
        value, shown, unit = limit.value / NS_PER_MS, shown * _MS_OF[unit], "ms"
        digits = 0 if abs(shown) >= _WHOLE_FROM_MS else 1
    while digits < _DIGITS_MOST and shown != value == round(shown, digits):
        digits += 1
    return unit, value, round(shown, digits)


def _plain(value: float, sign: str = "") -> str:
    """Return a number with all of its digits and no exponent."""
    text = f"{value:{sign}.{_DIGITS_MOST}f}"
    return text.rstrip("0").rstrip(".")


def first_clause(why: str) -> str:
    """Return the first clause of what a verdict rests on, as a sentence."""
    return f"{capitalised(why.partition('; ')[0].rstrip('.'))}."


def decisive_limit(limits: Sequence[LimitJudgement]) -> LimitJudgement | None:
    """Return the required limit that the verdict rests on: one that fails before one that holds."""
    required = [each for each in limits if each.limit.required]
    return min(required, key=lambda each: WORST_FIRST.index(each.verdict), default=None)


_HEADLINES: Final = (RESUME, "press_to_light_ns")
_STEPS_SHOWN: Final = 5
_RISK_SHOWN: Final = 0.0005
_COMMON_SHOWN_MS: Final = 0.05
"""Below it is 0 as times are written."""


def statistics_sentences(
    series: Sequence[SeriesStatistics],
    failures: FailureRate | None,
    limits: Sequence[LimitJudgement],
    noun: str,
    trigger: str = PRESS,
) -> Iterator[str]:
    """Yield the figures, and what is not as it should be.

    Args:
        series: of the judged cycles.
        failures: of the judged cycles.
        limits: as judged; their measures are included.
        noun: what a number names, "cycle" or "record".
        trigger: what the times of the wires count from.
    """
    headlines = {*_HEADLINES, *(each.limit.measure for each in limits if each.limit.required)}
    for one in series:
        if one.name in headlines:
            words = counted_from(one.name, trigger)
            yield _figures(one, words)
            yield from _behaviour(one, noun, words)
    if failures is not None and failures.n > 1:
        yield _failures(failures)
    yield from (_risk(each, trigger) for each in limits if _is_risky(each))


def detectable_sentences(
    bios: DetectableBios | None, cycles: Iterable[ReconciledCycle] = ()
) -> Iterator[str]:
    """Yield the least error of BiosInit that would have been found; nothing without a BiosInit.

    Nothing either where nothing of the kind would be, and clock and wires contradict one of
    `cycles` all the same.
    """
    if bios is None:
        return
    always, single = bios.constant_ns, bios.single_ns
    if always is None and single is None:
        if any(map(is_contradicted, cycles)):
            return
        yield "BIOS time: not checked by these logs and signals."
        return
    parts = [
        f"{-(-each_ns // NS_PER_MS)} ms or more in {where}"
        for each_ns, where in ((always, "all cycles"), (single, "a single cycle"))
        if each_ns is not None
    ]
    yield f"BIOS time: an under-report of {' or of '.join(parts)} would be detected."


def is_contradicted(cycle: ReconciledCycle) -> bool:
    """Return whether clock and wires contradict a cycle's BIOS time, or leave no room for it."""
    return cycle.bios_impossible or not BIOS_IS_WRONG.isdisjoint(f.kind for f in cycle.findings)


def _figures(one: SeriesStatistics, words: str) -> str:
    unjudged = "" if one.judged else " of cycles that are not judged"
    return (
        f"{capitalised(words)}, {count_of(one.figures.n, 'value')}{unjudged}:"
        f" median {_quantile(one.median)}; 95th percentile {_quantile(one.p95)}.{_common(one)}"
    )


def _common(one: SeriesStatistics) -> str:
    """Return what of the intervals more cycles would leave as it is."""
    if one.common.common_ms < _COMMON_SHOWN_MS or one.median.low_ms is one.median.high_ms is None:
        return ""
    return (
        f" ±{_ms(one.common.common_ms)} ms of each interval is common to all cycles; more cycles"
        " do not reduce it."
    )


def _quantile(interval: QuantileInterval) -> str:
    value, low, high = (_ms(ms) for ms in (interval.value_ms, interval.low_ms, interval.high_ms))
    sure = f"{interval.confidence * 100:g} %"
    if low is None and high is None:
        return f"{value} ms (confidence interval needs n >= {interval.needed})"
    if low is None or high is None:
        side = f"at least {low}" if high is None else f"at most {high}"
        sure = f"{50 + interval.confidence * 50:g} %"  # one side alone is left half of the rest
        return f"{value} ms, {side} with {sure} confidence (interval needs n >= {interval.needed})"
    return f"{value} ms, {sure} interval {low} to {high}"


def _behaviour(one: SeriesStatistics, noun: str, words: str) -> Iterator[str]:
    if one.warm_up:
        named = cycle_ranges(list(one.warm_up))
        yield f"Warm-up: {words} of {noun} {named} differs from the rest."
    for step in one.change_points[:_STEPS_SHOWN]:
        yield (
            f"Step: from {noun} {step.cycle} on the {words} is {_ms(step.after_ms)} ms instead of"
            f" {_ms(step.before_ms)} ms (p = {step.p:.2g})."
        )
    if len(one.change_points) > _STEPS_SHOWN:
        yield f"... and {len(one.change_points) - _STEPS_SHOWN} more steps of it."
    drift = one.drift
    # A series with a step has a trend, too; the step describes it better.
    if drift is not None and drift.shown and not one.change_points:
        interval = (
            ""
            if drift.low_ms is None or drift.high_ms is None
            else (f", 95 % interval {drift.low_ms:+.3g} to {drift.high_ms:+.3g}")
        )
        yield (
            f"Drift: the {words} changes by {drift.slope_ms:+.3g} ms in 100 cycles{interval}"
            f" (p = {drift.p:.2g})."
        )
    if one.outliers:
        yield (
            f"Outliers, counted like the rest: {words} of {noun}"
            f" {cycle_ranges(list(one.outliers))}."
        )


def _failures(failures: FailureRate) -> str:
    text = f"Failed or undecided: {failures.failures} of {failures.n}"
    if failures.undecided:
        text += f", {failures.undecided} more without evidence, counted as failed in the limit"
    if failures.failures:
        low, high = f"{failures.low * 100:.2g}", percent_up(failures.high)
        return f"{text}; failure rate {low} to {high} (95 % confidence interval)."
    text += f"; upper 95 % confidence limit of the failure rate {percent_up(failures.upper)}"
    if failures.n < failures.needed_for_1_percent:
        needed = failures.needed_for_1_percent
        text += f"; {needed} failure-free cycles demonstrate at most 1 %"
    return f"{text}."


def _is_risky(each: LimitJudgement) -> bool:
    return each.risk is not None and each.risk >= _RISK_SHOWN


def _risk(each: LimitJudgement, trigger: str) -> str:
    wrong = "acceptance" if each.verdict is Verdict.PASS else "rejection"
    return (
        f"Risk of false {wrong}, {counted_from(each.limit.measure, trigger)}: at most"
        f" {percent_up(each.risk or 0.0)}."
    )


def _ms(value_ms: float | None) -> str | None:
    if value_ms is None:
        return None
    return f"{value_ms:.0f}" if abs(value_ms) >= 100 else f"{value_ms:.1f}"
