"""What OS records say of one another: the one before, the one doubled, what keeps growing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean, median

from resume_rig.analysis.reconcile.terms import MS_NS, figure_of
from resume_rig.analysis.reconcile.thresholds import (
    DOUBLED_NS,
    MEDIAN_OF,
    SPREAD_OF,
    TICKS_FIT,
    TICKS_RATIO,
    TICKS_SPREAD_MS,
    UPTIME_MS,
    UPTIME_STEP_MS,
)
from resume_rig.model.os_record import OsRecord, SleepKind

# Of the values that a fit leaves over, the worst fifth may belong to cycles that differ.
_TRIMMED = 0.8


@dataclass(frozen=True, slots=True)
class History:
    """All records of a campaign, in record order per source.

    Attributes:
        keeps_counting: whether BiosInit grows from record to record by the time between them;
            None where too few records tell.
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
    """Return the history of records; what a campaign is like is told by those `matched`."""
    neighbours = [(a, b) for a, b in pairwise(records) if a.source == b.source]
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
            doubled = _says_the_same(records[one], records[other])
            if doubled or (second_ns - first_ns < DOUBLED_NS and not _stepped(records, one, other)):
                found[id(records[first])] = records[second]
                found[id(records[second])] = records[first]
    return found


def _says_the_same(one: OsRecord, other: OsRecord) -> bool:
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

    Only two numbers that are both as large as an uptime tell that they are none.
    """
    grew = [
        (told, min(a.bios_init_ms or 0, b.bios_init_ms or 0) >= UPTIME_MS)
        for a, b in neighbours
        if (told := _grew(a, b)) is not None
    ]
    if 2 * sum(told for told, _ in grew) > len(grew):
        return True
    return False if any(is_large for _, is_large in grew) else None


def _grew(before: OsRecord, after: OsRecord) -> bool | None:
    times = (before.wake_time_utc_ns, after.wake_time_utc_ns, after.sleep_time_utc_ns)
    if before.bios_init_ms is None or after.bios_init_ms is None or None in times:
        return None
    wake_ns, next_ns, sleep_ns = (time or 0 for time in times)
    grown_ms = after.bios_init_ms - before.bios_init_ms
    elapsed_ms = (next_ns - wake_ns) / MS_NS, (sleep_ns - wake_ns) / MS_NS + (after.sleep_ms or 0)
    return any(abs(grown_ms - each) <= UPTIME_STEP_MS and each > 0 for each in elapsed_ms)


def same_boot(before: OsRecord, after: OsRecord) -> bool:
    """Return whether the OS's count of awake time went on between two records."""
    began_ms = figure_of(before, "firmware_suspend_start_ms")
    ended_ms = figure_of(after, "firmware_suspend_start_ms")
    wake_ns, sleep_ns = before.wake_time_utc_ns, after.sleep_time_utc_ns
    if began_ms is None or ended_ms is None or wake_ns is None or sleep_ns is None:
        return False
    awake_ms = (sleep_ns - wake_ns) / MS_NS + (before.wake_ms or 0) + (after.sleep_ms or 0)
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
