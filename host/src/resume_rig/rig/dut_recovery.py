"""Reads how a DUT is brought back: the `[recovery]` table of its profile."""

from typing import Any, Final

from resume_rig.model.recovery import RecoveryLadder, RecoveryStep
from resume_rig.rig.dut_table import DutTable, shown

# Least and most of each time, in ms: 4 s of the button cut the power, 15 s are for the slowest EC.
_TIMES: Final = {
    "wait_ms": (0, 3_600_000),
    "force_off_ms": (4_000, 15_000),
    "off_ms": (0, 600_000),
    "boot_ms": (0, 3_600_000),
    "ask_ms": (1_000, 3_600_000),
}
_COUNTS: Final = {"tries": 1_000_000, "in_a_row": 1_000}


def read_recovery(table: DutTable) -> RecoveryLadder:
    """Return the ladder of a DUT; what the table does not name is as in `DEFAULT_LADDER`.

    Raises:
        UsageError: a key is not known, or out of range.
    """
    table.expect((), ("steps", *_TIMES, *_COUNTS))
    given: dict[str, Any] = {}
    for key in table.values:
        if key in _TIMES:
            low_ms, high_ms = _TIMES[key]
            given[f"{key.removesuffix('_ms')}_ns"] = _time_ns(table, key, low_ms, high_ms)
        elif key in _COUNTS:
            given[key] = _count(table, key, _COUNTS[key])
        else:
            given[key] = _steps(table)
    return RecoveryLadder(**given)


def _time_ns(table: DutTable, key: str, low_ms: int, high_ms: int) -> int:
    return round(table.number(key, high_ms, low_ms) * 1_000_000)


def _count(table: DutTable, key: str, most: int) -> int:
    value = table.whole(key, 1)
    if value > most:
        table.refuse(key, f"is {value}", f"it takes a whole number from 1 to {most}")
    return value


def _steps(table: DutTable) -> tuple[RecoveryStep, ...]:
    names = table.values["steps"]
    allowed = f"it takes a list of {', '.join(RecoveryStep)}, each once at most"
    if not isinstance(names, list) or len(names) > len(RecoveryStep):
        table.refuse("steps", f"is {shown(names)}", allowed)
    for name in names:
        if not isinstance(name, str) or name not in list(RecoveryStep) or names.count(name) > 1:
            table.refuse("steps", f"names {shown(name)}", allowed)
    return tuple(RecoveryStep(name) for name in names)
