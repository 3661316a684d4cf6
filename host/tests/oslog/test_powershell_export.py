"""PowerShell's exports: read where values have names or one layout, else refused with advice."""

import csv
import io
import json
from collections.abc import Callable

import pytest

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogReading, SleepKind

Read = Callable[..., LogReading]

PT = ("Microsoft-Windows-Power-Troubleshooter", "cdc05e28-c449-49c6-b9d2-88cf761644df")
KP = ("Microsoft-Windows-Kernel-Power", "331c3b3a-2005-44c2-ac5e-77220c37d6b4")
SLEEP, WAKE, WRITTEN = "/Date(1714557600123)/", "/Date(1714557660765)/", "/Date(1714557662500)/"
V1 = [SLEEP, WAKE, 1500, 900, 800, 700, 0, 0, 0, 33573888, 4, 4, 1, 0, "", 0, 0, "", ""]
V2 = [*V1[:17], 7, "", ""]
V3 = [*V2, 38]
ADVICE = (
    "found an export with messages and values without names, allowed is one of the events' XML:"
    " Get-WinEvent -LogName System -Oldest | ForEach-Object { $_.ToXml() } | Set-Content log.xml"
)


def record(values: list[object] | None, version: int = 3, **more: object) -> dict[str, object]:
    """Return an EventLogRecord as ConvertTo-Json writes it."""
    properties = {} if values is None else {"Properties": [{"Value": value} for value in values]}
    return {
        "Id": 1,
        "Version": version,
        "ProviderName": PT[0],
        "ProviderId": PT[1],
        "LogName": "System",
        "RecordId": 798,
        "TimeCreated": WRITTEN,
        "Message": "Das System wurde aus einem niedrigen Energiezustand reaktiviert.",
        **properties,
        **more,
    }


def as_csv(rows: list[dict[str, object]], delimiter: str = ",", head: str = "") -> str:
    stream = io.StringIO()
    stream.write(head)
    writer = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("version", "values"),
    [(0, V1[:15]), (1, V1), (2, V2), (3, V3)],
    ids=["v0, as Vista's paper lists it", "v1", "v2", "v3"],
)
def test_values_without_names_are_read_where_the_version_tells_their_layout(
    read: Read, version: int, values: list[object]
) -> None:
    reading = read(json.dumps([record(values, version)], indent=2))
    (cycle,) = reading.records
    (source,) = reading.sources
    assert (source.kind, source.records, source.integrity.problems) == ("eventlog-json", 1, ())
    assert (cycle.kind, cycle.record_id) == (SleepKind.S3, 798)
    assert (cycle.sleep_ms, cycle.wake_ms) == (1500, 900)
    assert (cycle.driver_init_ms, cycle.bios_init_ms) == (800, 700)
    assert cycle.sleep_time_utc_ns == 1_714_557_600_123_000_000
    assert cycle.written_utc_ns == 1_714_557_662_500_000_000
    assert cycle.wake_source.name == "power button"


@pytest.mark.parametrize(
    ("version", "values"),
    [
        pytest.param(2, V3, id="v2 with a value too many"),
        pytest.param(3, V2, id="v3 with a value too few"),
        pytest.param(4, V3, id="a version that nobody knows"),
        pytest.param(3, None, id="no values"),
    ],
)
def test_values_in_an_unknown_layout_are_never_used(
    read: Read, version: int, values: list[object] | None
) -> None:
    with pytest.raises(RecordError, match="messages and values without names"):
        read(json.dumps([record(values, version)]))


def test_one_event_in_an_unknown_layout_among_others_is_told(read: Read) -> None:
    items = [record(V3), record(V3, 9, RecordId=799)]
    reading = read(json.dumps(items))
    assert [cycle.record_id for cycle in reading.records] == [798]
    assert reading.sources[0].integrity.problems == (
        "1 event has values without names in a layout that is not known, so its content is"
        " unknown.",
    )
    assert not reading.sources[0].integrity.ok


def test_properties_that_are_objects_names_only_are_refused_with_advice(read: Read) -> None:
    cut = "System.Diagnostics.Eventing.Reader.EventProperty"
    with pytest.raises(RecordError) as refusal:
        read(json.dumps([record(None, Properties=f"{cut} {cut}")]))
    assert str(refusal.value).endswith(f": {ADVICE}")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_of_messages_is_refused_with_the_export_that_works(read: Read, delimiter: str) -> None:
    columns = record(None, Properties="System.Collections.Generic.List`1[EventProperty]")
    head = "#TYPE System.Diagnostics.Eventing.Reader.EventLogRecord\r\n"
    with pytest.raises(RecordError) as refusal:
        read(as_csv([columns], delimiter, head))
    assert str(refusal.value).endswith(f": {ADVICE}")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("form", ["strings", "objects", "one a line", "csv"])
def test_events_xml_within_an_export_reads_like_event_xml(
    write, read: Read, form: str, encoding: str
) -> None:
    events = [write.boot(22000), *write.cycle(694, WakeSourceText="Gerät")]
    plain = read(events)
    objects = [{"RecordId": n, "Xml": f"{event}\r\n"} for n, event in enumerate(events)]
    text = {
        "strings": json.dumps(events, ensure_ascii=False).replace("<", "\\u003c"),
        "objects": json.dumps({"value": objects, "Count": len(events)}, ensure_ascii=False),
        "one a line": "\n".join(json.dumps(entry, ensure_ascii=False) for entry in objects),
        "csv": as_csv(objects, ";"),
    }[form]
    reading = read(text.encode(encoding))
    assert reading.records == plain.records
    assert reading.sources[0].records == len(events)
    assert reading.sources[0].kind == ("eventlog-csv" if form == "csv" else "eventlog-json")
    assert reading.sources[0].integrity.ok


def test_titles_of_a_csv_that_no_row_can_have_are_refused(read: Read) -> None:
    text = as_csv([record(None, TargetState=4)]).replace('"LogName"', "Log\rName", 1)
    with pytest.raises(RecordError, match="found an export without one whole event"):
        read(text)


def test_a_csv_that_is_cut_inside_its_last_row_is_not_whole(read: Read) -> None:
    """A number that lost its last digits would be a silently wrong one."""
    columns = record(
        None, TargetState=4, EffectiveState=4, BiosInitDuration=700, DriverInitDuration=8125
    )
    whole = as_csv([columns, {**columns, "RecordId": 2}]).rstrip()
    for cut in range(1, 4):
        reading = read(whole[:-cut])
        assert len(reading.records) == 1
        assert not reading.sources[0].integrity.ok
    assert len(read(whole + "\r\n").records) == 2


def test_chosen_values_with_names_are_read_by_name(read: Read) -> None:
    named = record(
        None, TargetState=4, EffectiveState=5, BiosInitDuration=700, DriverInitDuration=8
    )
    for text in (json.dumps(named), as_csv([named])):
        (cycle,) = read(text).records
        assert (cycle.kind, cycle.resume_ms) == (SleepKind.HYBRID, 708)


def test_a_time_without_a_zone_is_not_taken_for_utc(read: Read) -> None:
    local = "2024-05-01T12:01:02.5000000"
    reading = read(json.dumps([record(V3, TimeCreated=local)]))
    assert reading.records[0].written_utc_ns is None
    assert not reading.sources[0].integrity.ok
    (cycle,) = read(json.dumps([record(V3, TimeCreated=f"{local}+02:00")])).records
    assert cycle.written_utc_ns == 1_714_557_662_500_000_000


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda text: text[:-40], id="cut"),
        pytest.param(lambda text: text + "[" * 100_000, id="nested"),
        pytest.param(lambda text: text + '{"Id": ' + "9" * 10_000, id="number without end"),
        pytest.param(lambda text: text + '"' + "x" * 3_000_000, id="text without end"),
    ],
)
def test_damaged_json_gives_what_was_whole(read: Read, spoil: Callable[[str], str]) -> None:
    text = "\n".join(json.dumps(record(V3, RecordId=number)) for number in (1, 2, 3))
    reading = read(spoil(text))
    assert [cycle.record_id for cycle in reading.records][:2] == [1, 2]
    assert reading.sources[0].records >= 2


def test_half_a_character_in_json_can_be_written_again(read: Read) -> None:
    values = [*V3[:14], "\ud83d", *V3[15:]]
    (cycle,) = read(json.dumps([record(values)]), keep_text=True).records
    assert cycle.wake_source.text.encode() == b"?"
    assert cycle.text.encode()


def test_events_that_have_no_part_in_an_account_are_no_damage(read: Read) -> None:
    """A whole System log has many events of these providers whose layout nobody has to know."""
    others = [
        record([True, 4970, 38200], 1, Id=105, ProviderName=KP[0], ProviderId=KP[1], RecordId=n)
        for n in (796, 797)
    ]
    reading = read(json.dumps([*others, record(V3)]))
    assert (len(reading.records), reading.sources[0].records) == (1, 3)
    assert reading.sources[0].integrity.problems == ()
