"""Tests of the lake need its extra: `make lab-test` has it, in an environment of its own."""

import os
import sys
from pathlib import Path

import pytest
from command_line import Command, command_of

from resume_rig.cli.main import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which the command line works, with a queue of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RESUME_RIG_LAKE_QUEUE", str(tmp_path / "queue"))
    return tmp_path


@pytest.fixture
def command(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs `resume-rig WORDS...` in this process."""
    return command_of(capsys)


@pytest.fixture(scope="session")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sound units and a slow one."""
    folder = tmp_path_factory.mktemp("stores")
    for name, seed, words in (
        ("one", 1, []),
        ("two", 2, []),
        ("three", 3, ["--dut", "slow-laptop"]),
    ):
        rig = ["--rig", f"sim:clock=virtual,seed={seed}", "--cycles", "6", "--progress", "quiet"]
        assert main(["run", *rig, "--out", str(folder / f"{name}.rrs"), *words]) in (0, 1)
    return folder


@pytest.fixture(scope="session")
def lab_environment() -> dict[str, str]:
    """The environment of a process that is to run this program."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
