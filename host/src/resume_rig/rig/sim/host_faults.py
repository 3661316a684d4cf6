"""What is injected into the host of a simulated bench: pauses, a full disk, a log out of reach."""

from collections.abc import Callable

from resume_rig.model.errors import RecordError
from resume_rig.model.fault_plan import ON_THE_HOST, FaultKind, FaultPlan
from resume_rig.rig.dut_log import DutLog
from resume_rig.rig.sim.fault_schedule import FaultSchedule, FaultWatch


class HostFaults:
    """The machine on which a campaign runs.

    Args:
        plan: what is injected.
        seed: of the bench.
        now_ns: world time.
    """

    def __init__(self, plan: FaultPlan, seed: int, now_ns: Callable[[], int]) -> None:
        self._watch = FaultWatch(FaultSchedule(plan, seed, ON_THE_HOST), now_ns)

    def pause_left_ns(self) -> int:
        """Return how long the process does nothing from now on."""
        return self._watch.left_ns(FaultKind.HOST_PAUSE)

    def disk_is_full(self) -> bool:
        """Return whether the disk of the store has no room."""
        return self._watch.left_ns(FaultKind.DISK_FULL) > 0

    def reached(self, log: DutLog) -> DutLog:
        """Return a log that cannot be read while the way to it is cut."""

        def text_from(offset: int) -> bytes:
            if self._watch.left_ns(FaultKind.LOG_CUT):
                raise RecordError(
                    f"could not read the log {log.name} of the DUT: the way to it is cut (a fault "
                    "that is injected); it is tried again"
                )
            return log.text_from(offset)

        return DutLog(log.name, text_from)
