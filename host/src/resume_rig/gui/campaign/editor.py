"""Edits a plan: a field a key, what the plan says of it beside it, undo and redo."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QComboBox, QFormLayout, QGroupBox, QLabel, QLineEdit, QVBoxLayout

from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.plan_file import load_plan, ready_plans
from resume_rig.gui.campaign.draft import (
    FIELDS,
    WHOLE,
    History,
    PlanDraft,
    PlanField,
    default_draft,
    draft_of,
    plan_of,
    problems_of,
)
from resume_rig.gui.widgets.labels import plain_label, show_text
from resume_rig.model.errors import UsageError

_READY: Final = "(a ready plan)"
# The same on every system.
_UNDO: Final = ("Ctrl+Z",)
_REDO: Final = ("Ctrl+Shift+Z", "Ctrl+Y")


class PlanEditor(QGroupBox):
    """The editor holds the draft's history, and nothing of a campaign.

    Signals:
        changed: the draft is another one; `problem` tells whether it is a plan.
        said: a sentence for the status line.
    """

    changed = Signal()
    said = Signal(str)

    def __init__(self) -> None:
        super().__init__("Plan")
        self._history: History[PlanDraft] = History(default_draft())
        self._showing = False
        self.fields: dict[str, QLineEdit | QComboBox] = {}
        self._sentences: dict[str, QLabel] = {}
        self.ready = QComboBox()
        self.ready.addItems([_READY, *ready_plans()])
        self.ready.setAccessibleName("Ready plans")
        self.ready.activated.connect(self._take_ready)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("Begin with", self.ready)
        for field in FIELDS:
            self._add(form, field)
        self._sentences[WHOLE] = _sentence()
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self._sentences[WHOLE])
        self.undo = self._action("Undo in the plan", _UNDO, self._undo)
        self.redo = self._action("Redo in the plan", _REDO, self._redo)
        self._show()

    @property
    def draft(self) -> PlanDraft:
        """What the fields hold."""
        return self._history.now

    @property
    def problem(self) -> str:
        """The first sentence that stands beside a field; empty where the draft is a plan."""
        shown = (label.text() for label in self._sentences.values() if not label.isHidden())
        return next(shown, "")

    def plan(self) -> Plan:
        """Return the plan.

        Raises:
            UsageError: the draft is none.
        """
        return plan_of(self.draft)

    def take(self, plan: Plan) -> None:
        """Put a plan into the fields, as one step that can be undone."""
        self._edit(draft_of(plan), "whole plan")
        self._history = self._history.sealed()
        self._show()

    def load(self, name_or_path: str) -> None:
        """Put a ready plan, or that of a file, into the fields; what is wrong with it is said."""
        try:
            self.take(load_plan(name_or_path))
        except UsageError as error:
            self.said.emit(str(error))

    def menu_actions(self) -> Sequence[QAction]:
        """Return undo and redo."""
        return self.undo, self.redo

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let undo and redo be the plan's, not those of the field that has the focus."""
        override = event.type() is QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and _keys_of(event) in (*_UNDO, *_REDO):
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def _add(self, form: QFormLayout, field: PlanField) -> None:
        editor: QLineEdit | QComboBox
        if field.choices:
            editor = QComboBox()
            editor.setEditable(True)
            editor.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            editor.addItems(field.choices)
            editor.editTextChanged.connect(partial(self._typed, field.key))
            line = editor.lineEdit()
        else:
            editor = line = QLineEdit()
            editor.textEdited.connect(partial(self._typed, field.key))
        if line is not None:
            line.installEventFilter(self)
            line.editingFinished.connect(self._seal)
        editor.setAccessibleName(field.title)
        editor.setObjectName(field.key)
        editor.setToolTip(field.tip)
        form.addRow(field.title, editor)
        self.fields[field.key] = editor
        self._sentences[field.key] = _sentence()
        form.addRow(self._sentences[field.key])

    def _typed(self, key: str, text: str) -> None:
        if not self._showing:
            self._edit(self.draft.with_text(key, text), key)
            self._tell()

    def _edit(self, draft: PlanDraft, key: str) -> None:
        self._history = self._history.edited(draft, key)

    def _seal(self) -> None:
        self._history = self._history.sealed()

    def _undo(self) -> None:
        self._history = self._history.undone()
        self._show()

    def _redo(self) -> None:
        self._history = self._history.redone()
        self._show()

    def _take_ready(self, place: int) -> None:
        if place > 0:
            self.load(self.ready.itemText(place))
            self.ready.setCurrentIndex(0)

    def _show(self) -> None:
        """Put the draft into the fields."""
        self._showing = True
        for key, editor in self.fields.items():
            text = self.draft.texts.get(key, "")
            if isinstance(editor, QComboBox):
                editor.setEditText(text)
            elif editor.text() != text:
                editor.setText(text)
        self._showing = False
        self._tell()

    def _tell(self) -> None:
        """Say what is wrong, beside the fields."""
        problems = problems_of(self.draft)
        for key, label in self._sentences.items():
            show_text(label, problems.get(key, ""))
            label.setVisible(key in problems)
        for key, editor in self.fields.items():
            line = editor.lineEdit() if isinstance(editor, QComboBox) else editor
            role = "bad" if key in problems else ""
            if line is not None and line.property("role") != role:
                line.setProperty("role", role)
                line.style().unpolish(line)
                line.style().polish(line)
        self.undo.setEnabled(bool(self._history.past))
        self.redo.setEnabled(bool(self._history.future))
        self.changed.emit()

    def _action(self, text: str, keys: Sequence[str], do: Callable[[], None]) -> QAction:
        action = QAction(text, self)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.triggered.connect(do)
        return action


def _keys_of(event: QKeyEvent) -> str:
    return QKeySequence(event.keyCombination()).toString()


def _sentence() -> QLabel:
    label = plain_label(role="error")
    label.setWordWrap(True)
    label.hide()
    return label
