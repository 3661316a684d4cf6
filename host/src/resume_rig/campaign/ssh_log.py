"""The log of a DUT that answers over SSH, fetched bit by bit while a campaign runs.

A DUT that has just woken comes back when it likes, or not, and perhaps with another address. So no
call waits for it: each looks how far the command under way has come, and a failure is told and
tried again. Only the first call waits, before anything is pressed.
"""

from typing import Final, Protocol

from resume_rig.campaign.dut_kind import PROBE
from resume_rig.campaign.dut_shell import DutShell, RunningCommand
from resume_rig.campaign.windows_log import WindowsLog
from resume_rig.model.clock import Clock
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Integrity, LogSource, OsRecord

_S: Final = 1_000_000_000
RECORD_WAIT_NS: Final = 60 * _S
"""How long a DUT that came back may take to be reached and to tell of the wake."""

_RETRY_NS: Final = 1 * _S
_POLL_NS: Final = 50_000_000


class RemoteLog(Protocol):
    """What to ask a DUT of one kind, and what its answers mean."""

    def command(self) -> str:
        """Return what to run next."""
        ...

    def take(self, output: bytes, status: int) -> tuple[OsRecord, ...] | None:
        """Return the new records that a whole output gives; None: ask on. Raises RecordError."""
        ...

    def forget_round(self) -> None:
        """Begin anew after a failure."""
        ...

    def describe(self) -> LogSource:
        """Return the log as read so far."""
        ...


class SshLog:
    """An OsLogSource on the far end of SSH.

    Args:
        shell: to the DUT.
        clock: for pauses between tries.
    """

    record_wait_ns = RECORD_WAIT_NS

    def __init__(self, shell: DutShell, clock: Clock) -> None:
        self._shell = shell
        self._clock = clock
        self._log: RemoteLog | None = None
        self._running: RunningCommand | None = None
        self._not_before_ns = 0
        self._begun = False

    def new_records(self) -> tuple[OsRecord, ...]:
        """Return the records that arrived since the last call; the first call waits for all.

        Raises:
            RecordError: the DUT cannot be reached now, or does not give its log.
        """
        found = self._step()
        while found is None and not self._begun:
            self._clock.sleep_ns(_POLL_NS)
            found = self._step()
        self._begun = True
        return found or ()

    def describe(self) -> LogSource:
        """Return the log as read so far."""
        if self._log is not None:
            return self._log.describe()
        return LogSource(self._shell.address.text, "unknown", None, 0, Integrity(ok=True))

    def close(self) -> None:
        """End the command under way; may be called twice."""
        if self._running is not None:
            self._running.close()
            self._running = None

    def _step(self) -> tuple[OsRecord, ...] | None:
        if self._running is None:
            if self._begun and self._clock.now_ns() < self._not_before_ns:
                return None
            self._running = self._shell.begin(self._log.command() if self._log else PROBE)
        try:
            answer = self._running.poll()
            if answer is None:
                return None
            self._running = None
            if self._log is not None:
                return self._log.take(answer.output, answer.status)
        except RecordError:
            self._fail()
            raise
        # A Windows without a uname of its own says so; one with a Unix shell does not say Linux.
        self._log = WindowsLog(self._shell.address.text)
        return None

    def _fail(self) -> None:
        self._running = None
        self._not_before_ns = self._clock.now_ns() + _RETRY_NS
        self._shell.try_next_host()
        if self._log is not None:
            self._log.forget_round()
