"""One item of a checklist with the judge of its answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from resume_rig.model.preparation import ChecklistItem, Found


@dataclass(frozen=True, slots=True)
class Reply:
    """What one question brought; `text` is hostile."""

    status: int
    text: str


Judge = Callable[[Sequence[Reply]], Found]


@dataclass(frozen=True, slots=True)
class Item:
    """As model.preparation.ChecklistItem; `judge` takes the answers in the questions' order."""

    name: str
    wanted: str
    questions: tuple[str, ...]
    judge: Judge
    remedy: str = ""
    source: str = ""

    @property
    def told(self) -> ChecklistItem:
        """What is shown of it."""
        return ChecklistItem(self.name, self.wanted, self.questions, self.remedy, self.source)
