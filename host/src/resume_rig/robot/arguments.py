"""Types of arguments and how Robot Framework reads them; a wrong one gets what is allowed."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar, cast

from robot.api.deco import keyword

from resume_rig.campaign.plan.words import WORDS
from resume_rig.model.channel import Actuator, Channel, WakeBy, WakeMeans
from resume_rig.model.errors import ResumeRigError
from resume_rig.model.os_record import TRANSITIONS, SleepKind, state_word
from resume_rig.model.units import DURATION_UNITS_NS, duration_of, seconds_text

_P = ParamSpec("_P")
_R = TypeVar("_R")
_T = TypeVar("_T")
_UNITS: Final = ", ".join(DURATION_UNITS_NS)


class Refusal(Exception):
    """One sentence for a log; Robot Framework shows it without the name of a class."""

    ROBOT_SUPPRESS_NAME = True


@dataclass(frozen=True, slots=True)
class Duration:
    """A time with its unit, for example `2 s` or `250 ms`."""

    ns: int

    def __str__(self) -> str:
        return seconds_text(self.ns)


# Robot Framework does not show what is allowed where a type is "this or None", so that what may be
# left out has a type of its own.


@dataclass(frozen=True, slots=True)
class By:
    """An actuator."""

    actuator: Actuator

    def __str__(self) -> str:
        return str(self.actuator)


@dataclass(frozen=True, slots=True)
class Waker:
    """What wakes the DUT: an actuator, or `LAN` for a magic packet; any where none is named."""

    by: WakeBy | None = None

    def __str__(self) -> str:
        return "any" if self.by is None else str(self.by)


@dataclass(frozen=True, slots=True)
class Contact:
    """Where a dry contact is to be: closed or open."""

    closed: bool

    def __str__(self) -> str:
        return "closed" if self.closed else "open"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of sleep; that of the plan, or of the requirement, where none is named."""

    kind: SleepKind | None = None

    def __str__(self) -> str:
        return "as planned" if self.kind is None else str(self.kind)


@dataclass(frozen=True, slots=True)
class Share:
    """A share of cycles in percent, for example `95 %`; every one where none is named."""

    of_one: float | None = None

    def __str__(self) -> str:
        return "every cycle" if self.of_one is None else f"{100 * self.of_one:g} %"


ANY: Final = Waker()
ANY_KIND: Final = Kind()
EVERY: Final = Share()
BUTTON: Final = By(Actuator.BUTTON)
BY_BUTTON: Final = Waker(Actuator.BUTTON)


PARTS: Final = tuple(dict.fromkeys([*map(str, Channel), *map(str, Actuator)]))
"""What a bench can have, by name: a button and a lid are watched and moved."""


@dataclass(frozen=True, slots=True)
class Part:
    """A channel or an actuator of a bench."""

    line: Channel | Actuator


def read_duration(text: str) -> Duration:
    """Read `2 s`; a number without a unit is refused, for it could be either."""
    found = duration_of(text.strip())
    if found is None:
        raise ValueError(f"a time is a number and its unit: {_UNITS}; for example 2 s or 250 ms")
    return Duration(found)


def read_by(text: str) -> By:
    """Read the name of an actuator."""
    return By(_one_of(text, tuple(Actuator), "actuator"))


def read_waker(text: str) -> Waker:
    """Read what wakes the DUT in one action, or woke it in the cycles that count."""
    ways: tuple[WakeBy, ...] = (*Actuator, WakeMeans.LAN)
    return Waker(_one_of(text, ways, "way to wake"))


def read_contact(text: str) -> Contact:
    """Read `closed` or `open`."""
    return Contact(_one_of(text.lower(), ("CLOSED", "OPEN"), "state of a contact") == "CLOSED")


def _one_of(text: str, allowed: Sequence[_T], what: str) -> _T:
    found = [each for each in allowed if str(each) == text.strip().upper()]
    if not found:
        raise ValueError(f"there is no such {what}; allowed are {', '.join(map(str, allowed))}")
    return found[0]


def read_kind(text: str) -> Kind:
    """Read the name of a kind of sleep."""
    kinds = {state_word(kind): kind for kind in TRANSITIONS}
    found = [kind for word, kind in kinds.items() if word.lower() == text.strip().lower()]
    if not found:
        raise ValueError(f"there is no such kind of sleep; allowed are {', '.join(kinds)}")
    return Kind(found[0])


def read_share(text: str) -> Share:
    """Read `95 %`."""
    number = text.strip().removesuffix("%").strip()
    try:
        percent = float(number) if text.strip().endswith("%") else -1.0
    except ValueError:
        percent = -1.0
    if not 0 < percent <= 100:
        raise ValueError("a share is in percent, above 0 % to 100 %; for example 95 %")
    return Share(percent / 100)


def read_part(text: str) -> Part:
    """Read the name of a channel or an actuator; `LID` and `BUTTON` are those that move."""
    name = text.strip().upper().replace(" ", "_")
    if name in list(Actuator):
        return Part(Actuator(name))
    if name in list(Channel):
        return Part(Channel(name))
    raise ValueError(f"there is no such channel; allowed are {', '.join(PARTS)}")


def sentence(name: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Make a method the keyword `name`, whose expected failures are one sentence each."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @wraps(function)
        def run(*args: _P.args, **named: _P.kwargs) -> _R:
            try:
                return function(*args, **named)
            except ResumeRigError as error:
                raise Refusal(str(error)) from error

        return keyword(name)(run)  # type: ignore[no-any-return]

    return decorate


def plan_words(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Show Robot Framework the words of a plan, by name, in place of a keyword's `**words`.

    `{words}` in its documentation becomes a row a word. Values stay as a suite writes them: the
    plan reads them.
    """
    shown = inspect.signature(function)
    *own, words = shown.parameters.values()
    kind, hints = inspect.Parameter.KEYWORD_ONLY, function.__annotations__
    named = [inspect.Parameter(w.key, kind, default=None, annotation=Any) for w in WORDS]
    del hints[words.name]
    # Without a type, Robot Framework would read the text NONE as None, which the default is.
    hints |= {each.name: Any for each in named}
    cast(Any, function).__signature__ = shown.replace(parameters=[*own, *named])
    rows = [f"| ``{word.key}`` | {word.meaning} |" for word in WORDS]
    function.__doc__ = (function.__doc__ or "").replace("{words}", "\n        ".join(rows))
    return function
