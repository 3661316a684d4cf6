"""The page of the bench: one rig's identity and health, its wires as they move, single actions."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QListWidget,
    QPushButton,
    QSpinBox,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from resume_rig.analysis.cycles.light_shape import BlockTable, onset_of_blocks
from resume_rig.campaign.preparation.doctor import clock_rate_text
from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.state.lanes import Wires
from resume_rig.gui.state.requirement_choice import in_window
from resume_rig.gui.widgets.export import Exportable
from resume_rig.gui.widgets.labels import plain_label, show_text, tip_of
from resume_rig.gui.widgets.log_setting import RigChoice
from resume_rig.gui.widgets.page import View, keyed_action, keyed_button, scrolled, with_side
from resume_rig.gui.widgets.plot_panel import LanesPlot
from resume_rig.gui.worker.bench_state import BenchState, Link
from resume_rig.gui.worker.events import (
    Connect,
    Disconnect,
    FindPorts,
    Move,
    Press,
    RecordLight,
    ReleaseAll,
    Request,
    SelfTest,
)
from resume_rig.model.channel import Actuator, Channel, line_name
from resume_rig.model.light import LightOnset
from resume_rig.model.units import NS_PER_MS, NS_PER_S, PPB, count_of, seconds_text
from resume_rig.report.text.hostile_text import one_line
from resume_rig.rig.interface import Faults, RigInfo

_USUAL_MS: Final = 150
_MOST_MS: Final = 15_000
_ANSWERS_SEEN: Final = 4
"""Lines; older ones are reached by the wheel."""


class BenchActions(QGroupBox):
    """Press, lid, key, contact, release, light and self-test.

    Attributes:
        answers: list of what the board answered, newest last; the view places it.
        menu_actions: the buttons' actions, with their keys.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__("Actions")
        self._desk = desk
        self.answers = QListWidget()
        self.answers.setAccessibleName("Answers of the board")
        lines_px = _ANSWERS_SEEN * self.answers.fontMetrics().lineSpacing()
        self.answers.setFixedHeight(lines_px + 4 * self.answers.frameWidth())
        self.answers.setWordWrap(True)
        self._shown: tuple[tuple[bool, str], ...] = ()
        self.duration = QSpinBox()
        self.duration.setRange(1, _MOST_MS)
        self.duration.setValue(_USUAL_MS)
        self.duration.setSuffix(" ms")
        self.duration.setAccessibleName("Length of the press")
        self.force = QCheckBox("Force off")
        self.force.setToolTip(
            "Allows a press long enough to cut the power: a DUT loses its unsaved work"
        )
        lid, contact = Actuator.LID, Actuator.CONTACT
        made = (
            keyed_button(self, "Press", "Ctrl+P", self._press),
            keyed_button(self, "Close lid", "Ctrl+L", partial(self._move, lid, True)),
            keyed_button(self, "Open lid", "Ctrl+Shift+L", partial(self._move, lid, False)),
            keyed_button(self, "Press key", "Ctrl+J", self._press_key),
            keyed_button(self, "Close contact", "Ctrl+U", partial(self._move, contact, True)),
            keyed_button(self, "Open contact", "Ctrl+Shift+U", partial(self._move, contact, False)),
            keyed_button(self, "Release all", "Ctrl+R", partial(self._ask, ReleaseAll())),
            keyed_button(self, "Self-test", "Ctrl+T", partial(self._ask, SelfTest())),
        )
        buttons = [button for button, _ in made]
        self.press, self.close_lid, self.open_lid, self.key = buttons[:4]
        self.close_contact, self.open_contact, self.release, self.selftest = buttons[4:]
        self._action_of = dict(made)
        self.menu_actions = tuple(self._action_of.values())
        self._moved_by: dict[QWidget, Actuator] = {
            **dict.fromkeys((self.press, self.duration, self.force), Actuator.BUTTON),
            **dict.fromkeys((self.close_lid, self.open_lid), lid),
            **dict.fromkeys((self.close_contact, self.open_contact), contact),
            self.key: Actuator.KEYBOARD,
        }
        self._offer(set(), up=False)
        self.light = QCheckBox("Record light")
        self.light.setChecked(True)
        self.light.toggled.connect(lambda on: self._ask(RecordLight(on)))
        grid = QGridLayout(self)
        for place, widget in enumerate(
            (
                self.duration,
                self.press,
                self.force,
                self.light,
                self.close_lid,
                self.open_lid,
                self.close_contact,
                self.open_contact,
                self.selftest,
                self.release,
                self.key,
            )
        ):
            grid.addWidget(widget, place // 2, place % 2)

    def show_state(self, state: BenchState, *, busy: bool) -> None:
        """Offer what this rig can do; `busy` while a campaign owns it."""
        up = state.link is Link.UP and not busy
        info = state.info
        can = {each.actuator for each in info.actuators} if info is not None else set()
        self._offer(can, up=up)
        for widget in (self.release, self.selftest):
            widget.setEnabled(up)
        self.light.setEnabled(up and info is not None and info.light_ring > 0)
        if state.answers != self._shown:
            self._show_answers(state.answers)

    def _show_answers(self, answers: tuple[tuple[bool, str], ...]) -> None:
        self._shown = answers
        self.answers.clear()
        self.answers.addItems(
            [f"{'' if ok else '✗ '}{one_line(in_window(text))}" for ok, text in answers]
        )
        self.answers.scrollToBottom()

    def _offer(self, can: set[Actuator], *, up: bool) -> None:
        """Offer what the rig can move; key and contact, which few have, are hidden where not."""
        for widget, actuator in self._moved_by.items():
            widget.setEnabled(up and actuator in can)
        for button in (self.key, self.close_contact, self.open_contact):
            shown = self._moved_by[button] in can
            button.setVisible(shown)
            self._action_of[button].setVisible(shown)

    def _press_key(self) -> None:
        self._ask(Press(Actuator.KEYBOARD, self.duration.value() * NS_PER_MS))

    def _press(self) -> None:
        duration_ns = self.duration.value() * NS_PER_MS
        self._ask(Press(Actuator.BUTTON, duration_ns, self.force.isChecked()))
        # Asked for once, not for good: the next press is a usual one again.
        self.force.setChecked(False)

    def _move(self, actuator: Actuator, closed: bool) -> None:
        self._ask(Move(actuator, closed))

    def _ask(self, request: Request) -> None:
        self._desk.worker.ask(request)


_MEASURED: Final = (
    Channel.SLP_S3,
    Channel.PWR_OK,
    Channel.PLTRST,
    Channel.BACKLIGHT,
)
_DISPLAY: Final = "display on"
_PRESS: Final = "press"
_PRESSES_KEPT: Final = 10
_ROWS_SEEN: Final = 4
_WIDEST_CELL: Final = "↓ +8888.88 ±0.03 "
_FOLLOWS_NS: Final = 10_000_000_000
"""Assumed: what moves later than that after a press does not belong to it."""
_BEFORE_NS: Final = 200_000_000
"""Of light before the press, for its baseline of 100 blocks of 1 ms."""


def times_after_press(wires: Wires, info: RigInfo) -> dict[str, str]:
    """Return when each line moved after the newest press, and when the display was on.

    Each has its worst-case bound, in ms; what has not moved is not there, and nothing is before
    the first press.
    """
    if wires.press is None:
        return {}
    ended_ns, width_ns = wires.press
    pressed_ns = ended_ns - width_ns
    bound_ns = {each.channel: each.uncertainty_ns + each.resolution_ns for each in info.channels}

    def text(after_ns: int, stamp_ns: int) -> str:
        both_ns = stamp_ns + bound_ns.get(Channel.BUTTON, 0)
        both_ns += after_ns * info.clock_tolerance_ppb // PPB
        return f"+{after_ns / 1e6:.2f} ±{both_ns / 1e6:.2f}"

    found = {}
    for channel in _MEASURED:
        lane = wires.lanes.get(channel)
        if lane is None:
            continue
        at = int(np.searchsorted(lane.t_ns, pressed_ns, side="right"))
        if at == len(lane.t_ns) or lane.t_ns[at] - pressed_ns > _FOLLOWS_NS:
            continue
        sign = "↑" if lane.levels[at] else "↓"
        after_ns = int(lane.t_ns[at]) - pressed_ns
        found[line_name(channel)] = f"{sign} {text(after_ns, bound_ns.get(channel, 0))}"
    onset = _onset(wires, pressed_ns)
    if onset.half_ns is not None and onset.resolution_ns is not None:
        # A block's moment is good to the whole block, which is half of that.
        found[_DISPLAY] = text(onset.half_ns - pressed_ns, onset.resolution_ns // 2)
    return found


def _onset(wires: Wires, pressed_ns: int) -> LightOnset:
    t_ns = wires.light_t_ns
    ends_ns = (pressed_ns - _BEFORE_NS, pressed_ns + _FOLLOWS_NS)
    first, last = np.searchsorted(t_ns, ends_ns).tolist()
    mean = wires.light_counts[first:last].astype(np.float64)
    return onset_of_blocks(BlockTable(t_ns[first:last], mean, mean))


class PressTimes(QTableWidget):
    """What was measured after each of the last presses, the newest first."""

    def __init__(self) -> None:
        names = (_PRESS, *map(line_name, _MEASURED), _DISPLAY)
        super().__init__(0, len(names))
        self.setHorizontalHeaderLabels([f"{name}, ms" for name in names])
        self.setAccessibleName("Measured after each press")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setMinimumSectionSize(
            self.fontMetrics().horizontalAdvance(_WIDEST_CELL)
        )
        row_px = self.fontMetrics().height() + 6
        self.verticalHeader().setDefaultSectionSize(row_px)
        head_px = self.horizontalHeader().sizeHint().height()
        self.setFixedHeight(head_px + _ROWS_SEEN * row_px + 2 * self.frameWidth())
        self._names = names
        self._newest: tuple[int, int] | None = None

    def cells(self, row: int) -> dict[str, str]:
        """Return what a row shows, by the names of its columns; empty ones are left out."""
        found = {name: self.item(row, at) for at, name in enumerate(self._names)}
        return {name: item.text() for name, item in found.items() if item and item.text()}

    def show_wires(self, wires: Wires, info: RigInfo | None) -> None:
        """Add a line for a new press, and fill it in as lines move."""
        if info is None or wires.press is None or self._over(wires):
            return
        if wires.press != self._newest:
            self._newest = wires.press
            self.insertRow(0)
            self.setRowCount(min(self.rowCount(), _PRESSES_KEPT))
            self.scrollToTop()
        here = {line_name(channel) for channel in wires.lanes} | {_PRESS, _DISPLAY}
        texts = times_after_press(wires, info) | {_PRESS: f"{wires.press[1] / 1e6:.1f}"}
        filled = self.cells(0)
        for at, name in enumerate(self._names):
            self.setColumnHidden(at, name not in here)
            # What was measured stays, whatever the lines and the light do later.
            if name in texts and name not in filled:
                item = QTableWidgetItem(texts[name])
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self.setItem(0, at, item)

    def _over(self, wires: Wires) -> bool:
        """Return whether the newest press is listed, and too long ago for anything to follow."""
        press = wires.press
        late = press is not None and wires.now_ns - press[0] > _FOLLOWS_NS
        return late and press == self._newest


class BenchConnection(QGroupBox):
    """A rig, a DUT, and a button.

    Attributes:
        menu_actions: connecting and looking for boards, with their keys.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__("Rig")
        self._desk = desk
        self._connected = False
        self.choice = RigChoice(desk.remembered)
        self.button = QPushButton("Connect")
        self.button.clicked.connect(self._toggle)
        self.again = QPushButton("Reconnect")
        self.again.setToolTip("Lists the boards that are plugged in")
        self.again.clicked.connect(self.find_ports)
        buttons = QHBoxLayout()
        buttons.addWidget(self.button)
        buttons.addWidget(self.again)
        form = QFormLayout(self)
        self.choice.add_to(form)
        form.addRow(buttons)
        self.menu_actions = (
            keyed_action(self, "Connect or disconnect", "Ctrl+K", self._toggle),
            keyed_action(self, "Look for boards", "F5", self.find_ports),
        )

    def connect_rig(self) -> None:
        """Connect to what is chosen."""
        self.choice.remember()
        self._desk.worker.ask(Connect(self.choice.url, self.choice.dut_name))

    def find_ports(self) -> None:
        """Ask which boards are plugged in."""
        self._desk.worker.ask(FindPorts())

    def show_state(self, state: BenchState, *, busy: bool) -> None:
        """Offer what can be done now; `busy` while a campaign owns the rig."""
        self.choice.offer(state.ports)
        self._connected = state.link is not Link.NONE
        self.button.setText("Disconnect" if self._connected else "Connect")
        self.button.setEnabled(not busy)
        self.choice.enable(not busy and not self._connected)

    def _toggle(self) -> None:
        if not self.button.isEnabled():
            self._desk.show_status("A campaign owns the rig; stop it first.")
        elif self._connected:
            self._desk.worker.ask(Disconnect())
        else:
            self.connect_rig()


_NOTHING: Final = "–"
_WIDE: Final = 26


class BenchFacts(QTabWidget):
    """Two tables of facts: how the rig is, which changes, and who it is."""

    def __init__(self) -> None:
        super().__init__()
        self._health = _Facts(_HEALTH)
        self._identity = _Facts(_IDENTITY)
        self.addTab(self._health, "Health")
        self.addTab(self._identity, "Identity")

    def show_state(self, state: BenchState) -> None:
        """Show what the board reported last."""
        self._identity.show_facts(dict(_identity(state)))
        self._health.show_facts(dict(_health(state)))


class _Facts(QWidget):
    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__()
        form = QFormLayout(self)
        self._labels: dict[str, QLabel] = {}
        for name in names:
            label = plain_label(_NOTHING, wraps=True)
            label.setAccessibleName(name)
            form.addRow(plain_label(name, role="soft"), label)
            self._labels[name] = label

    def show_facts(self, facts: dict[str, str]) -> None:
        for name, label in self._labels.items():
            text = facts.get(name, _NOTHING)
            show_text(label, text)
            label.setToolTip(tip_of(text) if len(text) > _WIDE else "")


_IDENTITY: Final = (
    "Board",
    "Firmware",
    "DUT",
    "Clock",
    "Edges by",
    "Channels",
    "Actuators",
    "Press up to",
    "Boot",
)
_HEALTH: Final = (
    "Link",
    "Clock bound",
    "Round trip",
    "Up for",
    "Last reset",
    "Overruns",
    "Refusals",
    "Lease",
)


def _identity(state: BenchState) -> Iterator[tuple[str, str]]:
    info = state.info
    if info is None:
        return
    yield "Board", info.board
    yield "Firmware", f"{info.firmware}, protocol {info.protocol}"
    yield "DUT", (state.dut_name or "no profile") + (" (simulated)" if state.simulated else "")
    yield "Clock", f"{info.clock_source}, {clock_rate_text(info)}"
    yield "Edges by", info.edge_source or "it does not report it"
    calibrated = sum(channel.latency is not None for channel in info.channels)
    yield "Channels", f"{len(info.channels)}, {calibrated} calibrated"
    yield "Actuators", ", ".join(each.actuator for each in info.actuators)
    longest_ns = max((each.max_press_ns for each in info.actuators), default=0)
    yield "Press up to", seconds_text(longest_ns)
    yield "Boot", f"{info.boot_id:#010x}"


def _health(state: BenchState) -> Iterator[tuple[str, str]]:
    yield "Link", state.link.value
    if state.bound_ns is not None:
        yield "Clock bound", f"±{seconds_text(state.bound_ns)}"
    if state.round_trip_ns is not None:
        yield "Round trip", seconds_text(state.round_trip_ns)
    faults = state.faults
    if faults is None or state.info is None:
        return
    yield "Up for", seconds_text(faults.uptime_ns)
    yield "Last reset", _reset(faults)
    yield "Overruns", f"{faults.edge_overruns} edges, {faults.light_overruns} blocks of light"
    yield "Refusals", str(faults.refusals)
    expired = count_of(faults.lease_expiries, "time")
    yield "Lease", f"{seconds_text(state.info.lease_ns)}, ran out {expired}"


def _reset(faults: Faults) -> str:
    watchdog = f", {count_of(faults.watchdog_resets, 'watchdog reset')}"
    return faults.reset_reason + (watchdog if faults.watchdog_resets else "")


SPANS_S: Final = (2, 5, 10, 30, 120)
_USUAL_SPAN: Final = 10
_PRESS_NS: Final = 150_000_000
_AFTER_PRESS_NS: Final = 3_500_000_000


class BenchView(View):
    """Left: connection, who the rig is, how it is. Right: lanes, light, actions and answers."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._shown: BenchState | None = None
        self._wished = False
        self.connection = BenchConnection(desk)
        self.facts = BenchFacts()
        self.actions_box = BenchActions(desk)
        self.lanes = LanesPlot(desk, "Wires", "time before now, ms")
        self.press_times = PressTimes()
        self.span = QComboBox()
        self.span.setAccessibleName("Length of the time axis")
        for span_s in SPANS_S:
            self.span.addItem(f"{span_s} s", span_s)
        self.span.setCurrentIndex(SPANS_S.index(_USUAL_SPAN))
        self.freeze = QCheckBox("Hold still")
        self.freeze.setToolTip("Stops the picture, not the rig")
        self.content.addWidget(self._split())
        self.lanes.lanes.note("no rig is connected")
        self._menu = self._make_menu()
        self.connection.find_ports()
        if desk.wish.rig:
            self.connection.choice.choose(desk.wish.rig, desk.wish.dut)
            if not desk.wish.run:
                self.connection.connect_rig()

    def open(self, target: Target) -> None:
        """Show the bench; it opens no files."""
        del target

    def refresh(self) -> None:
        """Draw what the rig's thread reported since the last time."""
        state = self.desk.state.bench
        campaign = self.desk.state.campaign.phase.active
        self.connection.show_state(state, busy=campaign)
        self.actions_box.show_state(state, busy=campaign)
        if state is self._shown:
            return
        before, self._shown = self._shown, state
        self.facts.show_state(state)
        self._show_problem(before, state)
        self._press_as_wished(state)
        self.press_times.show_wires(state.wires, state.info)
        if not self.freeze.isChecked():
            self._draw(state)

    def view_actions(self) -> Sequence[QAction]:
        """Return connecting, the single actions, and the picture's own."""
        return self._menu

    def exportables(self) -> Sequence[Exportable]:
        """Return wires and light."""
        return self.lanes.lanes, self.lanes.light

    def settled(self) -> bool:
        """Return whether the wish of the command line is fulfilled, and its end in the picture."""
        state = self.desk.state.bench
        if not self.desk.wish.rig:
            return True
        if state.link is Link.NONE:
            return bool(state.problem)
        if state.link is not Link.UP or state.faults is None:
            return False
        if not self.desk.wish.press:
            return True
        press = state.wires.press
        return press is not None and state.wires.now_ns - press[0] > _AFTER_PRESS_NS

    def _draw(self, state: BenchState) -> None:
        span_ns = int(self.span.currentData()) * NS_PER_S
        now_ns = state.wires.now_ns
        self.lanes.draw(state.wires, now_ns - span_ns, now_ns, now_ns)
        self.lanes.show_range(-span_ns / NS_PER_MS, 0)
        lost = state.wires.lost
        note = f"{lost} edges were overwritten before they could be read" if lost else ""
        if not state.wires.lanes:
            note = "no rig is connected"
        self.lanes.lanes.note(note)

    def _show_problem(self, before: BenchState | None, state: BenchState) -> None:
        if before is not None and before.problem == state.problem:
            return
        if not state.problem:
            self.notice.clear()
        elif state.link is Link.DOWN:
            self.notice.fail(f"{state.problem}; looking for the rig")
        else:
            self.notice.fail(state.problem)

    def _press_as_wished(self, state: BenchState) -> None:
        if self.desk.wish.press and not self._wished and state.faults is not None:
            self._wished = True
            self.desk.worker.ask(Press(Actuator.BUTTON, _PRESS_NS))

    def _split(self) -> QSplitter:
        right = QWidget()
        tools = QHBoxLayout()
        tools.addStretch(1)
        tools.addWidget(self.freeze)
        tools.addWidget(plain_label("Shown:"))
        tools.addWidget(self.span)
        pictures = QVBoxLayout(right)
        pictures.setContentsMargins(0, 0, 0, 0)
        pictures.addLayout(tools)
        pictures.addWidget(scrolled(self.lanes), 1)
        pictures.addWidget(plain_label("Measured after each press", role="title"))
        pictures.addWidget(self.press_times)
        pictures.addWidget(self.actions_box.answers)
        return with_side((self.connection, self.actions_box, self.facts), right)

    def _make_menu(self) -> Sequence[QAction]:
        hold = keyed_action(self, "Hold the picture still", "Ctrl+Space", self.freeze.toggle)
        return [*self.connection.menu_actions, *self.actions_box.menu_actions, hold]
