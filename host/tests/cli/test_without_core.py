"""An installation without the compiled core: logs, stores and boards work, only sim: does not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from served_bench import served

from resume_rig.cli.main import main
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.timing.clocks import SystemClock

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
LOG = str(FIXTURES / "logs" / "two-s3-cycles.xml")
UNDECIDED = 4
CAPTURE = str(FIXTURES / "traces" / "two-s3-cycles.vcd")

# None in sys.modules: an import fails as if there were no such file.
PROGRAM = """
import json, sys
sys.modules["resume_rig._core"] = None
from resume_rig.cli.main import main
print("ENDED", json.dumps([main(words) for words in json.loads(sys.argv[1])]))
"""


def without_core(folder: Path, *commands: list[str]) -> tuple[list[int], str, str]:
    """Return the commands' exit statuses, and all they said on both outputs."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(commands)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "1"},
        timeout=120,
    )
    out, _, statuses = done.stdout.rpartition("ENDED ")
    return json.loads(statuses), out, done.stderr


@pytest.fixture
def store(tmp_path: Path) -> str:
    path = tmp_path / "units" / "one.rrs"
    path.parent.mkdir()
    assert main(["run", "--rig", "sim:clock=virtual,seed=7", "--out", str(path)]) == 0
    return str(path)


def test_logs_and_stores_are_judged(tmp_path: Path, store: str) -> None:
    statuses, out, err = without_core(
        tmp_path,
        ["log", LOG],
        ["correlate", CAPTURE, "--log", LOG],
        ["compare", LOG, str(FIXTURES / "logs" / "four-s3-cycles.xml")],
        ["report", store],
        ["fleet", "units"],
        ["export", store, "--to", "junit", "--out", "junit.xml"],
    )
    assert statuses == [0, 0, UNDECIDED, 0, 0, 0], out + err


def test_a_board_is_used(tmp_path: Path) -> None:
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), SystemClock(), 1)
    with served(bench) as place:
        rig = ["--rig", f"rfc2217:{place}"]
        statuses, out, err = without_core(tmp_path, ["doctor", *rig], ["press", *rig])
    # A busy machine answers late, and doctor says so of the clock.
    assert statuses in ([0, 0], [3, 0]), out
    assert err == "", out
    assert "ok   self-test" in out


@pytest.mark.parametrize(
    "words",
    [
        ["demo"],
        ["doctor", "--rig", "sim:"],
        ["sim", "--tcp", "127.0.0.1:0"],
    ],
    ids=["demo", "doctor", "sim"],
)
def test_the_simulated_bench_says_what_it_lacks(tmp_path: Path, words: list[str]) -> None:
    statuses, out, err = without_core(tmp_path, words)
    assert (statuses, out) == ([2], "")
    assert "needs the firmware's compiled core, and this installation has none" in err
    assert "install a released wheel, or a C compiler (GCC or Clang)" in err
    assert err.count("\n") == 1
