"""Wall time at host times: readings bound it, steps do not mix, slews show in the rate."""

import pytest

from resume_rig.model.errors import UsageError
from resume_rig.model.quantity import BoundedNs
from resume_rig.timing.clocks import SystemClock, VirtualClock
from resume_rig.timing.wall_clock import (
    HostDiscipline,
    WallClock,
    discipline_of,
    stated_discipline,
    w32time_discipline,
    wall_minus_host_ns,
)

S = 1_000_000_000
UTC_NS = 1_777_000_000 * S


class SlowClock:
    """Each reading takes 1 us, but for those that are interrupted."""

    def __init__(self, interrupted: int) -> None:
        self.host_ns = 0
        self.readings = 0
        self.interrupted = interrupted

    tick_ns = 0

    def now_ns(self) -> int:
        self.host_ns += 500
        return self.host_ns

    def utc_ns(self) -> int:
        self.readings += 1
        self.host_ns += 5_000_000 if self.readings <= self.interrupted else 100
        return UTC_NS + self.host_ns

    def sleep_ns(self, duration_ns: int) -> None:
        self.host_ns += duration_ns


def wall_of(readings: dict[int, int]) -> WallClock:
    wall = WallClock()
    for host_s, offset_ns in readings.items():
        wall.add(host_s * S, UTC_NS + offset_ns)
    return wall


@pytest.mark.parametrize("interrupted", [0, 5])
def test_a_reading_that_was_interrupted_is_made_again(interrupted: int) -> None:
    assert abs(wall_minus_host_ns(SlowClock(interrupted)) - UTC_NS) < 2_000


def test_readings_that_are_all_interrupted_come_to_an_end() -> None:
    clock = SlowClock(10**9)

    assert abs(wall_minus_host_ns(clock) - UTC_NS) < 5_000_000
    assert clock.readings < 100


@pytest.mark.parametrize("ppm", [-20, 0, 35])
def test_wall_time_and_its_rate_follow_the_readings(ppm: int) -> None:
    wall = wall_of({at: at * ppm * 1000 for at in range(0, 200, 20)})

    found = wall.to_utc_ns(BoundedNs(95 * S, 100), 80 * S)
    rates = wall.rates(90 * S, 110 * S, 80 * S)

    assert abs(found.value_ns - (UTC_NS + 95 * S + 95 * ppm * 1000)) <= found.bound_ns < 100_000
    assert rates.steady
    assert rates.low <= ppm * 1e-6 <= rates.high
    assert rates.high - rates.low < 10e-6


def test_a_step_of_the_wall_clock_begins_a_new_stretch() -> None:
    wall = wall_of({0: 0, 20: 0, 40: 0, 60: 5 * S, 80: 5 * S})

    before, after = (wall.to_utc_ns(BoundedNs(at * S, 0), at * S) for at in (40, 60))

    assert wall.steps == 1
    assert before.value_ns == pytest.approx(UTC_NS + 40 * S, abs=before.bound_ns)
    assert after.value_ns == pytest.approx(UTC_NS + 65 * S, abs=after.bound_ns)
    assert max(before.bound_ns, after.bound_ns) < 100_000


def test_a_slew_that_begins_is_no_steady_rate() -> None:
    wall = wall_of({at: max(0, at - 100) * 400_000 for at in range(0, 200, 10)})

    assert not wall.rates(95 * S, 105 * S, 90 * S).steady


def test_a_single_reading_tells_no_rate() -> None:
    rates = wall_of({0: 0}).rates(0, 20 * S, 0)

    assert rates.high - rates.low > 1e-3


def test_a_user_may_know_better_than_the_system() -> None:
    assert stated_discipline(20).synchronised is True
    assert stated_discipline(20).rate_ppb == 20
    for rate_ppb in (-1, 100_001):
        with pytest.raises(UsageError, match=f"{rate_ppb} ppb is of no use"):
            stated_discipline(rate_ppb)


def test_a_virtual_clock_is_exact_and_a_system_says_what_it_knows() -> None:
    virtual, system = discipline_of(VirtualClock()), discipline_of(SystemClock())

    assert (virtual.synchronised, virtual.rate_ppb) == (True, 0)
    assert system.synchronised in (True, False, None)
    assert system.rate_ppb > 0
    assert discipline_of(SlowClock(0)) == HostDiscipline(
        None, system.rate_ppb, "a clock that does not report its source"
    )


SYNCHRONISED = """\
Leap Indicator: 0(no warning)
Stratum: 4 (secondary reference - syncd by (S)NTP)
Precision: -23 (119.209ns per tick)
Root Delay: 0.0312500s
Root Dispersion: 7.7841108s
ReferenceId: 0x14653962 (source IP:  20.101.57.98)
Last Successful Sync Time: 11/23/2026 4:10:12 AM
Source: time.windows.com,0x9
Poll Interval: 10 (1024s)
"""
GERMAN_WITHOUT_A_SOURCE = """\
Sprungindikator: 3(nicht synchronisiert)
Stratum: 0 (nicht angegeben)
Präzision: -23 (119.209ns pro Tick)
Stammverzögerung: 0.0000000s
Stammabweichung: 0.0000000s
Referenz-ID: 0x00000000 (nicht angegeben)
Letzte erfolgr. Synchronisierungszeit: nicht angegeben
Quelle: Local CMOS Clock
Abrufintervall: 6 (64s)
"""
FREE_RUNNING = SYNCHRONISED.replace("Stratum: 4", "Stratum: 1").replace("14653962", "4C4F434C")
NOT_STARTED = "The following error occurred: The service has not been started. (0x80070426)\n"
DENIED = "The following error occurred: Access is denied. (0x80070005)\n"


@pytest.mark.parametrize(
    ("status", "synchronised", "words"),
    [
        (SYNCHRONISED, None, "which states no rate"),
        (GERMAN_WITHOUT_A_SOURCE, False, "has no source"),
        (FREE_RUNNING, False, "has no source"),
        (NOT_STARTED, False, "does not run"),
        (DENIED, None, "does not report"),
        ("", None, "does not report"),
        ("9" * 5000 + "\n" * 9, None, "does not report"),
    ],
    ids=["synchronised", "German", "own crystal", "not started", "denied", "nothing", "noise"],
)
def test_the_time_service_of_windows_is_understood_in_any_language(
    status: str, synchronised: bool | None, words: str
) -> None:
    told = w32time_discipline(status.encode("cp850"))

    assert told.synchronised is synchronised
    assert words in told.source
