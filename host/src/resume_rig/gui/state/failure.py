"""A cycle that did not go as planned, in words. Free of Qt."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from resume_rig.model.cycle import Outcome, OutsideCycle
from resume_rig.model.verdict import Finding, FindingKind
from resume_rig.report.wording import outcome_words

MOST_FAILURES: Final = 1_000


@dataclass(frozen=True, slots=True)
class Failure:
    """A cycle that did not go as planned; `text` is the finding that says most."""

    number: int
    outcome: Outcome
    text: str

    @property
    def sentence(self) -> str:
        """The whole of it."""
        return f"cycle {self.number} {outcome_words(self.outcome)}. {self.text}"


def failure_of(cycle: OutsideCycle) -> Failure:
    """Return what is said of a cycle that failed."""
    return Failure(cycle.number, cycle.outcome, _telling(cycle.findings))


def _telling(findings: Iterable[Finding]) -> str:
    """Return the text of the proof of a hang, which comes last, or of the first finding."""
    texts = {finding.kind: finding.text for finding in reversed(tuple(findings))}
    return texts.get(FindingKind.HUNG) or next(reversed(texts.values()), "")
