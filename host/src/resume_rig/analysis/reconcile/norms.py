"""What a cycle and its record are held against: the campaign's norms, and the records before.

A norm is of one kind of sleep and one wake source: S4 and S3, lid and button have their own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import sqrt
from statistics import fmean, median
from typing import Final

import numpy as np

from resume_rig.analysis.reconcile.thresholds import (
    ANY_SLEW,
    DOUBLED_NS,
    FAR_SIGMAS,
    FEW_CYCLES,
    FIRMWARE_DRIFT_MS,
    LIGHT_AFTER_COMPLETE_NS,
    MEDIAN_OF,
    NO_SLEW,
    ONE_CAUSE,
    SPREAD_OF,
    TICKS_FIT,
    TICKS_RATIO,
    TICKS_SPREAD_MS,
    UNEXPLAINED_NS,
    UNUSUAL_BY_CHANCE,
    UPTIME_MS,
    UPTIME_STEP_MS,
    Slew,
    figure_of,
    firmware_extra_ms,
    residual,
)
from resume_rig.analysis.stats.figures import MAD_TO_SIGMA, student_t_beyond
from resume_rig.analysis.stats.trend import STRETCH_LEAST, Floats, change_points_of
from resume_rig.model.channel import WakeBy
from resume_rig.model.dut import DutProfile
from resume_rig.model.os_record import OsRecord, SleepKind, host_of
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import LevelChange, OutsideCycle, UsualRest
from resume_rig.model.units import NS_PER_MS


@dataclass(frozen=True, slots=True)
class Platform:
    """Constants of a platform that other campaigns have shown.

    Attributes:
        residual: PLTRST# -> light minus BiosInit minus DriverInit, with the scatter of healthy
            units as its bound; None: the campaign's own median stands in.
        firmware_extra_ms: BiosInit minus the firmware's FullResume; None: likewise.
        light_after_complete_max_ns: the display may light so long after "resume complete".
        s3_power_max_w: a unit that draws more is not in S3; None: not stated.
        slew: what its time service may do to its OS's clock.
    """

    residual: BoundedNs | None = None
    firmware_extra_ms: float | None = None
    light_after_complete_max_ns: int = LIGHT_AFTER_COMPLETE_NS
    s3_power_max_w: float | None = None
    slew: Slew = ANY_SLEW


UNKNOWN_PLATFORM = Platform()


def platform_of(dut: DutProfile | None) -> Platform:
    """Return what a DUT's profile knows of its platform."""
    if dut is None:
        return UNKNOWN_PLATFORM
    most_w = None if dut.s3_power_max_mw is None else dut.s3_power_max_mw / 1e3
    ppm = dut.clock_slew_max_ppm
    slew = ANY_SLEW if ppm is None else replace(ANY_SLEW, ppb=round(ppm * 1_000))
    slew = slew if slew.ppb else NO_SLEW
    own = replace(UNKNOWN_PLATFORM, s3_power_max_w=most_w, slew=slew)
    constants = dut.platform
    if constants is None:
        return own
    light_ns = constants.light_after_complete_max_ns
    return replace(
        own,
        residual=None
        if constants.residual_ns is None
        else BoundedNs(constants.residual_ns, constants.residual_half_width_ns),
        firmware_extra_ms=constants.firmware_extra_ms,
        light_after_complete_max_ns=LIGHT_AFTER_COMPLETE_NS if light_ns is None else light_ns,
    )


Group = tuple[SleepKind, WakeBy | None, int]
"""Kind of sleep, wake source, and how many times the levels of the campaign changed before."""

Pair = tuple[OutsideCycle, OsRecord]
_Terms = tuple[int | None, int | None, int | None]
"""Of one cycle: its residual and its BiosInit in ns, BiosInit minus FullResume in ms."""


@dataclass(frozen=True, slots=True)
class Norm:
    """A median with what is known of the scatter around it.

    Attributes:
        n: how many values it is of.
        spread_ns: standard deviation from it, what is far out left out; None of fewer than 8.
        unusual_ns: how far from the median a value has to be to be unusual; None where that is
            not known.
        is_given: whether it is of the DUT profile, and not of a campaign.
    """

    n: int
    median_ns: int
    spread_ns: int | None
    unusual_ns: int | None
    is_given: bool = False


@dataclass(frozen=True, slots=True)
class Norms:
    """What is normal in a campaign, by kind of sleep, wake source, and level.

    Where a campaign falls in parts (a BIOS that was updated in the middle), each has its own.

    Attributes:
        residuals: of PLTRST# -> light minus BiosInit minus DriverInit; what the platform is known
            by, where it is.
        learned: the same, of this campaign in any case.
        bios: of BiosInit.
        firmware_extra_ms: BiosInit minus FullResume, constant per machine; none below 3 cycles.
        levels: what changed, in order of the cycles.
    """

    residuals: Mapping[Group, Norm] = field(default_factory=dict)
    learned: Mapping[Group, Norm] = field(default_factory=dict)
    bios: Mapping[Group, Norm] = field(default_factory=dict)
    firmware_extra_ms: Mapping[int, float] = field(default_factory=dict)
    levels: tuple[LevelChange, ...] = ()

    def residual_of(self, outside: OutsideCycle, record: OsRecord) -> Norm | None:
        """Return what the residual of a cycle is compared with."""
        return self.residuals.get(self._group(outside, record))

    def bios_of(self, outside: OutsideCycle, record: OsRecord) -> Norm | None:
        """Return what the BiosInit of a cycle is compared with."""
        return self.bios.get(self._group(outside, record))

    def firmware_extra_of(self, outside: OutsideCycle) -> float | None:
        """Return what BiosInit minus FullResume of a cycle is compared with."""
        return self.firmware_extra_ms.get(part_of(outside, self.levels))

    def _group(self, outside: OutsideCycle, record: OsRecord) -> Group:
        return record.kind, outside.wake_by, part_of(outside, self.levels)


def part_of(outside: OutsideCycle, levels: Sequence[LevelChange]) -> int:
    """Return in which part of the campaign a cycle is, from 0."""
    return sum(change.first_cycle <= outside.number for change in levels)


def norms_of(pairs: Iterable[Pair], platform: Platform = UNKNOWN_PLATFORM) -> Norms:
    """Return what is normal in a campaign, of its cycles with a record, in order.

    Ignored cycles are left out, and the first of each group where 8 more are there: it may be
    one of warming up. What the platform is known by goes before what the campaign shows.
    """
    alike: dict[tuple[SleepKind, WakeBy | None], list[tuple[OutsideCycle, _Terms]]] = {}
    computers: dict[int, str] = {}
    for outside, record in pairs:
        if record.computer and record.computer != next(reversed(computers.values()), ""):
            computers[outside.number] = record.computer
        if not outside.ignored:
            key = record.kind, outside.wake_by
            alike.setdefault(key, []).append((outside, _terms_of(outside, record)))
    levels = _levels_of(max(alike.values(), key=len, default=[]), dict(list(computers.items())[1:]))
    groups: dict[Group, list[_Terms]] = {}
    for (kind, wake_by), members in alike.items():
        for outside, terms in members:
            groups.setdefault((kind, wake_by, part_of(outside, levels)), []).append(terms)
    warm = {group: members[len(members) > SPREAD_OF :] for group, members in groups.items()}
    learned = _medians({group: _present(each[0] for each in of) for group, of in warm.items()})
    return Norms(
        residuals=learned if platform.residual is None else _given(warm, platform.residual),
        learned=learned,
        bios=_medians({group: _present(each[1] for each in of) for group, of in warm.items()}),
        firmware_extra_ms={
            part: extra_ms
            for part in range(len(levels) + 1)
            if (extra_ms := _firmware_extra(warm, part, platform)) is not None
        },
        levels=levels,
    )


def _levels_of(
    members: Sequence[tuple[OutsideCycle, _Terms]], computers: Mapping[int, str]
) -> tuple[LevelChange, ...]:
    """Return where residual, BiosInit or FullResume's distance from it changed for good.

    Steps that scatter, a drift or a warm display may make do not count.

    Args:
        members: the cycles of one kind of sleep and wake source.
        computers: by number of the first cycle of each, other than the first: its name.
    """
    found = {
        first: replace(_level_change(members, first), light_stayed=False, computer=name)
        for first, name in computers.items()
    }
    least = (UNEXPLAINED_NS, UNEXPLAINED_NS, FIRMWARE_DRIFT_MS)
    for term, least_of in enumerate(least):
        known = [(each.number, terms[term]) for each, terms in members]
        numbers = [number for number, value in known if value is not None]
        values = np.array([value for _, value in known if value is not None], dtype=np.float64)
        changes = change_points_of(values, numbers)
        places = [0, *(numbers.index(change.cycle) for change in changes), len(numbers)]
        for change, (start, place, end) in zip(
            changes, zip(places[:-2], places[1:-1], places[2:], strict=True), strict=True
        ):
            is_new = all(abs(change.cycle - other) >= STRETCH_LEAST for other in found)
            shift = abs(change.after_ms - change.before_ms)
            if (
                is_new
                and shift > least_of
                and _parted(values[start:place], values[place:end], shift)
            ):
                found[change.cycle] = _level_change(members, change.cycle)
    return tuple(found[number] for number in sorted(found))


def _parted(before: Floats, after: Floats, shift: float) -> bool:
    """Return whether two levels are apart by half of their distance, nine values in ten of each.

    A drift has a step in its middle for which that does not hold.
    """
    low, high = sorted((before, after), key=np.median)
    gap = float(np.quantile(high, _OUTER) - np.quantile(low, 1 - _OUTER))
    return 2 * gap > shift


_OUTER: Final = 0.1
"""Assumed: so many of the values at either end of a level may be outliers."""


def _level_change(members: Sequence[tuple[OutsideCycle, _Terms]], first: int) -> LevelChange:
    """Return by how much the medians of BiosInit and residual differ around a cycle."""
    moved: list[int | None] = []
    for term in (1, 0):
        sides = [
            _present(terms[term] for each, terms in members if (each.number >= first) is after)
            for after in (False, True)
        ]
        both = [median(side) for side in sides if side]
        moved.append(round(both[1] - both[0]) if len(both) == 2 else None)
    bios_ns, rest_ns = moved
    light_stayed = None
    if bios_ns is not None and rest_ns is not None:
        light_stayed = abs(bios_ns) > UNEXPLAINED_NS and (
            abs(bios_ns + rest_ns) * ONE_CAUSE <= abs(bios_ns)
        )
    return LevelChange(first, bios_ns, rest_ns, bool(light_stayed))


def norm_of(values_ns: Sequence[int]) -> Norm | None:
    """Return median and spread; None of fewer than 3 values."""
    n = len(values_ns)
    if n < MEDIAN_OF:
        return None
    middle_ns = round(median(values_ns))
    if n < SPREAD_OF:
        return Norm(n, middle_ns, None, None)
    return Norm(n, middle_ns, *_scatter([abs(value_ns - middle_ns) for value_ns in values_ns]))


def _scatter(distance_ns: Sequence[int]) -> tuple[int, int]:
    """Return spread and limit of the usual, given how far values are from their median.

    A median absolute deviation says which are far out, whatever those are; the others say more
    exactly how much is usual. At least half of all stay, as half of all are within the deviation.
    """
    far_ns = FAR_SIGMAS * (1 + FEW_CYCLES / len(distance_ns)) * MAD_TO_SIGMA * median(distance_ns)
    near_ns = [each_ns for each_ns in distance_ns if each_ns <= far_ns]
    freedom = len(near_ns) - 1
    spread_ns = sqrt(sum(each_ns * each_ns for each_ns in near_ns) / freedom)
    beyond = student_t_beyond(UNUSUAL_BY_CHANCE, freedom) * sqrt(1 + 1 / len(near_ns))
    return round(spread_ns), round(beyond * spread_ns)


def usual_rests(norms: Norms) -> tuple[UsualRest, ...]:
    """Return what the campaign shows of its platform, for whoever keeps it in a DUT profile."""
    return tuple(
        UsualRest(kind, wake_by, norm.n, norm.median_ns, norm.spread_ns)
        for (kind, wake_by, _), norm in norms.learned.items()
    )


def _given(groups: Iterable[Group], constant: BoundedNs) -> dict[Group, Norm]:
    norm = Norm(0, constant.value_ns, None, constant.bound_ns, is_given=True)
    return dict.fromkeys(groups, norm)


def _medians(values_ns: Mapping[Group, Sequence[int]]) -> dict[Group, Norm]:
    norms = {group: norm_of(values) for group, values in values_ns.items()}
    return {group: norm for group, norm in norms.items() if norm is not None}


def _terms_of(outside: OutsideCycle, record: OsRecord) -> _Terms:
    rest, bios_ms = residual(outside, record), record.bios_init_ms
    return (
        None if rest is None else rest.value_ns,
        None if bios_ms is None else bios_ms * NS_PER_MS,
        firmware_extra_ms(record),
    )


def _present(values: Iterable[int | None]) -> list[int]:
    return [value for value in values if value is not None]


def _firmware_extra(
    groups: Mapping[Group, Sequence[_Terms]], part: int, platform: Platform
) -> float | None:
    if platform.firmware_extra_ms is not None:
        return platform.firmware_extra_ms
    extras_ms = _present(each[2] for group, of in groups.items() if group[2] == part for each in of)
    return float(median(extras_ms)) if len(extras_ms) >= MEDIAN_OF else None


# Of the values that a fit leaves over, the worst fifth may belong to cycles that differ. Assumed.
_TRIMMED = 0.8


def is_one_computer(one: OsRecord, other: OsRecord) -> bool:
    """Return whether two records may be of one computer, by the name that the log has of it."""
    return len({host_of(one.computer), host_of(other.computer)} - {""}) < 2


@dataclass(frozen=True, slots=True)
class History:
    """All records of a campaign, in record order per source.

    Attributes:
        keeps_counting: whether BiosInit grows from record to record by the time between them;
            None where too few records show it.
        firmware_ratio: FullResume over BiosInit, where a factor explains the campaign and a
            constant difference does not; None otherwise.
    """

    keeps_counting: bool | None = None
    firmware_ratio: float | None = None
    _average_ms: dict[int, float] = field(default_factory=dict)
    _before: dict[int, OsRecord] = field(default_factory=dict)
    _doubled: dict[int, OsRecord] = field(default_factory=dict)

    def before(self, record: OsRecord) -> OsRecord | None:
        """Return the record that stands just before one in its source."""
        return self._before.get(id(record))

    def follows(self, record: OsRecord, last: OsRecord) -> bool:
        """Return whether one record stands just after another, and neither OS nor firmware started.

        A start reads the RTC anew, so that the OS's clock does not go on.
        """
        if figure_of(record, "os_started"):
            return False
        counts = last.firmware_resume_count, record.firmware_resume_count
        restarted = None not in counts and (counts[1] or 0) < (counts[0] or 0)
        return self.before(record) is last and not restarted

    def average_due_ms(self, record: OsRecord) -> float | None:
        """Return the mean FullResume since ResumeCount was 1; None where a record is lacking."""
        return self._average_ms.get(id(record))

    def double_of(self, record: OsRecord) -> OsRecord | None:
        """Return another record of the same kind and the same wake."""
        return self._doubled.get(id(record))


def history_of(records: Sequence[OsRecord], matched: Iterable[OsRecord]) -> History:
    """Return the history of records; the `matched` ones show what the campaign is like."""
    neighbours = [
        (a, b) for a, b in pairwise(records) if a.source == b.source and is_one_computer(a, b)
    ]
    return History(
        keeps_counting=_keeps_counting(neighbours),
        firmware_ratio=_firmware_ratio(matched),
        _average_ms=_averages(records),
        _before={id(after): before for before, after in neighbours},
        _doubled=_doubles(records),
    )


def _averages(records: Iterable[OsRecord]) -> dict[int, float]:
    found: dict[int, float] = {}
    source, counted, sum_ms = -1, 0, 0
    for record in records:
        count, full_ms = record.firmware_resume_count, record.firmware_resume_ms
        if count == 1:
            source, counted, sum_ms = record.source, 0, 0
        if not count or full_ms is None or record.source != source or count != counted + 1:
            source = -1
            continue
        counted, sum_ms = count, sum_ms + full_ms
        found[id(record)] = sum_ms / count
    return found


def _doubles(records: Sequence[OsRecord]) -> dict[int, OsRecord]:
    groups: dict[tuple[int, SleepKind], list[tuple[int, int]]] = {}
    for index, record in enumerate(records):
        if record.wake_time_utc_ns is not None and record.resume_ms is not None:
            key = record.source, record.kind
            groups.setdefault(key, []).append((record.wake_time_utc_ns, index))
    found: dict[int, OsRecord] = {}
    for members in groups.values():
        for (first_ns, first), (second_ns, second) in pairwise(sorted(members)):
            one, other = sorted((first, second))
            doubled = _are_equal(records[one], records[other])
            if doubled or (second_ns - first_ns < DOUBLED_NS and not _stepped(records, one, other)):
                found[id(records[first])] = records[second]
                found[id(records[second])] = records[first]
    return found


def _are_equal(one: OsRecord, other: OsRecord) -> bool:
    """Whether a record is another one once more, whatever the clock did."""
    names = ("sleep_time_utc_ns", "wake_time_utc_ns", "sleep_ms", "wake_ms", "bios_init_ms")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def _stepped(records: Sequence[OsRecord], one: int, other: int) -> bool:
    """Whether the clock was set between two wakes: a time may come twice then.

    Args:
        records: all, in record order.
        one: the earlier of the two.
        other: the later one.
    """
    between = records[one + 1 : other + 1]
    if figure_of(records[one], "clock_stepped_after_wake_us"):
        return True
    return any(figure_of(record, "clock_steps") for record in between)


def _keeps_counting(neighbours: Iterable[tuple[OsRecord, OsRecord]]) -> bool | None:
    """Compare growth with time between wakes, asleep included or not; most pairs decide.

    Only two numbers that are both as large as an uptime show that they are none. Where others stand
    between them, those that are as large decide by themselves.
    """
    pairs = list(neighbours)
    grew = [counted for a, b in pairs if (counted := _grew(a, b)) is not None]
    large = [b for _, b in pairs if (b.bios_init_ms or 0) >= UPTIME_MS]
    apart = [(a, b) for a, b in pairwise(large) if a.source == b.source]
    large_grew = [counted for a, b in apart if (counted := _grew(a, b)) is not None]
    if any(2 * sum(each) > len(each) for each in (grew, large_grew)):
        return True
    both_large = (min(a.bios_init_ms or 0, b.bios_init_ms or 0) >= UPTIME_MS for a, b in pairs)
    return False if large_grew or any(both_large) else None


def _grew(before: OsRecord, after: OsRecord) -> bool | None:
    times = (before.wake_time_utc_ns, after.wake_time_utc_ns, after.sleep_time_utc_ns)
    if before.bios_init_ms is None or after.bios_init_ms is None or None in times:
        return None
    wake_ns, next_ns, sleep_ns = (time or 0 for time in times)
    grown_ms = after.bios_init_ms - before.bios_init_ms
    elapsed_ms = (
        (next_ns - wake_ns) / NS_PER_MS,
        (sleep_ns - wake_ns) / NS_PER_MS + (after.sleep_ms or 0),
    )
    return any(abs(grown_ms - each) <= UPTIME_STEP_MS and each > 0 for each in elapsed_ms)


def same_boot(before: OsRecord, after: OsRecord) -> bool:
    """Return whether the OS's count of awake time went on between two records."""
    began_ms = figure_of(before, "firmware_suspend_start_ms")
    ended_ms = figure_of(after, "firmware_suspend_start_ms")
    wake_ns, sleep_ns = before.wake_time_utc_ns, after.sleep_time_utc_ns
    if began_ms is None or ended_ms is None or wake_ns is None or sleep_ns is None:
        return False
    awake_ms = (sleep_ns - wake_ns) / NS_PER_MS + (before.wake_ms or 0) + (after.sleep_ms or 0)
    return abs(ended_ms - began_ms - awake_ms) <= UPTIME_STEP_MS


def _firmware_ratio(records: Iterable[OsRecord]) -> float | None:
    pairs = [
        (record.bios_init_ms, record.firmware_resume_ms)
        for record in records
        if record.bios_init_ms is not None and record.firmware_resume_ms is not None
    ]
    if len(pairs) < max(SPREAD_OF, MEDIAN_OF):
        return None
    ratio = median(full / bios for bios, full in pairs)
    difference = median(full - bios for bios, full in pairs)
    by_factor = _left_over(full - ratio * bios for bios, full in pairs)
    by_difference = _left_over(full - bios - difference for bios, full in pairs)
    fits = by_difference >= TICKS_SPREAD_MS and by_factor <= TICKS_FIT * by_difference
    return ratio if ratio >= TICKS_RATIO and fits else None


def _left_over(deviations: Iterable[float]) -> float:
    ordered = sorted(map(abs, deviations))
    return fmean(ordered[: max(1, round(_TRIMMED * len(ordered)))])
