"""Event XML in every form that it comes in, whole and damaged."""

import re
import tracemalloc
from collections.abc import Callable

import pytest
from fragments import read_fragments
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogReading

Read = Callable[..., LogReading]
XML = '<?xml version="1.0" encoding="UTF-8"?>'
MALFORMED = "1 event is not well formed, so its content is unknown."
CUT = "The log ends inside an event, so that event and all after it are unknown."
STRAY = "1 place between events holds text that is no event, so an event may be missing there."


def drivers(reading: LogReading) -> list[int | None]:
    return [record.driver_init_ms for record in reading.records]


def accounts(write, count: int) -> list[str]:
    return [write.account(DriverInitDuration=index) for index in range(1, count + 1)]


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(lambda events: "<Events>" + "".join(events) + "</Events>", id="document"),
        pytest.param(lambda events: XML + "\n<Events>" + "".join(events) + "</Events>", id="xml"),
        pytest.param("\n".join, id="fragments"),
        pytest.param("".join, id="fragments without a blank"),
        pytest.param("\r\n\r\n".join, id="fragments CRLF"),
        pytest.param(lambda events: f"\r\n{XML}\r\n".join(["", *events]), id="declarations"),
        pytest.param(lambda events: "\ufeff".join(["", *events]), id="BOM each"),
        pytest.param(
            lambda events: "".join(f"<Events>{event}</Events>\n" for event in events),
            id="documents",
        ),
        pytest.param(
            lambda events: "<root>" + "<!-- a < b -->".join(events) + "</root>", id="root"
        ),
        pytest.param(lambda events: "\n".join(events).replace('"', "'"), id="single quotes"),
        pytest.param(lambda events: "\n".join(events).replace("><", ">\r\n  <"), id="indented"),
        pytest.param(
            lambda events: "\n".join(events).replace("</Event>", "</Event\n >"), id="end tag"
        ),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_every_form_reads_the_same(write, read: Read, form, encoding: str) -> None:
    events = [write.account(DriverInitDuration=1, WakeSourceText="扩展 ключ 🔑"), write.other()]
    reading = read(form([*events, write.account(DriverInitDuration=2)]).encode(encoding))
    assert drivers(reading) == [1, 2]
    assert reading.records[0].wake_source.text == "扩展 ключ 🔑"
    assert (reading.sources[0].kind, reading.sources[0].records) == ("eventlog-xml", 3)
    assert reading.sources[0].integrity.problems == ()


def test_utf16_with_a_big_endian_bom_is_read(write, read: Read) -> None:
    content = b"\xfe\xff" + "".join(accounts(write, 2)).encode("utf-16-be")
    assert drivers(read(content)) == [1, 2]


def test_a_namespace_prefix_may_be_declared_at_the_root(write, read: Read) -> None:
    event = write.event("PT", 1, {"DriverInitDuration": 7}, prefix="e")
    bare = event.replace(' xmlns:e="http://schemas.microsoft.com/win/2004/08/events/event"', "")
    root = '<e:Events xmlns:e="http://schemas.microsoft.com/win/2004/08/events/event">'
    assert drivers(read(f"{root}{bare}</e:Events>")) == [7]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("Microsoft-Windows-Power-Troubleshooter", "Localised", id="GUID alone"),
        pytest.param(
            "{cdc05e28-c449-49c6-b9d2-88cf761644df}",
            "CDC05E28-C449-49C6-B9D2-88CF761644DF",
            id="GUID in capitals",
        ),
        pytest.param(' Guid="{cdc05e28-c449-49c6-b9d2-88cf761644df}"', "", id="name alone"),
        pytest.param("<EventID>1<", "<EventID Qualifiers='0'> 1 <", id="qualifiers"),
        pytest.param("<Version>3</Version>", "<Version>None</Version>", id="version None"),
        pytest.param("<Version>3</Version>", "", id="no version"),
        pytest.param("</System>", "<New><Deep>1</Deep></New></System>", id="unknown fields"),
        pytest.param("</EventData>", "<Data>bare</Data></EventData>", id="nameless data"),
        pytest.param(
            "</EventData>", '<Data Name="DriverInitDuration">9</Data></EventData>', id="double name"
        ),
        pytest.param("</EventData>", "</EventData><EventData/>", id="second section"),
        pytest.param("</EventData>", '<Data Name="A">&#1;&#x1F;</Data></EventData>', id="&#1;"),
        pytest.param(
            "</EventData>", '<Data Name="A">\x00\x07\x1b</Data></EventData>', id="controls"
        ),
        pytest.param(
            "</EventData>", "<Data Name='A'><![CDATA[</Event>]]></Data></EventData>", id="CDATA"
        ),
        pytest.param("</EventData>", "<!-- </Event> --></EventData>", id="comment"),
        pytest.param(
            "</EventData>", "<Data Name='A'>EventID>9</Data></EventData>", id="like an id"
        ),
    ],
)
def test_what_is_strange_within_an_event_does_not_matter(
    write, read: Read, old: str, new: str
) -> None:
    event = write.account(DriverInitDuration=7)
    assert old in event
    reading = read([event.replace(old, new), write.account(DriverInitDuration=8)])
    assert drivers(reading) == [7, 8]
    assert reading.sources[0].integrity.problems == ()


def test_values_are_found_by_name_and_may_be_missing(write, read: Read) -> None:
    event = write.event("PT", 1, {"WakeDuration": 5, "Other": "x", "SleepDuration": 6})
    (record,) = read([event]).records
    assert (record.wake_ms, record.sleep_ms, record.driver_init_ms) == (5, 6, None)
    assert (record.wake_source.type, record.kind) == (None, "unknown")


def test_an_event_without_data_is_counted(write, read: Read) -> None:
    reading = read(["<Event/>", "<Event></Event>", write.account(), '<Event a="b" />'])
    assert (reading.sources[0].records, len(reading.records)) == (4, 1)
    assert reading.sources[0].integrity.not_understood == (
        "Not understood: 1 of the log's events, the first '<Event></Event>'.",
    )


def test_texts_are_kept_only_when_asked_for(write, read: Read) -> None:
    events = write.cycle()
    assert read(events).records[0].text == ""
    assert read(events, keep_text=True).records[0].text == "\n".join(events)


@pytest.mark.parametrize(
    ("spoil", "left", "problem"),
    [
        pytest.param(lambda e: e.replace("</System>", ""), [1, 3], MALFORMED, id="lost end tag"),
        pytest.param(lambda e: e.replace("</Event>", ""), [1, 3], MALFORMED, id="lost event end"),
        pytest.param(lambda e: e.replace("<Event ", "<Evnt "), [1, 3], STRAY, id="lost start"),
        pytest.param(
            lambda e: e.replace("</EventData>", "&bomb;</EventData>"),
            [1, 3],
            MALFORMED,
            id="unknown entity",
        ),
        pytest.param(
            lambda e: e.replace("<System>", "<System><!-- "), [1, 3], MALFORMED, id="open comment"
        ),
        pytest.param(
            lambda e: e.replace("<System>", "<System><![CDATA["), [1, 3], MALFORMED, id="open CDATA"
        ),
        pytest.param(lambda e: e[40:], [1, 3], STRAY, id="cut in front"),
        pytest.param(lambda _: "\0" * 50, [1, 3], STRAY, id="hole of zeros"),
        pytest.param(lambda _: "no event", [1, 3], STRAY, id="text"),
    ],
)
def test_one_damaged_event_costs_no_other(
    write, read: Read, spoil: Callable[[str], str], left: list[int], problem: str
) -> None:
    events = accounts(write, 3)
    reading = read([events[0], spoil(events[1]), events[2]])
    assert drivers(reading) == left
    assert reading.sources[0].integrity.problems == (problem,)
    assert not reading.sources[0].integrity.ok


def test_an_open_comment_at_the_end_costs_no_other_event(write, read: Read) -> None:
    events = accounts(write, 3)
    events[1] = events[1].replace("<System>", "<System><!-- ")
    assert drivers(read("".join(events))) == [1, 3]


@pytest.mark.parametrize("cut", [1, 5, 9, 30, 300])
def test_a_cut_end_is_told(write, read: Read, cut: int) -> None:
    reading = read("".join(accounts(write, 2))[:-cut])
    assert drivers(reading) == [1]
    assert reading.sources[0].integrity.problems == (CUT,)


def test_a_document_cut_between_events_is_told(write, read: Read) -> None:
    reading = read("<Events>" + "".join(accounts(write, 2)))
    assert drivers(reading) == [1, 2]
    assert reading.sources[0].integrity.problems == (
        "The log ends before its closing </Events>, so later events may be missing.",
    )


def test_bytes_of_another_encoding_cost_texts_only(write, read: Read) -> None:
    event = write.account(WakeSourceText="Gerät")
    reading = read(event.encode("cp850") + write.account().encode())
    assert [record.wake_source.text for record in reading.records] == ["Ger\ufffdt", ""]
    assert reading.sources[0].integrity.problems == (
        "1 block holds bytes not valid in the log's encoding, so texts may be wrong.",
    )


@pytest.mark.parametrize("size", [1_048_576, 1_200_000, 3_000_000])
def test_an_event_of_more_than_one_mebibyte_is_skipped(write, read: Read, size: int) -> None:
    huge = write.account(WakeSourceText="x" * size)
    events = [*accounts(write, 1), huge, write.account(DriverInitDuration=2)]
    for reading in (read(events), read_fragments("".join(events).encode(), "memory")):
        assert drivers(reading) == [1, 2]
        assert reading.sources[0].records == 3
        assert reading.sources[0].integrity.problems == (
            "1 event is longer than 1 MiB and was skipped, so its content is unknown.",
        )


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">'
    + "".join(f'<!ENTITY lol{n} "{f"&lol{n - 1};" * 10}">' for n in range(1, 12))
    + "]>"
)


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(lambda event: f"{BOMB}<Events>{event}&lol11;</Events>", id="in front"),
        pytest.param(lambda event: f"<Events>{event}{BOMB}{event}</Events>", id="between"),
        pytest.param(lambda event: event.replace("<System>", BOMB + "<System>"), id="inside"),
        pytest.param(lambda event: event.ljust(262_139) + "<!DOCTYPE x>", id="across two blocks"),
        pytest.param(lambda event: f"{event}<!doctype x>", id="small letters"),
        pytest.param(
            lambda event: f'{event}<!DOCTYPE e SYSTEM "file:///etc/passwd">', id="external"
        ),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_entity_bomb_is_refused_and_costs_nothing(
    write, read: Read, tmp_path, place: Callable[[str], str], encoding: str
) -> None:
    content = place(write.account()).encode(encoding)
    tracemalloc.start()
    try:
        with pytest.raises(RecordError) as refusal:
            read(content)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert str(refusal.value) == (
        f"could not read {tmp_path / 'log.bin'}: found a document type or entity declaration,"
        " allowed is Event XML without one"
    )
    assert peak_bytes < 8_000_000


def test_a_bomb_without_events_is_named(read: Read) -> None:
    with pytest.raises(RecordError, match="an XML document with a document type or entity"):
        read(BOMB + "<lolz>&lol11;</lolz>")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "</Data></EventData></Event><Event>",
        "]]>",
        "&amp;lt;",
        "עברית عربي हिन्दी ไทย",
        "\u202egnirts\u202c",
        "a\u0000b".replace("\u0000", "\ufffd"),
        "'; DROP TABLE cycles; --",
        "%s%n{0}",
        "🔌" * 400,
    ],
)
def test_a_hostile_text_stays_a_text(write, read: Read, text: str) -> None:
    reading = read([write.account(WakeSourceText=text), write.account(DriverInitDuration=2)])
    assert [record.wake_source.text for record in reading.records] == [text, ""]
    assert reading.sources[0].integrity.ok


def test_many_end_tags_within_a_comment_end(write) -> None:
    content = ("<Event><!--" + "</Event>" * 100_000 + "".join(accounts(write, 1))).encode()
    assert drivers(read_fragments(content, "memory")) == [1]


QUOTATION = re.compile(rb"<!--.*-->|<!\[CDATA\[.*\]\]>", re.DOTALL)
MUTATION = st.tuples(
    st.floats(0, 1, exclude_max=True),
    st.integers(0, 12),
    st.one_of(
        st.binary(max_size=12),
        st.sampled_from(
            [b"<Event>", b"</Event>", b"<!--", b"<![CDATA[", b"</Events>", b"<?xml", b"&x;"]
        ),
    ),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(mutations=st.lists(MUTATION, max_size=3))
def test_damage_never_raises_and_never_costs_an_intact_event(
    write, mutations: list[tuple[float, int, bytes]]
) -> None:
    write.next_id = 1
    pieces = [event.encode() for event in accounts(write, 6)]
    spoilt: set[int] = set()
    for place, removed, inserted in mutations:
        index = int(place * 6)
        at = int((place * 6 - index) * len(pieces[index]))
        pieces[index] = pieces[index][:at] + inserted + pieces[index][at + removed :]
        spoilt.add(index)
    intact = [index + 1 for index in range(6) if index not in spoilt]
    content = b"<Events>\n" + b"\n".join(pieces) + b"\n</Events>"
    assume(QUOTATION.search(content) is None)  # what stands in one is no event
    try:
        reading = read_fragments(content, "memory")
    except RecordError:
        return
    found = [record.driver_init_ms for record in reading.records]
    assert [ms for ms in intact if ms in found] == intact
