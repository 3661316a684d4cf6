"""The window's names for what sentences of the program call by an option. Free of Qt."""

import re
from collections.abc import Mapping
from typing import Final

FIELDS: Final[Mapping[str, str]] = {
    "--channel": "Signals",
    "--sample-rate": "Sample rate",
    "--time-column": "Time column",
    "--time-unit": "Time unit",
    "--pair": "Known pair",
    "--dut": "DUT",
    "--requirement": "Requirement",
    "--kind": "Kind",
    "--limit-ms": "Limit, ms",
    "--guard-band": "Guard band",
    "--one-session-is-enough": "One session is enough",
    "--log": "Log",
    "--out": "Store",
    "--rig": "Rig",
    "--dut-shell": "DUT shell",
    "--sleep-command": "Sleep command",
    "--power-cycle": "Power cycle",
    "--trace": "Trace by",
}
"""By option: the field that says the same, as its page or its dialog names it."""

_NAMED: Final = re.compile(
    r"(?P<resume>`(?:resume-rig )?run --resume [^`]*`)"
    r"|(?P<command>`resume-rig [^`]*`)"
    r"|`(?:run )?(?P<code>--[a-z-]+) (?P<value>[^`]*)`"
    r"|(?<![\w-])(?P<option>--[a-z][a-z-]*[a-z])"
)


def in_window(sentence: str) -> str:
    """Return a sentence with the window's fields in place of options of the command line.

    Commands that the window has nothing for, such as `resume-rig store`, stay.
    """
    return _NAMED.sub(_field, sentence)


def _field(found: re.Match[str]) -> str:
    if found["resume"]:
        return "Resume (page Campaign)"
    field = FIELDS.get(found["code"] or found["option"] or "")
    if field is None:
        return found[0]
    return f"“{field}” {found['value']}" if found["code"] else f"“{field}”"
