"""Questions to a lake: what is worse is found, and both engines print the same."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="the extra lab is not here; `make lab-test` has it")

from made_facts import BEGIN_NS, DAY_NS, DRIVERS, Made, made_facts

from resume_rig.analysis.compare.fleet import survey
from resume_rig.analysis.compare.samples import HEADLINES
from resume_rig.analysis.compare.trend import trend_of
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.lake.engine import Engine, EngineName, checked_question, opened_engine
from resume_rig.lake.questions import (
    component_medians,
    fleet_campaigns,
    trend_sessions,
    week_text,
)
from resume_rig.lake.tables import Lake
from resume_rig.model.errors import UsageError
from resume_rig.model.result.fleet import Trait, TrendBy, UnitBy
from resume_rig.report.fleet.document import fleet_document
from resume_rig.report.trend.document import trend_document

WEEK_NS = 7 * DAY_NS
REQUIREMENT = load_requirement("sysfund-0004")
BUILDS = ("1.06", "1.07", "1.08", "1.09")
WORSE = 2
MOST_BYTES = 10_000_000


def lab_of(folder: Path) -> Lake:
    """Make a lab: twelve units over four builds, a build a week.

    From 1.08 on ten of the twelve resume 150 ms slower, and a driver takes 140 ms more of it.
    """
    lake = Lake(str(folder / "lake"))
    for place, bios in enumerate(BUILDS):
        for unit in range(12):
            slow = place >= WORSE and unit < 10
            lake.add(
                made_facts(
                    Made(
                        bios=bios,
                        unit=f"unit {unit}",
                        begun_ns=BEGIN_NS + place * WEEK_NS + unit * DAY_NS // 4,
                        cycles=30,
                        seed=20 * place + unit,
                        resume_ms=1050 if slow else 900,
                        driver_ms=260 if slow else 120,
                    )
                )
            )
    return lake


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = lab_of(tmp_path_factory.mktemp("lab"))
    # Another product, with texts of its own, one unit, failures, and a campaign over two weeks.
    odd = Made(product="Zoë's <b>X1</b> \u202e", bios="", unit="ü;--", cycles=7, failing=0.4)
    lake.add(made_facts(odd))
    lake.add(made_facts(replace(odd, bios="2", seed=2, begun_ns=BEGIN_NS + WEEK_NS - 60 * 10**9)))
    return lake


@pytest.fixture(scope="module")
def duck(lab: Lake) -> Iterator[Engine]:
    with opened_engine(EngineName.DUCKDB, lab.snapshot()) as engine:
        yield engine


def trend_text(engine: Engine, by: TrendBy) -> str:
    facts = trend_sessions(engine, by, UnitBy.DUT, REQUIREMENT)
    return trend_document(
        trend_of(
            facts.sessions,
            by,
            HEADLINES,
            facts.requirement,
            lambda loads: component_medians(engine, loads),
        )
    )


def fleet_text(engine: Engine) -> str:
    campaigns, unread = fleet_campaigns(engine, REQUIREMENT, UnitBy.DUT)
    by = (Trait.PRODUCT, Trait.BIOS)
    return fleet_document(survey(campaigns, REQUIREMENT, by, unread=unread))


def test_the_first_worse_build_is_named_with_what_carries_it(command, lab: Lake) -> None:
    said = command("trend", lab.url, "--json", "--measure", "resume_ms")

    assert said.status == 1
    assert said.document["why"] == "first worse build: 1.08 of Example Corp. Notebook 14"
    group = said.document["groups"][0]
    assert [point["label"] for point in group["points"]] == list(BUILDS)
    (change,) = group["changes"]
    assert (change["label"], change["since"], change["worse"]) == ("1.08", "1.06", True)
    assert change["paired"]
    assert change["low"] < 125 < change["high"]  # ten of twelve by 150 ms
    assert (change["moved"], change["of"]) == (10, 12)
    assert len(change["units"]) == 5
    assert {each["name"] for each in change["units"]} < {f"unit {n}" for n in range(10)}
    assert [each["name"] for each in change["drivers"]] == [f"device {DRIVERS[0]} (resume devices)"]


def test_a_lab_without_a_change_has_no_worse_build(command, folder: Path) -> None:
    lake = Lake("lake")
    for place, bios in enumerate(BUILDS):
        for unit in range(4):
            begun = BEGIN_NS + place * WEEK_NS
            lake.add(made_facts(Made(bios=bios, unit=f"u{unit}", begun_ns=begun, seed=place)))

    said = command("trend", "lake", "--json")

    assert said.status == 0
    assert said.document["groups"][0]["changes"] == []
    assert said.document["verdict"] == "PASS"


def test_a_single_build_is_no_evidence(command, folder: Path) -> None:
    Lake("lake").add(made_facts(Made()))

    said = command("trend", "lake")

    assert said.status == 4
    assert "no build could be compared with one before it" in said.out


def test_weeks_are_those_of_the_cycles(duck: Engine) -> None:
    assert week_text(0) == "1970-W01"
    facts = trend_sessions(duck, TrendBy.WEEK, UnitBy.DUT, REQUIREMENT)

    over = [s for s in facts.sessions["Zoë's <b>X1</b> \u202e", "S3"] if s.path.endswith("-2.rrs")]

    assert [(each.point, each.cycles) for each in over] == [("2026-W02", 2), ("2026-W03", 5)]


def test_a_campaign_weighs_what_its_cycles_say(command, stores: Path, folder: Path) -> None:
    assert command("lake", "add", str(stores), "--to", "lake").status in (0, 1)
    with opened_engine(EngineName.DUCKDB, Lake("lake").snapshot()) as engine:
        facts = trend_sessions(engine, TrendBy.BIOS, UnitBy.DUT, REQUIREMENT)
        _, counted = engine.asked(
            "SELECT load_id, count(*), count_if(judged), count_if(judged AND verdict <> 'PASS'), "
            "count_if(undecided), count(resume_ns), round(median(resume_ns) / 1e6, 3), "
            "round(max(resume_ns) / 1e6, 3) FROM cycles GROUP BY load_id",
            10,
            MOST_BYTES,
        )

    found = []
    for each in (each for sessions in facts.sessions.values() for each in sessions):
        of = each.times["resume_ms"]
        found.append(
            (
                each.load_id,
                each.cycles,
                each.judged,
                each.failed,
                each.undecided,
                of.n,
                of.median_ms,
                of.max_ms,
            )
        )
    assert len(found) == 3
    assert sorted(found) == sorted(counted)
    assert any(failed for _, _, _, failed, *_ in found)


def test_the_page_leads_to_reports_and_shows_the_worst_first(command, folder: Path) -> None:
    lake = Lake("lake")
    report = str(folder / "re ports" / "javascript:alert(1).html")
    lake.add(made_facts(Made(unit="sound")))
    lake.add(made_facts(Made(unit="slow <i>", failing=0.5, report=report)))

    assert command("trend", "lake", "--html", "lab.html").status == 4

    page = (folder / "lab.html").read_text("utf-8")
    assert 'href="re%20ports/javascript%3Aalert%281%29.html"' in page
    assert page.index("slow &lt;i&gt;") < page.index("sound")
    assert "slow <i>" not in page
    assert "default-src &#39;none&#39;" in page
    assert page.count("<script") <= 1  # the reports' own
    linked = command("trend", "lake", "--html", "l.html", "--reports", "https://lab/r/")
    assert linked.status == 4
    below = 'href="https://lab/r/javascript%3Aalert%281%29.html"'
    assert below in (folder / "l.html").read_text("utf-8")


def test_a_question_of_ones_own_is_answered(command, lab: Lake) -> None:
    text = (
        "SELECT bios, count(*) AS n, max(resume_ns) AS most FROM cycles JOIN campaigns "
        "USING (load_id) WHERE dut = 'unit 0' GROUP BY bios ORDER BY bios"
    )

    said = command("query", lab.url, text, "--json", "--rows", "3")

    assert said.document["columns"] == ["bios", "n", "most"]
    assert [row[:2] for row in said.document["rows"]] == [[bios, 30] for bios in BUILDS[:3]]
    assert said.document["more"] is True
    assert "--rows 3 cut them off" in said.err


@pytest.mark.parametrize(
    "text",
    [
        "COPY campaigns TO '/tmp/x.csv'",
        "DROP TABLE campaigns",
        "SELECT 1; DROP VIEW campaigns",
        "INSERT INTO campaigns SELECT * FROM campaigns",
        "WITH a AS (SELECT 1) DELETE FROM campaigns",
        "SELECT * INTO x FROM campaigns",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_csv_auto('/etc/passwd')",
        "SELECT * FROM all_campaigns",
        "SELECT * FROM parquet.`/etc/passwd`",
        "SELECT * FROM main.campaigns",
        "SELECT (SELECT max(x) FROM glob('/*') AS g(x)) FROM campaigns",
        "SELECT getenv('HOME')",
        "SELECT java_method('java.lang.System', 'exit', 1)",
        "SELECT reflect('java.lang.System', 'exit', 1)",
        "ATTACH '/tmp/x.db'",
        "INSTALL httpfs",
        "PRAGMA database_list",
        "SET memory_limit = '1TB'",
        "CALL pragma_version()",
        "EXPLAIN SELECT 1",
        "nonsense",
        "",
    ],
)
def test_a_question_only_reads_and_only_the_lake(text: str) -> None:
    with pytest.raises(UsageError, match=r"could not (ask|read the question)"):
        checked_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "FROM campaigns",
        "SELECT * FROM Campaigns AS c JOIN cycles USING (load_id)",
        "WITH a AS (SELECT dut FROM campaigns) SELECT * FROM a UNION ALL SELECT 'x'",
        "SELECT quantile_cont(resume_ns, 0.9) FROM cycles WHERE why_not LIKE '%;%' -- fine",
    ],
)
def test_questions_that_read_are_taken(duck: Engine, text: str) -> None:
    assert duck.asked(text, 5, MOST_BYTES)[0]


def test_what_gets_past_the_check_meets_an_engine_without_files(lab: Lake) -> None:
    with opened_engine(EngineName.DUCKDB, lab.snapshot()) as engine:
        raw = engine._connection.con
        for text in ("SELECT * FROM read_text('/etc/passwd')", "COPY campaigns TO '/tmp/x.csv'"):
            with pytest.raises(Exception, match=r"(?i)permission|disabled"):
                raw.execute(text)
        with pytest.raises(Exception, match=r"(?i)locked"):
            raw.execute("SET enable_external_access = true")


@pytest.mark.slow
def test_both_engines_print_the_same(lab: Lake, duck: Engine) -> None:
    pytest.importorskip("pyspark", reason="the extra spark is not here; `make lab-test` has it")
    if shutil.which("java") is None:
        pytest.skip("there is no Java on the PATH, which Spark runs on")
    question = (
        "SELECT bios, outcome, count(*) AS n, min(resume_ns) AS least FROM cycles JOIN campaigns "
        "USING (load_id) GROUP BY bios, outcome ORDER BY bios, outcome"
    )
    with opened_engine(EngineName.SPARK, lab.snapshot()) as spark:
        assert fleet_text(spark) == fleet_text(duck)
        assert trend_text(spark, TrendBy.BIOS) == trend_text(duck, TrendBy.BIOS)
        assert trend_text(spark, TrendBy.WEEK) == trend_text(duck, TrendBy.WEEK)
        assert spark.asked(question, 100, MOST_BYTES) == duck.asked(question, 100, MOST_BYTES)
        with pytest.raises(UsageError, match="could not answer"):
            spark.asked("SELECT no_such FROM campaigns", 1, MOST_BYTES)
