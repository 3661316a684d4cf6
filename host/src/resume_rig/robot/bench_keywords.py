"""Keywords about the rig itself, and those that move the DUT once: a press, the lid, one sleep."""

from contextlib import suppress

from robot.api import SkipExecution, logger
from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError

from resume_rig.acceptance.bench import open_bench
from resume_rig.acceptance.checks import (
    clocks_tied_to,
    latency_within,
    lets_go_when_silent,
    press_is_refused,
    rig_is_healthy,
    self_test_passes,
)
from resume_rig.acceptance.single_actions import SETTLE_NS, DutState
from resume_rig.campaign.preparation.self_measurement import (
    DEFAULT_CHANGES,
    DEFAULT_GAP_NS,
    LoopbackPlan,
)
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.evidence import SIMULATED
from resume_rig.model.rig_url import RigUrl
from resume_rig.model.units import count_of
from resume_rig.robot.arguments import (
    BUTTON,
    BY_BUTTON,
    By,
    Contact,
    Duration,
    Part,
    Refusal,
    Waker,
    sentence,
)
from resume_rig.robot.session import Keywords, shown

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

    @sentence("Press Key")
    def press_key(self, length: Duration = _PRESS) -> str:
        """Press the key of the USB keyboard that the board is, and say what the DUT made of it.

        Which key it is the firmware's devicetree says. The keyword fails where the DUT had neither
        a report nor, asleep, a remote wakeup: its port has no power, or its OS has not armed it.
        """
        found = self._held.hands("press a key").press_key(length.ns)
        return f"{count_of(found.reports, 'report')} and {count_of(found.wakeups, 'wakeup')}"

    @sentence("Set Contact")
    def set_contact(self, to: Contact) -> None:
        """Close or open the dry contact of an AC adapter or a dock.

        The board opens it when it hears nothing for longer than its lease.
        """
        self._held.hands(f"set the contact {to}").set_contact(closed=to.closed)

    @sentence("Send Magic Packet")
    def send_magic_packet(self) -> None:
        """Send the packet that wakes the DUT's network adapter, whose MAC its profile names."""
        self._held.hands("send a magic packet").send_magic_packet()

    @sentence("Put DUT To Sleep")
    def put_dut_to_sleep(self, by: By = BUTTON, timeout: Duration = _PATIENCE) -> Duration:
        """Put the DUT to sleep, see it on the wires, and return the time to sleep entry."""
        took_ns = self._held.hands("put the DUT to sleep").put_to_sleep(by.actuator, timeout.ns)
        logger.info(f"asleep {Duration(took_ns)} after the trigger")
        return Duration(took_ns)

    @sentence("DUT Should Stay Asleep For")
    def dut_should_stay_asleep_for(self, time: Duration) -> None:
        """Watch a DUT that sleeps; fail when anything wakes it."""
        self._held.hands("watch the DUT").stay_asleep(time.ns)

    @sentence("Wake DUT")
    def wake_dut(
        self, by: Waker = BY_BUTTON, timeout: Duration = _PATIENCE, settle: Duration = _SETTLE
    ) -> Duration:
        """Wake the DUT, see every sign of it, and return the time to the last one.

        By the lid, an open one is closed first. By ``KEYBOARD``, ``CONTACT`` or ``LAN`` the time
        counts from the command, as no wire shows the trigger.

        The keyword waits for ``settle`` in the end: an OS takes no command before that.
        """
        chosen = Actuator.BUTTON if by.by is None else by.by
        took_ns = self._held.hands("wake the DUT").wake(chosen, timeout.ns, settle.ns)
        logger.info(f"awake {Duration(took_ns)} after the trigger")
        return Duration(took_ns)

    @sentence("DUT Should Be")
    def dut_should_be(self, state: DutState) -> None:
        """Check what the wires show of the DUT now.

        S3 and S4 look the same where SLP_S4 is not wired; it is called S3 then.
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


_GAP = Duration(DEFAULT_GAP_NS)


class RigKeywords(Keywords):
    """Keywords about the rig itself."""

    @sentence("Open Rig")
    def open_rig(self, url: str, dut: str | None = None) -> None:
        """Open the rig at ``url``, for this Robot Framework run alone.

        | =Argument= | =Meaning= |
        | ``url`` | for example ``sim:clock=virtual,seed=7`` or ``serial:/dev/ttyACM0`` |
        | ``dut`` | name of a shipped DUT profile, or path of a TOML file |

        Allowed are ``sim:``, ``native:IMAGE``, ``serial:PORT``, ``socket:HOST:PORT`` and
        ``rfc2217:HOST:PORT``. A simulated DUT is a ``healthy-laptop`` where none is named.

        A rig that another process has is refused; the sentence says who has it.
        """
        held = self._held
        if held.use is not None:
            raise UsageError(
                f"could not open the rig {shown(url)}: {shown(held.url)} is open in this run; use "
                "`Close Rig` first"
            )
        # The rig's last words may be of a campaign that a resume goes on with.
        typed = RigUrl(url)
        held.use = open_bench(typed, dut or None)
        held.url, held.dut = typed, dut or None
        info = held.use.info
        if held.use.opened.simulated:
            logger.info(SIMULATED)
            with suppress(RobotNotRunningError):  # the library serves programs of its own, too
                BuiltIn().set_suite_metadata("Evidence", SIMULATED)
        logger.info(
            shown(f"{info.board}, firmware {info.firmware}, DUT {held.use.dut_name}, at {url}")
        )

    @sentence("Close Rig")
    def close_rig(self) -> None:
        """Let go of every actuator and of the rig; nothing happens where none is open."""
        self._held.close()

    @sentence("Skip Unless Bench Has")
    def skip_unless_bench_has(self, *parts: Part) -> None:
        """Skip the test, or the suite, where the DUT lacks a channel or the rig an actuator.

        Example: | Skip Unless Bench Has | BACKLIGHT | LID |
        """
        use = self._held.bench("see what the bench has")
        lacking = use.lacks([part.line for part in parts])
        if lacking is not None:
            raise SkipExecution(shown(lacking))

    @sentence("Rig Should Be Healthy")
    def rig_should_be_healthy(self) -> str:
        """Check board, clock, self-test, wiring, faults and lease; nothing on the DUT is moved."""
        return self._held.expect(rig_is_healthy(self._held.bench("check the rig")))

    @sentence("Self Test Should Pass")
    def self_test_should_pass(self) -> str:
        """Let the board measure itself; every check has to be good."""
        return self._held.expect(self_test_passes(self._held.bench("run the self-test")))

    @sentence("Clock Bound Should Be At Most")
    def clock_bound_should_be_at_most(self, limit: Duration) -> str:
        """Check how closely exchanges of stamps tie the board's clock to the host's."""
        return self._held.expect(clocks_tied_to(self._held.bench("bound the clock"), limit.ns))

    @sentence("Rig Should Refuse Press")
    def rig_should_refuse_press(self, length: Duration) -> str:
        """Ask for a press that the interlock has to refuse; returns the refusal.

        A press that is not refused is made: choose a length that does no harm.
        """
        return self._held.expect(press_is_refused(self._held.bench("press"), length.ns))

    @sentence("Rig Should Let Go When Host Is Silent")
    def rig_should_let_go_when_host_is_silent(self) -> str:
        """Close the lid, say nothing for longer than the board's lease, and find the lid open.

        A DUT that sleeps by its lid goes to sleep by that.
        """
        use, hands = self._held.bench("see the lease"), self._held.hands("see the lease")
        return self._held.expect(lets_go_when_silent(use, hands))

    @sentence("Latency Should Be Known To")
    def latency_should_be_known_to(
        self,
        limit: Duration,
        actuator: By,
        *channels: Channel,
        changes: int = DEFAULT_CHANGES,
        gap: Duration = _GAP,
    ) -> str:
        """Measure the latency of ``channels`` whose pins are wired to an actuator's output.

        Nothing but that wire may be on the rig: a DUT takes the changes for presses. The URL
        ``sim:dut=loopback`` has such a plug. ``changes`` of the output are made, ``gap`` apart.
        """
        use = self._held.bench("measure a latency")
        plan = LoopbackPlan(actuator.actuator, channels, changes, gap.ns)
        return self._held.expect(latency_within(use, plan, limit.ns))
