"""The form of a campaign: what it runs on and is judged against, and its plan with undo and redo.

Each group of fields makes its part of a `RunCampaign`, and raises what is wrong with a field.
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGroupBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
)

from resume_rig.campaign.dut.user_program import command_words
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.plan_file import load_plan, ready_plans
from resume_rig.campaign.plan.words import PlanWord
from resume_rig.campaign.run.campaign import usual_store
from resume_rig.campaign.run.hooks import HookEvent
from resume_rig.gui.campaign.draft import (
    FIELDS,
    WHOLE,
    History,
    PlanDraft,
    default_draft,
    draft_of,
    plan_of,
    problems_of,
)
from resume_rig.gui.desk import Desk
from resume_rig.gui.widgets.labels import plain_label, show_sentences
from resume_rig.gui.widgets.log_setting import RequirementFields, RigChoice
from resume_rig.gui.widgets.page import keyed_action
from resume_rig.gui.worker.bench_state import BenchState, Link
from resume_rig.gui.worker.events import RunCampaign
from resume_rig.model.errors import UsageError
from resume_rig.model.rig_url import NOT_NAMED, RigUrl

if TYPE_CHECKING:
    from resume_rig.campaign.run.campaign import Surroundings

_FIELDS: Final = (
    ("dut_shell", "DUT &shell", "ssh:USER@HOST", "Where the DUT's OS takes commands; empty: Log"),
    (
        "sleep_command",
        "Sleep co&mmand",
        "a program",
        "Commands the DUT's OS; takes precedence over DUT shell",
    ),
    ("ssh_config", "SSH confi&guration", "the user's own", "A file, in place of the user's own"),
    ("power_cycle", "Po&wer cycle", "a program", "Cuts the DUT's supply, and gives it back"),
    (
        "host_clock",
        "&Host clock, ppb",
        "as the system reports",
        "The rate error that it is kept to",
    ),
    ("failure", "On &failure", "a program", "After a cycle that did not go as planned"),
    ("recovery", "On &recovery", "a program", "After each step that was to bring the DUT back"),
    ("end", "At the &end", "a program", "When the campaign is over and judged"),
    ("report", "Re&port", "next to the store", "The HTML report, an .html file"),
)
_COMMANDS: Final = ("sleep_command", "power_cycle")


class CampaignExtras(QGroupBox):
    """Fields that most campaigns leave empty; what is in them is remembered."""

    def __init__(self, desk: Desk) -> None:
        super().__init__("Next to the rig")
        self._desk = desk
        self.fields: dict[str, QLineEdit] = {}
        form = QFormLayout(self)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name, title, placeholder, tip in _FIELDS:
            field = QLineEdit(desk.remembered.text(f"campaign/{name}"))
            field.setPlaceholderText(placeholder)
            field.setToolTip(tip)
            field.setAccessibleName(title.replace("&", ""))
            form.addRow(title, field)
            self.fields[name] = field
        self.ask = QCheckBox("Ask me where nothing else helps")
        self.ask.setToolTip("A strip over every page shows what to do with the DUT")
        self.ask.setChecked(desk.remembered.text("campaign/ask", "yes") == "yes")
        form.addRow(self.ask)

    @property
    def report(self) -> Path | None:
        """Where the report goes; None for next to the store."""
        text = self._text("report")
        return Path(text) if text else None

    @property
    def used(self) -> bool:
        """Whether any field has something."""
        return any(map(self._text, self.fields))

    def surroundings(self, log: str) -> "Surroundings":
        """Return what the campaign may use.

        Args:
            log: the DUT's log; empty for what the rig serves.

        Raises:
            UsageError: a field has what it may not have; the sentence names it.
        """
        from resume_rig.campaign.run.campaign import Surroundings

        for name in _COMMANDS:
            if self._text(name):
                command_words(self._text(name))
        ssh_config = self._text("ssh_config")
        return Surroundings(
            log=log or None,
            ssh_config=Path(ssh_config) if ssh_config else None,
            dut_shell=self._text("dut_shell") or None,
            sleep_command=self._text("sleep_command") or None,
            power_cycle=self._text("power_cycle") or None,
            host_clock_ppb=self._ppb(),
        )

    def hooks(self) -> dict[HookEvent, str]:
        """Return the user's commands.

        Raises:
            UsageError: one has quotes that are not closed.
        """
        found = {event: text for event in HookEvent if (text := self._text(event.value))}
        for text in found.values():
            command_words(text)
        return found

    def remember(self) -> None:
        """Keep what is there for the next time."""
        for name in self.fields:
            self._desk.remembered.keep(f"campaign/{name}", self._text(name))
        self._desk.remembered.keep("campaign/ask", "yes" if self.ask.isChecked() else "no")

    def _text(self, name: str) -> str:
        return self.fields[name].text().strip()

    def _ppb(self) -> int | None:
        text = self._text("host_clock")
        if not text:
            return None
        if not text.isascii() or not text.isdigit():
            raise UsageError(
                f"the host clock's rate error {text!r} is no whole number of parts per billion; "
                "allowed is a number such as 500, or nothing"
            )
        return int(text)


class CampaignSetting(QGroupBox):
    """Rig, DUT, log, requirement and store; what most leave empty is folded away."""

    def __init__(self, desk: Desk) -> None:
        super().__init__("Setting")
        self._desk = desk
        self._followed = ""
        self.choice = RigChoice(desk.remembered)
        self.log = QLineEdit(desk.remembered.text("campaign/log"))
        self.log.setPlaceholderText("a file, a folder, ssh:USER@HOST")
        self.log.setToolTip("The DUT's log; empty for the simulated DUT's own, or none")
        self.store = QLineEdit()
        self.store.setPlaceholderText("resume-rig-TIME.rrs")
        self.store.setToolTip("A new file; empty for a name made of the time")
        self.judged = judged = RequirementFields(desk.remembered, "campaign")
        judged.limit.setText(desk.remembered.text("campaign/limit"))
        self.extras = CampaignExtras(desk)
        self.more = QPushButton("More …")
        self.more.setCheckable(True)
        self.more.setToolTip("The DUT's OS, its supply, commands of your own")
        self.more.toggled.connect(self.extras.setVisible)
        self.more.setChecked(self.extras.used)
        self.extras.setVisible(self.more.isChecked())
        form = QFormLayout(self)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.choice.add_to(form)
        form.addRow("&Log", self.log)
        form.addRow("Re&quirement", judged.requirement)
        form.addRow("&Kind", judged.kind)
        form.addRow("Limi&t, ms", judged.limit)
        form.addRow("&Guard band", judged.guard_band)
        form.addRow("&Store", self.store)
        form.addRow(self.more)
        if desk.wish.rig:
            self.choice.choose(desk.wish.rig, desk.wish.dut)
        if desk.wish.store is not None:
            self.store.setText(str(desk.wish.store))

    def follow(self, state: BenchState) -> None:
        """Take over the rig that the bench was connected to."""
        self.choice.offer(state.ports)
        if state.link is Link.UP and state.url != self._followed:
            self._followed = state.url
            self.choice.choose(state.url, state.dut_name)

    def order(self, plan: Plan) -> RunCampaign:
        """Return what is to be run, and remember it for the next time.

        Raises:
            UsageError: a field has what it may not have.
        """
        named = self.store.text().strip()
        store = Path(named) if named else usual_store()
        order = self._order(self.choice.url, self.choice.dut_name, plan, store)
        self.choice.remember()
        self.extras.remember()
        for key, field in (("log", self.log), ("limit", self.judged.limit)):
            self._desk.remembered.keep(f"campaign/{key}", field.text().strip())
        return order

    def resume_order(
        self, store: Path, *, here: bool = False, ran_at: RigUrl = NOT_NAMED
    ) -> RunCampaign:
        """Return what resumes the campaign of a store.

        Args:
            store: of the campaign.
            here: on the rig and the DUT that are chosen, not on the store's own.
            ran_at: the rig that this window ran it on, as the user named it.

        Raises:
            UsageError: a field has what it may not have.
        """
        url, dut = (self.choice.url, self.choice.dut_name) if here else (ran_at, None)
        return self._order(url, dut, None, store)

    def _order(self, url: RigUrl, dut: str | None, plan: Plan | None, store: Path) -> RunCampaign:
        return RunCampaign(
            url=url,
            dut=dut,
            plan=plan,
            store=store,
            requirement=self.judged.load(),
            surroundings=self.extras.surroundings(self.log.text().strip()),
            ask=self.extras.ask.isChecked(),
            hooks=self.extras.hooks(),
            report=self.extras.report,
        )


_READY: Final = "(a ready plan)"
# The same on every system.
_UNDO: Final = "Ctrl+Z"
_REDO: Final = ("Ctrl+Shift+Z", "Ctrl+Y")


class PlanEditor(QGroupBox):
    """The editor holds the draft's history, and nothing of a campaign.

    Attributes:
        menu_actions: undo and redo, with their keys.

    Signals:
        changed: the draft is another one; `problem` is empty where it is a plan.
        refused: why a plan could not be loaded, in a sentence.
    """

    changed = Signal()
    refused = Signal(str)

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
        self.undo = keyed_action(self, "Undo in the plan", _UNDO, self._undo)
        self.redo = keyed_action(self, "Redo in the plan", _REDO[0], self._redo, *_REDO[1:])
        self.menu_actions = self.undo, self.redo
        self._show()

    @property
    def draft(self) -> PlanDraft:
        """What the fields hold."""
        return self._history.now

    @property
    def problem(self) -> str:
        """The first sentence that stands at a field; empty where the draft is a plan."""
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
        """Put a ready plan, or that of a file, into the fields; or emit why not."""
        try:
            self.take(load_plan(name_or_path))
        except UsageError as error:
            self.refused.emit(str(error))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let undo and redo be the plan's, not those of the field that has the focus."""
        override = event.type() is QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and _keys_of(event) in (_UNDO, *_REDO):
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def _add(self, form: QFormLayout, field: PlanWord) -> None:
        editor: QLineEdit | QComboBox
        if field.kind.choices:
            editor = QComboBox()
            editor.setEditable(True)
            editor.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            editor.addItems(field.kind.choices)
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
        editor.setToolTip(field.meaning)
        form.addRow(field.title, editor)
        self.fields[field.key] = editor
        self._sentences[field.key] = _sentence()
        form.addRow(self._sentences[field.key])

    def _typed(self, key: str, text: str) -> None:
        if not self._showing:
            self._edit(self.draft.with_text(key, text), key)
            self._show_problems()

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
        self._show_problems()

    def _show_problems(self) -> None:
        """Show what is wrong below each field."""
        problems = problems_of(self.draft)
        for key, label in self._sentences.items():
            show_sentences(label, *([problems[key]] if key in problems else ()))
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


def _keys_of(event: QKeyEvent) -> str:
    return QKeySequence(event.keyCombination()).toString()


def _sentence() -> QLabel:
    label = plain_label(role="error", wraps=True)
    label.hide()
    return label
