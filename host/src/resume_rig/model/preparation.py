"""What a DUT should be like before it is measured, and what was found."""

from dataclasses import dataclass
from enum import StrEnum, unique


@unique
class Standing(StrEnum):
    """How a DUT stands with one item.

    NOTE is for what cannot be right or wrong, only the same in all campaigns that are compared.
    """

    GOOD = "ok"
    CHANGE = "change"
    NOTE = "note"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Found:
    """What is there; `text` may hold words of the DUT and is hostile."""

    standing: Standing
    text: str


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """One thing that makes measurements unfair, or campaigns break, when it is not as it should be.

    Attributes:
        name: short.
        wanted: what it should be, and why.
        questions: commands that only read.
        remedy: the command or the place that sets it; empty where nothing does.
        source: the paper and its section that asks for it; empty where none does.
    """

    name: str
    wanted: str
    questions: tuple[str, ...]
    remedy: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An item with what was found on one DUT."""

    item: ChecklistItem
    found: Found
