"""Findings about the firmware's own account (ACPI FPDT) beside the OS's, and beside advice."""

from resume_rig.analysis.findings.bios_claim import Claim, bios_findings, claim_of
from resume_rig.analysis.findings.context import Found, RecordedCycle
from resume_rig.analysis.reconcile.record_history import same_boot
from resume_rig.analysis.reconcile.terms import MS_NS, figure_of, firmware_extra_ms
from resume_rig.analysis.reconcile.thresholds import (
    AVERAGE_MS,
    FIRMWARE_DRIFT_MS,
    FIRMWARE_ORDER_MS,
    UNIT_FACTORS,
    UNIT_TOLERANCE,
)
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.verdict import Finding, FindingKind

_AVERAGE = "firmware_average_resume_ms"
_ABSURD = "firmware_resume_absurd_ms"


def firmware_findings(seen: RecordedCycle) -> Found:
    """Give what FullResume, AverageResume and ResumeCount show, and `bios-over-advised`."""
    if claim_of(seen) is Claim.POSSIBLE:
        # Where BiosInit itself is not the whole, FullResume above it needs no other unit.
        believed = not any(bios_findings(seen))
        yield from (_wrong_unit(seen) if believed else []) or _disagrees(seen)
        yield from _over_advised(seen)
    before = seen.around.history.before(seen.record)
    stuck = before is not None and _stuck(before, seen.record)
    if before is not None and stuck:
        yield Finding(
            FindingKind.RESUME_COUNT_STUCK,
            f"The firmware's ResumeCount is {seen.record.firmware_resume_count} again, as in the "
            "cycle before: its account (FPDT) may be that of an earlier resume.",
            {
                "resume_count": seen.record.firmware_resume_count,
                "firmware_resume_ms": seen.record.firmware_resume_ms,
                "before_ms": before.firmware_resume_ms,
            },
        )
    if not stuck:
        yield from _average(seen, before)


def _wrong_unit(seen: RecordedCycle) -> list[Finding]:
    # More than 10 minutes is no time of a firmware, but may be one in another unit.
    bios_ms, absurd_ms = seen.record.bios_init_ms, figure_of(seen.record, _ABSURD)
    full_ms = seen.record.firmware_resume_ms or (None if absurd_ms is None else round(absurd_ms))
    if not bios_ms or not full_ms:
        return []
    ratio, usual = full_ms / bios_ms, seen.around.history.firmware_ratio
    decimal = [factor for factor in UNIT_FACTORS if abs(ratio / factor - 1) <= UNIT_TOLERANCE]
    evidence = {"bios_init_ms": bios_ms, "firmware_resume_ms": full_ms, "ratio": round(ratio, 4)}
    if decimal:
        text = (
            f"The firmware claims {full_ms} ms (FPDT FullResume), {decimal[0]} times BiosInit "
            f"({bios_ms} ms): another unit than nanoseconds stands in its table."
        )
        return [Finding(FindingKind.WRONG_UNIT, text, {**evidence, "factor": decimal[0]})]
    if usual is None or full_ms < bios_ms or absurd_ms is not None:
        return []
    if _is_hidden(seen, full_ms - bios_ms):
        return []
    text = (
        f"The firmware claims {full_ms} ms (FPDT FullResume), BiosInit is {bios_ms} ms, and all "
        f"along the one is {usual:.3f} times the other: ticks of a counter stand in its table, "
        "where nanoseconds are due."
    )
    return [Finding(FindingKind.WRONG_UNIT, text, {**evidence, "usual_ratio": round(usual, 4)})]


def _is_hidden(seen: RecordedCycle, more_ms: int) -> bool:
    """Return whether FullResume has more than BiosInit because more time went by, likely.

    The mean hidden time may be too wide to prove that, and still be nearer to it than to none.
    """
    row = seen.around.means.get(seen.outside.number)
    return row is not None and 2 * row.mean.value_ns > more_ms * MS_NS


def _disagrees(seen: RecordedCycle) -> list[Finding]:
    record, usual_ms = seen.record, seen.around.norms.firmware_extra_ms
    extra_ms = firmware_extra_ms(record)
    if extra_ms is None:
        return []
    evidence = {
        "bios_init_ms": record.bios_init_ms,
        "firmware_resume_ms": record.firmware_resume_ms,
        "usual_difference_ms": usual_ms,
    }
    if extra_ms <= -FIRMWARE_ORDER_MS:
        text = (
            f"The OS reports {record.bios_init_ms} ms for the BIOS, less than the "
            f"{record.firmware_resume_ms} ms that the firmware itself claims (FPDT FullResume)."
        )
    elif usual_ms is not None and abs(extra_ms - usual_ms) > FIRMWARE_DRIFT_MS:
        whose = "this platform" if seen.around.platform.firmware_extra_ms else "this campaign"
        text = (
            f"BiosInit and the firmware's FullResume are {extra_ms} ms apart; {usual_ms:g} ms is "
            f"usual in {whose}."
        )
    else:
        return []
    return [Finding(FindingKind.FIRMWARE_DISAGREES, text, evidence)]


def _over_advised(seen: RecordedCycle) -> Found:
    requirement, bios_ms = seen.around.requirement, seen.record.bios_init_ms
    advised_ms = requirement.bios_advised_ms
    if advised_ms is None or bios_ms is None or bios_ms <= advised_ms:
        return
    if seen.record.kind not in requirement.kinds:
        return
    yield Finding(
        FindingKind.BIOS_OVER_ADVISED,
        f"The BIOS took {bios_ms} ms; {requirement.id} advises at most {advised_ms} ms.",
        {"bios_init_ms": bios_ms, "bios_advised_ms": advised_ms},
    )


def _stuck(before: OsRecord, record: OsRecord) -> bool:
    """Return whether the count did not go on; from 1 to 1 it may, over a boot."""
    count = record.firmware_resume_count
    if count is None or count != before.firmware_resume_count:
        return False
    return count > 1 or same_boot(before, record)


def _average(seen: RecordedCycle, before: OsRecord | None) -> Found:
    """Check that the average is that of all resumes since the count's 1, or follows the last."""
    record = seen.record
    average_ms = figure_of(record, _AVERAGE)
    due_ms = seen.around.history.average_due_ms(record)
    if due_ms is None:
        due_ms = _average_after(before, record)
    if average_ms is None or due_ms is None or abs(average_ms - due_ms) <= AVERAGE_MS:
        return
    yield Finding(
        FindingKind.AVERAGE_RESUME_WRONG,
        f"The firmware's AverageResume is {average_ms:g} ms; with this resume of "
        f"{record.firmware_resume_ms} ms as number {record.firmware_resume_count} it has to be "
        f"{due_ms:.0f} ms.",
        {
            "average_resume_ms": average_ms,
            "due_ms": round(due_ms, 3),
            "firmware_resume_ms": record.firmware_resume_ms,
            "resume_count": record.firmware_resume_count,
        },
    )


def _average_after(before: OsRecord | None, record: OsRecord) -> float | None:
    """Return (Average_old * (n - 1) + Full) / n, from one record to the next."""
    count, full_ms = record.firmware_resume_count, record.firmware_resume_ms
    old_ms = None if before is None else figure_of(before, _AVERAGE)
    if not count or full_ms is None or before is None or old_ms is None:
        return None
    if before.firmware_resume_count != count - 1:
        return None
    return (old_ms * (count - 1) + full_ms) / count
