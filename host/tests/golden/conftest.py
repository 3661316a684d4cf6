"""Holds new answers against the frozen ones, or freezes them anew."""

from collections.abc import Callable, Iterator

import pytest

from golden.ask import settled
from golden.frozen import Answers, differences, freeze, thawed
from golden.play import Stage

REFRESH = "--refresh"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(REFRESH, action="store_true", help="freeze the golden answers anew")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    changed = [
        text
        for report in terminalreporter.stats.get("passed", ())
        for key, text in report.user_properties
        if key == "golden"
    ]
    if changed:
        terminalreporter.section("golden answers that were frozen anew")
        for text in changed:
            terminalreporter.write_line(text)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Plays each case once a module."""
    with settled(tmp_path_factory.mktemp("golden")):
        yield Stage()


@pytest.fixture
def hold(
    request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> Callable[[str, Answers], None]:
    """Return a function that fails where a case's answers are not the frozen ones."""

    def held(case: str, now: Answers) -> None:
        changed = differences(thawed(case), now)
        if not changed:
            return
        if not request.config.getoption(REFRESH, default=False):
            more = [f"and {len(changed) - 8} more"] if len(changed) > 8 else []
            pytest.fail("\n".join([f"{case} changed:", *changed[:8], *more]), pytrace=False)
        freeze(case, now)
        for text in changed:
            record_property("golden", f"{case}: {text}")

    return held
