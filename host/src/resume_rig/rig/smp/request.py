"""What a command of the wire is made of: a typed request, and its reply or refusal.

A command is one frozen dataclass in `rig.commands`: what it asks for are its fields, and how its
reply is read and bounded is its `decode`. A refusal becomes a DeviceFault that names the code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, unique
from types import MappingProxyType
from typing import ClassVar, Final, cast

import cbor2

from resume_rig.model.errors import DeviceFault, ProtocolError, UsageError
from resume_rig.model.units import seconds_text
from resume_rig.rig.smp.packet import Group, Operation

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
        """Return whether the board sent `key`."""
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
        """Return the same of numbers of any size and sign, for a caller that bounds them anyway.

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
        """Return the exception for a value that the contract does not allow."""
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
        # Checked all at once, and one by one only to name the bad one. Types are compared: a bool
        # is an int.
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


SMP_LEVEL: Final = -1
"""DeviceFault.group of a bare `rc`, which belongs to SMP itself and to no group."""


@unique
class SmpCode(IntEnum):
    """mcumgr's own return codes (Zephyr, mgmt_defines.h)."""

    OK = 0
    UNKNOWN = 1
    NO_MEMORY = 2
    INVALID_VALUE = 3
    TIMEOUT = 4
    NO_ENTRY = 5
    BAD_STATE = 6
    MESSAGE_TOO_LONG = 7
    NOT_SUPPORTED = 8
    CORRUPT = 9
    BUSY = 10
    ACCESS_DENIED = 11
    PROTOCOL_TOO_OLD = 12
    PROTOCOL_TOO_NEW = 13


@unique
class ImageCode(IntEnum):
    """Error codes of the image group (Zephyr, img_mgmt.h); those that an update can meet."""

    UNKNOWN = 1
    NO_IMAGE = 3
    HASH_NOT_FOUND = 8
    NO_FREE_SLOT = 9
    FLASH_WRITE_FAILED = 12
    FLASH_ERASE_FAILED = 13
    INVALID_LENGTH = 21
    INVALID_IMAGE_HEADER = 22
    INVALID_IMAGE_HEADER_MAGIC = 23
    INVALID_HASH = 24
    IMAGE_ALREADY_PENDING = 28
    INVALID_IMAGE_TOO_LARGE = 30
    IMAGE_CONFIRMATION_DENIED = 32
    IMAGE_SETTING_TEST_TO_ACTIVE_DENIED = 33
    ACTIVE_SLOT_NOT_KNOWN = 34


@unique
class FileCode(IntEnum):
    """Error codes of the file group (Zephyr, fs_mgmt.h); those that a download can meet."""

    UNKNOWN = 1
    INVALID_NAME = 2
    NOT_FOUND = 3
    IS_DIRECTORY = 4
    OPEN_FAILED = 5
    SEEK_FAILED = 6
    READ_FAILED = 7
    OFFSET_NOT_VALID = 11
    OFFSET_BEYOND_FILE = 12


@unique
class RigCode(IntEnum):
    """Error codes of the rig group (fixtures/wire/rig.cddl)."""

    UNKNOWN = 1
    BAD_REQUEST = 2
    NO_ACTUATOR = 3
    TOO_LONG = 4
    TOO_SHORT = 5
    BUSY = 6
    TOO_LATE = 7
    TOO_EARLY = 8
    CURSOR = 9
    NO_LIGHT = 10
    NO_ONSET = 11
    OTHER_BOOT = 12
    NO_CRYSTAL = 13
    NO_CHANNEL = 14
    NO_STORE = 15
    NO_RESULT = 16
    TOO_SOON = 17
    TOO_MUCH = 18
    OTHER_HOST = 19
    NO_KEYBOARD = 20
    NO_BOOTLOADER = 21
    NO_POWER = 22
    NO_NONCE = 23


_SMP_MEANINGS: Final[Mapping[int, str]] = {
    SmpCode.NOT_SUPPORTED: "the board does not have this command",
    SmpCode.MESSAGE_TOO_LONG: "the answer does not fit into the board's buffer",
}
_IMAGE_MEANINGS: Final[Mapping[int, str]] = {
    ImageCode.NO_FREE_SLOT: "the other slot holds the image that an image on trial falls back to",
    ImageCode.NO_IMAGE: "the slot holds no image",
    ImageCode.INVALID_IMAGE_TOO_LARGE: "the image is larger than the board's slot",
    ImageCode.INVALID_IMAGE_HEADER_MAGIC: "what was sent is no image for MCUboot",
}
_FILE_MEANINGS: Final[Mapping[int, str]] = {
    FileCode.NOT_FOUND: "the board has no file of that name",
    FileCode.OFFSET_BEYOND_FILE: "the file is shorter than the offset asked for",
}
_RIG_MEANINGS: Final[Mapping[int, str]] = {
    RigCode.BAD_REQUEST: "the board does not understand the request",
    RigCode.NO_ACTUATOR: "it has no such actuator",
    RigCode.TOO_LONG: "longer than the actuator's maximum",
    RigCode.TOO_SHORT: "a duration of 0 moves nothing",
    RigCode.BUSY: "something is driven or scheduled, or a loop-back is running",
    RigCode.TOO_LATE: "the time asked for is over",
    RigCode.TOO_EARLY: "the time asked for is further ahead than the lease",
    RigCode.CURSOR: "the cursor is ahead of what was captured",
    RigCode.NO_LIGHT: "the board has no photodiode",
    RigCode.NO_ONSET: "the board does not look for the onset of light",
    RigCode.OTHER_BOOT: "the board started anew since it was asked who it is",
    RigCode.NO_CRYSTAL: "its clock is an RC oscillator, and nothing measured with that is kept",
    RigCode.NO_CHANNEL: "it has no such channel",
    RigCode.NO_STORE: "it has no memory that keeps a calibration, or that memory failed",
    RigCode.NO_RESULT: "the newest loop-back since boot did not end well, or there was none",
    RigCode.TOO_SOON: "too soon after the last release for the DUT to see two presses",
    RigCode.TOO_MUCH: "more pressing in so short a time could be one long press to the DUT",
    RigCode.NO_POWER: "it has no power monitor",
    RigCode.NO_KEYBOARD: "it is built without a USB keyboard",
    RigCode.OTHER_HOST: "another host drives the button or the lid; it has to let go first",
    RigCode.NO_BOOTLOADER: "it has no bootloader that its firmware can start",
    RigCode.NO_NONCE: "it does this only for a host that has asked it who it is in this boot",
}

_CODES: Final[Mapping[int, tuple[type[IntEnum], Mapping[int, str]]]] = {
    SMP_LEVEL: (SmpCode, _SMP_MEANINGS),
    Group.IMAGE: (ImageCode, _IMAGE_MEANINGS),
    Group.FILE: (FileCode, _FILE_MEANINGS),
    Group.RIG: (RigCode, _RIG_MEANINGS),
}
"""By group: its codes, and what those mean whose name leaves that open."""


def refusal(group: int, code: int, what: str, left_ns: int = 0) -> DeviceFault:
    """Return the exception for `code`, which the board gave as its answer to `what`.

    Args:
        group: that the code belongs to; `SMP_LEVEL` for a bare `rc`.
        code: the number; one that is not in the tables is named by its number alone.
        what: the command's name.
        left_ns: how much later the board would do it; 0 where it is not stated.
    """
    codes, meanings = _CODES.get(group, (IntEnum, {}))
    if code not in codes.__members__.values():
        owner = "SMP" if group == SMP_LEVEL else f"group {group}"
        return DeviceFault(group, code, f"the board refused {what}: code {code} of {owner}")
    text = f"the board refused {what}: {codes(code).name.lower().replace('_', '-')} ({code})"
    if code in meanings:
        text = f"{text}, {meanings[code]}"
    if left_ns > 0:
        text = f"{text}; allowed in {seconds_text(left_ns)}"
    return DeviceFault(group, code, text, max(left_ns, 0))
