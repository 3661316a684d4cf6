"""Times that the firmware itself took, as ACPI's FPDT reports them: nanoseconds, if they are sane.

ACPI 6.5, 5.2.24: the firmware notes them in nanoseconds. Broken firmware gives hours (a counter
that was not reset over S3), or raw ticks of some counter, which look far too short or too long.
"""

from dataclasses import dataclass
from typing import Final

LONGEST_NS: Final = 600 * 1_000_000_000
"""No firmware takes 10 minutes."""

SHORTEST_NS: Final = 5_000_000
"""No firmware resumes a PC in less than 5 ms: such numbers are ticks, not nanoseconds."""

NS_PER_MS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class FirmwareTimes:
    """What the firmware reports of one S3 sleep; None where it reports nothing sane."""

    suspend_ns: int | None = None
    resume_ns: int | None = None

    @property
    def resume_ms(self) -> int | None:
        """The resume in whole milliseconds, rounded to the nearest."""
        return None if self.resume_ns is None else (self.resume_ns + NS_PER_MS // 2) // NS_PER_MS

    def figures(self) -> list[tuple[str, float | None]]:
        """Return names and values of both, in milliseconds."""
        return [
            ("firmware_suspend_ms", _ms(self.suspend_ns)),
            ("firmware_resume_ms", _ms(self.resume_ns)),
        ]


def sane_resume_ns(value_ns: int) -> tuple[int | None, str]:
    """Return a firmware's resume time, or None and the sentence that says why not.

    0 means "not reported" and needs no sentence.
    """
    if value_ns == 0:
        return None, ""
    if value_ns > LONGEST_NS:
        return None, (
            "A firmware resume time is longer than 10 minutes and counts as not reported."
        )
    if value_ns < SHORTEST_NS:
        return None, (
            "A firmware resume time is shorter than 5 ms, as ticks taken for nanoseconds are, and"
            " counts as not reported."
        )
    return value_ns, ""


def sane_suspend_ns(value_ns: int) -> tuple[int | None, str]:
    """Return a firmware's suspend time, or None and the sentence that says why not."""
    if value_ns > LONGEST_NS:
        return None, (
            "A firmware suspend time is longer than 10 minutes and counts as not reported."
        )
    return value_ns or None, ""


def _ms(value_ns: int | None) -> float | None:
    return None if value_ns is None else value_ns / NS_PER_MS
