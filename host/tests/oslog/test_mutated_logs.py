"""Damaged logs of every kind: a whole answer or one sentence, and never a crash."""

import json
from pathlib import Path

import pytest
from mutations import mutations

from resume_rig.analysis.answer.log import answered_log
from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.errors import RecordError
from resume_rig.oslog.reading import read_logs
from resume_rig.report.log.document import log_document
from resume_rig.report.log.terminal import log_table
from resume_rig.report.text.terminal_style import TerminalStyle

ROUNDS = 40
NAMES = (
    *("linux-6.6-dmesg.txt", "linux-s3-trace.txt", "suspend_stats.txt", "fpdt-tree.txt"),
    *("sleep-study.html", "sleep-study-tables.html", "sleep-study.xml"),
    *("sleep-diagnostics.html", "power-notes.xml", "diagnostics-performance.xml"),
)


@pytest.mark.parametrize("name", NAMES)
def test_damaged_logs(fixtures_dir: Path, tmp_path: Path, name: str) -> None:
    sample = (fixtures_dir / "logs" / name).read_bytes()
    other = (fixtures_dir / "logs" / "every-kind.xml").read_bytes()
    requirement = load_requirement("sysfund-0004")
    path = tmp_path / "damaged"
    answers = 0
    for data in mutations(sum(name.encode()), (sample, sample, other), ROUNDS):
        path.write_bytes(data)
        try:
            judgement = judge_log(read_logs([path]), requirement)
        except RecordError:
            continue
        answers += 1
        document = json.loads("".join(log_document(answered_log(judgement))))
        assert len(document["cycles"]) == len(judgement.cycles)
        assert judgement.verdict.value in "".join(
            log_table(answered_log(judgement), TerminalStyle())
        )
    assert answers > ROUNDS // 5
