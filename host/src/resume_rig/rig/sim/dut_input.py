"""The button and the lid of a simulated DUT: contacts, bounces and debouncing."""

from functools import partial
from typing import Protocol

from numpy.random import Generator

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import DutTiming
from resume_rig.rig.sim import dut_state
from resume_rig.rig.sim.agenda import Agenda, Thread
from resume_rig.rig.sim.contacts import CONTACT_DELAY
from resume_rig.rig.sim.dut_lines import DutLines
from resume_rig.rig.sim.spread import draw_ns


class Touched(Protocol):
    """Whoever is told what the user does."""

    def touched(self, t_ns: int) -> None:
        """A contact moved."""
        ...

    def button_accepted(self, t_ns: int) -> None:
        """The button was held for longer than its debounce."""
        ...

    def lid_accepted(self, closed: bool, t_ns: int) -> None:
        """The lid stood still for longer than its debounce."""
        ...

    def lid_bounces(self) -> int:
        """Return how often its sensor falls back at each edge."""
        ...


class DutInput:
    """Contacts of one DUT.

    Attributes:
        held: the button is.

    Args:
        dut: told what is accepted.
        timing: of the DUT.
        agenda, lines, random: the DUT's own.
    """

    def __init__(
        self, dut: Touched, timing: DutTiming, agenda: Agenda, lines: DutLines, random: Generator
    ) -> None:
        self.held = False
        self._dut = dut
        self._timing = timing
        self._agenda = agenda
        self._lines = lines
        self._random = random
        self._last_contact_ns = dict.fromkeys(Actuator, -1)

    def move(self, t_ns: int, actuator: Actuator, driven: bool, earliest_ns: int) -> None:
        """An output changes; its contact follows a little later, at `earliest_ns` or after."""
        delay_ns = draw_ns(CONTACT_DELAY[actuator, driven], self._random)
        after_last_ns = self._last_contact_ns[actuator] + 1
        contact_ns = max(t_ns + delay_ns, after_last_ns, earliest_ns)
        self._last_contact_ns[actuator] = contact_ns
        deed = self._button_contact if actuator is Actuator.BUTTON else self._lid_contact
        self._agenda.plan(contact_ns, partial(deed, driven), Thread.ALWAYS)

    def _button_contact(self, closed: bool, t_ns: int) -> None:
        self._agenda.drop(Thread.BUTTON)
        self.held = closed
        self._lines.set(Channel.BUTTON, 0 if closed else 1, t_ns)
        self._dut.touched(t_ns)
        if closed:
            accepted_ns = t_ns + draw_ns(self._timing.debounce, self._random)
            self._agenda.plan(accepted_ns, self._dut.button_accepted, Thread.BUTTON)

    def _lid_contact(self, closed: bool, t_ns: int) -> None:
        self._agenda.drop(Thread.LID)
        self._dut.touched(t_ns)
        level = 0 if closed else 1
        self._lid_to(level, t_ns)
        for bounce in range(self._dut.lid_bounces()):
            away_ns = t_ns + (2 * bounce + 1) * dut_state.LID_BOUNCE_NS
            self._agenda.plan(away_ns, partial(self._lid_to, 1 - level), Thread.LID)
            self._agenda.plan(
                away_ns + dut_state.LID_BOUNCE_NS, partial(self._lid_to, level), Thread.LID
            )
        accepted_ns = t_ns + draw_ns(self._timing.lid_debounce, self._random)
        self._agenda.plan(accepted_ns, partial(self._dut.lid_accepted, closed), Thread.LID)

    def _lid_to(self, level: int, t_ns: int) -> None:
        self._lines.set(Channel.LID, level, t_ns)
        self._lines.show_panel(t_ns)
