"""Commands on a DUT over the system's OpenSSH client, and what kind of OS answers.

Host keys are checked and nothing is asked: a DUT that is not known yet is refused, in ssh's own
words. Each command is a connection of its own, so that a name is looked up anew each time and a DUT
that comes back with another address is found.
"""

import re
import subprocess
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path
from typing import IO, Final

from resume_rig.model.clock import Clock
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.units import seconds_text

_S: Final = 1_000_000_000
CONNECT_TIMEOUT_S: Final = 5
COMMAND_LIMIT_NS: Final = 60 * _S
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
        said = [line.strip() for line in lines if line.strip()]
        last = "".join(char if char.isprintable() else "?" for char in said[-1]) if said else ""
        return last[:_LAST_WORDS_CHARS].rstrip(".")


class DutShell:
    """Runs commands on one DUT.

    Args:
        address: where it answers.
        clock: for limits.
        config: a configuration file for ssh in place of the user's own.
    """

    def __init__(self, address: DutAddress, clock: Clock, config: Path | None = None) -> None:
        self.address = address
        self._clock = clock
        self._config = config
        self._turn = 0

    @property
    def text(self) -> str:
        """The address as the user wrote it."""
        return self.address.text

    def known_kind(self) -> "DutKind | None":
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
    """Return what the answer to PROBE tells."""
    return DutKind.LINUX if answer.output.strip() == b"Linux" else DutKind.WINDOWS
