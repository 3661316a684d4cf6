"""The document of `log --json` (schema resume-rig/log/1), streamed one cycle a line."""

from collections.abc import Iterator
from typing import Final

from resume_rig.analysis.answer.log import AnsweredLog, computer_of, standing_of_record
from resume_rig.analysis.answer.log_figures import training_in
from resume_rig.analysis.findings.advice import advise, rank
from resume_rig.analysis.verdict.columns import INSIDE, in_order
from resume_rig.analysis.verdict.measures import hibernate_rates
from resume_rig.model.os_record import LogSource, OsRecord
from resume_rig.model.result.judgement import JudgedRecord, KindJudgement, LogJudgement
from resume_rig.report.parts.answer import answer_json
from resume_rig.report.parts.document import (
    SLOWEST_LIMIT,
    advice_json,
    columns_json,
    components_json,
    ending_json,
    failures_json,
    hibernate_json,
    identity_json,
    limits_judged_json,
    requirement_json,
    series_json,
    slowest_json,
    wake_source_json,
)
from resume_rig.report.text.json_text import (
    Json,
    json_text,
    number_json,
    statistics_json,
    text_json,
    training_json,
    utc_json,
)

SCHEMA = "resume-rig/log/1"


def log_document(log: AnsweredLog) -> Iterator[str]:
    """Yield one JSON document in pieces to be written one after the other.

    Memory does not grow with the number of cycles: each is made into text when its turn comes.
    """
    judgement = log.judgement
    sources: list[Json] = [_source(source) for source in judgement.reading.sources]
    yield f'{{"schema":{json_text(SCHEMA)},\n'
    yield f'"verdict":{json_text(judgement.verdict.value)},\n'
    yield f'"answer":{json_text(answer_json(log.answer))},\n'
    yield f'"why":{json_text(text_json(judgement.why))},\n'
    yield f'"sources":{json_text(sources)},\n"cycles":['
    separator = "\n"
    for number, cycle in zip(log.numbers, judgement.cycles, strict=True):
        yield separator + json_text(cycle_json(cycle, number))
        separator = ",\n"
    yield "],\n"
    yield f'"requirement":{json_text(requirement_json(judgement.requirement))},\n'
    yield f'"statistics":{json_text(_statistics(judgement))},\n'
    yield f'"failure_rate_upper_95":{json_text(number_json(judgement.failure_rate_upper))},\n'
    yield f'"apart":{json_text([_not_covered(kind) for kind in judgement.not_covered])},\n'
    ranked = rank(judgement.reading.records)
    yield f'"slowest":{json_text(slowest_json(ranked))},\n'
    yield f'"slowest_left_out":{max(0, len(ranked) - SLOWEST_LIMIT)},\n'
    yield f'"advice":{json_text(advice_json(advise(judgement.reading)))},\n'
    yield f'"limits_judged":{json_text(limits_judged_json(judgement.limits))},\n'
    training = training_in(judgement.reading.records)
    yield f'"training":{json_text(training_json(training))},\n'
    yield f'"units":{json_text([_unit(unit) for unit in log.units])}}}\n'


def _unit(unit: AnsweredLog) -> dict[str, Json]:
    return {
        "computer": text_json(computer_of(unit)),
        "verdict": unit.answer.verdict.value,
        "answer": answer_json(unit.answer),
        "statistics": _statistics(unit.judgement),
        "limits_judged": limits_judged_json(unit.judgement.limits),
    }


def _statistics(judgement: LogJudgement) -> dict[str, Json]:
    return {
        **statistics_json(judgement.statistics),
        "failure_rate": failures_json(judgement.failures),
        "series": series_json(judgement.series),
    }


def _source(source: LogSource) -> dict[str, Json]:
    return {
        "path": text_json(source.path),
        "kind": source.kind,
        "os_build": source.os_build,
        "records": source.records,
        "integrity": {
            "ok": source.integrity.ok,
            "problems": [text_json(problem) for problem in source.integrity.problems],
            "not_understood": [text_json(text) for text in source.integrity.not_understood],
        },
        "identity": identity_json(source.identity),
        "from_description": source.from_description,
        "boot_start_drivers": [text_json(name) for name in source.boot_start_drivers],
    }


def cycle_json(cycle: JudgedRecord, number: int) -> dict[str, Json]:
    """Return one transition of the document; `number` as every face numbers it."""
    record = cycle.record
    found: dict[str, Json] = {
        **columns_json(INSIDE, record),
        "source": record.source,
        "record_id": record.record_id,
        "kind": record.kind.value,
        "sleep_time": utc_json(record.sleep_time_utc_ns),
        "wake_time": utc_json(record.wake_time_utc_ns),
        "hiber_pages": record.hiber_pages,
        "hiber_pages_per_ms": _pages_per_ms(record),
        "wake_source": wake_source_json(record.wake_source),
        "judged": cycle.judged,
        "why_not": None if cycle.why_not is None else text_json(cycle.why_not),
        "verdict": cycle.verdict.value,
        **hibernate_json(record),
        **components_json(record),
        "risk": number_json(cycle.risk),
        "why_not_reason": None if cycle.unjudged is None else cycle.unjudged.reason.value,
        "transition": number,
        "standing": standing_of_record(cycle).value,
        **ending_json(record),
    }
    return in_order(_CYCLE, found.items())


_CYCLE: Final = """source record_id kind sleep_time wake_time sleep_ms wake_ms driver_init_ms
bios_init_ms resume_ms firmware_resume_ms hiber_read_ms hiber_write_ms hiber_pages
hiber_pages_per_ms wake_source judged why_not verdict hiber_read_mb_per_s hiber_write_pages_per_ms
hiber_write_mb_per_s components components_left_out figures codes risk user_init_ms why_not_reason
transition standing computer ending notes"""


def _pages_per_ms(record: OsRecord) -> float | None:
    rates = hibernate_rates(record)
    if rates is None or rates.read_pages_per_ms is None:
        return None
    return round(rates.read_pages_per_ms, 3)


def _not_covered(kind: KindJudgement) -> dict[str, Json]:
    return {
        "kind": kind.kind.value,
        "cycles": kind.cycles,
        "statistics": statistics_json(kind.statistics),
    }
