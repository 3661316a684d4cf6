"""A campaign as JUnit XML: a case for the requirement and one for each limit, not for a cycle.

FAIL and MARGINAL are failures, NO-EVIDENCE is an error: a build that proves nothing is not green.
Advice never fails; without evidence it is skipped, which is not green either.
"""

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from resume_rig.analysis.answer.campaign import AnsweredCampaign
from resume_rig.analysis.verdict.limits import UPPER, limit_in_unit, limit_text
from resume_rig.model.result.cycle import FAILED, NO_ANSWER, TRIED, Outcome
from resume_rig.model.result.judgement import CampaignFacts, LimitJudgement
from resume_rig.model.result.verdict import BIOS, WHOLE, Verdict
from resume_rig.model.units import count_of
from resume_rig.report.text.findings import cycle_ranges
from resume_rig.report.text.hostile_text import encodable, one_line


def junit_pieces(campaign: AnsweredCampaign, started_utc: str) -> Iterator[str]:
    """Yield the document in pieces.

    Args:
        campaign: with its answer.
        started_utc: ISO 8601 of the campaign's begin.
    """
    facts = campaign.facts
    cases = [*_cases(campaign), _plan(facts)]
    failures, errors, skipped = (
        len([case for case in cases if f"<{element} " in case])
        for element in ("failure", "error", "skipped")
    )
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    yield '<?xml version="1.0" encoding="utf-8"?>\n'
    yield f'<testsuites name="resume-rig" {counts}>\n'
    yield (
        f"  <testsuite name={_attribute(facts.requirement.id)} {counts} "
        f"timestamp={_attribute(started_utc)}>\n    <properties>\n"
    )
    for name, value in facts.identity.items():
        yield f"      <property name={_attribute(name)} value={_attribute(value)}/>\n"
    for outcome, count in facts.outcomes.items():
        yield f'      <property name={_attribute(f"outcome {outcome}")} value="{count}"/>\n'
    for doubt in (*campaign.answer.contradictions, *campaign.answer.doubts):
        yield f'      <property name="doubt" value={_attribute(doubt.text)}/>\n'
    yield "    </properties>\n"
    yield from cases
    yield "  </testsuite>\n</testsuites>\n"


def _cases(campaign: AnsweredCampaign) -> Iterator[str]:
    answer, requirement = campaign.answer, campaign.facts.requirement
    problem = _problem(answer.verdict, answer.headline)
    yield _case(requirement.id, requirement.title, problem, answer.text)
    for each in campaign.correlation.limits:
        yield _limit(each, requirement.id) if each.limit.required else _advice(each, requirement.id)
    overview = campaign.overview
    outcomes = list(zip(overview.numbers, overview.outcomes, strict=True))
    if not any(each.limit.measure == WHOLE for each in campaign.correlation.limits):
        broken = [each for each in outcomes if each[1] in FAILED & TRIED]
        yield _listed(requirement.id, "every cycle slept and came back", "failure", broken)
    unfinished = [each for each in outcomes if each[1] in NO_ANSWER]
    yield _listed(requirement.id, "every cycle was measured whole", "error", unfinished)


def _limit(found: LimitJudgement, suite: str) -> str:
    """Return the case of one required limit, as it is judged."""
    name = "came back whole" if found.limit.measure == WHOLE else limit_text(found.limit)
    return _case(suite, name, _problem(found.verdict, found.why), found.why)


def _advice(found: LimitJudgement, suite: str) -> str:
    """Return the case of one that is advised; without evidence it is skipped."""
    name, advised = f"{limit_text(found.limit)} (advised)", "advised limit"
    if found.limit.measure == BIOS:
        advised = f"advised {limit_in_unit(found.limit):g} ms"
        name = f"BIOS within {limit_in_unit(found.limit):g} ms (advised)"
    if found.verdict is Verdict.NO_EVIDENCE:
        return _case(suite, name, f"      <skipped message={_attribute(found.why)}/>\n", found.why)
    text = f"{found.failed} of {count_of(found.n, 'cycle')} above the {advised}"
    if found.limit.comparison not in UPPER:
        text = f"{found.failed} of {count_of(found.n, 'cycle')} below the {advised}"
    if found.marginal:
        text += f", {found.marginal} undecided"
    return _case(suite, name, "", f"{text}; advice never fails")


def _plan(facts: CampaignFacts) -> str:
    """Return the case of a campaign that ran to its end; one that broke off is an error."""
    text = facts.plan_state or ""
    problem = _element("error", "unfinished", text) if facts.unfinished else ""
    return _case(facts.requirement.id, "the plan was done to its end", problem, text)


def _listed(suite: str, name: str, element: str, cycles: list[tuple[int, Outcome]]) -> str:
    if not cycles:
        return _case(suite, name, "", "")
    ranges = cycle_ranges([number for number, _ in cycles])
    outcomes = ", ".join(sorted({outcome.value for _, outcome in cycles}))
    message = f"{count_of(len(cycles), 'cycle')}: {ranges} ({outcomes})"
    return _case(suite, name, _element(element, outcomes, message), message)


def _problem(verdict: Verdict, why: str) -> str:
    match verdict:
        case Verdict.PASS:
            return ""
        case Verdict.NO_EVIDENCE:
            return _element("error", verdict.value, why)
        case _:
            return _element("failure", verdict.value, why)


def _element(name: str, kind: str, message: str) -> str:
    return f"      <{name} type={_attribute(kind)} message={_attribute(message)}/>\n"


def _case(suite: str, name: str, problem: str, output: str) -> str:
    out = f"      <system-out>{escape(_clean(output))}</system-out>\n" if output else ""
    return (
        f"    <testcase classname={_attribute(f'resume-rig.{suite}')} name={_attribute(name)}>\n"
        f"{problem}{out}    </testcase>\n"
    )


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return encodable(one_line(text, 2_000))
