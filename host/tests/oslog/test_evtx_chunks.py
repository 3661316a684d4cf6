"""The audit of chunks and their records: what is missing is counted, and nothing is invented."""

import struct
import zlib
from pathlib import Path

import pytest

from resume_rig.oslog.reading import read_logs

from .evtx_builder import ChunkBuilder, Field, Record, evtx_file
from .evtx_reference import CHUNK, HEADER, full_parse, seal

CHUNKS = 70
ACCOUNTS = 3  # of a chunk
NAME = "Microsoft-Windows-Power-Troubleshooter"
GUID = bytes.fromhex("285ee0cdc949c646b9d288cf761644df")


def account(number: int, *, literal: bool) -> Record:
    fields = (
        Field("SleepTime", 0x11, struct.pack("<Q", 133_000_000_000_000_000 + number * 10**9)),
        Field("WakeTime", 0x11, struct.pack("<Q", 133_000_000_500_000_000 + number * 10**9)),
        Field("WakeDuration", 0x08, struct.pack("<I", 900 + number)),
        Field("DriverInitDuration", 0x08, struct.pack("<I", 700)),
        Field("TargetState", 0x08, struct.pack("<I", 4)),
        Field("EffectiveState", 0x08, struct.pack("<I", 4)),
    )
    return Record(
        *(NAME, GUID, 1, fields), written=133_000_000_700_000_000 + number, literal_provider=literal
    )


@pytest.fixture
def chunks() -> list[bytes]:
    """Chunks of three accounts each, of which every other one has its provider in the template."""
    found = []
    for index in range(CHUNKS):
        builder = ChunkBuilder(1 + index * ACCOUNTS)
        for number in range(index * ACCOUNTS, (index + 1) * ACCOUNTS):
            assert builder.add(account(number, literal=index % 2 == 1))
        found.append(builder.chunk())
    return found


def written(folder: Path, chunks: list[bytes]) -> Path:
    path = folder / "log.evtx"
    path.write_bytes(evtx_file(chunks, CHUNKS * ACCOUNTS + 1))
    return path


def test_every_record_of_many_chunks_is_read(tmp_path: Path, chunks: list[bytes]) -> None:
    path = written(tmp_path, chunks)
    reading = read_logs([path])
    assert [record.wake_ms for record in reading.records] == list(range(900, 1110))
    assert (reading.sources[0].records, list(reading.records)) == full_parse(path)
    assert reading.sources[0].integrity.problems == ()


@pytest.mark.parametrize("index", [0, 31, 32, 33, 63, 64, CHUNKS - 1])
def test_a_damaged_chunk_costs_its_own_records_alone(
    tmp_path: Path, chunks: list[bytes], index: int
) -> None:
    chunks[index] = chunks[index][:600] + b"\xff\xff" + chunks[index][602:]
    source = read_logs([written(tmp_path, chunks)])
    first = 1 + index * ACCOUNTS
    lost = range(first, first + ACCOUNTS)
    kept = [number for number in range(1, CHUNKS * ACCOUNTS + 1) if number not in lost]
    assert [record.record_id for record in source.records] == kept
    assert any(
        f"Chunk {index + 1} is damaged" in problem
        and f"its records {lost[0]} to {lost[-1]} are unknown" in problem
        for problem in source.sources[0].integrity.problems
    )


def test_space_that_was_never_written_is_no_damage(tmp_path: Path, chunks: list[bytes]) -> None:
    reading = read_logs([written(tmp_path, [*chunks, *[bytes(CHUNK)] * 40])])
    assert len(reading.records) == CHUNKS * ACCOUNTS
    assert reading.sources[0].integrity.problems == ()


@pytest.mark.parametrize("slots", [31, 32, 33, 64])
def test_a_cut_behind_any_slot_is_told(tmp_path: Path, chunks: list[bytes], slots: int) -> None:
    path = written(tmp_path, chunks)
    path.write_bytes(path.read_bytes()[: HEADER + slots * CHUNK + 100])
    reading = read_logs([path])
    assert len(reading.records) == slots * ACCOUNTS
    assert reading.sources[0].integrity.problems == (
        "The file ends inside a chunk, so the records in its last 100 bytes and all after them are"
        " unknown.",
        f"The file header knows of record {CHUNKS * ACCOUNTS}, so the records after"
        f" {slots * ACCOUNTS} are missing.",
    )


def renumbered(chunk: bytes, first: int, last: int) -> bytes:
    """Return a chunk whose header promises other record ids and numbers."""
    changed = bytearray(chunk)
    struct.pack_into("<QQQQ", changed, 8, first, last, first, last)
    header = changed[:120] + changed[128:512]
    struct.pack_into("<I", changed, 124, zlib.crc32(header))
    return bytes(changed)


def problems_of(path: Path) -> tuple[str, ...]:
    return read_logs([path]).sources[0].integrity.problems


def test_a_record_that_cannot_be_rendered_is_missed(tmp_path: Path, chunks: list[bytes]) -> None:
    """Its bytes were damaged before the checksum was made, so the checksum holds."""
    damaged = bytearray(chunks[1])
    second = 512 + struct.unpack_from("<I", damaged, 516)[0]
    damaged[second + 24] = 0xFF  # the token that its binary XML begins with
    path = tmp_path / "log.evtx"
    path.write_bytes(seal(evtx_file([chunks[0], bytes(damaged), chunks[2]], 10)))
    reading = read_logs([path])
    assert [record.record_id for record in reading.records] == [1, 2, 3, 4, 6, 7, 8, 9]
    assert reading.sources[0].records == 8
    assert reading.sources[0].integrity.problems == (
        "1 of the records 4 to 6 could not be parsed, so their content is unknown.",
    )
    assert not reading.sources[0].integrity.ok


def test_a_chunk_of_whose_records_none_begins_is_missed(
    tmp_path: Path, chunks: list[bytes]
) -> None:
    damaged = bytearray(chunks[1])
    damaged[512 + 3] = 1  # the first record's magic
    path = tmp_path / "log.evtx"
    path.write_bytes(seal(evtx_file([chunks[0], bytes(damaged)], 7)))
    reading = read_logs([path])
    assert [record.record_id for record in reading.records] == [1, 2, 3]
    assert reading.sources[0].integrity.problems == (
        "3 of the records 4 to 6 could not be parsed, so their content is unknown.",
    )


def test_records_that_the_header_denies_are_not_used(tmp_path: Path, chunks: list[bytes]) -> None:
    path = tmp_path / "log.evtx"
    path.write_bytes(evtx_file([renumbered(chunks[0], 1, 2)], 3))
    reading = read_logs([path])
    assert [record.record_id for record in reading.records] == [1, 2]
    assert reading.sources[0].records == 2
    assert reading.sources[0].integrity.problems == (
        "Records that no intact chunk holds were not used: 1.",
    )


def test_a_record_that_stands_twice_counts_once(tmp_path: Path, chunks: list[bytes]) -> None:
    """Two records of one chunk with one id: the first counts, and the other id is missing."""
    doubled = bytearray(chunks[0])
    second = 512 + struct.unpack_from("<I", doubled, 516)[0]
    struct.pack_into("<Q", doubled, second + 8, 1)
    path = tmp_path / "log.evtx"
    path.write_bytes(seal(evtx_file([bytes(doubled)], 4)))
    reading = read_logs([path])
    assert [record.wake_ms for record in reading.records] == [900, 902]
    assert reading.sources[0].integrity.problems == (
        "1 of the records 1 to 3 could not be parsed, so their content is unknown.",
    )


def test_of_many_gaps_twenty_are_listed(tmp_path: Path, chunks: list[bytes]) -> None:
    problems = problems_of(written(tmp_path, chunks[::3]))
    assert len(problems) == 21
    assert problems[0] == "The records 4 to 9 are missing, so their content is unknown."
    assert problems[-1] == "3 more ranges of records are missing."


def test_chunks_without_a_checksum_are_mentioned(tmp_path: Path, chunks: list[bytes]) -> None:
    unchecked = bytearray(chunks[0])
    struct.pack_into("<I", unchecked, 120, 2)
    reading = read_logs([written(tmp_path, [bytes(unchecked), *chunks[1:]])])
    assert len(reading.records) == CHUNKS * ACCOUNTS
    assert reading.sources[0].integrity.problems == (
        f"1 of {CHUNKS} chunks carry no checksum, so damage in them would go unseen.",
    )
    assert reading.sources[0].integrity.ok


@pytest.mark.parametrize("used", [511, CHUNK + 1])
def test_a_chunk_of_impossible_length_is_damaged(
    tmp_path: Path, chunks: list[bytes], used: int
) -> None:
    spoilt = bytearray(chunks[1])
    struct.pack_into("<I", spoilt, 48, used)
    struct.pack_into("<I", spoilt, 124, zlib.crc32(spoilt[:120] + spoilt[128:512]))
    path = tmp_path / "log.evtx"
    path.write_bytes(evtx_file([chunks[0], bytes(spoilt), chunks[2]], 10))
    assert problems_of(path) == (
        "Chunk 2 is damaged (its length is impossible), so its records 4 to 6 are unknown.",
        "The records 4 to 6 are missing, so their content is unknown.",
    )


@pytest.mark.parametrize("table", [128, 384], ids=["names", "templates"])
def test_names_that_lead_in_a_circle_end(tmp_path: Path, chunks: list[bytes], table: int) -> None:
    circle, links = (
        bytearray(chunks[0]),
        (CHUNK - 64, CHUNK - 32),
    )  # in the space behind its records
    struct.pack_into("<I", circle, table + 4 * 31, links[0])
    for here, there in (links, links[::-1]):
        struct.pack_into("<I", circle, here, there)
    path = tmp_path / "circle.evtx"
    path.write_bytes(seal(evtx_file([bytes(circle), *chunks[1:]], CHUNKS * ACCOUNTS + 1)))

    problems = problems_of(path)

    assert any("its names lead in a circle" in each for each in problems), problems
    assert len(read_logs([path]).records) == (CHUNKS - 1) * ACCOUNTS
