"""Plans as TOML files, as a person writes them, and as the store and reports keep them."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from resume_rig.campaign.plan import (
    NS_PER_MS,
    NS_PER_S,
    Plan,
    default_plan,
    override,
)
from resume_rig.model.channel import Actuator
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind

MAX_FILE_BYTES = 1_000_000

DURATIONS = ("dwell", "settle", "press", "wake_timeout", "sleep_timeout")
UNITS_NS = {"ns": 1, "us": 1_000, "ms": NS_PER_MS, "s": NS_PER_S}
SWITCHES = ("ignore_first", "short_dwell")
WORDS = ("state", "sleep_by", "wake_by")

PlanValue = int | str | bool


def load_plan(path: Path) -> Plan:
    """Read a plan file; what it does not name is as in `default_plan`.

    Raises:
        UsageError: the file cannot be read, is not TOML, or has a key or value that a plan has
            not.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise UsageError(f"could not read the plan {path}: it is over {MAX_FILE_BYTES} bytes")
        document = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"could not read the plan {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"could not read the plan {path}: it is not TOML ({error})") from error
    try:
        return parse_plan(document)
    except UsageError as error:
        raise UsageError(f"could not use the plan {path}: {error}") from error


def parse_plan(document: Mapping[str, object]) -> Plan:
    """Read a plan's keys: `cycles`, `state`, `dwell_s`, `press_ms` and so on.

    Raises:
        UsageError: a key or a value that a plan has not.
    """
    durations: dict[str, int] = {}
    for key, value in document.items():
        name, _, unit = key.rpartition("_")
        if name in DURATIONS and unit in UNITS_NS:
            if name in durations:
                raise UsageError(f"the plan names {name} twice, with different units")
            durations[name] = _duration_ns(key, value, UNITS_NS[unit])
        elif key not in {"cycles", *SWITCHES, *WORDS}:
            raise UsageError(f"a plan has no key {key!r}; allowed are {', '.join(_keys())}")
    return override(
        default_plan(),
        cycles=_whole(document, "cycles"),
        state=_state(document.get("state")),
        sleep_by=_actuator(document, "sleep_by"),
        wake_by=_actuator(document, "wake_by"),
        dwell_ns=durations.get("dwell"),
        settle_ns=durations.get("settle"),
        press_ns=durations.get("press"),
        ignore_first=_switch(document, "ignore_first"),
        wake_timeout_ns=durations.get("wake_timeout"),
        sleep_timeout_ns=durations.get("sleep_timeout"),
        short_dwell=_switch(document, "short_dwell"),
    )


def plan_to_mapping(plan: Plan) -> dict[str, PlanValue]:
    """Return the plan as `parse_plan` reads it; times in nanoseconds, so that none is rounded."""
    return {
        "cycles": plan.cycles,
        "state": str(plan.state),
        "sleep_by": str(plan.sleep_by),
        "wake_by": str(plan.wake_by),
        "dwell_ns": plan.dwell_ns,
        "settle_ns": plan.settle_ns,
        "press_ns": plan.press_ns,
        "ignore_first": plan.ignore_first,
        "wake_timeout_ns": plan.wake_timeout_ns,
        "sleep_timeout_ns": plan.sleep_timeout_ns,
        "short_dwell": plan.short_dwell,
    }


def _keys() -> list[str]:
    times = [f"{name}_{unit}" for name in DURATIONS for unit in ("ms", "s")]
    return ["cycles", *WORDS, *times, *SWITCHES]


def _duration_ns(key: str, value: object, unit_ns: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{key} = {value!r}; allowed is a number")
    if not -1e15 < value * unit_ns < 1e15:
        raise UsageError(f"{key} = {value!r}; allowed is a number of at most some days")
    return round(value * unit_ns)


def _whole(document: Mapping[str, object], key: str) -> int | None:
    value = document.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise UsageError(f"{key} = {value!r}; allowed is a whole number")


def _switch(document: Mapping[str, object], key: str) -> bool | None:
    value = document.get(key)
    if value is None or isinstance(value, bool):
        return value
    raise UsageError(f"{key} = {value!r}; allowed are true and false")


def _actuator(document: Mapping[str, object], key: str) -> Actuator | None:
    value = document.get(key)
    if value is None:
        return None
    if isinstance(value, str) and value.upper() in list(Actuator):
        return Actuator(value.upper())
    raise UsageError(f"{key} = {value!r}; allowed are {', '.join(a.lower() for a in Actuator)}")


def _state(value: object) -> SleepKind | None:
    if value is None:
        return None
    if isinstance(value, str) and value in list(SleepKind):
        return SleepKind(value)
    raise UsageError(f"state = {value!r}; this version does S3")
