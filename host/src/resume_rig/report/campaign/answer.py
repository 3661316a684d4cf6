"""What a campaign's report shows first: title, doubts, four figures, what to do.

`failures` is the section below it: each cycle that went wrong with its wave, record and findings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from resume_rig.analysis.answer.campaign import AnsweredCampaign, title_of
from resume_rig.analysis.findings.groups import findings_of
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.answer import (
    Answer,
    CauseKind,
    DoubtKind,
    DoubtOf,
    Standing,
    UnseenKind,
)
from resume_rig.model.result.cycle import UNREMARKABLE, ReconciledCycle
from resume_rig.model.result.judgement import CampaignFacts, RecordedCycle
from resume_rig.model.result.series import CycleMark, CycleTimes
from resume_rig.model.result.verdict import RESUME, FindingKind, Statistics, Verdict
from resume_rig.model.units import NS_PER_MS, NS_PER_S, capitalised, count_of, percent_up
from resume_rig.report.drawing.wave import WavePicture, wave_picture
from resume_rig.report.parts.answer import unseen_text
from resume_rig.report.parts.page import Tile, TrustBadge
from resume_rig.report.parts.statistics import JUDGED_TIME
from resume_rig.report.text.hostile_text import bounded
from resume_rig.report.text.wording import outcome_words, quantity_text, record_name

MOST_FAILURES: Final = 12
"""Failures that are drawn; the exports have the waves of all."""

_RECORD_TEXT: Final = 1_500


@dataclass(frozen=True, slots=True)
class Failure:
    """One cycle that went wrong.

    Attributes:
        what: in words: the outcome, or the verdict.
        texts: of its findings.
        recovery: what was done to have the DUT awake again, one sentence a step.
        record: the OS record, as one line; "" without one.
        record_text: the beginning of its original text.
        wave: None where no edge was recorded, or the wires are not at hand.
        without_edges: no edge was recorded.
    """

    cycle: int
    what: str
    texts: tuple[str, ...]
    recovery: tuple[str, ...]
    record: str
    record_text: str
    wave: WavePicture | None
    without_edges: bool


def drawn_failures(answer: Answer) -> tuple[int, ...]:
    """Return the cycles whose failures are drawn: the first is *the* failure, and stays first."""
    return answer.counts.wrong[:MOST_FAILURES]


def failures(
    campaign: AnsweredCampaign, recorded: Mapping[int, RecordedCycle]
) -> tuple[Failure, ...]:
    """Return the section.

    Args:
        campaign: with its answer.
        recorded: the wires of those that are drawn, by number.
    """
    wanted = drawn_failures(campaign.answer)
    steps: dict[int, list[str]] = {}
    for number, text in campaign.facts.recoveries:
        steps.setdefault(number, []).append(text)
    places = {number: place for place, number in enumerate(campaign.overview.numbers)}
    cycles = campaign.correlation.cycles
    return tuple(
        _failure(cycles[places[number]], recorded.get(number), steps.get(number, ()))
        for number in wanted
    )


def _failure(
    cycle: ReconciledCycle, recorded: RecordedCycle | None, steps: Sequence[str]
) -> Failure:
    outcome = cycle.outcome
    wave = None if recorded is None else wave_picture(recorded)
    what = outcome_words(outcome) if outcome not in UNREMARKABLE else _over(cycle.record)
    return Failure(
        cycle=cycle.outside.number,
        what=what,
        texts=tuple(finding.text for finding in findings_of(cycle)),
        recovery=tuple(steps),
        record="" if cycle.record is None else record_name(cycle.record),
        record_text="" if cycle.record is None else bounded(cycle.record.text, _RECORD_TEXT),
        wave=wave,
        without_edges=recorded is not None and wave is None,
    )


def _over(record: OsRecord | None) -> str:
    if record is None or record.resume_ms is None:
        return Verdict.FAIL.value
    return f"{Verdict.FAIL.value}: resume {record.resume_ms} ms"


@dataclass(frozen=True, slots=True)
class Action:
    """What somebody should do: who, what, where the evidence is, and with which option if any."""

    owner: str
    text: str
    link: str
    option: str = ""


def subtitle_of(facts: CampaignFacts, cycles: int) -> tuple[str, ...]:
    """Return product, BIOS, state, cycles and date; what is unknown is left out."""
    identity, plan = facts.identity, facts.plan
    bios = identity.get("dut_bios_version") or identity.get("dut_bios", "")
    state, way = plan.get("state"), plan.get("wake_by")
    asked = f"{state} by {str(way).lower()}" if state and way else str(state or "")
    date = ""
    if facts.begun_utc_ns is not None:
        begun = datetime.fromtimestamp(facts.begun_utc_ns // NS_PER_S, UTC)
        date = f"{begun.day} {begun:%b %Y}"
    product = identity.get("dut_product", "")
    parts = (product, f"BIOS {bios}" if bios else "", asked, count_of(cycles, "cycle"), date)
    return tuple(part for part in parts if part and part != title_of(facts))


_ANCHORS: Final = {
    DoubtKind.OFF_PLAN: "#failures",
    DoubtKind.NO_RECORD: "#match",
    DoubtKind.NO_TIME: "#cycles",
    DoubtKind.OFFSETS: "#match",
    DoubtKind.INJECTED: "#identity",
    DoubtKind.INCOMPLETE: "#match",
    DoubtKind.SALVAGED: "#faults",
    DoubtKind.UNFINISHED: "#plan",
    DoubtKind.SIMULATED: "#identity",
    DoubtKind.PARTS: "#cycles",
}
_PLACES: Final = {
    CauseKind.SLOW: "#slowest-cycles",
    CauseKind.NEAR: "#statistics",
    CauseKind.COVERAGE: "#requirement",
    CauseKind.EVIDENCE: "#match",
    CauseKind.CYCLES: "#statistics",
}


def _of_finding(kind: FindingKind | None) -> str:
    return "#findings" if kind is None else f"#finding-{kind.value}"


def _badge(doubt: DoubtOf) -> TrustBadge:
    return TrustBadge(doubt.text, _ANCHORS.get(doubt.kind) or _of_finding(doubt.finding))


def trust_badges(answer: Answer) -> tuple[TrustBadge, ...]:
    """Return why the answer may be doubted, the gravest first."""
    return tuple(map(_badge, (*answer.contradictions, *answer.doubts)))


def actions(answer: Answer) -> tuple[Action, ...]:
    """Return what to do, and where its evidence is."""
    return tuple(
        Action(
            owner=cause.owner,
            text=" ".join(filter(None, (cause.what, cause.step))),
            link=_PLACES.get(cause.kind) or _of_finding(cause.finding),
            option=cause.command,
        )
        for cause in answer.causes
    )


def trigger_title(trigger: str) -> str:
    """Return what a time counts from as it begins a sentence."""
    return "Power button" if trigger == "press" else capitalised(trigger)


_NOT_COUNTED: Final = "no cycle counts"


def figures(campaign: AnsweredCampaign, shown: CycleTimes) -> tuple[Tile, ...]:
    """Return the four figures of the first screen.

    Args:
        campaign: with its answer.
        shown: what the picture of all cycles is of.
    """
    overview = campaign.overview
    title = f"{trigger_title(overview.trigger)} to display on (p50 · p95)"
    lit = Tile(title, "-", _why_no_light(campaign))
    if overview.light is not None:
        judged = "" if campaign.answer.counts.judged else ", not judged"
        text = _figures_text(overview.light, "median_ms", "p95_ms")
        lit = replace(lit, value=text, detail=f"{count_of(overview.light.n, 'cycle')}{judged}")
    return _reported(campaign, shown), _hidden(campaign), lit, _failures(campaign)


def _hidden(campaign: AnsweredCampaign) -> Tile:
    """Return the resume with hidden time, or from where on hidden time would have been seen."""
    whole = campaign.overview.resume_with_hidden
    tile = Tile("Resume with hidden time (p50)", "-", "BIOS time not checked")
    if whole is not None:
        return replace(tile, value=f"{quantity_text(whole)} ms", detail="95 % uncertainty")
    if campaign.overview.bios_impossible:
        return replace(tile, detail="BIOS time impossible")
    bios = next((u for u in campaign.answer.unseen if u.kind is UnseenKind.BIOS_TIME), None)
    if bios is None or bios.least_ns is None:
        return tile
    least_ms = -(-bios.least_ns // NS_PER_MS)
    return replace(tile, value=f"not checkable below {least_ms} ms", detail=bios.text.rstrip("."))


def _why_no_light(campaign: AnsweredCampaign) -> str:
    """Return why there is no time to display on."""
    overview = campaign.overview
    if overview.wakers == {None}:
        return "no trigger seen"
    return _NOT_COUNTED if overview.light_seen or not overview.numbers else "no light timed"


def _reported(campaign: AnsweredCampaign, shown: CycleTimes) -> Tile:
    """Return what the OS reports: of judged cycles, or where none is, of all that are drawn."""
    tile = Tile(f"{JUDGED_TIME} (p50 · p95 · worst)", "-", _NOT_COUNTED)
    resume, drawn = campaign.overview.resume, campaign.overview.drawn_resume
    if resume is not None:
        text = _figures_text(resume, "median_ms", "p95_ms", "max_ms")
        return replace(tile, value=text, detail=count_of(resume.n, "judged cycle"))
    if shown.name != RESUME or drawn is None or not shown.count(CycleMark.TIMED):
        return tile
    text = _figures_text(drawn, "median_ms", "p95_ms", "max_ms")
    return replace(tile, value=text, detail=f"{count_of(drawn.n, 'cycle')}, not judged")


def _figures_text(figures_of: Statistics, *names: str) -> str:
    """Return figures of n times as one text; of one time they are all the same."""
    shown = names[:1] if figures_of.n == 1 else names
    found = (getattr(figures_of, name) for name in shown)
    return f"{' · '.join(f'{ms:.0f}' for ms in found if ms is not None)} ms"


def _failures(campaign: AnsweredCampaign) -> Tile:
    """Return how many judged cycles failed, and what that shows; others stand beside it."""
    answer = campaign.answer
    counts, bound = answer.counts, answer.failures
    more = f"{count_of(counts.n_off_plan, 'cycle')} not as planned" if counts.off_plan else ""
    if bound is None:
        return Tile("Failures", "-", "; ".join(filter(None, ("no cycle is judged", more))))
    failed = counts.n(Standing.FAILED)
    detail = f"at most {percent_up(bound.upper)} of resumes (95 % confidence)"
    open_ones = counts.n(Standing.MARGINAL, Standing.UNDECIDED)
    undecided = f"{open_ones} undecided" if open_ones else ""
    detail = "; ".join(filter(None, (detail, undecided, more)))
    return Tile("Failures", f"{failed} of {counts.judged}", detail)


def unseen_sentences(answer: Answer) -> tuple[str, ...]:
    """Return what the evidence could not have shown."""
    return tuple(map(unseen_text, answer.unseen))
