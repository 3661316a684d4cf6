"""What log.html shows of a suite: rig, DUT, requirement, stores, figures and plots.

They stand in a frame without rights (`sandbox`): its style does not touch the log, and whatever
text of a DUT is in it can run nothing. The page inside was escaped; here it is once more.
"""

from html import escape
from pathlib import Path

from robot import result, running

from resume_rig import __version__
from resume_rig.acceptance.assessment import Assessed
from resume_rig.report.html import embedded_report
from resume_rig.report.text.hostile_text import encodable
from resume_rig.report.text.wording import requirement_sentence
from resume_rig.robot.session import Held, shown

_HEIGHT_PX = 760


def figures_html(assessed: Assessed) -> str:
    """Return a frame with requirement, verdict, figures and plots; bounded for any campaign."""
    page = embedded_report(assessed.correlation, assessed.facts, "for this log")
    return (
        f'<iframe sandbox="" title="figures of the campaign" loading="lazy" '
        f'style="width:100%;height:{_HEIGHT_PX}px;border:1px solid #999" '
        f'srcdoc="{escape(encodable(page), quote=True)}"></iframe>'
    )


_TOLD = 3
_STORES = 20


class LogListener:
    """A listener of Robot Framework; it also lets go of a rig that nobody closed."""

    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self, held: Held) -> None:
        self._held = held

    def start_suite(self, data: running.TestSuite, _: result.TestSuite) -> None:
        """Begin a suite: its stores are its own."""
        if data.tests:
            self._held.stores.clear()

    def start_test(self, _: running.TestCase, __: result.TestCase) -> None:
        """Begin a test: nothing is told of it yet."""
        self._held.told.clear()

    def end_test(self, _: running.TestCase, test: result.TestCase) -> None:
        """Give a test that passed the figures that it passed by."""
        if test.passed and self._held.told and not test.message:
            test.message = shown(" | ".join(self._held.told[-_TOLD:]))

    def end_suite(self, data: running.TestSuite, suite: result.TestSuite) -> None:
        """Write what the suite was about into its metadata."""
        held = self._held
        if not data.tests:
            return
        suite.metadata["resume-rig"] = __version__
        if held.use is not None or held.url:
            suite.metadata["Rig"] = shown(held.url)
        if held.assessed is not None and held.stores:
            facts = held.assessed.facts
            suite.metadata["DUT"] = shown(facts.identity.get("dut", ""))
            suite.metadata["Requirement"] = shown(requirement_sentence(facts.requirement))
        for number, store in enumerate(dict.fromkeys(held.stores[-_STORES:]), 1):
            suite.metadata[f"Store {number}"] = _link(store)
            report = store.with_suffix(".html")
            if report.is_file():
                suite.metadata[f"Report {number}"] = _link(report)

    def close(self) -> None:
        """Let go of the rig."""
        self._held.close()


def _link(path: Path) -> str:
    """Return a link to a file beside the log, in Robot Framework's markup."""
    name = shown(path.name).translate(str.maketrans("[]|", "___"))
    return f"[{name}|{name}]"
