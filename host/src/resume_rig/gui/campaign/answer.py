"""What a campaign has come to: plots and the report's first screen as it runs, then its verdict."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QElapsedTimer, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from resume_rig.analysis.reconcile.milestones import (
    outside_milestones,
)
from resume_rig.gui.desk import Desk
from resume_rig.gui.request import Target
from resume_rig.gui.widgets.first_screen import FirstScreenView
from resume_rig.gui.widgets.labels import VerdictLine, plain_label, show_sentences
from resume_rig.gui.widgets.page import keyed_button
from resume_rig.gui.widgets.plot_panel import PlotPanel
from resume_rig.gui.worker.campaign_state import SHOWN_CYCLES, Answer, CampaignState, histogram_of
from resume_rig.gui.worker.jobs import JobSlot
from resume_rig.gui.worker.process import Order
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import AS_PLANNED, OutsideCycle
from resume_rig.model.result.series import Drift
from resume_rig.model.units import NS_PER_MS, count_of
from resume_rig.report.campaign.page import FirstScreen
from resume_rig.report.drawing.axis import (
    nice_step,
)
from resume_rig.report.parts.page import badge
from resume_rig.report.text.hostile_text import one_line
from resume_rig.report.text.wording import outcome_words

DRAWN_MOST: Final = 2_000
_TICKS: Final = 6
_EMPTY_MS: Final = 1_000
_FEWEST: Final = 6
_AXIS_LINES: Final = 3
_PARTS: Final = ("SLP_S3#", "PWR_OK", "PLTRST#", "light")
_PART_COLOURS: Final = ("sky", "orange", "green", "yellow")


class HistogramPlot(PlotPanel):
    """OS-reported resume times by now, against the limit."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "Resume times", "total resume time (OS-reported), ms", "cycles")
        self._bars = pg.BarGraphItem(x0=[], width=[], height=[])
        self._limit = pg.InfiniteLine(
            angle=90, label="", labelOpts={"position": 0.93, "anchors": [(1, 0), (1, 0)]}
        )
        self.plot.addItem(self._bars)
        self.plot.addItem(self._limit)
        self._limit.hide()
        self.plot.setMouseEnabled(x=False, y=False)

    def draw(self, state: CampaignState) -> None:
        """Draw all of them."""
        note = count_of(len(state.resume_ms), "OS record")
        found = histogram_of(state.resume_ms.values, state.limit_ms)
        self._show_limit(state.limit_ms)
        if found is None:
            self._bars.setOpts(x0=[], width=[], height=[], brushes=None)
            self.plot.setXRange(0, (state.limit_ms or 2_000) * 1.1)
            self.plot.setYRange(0, 1)
            whole_ticks(self, "left", 1)
        else:
            colours = self._desk.look.colours
            self._bars.setOpts(
                x0=found.left_ms,
                width=found.step_ms,
                height=found.counts,
                brushes=[colours.vermillion if over else colours.blue for over in found.over],
                pen=self.pen(colours.paper, 0.5),
            )
            high = int(found.counts.max())
            whole_ticks(self, "left", high)
            self.plot.setYRange(0, high * 1.15, padding=0)
            self.plot.getViewBox().enableAutoRange(axis=pg.ViewBox.XAxis)
            note += f", {found.beyond} past the axis" if found.beyond else ""
        self.note(note)

    def _show_limit(self, limit_ms: int | None) -> None:
        self._limit.setVisible(limit_ms is not None)
        if limit_ms is None:
            return
        colours = self._desk.look.colours
        self._limit.setValue(limit_ms)
        self._limit.setPen(self.pen(colours.vermillion, 2, Qt.PenStyle.DashLine))
        self._limit.label.setFormat(f"limit {limit_ms} ms")
        self._limit.label.setColor(colours.ink)


class DriftPlot(PlotPanel):
    """Time to display on of each cycle, and whether it drifts."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "Drift", "cycle", "power button to display on, ms")
        self._points = pg.ScatterPlotItem(size=5, pen=None)
        self._trend = pg.PlotCurveItem()
        self.plot.addItem(self._points)
        self.plot.addItem(self._trend)
        self.plot.setMouseEnabled(x=False, y=False)

    def draw(self, state: CampaignState) -> None:
        """Draw the newest cycles."""
        colours = self._desk.look.colours
        numbers = state.light_numbers.values[-DRAWN_MOST:].astype(np.float64)
        times_ms = state.light_ns.values[-DRAWN_MOST:] / NS_PER_MS
        self._points.setData(numbers, times_ms, brush=pg.mkBrush(colours.blue))
        if not len(numbers):
            self.plot.setXRange(0, 10)
            self.plot.setYRange(0, 1_000)
        else:
            self.plot.enableAutoRange()
            whole_ticks(self, "bottom", int(np.ptp(numbers)))
        drift = state.drift
        self._trend.setData([], [])
        if drift is not None and len(numbers):
            middle = float(np.median(times_ms)) - drift.slope_ms / 100 * float(np.median(numbers))
            ends = numbers[[0, -1]]
            self._trend.setData(ends, middle + drift.slope_ms / 100 * ends)
            dashes = Qt.PenStyle.SolidLine if drift.shown else Qt.PenStyle.DashLine
            self._trend.setPen(self.pen(colours.vermillion, 2, dashes))
        self.note(_drift_text(drift, len(state.light_ns)))


class PhasePlot(PlotPanel):
    """The newest cycles as bars: from the trigger to each line's move, to light."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "Phases of the newest cycles", "time after the trigger, ms", "cycle")
        self._bars = [pg.BarGraphItem(x0=[], x1=[], y=[], height=0.7) for _ in _PARTS]
        for bar in self._bars:
            self.plot.addItem(bar)
        named = zip(_PART_COLOURS, _PARTS, strict=True)
        self.key([(getattr(desk.look.colours, colour), f"to {name}") for colour, name in named])
        # One for each row, used or not: what is drawn often is not made often.
        self._words = [pg.TextItem(anchor=(0, 0.5)) for _ in range(SHOWN_CYCLES)]
        for word in self._words:
            self.plot.addItem(word)
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.invertY(True)

    def draw(self, state: CampaignState) -> None:
        """Draw as many as there is room for, oldest on top."""
        line = self.fontMetrics().height()
        room = self.graphics.height() // line - _AXIS_LINES
        cycles = state.last[-max(room, _FEWEST) :]
        self._draw_bars(cycles)
        self._show_words(cycles)
        ticks = [(row, str(cycle.number)) for row, cycle in enumerate(cycles)]
        self.plot.getAxis("left").setTicks([ticks])
        self.plot.setYRange(-0.6, max(len(cycles), _FEWEST) - 0.4, padding=0)
        if cycles:
            self.plot.getViewBox().enableAutoRange(axis=pg.ViewBox.XAxis)
        else:
            self.plot.setXRange(0, _EMPTY_MS, padding=0)

    def _draw_bars(self, cycles: Sequence[OutsideCycle]) -> None:
        colours = self._desk.look.colours
        parts: list[tuple[list[float], list[float], list[int]]] = [([], [], []) for _ in _PARTS]
        for row, cycle in enumerate(cycles):
            before_ns = 0
            for part, point in zip(parts, _moments(cycle), strict=True):
                # A line that is not wired makes the next phase longer.
                if point is None or point.value_ns < before_ns:
                    continue
                part[0].append(before_ns / NS_PER_MS)
                part[1].append(point.value_ns / NS_PER_MS)
                part[2].append(row)
                before_ns = point.value_ns
        for bar, (left, right, rows), colour in zip(self._bars, parts, _PART_COLOURS, strict=True):
            bar.setOpts(
                x0=left,
                x1=right,
                y=rows,
                brush=getattr(colours, colour),
                pen=self.pen(colours.ink, 0.5),
            )

    def _show_words(self, cycles: Sequence[OutsideCycle]) -> None:
        """Name the outcome of cycles that did not go as planned."""
        for word in self._words:
            word.hide()
        for row, (cycle, word) in enumerate(zip(cycles, self._words, strict=False)):
            if cycle.outcome not in AS_PLANNED:
                moments = [each.value_ns for each in _moments(cycle) if each is not None]
                word.setText(outcome_words(cycle.outcome), self._desk.look.colours.ink)
                word.setPos(max(moments, default=0) / NS_PER_MS, row)
                word.show()


def _moments(cycle: OutsideCycle) -> tuple[BoundedNs | None, ...]:
    """Return when each of `_PARTS` moved, after the trigger."""
    points = outside_milestones(cycle)
    return points.slp_s3, points.pwr_ok, points.pltrst, points.light


def whole_ticks(panel: PlotPanel, side: str, span: int) -> None:
    """Let an axis of whole numbers have ticks at whole numbers alone."""
    step = max(1.0, nice_step(max(span, 1), _TICKS))
    panel.plot.getAxis(side).setTickSpacing(step, step)


def _drift_text(drift: Drift | None, count: int) -> str:
    drawn = f", the last {DRAWN_MOST:,} drawn" if count > DRAWN_MOST else ""
    if drift is None:
        return f"{count_of(count, 'cycle')}{drawn}"
    sure = "drifts" if drift.shown else "may be chance"
    return f"{count_of(count, 'cycle')}{drawn}: {drift.slope_ms:+.1f} ms per 100, {sure}"


_REST_LEAST_MS: Final = 2_000
_REST_SHARE: Final = 3
"""It rests three times as long as judging took, so that this takes a quarter of a core."""


class GrowingScreen(FirstScreenView):
    """The first screen of a campaign that runs, judged anew at a pace, in a process of its own."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._desk = desk
        self._path: Path | None = None
        self._attempt = 0
        self._done = 0
        self._job = JobSlot()
        self._clock = QElapsedTimer()
        self._clock.start()
        self._begun_ms = 0
        self._next_ms = 0

    def settled(self) -> bool:
        """Return whether nothing is being judged for it."""
        return not self._job.busy

    def follow(self, state: CampaignState) -> None:
        """Judge the store anew where cycles came since; take the answer where there is one."""
        if (state.attempt, state.path) != (self._attempt, self._path):
            self._job.cancel()
            self._attempt, self._path, self._done, self._next_ms = state.attempt, state.path, 0, 0
            self.show_first(None)
        judged = state.answer.judged
        if judged is not None:
            self._job.cancel()
            if self.first is not judged.first:
                self.show_first(judged.first)
            return
        now_ms = self._clock.elapsed()
        waits = self._job.busy or now_ms < self._next_ms or state.done == self._done
        if not state.phase.active or waits or not state.last or state.path is None:
            return
        self._done, self._begun_ms = state.done, now_ms
        from resume_rig.gui.state.store_writing import first_screen_of

        order = self._desk.worker.order
        requirement = None if order is None else order.requirement
        self._desk.jobs.start_process(
            f"Judging {state.path.name}",
            Order(first_screen_of, (state.path, requirement)),
            self._show,
            self._fail,
            quiet=True,
            slot=self._job,
        )

    def _show(self, first: FirstScreen) -> None:
        self._rest()
        self.show_first(first)

    def _fail(self, sentence: str) -> None:
        # A store that cannot be read ends the campaign, with a notice of its own.
        self._rest()
        show_sentences(self.what, sentence)

    def _rest(self) -> None:
        now_ms = self._clock.elapsed()
        self._next_ms = now_ms + max(_REST_LEAST_MS, _REST_SHARE * (now_ms - self._begun_ms))


_BADGE_PX: Final = 12
_JUDGING: Final = "The answer and the report are being made …"
_NOT_YET: Final = "The verdict stands here when the campaign is over."


class CampaignAnswer(QWidget):
    """Has its room before there is an answer: what is below does not jump when it comes.

    Attributes:
        ways: buttons that lead on from the answer; the view places them.
        figures: what times and failures show, one sentence a line; likewise.
        overview: the first screen of the report, which grows while cycles come; likewise.
        menu_actions: the buttons' actions, with their keys.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._shown: Answer | None = None
        self.verdict = VerdictLine(desk)
        self.overview = GrowingScreen(desk)
        self.sentences = plain_label(_NOT_YET, role="soft")
        self.figures = QPlainTextEdit()
        self.figures.setReadOnly(True)
        self.figures.setAccessibleName("Figures")
        self.figures.setPlaceholderText("When the campaign is over, its figures stand here.")
        self.ways = QWidget()
        buttons = QHBoxLayout(self.ways)
        buttons.setContentsMargins(0, 0, 0, 0)
        ways = (
            keyed_button(self, "Open report", "Ctrl+Shift+R", self._open_report),
            keyed_button(self, "Explore cycles", "Ctrl+Shift+E", partial(self._go, "explorer")),
            keyed_button(self, "Limits", "Ctrl+Shift+M", partial(self._go, "limits")),
        )
        self.report, self.explore, self.limits = (button for button, _ in ways)
        self.menu_actions = [action for _, action in ways]
        for button, _ in ways:
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.verdict)
        column.addWidget(self.sentences)
        self.setMinimumHeight(self.fontMetrics().height() + _BADGE_PX)
        self.ways.setEnabled(False)

    def shows(self, state: CampaignState) -> bool:
        """Return whether the answer of a state is on the screen."""
        return self._shown is state.answer and self.overview.settled()

    def show_state(self, state: CampaignState) -> None:
        """Show the answer, or that it is being computed."""
        answer = state.answer
        self.overview.follow(state)
        if answer is self._shown:
            first = self.overview.first
            if first is not None and state.phase.active:
                show_sentences(self.sentences, f"So far: {first.sentence}")
            return
        self._shown = answer
        judged = answer.judged
        self.ways.setEnabled(judged is not None)
        self.sentences.setVisible(judged is None)
        self.figures.setPlainText(
            "" if judged is None else "\n".join(map(one_line, judged.sentences))
        )
        if judged is not None:
            self.verdict.show_verdict(badge(judged.verdict), judged.why)
            self.report.setToolTip(f"{judged.report} (Ctrl+Shift+R)")
            return
        self.verdict.hide()
        problem = f"No answer: {answer.problem}." if answer.problem else _NOT_YET
        show_sentences(self.sentences, _JUDGING if answer.judging else problem)

    def _open_report(self) -> None:
        judged = self._desk.state.campaign.answer.judged
        if judged is None:
            self._desk.show_status("There is no report yet.")
        elif QDesktopServices.openUrl(QUrl.fromLocalFile(str(judged.report.resolve()))):
            self._desk.show_status(f"The report is {judged.report}.")
        else:
            self._desk.show_status(f"Nothing here opens web pages; the report is {judged.report}.")

    def _go(self, view: str) -> None:
        path = self._desk.state.campaign.path
        if path is not None:
            self._desk.go(view, Target((path,)))
