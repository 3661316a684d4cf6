"""Who may help a campaign to bring a DUT back: a switch of its supply, and a person."""

from dataclasses import dataclass
from typing import Protocol


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
