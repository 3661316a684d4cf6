"""Reads a fault plan (TOML), strictly; a refusal names file, key and what is allowed."""

import tomllib
from pathlib import Path
from typing import Final

from resume_rig.model.errors import UsageError
from resume_rig.model.fault_plan import (
    AT_AN_INSTANT,
    FaultKind,
    FaultPlan,
    ScheduledFault,
    WireShares,
)
from resume_rig.model.units import NS_PER_S
from resume_rig.rig.dut_profile import TomlTable

# Assumed: these decide which fault files are mistakes.
MAX_FILE_BYTES: Final = 65_536
_MAX_FAULTS: Final = 1_000
_MAX_INSTANTS: Final = 10_000
_LEAST_S: Final = 0.001
_MAX_S: Final = 31_536_000  # a year
_MAX_STEP_S: Final = 315_360_000  # ten years
_MAX_SEED: Final = 2**63 - 1
_MAX_SHARE: Final = 0.5
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
    top = TomlTable(f"fault plan {name}", "", document, end="")
    top.expect((), ("seed", "wire", "fault"))
    entries = document.get("fault", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        top.refuse("fault", "is no list of tables", "[[fault]] stands before each one")
    if len(entries) > _MAX_FAULTS:
        top.refuse("fault", f"stands {len(entries)} times", f"{_MAX_FAULTS} are allowed")
    seed = top.whole("seed", 0, _MAX_SEED) if top.has("seed") else None
    faults = tuple(
        _scheduled(TomlTable(f"fault plan {name}", f"fault {number}: ", entry, end=""))
        for number, entry in enumerate(entries, 1)
    )
    return FaultPlan(_wire(top.table("wire")), faults, seed, text)


def _wire(table: TomlTable) -> WireShares:
    table.expect((), (*_SHARES, "late_ms"))
    lost, doubled, flipped, late = (table.number(key, _MAX_SHARE) for key in _SHARES)
    late_ns = table.ns("late_ms", largest_ms=_MAX_S * 1000)
    if (late > 0) != (late_ns > 0):
        table.refuse("late_ms", "and late_share need each other", "both are over 0, or missing")
    return WireShares(lost, doubled, flipped, late, late_ns)


def _scheduled(table: TomlTable) -> ScheduledFault:
    table.expect((), ("kind", "at_s", "every_s", "for_s", "by_s"))
    kind = FaultKind(table.choice("kind", list(FaultKind)))
    if table.has("at_s") == table.has("every_s"):
        table.refuse("at_s", "or every_s is needed", "one of them says when")
    at_ns = _instants_ns(table) if table.has("at_s") else ()
    every_ns = _span_ns(table, "every_s") if table.has("every_s") else None
    lasts, steps = kind not in AT_AN_INSTANT, kind is FaultKind.CLOCK_STEP
    _goes_with(table, "for_s", lasts, f"{kind} {'lasts' if lasts else 'happens at an instant'}")
    _goes_with(table, "by_s", steps, "clock-step has it, and no other kind")
    for_ns = _span_ns(table, "for_s") if lasts else 0
    return ScheduledFault(kind, at_ns, every_ns, for_ns, _step_ns(table) if steps else 0)


def _goes_with(table: TomlTable, key: str, wanted: bool, why: str) -> None:
    """Refuse a key that is missing where it is wanted, or there where it is not."""
    if table.has(key) != wanted:
        table.refuse(key, "is missing" if wanted else "does not belong here", why)


def _instants_ns(table: TomlTable) -> tuple[int, ...]:
    """Return one time or a list of times, in s, as sorted nanoseconds."""
    found = table.values["at_s"]
    values = found if isinstance(found, list) else [found]
    if not 1 <= len(values) <= _MAX_INSTANTS:
        table.refuse("at_s", f"has {len(values)} values", f"1 to {_MAX_INSTANTS} are allowed")
    times_s = [table.checked_number("at_s", value, _MAX_S) for value in values]
    return tuple(sorted(round(time_s * NS_PER_S) for time_s in times_s))


def _span_ns(table: TomlTable, key: str) -> int:
    """Return a key in s as nanoseconds; at least a millisecond."""
    return round(table.number(key, _MAX_S, _LEAST_S) * NS_PER_S)


def _step_ns(table: TomlTable) -> int:
    """Return by how much a clock is set, negative for back; at least a millisecond."""
    by_s = table.number("by_s", _MAX_STEP_S, -_MAX_STEP_S)
    if abs(by_s) < _LEAST_S:
        table.refuse("by_s", f"is {by_s:g}", f"it takes {_LEAST_S} or more either way")
    return round(by_s * NS_PER_S)
