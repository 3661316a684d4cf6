"""Limits on what cycles did: their outcome, their findings, and whether the DUT came back whole.

What could not be seen is not taken for good: each limit says what it did not check.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from resume_rig.analysis.verdict.measures import Sighting
from resume_rig.model.channel import Channel
from resume_rig.model.os_record import NO_SLEEPS, Ending, OsRecord
from resume_rig.model.result.cycle import (
    FAILED,
    MEANINGS,
    NO_ANSWER,
    DeviceChange,
    Outcome,
    OutsideCycle,
)
from resume_rig.model.result.verdict import FINDING, OUTCOME, WHOLE, FindingKind, Limit

_LOST: Final = frozenset({DeviceChange.GONE, DeviceChange.FAILED})
"""What a DUT had, and has no more. A device that is new, or works again, is no loss."""

_OF_HEALTH: Final = frozenset(
    {FindingKind.DEVICE_CHANGED, FindingKind.LINK_LOST, FindingKind.NEW_ERRORS}
)
_NEEDS_LINE: Final[Mapping[FindingKind, Channel]] = MappingProxyType(
    {
        FindingKind.DOUBLE_RESET: Channel.PLTRST,
        FindingKind.DARK: Channel.BACKLIGHT,
        FindingKind.LIT_ASLEEP: Channel.BACKLIGHT,
    }
)
"""Lines without which a finding cannot be made; the photodiode serves for the backlight."""

_POLARITY: Final = FindingKind.WRONG_POLARITY
"""Of lines that contradict each other, nothing is said."""

_WHOLE_FINDINGS: Final = frozenset(
    {FindingKind.DOUBLE_RESET, FindingKind.WRONG_STATE, FindingKind.LINK_LOST}
)
DEVICES: Final = "devices"
RESETS: Final = "resets"
WIRES: Final = "wake reason and wires"
_HOW: Final[Mapping[str, str]] = MappingProxyType(
    {
        DEVICES: "devices (run --health)",
        RESETS: "resets (wire PLTRST#)",
        WIRES: "wake reason, resets and devices (a log alone does not show them)",
    }
)


@lru_cache(maxsize=64)
def outcomes_of(measure: str) -> frozenset[Outcome]:
    """Return the outcomes that a measure names; none of other measures."""
    names = _names(measure, OUTCOME)
    return frozenset(each for each in Outcome if each.value in names)


@lru_cache(maxsize=64)
def findings_of(measure: str) -> frozenset[FindingKind]:
    """Return the findings that a measure names; none of other measures."""
    names = _names(measure, FINDING)
    return frozenset(each for each in FindingKind if each.value in names)


def _names(measure: str, prefix: str) -> list[str]:
    # A store of somebody else may have any text here: what nobody knows is no name.
    return measure.removeprefix(prefix).split(",") if measure.startswith(prefix) else []


def named_events(measure: str) -> tuple[str, ...]:
    """Return the outcomes or findings that a measure names, in its order and in words."""
    return tuple(map(event_words, measure.partition(":")[2].split(",")))


def happened(limit: Limit, sighting: Sighting) -> tuple[str, ...] | None:
    """Return what a cycle did of what a limit counts, by name; None where that was not seen.

    Args:
        limit: on an event.
        sighting: of a cycle that tried what the requirement is about; of a log, its record alone,
            which shows that the OS came back, and nothing else.
    """
    if sighting.cycle is None:
        return _of_log(limit, sighting.record)
    outside, outcome = sighting.cycle.outside, sighting.cycle.outcome
    if outcome in NO_ANSWER or any(f.kind is _POLARITY for f in outside.findings):
        return None
    if limit.measure == WHOLE:
        return not_whole(outside, outcome)
    if named := outcomes_of(limit.measure):
        return (outcome.value,) if outcome in named else ()
    kinds = findings_of(limit.measure)
    found = dict.fromkeys(f.kind.value for f in sighting.cycle.findings if f.kind in kinds)
    return tuple(found) if found or all(_could_show(outside, kind) for kind in kinds) else None


def _of_log(limit: Limit, record: OsRecord | None) -> tuple[str, ...] | None:
    """Return what a log shows: that the OS came back, or that a boot came in place of it."""
    named = outcomes_of(limit.measure) or (FAILED if limit.measure == WHOLE else frozenset())
    if record is not None and record.failed and Outcome.REBOOTED in named:
        return (Outcome.REBOOTED.value,)
    # What is no sleep, a boot or a shutdown, ended as it was to where the log has an account of it.
    came_back = record is not None and (record.ending is Ending.RESUMED or record.kind in NO_SLEEPS)
    return () if came_back and limit.measure == WHOLE else None


def not_whole(outside: OutsideCycle, outcome: Outcome) -> tuple[str, ...] | None:
    """Return by what a DUT did not sleep and wake as asked, or lacks what it had; None: not seen.

    Args:
        outside: the cycle, as its wires and its health show it.
        outcome: of it, with what the lack of its record adds.
    """
    # Nobody asked anything of a capture's DUT: what wakes it may be what was to wake it.
    unasked = outside.asked is None and outcome is Outcome.WOKE_ALONE
    found = [outcome.value] if outcome in FAILED and not unasked else []
    found += dict.fromkeys(f.kind.value for f in outside.findings if f.kind in _WHOLE_FINDINGS)
    health = outside.health
    if health is not None and any(device.change in _LOST for device in health.changed):
        found.append(FindingKind.DEVICE_CHANGED.value)
    asked_in_vain = health is not None and not health.compared
    return None if asked_in_vain and not found else tuple(found)


def _could_show(outside: OutsideCycle, kind: FindingKind) -> bool:
    """Return whether a finding would have been made of a cycle, if there was what it is about."""
    if kind in _OF_HEALTH:
        return outside.health is not None and outside.health.compared
    line = _NEEDS_LINE.get(kind)
    lit = line is Channel.BACKLIGHT and outside.light_basis is not None
    return line is None or lit or line in outside.channels


def unchecked_of(limit: Limit, sighting: Sighting) -> Iterator[str]:
    """Yield what a cycle that counts did not show of "back whole"."""
    if limit.measure != WHOLE:
        return
    if sighting.cycle is None:
        yield WIRES
        return
    outside = sighting.cycle.outside
    if outside.health is None:
        yield DEVICES
    if outside.channels and Channel.PLTRST not in outside.channels:
        yield RESETS


def unchecked_text(what: str) -> str:
    """Return what was not checked, and what would check it."""
    return _HOW[what]


def event_words(name: str) -> str:
    """Return the name of an outcome or a finding as a sentence has it."""
    outcome = next((each for each in MEANINGS if each.value == name), None)
    return name.replace("-", " ") if outcome is None else MEANINGS[outcome].words
