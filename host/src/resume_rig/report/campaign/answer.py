"""What a campaign's report answers first: verdict with margin, doubts, figures, what to do.

`failures` is the section below it: each cycle that went wrong with its wave, record and findings.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import median
from typing import Final

from resume_rig.analysis.findings.explanations import explained
from resume_rig.analysis.reconcile.hidden_time import BIOS_IS_WRONG, hidden_bios
from resume_rig.analysis.verdict.ruling import is_uncovered
from resume_rig.model.os_record import TRANSITIONS, OsRecord, SleepKind, kind_words
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import UNREMARKABLE, Correlation, ReconciledCycle
from resume_rig.model.result.judgement import CampaignFacts, RecordedCycle
from resume_rig.model.result.series import CycleMark, CycleTimes
from resume_rig.model.result.verdict import RESUME, FindingKind, Verdict
from resume_rig.model.units import NS_PER_MS, NS_PER_S, count_of, percent_up
from resume_rig.report.drawing.axis import outside_milestones, trigger_word
from resume_rig.report.drawing.wave import WavePicture, wave_picture
from resume_rig.report.parts.page import Tile, TrustBadge
from resume_rig.report.parts.statistics import (
    CampaignSummary,
    decisive_limit,
    first_clause,
    limit_sentence,
    summary_of,
)
from resume_rig.report.text.findings import (
    Doubt,
    FindingGroup,
    Team,
    doubt_of,
    findings_of,
    ranked_findings,
    team_of,
    title_of_kind,
)
from resume_rig.report.text.hostile_text import bounded
from resume_rig.report.text.wording import capitalised, outcome_words, quantity_text, record_name

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


def failed_numbers(cycles: Sequence[ReconciledCycle]) -> tuple[int, ...]:
    """Return the cycles whose failures are drawn: the first is *the* failure, and stays first."""
    return tuple(cycle.outside.number for cycle in cycles if is_failure(cycle))[:MOST_FAILURES]


def is_failure(cycle: ReconciledCycle) -> bool:
    """Return whether a cycle went wrong: by its wires, or by its verdict where that counts."""
    if cycle.outside.outcome not in UNREMARKABLE:
        return True
    return cycle.judged and cycle.verdict is Verdict.FAIL


def failures(
    cycles: Sequence[ReconciledCycle],
    recorded: Mapping[int, RecordedCycle],
    recoveries: Iterable[tuple[int, str]] = (),
) -> tuple[Failure, ...]:
    """Return the section.

    Args:
        cycles: of the campaign.
        recorded: the wires of those that are drawn, by number.
        recoveries: as in `CampaignFacts`.
    """
    wanted = set(failed_numbers(cycles))
    steps: dict[int, list[str]] = {}
    for number, text in recoveries:
        steps.setdefault(number, []).append(text)
    return tuple(
        _failure(cycle, recorded.get(cycle.outside.number), steps.get(cycle.outside.number, ()))
        for cycle in cycles
        if cycle.outside.number in wanted
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


ACTIONS_MOST: Final = 3


@dataclass(frozen=True, slots=True)
class Action:
    """What somebody should do: who, what, where the evidence is, and with which option if any."""

    owner: str
    text: str
    link: str
    option: str = ""


def title_of(facts: CampaignFacts) -> str:
    """Return what the DUT is called."""
    names = ("dut_title", "dut_product", "dut", "capture")
    return next((facts.identity[name] for name in names if facts.identity.get(name)), "A campaign")


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


def answer_sentence(correlation: Correlation) -> str:
    """Return the verdict in one sentence, with its margin; what it rests on where none is timed."""
    trigger = trigger_word(correlation.cycles)
    return limit_sentence(correlation.limits, trigger=trigger) or first_clause(correlation.why)


def confidence_sentences(correlation: Correlation) -> tuple[str, ...]:
    """Return what the number of cycles proves, in small print."""
    rate = correlation.failures
    if rate is None or not rate.n:
        rest = correlation.why.partition("; ")[2].rstrip(".")
        return (f"{capitalised(rest)}.",) if rest else ()
    sentences = [f"At most {percent_up(rate.upper)} of resumes fail (95 % confidence)."]
    if rate.upper >= 1:
        sentences = []
    if not rate.failures and rate.n < rate.needed_for_1_percent:
        sentences.append(f"{rate.needed_for_1_percent} failure-free cycles would demonstrate 1 %.")
    if rate.undecided:
        sentences.append(f"{count_of(rate.undecided, 'cycle')} without evidence counted as failed.")
    return tuple(sentences)


def hidden_of(cycles: Sequence[ReconciledCycle]) -> dict[int, BoundedNs]:
    """Return what clock and wires add to the BIOS time of each cycle that they contradict."""
    found = ((cycle.outside.number, hidden_bios(cycle)) for cycle in cycles)
    return {number: hidden for number, hidden in found if hidden is not None}


def trust_badges(
    correlation: Correlation, facts: CampaignFacts, groups: Sequence[FindingGroup]
) -> tuple[TrustBadge, ...]:
    """Return why the answer may be doubted, the gravest first; nothing where there is nothing."""
    total = len(correlation.cycles)
    badges = [
        TrustBadge(_contradiction(group, correlation, total), f"#finding-{group.kind.value}")
        for group in groups
        if doubt_of(group.kind) is Doubt.JUDGED_TIME
    ]
    wrong = [c for c in correlation.cycles if is_failure(c) and not c.judged]
    if wrong:
        many = count_of(len(wrong), "cycle")
        badges.append(TrustBadge(f"{many} not as planned, not in the verdict", "#failures"))
    lost = [c for c in correlation.cycles if c.record is None and not is_failure(c)]
    if lost:
        badges.append(TrustBadge(f"{count_of(len(lost), 'cycle')} without a record", "#match"))
    if correlation.equal_offsets > 1:
        badges.append(TrustBadge("No record matched: several offsets fit alike", "#match"))
    if "injected" in facts.identity:
        badges.append(TrustBadge("Faults injected on purpose", "#identity"))
    if any(not source.integrity.ok for source in facts.log_sources):
        badges.append(TrustBadge("Log not complete", "#match"))
    if any(text.startswith("Salvaged") for text in facts.faults):
        badges.append(TrustBadge("Store salvaged", "#faults"))
    if facts.unfinished:
        badges.append(TrustBadge("Plan not finished", "#plan"))
    return tuple(badges)


def _contradiction(group: FindingGroup, correlation: Correlation, total: int) -> str:
    many = f"in {len(group.members)} of {total}"
    hidden = hidden_of(correlation.cycles)
    if group.kind in BIOS_IS_WRONG and hidden:
        middle = _middle(hidden.values())
        words = "hidden" if middle.value_ns > 0 else "too much"
        return f"BIOS time contradicted: {_size(middle)} ms {words} {many}"
    return f"{title_of_kind(group.kind)} {many}"


def _size(quantity: BoundedNs) -> str:
    """Return a quantity without its sign, which the words around it have."""
    return quantity_text(quantity).removeprefix("-")


def _middle(hidden: Collection[BoundedNs]) -> BoundedNs:
    return sorted(hidden, key=lambda each: each.value_ns)[(len(hidden) - 1) // 2]


def resume_with_hidden(correlation: Correlation) -> BoundedNs | None:
    """Return the median cycle's OS-reported resume with what is hidden; None where nothing is."""
    whole = [
        BoundedNs(each.record.resume_ms * NS_PER_MS, NS_PER_MS) + hidden
        for each in correlation.cycles
        if each.judged
        and each.record is not None
        and each.record.resume_ms is not None
        and (hidden := hidden_bios(each)) is not None
    ]
    return _middle(whole) if whole else None


def trigger_title(trigger: str) -> str:
    """Return what a time counts from as it begins a sentence."""
    return "Power button" if trigger == "press" else capitalised(trigger)


_NOT_COUNTED: Final = "no cycle counts"


def figures(
    correlation: Correlation, shown: CycleTimes, summary: CampaignSummary, trigger: str
) -> tuple[Tile, ...]:
    """Return the four figures of the first screen.

    Args:
        correlation: of the campaign.
        shown: what the picture of all cycles is of.
        summary: over the cycles that count.
        trigger: what the times of the wires count from.
    """
    whole = resume_with_hidden(correlation)
    hidden = Tile("Resume with hidden time (p50)", "-", _bios_not_checked(correlation))
    if whole is not None:
        hidden = replace(hidden, value=f"{quantity_text(whole)} ms", detail="95 % uncertainty")
    elif correlation.detectable is not None and correlation.detectable.constant_ns is not None:
        least_ms = -(-correlation.detectable.constant_ns // NS_PER_MS)
        detail = f"{least_ms} ms or more in all cycles would show"
        hidden = replace(hidden, value="none found", detail=detail)
    light = summary.light
    title = f"{trigger_title(trigger)} to display on (p50 · p95)"
    lit = Tile(title, "-", _why_no_light(correlation.cycles))
    if light is not None:
        judged = "" if summary.judged else ", not judged"
        text = _figures_text(light.n, light.median_ms, light.p95_ms)
        lit = replace(lit, value=text, detail=f"{count_of(light.n, 'cycle')}{judged}")
    return _reported(summary, shown), hidden, lit, _failures(correlation)


def _bios_not_checked(correlation: Correlation) -> str:
    """Return why nothing can be said of hidden time."""
    if any(cycle.bios_impossible for cycle in correlation.cycles):
        return "BIOS time impossible"
    return "BIOS time not checked"


def _why_no_light(cycles: Collection[ReconciledCycle]) -> str:
    """Return why there is no time to display on."""
    if cycles and all(cycle.outside.wake_by is None for cycle in cycles):
        return "no trigger seen"
    timed = any(outside_milestones(cycle.outside).light is not None for cycle in cycles)
    return _NOT_COUNTED if timed or not cycles else "no light timed"


def _reported(summary: CampaignSummary, shown: CycleTimes) -> Tile:
    """Return what the OS reports: of judged cycles, or where none is, of all that are drawn."""
    tile = Tile("OS-reported resume (p50 · p95 · worst)", "-", _NOT_COUNTED)
    resume = summary.resume
    if resume is not None:
        text = _figures_text(resume.n, resume.median_ms, resume.p95_ms, resume.max_ms)
        return replace(tile, value=text, detail=count_of(resume.n, "judged cycle"))
    times_ms = [
        ms for ms, mark in zip(shown.times_ms, shown.marks, strict=True) if mark == CycleMark.TIMED
    ]
    if shown.name != RESUME or not times_ms:
        return tile
    found = summary_of(times_ms)
    assert found is not None
    text = _figures_text(len(times_ms), found.median_ms, found.p95_ms, found.max_ms)
    return replace(tile, value=text, detail=f"{count_of(len(times_ms), 'cycle')}, not judged")


def _figures_text(n: int, *figures_ms: float | None) -> str:
    """Return figures of n times as one text; of one time they are all the same."""
    shown = figures_ms[:1] if n == 1 else figures_ms
    return f"{' · '.join(f'{ms:.0f}' for ms in shown if ms is not None)} ms"


def _failures(correlation: Correlation) -> Tile:
    rate = correlation.failures
    wrong = sum(map(is_failure, correlation.cycles))
    if rate is not None:
        detail = f"at most {percent_up(rate.upper)} of resumes (95 % confidence)"
        if more := sum(is_failure(cycle) and not cycle.judged for cycle in correlation.cycles):
            detail += f"; {more} more not as planned"
        return Tile("Failures", f"{rate.failures} of {rate.n}", detail)
    if wrong:
        total = len(correlation.cycles)
        return Tile("Failures", f"{wrong} of {total}", "not as planned; no cycle is judged")
    return Tile("Failures", "-", "no cycle is judged")


def actions(correlation: Correlation, groups: Sequence[FindingGroup]) -> tuple[Action, ...]:
    """Return at most three things to do, the gravest first: what failed, then what is in doubt."""
    total = len(correlation.cycles)
    ranked = ranked_findings(groups)
    found = [_of_findings(group, correlation, total) for group in ranked]
    graver = sum(doubt_of(group.kind) is Doubt.RESUME for group in ranked)
    slow = _too_slow(correlation)
    unjudged = _uncovered(correlation) if correlation.verdict is Verdict.NO_EVIDENCE else None
    first = [each for each in (slow, unjudged) if each is not None]
    more = [*found[:graver], *first, *found[graver:]]
    if not more:
        more = _nothing_found(correlation)
    return tuple(more[:ACTIONS_MOST])


def _of_findings(group: FindingGroup, correlation: Correlation, total: int) -> Action:
    kind = group.kind
    many = f"{len(group.members)} of {total}"
    link = f"#finding-{kind.value}"
    meaning = explained(kind)
    do = "" if meaning is None else meaning.do
    if kind in BIOS_IS_WRONG and (hidden := hidden_of(correlation.cycles)):
        middle = _middle(hidden.values())
        way = "more" if middle.value_ns > 0 else "less"
        text = f"{_size(middle)} ms {way} passes after PLTRST# than BiosInit reports"
        return Action(team_of(kind).value, f"{text} ({many} cycles).", link)
    if kind is FindingKind.BIOS_OVER_ADVISED:
        times = [
            c.record.bios_init_ms
            for c in correlation.cycles
            if c.record is not None and c.record.bios_init_ms is not None
        ]
        advised = next((e.limit for e in correlation.limits if not e.limit.required), None)
        if times and advised is not None:
            text = f"BIOS takes {min(times)} to {max(times)} ms, advised"
            text += f" {advised.value / NS_PER_MS:g} ms ({many} cycles)."
            return Action(team_of(kind).value, text, link)
    text = f"{title_of_kind(kind)} in {many} cycles. {do}".strip()
    return Action(team_of(kind).value, text, link)


def _too_slow(correlation: Correlation) -> Action | None:
    """Return who has to shorten what, where resumes are over the limit."""
    limit = decisive_limit(correlation.limits)
    if limit is None or not limit.failed or limit.limit.measure != RESUME:
        return None
    failed = (c.record for c in correlation.cycles if c.judged and c.verdict is Verdict.FAIL)
    records = [record for record in failed if record is not None and record.resume_ms is not None]
    if not records:
        return None
    bios = median(record.bios_init_ms or 0 for record in records)
    drivers = median(record.driver_init_ms or 0 for record in records)
    owner, part, took = (
        (Team.FIRMWARE, "the BIOS", bios)
        if bios > drivers
        else (Team.DRIVER, "device initialization", drivers)
    )
    over = (limit.worst or 0) - limit.limit.value / NS_PER_MS
    by = f"by {over:g} ms" if limit.failed == 1 else f"by up to {over:g} ms"
    text = f"{count_of(limit.failed, 'resume')} over the limit, {by}: {part} takes"
    return Action(owner.value, f"{text} {took:.0f} of {bios + drivers:.0f} ms.", "#slowest-cycles")


_REQUIREMENT_OF: Final = {
    SleepKind.S4: "s4-20s",
    SleepKind.MODERN_STANDBY: "press-to-light-2s",
    SleepKind.S2IDLE: "press-to-light-2s",
    SleepKind.BOOT: "boot-30s",
}
"""Shipped requirements of kinds that the usual one does not cover."""


def _uncovered(correlation: Correlation) -> Action | None:
    """Return how to judge cycles of kinds that the requirement does not cover; None of none."""
    cycles = [cycle for cycle in correlation.cycles if is_uncovered(cycle)]
    found = Counter(c.outside.asked if c.record is None else c.record.kind for c in cycles)
    kinds = [kind for kind in found if kind is not None and kind in TRANSITIONS]
    if not kinds:
        return None
    named = dict.fromkeys(_REQUIREMENT_OF[kind] for kind in kinds if kind in _REQUIREMENT_OF)
    own = [kind for kind in kinds if kind not in _REQUIREMENT_OF]
    options = [f"--requirement {name}" for name in named]
    options += ["".join(f"--kind {kind} " for kind in own) + "--limit-ms MS"] if own else []
    words = " and ".join(map(kind_words, kinds))
    text = f"The requirement does not cover {words}. To judge it:"
    return Action(Team.RIG.value, text, "#requirement", " or ".join(options))


def _no_evidence(correlation: Correlation) -> Action:
    cycles = correlation.cycles
    if cycles and all(cycle.outside.ignored for cycle in cycles):
        text = "Run more cycles, or judge the ignored ones, too:"
        return Action(Team.RIG.value, text, "#cycles", "--no-ignore-first")
    return Action(Team.RIG.value, first_clause(correlation.why), "#match")


def _nothing_found(correlation: Correlation) -> list[Action]:
    if correlation.verdict is Verdict.NO_EVIDENCE:
        return [_no_evidence(correlation)]
    rate = correlation.failures
    if rate is not None and not rate.failures and rate.n < rate.needed_for_1_percent:
        left = rate.needed_for_1_percent - rate.n
        text = f"Nothing is wrong; {left} more failure-free cycles would demonstrate 1 %."
        return [Action(Team.RIG.value, text, "#statistics")]
    return []
