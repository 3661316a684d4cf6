"""A power monitor in the supply of a simulated DUT, from its samples to a finding."""

import dataclasses
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from resume_rig.analysis.answer.overview import overview_of
from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.plan.plan_file import parse_plan
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.campaign.store.rows import pack_power, unpack_power
from resume_rig.campaign.store.store import Store
from resume_rig.model.errors import DeviceFault, RecordError, UsageError
from resume_rig.model.power import PowerFigure, PowerSamples
from resume_rig.model.result.cycle import ReconciledCycle
from resume_rig.model.result.verdict import FindingKind
from resume_rig.report.campaign.sections import power_json, power_sentences
from resume_rig.rig.link.open import parse_sim_options
from resume_rig.rig.sim.dut.states import LOAD_MW, PowerState

Make = Callable[..., Any]
PLAN = parse_plan({"cycles": 3, "warm_up": 0, "dwell_s": 8, "settle_s": 6})


def cycles_of(bench: Any) -> tuple[ReconciledCycle, ...]:
    return assess(load_campaign(bench.path)).cycles


def kinds_of(cycles: tuple[ReconciledCycle, ...]) -> set[FindingKind]:
    return {finding.kind for cycle in cycles for finding in cycle.findings}


def holds(figure: PowerFigure | None, truth: float) -> bool:
    return figure is not None and abs(figure.value - truth) <= figure.expanded


@pytest.mark.parametrize("seed", range(1, 5))
def test_what_was_drawn_lies_within_what_is_told(simulated: Make, seed: int) -> None:
    bench = simulated(seed, power=True)
    bench.begin(PLAN)

    cycles = cycles_of(bench)
    for cycle in cycles:
        power = cycle.outside.power
        assert power is not None
        assert holds(power.asleep_w, LOAD_MW[PowerState.ASLEEP] / 1e3)
        assert holds(power.awake_w, LOAD_MW[PowerState.UP] / 1e3)
        assert power.resume_j is not None
        # The parts of a resume draw 4 to 17 W.
        assert power.resume_ns is not None
        assert 4 < power.resume_j.value / (power.resume_ns / 1e9) < 17
        assert power.lost == 0
    assert FindingKind.S0_POWER_ASLEEP not in kinds_of(cycles)
    (sentence,) = power_sentences(overview_of(cycles).power)
    assert sentence.startswith("Power, median ± expanded uncertainty (cycles): asleep 0.3")


def test_a_dut_that_says_s3_and_draws_an_s0_is_named(simulated: Make) -> None:
    bench = simulated(profile="fake-s3", power=True)
    bench.begin(PLAN)

    (*_, last) = cycles_of(bench)
    (finding,) = [f for f in last.findings if f.kind is FindingKind.S0_POWER_ASLEEP]
    assert finding.evidence["limit_w"] == pytest.approx(4.5, rel=0.01)
    assert "half of the 9 W that it draws awake" in finding.text


def test_a_profile_knows_better_than_half(simulated: Make) -> None:
    bench = simulated(power=True, change=lambda dut: dataclasses.replace(dut, s3_power_max_mw=200))
    bench.begin(PLAN)

    assert FindingKind.S0_POWER_ASLEEP in kinds_of(cycles_of(bench))


def test_a_rig_without_a_monitor_says_nothing_and_keeps_nothing(simulated: Make) -> None:
    bench = simulated()
    bench.begin(PLAN)

    cycles = cycles_of(bench)
    assert power_sentences(overview_of(cycles).power) == ()
    assert power_json(cycles[0].outside.power) == {}
    with closing(sqlite3.connect(bench.path)) as store, store:
        tables = {name for (name,) in store.execute("SELECT name FROM sqlite_master")}
    assert "power" not in tables
    with pytest.raises(DeviceFault, match="no-power"):
        bench.rig.power(0)


def test_samples_are_kept_raw_and_come_back(simulated: Make) -> None:
    bench = simulated(power=True)
    bench.begin(PLAN)

    with Store.open(bench.path) as store:
        for raw in store.cycles():
            assert raw.power is not None
            steps = {b - a for a, b in zip(raw.power.t_ns, raw.power.t_ns[1:], strict=False)}
            assert steps == {20_000_000}


def test_a_damaged_row_is_named(simulated: Make) -> None:
    bench = simulated(power=True)
    bench.begin(PLAN)
    with closing(sqlite3.connect(bench.path)) as store, store:
        store.execute("UPDATE power SET crc = crc + 1 WHERE cycle = 2")

    with pytest.raises(RecordError, match="cycle 2 is damaged: the checksum of its power"):
        load_campaign(bench.path)


def test_samples_survive_packing() -> None:
    samples = PowerSamples((5, 2**40, 2**62), (19_000_000, -1, 0), (-(2**31), 2**31 - 1, 7))
    assert unpack_power(pack_power(samples), 0) == samples
    assert unpack_power(pack_power(PowerSamples()), 0) == PowerSamples()


def test_more_samples_than_a_cycle_has_time_for_are_refused() -> None:
    many = pack_power(PowerSamples(*((0,) * 20_000 for _ in range(3))))
    with pytest.raises(RecordError, match="cut short, or over"):
        unpack_power(many, 1_000_000_000)


def test_a_short_blob_is_refused() -> None:
    import zlib

    with pytest.raises(RecordError, match="end in the middle of one"):
        unpack_power(zlib.compress(b"123"), 0)


def test_the_url_names_the_monitor() -> None:
    assert parse_sim_options("power=ina226").power
    with pytest.raises(UsageError, match="allowed is ina226, a power monitor"):
        parse_sim_options("power=joulescope")
