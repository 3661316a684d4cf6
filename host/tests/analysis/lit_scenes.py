"""Scenes in front of the photodiode, in continuous time, with their truth: evidence for bounds.

A scene is a panel that rises (a step or a fade) and is switched by a PWM or scanned, a keyboard
or a leak that lights first, lamps, daylight, noise. What the converter makes of it is worked out
on a grid eight times as fine as its samples; the truth is that of the formulas, without noise,
PWM or lamps. Shares nothing with onset_panels.py and onset_oracle.py.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log, pi

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

RATE_HZ = 50_000
FULL_SCALE = 4_095
_FINE = 8
_CELL_S = 1 / (RATE_HZ * _FINE)
_AMPLIFIER_S = 3.3e-6
_TAPS = 3 * _FINE
_SETTLES_S = 1.9

Floats = NDArray[np.float64]


def _s_shape(share: Floats) -> Floats:
    return share * share * (3 - 2 * share)


def _gamma(share: Floats) -> Floats:
    return np.power(share, 2.2)


def _exponential(share: Floats) -> Floats:
    # A fifth of the fade is the time constant, so that 0.7 % is left at its end.
    return 1 - np.exp(-5 * share)


def _linear(share: Floats) -> Floats:
    return share


FADES: dict[str, Callable[[Floats], Floats]] = {
    "linear": _linear,
    "s-shape": _s_shape,
    "gamma": _gamma,
    "exponential": _exponential,
}


@dataclass(frozen=True)
class Scene:
    """One panel and what is about it; light as shares of the settled level's net height.

    Attributes:
        lit_s: when the panel's own rise begins. fade, fade_s: its shape and length; 0 is a step.
        pwm_hz, duty, phase: 0 Hz is DC; phase at time 0. edge: share of the light part in which a
            scanned panel's light rises, and falls.
        before, before_s: light that comes first, and how long before the panel.
        lamp_hz, lamp: flicker, peak to peak. rectified: |sin| instead of sin.
        drift: of daylight, in a second.
        level, dark, noise: converter counts.
    """

    kind: str
    lit_s: float
    fade: str = "linear"
    fade_s: float = 0.0
    pwm_hz: float = 0.0
    duty: float = 1.0
    phase: float = 0.0
    edge: float = 0.0
    before: float = 0.0
    before_s: float = 0.0
    lamp_hz: float = 0.0
    lamp: float = 0.0
    lamp_phase: float = 0.0
    rectified: bool = False
    drift: float = 0.0
    level: float = 2_000.0
    dark: float = 60.0
    noise: float = 3.0

    @property
    def length_s(self) -> float:
        return self.lit_s + self.fade_s + _SETTLES_S

    def risen(self, t_s: Floats) -> Floats:
        """Return how far the panel alone has risen, 0 to 1."""
        late_s = t_s - self.lit_s
        if not self.fade_s:
            # The share of a cell that lies behind the step.
            return np.clip(late_s / _CELL_S + 0.5, 0, 1)
        shape = FADES[self.fade]
        if self.fade == "exponential":
            return np.where(late_s > 0, shape(np.maximum(late_s, 0) / self.fade_s), 0.0)
        return shape(np.clip(late_s / self.fade_s, 0, 1))

    def reached_s(self, share: float) -> float:
        """Return when the panel alone reaches a share of its rise."""
        if share <= 0 or not self.fade_s:
            return self.lit_s
        if self.fade == "exponential":
            return self.lit_s - self.fade_s / 5 * log(1 - share)
        at = np.linspace(0, 1, 200_001)
        return self.lit_s + self.fade_s * float(np.interp(share, FADES[self.fade](at), at))

    def total_s(self, share: float) -> float:
        """Return when all light together, averaged over its PWM, reaches a share."""
        if self.before >= share:
            return self.lit_s - self.before_s
        return self.reached_s((share - self.before) / (1 - self.before))

    def first_s(self) -> float:
        """Return when the light parts reach a tenth of the peak."""
        bright = (1 - self.before) / self.duty
        wanted = 0.1 * (self.before + bright)
        if self.before >= wanted:
            return self.lit_s - self.before_s
        return self.reached_s((wanted - self.before) / bright)


def _area(cycles: Floats, duty: float, edge: float) -> Floats:
    """Integral of a PWM over its phase: pulses of area `duty`, edges taking a share of them."""
    whole = np.floor(cycles)
    at = cycles - whole
    slope = edge * duty
    if slope <= 0:
        return whole * duty + np.minimum(at, duty)
    # A trapezoid of the same area: up in `slope`, flat, down in `slope`, all in duty + slope.
    slope = min(slope, 1 - duty) or 1e-9
    up = np.minimum(at, slope)
    flat = np.clip(at - slope, 0, duty - slope)
    down = np.clip(at - duty, 0, slope)
    return whole * duty + up * up / (2 * slope) + flat + down - down * down / (2 * slope)


def counts_of(scene: Scene, random: Generator) -> NDArray[np.uint16]:
    """Return what the converter shows, uint16 [n] at RATE_HZ from time 0 on."""
    n = round(scene.length_s * RATE_HZ)
    cells = np.arange(n * _FINE + 1) * _CELL_S
    middle = cells[:-1] + _CELL_S / 2
    light = (1 - scene.before) * scene.risen(middle)
    if scene.pwm_hz:
        area = _area(cells * scene.pwm_hz + scene.phase, scene.duty, scene.edge)
        light *= np.diff(area) / (_CELL_S * scene.pwm_hz * scene.duty)
    if scene.before:
        light += scene.before * (middle >= scene.lit_s - scene.before_s)
    # The amplifier, one pole; a sample is its output at the end of its cells.
    taps = np.exp(-np.arange(_TAPS) * _CELL_S / _AMPLIFIER_S) * (1 - exp(-_CELL_S / _AMPLIFIER_S))
    groups = light.reshape(n, _FINE)
    sampled = np.zeros(n)
    for back in range(_TAPS // _FINE):
        part = groups @ taps[back * _FINE : (back + 1) * _FINE][::-1]
        # Sample i stands at time i / RATE_HZ: what came before it is group i - 1 and earlier.
        sampled[back + 1 :] += part[: n - back - 1]
    t_s = np.arange(n) / RATE_HZ
    counts = scene.dark + scene.level * (sampled + scene.drift * t_s)
    if scene.lamp:
        if scene.rectified:
            wave = np.abs(np.sin(pi * (scene.lamp_hz * t_s + scene.lamp_phase))) - 2 / pi
        else:
            wave = np.sin(2 * pi * (scene.lamp_hz * t_s + scene.lamp_phase)) / 2
        counts += scene.level * scene.lamp * (wave + 0.5)
    counts += random.standard_normal(n) * scene.noise
    return np.clip(np.rint(counts), 0, FULL_SCALE).astype(np.uint16)


def _fade(random: Generator, most_s: float) -> dict[str, object]:
    if random.random() < 0.25:
        return {}
    length_s = float(np.exp(random.uniform(log(1e-4), log(most_s))))
    return {"fade": str(random.choice(list(FADES))), "fade_s": length_s}


def _pwm(random: Generator) -> dict[str, object]:
    return {
        "pwm_hz": float(np.exp(random.uniform(log(60), log(20_000)))),
        "duty": random.uniform(0.1, 0.95),
        "phase": random.uniform(0, 1),
    }


def _scan(random: Generator) -> dict[str, object]:
    return {
        "pwm_hz": float(random.choice([60, 90, 120, 144, 240, 360, 480]))
        * random.uniform(0.99, 1.01),
        "duty": random.uniform(0.1, 0.95),
        "phase": random.uniform(0, 1),
        "edge": random.uniform(0.01, 0.3),
    }


def _lamp(random: Generator) -> dict[str, object]:
    return {
        "lamp_hz": float(random.choice([50, 60, 100, 120])) * random.uniform(0.998, 1.002),
        "lamp": float(np.exp(random.uniform(log(0.003), log(0.2)))),
        "lamp_phase": random.uniform(0, 1),
        "rectified": bool(random.random() < 0.3),
    }


def _keyboard(random: Generator) -> dict[str, object]:
    return {"before": random.uniform(0.05, 0.4), "before_s": random.uniform(0.05, 0.5)}


def _leak(random: Generator) -> dict[str, object]:
    return {
        "before": random.uniform(0.0, 0.09),
        "before_s": random.uniform(0.02, 0.8),
        "drift": random.uniform(-0.01, 0.02),
    }


def _either(random: Generator) -> dict[str, object]:
    return _pwm(random) if random.random() < 0.5 else {}


def _anything(random: Generator) -> dict[str, object]:
    ways = (_either, _scan, _lamp, _keyboard, _leak)
    made: dict[str, object] = {}
    for way in ways:
        if random.random() < 0.4:
            made |= way(random)
    return made | _fade(random, 1.0)


KINDS: dict[str, Callable[[Generator], dict[str, object]]] = {
    "DC": lambda random: _fade(random, 0.02),
    "PWM": lambda random: _pwm(random) | _fade(random, 0.02),
    "OLED scan": lambda random: _scan(random) | _fade(random, 0.005),
    "DC, fade": lambda random: _fade(random, 1.0),
    "PWM, fade": lambda random: _pwm(random) | _fade(random, 1.0),
    "lamp": lambda random: _lamp(random) | _fade(random, 0.3),
    "lamp, PWM": lambda random: _lamp(random) | _pwm(random) | _fade(random, 0.3),
    "keyboard first": lambda random: _keyboard(random) | _either(random) | _fade(random, 0.3),
    "leak": lambda random: _leak(random) | _either(random) | _fade(random, 0.3),
    "anything": _anything,
}


def scene_of(number: int, seed: int) -> tuple[Scene, Generator]:
    """Return a seeded scene, of each kind in turn, and what its noise is to come from."""
    random = np.random.default_rng((seed, number))
    kind = list(KINDS)[number % len(KINDS)]
    more = KINDS[kind](random)
    before_s = float(more.get("before_s", 0.0))  # type: ignore[arg-type]
    room = 1 + float(more.get("lamp", 0.0))  # type: ignore[arg-type]
    duty = float(more.get("duty", 1.0))  # type: ignore[arg-type]
    # The light part is 1 / duty as high as the mean, and must fit into the converter.
    level = float(np.exp(random.uniform(log(0.3), log(0.95)))) * 3_700 / (room / 1 - 1 + 1 / duty)
    scene = Scene(
        kind,
        lit_s=0.16 + before_s + random.uniform(0, 0.6),
        level=level,
        dark=random.uniform(20, 200),
        noise=random.uniform(1, 5),
        **more,  # type: ignore[arg-type]
    )
    return scene, random
