"""Findings about the light: before the OS, long after its "complete", or unexplained."""

from resume_rig.analysis.findings.bios_claim import Claim, claim_of
from resume_rig.analysis.findings.context import Found, RecordedCycle
from resume_rig.analysis.reconcile.norms import group_of
from resume_rig.analysis.reconcile.reconcile import (
    is_unusual,
    light_after_complete,
    unexplained,
    with_bios_unproven,
)
from resume_rig.analysis.reconcile.terms import reported
from resume_rig.model.result.cycle import IntervalName
from resume_rig.model.result.verdict import Finding, FindingKind


def display_findings(seen: RecordedCycle) -> Found:
    """Give `lit-before-os` and `complete-before-light`; a BIOS time of hours tells neither."""
    if claim_of(seen) is not Claim.POSSIBLE:
        return
    yield from _lit_before_os(seen)
    yield from _complete_before_light(seen)


def unexplained_findings(seen: RecordedCycle) -> Found:
    """Give `unexplained`, for what no other finding of the cycle names."""
    rest = unexplained(seen.outside, seen.record, seen.around.norms)
    norm = seen.around.norms.residuals.get(group_of(seen.outside, seen.record))
    if rest is None or norm is None or not is_unusual(rest, norm):
        return
    if claim_of(seen) is not Claim.POSSIBLE:
        return
    whose = "platform" if norm.is_given else "campaign"
    more = "later" if rest.value_ns > 0 else "earlier"
    yield Finding(
        FindingKind.UNEXPLAINED,
        f"The light came {abs(rest.value_ns) / 1e6:.0f} ms {more} than BiosInit, DriverInit and "
        f"the usual rest of this {whose} explain.",
        {
            "unexplained_ns": rest.value_ns,
            "bound_ns": rest.bound_ns,
            "usual_spread_ns": norm.spread_ns,
            "unusual_from_ns": norm.unusual_ns,
        },
    )


def _lit_before_os(seen: RecordedCycle) -> Found:
    light = seen.outside.intervals.get(IntervalName.PLTRST_TO_LIGHT)
    if light is None or seen.record.bios_init_ms is None:
        return
    ahead = seen.around.reset_to_tsc + reported(seen.record.bios_init_ms) - light
    if ahead.value_ns <= ahead.bound_ns:
        return
    yield Finding(
        FindingKind.LIT_BEFORE_OS,
        f"The display was lit {ahead.value_ns / 1e6:.0f} ms before the OS had control, by its own "
        "BIOS time: the firmware lit it, and the user did not see the OS.",
        {"ahead_ns": ahead.value_ns, "bound_ns": ahead.bound_ns},
    )


def _complete_before_light(seen: RecordedCycle) -> Found:
    reset_to_tsc = seen.around.reset_to_tsc
    late = light_after_complete(seen.outside, seen.record, reset_to_tsc)
    late = with_bios_unproven(late, seen.bios_unproven, reset_to_tsc)
    most_ns = seen.around.platform.light_after_complete_max_ns
    if late is None or late.value_ns - late.bound_ns <= most_ns:
        return
    yield Finding(
        FindingKind.COMPLETE_BEFORE_LIGHT,
        f"The OS counts its resume as complete {late.value_ns / 1e6:.0f} ms before the display "
        "was lit.",
        {"late_ns": late.value_ns, "bound_ns": late.bound_ns, "threshold_ns": most_ns},
    )
