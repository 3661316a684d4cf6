"""Values of events by name, to numbers and times; what cannot be read is counted, not guessed."""

from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event import Event
from resume_rig.oslog.problems import Problem, ProblemTally
from resume_rig.oslog.timestamps import parse_utc_ns, parse_whole

UINT32_MAX: Final = (1 << 32) - 1
UINT64_MAX: Final = (1 << 64) - 1

_TRUTHS: Final = {"true": 1, "false": 0}


class EventValues:
    """Reads values of one source's events."""

    def __init__(self, tally: ProblemTally) -> None:
        self.tally = tally

    def whole(self, event: Event, name: str, maximum: int = UINT32_MAX) -> int | None:
        """Return a number from 0 to `maximum`, true and false as 1 and 0; None without one."""
        text = event.data.get(name)
        if not text:
            return None
        try:
            return parse_whole(text, maximum)
        except RecordError:
            truth = _TRUTHS.get(text.strip().lower())
        if truth is None:
            self.tally.count(Problem.BAD_NUMBER)
        return truth

    def time_ns(self, event: Event, name: str) -> int | None:
        """Return a time in ns since 1970 UTC; None without one."""
        if name in event.times_ns:
            return event.times_ns[name]
        try:
            return parse_utc_ns(event.data.get(name, ""))
        except RecordError:
            self.tally.count(Problem.BAD_TIME)
            return None
