"""Reads DUT profiles (TOML); shipped ones by name, others by path.

Shipped profiles lie in the package (resume_rig/data/duts) where it was built for installation,
and in the checkout's fixtures/duts otherwise. Every problem is a UsageError of one sentence.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Final

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import DutProfile, DutTiming, Spread
from resume_rig.model.errors import UsageError
from resume_rig.rig.dut_character import read_behaviour, read_known
from resume_rig.rig.dut_recovery import read_recovery
from resume_rig.rig.dut_table import DutTable, shown

_PACKAGE = Path(__file__).resolve().parents[1]
_PACKAGED = _PACKAGE / "data" / "duts"
_CHECKOUT = _PACKAGE.parents[2] / "fixtures" / "duts"

_MAX_FILE_BYTES = 65_536
_CHASSIS = ("laptop", "desktop")
_PHASES = tuple(field.name for field in fields(DutTiming))
_SPREAD_KEYS = ("median_ms", "sigma", "min_ms", "max_ms")
_OPTIONAL = (
    "lid_close_sleeps",
    "lid_open_wakes",
    "known",
    "behaviour",
    "recovery",
    "pwr_ok_rise_max_ms",
    "pressed_by",
    "idle_s",
)
_IDLE_S = (10, 3_600)
_PRESSED_BY = ("header", "finger")
_REQUIRED = (
    "title",
    "manufacturer",
    "product",
    "bios_version",
    "chassis",
    "channels",
    "actuators",
    "os_build",
    "firmware_extra_ms",
    "reset_to_tsc_min_ms",
    "reset_to_tsc_max_ms",
    "timing",
)

USUAL_PROFILE: Final = "healthy-laptop"
"""What a simulated DUT is where none is named."""
SIMULATED: Final = ("sim:", "native:")


def shipped_profiles() -> tuple[str, ...]:
    """Return the names of the profiles that come with the product, sorted."""
    return tuple(sorted(_shipped()))


def profile_for(url: str, named: str | None) -> DutProfile | None:
    """Return the profile of the DUT at a rig; a simulated bench has a usual one.

    Args:
        url: of the rig.
        named: name or path of a profile; None or empty for the usual one.

    Raises:
        UsageError: no such profile.
    """
    if named:
        return load_dut_profile(named)
    return load_dut_profile(USUAL_PROFILE) if url.startswith(SIMULATED) else None


def load_dut_profile(name_or_path: str) -> DutProfile:
    """Read one profile; a shipped name goes before a file of the same name.

    Raises:
        UsageError: no such profile, or the file is not a profile.
    """
    shipped = _shipped()
    path = shipped.get(name_or_path, Path(name_or_path))
    if not path.is_file():
        raise UsageError(
            f'Cannot load DUT profile "{name_or_path}": no such profile or file; shipped are '
            f"{', '.join(sorted(shipped)) or 'none'}, and a path to a .toml file is allowed."
        )
    return _profile(DutTable(path, "", _whole_profile(path)))


def _shipped() -> dict[str, Path]:
    for folder in (_PACKAGED, _CHECKOUT):
        found = {path.stem: path for path in folder.glob("*.toml")}
        if found:
            return found
    return {}


def _read(path: Path) -> Mapping[str, object]:
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_FILE_BYTES + 1)
        if len(raw) > _MAX_FILE_BYTES:
            raise UsageError(
                f'Cannot read DUT profile "{path}": it is larger than {_MAX_FILE_BYTES} bytes.'
            )
        return tomllib.loads(raw.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f'Cannot read DUT profile "{path}": {error}.') from error


def _whole_profile(path: Path) -> Mapping[str, object]:
    """Return the values of a profile, those of its base under its own."""
    values = _read(path)
    if "base" not in values:
        return values
    base = DutTable(path, "", values).choice("base", tuple(sorted(_shipped())))
    below = _read(_shipped()[base])
    if "base" in below:
        DutTable(path, "", values).refuse(
            "base", f'is "{base}"', "a base that has a base itself is not allowed"
        )
    own = {key: value for key, value in values.items() if key != "base"}
    return _laid_over(below, own)


def _laid_over(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    """Return values with tables merged key by key; anything else is replaced."""
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        if isinstance(under, dict) and isinstance(value, dict):
            merged[key] = _laid_over(under, value)
        else:
            merged[key] = value
    return merged


def _profile(table: DutTable) -> DutProfile:
    table.expect(_REQUIRED, _OPTIONAL)
    chassis = table.text("chassis")
    if chassis not in _CHASSIS:
        table.refuse("chassis", f"is {shown(chassis)}", f"allowed are {', '.join(_CHASSIS)}")
    pressed_by = _PRESSED_BY[0]
    if table.has("pressed_by"):
        pressed_by = table.choice("pressed_by", _PRESSED_BY)
    has_rise = table.has("pwr_ok_rise_max_ms")
    profile = DutProfile(
        name=table.path.stem,
        title=table.text("title"),
        manufacturer=table.text("manufacturer"),
        product=table.text("product"),
        bios_version=table.text("bios_version"),
        chassis=chassis,
        channels=table.lines("channels", Channel),
        actuators=table.lines("actuators", Actuator),
        reset_to_tsc_min_ns=table.ns("reset_to_tsc_min_ms"),
        reset_to_tsc_max_ns=table.ns("reset_to_tsc_max_ms"),
        os_build=table.whole("os_build", 1),
        firmware_extra_ms=table.whole("firmware_extra_ms", 0),
        timing=_timing(table.table("timing")),
        lid_close_sleeps=table.flag("lid_close_sleeps", default=True),
        lid_open_wakes=table.flag("lid_open_wakes", default=True),
        pwr_ok_rise_max_ns=table.ns("pwr_ok_rise_max_ms") if has_rise else None,
        pressed_by=pressed_by,
        known=read_known(table.table("known")),
        behaviour=read_behaviour(table.table("behaviour")),
        recovery=read_recovery(table.table("recovery")),
        idle_ns=_idle_ns(table),
    )
    _check_reset_to_tsc(table, profile)
    return profile


def _idle_ns(table: DutTable) -> int | None:
    """Return after how long without input the OS sleeps; None where nobody says."""
    if not table.has("idle_s"):
        return None
    low_s, high_s = _IDLE_S
    return round(table.number("idle_s", high_s, low_s) * 1_000_000_000)


def _timing(table: DutTable) -> DutTiming:
    table.expect(_PHASES)
    return DutTiming(**{phase: _spread(table.table(phase)) for phase in _PHASES})


def _spread(table: DutTable) -> Spread:
    table.expect(_SPREAD_KEYS)
    spread = Spread(
        median_ns=table.ns("median_ms"),
        sigma=table.number("sigma", 3),
        min_ns=table.ns("min_ms"),
        max_ns=table.ns("max_ms"),
    )
    if not spread.min_ns <= spread.median_ns <= spread.max_ns:
        table.refuse("median_ms", "lies outside min_ms..max_ms", "min <= median <= max must hold")
    return spread


def _check_reset_to_tsc(table: DutTable, profile: DutProfile) -> None:
    """What is stated as known of the invisible phase must hold for the simulated one too."""
    drawn = profile.timing.reset_to_tsc
    if not profile.reset_to_tsc_min_ns <= drawn.min_ns <= drawn.max_ns:
        table.refuse(
            "reset_to_tsc_min_ms",
            "is above timing.reset_to_tsc.min_ms",
            "what is stated as known must hold for every draw",
        )
    if drawn.max_ns > profile.reset_to_tsc_max_ns:
        table.refuse(
            "reset_to_tsc_max_ms",
            "is below timing.reset_to_tsc.max_ms",
            "what is stated as known must hold for every draw",
        )
