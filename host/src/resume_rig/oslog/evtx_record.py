"""One EVTX record to its event, straight from its values.

Templates of the usual shape say where the values belong (see evtx_template); everything that is
not as usual gives None, and the record is rendered by the full parser instead. The tests hold
both against each other.
"""

import struct
from typing import Final

from resume_rig.oslog.event import Event, Provider
from resume_rig.oslog.evtx_binxml import FRAGMENT, UnusualError
from resume_rig.oslog.evtx_plan import DataPlan, EventPlan, Plans, data_plans, event_plans
from resume_rig.oslog.evtx_template import DEFINITION, read_data_layout, read_event_layout
from resume_rig.oslog.evtx_template_cache import TemplateCache
from resume_rig.oslog.evtx_values import is_plain_text, is_sid, time_ns

# size, time written; then the use of a template: token, place of its definition
_HEAD: Final = struct.Struct("<4xI8xQ4xB5xI")
_TEMPLATE: Final = struct.Struct("<B5xI")
_TEMPLATE_TOKEN: Final = 0x0C
_SIZE_BYTES: Final = 4  # a record ends with its size once more
_END_OF_FRAGMENT: Final = 0
_US_TICKS: Final = 10  # the full parser cuts times of EventData to 1 us


class RecordReader:
    """Reads records; remembers their templates."""

    def __init__(self) -> None:
        self._events: TemplateCache[Plans[EventPlan]] = TemplateCache(
            lambda cursor: event_plans(read_event_layout(cursor)), whole=True
        )
        self._data: TemplateCache[Plans[DataPlan]] = TemplateCache(
            lambda cursor: data_plans(read_data_layout(cursor)), whole=True
        )

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
        size, written, token, definition = _HEAD.unpack_from(chunk, place)
        start = place + _HEAD.size
        if definition == start:
            start += DEFINITION.size + DEFINITION.unpack_from(chunk, definition)[0]
        plans = self._events.find(chunk, definition)
        if plans is None or token != _TEMPLATE_TOKEN:
            raise UnusualError
        plan, begin = plans.at(chunk, start)
        values = plan.values.unpack_from(chunk, begin)
        end = begin + plan.size
        if end >= place + size - _SIZE_BYTES or chunk[end] != _END_OF_FRAGMENT:
            raise UnusualError
        for index in plan.sids:
            if not is_sid(values[index]):
                raise UnusualError
        for index in plan.texts:
            if not is_plain_text(values[index]):
                raise UnusualError
        data, times_ns = self._read_data(chunk, begin + plan.data_begin, begin + plan.data_end)
        return Event(
            provider,
            values[plan.event_id],
            None if plan.version is None else values[plan.version],
            None if plan.record_id is None else values[plan.record_id],
            time_ns(written),
            data,
            "",
            times_ns,
        )

    def _read_data(
        self, chunk: bytes, begin: int, end: int
    ) -> tuple[dict[str, str], dict[str, int | None]]:
        """Return the texts and the times of EventData, by name."""
        if chunk.startswith(FRAGMENT, begin):
            begin += len(FRAGMENT)
        token, definition = _TEMPLATE.unpack_from(chunk, begin)
        start = begin + _TEMPLATE.size
        if definition == start:
            start += DEFINITION.size + DEFINITION.unpack_from(chunk, definition)[0]
        plans = self._data.find(chunk, definition)
        if plans is None or token != _TEMPLATE_TOKEN:
            raise UnusualError
        plan, begin = plans.at(chunk, start)
        if begin + plan.size + 1 != end or chunk[end - 1] != _END_OF_FRAGMENT:
            raise UnusualError
        values = plan.values.unpack_from(chunk, begin)
        times_ns = {name: time_ns(values[index], _US_TICKS) for name, index in plan.times}
        return {name: render(values[index]) for name, index, render in plan.texts}, times_ns
