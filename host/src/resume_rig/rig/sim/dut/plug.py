"""A loop-back plug in place of a DUT: wires from the rig's outputs straight to its channels.

Every channel shows whether any output is driven, a little later. That delay is another one for
each channel, as the inputs of a board differ; no clock, thread or port, all in world time.
"""

from functools import partial
from typing import Final, Protocol

import numpy as np
from numpy.random import Generator

from resume_rig.model.channel import Actuator, Channel
from resume_rig.rig.sim.dut.event import Agenda, DutEvent, SimFault, WireChange

# Assumed: decides what latencies a loop-back on the simulated bench measures.
DELAY_MIN_NS: Final = 2_000
DELAY_SPAN_NS: Final = 20_000
JITTER_NS: Final = 1_000  # half-width, uniform


class Plugged(Protocol):
    """What a simulated rig is plugged into: a DUT, or a loop-back plug.

    Attributes:
        faults: how it misbehaves.
    """

    faults: frozenset[SimFault]

    @property
    def levels(self) -> dict[Channel, int]:
        """Electrical level of every line."""
        ...

    def move(self, t_ns: int, actuator: Actuator, driven: bool, earliest_ns: int = 0) -> None:
        """An actuator's output changes at `t_ns`; what it moves follows at `earliest_ns` or later.

        Args:
            t_ns: of the output.
            actuator: which.
            driven: from then on.
            earliest_ns: for who has advanced beyond the output's change already.
        """
        ...

    def next_event_ns(self) -> int | None:
        """Return when something happens next if no output changes; None: never."""
        ...

    def advance(self, until_ns: int) -> list[DutEvent]:
        """Return what happens up to and including a time, in time order."""
        ...


class LoopbackPlug:
    """One plug; its outputs are released when it is made.

    Args:
        random: for delays and jitter.
        delay_ns: least delay of a channel; more for a plug behind a link that takes its time.

    Attributes:
        faults: none has an effect on it.
        delays_ns: mean delay of each channel.
    """

    def __init__(self, random: Generator, delay_ns: int = DELAY_MIN_NS) -> None:
        self.faults: frozenset[SimFault] = frozenset()
        spread_ns = random.integers(0, DELAY_SPAN_NS, size=len(Channel))
        self.delays_ns = {
            channel: delay_ns + int(more_ns)
            for channel, more_ns in zip(Channel, spread_ns, strict=True)
        }
        self._random = random
        self._agenda = Agenda()
        self._driven = dict.fromkeys(Actuator, False)
        self._levels = dict.fromkeys(Channel, 0)
        self._last_ns = dict.fromkeys(Channel, -1)
        self._shown: list[DutEvent] = []

    @property
    def levels(self) -> dict[Channel, int]:
        """Electrical level of every line: 0 while every output is released."""
        return dict(self._levels)

    def move(self, t_ns: int, actuator: Actuator, driven: bool, earliest_ns: int = 0) -> None:
        """An output changes; its edges come at `earliest_ns` or later."""
        was = any(self._driven.values())
        self._driven[actuator] = driven
        level = int(any(self._driven.values()))
        if level == was:
            return
        jitter_ns = self._random.integers(-JITTER_NS, JITTER_NS, len(Channel), np.int64, True)
        for channel, off_ns in zip(Channel, jitter_ns, strict=True):
            due_ns = max(t_ns + self.delays_ns[channel] + int(off_ns), earliest_ns)
            # A wire keeps the order of what goes over it.
            due_ns = self._last_ns[channel] = max(due_ns, self._last_ns[channel] + 1)
            self._agenda.plan(due_ns, partial(self._show, channel, level))

    def next_event_ns(self) -> int | None:
        """Return when the next edge comes; None: none is on its way."""
        return self._agenda.next_ns()

    def advance(self, until_ns: int) -> list[DutEvent]:
        """Return the edges up to and including a time, in time order."""
        self._agenda.run(until_ns)
        shown, self._shown = self._shown, []
        return shown

    def _show(self, channel: Channel, level: int, t_ns: int) -> None:
        self._levels[channel] = level
        self._shown.append(WireChange(t_ns, channel, level))
