"""A plan over all rigs of a tag: eight simulated ones, two of which break, and one page."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from labgrid_lab import PATIENCE_S, ROOT, Lab, clean_environment, free_port, process

EXAMPLE = ROOT / "examples" / "lab"
NAMES = [f"rig{number}" for number in range(1, 9)]
TAKEN, DIE = NAMES[5], NAMES[6:]


@pytest.fixture(scope="session")
def lab_program() -> Path:
    """Where resume-rig with the extra lab is; `make labgrid-test` names it."""
    named = os.environ.get("RESUME_RIG_LAB")
    if named is None:
        pytest.skip("RESUME_RIG_LAB names no environment with the lake; `make labgrid-test` does")
    return Path(named) / "python"


@pytest.fixture(scope="module")
def eight(labgrid_bin: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("eight")
    lab = Lab(folder, labgrid_bin, f"127.0.0.1:{free_port()}")
    with ExitStack() as stack:
        for seed, place in enumerate(NAMES):
            words = [sys.executable, "-m", "resume_rig", "sim", "--json", "--seed", str(seed)]
            words += ["--pty", str(folder / place), "--dut", "healthy-laptop"]
            said = stack.enter_context(process(folder / f"{place}.log", words, r"\{.*\}"))
            lab.rigs[place] = str(json.loads(said[0])["rig"])
        (folder / "coordinator").mkdir()
        words = [str(labgrid_bin / "labgrid-coordinator"), "-l", lab.coordinator]
        stack.enter_context(process(folder / "coordinator" / "log", words, "Coordinator ready"))
        rigs = "".join(f"{n}:\n  RawResumeRig:\n    port: {folder / n}\n" for n in NAMES)
        (folder / "rigs.yaml").write_text(rigs)
        words = [str(labgrid_bin / "python"), "-m", "resume_rig.labgrid_rig.exporter"]
        words += ["-c", lab.coordinator, "-n", "lab1", "--hostname", "127.0.0.1"]
        stack.enter_context(
            process(folder / "exporter.log", [*words, str(folder / "rigs.yaml")], "Exporter ready")
        )
        for place in NAMES:
            assert lab.client("admin", "-p", place, "create").status == 0
            assert lab.client("admin", "-p", place, "add-match", f"lab1/{place}/*").status == 0
            tags = ("pool=nightly", "dut=healthy-laptop")
            assert lab.client("admin", "-p", place, "set-tags", *tags).status == 0
        yield lab


def pid_of(place: str) -> int:
    """Return the process that simulates a rig."""
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"sim" in words and any(word.endswith(f"/{place}".encode()) for word in words):
            return int(entry.parent.name)
    raise AssertionError(f"no process simulates {place}")


@pytest.mark.timeout(1800)  # a rig that died is waited for, 300 s
def test_a_plan_runs_on_all_free_rigs_and_two_that_break_cost_only_their_own(
    eight: Lab, lab_program: Path
) -> None:
    # One is taken by somebody else, and keeps its place.
    assert eight.client("bob", "-p", TAKEN, "acquire").status == 0
    resume_rig = eight.folder / "resume-rig"
    resume_rig.write_text(f'#!/bin/sh\nexec {lab_program} -m resume_rig "$@"\n')
    resume_rig.chmod(0o755)
    words = ["--tag", "pool=nightly", "--plan", str(EXAMPLE / "plan.toml"), "--lake", "lake"]
    words += ["--lab", str(resume_rig), "--wait", "20"]
    with subprocess.Popen(
        [str(eight.bin / "python"), str(EXAMPLE / "run_plan.py"), *words],
        cwd=eight.folder,
        env=clean_environment(
            LG_COORDINATOR=eight.coordinator, LG_HOSTNAME="night-pc", LG_USERNAME="night"
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as plan:
        for _ in range(PATIENCE_S * 25):
            if all(list((eight.folder / "stores").glob(f"{place}-*.rrs")) for place in DIE):
                break
            time.sleep(0.2)
        time.sleep(2)
        for place in DIE:
            os.kill(pid_of(place), 9)
        said, _ = plan.communicate(timeout=8 * PATIENCE_S)
    eight.client("bob", "-p", TAKEN, "release", "-k")

    became = dict(re.findall(r"^(rig\d): (.*)$", said, re.MULTILINE))
    expected = {**dict.fromkeys(NAMES[:5], "PASS"), **dict.fromkeys(DIE, "broke")}
    assert {place: became[place] for place in expected} == expected, said
    assert became[TAKEN].startswith("taken by somebody")
    assert plan.returncode == 3
    page = (eight.folder / "lab.html").read_text("utf-8")
    assert "1.08" in page
    assert page.count("href=") >= 1
    asked = subprocess.run(
        [str(resume_rig), "query", "lake", "SELECT count(*) FROM campaigns", "--json"],
        cwd=eight.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    # What the rigs that died measured until then is kept, too.
    assert json.loads(asked.stdout)["rows"] == [[7]]
    free = eight.client("admin", "places").said
    assert "night" not in free
