"""The binary XML of an EVTX chunk's templates: tokens, names, attributes.

A template is the text of an element with places for values. Names are stored once a chunk, where
they are first used; any other use says where that is. Only what the event log service writes is
read, one element or one attribute a call; anything else is an `UnusualError`, and the template is
left to the full parser.
"""

import re
import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

STRING_TYPE: Final = 0x01
NAME_HEAD_BYTES: Final = 6  # next name of its chain, hash

FRAGMENT: Final = b"\x0f\x01\x01\x00"
_ELEMENT: Final = struct.Struct("<B6xI")  # token, dependency and size, place of the name
_ELEMENT_ALONE: Final = 0x01
_ELEMENT_WITH_ATTRIBUTES: Final = 0x41
_ATTRIBUTES: Final = (0x06, 0x46)  # the last one, and one with others behind it
_ATTRIBUTE: Final = struct.Struct("<BI")  # token, place of the name
_LITERAL: Final = struct.Struct("<BBH")  # token, type, characters
_VALUE: Final = struct.Struct("<BHB")  # token, index, type
_LITERAL_TOKEN: Final = 0x05
_VALUE_TOKENS: Final = (0x0D, 0x0E)  # a place for a value, optional or not
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_UINT16: Final = struct.Struct("<H")
_UINT32: Final = struct.Struct("<I")

END_OF_TAG: Final = 0x02
END_OF_EMPTY_TAG: Final = 0x03
END_OF_ELEMENT: Final = 0x04
END_OF_FRAGMENT: Final = 0x00


class UnusualError(Exception):
    """The template has another shape, or the record other values, than can be read here."""


@dataclass(frozen=True, slots=True)
class Slot:
    """What stands in an attribute or an element: a literal, or a place for a value.

    Attributes:
        literal: the text; None for a place.
        index, value_type: of the value that belongs here.
    """

    literal: str | None
    index: int = -1
    value_type: int = -1


@dataclass(frozen=True, slots=True)
class NameUse:
    """Where a template names an element or an attribute.

    Attributes:
        at: where it says so, in bytes from the chunk's beginning.
        place: where the name is stored.
        stored: the name as it is stored there, behind NAME_HEAD_BYTES.
    """

    at: int
    place: int
    stored: bytes

    @property
    def inline(self) -> bool:
        """Whether the name is stored here."""
        return self.place == self.at + _UINT32.size


class TemplateCursor:
    """Goes through one template of a chunk.

    Attributes:
        at: where the next token is.
        names: the uses of names so far.
    """

    def __init__(self, chunk: bytes, at: int) -> None:
        self._chunk = chunk
        self.at = at
        self.names: list[NameUse] = []

    def begin_fragment(self) -> None:
        """Step over the head of the template's text."""
        demand(self._chunk.startswith(FRAGMENT, self.at))
        self.at += len(FRAGMENT)

    def take(self, token: int) -> None:
        """Step over one of the END tokens."""
        demand(self._chunk[self.at] == token)
        self.at += 1

    def goes_on_with(self, token: int) -> bool:
        """Step over a token if it is the next one."""
        found = self._chunk[self.at] == token
        self.at += found
        return found

    def open_element(self, wanted: str = "") -> tuple[str, dict[str, Slot]]:
        """Return name and attributes of the element that begins here; `wanted` if that is given."""
        token, place = _ELEMENT.unpack_from(self._chunk, self.at)
        demand(token in (_ELEMENT_ALONE, _ELEMENT_WITH_ATTRIBUTES))
        self.at += _ELEMENT.size
        name = self._name(place)
        demand(not wanted or name == wanted)
        attributes: dict[str, Slot] = {}
        if token == _ELEMENT_WITH_ATTRIBUTES:
            end = self.at + _UINT32.size + _UINT32.unpack_from(self._chunk, self.at)[0]
            self.at += _UINT32.size
            while self.at < end:
                key, slot = self._attribute()
                demand(key not in attributes)
                attributes[key] = slot
            demand(self.at == end)
        return name, attributes

    def slot(self) -> Slot:
        """Return the literal, or the place for a value, that stands here."""
        if self._chunk[self.at] == _LITERAL_TOKEN:
            _, value_type, length = _LITERAL.unpack_from(self._chunk, self.at)
            demand(value_type == STRING_TYPE)
            self.at += _LITERAL.size + 2 * length
            text = self._chunk[self.at - 2 * length : self.at].decode("utf-16-le")
            demand(text.isprintable())  # XML may not keep others as they are
            return Slot(text)
        token, index, value_type = _VALUE.unpack_from(self._chunk, self.at)
        demand(token in _VALUE_TOKENS)
        self.at += _VALUE.size
        return Slot(None, index, value_type)

    def _attribute(self) -> tuple[str, Slot]:
        token, place = _ATTRIBUTE.unpack_from(self._chunk, self.at)
        demand(token in _ATTRIBUTES)
        self.at += _ATTRIBUTE.size
        return self._name(place), self.slot()

    def _name(self, place: int) -> str:
        """Return the name stored at `place`; its use ends here."""
        (length,) = _UINT16.unpack_from(self._chunk, place + NAME_HEAD_BYTES)
        end = place + NAME_HEAD_BYTES + _UINT16.size + 2 * length + 2
        stored = self._chunk[place + NAME_HEAD_BYTES : end]
        use = NameUse(self.at - _UINT32.size, place, stored)
        self.names.append(use)
        if use.inline:  # the first use of a name holds it
            self.at = end
        return _decoded(stored)


@lru_cache(maxsize=256)
def _decoded(stored: bytes) -> str:
    demand(stored.endswith(b"\0\0") and len(stored) < 512)
    name = stored[_UINT16.size : -2].decode("utf-16-le")
    demand(_NAME.fullmatch(name) is not None)
    return name


def demand(as_usual: bool) -> None:
    """Give up a template or a record that has another shape."""
    if not as_usual:
        raise UnusualError
