"""Who may help to bring a DUT back: a switch of its supply, and a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from resume_rig.campaign.dut.user_program import UserProgram


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
        self._program: UserProgram | None = None
        self.problem: str | None = None

    def start(self, *, on: bool) -> None:
        """Run the command."""
        self.stop()
        self.problem = None
        told = {**self._told, "power": "on" if on else "off"}
        try:
            self._program = UserProgram(self._words, told, shown=self._shown)
        except (OSError, ValueError) as error:
            self.problem = f"the command {self._words[0]} could not be run: {error}"

    def succeeded(self) -> bool | None:
        """Return whether it ended with status 0; None while it runs."""
        if self._program is None:
            return False
        status = self._program.status()
        if status:
            self.problem = f"the command {self._words[0]} ended with status {status}"
        return None if status is None else status == 0

    def stop(self) -> None:
        """End the command if it still runs."""
        if self._program is not None:
            self._program.end()
        self._program = None


class PowerSwitch(Protocol):
    """Cuts the supply of the DUT and gives it back; asked again and again, it never blocks."""

    def start(self, *, on: bool) -> None:
        """Begin to switch."""
        ...

    def succeeded(self) -> bool | None:
        """Return whether the switch that was begun last did its work; None while it works."""
        ...

    def stop(self) -> None:
        """Give up what was begun."""
        ...


class Person(Protocol):
    """Somebody who can look at the DUT; asked again and again, it never blocks."""

    def ask(self, text: str) -> None:
        """Show a sentence that says what is to be done."""
        ...

    def answered(self) -> bool:
        """Return whether the person says that it is done."""
        ...


@dataclass(frozen=True, slots=True)
class OutsideHelp:
    """What a campaign may use beside the rig; None where there is none."""

    power: PowerSwitch | None = None
    person: Person | None = None


NO_HELP = OutsideHelp()
