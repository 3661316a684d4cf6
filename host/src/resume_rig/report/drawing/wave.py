"""Arithmetic of a cycle's waveform: a lane for each wire, light below, long pauses folded away.

A sleep lasts seconds or hours and a resume one second. Where nothing happens for long, the axis is
folded and labelled with what it leaves out; everything else is drawn at one scale.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from markupsafe import Markup

from resume_rig.model.channel import Channel, line_name
from resume_rig.model.result.judgement import RecordedCycle
from resume_rig.model.units import NS_PER_MS, seconds_text
from resume_rig.report.drawing.axis import Tick, multiples, nice_step, tick_label
from resume_rig.report.drawing.palette import lane_class

_WIDTH: Final = 1040
_LEFT: Final = 108
_LABEL_HALF: Final = 16
_RIGHT: Final = 1024
_TOP: Final = 34
_LANE: Final = 24
_SWING: Final = 14
_LIGHT: Final = 44
_FOLD: Final = 34
_MARGIN_NS: Final = 60 * NS_PER_MS
_FOLDED_FROM_NS: Final = 900 * NS_PER_MS
_WAITED_NS: Final = 3_000 * NS_PER_MS
_TICK_DISTANCE: Final = 56
_LIGHT_STEP: Final = 2
_LEAST_COLUMNS: Final = 2
_DIM: Final = 10
_LABELS_DISTANCE: Final = 70


@dataclass(frozen=True, slots=True)
class Lane:
    """One wire.

    Attributes:
        name: as a schematic has it. style: the class of its line.
        path: its line, as SVG writes paths; made of numbers alone, however long.
    """

    name: str
    style: str
    y: float
    path: Markup


@dataclass(frozen=True, slots=True)
class Fold:
    """A place where time is left out."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class WavePicture:
    """One cycle.

    Attributes:
        ticks: milliseconds since the zero.
        zero: place of the trigger; None where there was none, and the zero is the first edge.
        light: outline of the band from minimum to maximum, as SVG writes points; "" without.
        light_y: middle of the light's lane.
    """

    cycle: int
    width: int
    height: int
    lanes: tuple[Lane, ...]
    ticks: tuple[Tick, ...]
    folds: tuple[Fold, ...]
    zero: float | None
    light: Markup
    light_y: float
    summary: str
    left: int = _LEFT
    right: int = _RIGHT
    top: int = _TOP
    base: int = 0

    @property
    def zero_anchor(self) -> str:
        """On which side of the trigger its name stands, so that it covers no fold's."""
        near = [
            fold.at for fold in self.folds if abs(fold.at - (self.zero or 0.0)) < _LABELS_DISTANCE
        ]
        if not near:
            return "middle"
        return "start" if near[0] < (self.zero or 0.0) else "end"


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A part of the axis that is drawn to scale."""

    from_ns: int
    to_ns: int
    start: float
    end: float

    def at(self, t_ns: float) -> float:
        share = (t_ns - self.from_ns) / (self.to_ns - self.from_ns)
        return round(self.start + min(max(share, 0.0), 1.0) * (self.end - self.start), 1)


def wave_picture(cycle: RecordedCycle) -> WavePicture | None:
    """Return the drawing of a cycle; None where no edge was recorded."""
    moments = [edge.t_ns for edge in cycle.edges]
    if cycle.has_trigger:
        moments.append(cycle.zero_ns)
    if not moments:
        return None
    moments += _waited(cycle)
    stretches = _stretches(sorted(moments))
    channels = [channel for channel in Channel if channel in cycle.initial_levels]
    lanes = tuple(_lane(cycle, channel, at, stretches) for at, channel in enumerate(channels))
    light_top = _TOP + _LANE * len(lanes) + 6
    light = _light_outline(cycle, stretches, light_top)
    base = light_top + (_LIGHT if light else 0)
    return WavePicture(
        cycle=cycle.number,
        width=_WIDTH,
        height=base + 30,
        lanes=lanes,
        ticks=_ticks(stretches, cycle.zero_ns),
        folds=tuple(
            Fold(round((a.end + b.start) / 2, 1), seconds_text(b.from_ns - a.to_ns))
            for a, b in pairwise(stretches)
        ),
        zero=_place(cycle.zero_ns, stretches) if cycle.has_trigger else None,
        light=light,
        light_y=light_top + _LIGHT / 2,
        summary=f"Wires of cycle {cycle.number}: {len(cycle.edges)} edges.",
        base=base,
    )


def _waited(cycle: RecordedCycle) -> Sequence[int]:
    """Return moments at which a light that did not come was waited for.

    Where the display's line does not rise after the trigger, the edges end long before the wait
    does, and it is the photodiode that shows that nothing came.
    """
    lit = any(
        edge.channel is Channel.BACKLIGHT and edge.level and edge.t_ns > cycle.zero_ns
        for edge in cycle.edges
    )
    if lit or not cycle.has_trigger or not len(cycle.light):
        return ()
    until_ns = min(cycle.light[-1].t_ns, cycle.zero_ns + _WAITED_NS)
    return range(cycle.zero_ns, until_ns, _FOLDED_FROM_NS // 2)


def _stretches(moments: Sequence[int]) -> tuple[_Stretch, ...]:
    """Return the parts of the axis: what lies close together is one."""
    parts: list[tuple[int, int]] = []
    for t_ns in moments:
        if parts and t_ns - parts[-1][1] <= _FOLDED_FROM_NS:
            parts[-1] = (parts[-1][0], t_ns)
        else:
            parts.append((t_ns, t_ns))
    wide = [(a - _MARGIN_NS, b + _MARGIN_NS) for a, b in parts]
    whole_ns = sum(b - a for a, b in wide)
    room = _RIGHT - _LEFT - _FOLD * (len(wide) - 1)
    found: list[_Stretch] = []
    x = float(_LEFT)
    for a, b in wide:
        width = max(room * (b - a) / whole_ns, 1.0)
        found.append(_Stretch(a, b, x, x + width))
        x += width + _FOLD
    return tuple(found)


def _place(t_ns: int, stretches: Sequence[_Stretch]) -> float:
    after = bisect_right([stretch.from_ns for stretch in stretches], t_ns)
    return stretches[max(0, after - 1)].at(t_ns)


def _lane(cycle: RecordedCycle, channel: Channel, at: int, stretches: Sequence[_Stretch]) -> Lane:
    low = _TOP + _LANE * at + _SWING + 4
    level = cycle.initial_levels[channel]
    path = f"M{_LEFT} {low - _SWING * level}"
    for edge in cycle.edges:
        if edge.channel is channel and edge.level != level:
            level = edge.level
            path += f"H{_place(edge.t_ns, stretches):g}V{low - _SWING * level}"
    return Lane(line_name(channel), lane_class(channel), low, Markup(f"{path}H{_RIGHT}"))


def _light_outline(cycle: RecordedCycle, stretches: Sequence[_Stretch], top: int) -> Markup:
    """Return the band between minimum and maximum, one point a place.

    A dim panel fills its lane as a bright one does, but the noise of a dark one does not.
    """
    columns: dict[int, tuple[int, int]] = {}
    for block in cycle.light:
        if not any(each.from_ns <= block.t_ns <= each.to_ns for each in stretches):
            continue
        x = _LIGHT_STEP * round(_place(block.t_ns, stretches) / _LIGHT_STEP)
        low, high = columns.get(x, (block.minimum, block.maximum))
        columns[x] = (min(low, block.minimum), max(high, block.maximum))
    if len(columns) < _LEAST_COLUMNS:
        return Markup()
    most = max(1, (cycle.light_full_scale or 0) // _DIM, *(high for _, high in columns.values()))

    def y(counts: int) -> float:
        return round(top + 4 + (_LIGHT - 8) * (1 - counts / most), 1)

    over = [f"{x},{y(high):g}" for x, (_, high) in sorted(columns.items())]
    under = [f"{x},{y(low):g}" for x, (low, _) in sorted(columns.items(), reverse=True)]
    return Markup(" ".join([*over, *under]))


def _ticks(stretches: Sequence[_Stretch], zero_ns: int) -> tuple[Tick, ...]:
    shown_ns = sum(stretch.to_ns - stretch.from_ns for stretch in stretches)
    room = sum(stretch.end - stretch.start for stretch in stretches)
    step_ms = nice_step(shown_ns / NS_PER_MS, max(1, int(room / _TICK_DISTANCE)))
    ticks: list[Tick] = []
    for stretch in stretches:
        low = (stretch.from_ns - zero_ns) / NS_PER_MS
        high = (stretch.to_ns - zero_ns) / NS_PER_MS
        for value in multiples(low, high, step_ms):
            place = stretch.at(value * NS_PER_MS + zero_ns)
            if not ticks or place - ticks[-1].at >= _TICK_DISTANCE / 2:
                # At the very left stands what the axis counts.
                label = "" if place - _LEFT < _LABEL_HALF else tick_label(value, step_ms)
                ticks.append(Tick(place, label))
    return tuple(ticks)
