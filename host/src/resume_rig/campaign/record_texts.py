"""The original texts of stored OS records: read for the few cycles that a report shows."""

import dataclasses
import sys
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from resume_rig.campaign.store import Store
from resume_rig.model.component import Figure
from resume_rig.model.cycle import Correlation, ReconciledCycle
from resume_rig.model.os_record import OsRecord, WakeSource
from resume_rig.model.packed_sequence import PackedSequence


def without_text(record: OsRecord) -> OsRecord:
    """Return a record without its original text; what many have is one object in all of them."""
    figures = tuple(_figure(sys.intern(each.name), each.value) for each in record.figures)
    return dataclasses.replace(
        record,
        text="",
        figures=figures,
        wake_source=_source(record.wake_source),
        sleep_ms=_number(record.sleep_ms),
        wake_ms=_number(record.wake_ms),
        driver_init_ms=_number(record.driver_init_ms),
        bios_init_ms=_number(record.bios_init_ms),
        firmware_resume_ms=_number(record.firmware_resume_ms),
        firmware_resume_count=_number(record.firmware_resume_count),
        os_build=_number(record.os_build),
    )


@lru_cache(maxsize=256)
def _source(source: WakeSource) -> WakeSource:
    return source


@lru_cache(maxsize=4096)
def _number(value: int | None) -> int | None:
    return value


@lru_cache(maxsize=4096, typed=True)
def _figure(name: str, value: float) -> Figure:
    return Figure(name, value)


def with_record_texts(
    correlation: Correlation, path: Path, numbers: Collection[int]
) -> Correlation:
    """Return an answer in which the records of some cycles have their original text again.

    Args:
        correlation: of the store; a record that has a text keeps it.
        path: of the store.
        numbers: of the cycles.

    Raises:
        RecordError: the store cannot be read.
    """
    chosen = frozenset(numbers)
    wanted = {
        cycle.record
        for cycle in correlation.cycles
        if cycle.outside.number in chosen and cycle.record is not None and not cycle.record.text
    }
    if not wanted:
        return correlation
    whole: dict[OsRecord, OsRecord] = {}
    with Store.open(path) as store:
        # A record is in its own cycle, or came late and is in a later one.
        for raw in store.cycles(with_light=False):
            for record in raw.records:
                if (bare := without_text(record)) in wanted:
                    whole.setdefault(bare, record)
            if len(whole) == len(wanted):
                break

    def told(cycle: ReconciledCycle) -> ReconciledCycle:
        if cycle.outside.number not in chosen or cycle.record is None:
            return cycle
        return dataclasses.replace(cycle, record=whole.get(cycle.record, cycle.record))

    kept = [cycle.record for cycle in correlation.cycles if cycle.record is not None]
    cycles = PackedSequence(map(told, correlation.cycles), kept)
    return dataclasses.replace(correlation, cycles=cycles)
