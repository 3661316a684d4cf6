"""Words and numbers as people read them, the same on a terminal and in HTML."""

from typing import Final

from resume_rig.analysis.limits import limit_text
from resume_rig.model.cycle import OsClock, Outcome, ReconciledCycle
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.requirement import Limit, Requirement

MISSING: Final = "-"
"""Stands where a time was not measured; never a 0."""

_NS_PER_MS: Final = 1_000_000
_OUTCOME_WORDS: Final = {
    Outcome.SLEPT_AND_WOKE: "slept and woke",
    Outcome.NEVER_SLEPT: "never slept",
    Outcome.WOKE_ALONE: "woke alone",
    Outcome.NEVER_WOKE: "never woke",
    Outcome.DARK: "stayed dark",
    Outcome.INVALID: "invalid",
    Outcome.INTERRUPTED: "interrupted",
}


def outcome_words(outcome: Outcome) -> str:
    """Return an outcome as it is said."""
    return _OUTCOME_WORDS[outcome]


def rounded_ms(quantity: BoundedNs) -> tuple[str, str]:
    """Return value and bound in milliseconds, with the digits that the bound leaves meaning to.

    The bound is rounded up and takes in what rounding the value moved it by, so that the shown
    interval always contains the measured one.
    """
    decimals = 0 if quantity.bound_ns >= 10_000_000 else 1 if quantity.bound_ns >= 1_000_000 else 2
    step_ns = _NS_PER_MS // 10**decimals
    steps = (quantity.value_ns + step_ns // 2) // step_ns
    moved_ns = abs(quantity.value_ns - steps * step_ns)
    bound_steps = -(-(quantity.bound_ns + moved_ns) // step_ns)
    scale = 10**decimals
    return f"{steps / scale:.{decimals}f}", f"{bound_steps / scale:.{decimals}f}"


def value_ms_text(quantity: BoundedNs | None) -> str:
    """Return the value alone, in milliseconds."""
    return MISSING if quantity is None else rounded_ms(quantity)[0]


def quantity_text(quantity: BoundedNs | None) -> str:
    """Return value and bound in milliseconds."""
    return MISSING if quantity is None else " ±".join(rounded_ms(quantity))


def whole_ms_text(value_ms: int | None) -> str:
    """Return an OS time, which is in whole milliseconds."""
    return MISSING if value_ms is None else str(value_ms)


def requirement_sentence(requirement: Requirement) -> str:
    """Return what is demanded, in one sentence."""
    kinds = ", ".join(kind.value for kind in requirement.kinds)
    demanded = "; ".join(limit_words(limit) for limit in requirement.limits() if limit.required)
    sentence = f"{requirement.id} version {requirement.version}: after {kinds}, {demanded}"
    if requirement.ignore_first:
        sentence += ", the first transition of each log ignored"
    advised = [limit_words(limit) for limit in requirement.limits() if not limit.required]
    if not advised:
        return f"{sentence}."
    verb = "is" if len(advised) == 1 else "are"
    return f"{sentence}; {', '.join(advised)} {verb} advised, not demanded."


def limit_words(limit: Limit) -> str:
    """Return a limit as it is said, with the kinds of sleep left out."""
    return limit_text(limit).replace(" below ", " less than ", 1)


def clock_sentence(clock: OsClock | None) -> str:
    """Return how the OS clock stood to the host's."""
    if clock is None:
        return "The OS clock was not compared with another clock: nothing related the two."
    sentence = f"OS clock minus host clock: {clock.os_minus_host_s:+.3f} s ±{clock.bound_s:.3f} s"
    if clock.drift_ppm is None:
        return f"{sentence}, drift not known."
    return f"{sentence}, drift {clock.drift_ppm:+.1f} ppm."


def record_name(record: OsRecord) -> str:
    """Return how to find a record again."""
    number = "without a number" if record.record_id is None else str(record.record_id)
    return f"record {number} ({kind_words(record.kind)})"


def kind_words(kind: SleepKind) -> str:
    """Return a kind as it is said."""
    return "unknown kind" if kind is SleepKind.UNKNOWN else kind.value


def cycle_name(cycle: ReconciledCycle) -> str:
    """Return the number of a cycle, marked where it was ignored on request."""
    return (
        f"{cycle.outside.number} (ignored)" if cycle.outside.ignored else str(cycle.outside.number)
    )


def unjudged_word(cycle: ReconciledCycle) -> str | None:
    """Return what stands in place of a verdict; None where the cycle counts."""
    if cycle.judged:
        return None
    return "ignored" if cycle.outside.ignored else "not judged"
