"""What is compared with what: base, candidate, kind of sleep, what matters."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QHBoxLayout, QWidget

from resume_rig.analysis.compare import ALPHA, MATTERS, Question
from resume_rig.gui.widgets.labels import plain_label, tip_of
from resume_rig.model.os_record import SLEEPS, SleepKind
from resume_rig.report.hostile_text import one_line

_COMMONEST = "the commonest"
_LEAST_PERCENT, _MOST_PERCENT = 0.01, 50.0


class CompareSetting(QWidget):
    """One line of fields.

    Signals:
        asked: another base or another question, so that everything is compared anew.
        chosen: another candidate is to be shown.
    """

    asked = Signal()
    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._paths: tuple[Path, ...] = ()
        self.base = _combo("Base")
        self.candidate = _combo("Candidate")
        self.kind = _combo("Kind")
        self.kind.addItems([_COMMONEST, *SLEEPS])
        self.kind.setMinimumContentsLength(len(_COMMONEST))
        self.matters = _percent("Matters, %", MATTERS)
        self.matters.setToolTip("The smallest slow-down that matters, of the base's median")
        self.alpha = _percent("False alarm, %", ALPHA)
        self.alpha.setToolTip("The chance of one, over all times together, where nothing differs")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.base, self.candidate, self.kind, self.matters, self.alpha):
            label = plain_label(widget.accessibleName())
            label.setBuddy(widget)
            row.addWidget(label)
            row.addWidget(widget, 1 if widget in (self.base, self.candidate) else 0)
        self.base.activated.connect(self._other_base)
        self.candidate.activated.connect(self.chosen)
        self.kind.activated.connect(self.asked)
        self.matters.editingFinished.connect(self.asked)
        self.alpha.editingFinished.connect(self.asked)

    def offer(self, paths: Sequence[Path]) -> None:
        """Offer other files; the first is the base."""
        self._paths = tuple(paths)
        self.base.clear()
        for path in paths:
            _add(self.base, path)
        self._offer_candidates()

    def base_path(self) -> Path:
        """Return the base."""
        return self._paths[max(0, self.base.currentIndex())]

    def candidate_path(self) -> Path | None:
        """Return the candidate that is shown; None where there is only a base."""
        path = self.candidate.currentData()
        return path if isinstance(path, Path) else None

    def question(self) -> Question:
        """Return what is asked."""
        kind = self.kind.currentText()
        return Question(
            None if kind == _COMMONEST else SleepKind(kind),
            self.alpha.value() / 100,
            self.matters.value() / 100,
        )

    def _other_base(self) -> None:
        self._offer_candidates()
        self.asked.emit()

    def _offer_candidates(self) -> None:
        self.candidate.clear()
        for path in self._paths:
            if path != self.base_path():
                _add(self.candidate, path)


def _add(combo: QComboBox, path: Path) -> None:
    combo.addItem(one_line(path.name), path)
    combo.setItemData(combo.count() - 1, tip_of(str(path)), 3)  # Qt.ToolTipRole


def _combo(name: str) -> QComboBox:
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setMinimumContentsLength(8)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return combo


def _percent(name: str, share: float) -> QDoubleSpinBox:
    field = QDoubleSpinBox()
    field.setAccessibleName(name)
    field.setRange(_LEAST_PERCENT, _MOST_PERCENT)
    field.setDecimals(2)
    field.setValue(share * 100)
    return field
