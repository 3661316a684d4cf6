"""Synthetic panels: what a 12-bit converter at 50 kS/s sees of a backlight that comes on.

The photodiode's amplifier is a first order low pass (48 kHz), the backlight a duty cycle times a
soft start, the converter adds noise, rounds and clips. Truth is known: `Panel.enable_s` is when
the backlight is enabled, and half of the soft start later its mean stands at 50 %.
"""

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

RATE_HZ = 50_000
FULL_SCALE = 4_095
AMPLIFIER_S = 1 / (2 * pi * 48_000)


@dataclass(frozen=True)
class Panel:
    """One kind of backlight.

    Attributes:
        soft_start_s: length of the linear ramp; 0 for a step.
        pwm_hz: 0 for DC.
        duty: share of a PWM period in which there is light.
        locked: the PWM starts with its light part at the enable; free-running otherwise.
        detune: how far the PWM's frequency may be off, as a share of it. At 0, one of 25 kHz stands
            still before a converter of 50 kS/s.
        ambient: peak to peak of 100 Hz lamp flicker, as a share of the settled level.
        white, black, noise: converter counts; noise is one standard deviation.
    """

    name: str
    soft_start_s: float = 0.001
    pwm_hz: float = 0.0
    duty: float = 1.0
    locked: bool = False
    detune: float = 0.0
    ambient: float = 0.0
    white: float = 2_500.0
    black: float = 40.0
    noise: float = 3.0


PANELS = (
    Panel("DC, 1 ms soft start"),
    Panel("DC, 10 ms soft start", soft_start_s=0.010),
    Panel("PWM 25 kHz 50 %", pwm_hz=25_000, duty=0.5),
    Panel("PWM 1 kHz 50 %", pwm_hz=1_000, duty=0.5),
    Panel("PWM 1 kHz 10 %", pwm_hz=1_000, duty=0.1),
    Panel("PWM 220 Hz 50 %", pwm_hz=220, duty=0.5),
    Panel("PWM 220 Hz 10 %, free-running", pwm_hz=220, duty=0.1),
    Panel("PWM 220 Hz 10 %, restarts", pwm_hz=220, duty=0.1, locked=True, soft_start_s=0.0),
    Panel("OLED 240 Hz 90 %", pwm_hz=240, duty=0.9, soft_start_s=0.0),
    Panel("DC + 2 % ambient 100 Hz", ambient=0.02),
)
BEATING = Panel("PWM 25 kHz 50 %, +/- 0.5 %", pwm_hz=25_000, duty=0.5, detune=0.005)


@dataclass(frozen=True)
class Shot:
    """One recording of one panel: counts uint16 [n] at RATE_HZ from time 0, and the truth."""

    panel: Panel
    counts: NDArray[np.uint16]
    enable_s: float
    pwm_hz: float

    @property
    def half_s(self) -> float:
        """When the mean over PWM periods truly stands at 50 %."""
        return self.enable_s + self.panel.soft_start_s / 2


def take(panel: Panel, random: Generator, *, length_s: float = 1.7, dark_s: float = 0.12) -> Shot:
    """Record a panel that is enabled within a PWM period, or a sample, after `dark_s`."""
    pwm_hz = panel.pwm_hz * (1 + panel.detune * random.uniform(-1, 1))
    enable_s = dark_s + random.uniform(0, 0.01)
    phase = 0.0 if panel.locked else random.uniform(0, 1)
    counts = _light(panel, enable_s, pwm_hz, phase, length_s)
    t_s = np.arange(counts.size) / RATE_HZ
    counts *= panel.white
    counts += panel.black + random.standard_normal(counts.size) * panel.noise
    if panel.ambient:
        lamp = np.sin(2 * pi * (100 * t_s + random.uniform(0, 1)))
        counts += panel.ambient * panel.white * (1 + lamp / 2)
    rounded = np.clip(np.rint(counts), 0, FULL_SCALE).astype(np.uint16)
    return Shot(panel, rounded, enable_s, pwm_hz)


def _light(
    panel: Panel, enable_s: float, pwm_hz: float, phase: float, length_s: float
) -> NDArray[np.float64]:
    """Light behind the amplifier, exactly, at each sample; 1 is on.

    Light is the sum of its switchings; each of them passes the low pass as 1 - exp(-t / tau). The
    ramp of a soft start is slow beside tau, so it is taken at the sample, tau late.
    """
    t_s = np.arange(round(length_s * RATE_HZ)) / RATE_HZ
    late_s = t_s - enable_s
    ramp = (
        np.clip((late_s - AMPLIFIER_S) / panel.soft_start_s, 0, 1)
        if panel.soft_start_s
        else np.ones_like(t_s)
    )
    if not pwm_hz:
        return ramp * (late_s > 0)
    return ramp * _switched(late_s, pwm_hz, panel.duty, phase)


def _switched(
    late_s: NDArray[np.float64], pwm_hz: float, duty: float, phase: float
) -> NDArray[np.float64]:
    """PWM behind the low pass; off before time 0, where it is in `phase` of a period."""
    period_s = 1 / pwm_hz
    cycles = late_s * pwm_hz + phase
    within_s = (cycles - np.floor(cycles)) * period_s
    on_s = duty * period_s
    # In the steady state a period begins at `low` and the light part ends at `high`.
    fall, rise = np.exp(-(period_s - on_s) / AMPLIFIER_S), np.exp(-on_s / AMPLIFIER_S)
    low = fall * (1 - rise) / (1 - fall * rise)
    high = 1 - (1 - low) * rise
    steady = np.where(
        within_s < on_s,
        1 - (1 - low) * np.exp(-within_s / AMPLIFIER_S),
        high * np.exp(-np.maximum(within_s - on_s, 0) / AMPLIFIER_S),
    )
    # What the steady state had stored at the enable was not there: it began at nothing.
    start = phase * period_s
    stored = (
        1 - (1 - low) * np.exp(-start / AMPLIFIER_S)
        if start < on_s
        else high * np.exp(-(start - on_s) / AMPLIFIER_S)
    )
    missing = stored * np.exp(-np.maximum(late_s, 0) / AMPLIFIER_S)
    light: NDArray[np.float64] = np.where(late_s > 0, steady - missing, 0.0)
    return light
