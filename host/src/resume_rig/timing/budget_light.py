"""The terms of an onset of light: sampling, amplifier, settled level, phase of the PWM."""

from collections.abc import Iterator
from math import ceil, log2, sqrt
from typing import Final

from resume_rig.model.budget import BudgetRow, Distribution, Evaluation
from resume_rig.model.coverage import SQRT_3
from resume_rig.model.front_end import FrontEnd, PathDelay
from resume_rig.model.light import LightDefinition
from resume_rig.model.moment import LightMoment
from resume_rig.timing.budget_terms import FIXED, even_row

# Of converter and amplifier: 7 us by simulation, less the sampling at 50 kS/s that is in it, as
# that has a row of its own (20 us / sqrt(12)).
_NOISE_STANDARD_NS: Final = 4_000
_NOISE_SIGMAS: Final = 3
# The quarters of a settled span differ by 1/16 at most, so none is further from their mean.
_DRIFT: Final = 0.05
# LED drivers start within 1 to 10 ms; taken where an onset does not tell.
LONGEST_RAMP_NS: Final = 10_000_000
# From 50 % to 90 % are two fifths of a ramp.
_RISE_SHARE: Final = 0.4
_STEPS_AN_OCTAVE: Final = 16
_DUTY_STEPS: Final = 64

_EXPLAINED: Final = "docs/explanation/light.md"
_LEVEL: Final = {LightDefinition.FIRST: 0.1, LightDefinition.NINETY: 0.9}
_PATH: Final = {
    LightDefinition.FIRST: "photodiode-t10",
    LightDefinition.HALF: "photodiode-t50",
    LightDefinition.NINETY: "photodiode-t90",
}


def kind_of(light: LightMoment) -> LightMoment:
    """Return a moment of light with its widths rounded up, by less than 5 %.

    What differs by so little has the same uncertainty; a campaign has few kinds of onsets then.
    """
    duty = None if light.duty is None else round(light.duty * _DUTY_STEPS) / _DUTY_STEPS
    return light._replace(
        pwm_uncertainty_ns=_stepped_up(light.pwm_uncertainty_ns),
        rise_ns=_stepped_up(light.rise_ns),
        duty=duty,
    )


def light_delay_ns(light: LightMoment, front_end: FrontEnd | None) -> int:
    """Return what is to be subtracted from a moment of light: the amplifier's delay."""
    delay = _delay(light, front_end)
    return 0 if delay is None else delay.value_ns


def light_rows(light: LightMoment, front_end: FrontEnd | None) -> Iterator[BudgetRow]:
    """Yield the terms of a moment of light, named so that one onset has one error."""
    name = light.definition.value
    half_step_ns = -(-light.resolution_ns // 2)
    yield _row(f"sampling of {name}", "the board's onset: resolution", half_step_ns)
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
    ramp_ns = ceil(light.rise_ns / _RISE_SHARE) or LONGEST_RAMP_NS
    drift_ns = ceil(ramp_ns * _LEVEL.get(light.definition, 0.5) * _DRIFT)
    yield _row(f"settled level at {name}, ramp {ramp_ns / 1e6:.2f} ms", _EXPLAINED, drift_ns)
    # The wait for the PWM's light part belongs to the first light itself.
    if light.definition is not LightDefinition.FIRST:
        yield _phase_row(light)


def _delay(light: LightMoment, front_end: FrontEnd | None) -> PathDelay | None:
    path = _PATH.get(light.definition, _PATH[LightDefinition.HALF])
    return None if front_end is None else front_end.named(path)


def _row(name: str, source: str, half_width_ns: int) -> BudgetRow:
    return even_row(name, source, half_width_ns, group=name)


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
    )


def _phase_row(light: LightMoment) -> BudgetRow:
    """An enable in the light part (probability D) errs by the whole half, else evenly.

    A duty that is not known is taken for the worst, 1.
    """
    duty = 1.0 if light.duty is None else min(max(light.duty, 0.0), 1.0)
    half_ns = ceil(light.pwm_uncertainty_ns * SQRT_3)
    name = f"phase of the PWM, duty {'not known' if light.duty is None else f'{duty:.2f}'}"
    return BudgetRow(
        name,
        _EXPLAINED,
        Evaluation.B,
        Distribution.PWM_PHASE,
        half_ns,
        min(ceil(half_ns * sqrt((1 + 2 * duty) / 3)), half_ns),
        group=name,
        at_ends=duty,
    )


def _stepped_up(width_ns: int) -> int:
    if width_ns <= 1:
        return max(width_ns, 0)
    return ceil(2 ** (ceil(log2(width_ns) * _STEPS_AN_OCTAVE) / _STEPS_AN_OCTAVE))
