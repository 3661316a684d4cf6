"""The OS of a DUT that answers over SSH: what it is told, by the kind that it is."""

import base64
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Final

from resume_rig.campaign.dut_kind import PROBE, DutKind, kind_of
from resume_rig.campaign.dut_shell import DutShell, RunningCommand
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.os_record import SleepKind, state_word
from resume_rig.rig.dut_control import Ended

_NS_PER_S: Final = 1_000_000_000
_GREETING: Final = "echo"


def _powershell(script: str) -> str:
    """Return a command line that runs a script; encoded, for shells differ in their quotes."""
    encoded = base64.b64encode(script.encode("utf-16-le")).decode("ascii")
    return f"powershell -NoProfile -NonInteractive -EncodedCommand {encoded}"


# rundll32 powrprof.dll,SetSuspendState passes no arguments and hibernates where it can; this asks
# for what is wanted. Whether S3 writes an image on its way (hybrid) is a setting of the power plan.
_SUSPEND: Final = _powershell(
    "Add-Type -AssemblyName System.Windows.Forms; "
    "if (-not [System.Windows.Forms.Application]::SetSuspendState('Suspend', $false, $false)) "
    "{ exit 1 }"
)
_TASK: Final = "resume-rig wake"


def _wake_task(after_s: int) -> str:
    """Return a command that has Windows wake itself: a task that may, and does nothing."""
    return _powershell(
        "$ErrorActionPreference = 'Stop'; "
        "$do = New-ScheduledTaskAction -Execute 'cmd.exe' -Argument '/c exit'; "
        f"$at = New-ScheduledTaskTrigger -Once -At (Get-Date).AddSeconds({after_s}); "
        "$how = New-ScheduledTaskSettingsSet -WakeToRun -AllowStartIfOnBatteries; "
        f"Register-ScheduledTask -TaskName '{_TASK}' -Action $do -Trigger $at -Settings $how "
        "-User SYSTEM -Force | Out-Null"
    )


SLEEP_COMMANDS: Final[Mapping[DutKind, Mapping[SleepKind, str]]] = MappingProxyType(
    {
        DutKind.WINDOWS: {
            SleepKind.S3: _SUSPEND,
            SleepKind.HYBRID: _SUSPEND,
            SleepKind.S4: "shutdown /h",
            SleepKind.FAST_STARTUP: "shutdown /s /hybrid /t 0",
            SleepKind.BOOT: "shutdown /s /t 0",
        },
        DutKind.LINUX: {
            # systemd suspends to whatever the kernel is set to, so that is looked at first.
            SleepKind.S3: r"grep -q '\[deep\]' /sys/power/mem_sleep && systemctl suspend",
            SleepKind.MODERN_STANDBY: (
                r"grep -q '\[s2idle\]' /sys/power/mem_sleep && systemctl suspend"
            ),
            SleepKind.HYBRID: "systemctl hybrid-sleep",
            SleepKind.S4: "systemctl hibernate",
            SleepKind.BOOT: "systemctl poweroff",
        },
    }
)
TIMER_COMMANDS: Final[Mapping[DutKind, Callable[[int], str]]] = MappingProxyType(
    {
        DutKind.WINDOWS: _wake_task,
        DutKind.LINUX: lambda after_s: f"sudo -n rtcwake -m no -s {after_s}",
    }
)
DISARM_COMMANDS: Final[Mapping[DutKind, str]] = MappingProxyType(
    {
        DutKind.WINDOWS: _powershell(
            f"Unregister-ScheduledTask -TaskName '{_TASK}' -Confirm:$false "
            "-ErrorAction SilentlyContinue; exit 0"
        ),
        DutKind.LINUX: "sudo -n rtcwake -m disable",
    }
)


class ShellControl:
    """A DutControl at the far end of SSH.

    Args:
        shell: to the DUT.
    """

    def __init__(self, shell: DutShell) -> None:
        self._shell = shell
        self._kind = DutKind.WINDOWS
        self._running: RunningCommand | None = None
        self._ended: Ended | None = None

    def prepare(self, states: Collection[SleepKind]) -> None:
        """Ask what it is, and see that it has a command for each state; waits for the answer.

        Raises:
            UsageError: an OS of its kind has no command for one.
            RecordError: it cannot be reached.
        """
        self._kind = kind_of(self._shell.run(PROBE))
        for state in sorted(states):
            sleep_command(self._kind, state)

    def sleep(self, state: SleepKind) -> None:
        """Begin to send it into a state that it was prepared for."""
        self._begin(sleep_command(self._kind, state))

    def arm_timer(self, after_ns: int) -> None:
        """Begin to arm its clock."""
        self._begin(TIMER_COMMANDS[self._kind](-(-after_ns // _NS_PER_S)))

    def disarm_timer(self) -> None:
        """Begin to let its clock forget the wake."""
        self._begin(DISARM_COMMANDS[self._kind])

    def greet(self) -> None:
        """Begin to see whether its OS answers."""
        self._begin(_GREETING)

    def ended(self) -> Ended | None:
        """Return how the command ended; None while it runs."""
        if self._running is None:
            return self._ended
        try:
            answer = self._running.poll()
        except RecordError as error:
            self._shell.try_next_host()
            self._end(Ended(ok=False, reached=False, text=str(error)))
            return self._ended
        if answer is None:
            return None
        text = f"it ended the command with status {answer.status}" if answer.status else ""
        self._end(Ended(ok=answer.status == 0, text=text))
        return self._ended

    def close(self) -> None:
        """Give up the command that runs."""
        if self._running is not None:
            self._running.close()
            self._running = None

    def _begin(self, command: str) -> None:
        self.close()
        self._ended = None
        try:
            self._running = self._shell.begin(command)
        except RecordError as error:
            self._end(Ended(ok=False, reached=False, text=str(error)))

    def _end(self, ended: Ended) -> None:
        self._running, self._ended = None, ended


def sleep_command(kind: DutKind, state: SleepKind) -> str:
    """Return what sends an OS of a kind into a state.

    Raises:
        UsageError: it has no command for that.
    """
    commands = SLEEP_COMMANDS[kind]
    if state not in commands:
        raise UsageError(
            f"{kind.value} has no command for {state_word(state)}; allowed are "
            f"{', '.join(map(state_word, commands))}, or --sleep-command with one of your own"
        )
    return commands[state]
