"""Trends over builds: what changed is named, what did not is not, and by how much is bounded."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from resume_rig.analysis.compare.trend import trend_of
from resume_rig.model.result.fleet import (
    Repeats,
    SessionTimes,
    Trait,
    Trend,
    TrendBy,
    TrendSession,
)
from resume_rig.model.result.series import CommonTerm
from resume_rig.model.result.verdict import Verdict
from resume_rig.report.html import trend_report
from resume_rig.report.text.terminal_style import TerminalStyle
from resume_rig.report.trend.document import trend_document
from resume_rig.report.trend.terminal import trend_tables

KEY = ("Notebook", "S3")
BUILDS = ("1.0", "1.1", "1.2", "1.3")


def session(
    point: str, unit: str, median_ms: float, *, failed: int = 0, number: int = 0, judged: int = 100
) -> TrendSession:
    place = BUILDS.index(point) if point in BUILDS else 0
    times = SessionTimes(
        judged, median_ms, median_ms + 30, median_ms + 90, median_ms - 2, median_ms + 2
    )
    return TrendSession(
        load_id=place * 10_000 + number * 100 + sum(unit.encode()) % 97,
        path=f"/s/{unit}-{point}-{number}.rrs",
        report=None,
        unit=unit,
        point=point,
        begun_utc_ns=place * 10**15 + number,
        verdict=Verdict.FAIL if failed else Verdict.PASS,
        cycles=judged,
        judged=judged,
        failed=failed,
        undecided=0,
        times={"resume_ms": times},
    )


def asked(sessions: Sequence[TrendSession], **more: float) -> Trend:
    def components(loads: Sequence[int]) -> Mapping[int, Mapping[str, float]]:
        return {load: {"device <b>Wi-Fi</b>": 100.0 + 50 * (load >= 20_000)} for load in loads}

    return trend_of(
        {KEY: sessions}, TrendBy.BIOS, ("resume_ms",), "sysfund-0004", components, **more
    )


def lab(random: np.random.Generator, units: int, shift_ms: float, since: int) -> list[TrendSession]:
    """Return units over four builds, that differ from one another by 30 ms and each time by 5."""
    own = random.normal(900, 30, units)
    return [
        session(build, f"u{unit}", own[unit] + random.normal(0, 5) + shift_ms * (place >= since))
        for place, build in enumerate(BUILDS)
        for unit in range(units)
    ]


def test_a_shift_is_found_where_it_begins_and_bounded() -> None:
    found = asked(lab(np.random.default_rng(1), 6, 60.0, 2))

    assert found.verdict is Verdict.FAIL
    assert found.why == "first worse build: 1.2 of Notebook"
    (change,) = found.groups[0].changes
    assert (change.label, change.since, change.paired) == ("1.2", "1.0", True)
    assert change.low is not None
    assert change.high is not None
    assert change.low < 60 < change.high
    assert (change.moved, change.of) == (6, 6)
    assert [each.name for each in change.drivers] == ["device <b>Wi-Fi</b>"]


def test_a_build_that_is_faster_is_no_worse_one() -> None:
    found = asked(lab(np.random.default_rng(2), 6, -80.0, 1))

    assert found.verdict is Verdict.PASS
    assert found.groups[0].first_worse is None
    assert [change.worse for change in found.groups[0].changes] == [False]


def test_a_shift_that_does_not_matter_is_not_named() -> None:
    sessions = lab(np.random.default_rng(3), 8, 20.0, 2)

    assert asked(sessions).groups[0].changes == ()
    assert len(asked(sessions, matters=0.005).groups[0].changes) == 1


def test_what_all_cycles_of_a_campaign_may_share_in_error_shows_no_change() -> None:
    sessions = [
        replace(
            each,
            times={"resume_ms": replace(each.times["resume_ms"], common=CommonTerm(0.0, 40.0))},
        )
        for each in lab(np.random.default_rng(4), 8, 60.0, 2)
    ]

    assert asked(sessions).groups[0].changes == ()


def test_trends_in_which_nothing_changes_name_a_change_in_one_of_a_hundred() -> None:
    random = np.random.default_rng(5)
    named = sum(
        bool(asked(lab(random, 5, 0.0, 0), matters=1e-9).groups[0].changes) for _ in range(400)
    )

    assert named <= 10  # 4 are expected, and 10 are more than 99.7 % of such trials have


def test_other_units_at_each_build_are_compared_between_units() -> None:
    random = np.random.default_rng(6)
    sessions = [
        session(build, f"{build}-{n}", random.normal(900 + 200 * (build >= "1.2"), 20))
        for build in BUILDS
        for n in range(5)
    ]

    (change,) = asked(sessions).groups[0].changes

    assert (change.label, change.paired) == ("1.2", False)


def test_one_unit_is_compared_by_its_campaigns_and_one_campaign_not_at_all() -> None:
    random = np.random.default_rng(7)
    several = [
        session(build, "u", random.normal(900 + 100 * (build >= "1.2"), 3), number=n)
        for build in BUILDS
        for n in range(4)
    ]
    single = [session(build, "u", 900.0) for build in BUILDS]

    found = asked(several).groups[0]
    assert [change.label for change in found.changes] == ["1.2"]
    assert found.points[0].figures[0].repeats is Repeats.CAMPAIGNS
    alone = asked(single)
    assert alone.groups[0].points[0].figures[0].repeats is Repeats.CYCLES
    figure = alone.groups[0].points[0].figures[0]
    assert (figure.low_ms, figure.value_ms, figure.high_ms) == (898.0, 900.0, 902.0)
    assert len(alone.groups[0].untested) == 3
    assert "two units, or two campaigns of one unit, are needed" in alone.groups[0].untested[0]


def test_more_failures_are_a_change_and_the_unit_that_has_them_is_named() -> None:
    sessions = [
        session(build, unit, 900.0, failed=9 if (build, unit) == ("1.3", "bad") else 0)
        for build in BUILDS
        for unit in ("good", "fine", "bad")
    ]

    found = asked(sessions)

    change = found.groups[0].first_worse
    assert change is not None
    assert (change.measure, change.label) == (None, "1.3")
    assert [each.name for each in change.units] == ["bad"]
    assert (change.moved, change.of) == (1, 3)
    assert found.groups[0].units[0].name == "bad"


def test_nothing_is_no_evidence() -> None:
    found = trend_of({}, TrendBy.WEEK, ("resume_ms",), "x", lambda _: {})

    assert found.verdict is Verdict.NO_EVIDENCE
    assert found.why == "no week could be compared with one before it"


def test_two_units_of_equal_medians_divide_by_nothing() -> None:
    sessions = [session(build, unit, 900.0) for build in BUILDS for unit in "abcd"]

    assert asked(sessions).groups[0].changes == ()


@pytest.mark.parametrize("width", [40, 120])
def test_the_answer_is_told_to_people_and_machines(width: int) -> None:
    sessions = [
        replace(each, unit=f"{each.unit}\x1b[31m</script>")
        for each in lab(np.random.default_rng(1), 6, 60.0, 2)
    ]
    found = asked(sessions)

    text = "".join(trend_tables(found, TerminalStyle(width=width), show_all=False))
    page = trend_report(found, "2026-01-01")

    assert "Worse from 1.2 on: total resume time" in " ".join(text.split())
    assert "\x1b" not in text + page + trend_document(found)
    assert "device &lt;b&gt;Wi-Fi&lt;/b&gt;" in page
    assert "[31m&lt;/script&gt;" in page
    assert "default-src &#39;none&#39;" in page
    assert found.groups[0].traits[Trait.PRODUCT] == "Notebook"
