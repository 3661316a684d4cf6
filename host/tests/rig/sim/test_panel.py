"""The simulated panel: soft start, black, and noise that does not depend on who looks when."""

import numpy as np
from numpy.random import default_rng

from resume_rig.rig.sim.dut.panel import Panel

MS = 1_000_000


def test_light_rises_over_milliseconds_and_falls_to_black() -> None:
    panel = Panel(default_rng(1))
    assert panel.counts(np.array([0], dtype=np.int64))[0] > 2_500
    panel.switch(10 * MS, lit=False)
    assert panel.counts(np.array([12 * MS], dtype=np.int64))[0] < 100
    panel.switch(20 * MS, lit=True)
    start, middle, end = panel.counts(np.array([20, 24, 30], dtype=np.int64) * MS)
    assert start < 100
    assert 1_200 < middle < 1_450
    assert end > 2_500


def test_a_panel_that_is_cut_off_while_it_rises_fades_from_there() -> None:
    panel = Panel(default_rng(1))
    panel.switch(0, lit=False)
    panel.switch(10 * MS, lit=True)
    panel.switch(12 * MS, lit=False)
    just_after, later = panel.counts(np.array([12 * MS, 14 * MS], dtype=np.int64))
    assert 500 < just_after < 900
    assert later < 100


def test_noise_depends_on_the_number_of_samples_alone() -> None:
    times = np.arange(0, 1_000 * MS, MS, dtype=np.int64)
    whole = Panel(default_rng(9)).counts(times)
    panel = Panel(default_rng(9))
    pieces = np.concatenate([panel.counts(piece) for piece in np.array_split(times, 37)])
    assert np.array_equal(whole, pieces)
    assert whole.std() > 1
