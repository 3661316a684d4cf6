"""The document of `correlate --json` and `run --json` (schema resume-rig/correlate/1)."""

from collections.abc import Iterator, Sequence

from resume_rig.analysis.advice import advise
from resume_rig.analysis.ranking import rank
from resume_rig.model.campaign import CampaignFacts
from resume_rig.model.cycle import (
    BoardClock,
    Correlation,
    DetectableBios,
    IntervalName,
    OsClock,
    OutsideCycle,
    ReconciledCycle,
    UsualRest,
)
from resume_rig.model.match import (
    CYCLE_REASONS,
    RECORD_REASONS,
    ClockStep,
    UnmatchedRecord,
)
from resume_rig.model.os_record import OsRecord, state_word
from resume_rig.model.verdict import Finding
from resume_rig.report.budget_json import budgets_json
from resume_rig.report.component_json import (
    SLOWEST_LIMIT,
    advice_json,
    components_json,
    slowest_json,
)
from resume_rig.report.findings import findings_of
from resume_rig.report.json_text import (
    Json,
    json_text,
    number_json,
    quantity_json,
    text_json,
    utc_json,
)
from resume_rig.report.matched_reading import matched_reading
from resume_rig.report.verdict_json import (
    failures_json,
    limits_judged_json,
    requirement_json,
    series_json,
)

SCHEMA = "resume-rig/correlate/1"


def correlation_document(correlation: Correlation, campaign: CampaignFacts | None = None) -> str:
    """Return the whole document; with `campaign` it is that of `run --json`."""
    return "".join(correlation_pieces(correlation, campaign))


def correlation_pieces(
    correlation: Correlation, campaign: CampaignFacts | None = None
) -> Iterator[str]:
    """Yield the same document in pieces, one cycle a line, so that memory stays flat."""
    yield f'{{"schema":{json_text(SCHEMA)},\n"cycles":['
    separator = "\n"
    for cycle in correlation.cycles:
        yield separator + json_text(_cycle(cycle))
        separator = ",\n"
    unmatched: list[Json] = [c.outside.number for c in correlation.cycles if c.record is None]
    records: list[Json] = [_unmatched(each) for each in correlation.unmatched_records]
    yield f'],\n"unmatched_cycles":{json_text(unmatched)},\n'
    yield f'"unmatched_records":{json_text(records)},\n'
    clock = _clock(correlation.clock, correlation.board_clock, correlation.clock_steps)
    clock["alike_offsets"] = correlation.alike_offsets
    yield f'"clock":{json_text(clock)},\n'
    yield f'"verdict":{json_text(correlation.verdict.value)},\n'
    yield f'"why":{json_text(text_json(correlation.why))}'
    told = matched_reading(correlation, () if campaign is None else campaign.log_sources)
    ranked = rank(told.records)
    yield f',\n"slowest":{json_text(slowest_json(ranked))},\n'
    yield f'"slowest_left_out":{max(0, len(ranked) - SLOWEST_LIMIT)},\n'
    yield f'"advice":{json_text(advice_json(advise(told)))}'
    yield f',\n"usual":{json_text([_usual(rest) for rest in correlation.usual])}'
    yield f',\n"limits_judged":{json_text(limits_judged_json(correlation.limits))},\n'
    statistics: Json = {
        "failure_rate": failures_json(correlation.failures),
        "series": series_json(correlation.series),
    }
    yield f'"statistics":{json_text(statistics)}'
    yield f',\n"detectable":{json_text(_detectable(correlation.detectable))}'
    if campaign is not None:
        yield f',\n"budgets":{json_text(budgets_json(campaign.budgets))}'
        yield f',\n"campaign":{json_text(_campaign(campaign))}'
    yield "}\n"


def _cycle(cycle: ReconciledCycle) -> dict[str, Json]:
    outside = cycle.outside
    return {
        "cycle": outside.number,
        "record_id": None if cycle.record is None else cycle.record.record_id,
        "outside": {
            name.value: quantity_json(outside.intervals.get(name)) for name in IntervalName
        },
        "inside": _inside(cycle.record),
        "reconciled": {
            "press_to_resume_complete_ns": quantity_json(cycle.press_to_resume_complete),
            "unexplained_ns": quantity_json(cycle.unexplained),
            "light_after_complete_ns": quantity_json(cycle.light_after_complete),
            "hidden_before_sleep_ns": quantity_json(cycle.hidden_before_sleep),
            "bios_checked": _bios_checked(cycle),
        },
        "state_outside": outside.state.value,
        "verdict": cycle.verdict.value,
        "findings": [_finding(finding) for finding in findings_of(cycle)],
        "outcome": cycle.outcome.value,
        "wake_by": None if outside.wake_by is None else outside.wake_by.value,
        "matched": cycle.record is not None,
        "ignored": outside.ignored,
        "judged": cycle.judged,
        "why_not": None if cycle.why_not is None else text_json(cycle.why_not),
        "light_definition": None if outside.light_basis is None else outside.light_basis.value,
        "bounces": {channel.value: count for channel, count in outside.bounces.items()},
        "hibernated_after_ns": _hibernated_after_ns(outside),
        "state_asked": None if outside.asked is None else state_word(outside.asked),
        **components_json(cycle.record),
        "match": _match(cycle),
    }


def _bios_checked(cycle: ReconciledCycle) -> bool | None:
    # It is about the bounds of these two.
    if cycle.press_to_resume_complete is None and cycle.light_after_complete is None:
        return None
    return cycle.bios_checked


def _match(cycle: ReconciledCycle) -> dict[str, Json]:
    certainty, missing = cycle.certainty, cycle.record_missing
    return {
        "confidence": None if certainty is None else number_json(certainty.probability),
        "level": None if certainty is None else certainty.level.value,
        "reason": None if missing is None else missing.value,
        "text": None if missing is None else CYCLE_REASONS[missing],
    }


def _hibernated_after_ns(outside: OutsideCycle) -> int | None:
    if outside.hibernated_from_ns is None or outside.asleep_from_ns is None:
        return None
    return outside.hibernated_from_ns - outside.asleep_from_ns


def _inside(record: OsRecord | None) -> dict[str, Json]:
    # Without a record the keys stay, so that a reader needs no special case; "matched" tells.
    return {
        "kind": None if record is None else record.kind.value,
        "bios_init_ms": None if record is None else record.bios_init_ms,
        "driver_init_ms": None if record is None else record.driver_init_ms,
        "resume_ms": None if record is None else record.resume_ms,
        "firmware_resume_ms": None if record is None else record.firmware_resume_ms,
        "sleep_ms": None if record is None else record.sleep_ms,
        "wake_ms": None if record is None else record.wake_ms,
        "sleep_time": None if record is None else utc_json(record.sleep_time_utc_ns),
        "wake_time": None if record is None else utc_json(record.wake_time_utc_ns),
    }


def _usual(rest: UsualRest) -> dict[str, Json]:
    return {
        "kind": rest.kind.value,
        "wake_by": None if rest.wake_by is None else rest.wake_by.value,
        "n": rest.n,
        "residual_ns": rest.residual_ns,
        "spread_ns": rest.spread_ns,
    }


def _detectable(bios: DetectableBios | None) -> dict[str, Json]:
    return {
        "n": 0 if bios is None else bios.n,
        "bios_short_constant_ns": None if bios is None else bios.constant_ns,
        "bios_short_single_ns": None if bios is None else bios.single_ns,
    }


def _finding(finding: Finding) -> dict[str, Json]:
    evidence: dict[str, Json] = {}
    for name, value in finding.evidence.items():
        match value:
            case str():
                evidence[text_json(name)] = text_json(value)
            case float():
                evidence[text_json(name)] = number_json(value)
            case _:
                evidence[text_json(name)] = value
    return {"kind": finding.kind.value, "text": text_json(finding.text), "evidence": evidence}


def _unmatched(unmatched: UnmatchedRecord) -> dict[str, Json]:
    record = unmatched.record
    return {
        "source": record.source,
        "record_id": record.record_id,
        "kind": record.kind.value,
        "sleep_time": utc_json(record.sleep_time_utc_ns),
        "wake_time": utc_json(record.wake_time_utc_ns),
        "resume_ms": record.resume_ms,
        "reason": unmatched.reason.value,
        "text": RECORD_REASONS[unmatched.reason],
    }


def _clock(
    clock: OsClock | None, board: BoardClock | None, steps: Sequence[ClockStep]
) -> dict[str, Json]:
    breaks: list[Json] = [] if board is None else list(board.breaks)
    return {
        "os_minus_host_s": None if clock is None else number_json(clock.os_minus_host_s),
        "bound_s": None if clock is None else number_json(clock.bound_s),
        "drift_ppm": None if clock is None else number_json(clock.drift_ppm),
        "board_rate_ppb": None if board is None else board.rate_ppb,
        "board_rate_bound_ppb": None if board is None else board.bound_ppb,
        "board_rate_cycle_bound_ppb": None if board is None else board.cycle_bound_ppb,
        "board_tolerance_ppb": None if board is None else board.tolerance_ppb,
        "board_corrected_cycles": 0 if board is None else board.corrected,
        "board_rate_source": None if board is None else board.source,
        "breaks": breaks,
        "steps": [
            {
                "after_cycle": step.after_cycle,
                "before_cycle": step.before_cycle,
                "step_s": number_json(step.step_s),
            }
            for step in steps
        ],
        "segments": [
            {
                "first_cycle": segment.first_cycle,
                "last_cycle": segment.last_cycle,
                "os_minus_host_s": number_json(segment.os_minus_host_s),
                "bound_s": number_json(segment.bound_s),
                "drift_ppm": number_json(segment.drift_ppm),
            }
            for segment in (() if clock is None else clock.segments)
        ],
    }


def _campaign(facts: CampaignFacts) -> dict[str, Json]:
    return {
        "identity": {text_json(k): text_json(v) for k, v in facts.identity.items()},
        "plan": {
            text_json(k): text_json(v) if isinstance(v, str) else number_json(v)
            for k, v in facts.plan.items()
        },
        "outcomes": dict(facts.outcomes),
        "first_failure": _first_failure(facts),
        "unfinished": facts.unfinished,
        "plan_state": None if facts.plan_state is None else text_json(facts.plan_state),
        "faults": [text_json(fault) for fault in facts.faults],
        "store": text_json(facts.store_path),
        "report": None if facts.report_path is None else text_json(facts.report_path),
        "requirement": requirement_json(facts.requirement),
    }


def _first_failure(facts: CampaignFacts) -> dict[str, Json] | None:
    if facts.first_failure is None:
        return None
    cycle, outcome = facts.first_failure
    return {"cycle": cycle, "outcome": outcome}
