"""What the first screen answers where a campaign is not as planned, not covered, or very short."""

from dataclasses import replace
from typing import Any

import pytest

from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.analysis.verdict.ruling import is_uncovered
from resume_rig.model.os_record import SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Correlation, Outcome
from resume_rig.model.result.verdict import Finding, FindingKind, NotJudged, Verdict, WhyNot
from resume_rig.report.campaign.page import FirstScreen, first_screen
from resume_rig.report.html import campaign_report

MS = 1_000_000
OTHER = NotJudged.of(
    WhyNot.OTHER_KIND, requirement="sysfund-0004", covers="S3 and hybrid sleep", asked="S4"
)


def screen(samples: Any, correlation: Correlation) -> FirstScreen:
    return first_screen(answered_campaign(correlation, samples.facts()))


def s4(samples: Any, number: int) -> Any:
    """Return a cycle of S4, which the requirement does not cover, slower than every S3."""
    cycle = samples.cycle(number, bios_ms=1_800, drivers_ms=700, light_ms=5_000.0)
    return replace(
        cycle,
        outside=replace(cycle.outside, asked=SleepKind.S4),
        record=replace(cycle.record, kind=SleepKind.S4),
        verdict=Verdict.NO_EVIDENCE,
        judged=False,
        unjudged=OTHER,
    )


def test_the_median_and_the_slowest_of_a_mix_are_of_what_is_judged(samples: Any) -> None:
    cycles = [samples.cycle(1), s4(samples, 2), samples.cycle(3, drivers_ms=1_100)]
    cycles += [s4(samples, 4), samples.cycle(5, drivers_ms=1_200), s4(samples, 6)]
    found = screen(samples, samples.correlation(cycles))
    assert found.phases is not None
    assert found.marks is not None
    assert [(p.key, p.number) for p in found.phases.panels] == [("median", 3), ("slowest", 5)]
    assert found.marks.shown.marks == ".-.-.-"
    assert found.marks.picture.summary.startswith(
        "6 cycles, 3 not counted (pale): 1248 to 1405 ms; none above the limit of 2000 ms"
    )
    assert found.marks.picture.limit_label == "limit 2000 ms"


def test_what_the_requirement_does_not_cover_has_no_limit_and_an_action(samples: Any) -> None:
    correlation = samples.correlation([s4(samples, n) for n in (1, 2, 3)], Verdict.NO_EVIDENCE)
    found = screen(samples, correlation)
    assert found.marks is not None
    assert found.marks.picture.limit_at is None
    assert "above the limit" not in found.marks.picture.summary
    assert found.phases is not None
    assert all(panel.limit is None for panel in found.phases.panels)
    reported, _, light, _ = found.figures
    assert (reported.value, reported.detail) == ("2500 · 2500 · 2500 ms", "3 cycles, not judged")
    assert (light.value, light.detail) == ("5000 · 5000 ms", "3 cycles, not judged")
    (action,) = found.actions
    assert action.text == "The requirement does not cover S4. To judge it:"
    assert action.option == "--requirement s4-20s"
    assert SleepKind.S4 in load_requirement("s4-20s").kinds
    assert "<code>--requirement s4-20s</code>" in campaign_report(
        answered_campaign(correlation, samples.facts()), ""
    )


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        (SleepKind.MODERN_STANDBY, "--requirement press-to-light-2s"),
        (SleepKind.S2IDLE, "--requirement press-to-light-2s"),
        (SleepKind.BOOT, "--requirement boot-30s"),
        (SleepKind.S1, "--kind S1 --limit-ms MS"),
    ],
)
def test_each_kind_has_an_option_that_judges_it(samples: Any, kind: SleepKind, option: str) -> None:
    cycle = s4(samples, 1)
    cycle = replace(cycle, record=replace(cycle.record, kind=kind))
    (action,) = screen(samples, samples.correlation([cycle], Verdict.NO_EVIDENCE)).actions
    assert action.option == option
    if option.startswith("--requirement"):
        assert kind in load_requirement(option.split()[1]).kinds


def test_the_only_cycle_that_was_ignored_is_drawn_and_says_what_to_do(samples: Any) -> None:
    correlation = samples.correlation([samples.cycle(ignored=True)], Verdict.NO_EVIDENCE)
    found = screen(samples, correlation)
    assert found.marks is not None
    assert found.marks.picture.summary == "1 cycle, not counted (pale)."
    assert [tile.detail for tile in found.figures][:1] == ["no cycle counts"]
    assert [action.option for action in found.actions] == ["--no-ignore-first"]


def test_figures_of_one_cycle_are_one_figure(samples: Any) -> None:
    found = screen(samples, samples.correlation([samples.cycle(1)]))
    assert [tile.value for tile in found.figures[::2]] == ["1248 ms", "1421 ms"]
    assert found.marks is not None
    assert found.marks.picture.summary.startswith("1 cycle: 1248 ms; none above")


def test_a_cycle_that_is_not_in_the_verdict_and_did_not_go_as_planned_is_a_badge(
    samples: Any,
) -> None:
    alone = samples.cycle(2)
    alone = replace(
        alone,
        outside=replace(alone.outside, outcome=Outcome.WOKE_ALONE),
        judged=False,
        unjudged=NotJudged(WhyNot.NOT_OURS),
    )
    found = screen(samples, samples.correlation([samples.cycle(1), alone]))
    assert [badge.text for badge in found.trust] == ["1 cycle not as planned, not in the verdict"]
    assert found.trust[0].link == "#failures"
    hang = screen(samples, samples.with_a_hang())
    assert not any("not as planned" in badge.text for badge in hang.trust)


@pytest.mark.parametrize(("hidden_ms", "words"), [(231, "hidden"), (-100, "too much")])
def test_a_contradiction_has_a_size_and_no_sign(samples: Any, hidden_ms: int, words: str) -> None:
    under = hidden_ms > 0
    kind = FindingKind.BIOS_UNDER_REPORTED if under else FindingKind.BIOS_OVER_REPORTED
    evidence = {"hidden_ns": hidden_ms * MS, "bound_ns": 50 * MS, "cycles": 60}
    finding = Finding(kind, "Clock and wires contradict the BIOS time.", evidence)
    found = screen(samples, samples.correlation([samples.cycle(findings=[finding])]))
    text = found.trust[0].text
    assert text == f"BIOS time contradicted: {abs(hidden_ms)} ±48 ms {words} in 1 of 1 judged cycle"


def test_the_table_has_the_figures_of_the_picture_where_the_bios_under_reports(
    samples: Any,
) -> None:
    evidence = {"hidden_ns": 231 * MS, "bound_ns": 50 * MS, "cycles": 60}
    finding = Finding(FindingKind.BIOS_UNDER_REPORTED, "231 ms are hidden.", evidence)
    cycle = replace(
        samples.cycle(findings=[finding]), press_to_resume_complete=None, light_after_complete=None
    )
    facts = replace(samples.facts(), reset_to_tsc=BoundedNs(25 * MS, 15 * MS))
    correlation = samples.correlation([cycle])
    found = first_screen(answered_campaign(correlation, facts))
    assert found.phases is not None
    assert found.phases.panels[0].bars[2].note == "complete 1838 ±48 ms"
    row = campaign_report(answered_campaign(correlation, facts), "").partition('data-n="1"')[2]
    cells = row.partition("</tr>")[0].replace("<i>", "").replace("</i>", "")
    assert "<td>231 ±48</td><td>1838 ±48</td><td>-417 ±48</td>" in cells


def test_a_resume_over_the_limit_is_one(samples: Any) -> None:
    assert is_uncovered(s4(samples, 1))
    assert not is_uncovered(samples.cycle(ignored=True))
