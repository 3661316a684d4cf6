"""Every finding of one cycle and its OS record, and what all of a campaign's are held against.

The families are `sleeps.py`, `firmware.py`, and those about the light here; `explanations.py` has
what each means. A finding is made only where no explanation within the bounds is left.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median
from types import MappingProxyType
from typing import Final, TypeVar

from resume_rig.analysis.findings.context import Context, Found, RecordedCycle
from resume_rig.analysis.findings.firmware import (
    BiosClaim,
    bios_findings,
    claim_of,
    firmware_findings,
    unit_factor,
)
from resume_rig.analysis.findings.silent_steps import (
    HiddenTimes,
    Witnesses,
    without_steps,
    witnesses_of,
)
from resume_rig.analysis.findings.sleeps import record_findings, sleep_findings
from resume_rig.analysis.reconcile.hidden_time import (
    Hidden,
    after_stop,
    hidden_by_running,
    hidden_by_standing,
    means_of,
)
from resume_rig.analysis.reconcile.norms import (
    Norms,
    Platform,
    group_of,
    history_of,
    norm_of,
    norms_of,
)
from resume_rig.analysis.reconcile.reconcile import is_unusual, unexplained
from resume_rig.analysis.reconcile.thresholds import HIDDEN_BEFORE_NS, MEDIAN_OF, reported
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
    norm = pair.around.norms.residuals.get(group_of(pair.outside, pair.record))
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
    light = pair.outside.intervals.get(IntervalName.PLTRST_TO_LIGHT)
    if light is None or pair.record.bios_init_ms is None:
        return
    ahead = pair.around.reset_to_tsc + reported(pair.record.bios_init_ms) - light
    if ahead.value_ns <= ahead.bound_ns:
        return
    yield Finding(
        FindingKind.LIT_BEFORE_OS,
        f"The display was lit {ahead.value_ns / 1e6:.0f} ms before the OS had control, by its own "
        "BIOS time: the firmware lit it, and the user did not see the OS.",
        {"ahead_ns": ahead.value_ns, "bound_ns": ahead.bound_ns},
    )


def _complete_before_light(pair: RecordedCycle) -> Found:
    late = pair.light_after_complete
    most_ns = pair.around.platform.light_after_complete_max_ns
    if late is None or late.value_ns - late.bound_ns <= most_ns:
        return
    yield Finding(
        FindingKind.COMPLETE_BEFORE_LIGHT,
        f"The OS counts its resume as complete {late.value_ns / 1e6:.0f} ms before the display "
        "was lit.",
        {"late_ns": late.value_ns, "bound_ns": late.bound_ns, "threshold_ns": most_ns},
    )


_Value = TypeVar("_Value")
_FAMILIES: Final[tuple[Callable[[RecordedCycle], Found], ...]] = (
    record_findings,
    sleep_findings,
    bios_findings,
    firmware_findings,
    display_findings,
    unexplained_findings,
)
# What a cause explains is no finding of its own.
_EXPLAINED_BY: Final[Mapping[FindingKind, frozenset[FindingKind]]] = MappingProxyType(
    {
        FindingKind.UNEXPLAINED: frozenset(
            {
                FindingKind.BIOS_UNDER_REPORTED,
                FindingKind.BIOS_OVER_REPORTED,
                FindingKind.LIT_BEFORE_OS,
                FindingKind.STATE_MISMATCH,
                FindingKind.DOUBLE_RESET,
            }
        ),
        FindingKind.LIT_BEFORE_OS: frozenset({FindingKind.BIOS_OVER_REPORTED}),
        # The OS's "complete" comes later by what its BIOS time lacks.
        FindingKind.COMPLETE_BEFORE_LIGHT: frozenset({FindingKind.BIOS_UNDER_REPORTED}),
    }
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
    alone = Context(
        *(requirement, reset_to_tsc, Norms(), history, {}, platform), awake_w=_awake_w(cycles)
    )
    alone = _with_claims(alone, cycles, record_of)
    # What is impossible is no measure of what is usual.
    pairs = ((c, record_of[index]) for index, c in enumerate(cycles) if index in record_of)
    norms = norms_of((pair for pair in pairs if not bios_is_impossible(*pair, alone)), platform)

    spans = [None] * len(cycles) if awake is None else awake
    around = replace(alone, norms=norms)
    numbers, times = _hidden_times(cycles, spans, record_of, around)
    times = without_steps(times)
    standing, running = times.standing, times.running
    around = replace(
        around,
        hidden=_by_number(numbers, map(_first, running, standing)),
        hidden_norm=norm_of([cycle.each.value_ns for cycle in running if cycle is not None]),
        after_stop=_by_number(numbers, map(_after_stop, [None, *running[:-1]], standing)),
        silent_steps={numbers[index]: step for index, step in times.steps.items()},
        clock_differences={
            numbers[index]: difference for index, difference in times.clock_differences.items()
        },
    )
    # A cycle that errs by itself would make the others seem to.
    errs = [
        index in record_of and RecordedCycle(cycle, record_of[index], around).one_cause is not None
        for index, cycle in enumerate(cycles)
    ]
    means = means_of(_without(running, errs), _without(standing, errs), times.follows)
    return replace(around, means=_by_number(numbers, means))


def _awake_w(cycles: Iterable[OutsideCycle]) -> float | None:
    """Return what the DUT usually draws awake; None where nothing was sampled."""
    drawn = [c.power.awake_w.value for c in cycles if c.power and c.power.awake_w]
    return median(drawn) if drawn else None


def _with_claims(
    around: Context, cycles: Iterable[OutsideCycle], record_of: Mapping[int, OsRecord]
) -> Context:
    """Return the context with what the campaign has room for, and its unit of BIOS times."""
    pairs = [
        RecordedCycle(c, record_of[index], around)
        for index, c in enumerate(cycles)
        if index in record_of
    ]
    rooms = [each.longest_bios_ms for each in pairs]
    rooms_known = [room_ms for room_ms in rooms if room_ms is not None]
    usual_ms = median(rooms_known) if len(rooms_known) >= MEDIAN_OF else None
    around = replace(around, usual_room_ms=usual_ms)
    factors = Counter(unit_factor(replace(each, around=around)) for each in pairs)
    del factors[1]
    factor, count = factors.most_common(1)[0] if factors else (None, 0)
    return replace(around, unit_factor=factor if 2 * count > factors.total() else None)


def _hidden_times(
    cycles: Iterable[OutsideCycle],
    awake: Iterable[BoundedNs | None],
    record_of: Mapping[int, OsRecord],
    around: Context,
) -> tuple[list[int], HiddenTimes]:
    """Return numbers of the cycles, and what each hides.

    A cycle follows the one before where no other sleep and no boot was between.
    """
    numbers: list[int] = []
    standing: list[Hidden | None] = []
    running: list[Hidden | None] = []
    follows: list[bool] = []
    witnesses: list[Witnesses | None] = []
    history, tsc = around.history, around.reset_to_tsc
    last: tuple[OutsideCycle, OsRecord] | None = None
    span: BoundedNs | None = None
    for index, (cycle, until_next) in enumerate(zip(cycles, awake, strict=True)):
        record = record_of.get(index)
        pair = None if record is None else (cycle, record)
        goes_on = False
        if pair is not None and last is not None and history.follows(pair[1], last[1]):
            goes_on = True
            running[-1] = None if span is None else hidden_by_running(last, pair, span, tsc)
        before = None if record is None else history.before(record)
        standing.append(None if pair is None else hidden_by_standing(*pair, before, tsc))
        running.append(None)
        follows.append(goes_on)
        witnesses.append(None if pair is None else witnesses_of(*pair, around.norms))
        numbers.append(cycle.number)
        last, span = pair, until_next
    return numbers, HiddenTimes(standing, running, follows, witnesses, {}, {})


def _without(cycles: Sequence[Hidden | None], left_out: Iterable[bool]) -> list[Hidden | None]:
    return [None if out else cycle for cycle, out in zip(cycles, left_out, strict=True)]


def _by_number(numbers: Iterable[int], values: Iterable[_Value | None]) -> dict[int, _Value]:
    both = zip(numbers, values, strict=True)
    return {number: value for number, value in both if value is not None}


def _first(running: Hidden | None, standing: Hidden | None) -> Hidden | None:
    return standing if running is None else running


def _after_stop(last: Hidden | None, standing: Hidden | None) -> BoundedNs | None:
    """Return what of a cycle's way to sleep was after the clock's stop.

    The clock that ran until then is that of the wake before.
    """
    hidden = _first(last, standing)
    if hidden is None or hidden.stopped is None:
        return None
    # It is shown where much is hidden before the sleep alone.
    is_much = 2 * hidden.stopped.bound_ns > HIDDEN_BEFORE_NS
    return after_stop(hidden) if is_much else None


def bios_is_impossible(outside: OutsideCycle, record: OsRecord, around: Context) -> bool:
    """Return whether clock and wires leave no room for the record's BIOS time."""
    return claim_of(RecordedCycle(outside, record, around)) is not BiosClaim.POSSIBLE


def disagreements(outside: OutsideCycle, record: OsRecord, around: Context) -> tuple[Finding, ...]:
    """Return every finding of one cycle and its record, without what another one explains."""
    pair = RecordedCycle(outside, record, around)
    found = [finding for family in _FAMILIES for finding in family(pair)]
    kinds = {finding.kind for finding in (*outside.findings, *found)}
    return tuple(
        finding
        for finding in found
        if kinds.isdisjoint(_EXPLAINED_BY.get(finding.kind, frozenset()))
    )
