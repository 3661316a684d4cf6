import re
from dataclasses import replace
from typing import Any

import pytest

from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.analysis.answer.headline import headline, limit_figures
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.analysis.verdict.series import series_statistics
from resume_rig.model.channel import Actuator
from resume_rig.model.result.answer import Reason, UnseenKind
from resume_rig.model.result.cycle import DetectableBios
from resume_rig.model.result.judgement import CampaignFacts, LimitJudgement
from resume_rig.model.result.verdict import RESUME, Finding, FindingKind, Verdict
from resume_rig.report.campaign.answer import figures
from resume_rig.report.campaign.terminal import correlation_table, cycle_line
from resume_rig.report.parts.statistics import statistics_sentences
from resume_rig.report.text.terminal_style import TerminalStyle

FACTS = CampaignFacts(
    store_path="night.rrs",
    report_path=None,
    identity={},
    plan={},
    outcomes={},
    faults=(),
    requirement=load_requirement("sysfund-0004"),
)


def text_of(correlation: Any, *, show_all: bool = False, **style: Any) -> str:
    return "".join(
        correlation_table(
            answered_campaign(correlation, FACTS), TerminalStyle(**style), show_all=show_all
        )
    )


def test_a_wide_table_has_every_interval_with_its_uncertainty(samples: Any) -> None:
    text = text_of(samples.four_cycles(), width=170)
    assert "press→SLP_S3#       →PWR_OK      →PLTRST#    →display on" in text
    row = next(line for line in text.splitlines() if re.match(r" +2  ", line))
    assert " ".join(row.split()) == (
        "2 52.31 ±0.02 231.77 ±0.02 333.67 ±0.02 1420.60 ±0.53 205 1043 1248 1607 ±15 PASS"
    )


def test_the_ignored_cycle_is_marked_and_has_no_verdict(samples: Any) -> None:
    text = text_of(samples.four_cycles(), width=170)
    row = next(line for line in text.splitlines() if line.startswith("1 (ignored)"))
    assert row.endswith("ignored")


def test_findings_are_counted_in_the_row_and_told_below(samples: Any) -> None:
    text = text_of(samples.four_cycles(), width=170)
    assert re.search(r"^ +3 .*PASS +1$", text, re.MULTILINE)
    assert "cycle 3: BIOS took 262 ms; at most 250 ms is advised." in text


def test_the_answer_comes_first_and_the_clock_on_request(samples: Any) -> None:
    lines = text_of(samples.four_cycles()).splitlines()
    assert lines[0] == "PASS: 3 of 3 resumes within 2000 ms; the worst 1268 ms."
    clock = "OS clock minus host clock: -1.412 s ±0.500 s, drift +12.2 ppm."
    assert clock not in lines
    assert lines[-1] == "Every cycle, statistics and clocks: --all."
    assert text_of(samples.four_cycles(), show_all=True).splitlines()[-1] == clock


@pytest.mark.parametrize("width", [80, 100, 120, 150])
@pytest.mark.parametrize("unicode", [True, False], ids=["Unicode", "ASCII"])
def test_lines_fit_the_terminal(samples: Any, width: int, unicode: bool) -> None:
    text = text_of(samples.with_a_hang(), width=width, unicode=unicode)
    assert max(map(len, text.splitlines())) <= width
    assert unicode or text.isascii()


def test_what_gives_way_to_a_narrow_terminal_is_said(samples: Any) -> None:
    lines_go = text_of(samples.with_a_hang(), width=90).replace("\n  ", " ")
    assert "Too narrow for the columns press→SLP_S3#, →PWR_OK" in lines_go
    assert "Uncertainties are left out" not in lines_go
    widths_go = text_of(samples.with_a_hang(), width=60).replace("\n  ", " ")
    assert "Too narrow for uncertainties." in widths_go


def test_outcomes_have_a_column_where_any_cycle_went_otherwise(samples: Any) -> None:
    assert "slept and woke" not in text_of(samples.four_cycles(), width=170)
    assert "never woke" in text_of(samples.with_a_hang(), width=60)


def test_hangs_far_down_a_long_campaign_lead_the_table(samples: Any) -> None:
    hung = {2_500, 2_600, 2_700}
    cycles = [samples.never_woke(n) if n in hung else samples.cycle(n) for n in range(1, 5_001)]
    text = text_of(samples.correlation(cycles, Verdict.FAIL), width=170)

    rows = re.findall(r"^ *(\d+)  (never|slept)", text, re.MULTILINE)
    assert rows[:3] == [("2500", "never"), ("2600", "never"), ("2700", "never")]
    assert {word for _, word in rows[3:]} == {"slept"}
    assert text.startswith("FAIL: 3 of 5000 cycles did not resume.\n")


def test_a_cycle_that_never_woke_has_dashes_and_a_verdict(samples: Any) -> None:
    text = text_of(samples.with_a_hang(), width=170)
    row = next(line for line in text.splitlines() if line.startswith("3  never woke"))
    assert row.split()[3:] == ["-"] * 8 + ["FAIL", "1"]
    assert "Cycles without an OS record: 3-4." in text


def test_records_without_a_cycle_are_named_up_to_ten(samples: Any) -> None:
    records = tuple(samples.unmatched(n) for n in range(12))
    text = text_of(replace(samples.four_cycles(), unmatched_records=records))
    assert "OS records without a cycle: record 790 (S3), " in text
    assert "and 2 more" in text


def test_a_long_table_shows_what_failed_then_the_slowest_and_what_the_rest_came_to(
    samples: Any,
) -> None:
    found = samples.long_campaign(500)
    text = text_of(found, width=170)
    rows = [int(n) for n in re.findall(r"^ *(\d+)  +[a-z]", text, re.MULTILINE)]
    failed = [c.outside.number for c in found.cycles if c.verdict is Verdict.FAIL]
    totals = {c.outside.number: c.record.resume_ms for c in found.cycles if c.record is not None}
    slowest = sorted(set(totals) - set(failed), key=lambda n: (-totals[n], n))
    assert rows == [*failed, *sorted(slowest[: 12 - len(failed)])]
    left = "12 of 500 cycles: what went wrong, then the slowest; 488 are left out here (488 PASS)."
    assert left in text.replace("\n  ", " ")


def test_all_cycles_and_findings_are_shown_on_request(samples: Any) -> None:
    findings = [Finding(FindingKind.UNEXPLAINED, "Nobody knows.", {"n": n}) for n in range(300)]
    cycles = [samples.cycle(n, findings=[f]) for n, f in enumerate(findings, start=1)]
    brief, whole = (text_of(samples.correlation(cycles), show_all=a) for a in (False, True))
    assert brief.count("Nobody knows.") == 3
    assert "and 297 more of this kind" in brief
    assert whole.count("Nobody knows.") == 300
    assert "left out here" not in whole


def test_a_lid_is_not_called_a_press(samples: Any) -> None:
    text = text_of(samples.correlation([samples.cycle(wake_by=Actuator.LID)]), width=200)
    assert "lid opening→SLP_S3#" in text
    assert "press" not in text


def test_statistics_count_from_what_woke_the_dut() -> None:
    series = (series_statistics("press_to_light_ns", [700.0, 710.0], [1, 2], 0.01),)
    limit = light_limit("xp-5s")

    said = "\n".join(statistics_sentences(series, None, (limit,), "cycle", "lid opening"))

    assert said.startswith("Lid opening to display on, 2 values")
    assert "press" not in said
    figures_of_limit = limit_figures(limit, "cycles", "lid opening", 0.9)
    assert headline(Reason.WITHIN, figures_of_limit) == (
        "2 of 2 cycles: lid opening to display on below 5000 ms."
    )


def light_limit(name: str) -> LimitJudgement:
    limit = next(iter(load_requirement(name).limits()))
    return LimitJudgement(limit, Verdict.PASS, 2, 0, 0, 0, 0.7, 0.01, None, None, "held")


def test_wakes_of_which_no_trigger_was_seen_are_no_presses(samples: Any) -> None:
    cycle = samples.cycle()
    untimed = replace(
        cycle, outside=replace(cycle.outside, wake_by=None, light_basis=None, intervals={})
    )
    correlation = samples.correlation([untimed])

    text = text_of(correlation, width=200)

    assert "Measured from the trigger" in text
    assert "press" not in text
    campaign = answered_campaign(correlation, FACTS)
    tile = figures(campaign, campaign.overview.cycle_times(RESUME))[2]
    assert (tile.name, tile.detail) == ("Trigger to display on (p50 · p95)", "no trigger seen")


@pytest.mark.parametrize("width", [40, 50, 60])
def test_the_narrowest_terminal_has_a_table_that_fits(samples: Any, width: int) -> None:
    text = text_of(samples.four_cycles(), width=width)
    assert max(map(len, text.splitlines())) <= width
    row = next(line for line in text.splitlines() if re.match(r" +2  ", line))
    assert row.split()[0] == "2"
    assert row.rstrip().endswith("PASS")  # a cycle and its verdict stay
    assert "findings" in " ".join(text.split()).partition("Too narrow for the columns")[2]


def test_one_column_that_gave_way_is_one_column(samples: Any) -> None:
    found = set()
    for width in range(80, 170):
        text = " ".join(text_of(samples.four_cycles(), width=width).split())
        found |= set(re.findall(r"Too narrow for the (columns?) ([^.]*)\.", text))
    assert ("column", "press→SLP_S3#") in found
    assert all(("," in names) == (word == "columns") for word, names in found)


def test_findings_name_one_cycle_or_cycles(samples: Any) -> None:
    finding = Finding(FindingKind.BIOS_OVER_ADVISED, "Long.", {})
    one = text_of(samples.correlation([samples.cycle(1, findings=[finding])]))
    two = [samples.cycle(n, findings=[finding]) for n in (1, 2)]

    assert "bios-over-advised, in cycle 1:" in one
    assert "bios-over-advised, in cycles 1-2:" in text_of(samples.correlation(two))
    assert "cycles 1-2: Long." in text_of(samples.correlation(two))


def test_a_bios_time_that_the_wires_contradict_is_not_called_unchecked(samples: Any) -> None:
    unknown, cycle = DetectableBios(1, None, None), samples.cycle()

    def unseen(cycle: Any) -> list[str]:
        found = replace(samples.correlation([cycle]), detectable=unknown)
        answer = answered_campaign(found, FACTS).answer
        return [each.text for each in answer.unseen if each.kind is UnseenKind.BIOS_TIME]

    assert unseen(cycle) == ["Whether BIOS times are right: these logs and signals leave it open."]
    assert unseen(replace(cycle, bios_impossible=True)) == []


def test_no_cycle_is_said(samples: Any) -> None:
    text = text_of(replace(samples.correlation([]), clock=None))
    assert text.startswith("PASS: No cycle was measured.\n")


def test_colour_is_used_only_where_it_is_allowed(samples: Any) -> None:
    plain = text_of(samples.with_a_hang())
    coloured = text_of(samples.with_a_hang(), colour=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31mFAIL\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_hostile_text_neither_moves_the_cursor_nor_floods(samples: Any, hostile: str) -> None:
    finding = Finding(FindingKind.UNEXPLAINED, hostile, {hostile: hostile})
    correlation = samples.correlation([samples.cycle(findings=[finding])], why=hostile)
    for unicode in (True, False):
        text = text_of(correlation, unicode=unicode)
        text.encode("utf-8" if unicode else "ascii")
        assert all(c == "\n" or c.isprintable() for c in text)
        assert len(text) < 6_000


def test_progress_is_one_line_from_the_wires_alone(samples: Any) -> None:
    assert cycle_line(samples.cycle(7).outside, TerminalStyle(), planned=500) == (
        "cycle   7/500  slept and woke  PLTRST# 334 ms  display on 1421 ms"
    )


def test_progress_tells_the_verdict_once_it_is_known(samples: Any) -> None:
    line = cycle_line(samples.cycle(7), TerminalStyle())
    assert line.endswith("resume 1248 ms  PASS")
    assert "\n" not in cycle_line(samples.never_woke(3), TerminalStyle(colour=True))
    assert (
        cycle_line(samples.never_woke(3), TerminalStyle())
        == "cycle 3  never woke  no OS time  FAIL  never-woke"
    )
