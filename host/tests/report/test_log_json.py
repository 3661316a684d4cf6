import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from resume_rig.analysis.answer.log import answered_log
from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.os_record import SleepKind
from resume_rig.oslog.reading import read_logs
from resume_rig.report.log.document import log_document

CYCLE_KEYS = [
    "source",
    "record_id",
    "kind",
    "sleep_time",
    "wake_time",
    "sleep_ms",
    "wake_ms",
    "driver_init_ms",
    "bios_init_ms",
    "resume_ms",
    "firmware_resume_ms",
    "hiber_read_ms",
    "hiber_write_ms",
    "hiber_pages",
    "hiber_pages_per_ms",
    "wake_source",
    "judged",
    "why_not",
]


def document_of(judgement: Any) -> Any:
    return json.loads("".join(log_document(answered_log(judgement))))


def one_record(samples: Any, **changes: Any) -> Any:
    record = replace(samples.os_record(), **changes)
    return document_of(samples.log_judgement(samples.log_shape(records=(record,))))["cycles"][0]


def test_the_keys_stand_in_the_order_of_the_contract(samples: Any) -> None:
    document = document_of(samples.mixed_log())
    assert list(document)[:8] == [
        "schema",
        "verdict",
        "answer",
        "why",
        "sources",
        "cycles",
        "requirement",
        "statistics",
    ]
    assert document["schema"] == "resume-rig/log/1"
    assert list(document["sources"][0])[:5] == ["path", "kind", "os_build", "records", "integrity"]
    assert list(document["cycles"][0])[: len(CYCLE_KEYS)] == CYCLE_KEYS
    assert list(document["statistics"])[:6] == [
        "n",
        "min_ms",
        "median_ms",
        "mean_ms",
        "p95_ms",
        "max_ms",
    ]
    assert list(document["requirement"])[:3] == ["id", "version", "limits"]


def test_the_added_keys_come_after_those_of_the_contract(samples: Any) -> None:
    document = document_of(samples.mixed_log())
    assert list(document)[8:10] == ["failure_rate_upper_95", "apart"]
    assert list(document)[10:] == [
        *("slowest", "slowest_left_out", "advice", "limits_judged"),
        *("training", "units"),
    ]
    assert list(document["sources"][0])[5:] == [
        *("identity", "from_description"),
        "boot_start_drivers",
    ]
    assert list(document["cycles"][0])[len(CYCLE_KEYS) :] == [
        "verdict",
        "hiber_read_mb_per_s",
        "hiber_write_pages_per_ms",
        "hiber_write_mb_per_s",
        "components",
        "components_left_out",
        "figures",
        "codes",
        "risk",
        "user_init_ms",
        "why_not_reason",
        "transition",
        "standing",
        *("computer", "ending", "notes"),
    ]
    assert list(document["statistics"])[6:] == ["failure_rate", "series"]
    assert [kind["kind"] for kind in document["apart"]] == ["S4", "doze"]
    assert list(document["apart"][0]) == ["kind", "cycles", "statistics"]


@pytest.mark.parametrize(
    ("bios_ms", "drivers_ms", "resume_ms"),
    [(149, 1095, 1244), (None, 1095, None), (149, None, None), (None, None, None)],
    ids=["both", "no bios", "no drivers", "neither"],
)
def test_resume_is_null_where_either_part_is_missing(
    samples: Any, bios_ms: int | None, drivers_ms: int | None, resume_ms: int | None
) -> None:
    cycle = one_record(samples, bios_init_ms=bios_ms, driver_init_ms=drivers_ms)
    assert (cycle["bios_init_ms"], cycle["driver_init_ms"]) == (bios_ms, drivers_ms)
    assert cycle["resume_ms"] == resume_ms


@pytest.mark.parametrize(
    ("t_ns", "text"),
    [
        (None, None),
        (0, "1970-01-01T00:00:00.000000000Z"),
        (1_643_907_146_297_321_000, "2022-02-03T16:52:26.297321000Z"),
        (-11_644_473_600_000_000_000, "1601-01-01T00:00:00.000000000Z"),
        (-62_135_596_800_000_000_000, "0001-01-01T00:00:00.000000000Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
        (10**21, None),
        (-(10**21), None),
    ],
    ids=["none", "epoch", "real", "null FILETIME", "year 1", "before 1970", "far", "far back"],
)
def test_times_are_utc_with_nine_digits(samples: Any, t_ns: int | None, text: str | None) -> None:
    assert one_record(samples, wake_time_utc_ns=t_ns)["wake_time"] == text


@pytest.mark.parametrize(
    ("pages", "read_ms", "rate"),
    [(38_075, 10_964, 3.473), (38_075, 0, None), (38_075, None, None), (None, 10_964, None)],
    ids=["paper's example", "zero", "no time", "no pages"],
)
def test_the_page_rate_is_that_of_reading_back(
    samples: Any, pages: int | None, read_ms: int | None, rate: float | None
) -> None:
    cycle = one_record(samples, hiber_pages=pages, hiber_read_ms=read_ms, hiber_write_ms=20_000)
    assert cycle["hiber_pages_per_ms"] == rate


def test_nothing_read_is_a_whole_document_without_figures(samples: Any) -> None:
    document = document_of(samples.log_judgement(samples.log_shape()))
    assert document["cycles"] == []
    assert document["statistics"] == {
        "n": 0,
        "min_ms": None,
        "median_ms": None,
        "mean_ms": None,
        "p95_ms": None,
        "max_ms": None,
        "failure_rate": None,
        "series": [],
    }
    assert document["verdict"] == "NO-EVIDENCE"
    assert document["failure_rate_upper_95"] is None


def test_unmeasured_records_are_kept_and_not_judged(samples: Any) -> None:
    doze = [c for c in document_of(samples.mixed_log())["cycles"] if c["kind"] == "doze"]
    assert [(c["judged"], c["verdict"], c["resume_ms"]) for c in doze] == [
        (False, "NO-EVIDENCE", None)
    ]
    assert doze[0]["why_not"]


def test_damage_of_a_source_is_told(samples: Any) -> None:
    integrity = document_of(samples.mixed_log())["sources"][0]["integrity"]
    assert integrity["ok"] is False
    assert len(integrity["problems"]) == 1


def test_the_document_is_written_cycle_by_cycle(samples: Any) -> None:
    few = samples.mixed_log()
    many = replace(few, cycles=few.cycles * 3_000)
    pieces = list(log_document(answered_log(many)))
    assert len(pieces) > len(many.cycles)
    longest = max(map(len, log_document(answered_log(few))))
    assert max(len(piece) for piece in pieces if not piece.startswith('"answer"')) <= longest
    assert len(json.loads("".join(pieces))["cycles"]) == len(many.cycles)


def test_hostile_text_stays_bounded_ascii_in_a_valid_document(samples: Any, hostile: str) -> None:
    shape = samples.log_shape(
        records=(samples.os_record(wake_text=hostile, kind=SleepKind.S3),),
        problems=(hostile,),
        path=hostile,
        why=hostile,
    )
    text = "".join(log_document(answered_log(samples.log_judgement(shape))))
    assert text.isascii()
    assert all(c == "\n" or c.isprintable() for c in text)
    assert len(text) < 60_000
    document = json.loads(text)
    document["cycles"][0]["wake_source"]["text"].encode("utf-8")
    assert len(document["why"]) <= 4_000


def test_each_computer_has_its_answer(fixtures_dir: Path) -> None:
    names = ("two-s3-cycles.xml", "wakes-without-account.xml")
    reading = read_logs([fixtures_dir / "logs" / name for name in names])
    document = document_of(judge_log(reading, load_requirement("sysfund-0004")))
    found = [(unit["computer"], unit["verdict"]) for unit in document["units"]]
    assert found == [("DUT", "PASS"), ("BENCH-4", "NO-EVIDENCE")]
    assert document["verdict"] == "NO-EVIDENCE"
    numbers = [unit["answer"]["transitions"]["undecided"] for unit in document["units"]]
    assert numbers == [[], [4, 9, 10]]
    assert {cycle["computer"] for cycle in document["cycles"]} == {"DUT", "BENCH-4"}
    assert document["cycles"][7]["ending"] == "became-boot"
