"""The OS of a DUT behind a program of the user's own: `run --sleep-command`."""

import subprocess
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from resume_rig.campaign.user_program import end_program, start_program
from resume_rig.model.os_record import SleepKind, state_word
from resume_rig.rig.dut_control import Ended

_NS_PER_S: Final = 1_000_000_000


class UserControl:
    """Runs the program with RESUME_RIG_ASK = sleep, arm-timer, disarm-timer or greet.

    Exit status 0 is success. It finds RESUME_RIG_STATE (S3, S4, S5, ...) with `sleep`, and
    RESUME_RIG_AFTER_S, whole seconds, with `arm-timer`.

    Args:
        words: of the command (`hooks.program_words`); no shell sees them.
        told: what it finds in its environment as well, name -> text.
        shown: whether what it writes may stand between what the campaign says.
    """

    def __init__(
        self, words: Sequence[str], told: Mapping[str, str], *, shown: bool = True
    ) -> None:
        self._words = list(words)
        self._told = dict(told)
        self._shown = shown
        self._process: subprocess.Popen[bytes] | None = None
        self._failed: Ended | None = None

    def prepare(self, states: Collection[SleepKind]) -> None:
        """Nobody knows what the program can do until it is asked."""
        del states

    def sleep(self, state: SleepKind) -> None:
        """Begin to send the DUT into a state."""
        self._start({"ASK": "sleep", "STATE": state_word(state)})

    def arm_timer(self, after_ns: int) -> None:
        """Begin to arm the DUT's clock."""
        self._start({"ASK": "arm-timer", "AFTER_S": str(-(-after_ns // _NS_PER_S))})

    def disarm_timer(self) -> None:
        """Begin to let the DUT's clock forget the wake."""
        self._start({"ASK": "disarm-timer"})

    def greet(self) -> None:
        """Begin to see whether the DUT's OS answers."""
        self._start({"ASK": "greet"})

    def ended(self) -> Ended | None:
        """Return how the program ended; None while it runs."""
        if self._process is None:
            return self._failed or Ended(ok=False, reached=False, text="nothing was asked")
        status = self._process.poll()
        if status is None:
            return None
        text = f"the command {self._words[0]} ended with status {status}" if status else ""
        return Ended(ok=status == 0, text=text)

    def close(self) -> None:
        """End the program if it still runs."""
        if self._process is not None:
            end_program(self._process)
        self._process = None

    def _start(self, asked: Mapping[str, str]) -> None:
        self.close()
        self._failed = None
        try:
            self._process = start_program(self._words, {**self._told, **asked}, shown=self._shown)
        except (OSError, ValueError) as error:
            text = f"the command {self._words[0]} could not be run: {error}"
            self._failed = Ended(ok=False, reached=False, text=text)
