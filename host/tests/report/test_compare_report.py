"""A comparison as text, JSON and a page; what comes from a DUT stays harmless."""

import json
from dataclasses import replace

import pytest

from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.comparison import (
    Answer,
    Change,
    Comparison,
    Effect,
    FailureEffect,
    OverLimit,
    SampleFacts,
    SlowCycles,
)
from resume_rig.model.result.verdict import Comparison as Below
from resume_rig.model.result.verdict import Limit
from resume_rig.report.compare.document import comparison_document
from resume_rig.report.compare.terminal import comparison_table
from resume_rig.report.html import comparison_report
from resume_rig.report.text.terminal_style import TerminalStyle

RESUME_LIMIT = Limit("resume_ms", Below.AT_MOST, 2_000_000_000, "ms")
BIOS = Effect(
    name="bios_init_ms",
    base_n=60,
    candidate_n=55,
    base_median_ms=200.0,
    candidate_median_ms=260.0,
    shift_ms=60.0,
    low_ms=50.0,
    high_ms=70.0,
    mean_ratio=1.3,
    p=1e-9,
    p_adjusted=2e-9,
    detectable_ms=8.0,
    matters_ms=10.0,
    change=Change.SLOWER,
    headline=False,
)
FEW = replace(BIOS, name="press_to_light_ns", low_ms=None, high_ms=None, change=Change.TOO_FEW)


def comparison(name: str = "X1", component: str = "disk") -> Comparison:
    return Comparison(
        base=SampleFacts("a.rrs", 60, {"dut": "X1"}),
        candidate=SampleFacts("b.rrs", 55, {"dut": name}),
        kind=SleepKind.S3,
        effects=(
            BIOS,
            FEW,
        ),
        failures=FailureEffect(0, 60, 3, 55, 0.1, 0.2, True),
        slow=(
            SlowCycles("press_to_light_ns", 1500.0, FailureEffect(0, 60, 2, 55, 0.2, 0.4, True)),
        ),
        components=(replace(BIOS, name=f"device {component} in resume (sleep)"),),
        components_compared=12,
        differences=(("dut", "X1", name),),
        warnings=(f"The candidate is of another DUT: dut is {name}, not X1.",),
        alpha=0.05,
        answer=Answer.REGRESSION,
        why="Worse, beyond chance: BIOS +60.0 ms (+30.0 %).",
        requirement="sysfund-0004",
        over=(OverLimit(RESUME_LIMIT, 0, 59, 0.0496, 59, 59, 1.0),),
    )


def test_the_table_tells_shift_interval_and_change() -> None:
    text = "".join(comparison_table(comparison(), TerminalStyle()))

    assert "60, 55" in text
    assert "+50.0 to +70.0" in text
    assert "+30.0 %" in text
    assert "SLOWER" in text
    assert "too few values" in text
    over = "Over the limit (sysfund-0004: total resume time at most 2000 ms)"
    base, candidate = "0 of 59 (upper 95 % limit 5.0 %)", "59 of 59 (upper 95 % limit 100 %)"
    assert f"{over}: base {base}, candidate {candidate}." in text.replace("\n  ", " ")
    assert "Failed cycles: base 0 of 60, candidate 3 of 55 (p = 0.2)." in text
    assert (
        "power button to display on above 1500 ms: base 0 of 60, candidate 2 of 55 (p = 0.4)."
        in text
    )
    assert "Components: 12 compared, 1 changed beyond chance" in text
    assert text.startswith("REGRESSION: Worse beyond chance: BIOS initialization +60.0 ms")
    assert "\nWorse, beyond chance: BIOS +60.0 ms (+30.0 %).\n" in text


def test_what_is_zero_as_shown_has_no_sign_and_a_legend_speaks_of_what_is_shown() -> None:
    none = replace(BIOS, shift_ms=-0.0004, low_ms=-5.0, high_ms=0.0, change=Change.NOT_SHOWN)
    same = replace(comparison(), effects=(none,), components=())

    narrow, wide = (
        "".join(comparison_table(same, TerminalStyle(width=width))) for width in (100, 160)
    )

    row = next(line for line in wide.splitlines() if line.startswith("BIOS"))
    assert row.split()[6:12] == ["0.0", "-5.0", "to", "0.0", "0.0", "%"]
    assert "detectable = the smallest shift" in wide.replace("\n  ", " ")
    assert "detectable shifts need a wider terminal" in narrow.replace("\n  ", " ")


def test_the_document_has_every_figure() -> None:
    document = json.loads(comparison_document(comparison()))

    assert document["schema"] == "resume-rig/compare/1"
    first, second = document["effects"]
    assert (first["low_ms"], first["high_ms"], first["p_adjusted"]) == (50.0, 70.0, 2e-9)
    assert (second["low_ms"], second["change"]) == (None, "too-few")
    assert document["failures"]["candidate_failed"] == 3
    assert document["over_limit"][0]["candidate_over"] == 59
    assert (document["unit"], first["base_n_effective"], first["session_sd_ms"]) == (
        "cycle",
        None,
        None,
    )
    assert document["slow_cycles"][0]["above_ms"] == 1500.0


def test_hostile_names_reach_neither_terminal_nor_page(hostile: str) -> None:
    found = comparison(hostile, hostile)

    text = "".join(comparison_table(found, TerminalStyle()))
    page = comparison_report(found, "now")
    document = json.loads(comparison_document(found))

    assert not any(ord(c) < 32 and c != "\n" for c in text)
    assert not any(c in text for c in "\x9b\u202e\u2066")
    assert page.count("<script") == 1  # the report's own, allowed by its hash
    assert "<img" not in page
    assert document["answer"] == "REGRESSION"
    assert len(text) < 20_000


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_shift_and_what_it_means_stay_in_a_narrow_table(width: int) -> None:
    text = "".join(comparison_table(comparison(), TerminalStyle(width=width)))

    assert "+60.0" in text
    assert "SLOWER" in text


def test_the_page_draws_what_has_an_interval() -> None:
    page = comparison_report(comparison(), "now")

    assert page.count('class="whisker"') == 1
    assert "BIOS initialization: +60.0 ms, +50.0 to +70.0 ms" in page
    assert "Are the two comparable?" in page


def test_a_page_without_a_common_time_has_no_empty_card() -> None:
    none = replace(comparison(), effects=(), failures=None, components=())
    page = comparison_report(none, "now")

    assert "Shift of each time" not in page
    assert 'aria-label="Figures"' not in page
    assert "There is no time that both have." in page
