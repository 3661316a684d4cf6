"""Where a parameter may lie."""

from dataclasses import dataclass


class DeckError(Exception):
    """A deck that cannot be run: no ngspice, no such deck, no such parameter."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Where a parameter may lie, over tolerance and temperature; drawn evenly between its ends."""

    nominal: float
    low: float
    high: float


def between(low: float, nominal: float, high: float) -> Spread:
    """Return a spread from its ends in ascending order.

    Raises:
        DeckError: they are not.
    """
    if not low <= nominal <= high:
        raise DeckError(f"a spread from {low} over {nominal} to {high} is not in ascending order")
    return Spread(nominal, low, high)


def about(nominal: float, share: float) -> Spread:
    """Return a spread of a share to both sides, for example 0.01 for 1 %."""
    return Spread(nominal, nominal - abs(nominal) * share, nominal + abs(nominal) * share)
