"""What a campaign may use beside the rig: the DUT's OS, its supply, commands of the user's."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QCheckBox, QFormLayout, QGroupBox, QLineEdit

from resume_rig.campaign.hooks import HookEvent, command_words
from resume_rig.gui.desk import Desk
from resume_rig.model.errors import UsageError

if TYPE_CHECKING:
    from resume_rig.campaign.commission import Surroundings

_FIELDS: Final = (
    ("dut_shell", "DUT &shell", "ssh:USER@HOST", "Where the DUT's OS takes commands; empty: Log"),
    ("sleep_command", "Sleep co&mmand", "a program", "Tells the DUT's OS; goes before DUT shell"),
    ("ssh_config", "SSH confi&guration", "the user's own", "A file, in place of the user's own"),
    ("power_cycle", "Po&wer cycle", "a program", "Cuts the DUT's supply, and gives it back"),
    ("host_clock", "&Host clock, ppb", "as the system says", "The rate error that it is kept to"),
    ("failure", "On &failure", "a program", "After a cycle that did not go as planned"),
    ("recovery", "On &recovery", "a program", "After each step that was to bring the DUT back"),
    ("end", "At the &end", "a program", "When the campaign is over and judged"),
    ("report", "Re&port", "beside the store", "The HTML report, an .html file"),
)
_COMMANDS: Final = ("sleep_command", "power_cycle")


class CampaignBeside(QGroupBox):
    """Fields that most campaigns leave empty; what is in them is remembered."""

    def __init__(self, desk: Desk) -> None:
        super().__init__("Beside the rig")
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
        self.ask.setToolTip("A strip over every page says what to do with the DUT")
        self.ask.setChecked(desk.remembered.text("campaign/ask", "yes") == "yes")
        form.addRow(self.ask)

    @property
    def report(self) -> Path | None:
        """Where the report goes; None for beside the store."""
        text = self._text("report")
        return Path(text) if text else None

    @property
    def used(self) -> bool:
        """Whether any field has something."""
        return any(map(self._text, self.fields))

    def surroundings(self, log: str) -> "Surroundings":
        """Return what the fields say.

        Args:
            log: the DUT's log; empty for what the rig serves.

        Raises:
            UsageError: a field has what it may not have; the sentence names it.
        """
        from resume_rig.campaign.commission import Surroundings

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
        found = dict(self._commands())
        for text in found.values():
            command_words(text)
        return found

    def remember(self) -> None:
        """Keep what is there for the next time."""
        for name in self.fields:
            self._desk.remembered.keep(f"campaign/{name}", self._text(name))
        self._desk.remembered.keep("campaign/ask", "yes" if self.ask.isChecked() else "no")

    def _commands(self) -> Iterator[tuple[HookEvent, str]]:
        for event in HookEvent:
            if self._text(event.value):
                yield event, self._text(event.value)

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
