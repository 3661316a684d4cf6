"""Every term of a budget, with its half-width, distribution, scope and group.

Widths that are rounded up to 1/16 of an octave are asked for at powers of two, where they are
exact.
"""

from math import ceil, sqrt

import pytest

from resume_rig.model.budget import BudgetRow, Distribution, Evaluation, Scope
from resume_rig.model.channel import Actuator, Channel, WakeMeans
from resume_rig.model.edge import ClockExchange
from resume_rig.model.errors import ProtocolError, UsageError
from resume_rig.model.front_end import PathDelay
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.model.quantity import BoundedNs
from resume_rig.timing.budget import (
    CaptureStamps,
    StampFacts,
    bounce_row,
    budget_of,
    capture_rows,
    clock_row,
    command_rows,
    definition_row,
    delay_row,
    even_row,
    hidden_row,
    reported_row,
    shapes_of,
    stamp_rows,
    unknown_ramp_row,
    unproven_row,
)
from resume_rig.timing.clocks import VirtualClock
from resume_rig.timing.edge_uncertainty import IntervalBounds, Moment, TimedCommand
from resume_rig.timing.hull import ClockLimits, board_limits
from resume_rig.timing.light_budget import (
    LightDefinition,
    LightDoubt,
    LightEnd,
    light_delay_ns,
    light_end_of,
    light_rows,
)
from resume_rig.timing.relation import (
    BreakKind,
    ClockRelation,
    ExchangeSelection,
    RateCalibration,
    RateRange,
    calibrate,
    relate,
    round_div,
)
from resume_rig.timing.wall_clock import (
    WallClock,
    stated_discipline,
    w32time_discipline,
    wall_minus_host_ns,
)

from .conftest import PRIOR_FRONT_END

MS = 1_000_000
S = 1_000 * MS
FIRST, HALF, NINETY = LightDefinition
EVEN, NORMAL, PHASE = Distribution.RECTANGLE, Distribution.NORMAL, Distribution.PWM_PHASE


def brief(row: BudgetRow) -> tuple[str, int, int, Scope, str | None, int]:
    """Return the parts of a row that a sum depends on, and its name."""
    parts = row.name, row.half_width_ns, row.standard_ns, row.scope, row.group, row.correction_ns
    assert (row.evaluation is Evaluation.A) is (", measured" in row.name)
    return parts


def even(name: str, half_ns: int, scope=Scope.CYCLE, group: str | None = "=", correction_ns=0):
    standard_ns = ceil(half_ns / sqrt(3))
    return name, half_ns, standard_ns, scope, name if group == "=" else group, correction_ns


def test_a_stamp_has_what_the_board_states_and_half_a_tick() -> None:
    rows = stamp_rows(Channel.SLP_S3, False, StampFacts(1_001, 7_000, "gpio", delay_ns=300))

    assert [brief(row) for row in rows] == [
        even("stamp of SLP_S3# falling, gpio", 7_000, Scope.RIG, "stamp of SLP_S3# falling", 300),
        even("tick of SLP_S3# falling", 501),
    ]


@pytest.mark.parametrize(
    ("sd", "deviation", "half", "open_ns"),
    [(600, 2_000, 2_000, 1_200), (2_500, 2_000, 2_500, 1_200), (9, 5_000, 5_000, 0)],
)
def test_a_measured_latency_scatters_and_leaves_the_rest_to_the_rig(sd, deviation, half, open_ns):
    facts = StampFacts(1_000, 3_200, "gpio", sd, deviation, 2_300)

    scatter, left = (brief(row) for row in stamp_rows(Channel.PWR_OK, True, facts))

    name = "scatter of PWR_OK rising, measured"
    assert scatter == (name, half, sd, Scope.CYCLE, "stamp of PWR_OK rising", 2_300)
    name = "what the loop-back leaves open, PWR_OK rising"
    assert left == even(name, open_ns, Scope.RIG, "fixed: calibration of PWR_OK rising")


def test_a_front_end_is_one_error_of_the_rig_and_its_delay_is_subtracted() -> None:
    delay = PathDelay("path", ("PWR_OK",), True, 500, 90, 40, NORMAL, "", "", "a data sheet")

    name = "front end of PWR_OK rising"

    row = delay_row(name, delay, "table")

    assert brief(row) == (name, 90, 40, Scope.RIG, f"fixed: {name}", 500)
    assert (row.distribution, row.source) == (NORMAL, "table: path; a data sheet")
    ramp = unknown_ramp_row(Channel.PWR_OK, 90, "ATX")
    name = "length of PWR_OK's ramp"
    assert brief(ramp) == even(name, 90, Scope.CAMPAIGN, f"fixed: {name}")


@pytest.mark.parametrize(
    ("channel", "half_ns", "scope"),
    [
        (Channel.BUTTON, 20_000, Scope.RIG),
        (Channel.BUTTON, 20_001, Scope.CAMPAIGN),  # a finger is the DUT's, as it is set up
        (Channel.LID, 6_000_000, Scope.CAMPAIGN),
        (Channel.BACKLIGHT, 9, Scope.CAMPAIGN),
    ],
)
def test_a_definition_is_the_rigs_where_its_photomos_presses(channel, half_ns, scope) -> None:
    row = definition_row(channel, True, half_ns)

    assert brief(row) == even(f"{channel} rising edge definition", half_ns, scope)


@pytest.mark.parametrize(
    ("by", "word", "half_ns"),
    [
        (Actuator.KEYBOARD, "key press", 1_000_000),
        (Actuator.CONTACT, "closing of the contact", 1_200_000),
        (WakeMeans.LAN, "magic packet", 1_000_000),
    ],
)
def test_a_command_is_known_as_well_as_its_clock_and_its_way(by, word, half_ns) -> None:
    rows = [brief(row) for row in command_rows(by, 77)]

    assert rows == [
        even(f"when the DUT has the {word}", half_ns, group=f"command: {by}"),
        even(f"time of the {word} on the board's clock", 77, group=None),
    ]


@pytest.mark.parametrize(
    ("half_ns", "kept"), [(0, 0), (1, 10_000), (10_000, 10_000), (10_001, 20_000)]
)
def test_the_time_of_a_command_is_rounded_up_to_ten_microseconds(half_ns, kept) -> None:
    assert TimedCommand.within(WakeMeans.LAN, half_ns).clocks_half_ns == kept


def test_the_other_terms_are_as_wide_as_they_are_told() -> None:
    assert brief(bounce_row(5)) == even("bounces of its edges", 5, group=None)
    clock = clock_row(30_000, -2 * S, "info", Scope.RIG)
    assert brief(clock) == even("timebase tolerance, 30 ppm", 60_000, Scope.RIG, "timebase")
    name = "BIOS resolution, 1 ms"
    assert brief(reported_row("BIOS", MS)) == even(name, MS, Scope.CAMPAIGN, None)
    name = "unobserved: PLTRST# to TSC start"
    assert brief(hidden_row(7, "x")) == even(name, 7, Scope.CAMPAIGN, None)
    # It counts in the bound alone.
    assert (unproven_row(7).half_width_ns, unproven_row(7).standard_ns) == (7, 0)


@pytest.mark.parametrize(
    ("channel", "stamps", "expected"),
    [
        (Channel.SLP_S3, CaptureStamps(1_001), {"sampling": 501, "threshold": 1_000}),
        (Channel.PWR_OK, CaptureStamps(1_000), {"sampling": 500, "threshold": 101_000}),
        (
            Channel.SLP_S3,
            CaptureStamps(1_500, 1_000),
            {"sampling": 750, "last digit": 500, "threshold": 1_000},
        ),
        (Channel.SLP_S3, CaptureStamps(2_000, 1_000), {"sampling": 1_000, "threshold": 1_000}),
        (Channel.BUTTON, CaptureStamps(10_000), {"sampling": 5_000, "threshold": 1_000}),
        (
            Channel.LID,
            CaptureStamps(10_001),
            {"sampling": 5_001, "bounces": 6_200_000, "threshold": 1_000},
        ),
    ],
)
def test_a_capture_has_its_steps_digits_bounces_and_threshold(channel, stamps, expected) -> None:
    rows = list(capture_rows(channel, True, stamps))

    assert {row.name: row.half_width_ns for row in rows} == {
        name: expected[key]
        for row in rows
        for key in expected
        for name in [row.name]
        if name.startswith(key)
    }
    assert len(rows) == len(expected)
    assert [row.scope for row in rows] == [Scope.CYCLE] * (len(rows) - 1) + [Scope.RIG]
    assert all(row.group == row.name for row in rows)


def test_rows_of_one_group_are_one_error() -> None:
    rows = (
        even_row("a", "", 300, group="g"),
        even_row("b", "", 100, group="g"),
        even_row("c", "", 50),
    )
    minus = BudgetRow("d", "", Evaluation.B, EVEN, 100, 58, sensitivity=-1, group="g")

    one, alone = shapes_of(rows)
    less, _ = shapes_of((*rows, minus))

    assert (one.half_width_ns, one.standard_ns, alone.half_width_ns) == (400, 174 + 58, 50)
    assert (less.half_width_ns, less.standard_ns) == (300, 174)


def test_a_budget_keeps_what_is_not_zero() -> None:
    rows = [even_row("a", "", 300), even_row("b", "", 0)]

    ours = budget_of("x", 5, rows)
    others = budget_of("x", 5, rows, is_evaluated=False, note="n")

    assert [row.name for row in ours.rows] == ["a"]
    assert (ours.bound_ns, ours.expanded_ns, ours.standard_ns) == (300, 285, 174)
    assert (others.expanded_ns, others.note) == (300, "n")
    assert budget_of("x", 5, []).expanded_ns == 0


def onset(**more) -> LightOnset:
    return LightOnset(OnsetState.OK, **more)


FADE = {"first_ns": 0, "half_ns": 9_000_000, "ninety_ns": 13_421_772}  # 0.8 of 2^24 ns


def test_an_onset_tells_its_ramp_its_dark_time_and_its_points() -> None:
    told = onset(**FADE, resolution_ns=20_000, pwm_uncertainty_ns=605_395, duty=0.51)

    end = light_end_of(told, HALF)

    assert end.ramp_ns == 2**24  # from 10 to 90 % is 0.8 of it
    assert end.pwm_half_ns == 2**20  # the board states it divided by sqrt(3)
    assert (end.resolution_ns, end.duty, end.level_ns) == (20_000, 33 / 64, None)
    plain = light_end_of(onset(), HALF)
    assert plain == LightEnd(HALF, 0, 10_000_000, 0, 1.0, None, 0, 0, 0)


def test_what_blocks_show_goes_before_what_the_onset_says() -> None:
    told = onset(**FADE, resolution_ns=20_000, base_counts=0, level_counts=1_000, sigma_counts=9)

    end = light_end_of(told, HALF, LightDoubt(2**20, 2**18))
    points = light_end_of(told, HALF, LightDoubt(0, 0, resolution_ns=MS))

    assert (end.level_ns, end.ambient_ns, end.resolution_ns) == (2**20, 2**18, 20_000)
    assert points.resolution_ns == MS


@pytest.mark.parametrize(
    ("definition", "counts", "ambient_ns"),
    [
        # On a ramp of 2^24 ns: 1.5 sigma, and 3 of a lone sample, as a share of the rise.
        (HALF, (100, 1_124, 64), 1.5 * 64 / 1_024 * 2**24),
        (FIRST, (100, 1_124, 64), 3 * 64 / 1_024 * 2**24),
        (HALF, (100, 100, 64), 0),
        (HALF, (100, 101, 0), 0),
        (HALF, (None, 1_124, 64), 0),
        (HALF, (100, None, 64), 0),
        (HALF, (100, 1_124, None), 0),
    ],
)
def test_the_baselines_scatter_moves_a_moment(definition, counts, ambient_ns) -> None:
    base, level, sigma = counts
    told = onset(**FADE, base_counts=base, level_counts=level, sigma_counts=sigma)

    found = light_end_of(told, definition).ambient_ns

    assert ambient_ns <= found <= ambient_ns * 1.045


@pytest.mark.parametrize(
    ("half_ms", "ninety_ms", "half_ns", "ninety_ns", "late_ns"),
    [
        # A step: averaged over 1 ms it reaches 50 % within 0.08 of that, 90 % 0.4 of it late.
        (5.0, 5.0, 80_000, 200_000 + 15_000, 200_000),
        # A fade of 10 ms from 50 to 90 % is moved by its curvature alone.
        (5.0, 15.0, 0.08 * 0.1 * MS, 0.16 * 0.1 * MS, 0),
    ],
)
def test_the_moving_average_moves_t_50_and_t_90(half_ms, ninety_ms, half_ns, ninety_ns, late_ns):
    told = onset(first_ns=0, half_ns=round(half_ms * MS), ninety_ns=round(ninety_ms * MS))

    half, ninety = light_end_of(told, HALF), light_end_of(told, NINETY)

    assert half_ns <= half.average_ns <= half_ns * 1.12
    assert half.late_ns == 0
    assert ninety_ns <= ninety.average_ns <= ninety_ns * 1.12
    assert late_ns <= ninety.late_ns <= late_ns * 1.045


def test_two_points_show_no_fade() -> None:
    told = {"first_ns": 0, "half_ns": 5 * MS, "ninety_ns": 7 * MS}
    near = light_end_of(onset(**told, resolution_ns=1_000_001), NINETY)
    enough = light_end_of(onset(**told, resolution_ns=MS), NINETY)

    assert near.late_ns >= 200_000
    assert enough.late_ns == 0


def test_a_moment_that_lacks_is_moved_by_nothing() -> None:
    assert light_end_of(onset(first_ns=0, ninety_ns=5), HALF).average_ns == 0
    assert light_end_of(onset(first_ns=0, half_ns=5), NINETY).average_ns == 0


def pwm(hz: float, duty: float, **more) -> LightOnset:
    dark_ns = (1 - duty) * 1e9 / hz
    return onset(pwm_hz=hz, duty=duty, pwm_uncertainty_ns=round(dark_ns / sqrt(12)), **more)


@pytest.mark.parametrize(("duty", "missed"), [(0.039, True), (0.041, False)])
def test_light_parts_shorter_than_two_samples_may_be_missed(duty: float, missed: bool) -> None:
    """At 1 kHz, sampled each 20 us, first light alone: a period more, and half the dark time."""
    told = pwm(1_000.0, duty, first_ns=0, resolution_ns=20_000)

    end = light_end_of(told, FIRST)

    # Edges may take what is left of half a period.
    edges_ns = 0.5e6 - (1 - duty) * 0.5e6
    expected_ns = (1e6 if missed else 0) + edges_ns
    assert expected_ns * 0.9 <= end.average_ns <= expected_ns * 1.1 + 50
    assert end.late_ns - end.average_ns == end.pwm_half_ns


def test_without_pwm_the_first_light_waits_for_nothing() -> None:
    end = light_end_of(onset(first_ns=0, resolution_ns=20_000), FIRST)

    assert (end.average_ns, end.late_ns) == (0, 0)


@pytest.mark.parametrize(("hz", "gap"), [(1_000.0, False), (1_015.0, False), (1_017.0, True)])
def test_of_several_periods_a_level_may_be_reached_in_the_next(hz: float, gap: bool) -> None:
    """The board averages over whole periods, 63/64 ms or more: from 1015.87 Hz on two of them."""
    told = pwm(hz, 0.5, first_ns=0, half_ns=5 * MS, ninety_ns=55 * MS)

    end = light_end_of(told, HALF)

    assert (end.average_ns > 200_000) is gap


def test_light_has_a_row_for_each_of_its_terms() -> None:
    end = LightEnd(HALF, 20_001, 8 * MS, 1_000, 0.25, None, 77, 99, 11)

    rows = {row.name: row for row in light_rows(end, PRIOR_FRONT_END)}

    amplifier = PRIOR_FRONT_END.named("photodiode-t50")
    assert [brief(row) for row in rows.values()] == [
        even("sampling of t_50", 10_001),
        (
            "noise of converter and amplifier at t_50",
            12_000,
            4_000,
            Scope.CYCLE,
            "noise of converter and amplifier at t_50",
            0,
        ),
        (
            "amplifier at t_50",
            amplifier.half_width_ns,
            amplifier.standard_ns,
            Scope.RIG,
            "fixed: amplifier at t_50",
            amplifier.value_ns,
        ),
        # 5 % of the level, half way up a ramp of 8 ms
        even("settled level at t_50, ramp 8.00 ms", 200_000, Scope.CAMPAIGN),
        even("ambient light and noise at t_50", 77),
        even("moving average at t_50", 99, Scope.CAMPAIGN, "=", 11),
        (
            "phase of the PWM, duty 0.25",
            1_000,
            ceil(1_000 * sqrt(1.5 / 3)),
            Scope.CYCLE,
            "phase of the PWM, duty 0.25",
            0,
        ),
    ]
    assert rows["phase of the PWM, duty 0.25"].at_ends == 0.25
    assert light_delay_ns(end, PRIOR_FRONT_END) == 11 + amplifier.value_ns
    assert light_delay_ns(end, None) == 11
    told = [row.name for row in light_rows(end._replace(level_ns=5, definition=FIRST), None)]
    assert "settled level at t_first" in told
    assert "edges of light parts, and light parts between samples at t_first" in told
    assert not any(name.startswith("amplifier") for name in told)


@pytest.mark.parametrize(
    ("tolerance", "hz", "drift", "tick"),
    [
        (30_000, 1_000_000, 100, 1_000),
        (200_000, 1_000_000, 100, 1_000),
        (200_001, 1_000_000, 200_001, 1_000),  # no crystal states so much
        (30_000, 32_768, 100, 30_518),
        (30_000, 84_000_000, 100, 1_000),
        (30_000, 0, 100, S),
    ],
)
def test_what_is_assumed_of_a_boards_clock(tolerance, hz, drift, tick) -> None:
    limits = board_limits(tolerance, hz)

    assert limits == ClockLimits(tolerance + 100_000, drift, tick)


@pytest.mark.parametrize("wrong", [(-1, 0, 0), (10**9, 0, 0), (5, -1, 0), (5, 0, -1)])
def test_limits_that_are_none_are_refused(wrong) -> None:
    with pytest.raises(UsageError, match="allowed are 0 to 999999999 ppb"):
        ClockLimits(*wrong)
    assert ClockLimits(999_999_999, 0, 0).rate == pytest.approx(999_999_999)
    assert ClockLimits(0, 1_000).drift == 1e-15


@pytest.mark.parametrize(
    ("ppb", "known"), [(0, True), (100_000, True), (100_001, False), (-1, False)]
)
def test_a_stated_rate_of_the_host_is_one_that_a_calibration_can_use(ppb: int, known: bool) -> None:
    if known:
        assert stated_discipline(ppb).rate_ppb == ppb
        assert stated_discipline(ppb).synchronised
    else:
        with pytest.raises(UsageError, match="allowed is 0 to 100000 ppb"):
            stated_discipline(ppb)


STATUS = (
    b"Leap Indicator: %d(x)\r\nStratum: %d (y)\r\nPrecision: -23\r\nRoot: 1\r\n"
    b"ReferenceId: 0x%b (source IP)\r\nLast: 2\r\n"
)


@pytest.mark.parametrize(
    ("status", "synchronised", "says"),
    [
        (STATUS % (0, 3, b"C0A80101"), None, "synchronises"),
        (STATUS % (3, 3, b"C0A80101"), False, "has no source"),
        (STATUS % (0, 0, b"C0A80101"), False, "has no source"),
        (STATUS % (0, 1, b"4c4f434c"), False, "has no source"),
        (STATUS % (0, 1, b"00000000"), False, "has no source"),
        (b"error: (0x80070426)", False, "does not run"),
        (b"", None, "does not report"),
        (STATUS.partition(b"Reference")[0] % (0, 3), None, "does not report"),
        (b"a\nb\nc\nd\n0x12345678\ne\n", None, "does not report"),
    ],
)
def test_the_windows_time_service_is_read_by_its_numbers(status, synchronised, says) -> None:
    found = w32time_discipline(status)

    assert found.synchronised is synchronised
    assert says in found.source


class Readings:
    """A clock whose readings take these times."""

    tick_ns = 0

    def __init__(self, *took_ns: int) -> None:
        self._took, self.asked, self._at = [*took_ns], 0, 0

    def now_ns(self) -> int:
        if self.asked % 2 == 1:
            self._at += self._took[min(self.asked // 2, len(self._took) - 1)]
        self.asked += 1
        return self._at

    def utc_ns(self) -> int:
        return self._at + 1_000_000

    def sleep_ns(self, duration_ns: int) -> None:
        raise AssertionError


@pytest.mark.parametrize(
    ("took", "readings", "expected"),
    [
        ((2_000,), 1, 999_000),
        ((2_001, 9_000, 500), 3, 999_750),
        ((9_000, 3_000, *[9_000] * 40), 32, 998_500),
    ],
)
def test_wall_time_is_read_by_the_quickest_of_some_readings(took, readings, expected) -> None:
    clock = Readings(*took)

    assert wall_minus_host_ns(clock) == expected
    assert clock.asked == 2 * readings


def test_the_wall_clock_is_stepped_where_no_rate_explains_it() -> None:
    # 600 ppm of a second, and 10 us of either reading.
    rate_ns = S * 600_000 // (10**9 - 600_000)

    def steps(moved_ns: int) -> int:
        wall = WallClock()
        wall.add(0, 5 * S)
        wall.add(S, 5 * S + moved_ns)
        return wall.steps

    assert [steps(sign * (rate_ns + 20_000)) for sign in (1, -1)] == [0, 0]
    assert [steps(sign * (rate_ns + 20_003)) for sign in (1, -1)] == [1, 1]
    assert WallClock().steps == 0


def test_each_side_of_a_step_has_its_own_wall_time() -> None:
    wall = WallClock()
    for host_s in range(4):
        wall.add(host_s * S, 5 * S if host_s < 2 else 9 * S)

    before = wall.to_utc_ns(BoundedNs(S, 3), S)
    after = wall.to_utc_ns(BoundedNs(2 * S, 3), 2 * S)

    assert before.value_ns == pytest.approx(6 * S, abs=10_001)
    assert after.value_ns == pytest.approx(11 * S, abs=10_001)
    assert 10_000 <= before.bound_ns <= 10_010
    assert wall.to_utc_ns(BoundedNs(S, 3), -1).value_ns == before.value_ns


@pytest.mark.parametrize(
    ("value", "divisor", "rounded"),
    [(7, 2, 4), (5, 2, 3), (-5, 2, -2), (4, 3, 1), (5, 3, 2), (0, 9, 0)],
)
def test_integers_are_rounded_to_the_nearest(value: int, divisor: int, rounded: int) -> None:
    assert round_div(value, divisor) == rounded


def test_a_duration_is_corrected_by_a_measured_rate_and_keeps_its_bound() -> None:
    fast = RateCalibration(100_000, 5, "NTP")

    found = fast.corrected(BoundedNs(10**9, 7))

    assert (found.value_ns, found.bound_ns) == (round(1e9 / (1 + 1e-4)), 7)


STEADY = RateRange(-1e-6, 1e-6, True)


@pytest.mark.parametrize(
    ("board", "wall", "wall_ppb", "tolerance", "expected"),
    [
        # 1000 ppb of the board's range, as much of the wall's, and 500 of its own error.
        (STEADY, STEADY, 500, 30_000, (0, 2_501)),
        (RateRange(-21e-6, -19e-6, True), STEADY, 0, 30_000, (20_000, 2_001)),
        (STEADY, STEADY, 500, 2_500, None),  # no better than what the board states
        (STEADY, STEADY, 500, 2_600, (0, 2_501)),
        (RateRange(-1e-6, 1e-6, False), STEADY, 0, 30_000, None),
        (STEADY, RateRange(-1e-6, 1e-6, False), 0, 30_000, None),
        (RateRange(-50e-6, -48e-6, True), STEADY, 0, 30_000, None),  # beyond what it may be
        (RateRange(-30e-6, -28e-6, True), STEADY, 0, 30_000, (28_500, 1_501)),
    ],
)
def test_a_calibration_holds_both_clocks_and_what_the_board_states(
    board, wall, wall_ppb, tolerance, expected
):
    found = calibrate(board, wall, wall_ppb=wall_ppb, tolerance_ppb=tolerance, source="NTP")

    if expected is None:
        assert found is None
    else:
        assert (found.rate_ppb, found.bound_ppb) == (
            pytest.approx(expected[0], abs=2),
            pytest.approx(expected[1], abs=2),
        )


def test_a_virtual_clock_moves_by_waiting_alone() -> None:
    clock = VirtualClock(7)
    clock.sleep_ns(5)
    clock.sleep_ns(0)
    clock.sleep_ns(-5)

    assert (clock.now_ns(), clock.utc_ns(), clock.tick_ns) == (5, 12, 0)
    clock.sleep_ns(1)
    assert clock.now_ns() == 6


def test_who_watches_intervals_is_told_of_each_with_its_ends() -> None:
    seen = []
    bounds = IntervalBounds(rate_ppb=0, witness=lambda *told: seen.append(told))
    ends = Moment(Channel.SLP_S3, 0), Moment(Channel.PLTRST, 5)

    found = bounds.between(*ends)

    assert seen == [(bounds, *ends, found)]


def related(*hosts_ms: float, boards_ms=None, tolerance=0) -> ClockRelation:
    """Return the relation of exchanges that take no time, board beside host."""
    pairs = zip(hosts_ms, boards_ms or hosts_ms, strict=True)
    exchanges = [
        ClockExchange(*[round(each * MS) for each in (host, board, board, host)])
        for host, board in pairs
    ]
    return relate(exchanges, ClockLimits(tolerance, 0, 1))


@pytest.mark.parametrize(
    ("moved_ms", "kind"),
    [
        (0.0, None),
        (9.9, BreakKind.RATE),  # less than a thousandth of the 10 s between
        (10.2, BreakKind.HOST_STOOD_STILL),
        (-9.9, BreakKind.RATE),
        (-10.2, BreakKind.BOARD_STOOD_STILL),
    ],
)
def test_clocks_that_part_by_a_thousandth_stood_still(moved_ms: float, kind) -> None:
    relation = related(0, 1_000, 11_000, boards_ms=[0, 1_000, 11_000 + moved_ms])

    assert [each.kind for each in relation.breaks] == ([] if kind is None else [kind])
    if kind is not None:
        (found,) = relation.breaks
        assert (found.after_ns, found.before_ns) == (1_000 * MS, round((11_000 + moved_ms) * MS))
        assert abs(found.size_ns - abs(moved_ms) * MS) <= 2


def test_a_board_time_that_two_segments_hold_is_none() -> None:
    """The board stood still, and was reset later: its clock showed 5 s twice."""
    hosts = [0, 1_000, 2_000, 10_000, 20_000, 30_000]
    boards = [0, 1_000, 4_000, 12_000, 3_000, 13_000]

    relation = related(*hosts, boards_ms=boards)

    assert [each.kind for each in relation.breaks] == [
        BreakKind.HOST_STOOD_STILL,
        BreakKind.BOARD_RESET,
    ]
    assert relation.to_host_ns(5_000 * MS) is None
    assert relation.to_host_ns(500 * MS).value_ns == 500 * MS
    assert relation.to_host_ns(12_500 * MS).value_ns == 29_500 * MS
    assert relation.to_board_ns(5_000 * MS).value_ns == 7_000 * MS
    assert relation.to_board_ns(1_500 * MS) is None
    assert relation.rates(500 * MS, 12_500 * MS) is None
    assert relation.rates(400 * MS, 900 * MS) is not None


def test_a_board_that_began_anew_or_a_host_that_did_is_a_break_without_a_size() -> None:
    reset = related(0, 1_000, boards_ms=[5_000, 4_999.999999])
    assert [(each.kind, each.size_ns) for each in reset.breaks] == [(BreakKind.BOARD_RESET, 0)]
    exchanges = [ClockExchange(5 * S, 0, 0, 5 * S), ClockExchange(4 * S, 10, 10, 4 * S)]
    relation = ClockRelation(ClockLimits(0, 0, 1))
    assert relation.add(exchanges[0]) is None
    assert relation.add(exchanges[1]).kind is BreakKind.HOST_RESTARTED


def test_an_exchange_in_which_the_host_stood_still_bounds_nothing() -> None:
    """The board took 100 ms to answer, and the host saw 40 pass."""
    relation = ClockRelation(ClockLimits(0, 0, 1))
    relation.add(ClockExchange(0, 0, 0, 0))

    found = relation.add(ClockExchange(S, S, S + 100 * MS, S + 40 * MS))

    assert (found.kind, found.after_ns, found.before_ns) == (
        BreakKind.HOST_STOOD_STILL,
        S,
        S + 100 * MS,
    )
    assert found.size_ns == 60 * MS - 2
    assert relation.add(ClockExchange(2 * S, 2 * S, 2 * S, 2 * S)) is None
    assert len(relation.segments) == 2
    assert relation.to_host_ns(S + 50 * MS) is None


@pytest.mark.parametrize(("count", "kept"), [(1, 1), (2, 2), (9, 8)])
def test_segments_beyond_the_newest_are_forgotten(count: int, kept: int) -> None:
    relation = related(*[1_000 * n for n in range(9)], boards_ms=[2_000 * n for n in range(9)])
    assert len(relation.segments) == 9

    relation.keep_newest(count)

    assert (len(relation.segments), len(relation.breaks)) == (count, min(count, kept))
    assert relation.to_host_ns(16_000 * MS).value_ns == 8_000 * MS


def test_the_exchanges_that_are_kept_are_at_both_ends_of_each_of_eight_segments() -> None:
    selection = ExchangeSelection(ClockLimits(0, 0, 1))
    for n in range(12):
        for part in (0, 100):
            host, board = (1_000 * n + part) * MS, (5_000 * n + part) * MS
            selection.add(ClockExchange(host, board, board, host))

    kept = selection.kept()

    # The first four segments, and the last four.
    assert [each.host_tx_ns // MS for each in kept] == [
        1_000 * n + part for n in (0, 1, 2, 3, 8, 9, 10, 11) for part in (0, 100)
    ]
    assert selection.kept() is kept
    selection.add(ClockExchange(20 * S, 90 * S, 90 * S, 20 * S))
    assert selection.kept()[-1].host_tx_ns == 20 * S


def test_a_reply_before_its_request_is_refused() -> None:
    for wrong in (ClockExchange(0, 5, 4, 9), ClockExchange(9, 4, 5, 8)):
        with pytest.raises(ProtocolError, match="a reply comes after its request"):
            relate([wrong], ClockLimits(0, 0, 1))
