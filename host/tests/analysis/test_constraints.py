"""What constraints leave of the unknowns of a wake: the truth, whatever anybody reports."""

from dataclasses import dataclass, replace

from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.reconcile.constraints import (
    OPEN_NS,
    Ring,
    Span,
    by_running,
    by_standing,
    narrowed,
    wake_bounds,
)
from resume_rig.analysis.reconcile.thresholds import ANY_SLEW, CLOCKS_PPB
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.os_record import Figure, OsRecord, SleepKind, WakeSource
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideCycle, OutsideState

MS = 1_000_000
S = 1_000 * MS
PPB = 1_000_000_000
OS_START_NS = 1_777_000_000 * S
WIRED = frozenset({Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST})

times = st.integers(-(10**13), 10**13)
widths = st.integers(0, 10**10)


@given(
    parts=st.lists(st.tuples(times, widths, widths), min_size=2, max_size=6),
    wholes=st.lists(st.sets(st.integers(0, 5), min_size=1), min_size=1, max_size=4),
    slack=st.lists(widths, min_size=4, max_size=4),
    is_open=st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_narrowing_never_loses_the_truth(parts, wholes, slack, is_open) -> None:
    truth = {str(place): value for place, (value, _, _) in enumerate(parts)}
    spans = {
        str(place): Span(-OPEN_NS, OPEN_NS)
        if is_open[place]
        else Span(value - below, value + above)
        for place, (value, below, above) in enumerate(parts)
    }
    sums = []
    for number, chosen in enumerate(wholes):
        names = tuple(str(place % len(parts)) for place in sorted(chosen))
        names = tuple(dict.fromkeys(names))
        whole = f"whole {number}"
        truth[whole] = sum(truth[name] for name in names)
        spans[whole] = Span(truth[whole] - slack[number], truth[whole] + slack[3 - number])
        sums.append((whole, names))

    found = narrowed(spans, sums)

    assert found is not None
    for name, span in found.items():
        assert not span.excludes(truth[name])
        assert span.low_ns >= spans[name].low_ns
        assert span.high_ns <= spans[name].high_ns


def test_sums_that_contradict_each_other_leave_nothing() -> None:
    spans = {"a": Span(0, 1), "b": Span(0, 1), "whole": Span(3, 4)}

    assert narrowed(spans, [("whole", ("a", "b"))]) is None
    assert narrowed(spans | {"whole": Span(2, 4)}, [("whole", ("a", "b"))]) == {
        "a": Span(1, 1),
        "b": Span(1, 1),
        "whole": Span(2, 2),
    }


milliseconds = st.integers(0, 3_000).map(lambda each: each * MS)
thousandths = st.integers(-1_000, 1_000).map(lambda each: each / 1_000)
lies = st.one_of(
    st.just(0),
    st.integers(0, 5_000),
    st.integers(100_000, 900_000),  # in us, or an uptime
    st.none(),  # honest
)


@dataclass(frozen=True)
class Truth:
    """One wake, the sleep before it and the sleep after it, each of the same lengths.

    Attributes:
        slewed: the clock from this wake to the next sleep, as a share of the most, either way.
        strayed: the same before the sleep.
        rate: of the clock against the board, as a share of the most.
        read: how the RTC's whole seconds are off at both wakes, in half seconds.
        reported_ms: what the OS reports for the BIOS; None: the truth.
        seen: whether the triggers of the sleeps were.
        tells: whether events show when the clock stopped, and by how much it jumped.
        tail_ns: SleepDuration ends so long before the clock stops.
    """

    tsc_ns: int
    bios_ns: int
    handoff_ns: int
    accepted_ns: int
    froze_ns: int
    stop_ns: int
    ran_ns: int
    asleep_ns: int
    slewed: float
    strayed: float
    rate: float
    read: tuple[float, float]
    reported_ms: int | None
    seen: bool
    tells: bool
    tail_ns: int


truths = st.builds(
    Truth,
    tsc_ns=st.integers(0, 300 * MS),
    bios_ns=milliseconds,
    handoff_ns=st.integers(0, 5 * MS),
    accepted_ns=milliseconds,
    froze_ns=st.integers(100 * MS, 4_000 * MS),
    stop_ns=milliseconds,
    ran_ns=st.integers(5 * S, 90 * S),
    asleep_ns=st.integers(2 * S, 600 * S),
    slewed=thousandths,
    strayed=thousandths,
    rate=thousandths,
    read=st.tuples(thousandths, thousandths),
    reported_ms=lies,
    seen=st.booleans(),
    tells=st.booleans(),
    tail_ns=milliseconds,
)


@given(truths)
def test_the_true_time_to_the_os_is_left_whatever_the_bios_says_and_the_clock_does(true) -> None:
    to_os_ns = true.tsc_ns + true.bios_ns + true.handoff_ns
    power_up_ns = 110 * MS
    way_ns = true.accepted_ns + true.froze_ns + true.stop_ns
    clock_rate = true.rate * (CLOCKS_PPB / 2) / PPB

    def by_clock(true_ns: int, share: float) -> int:
        most_ns = true_ns * 31_000_000 // PPB
        return round(true_ns * (1 + clock_rate) + share * most_ns)

    # The clock as it was stopped for the sleep before, and as it was set at the wake after it.
    stopped_ns = OS_START_NS + 60 * S
    half_seconds_ns = round(sum(true.read) * S / 2)
    away_ns = true.stop_ns + true.asleep_ns + power_up_ns + to_os_ns
    strayed_ns = round(true.strayed * 60 * S * 31_000_000 // PPB)
    set_ns = stopped_ns + round(away_ns * (1 - clock_rate)) + half_seconds_ns + strayed_ns
    # SleepDuration ends before the clock stops; an event shows where it stops.
    tail_ns = min(true.tail_ns, true.froze_ns)
    awake_ns = power_up_ns + to_os_ns + true.ran_ns + true.stop_ns
    sleep_ns = set_ns + by_clock(true.ran_ns, true.slewed) - by_clock(true.froze_ns, true.slewed)
    bios_ms = true.bios_ns // MS if true.reported_ms is None else true.reported_ms

    woke = _record(stopped_ns - true.froze_ns, (true.froze_ns - tail_ns) // MS, bios_ms)
    woke = replace(
        woke,
        wake_time_utc_ns=set_ns + 600 * MS,
        wake_ms=600,
        figures=(
            (
                Figure("clock_jump_us", (set_ns - stopped_ns) / 1_000),
                Figure("sleep_to_clock_stop_us", true.froze_ns / 1_000),
            )
            if true.tells
            else ()
        ),
    )
    slept = _record(sleep_ns, (true.froze_ns - tail_ns) // MS, 300)
    if true.tells:
        stopped_us = by_clock(true.froze_ns, true.slewed) / 1_000
        slept = replace(slept, figures=(Figure("sleep_to_clock_stop_us", stopped_us),))
    intervals = {
        IntervalName.SLP_S3_TO_PWR_OK: BoundedNs(60 * MS, MS),
        IntervalName.PWR_OK_TO_PLTRST: BoundedNs(50 * MS, MS),
        IntervalName.ASLEEP: BoundedNs(true.asleep_ns, MS),
    }
    if true.seen:
        intervals[IntervalName.TRIGGER_TO_SLP_S3] = BoundedNs(way_ns, MS)
    wires = OutsideCycle(
        *(1, Outcome.SLEPT_AND_WOKE, OutsideState.S3, Actuator.BUTTON, 0, 1, 2, intervals),
        channels=WIRED,
    )
    reset_to_tsc = BoundedNs(150 * MS, 150 * MS)
    ended = replace(woke, wake_time_utc_ns=stopped_ns - 60 * S, figures=())

    rings = (
        by_running((wires, woke), (wires, slept), BoundedNs(awake_ns, MS), reset_to_tsc, ANY_SLEW),
        by_standing((wires, woke), ended, reset_to_tsc, ANY_SLEW),
    )

    for ring in rings:
        _holds(ring, to_os_ns, true.bios_ns - bios_ms * MS)
    found = wake_bounds(rings, reset_to_tsc, bios_ms)
    assert found is not None
    assert not found.to_os.excludes(to_os_ns)
    assert not found.hidden.excludes(true.bios_ns - bios_ms * MS)
    if true.reported_ms is None:
        assert not found.hidden.excludes(0)


def _holds(ring: Ring | None, to_os_ns: int, hidden_ns: int) -> None:
    assert ring is not None
    assert not ring.to_os.excludes(to_os_ns)
    assert not ring.hidden.excludes(hidden_ns)


def _record(sleep_ns: int, sleep_ms: int, bios_ms: int) -> OsRecord:
    return OsRecord(
        source=0,
        record_id=1,
        kind=SleepKind.S3,
        sleep_time_utc_ns=sleep_ns,
        wake_time_utc_ns=None,
        written_utc_ns=None,
        sleep_ms=sleep_ms,
        wake_ms=600,
        driver_init_ms=500,
        bios_init_ms=bios_ms,
        firmware_resume_ms=None,
        firmware_resume_count=None,
        hiber_read_ms=None,
        hiber_write_ms=None,
        hiber_pages=None,
        wake_source=WakeSource(1, "power button", ""),
    )
