"""One end of an interval: where it was seen, when, and what blurs it."""

from typing import NamedTuple

from resume_rig.model.channel import Channel
from resume_rig.model.light import LightDefinition


class LightMoment(NamedTuple):
    """How a moment of light is defined, and what is known of how well it was timed.

    Attributes:
        definition: which moment of the onset.
        resolution_ns: the time lies between two points so far apart.
        pwm_uncertainty_ns: as in LightOnset: (1 - duty) of a period, over the root of 12.
        rise_ns: from 50 % to 90 % of the settled level; 0 where that is not known.
        duty: of the PWM, 0 to 1; None where it is not known.
    """

    definition: LightDefinition
    resolution_ns: int
    pwm_uncertainty_ns: int
    rise_ns: int
    duty: float | None = None


class Moment(NamedTuple):
    """A moment on the board's clock.

    Attributes:
        channel: the line that changed; BACKLIGHT also for light that the photodiode timed.
        t_ns: board clock.
        spread_ns: how long the line bounced, where any of its edges may have been the change.
        light: set where the photodiode's samples timed it; None for an edge.
        rises: the edge; None for the one that a wake has: BUTTON falling, the others rising.
    """

    channel: Channel
    t_ns: int
    spread_ns: int = 0
    light: LightMoment | None = None
    rises: bool | None = None

    @property
    def goes_up(self) -> bool:
        """The edge, told or taken."""
        return self.channel is not Channel.BUTTON if self.rises is None else self.rises
