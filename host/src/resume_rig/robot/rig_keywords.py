"""Keywords about the rig itself: opening it, its health, its interlock, its calibration."""

from robot.api import SkipExecution, logger

from resume_rig.acceptance.bench_in_use import open_bench
from resume_rig.acceptance.rig_checks import (
    clocks_tied_to,
    latency_within,
    lets_go_when_silent,
    press_is_refused,
    rig_is_healthy,
    self_test_passes,
)
from resume_rig.campaign.self_measurement import DEFAULT_CHANGES, DEFAULT_GAP_NS, LoopbackPlan
from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.robot.arguments import By, Duration, Part, sentence
from resume_rig.robot.held import shown
from resume_rig.robot.keywords import Keywords

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
        held.use = open_bench(url, dut or None)
        held.url, held.dut = url, dut or None
        info = held.use.info
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
        return self._held.expect(press_is_refused(self._held.hands("press"), length.ns))

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
        plan = LoopbackPlan(actuator.chosen, channels, changes, gap.ns)
        return self._held.expect(latency_within(use, plan, limit.ns))
