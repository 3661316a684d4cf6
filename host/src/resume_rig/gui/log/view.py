"""The page of logs by themselves: every OS record, judged, and what took longest."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from resume_rig.analysis.answer.log_figures import damaged_logs
from resume_rig.gui.desk import Desk
from resume_rig.gui.log.state import (
    LogsJudged,
    advice_table,
    judge_logs,
    ranked_table,
    source_table,
    transition_table,
)
from resume_rig.gui.request import Target
from resume_rig.gui.state.table import NO_TABLE
from resume_rig.gui.widgets.export import Exportable
from resume_rig.gui.widgets.labels import VerdictLine, plain_label, show_sentences, show_text
from resume_rig.gui.widgets.log_setting import LogSetting
from resume_rig.gui.widgets.page import View, keyed_action, lift_tab
from resume_rig.gui.widgets.table_panel import TablePanel
from resume_rig.gui.worker.jobs import JobSlot
from resume_rig.gui.worker.process import Order
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import LogReading
from resume_rig.model.units import count_of
from resume_rig.oslog.reading import is_sqlite_file
from resume_rig.report.parts.page import badge
from resume_rig.report.parts.statistics import statistics_sentences
from resume_rig.rig.capture.reading import is_capture

_NAMES_SHOWN: Final = 6
_INVITATION: Final = (
    "Drop logs here, or open them with Ctrl+O: Windows event logs, PwrTest, S3Resume, xperf and"
    " powercfg output, Linux kernel logs."
)
_TITLES: Final = ("Transitions", "Slowest parts", "Sources")
"""Of the tabs; also parts of a log in the tree of open documents."""


class LogView(View):
    """Above: the files, what they are judged against, the verdict. Below: tables, one a tab."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._paths: tuple[Path, ...] = ()
        self._reading: LogReading | None = None
        self._job = JobSlot()
        self.setting = LogSetting(desk)
        self.setting.changed.connect(self._judge_again)
        self.files = plain_label(_INVITATION, wraps=True)
        self.verdict = VerdictLine(desk)
        self.transitions = TablePanel(desk, "Transitions")
        self.slowest = TablePanel(desk, "Slowest parts")
        self.advice = TablePanel(desk, "Advice", filtered=False)
        self.sources = TablePanel(desk, "Sources", filtered=False)
        self.statistics = plain_label(wraps=True)
        self.tabs = QTabWidget()
        self._lay_out()
        self._menu = self._make_menu()

    def open(self, target: Target) -> None:
        """Read logs and judge them; without any, or with the same, what is shown stays."""
        is_shown = self._job.busy or self._reading is not None
        if target.paths and not (is_shown and target.paths == self._paths):
            self._read(target)

    def lift(self, part: str) -> None:
        """Bring a tab to the front."""
        lift_tab(self.tabs, part)

    def _read(self, target: Target) -> None:
        self._paths, self._reading = target.paths, None
        names = [path.name for path in target.paths[:_NAMES_SHOWN]]
        more = len(target.paths) - len(names)
        show_text(self.files, ", ".join(names) + (f" and {more} more" if more else ""))
        self.files.setToolTip("\n".join(map(str, target.paths)))
        self._start()

    def takes(self, paths: Sequence[str]) -> bool:
        """Return whether none is a store or a capture: every other file may be a log."""
        return not any(is_sqlite_file(Path(path)) or is_capture(Path(path)) for path in paths)

    def view_actions(self) -> Sequence[QAction]:
        """Return reading again."""
        return self._menu

    def exportables(self) -> Sequence[Exportable]:
        """Return the tables."""
        return self.transitions, self.slowest, self.advice, self.sources

    def settled(self) -> bool:
        """Return whether no log is being read, and every filter is in force."""
        tables = (self.transitions, self.slowest)
        return not self._job.busy and all(table.settled() for table in tables)

    def _start(self) -> None:
        """Read what has to be read, and judge it, in the background."""
        self._job.cancel()
        try:
            requirement = self.setting.load()
        except UsageError as error:
            self.notice.fail(str(error))
            return
        self.notice.clear()
        asked = (self._paths, self._reading, requirement, self.setting.ignore_first)
        self.desk.jobs.start_process(
            f"Reading {count_of(len(self._paths), 'log')}",
            Order(judge_logs, asked),
            self._show,
            self._fail,
            slot=self._job,
        )

    def _judge_again(self) -> None:
        if self._paths:
            self._start()

    def _read_again(self) -> None:
        if self._paths:
            self._read(Target(self._paths))

    def _fail(self, sentence: str) -> None:
        self._forget()
        self.desk.show_status("Nothing was read.")
        self.notice.fail(sentence)

    def _forget(self) -> None:
        """Show nothing of other logs under the names of these."""
        self.verdict.hide()
        self.statistics.hide()
        for table in (self.transitions, self.slowest, self.advice, self.sources):
            table.show_table(NO_TABLE)
        for place, title in enumerate(_TITLES):
            self.tabs.setTabText(place, title)

    def _show(self, judged: LogsJudged) -> None:
        judgement = judged.log.judgement
        self._reading = judgement.reading
        answer = judged.log.answer
        self.verdict.show_verdict(badge(answer.verdict), answer.text)
        self.transitions.show_table(transition_table(judged.log))
        self.slowest.show_table(ranked_table(judged.ranked))
        self.advice.show_table(advice_table(judged.advice))
        self.sources.show_table(source_table(judgement.reading.sources))
        sentences = statistics_sentences(
            judgement.series, judgement.failures, judgement.limits, "transition"
        )
        show_sentences(self.statistics, *sentences)
        counts = (len(judgement.cycles), len(judged.ranked), len(judgement.reading.sources))
        for place, (title, count) in enumerate(zip(_TITLES, counts, strict=True)):
            self.tabs.setTabText(place, f"{title} ({count:,})")
        self.desk.show_status(
            f"{count_of(len(judgement.reading.sources), 'log')} read,"
            f" {count_of(len(judgement.cycles), 'record')}."
        )
        damaged = damaged_logs(judged.log)
        if damaged:
            self.notice.fail(
                f"{count_of(damaged, 'source')} incomplete, so records may be missing; see the tab"
                " Sources."
            )
        if not judgement.cycles and judged.ranked:
            self.tabs.setCurrentIndex(1)

    def _lay_out(self) -> None:
        self.statistics.hide()
        parts = QWidget()
        column = QVBoxLayout(parts)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.slowest, 3)
        column.addWidget(self.advice, 1)
        self.tabs.setDocumentMode(True)
        for title, widget in zip(_TITLES, (self.transitions, parts, self.sources), strict=True):
            self.tabs.addTab(widget, title)
        for widget in (self.files, self.setting, self.verdict, self.statistics):
            self.content.addWidget(widget)
        self.content.addWidget(self.tabs, 1)

    def _make_menu(self) -> Sequence[QAction]:
        return (keyed_action(self, "Read the logs again", "F5", self._read_again),)
