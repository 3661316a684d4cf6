"""Light that comes in steps: a keyboard, a logo or a glow first, the panel later."""

from typing import Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

# Two periods of 100 Hz, one of 50 Hz; at 60 and 120 Hz a sixth of the flicker is left.
_AVERAGED: Final = 20
_LAMP_LEFT: Final = 0.3
# Whole periods of all four, for lamps of which that would hide a slow fade.
_LAMPS_AVERAGED: Final = 50
# Light that rests for so long between two rises, moving by so little of the whole, rests. A fade
# of 1 s moves by 2.5 % in that time.
_RESTS: Final = 25
_MOVES: Final = 0.006
# Shares of the whole rise between which a rest parts two steps.
_LEAST, _MOST = 0.03, 0.8


class Step(NamedTuple):
    """The largest of several steps.

    Attributes:
        levels: counts before and after it.
        steps: in all.
        before: share of the whole rise that came before it.
    """

    levels: tuple[float, float]
    steps: int
    before: float


def largest_step(
    mean: NDArray[np.float64],
    base: float,
    level: float,
    rising: tuple[int, int],
    ambient: float,
) -> Step | None:
    """Return the largest step of a rise; None where the light rose in one.

    Args:
        mean: of blocks of 1 ms, counts.
        base: counts before all steps.
        level: counts after them.
        rising: first block of the rise, and behind its last.
        ambient: half-width of what is no light of the panel, counts.
    """
    net = level - base
    begin, end = rising
    part = (mean[begin:end] - base) / net
    averaged, left = _AVERAGED, _LAMP_LEFT * ambient / net
    if left > _MOVES / 2:
        averaged, left = _LAMPS_AVERAGED, 0.0
    if len(part) < averaged + _RESTS:
        return None
    smooth = sliding_window_view(part, averaged).mean(axis=1)
    held = sliding_window_view(smooth, _RESTS)
    allowed = _MOVES + left
    rests = np.ptp(held, axis=1) <= allowed
    inside = (held[:, 0] > _LEAST) & (held[:, 0] < _MOST)
    levels = [0.0]
    for first, last in _runs(rests & inside):
        values = smooth[first : last + _RESTS]
        # A slow fade may seem to rest everywhere, and moves all the same.
        if np.ptp(values) <= 2 * allowed:
            levels.append(float(np.median(values)))
    levels.append(1.0)
    if len(levels) == 2:
        return None
    at = int(np.argmax(np.diff(levels)))
    counts = base + levels[at] * net, base + levels[at + 1] * net
    return Step(counts, len(levels) - 1, levels[at])


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first and last place of each run of True."""
    edges = np.diff(np.concatenate(([0], flags.astype(np.int8), [0])))
    firsts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return [(int(first), int(end) - 1) for first, end in zip(firsts, ends, strict=True)]
