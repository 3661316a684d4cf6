"""Findings about BiosInit by itself: an uptime, another unit, more or less than there was time."""

from dataclasses import replace
from enum import Enum, auto, unique

from resume_rig.analysis.findings.context import Found, RecordedCycle
from resume_rig.analysis.reconcile.thresholds import (
    LEAST_BIOS_MS,
    UNIT_FACTORS,
    UNIT_TOLERANCE,
    UPTIME_MS,
)
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.verdict import Finding, FindingKind

_PLACE = "BIOS, or early OS initialization before the clock was read"


@unique
class Claim(Enum):
    """What can be believed of a BIOS time."""

    POSSIBLE = auto()
    UPTIME = auto()
    OTHER_UNIT = auto()
    TOO_LONG = auto()


def claim_of(seen: RecordedCycle) -> Claim:
    """Return whether there was time for the BIOS time of a record, and what it is if not."""
    bios_ms = seen.record.bios_init_ms
    if bios_ms is None:
        return Claim.POSSIBLE
    longest_ms = seen.longest_bios_ms
    if longest_ms is None or bios_ms <= longest_ms:
        return Claim.POSSIBLE
    counts = seen.around.history.keeps_counting
    if counts:
        return Claim.UPTIME
    factor = seen.around.unit_factor
    if factor is not None and _is_factor(factor, seen.record, longest_ms):
        return Claim.OTHER_UNIT
    is_uptime = bios_ms >= UPTIME_MS and counts is None
    return Claim.UPTIME if is_uptime else Claim.TOO_LONG


def unit_factor(seen: RecordedCycle) -> int | None:
    """Return the factor that makes an impossible BIOS time plausible; None where there is none.

    Of a BIOS time that is possible, 1.
    """
    longest_ms = seen.longest_bios_ms
    if longest_ms is None or (seen.record.bios_init_ms or 0) <= longest_ms:
        return 1
    fits = (factor for factor in UNIT_FACTORS if _is_factor(factor, seen.record, longest_ms))
    return next(fits, None)


def _is_factor(factor: int, record: OsRecord, longest_ms: float) -> bool:
    """Return whether a BIOS time may be so many times too large.

    Where the firmware tells its own time, that has to agree: in ms, or in the same other unit.
    """
    bios_ms, full_ms = record.bios_init_ms or 0, record.firmware_resume_ms
    if not LEAST_BIOS_MS <= bios_ms / factor <= longest_ms:
        return False
    if full_ms is None:
        return True
    return _is_near(bios_ms / factor, full_ms) or _is_near(bios_ms, full_ms)


def _is_near(one_ms: float, other_ms: float) -> bool:
    return abs(one_ms - other_ms) <= UNIT_TOLERANCE * max(one_ms, other_ms)


def bios_findings(seen: RecordedCycle) -> Found:
    """Give at most one of `tsc-not-reset`, `wrong-unit`, `bios-under-` and `-over-reported`."""
    claim = claim_of(seen)
    if claim is Claim.POSSIBLE:
        found = _hidden_on_average(seen) or _hidden_alone(seen) or _of_one_cause(seen)
        if found is not None:
            yield found
        return
    yield _impossible(seen, claim)


def _impossible(seen: RecordedCycle, claim: Claim) -> Finding:
    record = seen.record
    longest_ms = seen.longest_bios_ms or 0
    evidence = {
        "bios_init_ms": record.bios_init_ms,
        "longest_possible_ms": round(longest_ms),
        "firmware_resume_ms": record.firmware_resume_ms,
    }
    room = f"The OS reports {record.bios_init_ms} ms for the BIOS, where wires and clock leave "
    room += f"{longest_ms:.0f} ms at most"
    if claim is Claim.UPTIME:
        text = f"{room}: the counter it is read from was not reset over the sleep."
        return Finding(FindingKind.TSC_NOT_RESET, text, evidence)
    if claim is Claim.OTHER_UNIT:
        factor = seen.around.unit_factor
        text = f"{room}: it is {factor} times too large, as another unit makes it."
        return Finding(FindingKind.WRONG_UNIT, text, {**evidence, "factor": factor})
    if (record.bios_init_ms or 0) >= UPTIME_MS:
        room += "; it does not grow with time as an uptime does, and no unit of time fits it"
    return Finding(FindingKind.BIOS_OVER_REPORTED, f"{room}.", evidence)


def _hidden_alone(seen: RecordedCycle) -> Finding | None:
    """Compare with the OS's own clock, in one cycle."""
    hidden = seen.around.hidden.get(seen.outside.number)
    whole = None if hidden is None else hidden.whole
    if whole is None or abs(whole.value_ns) <= whole.bound_ns:
        return None
    return _by_clock(whole, "in this cycle, by the OS's own clock", 1)


def _hidden_on_average(seen: RecordedCycle) -> Finding | None:
    row = seen.around.means.get(seen.outside.number)
    if row is None or abs(row.mean.value_ns) <= row.mean.bound_ns:
        return None
    return _by_clock(row.mean, f"on average over {row.n} cycles, by the OS's own clock", row.n)


def _of_one_cause(seen: RecordedCycle) -> Finding | None:
    return None if seen.one_cause is None else _hidden(*seen.one_cause, 1)


def _by_clock(rest: BoundedNs, by: str, n: int) -> Finding:
    """Return what the OS's clock shows: it starts only where the OS has read its RTC."""
    found = _hidden(rest, by, n)
    if found.kind is not FindingKind.BIOS_UNDER_REPORTED:
        return found
    text = f"{found.text.removesuffix('.')}: in the {_PLACE}."
    return replace(found, text=text, evidence={**found.evidence, "place": _PLACE})


def _hidden(rest: BoundedNs, by: str, n: int) -> Finding:
    under = rest.value_ns > 0
    near_ns, far_ns = (abs(rest.value_ns) + sign * rest.bound_ns for sign in (-1, 1))
    text = (
        f"After PLTRST# {max(near_ns, 0) / 1e6:.0f} to {far_ns / 1e6:.0f} ms "
        f"{'more' if under else 'less'} went by than the BIOS time that the OS reports, {by}."
    )
    return Finding(
        FindingKind.BIOS_UNDER_REPORTED if under else FindingKind.BIOS_OVER_REPORTED,
        text,
        {"hidden_ns": rest.value_ns, "bound_ns": rest.bound_ns, "cycles": n},
    )
