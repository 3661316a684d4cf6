"""What a discrete-event model still has to do, in time order; parts of it can be dropped."""

import heapq
from collections.abc import Callable
from enum import Enum, unique
from typing import NamedTuple

Deed = Callable[[int], None]


@unique
class Thread(Enum):
    """Plans that are dropped together."""

    __hash__ = object.__hash__  # there is one of each, and that of Enum is slow

    ALWAYS = "always"
    POWER = "power"
    DISPLAY = "display"
    RECORD = "record"
    BUTTON = "button"
    LID = "lid"
    IDLE = "idle"
    TIMER = "timer"
    CONTACT = "contact"


class _Planned(NamedTuple):
    """Sorts by time, then by number, of which no two are equal."""

    t_ns: int
    number: int
    thread: Thread
    generation: int
    deed: Deed


class Agenda:
    """Deeds by time; deeds of the same time are done in the order in which they were planned."""

    def __init__(self) -> None:
        self._heap: list[_Planned] = []
        self._count = 0
        self._generation = dict.fromkeys(Thread, 0)

    def plan(self, t_ns: int, deed: Deed, thread: Thread = Thread.POWER) -> None:
        """Do `deed(t_ns)` at `t_ns`, unless its thread is dropped before."""
        self._count += 1
        planned = _Planned(t_ns, self._count, thread, self._generation[thread], deed)
        heapq.heappush(self._heap, planned)

    def drop(self, thread: Thread) -> None:
        """Forget what is planned on `thread`."""
        self._generation[thread] += 1

    def next_ns(self) -> int | None:
        """Return when the next deed is due, None when there is none."""
        heap = self._heap
        while heap:
            first = heap[0]
            if first.generation == self._generation[first.thread]:
                return first.t_ns
            heapq.heappop(heap)
        return None

    def run(self, until_ns: int) -> None:
        """Do everything due up to and including `until_ns`, also what is planned meanwhile."""
        heap, generation = self._heap, self._generation
        while heap and heap[0].t_ns <= until_ns:
            planned = heapq.heappop(heap)
            if planned.generation == generation[planned.thread]:
                planned.deed(planned.t_ns)
