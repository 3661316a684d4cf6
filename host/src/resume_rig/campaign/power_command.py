"""A command of the user's own that switches the supply of the DUT: a relay, a socket, a PDU."""

import subprocess
from collections.abc import Mapping, Sequence

from resume_rig.campaign.user_program import end_program, start_program


class PowerCommand:
    """Runs the command with RESUME_RIG_POWER = off or on; its exit status 0 is success.

    Args:
        words: of the command (`hooks.program_words`); no shell sees them.
        told: what it finds in its environment as well, name -> text.
        shown: whether what it writes may stand between what the campaign says.

    Attributes:
        problem: why the last one failed, in a sentence without a full stop; None where it did not.
    """

    def __init__(
        self, words: Sequence[str], told: Mapping[str, str], *, shown: bool = True
    ) -> None:
        self._words = list(words)
        self._told = dict(told)
        self._shown = shown
        self._process: subprocess.Popen[bytes] | None = None
        self.problem: str | None = None

    def start(self, *, on: bool) -> None:
        """Run the command."""
        self.stop()
        self.problem = None
        told = {**self._told, "power": "on" if on else "off"}
        try:
            self._process = start_program(self._words, told, shown=self._shown)
        except (OSError, ValueError) as error:
            self.problem = f"the command {self._words[0]} could not be run: {error}"

    def succeeded(self) -> bool | None:
        """Return whether it ended with status 0; None while it runs."""
        if self._process is None:
            return False
        status = self._process.poll()
        if status:
            self.problem = f"the command {self._words[0]} ended with status {status}"
        return None if status is None else status == 0

    def stop(self) -> None:
        """End the command if it still runs."""
        if self._process is not None:
            end_program(self._process)
        self._process = None
