"""Reads the delays of the front end (hardware/delays.toml), strictly.

The file lies in the package (resume_rig/data) where that was built for installation, and in the
checkout's hardware/ otherwise. Every problem is a UsageError of one sentence.
"""

from pathlib import Path

from resume_rig.model.budget import Distribution
from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.front_end import LIGHT_INPUT, FrontEnd, PathDelay
from resume_rig.rig.dut_profile import TomlTable, read_toml

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
    what = f'the delays of the front end "{path}"'
    table = TomlTable(what, "", read_toml(path, what, _MAX_FILE_BYTES))
    table.expect(("version",), ("delay",))
    table.whole("version", _VERSION, _VERSION)
    entries = table.values.get("delay")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        table.refuse("delay", "is no list of tables", "[[delay]] stands before each one")
    delays = tuple(
        _delay(TomlTable(what, f"delay {number}: ", entry))
        for number, entry in enumerate(entries, 1)
    )
    _check_once(what, delays)
    return FrontEnd(f"hardware/{path.name}", delays)


def _delay(table: TomlTable) -> PathDelay:
    table.expect(_REQUIRED, ("ramp_ns",))
    value_ns, half_ns, standard_ns = (table.whole(key, 0, _MAX_NS) for key in _WIDTHS)
    distribution = Distribution(table.choice("distribution", _DISTRIBUTIONS))
    least_ns = 2 * standard_ns if distribution is Distribution.NORMAL else standard_ns
    if half_ns < least_ns:
        table.refuse("half_width_ns", f"is {half_ns}", f"{least_ns} or more goes with its sd")
    return PathDelay(
        path=table.text("path", 1, _MAX_TEXT),
        channels=table.words("channels", _LINES, 0),
        rises=_EDGES[table.choice("edge", _EDGES)],
        value_ns=value_ns,
        half_width_ns=half_ns,
        standard_ns=standard_ns,
        distribution=distribution,
        conditions=table.text("conditions", 0, _MAX_TEXT),
        deck=table.text("deck", 0, _MAX_TEXT),
        origin=table.text("origin", 1, _MAX_TEXT),
        ramp_ns=table.whole("ramp_ns", 1, _MAX_NS) if table.has("ramp_ns") else None,
    )


def _check_once(what: str, delays: tuple[PathDelay, ...]) -> None:
    """Refuse an edge of a channel with two delays, unless each is of another ramp."""
    ramps_of: dict[tuple[str, bool], set[int | None]] = {}
    for delay in delays:
        for line in delay.channels:
            if line == LIGHT_INPUT:
                continue
            ramps = ramps_of.setdefault((line, delay.rises), set())
            if delay.ramp_ns in ramps or (ramps and None in {*ramps, delay.ramp_ns}):
                edge = "rise" if delay.rises else "fall"
                raise UsageError(
                    f"{what}: {line} has two delays of its {edge}; ramp_ns distinguishes two."
                )
            ramps.add(delay.ramp_ns)
