"""Processes of the window's own, with both ends of the pipes to them. Free of Qt.

Standard input brings a pickled order, then single signs: what a person wishes of it (pause, stop);
standard output takes pickled answers. Clocks that obey a wish are here, too.
"""

import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final, Generic, TypeVar, cast

from resume_rig.model.errors import RecordError, ResumeRigError
from resume_rig.timing.clocks import SystemClock, VirtualClock

logger = logging.getLogger(__name__)

_LENGTH_BYTES: Final = 8
# Windows has it; elsewhere a session does the same.
_A_GROUP_OF_ITS_OWN: Final[int] = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)


@dataclass(frozen=True, slots=True)
class _Failed:
    error: ResumeRigError


@dataclass(frozen=True, slots=True)
class _Broken:
    name: str
    text: str
    trace: str


class ProcessEnded(Exception):
    """It ended without an answer; the text is how."""


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
            creationflags=_A_GROUP_OF_ITS_OWN,
        )

    def order(self, order: object) -> None:
        """Send the order; nothing where the process is gone, which `answers` raises."""
        packed = pickle.dumps(order, pickle.HIGHEST_PROTOCOL)
        self.send(len(packed).to_bytes(_LENGTH_BYTES, "big") + packed)

    def send(self, data: bytes) -> None:
        """Send bytes behind the order; nothing where the process is gone."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(data)
            self._process.stdin.flush()

    def answers(self) -> Iterator[object]:
        """Yield its answers; whoever has the last one stops asking.

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
        if sys.platform == "win32":
            # terminate() ends it at once there, whatever it does; a closed pipe asks it.
            assert self._process.stdin is not None
            with suppress(OSError):
                self._process.stdin.close()
        else:
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


def send(answer: object) -> None:
    """Send an answer to the window.

    Raises:
        BrokenPipeError: it is gone.
    """
    pickle.dump(answer, sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
    sys.stdout.buffer.flush()


def send_faults(work: Callable[[], None]) -> None:
    """Do the work; send the window what it raises."""
    try:
        work()
    except ResumeRigError as error:
        send(_Failed(error))
    except Exception as error:
        # The last resort: the window is to show more than that the process ended.
        logger.exception("work in a process of its own failed")
        send(_Broken(type(error).__name__, str(error), traceback.format_exc()))


T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Gets how much is done, of how much."""

_PATIENCE_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Order(Generic[T]):
    """Work that another process can do.

    Attributes:
        function: of a module; gets `Progress` and the arguments; all of it can be pickled.
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


class WorkProcess(Generic[T]):
    """One process at work.

    Args:
        order: what it does.
    """

    def __init__(self, order: Order[T]) -> None:
        self._process = OtherProcess(__name__, _PATIENCE_S)
        self._order = order

    def result(self, progress: Progress) -> T:
        """Wait for the result; what `progress` raises ends the work.

        Raises:
            ResumeRigError: what the work raised.
            RecordError: the process ended without an answer.
        """
        # The pipe of orders stays open as long as somebody waits: see `_end_with_the_window`.
        try:
            self._process.order(self._order)
            return self._answer(progress)
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

    def _answer(self, progress: Progress) -> T:
        for answer in self._process.answers():
            match answer:
                case _Progress(done=done, of=of):
                    progress(done, of)
                case _:
                    return cast(_Done[T], answer).result
        raise AssertionError("answers end by an error alone")


def _end_with_the_window() -> None:
    """End as `WorkProcess.end` does when the other end of the pipe is gone, killed perhaps."""
    receive(1)
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGTERM)  # os.kill would end it at once
    else:
        os.kill(os.getpid(), signal.SIGTERM)


def work() -> None:
    """Do the one order that comes in; the other end of the pipe is `WorkProcess`."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    order = cast(Order[object], receive_order())
    threading.Thread(target=_end_with_the_window, daemon=True).start()
    last = -1

    def progress(done: int, of: int) -> None:
        nonlocal last
        step = done * 200 // max(of, 1)
        if step != last:
            last = step
            send(_Progress(done, of))

    send_faults(lambda: send(_Done(order.function(progress, *order.arguments))))


_LOOK_EVERY_NS = 50_000_000


@unique
class Wish(StrEnum):
    """What somebody at the window wants; one sign each, as it goes through a pipe."""

    HOLD = "h"
    GO_ON = "g"
    STOP = "s"
    ANSWER = "a"


class Gate:
    """What somebody at the window wants of a campaign that runs."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._follower: Callable[[Wish], None] | None = None
        self._stop = threading.Event()
        self._go = threading.Event()
        self._go.set()
        self._answer = threading.Event()

    @property
    def held(self) -> bool:
        """Whether it is to wait before its next cycle."""
        return not self._go.is_set()

    @property
    def stopping(self) -> bool:
        """Whether it is to stop."""
        return self._stop.is_set()

    def hold(self) -> None:
        """Let it wait before its next cycle."""
        self.obey(Wish.HOLD)

    def go_on(self) -> None:
        """Let it go on."""
        self.obey(Wish.GO_ON)

    def stop(self) -> None:
        """Let it stop, as Ctrl-C does on the command line."""
        self.obey(Wish.STOP)

    def answer(self) -> None:
        """Note that what a person was asked to do is done."""
        self.obey(Wish.ANSWER)

    def obey(self, wish: Wish) -> None:
        """Note a wish, and pass it on to who follows."""
        with self._lock:
            if wish is Wish.HOLD:
                self._go.clear()
            elif wish is Wish.ANSWER:
                self._answer.set()
            else:
                self._go.set()
            if wish is Wish.STOP:
                self._stop.set()
            if self._follower is not None:
                self._follower(wish)

    def follow(self, follower: Callable[[Wish], None] | None) -> None:
        """Pass each wish on from now on, and those that stand; None ends that."""
        with self._lock:
            self._follower = follower
            if follower is None:
                return
            if self.held:
                follower(Wish.HOLD)
            if self.stopping:
                follower(Wish.STOP)

    def take_answer(self) -> bool:
        """Return whether that was noted since the last time."""
        answered = self._answer.is_set()
        self._answer.clear()
        return answered

    def wait_while_held(self, keep_alive: Callable[[], None], every_s: float) -> None:
        """Wait until it may go on; call `keep_alive` meanwhile."""
        while not self._go.wait(every_s):
            keep_alive()


class Stop:
    """Stops a campaign, once.

    The runner takes a KeyboardInterrupt as "stop, and keep what was measured". What has to be done
    after that, such as releasing the actuators, may wait in peace.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._stopped = False

    def check(self) -> None:
        """Raise KeyboardInterrupt where somebody wants it to stop, the first time."""
        if self._gate.stopping and not self._stopped:
            self._stopped = True
            raise KeyboardInterrupt


class StoppableSystemClock(SystemClock):
    """Real time; its waits end within 50 ms where the campaign is to stop."""

    def __init__(self, stop: Stop) -> None:
        super().__init__()
        self._stop = stop

    def sleep_ns(self, duration_ns: int) -> None:
        """Wait; raises KeyboardInterrupt once where the campaign is to stop."""
        self._stop.check()
        until_ns = self.now_ns() + duration_ns
        while (left_ns := until_ns - self.now_ns()) > 0:
            super().sleep_ns(min(left_ns, _LOOK_EVERY_NS))
            self._stop.check()


class StoppableVirtualClock(VirtualClock):
    """Virtual time; a wait is over at once, or ends the campaign."""

    def __init__(self, stop: Stop, start_utc_ns: int) -> None:
        super().__init__(start_utc_ns)
        self._stop = stop

    def sleep_ns(self, duration_ns: int) -> None:
        """Let time pass; raises KeyboardInterrupt once where the campaign is to stop."""
        self._stop.check()
        super().sleep_ns(duration_ns)
