"""The shell of a simulated DUT, in its own process: answers at once while its OS runs."""

from collections.abc import Collection
from typing import Protocol

from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind, state_word
from resume_rig.rig.interface import Ended

_SILENT = Ended(ok=False, reached=False, text="could not reach the simulated DUT: it does not run")


class SimulatedOs(Protocol):
    """The OS of a simulated DUT; each command returns whether the OS runs and does it."""

    def has_state(self, state: SleepKind) -> bool:
        """Return whether the DUT can be sent into a state."""
        ...

    def command_sleep(self, state: SleepKind) -> bool:
        """Command it into a state."""
        ...

    def arm_timer(self, after_ns: int | None) -> bool:
        """Let its clock wake the DUT after so long, or forget that (None)."""
        ...

    def os_runs(self) -> bool:
        """Return whether it would answer now."""
        ...

    def health_report(self) -> str | None:
        """Return its health report; None where it would not answer now."""
        ...


class SimulatedControl:
    """A DutControl of a simulated DUT, on a simulated bench or behind an image."""

    def __init__(self, bench: SimulatedOs) -> None:
        self._bench = bench
        self._ended: Ended | None = None

    def prepare(self, states: Collection[SleepKind], *, reports: bool = False) -> None:
        """See that it has the states; it reports always.

        Raises:
            UsageError: it has not one of them.
        """
        del reports
        for state in sorted(states):
            if not self._bench.has_state(state):
                raise UsageError(
                    f"the plan asks for {state_word(state)}, which the simulated DUT does not have"
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

    def report(self) -> None:
        """Have it report."""
        text = self._bench.health_report()
        self._ended = _SILENT if text is None else Ended(ok=True, output=text.encode("utf-8"))

    def ended(self) -> Ended | None:
        """Return how the last command ended."""
        return self._ended

    def close(self) -> None:
        """Nothing is open between two calls."""
