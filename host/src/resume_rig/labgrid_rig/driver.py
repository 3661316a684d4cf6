"""What a rig can do for labgrid: power, a sleep, a wake, campaigns, an output; a DUT's states."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum, unique
from pathlib import Path
from typing import Any, ClassVar, Final

import attr
from labgrid.driver.common import Driver
from labgrid.factory import target_factory
from labgrid.protocol import DigitalOutputProtocol, PowerProtocol, ResetProtocol
from labgrid.step import step
from labgrid.strategy.common import Strategy, StrategyError, never_retry

from resume_rig.acceptance.assessment import Assessed
from resume_rig.acceptance.bench import BenchInUse, open_bench
from resume_rig.acceptance.held_line import HeldLines
from resume_rig.acceptance.single_actions import DutState, PowerActions, SingleActions
from resume_rig.campaign.dut.user_program import PowerCommand, program_words
from resume_rig.labgrid_rig.resources import url_of
from resume_rig.model.channel import Actuator
from resume_rig.model.errors import UsageError
from resume_rig.model.result.verdict import USUAL_REQUIREMENT
from resume_rig.model.units import named_duration_ns
from resume_rig.pytest_rig.running import actuator_named, run_campaign_by_words, waker_named


@dataclass(frozen=True, slots=True)
class _Hands:
    """What there is while the driver is active."""

    bench: BenchInUse
    actions: SingleActions
    power: PowerActions
    lines: HeldLines


@target_factory.reg_driver
@attr.s(eq=False)
class ResumeRigDriver(Driver, PowerProtocol, ResetProtocol):
    """A rig and the DUT on it.

    Every method may raise the errors of `resume_rig.model.errors`, each one sentence.

    Attributes:
        dut: name of a shipped DUT profile, or path of one beside the environment's file.
        log: the DUT's log for campaigns, as `resume-rig run --log` takes it.
        power_cycle: a command for the DUT's supply, as `resume-rig run --power-cycle` takes it.
        out: folder for the stores of campaigns.
    """

    bindings: ClassVar = {"resource": {"RawResumeRig", "USBResumeRig", "NetworkResumeRig"}}

    dut = attr.ib(
        default=None, validator=attr.validators.optional(attr.validators.instance_of(str))
    )
    log = attr.ib(
        default=None, validator=attr.validators.optional(attr.validators.instance_of(str))
    )
    power_cycle = attr.ib(
        default=None, validator=attr.validators.optional(attr.validators.instance_of(str))
    )
    out = attr.ib(default="resume-rig-out", validator=attr.validators.instance_of(str))

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self._lock = threading.RLock()
        self._hands: _Hands | None = None

    def on_activate(self) -> None:
        """Open the rig for this process alone."""
        supply = None
        if self.power_cycle is not None:
            supply = PowerCommand(program_words(self.power_cycle), {"target": self.target.name})
        bench = open_bench(url_of(self.resource), self._profile())
        actions = SingleActions(bench)
        power = PowerActions(actions, supply)
        self._hands = _Hands(bench, actions, power, HeldLines(bench, self._lock))

    def on_deactivate(self) -> None:
        """Let go of every actuator and of the rig."""
        hands, self._hands = self._hands, None
        if hands is None:
            return
        with ExitStack() as stack:
            stack.callback(hands.bench.close)
            stack.callback(hands.lines.close)

    @Driver.check_active
    @step()
    def on(self) -> None:
        """Start, or wake, a DUT that does not run."""
        with self._held() as hands:
            hands.power.on()

    @Driver.check_active
    @step()
    def off(self) -> None:
        """Hold the button until the power is cut."""
        with self._held() as hands:
            hands.power.off()

    @Driver.check_active
    @step()
    def cycle(self) -> None:
        """Cut the power, and start the DUT again."""
        with self._held() as hands:
            hands.power.reset()

    @Driver.check_active
    @step()
    def reset(self) -> None:
        """As `cycle`: a rig has no wire to the reset header."""
        self.cycle()

    @Driver.check_active
    @step()
    def let_boot(self) -> None:
        """Wait for as long as the DUT's profile gives its OS to react."""
        with self._held() as hands:
            hands.power.let_boot()

    @Driver.check_active
    @step(args=["length", "force_off"])
    def press(self, length: str = "150 ms", force_off: bool = False) -> int | None:
        """Press the button; return how long the header saw it [ns], None where it saw none."""
        length_ns = named_duration_ns("length", length)
        with self._held() as hands:
            return hands.actions.press(length_ns, force_off=force_off).width_ns

    @Driver.check_active
    @step(args=["by"])
    def put_to_sleep(self, by: str = "BUTTON", timeout: str = "60 s") -> int:
        """Put the DUT to sleep; return the time from the trigger to sleep entry [ns]."""
        limit_ns = named_duration_ns("timeout", timeout)
        with self._held() as hands:
            return hands.actions.put_to_sleep(actuator_named(by), limit_ns)

    @Driver.check_active
    @step(args=["by"])
    def wake(self, by: str = "BUTTON", timeout: str = "60 s") -> int:
        """Wake the DUT; return the time from the trigger to the last sign of it [ns]."""
        limit_ns = named_duration_ns("timeout", timeout)
        with self._held() as hands:
            return hands.actions.wake(waker_named(by), limit_ns)

    @Driver.check_active
    @step(args=["length"])
    def press_key(self, length: str = "150 ms") -> None:
        """Press the key of the keyboard that the board is."""
        length_ns = named_duration_ns("length", length)
        with self._held() as hands:
            hands.actions.press_key(length_ns)

    @Driver.check_active
    @step()
    def send_magic_packet(self) -> None:
        """Send the packet that wakes the DUT's network adapter, whose MAC its profile names."""
        with self._held() as hands:
            hands.actions.send_magic_packet()

    @Driver.check_active
    def dut_state(self) -> str:
        """Return what the wires show: awake, S3, S4, off or unclear."""
        with self._held() as hands:
            return hands.actions.state().value

    @Driver.check_active
    @step(args=["state"])
    def await_state(self, state: str, timeout: str = "60 s") -> None:
        """Wait until the wires show a state, as `dut_state` names it."""
        if state not in list(DutState):
            raise UsageError(f"{state!r} is no state; allowed are {', '.join(DutState)}")
        limit_ns = named_duration_ns("timeout", timeout)
        with self._held() as hands:
            hands.actions.await_state(DutState(state), limit_ns)

    @Driver.check_active
    def get(self) -> bool:
        """Return whether the DUT has power: it runs, or sleeps no deeper than S3."""
        return self.dut_state() not in ("off", "S4")

    @Driver.check_active
    def levels(self) -> dict[str, int]:
        """Return the present level of each wired channel."""
        with self._held() as hands:
            return {str(channel): level for channel, level in hands.actions.levels().items()}

    @Driver.check_active
    @step()
    def run_campaign(self, requirement: str = USUAL_REQUIREMENT, **words: Any) -> Assessed:
        """Run a campaign into a new store in `out`; `plan`, and every word of a plan by its key.

        `resume_rig.pytest_rig.assert_resume` asserts what it shows.
        """
        with self._held() as hands:
            return run_campaign_by_words(
                hands.bench,
                words,
                folder=Path(self.out),
                test=self.target.name,
                requirement=requirement,
                log=self.log,
            )

    @Driver.check_active
    def hold(self, actuator: Actuator, longest_ns: int | None) -> None:
        """Close the button's contact, the lid, or the dry contact, until `let_go`."""
        with self._held() as hands:
            if actuator is Actuator.LID:
                hands.lines.hold_lid()
            elif actuator is Actuator.CONTACT:
                hands.lines.hold_contact()
            else:
                hands.lines.hold_button(longest_ns)

    @Driver.check_active
    def let_go(self, actuator: Actuator) -> None:
        """Open the contact, or the lid."""
        with self._held() as hands:
            hands.lines.let_go(actuator)

    @Driver.check_active
    def is_held(self, actuator: Actuator) -> bool:
        """Return whether the line itself shows a press, or a closed lid; none shows a contact."""
        with self._held() as hands:
            return hands.lines.is_active(actuator)

    @contextmanager
    def _held(self) -> Iterator[_Hands]:
        if self._hands is None:
            raise UsageError("the rig of this driver is not open; activate the driver first")
        with self._lock:
            yield self._hands

    def _profile(self) -> str | None:
        """Return the DUT's profile; a path counts from the environment's file."""
        if self.dut is None or not self.dut.endswith(".toml") or self.target.env is None:
            return self.dut
        return str(self.target.env.config.resolve_path(self.dut))


@target_factory.reg_driver
@attr.s(eq=False)
class ResumeRigOutputDriver(Driver, DigitalOutputProtocol):
    """An actuator that is set and let go of; True is a pressed button, or a closed lid.

    Attributes:
        line: BUTTON, LID or CONTACT.
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
        if self._actuator is Actuator.KEYBOARD:
            raise UsageError("a KEYBOARD is no line; allowed are BUTTON, LID and CONTACT")
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
    """Brings the DUT into a state; the wires show whether it is there.

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
                return bool(shown == "off" or (shown in _ASLEEP and self._off_looks_asleep()))
            case _:
                return True

    def _off_looks_asleep(self) -> bool:
        return "SLP_S5" not in self.rig.levels()


_ALLOWED: Final = ", ".join(each.name for each in Status if each is not Status.unknown)


def _status_of(status: Status | str) -> Status:
    if isinstance(status, Status):
        return status
    if status not in Status.__members__:
        raise StrategyError(f"there is no state {status!r}; allowed are {_ALLOWED}")
    return Status[status]
