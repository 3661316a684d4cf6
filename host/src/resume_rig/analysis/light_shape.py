"""What the stored blocks of 1 ms show about an onset that a board timed: its doubts, its steps.

A board times the light at its full rate and keeps little of it. The blocks have the whole
recording: how lamps flicker before the light, how the settled level moves, how steeply the light
passes each level, and whether it came in steps. docs/explanation/light.md has the terms.
"""

from dataclasses import replace
from math import ceil, inf, isinf
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.light_blocks import (
    BASELINE_BLOCKS,
    RESOLUTION_NS,
    BlockTable,
    first_above,
    onset_of_blocks,
)
from resume_rig.analysis.light_steps import largest_step
from resume_rig.analysis.wake_light import LightReading
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.timing.budget_light import LightDefinition, LightDoubt

_BLOCK_NS: Final = 1_000_000
# As the board decides (firmware/core/rig_onset.c): sigmas of the first light, windows that agree.
_SIGMAS: Final = 8
_WINDOW: Final = 200
_SPAN: Final = 1_000
_AGREE: Final = 1 / 16
# Whole periods of lamps at 50, 60, 100 and 120 Hz.
_FRAME: Final = 50
# A level that a fade passes slowly lies in the last blocks before the first light, too.
_NEAR: Final = 100
# An average over blocks hides a PWM when it leaves so little of the level.
_LEFT: Final = 0.01
_MOST_BLOCKS: Final = 50
# Blocks in which a fast PWM has whole periods but for so much of the level; a beat with the samples
# that is faster than they are long is seen in part.
_BEATS: Final = 10
_CUT: Final = 0.03
_BEATS_MORE: Final = 1.5
# Samples that a moving average has too many or too few at the two ends of light parts.
_SAMPLES_OFF: Final = 2
# Half a light part is passed in d = t_90 - t_50 as 0.4 of it; an exponential fade is 2.5 times as
# flat at 90 % as between the two.
_FLATTER: Final = {LightDefinition.HALF: 1.0, LightDefinition.NINETY: 2.5}
_SHARE: Final = {LightDefinition.HALF: 0.5, LightDefinition.NINETY: 0.9}

_LAMPS = "lamps, noise or a level that moved are as great as what is left to {}"
_NO_SPAN = "the stored light shows no level that holds still"

Floats = NDArray[np.float64]


class _Rise(NamedTuple):
    """A recording as the terms need it; times in blocks from the first one, levels in counts.

    Attributes:
        mean, most: of the blocks. base, level: of the onset.
        first: block of the first light. span: first block of the settled span, and behind it.
        whole: so many blocks, averaged twice, hide the PWM.
        slope_ns: the time in which the light would rise from dark to its level.
        ambient: half-width of what is no light of the panel. moved: that of the settled level.
        ripple: share of the level that samples leave of the PWM in a moving average.
        period: of the PWM, in blocks; 0 for DC.
        peaks: how far the greatest samples in the dark stand above the baseline.
        longest: a doubt beyond it is as long as the whole rise, and says nothing; in blocks.
    """

    mean: Floats
    most: Floats
    base: float
    level: float
    first: int
    span: tuple[int, int]
    whole: int
    slope_ns: float
    ambient: float
    moved: float
    ripple: float
    period: float
    peaks: float
    longest: float


def light_reading(
    onset: LightOnset | None, table: BlockTable, full_scale: int | None = None
) -> LightReading | None:
    """Return the light of a cycle: its onset, how far each moment may be off, what is refused.

    Args:
        onset: as the board told it; None where it told none.
        table: the blocks of the same recording.
        full_scale: counts from which on the converter is at its end; None where nobody told.
    """
    if onset is None and not len(table.t_ns):
        return None
    from_blocks = onset is None
    if onset is None:
        onset = onset_of_blocks(table, full_scale)
    if onset.state is not OnsetState.OK or not _is_whole(table, onset):
        return LightReading(onset, from_blocks)
    rise = _rise_of(onset, table)
    if rise is None:
        refused = dict.fromkeys(LightDefinition, _NO_SPAN)
        return LightReading(onset, from_blocks, refused=refused)
    return _doubted(LightReading(onset, from_blocks), rise, int(table.t_ns[1]))


def _is_whole(table: BlockTable, onset: LightOnset) -> bool:
    """Return whether the blocks are those of the onset, without a gap."""
    if len(table.t_ns) < BASELINE_BLOCKS + _WINDOW or onset.first_ns is None:
        return False
    inside = table.t_ns[0] <= onset.first_ns <= table.t_ns[-1]
    return bool(inside and np.diff(table.t_ns[1:]).max() <= 3 * _BLOCK_NS // 2)


def _rise_of(onset: LightOnset, table: BlockTable) -> _Rise | None:
    """Return None where the blocks have no first light, or no span of the level."""
    if onset.base_counts is None or onset.level_counts is None:
        return None
    base, level = onset.base_counts, onset.level_counts
    # The first and the last block may be parts of one.
    mean, most = table.mean[1:-1], table.most[1:-1]
    first = first_above(most, base + max(_SIGMAS * (onset.sigma_counts or 0.0), 1.0))
    if first is None or first < BASELINE_BLOCKS - 1:
        return None
    period = _period(onset)
    span = _span(mean, first, level, level - base, period)
    if span is None:
        return None
    dark = slice(0, max(BASELINE_BLOCKS - 1, first - _NEAR))
    settled = mean[slice(*span)]
    drift = _drift(mean[dark])
    ambient = float(np.abs(mean[dark] - base).max()) + drift * (span[0] + span[1]) / 2
    lit = ((onset.first_ns or 0) - int(table.t_ns[1])) / _BLOCK_NS
    frames = [_off(settled, count, level) for count in range(_FRAME, 5 * _FRAME, _FRAME)]
    moved = min(frames)
    whole = _whole(settled, period, level, ambient + moved + _LEFT * (level - base))
    net = level - base
    ripple = 0.0
    if period and _is_of_blocks(onset):
        ripple = _off(settled, whole, level) / net
    elif period:
        ripple = _ripple(onset, net, settled - base, ambient + moved)
    return _Rise(
        mean,
        most,
        base,
        level,
        first,
        span,
        whole,
        slope_ns=((onset.ninety_ns or 0) - (onset.half_ns or 0)) / 0.4,
        ambient=ambient,
        moved=moved,
        ripple=ripple,
        period=period,
        peaks=float(most[dark].max()) - base + drift * lit,
        longest=max(_FRAME, ((onset.ninety_ns or 0) - (onset.first_ns or 0)) / _BLOCK_NS),
    )


def _off(settled: Floats, count: int, level: float) -> float:
    """Return how far averages over blocks stand off the level, at most; inf for too few blocks."""
    if len(settled) < 2 * count:
        return inf
    return float(np.abs(_smooth(settled, count) - level).max())


def _whole(settled: Floats, period: float, level: float, allowed: float) -> int:
    """Return how many blocks, averaged twice, hide a PWM: the fewest that do, else the best."""
    if not period:
        return 1
    fewest = max(1, round(0.75 * period))
    best, least = fewest, inf
    for count in range(fewest, fewest + _MOST_BLOCKS):
        off = _off(settled, count, level)
        if off <= allowed:
            return count
        if off < least:
            best, least = count, off
    return best


def _ripple(onset: LightOnset, net: float, settled: Floats, known: float) -> float:
    """Return the share of the level by which a moving average of the board may be off.

    Its light parts have some samples more or fewer than is their due. Where a fast PWM stands
    almost still before the samples, all of them have, and the level that the blocks show beats.
    """
    period = _period(onset)
    duty = max(onset.duty or 0.0, 0.01)
    samples = (onset.resolution_ns or 0) / _BLOCK_NS
    ripple = _SAMPLES_OFF * samples / (max(period, 1.0) * duty)
    if period < 1:
        counts = range(1, _BEATS + 1)
        count = next((n for n in counts if _cut(n, period, duty) <= _CUT), _BEATS)
        seen = float(np.abs(_averaged(settled, count) - net).max()) - known
        ripple = max(ripple, _BEATS_MORE * seen / net)
    return ripple


def _period(onset: LightOnset) -> float:
    """Return the PWM's, in blocks; 0 for DC."""
    return 1_000 / onset.pwm_hz if onset.pwm_hz else 0.0


def _cut(count: int, period: float, duty: float) -> float:
    """Return by what share of the level blocks differ that hold no whole periods."""
    part = count / period % 1
    return min(part, 1 - part, duty, 1 - duty) * period / (count * duty)


def _is_of_blocks(onset: LightOnset) -> bool:
    """Return whether the board itself had no more than blocks of a slow fade."""
    return (onset.resolution_ns or 0) >= _BLOCK_NS


def _smooth(values: Floats, count: int) -> Floats:
    return _averaged(_averaged(values, count), count)


def _averaged(values: Floats, count: int) -> Floats:
    """Return the means of each `count` neighbours."""
    if count <= 1:
        return values
    sums = np.concatenate(([0.0], np.cumsum(values)))
    return (sums[count:] - sums[:-count]) / count


def _span(
    mean: Floats, first: int, level: float, net: float, period: float
) -> tuple[int, int] | None:
    """Return the settled span that the board took: behind two windows that agree."""
    windows = (len(mean) - first) // _WINDOW
    if windows < 3 or net <= 0:
        return None
    means = mean[first : first + windows * _WINDOW].reshape(windows, -1).mean(axis=1)
    allowed = net * (_AGREE + period / _WINDOW) + 1
    close = net * (_AGREE / 2 + period / _SPAN) + 1
    for at in range(1, windows - 1):
        begin = first + (at + 1) * _WINDOW
        settled = mean[begin : begin + _SPAN]
        if abs(means[at] - means[at - 1]) <= allowed and abs(settled.mean() - level) <= close:
            return begin, begin + len(settled)
    return None


def _drift(dark: Floats) -> float:
    """Return by how much daylight moves in a block; counts."""
    early, late = float(dark[:_FRAME].mean()), float(dark[-_FRAME:].mean())
    return abs(late - early) / max(1, len(dark) - _FRAME)


# --------------------------------------------------------------------------------- the doubts --


def _doubted(reading: LightReading, rise: _Rise, begun_ns: int) -> LightReading:
    onset = reading.onset
    doubts: dict[LightDefinition, LightDoubt] = {}
    refused: dict[LightDefinition, str] = {}
    first = _first_doubt(onset, rise)
    if first is None:
        refused[LightDefinition.FIRST] = _LAMPS.format("the first tenth of the light")
    else:
        doubts[LightDefinition.FIRST] = first
    step = largest_step(rise.mean, rise.base, rise.level, (rise.first, rise.span[0]), rise.ambient)
    low, high = (rise.base, rise.level) if step is None else step.levels
    # Blocks of the board's moving average hold no whole periods of a PWM; those of `whole` do.
    anew = step is not None or (rise.period > 0 and _is_of_blocks(onset))
    times_ns: dict[LightDefinition, int] = {}
    for definition, share in _SHARE.items():
        found = _level_doubt(rise, low + share * (high - low), definition)
        if found is None:
            refused[definition] = _LAMPS.format(f"{share:.0%} of the light")
            continue
        at, doubt = found
        if anew:
            averaged = 2 * rise.whole if rise.period else 1
            doubt = doubt._replace(resolution_ns=RESOLUTION_NS, average_ns=averaged * _BLOCK_NS)
            times_ns[definition] = begun_ns + round(at * _BLOCK_NS)
        doubts[definition] = doubt
    if anew:
        onset = replace(
            onset,
            half_ns=times_ns.get(LightDefinition.HALF),
            ninety_ns=times_ns.get(LightDefinition.NINETY),
        )
    return LightReading(onset, reading.from_blocks or anew, doubts, refused, step)


def _level_doubt(
    rise: _Rise, limit: float, definition: LightDefinition
) -> tuple[float, LightDoubt] | None:
    """Return when blocks reach `limit`, and how far off that may be; None where nobody can say."""
    doubt = rise.ambient + _SHARE[definition] * rise.moved
    if limit + doubt >= rise.level or limit - doubt <= rise.base or isinf(rise.ripple):
        return None
    smooth = _smooth(rise.mean, rise.whole)
    begin = max(0, rise.first - 2 * rise.whole - _FRAME)
    part = smooth[begin : rise.span[1] - 2 * rise.whole + 2]
    within = _passed(part, limit - doubt, limit, limit + doubt)
    if within is None or within[1] > rise.longest:
        return None
    at, width = within
    ambient = width * rise.ambient / doubt if doubt else 0.0
    ripple_ns = rise.ripple * rise.slope_ns * _FLATTER[definition]
    # The middle of the blocks that are averaged.
    return begin + at + rise.whole - 0.5, LightDoubt(
        level_ns=round((width - ambient) * _BLOCK_NS + ripple_ns),
        ambient_ns=round(ambient * _BLOCK_NS),
    )


def _first_doubt(onset: LightOnset, rise: _Rise) -> LightDoubt | None:
    net = (onset.peak_counts or 0) - rise.base
    limit = rise.base + net / 10
    doubt = 1.1 * rise.peaks
    if limit - doubt <= rise.base or _SIGMAS * (onset.sigma_counts or 0.0) > net / 10:
        return None
    held = 1 + ceil(rise.period)
    part = rise.most[max(0, rise.first - held - _FRAME) : rise.span[1]]
    lit = np.lib.stride_tricks.sliding_window_view(part, held).max(axis=1)
    within = _passed(lit, limit - doubt, limit, limit + doubt)
    if within is None or within[1] > rise.longest:
        return None
    return LightDoubt(0, round(within[1] * _BLOCK_NS))


def _passed(values: Floats, low: float, limit: float, high: float) -> tuple[float, float] | None:
    """Return where values reach `limit`, and how far at most it is to `low` or `high`."""
    behind = np.flatnonzero(values <= high)
    if not len(behind) or behind[-1] + 1 >= len(values):
        return None
    at = _reached(values, limit)
    begin = _reached(values, low)
    last = int(behind[-1])
    end = last + (high - values[last]) / (values[last + 1] - values[last])
    return at, max(at - begin, float(end) - at)


def _reached(values: Floats, limit: float) -> float:
    """Return where values first reach a limit, between two of them."""
    at = int(np.argmax(values >= limit))
    if at == 0:
        return 0.0
    return at - 1 + float((limit - values[at - 1]) / (values[at] - values[at - 1]))
