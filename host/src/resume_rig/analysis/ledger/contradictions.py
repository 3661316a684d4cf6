"""Records whose own times exclude each other: they measure nothing, and nobody is accused."""

from collections.abc import Sequence
from typing import Final

from resume_rig.model.os_record import OsRecord
from resume_rig.model.units import NS_PER_MS

CLOCK_MS: Final = 1_500
"""What SleepTime and WakeTime may be off by against each other: the RTC that the clock is set by
after a wake has whole seconds (measured: 223 wakes), and one more rounding."""

ROUNDING_MS: Final = 2
"""Two values in whole milliseconds, each rounded by itself."""


def contradiction(record: OsRecord) -> str | None:
    """Return how the times of a record exclude each other, with the arithmetic; else None.

    Whichever of them is wrong: nothing shows it, so none measures.
    """
    driver_ms, wake_ms, bios_ms = record.driver_init_ms, record.wake_ms, record.bios_init_ms
    if wake_ms and driver_ms is not None and driver_ms > wake_ms + ROUNDING_MS:
        return (
            f"its DriverInitDuration of {driver_ms} ms is a part of its"
            f" WakeDuration, which is {wake_ms} ms"
        )
    sleep_ns, wake_ns = record.sleep_time_utc_ns, record.wake_time_utc_ns
    if bios_ms is None or sleep_ns is None or wake_ns is None or wake_ns < sleep_ns:
        return None
    between_ms = (wake_ns - sleep_ns) // NS_PER_MS
    room_ms = between_ms - (record.sleep_ms or 0) - (wake_ms or driver_ms or 0)
    if bios_ms <= room_ms + CLOCK_MS:
        return None
    return (
        f"its BiosInitDuration is {bios_ms} ms, and the {between_ms} ms from"
        f" SleepTime to WakeTime, less {record.sleep_ms or 0} ms of suspend and"
        f" {wake_ms or driver_ms or 0} ms of wake, leave {max(0, room_ms)} ms"
    )


def doubted(records: Sequence[OsRecord]) -> dict[int, str]:
    """Return which records contradict themselves, and why, by index.

    Where most of those with a BIOS time do, nobody knows what the firmware of this log counts, so
    the others are doubted as well: one in thirty of a running uptime is a likely time by chance.
    """
    found = {index: odd for index, each in enumerate(records) if (odd := contradiction(each))}
    timed = [index for index, each in enumerate(records) if each.bios_init_ms is not None]
    wrong = sum(index in found for index in timed)
    if 2 * wrong > len(timed):
        why = f"{wrong} of {len(timed)} records of its log contradict themselves"
        found = {index: found.get(index, why) for index in sorted({*found, *timed})}
    return found
