"""A person at this terminal, who is asked and never waited for."""

import select
import sys

from resume_rig.cli.console import say


class TerminalPerson:
    """Whoever sits at standard input; an Enter is an answer."""

    def ask(self, text: str) -> None:
        """Show a sentence; what was typed before it is no answer to it."""
        while _typed():
            sys.stdin.readline()
        say(f"\aresume-rig: {text}")

    def answered(self) -> bool:
        """Return whether a line was typed since."""
        return _typed() and sys.stdin.readline() != ""


def person_at_terminal() -> TerminalPerson | None:
    """Return who can be asked; None where nobody sits at a terminal, or it cannot be polled."""
    if sys.platform == "win32" or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    return TerminalPerson()


def _typed() -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0])
