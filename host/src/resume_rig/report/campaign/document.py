"""The document of `correlate --json` and `run --json` (schema resume-rig/correlate/1)."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from resume_rig.analysis.answer.campaign import AnsweredCampaign
from resume_rig.analysis.findings.advice import advise, rank, transition_length_ms
from resume_rig.analysis.findings.groups import (
    findings_of,
)
from resume_rig.analysis.findings.kinds import ABOUT
from resume_rig.analysis.verdict.columns import (
    CYCLE,
    INSIDE,
    OUTSIDE,
    RECONCILED,
    Placed,
    in_order,
    placed,
)
from resume_rig.model.budget import Budget, BudgetRow, Repeated
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.answer import Standing
from resume_rig.model.result.cycle import (
    BoardClock,
    DetectableBios,
    LevelChange,
    OsClock,
    ReconciledCycle,
    UsualRest,
)
from resume_rig.model.result.judgement import CampaignFacts
from resume_rig.model.result.match import (
    CYCLE_REASONS,
    RECORD_REASONS,
    ClockStep,
    UnmatchedRecord,
)
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.report.campaign.sections import health_json, matched_reading, power_json
from resume_rig.report.parts.answer import answer_json
from resume_rig.report.parts.document import (
    SLOWEST_LIMIT,
    advice_json,
    columns_json,
    components_json,
    ending_json,
    failures_json,
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
    quantity_json,
    text_json,
    utc_json,
)


def budgets_json(budgets: Sequence[Budget]) -> dict[str, Json]:
    """Return the budgets by the names of their intervals."""
    return {budget.name: _budget(budget) for budget in budgets}


def _budget(budget: Budget) -> dict[str, Json]:
    return {
        "value": budget.value_ns,
        "standard": budget.standard_ns,
        "coverage_factor": round(budget.coverage_factor, 3),
        "expanded": budget.expanded_ns,
        "bound": budget.bound_ns,
        "common": budget.common_ns,
        "rows": [_row(row) for row in budget.rows],
        "note": text_json(budget.note),
        "repeated": _repeated(budget.repeated),
    }


def _row(row: BudgetRow) -> dict[str, Json]:
    return {
        "name": text_json(row.name),
        "source": text_json(row.source),
        "evaluation": row.evaluation.value,
        "distribution": row.distribution.value,
        "half_width": row.half_width_ns,
        "standard": row.standard_ns,
        "sensitivity": row.sensitivity,
        "group": None if row.group is None else text_json(row.group),
        "correction": row.correction_ns,
        "scope": row.scope.value,
    }


def _repeated(repeated: Repeated | None) -> dict[str, Json] | None:
    if repeated is None:
        return None
    return {
        "n": repeated.count,
        "mean": repeated.mean_ns,
        "sd": repeated.sd_ns,
        "standard_of_mean": repeated.mean_standard_ns,
        "expanded_of_mean": repeated.mean_expanded_ns,
    }


SCHEMA = "resume-rig/correlate/1"


def correlation_pieces(campaign: AnsweredCampaign) -> Iterator[str]:
    """Yield the document in pieces, one cycle a line, so that memory stays flat."""
    correlation, facts, overview = campaign.correlation, campaign.facts, campaign.overview
    yield f'{{"schema":{json_text(SCHEMA)},\n"cycles":['
    separator = "\n"
    rows = placed(correlation.cycles, facts.reset_to_tsc)
    for row, standing in zip(rows, overview.standings, strict=True):
        yield separator + json_text(_cycle(row, standing))
        separator = ",\n"
    unmatched: list[Json] = list(overview.match.without)
    records: list[Json] = [_unmatched(each) for each in correlation.unmatched_records]
    yield f'],\n"unmatched_cycles":{json_text(unmatched)},\n'
    yield f'"unmatched_records":{json_text(records)},\n'
    clock = _clock(correlation.clock, correlation.board_clock, correlation.clock_steps)
    clock["alike_offsets"] = correlation.equal_offsets
    yield f'"clock":{json_text(clock)},\n'
    yield f'"verdict":{json_text(correlation.verdict.value)},\n'
    yield f'"why":{json_text(text_json(correlation.why))},\n'
    yield f'"answer":{json_text(answer_json(campaign.answer))}'
    reading = matched_reading(campaign)
    ranked = rank(reading.records)
    yield f',\n"slowest":{json_text(slowest_json(ranked))},\n'
    yield f'"slowest_left_out":{max(0, len(ranked) - SLOWEST_LIMIT)},\n'
    yield f'"advice":{json_text(advice_json(advise(reading)))}'
    kinds = [group.kind for group in overview.findings]
    yield f',\n"finding_advice":{json_text(_finding_advice(kinds))}'
    yield f',\n"usual":{json_text([_usual(rest) for rest in correlation.usual])}'
    yield f',\n"limits_judged":{json_text(limits_judged_json(correlation.limits))},\n'
    statistics: Json = {
        "failure_rate": failures_json(correlation.failures),
        "series": series_json(correlation.series),
    }
    yield f'"statistics":{json_text(statistics)}'
    yield f',\n"detectable":{json_text(_detectable(correlation.detectable))}'
    yield f',\n"levels":{json_text([_level(change) for change in correlation.levels])}'
    yield f',\n"budgets":{json_text(budgets_json(facts.budgets))}'
    yield f',\n"campaign":{json_text(_campaign(facts))}'
    yield "}\n"


_CYCLE: Final = """cycle record_id outside inside reconciled state_outside verdict findings outcome
wake_by matched ignored judged why_not light_definition bounces hibernated_after_ns state_asked
components components_left_out figures codes match power health shutdown why_not_reason"""
_RECONCILED: Final = """press_to_resume_complete_ns unexplained_ns light_after_complete_ns
hidden_before_sleep_ns bios_checked"""
_INSIDE: Final = """kind bios_init_ms driver_init_ms resume_ms firmware_resume_ms sleep_ms wake_ms
sleep_time wake_time user_init_ms hiber_read_ms hiber_write_ms wake_source computer ending notes"""


def _cycle(row: Placed, standing: Standing) -> dict[str, Json]:
    cycle, outside = row.cycle, row.cycle.outside
    reconciled: dict[str, Json] = {time.name: quantity_json(time.get(row)) for time in RECONCILED}
    reconciled["bios_checked"] = _bios_checked(cycle)
    found: dict[str, Json] = {
        **columns_json(CYCLE, cycle),
        "record_id": None if cycle.record is None else cycle.record.record_id,
        "outside": {time.name: quantity_json(time.get(row)) for time in OUTSIDE},
        "inside": _inside(cycle.record),
        "reconciled": in_order(_RECONCILED, reconciled.items()),
        "findings": [_finding(finding) for finding in findings_of(cycle)],
        "matched": cycle.record is not None,
        "bounces": {channel.value: count for channel, count in outside.bounces.items()},
        **components_json(cycle.record),
        "match": _match(cycle),
        **power_json(outside.power),
        **health_json(outside.health),
        "shutdown": _shutdown(cycle.shutdown),
        "standing": standing.value,
        "failed_by": list(cycle.failed_by),
    }
    return in_order(_CYCLE, found.items())


def _shutdown(record: OsRecord | None) -> dict[str, Json] | None:
    """Write the OS's account of the shutdown before a boot; None where there is none."""
    if record is None:
        return None
    return {
        "record_id": record.record_id,
        "shutdown_time": utc_json(record.sleep_time_utc_ns),
        "shutdown_ms": number_json(transition_length_ms(record)),
        **components_json(record),
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


def _inside(record: OsRecord | None) -> dict[str, Json]:
    # Without a record the keys stay, so that a reader needs no special case; it has "matched".
    found: dict[str, Json] = {
        **columns_json(INSIDE, record),
        "kind": None if record is None else record.kind.value,
        "sleep_time": None if record is None else utc_json(record.sleep_time_utc_ns),
        "wake_time": None if record is None else utc_json(record.wake_time_utc_ns),
        "wake_source": None if record is None else wake_source_json(record.wake_source),
        **ending_json(record),
    }
    return in_order(_INSIDE, found.items())


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
        "bios_short_suspected_ns": None if bios is None else bios.suspected_ns,
        "checked": 0 if bios is None else bios.checked,
    }


def _level(change: LevelChange) -> dict[str, Json]:
    return {
        "first_cycle": change.first_cycle,
        "bios_ns": change.bios_ns,
        "rest_ns": change.rest_ns,
        "light_stayed": change.light_stayed,
        "computer": text_json(change.computer),
    }


def _finding_advice(kinds: Collection[FindingKind]) -> list[Json]:
    """Return of each kind of finding what it means, whose it is and what to do."""
    return [
        {
            "kind": kind.value,
            "owner": about.owner.value,
            "means": about.means,
            "do": about.do,
            "source": about.source,
            "command": about.command,
        }
        for kind, about in ((kind, ABOUT[kind]) for kind in sorted(kinds))
    ]


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
        **ending_json(record),
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
        "simulated": facts.simulated,
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
