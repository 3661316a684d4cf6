"""The checklist for a DUT before it is measured: items, replies, and what was found."""

from collections.abc import Callable, Sequence
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

    @classmethod
    def good_if(cls, good: bool, text: str, otherwise: str | None = None) -> "Found":
        """Return what is as it should be, or is to be changed: then `otherwise`, if it differs."""
        if good:
            return cls(Standing.GOOD, text)
        return cls(Standing.CHANGE, text if otherwise is None else otherwise)


@dataclass(frozen=True, slots=True)
class Reply:
    """What one question brought; `text` is hostile."""

    status: int
    text: str


Judge = Callable[[Sequence[Reply]], Found]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that makes measurements unfair, or campaigns break, when it is not as it should be.

    Attributes:
        name: short.
        wanted: what it should be, and why.
        questions: commands that only read.
        judge: takes the answers in the questions' order.
        remedy: the command or the place that sets it; empty where nothing does.
        source: the paper and its section that asks for it; empty where none does.
    """

    name: str
    wanted: str
    questions: tuple[str, ...]
    judge: Judge
    remedy: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An item with what was found on one DUT."""

    item: Item
    found: Found
