"""The lines of a simulated DUT and its panel: levels, and what of them is shown."""

from functools import partial

from resume_rig.model.channel import Channel
from resume_rig.rig.sim.agenda import Agenda, Thread
from resume_rig.rig.sim.dut_event import DutEvent, PanelChange, WireChange


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
