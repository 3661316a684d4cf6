"""What was edited, step by step: undo and redo. Free of Qt."""

from dataclasses import dataclass
from typing import Final, Generic, TypeVar

T = TypeVar("T")

MOST_STEPS: Final = 200


@dataclass(frozen=True, slots=True)
class History(Generic[T]):
    """States before and after the present one.

    Attributes:
        now: the present state.
        past: older ones, oldest first. future: those that were undone, next one first.
        key: what the newest step edited; None where the next edit begins a step of its own.
    """

    now: T
    past: tuple[T, ...] = ()
    future: tuple[T, ...] = ()
    key: str | None = None

    def edited(self, state: T, key: str) -> "History[T]":
        """Return the history after an edit; letters typed into one field are one step."""
        if state == self.now:
            return self
        if key == self.key and self.past:
            return History(state, self.past, (), key)
        return History(state, (*self.past, self.now)[-MOST_STEPS:], (), key)

    def sealed(self) -> "History[T]":
        """Return the history in which the next edit is a step of its own."""
        return History(self.now, self.past, self.future, None)

    def undone(self) -> "History[T]":
        """Return the history one step back; itself at the beginning."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (self.now, *self.future), None)

    def redone(self) -> "History[T]":
        """Return the history one step forward; itself at the end."""
        if not self.future:
            return self
        return History(self.future[0], (*self.past, self.now), self.future[1:], None)
