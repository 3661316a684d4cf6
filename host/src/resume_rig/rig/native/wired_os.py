"""The OS of the simulated DUT behind an image, as a shell of its own would reach it."""

from resume_rig.model.os_record import SleepKind
from resume_rig.rig.native.bench import NativeBench
from resume_rig.rig.native.wired_dut import WiredDut


class WiredOs:
    """Passes commands to the DUT of a bench that runs.

    Args:
        bench: whose thread lives the DUT.
        dut: the one at its pins.
    """

    def __init__(self, bench: NativeBench, dut: WiredDut) -> None:
        self._bench = bench
        self._dut = dut

    def knows_state(self, state: SleepKind) -> bool:
        """Return whether the DUT can be sent into a state."""
        return self._dut.has_state(state)

    def command_sleep(self, state: SleepKind) -> bool:
        """Tell the DUT's OS to go into a state; return whether it runs and does so."""
        return self._bench.in_its_world(lambda t_ns: self._dut.command(t_ns, state))

    def arm_timer(self, after_ns: int | None) -> bool:
        """Let the DUT's clock wake it, or forget that (None); return whether its OS runs."""
        return self._bench.in_its_world(lambda t_ns: self._dut.arm_timer(t_ns, after_ns))

    def os_runs(self) -> bool:
        """Return whether the DUT's OS would answer now."""
        return self._bench.in_its_world(lambda _: self._dut.os_runs())
