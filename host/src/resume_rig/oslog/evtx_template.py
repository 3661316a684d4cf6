"""What a template of an EVTX chunk says of its events, without rendering anything.

An event is stored as a template and a list of values. The template's text begins
`<Event ..><System><Provider ..><EventID ..>`; each attribute is one literal or one place for a
value. `TemplateShape` is of that beginning only: it tells which records may matter. `EventLayout`
and `DataLayout` are of whole templates of the usual shape: they tell where a record's values
belong. A template that is not of the shape that is asked for gives None and is left to the full
parser. Literals and values are stored in one piece, so what is read here is what the full parser
would render.
"""

import struct
from dataclasses import dataclass
from typing import Final

from resume_rig.oslog.event import Provider, provider_of
from resume_rig.oslog.evtx_binxml import (
    END_OF_ELEMENT,
    END_OF_EMPTY_TAG,
    END_OF_FRAGMENT,
    END_OF_TAG,
    STRING_TYPE,
    Slot,
    TemplateCursor,
    demand,
)
from resume_rig.oslog.evtx_values import BINXML_TYPE

EVENT_ID_INDEX: Final = 3
"""Place of the event id among the values; the event log service knows no other."""

UINT16_TYPE: Final = 0x06
GUID_TYPE: Final = 0x0F

DEFINITION: Final = struct.Struct("<4x16xI")
"""Head of a template definition: next definition, GUID, bytes that follow."""

_PROVIDER_TYPES: Final = {"Name": STRING_TYPE, "Guid": GUID_TYPE, "EventSourceName": None}
_SYSTEM_TEXTS: Final = frozenset(
    {"Version", "Level", "Task", "Opcode", "Keywords", "EventRecordID", "Channel", "Computer"}
)
_SYSTEM_TAGS: Final = frozenset({"TimeCreated", "Correlation", "Execution", "Security"})
_DATA_LIMIT: Final = 256  # values that a record may have


@dataclass(frozen=True, slots=True)
class TemplateShape:
    """Where a template has the provider of its events; the event id is its value EVENT_ID_INDEX.

    Attributes:
        provider: the provider that its literals name, None for one that does not matter.
        name_index, guid_index: places of the provider's name and GUID among the values; None
            where the template has a literal or nothing.
    """

    provider: Provider | None
    name_index: int | None
    guid_index: int | None

    @property
    def by_value(self) -> bool:
        """Whether the provider is told by the values."""
        return self.name_index is not None or self.guid_index is not None


@dataclass(frozen=True, slots=True)
class EventLayout:
    """Where the values of a record belong whose template is all of the usual shape.

    Attributes:
        version_index, record_id_index: of the fields of System; None where it has none.
        data_index: of the value that is EventData, a template with values of its own.
    """

    version_index: int | None
    record_id_index: int | None
    data_index: int


@dataclass(frozen=True, slots=True)
class DataLayout:
    """The named values of EventData.

    Attributes:
        places: name and index of each value, in the template's order; all names are different
            and none is empty.
    """

    places: tuple[tuple[str, int], ...]


def read_shape(cursor: TemplateCursor) -> TemplateShape:
    """Return the shape of the template whose text begins at the cursor.

    Raises:
        UnusualError: it cannot be judged.
    """
    cursor.begin_fragment()
    for name in ("Event", "System"):
        cursor.open_element(name)
        cursor.take(END_OF_TAG)
    _, attributes = cursor.open_element("Provider")
    cursor.take(END_OF_EMPTY_TAG)
    for key, slot in attributes.items():
        demand(key in _PROVIDER_TYPES)
        demand(slot.literal is not None or slot.value_type == _PROVIDER_TYPES[key])
    cursor.open_element("EventID")
    cursor.take(END_OF_TAG)
    event_id = cursor.slot()
    demand((event_id.index, event_id.value_type) == (EVENT_ID_INDEX, UINT16_TYPE))
    cursor.take(END_OF_ELEMENT)
    literals = [slot.literal for slot in attributes.values() if slot.literal is not None]
    demand(not any(literals) or len(literals) == len(attributes))
    by_name = attributes.get("Name", Slot(""))
    by_guid = attributes.get("Guid", Slot(""))
    return TemplateShape(
        provider=provider_of(by_guid.literal or "", by_name.literal or ""),
        name_index=None if by_name.literal is not None else by_name.index,
        guid_index=None if by_guid.literal is not None else by_guid.index,
    )


def read_event_layout(cursor: TemplateCursor) -> EventLayout:
    """Return the layout of the event whose template's text begins at the cursor.

    Raises:
        UnusualError: it is not of the usual shape throughout.
    """
    read_shape(cursor)
    fields: dict[str, Slot] = {}
    while not cursor.goes_on_with(END_OF_ELEMENT):
        name, _ = cursor.open_element()
        demand(name in _SYSTEM_TEXTS or name in _SYSTEM_TAGS)
        demand(name not in fields)
        fields[name] = Slot("")
        if not cursor.goes_on_with(END_OF_EMPTY_TAG):
            demand(name in _SYSTEM_TEXTS)
            cursor.take(END_OF_TAG)
            fields[name] = cursor.slot()
            cursor.take(END_OF_ELEMENT)
    data = cursor.slot()
    demand(data.value_type == BINXML_TYPE)
    cursor.take(END_OF_ELEMENT)
    cursor.take(END_OF_FRAGMENT)
    return EventLayout(
        version_index=_index_of(fields.get("Version")),
        record_id_index=_index_of(fields.get("EventRecordID")),
        data_index=data.index,
    )


def read_data_layout(cursor: TemplateCursor) -> DataLayout:
    """Return the layout of the EventData whose template's text begins at the cursor.

    Raises:
        UnusualError: it is not of the usual shape throughout.
    """
    cursor.begin_fragment()
    cursor.open_element("EventData")
    places: dict[str, int] = {}
    if not cursor.goes_on_with(END_OF_EMPTY_TAG):
        cursor.take(END_OF_TAG)
        while not cursor.goes_on_with(END_OF_ELEMENT):
            _, attributes = cursor.open_element("Data")
            name = attributes["Name"].literal if tuple(attributes) == ("Name",) else None
            demand(bool(name) and name not in places and len(places) < _DATA_LIMIT)
            cursor.take(END_OF_TAG)
            slot = cursor.slot()
            demand(slot.literal is None)
            places[name or ""] = slot.index
            cursor.take(END_OF_ELEMENT)
    cursor.take(END_OF_FRAGMENT)
    return DataLayout(tuple(places.items()))


def _index_of(slot: Slot | None) -> int | None:
    """Return the place of a field's value; None where the template does not have the field."""
    if slot is None:
        return None
    demand(slot.literal is None)
    return slot.index
