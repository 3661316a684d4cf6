"""The states of a DUT that a labgrid test asks for: awake, asleep, off."""

from enum import Enum, unique
from typing import Any, ClassVar, Final

import attr
from labgrid.factory import target_factory
from labgrid.step import step
from labgrid.strategy.common import Strategy, StrategyError, never_retry

_ASLEEP: Final = ("S3", "S4")


@unique
class Status(Enum):
    """Where the DUT is."""

    unknown = 0
    off = 1
    asleep = 2
    awake = 3


@target_factory.reg_driver
@attr.s(eq=False)
class ResumeRigStrategy(Strategy):
    """Brings the DUT into a state; the wires say whether it is there.

    The first failure is *the* failure: later calls raise it again.

    Attributes:
        sleep_by: what puts the DUT to sleep, BUTTON or LID.
        wake_by: what wakes it: the same, KEYBOARD, CONTACT or LAN.
    """

    bindings: ClassVar = {"rig": "ResumeRigDriver"}

    status = attr.ib(default=Status.unknown)
    sleep_by = attr.ib(default="BUTTON", validator=attr.validators.instance_of(str))
    wake_by = attr.ib(default="BUTTON", validator=attr.validators.instance_of(str))

    @never_retry
    @step(args=["status"])
    def transition(self, status: Status | str, *, step: Any) -> None:
        """Go to a state: off, asleep or awake."""
        wanted = _status_of(status)
        self.target.activate(self.rig)
        if wanted is self.status and self._shows(wanted):
            step.skip("nothing to do")
            return
        match wanted:
            case Status.off:
                self.rig.off()
            case Status.awake:
                self._wake()
            case Status.asleep:
                self._wake()
                self.rig.put_to_sleep(by=self.sleep_by)
            case _:
                raise StrategyError(f"can not transition to {wanted}; allowed are {_ALLOWED}")
        self.status = wanted

    @never_retry
    @step(args=["status"])
    def force(self, status: Status | str) -> None:
        """Take a state for given, where the wires do not contradict."""
        wanted = _status_of(status)
        self.target.activate(self.rig)
        if not self._shows(wanted):
            raise StrategyError(
                f"can not take {wanted.name} for given: the wires show {self.rig.dut_state()}"
            )
        self.status = wanted

    def _wake(self) -> None:
        """Wake or start the DUT, and let its OS come."""
        shown = self.rig.dut_state()
        if shown == "awake":
            return
        if self.status is Status.asleep and shown in _ASLEEP:
            self.rig.wake(by=self.wake_by)
            return
        # Lines of a DUT that is off and of one that sleeps deep may be the same.
        self.rig.on()
        self.rig.let_boot()

    def _shows(self, status: Status) -> bool:
        shown = self.rig.dut_state()
        match status:
            case Status.awake:
                return bool(shown == "awake")
            case Status.asleep:
                return shown in _ASLEEP
            case Status.off:
                # Where SLP_S5 is not wired, a DUT that is off shows the lines of a deep sleep.
                return bool(shown == "off" or (shown in _ASLEEP and self._cannot_tell_off()))
            case _:
                return True

    def _cannot_tell_off(self) -> bool:
        return "SLP_S5" not in self.rig.levels()


_ALLOWED: Final = ", ".join(each.name for each in Status if each is not Status.unknown)


def _status_of(status: Status | str) -> Status:
    if isinstance(status, Status):
        return status
    if status not in Status.__members__:
        raise StrategyError(f"there is no state {status!r}; allowed are {_ALLOWED}")
    return Status[status]
