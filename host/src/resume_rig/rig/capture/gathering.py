"""Gathers level changes of a capture into edges, whatever file they come from."""

from collections.abc import Sequence
from dataclasses import dataclass

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.rig.capture.signals import Tap

# About 31 years; far beyond any capture, and safe in 64 bits.
TIME_MAX_NS = 10**18

# 'l' and 'h' are weak levels (IEEE 1164), as of an open-drain line with its pull-up.
_LEVELS = {"0": 0, "1": 1, "l": 0, "h": 1, "L": 0, "H": 1}


@dataclass(frozen=True, slots=True)
class Capture:
    """What an instrument that is not ours recorded.

    Attributes:
        edges: in order of time, numbered from 0; t_ns on the capture's own clock.
        initial_levels: of each channel before its first edge.
        start_ns, end_ns: first and last moment that the capture tells of.
        resolution_ns: the finest step that its times can show, 1 or more; the instrument may have
            sampled more coarsely.
        notes: sentences about what was left out.
    """

    edges: tuple[Edge, ...]
    initial_levels: dict[Channel, int]
    start_ns: int
    end_ns: int
    resolution_ns: int
    notes: tuple[str, ...] = ()


class Gathering:
    """Takes values in order of time and keeps what changed.

    The first known value of a line is its initial level and no edge: nobody saw it change.
    """

    def __init__(self, taps: Sequence[Tap]) -> None:
        self._taps: dict[str, list[Tap]] = {}
        for tap in taps:
            self._taps.setdefault(tap.key, []).append(tap)
        self._initial: dict[Channel, int] = {}
        self._levels: dict[Channel, int] = {}
        self._unknown: dict[Channel, int] = {}
        self._late: dict[Channel, int] = {}
        self._edges: list[Edge] = []
        self._start_ns: int | None = None
        self._end_ns = 0

    def moment(self, t_ns: int) -> None:
        """Say that the capture tells of this moment."""
        if self._start_ns is None:
            self._start_ns = t_ns
        self._end_ns = t_ns

    def value(self, key: str, t_ns: int, value: str) -> bool:
        """Take a value ("0", "1", or one without a level such as "x"); False if it is none."""
        level = _LEVELS.get(value)
        if level is None and value.strip().lower() not in {"x", "z", "u", "w", "-", ""}:
            return False
        for tap in self._taps.get(key, ()):
            if level is None:
                if tap.channel in self._levels:
                    self._unknown[tap.channel] = self._unknown.get(tap.channel, 0) + 1
            else:
                self._take(tap.channel, t_ns, level ^ tap.inverted)
        return True

    def _take(self, channel: Channel, t_ns: int, level: int) -> None:
        before = self._levels.get(channel)
        self._levels[channel] = level
        if before is None:
            self._initial[channel] = level
            if self._start_ns is not None and t_ns > self._start_ns:
                self._late[channel] = t_ns
        elif before != level:
            self._edges.append(Edge(len(self._edges), t_ns, channel, level))

    def finish(self, resolution_ns: int) -> Capture:
        """Return what was gathered."""
        notes = [
            f"{channel}: {n} values without a level (x or z) were ignored."
            for channel, n in self._unknown.items()
        ] + [
            f"{channel}: it has no level before {t_ns} ns; its first value there is not an edge."
            for channel, t_ns in self._late.items()
        ]
        taps = (tap for taps in self._taps.values() for tap in taps)
        notes += [
            f"{tap.channel}: it never has a level, so it counts as not wired."
            for tap in taps
            if tap.channel not in self._levels
        ]
        return Capture(
            edges=tuple(self._edges),
            initial_levels=self._initial,
            start_ns=self._start_ns or 0,
            end_ns=self._end_ns,
            resolution_ns=max(1, resolution_ns),
            notes=tuple(notes),
        )
