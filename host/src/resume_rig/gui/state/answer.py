"""What a campaign came to: its answer, and what did not go as planned, in words. Free of Qt."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resume_rig.model.result.cycle import Outcome, OutsideCycle
from resume_rig.model.result.verdict import Finding, FindingKind, Verdict
from resume_rig.report.campaign.page import FirstScreen
from resume_rig.report.text.wording import outcome_words

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


@dataclass(frozen=True, slots=True)
class CampaignJudged:
    """The campaign's answer.

    Attributes:
        verdict, why: as `resume-rig run` tells them.
        sentences: what its times and failures show, with the confidence of each figure.
        report: where the HTML report is.
        outcomes: of all cycles of the store, as they were judged.
        failures: of those, what the window lists; `failed` counts all of them.
        first: the first screen of the report.
    """

    verdict: Verdict
    why: str
    sentences: tuple[str, ...]
    report: Path
    outcomes: Mapping[Outcome, int]
    failures: tuple[Failure, ...]
    failed: int
    first: FirstScreen
