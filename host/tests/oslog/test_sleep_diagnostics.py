"""System sleep diagnostics: a page of the project's own in the structure of a real one."""

from collections.abc import Callable

import pytest

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogReading, OsRecord

Read = Callable[..., LogReading]

HEAD = (
    '<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml"'
    ' xmlns:ssd="http://schemas.microsoft.com/systemsleepdiagnostics/2016"><head></head><body>'
)
LOCAL = "The report's times of day are local and without a zone, so none is used."


def row(
    state: str,
    duration: str = "0:15:00",
    *,
    start: str = "2024-10-15T20:12:38",
    status: str = "0",
    success: str = "1",
    reason: str = "Ruhezustand nach Zeit",
) -> str:
    cells = (duration, state, "0", f"\r\n  {reason} ", "14", status, success)
    centred = "".join(f'<td class="center">{cell}</td>' for cell in cells)
    return f'<tr><td class="percent">{start}</td>{centred}</tr>'


def interval(number: int, *rows: str) -> str:
    """An interval in which nobody was there, with a power request, which is no sleep."""
    request = (
        '<tr><td class="percent">2024-10-15T19:56:34</td><td class="center">0:00:09</td>'
        '<td class="center">Execution</td><td class="center">0xffff8a8847d5f950</td></tr>'
    )
    return f'<a name="user-not-present-session-{number}"/>{request}{"".join(rows)}'


def page(*intervals: str, end: str = "</body></html>") -> str:
    return f"{HEAD}{''.join(intervals)}{end}"


def told(record: OsRecord) -> dict[str, float]:
    return {figure.name: figure.value for figure in record.figures}


def test_each_sleep_is_a_record_and_nothing_is_measured(read: Read) -> None:
    rows = (row("Sleeping3"), row("Hibernate", "7:12:21"), row("Shutdown"), row("Sleeping1"))
    reading = read(page(interval(1, *rows), interval(2)))
    (source,) = reading.sources
    assert [(r.record_id, r.kind.value) for r in reading.records] == [
        *((1, "S3"), (2, "S4"), (3, "shutdown"), (4, "S1")),
    ]
    assert told(reading.records[1]) == {
        **{"session_us": 25_941e6, "transition_status": 0, "transition_successful": 1},
    }
    assert {r.resume_ms for r in reading.records} == {None}
    assert {r.sleep_time_utc_ns for r in reading.records} == {None}
    assert (source.kind, source.records, source.integrity.ok) == ("powercfg-diagnostics", 2, True)
    assert source.integrity.problems == (LOCAL,)
    assert not source.from_description


def test_a_sleep_that_failed_was_aborted(read: Read) -> None:
    (record,) = read(page(interval(1, row("Sleeping3", status="0xC0000001", success="0")))).records
    assert record.kind == "aborted"
    assert told(record)["transition_status"] == 0xC0000001


def test_a_sleep_that_two_intervals_show_counts_once(read: Read) -> None:
    first, later = row("Sleeping3"), row("Sleeping3", start="2024-10-16T20:12:38")
    assert len(read(page(interval(1, first), interval(2, first, later))).records) == 2


def test_a_state_that_is_not_known_is_of_unknown_kind(read: Read) -> None:
    reading = read(page(interval(1, row("Energiesparen"), row("Sleeping3"))))
    assert [record.kind.value for record in reading.records] == ["unknown", "S3"]
    assert reading.sources[0].integrity.problems == (
        "Not understood: 1 of the report's sleeps, the first \"one of state 'Energiesparen'\".",
        LOCAL,
    )


def test_a_page_without_a_sleep_shows_nothing(read: Read) -> None:
    reading = read(page(interval(1)))
    assert (reading.records, reading.sources[0].integrity.problems) == ((), ())


def test_a_page_that_is_cut_says_so(read: Read) -> None:
    whole = page(interval(1, row("Sleeping3"), row("Hibernate")))
    (record,) = (reading := read(whole[:-60])).records
    assert record.kind == "S3"
    assert not reading.sources[0].integrity.ok
    assert reading.sources[0].integrity.problems[-1] == (
        "The report ends too early, so later sleeps are unknown."
    )


@pytest.mark.parametrize(
    "odd", [row("Sleeping3", "15 min"), row("Sleeping3", status="none"), row("S", success="-")]
)
def test_a_number_that_cannot_be_read_is_told(read: Read, odd: str) -> None:
    reading = read(page(interval(1, odd)))
    assert len(reading.records) == 1
    assert not reading.sources[0].integrity.ok
    assert reading.sources[0].integrity.problems[-1] == (
        "Sleeps with a duration or number that could not be read: 1."
    )


@pytest.mark.parametrize("state", ["<b>Sleeping3</b>", "<script>alert(1)</script>", "S" * 500])
def test_a_row_that_is_not_understood_is_told(read: Read, state: str) -> None:
    reading = read(page(interval(1, row(state), row("Hibernate"))))
    assert [record.kind.value for record in reading.records] == ["S4"]
    assert reading.sources[0].integrity.problems == (
        *(LOCAL, "Rows of a form that is not known: 1, so a sleep may be missing."),
    )
    assert not reading.sources[0].integrity.ok


def test_another_page_is_refused(read: Read) -> None:
    with pytest.raises(RecordError, match="found an HTML page"):
        read(page(interval(1)).replace("systemsleepdiagnostics", "energyreport"))
