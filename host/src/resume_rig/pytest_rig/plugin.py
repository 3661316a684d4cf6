"""The pytest plugin: options, markers, fixtures. It loads nothing of the rig before a test asks.

pytest finds it by its entry point wherever resume-rig is installed.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from resume_rig.acceptance.assessment import Assessed
    from resume_rig.acceptance.bench import BenchInUse
    from resume_rig.pytest_rig.running import Dut

_MARKERS = (
    "requirement(id): what campaigns of this test are judged against, for example sysfund-0004",
    "needs(part, ...): channels and actuators without which this test is skipped, for example LID",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("resume-rig", "resumes of PCs, timed from outside")
    group.addoption(
        "--rig", metavar="URL", help="the rig, as `resume-rig run --rig` takes it; tests skip else"
    )
    group.addoption("--dut", metavar="PROFILE", help="name or path of the DUT's profile")
    group.addoption(
        "--dut-log", metavar="SOURCE", help="the DUT's log: file, folder, ssh:USER@HOST"
    )
    group.addoption(
        "--rig-out", metavar="FOLDER", default="resume-rig-out", help="where stores and reports go"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers, and refuse a rig of no name.

    Tests without a rig are skipped, which is green: a variable that is not set must not lead there.
    """
    if config.getoption("--rig") == "":
        raise pytest.UsageError("--rig is empty; is the variable that it comes from not set?")
    for marker in _MARKERS:
        config.addinivalue_line("markers", marker)


@pytest.fixture(scope="session")
def rig(request: pytest.FixtureRequest) -> "Iterator[BenchInUse]":
    """The open rig of `--rig`, the same for all tests of this process."""
    url = request.config.getoption("--rig")
    if url is None:
        pytest.skip("no rig: name one with --rig URL, for example --rig sim:clock=virtual")
    from resume_rig.acceptance.bench import open_bench
    from resume_rig.model.errors import ResumeRigError

    try:
        bench = open_bench(url, request.config.getoption("--dut"))
    except ResumeRigError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    try:
        yield bench
    finally:
        bench.close()


@pytest.fixture
def dut(rig: "BenchInUse", request: pytest.FixtureRequest) -> "Dut":
    """The DUT on the rig, for one press, one move of the lid, one sleep, one wake."""
    from resume_rig.pytest_rig.running import Dut

    _skip_without(rig, request)
    return Dut(rig)


@pytest.fixture
def campaign(rig: "BenchInUse", request: pytest.FixtureRequest) -> "Callable[..., Assessed]":
    """Return a function that runs a campaign and returns its answer.

    `campaign(cycles=100, wake_by="lid", dwell="30 s")`: `plan`, and every word of a plan by its
    key, as docs/reference/plans.md has them. The marker `requirement` names what it is judged
    against; JUnit gets store, requirement, verdict and worst times as properties.
    """
    _skip_without(rig, request)

    def run(**words: Any) -> "Assessed":
        __tracebackhide__ = True
        from resume_rig.model.errors import ResumeRigError
        from resume_rig.pytest_rig.running import properties_of, run_campaign_by_words

        folder = Path(request.config.getoption("--rig-out"))
        log = request.config.getoption("--dut-log")
        try:
            answer = run_campaign_by_words(
                rig,
                words,
                folder=folder,
                test=request.node.nodeid,
                requirement=_requirement_of(request),
                log=log,
            )
        except ResumeRigError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        request.node.user_properties += properties_of(answer)
        return answer

    return run


def _requirement_of(request: pytest.FixtureRequest) -> str:
    from resume_rig.model.result.verdict import USUAL_REQUIREMENT

    marker = request.node.get_closest_marker("requirement")
    return str(marker.args[0]) if marker is not None and marker.args else USUAL_REQUIREMENT


def _skip_without(bench: "BenchInUse", request: pytest.FixtureRequest) -> None:
    from resume_rig.pytest_rig.running import parts_named

    for marker in request.node.iter_markers("needs"):
        try:
            lacking = bench.lacks(parts_named(marker.args))
        except ValueError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        if lacking is not None:
            pytest.skip(lacking)
