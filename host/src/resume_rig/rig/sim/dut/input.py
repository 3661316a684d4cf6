"""The button, the lid, a key and the plug of a simulated DUT: contacts, bounces, debouncing."""

from collections.abc import Mapping
from functools import partial
from typing import Final, Protocol

from numpy.random import Generator

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import DutTiming, Spread
from resume_rig.rig.sim.dut import states
from resume_rig.rig.sim.dut.agenda import Agenda, Thread
from resume_rig.rig.sim.dut.states import DutLines, draw_ns

_MS = 1_000_000

# photoMOS across the power switch: command to pin 0.50 +/- 0.22 ms, release 0.06 to 2.9 ms, by
# simulation. Coil under the lid's Hall sensor: about 24 ms to close and 4 ms to open.
CONTACT_DELAY: Final[Mapping[tuple[Actuator, bool], Spread]] = {
    (Actuator.BUTTON, True): Spread(500_000, 0.4, 200_000, 1_200_000),
    (Actuator.BUTTON, False): Spread(400_000, 0.8, 60_000, 2_900_000),
    (Actuator.LID, True): Spread(24 * _MS, 0.1, 15 * _MS, 40 * _MS),
    (Actuator.LID, False): Spread(4 * _MS, 0.2, 2 * _MS, 15 * _MS),
    # Assumed: the resume signal is on a suspended bus within a frame or so.
    (Actuator.KEYBOARD, True): Spread(300_000, 0.3, 100_000, 1_000_000),
    (Actuator.KEYBOARD, False): Spread(300_000, 0.3, 100_000, 1_000_000),
    # A photoMOS as at the button.
    (Actuator.CONTACT, True): Spread(500_000, 0.4, 200_000, 1_200_000),
    (Actuator.CONTACT, False): Spread(400_000, 0.8, 60_000, 2_900_000),
}
"""By actuator and whether it is driven from then on."""


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

    def key_pressed(self, t_ns: int) -> None:
        """A key of the keyboard went down."""
        ...

    def contact_closed(self, t_ns: int) -> None:
        """The plug was in for longer than its debounce."""
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
        deed = {
            Actuator.BUTTON: self._button_contact,
            Actuator.LID: self._lid_contact,
            Actuator.KEYBOARD: self._key,
            Actuator.CONTACT: self._plug,
        }[actuator]
        self._agenda.plan(contact_ns, partial(deed, driven), Thread.ALWAYS)

    def _key(self, down: bool, t_ns: int) -> None:
        if down:
            self._dut.touched(t_ns)
            self._dut.key_pressed(t_ns)

    def _plug(self, closed: bool, t_ns: int) -> None:
        self._agenda.drop(Thread.CONTACT)
        if closed:
            accepted_ns = t_ns + draw_ns(self._timing.debounce, self._random)
            self._agenda.plan(accepted_ns, self._dut.contact_closed, Thread.CONTACT)

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
            away_ns = t_ns + (2 * bounce + 1) * states.LID_BOUNCE_NS
            self._agenda.plan(away_ns, partial(self._lid_to, 1 - level), Thread.LID)
            self._agenda.plan(
                away_ns + states.LID_BOUNCE_NS, partial(self._lid_to, level), Thread.LID
            )
        accepted_ns = t_ns + draw_ns(self._timing.lid_debounce, self._random)
        self._agenda.plan(accepted_ns, partial(self._dut.lid_accepted, closed), Thread.LID)

    def _lid_to(self, level: int, t_ns: int) -> None:
        self._lines.set(Channel.LID, level, t_ns)
        self._lines.show_panel(t_ns)
