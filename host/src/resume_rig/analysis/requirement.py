"""Reads requirement profiles: shipped ones by name, others by path, limits changed on request."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TypeVar

from resume_rig.analysis.limit_table import kinds_of, limits_of, refuse_unknown
from resume_rig.model.errors import UsageError
from resume_rig.model.requirement import EVIDENCE_MIN, Requirement

LIMIT_MS_MAX = 600_000
_PROFILE_BYTES_MAX = 65_536
_KEYS = frozenset(
    {"id", "version", "title", "source", "kinds", "limits", "limit", "rule", "evidence_min"}
)
_LIMITS = frozenset({"resume_ms", "bios_advised_ms"})
_RULE = {"ignore_first": False, "limit_fails": False, "guard_band": True}

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

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
    folder: Path | None = None,
) -> Requirement:
    """Return a requirement profile.

    Args:
        name_or_path: a name in `folder`, a shipped name, or the path of a TOML file (it ends in
            .toml).
        limit_ms: instead of the profile's limit on BIOS + drivers, 1..600000.
        kinds: instead of the profile's kinds, and those of its limits.
        folder: has profiles of the user's own as NAME.toml.

    Raises:
        UsageError: no such profile, not of its form, or an override that is not allowed.
    """
    what = f"Reading the requirement profile {name_or_path!r}"
    profile = _parse(_read(_placed(name_or_path, folder, what)), what)
    what = f"Changing the requirement {profile.id}"
    if limit_ms is not None:
        limit = _limit(limit_ms, "the limit", what)
        if profile.resume_limit_ms is None:
            raise UsageError(
                f"{what}: it has no limit on BIOS + drivers that {limit_ms} ms could replace; "
                "name a profile that has one, sysfund-0004 for example."
            )
        profile = replace(profile, resume_limit_ms=limit)
    if kinds is not None:
        further = tuple(replace(limit, kinds=()) for limit in profile.further)
        profile = replace(profile, kinds=kinds_of(kinds, what), further=further)
    return profile


def _placed(name_or_path: str, folder: Path | None, what: str) -> str:
    """Return a name as it is, or as the path of a profile in the user's own folder.

    Raises:
        UsageError: the folder has a profile under the name of a shipped one.
    """
    if folder is None or name_or_path.endswith(".toml") or not _NAME.fullmatch(name_or_path):
        return name_or_path
    own = folder / f"{name_or_path}.toml"
    if not own.is_file():
        return name_or_path
    if name_or_path in shipped_requirements():
        raise UsageError(
            f"{what}: {own} has the name of a shipped profile; give it another name, so that "
            "nobody takes the one for the other."
        )
    return str(own)


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
    refuse_unknown(table, _KEYS, what)
    limits = _own_limits(table, what)
    values = table.get("kinds")
    if not isinstance(values, list):
        raise UsageError(f"{what}: kinds is {values!r}; a list of kinds of sleep is needed.")
    kinds = kinds_of(values, what)
    further = limits_of(table["limit"], kinds, what) if "limit" in table else ()
    rule = _rule(table.get("rule", {}), what)
    found = Requirement(
        id=_value(table, "id", str, what),
        version=_value(table, "version", int, what),
        title=_value(table, "title", str, what),
        source=_value(table, "source", str, what),
        kinds=kinds,
        resume_limit_ms=limits.get("resume_ms"),
        bios_advised_ms=limits.get("bios_advised_ms"),
        ignore_first=rule["ignore_first"],
        limit_fails=rule["limit_fails"],
        guard_band=rule["guard_band"],
        further=further,
        evidence_min=_evidence_min(table.get("evidence_min", EVIDENCE_MIN), what),
    )
    if not any(limit.required for limit in found.limits()):
        raise UsageError(f"{what}: none of its limits is required, so it can give no verdict.")
    return found


def _own_limits(table: Mapping[str, object], what: str) -> dict[str, int]:
    """Return the limits of [limits], which a profile with a [[limit]] may leave out."""
    limits = table.get("limits")
    if limits is None and "limit" in table:
        return {}
    if not isinstance(limits, dict):
        raise UsageError(f"{what}: the table [limits] is missing, and there is no [[limit]].")
    refuse_unknown(limits, _LIMITS, f"{what}, [limits]")
    needed = set() if "limit" in table else {"resume_ms"}
    return {name: _limit(limits.get(name), name, what) for name in sorted(needed | set(limits))}


def _evidence_min(value: object, what: str) -> float:
    # bool is an int to Python, not to a profile.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError(
            f"{what}: evidence_min is {value!r:.80}; a share of the cycles that woke is needed, "
            "0 to 1."
        )
    return float(value)


def _rule(table: object, what: str) -> dict[str, bool]:
    """Return the switches of [rule], those that are missing as they are without it."""
    if not isinstance(table, dict):
        raise UsageError(f"{what}: rule is {table!r}; a table [rule] is needed.")
    refuse_unknown(table, frozenset(_RULE), f"{what}, [rule]")
    for key, value in table.items():
        if not isinstance(value, bool):
            raise UsageError(f"{what}: {key} is {value!r}; true or false is needed.")
    return {**_RULE, **table}


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
