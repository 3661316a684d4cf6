"""How a DUT that is not as a cycle needs it is brought back: the steps of a ladder."""

from dataclasses import dataclass
from enum import StrEnum, unique

NS_PER_S = 1_000_000_000


@unique
class RecoveryStep(StrEnum):
    """One rung; a ladder takes them in its own order, each only when the one before failed."""

    WAIT = "wait"
    """It may come by itself."""
    PRESS = "press"
    """One more try by the plan's own triggers."""
    FORCE_OFF = "force-off"
    """The button is held until the power is cut, and pressed to boot."""
    POWER_CYCLE = "power-cycle"
    """A command of the user's cuts the supply and gives it back."""
    ASK = "ask"
    """A person at a terminal looks at it."""


@dataclass(frozen=True, slots=True)
class RecoveryLadder:
    """What is tried, and how long.

    Attributes:
        steps: in this order; those that a bench cannot do are left out.
        wait_ns: how long it may take to come by itself.
        force_off_ns: how long the button is held; a chipset cuts the power after 4 s.
        off_ns: how long it stays off before it is switched on.
        boot_ns: from lines that show a running DUT to an OS that reacts to its button.
        ask_ns: how long a person is waited for.
        tries: how often each step may be taken in a campaign.
        in_a_row: so many recoveries without a good cycle between them end a campaign.
    """

    steps: tuple[RecoveryStep, ...] = tuple(RecoveryStep)
    wait_ns: int = 30 * NS_PER_S
    force_off_ns: int = 8 * NS_PER_S
    off_ns: int = 5 * NS_PER_S
    boot_ns: int = 60 * NS_PER_S
    ask_ns: int = 900 * NS_PER_S
    tries: int = 200
    in_a_row: int = 3


DEFAULT_LADDER = RecoveryLadder()
"""Of a DUT whose profile names none, or that has no profile."""
