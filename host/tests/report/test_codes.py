"""Codes among figures: named, counted, and no part of the least, median and greatest."""

from dataclasses import replace
from pathlib import Path

import pytest

from resume_rig.model.os_record import Figure, OsRecord
from resume_rig.oslog.reading import read_logs
from resume_rig.report.parts.components import CODE_ROWS, code_name, code_rows, figure_rows, is_code
from resume_rig.report.parts.document import components_json

NAMED = {
    ("sleep_reason", 7): "system idle",
    ("sleep_session_reason", 15): "lid",
    ("screen_on_reason", 32): "mouse",
    ("requested_state", 4): "S3",
    ("shutdown_action", 5): "restart",
    ("standby_connectivity", 2): "disconnected",
    ("standby_connectivity_reason", 6): "NIC compliance",
    ("on_ac_at_wake", 1): "yes",
    ("boot_type", 1): "fast startup",
}


@pytest.mark.parametrize(("name", "code"), NAMED)
def test_a_code_has_its_name(name: str, code: int) -> None:
    assert code_name(Figure(name, code)) == NAMED[name, code]


@pytest.mark.parametrize(
    "figure",
    [
        *(Figure("sleep_reason", 99), Figure("sleep_reason", 7.5), Figure("sleep_reason", -1)),
        *(Figure("bugcheck_code", 159), Figure("session_us", 1), Figure("sleep_reason", 1e300)),
    ],
)
def test_what_has_no_name_gets_none(figure: Figure) -> None:
    assert code_name(figure) is None


def records(base: OsRecord, *figures: Figure) -> list[OsRecord]:
    return [replace(base, figures=(figure,)) for figure in figures]


@pytest.fixture
def base(fixtures_dir: Path) -> OsRecord:
    return read_logs([fixtures_dir / "logs" / "xperf-suspend.xml"]).records[0]


def test_codes_are_counted_the_most_frequent_first(base: OsRecord) -> None:
    told = [Figure("sleep_reason", code) for code in (0, 7, 7, 99)]
    rows = code_rows(records(base, *told, Figure("screen_on_us", 5)))
    assert [(row.name, row.code, row.meaning, row.count) for row in rows] == [
        ("sleep reason", "7", "system idle", "2"),
        ("sleep reason", "0", "button or lid", "1"),
        ("sleep reason", "99", "-", "1"),
    ]


def test_codes_have_no_median(base: OsRecord) -> None:
    rows = figure_rows(records(base, Figure("sleep_reason", 7), Figure("screen_on_us", 5)))
    assert [row.name for row in rows] == ["end of sleep to screen on, ms"]


def test_the_table_of_codes_is_bounded(base: OsRecord) -> None:
    many = (Figure("bugcheck_code", code) for code in range(CODE_ROWS + 50))
    assert is_code("bugcheck_code")
    assert len(code_rows(records(base, *many))) == CODE_ROWS


def test_the_document_has_number_and_name(base: OsRecord) -> None:
    figures = (Figure("sleep_reason", 7), Figure("screen_on_us", 5), Figure("boot_type", 9))
    document = components_json(replace(base, figures=figures))
    assert document["figures"] == {"sleep_reason": 7, "screen_on_us": 5, "boot_type": 9}
    assert document["codes"] == {"sleep_reason": "system idle"}
