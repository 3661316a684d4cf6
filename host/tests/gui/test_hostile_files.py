"""Files that strangers made, dropped on the window: it goes on, and says what is wrong."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from campaign.hostile_stores import HOSTILE, changed
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent

from resume_rig.cli.main import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no such pipes and devices")

BOMB = '<!DOCTYPE a [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;">]><Events>&b;</Events>'


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dropped") / "whole.rrs"
    words = ("--rig", "sim:clock=virtual,seed=3", "--cycles", "3", "--out", str(path))
    assert main(["run", *words]) == 0
    return path


def pipe(path: Path) -> None:
    os.mkfifo(path)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def bomb(path: Path) -> None:
    path.write_text(BOMB, "utf-8")


def markup(path: Path) -> None:
    path.write_text("<img src=x onerror=alert(1)>" * 999, "utf-8")


def folder(path: Path) -> None:
    path.mkdir()


def nothing(path: Path) -> None:
    assert not path.exists()


def dropped(window, path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    window.dropEvent(QDropEvent(QPoint(9, 9), Qt.DropAction.CopyAction, mime, left, none))


@pytest.mark.parametrize("make", [pipe, zeros, bomb, markup, folder, nothing])
@pytest.mark.parametrize(
    "name", [pytest.param("a.evtx", marks=pytest.mark.slow), "<b>b</b>\n\u202e.rrs"]
)
def test_what_is_no_file_of_ours_is_told(
    qtbot, window, tmp_path: Path, make: Callable[[Path], None], name: str
) -> None:
    path = tmp_path / name.replace("/", "")
    make(path)

    dropped(window, path)

    view = window.view
    qtbot.waitUntil(view.settled, timeout=60_000)
    qtbot.waitUntil(lambda: bool(view.notice.text), timeout=60_000)
    assert "could not" in view.notice.text
    assert "\n" not in view.notice.text
    assert "\u202e" not in view.notice.text


@pytest.mark.parametrize("name", ["view-as-cycle", "brackets-in-commands", "cycle-2^63-1"])
def test_a_hostile_store_is_told(qtbot, window, whole: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.rrs"
    shutil.copyfile(whole, path)
    changed(path, HOSTILE[name][0], sealed=not name.startswith("view"))

    dropped(window, path)

    view = window.view
    qtbot.waitUntil(view.settled, timeout=60_000)
    qtbot.waitUntil(lambda: bool(view.notice.text), timeout=60_000)
    assert HOSTILE[name][1] in view.notice.text
