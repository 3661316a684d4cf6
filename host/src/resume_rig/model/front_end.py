"""The delays of the front end: from the DUT's pin to the MCU's pin."""

from dataclasses import dataclass
from math import ceil
from typing import Final

from resume_rig.model.budget import Distribution
from resume_rig.model.channel import Channel

LIGHT_INPUT: Final = "LIGHT"
"""The photodiode's amplifier, which is no channel."""


@dataclass(frozen=True, slots=True)
class PathDelay:
    """One path, one edge.

    Attributes:
        path: its name. channels: which ones it leads to; LIGHT_INPUT is allowed, too.
        rises: the edge at the DUT's pin.
        value_ns: delay; half_width_ns, standard_ns: of what is left when it is subtracted.
        conditions: levels and parts. deck: the simulation; empty where there is none.
        origin: of the figures: who measured or simulated them.
        ramp_ns: for how long the edge rises or falls, 0 to 100 %; None for logic.
    """

    path: str
    channels: tuple[str, ...]
    rises: bool
    value_ns: int
    half_width_ns: int
    standard_ns: int
    distribution: Distribution
    conditions: str
    deck: str
    origin: str
    ramp_ns: int | None = None


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """All delays of one front end.

    Attributes:
        source: what a budget names as their source.
    """

    source: str
    delays: tuple[PathDelay, ...]

    def named(self, path: str) -> PathDelay | None:
        """Return the delay of a path that has one edge, by its name."""
        return next((delay for delay in self.delays if delay.path == path), None)

    def of(self, channel: Channel, rises: bool, ramp_ns: int = 0) -> PathDelay | None:
        """Return the delay of an edge, between two ramps where `ramp_ns` lies between them."""
        found = sorted(
            (d for d in self.delays if channel in d.channels and d.rises == rises),
            key=lambda delay: delay.ramp_ns or 0,
        )
        if not found:
            return None
        if len(found) == 1 or ramp_ns <= (found[0].ramp_ns or 0):
            return found[0]
        above = next((i for i, d in enumerate(found) if (d.ramp_ns or 0) >= ramp_ns), None)
        place = len(found) - 1 if above is None else above
        return _between(found[place - 1], found[place], ramp_ns)


def _between(low: PathDelay, high: PathDelay, ramp_ns: int) -> PathDelay:
    """What a threshold makes of a ramp grows with the ramp's length."""
    share = (ramp_ns - (low.ramp_ns or 0)) / ((high.ramp_ns or 0) - (low.ramp_ns or 0))

    def at(a: int, b: int) -> int:
        return ceil(a + (b - a) * share)

    return PathDelay(
        high.path,
        high.channels,
        high.rises,
        at(low.value_ns, high.value_ns),
        at(low.half_width_ns, high.half_width_ns),
        at(low.standard_ns, high.standard_ns),
        high.distribution,
        f"{low.conditions}; {high.conditions}; taken between them",
        high.deck,
        high.origin,
        ramp_ns,
    )
