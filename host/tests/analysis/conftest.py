"""A DUT on paper: edges as a board would stamp them, and records as an OS would write them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import pytest

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.model.result.cycle import IntervalName

MS = 1_000_000
AWAKE = {
    Channel.PWR_OK: 1,
    Channel.SLP_S3: 1,
    Channel.SLP_S4: 1,
    Channel.PLTRST: 1,
    Channel.BACKLIGHT: 1,
    Channel.BUTTON: 1,
    Channel.LID: 1,
}
# (ms after the cycle's start, channel, level): a laptop that sleeps and wakes by its button.
S3_BY_BUTTON = (
    (0, Channel.BUTTON, 0),
    (150, Channel.BUTTON, 1),
    (700, Channel.BACKLIGHT, 0),
    (1500, Channel.PLTRST, 0),
    (1501, Channel.SLP_S3, 0),
    (1511, Channel.PWR_OK, 0),
    (20_000, Channel.BUTTON, 0),
    (20_048, Channel.SLP_S3, 1),
    (20_108, Channel.PWR_OK, 1),
    (20_150, Channel.BUTTON, 1),
    (20_158, Channel.PLTRST, 1),
    (21_500, Channel.BACKLIGHT, 1),
)


@dataclass(frozen=True, slots=True)
class Waveform:
    """Edges to be told, by ms, with ways to change them."""

    steps: tuple[tuple[float, Channel, int], ...] = S3_BY_BUTTON
    levels: Mapping[Channel, int] = field(default_factory=lambda: dict(AWAKE))

    def without(self, *channels: Channel) -> "Waveform":
        return Waveform(
            tuple(step for step in self.steps if step[1] not in channels),
            {channel: level for channel, level in self.levels.items() if channel not in channels},
        )

    def dropping(self, since_ms: float, *channels: Channel) -> "Waveform":
        """Leave out the edges of these channels (of all, if none is named) from a time on."""
        chosen = channels or tuple(Channel)
        kept = (s for s in self.steps if s[0] < since_ms or s[1] not in chosen)
        return replace(self, steps=tuple(kept))

    def plus(self, *steps: tuple[float, Channel, int]) -> "Waveform":
        return replace(self, steps=tuple(sorted((*self.steps, *steps), key=lambda s: s[0])))

    def later(self, by_ms: float) -> "Waveform":
        return replace(self, steps=tuple((ms + by_ms, c, level) for ms, c, level in self.steps))

    def edges(self) -> tuple[Edge, ...]:
        return tuple(
            Edge(number, round(ms * MS), channel, level)
            for number, (ms, channel, level) in enumerate(self.steps)
        )


@pytest.fixture(scope="session")
def waveform() -> Waveform:
    return Waveform()


@pytest.fixture(scope="session")
def many_cycles(waveform: Waveform) -> Callable[[Iterable[float]], Waveform]:
    """Return one waveform of a cycle after the other, each begun at its own ms."""

    def tell(starts_ms: Iterable[float]) -> Waveform:
        steps = [step for start in starts_ms for step in waveform.later(start).steps]
        return replace(waveform, steps=tuple(steps))

    return tell


@pytest.fixture(scope="session")
def whole_ms() -> dict[IntervalName, int]:
    """Return every interval of S3_BY_BUTTON, in ms."""
    return {
        IntervalName.TRIGGER_TO_SLP_S3: 1501,
        IntervalName.ASLEEP: 18_547,
        IntervalName.PRESS_WIDTH: 150,
        IntervalName.PRESS_TO_SLP_S3: 48,
        IntervalName.PRESS_TO_PWR_OK: 108,
        IntervalName.SLP_S3_TO_PWR_OK: 60,
        IntervalName.PWR_OK_TO_PLTRST: 50,
        IntervalName.PRESS_TO_PLTRST: 158,
        IntervalName.PLTRST_TO_LIGHT: 1342,
        IntervalName.PRESS_TO_LIGHT: 1500,
    }
