"""The explorer with a store of very many cycles: how soon it is there, what holds it up, memory.

python benchmarks/gui_explorer.py CYCLES
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from big_store import lengthen
from gui import new_window, queued_ms

if TYPE_CHECKING:
    from resume_rig.gui.app.window import Window
    from resume_rig.gui.explorer.view import ExplorerView

URL = "sim:clock=virtual,seed=1"
SIMULATED = 200
TURNS = 60
FILTERS = (
    "outcome is hung and wake by lid",
    "to light above p99",
    "not (verdict is pass) or findings above 0",
    "lid 743",
)


class Watch:
    """How long the window's thread is busy at a time.

    By the wall; without its waits for a processor that others have; by its own CPU time.
    """

    def __init__(self) -> None:
        self.walls_ms: list[float] = []
        self.held_ms: list[float] = []
        self.works_ms: list[float] = []

    def turn(self) -> None:
        """Let the window do what it has to do, once."""
        from PySide6.QtWidgets import QApplication

        wall, work, queued = time.perf_counter(), time.thread_time(), queued_ms()
        QApplication.processEvents()
        self.walls_ms.append((time.perf_counter() - wall) * 1000)
        self.held_ms.append(self.walls_ms[-1] - (queued_ms() - queued))
        self.works_ms.append((time.thread_time() - work) * 1000)
        time.sleep(0.005)

    def until(self, done: Callable[[], bool]) -> float:
        """Let it work until something is so; return the seconds that it took."""
        begun = time.perf_counter()
        while not done():
            self.turn()
        return time.perf_counter() - begun

    def told(self, what: str) -> str:
        """Return the figures in words, and begin anew."""
        work, held, wall = (max(each) for each in (self.works_ms, self.held_ms, self.walls_ms))
        self.walls_ms, self.held_ms, self.works_ms = [], [], []
        return (
            f"{what}: held {held:.1f} ms at most (wanted 50), busy {work:.1f} ms of CPU time; with "
            f"waits for a processor that others have {wall:.1f} ms"
        )


def memory_mb() -> float:
    """Return the memory that this process has now."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


def opened(window: "Window", store: Path, watch: Watch) -> "ExplorerView":
    """Open a store and print how soon its table is there."""
    from resume_rig.gui.explorer.view import ExplorerView
    from resume_rig.gui.request import Target

    window.show()
    window.go("explorer")
    watch.until(lambda: len(watch.walls_ms) > 20)
    watch.told("")
    begun, begun_cpu = time.perf_counter(), time.process_time()
    window.go("explorer", Target((store,)))
    view = window.view
    assert isinstance(view, ExplorerView)
    watch.until(lambda: len(view.cycles.model.rows) > 0)
    watch.turn()
    took, took_cpu = time.perf_counter() - begun, time.process_time() - begun_cpu
    print(
        f"table of {len(view.cycles.model.rows):,} cycles shown after {took:.2f} s, "
        f"{took_cpu:.2f} s of CPU time (wanted 1 s); {memory_mb():.0f} MB"
    )
    watch.until(lambda: view.wave.lanes.isVisible() and view.text.toPlainText() != "")
    print(watch.told("while it opened, and its first cycle"))
    return view


def use(view: "ExplorerView", watch: Watch, what: str) -> None:
    """Sort, scroll, filter and choose cycles; print how long the window was held up."""
    from PySide6.QtCore import Qt

    bar = view.cycles.view.verticalScrollBar()
    for turn in range(TURNS):
        bar.setValue(bar.maximum() * turn // TURNS)
        watch.turn()
    print(watch.told(f"{what}: {TURNS} times scrolled"))
    columns = view.cycles.model.columnCount()
    for column in range(columns):
        for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
            begun = time.thread_time()
            view.cycles.view.sortByColumn(column, order)
            watch.works_ms.append((time.thread_time() - begun) * 1000)
            watch.turn()
    print(watch.told(f"{what}: sorted by each of {columns} columns, up and down"))
    for text in FILTERS:
        view.filter.setText(text)
        view.filter.returnPressed.emit()
        took = watch.until(view.settled if view._explored else view.narrowing.settled)
        told = watch.told(f"{what}: filter {text!r} after {took:.2f} s")
        print(told, f"{len(view.cycles.model.rows):,} cycles kept", sep="; ")
    view.filter.clear()
    watch.until(view.narrowing.settled)
    waited_s: list[float] = []
    for row in range(0, len(view.cycles.model.rows), len(view.cycles.model.rows) // 10):
        view.cycles.view.setCurrentIndex(view.cycles.model.index(row, 0))
        waited_s.append(watch.until(lambda: not view._detailing.busy))
    print(
        watch.told(
            f"{what}: cycles chosen, each shown after {statistics.median(waited_s):.2f} s in the "
            f"median, {max(waited_s):.2f} s at most"
        )
    )


def main() -> None:
    """Print the figures."""
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "long.rrs"
        _make(store, cycles)
        _measure(store)


def _make(store: Path, cycles: int) -> None:
    """Make a store of so many cycles of a few simulated ones."""
    short = store.with_name("short.rrs")
    words = ("run", "--rig", URL, "--cycles", str(min(cycles, SIMULATED)), "--out", str(short))
    subprocess.run([sys.executable, "-m", "resume_rig", *words], check=True, capture_output=True)
    lengthen(short, store, cycles)


def _measure(store: Path) -> None:
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    window, watch = new_window(), Watch()
    view = opened(window, store, watch)
    use(view, watch, "while the rest is derived")
    took = watch.until(lambda: not view._reading.busy)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"the rest was derived {took:.0f} s later, in a process of its own: "
        f"{children.ru_utime + children.ru_stime:.0f} s of CPU time, "
        f"{children.ru_maxrss / 1024:.0f} MB; {watch.told('meanwhile')}"
    )
    print(view.verdict.badge.text(), view.notice.text)
    use(view, watch, "with everything")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory of the window: {memory_mb():.0f} MB, {peak:.0f} MB at most (wanted below 300)")
    window.close_at_once()


if __name__ == "__main__":
    main()
