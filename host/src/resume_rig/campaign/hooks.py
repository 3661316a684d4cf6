"""Commands of the user's own that are told what happens: on a failure, a recovery, at the end.

They run beside the campaign, which waits for none of them until its end. What they are told is in
their environment and never in a command line, for some of it came from the DUT.
"""

import contextlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from enum import StrEnum, unique
from typing import Final

from resume_rig.model.errors import UsageError

MOST_AT_ONCE: Final = 8
LAST_WAIT_S: Final = 10.0
PREFIX: Final = "RESUME_RIG_"
_STANDARD_ERROR: Final = 2


@unique
class HookEvent(StrEnum):
    """What a hook can be told of."""

    FAILURE = "failure"
    RECOVERY = "recovery"
    END = "end"


def command_words(text: str) -> tuple[str, ...]:
    """Return a command as words; no shell sees it.

    Raises:
        UsageError: quotes are not closed, or nothing is there.
    """
    try:
        words = tuple(shlex.split(text, posix=os.name != "nt"))
    except ValueError as error:
        raise UsageError(f"could not use the command {text!r}: {error}") from error
    if not words:
        raise UsageError("could not use an empty command; name a program")
    return words


def program_words(text: str) -> tuple[str, ...]:
    """Return a command as words, of a program that is there.

    A campaign that looks for it at its first failure finds out at night that it is missing.

    Raises:
        UsageError: as `command_words`, or there is no such program.
    """
    words = command_words(text)
    if shutil.which(words[0]) is None:
        raise UsageError(
            f"could not use the command {text!r}: there is no program {words[0]!r} that this user "
            "may run, in the folders of PATH or at that path"
        )
    return words


class Hooks:
    """The commands of one campaign.

    Args:
        commands: words of each.
        always: what every command is told, name -> text.

    Attributes:
        problems: one sentence for each that could not be run, failed or was ended; whoever shows
            them takes them out.
    """

    def __init__(
        self, commands: Mapping[HookEvent, Sequence[str]], always: Mapping[str, str]
    ) -> None:
        self._commands = commands
        self._always = always
        self._running: list[tuple[HookEvent, subprocess.Popen[bytes]]] = []
        self.problems: list[str] = []

    def fire(self, event: HookEvent, facts: Mapping[str, str]) -> None:
        """Start the command for an event, if there is one.

        Args:
            event: what happened.
            facts: name -> text; the command sees each as RESUME_RIG_NAME.
        """
        words = self._commands.get(event)
        self._reap()
        if words is None:
            return
        if len(self._running) >= MOST_AT_ONCE:
            self.problems.append(
                f"the command on {event} was not run: {MOST_AT_ONCE} earlier ones still run"
            )
            return
        told = {
            f"{PREFIX}{name.upper()}": _fit(text)
            for name, text in {**self._always, **facts}.items()
        }
        environment = {**os.environ, f"{PREFIX}EVENT": event.value, **told}
        try:
            process = subprocess.Popen(
                list(words),
                env=environment,
                stdin=subprocess.DEVNULL,
                # Standard output is for the answer alone.
                stdout=_STANDARD_ERROR,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self.problems.append(f"the command on {event}, {words[0]}, could not be run: {error}")
            return
        self._running.append((event, process))

    def close(self) -> None:
        """Wait some seconds for the commands that run, and end those that do not."""
        for event, process in self._running:
            try:
                process.wait(LAST_WAIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                self.problems.append(
                    f"the command on {event} was ended: it ran for {LAST_WAIT_S:g} s more than "
                    "the campaign"
                )
        self._reap()

    def _reap(self) -> None:
        still: list[tuple[HookEvent, subprocess.Popen[bytes]]] = []
        for event, process in self._running:
            status = process.poll()
            if status is None:
                still.append((event, process))
            elif status > 0:
                self.problems.append(f"the command on {event} ended with status {status}")
        self._running = still


def _fit(text: str) -> str:
    """Return text that an environment can hold."""
    with contextlib.suppress(UnicodeEncodeError):
        text.encode("utf-8")
        return text.replace("\0", "?")[:4_000]
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "?")[:4_000]
