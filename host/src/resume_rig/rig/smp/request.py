"""What a command of the wire is made of: a typed request, and the checked values of its reply.

A command is one frozen dataclass in `rig.commands`: what it asks for are its fields, how its reply
is read and bounded is its `decode`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final, cast

import cbor2

from resume_rig.model.errors import ProtocolError, UsageError
from resume_rig.rig.smp.packet import Operation

# Assumed: decides how much of a hostile board's text reaches a screen.
MAX_TEXT_CHARACTERS: Final = 200
INT64_MAX: Final = 2**63 - 1
"""Times and numbers are int64 here (model.units), though the CDDL gives a time 64 bits."""
_NO_FIELDS: Final = cbor2.dumps({})
NOTHING_COMMON: Final[Mapping[str, object]] = MappingProxyType({})


class Request:
    """What the board is asked for; a subclass has the fields of its rule in the CDDL.

    Attributes:
        group: SMP's number of the command's group.
        command: its number in the group.
        operation: read or write.
        name: what sentences call it.
    """

    __slots__ = ()
    group: ClassVar[int]
    command: ClassVar[int]
    operation: ClassVar[Operation] = Operation.READ
    name: ClassVar[str]

    def fields(self) -> dict[str, object]:
        """Return the map that is sent; a key whose value is None is left out."""
        return {}

    def encode(self, common: Mapping[str, object] = NOTHING_COMMON) -> bytes:
        """Return the map as CBOR, with what every request of the sender has in common."""
        fields = {key: value for key, value in self.fields().items() if value is not None}
        fields |= common
        return cbor2.dumps(fields) if fields else _NO_FIELDS


@dataclass(slots=True)  # not frozen: that makes it three times as slow, and there is one a reply
class Fields:
    """A reply whose keys are read one by one; keys that nobody reads are ignored.

    Attributes:
        what: the command's name, for sentences.
    """

    values: Mapping[str, object]
    what: str

    def has(self, key: str) -> bool:
        """Tell whether the board sent `key`."""
        return key in self.values

    def count(self, key: str) -> int:
        """Return a number of 0 or more."""
        value = self.values.get(key)
        # Nearly always; a bool is not of this type.
        if type(value) is int and 0 <= value <= INT64_MAX:
            return value
        return self._whole(key, value, 0)

    def optional(self, key: str) -> int | None:
        """Return a number of 0 or more; None where the board sent no such key."""
        return self.count(key) if key in self.values else None

    def integer(self, key: str) -> int:
        """Return a number of either sign."""
        return self._whole(key, self.values.get(key), -INT64_MAX)

    def flag(self, key: str) -> bool:
        """Return a truth value."""
        value = self.values.get(key)
        if not isinstance(value, bool):
            raise self.wrong(key, value, "true or false")
        return value

    def text(self, key: str) -> str:
        """Return a text of at most `MAX_TEXT_CHARACTERS` printable characters."""
        return self._printable(key, self.values.get(key))

    def data(self, key: str) -> bytes:
        """Return a byte string."""
        value = self.values.get(key)
        if not isinstance(value, bytes):
            raise self.wrong(key, value, "a byte string")
        return value

    def rows(self, key: str, width: int) -> list[tuple[int, ...]]:
        """Return a flat list of numbers, 0 or more each, cut into rows of `width`."""
        return list(zip(*self.columns(key, width), strict=True)) if self.values.get(key) else []

    def columns(self, key: str, width: int) -> list[list[int]]:
        """Return the columns of a flat list of numbers, 0 or more each, in rows of `width`."""
        whole = self._wholes(key, self._table(key, width))
        return [whole[column::width] for column in range(width)]

    def unbounded_columns(self, key: str, width: int) -> list[list[int]]:
        """Return the same of numbers of any size and sign, for who bounds them anyway.

        A campaign reads thousands of light blocks a cycle.
        """
        values = self._table(key, width)
        if set(map(type, values)) <= {int}:
            whole = cast("list[int]", values)
            return [whole[column::width] for column in range(width)]
        return self.columns(key, width)

    def records(self, key: str, kinds: Sequence[str], most: int) -> list["Fields"]:
        """Return a list of lists, each with its values named by `kinds`; longer ones are cut.

        Args:
            key: of the outer list.
            kinds: the names under which each inner list's values can be read.
            most: how long the outer list may be.
        """
        outer = self._array(key, self.values.get(key))
        if len(outer) > most:
            raise self.wrong(key, outer, f"a list of at most {most}")
        found: list[Fields] = []
        for value in outer:
            inner = self._array(key, value)
            if len(inner) < len(kinds):
                raise self.wrong(key, inner, f"a list of {len(kinds)}")
            found.append(Fields(dict(zip(kinds, inner, strict=False)), self.what))
        return found

    def wrong(self, key: str, value: object, allowed: str) -> ProtocolError:
        """Return the exception for a value that is not what the contract says."""
        found = "nothing" if value is None else repr(value)[:60]
        return ProtocolError(
            f"the board answered {self.what} with {found} for {key!r}; allowed is {allowed}"
        )

    def _table(self, key: str, width: int) -> list[object]:
        values = self._array(key, self.values.get(key))
        if len(values) % width:
            raise self.wrong(key, values, f"a list whose length is a multiple of {width}")
        return values

    def _wholes(self, key: str, values: list[object]) -> list[int]:
        # Looked at all at once, and one by one only to name the bad one. Types are compared, as a
        # bool is an int.
        if set(map(type, values)) <= {int}:
            whole = cast("list[int]", values)
            if not whole or (min(whole) >= 0 and max(whole) <= INT64_MAX):
                return whole
        return [self._whole(key, value, 0) for value in values]

    def _whole(self, key: str, value: object, least: int) -> int:
        # bool is an int in Python, and is none on the wire
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong(key, value, "a whole number")
        if not least <= value <= INT64_MAX:
            raise self.wrong(key, value, f"a number from {least} to {INT64_MAX}")
        return value

    def _printable(self, key: str, value: object) -> str:
        if not isinstance(value, str) or len(value) > MAX_TEXT_CHARACTERS:
            raise self.wrong(key, value, f"a text of at most {MAX_TEXT_CHARACTERS} characters")
        return "".join(char if char.isprintable() else "?" for char in value)

    def _array(self, key: str, value: object) -> list[object]:
        if not isinstance(value, list):
            raise self.wrong(key, value, "a list")
        return value


def checked_time(what: str, value_ns: int) -> int:
    """Return a time that the wire can carry."""
    if not 0 <= value_ns <= INT64_MAX:
        raise UsageError(f"{what} {value_ns} ns is not possible; allowed is 0 to {INT64_MAX} ns")
    return value_ns
