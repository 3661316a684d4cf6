"""On, off and reset of a DUT for other people's test systems; the wires say whether it happened.

The rig has a finger on the power button and no wire to the reset header or the supply: a reset is
a forced off and a press. Where the button does not cut the power, a command of the user's may.
"""

from dataclasses import dataclass
from typing import Final

from resume_rig.acceptance.bench import BenchInUse, need
from resume_rig.acceptance.single_actions import DutState, SingleActions
from resume_rig.campaign.dut.supply import PowerCommand
from resume_rig.campaign.run.bench import Bench
from resume_rig.campaign.run.power_waits import STARTS_WITHIN_NS, goes_off, runs_within, switched
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import DutFault, UsageError
from resume_rig.model.recovery import DEFAULT_LADDER
from resume_rig.model.units import seconds_text

ON_WITHIN_NS: Final = 60_000_000_000
_TELL_POWER: Final = (Channel.PWR_OK, Channel.SLP_S3)


@dataclass(frozen=True, slots=True)
class PowerChange:
    """What one action did.

    Attributes:
        before, after: what the wires showed.
        took_ns: from the first move to the lines that prove it; 0 where nothing was to be done.
    """

    before: DutState
    after: DutState
    took_ns: int


class PowerActions:
    """Switches the DUT of an open bench.

    Args:
        actions: on the bench, whose memory of the lid they share.
        supply: cuts the DUT's supply and gives it back; None for none.
    """

    def __init__(self, actions: SingleActions, supply: PowerCommand | None = None) -> None:
        self._actions = actions
        self._use: BenchInUse = actions.use
        self._bench: Bench = actions.bench
        self._supply = supply
        self._ladder = DEFAULT_LADDER if self._use.dut is None else self._use.dut.recovery

    def on(self, timeout_ns: int = ON_WITHIN_NS) -> PowerChange:
        """Start, or wake, a DUT that does not run; its OS may need a while longer.

        Raises:
            UsageError: the rig has no button to press.
            DutFault: its lines do not show a running DUT within `timeout_ns`.
        """
        need(self._use, "switch the DUT on", Actuator.BUTTON)
        self._bench.begin()
        before, begun_ns = self._actions.state(), self._bench.clock.now_ns()
        if before is DutState.AWAKE:
            return PowerChange(before, before, 0)
        self._bench.let_go_of_lid()
        self._start(timeout_ns)
        return self._changed(before, begun_ns)

    def off(self) -> PowerChange:
        """Cut the power of a DUT, whatever it does; its unsaved work is lost.

        Raises:
            UsageError: the rig has no button, or no line tells whether the DUT has power.
            DutFault: the lines still show power.
        """
        self._needs_for_off("switch the DUT off")
        self._bench.begin()
        before, begun_ns = self._actions.state(), self._bench.clock.now_ns()
        if before is DutState.OFF:
            return PowerChange(before, before, 0)
        self._cut()
        # Where SLP_S5 is not wired, the lines alone look like those of a DUT that hibernates.
        return PowerChange(before, DutState.OFF, self._bench.clock.now_ns() - begun_ns)

    def reset(self, timeout_ns: int = ON_WITHIN_NS) -> PowerChange:
        """Cut the power, and start the DUT again; raises as `off` and `on`."""
        self._needs_for_off("reset the DUT")
        self._bench.begin()
        before, begun_ns = self._actions.state(), self._bench.clock.now_ns()
        if before is not DutState.OFF:
            self._cut()
        self._bench.wait(self._bench.clock.now_ns() + self._ladder.off_ns)
        # One that starts by itself when its supply comes back must not be pressed off again.
        if not runs_within(self._bench, STARTS_WITHIN_NS if self._supply is not None else 0):
            self._start(timeout_ns)
        return self._changed(before, begun_ns)

    def let_boot(self) -> None:
        """Wait for as long as the DUT's profile gives its OS to react to the button."""
        self._bench.wait(self._bench.clock.now_ns() + self._ladder.boot_ns)

    def switch_supply(self, *, on: bool) -> None:
        """Run the user's command for the DUT's supply.

        Raises:
            UsageError: there is none.
            DutFault: it failed; the sentence says how.
        """
        if self._supply is None:
            raise UsageError(
                f"could not switch the DUT's supply {'on' if on else 'off'}: the rig has no relay "
                "in it; --power-cycle names a command that switches it"
            )
        if not switched(self._bench, self._supply, on=on):
            raise DutFault(
                f"could not switch the DUT's supply {'on' if on else 'off'}: "
                f"{self._supply.problem or 'the command did not end in time'}"
            )

    def _needs_for_off(self, doing: str) -> None:
        need(self._use, doing, Actuator.BUTTON)
        if not set(_TELL_POWER) & set(self._use.wired):
            raise UsageError(
                f"could not {doing}: no line of {self._use.dut_name} shows whether it has power; "
                f"{' or '.join(_TELL_POWER)} would"
            )

    def _cut(self) -> None:
        """Hold the button until the power is cut, or let the user's command cut the supply."""
        bench, hold_ns = self._bench, self._ladder.force_off_ns
        bench.let_go_of_lid()
        bench.force_off(hold_ns)
        bench.wait(bench.clock.now_ns() + hold_ns)
        if goes_off(self._bench):
            return
        by = f"a press of {seconds_text(hold_ns)}"
        if self._supply is not None:
            off = switched(self._bench, self._supply, on=False) and goes_off(self._bench)
            # Nobody may be left in the dark, whatever the command did.
            back = switched(self._bench, self._supply, on=True)
            if off and back:
                return
            by += f" and the supply's command ({self._supply.problem or 'it changed nothing'})"
        raise DutFault(f"could not switch the DUT off by {by}: it shows {self._actions.lines()}")

    def _start(self, timeout_ns: int) -> None:
        self._bench.move(Actuator.BUTTON, closed=False)
        if not runs_within(self._bench, timeout_ns):
            raise DutFault(
                f"could not switch the DUT on: {seconds_text(timeout_ns)} after the press it shows "
                f"{self._actions.lines()}"
            )

    def _changed(self, before: DutState, begun_ns: int) -> PowerChange:
        return PowerChange(before, self._actions.state(), self._bench.clock.now_ns() - begun_ns)
