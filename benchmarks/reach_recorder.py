"""Plugin of pytest: records which test reaches which line, and how long each took.

`mutants.py` starts it. What runs before a test, such as a fixture that a module shares, is noted
for the whole file. MUTANT_REACH names the folder that takes it.
"""

import json
import os
from collections import defaultdict
from pathlib import Path

import coverage
import pytest

FOLDER = Path(os.environ["MUTANT_REACH"])


class Recorder:
    """What one process of pytest records."""

    def __init__(self) -> None:
        self._coverage = coverage.Coverage(
            data_file=str(FOLDER / "reach"),
            data_suffix=True,
            source=["resume_rig"],
            config_file=False,
        )
        quiet = [
            "module-not-measured",
            "module-not-imported",
            "already-imported",
            "no-data-collected",
        ]
        self._coverage.set_option("run:disable_warnings", quiet)
        self._coverage.start()
        self._seconds: dict[str, float] = defaultdict(float)
        self._failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> object:
        """Note what follows for the file: a fixture may serve all its tests."""
        self._coverage.switch_context(item.nodeid.partition("::")[0])
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> object:
        """Note what follows for the test."""
        self._coverage.switch_context(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up what a test takes [s], with its fixtures."""
        self._seconds[report.nodeid] += report.duration
        if not report.passed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write both down."""
        self._coverage.stop()
        self._coverage.save()
        passed = {test: s for test, s in self._seconds.items() if test not in self._failed}
        (FOLDER / f"seconds.{os.getpid()}").write_text(json.dumps(passed))


def pytest_configure(config: pytest.Config) -> None:
    """Record in the processes that run tests."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder())
