"""What a test expects of a campaign, and the sentence that reports how it stands. Pure.

Every function takes the answer of a campaign and returns whether it is as expected; the sentence
is made either way, so that a log shows the figures of what passed, too.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from resume_rig.analysis.answer.campaign import AnsweredCampaign
from resume_rig.analysis.findings.groups import (
    findings_of,
)
from resume_rig.analysis.findings.kinds import ABOUT
from resume_rig.analysis.reconcile.milestones import (
    outside_milestones,
)
from resume_rig.analysis.stats.figures import undecided_text
from resume_rig.analysis.verdict.measures import is_measure, is_rate, measure_names
from resume_rig.analysis.verdict.ruling import COUNTED_AS, LimitAnswer, answer_limit
from resume_rig.model.channel import TRIGGER_WORDS, WakeBy
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.answer import Standing
from resume_rig.model.result.cycle import (
    Correlation,
    IntervalName,
    Outcome,
    OutsideState,
    ReconciledCycle,
)
from resume_rig.model.result.verdict import Comparison, FindingKind, Limit, NotJudged, Verdict
from resume_rig.model.units import NS_PER_S, count_of, percent_up, seconds_text
from resume_rig.report.text.findings import (
    cycle_ranges,
)
from resume_rig.report.text.hostile_text import one_line
from resume_rig.report.text.wording import outcome_words, quantity_text, record_name

_FINDINGS = 3


def phases_text(cycle: ReconciledCycle) -> str:
    """Return where the time of one cycle went, in one line; times in ms, from its trigger on."""
    return "; ".join(part for part in (_outside(cycle), _inside(cycle)) if part)


def explained_cycle(cycle: ReconciledCycle) -> Iterator[str]:
    """Yield lines that explain one cycle: outcome, phases, record, findings."""
    outside = cycle.outside
    why = "" if cycle.why_not is None else f", not judged ({one_line(cycle.why_not)})"
    yield f"cycle {outside.number}: {outcome_words(cycle.outcome)}, {cycle.verdict.value}{why}"
    yield f"  measured     {_outside(cycle) or 'nothing was measured after the trigger'}"
    inside = _inside(cycle)
    name = "no OS record" if cycle.record is None else record_name(cycle.record)
    yield f"  OS-reported  {inside or 'no time'} ({name})"
    if cycle.press_to_resume_complete is not None:
        yield f"  both         resume complete {quantity_text(cycle.press_to_resume_complete)} ms"
    found = findings_of(cycle)
    for finding in found[:_FINDINGS]:
        yield f"  finding      {finding.kind.value}: {one_line(finding.text)}"
        yield f"               {ABOUT[finding.kind].do}"
    if len(found) > _FINDINGS:
        yield f"               ... and {len(found) - _FINDINGS} more findings"


def _outside(cycle: ReconciledCycle) -> str:
    outside = cycle.outside
    at = outside_milestones(outside)
    lines = (
        ("SLP_S3#", at.slp_s3),
        ("PWR_OK", at.pwr_ok),
        ("PLTRST#", at.pltrst),
        ("display on", at.light),
    )
    shown = [f"{name} {quantity_text(each)} ms" for name, each in lines if each is not None]
    if not shown:
        return "" if outside.outcome is Outcome.SLEPT_AND_WOKE else outcome_words(outside.outcome)
    trigger = "press" if outside.wake_by is None else TRIGGER_WORDS[outside.wake_by]
    return " → ".join([trigger, *shown])


def _inside(cycle: ReconciledCycle) -> str:
    record = cycle.record
    if record is None or (record.bios_init_ms is None and record.driver_init_ms is None):
        return ""
    bios = "not reported" if record.bios_init_ms is None else f"{record.bios_init_ms} ms"
    drivers = "not reported" if record.driver_init_ms is None else f"{record.driver_init_ms} ms"
    total = "" if record.resume_ms is None else f" = total {record.resume_ms} ms"
    return f"BIOS init {bios} + device init {drivers}{total}"


_REASON_CHARS = 400


@dataclass(frozen=True, slots=True)
class Expectation:
    """Whether something is as expected, and one sentence that reports how it is.

    Attributes:
        decisive: the cycle that decides, for who wants to explain it; None where there is none.
    """

    ok: bool
    text: str
    decisive: ReconciledCycle | None = None


def expected(text: str, wanted: str, *, ok: bool) -> Expectation:
    """Return whether something is as wanted; where it is not, the sentence names that, too."""
    return Expectation(ok, text if ok else f"{text}; expected {wanted}")


def verdict_is(campaign: AnsweredCampaign, wanted: Verdict = Verdict.PASS) -> Expectation:
    """Return whether the campaign's verdict is `wanted`; the first failure explains it."""
    answer = campaign.answer
    text = f"{answer.verdict.value}: {one_line(answer.text)}"
    if answer.verdict is wanted:
        return Expectation(True, text)
    first = answer.counts.first_wrong or next(iter(answer.counts[Standing.MARGINAL]), None)
    cycles = campaign.correlation.cycles
    failed = None if first is None else cycles[campaign.overview.numbers.index(first)]
    what = "" if wanted is Verdict.PASS else f"expected {wanted.value}, and the verdict is "
    return Expectation(False, f"{what}{_with_phases(text, failed)}", failed)


def time_conforms(answer: Correlation, limit: Limit, wake_by: WakeBy | None = None) -> Expectation:
    """Return whether every cycle (or the limit's share of them) conforms to `limit`.

    Args:
        answer: of the campaign.
        limit: on one measure; see `limit_on`.
        wake_by: only the cycles that this woke; None: all.
    """
    cycles = _woken_by(answer, wake_by)
    found = answer_limit(cycles, limit)
    judgement = found.judgement
    if judgement.verdict is Verdict.PASS:
        return Expectation(True, f"{judgement.why}; the worst took {_value(found)}")
    text = f"{judgement.verdict.value}: {judgement.why}"
    if judgement.broken:
        text += f"; {_numbers(found.failed)} never woke, stayed dark or rebooted"
    if judgement.verdict is Verdict.NO_EVIDENCE and found.why_not:
        text += f"; {_reasons(found.why_not)}"
    if found.worst is not None:
        text += f"; the worst took {_value(found)}"
    return Expectation(False, _with_phases(text, found.worst), found.worst)


def limit_on(
    measure: str,
    limit_ns: int,
    kinds: Collection[SleepKind],
    *,
    comparison: Comparison = Comparison.AT_MOST,
    share: float | None = None,
) -> Limit:
    """Return a limit on a measure of time.

    Args:
        measure: one of `measure_names`, or a figure of an account.
        limit_ns: the limit.
        kinds: of sleep that it is for.
        comparison: the side that conforms.
        share: of the cycles that must, shown with 95 % confidence; None: all.

    Raises:
        UsageError: there is no such measure of time, or no such share.
    """
    if not is_measure(measure) or is_rate(measure):
        names = [name for name in measure_names() if not is_rate(name)]
        raise UsageError(f"{measure!r} is not a measure of time; allowed are {', '.join(names)}")
    if share is not None and not 0.5 <= share <= 0.9999:
        raise UsageError(f"a share of {share:g} of the cycles; allowed are 0.5 to 0.9999")
    unit = "s" if limit_ns and limit_ns % NS_PER_S == 0 else "ms"
    return Limit(measure, comparison, limit_ns, unit, share=share, kinds=tuple(kinds))


def slept_and_woke(answer: Correlation) -> Expectation:
    """Return whether every cycle slept and woke as planned."""
    return _all_of(
        answer.cycles,
        lambda cycle: cycle.outcome is Outcome.SLEPT_AND_WOKE,
        lambda cycle: outcome_words(cycle.outcome),
        "slept and woke",
    )


def came_to(answer: Correlation, outcome: Outcome, at_least: int, at_most: int) -> Expectation:
    """Return whether so many cycles came to an outcome."""
    counts = Counter(cycle.outcome for cycle in answer.cycles)
    listed = ", ".join(f"{n} {outcome_words(each)}" for each, n in counts.items()) or "no cycle"
    n = counts[outcome]
    if at_least <= n <= at_most:
        return Expectation(True, listed)
    wanted = f"{at_least}" if at_least == at_most else f"{at_least} to {at_most}"
    return Expectation(
        False, f"expected {wanted} that {outcome_words(outcome)}, found {n}; outcomes: {listed}"
    )


def wires_show(answer: Correlation, state: OutsideState) -> Expectation:
    """Return whether every cycle was in `state`, as the wires show it."""
    return _all_of(
        answer.cycles,
        lambda cycle: cycle.outside.state is state,
        lambda cycle: f"was in {cycle.outside.state.value}",
        f"was in {state.value} on the wires",
    )


def records_show(answer: Correlation, kind: SleepKind) -> Expectation:
    """Return whether every cycle has an OS record of `kind`."""

    def fault(cycle: ReconciledCycle) -> str:
        return "has no record" if cycle.record is None else f"is {cycle.record.kind.value} to it"

    return _all_of(
        answer.cycles,
        lambda cycle: cycle.record is not None and cycle.record.kind is kind,
        fault,
        f"is {kind.value} to the OS",
    )


def has_records(answer: Correlation) -> Expectation:
    """Return whether every cycle is matched with an OS record, with high certainty."""

    def sure(cycle: ReconciledCycle) -> bool:
        return cycle.certainty is not None and cycle.certainty.level.value == "high"

    def fault(cycle: ReconciledCycle) -> str:
        if cycle.record is None:
            missing = cycle.record_missing
            return f"has none ({'no reason known' if missing is None else missing.value})"
        return "has one that may be another cycle's"

    return _all_of(answer.cycles, sure, fault, "has an OS record of its own")


def has_no_finding(answer: Correlation, kinds: Collection[FindingKind]) -> Expectation:
    """Return whether no cycle has a finding of `kinds`; of any kind where none is named."""

    def of(cycle: ReconciledCycle) -> list[str]:
        found = findings_of(cycle)
        return [
            f"{f.kind.value}: {one_line(f.text, _REASON_CHARS)}"
            for f in found
            if _is(f.kind, kinds)
        ]

    bad = [cycle for cycle in answer.cycles if of(cycle)]
    named = ", ".join(kind.value for kind in kinds) or "any kind"
    if not bad:
        return Expectation(True, f"no finding of {named} in {_cycles(answer.cycles)}")
    text = f"{_numbers([c.outside.number for c in bad])}: {of(bad[0])[0]}"
    return Expectation(False, _with_phases(text.rstrip("."), bad[0]), bad[0])


def has_finding(answer: Correlation, kind: FindingKind) -> Expectation:
    """Return whether any cycle has a finding of `kind`."""
    numbers = [
        cycle.outside.number
        for cycle in answer.cycles
        if any(finding.kind is kind for finding in findings_of(cycle))
    ]
    if numbers:
        return Expectation(True, f"{kind.value} in {_numbers(numbers)}")
    return Expectation(False, f"no finding of {kind.value} in {_cycles(answer.cycles)}")


def failure_rate_shown(answer: Correlation, at_most: float) -> Expectation:
    """Return whether the judged cycles show, at 95 %, that so few fail or stay undecided."""
    rate = answer.failures
    if rate is None:
        return Expectation(False, "no failure rate: no cycle can be judged")
    text = (
        f"{rate.failures} of {count_of(rate.n, 'judged cycle')} failed or undecided, which shows "
        f"a rate of at most {percent_up(rate.upper)} with 95 % confidence{undecided_text(rate)}"
    )
    return expected(text, f"at most {percent_up(at_most)}", ok=rate.upper <= at_most)


def light_timed_to(answer: Correlation, width_ns: int) -> Expectation:
    """Return whether press to display on is known to +/- `width_ns` (95 %) in every cycle."""

    def timed(cycle: ReconciledCycle) -> bool:
        light = cycle.outside.intervals.get(IntervalName.PRESS_TO_LIGHT)
        return light is not None and light.expanded_ns <= width_ns

    def fault(cycle: ReconciledCycle) -> str:
        light = cycle.outside.intervals.get(IntervalName.PRESS_TO_LIGHT)
        return "has no light" if light is None else f"has it at {quantity_text(light)} ms"

    return _all_of(answer.cycles, timed, fault, f"has its light timed to ±{seconds_text(width_ns)}")


def _all_of(
    cycles: Sequence[ReconciledCycle],
    good: Callable[[ReconciledCycle], bool],
    fault: Callable[[ReconciledCycle], str],
    what: str,
) -> Expectation:
    if not cycles:
        return Expectation(False, f"no cycle {what}: none was measured")
    bad = [cycle for cycle in cycles if not good(cycle)]
    if not bad:
        return Expectation(True, f"every one of {_cycles(cycles)} {what}")
    first = bad[0]
    text = (
        f"{len(bad)} of {_cycles(cycles)} not as expected (every one {what}): "
        f"{_numbers([c.outside.number for c in bad])}; cycle {first.outside.number} {fault(first)}"
    )
    reason = next((f.text for f in findings_of(first)), "")
    return Expectation(
        False, f"{text}: {one_line(reason, _REASON_CHARS)}" if reason else text, first
    )


def _woken_by(answer: Correlation, wake_by: WakeBy | None) -> tuple[ReconciledCycle, ...]:
    cycles = answer.cycles
    return tuple(c for c in cycles if wake_by is None or c.outside.wake_by is wake_by)


def _is(kind: FindingKind, kinds: Collection[FindingKind]) -> bool:
    return not kinds or kind in kinds


def _value(found: LimitAnswer) -> str:
    if found.worst is None or found.value is None:
        return "no time"
    return f"{quantity_text(found.value)} ms (cycle {found.worst.outside.number})"


def _with_phases(text: str, cycle: ReconciledCycle | None) -> str:
    phases = "" if cycle is None else phases_text(cycle)
    if cycle is None or not phases:
        return text
    return f"{text.removesuffix('.')}; cycle {cycle.outside.number}: {phases}"


def _reasons(why_not: Sequence[tuple[int, NotJudged]]) -> str:
    counts = Counter(COUNTED_AS[why.reason] for _, why in why_not)
    listed = ", ".join(f"{n} {why}" for why, n in counts.items())
    return f"{count_of(len(why_not), 'cycle')} not judged ({listed})"


def _numbers(numbers: Sequence[int]) -> str:
    return f"cycle {cycle_ranges(numbers)}"


def _cycles(cycles: Sequence[ReconciledCycle]) -> str:
    return count_of(len(cycles), "cycle")
