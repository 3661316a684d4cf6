"""A whole labgrid lab on loopback: a coordinator, an exporter, two simulated rigs, two users."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from labgrid_lab import EXAMPLES, Lab, free_port, process


@pytest.fixture(scope="session")
def labgrid_bin() -> Path:
    """Where labgrid's programs are; `make labgrid-test` makes the place, and names it."""
    named = os.environ.get("RESUME_RIG_LABGRID")
    if named is None:
        pytest.skip("RESUME_RIG_LABGRID names no labgrid; `make labgrid-test` runs these")
    place = Path(named)
    assert (place / "labgrid-coordinator").exists(), f"no labgrid is at {place}"
    return place


@pytest.fixture(scope="session")
def lab(labgrid_bin: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("lab")
    lab = Lab(folder, labgrid_bin, f"127.0.0.1:{free_port()}")
    with ExitStack() as stack:
        for seed, place in enumerate(("laptop7", "laptop8"), start=7):
            log = folder / f"{place}.log"
            words = [sys.executable, "-m", "resume_rig", "sim", "--json", "--seed", str(seed)]
            words += ["--pty", str(folder / place), "--dut", "healthy-laptop"]
            said = stack.enter_context(process(log, words, r"\{.*\}"))
            lab.rigs[place] = str(json.loads(said[0])["rig"])
        (folder / "coordinator").mkdir()
        words = [str(labgrid_bin / "labgrid-coordinator"), "-l", lab.coordinator]
        stack.enter_context(process(folder / "coordinator" / "log", words, "Coordinator ready"))
        words = [str(labgrid_bin / "python"), "-m", "resume_rig.labgrid_rig.exporter"]
        words += ["-c", lab.coordinator, "-n", "lab1", "--hostname", "127.0.0.1"]
        ports = {place.upper(): str(folder / place) for place in lab.rigs}
        stack.enter_context(
            process(
                folder / "exporter.log",
                [*words, str(EXAMPLES / "simulated.yaml")],
                "Exporter ready(.|\n)*queued update for resource laptop8|"
                "queued update for resource laptop8(.|\n)*Exporter ready",
                **ports,
            )
        )
        for place in lab.rigs:
            assert lab.client("admin", "-p", place, "create").status == 0
            assert lab.client("admin", "-p", place, "add-match", f"lab1/{place}/*").status == 0
        yield lab
