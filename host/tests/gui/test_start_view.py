"""The start page, recent files, and what `gui FILE` and a second start open."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from resume_rig.cli.main import main
from resume_rig.gui.app import start
from resume_rig.gui.app.window import Window
from resume_rig.gui.campaign.view import CampaignView
from resume_rig.gui.desk import RECENT, Remembered
from resume_rig.gui.request import GuiRequest, Target
from resume_rig.gui.start.view import StartView
from resume_rig.gui.worker.events import RunCampaign
from resume_rig.model.errors import UsageError

LOG = Path(__file__).parents[3] / "fixtures" / "logs" / "two-s3-cycles.xml"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stores") / "one.rrs"
    words = "run --rig sim:clock=virtual,seed=2 --cycles 3 --progress quiet --out"
    assert main([*words.split(), str(path)]) == 0
    return path


def test_a_store_and_a_log_open_in_the_page_that_shows_them(
    qtbot: QtBot, window: Window, store: Path
) -> None:
    window.open_files([str(store)], 2)
    assert window.view_name == "explorer"
    assert window.view is not None
    qtbot.waitUntil(window.view.settled, timeout=60_000)
    window.open_files([str(LOG)])
    assert window.view_name == "log"
    recent = window.desk.remembered.texts(RECENT)
    assert recent == (str(LOG.absolute()), str(store.absolute()))


def test_a_recent_file_is_opened_by_a_click_and_one_that_is_gone_is_left_out(
    qtbot: QtBot, window: Window, store: Path, tmp_path: Path
) -> None:
    window.desk.remembered.keep_newest(RECENT, str(tmp_path / "gone.rrs"))
    window.desk.remembered.keep_newest(RECENT, str(store))
    window.go("start")
    view = window.view
    assert isinstance(view, StartView)
    assert rows_of(view) == [(store.name, str(store.parent))]
    # By the keyboard: the newest is chosen already.
    view.recent.setFocus()
    qtbot.keyClick(view.recent, Qt.Key.Key_Return)
    assert window.view_name == "explorer"


def rows_of(view: StartView) -> list[tuple[str, str]]:
    tree = view.recent
    items = [tree.topLevelItem(row) for row in range(tree.topLevelItemCount())]
    return [(item.text(0), item.text(2)) for item in items if item is not None]


def test_without_recent_files_the_page_says_what_will_stand_there(window: Window) -> None:
    window.go("start")
    view = window.view
    assert isinstance(view, StartView)
    view.refresh()
    assert rows_of(view) == [("Files that were opened stand here.", "")]
    view.recent.itemClicked.emit(view.recent.topLevelItem(0), 0)
    assert window.view is view


@pytest.mark.parametrize(
    ("button", "page"),
    [("bench_button", "campaign"), ("board_button", "bench"), ("compare_button", "compare")],
)
def test_who_has_no_file_is_led_on(window: Window, button: str, page: str) -> None:
    window.go("start")
    getattr(window.view, button).click()
    assert window.view_name == page


def test_the_simulated_bench_is_tried_by_two_clicks(
    qtbot: QtBot, window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.desk.remembered.keep("bench/rig", "serial:/dev/ttyACM0")
    window.go("start")
    assert isinstance(window.view, StartView)
    window.view.bench_button.click()
    view = window.view
    assert isinstance(view, CampaignView)
    assert view.setting.choice.url == "sim:clock=virtual,seed=7"
    assert "laptop that is not real" in view.notice.text
    started: list[object] = []
    monkeypatch.setattr(window.worker, "ask", started.append)
    next(each for each in view.notice.findChildren(QPushButton) if each.text() == "Start").click()
    assert isinstance(started[0], RunCampaign)
    assert started[0].url == "sim:clock=virtual,seed=7"


def test_a_file_that_nothing_opens_is_said_on_the_start_page(
    window: Window, tmp_path: Path
) -> None:
    path = tmp_path / "poem.txt"
    path.write_text("roses", "utf-8")
    window.open_files([str(path)])
    assert window.view_name in {"start", "log"}


def test_the_next_window_begins_where_this_one_ended(
    qtbot: QtBot, window: Window, settings: Path, store: Path
) -> None:
    window.open_files([str(store)])
    assert window.view is not None
    qtbot.waitUntil(window.view.settled, timeout=60_000)
    window.close_at_once()

    found = start._first_view(GuiRequest(), Remembered(settings))
    assert found == ("explorer", Target((store.absolute(),)))
    store_gone = start._first_view(GuiRequest(), Remembered(settings.with_name("none.ini")))
    assert store_gone == ("start", Target())


def test_without_a_display_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(UsageError, match="there is no display: neither DISPLAY nor"):
        start._check_display()


def test_a_library_that_qt_lacks_is_named_with_its_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lacks(path: str) -> None:
        raise OSError(f"libxcb-cursor.so.0: cannot open shared object file, for {path}")

    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("ctypes.CDLL", lacks)
    with pytest.raises(
        UsageError, match=r"libxcb-cursor\.so\.0 is missing; install .* libxcb-cursor0"
    ):
        start._check_display()
