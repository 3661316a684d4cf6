"""The shell of a simulated DUT, in its own process: answers at once while its OS runs."""

from collections.abc import Collection

from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind, state_word
from resume_rig.rig.dut_control import Ended
from resume_rig.rig.sim.bench import SimulatedBench

_SILENT = Ended(ok=False, reached=False, text="could not reach the simulated DUT: it does not run")


class SimulatedControl:
    """A DutControl of the DUT on a simulated bench."""

    def __init__(self, bench: SimulatedBench) -> None:
        self._bench = bench
        self._ended: Ended | None = None

    def prepare(self, states: Collection[SleepKind]) -> None:
        """See that it has the states.

        Raises:
            UsageError: it has not one of them.
        """
        for state in sorted(states):
            if not self._bench.knows_state(state):
                raise UsageError(
                    f"the plan asks for {state_word(state)}, which the simulated DUT has not"
                )

    def sleep(self, state: SleepKind) -> None:
        """Send it into a state; it is on its way when this returns."""
        self._ended = Ended(ok=True) if self._bench.command_sleep(state) else _SILENT

    def arm_timer(self, after_ns: int) -> None:
        """Arm its clock."""
        self._ended = Ended(ok=True) if self._bench.arm_timer(after_ns) else _SILENT

    def disarm_timer(self) -> None:
        """Let its clock forget the wake."""
        self._ended = Ended(ok=True) if self._bench.arm_timer(None) else _SILENT

    def greet(self) -> None:
        """See whether its OS runs."""
        self._ended = Ended(ok=True) if self._bench.os_runs() else _SILENT

    def ended(self) -> Ended | None:
        """Return how the last command ended."""
        return self._ended

    def close(self) -> None:
        """Nothing is open between two calls."""
