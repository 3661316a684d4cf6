"""Reads DUT profiles (TOML); shipped ones by name, others by path.

Shipped profiles lie in the package (resume_rig/data/duts) where it was built for installation,
and in the checkout's fixtures/duts otherwise. Every problem is a UsageError of one sentence.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import NoReturn, TypeVar

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import DutProfile, DutTiming, Spread
from resume_rig.model.errors import UsageError

_PACKAGE = Path(__file__).resolve().parents[1]
_PACKAGED = _PACKAGE / "data" / "duts"
_CHECKOUT = _PACKAGE.parents[2] / "fixtures" / "duts"

_MAX_FILE_BYTES = 65_536
_MAX_TEXT = 200
_MAX_MS = 3_600_000  # an hour: beyond it a phase is a typing error
_NS_PER_MS = 1_000_000
_CHASSIS = ("laptop", "desktop")
_PHASES = tuple(field.name for field in fields(DutTiming))
_SPREAD_KEYS = ("median_ms", "sigma", "min_ms", "max_ms")
_OPTIONAL = ("lid_close_sleeps", "lid_open_wakes", "pwr_ok_rise_max_ms", "pressed_by")
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

_Line = TypeVar("_Line", Channel, Actuator)


def shipped_profiles() -> tuple[str, ...]:
    """Return the names of the profiles that come with the product, sorted."""
    return tuple(sorted(_shipped()))


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
    return _profile(_Table(path, "", _read(path)))


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


class _Table:
    """One TOML table and where it stands, so that every refusal can name file and key."""

    def __init__(self, path: Path, place: str, values: Mapping[str, object]) -> None:
        self.path = path
        self._place = place
        self._values = values

    def expect(self, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
        for key in self._values:
            if key not in required and key not in optional:
                self.refuse(key, "is not known", f"allowed are {', '.join(required + optional)}")
        for key in required:
            if key not in self._values:
                self.refuse(key, "is missing", "every profile has it")

    def refuse(self, key: str, found: str, allowed: str) -> NoReturn:
        raise UsageError(f'DUT profile "{self.path}": key "{self._place}{key}" {found}; {allowed}.')

    def text(self, key: str) -> str:
        value = self._values[key]
        if not isinstance(value, str) or not value.strip() or len(value) > _MAX_TEXT:
            self.refuse(key, f"is {_shown(value)}", f"it takes a text of 1 to {_MAX_TEXT} letters")
        return value

    def flag(self, key: str, default: bool) -> bool:
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            self.refuse(key, f"is {_shown(value)}", "it takes true or false")
        return value

    def whole(self, key: str, smallest: int) -> int:
        value = self._values[key]
        if not isinstance(value, int) or isinstance(value, bool) or value < smallest:
            self.refuse(key, f"is {_shown(value)}", f"it takes a whole number from {smallest} on")
        return value

    def number(self, key: str, largest: float) -> float:
        value = self._values[key]
        if (
            not isinstance(value, int | float)
            or isinstance(value, bool)
            or not math.isfinite(value)
            or not 0 <= value <= largest
        ):
            self.refuse(key, f"is {_shown(value)}", f"it takes a number from 0 to {largest:g}")
        return float(value)

    def ns(self, key: str) -> int:
        return round(self.number(key, _MAX_MS) * _NS_PER_MS)

    def has(self, key: str) -> bool:
        return key in self._values

    def lines(self, key: str, kind: type[_Line]) -> tuple[_Line, ...]:
        names = self._values[key]
        known = {str(line.value): line for line in kind}
        if not isinstance(names, list) or not names:
            self.refuse(key, f"is {_shown(names)}", f"it takes a list of {', '.join(known)}")
        for name in names:
            if not isinstance(name, str) or name not in known:
                self.refuse(key, f"names {_shown(name)}", f"allowed are {', '.join(known)}")
        if len(set(names)) != len(names):
            self.refuse(key, "names a line twice", "each may stand once")
        return tuple(known[name] for name in names)

    def table(self, key: str) -> "_Table":
        values = self._values[key]
        if not isinstance(values, dict):
            self.refuse(key, f"is {_shown(values)}", "it takes a table")
        return _Table(self.path, f"{self._place}{key}.", values)


def _profile(table: _Table) -> DutProfile:
    table.expect(_REQUIRED, _OPTIONAL)
    chassis = table.text("chassis")
    if chassis not in _CHASSIS:
        table.refuse("chassis", f"is {_shown(chassis)}", f"allowed are {', '.join(_CHASSIS)}")
    pressed_by = table.text("pressed_by") if table.has("pressed_by") else _PRESSED_BY[0]
    if pressed_by not in _PRESSED_BY:
        table.refuse(
            "pressed_by", f"is {_shown(pressed_by)}", f"allowed are {', '.join(_PRESSED_BY)}"
        )
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
    )
    _check_reset_to_tsc(table, profile)
    return profile


def _timing(table: _Table) -> DutTiming:
    table.expect(_PHASES)
    return DutTiming(**{phase: _spread(table.table(phase)) for phase in _PHASES})


def _spread(table: _Table) -> Spread:
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


def _check_reset_to_tsc(table: _Table, profile: DutProfile) -> None:
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


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
