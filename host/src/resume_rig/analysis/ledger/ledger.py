"""The ledger: every attempt to sleep of every computer once, whatever told of it, in order.

A sleep stands in several places: in two exports of one log, an hour apart by a zone; under two
record numbers; in an event log and a sleep study; as a wake at the end of one file and with its
account in the next. What is no second sleep is left out here, before anything is counted. A record
whose own numbers exclude each other stays, and measures nothing. docs/explanation/ledger.md draws
it.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from resume_rig.model.os_record import (
    NO_SLEEPS,
    Integrity,
    LogReading,
    OsRecord,
    host_of,
)
from resume_rig.model.units import NS_PER_S, NS_PER_US

ZONE_NS: Final = 15 * 60 * NS_PER_S
"""Zones differ by multiples of a quarter of an hour (IANA tz database)."""

ZONES_APART_NS: Final = 26 * 3600 * NS_PER_S
"""From UTC-12 to UTC+14."""

WHOLE_SECONDS_NS: Final = 3 * NS_PER_S
"""How far two accounts of one sleep lie apart at either end: a sleep study has whole seconds, and
its session ends up to 2 s after the wake (measured: one study beside its System log)."""

_WITHOUT_TIMES: Final = ("powercfg", "pwrtest", "s3resume")
"""Kinds of logs that may have no times of day, or only local ones."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a reading shows.

    Attributes:
        reading: its records, each transition once, those of one computer in order; the notes of
            its sources say how many were left out.
        repeated: records that tell of a transition which another tells of.
        computers: whose transitions these are, in order; empty where nothing names one.
    """

    reading: LogReading
    repeated: int
    computers: tuple[str, ...]

    def of_each_computer(self) -> tuple[tuple[str, LogReading], ...]:
        """Return the reading of each computer; of what names none, with the name "".

        Where only one is named, what names none may be of it, and stays with it.
        """
        if len(self.computers) < 2:
            return (("".join(self.computers), self.reading),)
        names = {host_of(name): name for name in self.computers}
        found: dict[str, list[OsRecord]] = {name: [] for name in self.computers}
        for record in self.reading.records:
            found.setdefault(names.get(host_of(record.computer), ""), []).append(record)
        return tuple(
            (name, replace(self.reading, records=tuple(records), computers=(name,) if name else ()))
            for name, records in found.items()
            if records
        )


def ledger_of(reading: LogReading) -> Ledger:
    """Return each transition of a reading once; that of a ledger's own reading is itself."""
    order = _in_order(reading)
    repeats = _Repeats(reading, order).found()
    kept = tuple(reading.records[index] for index in order if index not in repeats)
    computers = _computers(kept) or reading.computers
    if not repeats and len(kept) == len(reading.records) and order == sorted(order):
        return Ledger(replace(reading, computers=computers), 0, computers)
    left_out = Counter(reading.records[index].source for index in repeats)
    sources = tuple(
        replace(source, integrity=_noted(source.integrity, left_out[index]))
        if left_out[index]
        else source
        for index, source in enumerate(reading.sources)
    )
    groups = _groups(
        len(reading.sources),
        [
            *reading.overlaps,
            *(
                frozenset({reading.records[one].source, reading.records[other].source})
                for one, other in repeats.items()
            ),
        ],
    )
    once = replace(reading, sources=sources, records=kept, overlaps=groups, computers=computers)
    return Ledger(once, len(repeats), computers)


def _noted(integrity: Integrity, repeated: int) -> Integrity:
    note = (
        "1 record is of a sleep that another record has and was used once."
        if repeated == 1
        else f"{repeated} records are of sleeps that other records have and were used once."
    )
    return Integrity(integrity.ok, (*integrity.problems, note), (*integrity.notes, note))


def _groups(count: int, pairs: Iterable[frozenset[int]]) -> tuple[frozenset[int], ...]:
    """Return the sources that are one log, by which of them share a transition."""
    groups = [frozenset({index}) for index in range(count)]
    for pair in pairs:
        whole = frozenset().union(*(groups[each] for each in pair if each < count))
        for each in whole:
            groups[each] = whole
    return tuple(dict.fromkeys(group for group in groups if len(group) > 1))


def _computers(records: Sequence[OsRecord]) -> tuple[str, ...]:
    """Return whose sleeps these are; a new PC boots under a name that it never sleeps under."""
    names: dict[str, str] = {}
    of_sleeps = [each for each in records if each.kind not in NO_SLEEPS and each.computer]
    for record in of_sleeps or records:
        if record.computer:
            host = host_of(record.computer)
            names[host] = max(names.get(host, ""), record.computer, key=len)
    return tuple(names.values())


def _in_order(reading: LogReading) -> list[int]:
    """Return the records' indexes: logs of one computer by time, each log in its own order.

    Within a log the order of the records is the truth, and no time: clocks are set.
    """
    records = reading.records
    places: dict[int, list[int]] = defaultdict(list)
    for index, record in enumerate(records):
        places[record.source].append(index)
    if len(places) < 2:
        return list(range(len(records)))
    begins: dict[int, tuple[str, int]] = {}
    for source, indexes in places.items():
        begun_ns = next(filter(None, (_moment_ns(records[i]) for i in indexes)), None)
        hosts = {host_of(records[i].computer) for i in indexes} - {""}
        if begun_ns is not None and len(hosts) == 1:
            begins[source] = next(iter(hosts)), begun_ns
    # A log takes the place of one of the same computer; all others stay where they are.
    slots: dict[str, list[int]] = defaultdict(list)
    for source in places:
        if source in begins:
            slots[begins[source][0]].append(source)
    turn = {host: iter(sorted(each, key=lambda s: begins[s][1])) for host, each in slots.items()}
    order: list[int] = []
    for source in places:
        order += places[next(turn[begins[source][0]]) if source in begins else source]
    return order


def _moment_ns(record: OsRecord) -> int | None:
    return record.sleep_time_utc_ns or record.wake_time_utc_ns or record.written_utc_ns


_Key = tuple[object, ...]


class _Repeats:
    """Finds, for each record that is no transition of its own, the record that has it."""

    def __init__(self, reading: LogReading, order: Sequence[int]) -> None:
        self._records = reading.records
        self._kinds = [source.kind for source in reading.sources]
        self._order = order
        self._found: dict[int, int] = {}
        self._shifts_ns: dict[tuple[int, int], int] = {}

    def found(self) -> dict[int, int]:
        """Return the repeats by index, each with the one that stays."""
        self._by_keys()
        self._by_values()
        self._by_ends()
        return self._found

    def _by_keys(self) -> None:
        holders: dict[int, int] = {}
        for index in self._order:
            record = self._records[index]
            keys = [hash(key) for key in _keys(record)]
            same = (holders[key] for key in keys if key in holders)
            holder = next((each for each in same if self._may_be_one(each, index)), None)
            if holder is None:
                for key in keys:
                    holders.setdefault(key, index)
                continue
            self._found[index] = holder
            kept = self._records[holder]
            if record.source != kept.source and record.sleep_time_utc_ns is not None:
                shift_ns = (kept.sleep_time_utc_ns or 0) - record.sleep_time_utc_ns
                self._shifts_ns.setdefault((record.source, kept.source), shift_ns)
                self._shifts_ns.setdefault((kept.source, record.source), -shift_ns)

    def _may_be_one(self, one: int, other: int) -> bool:
        first, second = self._records[one], self._records[other]
        hosts = {host_of(first.computer), host_of(second.computer)} - {""}
        begun_ns = [each.sleep_time_utc_ns for each in (first, second)]
        if len(hosts) > 1 or begun_ns[0] is None or begun_ns[1] is None:
            return len(hosts) < 2
        return abs(begun_ns[0] - begun_ns[1]) <= ZONES_APART_NS

    def _by_values(self) -> None:
        """Compare what has no times of day: if most of one log is in another, it is that.

        Sleep studies as tables, PwrTest and S3Resume copy the numbers of Power-Troubleshooter 1.
        """
        of_source: dict[int, list[int]] = defaultdict(list)
        for index in self._order:
            if self._records[index].kind not in NO_SLEEPS and index not in self._found:
                of_source[self._records[index].source].append(index)
        timeless = [
            source
            for source, own in of_source.items()
            if source < len(self._kinds)
            and self._kinds[source].startswith(_WITHOUT_TIMES)
            and all(_moment_ns(self._records[index]) is None for index in own)
        ]
        for source in timeless:
            for other, others in of_source.items():
                # Of two without times the later one gives way to the earlier.
                if other == source or (other in timeless and other > source):
                    continue
                alike = self._kinds[other] == self._kinds[source]
                pairs = self._pairs(of_source[source], others, _values if alike else _copied)
                self._found |= pairs

    def _pairs(
        self, own: Sequence[int], others: Sequence[int], key_of: Callable[[OsRecord], _Key | None]
    ) -> dict[int, int]:
        """Return which of some records another log has, one for one; of few in common none."""
        left: dict[_Key, list[int]] = defaultdict(list)
        keys = {index: key_of(self._records[index]) for index in (*own, *others)}
        for index in others:
            if (key := keys[index]) is not None and index not in self._found:
                left[key].append(index)
        pairs: dict[int, int] = {}
        for index in own:
            key = keys[index]
            found = left[key] if key is not None and index not in self._found else []
            if found and self._may_be_one(index, found[0]):
                pairs[index] = found.pop(0)
        common = min(sum(keys[index] is not None for index in each) for each in (own, others))
        distinct = len({keys[index] for index in pairs})
        return pairs if 2 * len(pairs) > common and distinct > 1 else {}

    def _by_ends(self) -> None:
        """Find what an account in another log, or in another stretch of this one, has whole."""
        stretches = self._stretches()
        spans = sorted(
            (record.sleep_time_utc_ns, index)
            for index, record in enumerate(self._records)
            if index not in self._found and is_whole(record) and record.sleep_time_utc_ns
        )
        if len(set(stretches.values())) < 2 or not spans:
            return
        starts = [start for start, _ in spans]
        longest_ns = max(self._wake_ns(index) - start for start, index in spans)
        alike = len(set(self._kinds)) < 2
        for index in self._order:
            record = self._records[index]
            at_ns = record.sleep_time_utc_ns or record.wake_time_utc_ns
            if index in self._found or at_ns is None or record.kind in NO_SLEEPS:
                continue
            whole = is_whole(record)
            if whole and alike:
                continue
            back_ns = 0 if whole else longest_ns
            for other in self._near(starts, spans, at_ns, back_ns, record.source):
                apart = stretches[other] != stretches[index] and other not in self._found
                if apart and other != index and self._is_within(index, other):
                    self._found[index] = other
                    break

    def _near(
        self,
        starts: Sequence[int],
        spans: Sequence[tuple[int, int]],
        at_ns: int,
        back_ns: int,
        source: int,
    ) -> Iterator[int]:
        """Yield what began at a moment, or so long before it, in any zone that was seen."""
        shifts = {0, *(ns for (one, _), ns in self._shifts_ns.items() if one == source)}
        for shift_ns in shifts:
            first = bisect_left(starts, at_ns + shift_ns - back_ns - WHOLE_SECONDS_NS)
            last = bisect_left(starts, at_ns + shift_ns + WHOLE_SECONDS_NS)
            # A sleep is a rare thing: of one computer one at a time, so the nearest ones do.
            for _, other in reversed(spans[max(first, last - 64) : last]):
                yield other

    def _is_within(self, index: int, other: int) -> bool:
        record, whole = self._records[index], self._records[other]
        if not self._may_be_one(index, other):
            return False
        shift_ns = self._shifts_ns.get((record.source, whole.source), 0)
        begun_ns, ended_ns = whole.sleep_time_utc_ns or 0, self._wake_ns(other)
        if not is_whole(record):  # one end of it, or none of its times
            at_ns = (record.sleep_time_utc_ns or record.wake_time_utc_ns or 0) + shift_ns
            return begun_ns - NS_PER_S <= at_ns <= ended_ns + NS_PER_S
        kinds = {self._kinds[each.source] for each in (record, whole) if self._kinds}
        if len(kinds) < 2 or index < other:  # of two of one kind the keys decide
            return False
        ends_ns = (record.sleep_time_utc_ns or 0) - begun_ns, self._wake_ns(index) - ended_ns
        return all(abs(end_ns + shift_ns) <= WHOLE_SECONDS_NS for end_ns in ends_ns)

    def _wake_ns(self, index: int) -> int:
        record = self._records[index]
        return record.wake_time_utc_ns or record.sleep_time_utc_ns or 0

    def _stretches(self) -> dict[int, tuple[int, int]]:
        """Return of each record in which run of rising numbers of which source it stands."""
        found: dict[int, tuple[int, int]] = {}
        last: dict[int, tuple[int, int]] = {}
        for index, record in enumerate(self._records):
            run, number = last.get(record.source, (0, -1))
            if record.record_id is not None:
                run += record.record_id < number
                number = record.record_id
            last[record.source] = run, number
            found[index] = record.source, run
        return found


def is_whole(record: OsRecord) -> bool:
    """Return whether somebody wrote an account of a sleep, with both its ends."""
    ends = record.sleep_time_utc_ns, record.wake_time_utc_ns
    return record.kind not in NO_SLEEPS and record.ended is None and None not in ends


def _durations(record: OsRecord) -> tuple[int | None, ...]:
    return (
        *(record.sleep_ms, record.wake_ms, record.driver_init_ms, record.bios_init_ms),
        *(record.hiber_read_ms, record.hiber_write_ms),
    )


def _values(record: OsRecord) -> _Key:
    figures = tuple((figure.name, figure.value) for figure in record.figures)
    return (record.kind, *_durations(record), figures, record.wake_source.text)


def _copied(record: OsRecord) -> _Key | None:
    """Return the numbers that other tools copy of an account; None of one without both."""
    if record.bios_init_ms is None or record.driver_init_ms is None:
        return None
    parts = record.bios_init_ms, record.driver_init_ms, record.hiber_read_ms, record.hiber_write_ms
    return (record.kind, *parts)


def _keys(record: OsRecord) -> Iterator[_Key]:
    """Yield by what a transition is known again; times to 1 us, as every form of a log has them."""
    sleep_ns, wake_ns = record.sleep_time_utc_ns, record.wake_time_utc_ns
    if record.kind not in NO_SLEEPS and sleep_ns is None and wake_ns is not None:
        yield "wake", record.kind, wake_ns, record.written_utc_ns, _durations(record)
    if record.kind in NO_SLEEPS or sleep_ns is None:
        if record.written_utc_ns is not None and record.record_id is not None:
            yield "written", record.kind, record.record_id, record.written_utc_ns // NS_PER_US
        return
    sleep_us, durations = sleep_ns // NS_PER_US, _durations(record)
    if wake_ns is not None:
        length_us = wake_ns // NS_PER_US - sleep_us
        yield "times", record.kind, sleep_us, length_us, durations
        if record.record_id is not None:
            zone_us = sleep_us % (ZONE_NS // NS_PER_US)
            yield "zone", record.kind, record.record_id, zone_us, length_us, durations
    if any(each is not None for each in durations):
        # An account that was written again after the clock was set has another WakeTime.
        yield "again", record.kind, sleep_us, durations
    elif record.ended is not None and wake_ns is None and record.record_id is not None:
        yield "open", record.record_id, sleep_us % (ZONE_NS // NS_PER_US)
