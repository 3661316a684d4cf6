"""The real application without a display, unless QT_QPA_PLATFORM names another platform."""

import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from resume_rig.gui.app.window import Window
    from resume_rig.gui.worker.process import Order

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Work on files runs in a process of its own there, as it does for users: where that is what is
# tested, on hostile files, and for each kind of answer at the end of a campaign.
IN_PROCESSES_OF_THEIR_OWN = {
    "test_apart",
    "test_campaign_apart",
    "test_campaign_end",
    "test_hostile_files",
}

HANGS = """\
base = "healthy-laptop"
title = "Laptop that hangs often"

[behaviour]
hang_share = 0.4
"""


class Asked:
    """Stands in for the system's dialog for files: answers with a path, and keeps the question."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.titles: list[str] = []
        self.answer: Path | None = None

    def __call__(self, title: str, suffixes: str, then: Callable[[Path], None]) -> None:
        self.titles.append(title)
        suffix = suffixes.partition("*")[2].rstrip(")")
        then(self.answer or self.folder / f"export{suffix}")


class Here:
    """Does an order without starting a process, half a second; it is pickled all the same."""

    def __init__(self, order: "Order[object]") -> None:
        self._packed = pickle.dumps(order)

    def result(self, told: Callable[[int, int], None]) -> object:
        order = pickle.loads(self._packed)
        return pickle.loads(pickle.dumps(order.function(told, *order.arguments)))

    def end(self) -> None:
        """A task that is cancelled ends at its next progress."""


@pytest.fixture(autouse=True)
def _orders(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.path.stem not in IN_PROCESSES_OF_THEIR_OWN and request.path.parent.name == "gui":
        monkeypatch.setattr("resume_rig.gui.worker.jobs.WorkProcess", Here)


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path)


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    return tmp_path / "settings.ini"


@pytest.fixture
def window(
    qtbot: "QtBot", settings: Path, asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator["Window"]:
    """The window as `resume-rig gui` makes it, in a folder of its own."""
    from resume_rig.gui.app.window import Window
    from resume_rig.gui.desk import Remembered
    from resume_rig.gui.request import ThemeName
    from resume_rig.gui.theme import Look, apply_to_application

    monkeypatch.chdir(tmp_path)
    look = Look(ThemeName.LIGHT)
    apply_to_application(look.colours)
    made = Window(look, Remembered(settings), asked)
    qtbot.addWidget(made)
    made.show()
    # Keys go to the active window; without a window manager nobody else makes it so.
    made.activateWindow()
    yield made
    made.close_at_once()


@pytest.fixture
def hanging_dut(tmp_path: Path) -> Path:
    path = tmp_path / "hangs.toml"
    path.write_text(HANGS, "utf-8")
    return path
