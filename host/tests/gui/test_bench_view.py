"""The bench view on the simulated bench, by mouse and keyboard."""

import re
from typing import cast

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from served_bench import served

from resume_rig.gui.app.window import Window
from resume_rig.gui.bench.view import BenchView, PressTimes
from resume_rig.gui.state.lanes import Lane, Wires
from resume_rig.gui.worker.bench_state import Link
from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.model.evidence import SIMULATED
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.interface import ChannelInfo, RigInfo
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.timing.clocks import SystemClock

SIM = "sim:clock=virtual,seed=7"
PATIENCE_MS = 60_000


def bench_of(window: Window) -> BenchView:
    window.go("bench")
    return cast(BenchView, window.view)


def connect(qtbot: QtBot, window: Window, url: str = SIM) -> BenchView:
    view = bench_of(window)
    view.connection.choice.rig.setEditText(url)
    qtbot.mouseClick(view.connection.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.desk.state.bench.link is Link.UP, timeout=PATIENCE_MS)
    qtbot.waitUntil(view.actions_box.press.isEnabled, timeout=PATIENCE_MS)
    return view


def answers(view: BenchView) -> list[str]:
    shown = view.actions_box.answers
    return [shown.item(row).text() for row in range(shown.count())]


def wait_for_answer(qtbot: QtBot, view: BenchView, words: str) -> str:
    qtbot.waitUntil(lambda: any(words in text for text in answers(view)), timeout=PATIENCE_MS)
    return next(text for text in reversed(answers(view)) if words in text)


def test_a_press_by_the_keyboard_moves_the_wires_and_is_measured(
    qtbot: QtBot, window: Window
) -> None:
    assert window.simulated.text == ""
    view = connect(qtbot, window)
    qtbot.waitUntil(lambda: window.simulated.text == SIMULATED, timeout=PATIENCE_MS)
    qtbot.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    assert "150.0 ms" in wait_for_answer(qtbot, view, "The board presses")
    wait_for_answer(qtbot, view, "The header saw a press of 15")
    wires = window.desk.state.bench.wires
    assert wires.lanes[Channel.BUTTON].levels.tolist() == [0, 1]
    qtbot.waitUntil(
        lambda: window.desk.state.bench.wires.lanes[Channel.SLP_S3].level == 0, timeout=PATIENCE_MS
    )
    assert len(window.desk.state.bench.wires.light_t_ns) > 0
    qtbot.waitUntil(lambda: "PWR_OK" in view.press_times.cells(0), timeout=PATIENCE_MS)
    slept = view.press_times.cells(0)
    assert list(slept) == ["press", "SLP_S3#", "PWR_OK", "PLTRST#", "BACKLIGHT"]
    assert slept["press"].startswith("15")
    assert all(re.fullmatch(r"↓ \+\d+\.\d\d ±0\.\d\d", slept[name]) for name in list(slept)[1:])

    # The press that wakes it: by the light, too, which has no wire of its own.
    qtbot.wait(200)
    qtbot.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: "display on" in view.press_times.cells(0), timeout=PATIENCE_MS)
    woke = view.press_times.cells(0)
    after_ms = {name: float(re.findall(r"\+(\S+)", woke[name])[0]) for name in list(woke)[1:]}
    assert list(after_ms) == ["SLP_S3#", "PWR_OK", "PLTRST#", "BACKLIGHT", "display on"]
    assert list(after_ms.values()) == sorted(after_ms.values())
    assert after_ms["display on"] == pytest.approx(after_ms["BACKLIGHT"], abs=20)
    assert view.press_times.cells(1) == slept
    # The next one puts the display off, which takes nothing of what was measured away.
    qtbot.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: "BACKLIGHT" in view.press_times.cells(0), timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: view.press_times.rowCount() == 3, timeout=PATIENCE_MS)
    assert view.press_times.cells(1) == woke


def test_the_last_ten_presses_are_kept(qapp) -> None:
    info = RigInfo(
        *(1, "0.1.0", "rig", 7, "xtal", 10**6, 30_000, None, 10**9),
        channels=(
            ChannelInfo(Channel.BUTTON, 100, 0, 900),
            ChannelInfo(Channel.PWR_OK, 100, 0, 900),
        ),
        actuators=(),
        edge_ring=64,
        light_ring=0,
        dut_log=None,
    )
    times = PressTimes()
    wires = Wires({Channel.BUTTON: Lane(1), Channel.PWR_OK: Lane(0)})
    for press in range(12):
        t_ns = (press + 1) * 10**9
        edges = (
            Edge(0, t_ns, Channel.BUTTON, 0),
            Edge(1, t_ns + 10**8, Channel.BUTTON, 1),
            Edge(2, t_ns + 5 * 10**8, Channel.PWR_OK, press % 2),
        )
        wires = wires.plus_edges(edges)
        times.show_wires(wires, info)
    assert times.rowCount() == 10
    assert times.cells(0) == {"press": "100.0", "PWR_OK": "↑ +500.00 ±0.02"}
    assert times.cells(1)["PWR_OK"].startswith("↓ +500.00 ±")


def test_the_interlock_s_refusal_is_told_and_breaks_nothing(qtbot: QtBot, window: Window) -> None:
    view = connect(qtbot, window)
    view.actions_box.duration.setValue(5_000)
    qtbot.mouseClick(view.actions_box.press, Qt.MouseButton.LeftButton)
    assert wait_for_answer(qtbot, view, "✗").startswith("✗")
    assert window.desk.state.bench.link is Link.UP
    qtbot.mouseClick(view.actions_box.close_lid, Qt.MouseButton.LeftButton)
    wait_for_answer(qtbot, view, "The lid closes")
    qtbot.mouseClick(view.actions_box.open_lid, Qt.MouseButton.LeftButton)
    wait_for_answer(qtbot, view, "The lid opens")
    qtbot.mouseClick(view.actions_box.selftest, Qt.MouseButton.LeftButton)
    assert "all good" in wait_for_answer(qtbot, view, "Self-test")


def test_key_and_contact_are_offered_where_the_rig_has_them(qtbot: QtBot, window: Window) -> None:
    view = connect(qtbot, window)
    box = view.actions_box
    assert not any(each.isVisibleTo(box) for each in (box.key, box.close_contact, box.open_contact))
    assert "Press key" not in [each.text() for each in box.menu_actions if each.isVisible()]
    qtbot.mouseClick(view.connection.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.desk.state.bench.link is Link.NONE, timeout=PATIENCE_MS)

    view.connection.choice.dut.setEditText("wakes-by-device")
    connect(qtbot, window)
    assert "Press key" in [each.text() for each in box.menu_actions if each.isVisible()]
    qtbot.mouseClick(box.key, Qt.MouseButton.LeftButton)
    wait_for_answer(qtbot, view, "The board presses its key")
    qtbot.mouseClick(box.close_contact, Qt.MouseButton.LeftButton)
    wait_for_answer(qtbot, view, "The contact closes")
    qtbot.mouseClick(box.open_contact, Qt.MouseButton.LeftButton)
    wait_for_answer(qtbot, view, "The contact opens")


def test_disconnecting_leaves_nothing_to_press(qtbot: QtBot, window: Window) -> None:
    view = connect(qtbot, window)
    qtbot.mouseClick(view.connection.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.desk.state.bench.link is Link.NONE, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not view.actions_box.press.isEnabled(), timeout=PATIENCE_MS)
    assert view.notice.text == ""


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense", "is not the URL of a rig"),
        ("sim:colour=red", "has no option"),
        ("serial:/dev/no-such-port", "no-such-port"),
    ],
)
def test_a_rig_that_cannot_be_opened_is_one_sentence_above_the_view(
    qtbot: QtBot, window: Window, url: str, words: str
) -> None:
    view = bench_of(window)
    view.connection.choice.rig.setEditText(url)
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: words in view.notice.text, timeout=PATIENCE_MS)
    assert "\n" not in view.notice.text
    assert view.connection.button.text() == "Connect"


def test_a_rig_that_is_unplugged_is_said_and_found_again(qtbot: QtBot, window: Window) -> None:
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), SystemClock(), 1)
    with served(bench) as address:
        view = connect(qtbot, window, f"rfc2217:{address}")
    qtbot.waitUntil(lambda: window.desk.state.bench.link is Link.DOWN, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: "looking for the rig" in view.notice.text, timeout=PATIENCE_MS)
    assert not view.actions_box.press.isEnabled()
    with served(bench, int(address.rpartition(":")[2])):
        qtbot.waitUntil(lambda: window.desk.state.bench.link is Link.UP, timeout=PATIENCE_MS)
        wait_for_answer(qtbot, view, "The rig is back")
        qtbot.waitUntil(lambda: view.notice.text == "", timeout=PATIENCE_MS)
        qtbot.mouseClick(view.actions_box.press, Qt.MouseButton.LeftButton)
        wait_for_answer(qtbot, view, "The header saw")
        window.close_at_once()
