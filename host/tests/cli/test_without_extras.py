"""An installation of the core alone, as a wheel gives it: every export but Parquet works."""

import csv
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from resume_rig.acceptance.evidence import FORMATS, TABLES
from resume_rig.cli.main import main

ROOT = Path(__file__).resolve().parents[3]

# None in sys.modules: an import fails as if there were no such package.
PROGRAM = """
import json, sys
sys.modules.update(dict.fromkeys(json.loads(sys.argv[1])))
from resume_rig.cli.main import main
print("ENDED", json.dumps([main(words) for words in json.loads(sys.argv[2])]))
"""


def names_of(requirements: list[str]) -> set[str]:
    return {re.split(r"[^\w.-]", one)[0].replace("_", "-").lower() for one in requirements}


def extras() -> list[str]:
    """Return what this environment can import, and a base installation does not bring."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    optional = [one for extra in project["optional-dependencies"].values() for one in extra]
    wanted = names_of(optional) - names_of(project["dependencies"])
    installed = packages_distributions().items()
    return sorted(module for module, names in installed if wanted & names_of(names))


def without_extras(folder: Path, *commands: list[str]) -> tuple[list[int], str]:
    """Return the commands' exit statuses, and what they said on the second output."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(extras()), json.dumps(commands)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "1"},
        timeout=120,
    )
    return json.loads(done.stdout.rpartition("ENDED ")[2]), done.stderr


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("base") / "night.rrs"
    words = ["--rig", "sim:clock=virtual,seed=3", "--cycles", "2", "--out", str(path)]
    assert main(["run", *words]) == 0
    return str(path)


def test_what_is_missing_here_is_missing_there() -> None:
    assert {"duckdb", "PySide6", "pyarrow"} & set(extras())
    assert "numpy" not in extras()


def test_every_export_but_parquet_works(tmp_path: Path, store: str) -> None:
    forms = [form for form in FORMATS if form != "parquet"]
    words = {form: ["--cycle", "1"] if form == "vcd" else [] for form in forms}
    commands = [["export", store, "--to", form, "--out", form, *words[form]] for form in forms]
    commands += [
        ["export", store, "--to", "csv", "--table", table, "--out", f"{table}.csv"]
        for table in TABLES
    ]
    commands.append(["export", store, "--evidence", "all"])
    statuses, err = without_extras(tmp_path, *commands)
    assert statuses == [0] * len(commands), err
    with (tmp_path / "cycles.csv").open(encoding="utf-8", newline="") as stream:
        assert [row["cycle"] for row in csv.DictReader(stream)] == ["1", "2"]
    assert (tmp_path / "all" / "cycles.csv").read_bytes() == (tmp_path / "csv").read_bytes()
    assert (tmp_path / "all" / "report.html").stat().st_size > 0


def test_parquet_says_what_it_needs(tmp_path: Path, store: str) -> None:
    words = ["export", store, "--to", "parquet", "--out", "night.parquet"]
    statuses, err = without_extras(tmp_path, words)
    assert statuses == [2]
    assert "the package duckdb is not installed" in err
    assert "Traceback" not in err
    assert not (tmp_path / "night.parquet").exists()
