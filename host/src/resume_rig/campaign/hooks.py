"""Commands of the user's own that are told what happens: on a failure, a recovery, at the end.

They run beside the campaign, which waits for none of them until its end. What they are told is in
their environment and never in a command line, for some of it came from the DUT.
"""

import contextlib
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

from resume_rig.campaign.user_program import end_program, start_program
from resume_rig.model.errors import UsageError

MOST_AT_ONCE: Final = 8
LONGEST_S: Final = 600.0
LAST_WAIT_S: Final = 10.0


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


@dataclass(frozen=True, slots=True)
class _Running:
    """A command that was started; `began_s` on the host's own monotonic clock."""

    event: HookEvent
    process: "subprocess.Popen[bytes]"
    began_s: float


class Hooks:
    """The commands of one campaign.

    A command that hangs holds up no news: it is ended after ten minutes, and the command on end
    is run however many others still run.

    Args:
        commands: words of each.
        always: what every command is told, name -> text.
        shown: whether what the commands write may stand between what the campaign says.
        now_s: the host's own time, which also runs where that of a campaign is virtual.

    Attributes:
        problems: one sentence for each that could not be run, failed or was ended; whoever shows
            them takes them out.
    """

    def __init__(
        self,
        commands: Mapping[HookEvent, Sequence[str]],
        always: Mapping[str, str],
        *,
        shown: bool = True,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._commands = commands
        self._always = always
        self._shown = shown
        self._now_s = now_s
        self._running: list[_Running] = []
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
        if len(self._running) >= MOST_AT_ONCE and event is not HookEvent.END:
            self.problems.append(
                f"the command on {event} was not run: {MOST_AT_ONCE} earlier ones still run"
            )
            return
        told = {name: _fit(text) for name, text in {**self._always, **facts}.items()}
        try:
            process = start_program(words, {"event": event.value, **told}, shown=self._shown)
        except (OSError, ValueError) as error:
            self.problems.append(f"the command on {event}, {words[0]}, could not be run: {error}")
            return
        self._running.append(_Running(event, process, self._now_s()))

    def close(self) -> None:
        """Wait some seconds for the commands that run, and end those that do not."""
        until_s = self._now_s() + LAST_WAIT_S
        for each in self._running:
            try:
                each.process.wait(max(0.0, until_s - self._now_s()))
            except subprocess.TimeoutExpired:
                self._end(each, f"it ran for {LAST_WAIT_S:g} s more than the campaign")
        self._reap()

    def _reap(self) -> None:
        still: list[_Running] = []
        for each in self._running:
            status = each.process.poll()
            if status is None and self._now_s() - each.began_s > LONGEST_S:
                self._end(each, f"it ran for more than {LONGEST_S / 60:g} minutes")
            elif status is None:
                still.append(each)
            elif status > 0:
                self.problems.append(f"the command on {each.event} ended with status {status}")
        self._running = still

    def _end(self, each: _Running, why: str) -> None:
        end_program(each.process)
        self.problems.append(f"the command on {each.event} was ended: {why}")


def _fit(text: str) -> str:
    """Return text that an environment can hold."""
    with contextlib.suppress(UnicodeEncodeError):
        text.encode("utf-8")
        return text.replace("\0", "?")[:4_000]
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "?")[:4_000]
