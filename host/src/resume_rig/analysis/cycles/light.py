"""Which moments of light a wake has, by which definition and in how many steps."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from resume_rig.analysis.cycles.moments import Sleep, Wires
from resume_rig.model.channel import Channel
from resume_rig.model.light import LightBasis, LightOnset, OnsetState
from resume_rig.timing.edge_uncertainty import Moment
from resume_rig.timing.light_budget import LightDefinition, LightDoubt, light_end_of

# Two periods of 100 Hz, one of 50 Hz; at 60 and 120 Hz a sixth of the flicker is left. In blocks
# (assumed).
_AVERAGED: Final = 20
# What the average leaves of the ambient light is taken for so much of it. Assumed: decides from
# which lamp on the longer average is used, and how still light must rest under a weaker one.
_LAMP_LEFT: Final = 0.3
# Whole periods of all four, for lamps of which that would hide a slow fade (seeds 7, 8 and 101 of
# benchmarks/light_onset.py panels).
_LAMPS_AVERAGED: Final = 50
# Light that rests for so long between two rises, moving by so little of the whole, rests. A fade
# of 1 s moves by 2.5 % in that time. Assumed, as are the shares below; they decide what are steps.
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


_WHY_NOT_TIMED = {
    OnsetState.IDLE: "nothing was recorded",
    OnsetState.DARK: "no light had come when it was read, and the recording was not over",
    OnsetState.RISING: "its level had not settled when it was read",
    OnsetState.OK: "it has no moment of 50 %",
    OnsetState.NO_LIGHT: "no light came while it was recorded",
    OnsetState.NOT_SETTLED: "the recording ended before its level had settled",
    OnsetState.UNSTABLE: "its level moved, or flickered without a period",
    OnsetState.SATURATED: "the converter was at the end of its range",
    OnsetState.NO_BASELINE: "its baseline was cut short, or not dark",
    OnsetState.LOST: "samples were lost",
}


_NO_DOUBTS: Final[Mapping[LightDefinition, LightDoubt]] = MappingProxyType({})
_NOT_REFUSED: Final[Mapping[LightDefinition, str]] = MappingProxyType({})


class LightReading(NamedTuple):
    """What the photodiode shows of a cycle.

    Attributes:
        onset: by the board, or from blocks.
        from_blocks: from stored blocks of 1 ms, where the board reported no onset.
        doubts: how far its moments may be off, where blocks show it.
        refused: of each moment that has no bound, why not.
        step: the largest one, where the light came in several; t_50 and t_90 are those of it.
    """

    onset: LightOnset
    from_blocks: bool = False
    doubts: Mapping[LightDefinition, LightDoubt] = _NO_DOUBTS
    refused: Mapping[LightDefinition, str] = _NOT_REFUSED
    step: Step | None = None

    @property
    def basis(self) -> LightBasis:
        """What its t_50 is."""
        if self.step is not None:
            return LightBasis.LARGEST_STEP
        return LightBasis.BLOCKS if self.from_blocks else LightBasis.HALF


class WakeLight(NamedTuple):
    """The light of a wake.

    Attributes:
        main: what `press_to_light_ns` ends at: t_50, else the comparator's edge; None without.
        basis: what `main` is.
        first, ninety: t_first and t_90; None where they are not known.
        came: light was detected in the wake, timed or not.
        already: it was there when the wake began, so that no edge is the first light.
        missed: an edge of BACKLIGHT may be missing before the first that was observed.
        why_not: why a moment is not timed; None where all are, or no recording was made.
    """

    main: Moment | None
    basis: LightBasis | None
    first: Moment | None
    ninety: Moment | None
    came: bool
    already: bool
    missed: bool
    why_not: str | None


def wake_light(
    wires: Wires, sleep: Sleep, end_ns: float, reading: LightReading | None
) -> WakeLight:
    """Return the light of the wake that ended `sleep`; its edges come before `end_ns`."""
    line = wires.of(Channel.BACKLIGHT)
    from_ns = sleep.wake_from_ns
    rises = line.times_to(1, from_ns, end_ns)
    rise_ns = rises[0].t_ns if rises else None
    already = sleep.by_power and line.level(from_ns) == 1
    missed = line.missed(1, from_ns, end_ns if rise_ns is None else rise_ns)
    main = None
    if rise_ns is not None and not already and not missed:
        main = Moment(Channel.BACKLIGHT, rise_ns)
    basis = None if main is None else LightBasis.COMPARATOR
    came = rise_ns is not None or already or missed
    if reading is None:
        return WakeLight(main, basis, None, None, came, already, missed, None)
    half, first, ninety, why_not = _of_onset(reading, from_ns, end_ns)
    if half is not None:
        main, basis = half, reading.basis
    came = came or first is not None or half is not None
    return WakeLight(main, basis, first, ninety, came, already, missed, why_not)


_Moments = tuple[Moment | None, Moment | None, Moment | None, str | None]


def _of_onset(reading: LightReading, from_ns: float, end_ns: float) -> _Moments:
    """Return t_50, t_first, t_90, and why one of them is not timed."""
    onset = reading.onset
    times_ns = [t for t in (onset.first_ns, onset.half_ns, onset.ninety_ns) if t is not None]
    if not all(from_ns <= t_ns < end_ns for t_ns in times_ns):
        return None, None, None, "it came on before the wake, or after it"
    first = _moment(reading, LightDefinition.FIRST, onset.first_ns)
    if onset.state is not OnsetState.OK:
        return None, first, None, _WHY_NOT_TIMED[onset.state]
    half = _moment(reading, LightDefinition.HALF, onset.half_ns)
    ninety = _moment(reading, LightDefinition.NINETY, onset.ninety_ns)
    refused = [f"{name.value}, {why}" for name, why in reading.refused.items()]
    if half is None and not refused:
        refused = [_WHY_NOT_TIMED[onset.state]]
    return half, first, ninety, "; ".join(refused) or None


def _moment(reading: LightReading, definition: LightDefinition, t_ns: int | None) -> Moment | None:
    if t_ns is None or definition in reading.refused:
        return None
    light = light_end_of(reading.onset, definition, reading.doubts.get(definition))
    return Moment(Channel.BACKLIGHT, t_ns, True, light)
