"""What a Robot Framework run holds, the rig and its campaigns, and what log.html shows of it."""

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from robot import result, running
from robot.api import logger

from resume_rig import __version__
from resume_rig.acceptance.assessment import Assessed
from resume_rig.acceptance.bench import BenchInUse
from resume_rig.acceptance.expectations import Expectation, explained_cycle
from resume_rig.acceptance.single_actions import SingleActions
from resume_rig.campaign.store.store import beside_store
from resume_rig.model.errors import UsageError
from resume_rig.model.rig_url import NOT_NAMED, RigUrl
from resume_rig.report.html import embedded_report
from resume_rig.report.text.hostile_text import bounded, encodable, one_line
from resume_rig.report.text.wording import requirement_sentence
from resume_rig.robot.arguments import Refusal

_SENTENCE = 1_500


@dataclass(slots=True)
class Held:
    """State that keywords share.

    Attributes:
        use, actions: the open bench; None while there is none.
        url, dut: as they were given last, for who opens the same bench again.
        assessed: the campaign that is judged now.
        named: campaigns by the names that suites gave them.
        broken: why campaigns of these names ended; the first failure is shown again, not tried.
        sentences: sentences about the running test, for its message.
        stores: of the running suite, in order.
    """

    use: BenchInUse | None = None
    actions: SingleActions | None = None
    url: RigUrl = NOT_NAMED
    dut: str | None = None
    assessed: Assessed | None = None
    named: dict[str, Assessed] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)
    stores: list[Path] = field(default_factory=list)

    def bench(self, doing: str) -> BenchInUse:
        """Return the open bench.

        Raises:
            UsageError: there is none.
        """
        if self.use is None:
            raise UsageError(f"could not {doing}: no rig is open; use `Open Rig` first")
        return self.use

    def hands(self, doing: str) -> SingleActions:
        """Return what moves the DUT; raises as `bench`."""
        use = self.bench(doing)
        if self.actions is None:
            self.actions = SingleActions(use)
        return self.actions

    def campaign(self) -> Assessed:
        """Return the campaign that is judged now.

        Raises:
            UsageError: there is none.
        """
        if self.assessed is None:
            raise UsageError(
                "there is no campaign to judge; use `Run Campaign`, `Run Campaign Once` or "
                "`Load Campaign` first"
            )
        return self.assessed

    def expect(self, found: Expectation) -> str:
        """Log an expectation, and fail with its sentence where it is not met."""
        text = shown(found.text)
        if found.ok:
            self.sentences.append(text)
            logger.info(text)
            return text
        if found.decisive is not None:
            logger.info("\n".join(encodable(line) for line in explained_cycle(found.decisive)))
        raise Refusal(text)

    def close(self) -> None:
        """Let go of the rig, if one is open."""
        use, self.use, self.actions = self.use, None, None
        if use is not None:
            use.close()


def shown(text: str) -> str:
    """Return a sentence fit for a log, wherever its words are from."""
    return encodable(one_line(bounded(text, _SENTENCE), _SENTENCE))


class Keywords:
    """A group of keywords; all groups of one library share what it holds."""

    def __init__(self, held: Held) -> None:
        self._held = held


_HEIGHT_PX = 760


def figures_html(assessed: Assessed) -> str:
    """Return a frame with requirement, verdict, figures and plots; bounded for any campaign.

    The frame has no rights (`sandbox`): its style does not touch the log, and whatever text of a
    DUT is in it can run nothing. The page inside was escaped; here it is once more.
    """
    page = embedded_report(assessed.campaign, "for this log")
    return (
        f'<iframe sandbox="" title="figures of the campaign" loading="lazy" '
        f'style="width:100%;height:{_HEIGHT_PX}px;border:1px solid #999" '
        f'srcdoc="{escape(encodable(page), quote=True)}"></iframe>'
    )


_SENTENCES_MOST = 3
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
        """Begin a test: nothing is shown of it yet."""
        self._held.sentences.clear()

    def end_test(self, _: running.TestCase, test: result.TestCase) -> None:
        """Give a test that passed the figures that it passed by."""
        if test.passed and self._held.sentences and not test.message:
            test.message = shown(" | ".join(self._held.sentences[-_SENTENCES_MOST:]))

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
            report = beside_store(store, ".html")
            if report.is_file():
                suite.metadata[f"Report {number}"] = _link(report)

    def close(self) -> None:
        """Let go of the rig."""
        self._held.close()


def _link(path: Path) -> str:
    """Return a link to a file beside the log, in Robot Framework's markup."""
    name = shown(path.name).translate(str.maketrans("[]|", "___"))
    return f"[{name}|{name}]"
