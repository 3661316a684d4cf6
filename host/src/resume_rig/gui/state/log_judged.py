"""Logs judged by themselves: what a job brings back. Free of Qt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from resume_rig.analysis.advice import Advice, advise
from resume_rig.analysis.judge import judge_log
from resume_rig.analysis.ranking import Ranked, rank
from resume_rig.model.judgement import LogJudgement
from resume_rig.model.os_record import LogReading
from resume_rig.model.requirement import Requirement
from resume_rig.oslog.reading import read_logs


@dataclass(frozen=True, slots=True)
class LogsJudged:
    """What the logs tell; `ranked` are the slowest parts, the longest first."""

    judgement: LogJudgement
    ranked: tuple[Ranked, ...]
    advice: tuple[Advice, ...]


def judge_logs(
    told: Callable[[int, int], None],
    paths: Sequence[Path],
    known: LogReading | None,
    requirement: Requirement,
    ignore_first: bool,
) -> LogsJudged:
    """Read logs and judge them.

    Args:
        told: gets how many files are read, of how many, before each.
        paths: of the logs.
        known: what was read of them before; None to read them.
        requirement: what they are judged against.
        ignore_first: leave the first record out of the verdict.

    Raises:
        RecordError: one cannot be read.
    """
    reading = known
    if reading is None:
        reading = read_logs(paths, told=lambda done: told(done, len(paths)))
    judgement = judge_log(reading, requirement, ignore_first=ignore_first)
    return LogsJudged(judgement, rank(reading.records), advise(reading))
