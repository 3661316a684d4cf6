"""Makes the pictures of the docs anew: `make pictures`. No display is needed.

Every page of the application in both themes, of simulated campaigns, one of whose BIOS
under-reports; then a tour of what a person does in a window, under an X server without a screen
where `xvfb-run` is (package `xvfb`). Those of the reports come from a browser:
host/tests/report/pictures.py.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from resume_rig.gui.app.window import Window
from resume_rig.gui.bench.view import BenchView
from resume_rig.gui.desk import Remembered
from resume_rig.gui.request import BenchWish, ThemeName
from resume_rig.gui.theme import Look, apply_to_application

SCRIPT: Final = Path(__file__).resolve()
PICTURES: Final = SCRIPT.parent / "pictures"
FIXTURES: Final = PICTURES.parents[1] / "fixtures"
LOG: Final = FIXTURES / "logs" / "two-s3-cycles.xml"
CAPTURE: Final = FIXTURES / "traces" / "two-s3-cycles.vcd"
NEW, OLD, PLAN = "under-reports.rrs", "base.rrs", "plan.toml"
SIZE: Final = (1280, 820)
SEED: Final = "sim:clock=virtual,seed=7"
CYCLES: Final = "60"
"""As in the pictures of the reports: beside one another they state the same facts."""
HANGS: Final = """\
base = "healthy-laptop"
title = "Laptop that hangs often"
[behaviour]
hang_share = 0.1
"""
UNDER_REPORTS: Final = "bios-under-reports"
IN_BOTH: Final = ("bench",)
"""Scenes of the tour that are photographed in both themes."""
HERO: Final = (1500, 820)
HERO_PARTS: Final = (("report-under-reports", 20, 20, 1160), ("explorer", 720, 314, 760))
"""Name, left, top and width in the picture of both, from the back to the front."""
PATIENCE_FRAMES: Final = 6_000
SETTLED_FRAMES: Final = 30


def main() -> None:
    """Play the campaigns, photograph each page, and go on the tour."""
    with tempfile.TemporaryDirectory() as name:
        # Names alone are seen in the pictures, not where they were made.
        os.chdir(name)
        Path(PLAN).write_text(f"cycles = {CYCLES}\n", "utf-8")
        for each in (LOG, CAPTURE):
            shutil.copy(each, each.name)
        run = ("run", "--rig", SEED, "--cycles", CYCLES)
        _resume_rig(*run, "--dut", UNDER_REPORTS, "--out", NEW)
        _resume_rig(*run, "--out", OLD)
        pages = {
            "start": ("--view", "start"),
            "campaign": (
                *("--view", "campaign", "--rig", SEED, "--dut", UNDER_REPORTS, "--run"),
                *("--plan", PLAN, "--out", "@.rrs"),
            ),
            "explorer": (NEW, "--cycle", "7"),
            "limits": (NEW, "--view", "limits"),
            "log": (LOG.name, "--view", "log"),
            "compare": (OLD, NEW, "--view", "compare"),
        }
        for theme in ("light", "dark"):
            for page, words in pages.items():
                shown = (word.replace("@", f"{page}-{theme}") for word in words)
                _resume_rig(
                    *("gui", *shown, "--theme", theme, "--size", f"{SIZE[0]}x{SIZE[1]}"),
                    *(
                        "--settings",
                        f"settings-{page}.ini",
                    ),  # each begins anew: recent files have folders
                    *("--screenshot", str(PICTURES / f"{page}-{theme}.png")),
                )
            _go_on_tour(theme)
    reports = PICTURES.parents[1] / "host" / "tests" / "report" / "pictures.py"
    if subprocess.run((sys.executable, str(reports)), check=False).returncode:
        raise SystemExit("make pictures: the pictures of the reports were not made")
    hero()


def hero() -> None:
    """Put report and application into one picture: the first that a reader sees."""
    canvas = QImage(*HERO, QImage.Format.Format_RGB32)
    canvas.fill(QColor("#cfd8dc"))
    painter = QPainter(canvas)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    for name, left, top, width in HERO_PARTS:
        picture = QImage(str(PICTURES / f"{name}-light.png"))
        height = width * picture.height() // picture.width()
        place = QRect(left, top, width, height)
        painter.drawImage(place, picture)
        painter.setPen(QColor("#78909c"))
        painter.drawRect(place)
    painter.end()
    canvas.save(str(PICTURES / "hero.png"))


def _resume_rig(*words: str) -> None:
    command = (sys.executable, "-m", "resume_rig", *words)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, 1, 4):  # a campaign may FAIL, and is shown all the same
        raise SystemExit(
            f"make pictures: resume-rig {' '.join(words)} ended with {done.returncode}"
        )


def _go_on_tour(theme: str) -> None:
    """Go on it in a process of its own, which may have another display."""
    command = [sys.executable, str(SCRIPT), "tour", theme]
    platform = "offscreen"
    if shutil.which("xvfb-run"):
        screen = f"-screen 0 {SIZE[0]}x{SIZE[1]}x24"
        command, platform = ["xvfb-run", "-a", "-s", screen, *command], "xcb"
    environment = {**os.environ, "QT_QPA_PLATFORM": platform}
    if subprocess.run(command, env=environment, check=False).returncode:
        raise SystemExit("make pictures: the tour of the window ended early")


def tour(theme: str) -> None:
    """Do what a person does, and photograph what comes of it."""
    application = QApplication(["resume-rig"])
    look = Look(ThemeName(theme))
    apply_to_application(look.colours)
    Path("hangs.toml").write_text(HANGS, "utf-8")
    hangs = BenchWish(SEED, "hangs.toml", PLAN, Path("hangs.rrs"), run=True)
    scenes: dict[str, tuple[BenchWish, Callable[[Window], None]]] = {
        "bench": (BenchWish(SEED), _press_twice),
        "measured": (BenchWish(), lambda window: _measure(window, NEW)),
        "overview": (BenchWish(), lambda window: _overview(window, NEW)),
        "capture": (BenchWish(), _capture),
        "evidence": (hangs, _fail),
    }
    for name, (wish, scene) in scenes.items():
        if theme == "dark" and name not in IN_BOTH:
            continue
        settings = Remembered(Path(f"tour-{theme}-{name}.ini"))
        window = Window(look, settings, wish=wish)
        window.resize(*SIZE)
        window.show()
        scene(window)
        _settle(window)
        window.grab().save(str(PICTURES / f"{name}-{theme}.png"))
        window.close_at_once()
    application.quit()


def _press_twice(window: Window) -> None:
    """Put the DUT to sleep and wake it."""
    window.go("bench")
    view = window.view
    assert isinstance(view, BenchView)
    for last in ("PWR_OK", "display on"):
        _do(window, "Press")
        _wait(lambda last=last: last in view.press_times.cells(0))
        QTest.qWait(20 * SETTLED_FRAMES)


def _measure(window: Window, store: str) -> None:
    window.open_files([store], 7)
    for words in ("Marker A to the next", *("Marker B to the next",) * 3, "Measure this"):
        _do(window, words)
    _do(window, "Median cycle behind")


def _overview(window: Window, store: str) -> None:
    window.open_files([store], 7)
    _do(window, "Raise: Overview")


def _capture(window: Window) -> None:
    window.open_files([CAPTURE.name, LOG.name])


def _fail(window: Window) -> None:
    window.go("campaign")
    _do(window, "Show the first failure")


def _do(window: Window, words: str) -> None:
    """Wait until what came before is done, and do what the page's menu offers."""
    _settle(window)
    view = window.view
    actions = [] if view is None else view.view_actions()
    next(each for each in actions if each.text().startswith(words)).trigger()


def _settle(window: Window) -> None:
    _wait(lambda: window.jobs.running is None and window.view is not None and window.view.settled())
    QTest.qWait(20 * SETTLED_FRAMES)


def _wait(over: Callable[[], bool]) -> None:
    for _ in range(PATIENCE_FRAMES):
        if over():
            return
        QTest.qWait(20)
    raise SystemExit("make pictures: a page of the tour was not complete in time")


if __name__ == "__main__":
    if sys.argv[1:2] == ["tour"]:
        tour(sys.argv[2])
    else:
        main()
