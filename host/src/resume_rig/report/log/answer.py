"""What `log` answers first, and its transitions as rows of a table.

The answer: how many resumes keep the limit, the worst, how the PC sleeps, what that means for the
requirement, what to do. The rows are numbered as S3Resume counts them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from resume_rig.analysis.findings.advice import TRANSITION_FIGURE, transition_length_ms
from resume_rig.analysis.reconcile.thresholds import figure_of
from resume_rig.analysis.stats.trend import training_of
from resume_rig.analysis.verdict.judge import ABSURD_BIOS, hybrid_lead, training_sentence
from resume_rig.analysis.verdict.measures import Side, Sighting, measure_words, measured, side_of
from resume_rig.model.os_record import (
    NO_SLEEPS,
    UNFINISHED,
    OsRecord,
    SleepKind,
    kind_count,
    kind_words,
)
from resume_rig.model.result.judgement import JudgedRecord, LogJudgement
from resume_rig.model.result.series import Training
from resume_rig.model.result.verdict import RESUME, Verdict
from resume_rig.model.units import count_of
from resume_rig.report.parts.statistics import (
    decisive_limit,
    limit_sentence,
    limited_values,
    worst_clause,
)
from resume_rig.report.text.wording import capitalised, listed

_FIRMWARE: Final = "start_os_image_ms"  # of Kernel-Boot 30: until the OS loader began
# Figures of OsRecord.figures, most telling first; the words before their value.
_FIGURES: Final = (
    ("kernel_resume_ms", "kernel", 1.0),
    ("exit_latency_us", "exit", 1_000.0),
    (ABSURD_BIOS, "BIOS says", 1.0),
)


def other_times(record: OsRecord) -> str:
    """Return other times of the wake that an account gives, e.g. "firmware 412 ms".

    They are never in the verdict: SYSFUND-0004 does not limit them.
    """
    parts = []
    if record.firmware_resume_ms is not None:
        parts.append(f"firmware {record.firmware_resume_ms} ms")
    values = {figure.name: figure.value for figure in record.figures}
    parts += [
        f"{word} {values[name] / per_ms:.0f} ms"
        for name, word, per_ms in _FIGURES
        if name in values
    ]
    return ", ".join(parts)


_NOT_KNOWN: Final = "unknown"  # WakeSource.name, where the OS reports none


def woken_by(record: OsRecord) -> str:
    """Return the wake source with its own words for it; empty where the OS does not know it."""
    source = record.wake_source
    if record.kind is SleepKind.DOZE:
        return ""  # as its kind has it
    name = "" if source.name == _NOT_KNOWN else source.name
    return ": ".join(filter(None, (name, source.text)))


@dataclass(frozen=True, slots=True)
class Transition:
    """One row.

    Attributes:
        number: from 1; from 0 where the first row is ignored, as S3Resume counts.
        counts: it is of a judged kind and was judged.
        ignored: it is of a judged kind, has a measurement, and does not count all the same.
        of_other_kind: it stands in the table of a kind that the requirement does not speak of.
        at_limit: its total is the limit itself.
        among: it is a hybrid sleep that stands among sleeps of S3.
        origin: name of the log that it is from, where several were read; else empty.
        limited: what it has of what it was judged by, but for its total.
    """

    number: int
    cycle: JudgedRecord
    counts: bool
    ignored: bool
    of_other_kind: bool
    at_limit: bool = False
    among: bool = False
    origin: str = ""
    limited: str = ""

    @property
    def name(self) -> str:
        """The number as S3Resume writes it."""
        return f"{self.number} (ignored)" if self.ignored else str(self.number)

    @property
    def unjudged(self) -> str | None:
        """What stands in place of a verdict; None where the row has one of its own."""
        if self.cycle.judged:
            return None
        measured = self.cycle.record.resume_ms is not None
        if self.of_other_kind and measured:
            return "not covered"
        return "ignored" if self.ignored else "not judged"

    @property
    def note(self) -> str:
        """What a reader has to know of the row; empty for an ordinary one of a single log."""
        kind = "hybrid" if self.among and self.cycle.record.resume_ms is not None else ""
        origin = f"in {self.origin}" if self.origin else ""
        owner = self.cycle.record.wake_source.timer_owner
        timer = f"timer of {owner}" if owner else ""
        return "; ".join(filter(None, (kind, self._remark, timer, origin)))

    @property
    def _remark(self) -> str:
        record = self.cycle.record
        if record.kind in NO_SLEEPS or record.resume_ms is None:
            return self._without_total
        if self.of_other_kind or self.limited:
            return self.limited
        if not self.cycle.judged:
            return self.cycle.why_not or "not judged"
        if self.cycle.verdict is Verdict.FAIL and not self.at_limit:
            return "over the limit"
        passed = self.cycle.verdict is Verdict.PASS and not self.at_limit
        return "" if passed else "at the limit"

    @property
    def _without_total(self) -> str:
        record = self.cycle.record
        words, firmware_ms = kind_words(record.kind), record.firmware_resume_ms
        if record.kind in NO_SLEEPS:
            length_ms = transition_length_ms(record)
            took = "length not reported" if length_ms is None else f"{length_ms:.0f} ms"
            return ", ".join(filter(None, (words, took, self.limited)))
        if self.limited:
            firmware = "" if firmware_ms is None else f"firmware {firmware_ms} ms"
            return ", ".join(filter(None, (words, self.limited, firmware)))
        times = other_times(record)
        return f"{words}, not measured{f' ({times})' if times else ''}"


@dataclass(frozen=True, slots=True)
class Extremes:
    """The judged transitions with the least and the greatest total; the first of equals."""

    least: Transition
    greatest: Transition


def main_transitions(judgement: LogJudgement) -> list[Transition]:
    """Return the rows of the judged kinds, and of what has no measurement.

    Nobody is to take that for cycles that passed.
    """
    kinds = UNFINISHED | frozenset(judgement.requirement.kinds)
    cycles = [cycle for cycle in judgement.cycles if cycle.record.kind in kinds]
    judged_kinds = frozenset(judgement.requirement.kinds)
    mixed = any(cycle.record.kind is SleepKind.S3 for cycle in cycles)
    origins, limits = _origins(judgement), judgement.requirement.limits()
    first = 0 if cycles and _ignored(cycles[0], judged_kinds) else 1
    return [
        Transition(
            number,
            cycle,
            counts=cycle.judged and cycle.record.kind in judged_kinds,
            ignored=_ignored(cycle, judged_kinds),
            of_other_kind=False,
            at_limit=cycle.record.resume_ms == judgement.requirement.resume_limit_ms,
            among=mixed and cycle.record.kind is SleepKind.HYBRID,
            origin=origins[cycle.record.source],
            limited=limited_values(limits, cycle.record) if cycle.judged else "",
        )
        for number, cycle in enumerate(cycles, first)
    ]


def transitions_not_covered(judgement: LogJudgement, kind: SleepKind) -> list[Transition]:
    """Return the rows of one kind that the requirement does not speak of."""
    cycles = (cycle for cycle in judgement.cycles if cycle.record.kind is kind)
    origins = _origins(judgement)
    return [
        Transition(
            number,
            cycle,
            counts=False,
            ignored=False,
            of_other_kind=True,
            origin=origins[cycle.record.source],
        )
        for number, cycle in enumerate(cycles, 1)
    ]


def _origins(judgement: LogJudgement) -> list[str]:
    """Return what each log is called in a row: its name, or its path where two have one name."""
    paths = [source.path for source in judgement.reading.sources]
    if len(paths) < 2:
        return [""] * max(1, len(paths))
    names = [Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else paths


def has_own_table(judgement: LogJudgement, kind: SleepKind) -> bool:
    """Return whether a kind's rows stand in a table of their own; a boot has no columns in it."""
    without = UNFINISHED | NO_SLEEPS
    return kind not in without and kind not in judgement.requirement.kinds


def no_sleep_sentence(judgement: LogJudgement, kind: SleepKind) -> str:
    """Return how many boots or shutdowns a log has, which are no resumes, and their lengths."""
    records = [c.record for c in judgement.cycles if c.record.kind is kind]
    sentence = f"{count_of(len(records), 'record')}, not covered by this requirement"
    return f"{sentence}; {lengths_clause(records)}."


def lengths_clause(records: Sequence[OsRecord]) -> str:
    """Return how long boots or shutdowns took, and whether the first of a series were training."""
    lengths = [ms for ms in map(transition_length_ms, records) if ms is not None]
    firmware = [ms for each in records if (ms := figure_of(each, _FIRMWARE)) is not None]
    firmware_clause = f"; the firmware took {median(firmware):.0f} ms (median)" if firmware else ""
    return f"{_lengths(lengths, records)}{firmware_clause}"


def _lengths(lengths: Sequence[float], records: Sequence[OsRecord]) -> str:
    if not lengths:
        return "none reports how long it took"
    if len(lengths) == 1:
        which = "it" if len(records) == 1 else "one of them, which alone reports it,"
        return f"{which} took {lengths[0]:.0f} ms"
    text = f"median {median(lengths):.0f} ms, from {min(lengths):.0f} to {max(lengths):.0f} ms"
    training = training_in(records)
    return text if training is None else f"{text}; {training_sentence(training)}"


def training_in(records: Iterable[OsRecord]) -> Training | None:
    """Return which first boots of a log, or of a series of traces, the prefetcher learnt in."""
    lengths = [transition_length_ms(each) for each in records if each.kind is SleepKind.BOOT]
    return training_of([ms for ms in lengths if ms is not None])


def extremes(transitions: Iterable[Transition]) -> Extremes | None:
    """Return the fastest and the slowest judged transition; None without any."""
    measured = list(_measured(transitions))
    if not measured:
        return None
    return Extremes(
        least=min(measured, key=lambda pair: pair[0])[1],
        greatest=max(measured, key=lambda pair: pair[0])[1],
    )


def user_sentence(transitions: Iterable[Transition]) -> str:
    """Return how long the USER phase of the judged transitions took; empty where none has one."""
    users = [t.cycle.record.user_init_ms for t in transitions if t.counts]
    times = [user_ms for user_ms in users if user_ms is not None]
    if not times:
        return ""
    return (
        f"USER initialization, the wake beyond Driver Init and no part of Total: median"
        f" {median(times):.0f}, maximum {max(times)} ms over {len(times)}."
    )


def _measured(transitions: Iterable[Transition]) -> Iterator[tuple[int, Transition]]:
    for transition in transitions:
        total = transition.cycle.record.resume_ms
        if transition.counts and total is not None:
            yield total, transition


def _ignored(cycle: JudgedRecord, judged_kinds: frozenset[SleepKind]) -> bool:
    record = cycle.record
    return not cycle.judged and record.kind in judged_kinds and record.resume_ms is not None


def answer_sentence(judgement: LogJudgement) -> str:
    """Return how many resumes keep the limit, the worst of them, and how the PC sleeps."""
    judged = [cycle.record.kind for cycle in judgement.cycles if cycle.judged]
    if not judged:
        return _nothing_judged(judgement)
    sleeps = not NO_SLEEPS.issuperset(judged)
    noun = "sleep" if sleeps else judged[0].value if len(set(judged)) == 1 else "transition"
    met = limit_sentence(judgement.limits, noun, margin=False)
    if judgement.verdict is Verdict.NO_EVIDENCE or not met:
        # How many keep a limit would read as an answer, where there are too few for one.
        what = count_of(len(judged), "resume" if sleeps else noun)
        met = f"{what} judged{worst_clause(judgement.limits)}."
    if not sleeps:
        return met
    who = "This PC uses" if len(judgement.reading.sources) == 1 else "These logs have"
    kinds = listed(kind_words(kind) for kind in dict.fromkeys(judged))
    return f"{met} {who} {kinds}{_no_s3(judgement)}."


def reason_sentences(judgement: LogJudgement) -> tuple[str, ...]:
    """Return what that means for the requirement, what the verdict rests on, and what to do."""
    judged = [cycle.record.kind for cycle in judgement.cycles if cycle.judged]
    covered = hybrid_lead(judged, judgement.requirement)
    why = judgement.why
    if why.casefold().startswith(covered.casefold()):  # the answer and its meaning say it
        why = capitalised(why[len(covered) :])
    if _counts_resumes(judgement):
        counted, _, rest = why.partition("; ")
        worst, _, more = rest.partition("; ")
        if worst.startswith("the worst took") and "undecided" not in counted:
            why = capitalised(more)
    meaning = (
        f"Hybrid sleep resumes from S3, so {judgement.requirement.id} covers it." if covered else ""
    )
    return tuple(filter(None, (meaning, why, "" if judged else _next(judgement))))


def _counts_resumes(judgement: LogJudgement) -> bool:
    """Return whether the answer has how many resumes keep the limit, and the worst of them."""
    limit = decisive_limit(judgement.limits)
    is_resume = limit is not None and limit.limit.measure == RESUME and limit.limit.share is None
    return is_resume and judgement.verdict is not Verdict.NO_EVIDENCE


def _nothing_judged(judgement: LogJudgement) -> str:
    kinds, covered = _counted(judgement), judgement.requirement.kinds
    if not kinds:
        delayed = sum(c.record.kind is SleepKind.STANDBY_PERFORMANCE for c in judgement.cycles)
        only = (
            f"No account of a sleep here, only {count_of(delayed, 'record')} of what delayed one."
        )
        return only if delayed else "No sleep here."
    own = [kind for kind in kinds if kind in covered]
    if own:
        found = listed(kind_count(kinds[kind], kind) for kind in own)
        if UNFINISHED.issuperset(own):
            return f"{found} here, of which there is no time."
        if _limited(judgement):
            return f"No transition that counts here: {found}."
        measures = _measures(judgement)
        if RESUME in measures or not measures:
            return f"No resume time here: {found}."
        return f"{capitalised(listed(map(measure_words, measures)))} not measured here: {found}."
    found = listed(kind_count(count, kind) for kind, count in kinds.items())
    return f"No {listed(map(kind_words, covered), 'or')}, only {found}."


# What of a record each shipped profile judges, the commonest first.
PROFILES: Final[dict[str, tuple[str, tuple[SleepKind, ...]]]] = {
    "sysfund-0004": (RESUME, (SleepKind.S3, SleepKind.HYBRID)),
    "connected-standby-300ms": ("figure:exit_latency_us", (SleepKind.MODERN_STANDBY,)),
    "chromeos-1s": ("figure:kernel_resume_ms", (SleepKind.S3, SleepKind.S2IDLE)),
    "s4-rates": ("hiber_read_rate", (SleepKind.S4,)),
    "boot-19s": ("figure:bios_end_to_idle_ms", (SleepKind.BOOT,)),
    "shutdown-12s": ("phase:system session", (SleepKind.SHUTDOWN,)),
}
_RIG: Final = "run a campaign, or join a capture with this log by `resume-rig correlate`."


def _next(judgement: LogJudgement) -> str:
    """Return what to do for a verdict; only what leads to one."""
    covered, kinds = judgement.requirement.kinds, _counted(judgement)
    other = _other_profile(judgement)
    judge_it = other and f"To judge what is here, name a profile of its own, as in {other}."
    if _limited(judgement) or not _measures(judgement):
        return ""  # why it does not count is said; nothing is required
    if UNFINISHED.issuperset(covered):
        words = listed(map(kind_words, covered), "or")
        return f"No record of {words} has a time, so none can be judged. {judge_it}".rstrip()
    if any(kind in covered for kind in kinds):
        return f"{_where_measured(judgement)} {judge_it}".rstrip()
    if (NO_SLEEPS | UNFINISHED).issuperset(covered):
        return _where_measured(judgement)
    return _of_others(judgement, list(kinds)) or judge_it or _without_any(judgement, list(kinds))


def _of_others(judgement: LogJudgement, kinds: Sequence[SleepKind]) -> str:
    """Return how a limit on the total resume time judges the kinds that are there; or ""."""
    requirement = judgement.requirement
    timed = {c.record.kind for c in judgement.cycles if c.record.resume_ms is not None}
    if not timed or RESUME not in _measures(judgement):
        return ""
    if SleepKind.HYBRID in timed and SleepKind.S3 in requirement.kinds:
        return "Hybrid sleep resumes from S3; to judge it too: --kind S3 --kind hybrid."
    if requirement.resume_limit_ms is None:
        return ""  # --limit-ms has nothing to replace
    options = " ".join(f"--kind {kind}" for kind in kinds if kind in timed)
    return (
        f"The limit of {requirement.id} is for {listed(map(kind_words, requirement.kinds), 'or')};"
        f" to judge what is here, give its own: {options} --limit-ms MS."
    )


def _without_any(judgement: LogJudgement, kinds: Sequence[SleepKind]) -> str:
    """Return what to do where no shipped profile judges any of the records."""
    if not kinds and any(figure_of(c.record, TRANSITION_FIGURE) for c in judgement.cycles):
        return f"To judge what is here, write a profile with a limit on figure:{TRANSITION_FIGURE}."
    no_states = UNFINISHED | NO_SLEEPS
    states = [kind_words(kind) for kind in judgement.requirement.kinds if kind not in no_states]
    return f"To have a verdict, put the PC into {listed(states, 'or')}, then read its log again."


def _measures(judgement: LogJudgement) -> list[str]:
    """Return what the requirement limits, each once."""
    limits = judgement.requirement.limits()
    timed = (limit for limit in limits if limit.required and not limit.is_event)
    return list(dict.fromkeys(limit.measure for limit in timed))


def _limited(judgement: LogJudgement) -> bool:
    """Return whether a record that the requirement covers has what it limits."""
    covered = judgement.requirement.kinds
    records = [c.record for c in judgement.cycles if c.record.kind in covered]
    return any(_has(record, measure) for record in records for measure in _measures(judgement))


def _has(record: OsRecord, measure: str) -> bool:
    return measured(measure, Sighting(record)) is not None


def _other_profile(judgement: LogJudgement) -> str:
    """Return the option for a shipped profile that judges a record; "" where none does.

    One for what the requirement covers comes first.
    """
    covered, records = judgement.requirement.kinds, [c.record for c in judgement.cycles]
    found = [
        (frozenset(kinds).isdisjoint(covered), f"--requirement {name}")
        for name, (measure, kinds) in PROFILES.items()
        if (name != judgement.requirement.id or not set(kinds) <= set(covered))
        and any(record.kind in kinds and _has(record, measure) for record in records)
    ]
    return min(found, key=lambda each: each[0])[1] if found else ""


def _where_measured(judgement: LogJudgement) -> str:
    """Return where there is what the requirement limits; "" where no account has it."""
    measures, covered = _measures(judgement), judgement.requirement.kinds
    outside = [measure for measure in measures if side_of(measure) is not Side.INSIDE]
    if outside:
        verb = "is" if len(outside) == 1 else "are"
        words = capitalised(listed(map(measure_words, outside)))
        return f"{words} {verb} measured by a rig: {_RIG}"
    if (NO_SLEEPS | UNFINISHED).issuperset(covered):
        kinds = [kind for kind in covered if kind in NO_SLEEPS]
        commands = listed((f"`xperf -a {kind}`" for kind in kinds), "or")
        return (
            f"To have a verdict, read an account of a {listed(map(kind_words, kinds), 'or')} that"
            f" reports what {judgement.requirement.id} limits, such as a summary of {commands}."
        )
    if RESUME not in measures:
        found = [_STANDS_IN[measure] for measure in measures if measure in _STANDS_IN]
        words = listed(map(measure_words, measures))
        return found[0] if found else f"To have a verdict, read a log that reports {words}."
    sources = {source.kind for source in judgement.reading.sources}
    if sources <= _WINDOWS_LOGS or any(name.startswith(_LINUX) for name in sources):
        system = "Windows" if sources <= _WINDOWS_LOGS else "Linux"
        return f"{system} did not report that time; a rig measures from outside: {_RIG}"
    return (
        "To have a verdict, read a log that reports the times, such as the System log of"
        " Windows with BiosInitDuration and DriverInitDuration."
    )


_STANDS_IN: Final = {
    "figure:kernel_resume_ms": "The kernel's own time stands in a kernel log of Linux.",
    "figure:exit_latency_us": "The exit latency stands in the System log of Windows.",
}
_LINUX: Final = "linux-"
_WINDOWS_LOGS: Final = frozenset({"evtx", "eventlog-xml", "eventlog-json", "eventlog-csv"})
"""Beginning and whole of LogSource.kind, of Linux' logs and of Windows' event logs."""


def _no_s3(judgement: LogJudgement) -> str:
    kinds = {cycle.record.kind for cycle in judgement.cycles}
    is_missing = SleepKind.S3 in judgement.requirement.kinds and SleepKind.S3 not in kinds
    return ", no S3" if is_missing else ""


def _counted(judgement: LogJudgement) -> dict[SleepKind, int]:
    """Return how many sleeps of each kind there are, the commonest first, then what came first.

    Boots and shutdowns are counted where the requirement is about them.
    """
    covered = frozenset(judgement.requirement.kinds)
    sleeps = [c.record.kind for c in judgement.cycles if c.record.kind not in NO_SLEEPS - covered]
    specific = [kind for kind in sleeps if kind not in UNFINISHED - covered] or sleeps
    return dict(Counter(specific).most_common())
