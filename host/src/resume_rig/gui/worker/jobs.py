"""Work in the background: one thread for short work, a process for each that is long."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from resume_rig.gui.worker.process import Order, WorkProcess
from resume_rig.model.errors import ResumeRigError
from resume_rig.report.text.hostile_text import one_line

logger = logging.getLogger(__name__)
T = TypeVar("T")


class Cancelled(Exception):
    """Somebody does not want the result any more."""


class Task:
    """One job, as its work has it: takes the progress, and knows whether the result is wanted."""

    def __init__(
        self, name: str, changed: Callable[["Task"], None], *, quiet: bool = False
    ) -> None:
        self.name = name
        self.quiet = quiet
        self.done = 0
        self.of = 0
        self.given_up = False
        self._cancelled = threading.Event()
        self._changed = changed
        self._end: Callable[[], None] = _nothing

    def progress(self, done: int, of: int) -> None:
        """Take how much is done, `of` how much (0 where nobody knows).

        Raises:
            Cancelled: stop, and leave nothing half done.
        """
        if self._cancelled.is_set():
            raise Cancelled
        if done - self.done >= max(1, of // 200) or done == of:
            self.done, self.of = done, of
            self._changed(self)

    def cancel(self) -> None:
        """Ask the work to stop: it does at its next `progress`; a process is ended at once."""
        self._cancelled.set()
        self._end()

    def give_up(self) -> None:
        """Cancel it for a person, who reads so where the work's failure would be."""
        self.given_up = True
        self.cancel()

    def ended_by(self, end: Callable[[], None]) -> None:
        """Let `cancel` call `end`, too."""
        self._end = end
        if self.cancelled:
            end()

    @property
    def cancelled(self) -> bool:
        """Whether its result is not wanted any more."""
        return self._cancelled.is_set()


class JobSlot:
    """Where a page keeps the one job of a kind that it waits for; the next one cancels it."""

    def __init__(self) -> None:
        self._task: Task | None = None

    @property
    def busy(self) -> bool:
        """Whether its job is not over."""
        return self._task is not None

    def hold(self, task: Task) -> None:
        """Wait for a job, and no more for the one before."""
        self.cancel()
        self._task = task

    def release(self, task: Task) -> bool:
        """Let go of a job that is over; return whether it is the one that is waited for."""
        mine = task is self._task
        if mine:
            self._task = None
        return mine

    def cancel(self) -> None:
        """Want the result no more: neither `done` nor `failed` is called."""
        if self._task is not None:
            self._task.cancel()
            self._task = None


@dataclass(frozen=True, slots=True)
class _Order:
    """A job; `run` returns what is to be done with its result in the window's thread."""

    task: Task
    run: Callable[[], Callable[[], None]]
    failed: Callable[[str], None]
    slot: JobSlot | None


class Jobs(QObject):
    """Runs work in its own thread; results come back in the thread of the window.

    Signals:
        changed: a job began, moved on or ended; `running` is the one under way.
    """

    changed = Signal()
    _returned = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._orders: SimpleQueue[_Order | None] = SimpleQueue()
        self._waiting: list[Task] = []
        self._waiters: list[threading.Thread] = []
        self._returned.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(target=self._work, name="jobs", daemon=True)
        self._thread.start()

    @property
    def running(self) -> Task | None:
        """The oldest job that is not over, but for quiet ones."""
        return next((task for task in self._waiting if not task.quiet), None)

    def start(
        self,
        name: str,
        work: Callable[[Task], T],
        done: Callable[[T], None],
        failed: Callable[[str], None],
        *,
        quiet: bool = False,
        slot: JobSlot | None = None,
    ) -> Task:
        """Begin a job.

        Args:
            name: what it does, for the status line, e.g. "Reading bench.rrs".
            work: runs in the background; may raise any error of the project. It touches no widget.
            done: gets the result, in the window's thread; not called after `Task.cancel`.
            failed: gets one sentence, in the window's thread.
            quiet: nobody waits for it, so that the status line does not show it.
            slot: of the page that waits for it.
        """
        task = self._begin(name, quiet, slot)

        def run() -> Callable[[], None]:
            result = work(task)
            return lambda: done(result)

        self._orders.put(_Order(task, run, failed, slot))
        self.changed.emit()
        return task

    def start_process(
        self,
        name: str,
        order: Order[T],
        done: Callable[[T], None],
        failed: Callable[[str], None],
        *,
        quiet: bool = False,
        slot: JobSlot | None = None,
    ) -> Task:
        """Begin a job in a process of its own, whatever else runs; otherwise as `start`."""
        task = self._begin(name, quiet, slot)

        def run() -> Callable[[], None]:
            process = WorkProcess(order)
            task.ended_by(process.end)
            result = process.result(task.progress)
            return lambda: done(result)

        waits = _Order(task, run, failed, slot)
        thread = threading.Thread(target=self._wait_for, args=(waits,), name="process", daemon=True)
        self._waiters = [each for each in self._waiters if each.is_alive()]
        self._waiters.append(thread)
        thread.start()
        self.changed.emit()
        return task

    def close(self) -> None:
        """Cancel everything and end the threads; waits for each job under way, 5 s at most."""
        for task in self._waiting:
            task.cancel()
        self._orders.put(None)
        for thread in (self._thread, *self._waiters):
            thread.join(5)

    def _begin(self, name: str, quiet: bool, slot: JobSlot | None) -> Task:
        task = Task(name, self._returned.emit, quiet=quiet)
        self._waiting.append(task)
        if slot is not None:
            slot.hold(task)
        return task

    def _wait_for(self, order: _Order) -> None:
        self._returned.emit((order, self._answer(order)))

    def _work(self) -> None:
        while (order := self._orders.get()) is not None:
            self._wait_for(order)

    @staticmethod
    def _answer(order: _Order) -> Callable[[], None]:
        """Do the work; return what is to be done with its end in the window's thread."""
        task = order.task
        try:
            return _cancelled(order) if task.cancelled else order.run()
        except Cancelled:
            return _cancelled(order)
        except ResumeRigError as error:
            text = one_line(str(error))
            return _cancelled(order) if task.cancelled else lambda: order.failed(text)
        except Exception as error:
            # The last resort: a mistake of the program must not end the thread without a word.
            logger.exception("job failed: %s", task.name)
            text = f"internal error, {type(error).__name__}: {one_line(str(error))}"
            return lambda: order.failed(f"{text}; please report it")

    @Slot(object)
    def _take(self, returned: object) -> None:
        if isinstance(returned, tuple):
            order, answer = returned
            self._waiting.remove(order.task)
            waited_for = order.slot is None or order.slot.release(order.task)
            if waited_for and (order.task.given_up or not order.task.cancelled):
                answer()
        self.changed.emit()


def _cancelled(order: _Order) -> Callable[[], None]:
    """Return what is to be done with the end of work that was cancelled."""
    if not order.task.given_up:
        return _nothing
    return lambda: order.failed(f"{order.task.name} was cancelled")


def _nothing() -> None:
    """Do nothing with a result that nobody wants."""
