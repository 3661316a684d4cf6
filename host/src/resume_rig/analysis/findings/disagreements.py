"""Every finding of one cycle and its OS record, and what all of a campaign's are held against.

The families are `sleeps.py`, `firmware.py`, and those about the light here; `kinds.py` has a
row of each. A finding is made only where no explanation within the bounds is left.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Final

from resume_rig.analysis.findings.context import Context, Found, RecordedCycle, WakeClaims
from resume_rig.analysis.findings.firmware import (
    BiosClaim,
    bios_findings,
    claim_of,
    firmware_findings,
    unit_factor,
)
from resume_rig.analysis.findings.kinds import ABOUT
from resume_rig.analysis.findings.silent_steps import Rings, without_steps, witnesses_of
from resume_rig.analysis.findings.sleeps import record_findings, sleep_findings
from resume_rig.analysis.reconcile.constraints import (
    Ring,
    Span,
    WakeBounds,
    by_running,
    by_standing,
    wake_bounds,
)
from resume_rig.analysis.reconcile.hidden_time import longest_bios_ms
from resume_rig.analysis.reconcile.norms import (
    Norms,
    Pair,
    Platform,
    history_of,
    norm_of,
    norms_of,
    part_of,
)
from resume_rig.analysis.reconcile.reconcile import is_unusual, unexplained
from resume_rig.analysis.reconcile.thresholds import (
    HIDDEN_BEFORE_NS,
    MEDIAN_OF,
    USUAL_SLEW,
    reported,
)
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle
from resume_rig.model.result.verdict import Finding, FindingKind, Requirement


def display_findings(pair: RecordedCycle) -> Found:
    """Give `lit-before-os` and `complete-before-light`; a BIOS time of hours shows neither."""
    if claim_of(pair) is not BiosClaim.POSSIBLE:
        return
    yield from _lit_before_os(pair)
    yield from _complete_before_light(pair)


def unexplained_findings(pair: RecordedCycle) -> Found:
    """Give `unexplained`, for what no other finding of the cycle names."""
    rest = unexplained(pair.outside, pair.record, pair.around.norms)
    norm = pair.around.norms.residual_of(pair.outside, pair.record)
    if rest is None or norm is None or not is_unusual(rest, norm):
        return
    if claim_of(pair) is not BiosClaim.POSSIBLE:
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


def _lit_before_os(pair: RecordedCycle) -> Found:
    """Give `lit-before-os` where the rings show it, a suspicion where BiosInit alone does."""
    light = pair.outside.intervals.get(IntervalName.PLTRST_TO_LIGHT)
    if light is None or pair.record.bios_init_ms is None:
        return
    proven = pair.claims.proven
    if proven is not None and proven.to_os.low_ns > light.value_ns + light.bound_ns:
        ahead = (proven.to_os - Span.of(light)).bounded()
        yield Finding(
            FindingKind.LIT_BEFORE_OS,
            f"The display was lit {ahead.value_ns / 1e6:.0f} ms before the OS had control, by the "
            "OS's own clock: the firmware lit it, and the user did not see the OS.",
            {"ahead_ns": ahead.value_ns, "bound_ns": ahead.bound_ns},
        )
        return
    ahead = pair.around.reset_to_tsc + reported(pair.record.bios_init_ms) - light
    if ahead.value_ns <= ahead.bound_ns:
        return
    yield Finding(
        FindingKind.SUSPICION,
        f"Light came {ahead.value_ns / 1e6:.0f} ms before the OS had control, by its BIOS time "
        "alone: the firmware lit the display, another light was there, or the BIOS time is too "
        "long.",
        {
            "of": FindingKind.LIT_BEFORE_OS.value,
            "ahead_ns": ahead.value_ns,
            "bound_ns": ahead.bound_ns,
        },
    )


def _complete_before_light(pair: RecordedCycle) -> Found:
    late = pair.light_after
    most_ns = pair.around.platform.light_after_complete_max_ns
    if late is None or late.low_ns <= most_ns:
        return
    middle = late.bounded()
    yield Finding(
        FindingKind.COMPLETE_BEFORE_LIGHT,
        f"The OS counts its resume as complete {late.low_ns / 1e6:.0f} ms or more before the "
        "display was lit.",
        {"late_ns": middle.value_ns, "bound_ns": middle.bound_ns, "threshold_ns": most_ns},
    )


_FAMILIES: Final[tuple[Callable[[RecordedCycle], Found], ...]] = (
    record_findings,
    sleep_findings,
    bios_findings,
    firmware_findings,
    display_findings,
    unexplained_findings,
)


def context_of(
    cycles: Collection[OutsideCycle],
    record_of: Mapping[int, OsRecord],
    records: Sequence[OsRecord],
    *,
    requirement: Requirement,
    reset_to_tsc: BoundedNs,
    platform: Platform,
    awake: Iterable[BoundedNs | None] | None = None,
) -> Context:
    """Return what all findings of a campaign are measured against.

    Args:
        cycles: in order; gone through more than once.
        record_of: the matched record, by index into `cycles`.
        records: all that were read, in record order.
        requirement: what the verdict is about.
        reset_to_tsc: PLTRST# rising to the TSC's zero.
        platform: what is known of the platform.
        awake: of each cycle, SLP_S3# rising to its falling in the next one, on one clock; None
            where no clock shows it.
    """
    history = history_of(records, [record_of[index] for index in sorted(record_of)])
    around = Context(
        *(requirement, reset_to_tsc, Norms(), history, platform), awake_w=_awake_w(cycles)
    )
    numbers = [cycle.number for cycle in cycles]
    spans = [None] * len(cycles) if awake is None else awake
    pairs = [(c, record_of[i]) if i in record_of else None for i, c in enumerate(cycles)]
    any_slew, usual_slew = _rings(pairs, spans, around)
    longest_ms = [longest_bios_ms(*rings, reset_to_tsc) for rings in zip(*any_slew, strict=True)]
    claims = {
        number: WakeClaims(longest_bios_ms=longest)
        for number, longest in zip(numbers, longest_ms, strict=True)
    }
    around = _with_claims(replace(around, wakes=claims), pairs)
    # What is impossible is no measure of what is usual, nor of the clock.
    possible = [
        None if pair is None or bios_is_impossible(*pair, around) else pair for pair in pairs
    ]
    norms = norms_of((pair for pair in possible if pair is not None), platform)
    witnesses = [None if pair is None else witnesses_of(*pair, norms) for pair in possible]
    running, standing = (
        [ring if pair is not None else None for ring, pair in zip(rings, possible, strict=True)]
        for rings in usual_slew
    )
    parts = [part_of(cycle, norms.levels) for cycle in cycles]
    clear = without_steps(Rings(running, standing, witnesses, parts, {}, {}))
    wakes: dict[int, WakeClaims] = {}
    for index, pair in enumerate(possible):
        ran, stood = clear.running[index], clear.standing[index]
        bios_ms = None if pair is None else pair[1].bios_init_ms
        likely = proven = None
        if bios_ms is not None:
            likely = wake_bounds((ran, stood), reset_to_tsc, bios_ms)
            # Whose usual ring a clock that was set explains has none that proves anything.
            wide = (
                ring if usual is not None else None
                for ring, usual in ((any_slew[0][index], ran), (any_slew[1][index], stood))
            )
            proven = wake_bounds(tuple(wide), reset_to_tsc, bios_ms)
        before = clear.running[index - 1] if index else None
        wakes[numbers[index]] = replace(
            claims[numbers[index]],
            proven=proven,
            likely=likely,
            hidden=ran.hidden if ran is not None and ran.is_seen else None,
            stop=_after_stop(before or stood),
        )
    return replace(
        around,
        norms=norms,
        wakes=wakes,
        hidden_norm=norm_of(
            [ring.hidden.bounded().value_ns for ring in clear.running if ring is not None]
        ),
        silent_steps={numbers[index]: step for index, step in clear.steps.items()},
        clock_differences={
            numbers[index]: difference for index, difference in clear.clock_differences.items()
        },
        contradictory=_point_both_ways(each.proven for each in wakes.values()),
        clock_moves=_point_both_ways(each.likely for each in wakes.values()),
    )


def _point_both_ways(bounds: Iterable[WakeBounds | None]) -> bool:
    """Return whether wakes show BIOS times that are too short, and others too long."""
    signs = {
        each.hidden.low_ns > 0 for each in bounds if each is not None and each.hidden.excludes(0)
    }
    return len(signs) > 1


def _awake_w(cycles: Iterable[OutsideCycle]) -> float | None:
    """Return what the DUT usually draws awake; None where nothing was sampled."""
    drawn = [c.power.awake_w.value for c in cycles if c.power and c.power.awake_w]
    return median(drawn) if drawn else None


def _with_claims(around: Context, pairs: Iterable[Pair | None]) -> Context:
    """Return the context with what the campaign has room for, and its unit of BIOS times."""
    known = [RecordedCycle(*pair, around) for pair in pairs if pair is not None]
    rooms_known = [room_ms for each in known if (room_ms := each.longest_bios_ms) is not None]
    usual_ms = median(rooms_known) if len(rooms_known) >= MEDIAN_OF else None
    around = replace(around, usual_room_ms=usual_ms)
    factors = Counter(unit_factor(replace(each, around=around)) for each in known)
    del factors[1]
    factor, count = factors.most_common(1)[0] if factors else (None, 0)
    return replace(around, unit_factor=factor if 2 * count > factors.total() else None)


_Rings = tuple[list[Ring | None], list[Ring | None]]


def _rings(
    pairs: Sequence[Pair | None], awake: Iterable[BoundedNs | None], around: Context
) -> tuple[_Rings, _Rings]:
    """Return the rings of each cycle, by running and by standing, with any slew and the usual one.

    A cycle follows the one before where no other sleep and no boot was between.
    """
    history, tsc = around.history, around.reset_to_tsc
    slews = around.platform.slew, around.platform.slew.no_more_than(USUAL_SLEW)
    rings: tuple[_Rings, _Rings] = ([], []), ([], [])
    followed = [*pairs[1:], None][: len(pairs)]
    for pair, until_next, after in zip(pairs, awake, followed, strict=True):
        before = None if pair is None else history.before(pair[1])
        goes_on = pair is not None and after is not None and history.follows(after[1], pair[1])
        for slew, (running, standing) in zip(slews, rings, strict=True):
            if running is not rings[0][0] and slew == slews[0]:
                running.append(rings[0][0][-1])
                standing.append(rings[0][1][-1])
                continue
            ran = stood = None
            if pair is not None:
                stood = by_standing(pair, before, tsc, slew)
                if goes_on and after is not None and until_next is not None:
                    ran = by_running(pair, after, until_next, tsc, slew)
            running.append(ran)
            standing.append(stood)
    return rings


def _after_stop(ring: Ring | None) -> Span | None:
    """Return what of a cycle's way to sleep was after the clock's stop, by a ring that it closes.

    It is shown where much is hidden before the sleep alone.
    """
    if ring is None or not ring.is_seen or ring.stop.width_ns <= HIDDEN_BEFORE_NS:
        return None
    return ring.stop_if_true


def bios_is_impossible(outside: OutsideCycle, record: OsRecord, around: Context) -> bool:
    """Return whether clock and wires leave no room for the record's BIOS time."""
    return claim_of(RecordedCycle(outside, record, around)) is not BiosClaim.POSSIBLE


def disagreements(outside: OutsideCycle, record: OsRecord, around: Context) -> tuple[Finding, ...]:
    """Return every finding of one cycle and its record, without what another one explains."""
    pair = RecordedCycle(outside, record, around)
    found = [finding for family in _FAMILIES for finding in family(pair)]
    kinds = {finding.kind for finding in (*outside.findings, *found)}
    return tuple(each for each in found if kinds.isdisjoint(ABOUT[each.kind].explained_by))
