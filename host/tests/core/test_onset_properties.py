"""The core's light onset against its numpy oracle, and against any samples at all."""

from dataclasses import replace

import cbor2
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from onset_core import Analyser
from onset_oracle import measure
from onset_panels import BEATING, PANELS, RATE_HZ, Panel, take
from resume_rig._core import lib

SAMPLE_NS = 1_000_000_000 // RATE_HZ
START_NS = 7_000_000_123
S = 1_000_000_000
NEVER = 2**64 - 1


@pytest.mark.parametrize("panel", [*PANELS, BEATING], ids=lambda panel: panel.name)
@pytest.mark.parametrize("seed", range(3))
def test_the_core_measures_what_the_oracle_measures(panel: Panel, seed: int) -> None:
    shot = take(panel, default_rng(seed))

    found = Analyser().measure(shot.counts, START_NS)
    wanted = measure(shot.counts, RATE_HZ)

    assert found.state == lib.RIG_ONSET_OK
    for t_ns, t_s in (
        (found.first_ns, wanted.first_s),
        (found.half_ns, wanted.half_s),
        (found.ninety_ns, wanted.ninety_s),
    ):
        assert t_ns - START_NS == pytest.approx(t_s * 1e9, abs=SAMPLE_NS)
    assert found.base_q8 / 256 == pytest.approx(wanted.base, abs=0.01)
    assert found.sigma_q8 / 256 == pytest.approx(wanted.sigma, abs=0.01)
    assert found.level_q8 / 256 == pytest.approx(wanted.level, rel=0.01)
    # Near half the rate the samples beat with the PWM, and each side counts that in its own way.
    assert found.pwm_mhz / 1e3 == pytest.approx(wanted.pwm_hz, rel=0.01 if panel.detune else 1e-3)
    assert found.duty_ppm / 1e6 == pytest.approx(wanted.duty, abs=0.06 if panel.detune else 0.01)


# Mean, standard deviation and greatest error in us that each panel may have, for t_first and t_50,
# from a simulation of 120 trials; benchmarks/light_onset.py shows as many of this one beside them.
# The panel that restarts is early by (1 - D) T / 2 = 2045 us, by the definition of t_50.
LIMITS_US = {
    "DC, 1 ms soft start": ((113, 6, 126), (13, 6, 23)),
    "DC, 10 ms soft start": ((1019, 16, 1051), (14, 6, 28)),
    "PWM 25 kHz 50 %": ((120, 10, 146), (8, 6, 21)),
    "PWM 1 kHz 50 %": ((270, 180, 643), (4, 150, 261)),
    "PWM 1 kHz 10 %": ((568, 303, 1040), (33, 249, 459)),
    "PWM 220 Hz 50 %": ((725, 776, 2396), (64, 913, 1167)),
    "PWM 220 Hz 10 %, free-running": ((2124, 1210, 4188), (39, 1186, 2045)),
    "PWM 220 Hz 10 %, restarts": ((23, 6, 33), (2045, 6, 2050)),
    "OLED 240 Hz 90 %": ((47, 74, 346), (1, 198, 235)),
    "DC + 2 % ambient 100 Hz": ((114, 8, 133), (14, 7, 27)),
}
TRIALS = 24


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.name)
def test_errors_against_the_truth_are_within_the_limits(panel: Panel) -> None:
    errors_us = []
    for seed in range(TRIALS):
        shot = take(panel, default_rng((1, seed)))
        found = Analyser().measure(shot.counts)
        assert found.state == lib.RIG_ONSET_OK
        truths_s = (shot.enable_s, shot.half_s)
        errors_us.append(
            [
                t_ns / 1e3 - truth_s * 1e6
                for t_ns, truth_s in zip((found.first_ns, found.half_ns), truths_s, strict=True)
            ]
        )

    for errors, (mean, deviation, greatest) in zip(
        np.transpose(errors_us), LIMITS_US[panel.name], strict=True
    ):
        assert abs(errors.mean()) <= mean + 3 * deviation / np.sqrt(TRIALS)
        assert errors.std() <= 1.4 * deviation
        assert abs(errors).max() <= 1.1 * greatest + 1


def test_pwm_and_its_uncertainty_are_reported_and_cover_the_error() -> None:
    panel = replace(PANELS[6], pwm_hz=231.7, duty=0.3)
    errors_ns = []
    for seed in range(TRIALS):
        shot = take(panel, default_rng((2, seed)))
        found = Analyser().measure(shot.counts)
        assert found.pwm_mhz / 1e3 == pytest.approx(231.7, rel=1e-3)
        assert found.duty_ppm / 1e6 == pytest.approx(0.3, abs=0.005)
        assert found.pwm_uncertainty_ns == pytest.approx(0.7 / 231.7 / 12**0.5 * 1e9, rel=0.01)
        errors_ns.append(found.half_ns - shot.half_s * 1e9)
    assert np.std(errors_ns) <= 1.4 * found.pwm_uncertainty_ns


def test_a_panel_that_stays_dark_is_never_seen() -> None:
    dark = replace(PANELS[9], white=0.0)
    for seed in range(TRIALS):
        shot = take(dark, default_rng((3, seed)), length_s=2.0)
        assert Analyser().measure(shot.counts).state == lib.RIG_ONSET_NO_LIGHT


@settings(max_examples=40, deadline=None)
@given(
    rate_hz=st.sampled_from([1_000, 2_000, 8_000, 44_100, 48_000, 50_000]),
    soft_start_ms=st.floats(0, 30),
    dark_ms=st.integers(130, 400),
    levels=st.tuples(st.integers(0, 300), st.integers(200, 3_000)),
    start_ns=st.integers(0, 2**62),
)
@example(rate_hz=2_000, soft_start_ms=30.0, dark_ms=400, levels=(0, 250), start_ns=0)
def test_any_soft_start_at_any_rate_is_timed_within_a_sample_or_two(
    rate_hz: int, soft_start_ms: float, dark_ms: int, levels: tuple[int, int], start_ns: int
) -> None:
    black, step = levels
    # The window of 200 ms that holds the rise, two that agree, and a settled span of 1 s.
    t_s = np.arange(rate_hz * (dark_ms + 1_700) // 1_000) / rate_hz
    late_s = t_s - dark_ms / 1e3
    ramp = np.clip(late_s / max(soft_start_ms / 1e3, 1e-9), 0, 1)
    counts = np.rint(black + step * ramp).astype(np.uint16)

    found = Analyser(rate_hz, slots=8_192).measure(counts, start_ns)
    wanted = measure(counts, rate_hz)

    assert found.state == lib.RIG_ONSET_OK
    assert found.pwm_mhz == 0
    for t_ns, t_s in (
        (found.first_ns, wanted.first_s),
        (found.half_ns, wanted.half_s),
        (found.ninety_ns, wanted.ninety_s),
    ):
        assert t_ns - start_ns == pytest.approx(t_s * 1e9, abs=2e9 / rate_hz)


@settings(max_examples=60, deadline=None)
@given(
    stretches=st.lists(
        st.tuples(
            st.sampled_from([0, 1, 40, 41, 60, 2_500, 4_094, 4_095, 65_535]),  # counts
            st.sampled_from([0, 0, 1, 7, 500, 4_000]),  # above that now and then
            st.integers(1, 9),  # one in so many
            st.integers(0, 700),  # ms
        ),
        max_size=12,
    ),
    slots=st.integers(64, 4_096),
    blocks=st.integers(1, 2_000),
    start_ns=st.integers(0, 2**63),
)
def test_any_samples_get_a_result_that_is_consistent(
    stretches: list[tuple[int, int, int, int]], slots: int, blocks: int, start_ns: int
) -> None:
    rows = [
        np.where(np.arange(ms * 10) % every, low, min(low + more, 65_535))
        for low, more, every, ms in stretches
    ]
    counts = np.concatenate([np.zeros(0, np.int64), *rows]).astype(np.uint16)
    analyser = Analyser(10_000, slots=slots, blocks=blocks, settle_ns=200_000_000)

    found = analyser.measure(counts, start_ns)

    times = (found.first_ns, found.half_ns, found.ninety_ns)
    over_ns = start_ns + counts.size * 100_000
    if found.state == lib.RIG_ONSET_OK:
        assert all(start_ns <= t_ns <= over_ns for t_ns in times)
        assert found.half_ns <= found.ninety_ns
        assert found.duty_ppm <= 1_000_000
        assert (found.pwm_mhz == 0) <= (found.pwm_uncertainty_ns == 0)
    elif found.state != lib.RIG_ONSET_LOST:
        assert times[1:] == (NEVER, NEVER)
    assert found.state not in {lib.RIG_ONSET_DARK, lib.RIG_ONSET_RISING}


@settings(max_examples=60, deadline=None)
@given(
    arms=st.lists(
        st.tuples(
            st.integers(0, 3 * S),
            st.none() | st.integers(0, 2 * S),
            st.none() | st.integers(0, 5 * S),
            st.integers(0, 2 * S),
        ),
        max_size=6,
    )
)
def test_arming_is_refused_or_does_what_it_answers(make_board, arms: list) -> None:
    board = make_board(onset=(64, 1_000, 4_095))
    until_ns, plan = 0, None
    for duration_ns, base_ns, settle_ns, step_ns in arms:
        board.now_ns += step_ns
        fields = {"dur": duration_ns, "base": base_ns, "settle": settle_ns}
        asked = {key: value for key, value in fields.items() if value is not None}
        goes_on = board.now_ns < until_ns

        reply = board.request(lib.RIG_CMD_LIGHT, cbor2.dumps(asked), write=True)

        if reply.error:
            assert asked.keys() & {"base", "settle"} or not duration_ns
            assert reply.error != lib.RIG_ERR_BUSY or goes_on
            continue
        until_ns = reply.fields["until"]
        answered = (reply.fields["base"], reply.fields["settle"])
        assert not goes_on or answered == plan
        plan = answered
        assert until_ns == board.now_ns + duration_ns
        assert plan[0] % 50_000_000 == plan[1] % 50_000_000 == 0
        assert base_ns is None or 0 <= plan[0] - base_ns < 50_000_000
        assert settle_ns is None or 0 <= plan[1] - settle_ns < 50_000_000
        repeated = board.request(lib.RIG_CMD_LIGHT, cbor2.dumps(asked), write=True)
        assert repeated.payload == reply.payload


def test_reading_an_onset_twice_gives_the_same(make_board) -> None:
    board = make_board(onset=(64, 1_000, 4_095))
    board.request(lib.RIG_CMD_LIGHT, cbor2.dumps({"dur": 3 * S}), write=True)
    board.samples(0, [40] * 150 + [2_500] * 1_500)
    board.now_ns = 2 * S
    first = board.request(lib.RIG_CMD_ONSET, cbor2.dumps({}))
    assert first.fields["st"] == lib.RIG_ONSET_OK
    assert board.request(lib.RIG_CMD_ONSET, cbor2.dumps({})) == first
