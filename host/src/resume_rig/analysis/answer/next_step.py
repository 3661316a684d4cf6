"""What leads to a verdict on a log that has none: another requirement, another log, a rig."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from resume_rig.analysis.findings.advice import TRANSITION_FIGURE
from resume_rig.analysis.reconcile.thresholds import figure_of
from resume_rig.analysis.verdict.measures import Side, Sighting, measure_words, measured, side_of
from resume_rig.model.os_record import NO_SLEEPS, UNFINISHED, OsRecord, SleepKind, kind_words
from resume_rig.model.result.judgement import LogJudgement
from resume_rig.model.result.verdict import RESUME
from resume_rig.model.units import capitalised, listed

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


def next_step(judgement: LogJudgement) -> str:
    """Return what to do for a verdict; only what leads to one."""
    covered, kinds = judgement.requirement.kinds, counted_kinds(judgement)
    other = _other_profile(judgement)
    judge_it = other and f"To judge what is here, name a profile of its own, as in {other}."
    if has_what_is_limited(judgement) or not required_measures(judgement):
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
    if not timed or RESUME not in required_measures(judgement):
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


def required_measures(judgement: LogJudgement) -> list[str]:
    """Return what the requirement limits, each once."""
    limits = judgement.requirement.limits()
    valued = (limit for limit in limits if limit.required and not limit.is_event)
    return list(dict.fromkeys(limit.measure for limit in valued))


def has_what_is_limited(judgement: LogJudgement) -> bool:
    """Return whether a record that the requirement covers has what it limits."""
    covered = judgement.requirement.kinds
    records = [c.record for c in judgement.cycles if c.record.kind in covered]
    return any(
        _has(record, measure) for record in records for measure in required_measures(judgement)
    )


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
    measures, covered = required_measures(judgement), judgement.requirement.kinds
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


def counted_kinds(judgement: LogJudgement) -> dict[SleepKind, int]:
    """Return how many sleeps of each kind there are, the commonest first, then what came first.

    Boots and shutdowns are counted where the requirement is about them.
    """
    covered = frozenset(judgement.requirement.kinds)
    sleeps = [c.record.kind for c in judgement.cycles if c.record.kind not in NO_SLEEPS - covered]
    specific = [kind for kind in sleeps if kind not in UNFINISHED - covered] or sleeps
    return dict(Counter(specific).most_common())
