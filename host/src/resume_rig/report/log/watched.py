"""What `watch-sleeps` says: a line for each sleep when its record is there, and a summary."""

from typing import Final

from resume_rig.model.os_record import kind_words
from resume_rig.model.result.judgement import JudgedRecord, LogJudgement
from resume_rig.report.log.answer import answer_sentence, reason_sentences
from resume_rig.report.log.document import cycle_json
from resume_rig.report.log.transitions import other_times, woken_by
from resume_rig.report.text.hostile_text import one_line
from resume_rig.report.text.json_text import Json, json_text, text_json, utc_json
from resume_rig.report.text.terminal_style import TerminalStyle

SCHEMA: Final = "resume-rig/watch-sleeps/1"
_VERDICT_CELLS: Final = 11


def watched_line(cycle: JudgedRecord, style: TerminalStyle) -> str:
    """Return one sleep in a line: when it ended, its verdict, how long the resume took."""
    record = cycle.record
    ended = utc_json(record.wake_time_utc_ns or record.written_utc_ns)
    when = "-" * 20 if ended is None else f"{ended[:19]}Z"
    source = one_line(woken_by(record))
    by = f", woken by {source}" if source else ""
    return (
        f"{when}  {style.verdict(cycle.verdict, _VERDICT_CELLS)}  "
        f"{kind_words(record.kind)}: {_resume(cycle)}{by}\n"
    )


def _resume(cycle: JudgedRecord) -> str:
    record = cycle.record
    if record.resume_ms is None:
        told = other_times(record)
        return f"no resume time{f' ({told})' if told else ''}"
    parts = f"BIOS {record.bios_init_ms}, devices {record.driver_init_ms}"
    apart = f"; {cycle.why_not}" if not cycle.judged and cycle.why_not else ""
    return f"resumed in {record.resume_ms} ms ({parts}){apart}"


def watched_json(cycle: JudgedRecord) -> str:
    """Return one sleep as a JSON document in a line."""
    return json_text({"schema": SCHEMA, "event": "sleep", "cycle": cycle_json(cycle)}) + "\n"


def summary_lines(judgement: LogJudgement, style: TerminalStyle) -> list[str]:
    """Return what all watched sleeps come to."""
    return [
        style.verdict_line(judgement.verdict, answer_sentence(judgement)),
        *map(style.paragraph, reason_sentences(judgement)),
    ]


def summary_json(judgement: LogJudgement) -> str:
    """Return the same as a JSON document in a line."""
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "event": "summary",
        "log": text_json(judgement.reading.sources[0].path),
        "sleeps": len(judgement.cycles),
        "judged": sum(cycle.judged for cycle in judgement.cycles),
        "verdict": judgement.verdict.value,
        "why": text_json(judgement.why),
    }
    return json_text(document) + "\n"
