"""What a template of an EVTX chunk says of provider and event id, without rendering anything.

An event is stored as a template and a list of values. The template's text begins
`<Event ..><System><Provider ..><EventID ..>`; each attribute is one literal or one place for a
value. `shape_of` reads that beginning only, and gives None for anything else: a template that
cannot be judged is left to the full parser. Literals and values are stored in one piece, so
what is read here is what the full parser would render.
"""

import struct
from dataclasses import dataclass
from typing import Final

from resume_rig.oslog.event import Provider, provider_of

EVENT_ID_INDEX: Final = 3
"""Place of the event id among the values; the event log service knows no other."""

UINT16_TYPE: Final = 0x06
STRING_TYPE: Final = 0x01
GUID_TYPE: Final = 0x0F

DEFINITION: Final = struct.Struct("<4x16xI")
"""Head of a template definition: next definition, GUID, bytes that follow."""

FRAGMENT: Final = b"\x0f\x01\x01\x00"
_ELEMENT: Final = struct.Struct("<B6xI")  # token, dependency and size, place of the name
_ELEMENT_ALONE: Final = 0x01
_ELEMENT_WITH_ATTRIBUTES: Final = 0x41
_ATTRIBUTE: Final = struct.Struct("<BI")  # token, place of the name
_ATTRIBUTES: Final = (0x06, 0x46)  # the last one, and one with others behind it
_LITERAL: Final = struct.Struct("<BBH")  # token, type, characters
_VALUE: Final = struct.Struct("<BHB")  # token, index, type
_LITERAL_TOKEN: Final = 0x05
_VALUE_TOKENS: Final = (0x0D, 0x0E)  # a place for a value, optional or not
_END_OF_TAG: Final = 0x02
_END_OF_EMPTY_TAG: Final = 0x03
_END_OF_ELEMENT: Final = 0x04
_UINT32: Final = struct.Struct("<I")


def _stored(name: str) -> bytes:
    """Return a name as a chunk stores it, behind 6 bytes of chain and hash."""
    return struct.pack("<H", len(name)) + name.encode("utf-16-le") + b"\0\0"


_EVENT: Final = _stored("Event")
_SYSTEM: Final = _stored("System")
_PROVIDER: Final = _stored("Provider")
_EVENT_ID: Final = _stored("EventID")
_PROVIDER_ATTRIBUTES: Final = tuple(map(_stored, ("Name", "Guid", "EventSourceName")))
_VALUE_TYPES: Final = (STRING_TYPE, GUID_TYPE, None)  # in the order of the attributes


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


class _UnusualError(Exception):
    """The template has another shape."""


def shape_of(chunk: bytes, offset: int) -> TemplateShape | None:
    """Return the shape of the template definition at `offset`; None where it cannot be judged."""
    try:
        return _read_shape(chunk, offset + DEFINITION.size)
    except (_UnusualError, IndexError, UnicodeDecodeError, struct.error):
        return None


def _read_shape(chunk: bytes, at: int) -> TemplateShape:
    _demand(chunk.startswith(FRAGMENT, at))
    at = _enter(chunk, at + len(FRAGMENT), _EVENT)
    at = _enter(chunk, at, _SYSTEM)
    literals, places, at = _provider(chunk, at)
    at = _enter(chunk, at, _EVENT_ID)
    token, index, value_type = _VALUE.unpack_from(chunk, at)
    _demand(token in _VALUE_TOKENS and (index, value_type) == (EVENT_ID_INDEX, UINT16_TYPE))
    _demand(chunk[at + _VALUE.size] == _END_OF_ELEMENT)
    return TemplateShape(
        provider=provider_of(literals[1], literals[0]),
        name_index=places[0],
        guid_index=places[1],
    )


def _provider(chunk: bytes, at: int) -> tuple[list[str], list[int | None], int]:
    """Return literals and places of name and GUID, and where the element ends."""
    at, end = _open(chunk, at, _PROVIDER)
    literals = ["", "", ""]
    places: list[int | None] = [None, None, None]
    taken: set[int] = set()
    while at < end:
        which, at = _attribute(chunk, at)
        _demand(which not in taken)
        taken.add(which)
        if chunk[at] == _LITERAL_TOKEN:
            _, value_type, length = _LITERAL.unpack_from(chunk, at)
            _demand(value_type == STRING_TYPE)
            at += _LITERAL.size + 2 * length
            literals[which] = chunk[at - 2 * length : at].decode("utf-16-le")
        else:
            token, places[which], value_type = _VALUE.unpack_from(chunk, at)
            _demand(token in _VALUE_TOKENS and value_type == _VALUE_TYPES[which])
            at += _VALUE.size
    mixed = any(literals) and any(place is not None for place in places)
    _demand(at == end and chunk[at] == _END_OF_EMPTY_TAG and not mixed)
    return literals, places, at + 1


def _attribute(chunk: bytes, at: int) -> tuple[int, int]:
    """Return which attribute of Provider stands at `at`, and where its value does."""
    token, place = _ATTRIBUTE.unpack_from(chunk, at)
    _demand(token in _ATTRIBUTES)
    at += _ATTRIBUTE.size
    for which, name in enumerate(_PROVIDER_ATTRIBUTES):
        if chunk.startswith(name, place + 6):
            return which, at + (6 + len(name) if place == at else 0)
    raise _UnusualError


def _open(chunk: bytes, at: int, name: bytes) -> tuple[int, int]:
    """Return where the attributes of an element begin and end."""
    token, place = _ELEMENT.unpack_from(chunk, at)
    _demand(chunk.startswith(name, place + 6))
    at += _ELEMENT.size
    if place == at:  # the first use of a name holds it
        at += 6 + len(name)
    if token == _ELEMENT_ALONE:
        return at, at
    _demand(token == _ELEMENT_WITH_ATTRIBUTES)
    return at + 4, at + 4 + _UINT32.unpack_from(chunk, at)[0]


def _enter(chunk: bytes, at: int, name: bytes) -> int:
    """Return where the content of an element begins."""
    _, end = _open(chunk, at, name)
    _demand(chunk[end] == _END_OF_TAG)
    return end + 1


def _demand(as_usual: bool) -> None:
    if not as_usual:
        raise _UnusualError
