"""The lines of a simulated DUT and its panel: levels, and what of them is shown."""

from collections.abc import Callable
from functools import partial
from typing import Final

from resume_rig.model.channel import Channel
from resume_rig.model.os_record import SleepKind
from resume_rig.rig.sim import dut_state
from resume_rig.rig.sim.agenda import Agenda, Thread
from resume_rig.rig.sim.dut_event import DutEvent, PanelChange, WireChange

DEEP: Final = (SleepKind.S4, SleepKind.FAST_STARTUP, SleepKind.BOOT)
"""States in which SLP_S4# is low."""


class DutLines:
    """Levels of every line, wired or not; all 1 when it is made.

    Args:
        agenda: of the DUT.
        shown: takes what changes.
    """

    def __init__(self, agenda: Agenda, shown: list[DutEvent]) -> None:
        self.levels = dict.fromkeys(Channel, 1)
        self._agenda = agenda
        self._shown = shown
        self._display_wanted = True
        self._lit = True

    def set(self, channel: Channel, level: int, t_ns: int) -> None:
        """A line goes to a level, if it is not there."""
        if self.levels[channel] != level:
            self.levels[channel] = level
            self._shown.append(WireChange(t_ns, channel, level))

    def set_later(self, channel: Channel, level: int, t_ns: int) -> None:
        """A line will go to a level at `t_ns`, unless the power is lost before."""
        self._agenda.plan(t_ns, partial(self.set, channel, level))

    def power_falls(self, t_ns: int, depth: SleepKind) -> None:
        """The lines of a sleep follow SLP_S3#; PWR_OK falls when the supply is gone."""
        later = self.set_later
        self.set(Channel.SLP_S3, 0, t_ns)
        if depth in DEEP:
            later(Channel.SLP_S4, 0, t_ns + dut_state.SLP_SKEW_NS)
        if depth is SleepKind.BOOT:
            later(Channel.SLP_S5, 0, t_ns + 2 * dut_state.SLP_SKEW_NS)
        later(Channel.PLTRST, 0, t_ns + dut_state.PLTRST_AFTER_SLP_NS)
        later(Channel.LED, 0, t_ns + dut_state.LED_DELAY_NS)

    def flutter(self, lasts: Callable[[], bool], until_ns: int, t_ns: int) -> None:
        """Change the power LED's line at 25 kHz, as a loose contact may; it ends dark."""
        quiet = t_ns >= until_ns or not lasts()
        self.set(Channel.LED, 0 if quiet else 1 - self.levels[Channel.LED], t_ns)
        if not quiet:
            again = partial(self.flutter, lasts, until_ns)
            self._agenda.plan(t_ns + dut_state.FLUTTER_STEP_NS, again)

    def want_display(self, wanted: bool, t_ns: int) -> None:
        """The display is switched; what was planned for it is forgotten."""
        self._agenda.drop(Thread.DISPLAY)
        self._display_wanted = wanted
        self.show_panel(t_ns)

    def show_panel(self, t_ns: int) -> None:
        """Let the panel follow; a closed lid's sensor may gate it (HP x360: BLON_CON)."""
        lit = self._display_wanted and self.levels[Channel.LID] == 1
        if lit != self._lit:
            self._lit = lit
            self.set(Channel.BACKLIGHT, int(lit), t_ns)
            self._shown.append(PanelChange(t_ns, lit))
