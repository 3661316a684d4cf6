"""Commands on a DUT over the system's OpenSSH client, and what each kind of OS is asked to do.

Host keys are checked and nothing is asked: a DUT whose key ssh does not have is refused, in ssh's
own words. Each command is a connection of its own, so that a name is looked up anew each time and a
DUT that comes back with another address is found.
"""

import base64
import re
import subprocess
import tempfile
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path
from types import MappingProxyType
from typing import IO, Final

from resume_rig.model.clock import Clock
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.os_record import SleepKind, state_word
from resume_rig.model.units import NS_PER_S, seconds_text
from resume_rig.rig.interface import Ended

CONNECT_TIMEOUT_S: Final = 5
COMMAND_LIMIT_NS: Final = 60 * NS_PER_S
OUTPUT_BYTES_MAX: Final = 256 << 20
_POLL_NS: Final = 20_000_000
_LAST_WORDS_BYTES: Final = 4096
_LAST_WORDS_CHARS: Final = 200
_SSH_FAILED: Final = 255

_FORM: Final = "ssh:USER@HOST[,HOST...][:PORT]"
_ADDRESS: Final = re.compile(
    r"(?P<user>[A-Za-z0-9_][A-Za-z0-9_.\\-]{0,63})@(?P<hosts>[^@]{1,512}?)(?::(?P<port>\d{1,5}))?"
)
_HOST: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,252}|\[[0-9A-Fa-f:.]{2,45}(?:%[\w.-]+)?\]")


@dataclass(frozen=True, slots=True)
class DutAddress:
    """Where a DUT answers; its hosts are tried in turn.

    Attributes:
        text: as the user wrote it.
        port: None for ssh's own choice.
    """

    text: str
    user: str
    hosts: tuple[str, ...]
    port: int | None


def parse_dut_address(text: str) -> DutAddress:
    """Return the address in `ssh:USER@HOST[,HOST...][:PORT]`.

    Raises:
        UsageError: it is not of that form.
    """
    found = _ADDRESS.fullmatch(text.removeprefix("ssh:"))
    hosts = found["hosts"].split(",") if found else []
    port = int(found["port"]) if found and found["port"] else None
    if found is None or not all(map(_HOST.fullmatch, hosts)) or port == 0 or (port or 0) > 65535:
        raise UsageError(f"could not reach a DUT at {text[:80]!r}: allowed is {_FORM}")
    return DutAddress(text, found["user"], tuple(host.strip("[]") for host in hosts), port)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command wrote, and how it ended.

    Attributes:
        output: standard output, as bytes.
        status: exit status of the command on the DUT.
    """

    output: bytes
    status: int


class RunningCommand:
    """One command under way; `poll` never waits.

    Args:
        words: of the command.
        clock: for the limit.
        where: for the sentence where it fails.
        limit_ns: it is ended after so long.
        lacking: what this machine has not, where the command cannot be started.
        into: a file that takes its standard output; None: the answer has it.
        most_bytes: it is ended when it writes more; None: OUTPUT_BYTES_MAX.
    """

    def __init__(
        self,
        words: list[str] | str,
        clock: Clock,
        where: str,
        limit_ns: int,
        lacking: str = "no OpenSSH client that can be started",
        *,
        into: IO[bytes] | None = None,
        most_bytes: int | None = None,
    ) -> None:
        self._clock = clock
        self._where = where
        self._limit_ns = limit_ns
        self._deadline_ns = clock.now_ns() + limit_ns
        self._files = ExitStack()
        self._most_bytes = OUTPUT_BYTES_MAX if most_bytes is None else most_bytes
        self._keeps = into is None
        self._output: IO[bytes] = into or self._files.enter_context(tempfile.TemporaryFile())
        self._complaints: IO[bytes] = self._files.enter_context(tempfile.TemporaryFile())
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=self._output, stderr=self._complaints
            )
        except OSError as error:
            self._files.close()
            raise RecordError(
                f"could not reach {where}: this machine has {lacking} ({error.strerror or error})"
            ) from error

    def poll(self) -> Answer | None:
        """Return the answer when the command has ended.

        Raises:
            RecordError: there was no connection, or it broke, or time or size ran out.
        """
        status = self._process.poll()
        if status is None:
            self._check_limits()
            return None
        output = self._read() if self._keeps else b""
        words = self._last_words()
        self.close()
        if status == _SSH_FAILED or status < 0:
            raise RecordError(f"could not reach {self._where}: {words or 'no reason was given'}")
        return Answer(output, status)

    def close(self) -> None:
        """End the command; may be called twice."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._files.close()

    def _check_limits(self) -> None:
        why = None
        if self._clock.now_ns() > self._deadline_ns:
            why = f"it gave no answer within {seconds_text(self._limit_ns)}"
        elif max(each.seek(0, 2) for each in (self._output, self._complaints)) > self._most_bytes:
            why = f"it answered with more than {self._most_bytes >> 20} MiB"
        if why is not None:
            self.close()
            raise RecordError(f"could not read from {self._where}: {why}")

    def _read(self) -> bytes:
        self._output.seek(0)
        return self._output.read(OUTPUT_BYTES_MAX)

    def _last_words(self) -> str:
        end = self._complaints.seek(0, 2)
        self._complaints.seek(max(0, end - _LAST_WORDS_BYTES))
        lines = self._complaints.read().decode("utf-8", "replace").split("\n")
        written = [line.strip() for line in lines if line.strip()]
        last = (
            "".join(char if char.isprintable() else "?" for char in written[-1]) if written else ""
        )
        return last[:_LAST_WORDS_CHARS].rstrip(".")


class DutShell:
    """Runs commands on one DUT, by a configuration of ssh in place of the user's own if named."""

    def __init__(self, address: DutAddress, clock: Clock, config: Path | None = None) -> None:
        self.address = address
        self._clock = clock
        self._config = config
        self._turn = 0

    @property
    def text(self) -> str:
        """The address as the user wrote it."""
        return self.address.text

    def stated_kind(self) -> "DutKind | None":
        """Return None: whoever answers has to be asked."""
        return None

    def begin(
        self,
        command: str,
        limit_ns: int = COMMAND_LIMIT_NS,
        into: IO[bytes] | None = None,
        most_bytes: int | None = None,
    ) -> RunningCommand:
        """Start a command on the host whose turn it is; arguments as of RunningCommand.

        Raises:
            RecordError: this machine cannot start ssh.
        """
        host = self.address.hosts[self._turn % len(self.address.hosts)]
        words, name = self._words(host, command), self._name(host)
        return RunningCommand(words, self._clock, name, limit_ns, into=into, most_bytes=most_bytes)

    def try_next_host(self) -> None:
        """Let the next command go to the next host."""
        self._turn += 1

    def run(self, command: str, limit_ns: int = COMMAND_LIMIT_NS) -> Answer:
        """Run a command and wait for its end.

        Raises:
            RecordError: no host could be reached, or a limit was passed.
        """
        for left in reversed(range(len(self.address.hosts))):
            running = self.begin(command, limit_ns)
            try:
                while (answer := running.poll()) is None:
                    self._clock.sleep_ns(_POLL_NS)
            except RecordError:
                self.try_next_host()
                if not left:
                    raise
            else:
                return answer
            finally:
                running.close()
        raise AssertionError("an address has a host")

    def _name(self, host: str) -> str:
        port = "" if self.address.port is None else f":{self.address.port}"
        return f"ssh:{self.address.user}@{host}{port}"

    def _words(self, host: str, command: str) -> list[str]:
        options = (
            "BatchMode=yes",
            "StrictHostKeyChecking=yes",
            f"ConnectTimeout={CONNECT_TIMEOUT_S}",
            "ServerAliveInterval=3",
            "ServerAliveCountMax=3",
            "LogLevel=ERROR",
        )
        words = ["ssh", "-T", "-l", self.address.user]
        words += [] if self._config is None else ["-F", str(self._config)]
        words += [] if self.address.port is None else ["-p", str(self.address.port)]
        for option in options:
            words += ["-o", option]
        return [*words, "--", host, command]


PROBE: Final = "uname -s"
"""A Windows without a uname refuses it; one with a Unix shell does not say Linux."""


@unique
class DutKind(StrEnum):
    """An operating system that a campaign knows how to ask."""

    WINDOWS = "windows"
    LINUX = "linux"


def kind_of(answer: Answer) -> DutKind:
    """Return what kind of OS gave an answer to PROBE."""
    return DutKind.LINUX if answer.output.strip() == b"Linux" else DutKind.WINDOWS


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
    """A DutControl at the far end of SSH."""

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
        self._begin(TIMER_COMMANDS[self._kind](-(-after_ns // NS_PER_S)))

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
