"""Studies of the photodiode's path: steps and fades of light, noise.

30 nA for each cd/m2, in contact with the panel: E = pi L, and 9.5 nA/lx of a BPW34 for white LED
light. That sensitivity is an estimate; the delays do not depend on it.
"""

from frontend.simulation.sense import CELSIUS, PICO
from frontend.simulation.study import Limit, Spread, Study, about, between

AMPERE_PER_NIT = 30e-9
LEVELS_NIT = (5, 30, 250, 500)
STEP = ("settled", "t10", "t50", "t90")
PARTS: dict[str, Spread] = {
    "celsius": CELSIUS,
    "rf": about(150e3, 0.0135),
    "cf": about(22 * PICO, 0.055),
    "cpd": between(55 * PICO, 72 * PICO, 90 * PICO),
    "gbw": between(6e6, 10e6, 14e6),
    "radc": about(1e3, 0.0135),
    "cadc": about(1e-9, 0.055),
    "vos": between(-0.5e-3, 0.0, 0.5e-3),
}
COMPARATOR: dict[str, Spread] = {
    "rhyst": about(2e6, 0.0135),
    "cmpos": between(-3e-3, 0.0, 3e-3),
    "cmpslow": between(0.7, 1.0, 1.35),
}
WITHIN_10_US = Limit("t50", 0.0, 10e-6, "half of the light within 10 us")


def step(nits: int) -> Study:
    """Return the study of a step of light, first gain."""
    return Study(
        f"light, step to {nits} cd/m2",
        "light-step",
        STEP,
        {"current": nits * AMPERE_PER_NIT},
        PARTS,
        (WITHIN_10_US, Limit("settled", 0.0, 3.2, "the amplifier is not at its end")),
        40,
    )


def fade(nits: int) -> Study:
    """Return the study of a soft start of 1 ms, first gain.

    It stands for a step that is averaged over 1 ms as well, as t_50 and t_90 are: both are late by
    the sum of the time constants.
    """
    return Study(
        f"light, fade of 1 ms to {nits} cd/m2",
        "light-step",
        ("t10", "t50", "t90"),
        {"current": nits * AMPERE_PER_NIT, "fade": 1e-3},
        PARTS,
        (WITHIN_10_US,),
        10,
    )


def first_light(nits: int) -> Study:
    """Return the study of the comparator, its threshold at a fifth of the settled level."""
    return Study(
        f"light, comparator at {nits} cd/m2",
        "light-step",
        ("fired", "gone"),
        {"current": nits * AMPERE_PER_NIT},
        PARTS | COMPARATOR,
        (
            Limit("fired", 0.0, 5e-6, "first light"),
            Limit("gone", 0.0, 20e-6, "the comparator lets go in the dark"),
        ),
        40,
    )


def noise(nits: int) -> Study:
    """Return the study of the noise at the converter's pin, first gain."""
    return Study(
        f"light, noise at {nits} cd/m2",
        "light-noise",
        ("onoise_total",),
        {"current": nits * AMPERE_PER_NIT},
        {},
        (Limit("onoise_total", 0.0, 0.4e-3, "below half a step of a 12-bit converter"),),
    )


STEPS = {nits: step(nits) for nits in LEVELS_NIT}
FADES = {nits: fade(nits) for nits in (5, 500)}
FINE = Study(
    "light, fade of 1 ms to 5 cd/m2, second gain",
    "light-step",
    ("fine50",),
    {"current": 5 * AMPERE_PER_NIT, "fade": 1e-3},
    PARTS,
    (Limit("fine50", 0.0, 10e-6, "half of the light within 10 us"),),
    10,
)
FIRST = {nits: first_light(nits) for nits in (30, 250, 500)}
STUDIES = (
    *STEPS.values(),
    *FADES.values(),
    FINE,
    *FIRST.values(),
    *(noise(nits) for nits in LEVELS_NIT),
)
