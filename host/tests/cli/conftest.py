"""Runs the command line in this process, in an empty folder, and keeps what it said."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and the command line works in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs `resume-rig WORDS...`."""

    def run(*words: str) -> Said:
        capsys.readouterr()
        status = status_of(words)
        captured = capsys.readouterr()
        return Said(status, captured.out, captured.err)

    return run


def status_of(words: Sequence[str]) -> int:
    """Return the exit status, also where argparse ends the program by itself."""
    try:
        return main(list(words))
    except SystemExit as end:
        return int(end.code or 0)
