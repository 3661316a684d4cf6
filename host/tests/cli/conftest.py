"""The command line works in an empty folder."""

from pathlib import Path

import pytest
from command_line import Command, command_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and the command line works in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs `resume-rig WORDS...`."""
    return command_of(capsys)
