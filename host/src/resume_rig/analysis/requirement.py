"""Reads requirement profiles: shipped ones by name, others by path, limits changed on request."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TypeVar

from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SLEEPS, SleepKind
from resume_rig.model.requirement import Requirement

LIMIT_MS_MAX = 600_000
_PROFILE_BYTES_MAX = 65_536
_KEYS = frozenset({"id", "version", "title", "source", "kinds", "limits", "rule"})
_LIMITS = frozenset({"resume_ms", "bios_advised_ms"})
_RULE = {"ignore_first": False, "limit_fails": False, "guard_band": True}

_T = TypeVar("_T", int, str)


def shipped_requirements() -> tuple[str, ...]:
    """Return the names of the profiles that come with the package, sorted."""
    folder = resources.files("resume_rig.analysis") / "requirements"
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_requirement(
    name_or_path: str,
    limit_ms: int | None = None,
    kinds: Sequence[str] | None = None,
) -> Requirement:
    """Return a requirement profile.

    Args:
        name_or_path: a shipped name, or the path of a TOML file (it ends in .toml).
        limit_ms: instead of the profile's limit, 1..600000.
        kinds: instead of the profile's kinds.

    Raises:
        UsageError: no such profile, not of its form, or an override that is not allowed.
    """
    profile = _parse(_read(name_or_path), f"Reading the requirement profile {name_or_path!r}")
    what = f"Changing the requirement {profile.id}"
    limit = profile.resume_limit_ms if limit_ms is None else _limit(limit_ms, "the limit", what)
    chosen = profile.kinds if kinds is None else _kinds(kinds, what)
    return replace(profile, kinds=chosen, resume_limit_ms=limit)


def _read(name_or_path: str) -> bytes:
    if name_or_path in shipped_requirements():
        return (
            resources.files("resume_rig.analysis") / "requirements" / f"{name_or_path}.toml"
        ).read_bytes()
    if not name_or_path.endswith(".toml"):
        raise UsageError(
            f"Reading the requirement profile {name_or_path!r}: there is none of that name; "
            f"shipped are {', '.join(shipped_requirements())}, others are named by the path of a "
            ".toml file."
        )
    try:
        with Path(name_or_path).open("rb") as file:
            content = file.read(_PROFILE_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"Reading the requirement profile {name_or_path!r}: {reason}; shipped are "
            f"{', '.join(shipped_requirements())}."
        ) from error
    if len(content) > _PROFILE_BYTES_MAX:
        raise UsageError(
            f"Reading the requirement profile {name_or_path!r}: it is larger than "
            f"{_PROFILE_BYTES_MAX} bytes; a profile is a few lines."
        )
    return content


def _parse(content: bytes, what: str) -> Requirement:
    try:
        table: Mapping[str, object] = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{what}: it is not TOML ({error}).") from error
    _refuse_unknown(table, _KEYS, what)
    limits = table.get("limits")
    if not isinstance(limits, dict):
        raise UsageError(f"{what}: the table [limits] is missing.")
    _refuse_unknown(limits, _LIMITS, f"{what}, [limits]")
    kinds = table.get("kinds")
    if not isinstance(kinds, list):
        raise UsageError(f"{what}: kinds is {kinds!r}; a list of kinds of sleep is needed.")
    advised = limits.get("bios_advised_ms")
    rule = _rule(table.get("rule", {}), what)
    return Requirement(
        id=_value(table, "id", str, what),
        version=_value(table, "version", int, what),
        title=_value(table, "title", str, what),
        source=_value(table, "source", str, what),
        kinds=_kinds(kinds, what),
        resume_limit_ms=_limit(limits.get("resume_ms"), "resume_ms", what),
        bios_advised_ms=None if advised is None else _limit(advised, "bios_advised_ms", what),
        ignore_first=rule["ignore_first"],
        limit_fails=rule["limit_fails"],
        guard_band=rule["guard_band"],
    )


def _rule(table: object, what: str) -> dict[str, bool]:
    """Return the switches of [rule], those that are missing as they are without it."""
    if not isinstance(table, dict):
        raise UsageError(f"{what}: rule is {table!r}; a table [rule] is needed.")
    _refuse_unknown(table, frozenset(_RULE), f"{what}, [rule]")
    for key, value in table.items():
        if not isinstance(value, bool):
            raise UsageError(f"{what}: {key} is {value!r}; true or false is needed.")
    return {**_RULE, **table}


def _refuse_unknown(table: Mapping[str, object], known: frozenset[str], what: str) -> None:
    unknown = sorted(set(table) - known)
    if unknown:
        raise UsageError(
            f"{what}: {unknown[0]!r} is not a key of it; allowed are {', '.join(sorted(known))}."
        )


def _value(table: Mapping[str, object], key: str, kind: type[_T], what: str) -> _T:
    value = table.get(key)
    # bool is an int to Python, not to a profile.
    if not isinstance(value, kind) or isinstance(value, bool) or value in ("", 0):
        form = "a text" if kind is str else "an integer of 1 or more"
        raise UsageError(f"{what}: {key} is {value!r}; {form} is needed.")
    return value


def _limit(value: object, name: str, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= LIMIT_MS_MAX:
        found = f"{value} ms" if isinstance(value, int) else repr(value)
        raise UsageError(
            f"{what}: {name} is {found}; allowed are whole milliseconds from 1 to {LIMIT_MS_MAX}."
        )
    return value


def _kinds(values: Sequence[object], what: str) -> tuple[SleepKind, ...]:
    allowed = {kind.value: kind for kind in SLEEPS}
    for value in values:
        if not isinstance(value, str) or value not in allowed:
            raise UsageError(
                f"{what}: {value!r} is not a kind of sleep; allowed are {', '.join(allowed)}."
            )
    if not values:
        raise UsageError(f"{what}: no kind of sleep is named; allowed are {', '.join(allowed)}.")
    return tuple(dict.fromkeys(allowed[str(value)] for value in values))
