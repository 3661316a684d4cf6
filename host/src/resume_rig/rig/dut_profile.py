"""Reads DUT profiles (TOML), strictly: shipped ones by name, others by path.

Shipped profiles lie in the package (resume_rig/data/duts) where it was built for installation,
and in the checkout's fixtures/duts otherwise. Every problem is a UsageError of one sentence.
`TomlTable` reads the other TOML files of a rig as well. A profile may name the MAC address of the
DUT's network adapter; the packet that wakes it is AMD's (publication 20213).
"""

import math
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn, Protocol

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
from resume_rig.model.units import NS_PER_MS, NS_PER_S

_MAX_TEXT = 200
_MAX_MS = 3_600_000  # an hour: beyond it a phase is a typing error


class TomlTable:
    """One table of a TOML file, read strictly; a refusal names file, key and what is allowed.

    Args:
        what: the file, as the beginning of a sentence.
        place: of the table in the file, before its keys, e.g. "timing.".
        values: keys and values.
        end: of a sentence.
    """

    def __init__(self, what: str, place: str, values: Mapping[str, object], end: str = ".") -> None:
        self.values = values
        self._what = what
        self._place = place
        self._end = end

    def expect(self, required: Sequence[str], optional: Sequence[str] = ()) -> None:
        """Refuse keys that are unknown or missing."""
        allowed = (*required, *optional)
        for key in self.values:
            if key not in allowed:
                self.refuse(shown(key)[1:-1], "is not known", f"allowed are {', '.join(allowed)}")
        for key in required:
            if key not in self.values:
                self.refuse(key, "is missing", "it has to be there")

    def refuse(self, key: str, found: str, allowed: str) -> NoReturn:
        """Raise the UsageError of a key."""
        raise UsageError(f'{self._what}: key "{self._place}{key}" {found}; {allowed}{self._end}')

    def text(self, key: str, least: int = 1, most: int = _MAX_TEXT) -> str:
        """Return a text of `least` to `most` letters; one that has to be there is not blank."""
        value = self.values[key]
        if not isinstance(value, str) or len(value.strip()) < least or len(value) > most:
            self.refuse(key, f"is {shown(value)}", f"it takes a text of {least} to {most} letters")
        return value

    def choice(self, key: str, allowed: Collection[str], default: str | None = None) -> str:
        """Return one of some words; the default where the key is missing."""
        value = self.values.get(key, default)
        if not isinstance(value, str) or value not in allowed:
            self.refuse(key, f"is {shown(value)}", f"allowed are {', '.join(allowed)}")
        return value

    def words(self, key: str, allowed: Collection[str], least: int = 1) -> tuple[str, ...]:
        """Return a list of at least so many words, each of which stands once at most."""
        names = self.values[key]
        if not isinstance(names, list) or len(names) < least:
            self.refuse(key, f"is {shown(names)}", f"it takes a list of {', '.join(allowed)}")
        for name in names:
            if not isinstance(name, str) or name not in allowed:
                self.refuse(key, f"names {shown(name)}", f"allowed are {', '.join(allowed)}")
            if names.count(name) > 1:
                self.refuse(key, f"names {name} twice", "each may stand once")
        return tuple(names)

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false; the default where the key is missing."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            self.refuse(key, f"is {shown(value)}", "it takes true or false")
        return value

    def whole(self, key: str, smallest: int, largest: int | None = None) -> int:
        """Return a whole number from `smallest` to `largest`; None: any that is not smaller."""
        value = self.values[key]
        if (
            not isinstance(value, int)
            or isinstance(value, bool)
            or value < smallest
            or (largest is not None and value > largest)
        ):
            upwards = "on" if largest is None else f"to {largest}"
            self.refuse(
                key, f"is {shown(value)}", f"it takes a whole number from {smallest} {upwards}"
            )
        return value

    def number(self, key: str, largest: float, smallest: float = 0) -> float:
        """Return a finite number from `smallest` to `largest`; 0 where the key is missing."""
        return self.checked_number(key, self.values.get(key, 0), largest, smallest)

    def checked_number(self, key: str, value: object, largest: float, smallest: float = 0) -> float:
        """Return a value of a key, which has to be such a number."""
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

    def ns(self, key: str, smallest_ms: float = 0, largest_ms: float = _MAX_MS) -> int:
        """Return a key in ms as nanoseconds."""
        return round(self.number(key, largest_ms, smallest_ms) * NS_PER_MS)

    def has(self, key: str) -> bool:
        """Return whether the table has a key."""
        return key in self.values

    def table(self, key: str) -> "TomlTable":
        """Return the table of a key; an empty one where the key is missing."""
        values = self.values.get(key, {})
        if not isinstance(values, dict):
            self.refuse(key, f"is {shown(values)}", "it takes a table")
        return TomlTable(self._what, f"{self._place}{key}.", values, self._end)


def read_toml(path: Path, what: str, most_bytes: int) -> Mapping[str, object]:
    """Return the keys of a TOML file.

    Args:
        path: of the file.
        what: the file, for sentences.
        most_bytes: how long it may be.

    Raises:
        UsageError: it cannot be read, is too long, or is no TOML.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(most_bytes + 1)
        if len(raw) > most_bytes:
            raise UsageError(f"Cannot read {what}: it is larger than {most_bytes} bytes.")
        return tomllib.loads(raw.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"Cannot read {what}: {error}.") from error


def shown(value: object) -> str:
    """Return a value for a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


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
    "clock_slew_max_ppm",
    "known",
    "behaviour",
    "recovery",
    "pwr_ok_rise_max_ms",
    "pressed_by",
    "idle_s",
)
_IDLE_S = (10, 3_600)
_MOST_MW = 2_000_000
_SLEW_MOST_PPM = 500_000
"""W32Time sets the clock instead where more than half of its rate were needed (Microsoft)."""
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
    what = f'DUT profile "{path}"'
    return _profile(path.stem, TomlTable(what, "", _whole_profile(path, what)))


def _shipped() -> dict[str, Path]:
    for folder in (_PACKAGED, _CHECKOUT):
        found = {path.stem: path for path in folder.glob("*.toml")}
        if found:
            return found
    return {}


def _whole_profile(path: Path, what: str) -> Mapping[str, object]:
    """Return the values of a profile, those of its base under its own."""
    values = read_toml(path, what, _MAX_FILE_BYTES)
    if "base" not in values:
        return values
    table = TomlTable(what, "", values)
    base = table.choice("base", sorted(_shipped()))
    below = read_toml(_shipped()[base], f'DUT profile "{base}"', _MAX_FILE_BYTES)
    if "base" in below:
        table.refuse("base", f'is "{base}"', "a base that has a base itself is not allowed")
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


def _profile(name: str, table: TomlTable) -> DutProfile:
    table.expect(_REQUIRED, _OPTIONAL)
    has_rise = table.has("pwr_ok_rise_max_ms")
    profile = DutProfile(
        name=name,
        title=table.text("title"),
        manufacturer=table.text("manufacturer"),
        product=table.text("product"),
        bios_version=table.text("bios_version"),
        chassis=table.choice("chassis", _CHASSIS),
        channels=tuple(map(Channel, table.words("channels", list(Channel)))),
        actuators=tuple(map(Actuator, table.words("actuators", list(Actuator)))),
        reset_to_tsc_min_ns=table.ns("reset_to_tsc_min_ms"),
        reset_to_tsc_max_ns=table.ns("reset_to_tsc_max_ms"),
        os_build=table.whole("os_build", 1),
        firmware_extra_ms=table.whole("firmware_extra_ms", 0),
        timing=_timing(table.table("timing")),
        lid_close_sleeps=table.flag("lid_close_sleeps", default=True),
        lid_open_wakes=table.flag("lid_open_wakes", default=True),
        pwr_ok_rise_max_ns=table.ns("pwr_ok_rise_max_ms") if has_rise else None,
        pressed_by=_PRESSED_BY[0]
        if not table.has("pressed_by")
        else table.choice("pressed_by", _PRESSED_BY),
        platform=_constants(table.table("known")),
        behaviour=_behaviour(table.table("behaviour")),
        recovery=_recovery(table.table("recovery")),
        idle_ns=_idle_ns(table),
        keyboard_wakes=table.flag("keyboard_wakes", default=True),
        contact_wakes=table.flag("contact_wakes", default=True),
        lan_wakes=table.flag("lan_wakes", default=True),
        mac=_mac(table),
        s3_power_max_mw=_milliwatts(table, "s3_power_max_mw"),
        standby_mw=_milliwatts(table, "standby_mw") or STANDBY_MW,
        clock_slew_max_ppm=table.number("clock_slew_max_ppm", _SLEW_MOST_PPM)
        if table.has("clock_slew_max_ppm")
        else None,
    )
    _check_reset_to_tsc(table, profile)
    return profile


def _milliwatts(table: TomlTable, key: str) -> int | None:
    """Return a power; None where it is not stated."""
    return round(table.number(key, _MOST_MW, 1)) if table.has(key) else None


def _mac(table: TomlTable) -> str | None:
    if not table.has("mac"):
        return None
    try:
        return mac_text(mac_bytes(table.text("mac")))
    except UsageError as error:
        table.refuse("mac", f"is {shown(table.values['mac'])}", str(error))


def _idle_ns(table: TomlTable) -> int | None:
    """Return after how long without input the OS sleeps; None where it is not stated."""
    if not table.has("idle_s"):
        return None
    low_s, high_s = _IDLE_S
    return round(table.number("idle_s", high_s, low_s) * NS_PER_S)


def _timing(table: TomlTable) -> DutTiming:
    table.expect(_PHASES)
    return DutTiming(**{phase: _spread(table.table(phase)) for phase in _PHASES})


def _spread(table: TomlTable) -> Spread:
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


def _check_reset_to_tsc(table: TomlTable, profile: DutProfile) -> None:
    """Refuse bounds of the unobserved phase that a draw of the simulated DUT could break."""
    drawn = profile.timing.reset_to_tsc
    if not profile.reset_to_tsc_min_ns <= drawn.min_ns <= drawn.max_ns:
        table.refuse(
            "reset_to_tsc_min_ms",
            "is above timing.reset_to_tsc.min_ms",
            "what is stated must hold for every draw",
        )
    if drawn.max_ns > profile.reset_to_tsc_max_ns:
        table.refuse(
            "reset_to_tsc_max_ms",
            "is below timing.reset_to_tsc.max_ms",
            "what is stated must hold for every draw",
        )


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
# Assumed: decides which numbers of a profile are typing errors.
_BEHAVIOUR_COUNTS: Final = {"wake_source_type": None, "pwm_hz": 1_000_000, "lid_bounces": 20}
_MOST_FACTOR: Final = 10_000_000


def _constants(table: TomlTable) -> PlatformConstants | None:
    """Return what healthy units have shown; None where the table is empty."""
    table.expect((), _CONSTANTS)
    if not table.values:
        return None
    if table.has("residual_ms") != table.has("residual_half_width_ms"):
        table.refuse(
            "residual_ms", "stands alone", "residual_ms and residual_half_width_ms go together"
        )
    extra, late = "firmware_extra_ms", "light_after_complete_max_ms"
    return PlatformConstants(
        residual_ns=table.ns("residual_ms", -_MAX_MS) if table.has("residual_ms") else None,
        residual_half_width_ns=table.ns("residual_half_width_ms"),
        firmware_extra_ms=table.whole(extra, 0) if table.has(extra) else None,
        light_after_complete_max_ns=table.ns(late, -_MAX_MS) if table.has(late) else None,
    )


def _behaviour(table: TomlTable) -> DutBehaviour:
    """Return how a simulated DUT errs; a sound one where the table is empty."""
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
            given[key] = table.whole(key, 0, _BEHAVIOUR_COUNTS[key])
        elif key in ms_of:
            given[ms_of[key]] = table.ns(key, -_MAX_MS if key == "clock_step_ms" else 0)
        else:
            allowed = _DOES if key == "sleeps" else _SLEEPS
            given[key] = SleepKind(table.choice(key, allowed))
    return DutBehaviour(**given)


# Least and most of each time, in ms: 4 s of the button cut the power, 15 s are for the slowest EC.
_RECOVERY_TIMES: Final = {
    "wait_ms": (0, 3_600_000),
    "force_off_ms": (4_000, 15_000),
    "off_ms": (0, 600_000),
    "boot_ms": (0, 3_600_000),
    "ask_ms": (1_000, 3_600_000),
}
_RECOVERY_COUNTS: Final = {"tries": 1_000_000, "in_a_row": 1_000}


def _recovery(table: TomlTable) -> RecoveryLadder:
    """Return the ladder of a DUT; what the table does not name is as in `DEFAULT_LADDER`."""
    table.expect((), ("steps", *_RECOVERY_TIMES, *_RECOVERY_COUNTS))
    given: dict[str, Any] = {}
    for key in table.values:
        if key in _RECOVERY_TIMES:
            given[f"{key.removesuffix('_ms')}_ns"] = table.ns(key, *_RECOVERY_TIMES[key])
        elif key in _RECOVERY_COUNTS:
            given[key] = table.whole(key, 1, _RECOVERY_COUNTS[key])
        else:
            given[key] = tuple(map(RecoveryStep, table.words(key, list(RecoveryStep), 0)))
    return RecoveryLadder(**given)


_MAC: Final = re.compile(r"([0-9A-Fa-f]{2})([:-]?)" + r"\2".join(["([0-9A-Fa-f]{2})"] * 5))
_GROUP_BIT: Final = 1
_TIMES: Final = 16
MAGIC_PORT: Final = 9
"""Discard: what is sent there nobody answers. The adapter looks at the payload alone."""


def mac_bytes(text: str) -> bytes:
    """Return the six bytes of an address.

    Raises:
        UsageError: it is none of one adapter; the sentence names what is allowed.
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
