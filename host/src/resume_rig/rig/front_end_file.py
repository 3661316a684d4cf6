"""Reads the delays of the front end (hardware/delays.toml), strictly.

The file lies in the package (resume_rig/data) where that was built for installation, and in the
checkout's hardware/ otherwise. Every problem is a UsageError of one sentence.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from resume_rig.model.budget import Distribution
from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.front_end import LIGHT_INPUT, FrontEnd, PathDelay

_PACKAGE = Path(__file__).resolve().parents[1]
_PACKAGED = _PACKAGE / "data" / "delays.toml"
_CHECKOUT = _PACKAGE.parents[2] / "hardware" / "delays.toml"

_VERSION = 1
_MAX_FILE_BYTES = 262_144
_MAX_TEXT = 400
_MAX_NS = 1_000_000_000  # a second: beyond it a delay is a typing error
_EDGES = {"rise": True, "fall": False}
_DISTRIBUTIONS = (Distribution.NORMAL, Distribution.RECTANGLE)
_LINES = (*(str(channel.value) for channel in Channel), LIGHT_INPUT)
_WIDTHS = ("value_ns", "half_width_ns", "standard_ns")
_REQUIRED = ("path", "channels", "edge", *_WIDTHS, "distribution", "conditions", "deck", "origin")


def shipped_front_end() -> FrontEnd:
    """Return the delays that come with the product.

    Raises:
        UsageError: the file is not there, or not as it must be.
    """
    return load_front_end(_PACKAGED if _PACKAGED.is_file() else _CHECKOUT)


def load_front_end(path: Path) -> FrontEnd:
    """Read the delays of a front end.

    Raises:
        UsageError: the file cannot be read, or something in it is not allowed.
    """
    table = _read(path)
    for key in table:
        if key not in ("version", "delay"):
            _refuse(path, f'key "{key}" is not known', "allowed are version and delay")
    if table.get("version") != _VERSION:
        _refuse(path, f'"version" is {table.get("version")!r:.60}', f"it has to be {_VERSION}")
    entries = table.get("delay")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        _refuse(path, '"delay" is no list of tables', "[[delay]] stands before each one")
    delays = tuple(_Entry(path, number, entry).delay() for number, entry in enumerate(entries, 1))
    _check_once(path, delays)
    return FrontEnd(f"hardware/{path.name}", delays)


class _Entry:
    """One [[delay]] and its place, so that every refusal can name file, entry and key."""

    def __init__(self, path: Path, number: int, values: Mapping[str, object]) -> None:
        self._path = path
        self._number = number
        self._values = values

    def delay(self) -> PathDelay:
        for key in self._values:
            if key not in (*_REQUIRED, "ramp_ns"):
                self._refuse(key, "is not known", f"allowed are {', '.join(_REQUIRED)}, ramp_ns")
        for key in _REQUIRED:
            if key not in self._values:
                self._refuse(key, "is missing", "every delay has it")
        value_ns, half_ns, standard_ns = (self._whole(key, 0) for key in _WIDTHS)
        distribution = Distribution(self._one_of("distribution", _DISTRIBUTIONS))
        least_ns = 2 * standard_ns if distribution is Distribution.NORMAL else standard_ns
        if half_ns < least_ns:
            self._refuse("half_width_ns", f"is {half_ns}", f"{least_ns} or more goes with its sd")
        return PathDelay(
            path=self._text("path", 1),
            channels=self._channels(),
            rises=_EDGES[self._one_of("edge", tuple(_EDGES))],
            value_ns=value_ns,
            half_width_ns=half_ns,
            standard_ns=standard_ns,
            distribution=distribution,
            conditions=self._text("conditions", 0),
            deck=self._text("deck", 0),
            origin=self._text("origin", 1),
            ramp_ns=self._whole("ramp_ns", 1) if "ramp_ns" in self._values else None,
        )

    def _refuse(self, key: str, found: str, allowed: str) -> NoReturn:
        _refuse(self._path, f'key "{key}" of [[delay]] {self._number} {found}', allowed)

    def _text(self, key: str, least: int) -> str:
        value = self._values[key]
        if not isinstance(value, str) or not least <= len(value) <= _MAX_TEXT:
            allowed = f"it takes a text of {least} to {_MAX_TEXT} letters"
            self._refuse(key, f"is {value!r:.60}", allowed)
        return value

    def _whole(self, key: str, least: int) -> int:
        value = self._values[key]
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _MAX_NS:
            self._refuse(key, f"is {value!r:.60}", f"it takes a whole number, {least} to {_MAX_NS}")
        return value

    def _one_of(self, key: str, allowed: tuple[str, ...]) -> str:
        value = self._values[key]
        if not isinstance(value, str) or value not in allowed:
            self._refuse(key, f"is {value!r:.60}", f"allowed are {', '.join(allowed)}")
        return value

    def _channels(self) -> tuple[str, ...]:
        names = self._values["channels"]
        if not isinstance(names, list):
            self._refuse("channels", f"is {names!r:.60}", f"it takes a list of {', '.join(_LINES)}")
        for name in names:
            if not isinstance(name, str) or name not in _LINES:
                self._refuse("channels", f"names {name!r:.60}", f"allowed are {', '.join(_LINES)}")
        return tuple(names)


def _check_once(path: Path, delays: tuple[PathDelay, ...]) -> None:
    """Each edge of a channel has one delay, or several that their ramps tell apart."""
    ramps_of: dict[tuple[str, bool], set[int | None]] = {}
    for delay in delays:
        for line in delay.channels:
            if line == LIGHT_INPUT:
                continue
            ramps = ramps_of.setdefault((line, delay.rises), set())
            if delay.ramp_ns in ramps or (ramps and None in {*ramps, delay.ramp_ns}):
                edge = "rise" if delay.rises else "fall"
                _refuse(path, f"{line} has two delays of its {edge}", "ramp_ns distinguishes two")
            ramps.add(delay.ramp_ns)


def _read(path: Path) -> Mapping[str, object]:
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_FILE_BYTES + 1)
        if len(raw) > _MAX_FILE_BYTES:
            _refuse(path, f"it is larger than {_MAX_FILE_BYTES} bytes", "it is a short table")
        return tomllib.loads(raw.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f'Cannot read the delays of the front end "{path}": {error}.') from error


def _refuse(path: Path, found: str, allowed: str) -> NoReturn:
    raise UsageError(f'Delays of the front end "{path}": {found}; {allowed}.')
