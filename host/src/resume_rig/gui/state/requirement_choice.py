"""A requirement as fields name it: a profile, another limit, another kind of sleep. Free of Qt."""

from resume_rig.analysis.requirement import load_requirement
from resume_rig.model.errors import UsageError
from resume_rig.model.requirement import Requirement

USUAL_REQUIREMENT = "sysfund-0004"
OWN_KINDS = "the profile's kinds"


def requirement_of(name: str, kind: str, limit: str) -> Requirement:
    """Return the requirement.

    Args:
        name: of a shipped profile, or path of one.
        kind: of sleep, instead of the profile's; OWN_KINDS for those.
        limit: in ms, instead of the profile's; empty for that.

    Raises:
        UsageError: there is no such profile, or it has no such limit.
    """
    limit_ms = _limit_ms(limit.strip())
    kinds = None if kind == OWN_KINDS else (kind,)
    return load_requirement(name.strip() or USUAL_REQUIREMENT, limit_ms=limit_ms, kinds=kinds)


def _limit_ms(text: str) -> int | None:
    if not text:
        return None
    if not text.isascii() or not text.isdigit():
        raise UsageError(
            f"the limit {text!r} is no whole number of milliseconds; allowed is 1 to 600000, "
            "or nothing for the profile's own"
        )
    return int(text)
