"""Studies of the photodiode's path: steps and fades of light, noise.

30 nA for each cd/m2, in contact with the panel: E = pi L, and 9.5 nA/lx of a BPW34 for white LED
light. That sensitivity is an estimate; the delays do not depend on it.
"""

from frontend.simulation.elements import PICO, Circuit
from frontend.simulation.sense import DRAWS, WIRED
from frontend.simulation.spread import Spread, about, between
from frontend.simulation.study import Limit, Study

AMPERE_PER_NIT = 30e-9
LEVELS_NIT = (5, 30, 250, 500)
FIRST_GAIN = Circuit(WIRED, ("photodiode", "thresholds"), {"photodiode/JP_GAIN": ("1", "2")})
STEP = ("settled", "t10", "t50", "t90")
# Half a metre of shielded cable to the hood, and its connectors.
CABLE: dict[str, Spread] = {"ccable": between(20 * PICO, 50 * PICO, 100 * PICO)}
WITHIN_10_US = Limit("t50", 0.0, 10e-6, "half of the light within 10 us")


def step(nits: int) -> Study:
    """Return the study of a step of light, first gain."""
    return Study(
        f"light, step to {nits} cd/m2",
        "light-step",
        FIRST_GAIN,
        (*STEP, "zero"),
        {},
        {"current": nits * AMPERE_PER_NIT},
        CABLE,
        (
            WITHIN_10_US,
            Limit("settled", 0.05 + nits * 4e-3, 3.2, "seen, and not at the amplifier's end"),
            Limit("zero", 0.05, 0.25, "dark is above ground, so that the amplifier can show it"),
        ),
        DRAWS,
    )


def fade(nits: int) -> Study:
    """Return the study of a soft start of 1 ms, first gain.

    It stands for a step that is averaged over 1 ms as well, as t_50 and t_90 are: both are late by
    the sum of the time constants.
    """
    return Study(
        f"light, fade of 1 ms to {nits} cd/m2",
        "light-step",
        FIRST_GAIN,
        ("t10", "t50", "t90"),
        {},
        {"current": nits * AMPERE_PER_NIT, "fade": 1e-3},
        CABLE,
        (WITHIN_10_US,),
        DRAWS,
    )


def first_light(nits: int) -> Study:
    """Return the study of the comparator, its threshold at a fifth of the settled level."""
    return Study(
        f"light, comparator at {nits} cd/m2",
        "light-step",
        FIRST_GAIN,
        ("fired", "gone"),
        {},
        {"current": nits * AMPERE_PER_NIT},
        CABLE | {"vcc": about(3.3, 0.03)},
        (
            Limit("fired", 0.0, 5e-6, "first light"),
            Limit("gone", 0.0, 40e-6, "the comparator lets go in the dark"),
        ),
        DRAWS,
    )


def noise(nits: int) -> Study:
    """Return the study of the noise at the converter's pin, first gain."""
    return Study(
        f"light, noise at {nits} cd/m2",
        "light-noise",
        Circuit(WIRED, (), known=("photodiode",)),
        ("onoise_total",),
        {},
        {"current": nits * AMPERE_PER_NIT},
        {},
        (Limit("onoise_total", 0.0, 0.4e-3, "below half a step of a 12-bit converter"),),
    )


STEPS = {nits: step(nits) for nits in LEVELS_NIT}
FADES = {nits: fade(nits) for nits in (5, 500)}
FINE = Study(
    "light, fade of 1 ms to 5 cd/m2, second gain",
    "light-step",
    Circuit(WIRED, ("photodiode", "thresholds"), {"photodiode/JP_GAIN": ("2", "3")}),
    ("fine50", "settled"),
    {},
    {"current": 5 * AMPERE_PER_NIT, "fade": 1e-3},
    CABLE,
    (
        Limit("fine50", 0.0, 10e-6, "half of the light within 10 us"),
        Limit("settled", 0.4, 3.2, "22 times as much"),
    ),
    DRAWS,
)
FIRST = {nits: first_light(nits) for nits in (30, 250, 500)}
STUDIES = (
    *STEPS.values(),
    *FADES.values(),
    FINE,
    *FIRST.values(),
    *(noise(nits) for nits in LEVELS_NIT),
)
