"""A plan while it is edited: its texts with undo, and what is wrong with each. Free of Qt."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, Generic, TypeVar

from resume_rig.campaign.plan.plan import Plan, default_plan
from resume_rig.campaign.plan.plan_file import PlanValue, parse_plan, plan_to_mapping
from resume_rig.campaign.plan.states import STATE_WORDS
from resume_rig.model.channel import SLEEPERS, Actuator, SleepMeans, WakeMeans
from resume_rig.model.errors import UsageError
from resume_rig.model.units import DURATION_UNITS_NS, duration_of


def parse_duration_ns(text: str) -> int:
    """Read `150ms`, `5 s`, `2.5s` or a bare number of seconds, as nanoseconds.

    Raises:
        UsageError: the text is none of these.
    """
    found = duration_of("".join(text.split()), bare="s")
    if found is None:
        raise UsageError(
            f"{text.strip()!r} is not a duration; allowed are a number and ns, us, ms, s, min or "
            "h, for example 150 ms or 5 s"
        )
    return found


def duration_text(duration_ns: int) -> str:
    """Return a duration of 0 or more, exactly, in a unit that fits: hours and minutes whole."""
    for unit, unit_ns in reversed(DURATION_UNITS_NS.items()):
        fits = duration_ns % unit_ns == 0 if unit in ("h", "min") else duration_ns >= unit_ns
        if duration_ns and fits:
            return f"{Decimal(duration_ns) / unit_ns:f} {unit}"
    return "0 s"


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


@dataclass(frozen=True, slots=True)
class PlanField:
    """One line of the editor.

    Attributes:
        key: of plan files.
        title: left of the field.
        choices: offered; other texts may be typed.
        tip: what may be written.
        needs: fields without which its value cannot be checked.
    """

    key: str
    title: str
    choices: tuple[str, ...] = ()
    tip: str = ""
    needs: tuple[str, ...] = ()


_LISTS = "one value, or a list: 5 s, 10 s, or a range: 5 s to 60 s"
# After a boot a DUT needs longer until the next trigger.
_SETTLING = ("settle_ns", "settle", "settle_limit_ns")
_SLEEP_BY = (*(str(way).lower() for way in (*SLEEPERS, *SleepMeans)), "button, lid")
_WAKE_BY = (*(str(way).lower() for way in (*Actuator, *WakeMeans)), "button, lid")
FIELDS: Final = (
    PlanField("cycles", "Cycles", tip="1 to 1,000,000"),
    PlanField("warm_up", "Warm-up cycles", tip="measured, not judged", needs=("cycles",)),
    PlanField("state", "Sleep state", STATE_WORDS, "one, or a list", _SETTLING),
    PlanField("sleep_by", "Sleep by", _SLEEP_BY, "one, or a list"),
    PlanField("wake_by", "Wake by", _WAKE_BY, "one, or a list"),
    PlanField("dwell_ns", "Asleep for", tip=_LISTS, needs=("short_dwell",)),
    PlanField("settle_ns", "Awake for", tip=_LISTS),
    PlanField("settle", "Until settled", ("", "adaptive"), "adaptive: longer, until it is quiet"),
    PlanField(
        "settle_limit_ns", "Settled within", tip="a time; empty for the usual", needs=("settle",)
    ),
    PlanField("press_ns", "Press for", tip=_LISTS),
    PlanField("sleep_timeout_ns", "Sleep time-out", tip=_LISTS),
    PlanField("wake_timeout_ns", "Wake time-out", tip=_LISTS),
    PlanField("short_dwell", "Short sleeps", ("no", "yes"), "allows less than 5 s asleep"),
    PlanField("health", "Health reports", ("no", "yes"), "devices before and after; takes seconds"),
    PlanField(
        "trace",
        "Trace by",
        ("", "wpr", "xperf"),
        "records each cycle on a Windows DUT, by its shell; empty for none",
        needs=("state", *_SETTLING),
    ),
    PlanField("order", "Lists go", ("sequence", "matrix", "random"), "how lists come together"),
    PlanField("seed", "Seed", tip="of what is drawn"),
    PlanField("stop.failures", "Stop at failures", tip="a number of cycles; empty for never"),
    PlanField("stop.recoveries", "Stop at recoveries", tip="a number; empty for never"),
    PlanField("stop.after_ns", "Stop after", tip="a time spent in cycles; empty for never"),
    PlanField(
        "stop.failure_rate_below_percent",
        "Stop below, %",
        tip="a failure rate that is shown; empty for never",
    ),
    PlanField(
        "stop.confidence_percent",
        "with confidence, %",
        tip="of that rate; empty for 95",
        needs=("stop.failure_rate_below_percent",),
    ),
)
FIELD_BY_KEY: Final = {field.key: field for field in FIELDS}
_WHOLE_NUMBERS = frozenset({"cycles", "warm_up", "seed", "stop.failures", "stop.recoveries"})
_NUMBERS = frozenset({"stop.failure_rate_below_percent", "stop.confidence_percent"})
_WORDS = frozenset({"state", "sleep_by", "wake_by"})
_TRUTHS: Final = {"yes": True, "no": False, "true": True, "false": False}


@dataclass(frozen=True, slots=True)
class PlanDraft:
    """Texts by key of FIELDS; an empty one takes the default, or leaves a rule out."""

    texts: Mapping[str, str]

    def with_text(self, key: str, text: str) -> "PlanDraft":
        """Return the draft with another text in one field."""
        return replace(self, texts={**self.texts, key: text})


def draft_of(plan: Plan) -> PlanDraft:
    """Return a plan as it is edited."""
    mapping = plan_to_mapping(plan)
    stop = mapping.pop("stop", {})
    rules = stop if isinstance(stop, dict) else {}
    given = mapping | {f"stop.{key}": value for key, value in rules.items()}
    # What varies keeps the plan's order, which a matrix goes by.
    return PlanDraft({key: _text(key, value) for key, value in given.items()})


def plan_of(draft: PlanDraft) -> Plan:
    """Return the plan that a draft stands for.

    Raises:
        UsageError: a field, or the whole, is not of its form or out of range.
    """
    return parse_plan(_mapping(draft, list(draft.texts)))


def problems_of(draft: PlanDraft) -> Mapping[str, str]:
    """Return what is wrong, as the plan itself raises it: a sentence a field, or one for all.

    A field is checked with the defaults of all others, so that one mistake is shown once.
    """
    found: dict[str, str] = {}
    for field in FIELDS:
        try:
            parse_plan(_mapping(draft, _checkable(draft, field)))
        except UsageError as error:
            found[field.key] = str(error)
    if not found:
        try:
            plan_of(draft)
        except UsageError as error:
            found[WHOLE] = str(error)
    return found


def _checkable(draft: PlanDraft, field: PlanField) -> list[str]:
    """Return the field, and those that it needs where they are right themselves."""
    keys = [*field.needs, field.key]
    for key in field.needs:
        needed = FIELD_BY_KEY[key]
        try:
            parse_plan(_mapping(draft, [*needed.needs, key]))
        except UsageError:
            # Shown at that field.
            return []
    return keys


def _mapping(draft: PlanDraft, keys: list[str]) -> dict[str, object]:
    mapping: dict[str, object] = {}
    rules: dict[str, object] = {}
    for key in keys:
        text = draft.texts.get(key, "").strip()
        if not text:
            continue
        rule = key.removeprefix("stop.")
        if rule == key:
            mapping[key] = _value(key, text)
        else:
            rules[rule] = _value(key, text)
    if rules:
        mapping["stop"] = rules
    return mapping


def _value(key: str, text: str) -> object:
    """Return one field's text as the value that a plan file would have."""
    if key in _WHOLE_NUMBERS:
        return _whole_number(text)
    if key in _NUMBERS:
        return _number(text)
    if key == "short_dwell":
        if text.lower() not in _TRUTHS:
            raise UsageError(f"{text!r} is neither yes nor no")
        return _TRUTHS[text.lower()]
    if key in _WORDS:
        return _one_or_list([word.strip() for word in text.split(",")])
    return _durations(text) if key.endswith("_ns") else text


def _whole_number(text: str) -> int:
    digits = text.replace(",", "").replace("_", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 19):
        raise UsageError(f"{text!r} is not a whole number, 0 or more")
    return int(digits)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a number") from None


def _durations(text: str) -> object:
    low, to, high = text.partition(" to ")
    if to:
        return {"from": parse_duration_ns(low), "to": parse_duration_ns(high)}
    return _one_or_list([parse_duration_ns(each) for each in text.split(",")])


def _one_or_list(values: list[str] | list[int]) -> object:
    return values[0] if len(values) == 1 else values


def _text(key: str, value: PlanValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_text(key, each) for each in value)
    if isinstance(value, dict):
        return f"{_text(key, value['from'])} to {_text(key, value['to'])}"
    if key.endswith("_ns") and isinstance(value, int):
        return duration_text(value)
    if key in ("sleep_by", "wake_by"):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def default_draft() -> PlanDraft:
    """Return the default plan as it is edited."""
    return draft_of(default_plan())
