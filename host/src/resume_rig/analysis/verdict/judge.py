"""Judges OS records against a requirement, and words what a log's or a campaign's verdict rests on.

`judge_log` is the whole of `resume-rig log`. docs/reference/requirements.md has the decision rules.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from resume_rig.analysis.ledger.contradictions import contradiction, doubted
from resume_rig.analysis.ledger.ledger import ledger_of
from resume_rig.analysis.reconcile.thresholds import VALUE_BOUND_MS, figure_of, reported
from resume_rig.analysis.stats.dependence import tau_of_failures
from resume_rig.analysis.stats.figures import failure_rate, failure_rate_upper, summarise
from resume_rig.analysis.verdict.limits import (
    Conformity,
    conformity,
    conformity_of,
    judge_limits,
    verdict_of_limits,
)
from resume_rig.analysis.verdict.measures import Sighting, measure_words
from resume_rig.analysis.verdict.missing import awake_beside
from resume_rig.analysis.verdict.series import log_series
from resume_rig.model.os_record import (
    LONGEST_FIRMWARE_MS,
    NO_SLEEPS,
    Figure,
    LogReading,
    OsRecord,
    SleepKind,
    kind_count,
    kind_words,
)
from resume_rig.model.result.judgement import (
    JudgedRecord,
    KindJudgement,
    LimitJudgement,
    LogJudgement,
)
from resume_rig.model.result.series import Training
from resume_rig.model.result.verdict import (
    RESUME,
    WHOLE,
    WORST_FIRST,
    Comparison,
    Limit,
    NotJudged,
    Requirement,
    Verdict,
    WhyNot,
)
from resume_rig.model.units import NS_PER_MS, capitalised, count_of, percent_up

RESUME_BOUND_MS = 2 * VALUE_BOUND_MS
"""Of a sum of two values that the OS reports in whole milliseconds, of unknown rounding; as one OS
rounds all of them the same way, the guard band holds all of it."""


NOT_COVERED = "not covered by this requirement"
ABSURD_BIOS = "bios_init_absurd_ms"
"""Figure of a judged record: the BIOS time that it reports and that is no measurement."""
_UNMEASURED = frozenset(
    {
        WhyNot.NOT_REPORTED,
        WhyNot.NOT_TIMED,
        WhyNot.WAKES_BEFORE_SLEEP,
        WhyNot.ABSURD_BIOS,
        WhyNot.CONTRADICTS_ITSELF,
        WhyNot.DOUBTED,
    }
)
"""Reasons of what was read and has no measurement."""


def judge_value(resume_ms: int, requirement: Requirement) -> Verdict:
    """Return the verdict on one resume time; NO-EVIDENCE where the requirement limits none."""
    if requirement.resume_limit_ms is None:
        return Verdict.NO_EVIDENCE
    return conformity(
        reported(0) + reported(resume_ms),  # two parts, each rounded by itself
        requirement.resume_limit_ms * NS_PER_MS,
        Comparison.BELOW if requirement.limit_fails else Comparison.AT_MOST,
        guard_band=requirement.guard_band,
    ).verdict


def worst_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict on a group: the worst of those that there is evidence for."""
    if not verdicts or all(verdict is Verdict.NO_EVIDENCE for verdict in verdicts):
        return Verdict.NO_EVIDENCE
    if Verdict.FAIL in verdicts:
        return Verdict.FAIL
    return Verdict.MARGINAL if Verdict.MARGINAL in verdicts else Verdict.PASS


def judge_log(
    reading: LogReading, requirement: Requirement, ignore_first: bool = False
) -> LogJudgement:
    """Return what a log alone shows against a requirement.

    Each transition counts once, whatever records tell of it. One without a time stays in the
    answer, undecided. Damage of a source does not take a verdict back, because what was read was
    read whole; `why` says that records may be missing. Computers are judged each by itself, and
    the verdict is the worst of theirs.

    Args:
        reading: the records.
        requirement: the limits, and the kinds of sleep that they are for.
        ignore_first: leave out the first record of those kinds in each log, as S3Resume does and a
            requirement may demand; sources that overlap are one log.
    """
    ledger = ledger_of(reading)
    whole = _judged(ledger.reading, requirement, ignore_first, repeated=ledger.repeated)
    each = ledger.of_each_computer()
    if len(each) < 2:
        return whole
    units = tuple(_judged(of_one, requirement, ignore_first) for _, of_one in each)
    verdicts = [unit.verdict for unit in units]
    worst = next((each for each in WORST_FIRST if each in verdicts), Verdict.NO_EVIDENCE)
    return replace(whole, units=units, verdict=worst)


def _judged(
    reading: LogReading, requirement: Requirement, ignore_first: bool, *, repeated: int = 0
) -> LogJudgement:
    ignore_first = ignore_first or requirement.ignore_first
    first = _first_of_each_log(reading, requirement) if ignore_first else frozenset()
    required = [each for each in requirement.limits() if each.required and not each.is_event]
    believable = [believed(record) for record in reading.records]
    odd = doubted(believable)
    cycles = tuple(
        _judge_record(record, requirement, required, doubt=odd.get(index), first=index in first)
        for index, record in enumerate(believable)
    )
    judged = [cycle for cycle in cycles if cycle.judged]
    records = [cycle.record for cycle in judged if not cycle.record.failed]
    failed = sum(cycle.verdict is not Verdict.PASS for cycle in judged)
    open_ones = [cycle.record for cycle in cycles if cycle.undecided]
    tau = tau_of_failures(
        [cycle.verdict is not Verdict.PASS for cycle in cycles if cycle.judged or cycle.undecided]
    )
    limits = judge_limits(
        requirement,
        [Sighting(record) for record in records],
        broken=len(judged) - len(records),
        undecided=[(Sighting(each), frozenset({each.entered_kind})) for each in open_ones],
        tried=[Sighting(record) for record in (*(c.record for c in judged), *open_ones)],
        tau=tau,
        awake=awake_beside(cycles),
    )
    failures = failure_rate(failed, len(judged), len(open_ones), tau)
    refused = why_not_real(requirement, None)  # no log states it
    why = _why(reading, requirement, cycles, limits, repeated)
    return LogJudgement(
        reading=reading,
        requirement=requirement,
        cycles=cycles,
        statistics=summarise(_resume_times(records)),
        verdict=Verdict.NO_EVIDENCE if refused else verdict_of_limits(limits),
        why=f"{refused}; {why}" if refused else why,
        failure_rate_upper=None if failures is None else failures.upper,
        not_covered=_not_covered(
            [record for record in believable if not _died_in_covered(record, requirement)],
            requirement,
        ),
        limits=limits,
        failures=failures,
        series=log_series(cycles, requirement),
        repeated=repeated,
    )


def _first_of_each_log(reading: LogReading, requirement: Requirement) -> frozenset[int]:
    """Return the first covered record of each source; of those that overlap the earliest alone."""
    first: dict[int, int] = {}
    for index, record in enumerate(reading.records):
        if record.entered_kind in requirement.kinds:
            first.setdefault(record.source, index)
    for group in reading.overlaps:
        of_group = [first.pop(source) for source in sorted(group) if source in first]
        if of_group:
            which = first_of([reading.records[index] for index in of_group])
            first[min(group)] = of_group[which]
    return frozenset(first.values())


def first_of(records: Sequence[OsRecord]) -> int:
    """Return the index of the record that one log with all of these begins with.

    A log is in the order of its record numbers; where one has none, times alone order them.
    """
    numbers = [record.record_id for record in records if record.record_id is not None]
    if len(numbers) == len(records):
        return numbers.index(min(numbers))
    times = [record.wake_time_utc_ns or record.written_utc_ns for record in records]
    there = [time_ns for time_ns in times if time_ns is not None]
    return times.index(min(there)) if there else 0


def _judge_record(
    record: OsRecord,
    requirement: Requirement,
    required: Sequence[Limit],
    *,
    doubt: str | None,
    first: bool,
) -> JudgedRecord:
    why_not = why_not_judged(record, requirement)
    if why_not is None and doubt is not None:
        why_not = NotJudged.of(WhyNot.DOUBTED, why=doubt)
    if why_not is None and record.failed and not (first or record.ignored):
        return JudgedRecord(record, judged=True, unjudged=None, verdict=Verdict.FAIL, risk=0.0)
    parts = [] if why_not is not None else _conformities(record, requirement, required)
    did = any(limit.required and limit.is_event for limit in requirement.limits())
    if why_not is None and did and not required:  # of what a log shows, the OS came back
        parts = [Conformity(Verdict.PASS, 1.0)]
    if why_not is None and not parts:
        why_not = _not_measured(record, requirement)
        if (absurd_ms := figure_of(record, ABSURD_BIOS)) is not None:
            why_not = NotJudged.of(WhyNot.ABSURD_BIOS, bios_ms=f"{absurd_ms:.0f}")
    if why_not is None and (first or record.ignored):
        why_not = NotJudged(WhyNot.IGNORED_BY_LISTING if record.ignored else WhyNot.IGNORED_FIRST)
    if why_not is not None:
        return JudgedRecord(
            record,
            judged=False,
            unjudged=why_not,
            verdict=Verdict.NO_EVIDENCE,
            undecided=is_covered(record, requirement) and not (first or record.ignored),
        )
    verdict = worst_of([part.verdict for part in parts])
    risk = max(part.risk for part in parts if part.verdict is verdict)
    return JudgedRecord(record, judged=True, unjudged=None, verdict=verdict, risk=risk)


def believed(record: OsRecord) -> OsRecord:
    """Return a record without a BIOS time that no firmware takes, 2^32 - 1 for example."""
    bios_ms = record.bios_init_ms
    if bios_ms is None or bios_ms <= LONGEST_FIRMWARE_MS:
        return record
    figures = (*record.figures, Figure(ABSURD_BIOS, bios_ms))
    return replace(record, bios_init_ms=None, figures=figures)


def _conformities(
    record: OsRecord, requirement: Requirement, required: Sequence[Limit]
) -> list[Conformity]:
    """Return how a record stands to each required limit that it has a value for."""
    sighting = Sighting(record)
    found = (
        conformity_of(limit, sighting, guard_band=requirement.guard_band) for limit in required
    )
    return [part for part in found if part is not None]


def not_timed(record: OsRecord | None) -> NotJudged | None:
    """Return why a transition that the log shows by other events has no times; else None."""
    if record is None or record.ended is None or not record.notes:
        return None
    return NotJudged.of(WhyNot.NOT_TIMED, why=record.notes[0].removesuffix("."))


def _not_measured(record: OsRecord, requirement: Requirement) -> NotJudged:
    if (untimed := not_timed(record)) is not None:
        return untimed
    limits = [each for each in requirement.limits() if each.required and not each.is_event]
    measures = [limit.measure for limit in limits]
    if measures == [RESUME]:
        values = (("BiosInit", record.bios_init_ms), ("DriverInit", record.driver_init_ms))
        missing = [name for name, value in values if value is None]
    else:
        missing = [measure_words(measure) for measure in measures]
    return NotJudged.of(WhyNot.NOT_REPORTED, missing=" and no ".join(missing))


def is_covered(record: OsRecord, requirement: Requirement) -> bool:
    """Return whether a record is of a sleep that a requirement covers."""
    from_ram = not record.read_its_image or SleepKind.S4 in requirement.kinds
    return record.entered_kind in requirement.kinds and from_ram


def why_not_judged(record: OsRecord, requirement: Requirement) -> NotJudged | None:
    """Return why a record must not be judged against a requirement; None where it may."""
    if _died_in_covered(record, requirement):
        return NotJudged.of(WhyNot.NOT_BACK, kind=kind_words(record.entered_kind))
    if record.kind not in requirement.kinds:
        kind = kind_words(record.kind)
        return NotJudged.of(WhyNot.NOT_COVERED, **covers(requirement), kind=kind)
    if not is_covered(record, requirement):
        return NotJudged(WhyNot.FROM_IMAGE)
    if _wakes_before_it_sleeps(record):
        return NotJudged(WhyNot.WAKES_BEFORE_SLEEP)
    if (odd := contradiction(believed(record))) is not None:
        return NotJudged.of(WhyNot.CONTRADICTS_ITSELF, why=odd)
    return None


def covers(requirement: Requirement) -> dict[str, str]:
    """Return the figures of a reason that names what a requirement covers."""
    return {
        "requirement": requirement.id,
        "covers": " and ".join(map(kind_words, requirement.kinds)),
    }


def _died_in_covered(record: OsRecord, requirement: Requirement) -> bool:
    """Return whether the OS did not come back from a sleep that a requirement covers.

    It did not fail: somebody may have cut the power. It is no evidence either.
    """
    return record.entered_kind is not record.kind and is_covered(record, requirement)


def _wakes_before_it_sleeps(record: OsRecord) -> bool:
    sleep_ns, wake_ns = record.sleep_time_utc_ns, record.wake_time_utc_ns
    return sleep_ns is not None and wake_ns is not None and wake_ns < sleep_ns


def _resume_times(records: Sequence[OsRecord]) -> list[float]:
    return [float(record.resume_ms) for record in records if record.resume_ms is not None]


def _not_covered(
    records: Sequence[OsRecord], requirement: Requirement
) -> tuple[KindJudgement, ...]:
    found: list[KindJudgement] = []
    for kind in SleepKind:
        group = [record for record in records if record.kind is kind]
        if kind in requirement.kinds or not group:
            continue
        found.append(KindJudgement(kind, len(group), summarise(_resume_times(group))))
    return tuple(found)


def _why(
    reading: LogReading,
    requirement: Requirement,
    cycles: Sequence[JudgedRecord],
    limits: Sequence[LimitJudgement],
    repeated: int,
) -> str:
    judged = [cycle for cycle in cycles if cycle.judged]
    lead = ""
    if judged:
        lead = hybrid_lead([cycle.record.kind for cycle in judged], requirement)
        parts = [*became_boots(judged), *event_clauses(limits, failed=True)]
        parts += resume_sentence(limits, requirement)
        parts += near_the_limit([cycle.record for cycle in judged], requirement)
        parts += limit_clauses(limits)
        parts += event_clauses(limits, failed=False)
        parts += bios_advice([cycle.record for cycle in judged], requirement)
        parts = parts or [each.why for each in limits if each.limit.required]
    elif cycles:
        kinds = _either(requirement.kinds)
        which = (
            "the only record is no"
            if len(cycles) == 1
            else f"none of the {len(cycles)} records is a"
        )
        what = "" if NO_SLEEPS.issuperset(requirement.kinds) else "resume from "
        parts = [f"{which} measured {what}{kinds}"]
    else:
        parts = ["there is no record of a sleep"]
    parts += left_out(cycles, requirement, repeated)
    parts += damage(reading)
    return f"{capitalised(lead + '; '.join(parts or ['nothing is required']))}."


def damage(reading: LogReading) -> list[str]:
    """Say that logs are not complete, where any is not."""
    bad = [source.integrity for source in reading.sources if not source.integrity.ok]
    if not bad:
        return []
    problems = count_of(sum(max(1, len(integrity.damage)) for integrity in bad), "problem")
    return [f"the log is incomplete ({problems}), so records may be missing"]


def near_the_limit(records: Sequence[OsRecord], requirement: Requirement) -> list[str]:
    """Say how many verdicts rest on the rounding of the OS, where no guard band keeps them back."""
    guarded = replace(requirement, guard_band=True)
    times = () if requirement.guard_band else _resume_times(records)
    near = sum(judge_value(round(time), guarded) is Verdict.MARGINAL for time in times)
    text = f"{count_of(near, 'resume')} {are(near)} within {RESUME_BOUND_MS} ms of the limit, "
    return [f"{text}where rounding decides (--guard-band: MARGINAL)"] if near else []


def bios_advice(records: Sequence[OsRecord], requirement: Requirement) -> list[str]:
    """Say in how many records the BIOS took longer than is advised."""
    advised_ms = requirement.bios_advised_ms
    if advised_ms is None:
        return []
    over = sum((record.bios_init_ms or 0) > advised_ms for record in records)
    text = f"the BIOS took more than the advised {advised_ms} ms in {count_of(over, 'resume')}"
    return [text] if over else []


def left_out(
    cycles: Sequence[JudgedRecord], requirement: Requirement, repeated: int = 0
) -> list[str]:
    """Say what the verdict does not rest on, and how it could.

    Args:
        cycles: each transition once.
        requirement: what they are judged against.
        repeated: records of transitions that others have, too.
    """
    own = [cycle for cycle in cycles if cycle.record.entered_kind in requirement.kinds]
    reasons = Counter(cycle.unjudged.reason for cycle in own if cycle.unjudged is not None)
    died, absurd = reasons[WhyNot.NOT_BACK], reasons[WhyNot.ABSURD_BIOS]
    unmeasured = sum(reasons[reason] for reason in _UNMEASURED)
    first, marked = reasons[WhyNot.IGNORED_FIRST], reasons[WhyNot.IGNORED_BY_LISTING]
    from_image = reasons[WhyNot.FROM_IMAGE]
    parts = [f"{count_of(first, 'first transition')} ignored"] if first else []
    parts += [f"{count_of(marked, 'transition')} ignored as the listing says"] if marked else []
    parts += [f"{count_of(repeated, 'repeated record')} counted once"] if repeated else []
    if from_image:
        parts.append(f"{count_of(from_image, 'hybrid sleep')} resumed from the image, as S4 does")
    if died:
        parts.append(f"the OS did not come back from {count_of(died, 'sleep')}")
    if unmeasured:
        kinds = _either(requirement.kinds)
        what = f"{count_of(unmeasured, 'record')} of {kinds}"
        what = what if len(requirement.kinds) > 1 else kind_count(unmeasured, requirement.kinds[0])
        parts.append(f"{what} without a measurement")
    odd = [
        dict(each.unjudged.figures)["why"]
        for each in own
        if each.unjudged is not None and each.unjudged.reason is WhyNot.CONTRADICTS_ITSELF
    ]
    if odd:
        they = "contradicts itself" if len(odd) == 1 else "contradict themselves, the first"
        parts.append(f"{count_of(len(odd), 'record')} {they}: {odd[0]}")
    if absurd:
        counts = "counts" if absurd == 1 else "count"
        what = count_of(absurd, "BIOS time")
        parts.append(f"{what} of more than 10 minutes {counts} as not measured")
    others = [c.record.kind for c in cycles if c.record.entered_kind not in requirement.kinds]
    measured = {
        cycle.record.kind
        for cycle in cycles
        if cycle.record.kind not in requirement.kinds and cycle.record.resume_ms is not None
    }
    if others:
        listed = ", ".join(
            kind_count(others.count(kind), kind) + (f" (--kind {kind})" if kind in measured else "")
            for kind in dict.fromkeys(others)
        )
        parts.append(f"{NOT_COVERED}: {listed}")
        parts += became_boots([c for c in cycles if c.record.entered_kind not in requirement.kinds])
    return parts + _missed_deepest(cycles)


def _missed_deepest(cycles: Sequence[JudgedRecord]) -> list[str]:
    """Say in how many sleeps the platform's deepest idle state was not reached."""
    missed = [c.record.kind for c in cycles if figure_of(c.record, "deepest_state_missed")]
    return [
        f"the deepest idle state was not reached in {missed.count(kind)} of"
        f" {kind_count(sum(c.record.kind is kind for c in cycles), kind)}"
        for kind in dict.fromkeys(missed)
    ]


def became_boots(cycles: Sequence[JudgedRecord]) -> list[str]:
    """Say which sleeps ended in a boot instead of a resume, and why, where the log has it."""
    failed = [cycle.record for cycle in cycles if cycle.record.failed]
    found = Counter(record.kind for record in failed)
    reasons = dict.fromkeys(note for record in failed for note in record.notes[:1])
    parts = [f"{kind_count(n, kind)} became a boot" for kind, n in found.items()]
    return [*parts, *(reason.removesuffix(".") for reason in list(reasons)[:1])]


def limit_clauses(limits: Sequence[LimitJudgement]) -> list[str]:
    """Return a clause for each required limit but that on BIOS + drivers, which has a sentence.

    Among others it has a clause, too, where no judged cycle has a value for it.
    """
    required = [each for each in limits if each.limit.required and not each.limit.is_event]
    others = [each for each in required if each.limit.measure != RESUME or each.limit.share]
    without = [each for each in required if each not in others and not each.n] if others else []
    return [each.why for each in (*without, *others)]


def why_not_real(requirement: Requirement, simulated: bool | None) -> str:
    """Return why a requirement that asks for a real PC refuses evidence; "" where it does not."""
    if not requirement.real_only or simulated is False:
        return ""
    found = "this is of a simulated bench" if simulated else "nothing here states what was measured"
    return f"{requirement.id} asks for evidence of a real PC, and {found}"


def event_clauses(limits: Sequence[LimitJudgement], *, failed: bool) -> list[str]:
    """Return a clause for each required limit on what cycles did: those that failed, or others.

    That a PC came back whole is said of no log, which does not show it.
    """
    events = [each for each in limits if each.limit.is_event and each.limit.required]
    return [
        each.why
        for each in events
        if (each.verdict is Verdict.FAIL) is failed and (failed or not is_unseen_whole(each))
    ]


def is_unseen_whole(judged: LimitJudgement) -> bool:
    """Return whether a limit says no more than that the OS of a log came back each time."""
    limit = judged.limit
    usual = limit.measure == WHOLE and limit.share is None and not limit.cycles_min
    return usual and judged.of_log


def training_sentence(training: Training) -> str:
    """Return which boots of a series the prefetcher learnt in."""
    runs = "boot was" if training.runs == 1 else f"{training.runs} boots were"
    span = f"{training.first_ms:.0f}"
    if training.runs > 1:
        span += f" to {training.last_ms:.0f}"
    return (
        f"the first {runs} slower ({span} ms, then {training.trained_ms:.0f} ms): the boot"
        " prefetcher was still learning"
    )


def hybrid_lead(judged: Sequence[SleepKind], requirement: Requirement) -> str:
    """Return the lead of a sentence on judged resumes where hybrid sleeps stand among S3; or "".

    Args:
        judged: the kind of each sleep that counts.
        requirement: what they were judged against.
    """
    hybrid, plain = judged.count(SleepKind.HYBRID), judged.count(SleepKind.S3)
    if not hybrid or SleepKind.S3 not in requirement.kinds:
        return ""
    sleeps = f"{count_of(hybrid, 'hybrid sleep')}, which "
    sleeps += "resumes from S3, is judged" if hybrid == 1 else "resume from S3, are judged"
    return f"{sleeps} with {plain} S3: " if plain else f"no S3 here; {sleeps}: "


def resume_sentence(limits: Sequence[LimitJudgement], requirement: Requirement) -> list[str]:
    """Say what the judged resumes are against the limit on BIOS + drivers, if there is one."""
    for each in limits:
        is_resume = each.limit.measure == RESUME and each.limit.share is None
        if is_resume and each.limit.required and each.worst is not None:
            sentence = _resume_text(each, round(each.worst), requirement)
            return [each.evidence, sentence] if each.evidence else [sentence]
    return []


def _resume_text(judged: LimitJudgement, worst_ms: int, requirement: Requirement) -> str:
    """Return what a verdict rests on: counts, the worst, and what the count of failures proves."""
    n, limit_ms = judged.n, requirement.resume_limit_ms or 0
    failed, marginal, hidden = judged.failed, judged.marginal, judged.hidden
    broken, undecided = judged.broken, judged.undecided
    resumes = count_of(n, "measured resume" if broken else "judged resume")  # the broken are judged
    if failed:
        over = f"{limit_ms} ms or more" if requirement.limit_fails else f"over {limit_ms} ms"
        text = f"{failed} of {resumes} {are(failed)} {over}"
    else:
        within = "below" if requirement.limit_fails else "within"
        text = f"{n - marginal} of {resumes} {are(n - marginal)} {within} "
        text += f"{limit_ms} ms"
    if marginal > hidden:
        text += f", {marginal - hidden} within {RESUME_BOUND_MS} ms of it and so undecided"
    if hidden:
        text += f", {hidden} undecided because BIOS time that was not reported takes "
        text += "it across" if hidden == 1 else "them across"
    text += f"; the worst took {worst_ms} ms"
    not_passed = failed + marginal + broken + undecided
    upper = failure_rate_upper(not_passed, n + broken + undecided, tau=judged.tau)
    if upper >= 1:
        return text  # all failed: a bound of 100 % says nothing
    counted = " (undecided ones counted as failed)" if marginal else ""
    if undecided:
        counted = f" ({undecided} without evidence counted as failed)"
        if marginal:
            counted = f" (undecided ones and {undecided} without evidence counted as failed)"
    return f"{text}; upper 95 % confidence limit of the failure rate {percent_up(upper)}{counted}"


def are(n: int) -> str:
    """Return the verb for a count."""
    return "is" if n == 1 else "are"


def _either(kinds: Sequence[SleepKind]) -> str:
    *first, last = map(kind_words, kinds)
    return f"{', '.join(first)} or {last}" if first else last
