"""Commands of the user's own that are run on a failure, a recovery, and at the end.

The campaign waits for none of them until its end. What they get is in their environment and never
in a command line, for some of it came from the DUT.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path
from typing import Final

from resume_rig.campaign.dut.user_program import UserProgram, program_words
from resume_rig.campaign.run.events import CampaignEvent
from resume_rig.campaign.store.raw import Recovery
from resume_rig.model.result.cycle import UNREMARKABLE, OutsideCycle
from resume_rig.model.result.verdict import Verdict

MOST_AT_ONCE: Final = 8
LONGEST_S: Final = 600.0
LAST_WAIT_S: Final = 10.0


@unique
class HookEvent(StrEnum):
    """What a hook can fire on."""

    FAILURE = "failure"
    RECOVERY = "recovery"
    END = "end"


@dataclass(frozen=True, slots=True)
class _Running:
    """A command that was started; `began_s` on the host's own monotonic clock."""

    event: HookEvent
    program: UserProgram
    began_s: float


class Hooks:
    """The commands of one campaign.

    A command that hangs holds up no other: it is ended after ten minutes, and the command on end
    is run however many others still run.

    Args:
        commands: words of each.
        always: what every command gets, name -> text.
        shown: whether what the commands write may stand between lines of the campaign.
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
        """Start the command for an event, if there is one; it gets each fact as RESUME_RIG_NAME."""
        words = self._commands.get(event)
        self._reap()
        if words is None:
            return
        if len(self._running) >= MOST_AT_ONCE and event is not HookEvent.END:
            self.problems.append(
                f"the command on {event} was not run: {MOST_AT_ONCE} earlier ones still run"
            )
            return
        variables = {name: _fit(text) for name, text in {**self._always, **facts}.items()}
        try:
            program = UserProgram(words, {"event": event.value, **variables}, shown=self._shown)
        except (OSError, ValueError) as error:
            self.problems.append(f"the command on {event}, {words[0]}, could not be run: {error}")
            return
        self._running.append(_Running(event, program, self._now_s()))

    def close(self) -> None:
        """Wait some seconds for the commands that run, and end those that do not."""
        until_s = self._now_s() + LAST_WAIT_S
        for each in self._running:
            each.program.status(max(0.0, until_s - self._now_s()))
        self._reap()
        for each in self._running:
            self._end(each, f"it ran for {LAST_WAIT_S:g} s more than the campaign")
        self._running = []

    def _reap(self) -> None:
        still: list[_Running] = []
        for each in self._running:
            status = each.program.status()
            if status is None and self._now_s() - each.began_s > LONGEST_S:
                self._end(each, f"it ran for more than {LONGEST_S / 60:g} minutes")
            elif status is None:
                still.append(each)
            elif status > 0:
                self.problems.append(f"the command on {each.event} ended with status {status}")
        self._running = still

    def _end(self, each: _Running, why: str) -> None:
        each.program.end()
        self.problems.append(f"the command on {each.event} was ended: {why}")


def _fit(text: str) -> str:
    """Return text that an environment can hold."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "?")[:4_000]


def hooks_of(commands: Mapping[HookEvent, str], store: Path, *, shown: bool = True) -> Hooks:
    """Return the commands of a campaign, of what the user wrote; `shown` as of Hooks.

    Raises:
        UsageError: one has quotes that are not closed, is empty, or names no program.
    """
    words = {event: program_words(text) for event, text in commands.items()}
    return Hooks(words, {"store": str(store)}, shown=shown)


def fire_end(hooks: Hooks, verdict: Verdict | None, text: str) -> None:
    """Run the command on end, if there is one.

    `text` is what the verdict rests on, or what ended the campaign without one.
    """
    facts = {} if verdict is None else {"verdict": verdict.value}
    hooks.fire(HookEvent.END, {**facts, "text": text})


def fire_hooks(hooks: Hooks, event: CampaignEvent, outside: OutsideCycle | None) -> None:
    """Run the command that an event has, if it has one; `outside` is a cycle that is over."""
    if outside is not None and outside.outcome not in UNREMARKABLE:
        texts = "; ".join(finding.text for finding in outside.findings)
        facts = {"cycle": str(outside.number), "outcome": outside.outcome.value, "text": texts}
        hooks.fire(HookEvent.FAILURE, facts)
    if isinstance(event, Recovery):
        ok = "yes" if event.ok else "no"
        facts = {"cycle": str(event.after_cycle), "ok": ok, "step": event.step.value}
        hooks.fire(HookEvent.RECOVERY, facts)
