"""A trace of each cycle, made on a Windows DUT by its own tools and fetched after the wake.

Nothing that goes wrong with a trace ends a campaign: the cycle reports why it has none. Nothing is
left running where the host dies: a task of the DUT's own, armed before each start, ends the
recording. Commands are those of Microsoft's reference of wpr and xperf
(docs/how-to/trace-a-resume.md); no Windows has run them yet.
"""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final

from resume_rig.campaign.dut.log_source import kept_of
from resume_rig.campaign.dut.shell import (
    PROBE,
    DutKind,
    DutShell,
    RunningCommand,
    kind_of,
    powershell,
)
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.words import TraceTool
from resume_rig.campaign.store.disk import free_bytes
from resume_rig.campaign.store.store import beside_store
from resume_rig.model.clock import Clock
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.os_record import OsRecord
from resume_rig.model.units import NS_PER_S
from resume_rig.oslog.etl.transitions import read_etl
from resume_rig.oslog.source.records import SourceRequest
from resume_rig.oslog.xperf.xml_summary import read_xperf_xml

TRACE_BYTES_MAX: Final = 512 << 20
"""Assumed: twice what a minute of the paper's analysis flags may write."""

KEPT_FREE_BYTES: Final = 256 << 20
"""What traces leave of the host's disk to the store."""

START_LIMIT_NS: Final = 60 * NS_PER_S
STOP_LIMIT_NS: Final = 180 * NS_PER_S  # merging and symbols of managed code; assumed
FETCH_LIMIT_NS: Final = 600 * NS_PER_S
CANCEL_LIMIT_NS: Final = 20 * NS_PER_S
_GUARD_SLACK_S: Final = 900
_SUMMARY_BYTES_MAX: Final = 64 << 20

_NAME: Final = "resume-rig"
_WHERE: Final = "where.exe"  # without .exe it is another command in PowerShell
_TASK: Final = "resume-rig trace"
_FOLDER: Final = r"C:\Windows\Temp"
TRACE: Final = rf"{_FOLDER}\resume-rig.etl"
_SUMMARY: Final = rf"{_FOLDER}\resume-rig.xml"
_PROFILE: Final = rf"{_FOLDER}\resume-rig.wprp"
_KERNEL: Final = rf"{_FOLDER}\resume-rig-kernel.etl"
_USER: Final = rf"{_FOLDER}\resume-rig-user.etl"
_PROVIDERS: Final = ("Microsoft-Windows-Kernel-Power", "Microsoft-Windows-Power-Troubleshooter")
# The paper's flags of a timing trace: they disturb least.
_FLAGS: Final = "base+cswitch+compact_cswitch"

# In memory, for a file would be written to while the DUT goes to sleep; 64 MB of it at most.
_WPRP: Final = (
    '<?xml version="1.0" encoding="utf-8"?>'
    '<WindowsPerformanceRecorder Version="1.0"><Profiles>'
    '<EventCollector Id="Collector" Name="resume-rig"><BufferSize Value="1024"/>'
    '<Buffers Value="64"/></EventCollector>'
    + "".join(
        f'<EventProvider Id="Provider{number}" Name="{name}"/>'
        for number, name in enumerate(_PROVIDERS)
    )
    + '<Profile Id="ResumeRig.Verbose.Memory" Name="ResumeRig" Description="Power transitions" '
    'LoggingMode="Memory" DetailLevel="Verbose"><Collectors><EventCollectorId Value="Collector">'
    "<EventProviders>"
    + "".join(f'<EventProviderId Value="Provider{number}"/>' for number in range(len(_PROVIDERS)))
    + "</EventProviders></EventCollectorId></Collectors></Profile></Profiles>"
    "</WindowsPerformanceRecorder>"
)


@dataclass(frozen=True, slots=True)
class _Commands:
    """The commands of one tool."""

    start: str
    stop: str
    cancel: str


_COMMANDS: Final = {
    TraceTool.WPR: _Commands(
        start=f'wpr -start GeneralProfile.light -start "{_PROFILE}" -instancename {_NAME}',
        stop=f'wpr -stop "{TRACE}" -instancename {_NAME}',
        cancel=f"wpr -cancel -instancename {_NAME}",
    ),
    TraceTool.XPERF: _Commands(
        start=(
            f'xperf -on {_FLAGS} -f "{_KERNEL}" -BufferSize 1024 -MaxFile 384 -FileMode Circular '
            f'-start {_NAME} -on {"+".join(_PROVIDERS)} -f "{_USER}" -BufferSize 1024 -MaxFile 64 '
            "-FileMode Circular"
        ),
        stop=f'xperf -stop -stop {_NAME} -d "{TRACE}"',
        cancel=f"xperf -stop -stop {_NAME}",
    ),
}
_SUMMARISE: Final = f'xperf -i "{TRACE}" -o "{_SUMMARY}" -a suspend'


def guard_script(tool: TraceTool, after_s: int) -> str:
    """Return what arms the task that ends a forgotten recording, and lays down wpr's profile.

    The task runs as who records, for a recording belongs to its user; S4U needs no password.
    """
    cancel = _COMMANDS[tool].cancel
    return (
        "$ErrorActionPreference = 'Stop'; "
        f"[IO.File]::WriteAllText('{_PROFILE}', '{_WPRP}'); "
        f"$do = New-ScheduledTaskAction -Execute 'cmd.exe' -Argument '/c {cancel}'; "
        f"$at = New-ScheduledTaskTrigger -Once -At (Get-Date).AddSeconds({after_s}); "
        "$how = New-ScheduledTaskSettingsSet -StartWhenAvailable -AllowStartIfOnBatteries; "
        "$who = New-ScheduledTaskPrincipal -UserId ([Environment]::UserDomainName + '\\' + "
        "[Environment]::UserName) -LogonType S4U -RunLevel Highest; "
        f"Register-ScheduledTask -TaskName '{_TASK}' -Action $do -Trigger $at -Settings $how "
        "-Principal $who -Force | Out-Null"
    )


def disarm_script() -> str:
    """Return what takes the task, and every file of ours, off the DUT again."""
    files = ", ".join(f"'{each}'" for each in (TRACE, _SUMMARY, _PROFILE, _KERNEL, _USER))
    return (
        f"Unregister-ScheduledTask -TaskName '{_TASK}' -Confirm:$false "
        f"-ErrorAction SilentlyContinue; Remove-Item -Path {files} -Force "
        "-ErrorAction SilentlyContinue; exit 0"
    )


_TOO_LARGE: Final = 5


def send_script(path: str, most_bytes: int) -> str:
    """Return what writes a file to standard output as it is, or exits with 5 where it is larger."""
    return (
        "$ErrorActionPreference = 'Stop'; "
        f"$from = [IO.File]::OpenRead('{path}'); "
        f"if ($from.Length -gt {most_bytes}) {{ exit {_TOO_LARGE} }}; "
        "$to = [Console]::OpenStandardOutput(); $from.CopyTo($to); $to.Flush(); $from.Close()"
    )


Wait = Callable[[int, Callable[[], bool]], bool]
"""Waits until a host time [ns], or until something is so, and keeps the lease of the rig."""


@dataclass(frozen=True, slots=True)
class Traced:
    """What became of one cycle's trace.

    Attributes:
        why_not: why there is none, or why it shows nothing of the sleep; empty where it does.
        records: what it times, to be joined with the account of its sleep.
        path: of the file that was kept; None without one.
    """

    why_not: str
    records: tuple[OsRecord, ...] = ()
    path: Path | None = None


class _NoTraceError(Exception):
    """Why a cycle has no trace, without a full stop."""


class DutTrace:
    """Traces a DUT cycle by cycle; the folder of its files is made with the first."""

    def __init__(
        self, shell: DutShell, tool: TraceTool, folder: Path, plan: Plan, clock: Clock
    ) -> None:
        self._shell = shell
        self._clock = clock
        self._commands = _COMMANDS[tool]
        self._tool = tool
        self._folder = folder
        self._guard_s = _longest_cycle_s(plan) + _GUARD_SLACK_S
        self._summary_by: str | None = None
        self._records = False
        self._ever = False
        self._why_not = ""

    def prepare(self) -> None:
        """See that the DUT is a Windows that has the tool; waits for the answers.

        Raises:
            UsageError: it is not, or has not.
            RecordError: it cannot be reached.
        """
        if kind_of(self._shell.run(PROBE)) is not DutKind.WINDOWS:
            raise UsageError(
                f"could not trace with {self._tool}: {self._shell.text} is no Windows; allowed is "
                "--trace none"
            )
        if self._shell.run(f"{_WHERE} {self._tool}").status:
            advice = (
                "it comes with Windows 10 and later"
                if self._tool is TraceTool.WPR
                else "install the Windows Performance Toolkit there, and see that it is in PATH"
            )
            raise UsageError(
                f"could not trace with {self._tool}: {self._shell.text} has none that its shell "
                f"finds; {advice}"
            )
        if shutil.which("xperf") is not None:
            self._summary_by = "host"
        elif self._tool is TraceTool.XPERF or not self._shell.run(f"{_WHERE} xperf").status:
            self._summary_by = "DUT"

    def start(self, wait: Wait) -> None:
        """Begin to record; `finish` reports where that failed."""
        self._ever, self._why_not = True, ""
        try:
            self._check_disk()
            self._records = True
            self._run(powershell(guard_script(self._tool, self._guard_s)), START_LIMIT_NS, wait)
            # Of an earlier cycle whose wake nobody saw; mostly there is none, which is an error.
            self._ask(self._commands.cancel, START_LIMIT_NS, wait)
            self._run(self._commands.start, START_LIMIT_NS, wait)
        except (_NoTraceError, RecordError) as error:
            self._why_not = str(error)

    def finish(self, number: int, wait: Wait) -> Traced:
        """Stop recording, fetch the file, and read what it times."""
        if self._why_not:
            if self._records:
                self._cancel(wait)
            return Traced(self._why_not)
        path = self._folder / f"cycle-{number:06d}.etl"
        try:
            self._run(self._commands.stop, STOP_LIMIT_NS, wait)
            self._fetch(TRACE, path, TRACE_BYTES_MAX, wait)
        except (_NoTraceError, RecordError, OSError) as error:
            self._cancel(wait)
            return Traced(str(error))
        summary = self._summarised(path, wait)
        self._forget(wait)
        return self._read(path, summary, wait)

    def close(self) -> None:
        """Leave nothing running on the DUT, if it can be reached; may be called twice."""
        if not self._ever:
            return
        self._ever = False

        def idle(until_ns: int, done: Callable[[], bool]) -> bool:
            while not done() and self._clock.now_ns() < until_ns:
                self._clock.sleep_ns(20_000_000)
            return done()

        if self._records:
            self._cancel(idle)
        self._forget(idle)

    def _check_disk(self) -> None:
        folder = self._folder if self._folder.exists() else self._folder.parent
        wanted = TRACE_BYTES_MAX + KEPT_FREE_BYTES
        if (free := free_bytes(folder)) < wanted:
            raise _NoTraceError(
                f"{free >> 20} MiB are free where traces are kept, and {wanted >> 20} MiB are "
                "wanted"
            )

    def _ask(self, command: str, limit_ns: int, wait: Wait, into: IO[bytes] | None = None) -> int:
        """Run a command on the DUT; return its status."""
        running = self._shell.begin(command, limit_ns, into, TRACE_BYTES_MAX)
        return self._status_of(running, limit_ns, wait)

    def _status_of(self, running: RunningCommand, limit_ns: int, wait: Wait) -> int:
        found: list[int] = []

        def ended() -> bool:
            if not found and (answer := running.poll()) is not None:
                found.append(answer.status)
            return bool(found)

        try:
            # The command ends itself at its limit, in a sentence.
            wait(self._clock.now_ns() + limit_ns + NS_PER_S, ended)
            if not ended():
                raise _NoTraceError("the DUT gave no answer in time")
        except RecordError:
            self._shell.try_next_host()
            raise
        finally:
            running.close()
        return found[0]

    def _run(self, command: str, limit_ns: int, wait: Wait) -> None:
        status = self._ask(command, limit_ns, wait)
        if status:
            words = " ".join(command.split()[:2]).partition(" -No")[0]
            raise _NoTraceError(f"{words} ended with status {status:#x} on the DUT")

    def _fetch(self, there: str, here: Path, most_bytes: int, wait: Wait) -> None:
        """Fetch a file whole, or leave none."""
        here.parent.mkdir(exist_ok=True)
        part = here.with_suffix(f"{here.suffix}.part")
        try:
            with part.open("wb") as into:
                command = powershell(send_script(there, most_bytes))
                status = self._ask(command, FETCH_LIMIT_NS, wait, into)
            if status == _TOO_LARGE:
                raise _NoTraceError(f"its file is larger than {most_bytes >> 20} MiB")
            if status:
                raise _NoTraceError(f"its file could not be read on the DUT (status {status})")
            part.replace(here)
        finally:
            part.unlink(missing_ok=True)

    def _summarised(self, path: Path, wait: Wait) -> Path | None:
        """Return xperf's summary; None where no xperf is at hand, or it made none.

        The trace is there; its summary can be made later.
        """
        summary = path.with_suffix(".xml")
        try:
            if self._summary_by == "host":
                words = ["xperf", "-i", str(path), "-o", str(summary), "-a", "suspend"]
                running = RunningCommand(words, self._clock, "xperf", STOP_LIMIT_NS, "no xperf")
                self._status_of(running, STOP_LIMIT_NS, wait)
            elif self._summary_by == "DUT":
                self._run(_SUMMARISE, STOP_LIMIT_NS, wait)
                self._fetch(_SUMMARY, summary, _SUMMARY_BYTES_MAX, wait)
        except (_NoTraceError, RecordError, OSError):
            return None
        return summary if summary.exists() else None

    def _cancel(self, wait: Wait) -> None:
        self._quietly(self._commands.cancel, wait)
        self._records = False

    def _forget(self, wait: Wait) -> None:
        self._records = False
        self._quietly(powershell(disarm_script()), wait)

    def _quietly(self, command: str, wait: Wait) -> None:
        try:
            self._ask(command, CANCEL_LIMIT_NS, wait)
        except (_NoTraceError, RecordError):
            # The DUT's own task does it, once the DUT runs.
            return

    def _read(self, path: Path, summary: Path | None, wait: Wait) -> Traced:
        """Read while waiting: a large trace takes seconds, and the rig's lease less."""
        with ThreadPoolExecutor(1) as reader:
            reading = reader.submit(_records_of, path, summary)
            wait(self._clock.now_ns() + FETCH_LIMIT_NS, reading.done)
            try:
                records = reading.result()
            except (RecordError, OSError) as error:
                return Traced(f"it could not be read: {error}", path=path)
        why_not = "" if records else f"it shows no sleep; it is kept in {path}"
        return Traced(why_not, records, path)


def _records_of(path: Path, summary: Path | None) -> tuple[OsRecord, ...]:
    """Return what a trace times of each sleep; where it names no part, its summary does."""
    found = [
        record
        for record in read_etl(SourceRequest(path)).records
        if record.record_id is None and record.effective_state is not None
    ]
    if summary is not None and len(found) == 1 and not found[0].components:
        records = read_xperf_xml(SourceRequest(summary)).records
        if len(records) == 1:
            parts, figures = records[0].components, records[0].figures
            found = [replace(found[0], components=parts, figures=(*found[0].figures, *figures))]
    return tuple(kept_of(record) for record in found)


def _longest_cycle_s(plan: Plan) -> int:
    """Return how long a cycle may last by its plan, each of its waits at its longest."""
    names = ("dwell_ns", "sleep_timeout_ns", "wake_timeout_ns", "settle_ns")
    longest_ns = sum(map(plan.longest, names)) + (plan.settle_limit_ns or 0)
    return longest_ns // NS_PER_S


def trace_folder(store: Path) -> Path:
    """Return the folder of a campaign's traces, next to its store."""
    return beside_store(store, "-traces")


def opened_trace(plan: Plan, shell: DutShell | None, store: Path, clock: Clock) -> DutTrace | None:
    """Return who traces the cycles of a plan; None where none are to be traced.

    Raises:
        UsageError: it asks for traces and nothing reaches the DUT's OS.
    """
    if plan.trace is TraceTool.NONE:
        return None
    if shell is None:
        raise UsageError(
            f"the plan traces with {plan.trace}, and nothing reaches the DUT's OS; name it by "
            "--dut-shell ssh:USER@HOST, or trace by hand (docs/how-to/trace-a-resume.md)"
        )
    return DutTrace(shell, plan.trace, trace_folder(store), plan, clock)
