"""Real logs: judged as they are, and matched with captures made from their own times."""

from pathlib import Path

import numpy as np
import pytest
from match_campaigns import all_certain

from resume_rig.analysis.match.match import OutsideMoments, match
from resume_rig.analysis.reconcile.thresholds import figure_of
from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.os_record import SLEEPS
from resume_rig.model.result.verdict import Verdict
from resume_rig.oslog.reading import read_logs

MS = 1_000_000
S = 1_000_000_000
LOGS = [
    "win11-22000-laptop-s3.xml",
    "win10-17763-laptop-faststartup.xml",
    "win10-15063-desktop-s1.xml",
]
LOGS_OTHER = {LOGS[1]: 12, LOGS[2]: 2}


def records_of(shared_data: Path, name: str):
    return read_logs([shared_data / "eventlog" / name])


@pytest.mark.parametrize("name", LOGS)
def test_no_unmeasured_record_of_a_real_log_is_judged(shared_data: Path, name: str) -> None:
    requirement = load_requirement("sysfund-0004", kinds=SLEEPS)

    judgement = judge_log(records_of(shared_data, name), requirement)

    for cycle in judgement.cycles:
        assert cycle.judged == (cycle.record.resume_ms is not None)
        assert cycle.judged == (cycle.why_not is None)
        assert (cycle.verdict is Verdict.NO_EVIDENCE) == (not cycle.judged)


def test_a_laptop_of_hybrid_sleeps_is_judged(shared_data: Path) -> None:
    """Its Kernel-Power 107 says of each that it woke from S3; none read its image."""
    judgement = judge_log(records_of(shared_data, LOGS[0]), load_requirement("sysfund-0004"))

    judged = [cycle.record for cycle in judgement.cycles if cycle.judged]
    assert len(judged) == 54
    assert {figure_of(record, "wake_from_state") for record in judged} == {4}
    assert judgement.verdict is Verdict.FAIL
    assert judgement.statistics.max_ms == 2119
    assert judgement.why.startswith("No S3 here; 54 hybrid sleeps, which resume from S3, are ")


@pytest.mark.parametrize("offset_s", [0.2, -3600.0, 7 * 86_400.0])
@pytest.mark.parametrize("step_s", [0.0, 47.0])
def test_a_real_log_matches_a_capture_made_from_it(
    shared_data: Path, offset_s: float, step_s: float
) -> None:
    records = records_of(shared_data, LOGS[0]).records
    generator = np.random.default_rng(4)
    measured = [i for i, r in enumerate(records) if r.resume_ms and r.wake_time_utc_ns]
    kept = [i for i in measured if generator.random() > 0.2]
    cycles = []
    for place, index in enumerate(kept):
        record = records[index]
        inside_ms = (record.wake_ms or 0) + (record.bios_init_ms or 0) + (record.hiber_read_ms or 0)
        woke_ns = (record.wake_time_utc_ns or 0) - inside_ms * MS
        error_ns = round((generator.uniform(-0.5, 0.5) - 0.1 + offset_s) * S)
        set_ns = round(step_s * S) if place >= 20 else 0
        slept_ns = (record.sleep_time_utc_ns or 0) + (record.sleep_ms or 0) * MS
        cycles.append(OutsideMoments(slept_ns + set_ns + error_ns, woke_ns + set_ns + error_ns))
    lost = set(generator.choice(kept, 4, replace=False).tolist())
    told = [record for index, record in enumerate(records) if index not in lost]
    place_of = {i: p for p, i in enumerate(i for i in range(len(records)) if i not in lost)}

    found = match(cycles, told)

    assert len(kept) > 30
    truth = {cycle: place_of[index] for cycle, index in enumerate(kept) if index not in lost}
    assert all(truth.get(cycle) == record for cycle, record in found.pairs)
    assert len(found.pairs) >= 0.9 * len(truth)


@pytest.mark.parametrize("offset_s", [0.2, 7 * 86_400.0])
def test_a_real_logs_own_steps_are_no_obstacle_to_a_clock_that_ran_on(
    shared_data: Path, offset_s: float
) -> None:
    """The settings that the log tells of are taken for real, and the capture had none of them."""
    records = records_of(shared_data, LOGS[0]).records
    generator = np.random.default_rng(4)
    cycles, told, set_us, large = [], [], 0.0, 0
    for index, record in enumerate(records):
        stepped_us = figure_of(record, "clock_stepped_us") or 0
        large += abs(stepped_us) > 1e6
        set_us += stepped_us
        if not record.resume_ms or record.wake_time_utc_ns is None:
            continue
        inside_ms = (record.wake_ms or 0) + (record.bios_init_ms or 0) + (record.hiber_read_ms or 0)
        error_ns = round((generator.uniform(-0.5, 0.5) + offset_s - set_us * 1e-6) * S)
        slept_ns = (record.sleep_time_utc_ns or 0) + (record.sleep_ms or 0) * MS
        woke_ns = record.wake_time_utc_ns - inside_ms * MS
        cycles.append(OutsideMoments(slept_ns + error_ns, woke_ns + error_ns))
        told.append(index)

    found = match(cycles, records)

    assert large == 8
    assert found.pairs == tuple(enumerate(told))
    assert all_certain(found)


@pytest.mark.parametrize("name", LOGS_OTHER)
@pytest.mark.parametrize("offset_s", [0.2, -3600.0])
def test_other_kinds_of_sleep_of_a_real_log_match_a_capture(
    shared_data: Path, name: str, offset_s: float
) -> None:
    records = records_of(shared_data, name).records
    generator = np.random.default_rng(5)
    told = [r for r in records if r.wake_time_utc_ns is not None]
    cycles = []
    for record in told:
        inside_ms = (record.wake_ms or 0) + (record.bios_init_ms or 0) + (record.hiber_read_ms or 0)
        error_ns = round((generator.uniform(-0.4, 0.4) - offset_s) * S)
        woke_ns = (record.wake_time_utc_ns or 0) - inside_ms * MS + error_ns
        slept_ns = (record.sleep_time_utc_ns or 0) + (record.sleep_ms or 0) * MS + error_ns
        cycles.append(OutsideMoments(slept_ns, woke_ns))

    found = match(cycles, records)

    assert all(records[place] == told[cycle] for cycle, place in found.pairs)
    # Two sleeps of a log that is an hour off are too few to be certain of.
    assert len(found.pairs) >= (len(told) if len(told) > 2 or offset_s > 0 else 0)
    assert len(told) == LOGS_OTHER[name]
