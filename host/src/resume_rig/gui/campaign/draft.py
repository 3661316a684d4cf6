"""A plan while it is edited: its texts with undo, and what is wrong with each. Free of Qt."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from resume_rig.campaign.plan.plan import Plan, default_plan
from resume_rig.campaign.plan.plan_file import parse_plan, plan_texts
from resume_rig.campaign.plan.words import WINDOW, WORD_BY_KEY, WORDS, PlanWord
from resume_rig.model.errors import UsageError

T = TypeVar("T")

MOST_STEPS: Final = 200


@dataclass(frozen=True, slots=True)
class History(Generic[T]):
    """States before and after the present one.

    Attributes:
        now: the present state.
        past: older ones, oldest first. future: those that were undone, next one first.
        key: what the newest step edited; None where the next edit begins a step of its own.
    """

    now: T
    past: tuple[T, ...] = ()
    future: tuple[T, ...] = ()
    key: str | None = None

    def edited(self, state: T, key: str) -> "History[T]":
        """Return the history after an edit; letters typed into one field are one step."""
        if state == self.now:
            return self
        if key == self.key and self.past:
            return History(state, self.past, (), key)
        return History(state, (*self.past, self.now)[-MOST_STEPS:], (), key)

    def sealed(self) -> "History[T]":
        """Return the history in which the next edit is a step of its own."""
        return History(self.now, self.past, self.future, None)

    def undone(self) -> "History[T]":
        """Return the history one step back; itself at the beginning."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (self.now, *self.future), None)

    def redone(self) -> "History[T]":
        """Return the history one step forward; itself at the end."""
        if not self.future:
            return self
        return History(self.future[0], (*self.past, self.now), self.future[1:], None)


WHOLE: Final = ""
"""Key of a sentence that is about no single field."""


FIELDS: Final = tuple(word for word in WORDS if word.title)
"""The words of a plan that have a line in the editor."""


@dataclass(frozen=True, slots=True)
class PlanDraft:
    """Texts by key of FIELDS; an empty one takes the default, or leaves a rule out."""

    texts: Mapping[str, str]

    def with_text(self, key: str, text: str) -> "PlanDraft":
        """Return the draft with another text in one field."""
        return replace(self, texts={**self.texts, key: text})


def draft_of(plan: Plan) -> PlanDraft:
    """Return a plan as it is edited."""
    return PlanDraft(plan_texts(plan))


def plan_of(draft: PlanDraft) -> Plan:
    """Return the plan that a draft stands for.

    Raises:
        UsageError: a field, or the whole, is not of its form or out of range.
    """
    return _plan_of(draft, draft.texts)


def _plan_of(draft: PlanDraft, keys: Iterable[str]) -> Plan:
    texts = {key: draft.texts.get(key, "").strip() for key in keys}
    return parse_plan({key: text for key, text in texts.items() if text}, door=WINDOW)


def problems_of(draft: PlanDraft) -> Mapping[str, str]:
    """Return what is wrong, as the plan itself raises it: a sentence a field, or one for all.

    A field is checked with the defaults of all others, so that one mistake is shown once.
    """
    found: dict[str, str] = {}
    for field in FIELDS:
        try:
            _plan_of(draft, _checkable(draft, field))
        except UsageError as error:
            found[field.key] = str(error)
    if not found:
        try:
            plan_of(draft)
        except UsageError as error:
            found[WHOLE] = str(error)
    return found


def _checkable(draft: PlanDraft, field: PlanWord) -> list[str]:
    """Return the field, and those that it needs where they are right themselves."""
    for key in field.needs:
        try:
            _plan_of(draft, [*WORD_BY_KEY[key].needs, key])
        except UsageError:
            # Shown at that field.
            return []
    return [*field.needs, field.key]


def default_draft() -> PlanDraft:
    """Return the default plan as it is edited."""
    return draft_of(default_plan())
