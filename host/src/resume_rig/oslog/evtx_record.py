"""One EVTX record to its event, straight from its values.

Templates of the usual shape say where the values belong (see evtx_template); everything that is
not as usual gives None, and the record is rendered by the full parser instead. The tests hold
both against each other.
"""

import struct
from typing import Final

from resume_rig.oslog.event import Event, Provider
from resume_rig.oslog.evtx_binxml import FRAGMENT, UnusualError, demand
from resume_rig.oslog.evtx_template import (
    DEFINITION,
    EVENT_ID_INDEX,
    UINT16_TYPE,
    read_data_layout,
    read_event_layout,
)
from resume_rig.oslog.evtx_template_cache import TemplateCache
from resume_rig.oslog.evtx_values import (
    BINXML_TYPE,
    FILETIME_TYPE,
    NULL_TYPE,
    ValueTable,
    is_plain_text,
    is_sid,
    table_at,
    time_ns,
)

_HEAD: Final = struct.Struct("<4xI8xQ4x")  # size, time written; up to the record's template
_TEMPLATE: Final = struct.Struct("<BBII")  # token, version, id, place of the definition
_TEMPLATE_TOKEN: Final = 0x0C
_SIZE_BYTES: Final = 4  # a record ends with its size once more
_END_OF_FRAGMENT: Final = 0
_UINT8_TYPE: Final = 0x04
_UINT64_TYPE: Final = 0x0A
_US_TICKS: Final = 10  # the full parser cuts times of EventData to 1 us
_TIMES: Final = frozenset({"SleepTime", "WakeTime", "NewTime", "OldTime"})


class RecordReader:
    """Reads records; remembers their templates."""

    def __init__(self) -> None:
        self._events = TemplateCache(read_event_layout, whole=True)
        self._data = TemplateCache(read_data_layout, whole=True)

    def read(self, chunk: bytes, place: int, provider: Provider) -> Event | None:
        """Return the event of a record; None where only the full parser can tell it.

        Args:
            chunk: its 64 KiB.
            place: where the record begins.
            provider: of its event.
        """
        try:
            return self._read(chunk, place, provider)
        except (UnusualError, IndexError, struct.error):
            return None

    def _read(self, chunk: bytes, place: int, provider: Provider) -> Event:
        size, written = _HEAD.unpack_from(chunk, place)
        definition, start = _instance(chunk, place + _HEAD.size)
        layout = self._events.find(chunk, definition)
        if layout is None:
            raise UnusualError
        table, begin = table_at(chunk, start)
        types, values = table.types, table.values.unpack_from(chunk, begin)
        end = begin + table.values.size
        if end >= place + size - _SIZE_BYTES or chunk[end] != _END_OF_FRAGMENT:
            raise UnusualError
        for index in table.sids:
            demand(is_sid(values[index]))
        for index in table.strings:
            demand(is_plain_text(values[index]))
        begin += table.begins[layout.data_index]
        if types[layout.data_index] != BINXML_TYPE or types[EVENT_ID_INDEX] != UINT16_TYPE:
            raise UnusualError
        data, times_ns = self._read_data(chunk, begin, begin + len(values[layout.data_index]))
        return Event(
            provider,
            values[EVENT_ID_INDEX],
            _number(table, values, layout.version_index, _UINT8_TYPE),
            _number(table, values, layout.record_id_index, _UINT64_TYPE),
            time_ns(written),
            data,
            "",
            times_ns,
        )

    def _read_data(
        self, chunk: bytes, begin: int, end: int
    ) -> tuple[dict[str, str], dict[str, int | None]]:
        """Return the texts and the times of EventData, by name."""
        definition, start = _instance(chunk, begin + 4 * chunk.startswith(FRAGMENT, begin))
        layout = self._data.find(chunk, definition)
        if layout is None:
            raise UnusualError
        table, begin = table_at(chunk, start)
        types, values, renders = table.types, table.values.unpack_from(chunk, begin), table.renders
        begin += table.values.size
        if begin + 1 != end or chunk[begin] != _END_OF_FRAGMENT:
            raise UnusualError
        data: dict[str, str] = {}
        times_ns: dict[str, int | None] = {}
        for name, index in layout.places:
            if types[index] == FILETIME_TYPE and name in _TIMES:
                times_ns[name] = time_ns(values[index], _US_TICKS)
                continue
            render = renders[index]
            if render is None:
                raise UnusualError
            data[name] = render(values[index])
        return data, times_ns


def _instance(chunk: bytes, at: int) -> tuple[int, int]:
    """Return where a template is defined that is used at `at`, and where its values begin."""
    token, _, _, definition = _TEMPLATE.unpack_from(chunk, at)
    start = at + _TEMPLATE.size
    if token != _TEMPLATE_TOKEN:
        raise UnusualError
    if definition == start:
        start += DEFINITION.size + DEFINITION.unpack_from(chunk, definition)[0]
    return int(definition), start


def _number(
    table: ValueTable, values: tuple[int, ...], index: int | None, value_type: int
) -> int | None:
    """Return one number of the record; None where it is left out."""
    if index is None or table.types[index] == NULL_TYPE:
        return None
    if table.types[index] != value_type:
        raise UnusualError
    return values[index]
