"""The answer of a campaign: why, what to do, what is in doubt, what could not have been seen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.answer.headline import (
    Figures,
    all_ignored,
    bound_sentence,
    decisive_limit,
    failure_bound,
    first_short,
    headline,
    judged_limit,
    limit_figures,
    margin_sentence,
    not_real,
    plain,
    reason_of,
)
from resume_rig.analysis.answer.overview import Overview, middle_of, overview_of
from resume_rig.analysis.findings.groups import (
    FindingGroup,
    ranked_findings,
)
from resume_rig.analysis.findings.kinds import ABOUT, Doubt
from resume_rig.analysis.reconcile.hidden_time import BIOS_IS_WRONG
from resume_rig.analysis.verdict.measures import measure_words
from resume_rig.model.channel import Channel
from resume_rig.model.evidence import SIMULATED
from resume_rig.model.os_record import TRANSITIONS, SleepKind, kind_words
from resume_rig.model.quantity import BoundedNs, rounded_ms
from resume_rig.model.result.answer import (
    Answer,
    Cause,
    CauseKind,
    Counts,
    DoubtKind,
    DoubtOf,
    Reason,
    Standing,
    Subject,
    Team,
    Unseen,
    UnseenKind,
)
from resume_rig.model.result.cycle import Correlation, LevelChange
from resume_rig.model.result.judgement import CampaignFacts, LimitJudgement
from resume_rig.model.result.match import CycleReason
from resume_rig.model.result.verdict import RESUME, FindingKind, Verdict, WhyNot
from resume_rig.model.units import NS_PER_MS, capitalised, count_of

CAUSES_MOST: Final = 3
_UNBOUND: Final = frozenset(
    {
        Reason.SHARE_SHOWN,
        Reason.SHARE_MISSED,
        Reason.SHARE_OPEN,
        Reason.TOO_FEW_MEASURED,
        Reason.SLOW_UNMEASURED,
    }
)
_SAYS_WHY: Final = _UNBOUND | {Reason.NOT_WHOLE, Reason.HAPPENED, Reason.TOO_FEW_CYCLES}
"""Reasons of which the headline is less than the limit's own clause."""


@dataclass(frozen=True, slots=True)
class AnsweredCampaign:
    """A campaign with its answer: what every face of a campaign paints."""

    correlation: Correlation
    facts: CampaignFacts
    overview: Overview
    answer: Answer


def answered_campaign(correlation: Correlation, facts: CampaignFacts) -> AnsweredCampaign:
    """Return a campaign with its answer; its cycles are gone through once."""
    decisive = decisive_limit(correlation.limits)
    overview = overview_of(correlation.cycles, None if decisive is None else decisive.limit)
    counts = _counts(overview)
    groups = ranked_findings(overview.findings)
    reason, figures, sentence = _reason(correlation, facts, overview, counts, decisive)
    trigger = overview.trigger
    judged = None if decisive is None else judged_limit(decisive, trigger, overview.worst)
    answer = Answer(
        verdict=correlation.verdict,
        reason=reason,
        figures=figures,
        headline=sentence,
        why=tuple(_why(correlation, facts, overview, decisive, reason)),
        subject=_subject(facts, overview),
        counts=counts,
        causes=_causes(correlation, overview, counts, groups, reason),
        limit=judged,
        failures=failure_bound(correlation.failures),
        contradictions=tuple(_contradictions(overview, counts, groups)),
        doubts=tuple(_doubts(correlation, facts, overview, counts)),
        unseen=tuple(_unseen(correlation, overview)),
    )
    return AnsweredCampaign(correlation, facts, overview, answer)


def _counts(overview: Overview) -> Counts:
    by: dict[Standing, list[int]] = {}
    for number, standing in zip(overview.numbers, overview.standings, strict=True):
        by.setdefault(standing, []).append(number)
    contradicted: set[int] = set()
    for kind, numbers in overview.contradicted.items():
        if ABOUT[kind].doubt is Doubt.JUDGED_TIME:
            contradicted.update(numbers)
    return Counts(
        total=len(overview.numbers),
        by={standing: tuple(numbers) for standing, numbers in by.items()},
        off_plan=overview.off_plan,
        wrong=(*by.get(Standing.FAILED, ()), *overview.off_plan),
        contradicted=tuple(sorted(contradicted)),
    )


def _reason(
    correlation: Correlation,
    facts: CampaignFacts,
    overview: Overview,
    counts: Counts,
    decisive: LimitJudgement | None,
) -> tuple[Reason, Figures, str]:
    """Return why the verdict is what it is, with its figures, and its sentence."""
    if facts.requirement.real_only and facts.simulated is not False:
        return Reason.NOT_REAL, {"requirement": facts.requirement.id}, not_real(facts.simulated)
    if decisive is None:
        sentence = f"{facts.requirement.id} requires nothing, so nothing is judged."
        return Reason.NOTHING_REQUIRED, {"requirement": facts.requirement.id}, sentence
    if counts.judged:
        reason = reason_of(decisive)
        needed = facts.requirement.evidence_min
        of_limit = limit_figures(decisive, "cycles", overview.trigger, needed)
        return reason, of_limit, headline(reason, of_limit)
    reason = _why_none(correlation, overview, counts)
    n, what = counts.total, measure_words(decisive.limit.measure)
    cycles = count_of(n, "cycle")
    kinds = " or ".join(map(kind_words, facts.requirement.kinds))
    found = ", ".join(f"{many} {kind_words(kind)}" for kind, many in overview.uncovered.items())
    sentences = {
        Reason.NO_TRANSITION: ["No cycle was measured."],
        Reason.ALL_IGNORED: [all_ignored(n, "cycle")],
        Reason.NOT_COVERED: [
            f"No {kinds} here, only {found}.",
            f"{facts.requirement.id} covers none of {cycles}.",
            f"The requirement covers none of {cycles}.",
        ],
        Reason.OTHER_LOG: [f"The log does not match these {cycles}."],
        Reason.MATCH_UNCERTAIN: [f"No OS record matches any of {cycles} for certain."],
        Reason.NO_RECORD: [f"No OS record belongs to any of {cycles}."],
        Reason.NOT_AS_PLANNED: [
            f"{len(counts.off_plan)} of {cycles} not as planned; none is judged."
        ],
        Reason.NOT_MEASURED: [
            f"None of {cycles} has a time: {what}.",
            f"None of {cycles} has a time that can be judged.",
        ],
    }
    figures: Figures = {"n": n, "off_plan": len(counts.off_plan), "what": what}
    return reason, figures, first_short(sentences[reason])


def _why_none(correlation: Correlation, overview: Overview, counts: Counts) -> Reason:
    """Return why no cycle is judged, by what most of them have in common."""
    n, reasons, missing = counts.total, overview.tally.reasons, overview.match.missing
    trials = n - counts.n(Standing.IGNORED)

    def most(count: int) -> bool:
        return 2 * count > trials

    unsure = reasons.get(WhyNot.MATCH_UNCERTAIN, 0)
    tests = (
        (Reason.NO_TRANSITION, not n),
        (Reason.ALL_IGNORED, not trials),
        (Reason.NOT_COVERED, most(counts.n(Standing.NOT_COVERED))),
        (Reason.NOT_AS_PLANNED, most(len(counts.off_plan))),
        (Reason.OTHER_LOG, most(len(missing.get(CycleReason.UNRELATED, ())))),
        (Reason.MATCH_UNCERTAIN, correlation.equal_offsets > 1 or most(unsure)),
        (Reason.NO_RECORD, most(reasons.get(WhyNot.NO_RECORD, 0))),
    )
    return next((reason for reason, holds in tests if holds), Reason.NOT_MEASURED)


def _why(
    correlation: Correlation,
    facts: CampaignFacts,
    overview: Overview,
    decisive: LimitJudgement | None,
    reason: Reason,
) -> Iterator[str]:
    """Yield what the verdict rests on besides its headline."""
    tally, bound = overview.tally, failure_bound(correlation.failures)
    if reason is Reason.DID_NOT_RESUME:
        yield from map(as_sentence, tally.broken())
    if decisive is not None and decisive.worst is not None and decisive.limit.share is None:
        judged = judged_limit(decisive, overview.trigger, overview.worst)
        yield margin_sentence(judged, "cycle")
    if decisive is not None and reason in _SAYS_WHY:
        yield as_sentence(decisive.why)
    if reason in _UNBOUND:
        bound = None  # the limit says it
    if bound is not None and (sentence := bound_sentence(bound, "resumes")):
        yield sentence
    others = [each for each in correlation.limits if each is not decisive]
    further = [each.why for each in others if each.limit.required and each.n]
    clauses = [
        *(tally.broken() if reason is not Reason.DID_NOT_RESUME else ()),
        *further,
        *tally.contradicted(correlation.limits),
        *tally.left_out(facts.requirement),
        *correlation.doubts,
    ]
    if lead := tally.hybrid_lead(facts.requirement):
        yield as_sentence(lead.rstrip(": "))
    yield from map(as_sentence, clauses)


def as_sentence(clause: str) -> str:
    """Return a clause as a sentence."""
    return f"{capitalised(clause.rstrip('.'))}."


def title_of(facts: CampaignFacts) -> str:
    """Return what the DUT is called."""
    names = ("dut_title", "dut_product", "dut", "capture")
    return next((facts.identity[name] for name in names if facts.identity.get(name)), "A campaign")


def _subject(facts: CampaignFacts, overview: Overview) -> Subject:
    identity = facts.identity
    bios = identity.get("dut_bios_version") or identity.get("dut_bios", "")
    systems = dict.fromkeys(each.os_build for each in facts.log_sources if each.os_build)
    times = [at for each in overview.records if (at := each.wake_time_utc_ns) is not None]
    begun = [] if facts.begun_utc_ns is None else [facts.begun_utc_ns]
    named = tuple(dict.fromkeys(each.computer for each in overview.records if each.computer))
    return Subject(
        computers=named if len(named) > 1 else (title_of(facts),),
        builds=(*([f"BIOS {bios}"] if bios else ()), *(f"OS build {each}" for each in systems)),
        kinds=overview.slept,
        first_utc_ns=min((*begun, *times), default=None),
        last_utc_ns=max(times, default=None),
        simulated=facts.simulated,
    )


def _contradictions(
    overview: Overview, counts: Counts, groups: Sequence[FindingGroup]
) -> Iterator[DoubtOf]:
    """Yield what speaks against the time that is judged; of judged cycles where there are any."""
    for group in groups:
        if ABOUT[group.kind].doubt is Doubt.JUDGED_TIME:
            numbers, where = _where(group, overview, counts)
            text = f"{ABOUT[group.kind].title} {where}"
            if (middle := _hidden_in(group.kind, numbers, overview)) is not None:
                words = "hidden" if middle.value_ns > 0 else "too much"
                text = f"BIOS time contradicted: {size_text(middle)} ms {words} {where}"
            yield DoubtOf(DoubtKind.CONTRADICTION, text, numbers, group.kind)


def _where(group: FindingGroup, overview: Overview, counts: Counts) -> tuple[tuple[int, ...], str]:
    """Return which cycles a contradiction is counted in, and how that is said."""
    judged = overview.contradicted.get(group.kind, ())
    if judged:
        return judged, f"in {len(judged)} of {count_of(counts.judged, 'judged cycle')}"
    return _cycles_of(group), f"in {len(_cycles_of(group))} of {count_of(counts.total, 'cycle')}"


def _cycles_of(group: FindingGroup) -> tuple[int, ...]:
    return tuple(dict.fromkeys(member.cycle for member in group.members))


def _hidden_in(kind: FindingKind, numbers: Sequence[int], overview: Overview) -> BoundedNs | None:
    """Return the middle of what clock and wires add to the BIOS times of some cycles."""
    hidden = [overview.hidden[each] for each in numbers if each in overview.hidden]
    return middle_of(hidden) if kind in BIOS_IS_WRONG and hidden else None


def size_text(quantity: BoundedNs) -> str:
    """Return a quantity in ms without its sign, which the words around it have."""
    value, width = rounded_ms(quantity)
    return f"{value.removeprefix('-')} ±{width}"


def _doubts(
    correlation: Correlation, facts: CampaignFacts, overview: Overview, counts: Counts
) -> Iterator[DoubtOf]:
    """Yield why the answer may be doubted otherwise, the gravest first."""
    failed = frozenset(counts.wrong)
    judged = frozenset((*counts[Standing.PASSED], *counts[Standing.MARGINAL]))
    outside = tuple(number for number in counts.off_plan if number not in judged)
    if outside:
        text = f"{count_of(len(outside), 'cycle')} not as planned, not in the verdict"
        yield DoubtOf(DoubtKind.OFF_PLAN, text, outside)
    without = tuple(number for number in overview.match.without if number not in failed)
    if without:
        text = f"{count_of(len(without), 'cycle')} without a record"
        yield DoubtOf(DoubtKind.NO_RECORD, text, without)
    for change in correlation.levels:
        later = tuple(number for number in overview.numbers if number >= change.first_cycle)
        yield DoubtOf(DoubtKind.PARTS, part_text(change), later)
    if correlation.equal_offsets > 1:
        yield DoubtOf(DoubtKind.OFFSETS, "No record matched: several offsets fit alike")
    if "injected" in facts.identity:
        yield DoubtOf(DoubtKind.INJECTED, "Faults injected on purpose")
    if any(not source.integrity.ok for source in facts.log_sources):
        yield DoubtOf(DoubtKind.INCOMPLETE, "Log not complete")
    if any(text.startswith("Salvaged") for text in facts.faults):
        yield DoubtOf(DoubtKind.SALVAGED, "Store salvaged")
    if facts.simulated:
        yield DoubtOf(DoubtKind.SIMULATED, SIMULATED)
    if facts.unfinished:
        yield DoubtOf(DoubtKind.UNFINISHED, "Plan not finished")


_NAME_MOST: Final = 40
"""Letters of a computer's name in a sentence: NetBIOS has 15; a longer one is cut."""


def part_text(change: LevelChange) -> str:
    """Return where a campaign falls in parts, and what that leaves open."""
    moved = [
        f"{what} {abs(by_ns) / NS_PER_MS:.0f} ms {'more' if by_ns > 0 else 'less'}"
        for what, by_ns in (("BIOS init", change.bios_ns), ("residual", change.rest_ns))
        if by_ns is not None
    ]
    whose = [f"records of {change.computer[:_NAME_MOST]}"] if change.computer else []
    text = f"Two parts, from cycle {change.first_cycle} on: {', '.join([*whose, *moved])}"
    if change.light_stayed:
        text += "; the light came as before, so BIOS init is wrong on one side, not known which"
    return text


def _unseen(correlation: Correlation, overview: Overview) -> Iterator[Unseen]:
    """Yield what the evidence could not have shown; never that nothing was found."""
    if not overview.numbers:
        return
    bios = correlation.detectable
    least_ns = None if bios is None else bios.single_ns
    if bios is not None and least_ns is not None:
        text = f"a BIOS time short by less than {-(-least_ns // NS_PER_MS)} ms would not show"
        if bios.suspected_ns is not None and bios.suspected_ns < least_ns:
            text += (
                f"; from {-(-bios.suspected_ns // NS_PER_MS)} ms on it would be suspected, and "
                "show with the OS's time service stopped"
            )
        if bios.checked < bios.n:
            text += f"; {count_of(bios.n - bios.checked, 'cycle')} could not be checked at all"
        yield Unseen(UnseenKind.BIOS_TIME, as_sentence(text), least_ns)
    elif not overview.bios_contradicted:
        what = (
            "no BIOS time is reported" if bios is None else "these logs and signals leave it open"
        )
        text = f"whether BIOS times are right: {what}"
        yield Unseen(UnseenKind.BIOS_TIME, as_sentence(text))
    total, without = len(overview.numbers), len(overview.match.without)
    if without:
        text = f"{without} of {count_of(total, 'cycle')} have no OS record to compare"
        yield Unseen(UnseenKind.RECORDS, as_sentence(text))
    if not overview.light_seen:
        text = "no light was timed, so a display that comes late or stays dark would not show"
        yield Unseen(UnseenKind.DISPLAY, as_sentence(text))
    if overview.health is None or not overview.health.compared:
        text = "whether all devices came back: no health report was taken before and after"
        yield Unseen(UnseenKind.DEVICES, as_sentence(text))
    if Channel.SLP_S4 not in overview.channels:
        text = "without SLP_S4#, the wires do not distinguish S3 from S4"
        yield Unseen(UnseenKind.STATE, as_sentence(text))


def _causes(
    correlation: Correlation,
    overview: Overview,
    counts: Counts,
    groups: Sequence[FindingGroup],
    reason: Reason,
) -> tuple[Cause, ...]:
    """Return at most three things to do, the gravest first: what failed, then what is in doubt."""
    found = [_of_findings(group, correlation, overview, counts) for group in groups]
    graver = sum(ABOUT[group.kind].doubt is Doubt.RESUME for group in groups)
    slow = _too_slow(correlation, overview, counts)
    open_ones = _open(correlation, overview, counts, reason)
    own = [each for each in (slow, open_ones) if each is not None]
    causes = [*found[:graver], *own, *found[graver:]]
    return tuple((causes or _none_found(correlation))[:CAUSES_MOST])


def _of_findings(
    group: FindingGroup, correlation: Correlation, overview: Overview, counts: Counts
) -> Cause:
    kind, numbers = group.kind, _cycles_of(group)
    where = f"in {len(numbers)} of {count_of(counts.total, 'cycle')}"
    about = ABOUT[kind]
    if about.doubt is Doubt.JUDGED_TIME:
        numbers, where = _where(group, overview, counts)
    what, step, time_ns = f"{about.title} {where}.", "", None
    if (middle := _hidden_in(kind, numbers, overview)) is not None:
        way, time_ns = "more" if middle.value_ns > 0 else "less", abs(middle.value_ns)
        what = f"{size_text(middle)} ms {way} passes after PLTRST# than BiosInit reports, {where}."
    elif kind is FindingKind.BIOS_OVER_ADVISED and overview.bios_ms is not None:
        least, most = overview.bios_ms
        advised = next((e.limit for e in correlation.limits if not e.limit.required), None)
        of = "" if advised is None else f", advised {plain(advised.value / NS_PER_MS)} ms"
        what = f"BIOS takes {least} to {most} ms{of}, {where}."
    else:
        step = about.do
    return Cause(
        kind=CauseKind.FINDING,
        owner=about.owner.value,
        what=what,
        step=step,
        numbers=numbers,
        time_ns=time_ns,
        finding=kind,
    )


def _too_slow(correlation: Correlation, overview: Overview, counts: Counts) -> Cause | None:
    """Return who has to shorten what, where resumes are over the limit."""
    limit = decisive_limit(correlation.limits)
    if limit is None or not limit.failed or limit.limit.measure != RESUME:
        return None
    if overview.failed_parts_ms is None:
        return None
    owner, part, took = slower_part(*overview.failed_parts_ms)
    over = plain((limit.worst or 0.0) - limit.limit.value / NS_PER_MS)
    by = f"by {over} ms" if limit.failed == 1 else f"by up to {over} ms"
    many, whole = count_of(limit.failed, "resume"), sum(overview.failed_parts_ms)
    return Cause(
        kind=CauseKind.SLOW,
        owner=owner.value,
        what=f"{many} over the limit, {by}: {part} takes {took:.0f} of {whole:.0f} ms.",
        numbers=counts[Standing.FAILED],
        time_ns=round(took * NS_PER_MS),
    )


def slower_part(bios_ms: float, driver_ms: float) -> tuple[Team, str, float]:
    """Return whose part of a resume takes longer, what it is called, and how long it takes."""
    if bios_ms > driver_ms:
        return Team.FIRMWARE, "the BIOS", bios_ms
    return Team.DRIVER, "device initialization", driver_ms


REQUIREMENT_OF: Final = {
    SleepKind.S4: "s4-20s",
    SleepKind.MODERN_STANDBY: "press-to-light-2s",
    SleepKind.S2IDLE: "press-to-light-2s",
    SleepKind.BOOT: "boot-30s",
}
"""Shipped requirements of kinds that the usual one does not cover."""


def _open(
    correlation: Correlation, overview: Overview, counts: Counts, reason: Reason
) -> Cause | None:
    """Return how a verdict that is neither PASS nor FAIL becomes one of them."""
    if correlation.verdict in (Verdict.PASS, Verdict.FAIL):
        return None
    if correlation.verdict is Verdict.NO_EVIDENCE and overview.uncovered:
        uncovered = _uncovered(overview, counts)
        if uncovered is not None:
            return uncovered
    if reason is Reason.ALL_IGNORED:
        what = "Run more cycles, or judge the ignored ones, too:"
        numbers = counts[Standing.IGNORED]
        return Cause(CauseKind.CYCLES, Team.RIG.value, what, "", "--no-ignore-first", numbers)
    steps = {
        Reason.NEAR: (
            CauseKind.NEAR,
            "is too near the limit for its uncertainty.",
            "Shorten the resume, or lower the uncertainty: the budget names its largest term.",
            "resume-rig correlate STORE --budget",
        ),
        Reason.HIDDEN: (
            CauseKind.NEAR,
            "passes as reported, and may not with the BIOS time that is not reported.",
            "Find out what the BIOS does before it counts its time.",
            "",
        ),
        Reason.SHARE_OPEN: (
            CauseKind.CYCLES,
            "leaves the share open.",
            "Run more cycles.",
            "run --resume",
        ),
    }
    if reason in steps:
        kind, what, step, command = steps[reason]
        numbers = counts[Standing.MARGINAL]
        many = count_of(len(numbers), "cycle") if numbers else "What was measured"
        what = what if len(numbers) == 1 or not numbers else _plural(what)
        owner = Team.FIRMWARE if reason is Reason.HIDDEN else Team.RIG
        return Cause(kind, owner.value, f"{many} {what}", step, command, numbers)
    return _no_evidence(overview, counts, reason)


def _plural(what: str) -> str:
    for one, many in (("is too near", "are too near"), ("passes", "pass"), ("its", "their")):
        what = what.replace(one, many, 1)
    return what


def _uncovered(overview: Overview, counts: Counts) -> Cause | None:
    """Return how to judge cycles of kinds that the requirement does not cover; None of none."""
    kinds = [kind for kind in overview.uncovered if kind in TRANSITIONS]
    if not kinds:
        return None
    named = dict.fromkeys(REQUIREMENT_OF[kind] for kind in kinds if kind in REQUIREMENT_OF)
    own = [kind for kind in kinds if kind not in REQUIREMENT_OF]
    options = [f"--requirement {name}" for name in named]
    options += ["".join(f"--kind {kind} " for kind in own) + "--limit-ms MS"] if own else []
    words = " and ".join(map(kind_words, kinds))
    what = f"The requirement does not cover {words}. To judge it:"
    numbers, command = counts[Standing.NOT_COVERED], " or ".join(options)
    return Cause(CauseKind.COVERAGE, Team.RIG.value, what, "", command, numbers)


_EVIDENCE_STEPS: Final[Mapping[Reason, str]] = {
    Reason.NO_TRANSITION: "Run a campaign, and look why no cycle of this one was finished.",
    Reason.NOT_COVERED: "Name a requirement that covers this kind of sleep.",
    Reason.OTHER_LOG: "Check that it is the log of this unit.",
    Reason.MATCH_UNCERTAIN: "Name one pair that you know: --pair CYCLE=RECORD.",
    Reason.NO_RECORD: "Read the log of the DUT: --log.",
    Reason.NOT_AS_PLANNED: "Look at the first of them: its wires and findings say what happened.",
    Reason.NOTHING_REQUIRED: "Name a requirement with a limit.",
    Reason.NOT_REAL: "Measure a PC at a board: run --rig serial:PORT.",
}


def _no_evidence(overview: Overview, counts: Counts, reason: Reason) -> Cause:
    """Return what is missing for a verdict, and the one step that brings it."""
    numbers = counts.off_plan if reason is Reason.NOT_AS_PLANNED else counts[Standing.UNDECIDED]
    by = overview.tally.reasons
    most = max(by, key=lambda each: by[each], default=None)
    what = "There is nothing to judge."
    if numbers:
        what = f"{count_of(len(numbers), 'cycle')} without evidence."
    step = _EVIDENCE_STEPS.get(reason, "")
    if not step:
        step = "Measure what the requirement limits: its light, its wires or its log are missing."
        if most is WhyNot.NO_RECORD:
            step = _EVIDENCE_STEPS[Reason.NO_RECORD]
    return Cause(CauseKind.EVIDENCE, Team.RIG.value, what, step, "", numbers)


def _none_found(correlation: Correlation) -> list[Cause]:
    rate = correlation.failures
    if rate is None or rate.failures or rate.n >= rate.needed_for_1_percent:
        return []
    left = rate.needed_for_1_percent - rate.n
    what = f"{count_of(left, 'more failure-free cycle')} would demonstrate a rate of at most 1 %."
    return [Cause(CauseKind.CYCLES, Team.RIG.value, what)]
