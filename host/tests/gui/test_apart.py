"""Work in a process of its own: results, how far it is, and every way in which it can end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from resume_rig.gui.app.window import Window
from resume_rig.gui.limits.state import judge_store
from resume_rig.gui.log.state import LogsJudged, judge_logs
from resume_rig.gui.state.requirement_choice import OWN_KINDS, requirement_of
from resume_rig.gui.worker.process import Order, WorkProcess
from resume_rig.model.errors import RecordError
from resume_rig.model.result.verdict import USUAL_REQUIREMENT, Requirement

LOGS = Path(__file__).parents[3] / "fixtures" / "logs"


SLEEPER = """\
import os, time
from pathlib import Path

def sleep(told, path):
    Path(path).write_text(str(os.getpid()), "utf-8")
    told(0, 1)
    time.sleep(600)
"""
WINDOW = """\
import sys, sleeper
from resume_rig.gui.worker.process import WorkProcess, Order

WorkProcess(Order(sleeper.sleep, (sys.argv[1],))).result(lambda *_: print("begun", flush=True))
"""


class Surprise:
    """What happens where the other process unpacks it."""

    def __init__(self, call: Callable[..., object], argument: int) -> None:
        self._call = call, (argument,)

    def __reduce__(self) -> Any:
        return self._call


def requirement() -> Requirement:
    return requirement_of(USUAL_REQUIREMENT, OWN_KINDS, "")


def ignore(_done: int, _of: int) -> None:
    """Nobody looks."""


def test_what_it_finds_comes_back_and_how_far_it_is() -> None:
    told: list[tuple[int, int]] = []
    paths = (LOGS / "two-s3-cycles.xml", LOGS / "four-s3-cycles.xml")
    found: LogsJudged = WorkProcess(Order(judge_logs, (paths, None, requirement(), False))).result(
        lambda *how_far: told.append(how_far)
    )
    assert len(found.log.judgement.cycles) == 6
    assert told == [(0, 2), (1, 2)]


def test_what_it_refuses_is_said_in_its_own_words(tmp_path: Path) -> None:
    path = tmp_path / "no.rrs"
    with pytest.raises(RecordError, match=r"no\.rrs: there is no such file"):
        WorkProcess(Order(judge_store, (path, requirement()))).result(ignore)


def test_a_mistake_of_the_program_is_a_sentence() -> None:
    with pytest.raises(RecordError, match=r"internal error, TypeError: .*; please report it"):
        WorkProcess(Order(time.sleep)).result(ignore)


@pytest.mark.parametrize(
    ("surprise", "why"),
    [
        (Surprise(os._exit, 3), "it ended with status 3"),
        (Surprise(signal.raise_signal, signal.SIGKILL), "it was ended"),
    ],
    ids=["exit", "killed"],
)
def test_a_process_that_is_gone_is_said(surprise: Surprise, why: str) -> None:
    with pytest.raises(RecordError, match=f"a process of its own: {why}; look whether"):
        WorkProcess(Order(judge_store, (surprise,))).result(ignore)


def test_it_ends_with_a_window_that_is_killed(tmp_path: Path) -> None:
    told = tmp_path / "told.txt"
    (tmp_path / "sleeper.py").write_text(SLEEPER, "utf-8")
    words = [sys.executable, "-c", WINDOW, str(told)]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE) as window:
        assert window.stdout is not None
        assert window.stdout.readline() == b"begun\n"
        number = int(told.read_text("utf-8"))
        window.kill()
    until_s = time.monotonic() + 60
    while Path(f"/proc/{number}/cmdline").exists() and time.monotonic() < until_s:
        time.sleep(0.02)
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_a_job_that_is_cancelled_ends_its_process(qtbot: QtBot, window: Window) -> None:
    came: list[object] = []
    asleep = Order(judge_store, (Surprise(time.sleep, 600),))
    task = window.jobs.start_process("Sleeping", asleep, came.append, came.append)
    beside = window.jobs.start("Beside", lambda _: "done", came.append, came.append)
    qtbot.waitUntil(lambda: came == ["done"], timeout=60_000)
    assert window.jobs.running is task is not beside
    task.cancel()
    qtbot.waitUntil(lambda: window.jobs.running is None, timeout=60_000)
    assert came == ["done"]


def test_work_that_a_person_cancels_is_said_where_its_failure_would_be(
    qtbot: QtBot, window: Window
) -> None:
    came: list[object] = []
    asleep = Order(judge_store, (Surprise(time.sleep, 600),))
    window.jobs.start_process("Sleeping", asleep, came.append, came.append)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.jobs.running is None, timeout=60_000)
    assert came == ["Sleeping was cancelled"]
