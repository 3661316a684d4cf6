"""The button, or the lid, as a digital output: for labgrid tests that know a relay."""

from typing import ClassVar

import attr
from labgrid.driver.common import Driver
from labgrid.factory import target_factory
from labgrid.protocol import DigitalOutputProtocol
from labgrid.step import step

from resume_rig.acceptance.durations import named_duration_ns
from resume_rig.pytest_rig.dut import actuator_named


@target_factory.reg_driver
@attr.s(eq=False)
class ResumeRigOutputDriver(Driver, DigitalOutputProtocol):
    """An actuator that is set and let go of; True is a pressed button, or a closed lid.

    Attributes:
        line: BUTTON or LID.
        longest: of a press, with its unit; the board's own limit (1 s) where it is left out. More
            than that cuts the DUT's power.
    """

    bindings: ClassVar = {"rig": "ResumeRigDriver"}

    line = attr.ib(default="BUTTON", validator=attr.validators.instance_of(str))
    longest = attr.ib(
        default=None, validator=attr.validators.optional(attr.validators.instance_of(str))
    )

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self._actuator = actuator_named(self.line)
        self._longest_ns = (
            None if self.longest is None else named_duration_ns("longest", self.longest)
        )

    def on_deactivate(self) -> None:
        """Let go."""
        self.rig.let_go(self._actuator)

    @Driver.check_active
    @step(result=True)
    def get(self) -> bool:
        """Return what the line itself shows, not what was asked for."""
        return bool(self.rig.is_held(self._actuator))

    @Driver.check_active
    @step(args=["status"])
    def set(self, status: bool) -> None:
        """Press, or close; let go, or open."""
        if status:
            self.rig.hold(self._actuator, self._longest_ns)
        else:
            self.rig.let_go(self._actuator)
