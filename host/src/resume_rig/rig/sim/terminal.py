"""Pseudo-terminals, and the link by which a person finds one."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from resume_rig.model.errors import UsageError
from resume_rig.rig.sim.talk import READ_BYTES, Port

_TERMINALS: Final = Path("/dev/pts")

if sys.platform == "win32":

    def open_terminal() -> tuple[Port, str]:
        """Refuse: this system has no pseudo-terminals."""
        raise UsageError("Cannot serve on a pseudo-terminal: Windows has none; --tcp is allowed.")

else:
    import tty

    class _TerminalPort:
        """The bench's side of a pseudo-terminal.

        It keeps the client's side open as well, so that a client may close it and come again.
        """

        def __init__(self, ours: int, theirs: int) -> None:
            self._ours = ours
            self._theirs = theirs

        def fileno(self) -> int:
            return self._ours

        def read(self) -> bytes:
            return os.read(self._ours, READ_BYTES)

        def write(self, data: bytes) -> int:
            return os.write(self._ours, data)

        def close(self) -> None:
            os.close(self._theirs)
            os.close(self._ours)

    def open_terminal() -> tuple[Port, str]:
        """Return the bench's side of a new raw pseudo-terminal, and the path of the client's.

        Raises:
            UsageError: the system gives none (a container without /dev/pts, or all are taken).
        """
        try:
            ours, theirs = os.openpty()
        except OSError as error:
            raise UsageError(
                f"Cannot serve on a pseudo-terminal: the system gives none "
                f"({error.strerror or error}); a TCP port is allowed, --tcp HOST:PORT."
            ) from error
        tty.setraw(theirs)
        os.set_blocking(ours, False)
        return _TerminalPort(ours, theirs), os.ttyname(theirs)


def clear_link(link: Path) -> None:
    """Remove a link that a bench left behind.

    Raises:
        UsageError: something else is there, or a link to a terminal that still exists.
    """
    if link.is_symlink():
        target = link.readlink()
        if target.is_relative_to(_TERMINALS) and not target.exists():
            _try_link(link, link.unlink)
            return
    elif not link.exists():
        return
    raise UsageError(
        f"Cannot link {link} to the bench's terminal: it exists and is not a link to a terminal "
        "that is gone; a path that is free is allowed."
    )


@contextmanager
def linked(link: Path | None, terminal: str) -> Iterator[str]:
    """Yield the path to open; the link exists as long as the context.

    Raises:
        UsageError: the link cannot be made.
    """
    if link is None:
        yield terminal
        return
    _try_link(link, lambda: link.symlink_to(terminal))
    try:
        yield str(link)
    finally:
        if link.is_symlink() and link.readlink() == Path(terminal):
            link.unlink()


def _try_link(link: Path, deed: Callable[[], None]) -> None:
    try:
        deed()
    except OSError as error:
        raise UsageError(
            f"Cannot link {link} to the bench's terminal: {error.strerror}; a path in a folder "
            "that can be written to is allowed."
        ) from error
