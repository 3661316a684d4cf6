"""When a panel is half lit, through amplifier, converter and core: within 10 us of the truth."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from onset_core import Analyser

ROOT = Path(__file__).resolve().parents[3]
DELAYS = {
    told["path"]: told
    for told in tomllib.loads((ROOT / "hardware" / "delays.toml").read_text("utf-8"))["delay"]
}
RATE_HZ = 50_000
VOLT_PER_NIT = 30e-9 * 150e3
COUNTS_PER_VOLT = 4_095 / 3.3
NOISE_COUNTS = 2.8  # 8.7 effective bits of 12, a remembered figure for the RP2040
TAUS_S = {1: (150e3 * 22e-12, 1e3 * 1e-9), 22: (150e3 * 22e-12, 1e3 * 1e-9, 21e3 * 47e-12)}


def lit(t_s: NDArray[np.float64], on_s: float, fade_s: float) -> NDArray[np.float64]:
    return np.clip((t_s - on_s) / fade_s, 0, 1)


def amplified(
    t_s: NDArray[np.float64], on_s: float, fade_s: float, taus_s: tuple[float, ...]
) -> NDArray[np.float64]:
    """The light behind low passes of first order, one after the other, in closed form."""

    def ramp(since_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """What becomes of a ramp of 1/s that begins at 0: partial fractions over distinct taus."""
        late_s = np.maximum(since_s, 0)
        out = late_s - sum(taus_s)
        for tau in taus_s:
            others = np.prod([tau / (tau - other) for other in taus_s if other != tau])
            out = out + tau * others * np.exp(-late_s / tau)
        return np.where(since_s > 0, out, 0)

    return (ramp(t_s - on_s) - ramp(t_s - on_s - fade_s)) / fade_s


def recorded(
    random: Generator, nits: float, fade_s: float, gain: int
) -> tuple[NDArray[np.uint16], float]:
    """Counts of a panel that comes on, and when its light is at half, in seconds."""
    on_s = 0.12 + random.uniform(0, 0.01)
    t_s = np.arange(round(1.7 * RATE_HZ)) / RATE_HZ
    swing = nits * VOLT_PER_NIT * gain * COUNTS_PER_VOLT
    clean = 0.1 * COUNTS_PER_VOLT + swing * amplified(t_s, on_s, fade_s, TAUS_S[gain])
    noisy = clean + random.normal(0, NOISE_COUNTS, t_s.size)
    return np.clip(np.rint(noisy), 0, 4_095).astype(np.uint16), on_s + fade_s / 2


def test_the_amplifier_is_late_by_its_time_constants() -> None:
    t_s = np.linspace(0, 3e-3, 300_001)
    out = amplified(t_s, 1e-3, 1e-3, TAUS_S[1])
    late_s = np.interp(0.5, out, t_s) - np.interp(0.5, lit(t_s, 1e-3, 1e-3), t_s)
    assert late_s == pytest.approx(sum(TAUS_S[1]), rel=1e-3)


@pytest.mark.parametrize("fade_s", [1e-6, 1e-3], ids=["step", "1 ms"])
@pytest.mark.parametrize(
    ("nits", "gain", "path"),
    [
        (5, 22, "photodiode-t50-second-gain"),
        (20, 22, "photodiode-t50-second-gain"),
        (30, 1, "photodiode-t50"),
        (250, 1, "photodiode-t50"),
        (500, 1, "photodiode-t50"),
    ],
)
def test_half_light_is_told_within_10_us(nits: float, gain: int, path: str, fade_s: float) -> None:
    random = default_rng([nits, gain, round(fade_s * 1e6)])
    errors_ns = []
    for _turn in range(8):
        counts, truth_s = recorded(random, nits, fade_s, gain)
        found = Analyser().measure(counts)
        assert found.state == 3
        errors_ns.append(found.half_ns - DELAYS[path]["value_ns"] - truth_s * 1e9)
    assert np.abs(errors_ns).max() < 10_000
    # The delay is subtracted: what remains scatters about nothing.
    assert abs(np.mean(errors_ns)) < 3_000
