"""What a power monitor in the DUT's supply measured: samples, and figures with uncertainty."""

from dataclasses import dataclass
from math import floor, log10


@dataclass(frozen=True, slots=True)
class PowerMonitor:
    """An INA226 as the board describes it.

    Attributes:
        ring: how many samples the board keeps.
        period_ns: from sample to sample. window_ns: how much of that one is the average of.
        shunt_uohm: of the resistor. shunt_tolerance_ppm: of it.
    """

    ring: int
    period_ns: int
    window_ns: int
    shunt_uohm: int
    shunt_tolerance_ppm: int


@dataclass(frozen=True, slots=True)
class PowerSamples:
    """Samples in order, column by column; the window of each ended up to a window before its time.

    Attributes:
        t_ns: board clock.
        bus_uv: voltage behind the shunt. current_ua: through it.
    """

    t_ns: tuple[int, ...] = ()
    bus_uv: tuple[int, ...] = ()
    current_ua: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PowerFigure:
    """A power in W or an energy in J.

    Attributes:
        expanded: half-width of its 95 % interval (k = 2), in the same unit.
    """

    value: float
    expanded: float

    def text(self, unit: str) -> str:
        """Return it with its uncertainty to two figures, and the value to the same digit."""
        digits = 6 if self.expanded <= 0 else max(0, 1 - floor(log10(self.expanded)))
        return f"{self.value:.{digits}f} ±{self.expanded:.{digits}f} {unit}"


@dataclass(frozen=True, slots=True)
class CyclePower:
    """What the DUT drew in one cycle; None where that part of the cycle was not sampled.

    Attributes:
        asleep_w: mean, from a second after the sleep began to its end.
        asleep_j: energy of that time.
        resume_j: from the trigger, or the end of the sleep where there is none, to the light, or
            to PLTRST# rising where none was timed.
        resume_ns: how long that was.
        awake_w: mean, from a second after the light to the end of the cycle.
        lost: samples that the board overwrote before they were read.
    """

    asleep_w: PowerFigure | None = None
    asleep_j: PowerFigure | None = None
    resume_j: PowerFigure | None = None
    resume_ns: int | None = None
    awake_w: PowerFigure | None = None
    lost: int = 0
