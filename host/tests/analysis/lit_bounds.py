"""What the whole way makes of a scene: the compiled core, its blocks, the budget of each moment."""

from dataclasses import dataclass

import numpy as np
from lit_scenes import FULL_SCALE, Scene, counts_of, scene_of
from numpy.random import Generator
from onset_core import Analyser
from resume_rig._core import ffi

from resume_rig.analysis.cycles.light import LightReading
from resume_rig.analysis.cycles.light_shape import BlockTable, light_reading
from resume_rig.model.channel import Channel
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.timing.edge_uncertainty import IntervalBounds, Moment
from resume_rig.timing.light_budget import LightDefinition, light_end_of

_NEVER = 2**64 - 1
_BLOCK = np.dtype(
    {
        "names": ["t_ns", "min", "mean", "max"],
        "formats": ["<u8", "<u2", "<u2", "<u2"],
        "offsets": [0, 8, 10, 12],
        "itemsize": 16,
    }
)
_BOUNDS = IntervalBounds(rate_ppb=0, press_definition_ns=0)


@dataclass(frozen=True)
class Timed:
    """One moment: its error and bound in ns; `why` it was refused, where it was."""

    definition: LightDefinition
    error_ns: float = 0.0
    bound_ns: int = 0
    why: str | None = None

    @property
    def ratio(self) -> float:
        return abs(self.error_ns) / self.bound_ns if self.why is None else 0.0


def recorded(scene: Scene, random: Generator) -> tuple[LightOnset, BlockTable]:
    """Return what the board keeps of a scene: the onset that it finds, and its blocks."""
    analyser = Analyser(blocks=8_192)  # the longest scene is of 4.3 s
    found = analyser.measure(counts_of(scene, random))
    numbers = analyser.light.numbers
    assert numbers.held == numbers.next
    rows = np.frombuffer(ffi.buffer(analyser._blocks), dtype=_BLOCK)[: numbers.next]
    table = BlockTable(
        rows["t_ns"].astype(np.int64), rows["mean"].astype(float), rows["max"].astype(float)
    )
    return _onset_of(found), table


def read(scene: Scene, random: Generator) -> LightReading:
    """Return what the board and the host make of a scene."""
    onset, table = recorded(scene, random)
    reading = light_reading(onset, table, FULL_SCALE)
    assert reading is not None
    return reading


def timed(scene: Scene, reading: LightReading) -> list[Timed]:
    """Return the three moments of a scene against its truth, by the definition that is stated."""
    onset = reading.onset
    own = reading.step is not None
    truth_s = {
        LightDefinition.FIRST: scene.first_s(),
        LightDefinition.HALF: scene.reached_s(0.5) if own else scene.total_s(0.5),
        LightDefinition.NINETY: scene.reached_s(0.9) if own else scene.total_s(0.9),
    }
    times_ns = zip(LightDefinition, (onset.first_ns, onset.half_ns, onset.ninety_ns), strict=True)
    moments = []
    for definition, t_ns in times_ns:
        why = onset.state.name if onset.state is not OnsetState.OK else None
        why = why or reading.refused.get(definition)
        if why is not None or t_ns is None:
            moments.append(Timed(definition, why=why or "no time"))
            continue
        light = light_end_of(onset, definition, reading.doubts.get(definition))
        end = Moment(Channel.BACKLIGHT, t_ns, True, light)
        took = _BOUNDS.between(Moment(Channel.BUTTON, 0), end)
        error_ns = took.value_ns - truth_s[definition] * 1e9
        moments.append(Timed(definition, error_ns, took.bound_ns))
    return moments


def play(number: int, seed: int) -> tuple[Scene, LightReading, list[Timed]]:
    """Return a seeded scene, and what was made of it."""
    scene, random = scene_of(number, seed)
    reading = read(scene, random)
    return scene, reading, timed(scene, reading)


def _onset_of(found) -> LightOnset:
    first, half, ninety = (
        None if t_ns == _NEVER else t_ns
        for t_ns in (found.first_ns, found.half_ns, found.ninety_ns)
    )
    state = OnsetState(found.state)
    if state is not OnsetState.OK:
        return LightOnset(state, first_ns=first)
    return LightOnset(
        state,
        first,
        half,
        ninety,
        found.resolution_ns,
        found.base_q8 / 256,
        found.sigma_q8 / 256,
        found.peak,
        found.level_q8 / 256,
        found.pwm_mhz / 1e3,
        found.duty_ppm / 1e6,
        found.pwm_uncertainty_ns,
    )
