"""Work on whole stores in a process of its own: the window keeps its processor and its memory.

Both ends of the pipe are in this file: standard input brings one order, standard output takes
what is told of it, both pickled.
"""

import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Final, Generic, TypeVar, cast

from resume_rig.model.errors import RecordError, ResumeRigError

logger = logging.getLogger(__name__)
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


class Apart(Generic[T]):
    """One process at work.

    Args:
        order: what it does.
    """

    def __init__(self, order: Order[T]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {__name__} import work; work()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is the window's to answer.
            start_new_session=True,
        )
        self._order = order

    def result(self, told: Told) -> T:
        """Wait for the result; what `told` raises ends the work.

        Raises:
            ResumeRigError: what the work raised.
            RecordError: the process ended without an answer.
        """
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        # The pipe of orders stays open as long as somebody waits: see `_end_with_the_window`.
        try:
            with suppress(BrokenPipeError):
                pickle.dump(self._order, process.stdin)
                process.stdin.flush()
            return self._answer(process.stdout, told)
        finally:
            self._end_surely()
            for pipe in (process.stdin, process.stdout):
                with suppress(BrokenPipeError):
                    pipe.close()

    def end(self) -> None:
        """Ask it to end, so that it leaves nothing half done; `result` then raises."""
        with suppress(ProcessLookupError):
            self._process.terminate()

    def _end_surely(self) -> None:
        self.end()
        try:
            self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _answer(self, answers: IO[bytes], told: Told) -> T:
        while True:
            try:
                answer = pickle.load(answers)
            except (EOFError, pickle.UnpicklingError) as lost:
                raise self._lost() from lost
            match answer:
                case _Progress(done=done, of=of):
                    told(done, of)
                case _Failed(error=error):
                    raise error
                case _Broken(name=name, text=text, trace=trace):
                    logger.error("work apart failed: %s", trace)
                    raise RecordError(f"internal error, {name}: {text}; please report it")
                case _:
                    return cast(_Done[T], answer).result

    def _lost(self) -> RecordError:
        status = self._process.wait()
        why = "it was ended" if status < 0 else f"it ended with status {status}"
        return RecordError(
            f"could not finish the work, which runs in a process of its own: {why}; look whether "
            "there is memory enough, and open the file again"
        )


@dataclass(frozen=True, slots=True)
class _Progress:
    done: int
    of: int


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    result: T


@dataclass(frozen=True, slots=True)
class _Failed:
    error: ResumeRigError


@dataclass(frozen=True, slots=True)
class _Broken:
    name: str
    text: str
    trace: str


def _end_with_the_window() -> None:
    """End as `Apart.end` does when the other end of the pipe is gone, killed perhaps."""
    os.read(sys.stdin.fileno(), 1)
    os.kill(os.getpid(), signal.SIGTERM)


def work() -> None:
    """Do the one order that comes in; the other end of the pipe is `Apart`."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    answers = sys.stdout.buffer
    order = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_the_window, daemon=True).start()

    def tell(answer: object) -> None:
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()

    last = -1

    def told(done: int, of: int) -> None:
        nonlocal last
        step = done * 200 // max(of, 1)
        if step != last:
            last = step
            tell(_Progress(done, of))

    try:
        tell(_Done(order.function(told, *order.arguments)))
    except ResumeRigError as error:
        tell(_Failed(error))
    except Exception as error:
        # The last resort: the window is to say more than that the process ended.
        logger.exception("work apart failed")
        tell(_Broken(type(error).__name__, str(error), traceback.format_exc()))
