"""The page of comparisons: builds of one session or several, the answer, the distributions."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit

from resume_rig.cli.main import main
from resume_rig.gui.app.window import Window
from resume_rig.gui.compare.state import build_names, cumulative
from resume_rig.gui.compare.view import CompareView
from resume_rig.gui.desk import Remembered
from resume_rig.gui.request import Target, ThemeName
from resume_rig.gui.state.requirement_choice import in_window
from resume_rig.gui.theme import Look
from resume_rig.model.evidence import SIMULATED

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


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> tuple[Path, Path]:
    """Folders of three sessions each: of a build, and of a slower one."""
    folder = tmp_path_factory.mktemp("builds")
    for build, dut in (("1.06", "healthy-laptop"), ("1.07", "slow-bios")):
        (folder / build).mkdir()
        for session in range(1, 4):
            url = f"sim:clock=virtual,seed={session}{build[-1]}"
            words = ["run", "--rig", url, "--dut", dut, "--cycles", "9", "--progress", "quiet"]
            main([*words, "--out", str(folder / build / f"session-{session}.rrs")])
    return folder / "1.06", folder / "1.07"


def pressed(qtbot, window: Window, key: Qt.Key, modifiers) -> None:
    """Press a key in the active window; without a window manager nobody else makes it so."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, key, modifiers)


def asked_for(qtbot, window: Window, key: Qt.Key, modifiers, *names: str) -> None:
    """Press a key that opens a dialog, write names into it as a user does, and accept."""
    pressed(qtbot, window, key, modifiers)
    dialog = next(d for d in window.findChildren(QFileDialog) if d.isVisible())
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    field.setText(" ".join(f'"{name}"' for name in names) if len(names) > 1 else names[0])
    dialog.accept()
    qtbot.waitUntil(lambda: not dialog.isVisible())
    assert isinstance(window.view, CompareView)
    qtbot.waitUntil(window.view.settled, timeout=60_000)


def terminal_words(capsys, *words: str) -> str:
    """Return what `resume-rig compare` writes, on one line."""
    main(["compare", *words])
    return " ".join(capsys.readouterr().out.split())


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
    assert view.summary.text().startswith(f"S3: 8 cycles of {stores[0]} (base)")


def test_another_candidate_is_shown_without_reading_again(
    qtbot, window, stores, monkeypatch
) -> None:
    view = opened(qtbot, window, *stores)
    monkeypatch.setattr(window.jobs, "start_process", None)

    qtbot.keyClick(view.setting.candidate, Qt.Key.Key_Down)

    assert view.setting.candidate_build() == (stores[2],)
    assert view.answer.badge.text() != "SESSIONS DIFFER"
    assert view.summary.text().count(str(stores[2])) == 1


def test_base_and_candidate_change_places(qtbot, window, stores) -> None:
    view = opened(qtbot, window, *stores[:2])
    before = float(cell(view, 0, "shift, ms"))

    view.view_actions()[1].trigger()
    qtbot.waitUntil(view.settled, timeout=60_000)

    assert view.setting.base_build() == (stores[1],)
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


@pytest.mark.slow
def test_folders_are_builds_and_have_the_terminal_s_answer(qtbot, window, folders, capsys) -> None:
    view = opened(qtbot, window, *folders)

    said = terminal_words(capsys, *map(str, folders))
    assert view.answer.badge.text() == "REGRESSION"
    assert said.startswith(f"{SIMULATED} REGRESSION: {view.answer.why.text()}")
    assert "of 3 sessions" in view.summary.text()
    assert (
        "Over the limit (sysfund-0004: total resume time at most 2000 ms): base 0 of"
        in view.summary.text()
    )
    assert all(each in said for each in view.summary.text().split(". "))
    assert view.tabs.tabText(3) == "3 sessions against 3"
    assert len(view.sessions.model.table) == 6


def test_one_session_a_side_gets_the_terminal_s_advice(qtbot, window, stores, capsys) -> None:
    view = opened(qtbot, window, *stores[:2])

    assert "say “One session is enough”" in view.answer.why.text()
    said = in_window(terminal_words(capsys, *map(str, stores[:2])))
    assert said.startswith(f"{SIMULATED} SESSIONS-DIFFER: {view.answer.why.text()}")

    view.setting.one_is_enough.setFocus()
    qtbot.keyClick(view.setting.one_is_enough, Qt.Key.Key_Space)
    qtbot.waitUntil(view.settled, timeout=60_000)

    assert view.answer.badge.text() == "REGRESSION"


def test_files_and_a_folder_are_chosen_for_a_side_by_keys(qtbot, window, folders) -> None:
    base, candidate = folders
    window.go("compare")
    view = window.view
    assert isinstance(view, CompareView)
    files = [str(base / f"session-{number}.rrs") for number in (1, 2)]

    asked_for(qtbot, window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier, *files)
    assert "add its sessions" in view.notice.text
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    asked_for(qtbot, window, Qt.Key.Key_N, both, str(candidate))
    assert view.tabs.tabText(3) == "2 sessions against 3"
    asked_for(
        qtbot,
        window,
        Qt.Key.Key_B,
        Qt.KeyboardModifier.ControlModifier,
        str(base / "session-3.rrs"),
    )

    assert view.setting.base.currentText() == "session-1.rrs and 2 more"
    assert view.tabs.tabText(3) == "3 sessions against 3"
    assert view.answer.badge.text() == "REGRESSION"
    # Every session is in its side's curve; the answer leaves a warm-up out, and the curve does not.
    curves = list(view.distribution._samples)
    assert [sample.name for sample in curves] == ["session-1.rrs and 2 more, base", "1.07"]
    assert [len(sample.times_ms) for sample in curves] == [24, 24]


def test_a_side_is_emptied_and_nothing_of_it_is_shown(qtbot, window, stores) -> None:
    view = opened(qtbot, window, *stores[:2])

    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    pressed(qtbot, window, Qt.Key.Key_N, keys)
    qtbot.waitUntil(view.settled, timeout=60_000)

    assert view.setting.candidate.currentText() == "no session yet"
    assert view.answer.isHidden()
    assert len(view.effects.model.table) == 0


def test_a_file_on_both_sides_is_refused_in_the_terminal_s_words(
    qtbot, window, stores, capsys
) -> None:
    view = opened(qtbot, window, stores[0], stores[0].parent)

    main(["compare", str(stores[0]), str(stores[0].parent)])
    assert view.notice.text in " ".join(capsys.readouterr().err.split())
    assert "it is one file on both sides" in view.notice.text
    assert view.answer.isHidden()


def test_another_limit_is_counted_and_judged(qtbot, window, stores) -> None:
    view = opened(qtbot, window, *stores[:2])
    field = view.setting.requirement.limit

    qtbot.keyClicks(field, "1200")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "at most 1200 ms): base 0 of" in view.summary.text(), timeout=60_000)

    assert view.answer.badge.text() == "REQUIREMENT FAILED"
    qtbot.keyClicks(field, "x")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert "'1200x' is no whole number of milliseconds" in view.notice.text


def test_shares_rise_to_all() -> None:
    edges, shares = cumulative(np.array([3.0, 5.0, 5.0, 9.0]))

    assert list(edges) == [3, 5, 5, 9, 9]
    assert list(shares) == [25, 50, 75, 100]
    assert [len(part) for part in cumulative(np.zeros(0))] == [0, 0]


def test_builds_of_one_name_are_told_apart_by_their_folder() -> None:
    builds = ((Path("/a/1.06/x.rrs"),), (Path("/a/1.07/x.rrs"), Path("/a/1.07/y.rrs")), ())

    assert build_names(builds) == (
        str(Path("1.06/x.rrs")),
        f"{Path('1.07/x.rrs')} and 1 more",
        "no session yet",
    )
