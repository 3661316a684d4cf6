"""Reads a fault plan (TOML), strictly; a refusal names file, key and what is allowed."""

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NoReturn, TypeGuard

from resume_rig.model.errors import UsageError
from resume_rig.model.fault_plan import (
    AT_AN_INSTANT,
    FaultKind,
    FaultPlan,
    ScheduledFault,
    WireShares,
)

# Assumed: these decide which fault files are mistakes.
MAX_FILE_BYTES: Final = 65_536
_MAX_FAULTS: Final = 1_000
_MAX_INSTANTS: Final = 10_000
_MAX_S: Final = 31_536_000  # a year
_MAX_STEP_S: Final = 315_360_000  # ten years
_MAX_SEED: Final = 2**63 - 1
_MAX_SHARE: Final = 0.5
_NS_PER_S: Final = 1_000_000_000
_NS_PER_MS: Final = 1_000_000
_SHARES: Final = ("lost_share", "doubled_share", "flipped_share", "late_share")


def load_fault_plan(path: Path) -> FaultPlan:
    """Read a fault plan from a file.

    Raises:
        UsageError: the file cannot be read, is not TOML, or has a key or value that a fault plan
            has not.
    """
    try:
        if path.exists() and not path.is_file():  # a device never ends, a pipe never begins
            raise UsageError(f"could not read the fault plan {path}: it is no file")
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
        if len(raw) > MAX_FILE_BYTES:
            raise UsageError(
                f"could not read the fault plan {path}: it is over {MAX_FILE_BYTES} bytes"
            )
        text = raw.decode("utf-8")
    except OSError as error:
        raise UsageError(
            f"could not read the fault plan {path}: {error.strerror or error}"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"could not read the fault plan {path}: it is not UTF-8") from error
    return parse_fault_plan(text, str(path))


def parse_fault_plan(text: str, name: str) -> FaultPlan:
    """Read a fault plan from its text.

    Args:
        text: TOML.
        name: of where it stands, for sentences.

    Raises:
        UsageError: as `load_fault_plan`.
    """
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(
            f"could not read the fault plan {name}: it is not TOML ({error})"
        ) from error
    top = _Table(name, "", document)
    top.expect(("seed", "wire", "fault"))
    entries = document.get("fault", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        top.refuse("fault", "is no list of tables", "[[fault]] stands before each one")
    if len(entries) > _MAX_FAULTS:
        top.refuse("fault", f"stands {len(entries)} times", f"{_MAX_FAULTS} are allowed")
    seed = top.whole("seed", _MAX_SEED) if "seed" in document else None
    faults = tuple(
        _scheduled(_Table(name, f"fault {number}: ", entry))
        for number, entry in enumerate(entries, 1)
    )
    return FaultPlan(_wire(top.table("wire")), faults, seed, text)


def _wire(table: "_Table") -> WireShares:
    table.expect((*_SHARES, "late_ms"))
    lost, doubled, flipped, late = (table.number(key, _MAX_SHARE) for key in _SHARES)
    late_ns = round(table.number("late_ms", _MAX_S * 1000) * _NS_PER_MS)
    if (late > 0) != (late_ns > 0):
        table.refuse("late_ms", "and late_share need each other", "both are over 0, or missing")
    return WireShares(lost, doubled, flipped, late, late_ns)


def _scheduled(table: "_Table") -> ScheduledFault:
    table.expect(("kind", "at_s", "every_s", "for_s", "by_s"))
    names = [str(kind.value) for kind in FaultKind]
    found = table.values.get("kind")
    if not isinstance(found, str) or found not in names:
        table.refuse("kind", f"is {_shown(found)}", f"allowed are {', '.join(names)}")
    kind = FaultKind(found)
    if ("at_s" in table.values) == ("every_s" in table.values):
        table.refuse("at_s", "or every_s is needed", "one of them says when")
    at_ns = table.instants("at_s") if "at_s" in table.values else ()
    every_ns = table.span("every_s") if "every_s" in table.values else None
    lasts, steps = kind not in AT_AN_INSTANT, kind is FaultKind.CLOCK_STEP
    table.goes_with("for_s", lasts, f"{kind} {'lasts' if lasts else 'happens at an instant'}")
    table.goes_with("by_s", steps, "clock-step has it, and no other kind")
    for_ns = table.span("for_s") if lasts else 0
    return ScheduledFault(kind, at_ns, every_ns, for_ns, table.step("by_s") if steps else 0)


class _Table:
    """One TOML table and where it stands."""

    def __init__(self, name: str, place: str, values: Mapping[str, object]) -> None:
        self.values = values
        self._name = name
        self._place = place

    def refuse(self, key: str, found: str, allowed: str) -> NoReturn:
        raise UsageError(f'fault plan {self._name}: key "{self._place}{key}" {found}; {allowed}')

    def expect(self, allowed: tuple[str, ...]) -> None:
        for key in self.values:
            if key not in allowed:
                self.refuse(_shown(key)[1:-1], "is not known", f"allowed are {', '.join(allowed)}")

    def goes_with(self, key: str, wanted: bool, why: str) -> None:
        """Refuse a key that is missing where it is wanted, or there where it is not."""
        if (key in self.values) != wanted:
            self.refuse(key, "is missing" if wanted else "does not belong here", why)

    def table(self, key: str) -> "_Table":
        values = self.values.get(key, {})
        if not isinstance(values, dict):
            self.refuse(key, f"is {_shown(values)}", "it takes a table")
        return _Table(self._name, f"{self._place}{key}.", values)

    def whole(self, key: str, largest: int) -> int:
        value = self.values[key]
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= largest:
            self.refuse(key, f"is {_shown(value)}", f"it takes a whole number from 0 to {largest}")
        return value

    def number(self, key: str, largest: float) -> float:
        """Return a number from 0 to `largest`; 0 where the key is missing."""
        value = self.values.get(key, 0)
        if not _is_number(value) or not 0 <= value <= largest:
            self.refuse(key, f"is {_shown(value)}", f"it takes a number from 0 to {largest:g}")
        return float(value)

    def span(self, key: str) -> int:
        """Return a key in s as nanoseconds; at least a millisecond."""
        value = self.values[key]
        if not _is_number(value) or not 0.001 <= value <= _MAX_S:
            self.refuse(key, f"is {_shown(value)}", f"it takes a number from 0.001 to {_MAX_S}")
        return round(value * _NS_PER_S)

    def step(self, key: str) -> int:
        """Return a key in s, negative for back, as nanoseconds; at least a millisecond."""
        value = self.values[key]
        if not _is_number(value) or not 0.001 <= abs(value) <= _MAX_STEP_S:
            self.refuse(
                key,
                f"is {_shown(value)}",
                f"it takes a number from 0.001 to {_MAX_STEP_S}, or a negative one",
            )
        return round(value * _NS_PER_S)

    def instants(self, key: str) -> tuple[int, ...]:
        """Return a number or a list of numbers, in s, as sorted nanoseconds."""
        found = self.values[key]
        values = found if isinstance(found, list) else [found]
        if not 1 <= len(values) <= _MAX_INSTANTS:
            self.refuse(key, f"has {len(values)} values", f"1 to {_MAX_INSTANTS} are allowed")
        instants_ns = []
        for value in values:
            if not _is_number(value) or not 0 <= value <= _MAX_S:
                self.refuse(key, f"is {_shown(value)}", f"it takes numbers from 0 to {_MAX_S}")
            instants_ns.append(round(value * _NS_PER_S))
        return tuple(sorted(instants_ns))


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
