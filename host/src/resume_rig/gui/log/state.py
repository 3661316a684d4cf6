"""Logs judged by themselves, and tables of that. Free of Qt."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final

from resume_rig.analysis.answer.log import AnsweredLog, answered_log
from resume_rig.analysis.findings.advice import Advice, Ranked, advise, rank
from resume_rig.analysis.verdict.columns import INSIDE, in_order
from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.gui.state.requirement_choice import in_window
from resume_rig.gui.state.table import Column, Number, Table, number_column, word_column
from resume_rig.model.os_record import LogReading, LogSource, OsRecord, kind_words
from resume_rig.model.result.judgement import JudgedRecord
from resume_rig.model.result.verdict import Requirement
from resume_rig.oslog.reading import read_logs
from resume_rig.report.log.transitions import main_transitions, transitions_not_covered
from resume_rig.report.text.json_text import utc_json
from resume_rig.report.text.wording import MISSING


@dataclass(frozen=True, slots=True)
class LogsJudged:
    """What came of logs; `ranked` are the slowest parts, the longest first."""

    log: AnsweredLog
    ranked: tuple[Ranked, ...]
    advice: tuple[Advice, ...]


def judge_logs(
    progress: Callable[[int, int], None],
    paths: Sequence[Path],
    read_before: LogReading | None,
    requirement: Requirement,
    ignore_first: bool,
) -> LogsJudged:
    """Read logs and judge them.

    Args:
        progress: gets how many files are read, of how many, before each.
        paths: of the logs.
        read_before: what was read of them before; None to read them.
        requirement: what they are judged against.
        ignore_first: leave the first record out of the verdict.

    Raises:
        RecordError: one cannot be read.
    """
    reading = read_before
    if reading is None:
        reading = read_logs(paths, progress=lambda done: progress(done, len(paths)))
    judgement = judge_log(reading, requirement, ignore_first=ignore_first)
    once = judgement.reading
    return LogsJudged(answered_log(judgement), rank(once.records), advise(once))


_UTC_LENGTH: Final = 19
_NOT_JUDGED: Final = "not judged"
_TIMES: Final = "bios_init_ms driver_init_ms user_init_ms resume_ms sleep_ms firmware_resume_ms"


def transition_table(log: AnsweredLog) -> Table:
    """Return a row for each transition, in the log's order; times in ms, OS-reported."""
    judgement, cycles = log.judgement, log.judgement.cycles
    records = [cycle.record for cycle in cycles]
    names = [PurePath(source.path).name for source in judgement.reading.sources]
    sources = [word_column("source", (names[r.source] for r in records))] if len(names) > 1 else []
    several = len(judgement.reading.computers) > 1
    owners = [word_column("computer", (r.computer for r in records))] if several else []
    notes = _notes(log)
    return Table(
        (
            number_column("transition", log.numbers, "As every face numbers it"),
            number_column("record", (r.record_id for r in records), "Its number in the log"),
            *sources,
            *owners,
            word_column("kind", (kind_words(r.kind) for r in records)),
            word_column("verdict", map(_verdict, cycles)),
            word_column("woke, UTC", (_moment(r.wake_time_utc_ns) for r in records)),
            *_times(records),
            word_column("wake source", (r.wake_source.text or r.wake_source.name for r in records)),
            word_column("note", map(in_window, (notes[id(cycle)] for cycle in cycles))),
        )
    )


def _times(records: Sequence[OsRecord]) -> Iterator[Column]:
    shown = in_order(_TIMES, ((each.name, each) for each in INSIDE if each.title))
    for each in shown.values():
        values: list[Any] = [each.get(record) for record in records]
        yield number_column(f"{each.title}, ms", values, each.explained)


def _notes(log: AnsweredLog) -> dict[int, str]:
    """Return the note on each record, by its identity: as the report has it, or why not judged."""
    rows = [
        *main_transitions(log),
        *(
            row
            for kind in log.judgement.not_covered
            for row in transitions_not_covered(log, kind.kind)
        ),
    ]
    why_not = {id(cycle): cycle.why_not or "" for cycle in log.judgement.cycles}
    return why_not | {id(row.cycle): row.note for row in rows if row.note}


def ranked_table(ranked: Sequence[Ranked]) -> Table:
    """Return a row for each component, the longest first; times in ms, shares in per cent."""
    shares: list[Number] = [None if one.share is None else one.share * 100 for one in ranked]
    return Table(
        (
            word_column("name", (one.name for one in ranked)),
            word_column("of", (one.kind.value for one in ranked)),
            word_column("phase", (one.phase for one in ranked)),
            word_column("moment", (one.moment for one in ranked)),
            number_column(
                "worst, ms", (one.worst_ms for one in ranked), "The longest it ever took", 1
            ),
            number_column("median, ms", (one.median_ms for one in ranked), "", 1),
            number_column("own, ms", (one.own_ms for one in ranked), "Without its children", 1),
            number_column(
                "held others, ms", (one.held_ms for one in ranked), "Others waited for it", 1
            ),
            number_column("share, %", shares, "Median share of the transition; shares overlap", 1),
            number_column("times", (one.count for one in ranked), "How often it was timed"),
            number_column(
                "not ended", (one.not_ended for one in ranked), "Still under way at the end"
            ),
            word_column("detail", (one.detail for one in ranked)),
            word_column("group", (one.group for one in ranked)),
        )
    )


def advice_table(advice: Sequence[Advice]) -> Table:
    """Return a row for each advice that applies, with who can follow it and its paper."""
    return Table(
        (
            word_column("advice", (in_window(one.text) for one in advice)),
            word_column("for", (_for(one) for one in advice)),
            word_column("owner", (one.owner.value for one in advice)),
            word_column("source", (f"{one.source}: {one.section}" for one in advice)),
            word_column("more by", (in_window(one.command) for one in advice)),
        )
    )


def source_table(sources: Sequence[LogSource]) -> Table:
    """Return a row for each file that was read."""
    return Table(
        (
            word_column("file", (source.path for source in sources)),
            word_column("kind", (source.kind for source in sources)),
            number_column("OS build", (source.os_build for source in sources)),
            number_column("records", (source.records for source in sources)),
            word_column("complete", ("yes" if s.integrity.ok else "NO" for s in sources)),
            word_column("what is to know", ("; ".join(_to_know(source)) for source in sources)),
        )
    )


def _to_know(source: LogSource) -> list[str]:
    notes = list(source.integrity.problems)
    if source.from_description:
        notes.append("read by the format's description: no public sample of it exists")
    return notes + [f"{name.replace('_', ' ')}: {value}" for name, value in source.identity]


def _for(advice: Advice) -> str:
    if not advice.names:
        return f"{advice.count} records"
    more = advice.count - len(advice.names)
    return ", ".join(advice.names) + (f" and {more} more" if more > 0 else "")


def _moment(utc_ns: int | None) -> str:
    text = utc_json(utc_ns)
    return MISSING if text is None else text[:_UTC_LENGTH].replace("T", " ")


def _verdict(cycle: JudgedRecord) -> str:
    return cycle.verdict.value if cycle.judged else _NOT_JUDGED
