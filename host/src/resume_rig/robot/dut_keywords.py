"""Keywords that move the DUT once: a press, the lid, one sleep, one wake."""

from robot.api import logger

from resume_rig.acceptance.single_actions import SETTLE_NS, DutState
from resume_rig.model.channel import Channel
from resume_rig.robot.arguments import BUTTON, By, Duration, Refusal, sentence
from resume_rig.robot.keywords import Keywords

_PRESS = Duration(150_000_000)
_SETTLE = Duration(SETTLE_NS)
_PATIENCE = Duration(60_000_000_000)


class DutKeywords(Keywords):
    """Keywords that move the DUT once; campaigns move it by their plans."""

    @sentence("Press Power Button")
    def press_power_button(self, length: Duration = _PRESS, force_off: bool = False) -> Duration:
        """Press the power button, and return how long the press measured at the header.

        The board refuses a press longer than its interlock allows, unless ``force_off`` says that
        cutting the DUT's power is meant; a DUT loses its unsaved work by that.
        """
        press = self._held.hands("press the power button").press(length.ns, force_off=force_off)
        if press.width_ns is None:
            raise Refusal(f"the rig pressed for {length}, and the header saw no whole press")
        logger.info(f"pressed for {length}; the header saw {Duration(press.width_ns)}")
        return Duration(press.width_ns)

    @sentence("Close Lid")
    def close_lid(self) -> None:
        """Close the lid. The board opens it when it hears nothing for longer than its lease."""
        self._held.hands("close the lid").move_lid(closed=True)

    @sentence("Open Lid")
    def open_lid(self) -> None:
        """Open the lid."""
        self._held.hands("open the lid").move_lid(closed=False)

    @sentence("Put DUT To Sleep")
    def put_dut_to_sleep(self, by: By = BUTTON, timeout: Duration = _PATIENCE) -> Duration:
        """Put the DUT to sleep, see it on the wires, and return the time to sleep entry."""
        took_ns = self._held.hands("put the DUT to sleep").put_to_sleep(by.chosen, timeout.ns)
        logger.info(f"asleep {Duration(took_ns)} after the trigger")
        return Duration(took_ns)

    @sentence("DUT Should Stay Asleep For")
    def dut_should_stay_asleep_for(self, time: Duration) -> None:
        """Watch a DUT that sleeps; fail when anything wakes it."""
        self._held.hands("watch the DUT").stay_asleep(time.ns)

    @sentence("Wake DUT")
    def wake_dut(
        self, by: By = BUTTON, timeout: Duration = _PATIENCE, settle: Duration = _SETTLE
    ) -> Duration:
        """Wake the DUT, see every sign of it, and return the time to the last one.

        By the lid, an open one is closed first. The keyword waits for ``settle`` in the end: an OS
        can be told nothing before that.
        """
        took_ns = self._held.hands("wake the DUT").wake(by.chosen, timeout.ns, settle.ns)
        logger.info(f"awake {Duration(took_ns)} after the trigger")
        return Duration(took_ns)

    @sentence("DUT Should Be")
    def dut_should_be(self, state: DutState) -> None:
        """Check what the wires show of the DUT now.

        S3 and S4 look alike where SLP_S4 is not wired; it is called S3 then.
        """
        found = self._held.hands("look at the DUT").state()
        if found is not state:
            raise Refusal(f"the DUT is {found.value}, as the wires show; expected {state.value}")

    @sentence("Channel Should Show")
    def channel_should_show(self, channel: Channel, level: int) -> None:
        """Check the present electrical level of a channel: 0 or 1."""
        levels = self._held.hands("look at a channel").levels()
        if channel not in levels:
            raise Refusal(
                f"the DUT has no channel {channel}; wired are {', '.join(levels) or 'none'}"
            )
        if levels[channel] != level:
            raise Refusal(f"{channel} shows {levels[channel]}; expected {level}")
