"""The table that S3Resume.vbs prints: BIOS Init, Driver Init and Total of each transition."""

import re
from typing import Final

from resume_rig.model.os_record import OsRecord, SleepKind, WakeSource
from resume_rig.oslog.source.lines import LogLines, head_text
from resume_rig.oslog.source.problems import Problem, ProblemTally
from resume_rig.oslog.source.request import SourceReading, SourceRequest

KIND: Final = "s3resume"

_TITLE: Final = re.compile(r"Transition\s*#\s*\|\s*BIOS\s*Init\s*\|\s*Driver\s*Init\s*\|\s*Total")
_ROW: Final = re.compile(
    r"\s*([0-9]{1,9})(\s*\(ignored\))?[\s|]+([0-9]{1,9})[\s|]+([0-9]{1,9})[\s|]+([0-9]{1,9})[\s|]*",
    re.IGNORECASE,
)


def is_s3resume_text(head: bytes) -> bool:
    """Whether a file that begins so holds S3Resume's table and is not this project's own."""
    text = head_text(head)
    title = _TITLE.search(text)
    return title is not None and "Verdict" not in text[title.end() : title.end() + 20]


def read_s3resume_text(request: SourceRequest) -> SourceReading:
    """Return the OS records of S3Resume's output: all of them S3, times of day unknown.

    The row that S3Resume marks as ignored is a record that says so: the script's own minimum,
    maximum and average leave it out, and so does every judgement.

    Raises:
        OSError: the file cannot be read.
    """
    tally = ProblemTally()
    records: list[OsRecord] = []
    wrong_sums = 0
    in_table = False
    for line in LogLines(request.path, tally):
        if _TITLE.search(line) is not None:
            in_table = True
        row = _ROW.fullmatch(line) if in_table else None
        if row is None:
            if in_table and line[:1].isdecimal():
                tally.count(Problem.BAD_NUMBER)
            continue
        records.append(_record(request, row, line))
        wrong_sums += int(row[3]) + int(row[4]) != int(row[5])
    _report(tally, records, wrong_sums)
    return request.answer(records, KIND, tally.integrity(), count=len(records))


def _record(request: SourceRequest, row: re.Match[str], line: str) -> OsRecord:
    return OsRecord(
        source=request.source,
        record_id=int(row[1]),
        kind=SleepKind.S3,
        sleep_time_utc_ns=None,
        wake_time_utc_ns=None,
        written_utc_ns=None,
        sleep_ms=None,
        wake_ms=None,
        driver_init_ms=int(row[4]) or None,
        bios_init_ms=int(row[3]) or None,
        firmware_resume_ms=None,
        firmware_resume_count=None,
        hiber_read_ms=None,
        hiber_write_ms=None,
        hiber_pages=None,
        wake_source=WakeSource(None, "unknown", ""),
        target_state=4,
        effective_state=4,
        text=line if request.keep_text else "",
        ignored=row[2] is not None,
    )


def _report(tally: ProblemTally, records: list[OsRecord], wrong_sums: int) -> None:
    if wrong_sums:
        tally.report(
            f"In {wrong_sums} of {len(records)} rows BIOS Init and Driver Init do not add up to"
            " Total, so one of the three is wrong there.",
            damage=True,
        )
    if not records:
        tally.report("The table has no row, so it shows nothing.", damage=False)
