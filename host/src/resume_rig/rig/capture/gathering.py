"""Gathers level changes of a capture into edges, whatever file they come from, and doubts them.

A capture is to be doubted where a signal is missing or looks inverted. SLP_S3, PWR_OK and PLTRST
are all high while a DUT runs and all low while it sleeps. A signal such as PS_ON#, which is low
while it runs, stands for SLP_S3 only when it is inverted; without that the capture shows cycles
that never were. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.channel import Channel
from resume_rig.model.edge import CODE_OF, EdgeColumns
from resume_rig.model.errors import RecordError
from resume_rig.rig.capture.sampling import StatedRate
from resume_rig.rig.capture.signals import Chosen, schematic_name

# About 31 years; far beyond any capture, and safe in 64 bits.
TIME_MAX_NS: Final = 10**18

# 10 bytes each, so 0.2 GB: a backlight dimmed by PWM at 220 Hz makes as many in 12 hours.
EDGES_MAX: Final = 20_000_000

NO_LEVEL: Final = -1
"""A value such as x or z."""

_NONE: Final = -2


def _levels_of_characters() -> NDArray[np.int8]:
    found = np.full(256, _NONE, np.int8)
    # 'l' and 'h' are weak levels (IEEE 1164), as of an open-drain line with its pull-up.
    for characters, level in ((b"0lL", 0), (b"1hH", 1), (b"xXzZuUwW-", NO_LEVEL)):
        found[list(characters)] = level
    return found


LEVEL_OF_CHARACTER: Final = _levels_of_characters()
"""Level of each character, by its code: 0, 1, NO_LEVEL; less where it is none of a value."""


@dataclass(frozen=True, slots=True)
class Capture:
    """What an instrument that is not ours recorded.

    Attributes:
        edges: in order of time, numbered from 0; t_ns on the capture's own clock.
        initial_levels: of each channel before its first edge.
        start_ns, end_ns: first and last moment that the capture covers.
        resolution_ns: the finest step that its times can show, 1 or more; the instrument may have
            sampled more coarsely.
        stated_rate: the sample rate as the file states it; None where it does not.
        notes: sentences about what was left out.
        inverted: channels that were asked for the other way up.
    """

    edges: EdgeColumns
    initial_levels: dict[Channel, int]
    start_ns: int
    end_ns: int
    resolution_ns: int
    stated_rate: StatedRate | None = None
    notes: tuple[str, ...] = ()
    inverted: frozenset[Channel] = frozenset()


class Gathering:
    """Takes values in order of time and keeps what changed.

    The first level of a line is its initial level and no edge: its change was not recorded.

    Args:
        chosen: which signals are which channels.
        what: the beginning of a sentence, for errors.

    Attributes:
        keys: of the lines that are wanted, each once; a line is named by its place here.
    """

    def __init__(self, chosen: Chosen, what: str) -> None:
        self._chosen, self._what = chosen, what
        self.keys: Sequence[str] = tuple(dict.fromkeys(tap.key for tap in chosen.taps))
        self._levels: dict[int, int] = {}
        self._initial: dict[int, int] = {}
        self._unknown: dict[int, int] = {}
        self._late: dict[int, int] = {}
        self._lost: set[int] = set()
        self._pieces: list[_Piece] = []
        self._count = 0
        self._start_ns: int | None = None
        self._end_ns = 0

    def cover(self, first_ns: int, last_ns: int) -> None:
        """Take note that the capture covers these moments, and those between them."""
        if self._start_ns is None:
            self._start_ns = first_ns
        self._end_ns = last_ns

    def take(
        self, t_ns: NDArray[np.int64], lines: NDArray[np.uint8], values: NDArray[np.int8]
    ) -> None:
        """Take values in their order: times, places in `keys`, and 0, 1 or NO_LEVEL.

        Raises:
            RecordError: there are more than EDGES_MAX edges.
        """
        kept = np.zeros(t_ns.size, np.bool_)
        for line in range(len(self.keys)):
            kept[self._changes(line, np.flatnonzero(lines == line), t_ns, values)] = True
        levels = values[kept].astype(np.uint8)
        if not levels.size:
            return
        self._pieces.append((t_ns[kept], lines[kept], levels))
        self._count += levels.size
        self.check_count(self._count)

    def check_count(self, count: int) -> None:
        """Refuse more edges than are allowed.

        Raises:
            RecordError: there are more than EDGES_MAX.
        """
        if count > EDGES_MAX:
            raise RecordError(
                f"{self._what}: its channels have more than {EDGES_MAX} edges, which is the most"
                " that is read; leave out a clock or a dimmed backlight, or cut the capture."
            )

    def _changes(
        self, line: int, places: NDArray[np.int64], t_ns: NDArray[np.int64], all_: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Return which of a line's values are edges, and note what they leave behind."""
        values = all_[places]
        has_level = values >= 0
        before = self._levels.get(line)
        if not has_level.all() or line in self._lost:
            self._note_unknown(line, has_level, before is not None)
            places, values = places[has_level], values[has_level]
        if not values.size:
            return places
        if before is None:
            before = self._initial[line] = int(values[0])
            at_ns = int(t_ns[places[0]])
            if self._start_ns is not None and at_ns > self._start_ns:
                self._late[line] = at_ns
        self._levels[line] = int(values[-1])
        changed = np.empty(values.size, np.bool_)
        changed[0] = values[0] != before
        np.not_equal(values[1:], values[:-1], out=changed[1:])
        return places[changed]

    def _note_unknown(self, line: int, has_level: NDArray[np.bool_], had_level: bool) -> None:
        """Count how often a level got lost; `has_level` is of the values in order."""
        first = not had_level or line in self._lost
        lost = np.flatnonzero(~has_level & np.concatenate(([not first], has_level[:-1])))
        if lost.size:
            self._unknown[line] = self._unknown.get(line, 0) + lost.size
        if has_level.size and (had_level or has_level.any()):
            (self._lost.discard if has_level[-1] else self._lost.add)(line)

    def finish(self, resolution_ns: int, stated_rate: StatedRate | None = None) -> Capture:
        """Return what was gathered."""
        taps = self._chosen.taps
        named = [(tap, self.keys.index(tap.key)) for tap in taps]
        notes = [
            *(
                f"{tap.channel}: {self._unknown[line]} values without a level (x or z) were"
                " ignored."
                for tap, line in named
                if line in self._unknown
            ),
            *(
                f"{tap.channel}: it has no level before {self._late[line]} ns; its first value"
                " there is not an edge."
                for tap, line in named
                if line in self._late
            ),
            *(
                f"{tap.channel}: it never has a level, so it counts as not wired."
                for tap, line in named
                if line not in self._initial
            ),
            *self._chosen.notes,
        ]
        return Capture(
            edges=self._edges(),
            initial_levels={
                tap.channel: self._initial[line] ^ tap.inverted
                for tap, line in named
                if line in self._initial
            },
            start_ns=self._start_ns or 0,
            end_ns=self._end_ns,
            resolution_ns=max(1, resolution_ns),
            stated_rate=stated_rate,
            notes=tuple(notes),
            inverted=frozenset(tap.channel for tap in taps if tap.inverted),
        )

    def _edges(self) -> EdgeColumns:
        """Return the edges of the channels; lines that are several are there several times."""
        t_ns, lines, levels = _joined(self._pieces, self._count)
        by_line = [[tap for tap in self._chosen.taps if tap.key == key] for key in self.keys]
        times = np.array([len(taps) for taps in by_line], np.uint8)
        if (times > 1).any():
            each = times[lines]
            total = int(each.sum())
            self.check_count(total)
            starts = np.cumsum(each, dtype=np.int64) - each
            nth = (np.arange(total) - np.repeat(starts, each)).astype(np.uint8)
            t_ns, lines, levels = np.repeat(t_ns, each), np.repeat(lines, each), levels.repeat(each)
        else:
            nth = np.zeros(lines.size, np.uint8)
        most = max(map(len, by_line))
        codes = np.zeros((len(by_line), most), np.uint8)
        turned = np.zeros((len(by_line), most), np.uint8)
        for line, taps in enumerate(by_line):
            for place, tap in enumerate(taps):
                codes[line, place] = CODE_OF[tap.channel]
                turned[line, place] = tap.inverted
        return EdgeColumns(t_ns, codes[lines, nth], levels ^ turned[lines, nth])


_Piece = tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.uint8]]


def _joined(pieces: list[_Piece], count: int) -> _Piece:
    """Return pieces as one; they are taken off the list, so that memory holds each once."""
    whole = np.empty(count, np.int64), np.empty(count, np.uint8), np.empty(count, np.uint8)
    end = count
    while pieces:
        piece = pieces.pop()
        start = end - piece[0].size
        whole[0][start:end], whole[1][start:end], whole[2][start:end] = piece
        end = start
    return whole


_POWER_SIGNALS: Final = (Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST)
# A sleep with the power left on is unlike as well, but in one way only.
_UNLIKE_MOST: Final = 0.8
_UNLIKE_EACH_WAY: Final = 0.001
# A button is pressed for a second in a cycle of half a minute at least.
_PRESSED_AT_MOST: Final = 0.5


def doubts_of(capture: Capture) -> tuple[str, ...]:
    """Return a sentence for each signal that is missing, or looks inverted."""
    return (
        *_missing(capture),
        *polarity_notes(capture),
        *_light_inverted(capture),
        *_pressed(capture),
    )


def without_inverted(capture: Capture) -> Capture:
    """Return a capture without a button or a light that looks inverted: nothing is read off them.

    Where a power line does, no cycle can be told; `polarity_notes` has that.
    """
    turned = [Channel.BUTTON] if any(_pressed(capture)) else []
    turned += [Channel.BACKLIGHT] if any(_light_inverted(capture)) else []
    if not turned:
        return capture
    kept = ~np.isin(capture.edges.codes, [CODE_OF[channel] for channel in turned])
    levels = {name: level for name, level in capture.initial_levels.items() if name not in turned}
    return replace(capture, edges=capture.edges.where(kept), initial_levels=levels)


def _light_inverted(capture: Capture) -> Iterator[str]:
    """Yield a sentence where the light is on while the DUT sleeps, and off while it runs."""
    lines = [line for line in _POWER_SIGNALS if line in capture.initial_levels]
    is_there = Channel.BACKLIGHT in capture.initial_levels and bool(lines)
    if is_there and all(_unlike(capture, Channel.BACKLIGHT, line) for line in lines):
        yield (
            "BACKLIGHT is lit while the power lines are low, and dark while they are high: is it "
            "the wrong way up? `--channel BACKLIGHT=~SIGNAL` inverts a signal. Nothing is read off "
            "it."
        )


def polarity_notes(capture: Capture) -> Iterator[str]:
    """Yield a sentence for each line that looks inverted against the others."""
    lines = [channel for channel in _POWER_SIGNALS if channel in capture.initial_levels]
    unlike = {pair for pair in combinations(lines, 2) if _unlike(capture, *pair)}
    for line in lines:
        others = [pair for pair in combinations(lines, 2) if line not in pair]
        against = [pair for pair in unlike if line in pair]
        if others and len(against) == len(lines) - 1 and not unlike.intersection(others):
            yield (
                f"{line} is high while the others are low and low while they are high: is it the "
                f"wrong way up? `--channel {line}=~SIGNAL` inverts a signal."
            )
    if len(lines) == 2 and unlike:
        yield (
            f"{lines[0]} is high while {lines[1]} is low, and low while it is high: one of them is "
            "the wrong way up; `--channel NAME=~SIGNAL` inverts a signal."
        )


def _unlike(capture: Capture, one: Channel, other: Channel) -> bool:
    """Return whether two lines are unlike most of the time, and in both ways."""
    edges = EdgeColumns.of(capture.edges)
    edges = edges.where(np.isin(edges.codes, (CODE_OF[one], CODE_OF[other])))
    marks = np.concatenate(([capture.start_ns], edges.t_ns, [capture.end_ns]))
    lasts = np.diff(marks)
    levels = [_levels_between(edges, each, capture.initial_levels[each]) for each in (one, other)]
    high = int(lasts[(levels[0] == 1) & (levels[1] == 0)].sum())
    low = int(lasts[(levels[0] == 0) & (levels[1] == 1)].sum())
    whole_ns = capture.end_ns - capture.start_ns
    return high + low > _UNLIKE_MOST * whole_ns and min(high, low) > _UNLIKE_EACH_WAY * whole_ns


def _levels_between(edges: EdgeColumns, channel: Channel, initial: int) -> NDArray[np.uint8]:
    """Return a line's level before each edge and after the last one, uint8 [n + 1]."""
    own = np.flatnonzero(edges.codes == CODE_OF[channel])
    levels = np.concatenate((np.array([initial], np.uint8), edges.levels[own]))
    passed = np.zeros(len(edges) + 1, np.int64)
    passed[own + 1] = 1
    return levels[np.cumsum(passed)]


def _missing(capture: Capture) -> Iterator[str]:
    has_sleep, has_power = (
        channel in capture.initial_levels for channel in (Channel.SLP_S3, Channel.PWR_OK)
    )
    if not has_sleep and not has_power:
        yield (
            "Neither SLP_S3# nor PWR_OK is in the capture: no sleep state can be measured, and a"
            " sleep shows only where the backlight or the LED goes dark."
        )
    elif not has_sleep:
        yield (
            "SLP_S3# is not in the capture: sleeps are read off PWR_OK, and times to SLP_S3# are"
            " absent."
        )
    elif not has_power:
        yield (
            "PWR_OK is not in the capture: a sleep with the power left on looks like S3, and times"
            " to PWR_OK are absent."
        )


def _pressed(capture: Capture) -> Iterator[str]:
    initial = capture.initial_levels.get(Channel.BUTTON)
    whole_ns = capture.end_ns - capture.start_ns
    if initial is None or whole_ns <= 0:
        return
    own = capture.edges.of_channel(Channel.BUTTON)
    marks = np.concatenate(([capture.start_ns], own.t_ns, [capture.end_ns]))
    levels = np.concatenate((np.array([initial], np.uint8), own.levels))
    pressed = int(np.diff(marks)[levels == 0].sum()) / whole_ns
    if pressed > _PRESSED_AT_MOST:
        change = "invert it: --channel BUTTON=~SIGNAL"
        if Channel.BUTTON in capture.inverted:
            change = "do not invert it: --channel BUTTON=SIGNAL"
        yield (
            f"{schematic_name(Channel.BUTTON)} is pressed (low) for {pressed:.0%} of the capture:"
            f" is it the wrong way up? Then {change}. Nothing is read off it."
        )
