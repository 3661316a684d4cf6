"""What clock, wires and records say of one another, added up by hand.

Values and bounds alone are held here; how their uncertainties add is the quantity's own affair.
"""

from dataclasses import replace

import pytest

from resume_rig.analysis.reconcile.constraints import (
    OPEN_NS,
    Ring,
    Span,
    by_running,
    by_standing,
    wake_bounds,
)
from resume_rig.analysis.reconcile.hidden_time import longest_bios_ms
from resume_rig.analysis.reconcile.norms import (
    Norm,
    Platform,
    history_of,
    norm_of,
    norms_of,
    usual_rests,
)
from resume_rig.analysis.reconcile.os_account import (
    before_sleep,
    firmware_suspend,
    os_away,
    os_ran,
    sleep_to_stop,
    stepped_ns,
    way_to_sleep,
)
from resume_rig.analysis.reconcile.reconcile import (
    TimedCycle,
    awake_times,
    awake_to_os,
    hidden_by_light,
    is_unusual,
    light_after_complete,
    of_one_cause,
    power_up,
    press_to_desktop,
    press_to_resume_complete,
    unexplained,
)
from resume_rig.analysis.reconcile.thresholds import ANY_SLEW, NO_SLEW, USUAL_SLEW
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.os_record import (
    MAIN_PATH,
    Component,
    ComponentKind,
    Figure,
    OsRecord,
    SleepKind,
)
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import (
    IntervalName,
    Outcome,
    OutsideCycle,
    OutsideState,
)

MS = 1_000_000
S = 1_000 * MS
RESET = BoundedNs(10 * MS, 3 * MS)
GROUP = SleepKind.S3, Actuator.BUTTON, 0


def ms(quantity: BoundedNs | None) -> tuple[float, float] | None:
    """Return value and bound in ms."""
    return None if quantity is None else (quantity.value_ns / MS, quantity.bound_ns / MS)


def near(value_ms: float, bound_ms: float):
    return pytest.approx((value_ms, bound_ms), abs=1e-3)


def cycle(number: int = 1, **more) -> OutsideCycle:
    """Return a cycle by its intervals in ms, each (value, bound)."""
    intervals = {
        IntervalName[name]: BoundedNs(round(value * MS), round(bound * MS))
        for name, (value, bound) in more.pop("intervals", {}).items()
    }
    fixed = {name: more.pop(name) for name in list(more) if name in OutsideCycle.__slots__}
    return replace(
        OutsideCycle(
            number,
            Outcome.SLEPT_AND_WOKE,
            OutsideState.S3,
            Actuator.BUTTON,
            None,
            None,
            None,
            intervals,
        ),
        **fixed,
    )


def figures(**values: float) -> tuple[Figure, ...]:
    return tuple(Figure(name, value) for name, value in values.items())


def test_what_the_os_does_not_report_before_a_sleep_is_what_is_left_of_the_way(record) -> None:
    whole = cycle(intervals={"TRIGGER_TO_SLP_S3": (2_000, 1)})
    told = record(sleep_ms=1_400, figures=figures(firmware_suspend_ms=30.4))

    # 50 +/- 50 ms to be accepted, and 25 +/- 25 of the firmware where nobody tells.
    assert ms(before_sleep(whole, record(sleep_ms=1_400), None)) == near(525, 1 + 1 + 50 + 25)
    assert ms(before_sleep(whole, told, None)) == near(520, 1 + 1 + 50 + 1)
    assert before_sleep(cycle(), record(), None) is None
    assert before_sleep(whole, record(sleep_ms=None), None) is None
    assert before_sleep(whole, record(bios_init_ms=None), None) is None
    assert before_sleep(replace(whole, hibernated_from_ns=5), record(), None) is None


@pytest.mark.parametrize(
    ("fields", "dozed"),
    [
        ({}, True),
        ({"wake_time_utc_ns": 59_500 * MS}, True),
        ({"kind": SleepKind.S3}, False),
        ({"wake_time_utc_ns": 59_499 * MS}, False),
        ({"wake_time_utc_ns": 60_501 * MS}, False),
        ({"wake_time_utc_ns": None}, False),
    ],
)
def test_nothing_is_hidden_where_a_standby_went_on_to_the_sleep(record, fields, dozed) -> None:
    whole = cycle(intervals={"TRIGGER_TO_SLP_S3": (2_000, 1)})
    standby = {"kind": SleepKind.MODERN_STANDBY, "wake_time_utc_ns": 60_000 * MS}
    own = record(sleep_ms=1_400, sleep_time_utc_ns=60_000 * MS)

    rest = before_sleep(whole, own, record(**(standby | fields)))

    assert rest == (None if dozed else before_sleep(whole, own, None))
    untimed = replace(own, sleep_time_utc_ns=None)
    assert before_sleep(whole, untimed, record(**standby)) is not None


def test_the_clock_stops_where_an_event_tells_or_after_sleepduration(record) -> None:
    stopped = figures(sleep_to_clock_stop_us=1_500_250.0)

    assert ms(sleep_to_stop(record(sleep_ms=1_400), USUAL_SLEW)) == near(1_400, 1)
    slewed_ms = 1_500.25 * (200e-6 + 1_960e-6)
    assert ms(sleep_to_stop(record(figures=stopped), USUAL_SLEW)) == near(
        1_500.25, 0.001 + slewed_ms
    )
    stepped = (*stopped, *figures(clock_steps=1))
    assert ms(sleep_to_stop(record(sleep_ms=1_400, figures=stepped), USUAL_SLEW)) == near(1_400, 1)
    assert sleep_to_stop(record(sleep_ms=None), USUAL_SLEW) is None


def test_a_way_to_sleep_bounds_it_where_its_trigger_was_seen_and_the_os_reports_it(record) -> None:
    whole = cycle(intervals={"TRIGGER_TO_SLP_S3": (2_000, 1)})

    assert ms(way_to_sleep(whole, record(sleep_ms=1_400))) == (2_000, 1)
    assert way_to_sleep(cycle(), record()) is None
    assert way_to_sleep(whole, record(sleep_ms=None)) is None
    assert ms(firmware_suspend(record())) == (25, 25)


def jumped(record, jump_s: float = 30.0, **more) -> OsRecord:
    return record(figures=figures(clock_jump_us=jump_s * 1e6, **more.pop("also", {})), **more)


def test_how_long_the_os_was_away_is_its_clocks_jump(record) -> None:
    # 200 ppm of 30 s are 6 ms, and a step is known to 1 ms; what was slewed before is not known.
    assert ms(os_away(jumped(record), None, USUAL_SLEW)) == near(30_000, 1 + 6 + 500)
    assert ms(os_away(jumped(record, -30.0), None, USUAL_SLEW)) == near(-30_000, 1 + 6 + 500)
    assert os_away(jumped(record, bios_init_ms=None), None, USUAL_SLEW) is None
    assert os_away(jumped(record, also={"clock_steps": 1}), None, USUAL_SLEW) is None


def test_without_a_jump_the_os_was_away_from_sleep_to_waketime(record) -> None:
    slept = record(sleep_time_utc_ns=100 * S, sleep_ms=1_400, wake_time_utc_ns=132 * S, wake_ms=600)

    # 132 - 0.6 - 100 - 1.4 s; WakeTime is known to 15 + 1 ms, SleepDuration to 1, rates to 6.
    assert ms(os_away(slept, None, USUAL_SLEW)) == near(30_000, 16 + 1 + 6 + 500)
    later = replace(slept, figures=figures(clock_stepped_after_wake_us=8_000.0))
    assert ms(os_away(later, None, USUAL_SLEW)) == near(29_996, 16 + 4 + 1 + 5.9992 + 500)
    for lacking in ("sleep_time_utc_ns", "sleep_ms", "wake_time_utc_ns", "wake_ms"):
        assert os_away(replace(slept, **{lacking: None}), None, USUAL_SLEW) is None


@pytest.mark.parametrize(
    ("awake_s", "strayed_ms"),
    [
        (0, 0.0),
        (100, 100_000 * (200e-6 + 1_960e-6)),
        (-100, 100_000 * (200e-6 + 1_960e-6)),
        # A time service slews half a second at most.
        (1_000, 1_000_000 * 200e-6 + 500),
    ],
)
def test_awake_the_clock_strays_by_its_rate_and_what_is_slewed(
    record, awake_s: int, strayed_ms: float
) -> None:
    before = record(wake_time_utc_ns=5_000 * S)
    now = jumped(record, sleep_time_utc_ns=(5_000 + awake_s) * S)

    assert ms(os_away(now, before, USUAL_SLEW)) == near(30_000, 7 + strayed_ms)
    assert ms(os_away(now, replace(before, wake_time_utc_ns=None), USUAL_SLEW)) == near(
        30_000, 7 + 500
    )
    assert ms(os_away(jumped(record), before, USUAL_SLEW)) == near(30_000, 7 + 500)


def test_a_clock_that_was_set_between_is_counted_once(record) -> None:
    before = record(figures=figures(clock_stepped_after_wake_us=5_000.0))
    now = record(figures=figures(clock_stepped_us=70_000.0, clock_stepped_after_wake_us=9_000.0))

    assert stepped_ns(now, before) == (5 + 70 - 9) * MS
    assert stepped_ns(record(), record()) == 0
    assert stepped_ns(record(), None) == 0
    assert stepped_ns(record(figures=figures(clock_steps=1)), None) is None
    assert (
        os_away(jumped(record), before, USUAL_SLEW) is None
    )  # not known whether the RTC was set with it


def test_how_long_the_clock_ran_from_a_wake_to_the_next_sleep(record) -> None:
    woke = record(wake_time_utc_ns=100 * S, wake_ms=600)
    slept = record(sleep_time_utc_ns=110 * S, sleep_ms=1_400)
    stray = 12_000 * (200e-6 + 1_960e-6)

    # 110 + 1.4 - (100 - 0.6) s
    assert ms(os_ran(woke, slept, USUAL_SLEW)) == near(12_000, 16 + 1 + 1 + stray)
    exact = jumped(
        record, 30.0, sleep_time_utc_ns=68 * S, also={"sleep_to_clock_stop_us": 1_400_000.0}
    )
    assert ms(os_ran(exact, slept, USUAL_SLEW)) == near(12_000, 0.003 + 1 + 1 + stray)
    stepped = replace(slept, figures=figures(clock_stepped_us=2_000_000.0))
    assert ms(os_ran(woke, stepped, USUAL_SLEW))[0] == 10_000
    assert os_ran(replace(woke, wake_ms=None), slept, USUAL_SLEW) is None
    assert os_ran(woke, replace(slept, sleep_ms=None), USUAL_SLEW) is None
    assert os_ran(woke, replace(slept, sleep_time_utc_ns=None), USUAL_SLEW) is None


WIRED = frozenset({Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST})
UP = {"SLP_S3_TO_PWR_OK": (60, 1), "PWR_OK_TO_PLTRST": (50, 1)}


@pytest.mark.parametrize(
    ("intervals", "channels", "expected"),
    [
        (UP, WIRED, (110, 2)),
        (UP, WIRED - {Channel.SLP_S3}, (50, 1)),
        ({"PRESS_TO_PLTRST": (150, 2), "PRESS_TO_SLP_S3": (40, 1)}, WIRED, (110, 3)),
        ({"SLP_S3_TO_PWR_OK": (60, 1)}, WIRED, (550, 550)),
        ({"PRESS_TO_PLTRST": (150, 2)}, WIRED, (550, 550)),
        ({}, WIRED - {Channel.SLP_S3}, (550, 550)),
    ],
)
def test_the_power_sequence_is_as_well_known_as_the_wires_tell(intervals, channels, expected):
    assert ms(power_up(cycle(intervals=intervals, channels=channels))) == expected


def test_press_to_complete_adds_wires_firmware_and_os(record) -> None:
    pressed = cycle(intervals={"PRESS_TO_PLTRST": (150, 2)})

    assert ms(press_to_resume_complete(pressed, record(), RESET)) == near(1_160, 2 + 3 + 2)
    with_image = record(hiber_read_ms=2_000)
    assert ms(press_to_resume_complete(pressed, with_image, RESET)) == near(3_160, 2 + 3 + 3)
    assert press_to_resume_complete(cycle(), record(), RESET) is None
    for lacking in ("bios_init_ms", "driver_init_ms"):
        assert press_to_resume_complete(pressed, record(**{lacking: None}), RESET) is None
    assert press_to_resume_complete(pressed, None, RESET) is None


def test_light_after_complete_leaves_the_press_out(record) -> None:
    lit = cycle(intervals={"PLTRST_TO_LIGHT": (1_300, 5)})

    assert ms(light_after_complete(lit, record(), RESET)) == near(290, 5 + 3 + 2)
    assert light_after_complete(cycle(), record(), RESET) is None
    assert light_after_complete(lit, None, RESET) is None


def booted(record, main_ms=20_000.0, **values: float) -> OsRecord:
    parts = (Component(ComponentKind.PHASE, MAIN_PATH, "", main_ms),)
    return record(kind=SleepKind.BOOT, components=parts, figures=figures(**values))


def test_press_to_desktop_holds_both_moments_where_the_main_path_may_begin(record) -> None:
    pressed = cycle(intervals={"PRESS_TO_PLTRST": (150, 2)})

    def found(own: OsRecord) -> tuple[float, float] | None:
        return ms(press_to_desktop(pressed, own, RESET))

    loader = booted(record, start_os_image_ms=3_000.0)
    kernel = booted(record, start_os_image_ms=3_000.0, exit_boot_services_exit_ms=3_500.0)
    assert found(loader) == near(150 + 10 + 3_000 + 20_000, 2 + 3 + 1 + 1)
    assert found(kernel) == near(150 + 10 + 3_250 + 20_000, 2 + 3 + 250 + 1 + 1)
    early = booted(record, start_os_image_ms=3_000.0, exit_boot_services_exit_ms=2_000.0)
    assert found(early) == found(loader)
    assert found(booted(record)) is None
    assert found(replace(loader, components=())) is None
    assert found(replace(loader, kind=SleepKind.S3)) is None
    assert press_to_desktop(cycle(), loader, RESET) is None
    assert press_to_desktop(pressed, None, RESET) is None
    # A day is the longest part of a boot.
    day = 24 * 3_600_000.0
    assert found(booted(record, day, start_os_image_ms=1.0)) is not None
    assert found(booted(record, day + 1, start_os_image_ms=1.0)) is None
    assert found(booted(record, start_os_image_ms=day + 1)) is None
    assert found(booted(record, start_os_image_ms=1.0, exit_boot_services_exit_ms=day + 1)) is None


def norms(usual_ms: float = 300, unusual_ms: float | None = 60, bios_unusual_ms=60):
    def norm(median_ms: float, far_ms: float | None) -> Norm:
        return Norm(9, round(median_ms * MS), MS, None if far_ms is None else round(far_ms * MS))

    residuals, bios = {GROUP: norm(usual_ms, unusual_ms)}, {GROUP: norm(200, bios_unusual_ms)}
    return replace(norms_of([]), residuals=residuals, bios=bios)


def test_a_residual_is_held_against_what_is_usual_in_its_group(record) -> None:
    lit = cycle(intervals={"PLTRST_TO_LIGHT": (1_400, 5)})

    # 1400 - 1000 - 300; a median lies within the same bound.
    assert ms(unexplained(lit, record(), norms())) == near(100, 2 * (5 + 2))
    assert unexplained(cycle(), record(), norms()) is None
    assert unexplained(lit, None, norms()) is None
    assert unexplained(lit, record(kind=SleepKind.HYBRID), norms()) is None
    assert unexplained(replace(lit, wake_by=Actuator.LID), record(), norms()) is None


@pytest.mark.parametrize(
    ("value_ms", "bound_ms", "unusual_ms", "found"),
    [
        (61, 0, 60, True),
        (-61, 0, 60, True),
        (60, 0, 60, False),
        (51, 0, 10, True),
        (50, 0, 10, False),  # never below 50 ms
        (99, 100, 60, False),
        (101, 100, 60, True),
        (999, 0, None, False),
    ],
)
def test_what_is_unusual_is_beyond_bound_scatter_and_50_ms(
    value_ms, bound_ms, unusual_ms, found
) -> None:
    norm = Norm(9, 0, None, None if unusual_ms is None else unusual_ms * MS)

    assert is_unusual(BoundedNs(value_ms * MS, bound_ms * MS), norm) is found
    assert not is_unusual(BoundedNs(value_ms * MS, bound_ms * MS), None)


@pytest.mark.parametrize(
    ("bios_ms", "light_ms", "found"),
    [
        (100, 1_200 + 0, True),  # 100 ms short, and the light as ever
        (100, 1_200 + 33, True),  # they agree to a third
        (100, 1_200 - 26, False),
        (100, 1_200 - 25, True),
        (100, 1_200 + 50, True),
        (100, 1_200 + 51, False),
        (139, 1_200, True),
        (140, 1_200, False),  # not unusual for a BIOS
        (300, 1_200, True),
    ],
)
def test_a_bios_time_as_never_and_light_as_ever_are_one_cause(
    record, bios_ms: int, light_ms: int, found: bool
) -> None:
    own = record(bios_init_ms=bios_ms, driver_init_ms=700)
    lit = cycle(intervals={"PLTRST_TO_LIGHT": (light_ms, 0.5)})

    assert (hidden_by_light(lit, own, norms()) is not None) is found


def test_one_cause_needs_both_to_be_known(record) -> None:
    own, rest = record(bios_init_ms=100), BoundedNs(100 * MS, 0)
    bios, norm = Norm(9, 200 * MS, MS, 60 * MS), Norm(9, 0, MS, 60 * MS)

    assert of_one_cause(own, bios, rest, norm) is rest
    assert of_one_cause(own, None, rest, norm) is None
    assert of_one_cause(own, replace(bios, unusual_ns=None), rest, norm) is None
    assert of_one_cause(own, bios, None, norm) is None
    assert of_one_cause(own, bios, rest, None) is None
    assert of_one_cause(replace(own, bios_init_ms=None), bios, rest, norm) is None
    assert of_one_cause(own, bios, BoundedNs(150 * MS, 0), norm) is not None
    assert of_one_cause(own, bios, BoundedNs(151 * MS, 0), norm) is None
    assert of_one_cause(own, bios, BoundedNs(75 * MS, 0), norm) is not None
    assert of_one_cause(own, bios, BoundedNs(74 * MS, 0), norm) is None


def test_the_way_to_the_os_is_power_firmware_and_the_image(record) -> None:
    up = cycle(intervals=UP, channels=WIRED, awake_from_ns=5)

    assert ms(awake_to_os(up, record(), RESET)) == near(110 + 10 + 200, 2 + 3 + 1)
    image = record(kind=SleepKind.S4, hiber_read_ms=2_000)
    assert ms(awake_to_os(up, image, RESET)) == near(2_320, 2 + 3 + 1 + 1)
    assert awake_to_os(up, record(kind=SleepKind.S4), RESET) is None
    assert awake_to_os(up, record(bios_init_ms=None), RESET) is None
    assert awake_to_os(replace(up, awake_from_ns=None), record(), RESET) is None


def timed(number: int, woke_ms: int | None, asleep_ms: int | None, utc_ms=None, **more):
    outside = cycle(
        number,
        intervals=more.pop("intervals", {"ASLEEP": (5, 2)}),
        awake_from_ns=None if woke_ms is None else woke_ms * MS,
        asleep_from_ns=None if asleep_ms is None else asleep_ms * MS,
    )
    return TimedCycle(outside, None if utc_ms is None else BoundedNs(utc_ms * MS, MS))


@pytest.mark.parametrize(
    ("first", "second", "awake"),
    [
        (timed(1, 100, 0), timed(2, 900, 600), (500, 2)),
        (timed(1, None, 0), timed(2, 900, 600), None),
        (timed(1, 100, 0), timed(2, 900, None), None),
        (timed(1, 600, 0), timed(2, 900, 600), None),
        (timed(1, 100, 0), timed(2, 900, 600, intervals={}), None),
        # On the host's clock as long, to both bounds and the clocks' rates.
        (timed(1, 100, 0, 5_000), timed(2, 900, 600, 5_802), (500, 2)),
        (timed(1, 100, 0, 5_000), timed(2, 900, 600, 5_803), None),
        (timed(1, 100, 0, 5_000), timed(2, 900, 600, 5_798), (500, 2)),
        (timed(1, 100, 0, 5_000), timed(2, 900, 600, 5_797), None),
        (timed(1, 100, 0, 5_000), timed(2, 900, 600), None),
        (timed(1, 100, 0), timed(2, 900, 600, 5_800), None),
        (timed(1, 100, 0, 5_000), timed(2, None, 600, 5_800), None),
        (timed(1, 0, 0, 0), timed(2, 100_000, 600, 100_022), (600, 2)),
        (timed(1, 0, 0, 0), timed(2, 100_000, 600, 100_023), None),
    ],
)
def test_a_dut_is_awake_from_one_wake_to_the_next_sleep_on_one_clock(first, second, awake) -> None:
    found, last = awake_times([first, second])

    assert ms(found) == awake
    assert last is None


def low_high(span: Span) -> tuple[float, float]:
    return span.low_ns / MS, span.high_ns / MS


def test_what_a_wake_takes_closes_the_ring_of_clock_and_wires(record) -> None:
    slept = cycle(
        intervals=UP | {"ASLEEP": (29_000, 1), "TRIGGER_TO_SLP_S3": (1_500, 1)},
        channels=WIRED,
        awake_from_ns=5,
    )
    own = jumped(record, 30.0, sleep_ms=1_400, bios_init_ms=200)

    found = by_standing((slept, own), None, RESET, NO_SLEW)

    # Away 30000 +/- 1007, asleep 29000 +/- 1, power-up 110 +/- 2: 890 +/- 1010 are the clock's stop
    # to SLP_S3#, which is 0 to 1500 + 1 - 1400 + 1, and PLTRST# to the OS.
    assert low_high(found.stop) == (0, 102)
    assert low_high(found.to_os) == near(890 - 1_010 - 102, 890 + 1_010)
    # Of that, 10 +/- 3 pass to the TSC, 200 +/- 1 by the BIOS, 0 to 5 to the clock's start.
    assert low_high(found.hidden) == near(-222 - 13 - 201 - 5, 1_900 - 7 - 199)
    assert found.is_seen
    for lacking in (
        replace(own, kind=SleepKind.S4),
        replace(own, bios_init_ms=None),
        replace(own, figures=()),
    ):
        assert by_standing((slept, lacking), None, RESET, NO_SLEW) is None
    hybrid = replace(own, kind=SleepKind.HYBRID)
    assert by_standing((slept, hybrid), None, RESET, NO_SLEW) == found
    off = replace(slept, state=OutsideState.S4)
    assert by_standing((off, hybrid), None, RESET, NO_SLEW) is None
    assert by_standing((replace(slept, intervals={}), own), None, RESET, NO_SLEW) is None
    pwr_ok_alone = replace(slept, channels=WIRED - {Channel.SLP_S3})
    assert by_standing((pwr_ok_alone, own), None, RESET, NO_SLEW) is None


def test_what_a_wake_takes_is_the_wires_awake_time_less_the_clocks(record) -> None:
    first = cycle(1, intervals=UP, channels=WIRED, awake_from_ns=5)
    second = cycle(2, intervals=UP | {"TRIGGER_TO_SLP_S3": (1_500, 1)}, channels=WIRED)
    woke = record(wake_time_utc_ns=100 * S, wake_ms=600, bios_init_ms=200)
    slept = record(sleep_time_utc_ns=110 * S, sleep_ms=1_400)

    def found(after=slept, outside=second, slew=USUAL_SLEW):
        awake = BoundedNs(12_400 * MS, MS)
        return by_running((first, woke), (outside, after), awake, RESET, slew)

    # Awake 12400 +/- 1, the clock ran 12000 +/- 18 and what it strayed, power-up 110 +/- 2.
    strayed_ms = 12_000 * 2_160e-6
    assert low_high(found().to_os) == near(290 - 21 - strayed_ms - 102, 290 + 21 + strayed_ms)
    # A time service may slew it by 3.125 %, whoever started it.
    any_ms = 12_000 * (200e-6 + 31_250e-6)
    assert low_high(found(slew=ANY_SLEW).to_os) == near(290 - 21 - any_ms - 102, 290 + 21 + any_ms)
    assert found(replace(slept, kind=SleepKind.S4)) is None
    assert found(outside=replace(second, channels=WIRED - {Channel.SLP_S3})) is None
    assert found(replace(slept, sleep_ms=None)) is None


def test_where_nobody_saw_the_trigger_all_may_be_the_sleeps(record) -> None:
    slept = cycle(intervals=UP | {"ASLEEP": (29_000, 1)}, channels=WIRED, awake_from_ns=5)
    own = jumped(record, 30.0, sleep_ms=1_400, bios_init_ms=200)

    found = by_standing((slept, own), None, RESET, NO_SLEW)

    assert not found.is_seen
    assert found.to_os.is_open
    assert found.to_os.high_ns / MS == pytest.approx(890 + 1_010)
    assert low_high(wake_bounds((None, found), RESET, 200).to_os) == near(7, 1_900)


def ring(low_ms: float, high_ms: float, hidden=(-9_000, 9_000)) -> Ring:
    spans = [Span(round(a * MS), round(b * MS)) for a, b in ((low_ms, high_ms), hidden)]
    return Ring(*spans, Span(0, OPEN_NS), Span(0, OPEN_NS), is_seen=True)


def test_both_rings_together_leave_what_both_allow() -> None:
    found = wake_bounds((ring(100, 300), ring(200, 900)), RESET, 200)

    assert low_high(found.to_os) == (200, 300)
    # No BIOS takes less than no time, and it is after the TSC's start.
    assert low_high(found.hidden) == (-201, 9_000)
    assert low_high(wake_bounds((ring(-50, 300), None), RESET, 200).to_os) == (7, 300)
    assert wake_bounds((ring(100, 300), ring(301, 900)), RESET, 200) is None
    assert wake_bounds((ring(-900, 6), None), RESET, 200) is None
    assert wake_bounds((ring(0, 900, (-900, -202)), None), RESET, 200) is None
    assert wake_bounds((None, None), RESET, 200) is None


def test_the_longest_bios_time_is_all_that_nothing_else_took_to_a_second() -> None:
    # Less 10 - 3 ms to the TSC.
    assert longest_bios_ms(None, ring(0, 1_400), RESET) == 1_393
    assert longest_bios_ms(ring(0, 300), ring(0, 1_400), RESET) == 1_293
    assert longest_bios_ms(ring(0, 500), ring(0, 1_400), RESET) == 1_393
    assert longest_bios_ms(None, None, RESET) is None


def residual_ms(values, record, **more) -> list[tuple[OutsideCycle, OsRecord]]:
    return [
        (cycle(n, intervals={"PLTRST_TO_LIGHT": (1_000 + value, 1)}, **more), record())
        for n, value in enumerate(values)
    ]


def test_norms_are_of_each_group_without_ignored_ones_and_the_first_of_many(record) -> None:
    few = residual_ms([900, 100, 110, 105, 104, 103, 102, 101], record)
    many = residual_ms([900, *range(100, 108)], record)
    ignored = residual_ms([5_000] * 9, record, ignored=True)
    lid = residual_ms([200, 210, 220], record, wake_by=Actuator.LID)

    of_few = norms_of([*few, *ignored, *lid])
    of_many = norms_of(many)

    assert of_few.residuals[GROUP].n == 8
    assert of_few.residuals[SleepKind.S3, Actuator.LID, 0].median_ns == 210 * MS
    assert (of_many.residuals[GROUP].n, of_many.residuals[GROUP].median_ns) == (8, 103_500_000)
    assert of_many.bios[GROUP].median_ns == 200 * MS
    assert of_many.firmware_extra_ms == {0: 20.0}
    assert norms_of(lid[:2]).residuals == {}
    assert norms_of(lid[:2]).firmware_extra_ms == {}
    (rest,) = [each for each in usual_rests(of_few) if each.wake_by is Actuator.LID]
    assert (rest.kind, rest.n, rest.residual_ns, rest.spread_ns) == (
        SleepKind.S3,
        3,
        210 * MS,
        None,
    )


def test_what_a_platform_is_known_by_goes_before_the_campaign(record) -> None:
    known = Platform(residual=BoundedNs(77 * MS, 9 * MS), firmware_extra_ms=5.5)

    found = norms_of(residual_ms([100, 110, 120], record), known)

    assert found.residuals[GROUP] == Norm(0, 77 * MS, None, 9 * MS, is_given=True)
    assert found.learned[GROUP].median_ns == 110 * MS
    assert found.firmware_extra_ms == {0: 5.5}


@pytest.mark.parametrize("later_ms", [200, 400])
def test_a_campaign_that_falls_in_parts_has_norms_of_each(record, later_ms) -> None:
    """From cycle 10 on another BIOS reports 700 ms less, and the light comes as before."""
    before = [
        (cycle(n, intervals={"PLTRST_TO_LIGHT": (2_000 + n % 3, 1)}), record(bios_init_ms=900))
        for n in range(10)
    ]
    after = [
        (cycle(n, intervals={"PLTRST_TO_LIGHT": (2_000 + n % 3, 1)}), record(bios_init_ms=later_ms))
        for n in range(10, 22)
    ]

    found = norms_of([*before, *after])

    (change,) = found.levels
    moved_ns = (900 - later_ms) * MS
    assert (change.first_cycle, change.bios_ns, change.rest_ns) == (10, -moved_ns, moved_ns)
    assert change.light_stayed
    for pair, bios_ms in ((before[3], 900), (after[3], later_ms)):
        assert found.bios_of(*pair).median_ns == bios_ms * MS
        assert not is_unusual(unexplained(*pair, found), found.residual_of(*pair))
    assert norms_of(before).levels == ()


def test_a_light_that_moves_with_the_bios_time_is_another_part_and_no_contradiction(record) -> None:
    pairs = [
        (
            cycle(n, intervals={"PLTRST_TO_LIGHT": (2_000 - 700 * (n >= 10) + n % 3, 1)}),
            record(bios_init_ms=900 - 700 * (n >= 10)),
        )
        for n in range(22)
    ]

    (change,) = norms_of(pairs).levels

    assert (change.first_cycle, change.bios_ns, change.light_stayed) == (10, -700 * MS, False)


def test_a_spread_is_of_the_values_that_are_not_far_out() -> None:
    values = [0, 0, 2, -2, 2, -2, 4, -4, 4, -4, 1_000]

    norm = norm_of([value * MS for value in values])

    # 5 deviations, and 12 / 11 more of them: all but the last are near.
    assert norm.median_ns == 0
    assert norm.spread_ns == pytest.approx((80 / 9) ** 0.5 * MS, abs=1)


def test_records_are_before_and_after_one_another_within_their_source(record) -> None:
    one, two, other = (
        record(firmware_resume_count=4),
        record(firmware_resume_count=5),
        record(source=1),
    )
    lower = record(firmware_resume_count=1)
    started = record(figures=figures(os_started=1))
    history = history_of([one, two, lower, started, other], [])

    assert history.before(two) is one
    assert history.before(one) is history.before(other) is None
    assert history.follows(two, one)
    assert not history.follows(one, two)
    assert not history.follows(lower, two)  # the firmware began to count anew
    assert not history.follows(started, lower)


def test_averages_are_due_from_the_first_resume_on_without_a_gap(record) -> None:
    def counted(count, full_ms, source=0):
        return record(firmware_resume_count=count, firmware_resume_ms=full_ms, source=source)

    rows = [
        counted(3, 100),
        counted(1, 100),
        counted(2, 200),
        counted(4, 100),
        counted(5, 100),
        counted(1, 50),
        counted(2, None),
        counted(3, 70),
        counted(1, 10, source=1),
        counted(2, 30, source=1),
        counted(3, 20),
    ]
    history = history_of(rows, [])

    assert [history.average_due_ms(row) for row in rows] == [
        None, 100.0, 150.0, None, None, 50.0, None, None, 10.0, 20.0, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("apart_ms", "more", "doubled"),
    [
        (999, {}, True),
        (1_000, {}, False),
        (999, {"kind": SleepKind.HYBRID}, False),
        (999, {"source": 1}, False),
        (999, {"bios_init_ms": None}, False),
        (999, {"figures": figures(clock_steps=1)}, False),
    ],
)
def test_two_wakes_nearer_than_any_two_are_one_record_twice(record, apart_ms, more, doubled):
    one = record(wake_time_utc_ns=50 * S, wake_ms=850)
    other = record(wake_time_utc_ns=50 * S + apart_ms * MS, wake_ms=999, **more)
    history = history_of([one, other], [])

    assert (history.double_of(one) is other) is doubled
    assert (history.double_of(other) is one) is doubled


def test_a_clock_set_after_the_wake_may_bring_a_time_twice(record) -> None:
    stepped = figures(clock_stepped_after_wake_us=-1.0)
    one = record(wake_time_utc_ns=50 * S, figures=stepped)
    other, same = record(wake_time_utc_ns=50 * S, sleep_ms=7), record(wake_time_utc_ns=50 * S)

    assert history_of([one, other], []).double_of(one) is None
    # What is the same in all is the same record, whatever the clock did.
    assert history_of([one, same], []).double_of(one) is same


@pytest.mark.parametrize(
    ("factors", "ratio"),
    [
        ([1.25] * 8, 1.25),
        ([1.25] * 7, None),
        ([1.04] * 8, None),  # less than 5 % above is no tick
    ],
)
def test_a_counter_that_ticks_is_known_by_a_factor_of_eight_records(record, factors, ratio) -> None:
    pairs = [
        record(bios_init_ms=180 + 10 * n, firmware_resume_ms=round((180 + 10 * n) * factor))
        for n, factor in enumerate(factors)
    ]

    found = history_of([], pairs).firmware_ratio
    assert found == (None if ratio is None else pytest.approx(ratio, rel=0.01))
    constant = [replace(each, firmware_resume_ms=(each.bios_init_ms or 0) + 50) for each in pairs]
    assert history_of([], constant).firmware_ratio is None


def test_large_numbers_that_do_not_grow_are_no_uptime(record) -> None:
    def counts(first_ms: int, second_ms: int, awake_s: int = 40):
        records = [
            record(bios_init_ms=first_ms, wake_time_utc_ns=100 * S),
            record(
                bios_init_ms=second_ms,
                sleep_time_utc_ns=(100 + awake_s) * S,
                wake_time_utc_ns=(110 + awake_s) * S,
                sleep_ms=1_000,
            ),
        ]
        return history_of(records, []).keeps_counting

    assert counts(60_000, 60_000) is False
    assert counts(59_999, 60_000) is None
    assert counts(60_000, 110_000) is True
    assert counts(60_000, 101_000) is True
    assert counts(200, 200) is None
    assert counts(200, 200, awake_s=-200) is None
    assert counts(200, 200, awake_s=-10) is None, "a second wake at the same time is no growth"


@pytest.mark.parametrize(("far_ms", "counts"), [(29.6, True), (29.7, False)])
def test_what_is_farther_than_five_deviations_counts_in_no_spread(far_ms, counts) -> None:
    """Of 12 values whose median distance is 2 ms, 5 x 2 x 1.4826 x 2 ms is the limit: 29.652."""
    values = [0, 0, 1, -1, 2, -2, 2, -2, 2, -2, -3]

    norm = norm_of([round(value * MS) for value in [*values, far_ms]])

    near = [*values, *([far_ms] if counts else [])]
    assert norm.median_ns == 0
    squares = sum(value * value for value in near)
    assert norm.spread_ns == pytest.approx((squares / (len(near) - 1)) ** 0.5 * MS, abs=1)
