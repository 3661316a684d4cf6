"""The desktop application without a display: start, redraws, blocks of its thread, memory.

python benchmarks/gui.py [CYCLES]
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resume_rig.gui.app.window import Window

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

STARTS = 3
EDGES = 2_000
LANES = 6
REDRAWS = 300
TICK_MS = 5
REAL_CYCLES = 2
FIRST_S = 0.5
MS = 1_000_000
SCHEDSTAT = Path("/proc/thread-self/schedstat")


def start_seconds() -> tuple[float, float]:
    """Return wall and CPU seconds from a new process to a window that is shown and painted."""
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, __file__, "--shown"], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        told, cpu_s = child.stdout.readline().split()
        assert told == "shown"
        return time.perf_counter() - begun, float(cpu_s)


def show_once() -> None:
    """Open the window as `resume-rig gui` does, say so, and end."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from resume_rig.gui.app import start
    from resume_rig.gui.request import GuiRequest

    application = QApplication([])

    def shown() -> None:
        print("shown", time.process_time(), flush=True)
        application.closeAllWindows()

    QTimer.singleShot(0, shown)
    with tempfile.TemporaryDirectory() as folder:
        start.run(GuiRequest(settings=Path(folder) / "settings.ini"))


def redraws_per_second() -> tuple[float, float]:
    """Return how often six lanes of 2,000 edges are drawn in a second, of wall and of CPU time."""
    from resume_rig.gui.state.lanes import wires_of
    from resume_rig.gui.widgets.plot_panel import LanesPlot
    from resume_rig.model.channel import Channel
    from resume_rig.model.edge import Edge

    window = new_window()
    channels = list(Channel)[:LANES]
    wires = wires_of(dict.fromkeys(channels, 1), 0)
    wires = wires.plus_edges(
        Edge(n, n * MS, channel, n % 2) for n in range(EDGES) for channel in channels
    )
    plot = LanesPlot(window.desk, "Wires", "time, s")
    plot.resize(1000, 700)
    plot.show()
    begun, begun_cpu = time.perf_counter(), time.thread_time()
    for turn in range(REDRAWS):
        now_ns = EDGES * MS + turn * MS
        plot.draw(wires, now_ns - EDGES * MS - REDRAWS * MS, now_ns, now_ns)
        plot.show_range(-(EDGES + REDRAWS) / 1000, 0)
        plot.grab()
    took, took_cpu = time.perf_counter() - begun, time.thread_time() - begun_cpu
    plot.close()
    window.close_at_once()
    return REDRAWS / took, REDRAWS / took_cpu


def queued_ms() -> float:
    """Return how long this thread has waited for a processor so far."""
    return int(SCHEDSTAT.read_text("ascii").split()[1]) / MS


def campaign_blocks(url: str, cycles: int) -> tuple[list[float], list[float], list[float], float]:
    """Return the waits [ms] of a timer in the window's thread over a campaign, and its seconds.

    By the wall, which on a busy machine holds the waits for a processor that others have; without
    those; and the thread's own CPU time.
    """
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtWidgets import QApplication

    from resume_rig.analysis.verdict.requirement import load_requirement
    from resume_rig.campaign.plan.plan import default_plan, override
    from resume_rig.campaign.run.campaign import Surroundings
    from resume_rig.gui.worker.campaign_state import Phase
    from resume_rig.gui.worker.events import RunCampaign
    from resume_rig.model.rig_url import RigUrl

    window = new_window()
    window.show()
    window.go("campaign")
    # Whoever starts a campaign sees the window; its first painting belongs to the start.
    painted = time.perf_counter() + FIRST_S
    while time.perf_counter() < painted:
        QApplication.processEvents()
        time.sleep(0.001)
    waits: list[float] = []
    held: list[float] = []
    works: list[float] = []
    last, last_cpu, last_queued = time.perf_counter(), time.thread_time(), queued_ms()

    def tick() -> None:
        nonlocal last, last_cpu, last_queued
        now, now_cpu, now_queued = time.perf_counter(), time.thread_time(), queued_ms()
        waits.append((now - last) * 1000 - TICK_MS)
        held.append(waits[-1] - (now_queued - last_queued))
        works.append((now_cpu - last_cpu) * 1000)
        last, last_cpu, last_queued = now, now_cpu, now_queued

    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    with tempfile.TemporaryDirectory() as folder:
        plan = override(default_plan(), cycles=cycles)
        store = Path(folder) / "store.rrs"
        requirement = load_requirement("sysfund-0004")
        window.worker.ask(RunCampaign(RigUrl(url), None, plan, store, requirement, Surroundings()))
        begun = last = time.perf_counter()
        timer.start(TICK_MS)
        while window.desk.state.campaign.phase is not Phase.FINISHED:
            QApplication.processEvents()
            time.sleep(0.001)
        took = time.perf_counter() - begun
        # The answer and its drawing are part of it.
        while window.view is None or not window.view.settled():
            QApplication.processEvents()
            time.sleep(0.001)
        timer.stop()
        window.close_at_once()
    return sorted(waits), sorted(held), sorted(works), took


def new_window() -> "Window":
    """Return a window with state of its own."""
    from PySide6.QtWidgets import QApplication

    from resume_rig.gui.app.start import put_the_window_first
    from resume_rig.gui.app.window import Window
    from resume_rig.gui.desk import Remembered
    from resume_rig.gui.request import ThemeName
    from resume_rig.gui.theme import Look, apply_to_application

    put_the_window_first()

    application = QApplication.instance() or QApplication([])
    application.setApplicationName("resume-rig")
    look = Look(ThemeName.LIGHT)
    apply_to_application(look.colours)
    settings = Path(tempfile.mkdtemp()) / "settings.ini"
    return Window(look, Remembered(settings))


def main() -> None:
    """Print the figures."""
    if "--shown" in sys.argv:
        show_once()
        return
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    walls, cpus = zip(*(start_seconds() for _ in range(STARTS)), strict=True)
    print(
        f"start to window shown: median {statistics.median(walls):.2f} s, best {min(walls):.2f} s "
        f"of {STARTS}; CPU time {statistics.median(cpus):.2f} s (wanted 1.2 s)"
    )
    by_wall, by_cpu = redraws_per_second()
    print(
        f"{LANES} lanes of {EDGES} edges: {by_wall:.0f} redraws/s, {by_cpu:.0f} of CPU time "
        "(wanted 60)"
    )
    for clock, count in (("virtual", cycles), ("real", REAL_CYCLES)):
        waits, held, works, took = campaign_blocks(f"sim:clock={clock},seed=7", count)
        place = int(0.99 * (len(waits) - 1))
        print(
            f"campaign of {count} cycles on a {clock} clock in {took:.1f} s: the window's thread "
            f"was held {held[place]:.1f} ms at a time in 99 of 100, {held[-1]:.1f} ms at most "
            f"(wanted 50), {works[-1]:.1f} ms of them its own CPU time; with waits for a "
            f"processor that others have {waits[place]:.1f} and {waits[-1]:.1f} ms"
        )
    print(
        f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB "
        "(wanted below 300)"
    )


if __name__ == "__main__":
    main()
