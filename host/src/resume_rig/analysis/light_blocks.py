"""An onset of light from stored blocks of 1 ms, for boards that look for none themselves.

The definitions are those of docs/explanation/light.md as far as blocks can carry them: a moment is
good to a whole block, and a backlight whose PWM is slower than the blocks has no t_50.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.edge import LightBlock
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.model.light_columns import LightColumns

BASELINE_BLOCKS = 100
SETTLED_BLOCKS = 200
_BLOCK_NS = 1_000_000
# A moment is good to a whole block, so that the points beside it are two apart.
RESOLUTION_NS = 2 * _BLOCK_NS
# Three blocks within ten, as the board wants three samples within 10 ms: a spark is no light.
_CONFIRMED, _WITHIN = 3, 10
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
    """Return what blocks say of the onset; its state names what they cannot say.

    The first 100 blocks are the baseline, the last 200 the settled level.

    Args:
        table: of one recording.
        full_scale: counts from which on the converter is at its end; None where nobody told.
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
