"""Power and energy of the parts of a cycle, from samples whose truth is known."""

import math

import numpy as np
import pytest

from resume_rig.analysis.cycles.building import (
    BUS_GAIN,
    BUS_OFFSET_UV,
    SETTLE_NS,
    SHUNT_GAIN,
    SHUNT_OFFSET_UV,
    CycleMoments,
    Metered,
    build_cycle,
    cycle_power,
)
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.power import PowerMonitor, PowerSamples
from resume_rig.timing.edge_uncertainty import IntervalBounds

MS = 1_000_000
S = 1_000 * MS
PERIOD_NS = 20 * MS
MONITOR = PowerMonitor(4_096, PERIOD_NS, 16 * MS, 20_000, 1_000)
PARTS = CycleMoments(2 * S, 12 * S, 12 * S, 13 * S)


def samples(watts_of, until_ns: int = 20 * S, volt: float = 19.0) -> PowerSamples:
    times = range(PERIOD_NS, until_ns + 1, PERIOD_NS)
    watts = [watts_of(t_ns) for t_ns in times]
    return PowerSamples(
        tuple(times),
        tuple(round(volt * 1e6) for _ in watts),
        tuple(round(watt / volt * 1e6) for watt in watts),
    )


def steps(t_ns: int) -> float:
    if 2 * S < t_ns <= 12 * S:
        return 0.4
    return 15.0 if 12 * S < t_ns <= 13 * S else 9.0


def test_each_part_has_its_power_and_energy() -> None:
    found = cycle_power(samples(steps), MONITOR, PARTS)
    assert found is not None
    assert found.asleep_w is not None
    assert found.resume_j is not None
    assert found.asleep_w.value == pytest.approx(0.4, abs=1e-4)
    assert found.asleep_j is not None
    assert found.asleep_j.value == pytest.approx(0.4 * 9, abs=1e-3)
    assert found.resume_j.value == pytest.approx(15.0, abs=0.01)
    assert found.resume_ns == 1 * S
    assert found.awake_w is not None
    assert found.awake_w.value == pytest.approx(9.0, abs=1e-3)


def test_the_uncertainty_is_the_root_sum_of_squares_of_the_instruments_terms() -> None:
    found = cycle_power(samples(lambda _: 9.5), MONITOR, PARTS)
    assert found is not None
    assert found.asleep_w is not None
    volt, ampere = 19.0, 0.5
    terms = (
        9.5 * 0.001,
        9.5 * SHUNT_GAIN,
        9.5 * BUS_GAIN,
        volt * SHUNT_OFFSET_UV / 20_000,
        ampere * BUS_OFFSET_UV / 1e6,
    )
    expected = 2 * math.sqrt(sum((term / math.sqrt(3)) ** 2 for term in terms))
    assert found.asleep_w.expanded == pytest.approx(expected, rel=1e-6)


def test_95_of_100_instruments_within_their_data_sheet_hold_the_truth() -> None:
    random = np.random.default_rng(4)
    held = 0
    for _ in range(400):
        shunt, gain, bus, offset, bus_offset = random.uniform(-1, 1, 5)
        true_w = float(random.uniform(0.2, 20))
        ampere = true_w / 19.0 * (1 + shunt * 0.001) * (1 + gain * SHUNT_GAIN)
        ampere += offset * SHUNT_OFFSET_UV / 20_000
        volt = 19.0 * (1 + bus * BUS_GAIN) + bus_offset * BUS_OFFSET_UV / 1e6
        count = 1_000
        read = PowerSamples(
            tuple(range(PERIOD_NS, PERIOD_NS * (count + 1), PERIOD_NS)),
            (round(volt * 1e6),) * count,
            (round(ampere * 1e6),) * count,
        )
        found = cycle_power(read, MONITOR, PARTS)
        assert found is not None
        assert found.asleep_w is not None
        held += abs(found.asleep_w.value - true_w) <= found.asleep_w.expanded
    assert held >= 0.95 * 400


def test_a_part_with_a_hole_has_no_figure() -> None:
    whole = samples(steps)
    kept = [i for i, t_ns in enumerate(whole.t_ns) if not 4 * S < t_ns < 8 * S]
    holed = PowerSamples(
        *(tuple(column[i] for i in kept) for column in (whole.t_ns, whole.bus_uv, whole.current_ua))
    )
    found = cycle_power(holed, MONITOR, PARTS, lost=199)
    assert found is not None
    assert found.asleep_w is None
    assert found.asleep_j is None
    assert found.awake_w is not None
    assert found.lost == 199


@pytest.mark.parametrize(
    "at",
    [
        CycleMoments(None, 12 * S, None, None),
        CycleMoments(2 * S, None, None, None),
        CycleMoments(2 * S, math.inf, None, None),
        CycleMoments(2 * S, 2 * S + SETTLE_NS, None, None),
    ],
)
def test_what_has_no_beginning_or_no_end_has_no_power(at: CycleMoments) -> None:
    found = cycle_power(samples(steps), MONITOR, at)
    assert found is not None
    assert (found.asleep_w, found.resume_j, found.awake_w) == (None, None, None)


def test_without_samples_there_is_nothing_to_say() -> None:
    assert cycle_power(PowerSamples(), MONITOR, PARTS) is None


@pytest.mark.parametrize(
    ("unwired", "until_ms"),
    [((), 1_500), ((Channel.BACKLIGHT,), 158), ((Channel.BACKLIGHT, Channel.PLTRST), None)],
    ids=["to the light", "to PLTRST#", "without an end"],
)
def test_a_resume_is_metered_from_the_press_to_the_last_line_that_shows_it(
    waveform, unwired: tuple[Channel, ...], until_ms: int | None
) -> None:
    told = waveform.without(*unwired)
    metered = Metered(samples(lambda _: 9.5, until_ns=30 * S), MONITOR)

    cycle = build_cycle(
        1, told.edges(), told.levels, Actuator.BUTTON, IntervalBounds(rate_ppb=0), metered=metered
    )

    power = cycle.power
    assert power is not None
    assert power.resume_ns == (None if until_ms is None else until_ms * MS)
    assert (power.resume_j is None) == (power.awake_w is None) == (until_ms is None)
    if power.resume_j is not None and until_ms is not None:
        assert power.resume_j.value == pytest.approx(9.5 * until_ms / 1_000, rel=1e-4)
