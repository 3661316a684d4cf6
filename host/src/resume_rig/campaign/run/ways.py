"""How one cycle gets its DUT to sleep and to wake: by the rig, by its OS, or by waiting."""

from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.states import STATES
from resume_rig.campaign.run.bench import Bench
from resume_rig.campaign.store.raw import Command, CommandName
from resume_rig.model.channel import COMMANDED, SLEEPERS, Actuator, SleepMeans, WakeMeans
from resume_rig.model.os_record import state_word
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.model.units import NS_PER_S
from resume_rig.rig.interface import DutControl, Ended, Keyboard, KeyboardBus

# A command that arms a timer answers within seconds; SSH to a DUT that just woke takes longer.
ARMED_WITHIN_NS = 30 * NS_PER_S
# A timer counts whole seconds, and its clock and the board's are not the same.
TIMER_SLACK_NS = 2 * NS_PER_S


class CycleWays:
    """The ways of one cycle.

    Attributes:
        due_ns: board clock at which the DUT's own timer may wake it at the earliest; None where
            none was armed.
        warning: what the board found before it pressed its key, and speaks against a wake.

    Args:
        bench: where it happens.
        plan: of the cycle.
        control: the DUT's OS; None where nothing reaches it.
        idle_ns: after so long without input the DUT sleeps; None: not stated.
    """

    def __init__(
        self, bench: Bench, plan: Plan, control: DutControl | None, idle_ns: int | None
    ) -> None:
        self._bench = bench
        self._plan = plan
        self._control = control
        self._idle_ns = idle_ns
        self.due_ns: int | None = None
        self.warning: Finding | None = None

    @property
    def idle_ns(self) -> int:
        """How long the DUT is left alone before it starts to sleep; 0 where something starts it."""
        return (self._idle_ns or 0) if self._plan.sleep_by is SleepMeans.IDLE else 0

    def arm(self) -> Finding | None:
        """Arm the DUT's timer where it is to wake by that; return a finding where that failed.

        A timer of an earlier cycle, which woke before it was due, must not wake it in this one.
        """
        if self._control is None:
            return None
        if self._plan.wake_by is not WakeMeans.TIMER:
            return self._disarm(self._control)
        # The way into the state is on top, so that the DUT sleeps for the dwell at least.
        after_ns = self._plan.dwell_ns + STATES[self._plan.state].entry_ns + self.idle_ns
        bench, control = self._bench, self._control
        self._note(CommandName.ARM_TIMER, after_ns)
        asked_ns = bench.board_now_ns()
        bench.alarm_until_ns = bench.clock.now_ns() + after_ns + TIMER_SLACK_NS
        control.arm_timer(after_ns)
        failed = self._unless_done("arm its timer", self._ended_within(ARMED_WITHIN_NS))
        if failed is not None:
            return failed
        self.due_ns = asked_ns + after_ns - TIMER_SLACK_NS
        armed = bench.commands[-1]
        bench.commands[-1] = Command(
            armed.name, armed.host_ns, after_ns, bench.board_now_ns(), self.due_ns
        )
        return None

    def _disarm(self, control: DutControl) -> Finding | None:
        if self._bench.clock.now_ns() >= self._bench.alarm_until_ns:
            return None
        self._note(CommandName.DISARM_TIMER)
        control.disarm_timer()
        failed = self._unless_done("forget its timer", self._ended_within(ARMED_WITHIN_NS))
        if failed is None:
            self._bench.alarm_until_ns = 0
        return failed

    def start_sleep(self) -> Command | None:
        """Start the sleep; return the rig's command where it is one."""
        by = self._plan.sleep_by
        if isinstance(by, Actuator):
            return self._bench.move(by, closed=True)
        if by is SleepMeans.COMMAND and self._control is not None:
            self._note(CommandName.SLEEP_COMMAND)
            self._control.sleep(self._plan.state)
        return None

    def command_failed(self) -> Finding | None:
        """Return a finding where the OS was commanded to sleep and did not."""
        if self._plan.sleep_by is not SleepMeans.COMMAND:
            return None
        return self._unless_done(f"go to {state_word(self._plan.state)}", self._ended())

    def end_command(self) -> None:
        """Give up a command that a DUT which sleeps never answers."""
        if self._control is not None:
            self._control.close()

    def start_wake(self) -> Command:
        """Wake the DUT, or open its lid.

        Raises:
            RigError: the rig cannot, or a packet could not be sent.
        """
        if self._plan.wake_by is Actuator.KEYBOARD:
            self.warning = _not_armed(self._bench.rig.keyboard())
        if self._plan.wake_by in COMMANDED:
            return self._bench.wake(self._plan.wake_by)
        return self._bench.move(wake_actuator(self._plan, self._bench), closed=False)

    def wake_lid_is_open(self) -> bool:
        """Return whether the lid has to be closed first, to be opened for the wake."""
        if self._plan.wake_by in COMMANDED:
            return False
        by_lid = wake_actuator(self._plan, self._bench) is Actuator.LID
        return by_lid and self.due_ns is None and not self._bench.lid_closed

    def _ended(self) -> Ended | None:
        if self._control is None:
            return Ended(ok=False, reached=False, text="nothing reaches its OS")
        return self._control.ended()

    def _ended_within(self, limit_ns: int) -> Ended | None:
        found: list[Ended] = []

        def over() -> bool:
            ended = self._ended()
            found.extend([] if ended is None else [ended])
            return bool(found)

        self._bench.wait(self._bench.clock.now_ns() + limit_ns, over)
        return found[0] if found else None

    def _note(self, name: CommandName, duration_ns: int | None = None) -> None:
        now_ns = self._bench.clock.now_ns()
        self._bench.commands.append(Command(name, now_ns, duration_ns, self._bench.board_now_ns()))

    def _unless_done(self, what: str, ended: Ended | None) -> Finding | None:
        """Return a finding where a command did not end well; None where it did."""
        if ended is not None and ended.ok:
            return None
        why = "it gave no answer" if ended is None else ended.text or "it did not"
        reached = ended is not None and ended.reached
        return Finding(
            FindingKind.COMMAND_FAILED,
            f"The OS was commanded to {what}: {why}.",
            {"reached": "yes" if reached else "no"},
        )


def _not_armed(keyboard: Keyboard) -> Finding | None:
    """Return a finding where a key cannot wake the DUT, as the bus between the two shows."""
    evidence = {"bus": keyboard.bus.value, "armed": "yes" if keyboard.armed else "no"}
    if keyboard.bus is KeyboardBus.DETACHED:
        text = "the DUT's port has no power, or nothing has configured the keyboard there"
    elif not keyboard.armed:
        text = "its OS has not armed remote wakeup"
    else:
        return None
    return Finding(FindingKind.WAKE_NOT_ARMED, f"A key could not wake the DUT: {text}.", evidence)


def sleep_actuator(plan: Plan, bench: Bench) -> Actuator:
    """Return what the rig moves to send a DUT to sleep, whatever the plan's own way is."""
    return plan.sleep_by if isinstance(plan.sleep_by, Actuator) else _any(bench)


def wake_actuator(plan: Plan, bench: Bench) -> Actuator:
    """Return what the rig moves to wake a DUT for sure, whatever the plan's own way is.

    A button or a lid: the others wake only a DUT that is armed for them.
    """
    by = plan.wake_by
    return by if isinstance(by, Actuator) and by in SLEEPERS else _any(bench)


def _any(bench: Bench) -> Actuator:
    return Actuator.BUTTON if Actuator.BUTTON in bench.movable else Actuator.LID
