"""What a discrete-event model still has to do, in time order; parts of it can be dropped."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, unique

Deed = Callable[[int], None]


@unique
class Thread(Enum):
    """Plans that are dropped together."""

    ALWAYS = "always"
    POWER = "power"
    DISPLAY = "display"
    RECORD = "record"
    BUTTON = "button"
    LID = "lid"
    IDLE = "idle"
    TIMER = "timer"


@dataclass(frozen=True, slots=True, order=True)
class _Planned:
    t_ns: int
    number: int
    thread: Thread = field(compare=False)
    generation: int = field(compare=False)
    deed: Deed = field(compare=False)


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
        while self._heap and self._stale(self._heap[0]):
            heapq.heappop(self._heap)
        return self._heap[0].t_ns if self._heap else None

    def run(self, until_ns: int) -> None:
        """Do everything due up to and including `until_ns`, also what is planned meanwhile."""
        while (due := self.next_ns()) is not None and due <= until_ns:
            planned = heapq.heappop(self._heap)
            planned.deed(planned.t_ns)

    def _stale(self, planned: _Planned) -> bool:
        return planned.generation != self._generation[planned.thread]
