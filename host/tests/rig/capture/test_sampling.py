"""How often was sampled: as it is stated, and as the times show it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.rig.capture.sampling import rate_of, rate_text, sampling_of, stated_in

S = 1_000_000_000


@pytest.mark.parametrize(
    ("comment", "rate_hz"),
    [
        ("Acquisition with 2/8 channels at 1 kHz", 1_000),
        ("\n  Acquisition with 16/16 channels at 12.5 MHz\n", 12_500_000),
        ("; Samplerate: 500 kHz\n", 500_000),
        ("; Sample rate: 100 Hz", 100),
        ("# SampleRate = 1 GHz", 10**9),
        ("the rate was 1 kHz", None),
        ("Samplerate: 0 Hz", None),
        ("Samplerate: fast", None),
    ],
)
def test_rates_that_headers_state(comment: str, rate_hz: int | None) -> None:
    found = stated_in(["made on a Monday", comment])
    assert (None if found is None else found.rate_hz) == rate_hz


@pytest.mark.parametrize(
    ("text", "rate_hz"), [("1MHz", 10**6), ("2.5 khz", 2_500), ("0.1Hz", Fraction(1, 10))]
)
def test_rates_are_read_as_they_are_shown(text: str, rate_hz: Fraction) -> None:
    assert rate_of(text) == rate_hz
    assert rate_of(rate_text(Fraction(rate_hz))) == rate_hz


@given(
    rate=st.integers(1, 999).flatmap(
        lambda digits: st.integers(0, 5).map(lambda power: digits * 10**power)
    ),
    samples=st.lists(st.integers(0, 10**9), min_size=12, max_size=60, unique=True),
    resolution=st.sampled_from([1, 1_000]),
)
def test_the_step_is_never_taken_for_finer_than_it_was(rate, samples, resolution) -> None:
    """Times of samples, rounded to a last digit, as a tool writes them."""
    step = Fraction(S, rate)
    t_ns = np.array([round(n * step / resolution) * resolution for n in sorted(samples)], np.int64)
    found = sampling_of(t_ns, resolution, None, "A capture")
    # Where the last digit is coarser than the samples, it is the step.
    assert found.step_ns >= min(step, resolution) - 1
    if step >= resolution:
        assert found.step_ns >= step - 1


def test_evenly_spaced_times_are_not_taken_for_coarser() -> None:
    """A display's PWM: a hundred thousand rises, and falls at other samples of 1 MHz."""
    rises = np.arange(100_000, dtype=np.int64) * 4_545_000
    t_ns = np.sort(np.concatenate((rises, rises + 1_234_000)))
    assert sampling_of(t_ns, 1, None, "A capture").step_ns == 1_000
