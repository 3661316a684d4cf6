"""A requirement as fields name it, and the fields' names in sentences of the program. Free of Qt.

Sentences that a command line shares with the window name an option; the window names its field.
"""

import re
from collections.abc import Mapping
from typing import Final

from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.errors import UsageError
from resume_rig.model.result.verdict import Requirement

USUAL_REQUIREMENT = "sysfund-0004"
OWN_KINDS = "the profile's kinds"
OWN_RULE: Final = "the profile's"
GUARD_BANDS: Final[Mapping[str, bool | None]] = {OWN_RULE: None, "with": True, "without": False}
GUARD_BAND_TIP: Final = (
    "With: PASS or FAIL only where the whole 95 % uncertainty lies on one side of the limit, else"
    " MARGINAL (JCGM 106). Without: values are compared as they are"
)


def requirement_of(
    name: str, kind: str = OWN_KINDS, limit: str = "", guard_band: str = OWN_RULE
) -> Requirement:
    """Return the requirement.

    Args:
        name: of a shipped profile, or path of one.
        kind: of sleep, instead of the profile's; OWN_KINDS for those.
        limit: in ms, instead of the profile's; empty for that.
        guard_band: one of GUARD_BANDS.

    Raises:
        UsageError: there is no such profile or rule, or the profile has no such limit.
    """
    limit_ms = _limit_ms(limit.strip())
    kinds = None if kind == OWN_KINDS else (kind,)
    if guard_band not in GUARD_BANDS:
        raise UsageError(
            f"the guard band {guard_band!r} is no rule; allowed are {', '.join(GUARD_BANDS)}"
        )
    return load_requirement(
        name.strip() or USUAL_REQUIREMENT,
        limit_ms=limit_ms,
        kinds=kinds,
        guard_band=GUARD_BANDS[guard_band],
    )


def _limit_ms(text: str) -> int | None:
    if not text:
        return None
    if not text.isascii() or not text.isdigit():
        raise UsageError(
            f"the limit {text!r} is no whole number of milliseconds; allowed is 1 to 600000, "
            "or nothing for the profile's own"
        )
    return int(text)


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
