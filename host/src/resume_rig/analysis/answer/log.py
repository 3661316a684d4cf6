"""The answer of OS logs alone: how many keep the limit, how the PC sleeps, what leads to a verdict.

Its transitions have one numbering, which every face shows: in the order of the log, from 1, or from
0 where the first one is ignored, as S3Resume counts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Final

from resume_rig.analysis.answer.campaign import as_sentence, slower_part
from resume_rig.analysis.answer.headline import (
    Figures,
    Worst,
    WorstOf,
    all_ignored,
    bound_sentence,
    decisive_limit,
    failure_bound,
    first_short,
    headline,
    judged_limit,
    limit_figures,
    margin_sentence,
    not_real,
    plain,
    reason_of,
)
from resume_rig.analysis.answer.next_step import (
    counted_kinds,
    has_what_is_limited,
    next_step,
    required_measures,
)
from resume_rig.analysis.reconcile.milestones import PRESS
from resume_rig.analysis.verdict.judge import (
    became_boots,
    bios_advice,
    damage,
    hybrid_lead,
    is_unseen_whole,
    left_out,
    near_the_limit,
)
from resume_rig.analysis.verdict.measures import Sighting, measure_words
from resume_rig.model.os_record import NO_SLEEPS, UNFINISHED, SleepKind, kind_count, kind_words
from resume_rig.model.result.answer import (
    Answer,
    Cause,
    CauseKind,
    Counts,
    DoubtKind,
    DoubtOf,
    Reason,
    Standing,
    Subject,
    Team,
    Unseen,
    UnseenKind,
)
from resume_rig.model.result.judgement import JudgedRecord, LimitJudgement, LogJudgement
from resume_rig.model.result.verdict import RESUME, Verdict, WhyNot
from resume_rig.model.units import NS_PER_MS, capitalised, count_of, listed

_UNBOUND: Final = frozenset(
    {
        Reason.SHARE_SHOWN,
        Reason.SHARE_MISSED,
        Reason.SHARE_OPEN,
        Reason.TOO_FEW_MEASURED,
        Reason.SLOW_UNMEASURED,
    }
)
_SAYS_WHY: Final = _UNBOUND | {Reason.NOT_WHOLE, Reason.HAPPENED, Reason.TOO_FEW_CYCLES}
"""Reasons of which the headline is less than the limit's own clause."""
_JUDGED: Final = {
    Verdict.PASS: Standing.PASSED,
    Verdict.FAIL: Standing.FAILED,
    Verdict.MARGINAL: Standing.MARGINAL,
    Verdict.NO_EVIDENCE: Standing.UNDECIDED,
}
_LEFT_OUT: Final = {
    WhyNot.IGNORED_FIRST: Standing.IGNORED,
    WhyNot.IGNORED_BY_LISTING: Standing.IGNORED,
    WhyNot.NOT_COVERED: Standing.NOT_COVERED,
    WhyNot.FROM_IMAGE: Standing.NOT_COVERED,
}


_IGNORED: Final = frozenset({WhyNot.IGNORED_FIRST, WhyNot.IGNORED_BY_LISTING})


@dataclass(frozen=True, slots=True)
class AnsweredLog:
    """Judged logs with their answer: what every face of a log paints.

    Attributes:
        numbers: of each transition of `judgement.cycles`.
        units: of transitions of several computers, each one's with its answer; else empty.
    """

    judgement: LogJudgement
    answer: Answer
    numbers: Sequence[int]
    units: tuple["AnsweredLog", ...] = ()


def standing_of_record(cycle: JudgedRecord) -> Standing:
    """Return how a transition of a log counts."""
    if cycle.unjudged is None:
        return _JUDGED[cycle.verdict]
    if (standing := _LEFT_OUT.get(cycle.unjudged.reason)) is not None:
        return standing
    return Standing.UNDECIDED if cycle.undecided else Standing.NO_TRIAL


def transition_numbers(cycles: Sequence[JudgedRecord]) -> range:
    """Return the number of each transition of a log."""
    first = cycles[0].unjudged if cycles else None
    ignored = first is not None and first.reason in _IGNORED
    start = 0 if ignored else 1
    return range(start, start + len(cycles))


def answered_log(judgement: LogJudgement, numbers: Sequence[int] = ()) -> AnsweredLog:
    """Return judged logs with their answer.

    Args:
        judgement: of the logs.
        numbers: of its transitions, where they are some of more; else they are counted here.
    """
    numbers = numbers or transition_numbers(judgement.cycles)
    decisive = decisive_limit(judgement.limits)
    counts = _counts(judgement, numbers)
    worst = WorstOf(None if decisive is None else decisive.limit)
    for number, cycle in zip(numbers, judgement.cycles, strict=True):
        if cycle.judged:
            worst.add(number, Sighting(cycle.record))
    reason, figures, sentence = _reason(judgement, counts, decisive)
    judged = None if decisive is None else judged_limit(decisive, PRESS, worst.found)
    answer = Answer(
        verdict=judgement.verdict,
        reason=reason,
        figures=figures,
        headline=sentence,
        why=tuple(_why(judgement, decisive, reason, worst.found)),
        subject=_subject(judgement),
        counts=counts,
        causes=tuple(_causes(judgement, counts, decisive, reason)),
        limit=judged,
        failures=failure_bound(judgement.failures),
        doubts=tuple(_doubts(judgement, counts)),
        unseen=tuple(_unseen(judgement)),
    )
    units = _units(judgement, numbers)
    if units:
        # What is said of all together would be of no computer: the worst one leads.
        worst_unit = next(each for each in units if each.answer.verdict is judgement.verdict)
        answer = replace(
            worst_unit.answer,
            headline=_headline_of(units),
            why=tuple(_why_of(units)),
            subject=answer.subject,
            counts=answer.counts,
            failures=None,
        )
    return AnsweredLog(judgement, answer, numbers, units)


def _units(judgement: LogJudgement, numbers: Sequence[int]) -> tuple[AnsweredLog, ...]:
    """Return the answer of each of several computers; transitions keep their numbers."""
    if not judgement.units:
        return ()
    number_of = dict(zip(map(id, judgement.reading.records), numbers, strict=True))
    return tuple(
        answered_log(unit, [number_of[id(record)] for record in unit.reading.records])
        for unit in judgement.units
    )


def _headline_of(units: Sequence[AnsweredLog]) -> str:
    """Return the verdict of each computer, by its name; of many how many have which."""
    count = count_of(len(units), "computer")
    named = (f"{computer_of(each)} {each.answer.verdict}" for each in units)
    verdicts = [each.answer.verdict for each in units]
    each_verdict = (f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts))
    return first_short(
        (f"{count}, each judged alone: {listed(named)}.", f"{count}: {listed(each_verdict)}.")
    )


def _why_of(units: Sequence[AnsweredLog]) -> Iterator[str]:
    for each in units:
        yield " ".join((f"{computer_of(each)}: {each.answer.headline}", *each.answer.why))


def computer_of(log: AnsweredLog) -> str:
    """Return what the computer of a log is called, as it stands there: hostile."""
    return next(iter(log.judgement.reading.computers), "") or "no name"


def _counts(judgement: LogJudgement, numbers: Sequence[int]) -> Counts:
    by: dict[Standing, list[int]] = {}
    for number, cycle in zip(numbers, judgement.cycles, strict=True):
        by.setdefault(standing_of_record(cycle), []).append(number)
    failed = tuple(by.get(Standing.FAILED, ()))
    standings = {standing: tuple(of) for standing, of in by.items()}
    return Counts(total=len(numbers), by=standings, wrong=failed)


def _noun(judgement: LogJudgement) -> str:
    """Return what is judged, several of it."""
    kinds = {cycle.record.kind for cycle in judgement.cycles if cycle.judged}
    if not kinds <= NO_SLEEPS:
        return "sleeps"
    return f"{next(iter(kinds)).value}s" if len(kinds) == 1 else "transitions"


def _reason(
    judgement: LogJudgement, counts: Counts, decisive: LimitJudgement | None
) -> tuple[Reason, Figures, str]:
    requirement = judgement.requirement
    if requirement.real_only:
        return Reason.NOT_REAL, {"requirement": requirement.id}, not_real(None)
    if decisive is None:
        sentence = f"{requirement.id} requires nothing, so nothing is judged."
        return Reason.NOTHING_REQUIRED, {"requirement": requirement.id}, sentence
    if counts.judged:
        reason = reason_of(decisive)
        figures = limit_figures(decisive, _noun(judgement), PRESS, requirement.evidence_min)
        return reason, figures, headline(reason, figures)
    reason, sentences = _nothing_judged(judgement, counts)
    return reason, {"n": counts.total}, first_short(sentences)


def _nothing_judged(judgement: LogJudgement, counts: Counts) -> tuple[Reason, list[str]]:
    kinds, covered = counted_kinds(judgement), judgement.requirement.kinds
    if not kinds:
        delayed = sum(c.record.kind is SleepKind.STANDBY_PERFORMANCE for c in judgement.cycles)
        only = f"No sleep here, only {count_of(delayed, 'record')} of what delayed one."
        unclear = any(each.integrity.not_understood for each in judgement.reading.sources)
        nothing = "No sleep was understood here." if unclear else "No sleep here."
        return Reason.NO_TRANSITION, [only if delayed else nothing]
    if counts.total == counts.n(Standing.IGNORED):
        return Reason.ALL_IGNORED, [all_ignored(counts.total, "transition")]
    own = [kind for kind in kinds if kind in covered]
    found = listed(kind_count(kinds[kind], kind) for kind in own or kinds)
    if not own:
        return Reason.NOT_COVERED, [
            f"No {listed(map(kind_words, covered), 'or')}, only {found}.",
            f"{judgement.requirement.id} covers no sleep here: {found}.",
            f"{judgement.requirement.id} covers none of {counts.total} transitions.",
            f"The requirement covers none of {counts.total} transitions.",
        ]
    measures = required_measures(judgement)
    if odd := _contradicting(judgement):
        text = f"{odd} of {found} with times that exclude each other."
    elif UNFINISHED.issuperset(own):
        text = f"{found} here, of which there is no time."
    elif has_what_is_limited(judgement):
        text = f"No transition that counts here: {found}."
    elif RESUME in measures or not measures:
        text = f"No resume time here: {found}."
    else:
        text = f"{capitalised(listed(map(measure_words, measures)))} not measured here: {found}."
    return Reason.NOT_MEASURED, [
        text,
        f"None of {counts.total} transitions has a time that can be judged.",
    ]


def _contradicting(judgement: LogJudgement) -> int:
    """Return how many transitions have times that exclude each other, or are doubted for that."""
    reasons = {WhyNot.CONTRADICTS_ITSELF, WhyNot.DOUBTED}
    return sum(c.unjudged is not None and c.unjudged.reason in reasons for c in judgement.cycles)


def _why(
    judgement: LogJudgement,
    decisive: LimitJudgement | None,
    reason: Reason,
    worst: Worst | None,
) -> Iterator[str]:
    """Yield what was not understood, then what the verdict rests on besides its headline."""
    cycles, requirement = judgement.cycles, judgement.requirement
    for source in judgement.reading.sources:
        yield from source.integrity.not_understood
    judged = [cycle.record for cycle in cycles if cycle.judged]
    kinds = [record.kind for record in judged]
    if kinds and not NO_SLEEPS.issuperset(kinds):
        yield _how_it_sleeps(judgement, kinds)
    if hybrid_lead(kinds, requirement):
        yield f"Hybrid sleep resumes from S3, so {requirement.id} covers it."
    if decisive is not None and decisive.worst is not None and decisive.limit.share is None:
        yield margin_sentence(judged_limit(decisive, PRESS, worst), "transition")
    bound = failure_bound(judgement.failures)
    if decisive is not None and reason in _SAYS_WHY:
        yield as_sentence(decisive.why)
    if reason in _UNBOUND:
        bound = None  # the limit says it
    if bound is not None and (sentence := bound_sentence(bound, f"{_noun(judgement)}")):
        yield sentence
    others = [each for each in judgement.limits if each is not decisive and each.limit.required]
    clauses = [
        *near_the_limit(judged, requirement),
        *(each.why for each in others if not is_unseen_whole(each)),
        *bios_advice(judged, requirement),
        *became_boots([cycle for cycle in cycles if cycle.judged]),
        *left_out(cycles, requirement, judgement.repeated),
        *damage(judgement.reading),
    ]
    yield from map(as_sentence, clauses)


def _how_it_sleeps(judgement: LogJudgement, judged: Sequence[SleepKind]) -> str:
    who = "This PC uses" if len(judgement.reading.sources) == 1 else "These logs have"
    kinds = listed(kind_words(kind) for kind in dict.fromkeys(judged))
    all_kinds = {cycle.record.kind for cycle in judgement.cycles}
    lacks = SleepKind.S3 in judgement.requirement.kinds and SleepKind.S3 not in all_kinds
    return f"{who} {kinds}{', no S3' if lacks else ''}."


def _subject(judgement: LogJudgement) -> Subject:
    sources = judgement.reading.sources
    names = [text for source in sources for name, text in source.identity if name == "computer"]
    builds = dict.fromkeys(f"OS build {each.os_build}" for each in sources if each.os_build)
    records = judgement.reading.records
    times = [at for each in records if (at := each.wake_time_utc_ns or each.sleep_time_utc_ns)]
    return Subject(
        computers=judgement.reading.computers or tuple(dict.fromkeys(names)),
        builds=tuple(builds),
        kinds=tuple(counted_kinds(judgement)),
        first_utc_ns=min(times, default=None),
        last_utc_ns=max(times, default=None),
    )


def _causes(
    judgement: LogJudgement, counts: Counts, decisive: LimitJudgement | None, reason: Reason
) -> Iterator[Cause]:
    slow = _too_slow(judgement, counts, decisive)
    if slow is not None:
        yield slow
    if judgement.verdict is Verdict.FAIL and slow is None:
        what = f"{count_of(counts.n(Standing.FAILED), 'transition')} beyond the limit."
        step = "Look at the parts of the worst one."
        numbers = counts[Standing.FAILED]
        yield Cause(CauseKind.SLOW, Team.RIG.value, what, step, "", numbers)
    if judgement.verdict is Verdict.MARGINAL:
        yield _near(counts, decisive)
    if judgement.verdict is Verdict.NO_EVIDENCE:
        yield _missing(judgement, counts, reason)
    rate = judgement.failures
    if judgement.verdict is Verdict.PASS and rate is not None:
        if (undecided := counts[Standing.UNDECIDED]) and not slow:
            what = f"{count_of(len(undecided), 'sleep')} without a time."
            step = "Find out why the log reports none: a slow or failed resume may be among them."
            yield Cause(CauseKind.EVIDENCE, Team.IMAGE.value, what, step, "", undecided)
        left = rate.needed_for_1_percent - rate.n
        if not rate.failures and left > 0:
            more = count_of(left, "more failure-free transition")
            what = f"{more} would demonstrate a rate of at most 1 %."
            yield Cause(CauseKind.CYCLES, Team.RIG.value, what)


def _too_slow(
    judgement: LogJudgement, counts: Counts, decisive: LimitJudgement | None
) -> Cause | None:
    """Return who has to shorten what, where resumes are over the limit."""
    if decisive is None or not decisive.failed or decisive.limit.measure != RESUME:
        return None
    failed = [c.record for c in judgement.cycles if c.judged and c.verdict is Verdict.FAIL]
    if not failed:
        return None
    bios = median(record.bios_init_ms or 0 for record in failed)
    drivers = median(record.driver_init_ms or 0 for record in failed)
    owner, part, took = slower_part(bios, drivers)
    over = plain((decisive.worst or 0.0) - decisive.limit.value / NS_PER_MS)
    by = f"by {over} ms" if decisive.failed == 1 else f"by up to {over} ms"
    many = count_of(decisive.failed, "resume")
    what = f"{many} over the limit, {by}: {part} takes {took:.0f} of {bios + drivers:.0f} ms."
    step = (
        "A trace of one resume names the device: run --trace, or xperf." if drivers > bios else ""
    )
    numbers, time_ns = counts[Standing.FAILED], round(took * NS_PER_MS)
    return Cause(CauseKind.SLOW, owner.value, what, step, "", numbers, time_ns)


def _near(counts: Counts, decisive: LimitJudgement | None) -> Cause:
    numbers = counts[Standing.MARGINAL]
    if decisive is not None and decisive.limit.share is not None:
        what = "The share that is required is neither shown nor missed."
        step = "Read a longer log: more transitions decide it."
        return Cause(CauseKind.CYCLES, Team.RIG.value, what, step, "", numbers)
    what = f"{count_of(len(numbers), 'transition')} too near the limit for the rounding of the OS."
    step = "Shorten the resume, or measure it by a rig."
    return Cause(CauseKind.NEAR, Team.RIG.value, what, step, "", numbers)


def _missing(judgement: LogJudgement, counts: Counts, reason: Reason) -> Cause:
    """Return what is missing for a verdict, and the step that leads to one."""
    undecided = counts[Standing.UNDECIDED]
    if counts.judged:
        what = f"{count_of(len(undecided), 'transition')} without a time."
        step = "Find out why the log reports none: a slow or failed resume may be among them."
        if not undecided:
            what, step = "Too few transitions are judged.", "Read a longer log."
        return Cause(CauseKind.EVIDENCE, Team.IMAGE.value, what, step, "", undecided)
    step = next_step(judgement)
    if not step and _contradicting(judgement):
        step = "Ask the owner of the time what it counts, or measure the resume by a rig."
    numbers = counts[Standing.NOT_COVERED] if reason is Reason.NOT_COVERED else undecided
    kind = CauseKind.COVERAGE if reason is Reason.NOT_COVERED else CauseKind.EVIDENCE
    if reason is Reason.ALL_IGNORED:
        step = "Judge the ignored ones, too, or name a requirement that ignores none."
    if not step:
        step = "Read a log with transitions that count, or name another requirement."
    return Cause(kind, Team.RIG.value, step, "", "", numbers)


def _doubts(judgement: LogJudgement, counts: Counts) -> Iterator[DoubtOf]:
    broken = [each for each in judgement.reading.sources if not each.integrity.ok]
    if broken:
        names = ", ".join(Path(each.path).name for each in broken[:3])
        yield DoubtOf(DoubtKind.INCOMPLETE, f"Log not complete: {names}")
    undecided = counts[Standing.UNDECIDED]
    if undecided:
        text = f"{count_of(len(undecided), 'sleep')} without a time"
        yield DoubtOf(DoubtKind.NO_TIME, text, undecided)


def _unseen(judgement: LogJudgement) -> Iterator[Unseen]:
    """Yield what no log can show."""
    if judgement.cycles:
        text = "time that no log reports: from the press to PLTRST#, and until the display is on"
        yield Unseen(UnseenKind.WIRES, as_sentence(text))
        text = "whether BIOS times are right: no wire was measured"
        yield Unseen(UnseenKind.BIOS_TIME, as_sentence(text))
        text = "what woke it without being asked, and whether all devices came back"
        yield Unseen(UnseenKind.DEVICES, as_sentence(text))
