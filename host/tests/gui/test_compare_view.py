"""The page of comparisons: two builds and a third, the answer, one time's distributions."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt

from resume_rig.cli.main import main
from resume_rig.gui.remembered import Remembered
from resume_rig.gui.request import Target, ThemeName
from resume_rig.gui.state.compared import cumulative
from resume_rig.gui.theme import Look
from resume_rig.gui.views.compare_view import CompareView
from resume_rig.gui.window import Window

LOGS = Path(__file__).parents[3] / "fixtures" / "logs"


@pytest.fixture(scope="module")
def stores(tmp_path_factory) -> list[Path]:
    """Three campaigns: a base, a slower build, and the base again."""
    folder = tmp_path_factory.mktemp("stores")
    paths = []
    for seed, dut in enumerate(("healthy-laptop", "slow-bios", "healthy-laptop"), 1):
        path = folder / f"build-{seed}.rrs"
        url = f"sim:clock=virtual,seed={seed}"
        words = ["run", "--rig", url, "--dut", dut, "--cycles", "9", "--progress", "quiet"]
        main([*words, "--out", str(path)])
        paths.append(path)
    return paths


@pytest.fixture
def window(qtbot, tmp_path):
    window = Window(Look(ThemeName.LIGHT), Remembered(tmp_path / "settings.ini"))
    qtbot.addWidget(window)
    window.show()
    yield window
    window.close_at_once()


def opened(qtbot, window: Window, *paths: Path) -> CompareView:
    window.go("compare", Target(paths))
    view = window.view
    assert isinstance(view, CompareView)
    qtbot.waitUntil(view.settled, timeout=60_000)
    return view


def cell(view: CompareView, row: int, title: str) -> str:
    table = view.effects.model.table
    return table.cell(row, [column.title for column in table.columns].index(title))


def test_a_slower_build_differs_and_its_worst_time_stands_first(qtbot, window, stores) -> None:
    view = opened(qtbot, window, *stores)

    assert view.answer.badge.text() == "SESSIONS DIFFER"
    assert cell(view, 0, "result") == "SLOWER"
    assert float(cell(view, 0, "from, ms")) > 100
    assert view.told.text().startswith(f"S3: 8 cycles of {stores[0]} (base)")


def test_another_candidate_is_shown_without_reading_again(
    qtbot, window, stores, monkeypatch
) -> None:
    view = opened(qtbot, window, *stores)
    monkeypatch.setattr(window.jobs, "start_apart", None)

    qtbot.keyClick(view.setting.candidate, Qt.Key.Key_Down)

    assert view.setting.candidate_path() == stores[2]
    assert view.answer.badge.text() != "SESSIONS DIFFER"
    assert view.told.text().count(str(stores[2])) == 1


def test_base_and_candidate_change_places(qtbot, window, stores) -> None:
    view = opened(qtbot, window, *stores[:2])
    before = float(cell(view, 0, "shift, ms"))

    view.view_actions()[1].trigger()
    qtbot.waitUntil(view.settled, timeout=60_000)

    assert view.setting.base_path() == stores[1]
    assert view.answer.badge.text() != "SESSIONS DIFFER"
    assert float(cell(view, 0, "shift, ms")) == pytest.approx(-before, abs=1.0)


def test_one_file_asks_for_another_and_takes_it(qtbot, window, stores) -> None:
    view = opened(qtbot, window, stores[0])
    assert "open another one" in view.notice.text

    view = opened(qtbot, window, stores[1])

    assert view.answer.badge.text() == "SESSIONS DIFFER"


def test_a_damaged_store_is_named_and_nothing_is_compared(qtbot, window, stores, tmp_path) -> None:
    bad = tmp_path / "bad.rrs"
    bad.write_bytes(stores[1].read_bytes()[:5_000])

    view = opened(qtbot, window, stores[0], bad)

    assert str(bad) in view.notice.text
    assert view.answer.isHidden()


def test_logs_are_compared_too(qtbot, window) -> None:
    view = opened(qtbot, window, LOGS / "four-s3-cycles.xml", LOGS / "two-s3-cycles.xml")

    assert view.answer.badge.text() == "NO EVIDENCE"


def test_shares_rise_to_all() -> None:
    edges, shares = cumulative(np.array([3.0, 5.0, 5.0, 9.0]))

    assert list(edges) == [3, 5, 5, 9, 9]
    assert list(shares) == [25, 50, 75, 100]
    assert [len(part) for part in cumulative(np.zeros(0))] == [0, 0]
