"""A Python process of the window's own, and the pipes to it.

Both ends are in this file: standard input brings an order and then what is wished of it, standard
output takes what is told of it, pickled.
"""

import logging
import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from resume_rig.model.errors import ResumeRigError

logger = logging.getLogger(__name__)

_LENGTH_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class _Failed:
    error: ResumeRigError


@dataclass(frozen=True, slots=True)
class _Broken:
    name: str
    text: str
    trace: str


class ProcessEnded(Exception):
    """It ended without an answer; the text says how."""


class InternalFault(Exception):
    """A mistake of the program, in the other process; the text names it."""


class OtherProcess:
    """One process at work.

    Args:
        module: of the package; its function `work` is what the process does.
        patience_s: how long `close` waits for its end before it is killed.
    """

    def __init__(self, module: str, patience_s: float) -> None:
        self._patience_s = patience_s
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {module} import work; work()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is the window's to answer.
            start_new_session=True,
        )

    def order(self, order: object) -> None:
        """Send the order; not where the process is gone, which `answers` tells."""
        packed = pickle.dumps(order, pickle.HIGHEST_PROTOCOL)
        self.send(len(packed).to_bytes(_LENGTH_BYTES, "big") + packed)

    def send(self, data: bytes) -> None:
        """Send bytes behind the order; not where the process is gone."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(data)
            self._process.stdin.flush()

    def answers(self) -> Iterator[object]:
        """Yield what it tells until it is said to be over.

        Raises:
            ResumeRigError: what the work raised.
            InternalFault: what it should not have raised.
            ProcessEnded: the process ended without a last answer.
        """
        assert self._process.stdout is not None
        while True:
            try:
                answer = pickle.load(self._process.stdout)
            except (EOFError, pickle.UnpicklingError) as lost:
                status = self._process.wait()
                how = "it was ended" if status < 0 else f"it ended with status {status}"
                raise ProcessEnded(how) from lost
            match answer:
                case _Failed(error=error):
                    raise error
                case _Broken(name=name, text=text, trace=trace):
                    logger.error("the other process failed: %s", trace)
                    raise InternalFault(f"internal error, {name}: {text}; please report it")
                case _:
                    yield answer

    def end(self) -> None:
        """Ask it to end, so that it leaves nothing half done; `answers` then raises."""
        with suppress(ProcessLookupError):
            self._process.terminate()

    def close(self) -> None:
        """See to it that it has ended."""
        self.end()
        try:
            self._process.wait(self._patience_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


def receive(length: int) -> bytes:
    """Return so many bytes of what the window sends; fewer where it is gone.

    Nothing is read ahead, and no lock is held meanwhile: a thread that waits here may be left
    behind at the process's end.
    """
    parts = []
    while length > 0 and (part := os.read(sys.stdin.fileno(), length)):
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def receive_order() -> object:
    """Return the order."""
    return pickle.loads(receive(int.from_bytes(receive(_LENGTH_BYTES), "big")))


def tell(answer: object) -> None:
    """Tell the window something.

    Raises:
        BrokenPipeError: it is gone.
    """
    pickle.dump(answer, sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
    sys.stdout.buffer.flush()


def tell_faults(work: Callable[[], None]) -> None:
    """Do the work; tell the window what it raises."""
    try:
        work()
    except ResumeRigError as error:
        tell(_Failed(error))
    except Exception as error:
        # The last resort: the window is to say more than that the process ended.
        logger.exception("work in a process of its own failed")
        tell(_Broken(type(error).__name__, str(error), traceback.format_exc()))
