"""One TOML table of a DUT profile, read strictly; a refusal names file, key and what is allowed."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn, TypeVar

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import UsageError

_MAX_TEXT = 200
_MAX_MS = 3_600_000  # an hour: beyond it a phase is a typing error
_NS_PER_MS = 1_000_000

_Line = TypeVar("_Line", Channel, Actuator)


class DutTable:
    """One TOML table and where it stands."""

    def __init__(self, path: Path, place: str, values: Mapping[str, object]) -> None:
        self.path = path
        self.values = values
        self._place = place

    def expect(self, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
        """Refuse keys that are not known or missing."""
        for key in self.values:
            if key not in required and key not in optional:
                self.refuse(key, "is not known", f"allowed are {', '.join(required + optional)}")
        for key in required:
            if key not in self.values:
                self.refuse(key, "is missing", "every profile has it")

    def refuse(self, key: str, found: str, allowed: str) -> NoReturn:
        """Raise the UsageError of a key."""
        raise UsageError(f'DUT profile "{self.path}": key "{self._place}{key}" {found}; {allowed}.')

    def text(self, key: str) -> str:
        """Return a text that is not blank."""
        value = self.values[key]
        if not isinstance(value, str) or not value.strip() or len(value) > _MAX_TEXT:
            self.refuse(key, f"is {shown(value)}", f"it takes a text of 1 to {_MAX_TEXT} letters")
        return value

    def choice(self, key: str, allowed: tuple[str, ...], default: str | None = None) -> str:
        """Return one of some words; the default where the key is missing."""
        value = self.values.get(key, default)
        if not isinstance(value, str) or value not in allowed:
            self.refuse(key, f"is {shown(value)}", f"allowed are {', '.join(allowed)}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            self.refuse(key, f"is {shown(value)}", "it takes true or false")
        return value

    def whole(self, key: str, smallest: int) -> int:
        """Return a whole number from `smallest` on."""
        value = self.values[key]
        if not isinstance(value, int) or isinstance(value, bool) or value < smallest:
            self.refuse(key, f"is {shown(value)}", f"it takes a whole number from {smallest} on")
        return value

    def number(self, key: str, largest: float, smallest: float = 0) -> float:
        """Return a finite number from `smallest` to `largest`."""
        value = self.values[key]
        if (
            not isinstance(value, int | float)
            or isinstance(value, bool)
            or not math.isfinite(value)
            or not smallest <= value <= largest
        ):
            self.refuse(
                key, f"is {shown(value)}", f"it takes a number from {smallest:g} to {largest:g}"
            )
        return float(value)

    def ns(self, key: str, smallest_ms: float = 0) -> int:
        """Return a key in ms as nanoseconds."""
        return round(self.number(key, _MAX_MS, smallest_ms) * _NS_PER_MS)

    def has(self, key: str) -> bool:
        """Return whether the table has a key."""
        return key in self.values

    def lines(self, key: str, kind: type[_Line]) -> tuple[_Line, ...]:
        """Return the channels or actuators of a list."""
        names = self.values[key]
        known = {str(line.value): line for line in kind}
        if not isinstance(names, list) or not names:
            self.refuse(key, f"is {shown(names)}", f"it takes a list of {', '.join(known)}")
        for name in names:
            if not isinstance(name, str) or name not in known:
                self.refuse(key, f"names {shown(name)}", f"allowed are {', '.join(known)}")
        if len(set(names)) != len(names):
            self.refuse(key, "names a line twice", "each may stand once")
        return tuple(known[name] for name in names)

    def table(self, key: str) -> "DutTable":
        """Return the table of a key; an empty one where the key is missing."""
        values = self.values.get(key, {})
        if not isinstance(values, dict):
            self.refuse(key, f"is {shown(values)}", "it takes a table")
        return DutTable(self.path, f"{self._place}{key}.", values)


def shown(value: object) -> str:
    """Return a value for a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
