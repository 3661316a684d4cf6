"""How the records of one template are read whose tables of sizes and types are the same.

A template says which value belongs where, and a record's table says where that value stands. Both
come again and again: what they say together is a plan, found once and kept. A plan takes the
values that matter, all in one go.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from resume_rig.oslog.evtx_binxml import UnusualError, demand
from resume_rig.oslog.evtx_template import EVENT_ID_INDEX, UINT16_TYPE, DataLayout, EventLayout
from resume_rig.oslog.evtx_values import (
    BINXML_TYPE,
    FILETIME_TYPE,
    NULL_TYPE,
    SID_TYPE,
    TEXT_TYPES,
    Render,
    ValueTable,
    render_of,
    table_of,
)

_COUNT: Final = struct.Struct("<I")
_ENTRY_BYTES: Final = 4  # of a table: size and type of one value
_UINT8_TYPE: Final = 0x04
_UINT64_TYPE: Final = 0x0A
_TIMES: Final = frozenset({"SleepTime", "WakeTime", "NewTime", "OldTime"})
_PLANS: Final = 256  # of one template: a text of another length is another table

_Plan = TypeVar("_Plan")


@dataclass(frozen=True, slots=True)
class EventPlan:
    """How an event is read.

    Attributes:
        values: takes the values named below; those are places among what it takes.
        size: of all values of the record, in bytes.
        event_id, version, record_id: None for one that the record leaves out.
        sids, texts: those that XML may not keep as they are.
        data_begin, data_end: of EventData, in bytes from the first value.
    """

    values: struct.Struct
    size: int
    event_id: int
    version: int | None
    record_id: int | None
    sids: tuple[int, ...]
    texts: tuple[int, ...]
    data_begin: int
    data_end: int


@dataclass(frozen=True, slots=True)
class DataPlan:
    """How EventData is read.

    Attributes:
        values: takes the values named below, by their places among what it takes.
        size: of all values, in bytes.
        times: name and place of each FILETIME that is kept as a time.
        texts: name and place of each other value, and what makes it a text.
    """

    values: struct.Struct
    size: int
    times: tuple[tuple[str, int], ...]
    texts: tuple[tuple[str, int, Render], ...]


class Plans(Generic[_Plan]):
    """The plans of one template."""

    def __init__(self, make: Callable[[ValueTable], _Plan]) -> None:
        """Start with none; `make` raises UnusualError or IndexError where there can be none."""
        self._make = make
        self._plans: dict[bytes, _Plan | None] = {}

    def at(self, chunk: bytes, start: int) -> tuple[_Plan, int]:
        """Return the plan for the table that begins there, and where the values begin.

        Raises:
            UnusualError: only the full parser can tell these values.
            struct.error: the chunk ends before it.
        """
        (count,) = _COUNT.unpack_from(chunk, start)
        start += _COUNT.size
        begin = start + count * _ENTRY_BYTES
        table = chunk[start:begin]
        plan = self._plans.get(table)
        if plan is None:
            plan = self._find(table)
        return plan, begin

    def _find(self, table: bytes) -> _Plan:
        if table not in self._plans:
            if len(self._plans) >= _PLANS:
                self._plans.clear()
            try:
                self._plans[table] = self._make(table_of(table))
            except (UnusualError, IndexError, struct.error):
                self._plans[table] = None
        plan = self._plans[table]
        if plan is None:
            raise UnusualError
        return plan


def event_plans(layout: EventLayout) -> Plans[EventPlan]:
    """Return the plans of a template of events."""
    return Plans(lambda table: _event_plan(layout, table))


def data_plans(layout: DataLayout) -> Plans[DataPlan]:
    """Return the plans of a template of EventData."""
    return Plans(lambda table: _data_plan(layout, table))


def _event_plan(layout: EventLayout, table: ValueTable) -> EventPlan:
    types = table.types
    demand(types[layout.data_index] == BINXML_TYPE and types[EVENT_ID_INDEX] == UINT16_TYPE)
    version = _number(table, layout.version_index, _UINT8_TYPE)
    record_id = _number(table, layout.record_id_index, _UINT64_TYPE)
    sids = [index for index, value_type in enumerate(types) if value_type == SID_TYPE]
    texts = [index for index, value_type in enumerate(types) if value_type in TEXT_TYPES]
    numbers = [index for index in (version, record_id) if index is not None]
    values, places = table.picked([EVENT_ID_INDEX, *numbers, *sids, *texts])
    begin = table.begins[layout.data_index]
    return EventPlan(
        values=values,
        size=table.size,
        event_id=places[EVENT_ID_INDEX],
        version=None if version is None else places[version],
        record_id=None if record_id is None else places[record_id],
        sids=tuple(places[index] for index in sids),
        texts=tuple(places[index] for index in texts),
        data_begin=begin,
        data_end=begin + struct.calcsize(table.formats[layout.data_index]),
    )


def _data_plan(layout: DataLayout, table: ValueTable) -> DataPlan:
    values, places = table.picked([index for _, index in layout.places])
    times: list[tuple[str, int]] = []
    texts: list[tuple[str, int, Render]] = []
    for name, index in layout.places:
        value_type = table.types[index]
        if value_type == FILETIME_TYPE and name in _TIMES:
            times.append((name, places[index]))
        else:
            texts.append((name, places[index], render_of(value_type)))
    return DataPlan(values, table.size, tuple(times), tuple(texts))


def _number(table: ValueTable, index: int | None, value_type: int) -> int | None:
    """Return the index of a number of the record; None where it is left out."""
    if index is None or table.types[index] == NULL_TYPE:
        return None
    demand(table.types[index] == value_type)
    return index
