"""Records that are read from their values tell what the evtx library renders of them."""

import struct
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event import Event, Provider
from resume_rig.oslog.event_parser import parse_event
from resume_rig.oslog.evtx_attendance import Attendance
from resume_rig.oslog.evtx_audit import EvtxWalk
from resume_rig.oslog.evtx_parse import BlockReader, ParsedRecord
from resume_rig.oslog.problems import Problem, ProblemTally
from resume_rig.oslog.timestamps import parse_utc_ns

from .evtx_builder import ChunkBuilder, Field, Record, evtx_file
from .evtx_reference import seal
from .test_evtx_shortcut import LOGS

NAMES = {
    Provider.KERNEL_POWER: "Microsoft-Windows-Kernel-Power",
    Provider.KERNEL_GENERAL: "Microsoft-Windows-Kernel-General",
    Provider.POWER_TROUBLESHOOTER: "Microsoft-Windows-Power-Troubleshooter",
}
GUIDS = {
    Provider.KERNEL_POWER: "3a3b1c330520c244ac5e77220c37d6b4",
    Provider.KERNEL_GENERAL: "b7a88ca64f00b6d7a69807e2de0f1f5d",
    Provider.POWER_TROUBLESHOOTER: "285ee0cdc949c646b9d288cf761644df",
}
USUAL_SIZES = {
    **{0x03: 1, 0x04: 1, 0x05: 2, 0x06: 2, 0x07: 4, 0x08: 4, 0x09: 8, 0x0A: 8, 0x0D: 4},
    **{0x11: 8, 0x14: 4, 0x15: 8},  # numbers, truths, times, hexadecimal numbers
}
OTHER_SIZES = {0x0B: 4, 0x0F: 16, 0x10: 8}
DAY_TICKS = 864_000_000_000
TICKS = st.one_of(
    st.integers(0, 2_600_000_000_000_000_000),
    st.integers(125_000_000_000_000_000, 135_000_000_000_000_000),
    st.sampled_from([0, DAY_TICKS - 1, DAY_TICKS, 24_212_668_000_000_000, 24_300_000_000_000_000]),
)
PLAIN = st.text(st.characters(codec="utf-16-le", exclude_categories=["C", "Z"]), max_size=40)


def sized(sizes: dict[int, int]) -> st.SearchStrategy[tuple[int, bytes]]:
    return st.sampled_from(sorted(sizes)).flatmap(
        lambda value_type: st.tuples(
            st.just(value_type),
            TICKS.map(lambda ticks: struct.pack("<Q", ticks))
            if value_type == 0x11
            else st.sampled_from([b"\0\0\0\0", b"\1\0\0\0"])
            if value_type == 0x0D
            else st.binary(min_size=sizes[value_type], max_size=sizes[value_type]),
        )
    )


USUAL = st.one_of(
    sized(USUAL_SIZES),
    st.tuples(st.just(0x01), PLAIN.map(lambda text: text.encode("utf-16-le"))),
    st.tuples(st.just(0x01), PLAIN.map(lambda text: f"{text} a\0".encode("utf-16-le"))),
    st.tuples(st.just(0x02), st.text("abc =&<", max_size=9).map(lambda text: text.encode())),
    st.tuples(st.just(0x00), st.binary(max_size=8)),
)
OTHER = st.one_of(
    sized(OTHER_SIZES),
    st.tuples(
        st.just(0x01),
        st.text(max_size=40).map(lambda text: text.encode("utf-16-le", "surrogatepass")),
    ),
    st.tuples(st.just(0x02), st.binary(max_size=20)),
    st.tuples(st.sampled_from([0x01, 0x08, 0x0E, 0x81]), st.binary(max_size=9)),
    st.tuples(st.just(0x0D), st.binary(min_size=4, max_size=4)),
)
FIELD_NAMES = st.one_of(
    st.sampled_from(["SleepTime", "WakeTime", "NewTime", "OldTime", "Reason", "StopTime"]),
    st.text("abcXYZ_ 1", min_size=1, max_size=8),
)


def records(values: st.SearchStrategy[tuple[int, bytes]]) -> st.SearchStrategy[list[Record]]:
    fields = st.lists(st.builds(lambda name, value: Field(name, *value), FIELD_NAMES, values))
    return st.lists(
        st.builds(
            lambda provider, event_id, fields, version, written, literal, prefixed: Record(
                *(NAMES[provider], bytes.fromhex(GUIDS[provider])),
                *(event_id, tuple(fields), version, written),
                literal_provider=literal,
                prefixed_data=prefixed,
            ),
            st.sampled_from(sorted(NAMES)),
            st.sampled_from([1, 12, 13, 42, 107, 131, 506]),
            fields,
            st.integers(0, 255),
            TICKS,
            st.booleans(),
            st.booleans(),
        ),
        min_size=1,
        max_size=4,
    )


def events_of(path: Path, *, rendered: bool) -> tuple[list[Event], int, ProblemTally]:
    """Return the events of a file, how many came straight from values, and the problems."""
    reader = BlockReader(keep_text=rendered)
    tally = ProblemTally()
    events: list[Event] = []
    direct = 0
    for record in chain.from_iterable(reader.read(block, Attendance()) for block in EvtxWalk(path)):
        if isinstance(record, ParsedRecord):
            text = record.text[record.text.find("<Event") :].rstrip()
            try:
                event = parse_event(text, tally, keep_text=False, written=record.written)
            except RecordError:
                tally.count(Problem.MALFORMED)
                continue
        else:
            event, direct = record, direct + 1
        if event is not None and event.role is not None:
            events.append(event)
    return events, direct, tally


def as_rendered(event: Event, rendered: Event) -> Event:
    """Return the event with its times as the texts that were rendered, if they mean the same."""
    data = dict(event.data)
    for name, time_ns in event.times_ns.items():
        assert parse_utc_ns(rendered.data[name]) == time_ns
        data[name] = rendered.data[name]
    return Event(
        provider=event.provider,
        event_id=event.event_id,
        version=event.version,
        record_id=event.record_id,
        time_utc_ns=event.time_utc_ns,
        data=data,
    )


def assert_same(path: Path) -> int:
    events, direct, problems = events_of(path, rendered=False)
    rendered, _, rendered_problems = events_of(path, rendered=True)
    assert [event.record_id for event in events] == [event.record_id for event in rendered]
    for event, other in zip(events, rendered, strict=True):
        assert as_rendered(event, other) == other
    assert problems.integrity() == rendered_problems.integrity()
    return direct


def write_records(path: Path, records: Sequence[Record]) -> None:
    builder = ChunkBuilder()
    written = sum(builder.add(record) for record in records)
    path.write_bytes(evtx_file([builder.chunk()], written + 1))


@pytest.mark.parametrize("name", LOGS)
def test_a_real_log_tells_the_same_events(shared_data: Path, name: str) -> None:
    path = shared_data / "eventlog" / name
    events, direct, _ = events_of(path, rendered=False)
    assert direct >= len(events) > 0
    assert_same(path)


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(written=records(USUAL))
def test_usual_values_tell_what_is_rendered_of_them(
    tmp_path_factory: pytest.TempPathFactory, written: list[Record]
) -> None:
    path = tmp_path_factory.getbasetemp() / "usual.evtx"
    write_records(path, written)
    assert_same(path)


@settings(max_examples=80, deadline=None)
@given(written=records(st.one_of(USUAL, USUAL, USUAL, OTHER)))
def test_any_values_tell_what_is_rendered_of_them(
    tmp_path_factory: pytest.TempPathFactory, written: list[Record]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.evtx"
    write_records(path, written)
    assert_same(path)


def test_usual_values_need_no_rendering(tmp_path: Path) -> None:
    fields = (
        Field("SleepTime", 0x11, struct.pack("<Q", 133_000_000_012_345_678)),
        Field("WakeDuration", 0x08, struct.pack("<I", 900)),
        Field("WakeSourceText", 0x01, "Netzschalter & \u5e7f <x>".encode("utf-16-le") + b"\0\0"),
        Field("Left out", 0x00, b""),
        Field("LoadOptions", 0x02, b" NOEXECUTE=OPTIN\0"),
    )
    provider = Provider.POWER_TROUBLESHOOTER
    record = Record(NAMES[provider], bytes.fromhex(GUIDS[provider]), 1, fields)
    path = tmp_path / "log.evtx"
    write_records(path, [record, record])
    assert assert_same(path) == 2
    event = events_of(path, rendered=False)[0][0]
    assert event.times_ns["SleepTime"] == parse_utc_ns("2022-06-18T04:26:41.234567Z")
    assert event.data["WakeSourceText"] == "Netzschalter & \u5e7f <x>"
    assert event.data["LoadOptions"] == " NOEXECUTE=OPTIN"


@pytest.mark.parametrize("name", ["Execution", "ProcessID", "DUT", "System", "EventData", "Data"])
@pytest.mark.parametrize("other", ["\u0001", " ", "<", "\ud800"])
def test_a_template_that_is_no_xml_is_believed_as_little_as_by_the_library(
    tmp_path: Path, name: str, other: str
) -> None:
    """What the library refuses as XML must not be believed either."""
    provider = Provider.KERNEL_GENERAL
    fields = (Field("Reason", 0x08, b"\2\0\0\0"),)
    record = Record(NAMES[provider], bytes.fromhex(GUIDS[provider]), 1, fields)
    path = tmp_path / "log.evtx"
    write_records(path, [record, record])
    content = path.read_bytes()
    stored = (name[:-1] + other).encode("utf-16-le", "surrogatepass")
    assert name.encode("utf-16-le") in content
    path.write_bytes(seal(content.replace(name.encode("utf-16-le"), stored)))
    assert_same(path)
