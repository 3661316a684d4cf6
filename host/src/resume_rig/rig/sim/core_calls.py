"""What the core calls back, and what becomes of an exception in there: C knows none.

cffi prints such an exception, and the core goes on with 0: Ctrl-C would be lost, and the board's
time would be 0. So an interrupted call is made again, and whoever called the core is told then.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol

from resume_rig._core import ffi


class Called(Protocol):
    """A board whose core calls back.

    Attributes:
        struck: what was raised in a callback, for whoever called the core to raise.
    """

    struck: BaseException | None

    def now_ns(self) -> int:
        """Return board time."""
        ...

    def drive(self, number: int, driven: bool) -> None:
        """Take a change of an output; the same twice is one."""
        ...

    def fill_selftest(self, checks: Any, most: int) -> int:
        """Write up to `most` checks and return how many."""
        ...

    def store(self, calibration: Any) -> int:
        """Keep a calibration; 0 for done."""
        ...


def handle_of(board: Called) -> Any:
    """Return what the core hands back to say which board it calls; valid while it is kept."""
    return ffi.new_handle(board)


def _extern(name: str, call: Callable[..., Any]) -> None:
    """Let cffi find a callback by its name; it finds its board by the handle that comes first."""

    def called(context: Any, *arguments: Any) -> Any:
        return call(ffi.from_handle(context), *arguments)

    def failed(_: type[BaseException], error: BaseException, trace: TracebackType) -> Any:
        local = trace.tb_frame.f_locals
        board: Called = ffi.from_handle(local["context"])
        board.struck = error
        return call(board, *local["arguments"]) if isinstance(error, KeyboardInterrupt) else None

    ffi.def_extern(name=name, onerror=failed)(called)


_extern("resume_rig_now_ns", lambda board: board.now_ns())
_extern("resume_rig_drive", lambda board, number, driven: board.drive(number, driven))
_extern("resume_rig_selftest", lambda board, checks, most: board.fill_selftest(checks, most))
_extern("resume_rig_store", lambda board, calibration: board.store(calibration))
