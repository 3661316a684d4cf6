"""Findings about the firmware: BiosInit, the firmware's own account (ACPI FPDT), and what is found.

BiosInit is held against the time that there was: it may be an uptime, in another unit, too much or
too little. `detectable_bios` states the least error of BiosInit that a campaign would have shown.
"""

from collections.abc import Iterable, Sequence
from enum import Enum, auto, unique
from math import ceil, inf

from resume_rig.analysis.findings.context import Context, Found, RecordedCycle, WakeClaims
from resume_rig.analysis.reconcile.constraints import OPEN_NS, Span, WakeBounds
from resume_rig.analysis.reconcile.norms import same_boot
from resume_rig.analysis.reconcile.thresholds import (
    AVERAGE_MS,
    FIRMWARE_DRIFT_MS,
    FIRMWARE_ORDER_MS,
    FOUND_SHARE,
    LEAST_BIOS_MS,
    UNIT_FACTORS,
    UNIT_TOLERANCE,
    UPTIME_MS,
    figure_of,
    firmware_extra_ms,
)
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.cycle import DetectableBios, OutsideCycle
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.model.units import NS_PER_MS

_PLACE = "BIOS, or early OS initialization before the clock was read"


@unique
class BiosClaim(Enum):
    """What can be believed of a BIOS time."""

    POSSIBLE = auto()
    UPTIME = auto()
    OTHER_UNIT = auto()
    TOO_LONG = auto()


def claim_of(pair: RecordedCycle) -> BiosClaim:
    """Return whether there was time for the BIOS time of a record, and what it is if not."""
    bios_ms = pair.record.bios_init_ms
    if bios_ms is None:
        return BiosClaim.POSSIBLE
    longest_ms = pair.longest_bios_ms
    if longest_ms is None or bios_ms <= longest_ms:
        return BiosClaim.POSSIBLE
    counts = pair.around.history.keeps_counting
    if counts:
        return BiosClaim.UPTIME
    factor = pair.around.unit_factor
    if factor is not None and _is_factor(factor, pair.record, longest_ms):
        return BiosClaim.OTHER_UNIT
    is_uptime = bios_ms >= UPTIME_MS and counts is None
    return BiosClaim.UPTIME if is_uptime else BiosClaim.TOO_LONG


def unit_factor(pair: RecordedCycle) -> int | None:
    """Return the factor that makes an impossible BIOS time plausible; None where there is none.

    Of a BIOS time that is possible, 1.
    """
    longest_ms = pair.longest_bios_ms
    if longest_ms is None or (pair.record.bios_init_ms or 0) <= longest_ms:
        return 1
    fits = (factor for factor in UNIT_FACTORS if _is_factor(factor, pair.record, longest_ms))
    return next(fits, None)


def _is_factor(factor: int, record: OsRecord, longest_ms: float) -> bool:
    """Return whether a BIOS time may be so many times too large.

    Where the firmware reports its own time, that has to agree: in ms, or in the same other unit.
    """
    bios_ms, full_ms = record.bios_init_ms or 0, record.firmware_resume_ms
    if not LEAST_BIOS_MS <= bios_ms / factor <= longest_ms:
        return False
    if full_ms is None:
        return True
    return _is_near(bios_ms / factor, full_ms) or _is_near(bios_ms, full_ms)


def _is_near(one_ms: float, other_ms: float) -> bool:
    return abs(one_ms - other_ms) <= UNIT_TOLERANCE * max(one_ms, other_ms)


def bios_findings(pair: RecordedCycle) -> Found:
    """Give one of `tsc-not-reset`, `wrong-unit`, `bios-under-`, `-over-reported`, a suspicion.

    A BIOS time is accused where what the rings of this very cycle leave excludes it, whatever a
    time service did to the clock. What rests on the campaign, on a time service that does what it
    does by default, or on clocks that contradict each other, is a suspicion, which names no owner.
    """
    claim = claim_of(pair)
    if claim is not BiosClaim.POSSIBLE:
        yield _impossible(pair, claim)
        return
    proven, likely = pair.claims.proven, pair.claims.likely
    if proven is not None and proven.hidden.excludes(0):
        if pair.around.contradictory:
            yield _suspected(
                proven.hidden,
                "by the OS's own clock, and of another cycle it shows the opposite: the clock, "
                "rather than the BIOS",
            )
        else:
            yield _proven(proven)
    elif likely is not None and likely.hidden.excludes(0) and not pair.around.clock_moves:
        yield _suspected(
            likely.hidden,
            "by the OS's own clock, unless a time service moved it by more than it does by default",
        )
    elif pair.one_cause is not None:
        rest, by = pair.one_cause
        yield _suspected(
            Span.of(rest),
            f"against most cycles of this campaign: {by}, so that this BIOS time is wrong, or "
            "theirs is",
        )


def _impossible(pair: RecordedCycle, claim: BiosClaim) -> Finding:
    record = pair.record
    longest_ms = pair.longest_bios_ms or 0
    evidence = {
        "bios_init_ms": record.bios_init_ms,
        "longest_possible_ms": round(longest_ms),
        "firmware_resume_ms": record.firmware_resume_ms,
    }
    room = f"The OS reports {record.bios_init_ms} ms for the BIOS, where wires and clock leave "
    room += f"{longest_ms:.0f} ms at most"
    if claim is BiosClaim.UPTIME:
        text = f"{room}: the counter it is read from was not reset over the sleep."
        return Finding(FindingKind.TSC_NOT_RESET, text, evidence)
    if claim is BiosClaim.OTHER_UNIT:
        factor = pair.around.unit_factor
        text = f"{room}: it is {factor} times too large, as another unit makes it."
        return Finding(FindingKind.WRONG_UNIT, text, {**evidence, "factor": factor})
    if (record.bios_init_ms or 0) >= UPTIME_MS:
        room += "; it does not grow with time as an uptime does, and no unit of time fits it"
    return Finding(FindingKind.BIOS_OVER_REPORTED, f"{room}.", evidence)


def _proven(bounds: WakeBounds) -> Finding:
    """Return what the OS's clock shows: it starts only where the OS has read its RTC."""
    under, rest = bounds.hidden.low_ns > 0, bounds.hidden.bounded()
    evidence: dict[str, int | float | str | None] = {
        "hidden_ns": rest.value_ns,
        "bound_ns": rest.bound_ns,
        "to_os_least_ns": bounds.to_os.low_ns,
        "to_os_most_ns": bounds.to_os.high_ns,
    }
    where = f": in the {_PLACE}" if under else ""
    return Finding(
        _way_of(bounds.hidden),
        f"{_went_by(bounds.hidden)}, in this cycle, by the OS's own clock{where}.",
        {**evidence, "place": _PLACE} if under else evidence,
    )


def _suspected(hidden: Span, by: str) -> Finding:
    rest = hidden.bounded()
    return Finding(
        FindingKind.SUSPICION,
        f"{_went_by(hidden)}, {by}.",
        {"of": _way_of(hidden).value, "hidden_ns": rest.value_ns, "bound_ns": rest.bound_ns},
    )


def _way_of(hidden: Span) -> FindingKind:
    """Return whether the middle of it is more time than was reported, or less."""
    under = hidden.low_ns + hidden.high_ns > 0
    return FindingKind.BIOS_UNDER_REPORTED if under else FindingKind.BIOS_OVER_REPORTED


def _went_by(hidden: Span) -> str:
    under = _way_of(hidden) is FindingKind.BIOS_UNDER_REPORTED
    near_ns, far_ns = (
        (hidden.low_ns, hidden.high_ns) if under else (-hidden.high_ns, -hidden.low_ns)
    )
    far = f" to {far_ns / 1e6:.0f} ms" if far_ns < OPEN_NS // 2 else " ms or"
    way = "more" if under else "less"
    return (
        f"After PLTRST# {max(near_ns, 0) / 1e6:.0f}{far} {way} went by than the BIOS time that the "
        "OS reports"
    )


_AVERAGE = "firmware_average_resume_ms"
_ABSURD = "firmware_resume_absurd_ms"


def firmware_findings(pair: RecordedCycle) -> Found:
    """Give what FullResume, AverageResume and ResumeCount show, and `bios-over-advised`."""
    if claim_of(pair) is BiosClaim.POSSIBLE:
        # Where BiosInit itself is not the whole, FullResume above it needs no other unit.
        believed = not any(bios_findings(pair))
        yield from (_wrong_unit(pair) if believed else []) or _disagrees(pair)
        yield from _over_advised(pair)
    before = pair.around.history.before(pair.record)
    stuck = before is not None and _stuck(before, pair.record)
    if before is not None and stuck:
        yield Finding(
            FindingKind.RESUME_COUNT_STUCK,
            f"The firmware's ResumeCount is {pair.record.firmware_resume_count} again, as in the "
            "cycle before: its account (FPDT) may be that of an earlier resume.",
            {
                "resume_count": pair.record.firmware_resume_count,
                "firmware_resume_ms": pair.record.firmware_resume_ms,
                "before_ms": before.firmware_resume_ms,
            },
        )
    if not stuck:
        yield from _average(pair, before)


def _wrong_unit(pair: RecordedCycle) -> list[Finding]:
    # More than 10 minutes is no time of a firmware, but may be one in another unit.
    bios_ms, absurd_ms = pair.record.bios_init_ms, figure_of(pair.record, _ABSURD)
    full_ms = pair.record.firmware_resume_ms or (None if absurd_ms is None else round(absurd_ms))
    if not bios_ms or not full_ms:
        return []
    ratio, usual = full_ms / bios_ms, pair.around.history.firmware_ratio
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
    if _is_hidden(pair, full_ms - bios_ms):
        return []
    text = (
        f"The firmware claims {full_ms} ms (FPDT FullResume), BiosInit is {bios_ms} ms, and all "
        f"along the one is {usual:.3f} times the other: ticks of a counter stand in its table, "
        "where nanoseconds are due."
    )
    return [Finding(FindingKind.WRONG_UNIT, text, {**evidence, "usual_ratio": round(usual, 4)})]


def _is_hidden(pair: RecordedCycle, more_ms: int) -> bool:
    """Return whether FullResume has more than BiosInit because more time went by, likely.

    What the clock leaves may be too wide to prove that, and still be nearer to it than to none.
    Where it leaves nothing of this cycle, that of most cycles says so.
    """
    hidden, norm = pair.claims.hidden, pair.around.hidden_norm
    if hidden is None:
        return norm is not None and 2 * norm.median_ns > more_ms * NS_PER_MS
    return hidden.low_ns + hidden.high_ns > more_ms * NS_PER_MS


def _disagrees(pair: RecordedCycle) -> list[Finding]:
    record, usual_ms = pair.record, pair.around.norms.firmware_extra_of(pair.outside)
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
        return [Finding(FindingKind.FIRMWARE_DISAGREES, text, evidence)]
    if usual_ms is None or abs(extra_ms - usual_ms) <= FIRMWARE_DRIFT_MS:
        return []
    apart = f"BiosInit and the firmware's FullResume are {extra_ms} ms apart; {usual_ms:g} ms is "
    if pair.around.platform.firmware_extra_ms is not None:
        text = f"{apart}usual in this platform."
        return [Finding(FindingKind.FIRMWARE_DISAGREES, text, evidence)]
    text = f"{apart}usual in this campaign: one of the two is wrong here, or in most cycles."
    return [
        Finding(
            FindingKind.SUSPICION, text, {"of": FindingKind.FIRMWARE_DISAGREES.value, **evidence}
        )
    ]


def _over_advised(pair: RecordedCycle) -> Found:
    requirement, bios_ms = pair.around.requirement, pair.record.bios_init_ms
    advised_ms = requirement.bios_advised_ms
    if advised_ms is None or bios_ms is None or bios_ms <= advised_ms:
        return
    if pair.record.kind not in requirement.kinds:
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


def _average(pair: RecordedCycle, before: OsRecord | None) -> Found:
    """Check that the average is that of all resumes since the count's 1, or follows the last."""
    record = pair.record
    average_ms = figure_of(record, _AVERAGE)
    due_ms = pair.around.history.average_due_ms(record)
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


def detectable_bios(
    pairs: Iterable[tuple[OutsideCycle, OsRecord]], around: Context
) -> DetectableBios | None:
    """Return from where on an error of BiosInit is found; None where no cycle reports one.

    It follows from what the rings leave: an error of the whole width of that moves it off zero,
    wherever in it the truth was.

    Args:
        pairs: cycles with their record, ignored ones among them.
        around: what their findings are made with.
    """
    proven: list[float] = []
    likely: list[float] = []
    for outside, record in pairs:
        if outside.ignored or record.bios_init_ms is None:
            continue
        claims = around.wakes.get(outside.number, WakeClaims())
        proven.append(_least_ns(claims.proven))
        likely.append(inf if around.clock_moves else _least_ns(claims.likely))
    if not proven:
        return None
    # No sleep follows the last one, so its clock is known to a second only.
    least_ns, suspected_ns = (_in_nearly_all(each[:-1] or each) for each in (proven, likely))
    checked = sum(each != inf for each in proven)
    return DetectableBios(len(proven), least_ns, least_ns, checked, suspected_ns)


def _least_ns(bounds: WakeBounds | None) -> float:
    return inf if bounds is None or bounds.hidden.is_open else bounds.hidden.width_ns


def _in_nearly_all(least_ns: Sequence[float]) -> int | None:
    found = sorted(least_ns)[ceil(FOUND_SHARE * len(least_ns)) - 1]
    return None if found == inf else ceil(found)
