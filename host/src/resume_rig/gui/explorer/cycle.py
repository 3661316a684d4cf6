"""One cycle: wires, light and OS-reported times on one axis, with markers, and its text."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QAction, QBrush, QColor, QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from resume_rig.analysis.answer.headline import (
    counted_from,
)
from resume_rig.analysis.findings.groups import (
    findings_of,
)
from resume_rig.analysis.findings.kinds import ABOUT
from resume_rig.analysis.reconcile.milestones import (
    InsideMilestones,
    outside_milestones,
    trigger_word,
)
from resume_rig.gui.desk import Desk
from resume_rig.gui.explorer.measured import Snapped, difference_bound_ms, edges_of, region_words
from resume_rig.gui.explorer.state import Detail
from resume_rig.gui.state.lanes import Evidence, wires_of
from resume_rig.gui.state.requirement_choice import in_window
from resume_rig.gui.widgets.labels import ElidedLabel, show_elided
from resume_rig.gui.widgets.page import keyed_action
from resume_rig.gui.widgets.plot_panel import LanesPlot, PlotPanel
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.cycle import ReconciledCycle
from resume_rig.model.units import NS_PER_MS
from resume_rig.report.parts.page import plain_value
from resume_rig.report.text.hostile_text import bounded, one_line
from resume_rig.report.text.wording import outcome_words, quantity_text, record_name, whole_ms_text

_TEXT_MOST: Final = 6_000
_RECORDS_MOST: Final = 5


class CycleText(QPlainTextEdit):
    """Read, selected and copied; never taken for mark-up."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setAccessibleName("Text of the cycle")
        self.setPlaceholderText("Select a cycle.")

    def show_detail(self, detail: Detail) -> None:
        """Show the text of a cycle."""
        self.setPlainText("\n".join(_lines(detail)))


def _lines(detail: Detail) -> Iterator[str]:
    cycle = detail.cycle
    if cycle is None:
        yield from map(one_line, map(in_window, detail.evidence.sentences))
        yield ""
        yield "Findings and verdict come when the whole store is read."
    else:
        yield _verdict(cycle)
        yield from _findings(cycle)
        yield ""
        yield from _times(cycle)
    yield ""
    yield from _records(detail.records)


def _verdict(cycle: ReconciledCycle) -> str:
    judged = f": {cycle.verdict.value}" if cycle.judged else f", not judged: {cycle.why_not}"
    text = f"Cycle {cycle.outside.number} {outcome_words(cycle.outcome)}{judged}."
    return one_line(in_window(text))


def _times(cycle: ReconciledCycle) -> Iterator[str]:
    yield "Times:"
    trigger = trigger_word({cycle.outside.wake_by})
    for name, quantity in cycle.outside.intervals.items():
        yield f"  {counted_from(name.value, trigger)}: {quantity_text(quantity)} ms"
    for words, value in (
        (f"{trigger} to resume complete", cycle.press_to_resume_complete),
        ("display on after resume complete", cycle.light_after_complete),
        ("residual against the campaign median", cycle.unexplained),
        ("hidden before sleep", cycle.hidden_before_sleep),
    ):
        if value is not None:
            yield f"  {words}: {quantity_text(value)} ms"
    record = cycle.record
    if record is not None:
        yield f"  BIOS initialization (OS-reported): {whole_ms_text(record.bios_init_ms)} ms"
        yield f"  device initialization (OS-reported): {whole_ms_text(record.driver_init_ms)} ms"


def _findings(cycle: ReconciledCycle) -> Iterator[str]:
    found = findings_of(cycle)
    yield f"Findings: {len(found) or 'none'}"
    for finding in found:
        yield one_line(f"• {finding.kind.value}: {in_window(finding.text)}")
        about = ABOUT[finding.kind]
        yield f"  {about.means}"
        yield f"  What to do: {about.do}"
        yield f"  Owner: {about.owner.value}; more by: {in_window(about.command)}"
        evidence = ", ".join(f"{k} = {plain_value(v)}" for k, v in finding.evidence.items())
        if evidence:
            yield one_line(f"  Evidence: {evidence}")


def _records(records: tuple[OsRecord, ...]) -> Iterator[str]:
    yield f"OS records: {len(records) or 'none'}"
    for record in records[:_RECORDS_MOST]:
        yield one_line(f"• {record_name(record)}")
        for line in bounded(record.text, _TEXT_MOST).splitlines():
            yield f"  {one_line(line)}"
    if len(records) > _RECORDS_MOST:
        yield f"... and {len(records) - _RECORDS_MOST} more records."


_NAMES: Final = ("A", "B")


class Cursors(QObject):
    """Lines that a mouse or keys move; hidden until they are placed.

    Args:
        desk: of the application.
        plots: pyqtgraph's PlotItems that share the time axis; a line stands in each.

    Signals:
        moved: a text with both places and their distance.
    """

    moved = Signal(str)

    def __init__(self, desk: Desk, plots: Sequence[pg.PlotItem]) -> None:
        super().__init__()
        self._desk = desk
        self._plots = plots
        self.shown = False
        self._lines = [
            [self._line(name, first=not place) for place, _ in enumerate(plots)] for name in _NAMES
        ]
        for lines in self._lines:
            for line in lines:
                line.sigPositionChanged.connect(self._follow(lines))
        desk.look.changed.connect(self._restyle)
        self._restyle()

    def place(self, a_ms: float, b_ms: float) -> None:
        """Show both cursors at two moments of the axis."""
        if not self.shown:
            for lines in self._lines:
                for plot, line in zip(self._plots, lines, strict=True):
                    plot.addItem(line)
            self.shown = True
        for lines, at_ms in zip(self._lines, (a_ms, b_ms), strict=True):
            lines[0].setValue(at_ms)
        self._emit_moved()

    def hide(self) -> None:
        """Take both away."""
        if self.shown:
            for lines in self._lines:
                for plot, line in zip(self._plots, lines, strict=True):
                    plot.removeItem(line)
            self.shown = False
            self.moved.emit("")

    def positions_ms(self) -> tuple[float, float]:
        """Return where both stand."""
        return float(self._lines[0][0].value()), float(self._lines[1][0].value())

    def _line(self, name: str, *, first: bool) -> pg.InfiniteLine:
        label = {"position": 0.06, "movable": False} if first else None
        return pg.InfiniteLine(
            0, angle=90, movable=True, label=name if first else None, labelOpts=label
        )

    def _follow(self, lines: "list[pg.InfiniteLine]") -> Callable[[pg.InfiniteLine], None]:
        def follow(moved: pg.InfiniteLine) -> None:
            for line in lines:
                if line is not moved and line.value() != moved.value():
                    line.setValue(moved.value())
            if moved is lines[0]:
                self._emit_moved()

        return follow

    def _emit_moved(self) -> None:
        a_ms, b_ms = self.positions_ms()
        self.moved.emit(f"A {a_ms:.3f} ms    B {b_ms:.3f} ms    B − A {b_ms - a_ms:+.3f} ms")

    def _restyle(self) -> None:
        colours = self._desk.look.colours
        # In pixels of the screen, of which a point may have two.
        width = 2 * self._plots[0].getViewWidget().devicePixelRatioF()
        for lines, colour in zip(self._lines, (colours.blue, colours.purple), strict=True):
            for line in lines:
                line.setPen(pg.mkPen(colour, width=width, style=Qt.PenStyle.DotLine))
                line.setHoverPen(pg.mkPen(colour, width=2 * width))
                if hasattr(line, "label"):
                    line.label.setColor(colour)


_AXIS_PX: Final = 128
_PHASES_LINES: Final = 8
_CURSOR_ROW: Final = 0.9
_BAR: Final = 0.3
_HINT: Final = (
    "Click an edge, Shift+click another: the time between them. Drag: zoom. Alt+drag: a region."
)
_UNPLACED: Final = "Place both markers first: a click, and a click with Shift."
_REGION_KEYS: Final = (Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier)
"""Ctrl, too: some desktops move the window by Alt and the mouse."""
_NEAR_PX: Final = 24
"""So much nearer has an edge of another lane to be."""
_ZOOM_ROOM: Final = 0.1
_LEAST_MS: Final = 0.1
_OFFERED: Final = 5
"""Of the actions, in the menus of the plots; the others move markers."""
_ROWS: Final = ("BIOS", "device init", "complete")
_BEFORE_WAKE_MS: Final = 300.0
_WAKE_LEAST_MS: Final = 1_000.0
_AFTER_WAKE: Final = 1.25


class CycleWave(QWidget):
    """Lanes, light and phases, linked; markers run through all of them.

    Attributes:
        menu_actions: what can be done with markers and regions, with their keys.

    Signals:
        wanted: two `Pick`s, whose distance is to be measured in all cycles.
    """

    wanted = Signal(object, object)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._detail: Detail | None = None
        self._snapped: list[Snapped | None] = [None, None]
        self._most_counts = 0.0
        self._wake_range: list[float] = []
        self.lanes = LanesPlot(
            desk, "Wires", "time after the wake trigger, ms", _CURSOR_ROW, _REGION_KEYS
        )
        self.region = pg.LinearRegionItem(movable=True)
        self.region.hide()
        self.region.sigRegionChanged.connect(self._show_region)
        self.lanes.lanes.plot.addItem(self.region, ignoreBounds=True)
        self.lanes.lanes.box.dragged.connect(self._drag_region)
        self.phases = PlotPanel(desk, "OS-reported", "time after the wake trigger, ms")
        self.phases.plot.setXLink(self.lanes.lanes.plot)
        self.phases.plot.setMouseEnabled(x=True, y=False)
        self.phases.plot.getAxis("left").setWidth(_AXIS_PX)
        self.phases.plot.invertY(True)
        self.phases.plot.setYRange(-0.6, len(_ROWS) - 0.4, padding=0)
        ticks = [list(enumerate(_ROWS))]
        self.phases.plot.getAxis("left").setTicks(ticks)
        plots = [panel.plot for panel in (self.lanes.lanes, self.lanes.light, self.phases)]
        self.cursors = Cursors(desk, plots)
        self.between = ElidedLabel()
        self.hint = ElidedLabel(role="soft")
        show_elided(self.hint, _HINT)
        self.cursors.moved.connect(self._show_difference)
        self.wake = QPushButton("Wake")
        self.wake.setToolTip("Show the wake alone")
        self.wake.clicked.connect(self.show_wake)
        self.whole = QPushButton("Whole cycle")
        self.whole.clicked.connect(self.show_whole)
        self.measure = QPushButton("Markers")
        self.measure.setCheckable(True)
        self.measure.toggled.connect(self._switch_cursors)
        desk.look.changed.connect(self._draw_phases)
        self.menu_actions = self._make_actions()
        for panel in (self.lanes.lanes, self.lanes.light, self.phases):
            panel.offer(self.menu_actions[:_OFFERED])
        self.lanes.lanes.share_axis()
        self.lanes.light.share_axis()
        for plot in plots:
            plot.vb.setMouseMode(pg.ViewBox.RectMode)
            plot.scene().sigMouseClicked.connect(partial(self._clicked, plot))
        self._lay_out()

    def show_detail(self, detail: Detail, *, stay: bool = False) -> None:
        """Draw a cycle; the wake alone where there was one.

        Args:
            detail: of the cycle.
            stay: the range of the time axis stays, where somebody chose one.
        """
        self._detail = detail
        evidence = detail.evidence
        first_ns = min((lane.since_ns for lane in evidence.wires.lanes.values()), default=0)
        self.lanes.draw(evidence.wires, first_ns, evidence.until_ns, evidence.zero_ns)
        self.lanes.mark(list(_marks(detail)))
        counts = evidence.wires.light_counts
        # Of the cycles that were shown, until all are read: `scale_light`.
        self._most_counts = max(self._most_counts, float(counts.max()) if len(counts) else 0.0)
        self.lanes.scale_light(self._most_counts, evidence.light_threshold)
        self.lanes.lanes.note("" if evidence.has_trigger else "no wake trigger")
        self._draw_phases()
        # What is derived later may end later; a range that somebody chose stays.
        untouched = self.lanes.lanes.plot.viewRange()[0] == self._wake_range
        if evidence.has_trigger and (untouched or not stay):
            self.show_wake()
        elif not stay:
            self.show_whole()
        if self.cursors.shown:
            self._stay_on_edges()
        self._show_region()

    def scale_light(self, most_counts: float) -> None:
        """Take the most light of a whole campaign for the end of the axis; 0 begins anew."""
        self._most_counts = most_counts
        if self._detail is not None and most_counts:
            self.show_detail(self._detail, stay=True)

    def show_behind(self, evidence: Evidence | None) -> None:
        """Draw another cycle's wires behind those of the one that is shown; None for none."""
        if evidence is None:
            self.lanes.draw_behind(None)
        else:
            self.lanes.draw_behind(evidence.wires, evidence.until_ns, evidence.zero_ns)

    def clear(self) -> None:
        """Show no cycle."""
        self._detail = None
        self.measure.setChecked(False)
        self.region.hide()
        self.lanes.draw_behind(None)
        self.lanes.draw(wires_of({}, 0), 0, 0, 0)
        self.lanes.mark([])
        self._draw_phases()
        self.phases.note("")

    def show_whole(self) -> None:
        """Show the time axis from the first edge to the last."""
        if self._detail is not None:
            evidence = self._detail.evidence
            since = [lane.since_ns for lane in evidence.wires.lanes.values()]
            first_ms = (min(since, default=0) - evidence.zero_ns) / NS_PER_MS
            self.lanes.show_range(first_ms, (evidence.until_ns - evidence.zero_ns) / NS_PER_MS)

    def show_wake(self) -> None:
        """Show the time axis from just before the wake trigger to a little after its end."""
        if self._detail is not None:
            evidence, inside = self._detail.evidence, self._detail.inside
            last_ns = max(
                (int(lane.t_ns[-1]) for lane in evidence.wires.lanes.values() if len(lane.t_ns)),
                default=evidence.until_ns,
            )
            end_ms = (min(last_ns, evidence.until_ns) - evidence.zero_ns) / NS_PER_MS
            light = outside_milestones(evidence.outside).light
            for end in (light, None if inside is None else inside.complete):
                end_ms = end_ms if end is None else max(end_ms, end.value_ns / NS_PER_MS)
            self.lanes.show_range(-_BEFORE_WAKE_MS, max(end_ms, _WAKE_LEAST_MS) * _AFTER_WAKE)
            self._wake_range = self.lanes.lanes.plot.viewRange()[0]

    def _switch_cursors(self, *_: object) -> None:
        if not self.measure.isChecked():
            self.cursors.hide()
        elif not self.cursors.shown:
            (left_ms, right_ms), _ = self.lanes.lanes.plot.viewRange()
            third = (right_ms - left_ms) / 3
            self.cursors.place(left_ms + third, right_ms - third)

    def _clicked(self, plot: pg.PlotItem, event: object) -> None:
        """Put marker A, with Shift marker B, on the edge that is nearest to the click.

        On a lane its own edges come first: two wires often move within a millisecond.
        """
        place: QPointF = event.scenePos()  # type: ignore[attr-defined]
        detail = self._detail
        left = event.button() == Qt.MouseButton.LeftButton  # type: ignore[attr-defined]
        if detail is None or not left or not plot.sceneBoundingRect().contains(place):
            return
        at = plot.vb.mapSceneToView(place)
        edges = edges_of(detail.evidence)
        if not edges:
            return
        on_lanes = plot is self.lanes.lanes.plot
        channel = self.lanes.channel_at(at.y()) if on_lanes else None
        near_ms = _NEAR_PX * plot.vb.viewPixelSize()[0]

        def away_ms(edge: Snapped) -> float:
            own = channel is None or edge.pick.channel is channel
            return float(abs(edge.at_ms - at.x()) + (0 if own else near_ms))

        nearest = min(edges, key=away_ms)
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)  # type: ignore[attr-defined]
        self._snap(nearest, 1 if shift else 0)

    def _snap(self, edge: Snapped, marker: int) -> None:
        """Put a marker, 0 or 1, on an edge; the other one begins there, too, where it is hidden."""
        if not self.cursors.shown:
            self._snapped = [None, None]
        at_ms = list(self.cursors.positions_ms()) if self.cursors.shown else [edge.at_ms] * 2
        at_ms[marker], self._snapped[marker] = edge.at_ms, edge
        self.measure.setChecked(True)
        self.cursors.place(*at_ms)

    def _step(self, marker: int, *, forward: bool) -> None:
        """Put a marker on the next edge, or on the one before."""
        detail = self._detail
        edges = [] if detail is None else edges_of(detail.evidence)
        if not edges:
            self._desk.show_status("This cycle has no edge.")
            return
        at_ms = self.cursors.positions_ms()[marker] if self.cursors.shown else -1e-6
        if forward:
            found = next((each for each in edges if each.at_ms > at_ms), edges[-1])
        else:
            found = next((each for each in reversed(edges) if each.at_ms < at_ms), edges[0])
        self._snap(found, marker)

    def _stay_on_edges(self) -> None:
        """Let markers that stand on edges stand on the same edges of this cycle."""
        detail = self._detail
        places = list(self.cursors.positions_ms())
        if detail is not None:
            by_pick = {each.pick: each for each in edges_of(detail.evidence)}
            self._snapped = [each and by_pick.get(each.pick) for each in self._snapped]
            for at, each in enumerate(self._snapped):
                places[at] = places[at] if each is None else each.at_ms
        self.cursors.place(*places)

    def _pair(self) -> tuple[Snapped, Snapped] | None:
        """Return the edges that both markers stand on; None where one stands next to an edge."""
        a, b = self._snapped
        if not self.cursors.shown or a is None or b is None:
            return None
        return (a, b) if (a.at_ms, b.at_ms) == self.cursors.positions_ms() else None

    def _show_difference(self, text: str) -> None:
        pair = self._pair() if text else None
        if pair is not None:
            a, b = pair
            detail = self._detail
            tolerance = 0 if detail is None else detail.evidence.clock_tolerance_ppb
            bound_ms = difference_bound_ms(a, b, tolerance)
            edges = f"{a.pick.name} → {b.pick.name}"
            text = f"{b.at_ms - a.at_ms:+.3f} ±{bound_ms:.3f} ms (bound), {edges}"
        self._show_measured(text)

    def _show_measured(self, text: str) -> None:
        """Show what is measured, and where nothing is how to measure."""
        show_elided(self.between, text)
        self.between.setVisible(bool(text))
        self.hint.setVisible(not text)

    def _drag_region(self, begin_ms: float, end_ms: float, _ended: bool) -> None:
        self.show_region(begin_ms, end_ms)

    def show_region(self, begin_ms: float, end_ms: float) -> None:
        """Measure what lies between two moments of the axis."""
        self.lanes.lanes.tint(self.region)
        self.region.setRegion(sorted((begin_ms, end_ms)))
        self.region.show()
        self._show_region()

    def _show_region(self, *_: object) -> None:
        if self.region.isVisible() and self._detail is not None:
            self._show_measured(region_words(self._detail.evidence, *self.region.getRegion()))

    def _region_between(self) -> None:
        if self.cursors.shown:
            self.show_region(*self.cursors.positions_ms())
        else:
            self._desk.show_status(_UNPLACED)

    def _zoom(self) -> None:
        """Show what the mouse would have drawn a rectangle around."""
        if self.region.isVisible():
            begin_ms, end_ms = self.region.getRegion()
        elif self.cursors.shown:
            begin_ms, end_ms = sorted(self.cursors.positions_ms())
        else:
            self._desk.show_status(_UNPLACED)
            return
        room_ms = _ZOOM_ROOM * max(end_ms - begin_ms, _LEAST_MS)
        self.lanes.show_range(begin_ms - room_ms, end_ms + room_ms)

    def _copy(self) -> None:
        text = self.between.text()
        if text:
            QGuiApplication.clipboard().setText(text)
            self._desk.show_status("What was measured is on the clipboard.")
        else:
            self._desk.show_status(
                "Nothing is measured: click an edge, and Shift-click another one."
            )

    def _want_all(self) -> None:
        pair = self._pair()
        if pair is None:
            self._desk.show_status(
                "Click an edge, and Shift-click another one, to measure between them."
            )
        else:
            self.wanted.emit(pair[0].pick, pair[1].pick)

    def _take_away(self) -> None:
        self.region.hide()
        self._snapped = [None, None]
        self.measure.setChecked(False)
        self._show_measured("")

    def _make_actions(self) -> list[QAction]:
        step = self._step
        rows: tuple[tuple[str, str, Callable[[], None]], ...] = (
            ("Measure this in all cycles", "Ctrl+Shift+A", self._want_all),
            ("Copy what is measured", "Ctrl+Shift+C", self._copy),
            ("Region between the markers", "Ctrl+J", self._region_between),
            ("Zoom to the region or the markers", "Ctrl+Shift+J", self._zoom),
            ("Markers and region away", "Ctrl+Shift+M", self._take_away),
            ("Marker A to the next edge", "Alt+Right", partial(step, 0, forward=True)),
            ("Marker A to the edge before", "Alt+Left", partial(step, 0, forward=False)),
            ("Marker B to the next edge", "Alt+Shift+Right", partial(step, 1, forward=True)),
            ("Marker B to the edge before", "Alt+Shift+Left", partial(step, 1, forward=False)),
        )
        return [keyed_action(self, *row) for row in rows]

    def _draw_phases(self) -> None:
        inside = None if self._detail is None else self._detail.inside
        if inside is None:
            self.phases.show_items(())
            self.phases.note("no OS record, or one that cannot be placed")
            return
        unreported = "" if inside.hidden is None else "; hatched: time that nobody reports"
        self.phases.note(
            "placed by the reconciliation; whiskers are the expanded uncertainty (95 %)"
            + unreported
        )
        self.phases.show_items(self._bars(inside))

    def _bars(self, inside: InsideMilestones) -> Iterator[object]:
        colours = self._desk.look.colours
        parts = (
            (0, inside.bios_from_ns, inside.drivers_from_ns, colours.blue),
            (1, inside.drivers_from_ns, inside.complete.value_ns, colours.purple),
        )
        for row, from_ns, to_ns, colour in parts:
            yield pg.BarGraphItem(
                x0=[from_ns / NS_PER_MS],
                x1=[to_ns / NS_PER_MS],
                y0=[row - _BAR],
                y1=[row + _BAR],
                brush=pg.mkBrush(colour),
                pen=self.phases.pen(colours.line),
            )
        hidden = inside.hidden
        if hidden is not None and hidden.value_ns > 0:
            yield pg.BarGraphItem(
                x0=[(inside.bios_from_ns - hidden.value_ns) / NS_PER_MS],
                x1=[inside.bios_from_ns / NS_PER_MS],
                y0=[-_BAR],
                y1=[_BAR],
                brush=QBrush(QColor(colours.hidden), Qt.BrushStyle.BDiagPattern),
                pen=self.phases.pen(colours.hidden),
            )
        complete = inside.complete
        ends = np.array([-1, 1]) * complete.expanded_ns + complete.value_ns
        pen = self.phases.pen(colours.ink, 2)
        yield pg.PlotCurveItem(ends / NS_PER_MS, np.array([2.0, 2.0]), pen=pen)
        yield pg.ScatterPlotItem(
            [complete.value_ns / NS_PER_MS], [2], symbol="d", size=12, brush=colours.ink, pen=None
        )
        if inside.limit_ns is not None:
            yield pg.InfiniteLine(
                inside.limit_ns / NS_PER_MS,
                angle=90,
                pen=self.phases.pen(colours.vermillion, 2, Qt.PenStyle.DashLine),
                label="limit",
                labelOpts={"color": colours.ink, "position": 0.85},
            )

    def _lay_out(self) -> None:
        self.lanes.lanes.add_tools((self.measure, self.wake, self.whole))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.between)
        column.addWidget(self.hint)
        self.between.hide()
        column.addWidget(self.lanes, 4)
        column.addWidget(self.phases, 1)
        self.phases.setMinimumHeight(_PHASES_LINES * self.fontMetrics().height())


def _marks(detail: Detail) -> Iterator[tuple[float, str]]:
    if not detail.evidence.has_trigger:
        return
    yield 0.0, "trigger"
    light = outside_milestones(detail.evidence.outside).light
    if light is not None:
        yield light.value_ns / NS_PER_MS, "display on"
