"""Binary logs: what is whole is read, what is damaged is told and never used."""

import struct
import zlib
from pathlib import Path

import pytest
from evtx_reference import seal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogReading
from resume_rig.oslog.reading import read_logs

HEADER = 4096
CHUNK = 65536
RECORDS = 1881
OPEN = "The log was copied while it was open, so whether records at its end are missing is unknown."
CHUNK_5 = HEADER + 4 * CHUNK  # holds the records 445 to 571, and the first of two accounts, 544
LOST_5 = "The records 445 to 571 are missing, so their content is unknown."


@pytest.fixture
def s1_log(shared_data: Path) -> bytes:
    return (shared_data / "eventlog" / "win10-15063-desktop-s1.evtx").read_bytes()


def read(folder: Path, content: bytes) -> LogReading:
    path = folder / "log.bin"
    path.write_bytes(content)
    return read_logs([path])


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def closed(content: bytes) -> bytes:
    """Write the header of a log that was closed: not dirty, knowing of every record."""
    header = bytearray(content[:HEADER])
    struct.pack_into("<Q", header, 24, RECORDS + 1)
    struct.pack_into("<II", header, 120, 0, zlib.crc32(header[:120]))
    return bytes(header) + content[HEADER:]


def test_an_intact_log_is_read_whole(tmp_path: Path, s1_log: bytes) -> None:
    reading = read(tmp_path, s1_log)
    (source,) = reading.sources
    assert (source.kind, source.records, source.os_build) == ("evtx", RECORDS, 15063)
    assert [record.record_id for record in reading.records] == [544, 760]
    assert source.integrity.ok
    assert source.integrity.problems == (OPEN,)


def test_a_closed_log_has_nothing_to_mention(tmp_path: Path, s1_log: bytes) -> None:
    assert read(tmp_path, closed(s1_log)).sources[0].integrity.problems == ()


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        pytest.param(
            CHUNK_5 + 20_000,
            "Chunk 5 is damaged (the checksum of its records does not match), so its records 445 to"
            " 571 are unknown.",
            id="records",
        ),
        pytest.param(
            CHUNK_5 + 30,
            "Chunk 5 is damaged (the checksum of its header does not match), so its records are"
            " unknown.",
            id="chunk header",
        ),
        pytest.param(
            CHUNK_5 + 1,
            "Chunk 5 is damaged (its header is overwritten), so its records are unknown.",
            id="chunk magic",
        ),
    ],
)
def test_a_flipped_bit_costs_its_chunk_and_no_wrong_record(
    tmp_path: Path, s1_log: bytes, place: int, problem: str
) -> None:
    reading = read(tmp_path, flipped(s1_log, place))
    (source,) = reading.sources
    assert source.records == RECORDS - 127
    assert [record.record_id for record in reading.records] == [760]
    assert not source.integrity.ok
    assert source.integrity.problems == (OPEN, problem, LOST_5)


def test_a_record_that_cannot_be_parsed_is_counted_beside_those_of_its_chunk(
    tmp_path: Path, s1_log: bytes
) -> None:
    (last,) = struct.unpack_from("<I", s1_log, CHUNK_5 + 44)
    # The chunk says by its checksums that it was written so.
    reading = read(tmp_path, seal(flipped(s1_log, CHUNK_5 + last)))
    (source,) = reading.sources
    assert source.records == RECORDS - 1
    assert [record.record_id for record in reading.records] == [544, 760]
    assert source.integrity.problems == (
        OPEN,
        "1 of the records 445 to 571 could not be parsed, so their content is unknown.",
    )


def test_a_chunk_without_a_checksum_is_read_and_mentioned(tmp_path: Path, s1_log: bytes) -> None:
    content = bytearray(closed(s1_log))
    struct.pack_into("<I", content, CHUNK_5 + 120, 2)  # its flags
    struct.pack_into("<I", content, CHUNK_5 + 52, 0)
    struct.pack_into("<I", content, CHUNK_5 + 124, 0)
    (source,) = read(tmp_path, bytes(content)).sources
    assert (source.records, source.integrity.ok) == (RECORDS, True)
    assert source.integrity.problems == (
        "1 of 15 chunks carry no checksum, so damage in them would go unseen.",
    )


def test_a_zeroed_chunk_is_missed_by_its_neighbours(tmp_path: Path, s1_log: bytes) -> None:
    content = s1_log[:CHUNK_5] + bytes(CHUNK) + s1_log[CHUNK_5 + CHUNK :]
    assert read(tmp_path, content).sources[0].integrity.problems == (OPEN, LOST_5)


def test_a_flip_in_unused_space_changes_nothing(tmp_path: Path, s1_log: bytes) -> None:
    reading = read(tmp_path, flipped(s1_log, HEADER + 14 * CHUNK + 40_000))
    assert (reading.sources[0].records, reading.sources[0].integrity.ok) == (RECORDS, True)


def test_half_a_log_gives_its_whole_chunks(tmp_path: Path, s1_log: bytes) -> None:
    reading = read(tmp_path, s1_log[: len(s1_log) // 2])
    assert (reading.sources[0].records, len(reading.records)) == (994, 2)
    assert reading.sources[0].integrity.problems == (
        "The file ends inside a chunk, so the records in its last 30720 bytes and all after them"
        " are unknown.",
        OPEN,
    )


def test_chunks_cut_off_at_the_end_are_missed_by_a_closed_log(
    tmp_path: Path, s1_log: bytes
) -> None:
    source = read(tmp_path, closed(s1_log)[: HEADER + 5 * CHUNK]).sources[0]
    assert source.integrity.problems == (
        "The file header knows of record 1881, so the records after 571 are missing.",
    )
    assert not source.integrity.ok


def test_a_damaged_file_header_leaves_the_records(tmp_path: Path, s1_log: bytes) -> None:
    source = read(tmp_path, flipped(s1_log, 50)).sources[0]
    assert source.records == RECORDS
    assert source.integrity.problems[0] == (
        "The checksum of the file header does not match, so how many records the log had is"
        " unknown."
    )


def test_a_destroyed_file_header_costs_no_record(tmp_path: Path, s1_log: bytes) -> None:
    reading = read(tmp_path, bytes(HEADER) + s1_log[HEADER:])
    assert reading.records == read(tmp_path, s1_log).records
    assert (reading.sources[0].records, reading.sources[0].integrity.ok) == (RECORDS, False)


def test_a_wrapped_log_is_read_in_record_order(tmp_path: Path, s1_log: bytes) -> None:
    content = s1_log[:HEADER] + s1_log[HEADER + 5 * CHUNK : HEADER + 15 * CHUNK]
    reading = read(tmp_path, content + s1_log[HEADER : HEADER + 5 * CHUNK])
    assert reading.records == read(tmp_path, s1_log).records
    assert (reading.sources[0].records, reading.sources[0].integrity.ok) == (RECORDS, True)


def test_ids_that_an_export_left_out_are_not_missed(tmp_path: Path, s1_log: bytes) -> None:
    content = bytearray(s1_log[:CHUNK_5] + s1_log[CHUNK_5 + CHUNK :])
    for start in range(CHUNK_5, HEADER + 14 * CHUNK, CHUNK):
        first, last = struct.unpack_from("<QQ", content, start + 8)
        struct.pack_into("<QQ", content, start + 8, first - 127, last - 127)
        header = content[start : start + 120] + content[start + 128 : start + 512]
        struct.pack_into("<I", content, start + 124, zlib.crc32(header))
    source = read(tmp_path, bytes(content)).sources[0]
    assert source.records == RECORDS - 127
    assert source.integrity.problems == (OPEN,)


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        pytest.param(
            lambda log: log[:8],
            "an EVTX file of 8 bytes, allowed are 4096 bytes of header and whole chunks",
            id="magic alone",
        ),
        pytest.param(
            lambda log: log[:4095],
            "an EVTX file of 4095 bytes, allowed are 4096 bytes of header and whole chunks",
            id="cut header",
        ),
        pytest.param(
            lambda log: log[:HEADER],
            "an EVTX file with 0 intact of 0 used chunks, allowed is one with at least 1",
            id="header alone",
        ),
        pytest.param(
            lambda log: log[: HEADER + CHUNK - 1],
            "an EVTX file with 0 intact of 0 used chunks, allowed is one with at least 1",
            id="cut first chunk",
        ),
        pytest.param(
            lambda log: flipped(log, HEADER + 20_000)[: HEADER + CHUNK],
            "an EVTX file with 0 intact of 1 used chunks, allowed is one with at least 1",
            id="damaged only chunk",
        ),
    ],
)
def test_a_log_of_which_nothing_is_left_is_refused(
    tmp_path: Path, s1_log: bytes, spoil, found: str
) -> None:
    with pytest.raises(RecordError) as refusal:
        read(tmp_path, spoil(s1_log))
    assert str(refusal.value) == f"could not read {tmp_path / 'log.bin'}: found {found}"


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=60,
    deadline=None,
)
@given(
    flips=st.lists(st.integers(0, HEADER + 15 * CHUNK - 1), max_size=6),
    cut=st.one_of(st.none(), st.integers(0, HEADER + 15 * CHUNK)),
)
def test_no_damage_makes_a_wrong_record(
    tmp_path: Path, s1_log: bytes, flips: list[int], cut: int | None
) -> None:
    truth = {record.record_id: record for record in read(tmp_path, s1_log).records}
    content = s1_log
    for place in flips:
        content = flipped(content, place)
    try:
        reading = read(tmp_path, content[:cut])
    except RecordError:
        return
    for record in reading.records:
        expected = truth[record.record_id]
        assert (record.kind, record.driver_init_ms) == (expected.kind, expected.driver_init_ms)
        assert record.wake_time_utc_ns == expected.wake_time_utc_ns
    lost = reading.sources[0].records < RECORDS and cut is None
    assert not (lost and reading.sources[0].integrity.ok)
