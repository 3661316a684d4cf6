"""What `log` answers first: how the PC sleeps, what that means for the requirement, what to do."""

from collections import Counter
from collections.abc import Iterable

from resume_rig.analysis.findings.ranking import transition_length_ms
from resume_rig.analysis.verdict.sentences import hybrid_lead
from resume_rig.model.os_record import NO_SLEEPS, SleepKind, kind_count, kind_words
from resume_rig.model.result.judgement import LogJudgement
from resume_rig.model.units import count_of

_BEGUN_AS_S3 = frozenset({SleepKind.DOZE, SleepKind.ABORTED, SleepKind.DIED, SleepKind.UNKNOWN})
"""Kinds that do not say how the PC sleeps, only that a sleep did not go as it was meant to."""


_PROFILES = {SleepKind.BOOT: "boot-19s", SleepKind.SHUTDOWN: "shutdown-12s"}


def answer_sentence(judgement: LogJudgement) -> str:
    """Return how the PC sleeps and how long its slowest judged resume took."""
    judged = [cycle.record.kind for cycle in judgement.cycles if cycle.judged]
    if not judged:
        return _nothing_judged(judgement)
    if NO_SLEEPS.issuperset(judged):
        return _transitions(judgement)
    worst_ms = judgement.statistics.max_ms
    worst = "" if worst_ms is None else f", worst {worst_ms:.0f} ms"
    who = "This PC sleeps in" if len(judgement.reading.sources) == 1 else "These logs have"
    kinds = _and(kind_words(kind) for kind in dict.fromkeys(judged))
    return f"{_no_s3(judgement)}{who} {kinds}: {count_of(len(judged), 'resume')}{worst}."


def reason_sentences(judgement: LogJudgement) -> tuple[str, ...]:
    """Return what that means for the requirement, what the verdict rests on, and what to do."""
    judged = [cycle.record.kind for cycle in judgement.cycles if cycle.judged]
    covered = hybrid_lead(judged, judgement.requirement)
    why = judgement.why
    if why.casefold().startswith(covered.casefold()):  # the answer and its meaning have said it
        why = why[len(covered) :]
    meaning = (
        f"Hybrid sleep resumes from S3, so {judgement.requirement.id} covers it." if covered else ""
    )
    return tuple(filter(None, (meaning, why, "" if judged else _next(judgement))))


def _transitions(judgement: LogJudgement) -> str:
    """Return how many boots or shutdowns were judged and how long the slowest took."""
    records = [cycle.record for cycle in judgement.cycles if cycle.judged]
    lengths = [ms for ms in map(transition_length_ms, records) if ms is not None]
    worst = f", worst {max(lengths):.0f} ms" if lengths else ""
    counted = Counter(record.kind for record in records)
    return f"{_and(count_of(n, kind_words(kind)) for kind, n in _in_order(counted))}{worst}."


def _in_order(counted: Counter[SleepKind]) -> list[tuple[SleepKind, int]]:
    return [(kind, counted[kind]) for kind in SleepKind if counted[kind]]


def _nothing_judged(judgement: LogJudgement) -> str:
    kinds = _counted(judgement)
    if not kinds:
        return "No sleep here."
    own = [kind for kind in kinds if kind in judgement.requirement.kinds]
    if own:
        what = "No time that is limited" if NO_SLEEPS.issuperset(own) else "No resume time"
        return f"{what} here: {_and(kind_count(kinds[kind], kind) for kind in own)}."
    found = _and(kind_count(count, kind) for kind, count in kinds.items())
    return f"No {' and no '.join(judgement.requirement.kinds)} here, only {found}."


def _next(judgement: LogJudgement) -> str:
    kinds = _counted(judgement)
    covered = " or ".join(judgement.requirement.kinds)
    if NO_SLEEPS.issuperset(judgement.requirement.kinds):
        return (
            f"To have a verdict, read an account of a {covered} that reports what"
            f" {judgement.requirement.id} limits, such as a summary of `xperf -a {covered}`."
        )
    told = {cycle.record.kind for cycle in judgement.cycles}
    own = next((profile for kind, profile in _PROFILES.items() if kind in told), None)
    if not kinds and own is not None:
        return f"To judge what is here, name a profile of its own, as in --requirement {own}."
    if any(kind in judgement.requirement.kinds for kind in kinds):
        return (
            "To have a verdict, read a log that reports the times, such as the System log of"
            " Windows with BiosInitDuration and DriverInitDuration."
        )
    measured = {c.record.kind for c in judgement.cycles if c.record.resume_ms is not None}
    if SleepKind.HYBRID in measured and SleepKind.S3 in judgement.requirement.kinds:
        return "Hybrid sleep resumes from S3; to judge it too: --kind S3 --kind hybrid."
    if measured:
        options = " ".join(f"--kind {kind}" for kind in kinds if kind in measured)
        return (
            f"The limit of {judgement.requirement.id} is for {covered};"
            f" to judge what is here, give its own: {options} --limit-ms MS."
        )
    return f"To have a verdict, let the PC sleep in {covered}, then read its log again."


def _no_s3(judgement: LogJudgement) -> str:
    kinds = {cycle.record.kind for cycle in judgement.cycles}
    is_missing = SleepKind.S3 in judgement.requirement.kinds and SleepKind.S3 not in kinds
    return "No S3 here. " if is_missing else ""


def _counted(judgement: LogJudgement) -> dict[SleepKind, int]:
    """Return how many sleeps of each kind there are, the commonest first, then what came first.

    Boots and shutdowns are counted where the requirement is about them.
    """
    others = NO_SLEEPS - frozenset(judgement.requirement.kinds)
    sleeps = [c.record.kind for c in judgement.cycles if c.record.kind not in others]
    telling = [kind for kind in sleeps if kind not in _BEGUN_AS_S3] or sleeps
    return dict(Counter(telling).most_common())


def _and(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
