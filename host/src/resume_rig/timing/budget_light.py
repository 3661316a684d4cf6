"""The terms of a moment of light: sampling, amplifier, settled level, phase of the PWM."""

from collections.abc import Iterator
from enum import StrEnum, unique
from math import ceil, log2, sqrt
from typing import Final, NamedTuple

from resume_rig.model.budget import BudgetRow, Distribution, Evaluation, Scope
from resume_rig.model.coverage import SQRT_3
from resume_rig.model.front_end import FrontEnd, PathDelay
from resume_rig.model.light import LightOnset
from resume_rig.timing.budget_terms import FIXED, even_row

# Of converter and amplifier: 7 us by simulation, less the sampling at 50 kS/s that is in it, as
# that has a row of its own (20 us / sqrt(12)).
_NOISE_STANDARD_NS: Final = 4_000
_NOISE_SIGMAS: Final = 3
# The quarters of a settled span differ by 1/16 at most, so none is further from their mean.
_DRIFT: Final = 0.05
# LED drivers start within 1 to 10 ms; taken where an onset does not tell.
LONGEST_RAMP_NS: Final = 10_000_000
_STEPS_AN_OCTAVE: Final = 16
_DUTY_STEPS: Final = 64

_EXPLAINED: Final = "docs/explanation/light.md"


@unique
class LightDefinition(StrEnum):
    """Which moment of an onset an interval ends at."""

    # That of Enum is Python and takes ten times as long.
    __hash__ = str.__hash__

    FIRST = "t_first"
    HALF = "t_50"
    NINETY = "t_90"


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


class LightEnd(NamedTuple):
    """What is known of one moment of an onset, beside the moment.

    Attributes:
        resolution_ns: distance of the points that it is interpolated between.
        ramp_ns: how long the light rises.
        pwm_half_ns: half of the PWM's dark time, (1 - D) T / 2; 0 for DC.
        duty: of the PWM, 0 to 1; 1.0 for DC, and where it is not known.
    """

    definition: LightDefinition
    resolution_ns: int
    ramp_ns: int = LONGEST_RAMP_NS
    pwm_half_ns: int = 0
    duty: float = 1.0


def light_end_of(onset: LightOnset, definition: LightDefinition) -> LightEnd:
    """Return what an onset says of one of its moments; the longest ramp where it tells none.

    Ramp and PWM are rounded up, by less than 5 %, and the duty to 1/64: what differs by so little
    has the same uncertainty, so that a campaign has few kinds of onsets.
    """
    ramp_ns = LONGEST_RAMP_NS
    if onset.first_ns is not None and onset.ninety_ns is not None:
        share = _LEVEL[LightDefinition.NINETY] - _LEVEL[LightDefinition.FIRST]
        ramp_ns = _stepped_up((onset.ninety_ns - onset.first_ns) / share)
    return LightEnd(
        definition,
        onset.resolution_ns or 0,
        ramp_ns,
        # The board states (1 - D) T / sqrt(12).
        _stepped_up((onset.pwm_uncertainty_ns or 0) * SQRT_3),
        1.0 if onset.duty is None else round(onset.duty * _DUTY_STEPS) / _DUTY_STEPS,
    )


def light_delay_ns(light: LightEnd, front_end: FrontEnd | None) -> int:
    """Return what is to be subtracted from a moment of light: the amplifier's delay."""
    delay = _delay(light, front_end)
    return 0 if delay is None else delay.value_ns


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
        yield _amplifier_row(name, delay, front_end.source)
    drift_ns = ceil(light.ramp_ns * _LEVEL[light.definition] * _DRIFT)
    settled = f"settled level at {name}, ramp {light.ramp_ns / 1e6:.2f} ms"
    # A panel's backlight comes up alike each time.
    yield even_row(settled, _EXPLAINED, drift_ns, scope=Scope.CAMPAIGN, group=settled)
    # The wait for the PWM's light part belongs to the first light itself.
    if light.definition is not LightDefinition.FIRST:
        yield _phase_row(light)


def _delay(light: LightEnd, front_end: FrontEnd | None) -> PathDelay | None:
    return None if front_end is None else front_end.named(_PATH[light.definition])


def _amplifier_row(name: str, delay: PathDelay, source: str) -> BudgetRow:
    return BudgetRow(
        f"amplifier at {name}",
        f"{source}: {delay.path}; {delay.origin}",
        Evaluation.B,
        delay.distribution,
        delay.half_width_ns,
        delay.standard_ns,
        group=f"{FIXED}amplifier at {name}",
        correction_ns=delay.value_ns,
        scope=Scope.RIG,
    )


def _phase_row(light: LightEnd) -> BudgetRow:
    """An enable in the light part (probability D) errs by the whole half, else evenly."""
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
