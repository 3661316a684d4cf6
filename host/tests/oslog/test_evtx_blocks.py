"""Chunks are read some at a time: where one block ends and the next begins makes no difference."""

import struct
from pathlib import Path

import pytest

from resume_rig.oslog.reading import read_logs

from .evtx_builder import ChunkBuilder, Field, Record, evtx_file
from .evtx_reference import CHUNK, HEADER, full_parse

CHUNKS = 70  # more than two blocks
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
