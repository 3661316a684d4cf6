"""The states of a cycle, and what the wires say about them. Pure."""

from collections.abc import Collection, Iterable, Mapping
from enum import Enum, unique

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge


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
    """Return the channel that tells entry into any state but Modern Standby."""
    return Channel.SLP_S3 if Channel.SLP_S3 in wired else Channel.PWR_OK


def first_change(edges: Iterable[Edge], channel: Channel, level: int, from_ns: int) -> int | None:
    """Return the board time of the first change to `level` at or after `from_ns`."""
    for edge in edges:
        if edge.channel is channel and edge.level == level and edge.t_ns >= from_ns:
            return edge.t_ns
    return None


def dead_lines(levels: Mapping[Channel, int], wired: Collection[Channel]) -> list[Channel]:
    """Return the wired lines that do not show a DUT that runs; empty = it runs."""
    return [channel for channel in RUNNING if channel in wired and not levels.get(channel)]


def is_off(levels: Mapping[Channel, int], wired: Collection[Channel]) -> bool:
    """Return whether the wires show a DUT without power.

    SLP_S5 tells it from one that sleeps, and SLP_S4 from one in S3; without either, a DUT in S3
    looks the same.
    """
    power = [c for c in (Channel.SLP_S3, Channel.PWR_OK) if c in wired]
    deepest = [c for c in (Channel.SLP_S5, Channel.SLP_S4) if c in wired][:1]
    return bool(power) and not any(levels.get(channel) for channel in (*power, *deepest))


def is_dark(levels: Mapping[Channel, int], wired: Collection[Channel]) -> bool:
    """Return whether a display that is wired is without light."""
    return Channel.BACKLIGHT in wired and not levels.get(Channel.BACKLIGHT)
