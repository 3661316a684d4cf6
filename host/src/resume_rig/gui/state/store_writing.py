"""What is made of a whole store, in a process: its answer, its report, exports. Free of Qt."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from resume_rig.acceptance.assessment import assess_store, html_at
from resume_rig.acceptance.evidence import FORMATS, TABLES, WITH_TABLES, Exporter, write_evidence
from resume_rig.acceptance.whole_file import check_place_of, write_whole
from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.campaign.answer.assessment import assess, facts_of
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.campaign.store.store import Store
from resume_rig.model.errors import UsageError
from resume_rig.model.result.cycle import NO_FAILURE, Outcome, OutsideCycle, ReconciledCycle
from resume_rig.model.result.verdict import Finding, FindingKind, Requirement, Verdict
from resume_rig.report.campaign.page import FirstScreen, first_screen
from resume_rig.report.parts.statistics import statistics_sentences
from resume_rig.report.text.wording import outcome_words
from resume_rig.timing.clocks import utc_now_text

MOST_FAILURES: Final = 1_000


@dataclass(frozen=True, slots=True)
class Failure:
    """A cycle that did not go as planned; `text` is that of the finding that explains most."""

    number: int
    outcome: Outcome
    text: str

    @property
    def sentence(self) -> str:
        """The whole of it."""
        return f"cycle {self.number} {outcome_words(self.outcome)}. {self.text}"


def failure_of(cycle: OutsideCycle) -> Failure:
    """Return a cycle that failed, with the text of its proof."""
    return Failure(cycle.number, cycle.outcome, _evidence_text(cycle.findings))


def _evidence_text(findings: Iterable[Finding]) -> str:
    """Return the text of the proof of a hang, which comes last, or of the first finding."""
    texts = {finding.kind: finding.text for finding in reversed(tuple(findings))}
    return texts.get(FindingKind.HUNG) or next(reversed(texts.values()), "")


@dataclass(frozen=True, slots=True)
class CampaignJudged:
    """The campaign's answer.

    Attributes:
        verdict, headline: as `resume-rig run` reports them. why: headline and why as one text.
        sentences: what its times and failures show, with the confidence of each figure.
        report: where the HTML report is.
        outcomes: of all cycles of the store, as they were judged.
        failures: of those, what the window lists; `failed` counts all of them.
        first: the first screen of the report.
    """

    verdict: Verdict
    headline: str
    why: str
    sentences: tuple[str, ...]
    report: Path
    outcomes: Mapping[Outcome, int]
    failures: tuple[Failure, ...]
    failed: int
    first: FirstScreen


Progress = Callable[[int, int], None]

REPORT: Final = "report"
EVIDENCE: Final = "evidence"
_OF_ONE_CYCLE: Final = "vcd"
_TITLES: Final = {
    "junit": "JUnit",
    "csv": "CSV",
    "parquet": "Parquet",
    "vcd": "VCD",
    "trace": "Chrome trace",
    "pwrtest-xml": "PwrTest XML",
}
_SUFFIXES: Final = {"junit": "xml", "trace": "json", "pwrtest-xml": "xml"}


@dataclass(frozen=True, slots=True)
class StoreExport:
    """One thing that can be written of a store, as `resume-rig report` and `export` write it.

    Attributes:
        form: REPORT, EVIDENCE, or one of the formats of `export --to`.
        table: for those that hold a table.
        cycle: for those that hold one cycle.
    """

    form: str
    table: str = ""
    cycle: int = 0

    @property
    def title(self) -> str:
        """What a menu calls it."""
        match self.form:
            case "report":
                return "HTML report"
            case "evidence":
                return "Everything, as a folder of evidence"
        what = f" of the {self.table}" if self.table else ""
        return _TITLES[self.form] + (f" of cycle {self.cycle}" if self.cycle else what)

    @property
    def suffixes(self) -> str:
        """What a dialog for files offers."""
        if self.form == EVIDENCE:
            return "New folder (*)"
        suffix = "html" if self.form == REPORT else _SUFFIXES.get(self.form, self.form)
        return f"{self.title} (*.{suffix})"


def exports_of(cycle: int | None) -> tuple[StoreExport, ...]:
    """Return everything that can be written of a store.

    Args:
        cycle: the one that is shown; None for none.
    """
    found = [StoreExport(REPORT)]
    for form in FORMATS:
        if form in WITH_TABLES:
            found += [StoreExport(form, table) for table in TABLES]
        elif form != _OF_ONE_CYCLE:
            found.append(StoreExport(form))
        elif cycle is not None:
            found.append(StoreExport(form, cycle=cycle))
    return (*found, StoreExport(EVIDENCE))


def conclude(
    progress: Progress, store: Path, requirement: Requirement, report: Path
) -> CampaignJudged:
    """Compute a campaign's answer, and write its HTML report.

    Args:
        progress: not called: how far it is nobody knows.
        store: its path.
        requirement: what it is judged against.
        report: where the report goes.

    Raises:
        RecordError: the store cannot be read.
        UsageError: the report cannot be written.
    """
    del progress
    _check_place(store, report)
    assessed = assess_store(store, requirement, report)
    write_whole(report, html_at(assessed, utc_now_text()))
    campaign, answer = assessed.campaign, assessed.answer
    found, overview = campaign.correlation, campaign.overview
    sentences = statistics_sentences(
        found.series, found.failures, found.limits, "cycle", overview.trigger
    )
    places = {number: place for place, number in enumerate(overview.numbers)}
    wrong = answer.counts.wrong
    drawn = (found.cycles[places[number]] for number in wrong[:MOST_FAILURES])
    return CampaignJudged(
        answer.verdict,
        answer.headline,
        answer.text,
        tuple(sentences),
        report,
        overview.outcome_counts,
        tuple(_judged_failure(cycle) for cycle in drawn),
        len(wrong),
        first_screen(campaign, scripted=False),
    )


def _judged_failure(cycle: ReconciledCycle) -> Failure:
    """Return a cycle that went wrong; one that slept and woke was too slow."""
    failure = failure_of(cycle.outside)
    if cycle.outcome not in NO_FAILURE or cycle.verdict is not Verdict.FAIL:
        return failure
    record = cycle.record
    took = None if record is None else record.resume_ms
    text = "Beyond the limit." if took is None else f"Beyond the limit: resume {took} ms."
    return replace(failure, text=text)


def first_screen_of(
    progress: Progress, store: Path, requirement: Requirement | None
) -> FirstScreen:
    """Return the first screen of a store's report, of the cycles that are there by now.

    Args:
        progress: not called: how far it is nobody knows.
        store: its path; a campaign may be writing to it.
        requirement: what it is judged against; None for the one that it was run for.

    Raises:
        RecordError: the store cannot be read.
    """
    del progress
    stored = load_campaign(store)
    correlation = assess(stored, requirement)
    facts = facts_of(stored, requirement, None, correlation.cycles)
    return first_screen(answered_campaign(correlation, facts), scripted=False)


def write_export(
    progress: Progress, store: Path, requirement: Requirement | None, what: StoreExport, path: Path
) -> None:
    """Write one thing of a store.

    Args:
        progress: not called.
        store: its path.
        requirement: what it is judged against; None for the one that it was run for.
        what: to be written.
        path: of the file, which is replaced; of a folder that is not there yet, for evidence.

    Raises:
        RecordError: the store cannot be read.
        UsageError: it cannot be written.
    """
    _check_place(store, path)
    if requirement is None:
        with Store.open(store) as opened:
            requirement = opened.identity.requirement
    if what.form == REPORT:
        conclude(progress, store, requirement, path)
        return
    exporter = Exporter(store, requirement)
    if what.form == EVIDENCE:
        write_evidence(exporter, path)
    else:
        exporter.write(what.form, path, table=what.table or TABLES[0], cycle=what.cycle)


def _check_place(store: Path, path: Path) -> None:
    check_place_of(path)
    if path.resolve() == store.resolve():
        raise UsageError(
            f"could not write {path}: it would replace the store, which it is made of; name "
            "another file"
        )
