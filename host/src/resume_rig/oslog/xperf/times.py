"""The times of an xperf summary, in the unit that it names."""

from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.source.problems import ProblemTally

_UNITS_PER_MS: Final = {
    "nsec": 1_000_000,
    "usec": 1_000,
    "msec": 1,
}
_PER_MS: Final = {
    **_UNITS_PER_MS,
    **{"nanoseconds": 1_000_000, "ns": 1_000_000},
    **{"microseconds": 1_000, "us": 1_000, "µs": 1_000},
    **{"milliseconds": 1, "ms": 1},
}
_LONGEST: Final = 1 << 63
_QUOTED_CHARS: Final = 40


class XperfTime:
    """Turns a summary's numbers into milliseconds, in the unit of its `timeFormat`."""

    def __init__(self, tally: ProblemTally, assumed: str) -> None:
        """Take a summary's first unit.

        Args:
            tally: takes a unit or a number that is not understood.
            assumed: the unit where the summary names none, as the papers' examples have it.
        """
        self._tally = tally
        self._assumed = assumed
        self._per_ms: int | None = _UNITS_PER_MS[assumed]
        self._named = False
        self._unreadable = 0

    def name_unit(self, text: str) -> None:
        """Take over the unit that `timeFormat` names."""
        self._named = True
        self._per_ms = _PER_MS.get(text.strip().lower())
        if self._per_ms is None:
            self._tally.report(
                f"The summary's timeFormat is {text[:_QUOTED_CHARS]!r}, which is no unit that is"
                " known (nsec, usec, msec), so its times count as not reported.",
                damage=True,
            )

    def ms(self, text: str | None) -> float | None:
        """Return a time in milliseconds; None where it is missing, unreadable or had not ended."""
        if text is None or not text.strip() or self._per_ms is None:
            return None
        try:
            value = _number(text)
        except RecordError:
            self._unreadable += 1
            return None
        return None if value < 0 else value / self._per_ms

    def whole_ms(self, text: str | None) -> int | None:
        """Return the same as a whole number, rounded to the nearest."""
        value = self.ms(text)
        return None if value is None else int(value + 0.5)

    def finish(self) -> None:
        """Report what was assumed and what could not be read."""
        if not self._named:
            self._tally.report(
                f"The summary names no timeFormat; {self._assumed} was taken, as Microsoft's paper"
                " has it.",
                damage=False,
            )
        self._tally.report_count(
            "{} times could not be read and count as not reported.", self._unreadable, damage=True
        )


def _number(text: str) -> float:
    cleaned = text.strip().replace(",", "")
    digits = cleaned.removeprefix("-").replace(".", "", 1)
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 20:
        raise RecordError(f"could not read a time: found {text[:_QUOTED_CHARS]!r}")
    value = float(cleaned)
    if value >= _LONGEST:
        raise RecordError(f"could not read a time: found {text[:_QUOTED_CHARS]!r}")
    return value
