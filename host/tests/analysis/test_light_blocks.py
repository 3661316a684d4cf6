"""What blocks of 1 ms tell of an onset, to a whole block, and what they cannot tell."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from resume_rig.analysis.cycles.light_shape import BlockTable, onset_of_blocks, table_of
from resume_rig.model.edge import LightBlock
from resume_rig.model.light import LightOnset, OnsetState

MS = 1_000_000
SAMPLES = 50  # in a block of 1 ms, at 50 kS/s
START_NS = 7 * MS


def table(
    lit_ms: float | None = 300.0,
    ramp_ms: float = 8.0,
    *,
    length_ms: int = 1500,
    pwm_hz: int = 0,
    duty: float = 1.0,
    level: float = 2500.0,
    seed: int = 1,
) -> BlockTable:
    """Return blocks of a panel that is enabled at `lit_ms`, as a board would make them."""
    t_ms = np.arange(length_ms * SAMPLES) / SAMPLES
    share = np.zeros_like(t_ms) if lit_ms is None else np.clip((t_ms - lit_ms) / ramp_ms, 0, 1)
    if pwm_hz:
        rate_hz = SAMPLES * 1000
        share = share * (np.arange(len(t_ms)) * pwm_hz % rate_hz < duty * rate_hz)
    noise = default_rng(seed).standard_normal(len(t_ms)) * 3
    counts = np.clip(np.rint(40 + level * share + noise), 0, 4095).reshape(-1, SAMPLES)
    t_ns = START_NS + np.arange(length_ms, dtype=np.int64) * MS
    return BlockTable(t_ns, np.round(counts.mean(axis=1)), counts.max(axis=1))


@settings(max_examples=60)
@given(
    lit_ms=st.floats(110, 900),
    ramp_ms=st.floats(0.1, 20),
    level=st.floats(200, 3500),
    seed=st.integers(0, 99),
)
def test_every_moment_is_good_to_a_block(lit_ms, ramp_ms, level, seed) -> None:
    onset = onset_of_blocks(table(lit_ms, ramp_ms, level=level, seed=seed))

    assert onset.state is OnsetState.OK
    assert onset.resolution_ns == 2 * MS
    for share, t_ns in ((0.5, onset.half_ns), (0.9, onset.ninety_ns)):
        true_ns = START_NS + (lit_ms + share * ramp_ms) * MS
        assert abs(t_ns - true_ns) <= MS + 0.05 * ramp_ms * MS
    assert onset.first_ns <= onset.half_ns <= onset.ninety_ns


def test_a_fast_pwm_is_averaged_by_the_blocks() -> None:
    onset = onset_of_blocks(table(pwm_hz=10_000, duty=0.5))

    assert onset.state is OnsetState.OK
    assert abs(onset.half_ns - (START_NS + 304 * MS)) <= MS


@pytest.mark.parametrize(
    ("blocks", "state"),
    [
        (table(pwm_hz=220, duty=0.5), OnsetState.UNSTABLE),
        (table(lit_ms=None), OnsetState.NO_LIGHT),
        (table(lit_ms=50), OnsetState.NO_BASELINE),
        (table(lit_ms=1300), OnsetState.NOT_SETTLED),
        (table(length_ms=250, lit_ms=200), OnsetState.NO_BASELINE),
        (table(level=9000), OnsetState.SATURATED),
        (BlockTable(*(np.delete(column, 700) for column in table())), OnsetState.LOST),
        (table_of([]), OnsetState.IDLE),
    ],
    ids=["220 Hz", "dark", "lit", "late", "short", "saturated", "gap", "nothing"],
)
def test_what_blocks_cannot_tell_is_named(blocks: BlockTable, state: OnsetState) -> None:
    onset = onset_of_blocks(blocks, 4095)

    assert onset.state is state
    assert (onset.half_ns, onset.ninety_ns) == (None, None)


def test_a_table_is_made_of_blocks_as_they_are_stored() -> None:
    blocks = [LightBlock(i, i * MS, 38, 40, 45) for i in range(400)]

    assert onset_of_blocks(table_of(blocks)) == LightOnset(OnsetState.NO_LIGHT)


@pytest.mark.parametrize(("share", "state"), [(0.081, OnsetState.OK), (0.086, OnsetState.UNSTABLE)])
def test_quarters_of_the_last_blocks_differ_by_a_sixteenth_at_most(
    share: float, state: OnsetState
) -> None:
    # A level that creeps by a share of the light over 200 blocks: 3/4 of that between quarters.
    light = np.where(np.arange(1_000) < 300, 0.0, 1_000.0)
    light[-200:] += np.linspace(-0.5, 0.5, 200) * share * 1_000
    t_ns = np.arange(1_000, dtype=np.int64) * MS

    assert onset_of_blocks(BlockTable(t_ns, 40 + light, 40 + light)).state is state
