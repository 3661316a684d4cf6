"""What stored blocks of 1 ms show of an onset of light, and how far each of its moments may be off.

A board times the light at its full rate and keeps little of it; the blocks have the whole
recording. `onset_of_blocks` stands in for a board that reports no onset, `light_reading` adds the
doubts. docs/explanation/light.md has definitions and terms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, inf, isinf
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.cycles.light import LightReading, largest_step
from resume_rig.model.edge import LightBlock
from resume_rig.model.light import LightColumns, LightOnset, OnsetState
from resume_rig.timing.light_budget import HALF_MOVED, LightDefinition, LightDoubt

# As long as the board looks before the light, and at settled light (RIG_ONSET_SETTLE_MIN_NS).
BASELINE_BLOCKS = 100
SETTLED_BLOCKS = 200
_BLOCK_NS = 1_000_000
# A moment is good to a whole block, so that its neighbours are two blocks from each other.
RESOLUTION_NS = 2 * _BLOCK_NS
# Three blocks within ten, as the board wants three samples within 10 ms: a spark is no light.
_CONFIRMED, _WITHIN = 3, 10
# As the board decides (firmware/core/rig_onset.c).
_SETTLED_SHARE = 1 / 16
_NOISE_SIGMAS = 8
_LEAST_SIGMA = 0.5  # counts are whole numbers


class BlockTable(NamedTuple):
    """Blocks of one recording, a column each: board clock, mean and greatest counts."""

    t_ns: NDArray[np.int64]
    mean: NDArray[np.float64]
    most: NDArray[np.float64]


def table_of(blocks: Sequence[LightBlock]) -> BlockTable:
    """Return blocks as columns."""
    columns = LightColumns.of(blocks).columns
    return BlockTable(
        np.array(columns.t_ns, dtype=np.int64),
        np.array(columns.mean, dtype=np.float64),
        np.array(columns.maximum, dtype=np.float64),
    )


def onset_of_blocks(table: BlockTable, full_scale: int | None = None) -> LightOnset:
    """Return what blocks show of the onset; its state names what they cannot show.

    The first 100 blocks are the baseline, the last 200 the settled level.

    Args:
        table: of one recording.
        full_scale: counts from which on the converter is at its end; None where not reported.
    """
    unfit = _unfit(table)
    if unfit is not None:
        return LightOnset(unfit)
    t_ns, mean, most = table
    base = float(mean[:BASELINE_BLOCKS].mean())
    sigma = max(float(mean[:BASELINE_BLOCKS].std()), _LEAST_SIGMA)
    noise = float(most[:BASELINE_BLOCKS].max()) - base
    limit = base + max(_NOISE_SIGMAS * sigma, noise, 0.1 * (float(mean.max()) - base))
    first = first_above(mean, limit)
    if first is None or first < BASELINE_BLOCKS:
        return LightOnset(OnsetState.NO_LIGHT if first is None else OnsetState.NO_BASELINE)
    level = float(mean[-SETTLED_BLOCKS:].mean())
    peak = int(most.max())
    state = _state(mean, first, base, level)
    if full_scale is not None and peak >= full_scale:
        state = OnsetState.SATURATED
    onset = LightOnset(
        state,
        first_ns=_crossing_ns(t_ns, mean, limit, first),
        resolution_ns=RESOLUTION_NS,
        base_counts=base,
        sigma_counts=sigma,
        peak_counts=peak,
    )
    if state is not OnsetState.OK:
        return onset
    half, ninety = (base + share * (level - base) for share in (0.5, 0.9))
    return replace(
        onset,
        half_ns=_crossing_ns(t_ns, mean, half, _at_or_after(mean, half, first)),
        ninety_ns=_crossing_ns(t_ns, mean, ninety, _at_or_after(mean, ninety, first)),
        level_counts=level,
    )


def _unfit(table: BlockTable) -> OnsetState | None:
    """Return why blocks cannot be looked at; None where they can."""
    if not len(table.t_ns):
        return OnsetState.IDLE
    if len(table.t_ns) < BASELINE_BLOCKS + SETTLED_BLOCKS or _moved(table.mean[:BASELINE_BLOCKS]):
        return OnsetState.NO_BASELINE
    return OnsetState.LOST if np.diff(table.t_ns).max() > 3 * _BLOCK_NS // 2 else None


def _moved(base: NDArray[np.float64]) -> bool:
    """Return whether the two halves of a baseline differ by more than noise, block to block."""
    noise = max(float(np.diff(base).std()), _LEAST_SIGMA)
    halves = base.reshape(2, -1).mean(axis=1)
    return bool(abs(halves[1] - halves[0]) > _NOISE_SIGMAS * noise)


def first_above(values: NDArray[np.float64], limit: float) -> int | None:
    """Return the first block above `limit` that two others follow soon; None without one."""
    above = np.flatnonzero(values > limit)
    for index in range(len(above) - _CONFIRMED + 1):
        if above[index + _CONFIRMED - 1] - above[index] < _WITHIN:
            return int(above[index])
    return None


def _state(mean: NDArray[np.float64], first: int, base: float, level: float) -> OnsetState:
    """Return whether the last blocks show a level that holds still."""
    if len(mean) - first < 2 * SETTLED_BLOCKS:
        return OnsetState.NOT_SETTLED
    allowed = _SETTLED_SHARE * (level - base)
    settled = mean[-SETTLED_BLOCKS:]
    quarters = settled.reshape(4, -1).mean(axis=1)
    if np.ptp(quarters) > allowed or np.ptp(settled) > 2 * allowed:
        return OnsetState.UNSTABLE
    return OnsetState.OK


def _at_or_after(values: NDArray[np.float64], limit: float, first: int) -> int:
    """Return the first block from `first` on that reaches `limit`; a settled level does."""
    return first + int(np.argmax(values[first:] >= limit))


def _crossing_ns(
    t_ns: NDArray[np.int64], values: NDArray[np.float64], limit: float, at: int
) -> int:
    """Return when the means crossed `limit` on the way to block `at`, between block middles."""
    middle_ns = int(t_ns[at]) + _BLOCK_NS // 2
    if at == 0 or values[at] <= values[at - 1]:
        return middle_ns
    share = float((values[at] - limit) / (values[at] - values[at - 1]))
    share = min(1.0, max(0.0, share))
    return middle_ns - round(share * _BLOCK_NS)


# As the board decides (firmware/core/rig_onset.c): sigmas of the first light, windows that agree.
_SIGMAS: Final = 8
_WINDOW: Final = 200
_SPAN: Final = 1_000
_AGREE: Final = 1 / 16
# Whole periods of lamps at 50, 60, 100 and 120 Hz.
_FRAME: Final = 50
# A level that a fade passes slowly lies in the last blocks before the first light, too. Assumed.
_NEAR: Final = 100
# An average over blocks hides a PWM when it leaves so little of the level. Found with seeds 7, 8
# and 101 of benchmarks/light_onset.py panels (docs/explanation/light.md), as are _BEATS,
# _SAMPLES_OFF.
_LEFT: Final = 0.01
# Averages that are tried beyond the shortest. Assumed: decides how slow a beat can be hidden.
_MOST_BLOCKS: Final = 50
# Blocks in which a fast PWM has whole periods but for so much of the level; a beat with the samples
# that is faster than they are long shows in part.
_BEATS: Final = 10
# Assumed: decides over how many blocks a beat is averaged, 1 to 10.
_CUT: Final = 0.03
# Assumed, by the worst phase of a beat; decides the bound of t_50 and t_90 under such a PWM.
_BEATS_MORE: Final = 1.5
# Samples that a moving average has too many or too few at the two ends of light parts.
_SAMPLES_OFF: Final = 2
# Half a light part is passed in d = t_90 - t_50 as 0.4 of it; an exponential fade is 2.5 times as
# flat at 90 % as between the two.
_FLATTER: Final = {LightDefinition.HALF: 1.0, LightDefinition.NINETY: 2.5}
# A gamma of 2.2 is so many times as flat at 10 % as between there and 50 %; S-shaped: 1.4.
_FLATTER_FIRST: Final = 1.7
# So many lengths of an average before and after a crossing an edge is over; one that brings less of
# the light moves a crossing by less than other terms (both assumed).
_SIDES: Final = 1.5
_QUICK: Final = 0.25
# By definition (docs/explanation/light.md).
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
        onset: as the board reported it; None where it reported none.
        table: the blocks of the same recording.
        full_scale: counts from which on the converter is at its end; None where not reported.
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


def _ripple(onset: LightOnset, net: float, settled: Floats, own_ripple: float) -> float:
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
        swing = float(np.abs(_averaged(settled, count) - net).max()) - own_ripple
        ripple = max(ripple, _BEATS_MORE * swing / net)
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


def _doubted(reading: LightReading, rise: _Rise, begun_ns: int) -> LightReading:
    onset = reading.onset
    doubts: dict[LightDefinition, LightDoubt] = {}
    refused: dict[LightDefinition, str] = {}
    step = largest_step(rise.mean, rise.base, rise.level, (rise.first, rise.span[0]), rise.ambient)
    low, high = (rise.base, rise.level) if step is None else step.levels
    # Blocks of the board's moving average hold no whole periods of a PWM; those of `whole` do.
    anew = step is not None or (rise.period > 0 and _is_of_blocks(onset))
    averaged_ns = (2 * rise.whole if rise.period else 1) * _BLOCK_NS
    first = _first_doubt(onset, rise, one_rise=step is None)
    if first is None:
        refused[LightDefinition.FIRST] = _LAMPS.format("the first tenth of the light")
    else:
        doubts[LightDefinition.FIRST] = first._replace(average_ns=averaged_ns) if anew else first
    times_ns: dict[LightDefinition, int] = {}
    for definition, share in _SHARE.items():
        found = _level_doubt(rise, low + share * (high - low), definition)
        if found is None:
            refused[definition] = _LAMPS.format(f"{share:.0%} of the light")
            continue
        at, doubt = found
        if definition is LightDefinition.HALF:
            length = averaged_ns / _BLOCK_NS if anew else max(1.0, rise.period)
            uneven_ns = _uneven(rise, at, low + share * (high - low)) * length * _BLOCK_NS
            doubt = doubt._replace(level_ns=doubt.level_ns + round(uneven_ns))
        if anew:
            doubt = doubt._replace(resolution_ns=RESOLUTION_NS, average_ns=averaged_ns)
            times_ns[definition] = begun_ns + round(at * _BLOCK_NS)
        doubts[definition] = doubt
    if anew:
        # The board's own moments are those of blocks in which the PWM beats.
        rise = rise._replace(slope_ns=_slope_ns(times_ns, rise, high - low))
        onset = replace(
            onset,
            half_ns=times_ns.get(LightDefinition.HALF),
            ninety_ns=times_ns.get(LightDefinition.NINETY),
        )
    for definition in _SHARE:
        if definition in doubts:
            ripple_ns = round(rise.ripple * rise.slope_ns * _FLATTER[definition])
            doubt = doubts[definition]
            doubts[definition] = doubt._replace(level_ns=doubt.level_ns + ripple_ns)
    return LightReading(onset, reading.from_blocks or anew, doubts, refused, step)


def _slope_ns(times_ns: Mapping[LightDefinition, int], rise: _Rise, step: float) -> float:
    """Return the time in which the light would rise to its level, by its new moments.

    Args:
        times_ns: of those that have one.
        rise: of the recording.
        step: counts of which these moments are shares.
    """
    half_ns, ninety_ns = (times_ns.get(each) for each in _SHARE)
    if half_ns is None or ninety_ns is None:
        return rise.slope_ns
    return (ninety_ns - half_ns) / 0.4 * (rise.level - rise.base) / step


def _level_doubt(
    rise: _Rise, limit: float, definition: LightDefinition
) -> tuple[float, LightDoubt] | None:
    """Return when blocks reach `limit`, and how far off that may be; None where that is not known.

    The ripple of a PWM is not in it.
    """
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
    # The middle of the blocks that are averaged.
    return begin + at + rise.whole - 0.5, LightDoubt(
        level_ns=round((width - ambient) * _BLOCK_NS),
        ambient_ns=round(ambient * _BLOCK_NS),
    )


def _uneven(rise: _Rise, at: float, limit: float) -> float:
    """Return by what share of its length an average moves `t_50` more than that of any one rise.

    The light of something else may stand before the panel's, and not for long enough to be a step
    of its own. So where an edge is passed at a share s of it, its average passes there by s - 1/2
    of its length away from it.
    """
    middle = at - rise.whole + 0.5
    smooth = _smooth(rise.mean, rise.whole)
    sides = np.array([-_SIDES, _SIDES]) * (2 * rise.whole if rise.period else 1)
    below, above = np.interp(middle + sides, np.arange(len(smooth)), smooth)
    if above - below < _QUICK * (rise.level - rise.base):
        return 0.0
    share = min(max(float((limit - below) / (above - below)), 0.0), 1.0)
    return max(abs(share - 0.5) - HALF_MOVED, 0.0)


def _first_doubt(onset: LightOnset, rise: _Rise, *, one_rise: bool) -> LightDoubt | None:
    """Return how far the first tenth may be off; None where lamps or noise hide it."""
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
    width = within[1]
    if width > 1:
        width += 1  # where in their blocks the two levels are passed does not show
    if rise.period and one_rise:
        # Blocks of a PWM pass levels in stairs, whose steps may hide how flat the rise is.
        late = ((onset.half_ns or 0) - (onset.first_ns or 0)) / _BLOCK_NS
        width = max(width, _FLATTER_FIRST * doubt / net / 0.4 * late)
    return LightDoubt(0, round(width * _BLOCK_NS))


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
