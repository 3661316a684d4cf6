"""Series of times and failure rates, in sentences for a terminal and a page."""

from collections.abc import Iterator, Sequence
from typing import Final

from resume_rig.analysis.answer.headline import counted_from, in_unit, plain
from resume_rig.analysis.reconcile.milestones import (
    PRESS,
)
from resume_rig.analysis.verdict.measures import (
    Sighting,
    measure_words,
    measured,
    shown_value,
)
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.judgement import LimitJudgement
from resume_rig.model.result.series import FailureRate, QuantileInterval, SeriesStatistics
from resume_rig.model.result.verdict import (
    RESUME,
    Limit,
    Verdict,
)
from resume_rig.model.units import (
    capitalised,
    count_of,
    percent_up,
)
from resume_rig.report.text.findings import cycle_ranges


def limited_values(limits: Sequence[Limit], record: OsRecord) -> str:
    """Return what a record has of what is required, but for the total resume time; or ""."""
    found: dict[str, None] = {}
    for limit in limits:
        value = measured(limit.measure, Sighting(record)) if limit.required else None
        if value is None or limit.measure == RESUME:
            continue
        shown = shown_value(limit, value, record)
        unit, _, rounded = in_unit(limit, shown)
        found[f"{measure_words(limit.measure)} {plain(rounded)} {unit}"] = None
    return ", ".join(found)


JUDGED_TIME: Final = capitalised(measure_words(RESUME))
"""What every face calls the time that is judged, at the beginning of a sentence."""

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
    if one.groups is not None:
        two = one.groups
        yield (
            f"Two groups: {words} is about {_ms(two.low_ms)} ms in {two.low_n} and about"
            f" {_ms(two.high_ms)} ms in {two.high_n} {noun}s, and next to nothing between them."
        )
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
    """Return what the counts show of the failure rate: one bound, the same on every face."""
    text = f"Failed or undecided: {failures.failures} of {failures.n}"
    if failures.undecided:
        text += f", {failures.undecided} more without evidence, counted as failed in the limit"
    text += f"; upper 95 % confidence limit of the failure rate {percent_up(failures.upper)}"
    if failures.upper_in_runs < 1.0:
        text += f", {percent_up(failures.upper_in_runs)} if failures come in runs of ten"
    if not failures.failures and failures.n < failures.needed_for_1_percent:
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
