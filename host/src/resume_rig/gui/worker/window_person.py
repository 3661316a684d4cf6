"""Whoever sits before the window, asked to help a DUT that nothing else brings back. Free of Qt."""

from collections.abc import Callable

from resume_rig.gui.state.events import Event, PersonAsked
from resume_rig.gui.worker.gate import Gate


class WindowPerson:
    """Is asked in a strip over every page, and never waited for.

    Args:
        tell: gets the question.
        gate: knows whether the strip's button was pressed.
    """

    def __init__(self, tell: Callable[[Event], None], gate: Gate) -> None:
        self._tell = tell
        self._gate = gate

    def ask(self, text: str) -> None:
        """Show a sentence; what was answered before is no answer to it."""
        self._gate.take_answer()
        self._tell(PersonAsked(text))

    def answered(self) -> bool:
        """Return whether the button was pressed since."""
        return self._gate.take_answer()
