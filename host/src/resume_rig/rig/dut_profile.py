"""Reads DUT profiles (TOML); shipped ones by name, others by path.

Shipped profiles lie in the package (resume_rig/data/duts) where it was built for installation,
and in the checkout's fixtures/duts otherwise. Every problem is a UsageError of one sentence.

The packet that wakes a network adapter (AMD publication 20213), and the seam that sends it.
"""

import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn, Protocol, TypeVar

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import (
    STANDBY_MW,
    DutBehaviour,
    DutProfile,
    DutTiming,
    PlatformConstants,
    RecoveryLadder,
    RecoveryStep,
    Spread,
)
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind

_MAC: Final = re.compile(r"([0-9A-Fa-f]{2})([:-]?)" + r"\2".join(["([0-9A-Fa-f]{2})"] * 5))
_GROUP_BIT: Final = 1
_TIMES: Final = 16
MAGIC_PORT: Final = 9
"""Discard: what is sent there nobody answers. The adapter looks at the payload alone."""


def mac_bytes(text: str) -> bytes:
    """Return the six bytes of an address.

    Raises:
        UsageError: it is none of one adapter; the sentence says what is allowed.
    """
    found = _MAC.fullmatch(text.strip())
    if found is None:
        raise UsageError(
            "a MAC address is six pairs of hexadecimal digits, for example 00:1a:2b:3c:4d:5e"
        )
    address = bytes(int(found[group], 16) for group in (1, 3, 4, 5, 6, 7))
    if address[0] & _GROUP_BIT or not any(address):
        raise UsageError(
            "a magic packet wakes one adapter, so its address is no group's (an odd first byte) "
            "and not 0"
        )
    return address


def mac_text(address: bytes) -> str:
    """Return an address in its usual spelling."""
    return ":".join(f"{byte:02x}" for byte in address)


def magic_packet(address: bytes) -> bytes:
    """Return the payload that wakes the adapter of an address."""
    return b"\xff" * 6 + _TIMES * address


class DutNetwork(Protocol):
    """The network on which a DUT's adapter listens while it sleeps."""

    def magic_packet(self, address: bytes) -> None:
        """Send the packet that wakes the adapter of a MAC address.

        Raises:
            RigError: it could not be sent.
        """
        ...


def packet_for(network: DutNetwork | None, dut: DutProfile | None) -> Callable[[], None] | None:
    """Return what sends a DUT its magic packet; None without a network, or a MAC address."""
    if network is None or dut is None or dut.mac is None:
        return None
    return partial(network.magic_packet, mac_bytes(dut.mac))


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
        by_name = {str(line.value): line for line in kind}
        if not isinstance(names, list) or not names:
            self.refuse(key, f"is {shown(names)}", f"it takes a list of {', '.join(by_name)}")
        for name in names:
            if not isinstance(name, str) or name not in by_name:
                self.refuse(key, f"names {shown(name)}", f"allowed are {', '.join(by_name)}")
        if len(set(names)) != len(names):
            self.refuse(key, "names a line twice", "each may stand once")
        return tuple(by_name[name] for name in names)

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


# Least and most of each time, in ms: 4 s of the button cut the power, 15 s are for the slowest EC.
_RECOVERY_TIMES: Final = {
    "wait_ms": (0, 3_600_000),
    "force_off_ms": (4_000, 15_000),
    "off_ms": (0, 600_000),
    "boot_ms": (0, 3_600_000),
    "ask_ms": (1_000, 3_600_000),
}
_RECOVERY_COUNTS: Final = {"tries": 1_000_000, "in_a_row": 1_000}


def read_recovery(table: DutTable) -> RecoveryLadder:
    """Return the ladder of a DUT; what the table does not name is as in `DEFAULT_LADDER`.

    Raises:
        UsageError: a key is not known, or out of range.
    """
    table.expect((), ("steps", *_RECOVERY_TIMES, *_RECOVERY_COUNTS))
    given: dict[str, Any] = {}
    for key in table.values:
        if key in _RECOVERY_TIMES:
            low_ms, high_ms = _RECOVERY_TIMES[key]
            given[f"{key.removesuffix('_ms')}_ns"] = _time_ns(table, key, low_ms, high_ms)
        elif key in _RECOVERY_COUNTS:
            given[key] = _count(table, key, _RECOVERY_COUNTS[key])
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


_CONSTANTS: Final = (
    "residual_ms",
    "residual_half_width_ms",
    "firmware_extra_ms",
    "light_after_complete_max_ms",
)
_SLEEPS: Final = ("S3", "hybrid", "S4", "modern-standby")
# One whose button is set to shut it down is off, and boots when it is pressed.
_DOES: Final = (*_SLEEPS, "boot")
_SHARES: Final = tuple(f.name for f in fields(DutBehaviour) if f.name.endswith("_share"))
_FACTORS: Final = tuple(f.name for f in fields(DutBehaviour) if f.name.endswith("_factor"))
_BEHAVIOUR_TIMES: Final = tuple(f.name for f in fields(DutBehaviour) if f.name.endswith("_ns"))
_FLAGS: Final = ("tsc_resets", "resume_count_runs", "lit_by_firmware")
_BEHAVIOUR_COUNTS: Final = ("wake_source_type", "pwm_hz", "lid_bounces")
# Assumed: decides which numbers of a profile are typing errors.
_MOST_FACTOR: Final = 10_000_000
_MOST_PWM_HZ: Final = 1_000_000
_MOST_BOUNCES: Final = 20
_HOUR_MS: Final = 3_600_000


def read_constants(table: DutTable) -> PlatformConstants | None:
    """Return what healthy units have shown; None where the table is empty.

    Raises:
        UsageError: a key is not known, or out of range.
    """
    table.expect((), _CONSTANTS)
    if not table.values:
        return None
    has = table.values.__contains__
    if has("residual_ms") != has("residual_half_width_ms"):
        table.refuse(
            "residual_ms", "stands alone", "residual_ms and residual_half_width_ms go together"
        )
    late = "light_after_complete_max_ms"
    return PlatformConstants(
        residual_ns=table.ns("residual_ms", -_HOUR_MS) if has("residual_ms") else None,
        residual_half_width_ns=table.ns("residual_half_width_ms") if has("residual_ms") else 0,
        firmware_extra_ms=table.whole("firmware_extra_ms", 0) if has("firmware_extra_ms") else None,
        light_after_complete_max_ns=table.ns(late, -_HOUR_MS) if has(late) else None,
    )


def read_behaviour(table: DutTable) -> DutBehaviour:
    """Return how a simulated DUT errs; a sound one where the table is empty.

    Raises:
        UsageError: a key is not known, or out of range.
    """
    ms_of = {f"{name.removesuffix('_ns')}_ms": name for name in _BEHAVIOUR_TIMES}
    words = ("sleeps", "claims", "pwm_duty")
    table.expect((), (*words, *_SHARES, *_FACTORS, *_FLAGS, *_BEHAVIOUR_COUNTS, *ms_of))
    given: dict[str, Any] = {}
    for key in table.values:
        if key in _SHARES or key == "pwm_duty":
            given[key] = table.number(key, 1)
        elif key in _FACTORS:
            given[key] = table.number(key, _MOST_FACTOR)
        elif key in _FLAGS:
            given[key] = table.flag(key, default=True)
        elif key in _BEHAVIOUR_COUNTS:
            given[key] = table.whole(key, 0)
        elif key in ms_of:
            given[ms_of[key]] = table.ns(key, -_HOUR_MS if key == "clock_step_ms" else 0)
        else:
            allowed = _DOES if key == "sleeps" else _SLEEPS
            given[key] = SleepKind(table.choice(key, allowed))
    behaviour = DutBehaviour(**given)
    if behaviour.pwm_hz > _MOST_PWM_HZ:
        table.refuse("pwm_hz", f"is {behaviour.pwm_hz}", f"it takes 0 to {_MOST_PWM_HZ}")
    if behaviour.lid_bounces > _MOST_BOUNCES:
        table.refuse("lid_bounces", f"is {behaviour.lid_bounces}", f"it takes 0 to {_MOST_BOUNCES}")
    return behaviour


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
    "keyboard_wakes",
    "contact_wakes",
    "lan_wakes",
    "mac",
    "s3_power_max_mw",
    "standby_mw",
    "known",
    "behaviour",
    "recovery",
    "pwr_ok_rise_max_ms",
    "pressed_by",
    "idle_s",
)
_IDLE_S = (10, 3_600)
_MOST_MW = 2_000_000
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
        platform=read_constants(table.table("known")),
        behaviour=read_behaviour(table.table("behaviour")),
        recovery=read_recovery(table.table("recovery")),
        idle_ns=_idle_ns(table),
        keyboard_wakes=table.flag("keyboard_wakes", default=True),
        contact_wakes=table.flag("contact_wakes", default=True),
        lan_wakes=table.flag("lan_wakes", default=True),
        mac=_mac(table),
        s3_power_max_mw=_milliwatts(table, "s3_power_max_mw"),
        standby_mw=_milliwatts(table, "standby_mw") or STANDBY_MW,
    )
    _check_reset_to_tsc(table, profile)
    return profile


def _milliwatts(table: DutTable, key: str) -> int | None:
    """Return a power; None where nobody says."""
    return round(table.number(key, _MOST_MW, 1)) if table.has(key) else None


def _mac(table: DutTable) -> str | None:
    if not table.has("mac"):
        return None
    try:
        return mac_text(mac_bytes(table.text("mac")))
    except UsageError as error:
        table.refuse("mac", f"is {shown(table.values['mac'])}", str(error))


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
