"""What the window's fields stand for: a requirement, and options in sentences. Free of Qt.

Sentences that the command line shares with the window name an option or a command; the window
shows them through `in_window`, which names the field or the page instead.
"""

import re
from collections.abc import Mapping
from typing import Final

from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.plan.words import COMMAND_LINE, WORDS
from resume_rig.model.errors import UsageError
from resume_rig.model.result.verdict import USUAL_REQUIREMENT, Requirement

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
    "--no-ignore-first": "Warm-up cycles: 0",
    **{COMMAND_LINE.named(word.key): word.title for word in WORDS if word.title},
}
"""By option: the field that stands for it, as its page or its dialog names it."""
PLACES: Final[Mapping[str, str]] = {
    "correlate": "Limits, Uncertainty",
    "export": "File, Write the store as, VCD",
    "run": "Campaign, “Trace by” and “DUT shell”",
    "selftest": "Bench, Self-test",
}
"""By verb of a command that shows more: where the window shows that."""

_NAMED: Final = re.compile(
    r"(?P<resume>`(?:resume-rig )?run --resume [^`]*`)"
    r"|(?P<command>`?resume-rig (?P<verb>[a-z]+)[^`(]*`?)"
    r"|`(?:run )?(?P<code>--[a-z-]+) (?P<given>[^`]*)`"
    r"|(?<![\w-])(?P<option>--[a-z][a-z-]*[a-z])(?P<value> [^\s-]\S* (?=(?P<next>--[a-z-]+)))?"
)


def in_window(sentence: str) -> str:
    """Return a sentence with fields and pages of the window in place of options and commands.

    A command that the window has nothing for, such as `resume-rig store`, stays whole.
    """
    return _NAMED.sub(_field, sentence)


def _field(found: re.Match[str]) -> str:
    if found["resume"]:
        return "Resume (page Campaign)"
    if found["command"]:
        place = PLACES.get(found["verb"]) if " --" in found[0] else None
        return f"{place} " if place and found[0].endswith(" ") else place or found[0]
    option = found["code"] or found["option"]
    if option not in FIELDS:
        return found[0]
    if found["code"]:
        return f"“{FIELDS[option]}” {found['given']}"
    field = f"“{FIELDS[option]}”"
    if not found["value"]:
        return field
    # A field has one value: of an option that is given twice, one after the other.
    return f"{field}{found['value'].rstrip()}{', then ' if found['next'] == option else ', '}"
