"""Work on whole stores in a process of its own: the window keeps its processor and its memory."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar, cast

from resume_rig.gui.worker.other_process import (
    InternalFault,
    OtherProcess,
    ProcessEnded,
    receive,
    receive_order,
    tell,
    tell_faults,
)
from resume_rig.model.errors import RecordError

T = TypeVar("T")

Told = Callable[[int, int], None]
"""Gets how much is done, of how much."""

_PATIENCE_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Order(Generic[T]):
    """Work that another process can do.

    Attributes:
        function: of a module; gets `Told` and the arguments; all of it can be pickled.
        arguments: of the function.
    """

    function: Callable[..., T]
    arguments: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class _Progress:
    done: int
    of: int


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    result: T


class Apart(Generic[T]):
    """One process at work.

    Args:
        order: what it does.
    """

    def __init__(self, order: Order[T]) -> None:
        self._process = OtherProcess(__name__, _PATIENCE_S)
        self._order = order

    def result(self, told: Told) -> T:
        """Wait for the result; what `told` raises ends the work.

        Raises:
            ResumeRigError: what the work raised.
            RecordError: the process ended without an answer.
        """
        # The pipe of orders stays open as long as somebody waits: see `_end_with_the_window`.
        try:
            self._process.order(self._order)
            return self._answer(told)
        except ProcessEnded as lost:
            raise RecordError(
                f"could not finish the work, which runs in a process of its own: {lost}; look "
                "whether there is memory enough, and open the file again"
            ) from lost
        except InternalFault as fault:
            raise RecordError(str(fault)) from fault
        finally:
            self._process.close()

    def end(self) -> None:
        """Ask it to end, so that it leaves nothing half done; `result` then raises."""
        self._process.end()

    def _answer(self, told: Told) -> T:
        for answer in self._process.answers():
            match answer:
                case _Progress(done=done, of=of):
                    told(done, of)
                case _:
                    return cast(_Done[T], answer).result
        raise AssertionError("answers end by an error alone")


def _end_with_the_window() -> None:
    """End as `Apart.end` does when the other end of the pipe is gone, killed perhaps."""
    receive(1)
    os.kill(os.getpid(), signal.SIGTERM)


def work() -> None:
    """Do the one order that comes in; the other end of the pipe is `Apart`."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    order = cast(Order[object], receive_order())
    threading.Thread(target=_end_with_the_window, daemon=True).start()
    last = -1

    def told(done: int, of: int) -> None:
        nonlocal last
        step = done * 200 // max(of, 1)
        if step != last:
            last = step
            tell(_Progress(done, of))

    tell_faults(lambda: tell(_Done(order.function(told, *order.arguments))))
