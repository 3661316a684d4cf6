"""A report of powercfg as one text: bounded, because it is a page that a browser has to show."""

from pathlib import Path
from typing import Final

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event_text import encoding_of
from resume_rig.oslog.problems import ProblemTally

SIZE_LIMIT_BYTES: Final = 16 << 20
"""A week of a busy laptop makes some MiB."""


def read_report(path: Path, tally: ProblemTally) -> str:
    """Return a report's text.

    Raises:
        RecordError: it is larger than 16 MiB.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(SIZE_LIMIT_BYTES + 1)
    if len(data) > SIZE_LIMIT_BYTES:
        raise RecordError(
            f"could not read {path}: found a report of more than 16 MiB, allowed are 16 MiB;"
            " powercfg /duration makes shorter ones"
        )
    try:
        return data.decode(encoding_of(data)).lstrip("\ufeff")
    except UnicodeDecodeError:
        tally.tell("The report holds bytes not valid in its encoding.", damage=True)
    return data.decode(encoding_of(data), errors="replace").lstrip("\ufeff")


def head_text(head: bytes) -> str:
    """Return a file's beginning as text to recognise it by."""
    return head.decode(encoding_of(head), errors="replace").lstrip("\ufeff \t\r\n")
