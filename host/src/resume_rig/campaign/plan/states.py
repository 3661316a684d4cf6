"""The states that a cycle goes through and that a plan can ask for, as the wires show them. Pure.

docs/reference/plans.md has the table of this module.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, unique
from types import MappingProxyType
from typing import Final

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.model.os_record import (
    NO_SLEEPS,
    NO_SUSPENDS,
    OsRecord,
    SleepKind,
    state_word,
)
from resume_rig.model.result.cycle import SOFT_OFF, OutsideState
from resume_rig.model.units import NS_PER_S


@unique
class CycleState(Enum):
    """Where a cycle is; each leads to the next one or, on a time-out, to READING."""

    BEGINNING = "clocks, levels and cursors are noted"
    FALLING_ASLEEP = "the sleep was triggered, the wires are watched"
    ASLEEP = "the dwell lasts"
    WAKING = "the wake was triggered, the wires are watched"
    SETTLING = "every sign of the wake is there"
    READING = "what is left is read"
    DONE = "nothing is left to do"


# What a DUT that runs shows; LED depends on its settings, SLP_S4 and SLP_S5 follow SLP_S3.
RUNNING = (Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST)


def sleep_line(wired: Collection[Channel]) -> Channel:
    """Return the channel that shows entry into any state but Modern Standby."""
    return Channel.SLP_S3 if Channel.SLP_S3 in wired else Channel.PWR_OK


def first_change(edges: Iterable[Edge], channel: Channel, level: int, from_ns: int) -> int | None:
    """Return the board time of the first change to `level` at or after `from_ns`."""
    changes = (edge.t_ns for edge in edges if edge.channel is channel and edge.level == level)
    return next((t_ns for t_ns in changes if t_ns >= from_ns), None)


def dead_lines(levels: Mapping[Channel, int], wired: Collection[Channel]) -> list[Channel]:
    """Return the wired lines that do not show a DUT that runs; empty = it runs."""
    return [channel for channel in RUNNING if channel in wired and not levels.get(channel)]


def is_off(levels: Mapping[Channel, int], wired: Collection[Channel]) -> bool:
    """Return whether the wires show a DUT without power.

    SLP_S5 distinguishes it from one that sleeps, and SLP_S4 from one in S3; without either, a DUT
    in S3 looks the same.
    """
    power = [c for c in (Channel.SLP_S3, Channel.PWR_OK) if c in wired]
    deepest = [c for c in (Channel.SLP_S5, Channel.SLP_S4) if c in wired][:1]
    return bool(power) and not any(levels.get(channel) for channel in (*power, *deepest))


def is_dark(levels: Mapping[Channel, int], wired: Collection[Channel]) -> bool:
    """Return whether a display that is wired is without light."""
    return Channel.BACKLIGHT in wired and not levels.get(Channel.BACKLIGHT)


_DEPTH: Final = (OutsideState.S0IX, OutsideState.S3, OutsideState.S4, OutsideState.S5)
"""From the shallowest to the deepest."""


@dataclass(frozen=True, slots=True)
class PlannedState:
    """One state that can be asked for.

    Attributes:
        shown: what the wires show of it; S4 and off look the same on some boards.
        recorded: an event log has a record of it.
        entry_ns: how long the way into it may take; the image of a hibernation has to be written.
        boots: the OS, or its loader, starts anew.
    """

    shown: frozenset[OutsideState]
    recorded: bool = True
    lid_wakes: bool = True
    entry_ns: int = 10 * NS_PER_S
    boots: bool = False


_S3: Final = frozenset({OutsideState.S3})
_IMAGE_NS: Final = 30 * NS_PER_S
STATES: Final[Mapping[SleepKind, PlannedState]] = MappingProxyType(
    {
        SleepKind.S3: PlannedState(_S3),
        SleepKind.HYBRID: PlannedState(_S3, entry_ns=_IMAGE_NS),
        SleepKind.S4: PlannedState(SOFT_OFF, entry_ns=_IMAGE_NS),
        SleepKind.FAST_STARTUP: PlannedState(
            SOFT_OFF, lid_wakes=False, entry_ns=_IMAGE_NS, boots=True
        ),
        SleepKind.MODERN_STANDBY: PlannedState(frozenset({OutsideState.S0IX})),
        SleepKind.BOOT: PlannedState(
            SOFT_OFF, recorded=False, lid_wakes=False, entry_ns=_IMAGE_NS, boots=True
        ),
    }
)
"""Every state that a plan can ask for; BOOT is S5, off and on again."""

STATE_WORDS: Final = tuple(state_word(kind) for kind in STATES)


def states_text(states: Collection[SleepKind]) -> str:
    """Return states as a sentence names them, in the order of their table."""
    return ", ".join(state_word(kind) for kind in STATES if kind in states)


def may_belong(record: OsRecord, states: Collection[SleepKind]) -> bool:
    """Return whether a record can be of a cycle of a plan with such states.

    A boot never does, and a session of Modern Standby only where that was asked for: one between
    two S3 cycles is of neither.
    """
    standby = SleepKind.MODERN_STANDBY in states
    return record.kind not in (NO_SLEEPS if standby else NO_SUSPENDS)


def has_record(state: SleepKind) -> bool:
    """Return whether an event log has a record of a cycle of this state."""
    return STATES[state].recorded


def is_shallower(asked: SleepKind, shown: OutsideState, wired: Collection[Channel]) -> bool:
    """Return whether the wires prove that a sleep was not as deep as asked for.

    Without SLP_S4# and SLP_S5# an S4 looks as S3 does, and proves nothing.
    """
    if shown is OutsideState.NONE:
        return False
    shallowest = min(_DEPTH.index(each) for each in STATES[asked].shown)
    if _DEPTH.index(shown) >= shallowest:
        return False
    distinguishing = {Channel.SLP_S4, Channel.SLP_S5} & set(wired)
    return shown is OutsideState.S0IX or bool(distinguishing)


def is_deeper(asked: SleepKind, shown: OutsideState) -> bool:
    """Return whether a sleep was deeper than asked for."""
    if shown is OutsideState.NONE:
        return False
    return _DEPTH.index(shown) > max(_DEPTH.index(each) for each in STATES[asked].shown)


def sleep_channel(state: SleepKind, wired: Collection[Channel]) -> Channel | None:
    """Return the line that shows entry into a state; None where none is wired that could."""
    if state is SleepKind.MODERN_STANDBY:
        lines: tuple[Channel, ...] = (Channel.BACKLIGHT, Channel.LED)
    else:
        lines = (sleep_line(wired),)
    return next((line for line in lines if line in wired), None)
