"""Explains a cycle by its phases, so that a failed test says where the time went."""

from collections.abc import Iterator

from resume_rig.analysis.findings.explanations import explained
from resume_rig.model.channel import Actuator
from resume_rig.model.cycle import Outcome, ReconciledCycle
from resume_rig.report.findings import findings_of
from resume_rig.report.hostile_text import one_line
from resume_rig.report.milestones import outside_milestones
from resume_rig.report.wording import outcome_words, quantity_text, record_name

_FINDINGS = 3


def phases_text(cycle: ReconciledCycle) -> str:
    """Return where the time of one cycle went, in one line; times in ms, from its trigger on."""
    return "; ".join(part for part in (_outside(cycle), _inside(cycle)) if part)


def explained_cycle(cycle: ReconciledCycle) -> Iterator[str]:
    """Yield lines that explain one cycle: outcome, phases, record, findings."""
    outside = cycle.outside
    why = "" if cycle.why_not is None else f", not judged ({one_line(cycle.why_not)})"
    yield f"cycle {outside.number}: {outcome_words(cycle.outcome)}, {cycle.verdict.value}{why}"
    yield f"  outside  {_outside(cycle) or 'nothing was measured after the trigger'}"
    inside = _inside(cycle)
    told = "no OS record" if cycle.record is None else record_name(cycle.record)
    yield f"  inside   {inside or 'no time'} ({told})"
    if cycle.press_to_resume_complete is not None:
        yield f"  both     resume complete {quantity_text(cycle.press_to_resume_complete)} ms"
    found = findings_of(cycle)
    for finding in found[:_FINDINGS]:
        yield f"  finding  {finding.kind.value}: {one_line(finding.text)}"
        meant = explained(finding.kind)
        if meant is not None:
            yield f"           {meant.do}"
    if len(found) > _FINDINGS:
        yield f"           ... and {len(found) - _FINDINGS} more findings"


def _outside(cycle: ReconciledCycle) -> str:
    outside = cycle.outside
    at = outside_milestones(outside)
    lines = (
        ("SLP_S3#", at.slp_s3),
        ("PWR_OK", at.pwr_ok),
        ("PLTRST#", at.pltrst),
        ("light", at.light),
    )
    shown = [f"{name} {quantity_text(each)} ms" for name, each in lines if each is not None]
    if not shown:
        return "" if outside.outcome is Outcome.SLEPT_AND_WOKE else outcome_words(outside.outcome)
    trigger = "lid opening" if outside.wake_by is Actuator.LID else "press"
    return " → ".join([trigger, *shown])


def _inside(cycle: ReconciledCycle) -> str:
    record = cycle.record
    if record is None or (record.bios_init_ms is None and record.driver_init_ms is None):
        return ""
    bios = "not reported" if record.bios_init_ms is None else f"{record.bios_init_ms} ms"
    drivers = "not reported" if record.driver_init_ms is None else f"{record.driver_init_ms} ms"
    total = "" if record.resume_ms is None else f" = resume {record.resume_ms} ms"
    return f"BIOS {bios} + drivers {drivers}{total}"
