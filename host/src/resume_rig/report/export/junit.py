"""A campaign as JUnit XML: one case a requirement, not a cycle.

FAIL and MARGINAL are failures, NO-EVIDENCE is an error: a build that proves nothing is not green.
Advice never fails; without evidence it is skipped, which is not green either.
"""

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from resume_rig.analysis.answer.campaign import AnsweredCampaign
from resume_rig.model.result.cycle import FAILED, NO_ANSWER, TRIED, Correlation, Outcome
from resume_rig.model.result.judgement import CampaignFacts
from resume_rig.model.result.verdict import BIOS, Verdict
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
    if requirement.bios_advised_ms is not None:
        yield _advice(campaign.correlation, requirement.id, requirement.bios_advised_ms)
    overview = campaign.overview
    outcomes = list(zip(overview.numbers, overview.outcomes, strict=True))
    broken = [each for each in outcomes if each[1] in FAILED & TRIED]
    yield _listed(requirement.id, "every cycle slept and came back", "failure", broken)
    unfinished = [each for each in outcomes if each[1] in NO_ANSWER]
    yield _listed(requirement.id, "every cycle was measured whole", "error", unfinished)


def _advice(correlation: Correlation, suite: str, advised_ms: int) -> str:
    """Return the case of the advised BIOS time, as it is judged; without evidence it is skipped."""
    name = f"BIOS within {advised_ms} ms (advised)"
    advised = (each for each in correlation.limits if not each.limit.required)
    found = next((each for each in advised if each.limit.measure == BIOS), None)
    if found is None or found.verdict is Verdict.NO_EVIDENCE:
        text = "not measured in any judged cycle" if found is None else found.why
        return _case(suite, name, f"      <skipped message={_attribute(text)}/>\n", text)
    text = f"{found.failed} of {count_of(found.n, 'cycle')} above the advised {advised_ms} ms"
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
