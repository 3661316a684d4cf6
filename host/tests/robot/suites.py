"""Runs the suites of robot_tests in this process, and tells what came of each test."""

import io
from dataclasses import dataclass
from pathlib import Path

import robot
from robot.api import ExecutionResult

ROOT = Path(__file__).resolve().parents[3]
SUITES = ROOT / "robot_tests"
ABOUT_THE_DUT = ("sysfund_0004", "display_power_on", "sleep_states", "wake_sources")


@dataclass(frozen=True, slots=True)
class Ran:
    """One test; `status` is PASS, FAIL or SKIP."""

    status: str
    message: str


def run_suites(output: Path, *names: str, **variables: str) -> dict[str, Ran]:
    """Return what became of each test of some suites on the simulated rung, by its name."""
    said = io.StringIO()
    robot.run(
        *(str(SUITES / f"{name}.robot") for name in names),
        variablefile=str(SUITES / "variables" / "sim.py"),
        variable=[f"{name}:{value}" for name, value in variables.items()],
        outputdir=str(output),
        log="NONE",
        report="NONE",
        stdout=said,
        stderr=said,
        loglevel="WARN",
        # States that the OS is told are those of the DUT's OS, not of its character.
        exclude=["needs-os-command", "slow"],
    )
    return results(output / "output.xml")


def results(path: Path) -> dict[str, Ran]:
    """Return what an output.xml tells of each test, by its name."""
    found: dict[str, Ran] = {}
    for test in ExecutionResult(str(path)).suite.all_tests:
        found[test.name] = Ran(test.status, test.message)
    return found
