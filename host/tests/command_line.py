"""Runs the command line in this process, and keeps what it said."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from resume_rig.cli.main import main


@dataclass(frozen=True)
class Said:
    """What one command did."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.out)
        return found


Command = Callable[..., Said]


def status_of(words: Sequence[str]) -> int:
    """Return the exit status, also where argparse ends the program by itself."""
    try:
        return main(list(words))
    except SystemExit as end:
        return int(end.code or 0)


def command_of(capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs `resume-rig WORDS...`."""

    def run(*words: str) -> Said:
        capsys.readouterr()
        status = status_of(words)
        captured = capsys.readouterr()
        return Said(status, captured.out, captured.err)

    return run
