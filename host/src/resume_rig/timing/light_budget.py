"""The terms of a moment of light: sampling, amplifier, level, ambient light, average, PWM.

docs/explanation/light.md has each term and its origin.
"""

from collections.abc import Iterator
from enum import StrEnum, unique
from math import ceil, floor, log2, sqrt
from typing import Final, NamedTuple

from resume_rig.model.budget import BudgetRow, Distribution, Evaluation, Scope
from resume_rig.model.front_end import FrontEnd, PathDelay
from resume_rig.model.light import LightOnset
from resume_rig.model.quantity import SQRT_3
from resume_rig.timing.budget import delay_row, even_row

# Of converter and amplifier: 7 us by simulation, less the sampling at 50 kS/s that is in it, as
# that has a row of its own (20 us / sqrt(12)).
_NOISE_STANDARD_NS: Final = 4_000
# 99.7 % of normal noise.
_NOISE_SIGMAS: Final = 3
# The quarters of a settled span differ by 1/16 at most, so none is further from their mean.
_DRIFT: Final = 0.05
# LED drivers start within 1 to 10 ms (docs/explanation/light.md); where no onset shows the ramp.
LONGEST_RAMP_NS: Final = 10_000_000
# Widths are rounded up, by 4.4 % at most, so that coverage factors are found again. Assumed.
_STEPS_AN_OCTAVE: Final = 16
# Likewise of the duty. Assumed.
_DUTY_STEPS: Final = 64
# The board averages over whole PWM periods, 1 ms or more but for 1/64 (rig_onset_decide.c).
_AVERAGE_NS: Final = 1_000_000
_AVERAGE_LEAST_NS: Final = _AVERAGE_NS * 63 // 64
# By how much of its length a moving average moves the crossing of 50 % and of 90 %, at most, and
# by how much of length^2 / (t_90 - t_50): of steps and of linear, exponential, S-shaped and
# gamma fades of any length, worked out by `benchmarks/light_onset.py average`.
HALF_MOVED: Final = 0.08
"""By how much of its length a moving average moves `t_50` of any one rise, at most."""
_NINETY_MOVED: Final = 0.4
_NINETY_CURVED: Final = 0.16
_NINETY_EARLY: Final = 0.015
# From 10 % to 50 % a fade takes so many times as long as from 10 % to 20 %, or longer: of gamma
# 2.2, which begins the flattest (linear: 4, S-shaped: 3.3, exponential: 5).
_HALF_OVER_FIFTH: Final = 2.9
# Where no blocks show the ambient light: a lamp's flicker, as a sine, reaches sqrt(2) sigma, and
# 99.7 % of normal samples 3.
_LAMP_SIGMAS: Final = 1.5
_SAMPLE_SIGMAS: Final = 3.0

_EXPLAINED: Final = "docs/explanation/light.md"


@unique
class LightDefinition(StrEnum):
    """Which moment of an onset an interval ends at."""

    # That of Enum is Python and takes ten times as long.
    __hash__ = str.__hash__

    FIRST = "t_first"
    HALF = "t_50"
    NINETY = "t_90"


# By definition (docs/explanation/light.md).
_LEVEL: Final = {
    LightDefinition.FIRST: 0.1,
    LightDefinition.HALF: 0.5,
    LightDefinition.NINETY: 0.9,
}
_PATH: Final = {
    LightDefinition.FIRST: "photodiode-t10",
    LightDefinition.HALF: "photodiode-t50",
    LightDefinition.NINETY: "photodiode-t90",
}


class LightDoubt(NamedTuple):
    """How far one moment may be off by what the recording's blocks show.

    Attributes:
        level_ns: by the settled level that moved. ambient_ns: by lamps, daylight and noise.
        resolution_ns, average_ns: where the moment is taken from blocks: their distance, and the
            length of the moving average; None where it is the board's.
    """

    level_ns: int
    ambient_ns: int
    resolution_ns: int | None = None
    average_ns: int | None = None


class LightEnd(NamedTuple):
    """What is known of one moment of an onset, but for the moment itself.

    Attributes:
        resolution_ns: distance of the points that it is interpolated between.
        ramp_ns: how long the light rises.
        pwm_half_ns: half of the PWM's dark time, (1 - D) T / 2; 0 for DC.
        duty: of the PWM, 0 to 1; 1.0 for DC, and where it is not known.
        level_ns: by how much the settled level moves it; None: by 5 % of the level on the ramp.
        ambient_ns: by how much lamps, daylight and noise move it.
        average_ns: by how much the moving average moves it, in addition to `late_ns`.
        late_ns: how late it is as a rule: is subtracted from it.
    """

    definition: LightDefinition
    resolution_ns: int
    ramp_ns: int = LONGEST_RAMP_NS
    pwm_half_ns: int = 0
    duty: float = 1.0
    level_ns: int | None = None
    ambient_ns: int = 0
    average_ns: int = 0
    late_ns: int = 0


def light_end_of(
    onset: LightOnset, definition: LightDefinition, doubt: LightDoubt | None = None
) -> LightEnd:
    """Return what an onset shows of one of its moments; the longest ramp where it shows none.

    Widths are rounded up, by less than 5 %, and the duty to 1/64: what differs by so little has
    the same uncertainty, so that a campaign has few kinds of onsets.

    Args:
        onset: of the recording.
        definition: which of its moments.
        doubt: what the recording's blocks show of that moment; None where there are none.
    """
    ramp_ns = LONGEST_RAMP_NS
    if onset.first_ns is not None and onset.ninety_ns is not None:
        share = _LEVEL[LightDefinition.NINETY] - _LEVEL[LightDefinition.FIRST]
        ramp_ns = _stepped_up((onset.ninety_ns - onset.first_ns) / share)
    # The board states (1 - D) T / sqrt(12).
    dark_half_ns = _stepped_up((onset.pwm_uncertainty_ns or 0) * SQRT_3)
    resolution_ns = onset.resolution_ns or 0
    if doubt is None:
        level_ns, ambient_ns = None, _ambient_ns(onset, definition, ramp_ns)
    else:
        level_ns, ambient_ns = _stepped_up(doubt.level_ns), _stepped_up(doubt.ambient_ns)
        resolution_ns = resolution_ns if doubt.resolution_ns is None else doubt.resolution_ns
    average_ns, late_ns = _averaging_ns(onset, definition, dark_half_ns, doubt)
    return LightEnd(
        definition,
        resolution_ns,
        ramp_ns,
        dark_half_ns,
        1.0 if onset.duty is None else round(onset.duty * _DUTY_STEPS) / _DUTY_STEPS,
        level_ns,
        ambient_ns,
        average_ns,
        late_ns,
    )


def _ambient_ns(onset: LightOnset, definition: LightDefinition, ramp_ns: int) -> int:
    """Return the half-width by sigma of the baseline alone, on a ramp that is even."""
    base, level, sigma = onset.base_counts, onset.level_counts, onset.sigma_counts
    if base is None or level is None or sigma is None or level <= base:
        return 0
    sigmas = _SAMPLE_SIGMAS if definition is LightDefinition.FIRST else _LAMP_SIGMAS
    return _stepped_up(sigmas * sigma / (level - base) * ramp_ns)


def _missed_ns(onset: LightOnset) -> int:
    """Return by how much the first light may come later because samples missed light parts.

    One shorter than two samples can be missed, and the next one, too: half of two periods.
    """
    if not onset.pwm_hz or onset.duty is None or onset.resolution_ns is None:
        return 0
    period_ns = 1e9 / onset.pwm_hz
    return _stepped_up(period_ns) if onset.duty * period_ns < 2 * onset.resolution_ns else 0


def _edges_ns(onset: LightOnset, dark_half_ns: int, doubt: LightDoubt | None) -> int:
    """Return half of how much longer than the dark time the wait for a tenth may be.

    D counts at half height, so edges of length S, S <= (1 - D) T, leave D T - S at full height. A
    fade still at a tenth needs that height: it waits (1 - D) T + S, <= 2 (1 - D) T and <= T. One at
    a fifth after (1 - D) T needs half height: (1 - D) T; a slower one has t_50 2.9 times as late.
    """
    if not onset.pwm_hz:
        return 0
    dark_ns = 2 * dark_half_ns
    if onset.half_ns is not None and onset.first_ns is not None:
        # How early t_50 may be, how late t_first.
        lit_ns = _average_length_ns(onset, doubt) - dark_ns
        early_ns = dark_half_ns + HALF_MOVED * max(0.0, lit_ns) + _points_ns(onset, doubt)
        slow_ns = (_HALF_OVER_FIFTH - 2) * dark_ns - early_ns
        if onset.half_ns - onset.first_ns < slow_ns:
            return 0
    return _stepped_up(min(dark_half_ns, max(0.0, 0.5e9 / onset.pwm_hz - dark_half_ns)))


def _average_length_ns(onset: LightOnset, doubt: LightDoubt | None) -> float:
    """Return over how long the moving average goes that t_50 and t_90 are taken from."""
    if doubt is not None and doubt.average_ns is not None:
        return doubt.average_ns
    if not onset.pwm_hz:
        return _AVERAGE_NS
    return _periods(onset.pwm_hz) * 1e9 / onset.pwm_hz


def _periods(pwm_hz: float) -> int:
    """Return how many periods the board averages over."""
    return max(1, ceil(_AVERAGE_LEAST_NS * pwm_hz / 1e9))


def _points_ns(onset: LightOnset, doubt: LightDoubt | None) -> int:
    """Return the distance of the points that t_50 and t_90 lie between."""
    if doubt is not None and doubt.resolution_ns is not None:
        return doubt.resolution_ns
    return onset.resolution_ns or 0


def _averaging_ns(
    onset: LightOnset, definition: LightDefinition, dark_half_ns: int, doubt: LightDoubt | None
) -> tuple[int, int]:
    """Return how far the moving average moves a moment, and how late it makes it as a rule.

    A step that is averaged over B reaches 90 % 0.4 B late; a fade much longer than B does not
    come late. The first light is not averaged, but waits for the light part of the PWM.
    """
    if definition is LightDefinition.FIRST:
        longer_ns = _missed_ns(onset) + _edges_ns(onset, dark_half_ns, doubt)
        return longer_ns, dark_half_ns + longer_ns
    if onset.half_ns is None or onset.ninety_ns is None:
        return 0, 0
    # Of several periods a level may be reached at the end of a light part, or in the next.
    gap_ns = dark_half_ns if onset.pwm_hz and _periods(onset.pwm_hz) > 1 else 0
    length_ns, points_ns = _average_length_ns(onset, doubt), _points_ns(onset, doubt)
    # Only the light part of a period counts for the average.
    lit_ns = max(0.0, length_ns - 2 * dark_half_ns) if onset.pwm_hz else length_ns
    whole_ns = _stepped_down((onset.ninety_ns - onset.half_ns) / _NINETY_MOVED)
    rise_ns = _NINETY_MOVED * whole_ns - 2 * dark_half_ns
    if onset.ninety_ns - onset.half_ns < 2 * points_ns:
        rise_ns = 0  # as far as two points show, it is a step
    curved = lit_ns / max(rise_ns, _NINETY_MOVED * lit_ns) if lit_ns else 0.0
    if definition is LightDefinition.HALF:
        return _stepped_up(gap_ns + HALF_MOVED * min(1.0, curved) * lit_ns), 0
    most_ns = min(_NINETY_MOVED, _NINETY_CURVED * curved) * lit_ns
    if curved < 1:
        # Such a fade is moved by its curvature alone, one way or the other.
        return _stepped_up(gap_ns + most_ns), 0
    late_ns = _stepped_up(most_ns / 2)
    return _stepped_up(gap_ns + late_ns + _NINETY_EARLY * lit_ns), late_ns


def light_delay_ns(light: LightEnd, front_end: FrontEnd | None) -> int:
    """Return what is to be subtracted from a moment: the amplifier's delay, and the average's."""
    delay = _delay(light, front_end)
    return light.late_ns + (0 if delay is None else delay.value_ns)


def light_rows(light: LightEnd, front_end: FrontEnd | None) -> Iterator[BudgetRow]:
    """Yield the terms of a moment of light, named so that one onset has one error."""
    name = light.definition.value
    half_step_ns = -(-light.resolution_ns // 2)
    sampling = f"sampling of {name}"
    yield even_row(sampling, "the board's onset: resolution", half_step_ns, group=sampling)
    noise = f"noise of converter and amplifier at {name}"
    yield BudgetRow(
        noise,
        _EXPLAINED,
        Evaluation.B,
        Distribution.NORMAL,
        _NOISE_SIGMAS * _NOISE_STANDARD_NS,
        _NOISE_STANDARD_NS,
        group=noise,
    )
    delay = _delay(light, front_end)
    if front_end is not None and delay is not None:
        yield delay_row(f"amplifier at {name}", delay, front_end.source)
    yield _level_row(light)
    ambient = f"ambient light and noise at {name}"
    yield even_row(ambient, _EXPLAINED, light.ambient_ns, group=ambient)
    what = "edges of light parts, and light parts between samples"
    if light.definition is not LightDefinition.FIRST:
        what = "moving average"
    averaged = f"{what} at {name}"
    yield even_row(
        averaged,
        _EXPLAINED,
        light.average_ns,
        group=averaged,
        correction_ns=light.late_ns,
        scope=Scope.CAMPAIGN,
    )
    yield _phase_row(light)


def _delay(light: LightEnd, front_end: FrontEnd | None) -> PathDelay | None:
    return None if front_end is None else front_end.named(_PATH[light.definition])


def _level_row(light: LightEnd) -> BudgetRow:
    # A panel's backlight comes up in the same way each time.
    name = f"settled level at {light.definition.value}"
    if light.level_ns is not None:
        return even_row(name, _EXPLAINED, light.level_ns, group=name, scope=Scope.CAMPAIGN)
    drift_ns = ceil(light.ramp_ns * _LEVEL[light.definition] * _DRIFT)
    name = f"{name}, ramp {light.ramp_ns / 1e6:.2f} ms"
    return even_row(name, _EXPLAINED, drift_ns, group=name, scope=Scope.CAMPAIGN)


def _phase_row(light: LightEnd) -> BudgetRow:
    """An enable in the light part (probability D) errs by the whole half, else evenly.

    The first light is detected at once then, and else after a wait for the light part; half of
    the longest wait is in `late_ns`.
    """
    duty = min(max(light.duty, 0.0), 1.0)
    standard_ns = ceil(light.pwm_half_ns * sqrt((1 + 2 * duty) / 3))
    name = f"phase of the PWM, duty {duty:.2f}"
    return BudgetRow(
        name,
        _EXPLAINED,
        Evaluation.B,
        Distribution.PWM_PHASE,
        light.pwm_half_ns,
        min(standard_ns, light.pwm_half_ns),
        group=name,
        at_ends=duty,
    )


def _stepped_up(width_ns: float) -> int:
    """Round up to one of 16 steps an octave."""
    if width_ns < 1:
        return 0
    return ceil(2 ** (ceil(log2(width_ns) * _STEPS_AN_OCTAVE) / _STEPS_AN_OCTAVE))


def _stepped_down(width_ns: float) -> int:
    """Round down to one of half as many steps."""
    if width_ns < 1:
        return 0
    steps = _STEPS_AN_OCTAVE // 2
    return int(2 ** (floor(log2(width_ns) * steps) / steps))
