"""The OS of a DUT that answers over SSH: what it is told, by the kind that it is."""

import base64
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Final

from resume_rig.campaign.dut.shell import PROBE, DutKind, DutShell, RunningCommand, kind_of
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.os_record import SleepKind, state_word
from resume_rig.rig.dut_os import Ended

_NS_PER_S: Final = 1_000_000_000
_GREETING: Final = "echo"


def powershell(script: str) -> str:
    """Return a command line that runs a script; encoded, for shells differ in their quotes."""
    encoded = base64.b64encode(script.encode("utf-16-le")).decode("ascii")
    return f"powershell -NoProfile -NonInteractive -EncodedCommand {encoded}"


# rundll32 powrprof.dll,SetSuspendState passes no arguments and hibernates where it can; this asks
# for what is wanted. Whether S3 writes an image on its way (hybrid) is a setting of the power plan.
_SUSPEND: Final = powershell(
    "Add-Type -AssemblyName System.Windows.Forms; "
    "if (-not [System.Windows.Forms.Application]::SetSuspendState('Suspend', $false, $false)) "
    "{ exit 1 }"
)
_TASK: Final = "resume-rig wake"


def _wake_task(after_s: int) -> str:
    """Return a command that has Windows wake itself: a task that may, and does nothing."""
    return powershell(
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
        DutKind.WINDOWS: powershell(
            f"Unregister-ScheduledTask -TaskName '{_TASK}' -Confirm:$false "
            "-ErrorAction SilentlyContinue; exit 0"
        ),
        DutKind.LINUX: "sudo -n rtcwake -m disable",
    }
)


# Fields of one line each, and no tabs in them; `head` bounds what a log of errors may be. What only
# root may read is asked of sudo, which asks nobody.
_LINUX_HEALTH: Final = r"""exec 2>/dev/null
f() { tr -d '\t\r\n' <"$1"; }
r() { [ -e "$1" ] && printf 'residency\t%s\t%s\n' "$2" "$(f "$1")"; }
d=/sys/kernel/debug/pmc_core
pmc() { cat $d/$1 || sudo -n cat $d/$1; }
echo 'resume-rig health 1'
printf 'boot\t%s\n' "$(f /proc/sys/kernel/random/boot_id)"
for p in /sys/bus/pci/devices/*; do
  [ -e $p ] || continue
  s=0; [ -e $p/driver ] || s=no-driver
  [ "$(f $p/power/runtime_status)" = error ] && s=runtime-error
  printf 'device\tpci:%s\t%s\t%s %s:%s\n' "${p##*/}" $s "$(readlink $p/driver | sed 's,.*/,,')" \
    "$(f $p/vendor)" "$(f $p/device)"
done
for p in /sys/bus/usb/devices/*; do
  [ -e $p/idVendor ] || continue
  s=0; [ "$(f $p/power/runtime_status)" = error ] && s=runtime-error
  printf 'device\tusb:%s:%s:%s\t%s\t%s\n' "${p##*/}" "$(f $p/idVendor)" "$(f $p/idProduct)" $s \
    "$(f $p/product)"
done
for p in /sys/class/net/*; do
  [ -e $p/device ] && printf 'link\t%s\t%s\t%s\n' "${p##*/}" "$(f $p/operstate)" "${p##*/}"
done
r /sys/power/suspend_stats/total_hw_sleep total_hw_sleep
c=/sys/devices/system/cpu/cpuidle
r $c/low_power_idle_system_residency_us low_power_idle_system
r $c/low_power_idle_cpu_residency_us low_power_idle_cpu
printf 'residency\tslp_s0\t%s\n' "$(pmc slp_s0_residency_usec)"
n='\([0-9]*\)$'
pmc substate_residencies | sed -n "s/^\(S0i[0-9.]*\)[ \t]*$n/residency\tsubstate \1\t\2/p"
pmc package_cstate_show | sed -n "s/^Package \(C[0-9]*\) *: *$n/residency\tpackage \1\t\2/p"
{ journalctl -kqb -p 3 -n 64 -o short-monotonic --no-pager ||
  dmesg -l emerg,alert,crit,err || sudo -n dmesg -l emerg,alert,crit,err; } |
  tail -n 64 | cut -c 1-400 | sed 's/\t/ /g;s/^/error\t/'
echo end"""
# By numbers alone, for words are in any language; PrefetchParameters' BootId is counted up by each
# boot, and by no resume.
_WINDOWS_HEALTH: Final = powershell(
    r"""$ErrorActionPreference='SilentlyContinue'
[Console]::OutputEncoding=[Text.Encoding]::UTF8
function p { ($args | % { "$_" -replace '[\x00-\x1f]',' ' }) -join "`t" }
'resume-rig health 1'
$m='HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters'
p boot (Get-ItemProperty $m).BootId
Get-CimInstance Win32_PnPEntity |
  % { p device $_.PNPDeviceID $_.ConfigManagerErrorCode $_.Name }
Get-CimInstance Win32_NetworkAdapter -Filter 'PhysicalAdapter=TRUE' | % {
  $s=if ($_.NetConnectionStatus -eq 2) {'up'} else {'down'}
  p link $_.PNPDeviceID $s $_.NetConnectionID }
Get-WinEvent -FilterHashtable @{LogName='System';Level=1,2} -MaxEvents 64 | % {
  $t="$($_.Message)"; $t=$t.Substring(0,[Math]::Min(200,$t.Length))
  p error "$($_.RecordId) $($_.ProviderName) $($_.Id) $t" }
'end'"""
)
HEALTH_COMMANDS: Final[Mapping[DutKind, str]] = MappingProxyType(
    {DutKind.WINDOWS: _WINDOWS_HEALTH, DutKind.LINUX: _LINUX_HEALTH}
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

    def prepare(self, states: Collection[SleepKind], *, reports: bool = False) -> None:
        """Ask what it is, and see that it has a command for each state; waits for the answer.

        Health reports it has on every OS.

        Raises:
            UsageError: an OS of its kind has no command for one.
            RecordError: it cannot be reached.
        """
        del reports
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

    def report(self) -> None:
        """Begin a health report."""
        self._begin(HEALTH_COMMANDS[self._kind])

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
        self._end(Ended(ok=answer.status == 0, text=text, output=answer.output))
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
