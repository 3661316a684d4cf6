"""What a Robot Framework run holds: the open rig, its campaigns; the base of all keywords."""

from dataclasses import dataclass, field
from pathlib import Path

from robot.api import logger

from resume_rig.acceptance.assessment import Assessed
from resume_rig.acceptance.bench import BenchInUse
from resume_rig.acceptance.expectations import Expectation, explained_cycle
from resume_rig.acceptance.single_actions import SingleActions
from resume_rig.model.errors import UsageError
from resume_rig.report.text.hostile_text import bounded, encodable, one_line
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
        broken: why campaigns of these names ended; the first failure is said again, not tried.
        told: sentences about the running test, for its message.
        stores: of the running suite, in order.
    """

    use: BenchInUse | None = None
    actions: SingleActions | None = None
    url: str = ""
    dut: str | None = None
    assessed: Assessed | None = None
    named: dict[str, Assessed] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
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
            self.told.append(text)
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
