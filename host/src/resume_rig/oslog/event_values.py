"""Values of events by name, to numbers and times; what cannot be read is counted, not guessed."""

from collections.abc import Callable
from typing import Final, TypeVar

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event import Event
from resume_rig.oslog.problems import Problem, ProblemTally
from resume_rig.oslog.timestamps import parse_utc_ns, parse_whole

UINT32_MAX: Final = (1 << 32) - 1
UINT64_MAX: Final = (1 << 64) - 1

_TRUTHS: Final = {"true": 1, "false": 0}
_Value = TypeVar("_Value")


class EventValues:
    """Reads values of one source's events."""

    def __init__(self, tally: ProblemTally) -> None:
        self.tally = tally

    def whole(self, event: Event, name: str, maximum: int = UINT32_MAX) -> int | None:
        """Return a number from 0 to `maximum`, true and false as 1 and 0; None without one."""

        def parse(text: str) -> int | None:
            truth = _TRUTHS.get(text.strip().lower())
            return parse_whole(text, maximum) if truth is None else truth

        return self._read(event, name, parse, Problem.BAD_NUMBER)

    def time_ns(self, event: Event, name: str) -> int | None:
        """Return a time in ns since 1970 UTC; None without one."""
        if name in event.times_ns:
            return event.times_ns[name]
        return self._read(event, name, parse_utc_ns, Problem.BAD_TIME)

    def _read(
        self, event: Event, name: str, parse: Callable[[str], _Value | None], problem: Problem
    ) -> _Value | None:
        try:
            return parse(event.data.get(name, ""))
        except RecordError:
            self.tally.count(problem)
            return None
