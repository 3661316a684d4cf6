"""An EVTX file reads as the evtx library renders it, and what it cannot render is reported."""

import random
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event.event import Provider
from resume_rig.oslog.reading import read_logs
from resume_rig.oslog.source.records import parse_utc_ns

from .evtx_builder import ChunkBuilder, Field, Record, evtx_file
from .evtx_reference import CHUNK, HEADER, full_parse, seal, sealed_damage

LOGS = ("win10-15063-desktop-s1.evtx", "win7sp1-no-sleep.evtx", "win11-22000-no-sleep.evtx")
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


def assert_as_by_the_library(path: Path) -> None:
    """Every record that the library renders of the file by itself, or a refusal of none."""
    count, records = full_parse(path)
    if not count:
        with pytest.raises(RecordError, match="0 intact of"):
            read_logs([path])
        return
    reading = read_logs([path])
    assert (reading.sources[0].records, list(reading.records)) == (count, records)


def write_records(path: Path, records: Sequence[Record]) -> None:
    builder = ChunkBuilder()
    written = sum(builder.add(record) for record in records)
    path.write_bytes(evtx_file([builder.chunk()], written + 1))


@pytest.mark.parametrize("name", LOGS)
def test_a_real_log_reads_as_by_the_library_alone(shared_data: Path, name: str) -> None:
    assert_as_by_the_library(shared_data / "eventlog" / name)


def test_damage_that_the_checksums_cover_adds_no_record(shared_data: Path, tmp_path: Path) -> None:
    """The library by itself may render records that their chunk's header denies, and no others."""
    original = (shared_data / "eventlog" / LOGS[0]).read_bytes()
    content = original[: HEADER + 7 * CHUNK]  # both accounts
    rng = random.Random(3)
    path = tmp_path / "log.evtx"
    equal = 0
    for _ in range(60):
        path.write_bytes(sealed_damage(rng, content))
        reading = read_logs([path])
        count, records = full_parse(path)
        assert reading.sources[0].records <= count
        if count == reading.sources[0].records:
            assert list(reading.records) == records
            equal += 1
        if count < 837:
            assert not reading.sources[0].integrity.ok
    assert equal > 40


def test_a_provider_is_known_by_its_guid_or_its_name(shared_data: Path, tmp_path: Path) -> None:
    """The values of Kernel-General replaced by others, so that its records do not matter."""
    path = shared_data / "eventlog" / LOGS[0]
    guid = bytes.fromhex("b7a88ca64f00b6d7a69807e2de0f1f5d")
    content = path.read_bytes()
    assert content.count(guid) > 100
    name = "Microsoft-Windows-Kernel-General".encode("utf-16-le")
    other = "Microsoft-Windows-Kernel-Generic".encode("utf-16-le")
    copy = tmp_path / "log.evtx"
    copy.write_bytes(seal(content.replace(guid, bytes(16)).replace(name, other)))
    assert read_logs([copy]).sources[0].os_build is None
    assert_as_by_the_library(copy)
    copy.write_bytes(seal(content.replace(guid, bytes(16))))
    assert read_logs([copy]).sources[0].os_build == 15063


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(written=records(USUAL))
def test_usual_values_read_as_by_the_library_alone(
    tmp_path_factory: pytest.TempPathFactory, written: list[Record]
) -> None:
    path = tmp_path_factory.getbasetemp() / "usual.evtx"
    write_records(path, written)
    assert_as_by_the_library(path)


@settings(max_examples=80, deadline=None)
@given(written=records(st.one_of(USUAL, USUAL, USUAL, OTHER)))
def test_any_values_read_as_by_the_library_alone(
    tmp_path_factory: pytest.TempPathFactory, written: list[Record]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.evtx"
    write_records(path, written)
    assert_as_by_the_library(path)


def test_values_of_each_type_reach_the_record(tmp_path: Path) -> None:
    fields = (
        Field("SleepTime", 0x11, struct.pack("<Q", 133_000_000_012_345_678)),
        Field("WakeTime", 0x11, struct.pack("<Q", 133_000_000_512_345_678)),
        Field("SleepDuration", 0x08, struct.pack("<I", 0xFFFF_FFFF)),
        Field("WakeDuration", 0x06, struct.pack("<H", 900)),
        Field("TargetState", 0x08, struct.pack("<I", 5)),
        Field("EffectiveState", 0x04, b"\5"),
        Field("HiberPagesWritten", 0x0A, struct.pack("<Q", 1 << 31)),
        Field("WakeSourceType", 0x14, struct.pack("<I", 1)),
        Field("WakeSourceText", 0x01, "Netzschalter & \u5e7f <x>".encode("utf-16-le") + b"\0\0"),
        Field("DriverInitDuration", 0x00, b""),
        Field("LoadOptions", 0x02, b" NOEXECUTE=OPTIN\0"),
    )
    provider = Provider.POWER_TROUBLESHOOTER
    path = tmp_path / "log.evtx"
    write_records(
        path,
        [Record(NAMES[provider], bytes.fromhex(GUIDS[provider]), 1, fields, written=133 * 10**15)],
    )
    (record,) = read_logs([path]).records
    assert record.written_utc_ns == parse_utc_ns("2022-06-18T04:26:40Z")
    assert record.sleep_time_utc_ns == parse_utc_ns("2022-06-18T04:26:41.234567Z")
    assert record.wake_time_utc_ns == parse_utc_ns("2022-06-18T04:27:31.234567Z")
    assert (record.sleep_ms, record.wake_ms, record.hiber_pages) == (0xFFFF_FFFF, 900, 1 << 31)
    assert record.driver_init_ms is None
    assert (record.wake_source.type, record.wake_source.text) == (1, "Netzschalter & \u5e7f <x>")
    assert_as_by_the_library(path)


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
    assert_as_by_the_library(path)
