"""The explorer on a store that another process writes, begun by hand or killed."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from resume_rig.campaign.store.disk import is_being_written
from resume_rig.campaign.store.store import Store
from resume_rig.gui.app.window import Window
from resume_rig.gui.explorer.view import ExplorerView
from resume_rig.gui.request import Target

pytestmark = pytest.mark.slow

PATIENCE_MS = 60_000
WRITER = """\
import sys
from pathlib import Path
from resume_rig.acceptance.bench import opened_rig
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.run.campaign import Commission, carry_out
from resume_rig.campaign.run.events import CycleDone
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.rig.dut_profile import profile_for

def go_by_word(event):
    if isinstance(event, CycleDone):
        print("done", flush=True)
        sys.stdin.readline()

url, cycles = "sim:clock=virtual,seed=3", int(sys.argv[2])
dut = profile_for(url, None)
plan = override(default_plan(), cycles=cycles)
order = Commission(Path(sys.argv[1]), plan, load_requirement("sysfund-0004"), dut)
with opened_rig(url, dut) as opened:
    carry_out(order, opened, lambda _: go_by_word)
"""


class Writer:
    """A campaign in another process that goes on by a cycle at a word."""

    def __init__(self, path: Path, cycles: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(cycles)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._said()

    def more(self, cycles: int) -> None:
        for _ in range(cycles):
            self._go_on()
            self._said()

    def end(self) -> None:
        self._go_on()
        assert self.process.wait(60) == 0

    def _go_on(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def _said(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "done\n"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "live.rrs"


@pytest.fixture
def writer(store: Path) -> Iterator[Writer]:
    made = Writer(store, 9)
    made.more(3)
    yield made
    made.process.kill()
    made.process.communicate()


def opened(qtbot: QtBot, window: Window, path: Path) -> ExplorerView:
    window.go("explorer", Target((path,)))
    view = window.view
    assert isinstance(view, ExplorerView)
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)
    return view


def judged(view: ExplorerView) -> int:
    return 0 if view._explored is None else len(view._explored.cycles)


def test_cycles_come_by_themselves_and_what_is_chosen_stays(
    qtbot: QtBot, window: Window, store: Path, writer: Writer
) -> None:
    assert is_being_written(store)
    view = opened(qtbot, window, store)
    assert view.file.text() == "live.rrs: 4 cycles; being written"
    columns = [column.title for column in view.cycles.model.table.columns]
    light = columns.index("display on, ms")
    view.cycles.view.sortByColumn(light, Qt.SortOrder.DescendingOrder)
    view.filter.setText("cycle is not 1")
    view.filter.returnPressed.emit()
    qtbot.waitUntil(
        lambda: view.settled() and len(view.cycles.model.rows) == 3, timeout=PATIENCE_MS
    )
    view.cycles.choose(2)
    qtbot.waitUntil(view.settled, timeout=PATIENCE_MS)
    view.filter.setText("half a fil")
    view.wave.lanes.show_range(250, 500)

    writer.more(3)
    qtbot.waitUntil(lambda: len(view.cycles.model.table) == 7, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: judged(view) == 7 and view.settled(), timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: len(view.cycles.model.rows) == 6, timeout=PATIENCE_MS)

    rows = view.cycles.model.rows.tolist()
    shown = [float(view.cycles.model.table.cell(row, light)) for row in rows]
    assert shown == sorted(shown, reverse=True)
    assert 0 not in rows
    assert rows[view.cycles.view.currentIndex().row()] == 2
    assert view.filter.text() == "half a fil"
    assert view.file.text() == "live.rrs: 7 cycles; being written"
    (from_ms, to_ms), _ = view.wave.lanes.lanes.plot.viewRange()
    assert (from_ms, to_ms) == (250, 500)

    writer.more(2)
    writer.end()
    qtbot.waitUntil(lambda: not view.following.active, timeout=PATIENCE_MS)
    assert judged(view) == 9
    assert view.file.text() == "live.rrs: 9 cycles"
    assert rows[0] in view.cycles.model.rows.tolist()
    assert not is_being_written(store)


def test_a_campaign_that_is_killed_is_no_longer_written(
    qtbot: QtBot, window: Window, store: Path, writer: Writer
) -> None:
    view = opened(qtbot, window, store)
    assert view.following.writing
    writer.more(1)
    writer.process.send_signal(signal.SIGKILL)
    writer.process.wait(60)
    qtbot.waitUntil(lambda: not view.following.active, timeout=PATIENCE_MS)
    assert view.file.text() == "live.rrs: 5 cycles"
    assert view.notice.text == ""


def test_the_table_stays_where_it_was_scrolled_to(
    qtbot: QtBot, window: Window, store: Path, writer: Writer
) -> None:
    with Store.open(store) as kept:
        assert kept.last_number() == 4
    view = opened(qtbot, window, store)
    bar = view.cycles.view.verticalScrollBar()
    view.cycles.view.setMaximumHeight(60)
    qtbot.waitUntil(lambda: bar.maximum() > 0, timeout=PATIENCE_MS)
    bar.setValue(bar.maximum())
    place = bar.value()
    writer.more(4)
    qtbot.waitUntil(lambda: len(view.cycles.model.table) == 8, timeout=PATIENCE_MS)
    assert bar.value() == place
    assert bar.maximum() > place


def test_a_store_that_nobody_writes_is_not_followed(
    qtbot: QtBot, window: Window, store: Path, writer: Writer
) -> None:
    writer.more(5)
    writer.end()
    view = opened(qtbot, window, store)
    assert not view.following.active
    assert view.file.text() == "live.rrs: 9 cycles"
