"""What is known of a moment of an onset of light, and its half-width."""

from dataclasses import dataclass
from enum import StrEnum, unique
from math import ceil, sqrt
from typing import Final

from resume_rig.model.light import LightOnset

# The amplifier's delay, 3.6 us at 50 %, and 6 us by which the core's arithmetic may depart from
# the definitions; neither is corrected.
_FRONT_END_NS: Final = 10_000
# The level of a warming panel still moves by so much after it is called settled.
_DRIFT: Final = 0.05
# LED drivers start within 1 to 10 ms; taken where an onset does not tell.
LONGEST_RAMP_NS: Final = 10_000_000


@unique
class LightDefinition(StrEnum):
    """Which moment of an onset an interval ends at."""

    FIRST = "t_first"
    HALF = "t_50"
    NINETY = "t_90"


_LEVEL: Final = {
    LightDefinition.FIRST: 0.1,
    LightDefinition.HALF: 0.5,
    LightDefinition.NINETY: 0.9,
}


@dataclass(frozen=True, slots=True)
class LightEnd:
    """What is known of one moment of an onset, beside the moment.

    Attributes:
        resolution_ns: distance of the points that it is interpolated between.
        ramp_ns: how long the light rises.
        pwm_half_ns: half of the PWM's dark time, (1 - D) T / 2; 0 for DC.
        duty: of the PWM, 0 to 1; 1.0 for DC.
    """

    definition: LightDefinition
    resolution_ns: int
    ramp_ns: int = LONGEST_RAMP_NS
    pwm_half_ns: int = 0
    duty: float = 1.0

    @property
    def half_width_ns(self) -> int:
        """Grid, level, PWM phase and front end; the wait for the PWM belongs to t_first."""
        phase_ns = 0 if self.definition is LightDefinition.FIRST else self.pwm_half_ns
        drift_ns = ceil(self.ramp_ns * _LEVEL[self.definition] * _DRIFT)
        return -(-self.resolution_ns // 2) + drift_ns + phase_ns + _FRONT_END_NS


def light_end_of(onset: LightOnset, definition: LightDefinition) -> LightEnd:
    """Return what an onset says of one of its moments; the longest ramp where it tells none."""
    ramp_ns = LONGEST_RAMP_NS
    if onset.first_ns is not None and onset.ninety_ns is not None:
        share = _LEVEL[LightDefinition.NINETY] - _LEVEL[LightDefinition.FIRST]
        ramp_ns = ceil(max((onset.ninety_ns - onset.first_ns) / share, 0.0))
    return LightEnd(
        definition,
        onset.resolution_ns or 0,
        ramp_ns,
        # The board states (1 - D) T / sqrt(12).
        ceil((onset.pwm_uncertainty_ns or 0) * sqrt(3)),
        1.0 if onset.duty is None else onset.duty,
    )
