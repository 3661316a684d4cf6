"""Real logs: judged as they are, and matched with captures made from their own times."""

from pathlib import Path

import numpy as np
import pytest

from resume_rig.analysis.judge import judge_log
from resume_rig.analysis.match import OutsideMoments, match
from resume_rig.analysis.requirement import load_requirement
from resume_rig.model.os_record import SLEEPS
from resume_rig.model.verdict import Verdict
from resume_rig.oslog.reading import read_logs

MS = 1_000_000
S = 1_000_000_000
LOGS = [
    "win11-22000-laptop-s3.xml",
    "win10-17763-laptop-faststartup.xml",
    "win10-15063-desktop-s1.xml",
]


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


@pytest.mark.parametrize("offset_s", [0.2, -3600.0, 7 * 86_400.0])
def test_a_real_log_matches_a_capture_made_from_it(shared_data: Path, offset_s: float) -> None:
    records = records_of(shared_data, LOGS[0]).records
    generator = np.random.default_rng(4)
    measured = [i for i, r in enumerate(records) if r.resume_ms and r.wake_time_utc_ns]
    kept = [i for i in measured if generator.random() > 0.2]
    cycles = []
    for index in kept:
        record = records[index]
        came_back_ns = (record.wake_time_utc_ns or 0) - (record.wake_ms or 0) * MS
        error_ns = round((generator.uniform(-0.5, 0.5) - 0.9 + offset_s) * S)
        cycles.append(OutsideMoments(None, came_back_ns + error_ns))

    found = match(cycles, records)

    assert len(kept) > 30
    assert found.pairs == tuple(enumerate(kept))
    assert found.verified
