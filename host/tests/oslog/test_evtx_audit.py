"""What an EVTX file's headers, chunks and chains have to be, each bound at its last good value."""

import struct
import zlib
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from resume_rig.model.errors import RecordError
from resume_rig.oslog import evtx
from resume_rig.oslog.evtx import Attendance, EvtxAudit, EvtxChunk, EvtxWalk, is_evtx, render
from resume_rig.oslog.reading import read_logs
from resume_rig.oslog.source.problems import ProblemTally

from .evtx_builder import ChunkBuilder, Field, Record, evtx_file

CHUNK = 65536
NONE = 2**64 - 1
GUID = bytes.fromhex("285ee0cdc949c646b9d288cf761644df")
PLACES = {"first": 8, "last": 16, "first_id": 24, "last_id": 32}
CIRCLE, LENGTH = "its names lead in a circle", "its length is impossible"
RECORDS, HEADER = (
    "the checksum of its records does not match",
    "the checksum of its header does not match",
)


def made(*links: tuple[int, int], sealed: bool = True, used: int = 600, **more: int) -> bytes:
    """Return a chunk of records 11 to 13, numbers 1 to 3, some of its 32-bit words replaced."""
    chunk = bytearray(b"ElfChnk\0".ljust(CHUNK, b"\0"))
    numbers = {"first": 1, "last": 3, "first_id": 11, "last_id": 13} | more
    for name, place in PLACES.items():
        struct.pack_into("<Q", chunk, place, numbers[name])
    chunk[512:600] = bytes(range(88))
    struct.pack_into("<I", chunk, 48, used)
    for place, value in links:
        struct.pack_into("<I", chunk, place, value)
    if sealed:
        struct.pack_into("<I", chunk, 52, zlib.crc32(chunk[512:used]))
        struct.pack_into("<I", chunk, 124, zlib.crc32(chunk[:120] + chunk[128:512]))
    return bytes(chunk)


def header(*, next_id: int = 14, flags: int = 0, wrong: int = 0) -> bytes:
    head = b"ElfFile\0".ljust(24, b"\0") + struct.pack("<Q", next_id)
    head = head.ljust(120, b"\1")
    return (head + struct.pack("<II", flags, zlib.crc32(head) ^ wrong)).ljust(4096, b"\0")


def walked(folder: Path, *parts: bytes, head: bytes | None = None) -> tuple[list, EvtxAudit]:
    path = folder / "log.evtx"
    path.write_bytes((header() if head is None else head) + b"".join(parts))
    walk = EvtxWalk(path)
    return list(walk), walk.audit()


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def test_a_sound_chunk_is_given_with_all_that_its_header_says(tmp_path: Path) -> None:
    sound = made()
    found, audit = walked(tmp_path, sound, bytes(CHUNK), sound)

    chunk = EvtxChunk(0, 11, 13, None, 1, 3, checksummed=True, used=600)
    later = EvtxChunk(2, 11, 13, None, 1, 3, checksummed=True, used=600)
    assert found == [(chunk, sound), (later, sound)]
    assert audit == EvtxAudit(
        header_sound=True,
        dirty=False,
        promised_id=13,
        partial_tail_bytes=0,
        slots=3,
        chunks=(chunk, later),
    )
    assert chunk.expected == 3
    assert [chunk.holds(number) for number in (10, 11, 13, 14)] == [False, True, True, False]


def test_a_chunk_whose_header_names_no_record_promises_none() -> None:
    chunk = EvtxChunk(0, 0, -1, "x")

    assert (chunk.expected, chunk.used, chunk.checksummed) == (0, 0, True)
    assert [chunk.holds(number) for number in (-1, 0, 1)] == [False, False, False]


@pytest.mark.parametrize("place", [0, 7, 8, 119, 128, 511])
def test_a_header_is_covered_up_to_byte_511_but_for_its_checksum(
    tmp_path: Path, place: int
) -> None:
    found, audit = walked(tmp_path, bytes(CHUNK), flipped(made(), place))

    fault = "its header is overwritten" if place < 8 else HEADER
    assert found == []
    assert audit.chunks == (EvtxChunk(1, 0, -1, fault),)


@pytest.mark.parametrize(("place", "fault"), [(512, RECORDS), (599, RECORDS), (600, None)])
def test_records_are_covered_up_to_the_end_of_the_used_space(
    tmp_path: Path, place: int, fault: str | None
) -> None:
    found, audit = walked(tmp_path, flipped(made(), place))

    assert audit.chunks == (EvtxChunk(0, 11, 13, fault, 1, 3, checksummed=True, used=600),)
    assert len(found) == (fault is None)


@pytest.mark.parametrize("flags", [0, 1, 2, 3, 4])
def test_flag_2_of_a_chunk_says_that_it_has_no_checksums(tmp_path: Path, flags: int) -> None:
    chunk = flipped(flipped(made((120, flags)), 40), 520)
    found, audit = walked(tmp_path, chunk)

    without = flags in (2, 3)
    assert len(found) == without
    (only,) = audit.chunks
    assert only.fault == (None if without else HEADER)
    assert only.checksummed is not without


@pytest.mark.parametrize(
    ("more", "used"),
    [
        ({}, True),
        ({"last": 1}, True),
        ({"last_id": 11}, True),
        ({"last": 0}, False),
        ({"last_id": 10}, False),
        ({"last": NONE}, False),
        ({"last_id": NONE}, False),
        ({"last": NONE - 1}, True),
        ({"last_id": NONE - 1}, True),
    ],
)
def test_a_chunk_that_names_no_record_is_not_in_use(
    tmp_path: Path, more: dict[str, int], used: bool
) -> None:
    found, audit = walked(tmp_path, made(**more))

    assert (len(found), len(audit.chunks), audit.slots) == (used, used, 1)


@pytest.mark.parametrize(
    ("used", "fault"), [(511, LENGTH), (512, None), (CHUNK, None), (CHUNK + 1, LENGTH)]
)
def test_a_chunk_ends_within_itself(tmp_path: Path, used: int, fault: str | None) -> None:
    _, audit = walked(tmp_path, made(used=used))

    assert audit.chunks[0].fault == fault


@pytest.mark.parametrize(
    ("links", "fault"),
    [
        ([(128, 1000), (1000, 1000)], CIRCLE),
        ([(128 + 4 * 95, 1000), (1000, 1000)], CIRCLE),
        ([(128, CHUNK - 4), (CHUNK - 4, CHUNK - 4)], CIRCLE),
        ([(128, 1000), (1000, 2000), (2000, 3000), (3000, 2000)], CIRCLE),
        ([(128, 1000), (132, 2000), (2000, 2000)], CIRCLE),
        ([(128, 40), (40, 40)], CIRCLE),
        ([(128, CHUNK - 3)], None),
        ([(128, 2**32 - 1)], None),
        ([(128, 1000), (1000, 2000)], None),
        # Two chains that end in the same links are no circle.
        ([(128, 1000), (132, 1500), (1000, 2000), (1500, 2000), (2000, 3000)], None),
        ([(128, 1000), (132, 1000), (136, 1000)], None),
    ],
)
def test_a_chain_of_names_ends(
    tmp_path: Path, links: list[tuple[int, int]], fault: str | None
) -> None:
    chunk = made(*links, (120, 2), used=600)  # a place may lie in the header, which has no checksum
    _, audit = walked(tmp_path, chunk)

    assert audit.chunks[0].fault == fault


def test_a_part_of_a_chunk_is_counted_in_bytes(tmp_path: Path) -> None:
    for tail in (0, 1, CHUNK - 1):
        found, audit = walked(tmp_path, made(), made()[:tail])
        assert (len(found), audit.partial_tail_bytes, audit.slots) == (1, tail, 1)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, (True, False, 13)),
        ({"next_id": 1}, (True, False, 0)),
        ({"next_id": 0}, (True, False, 0)),
        ({"next_id": 2}, (True, False, 1)),
        ({"flags": 1}, (True, True, 13)),
        ({"flags": 4}, (True, False, 13)),
        ({"wrong": 1}, (False, False, 0)),
        ({"wrong": 1, "flags": 1}, (False, False, 0)),
        ({"wrong": 1, "flags": 2}, (True, False, 13)),
        ({"wrong": 1, "flags": 3}, (True, True, 13)),
    ],
)
def test_a_file_header_is_believed_where_its_checksum_holds(
    tmp_path: Path, changes: dict[str, int], expected: tuple[bool, bool, int]
) -> None:
    _, audit = walked(tmp_path, made(), head=header(**changes))

    assert (audit.header_sound, audit.dirty, audit.promised_id) == expected


@pytest.mark.parametrize(("place", "sound"), [(119, False), (128, True), (4095, True)])
def test_the_checksum_of_a_file_header_is_of_its_first_120_bytes(
    tmp_path: Path, place: int, sound: bool
) -> None:
    _, audit = walked(tmp_path, made(), head=flipped(header(), place))

    assert audit.header_sound is sound


@pytest.mark.parametrize("size", [0, 4095, 4096])
def test_a_file_without_a_chunk_is_refused_with_its_size(tmp_path: Path, size: int) -> None:
    path = tmp_path / "log.evtx"
    path.write_bytes(header()[:size].ljust(size, b"\0"))
    if size == 4096:
        assert list(EvtxWalk(path)) == []
        with pytest.raises(RecordError) as refused:
            read_logs([path])
        assert str(refused.value) == (
            f"could not read {path}: found an EVTX file with 0 intact of 0 used chunks, allowed is "
            "one with at least 1"
        )
        return
    with pytest.raises(RecordError) as refused:
        list(EvtxWalk(path))
    assert str(refused.value) == (
        f"could not read {path}: found an EVTX file of {size} bytes, allowed are 4096 bytes of "
        "header and whole chunks"
    )


def test_a_log_of_unused_space_alone_is_an_empty_log(tmp_path: Path) -> None:
    path = tmp_path / "log.evtx"
    path.write_bytes(header(next_id=1) + bytes(CHUNK))

    (source,) = read_logs([path]).sources

    assert (source.records, source.integrity.problems) == (0, ())


def of_records(*records: tuple[int, int, int]) -> bytes:
    """Return a chunk's bytes with records of magic, size and id from byte 512 on."""
    content, place = bytearray(CHUNK), 512
    for magic, size, record_id in records:
        struct.pack_into("<IIQ", content, place, magic, size, record_id)
        place += size
    return bytes(content)


@pytest.mark.parametrize(
    ("records", "used", "denied"),
    [
        ([(0x2A2A, 16, 10), (0x2A2A, 16, 11), (0x2A2A, 16, 13), (0x2A2A, 16, 14)], 576, 2),
        # One that the used space cuts off is none.
        ([(0x2A2A, 16, 10), (0x2A2A, 16, 14)], 544, 2),
        ([(0x2A2A, 16, 10), (0x2A2A, 16, 14)], 543, 1),
        ([(0x2A2A, 16, 10)], 528, 1),
        ([(0x2A2A, 16, 10)], 527, 0),
        ([(0x2A2A, 16, 10)], 512, 0),
        # What is no record ends them, as no size leads on from there.
        ([(0x2A2A, 16, 10), (0x2A2B, 16, 10), (0x2A2A, 16, 10)], 560, 1),
        ([(0x2A2A, 16, 10), (0x2A2A, 15, 10), (0x2A2A, 16, 10)], 560, 1),
        ([(0x2A2A, 24, 10), (0x2A2A, 16, 10)], 560, 2),
        ([(0x2A2A, 2**31, 10)], 560, 1),
    ],
)
def test_records_that_a_header_does_not_promise_are_counted(
    records: list[tuple[int, int, int]], used: int, denied: int
) -> None:
    chunk = EvtxChunk(0, 11, 13, None, 1, 3, used=used)

    assert chunk.denied(of_records(*records)) == denied


def sentences(tally: ProblemTally) -> tuple[bool, tuple[str, ...]]:
    found = tally.integrity()
    return found.ok, found.problems


@pytest.mark.parametrize(
    ("change", "whole", "expected"),
    [
        ({}, True, ()),
        (
            {"header_sound": False},
            False,
            (
                "The checksum of the file header does not match, so how many records the log had "
                "is unknown.",
            ),
        ),
        (
            {"partial_tail_bytes": 1},
            False,
            (
                "The file ends inside a chunk, so the records in its last 1 bytes and all after "
                "them are unknown.",
            ),
        ),
        ({"promised_id": 9}, True, ()),
        (
            {"promised_id": 10},
            False,
            ("The file header knows of record 10, so the records after 9 are missing.",),
        ),
        (
            {"dirty": True},
            True,
            (
                "The log was copied while it was open, so whether records at its end are missing "
                "is unknown.",
            ),
        ),
        (
            {"chunks": (EvtxChunk(0, 1, 2, None), EvtxChunk(4, 0, -1, "x"))},
            False,
            ("Chunk 5 is damaged (x), so its records are unknown.",),
        ),
        (
            {"chunks": (EvtxChunk(0, 1, 2, "x", 5, 6),)},
            False,
            ("Chunk 1 is damaged (x), so its records 1 to 2 are unknown.",),
        ),
        (
            {"chunks": (EvtxChunk(0, 1, 2, None, checksummed=False), EvtxChunk(1, 3, 4, None))},
            True,
            ("1 of 2 chunks carry no checksum, so damage in them would go unseen.",),
        ),
    ],
)
def test_an_audit_says_what_is_wrong_in_one_sentence_each(
    change: dict, whole: bool, expected: tuple[str, ...]
) -> None:
    plain = {"header_sound": True, "dirty": False, "promised_id": 0, "partial_tail_bytes": 0}
    tally = ProblemTally()

    EvtxAudit(**{**plain, "slots": 1, **change}).report(9, tally)

    assert sentences(tally) == (whole, expected)


def attended(*counts: tuple[int, int, int, int], refused: int = 0) -> Attendance:
    """Take in sound chunks: first id, last id, first number, records present."""
    found = Attendance()
    for first_id, last_id, first_number, present in counts:
        last_number = first_number + last_id - first_id
        chunk = EvtxChunk(0, first_id, last_id, None, first_number, last_number)
        found.admit(chunk, present, refused)
    return found


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([(1, 3, 1, 3), (4, 6, 4, 3)], ()),
        # In any order; an export leaves ids out and numbers on.
        ([(4, 6, 4, 3), (1, 3, 1, 3)], ()),
        ([(1, 3, 1, 3), (9, 10, 4, 2)], ()),
        ([(1, 3, 1, 3), (4, 6, 5, 3)], ()),
        (
            [(1, 3, 1, 3), (5, 6, 5, 2)],
            ("The records 4 to 4 are missing, so their content is unknown.",),
        ),
        (
            [(9, 9, 9, 1), (1, 3, 1, 3), (5, 6, 5, 2)],
            (
                "The records 4 to 4 are missing, so their content is unknown.",
                "The records 7 to 8 are missing, so their content is unknown.",
            ),
        ),
        (
            [(1, 3, 1, 2)],
            ("1 of the records 1 to 3 could not be parsed, so their content is unknown.",),
        ),
        (
            [(1, 3, 1, 0)],
            ("3 of the records 1 to 3 could not be parsed, so their content is unknown.",),
        ),
    ],
)
def test_records_that_are_missing_are_named(
    chunks: list[tuple[int, int, int, int]], expected: tuple[str, ...]
) -> None:
    tally, found = ProblemTally(), attended(*chunks)

    found.report(tally)

    assert sentences(tally) == (not expected, expected)
    assert found.records == sum(present for *_, present in chunks)
    assert found.last_id == max(last for _, last, *_ in chunks)


def test_records_of_no_intact_chunk_are_counted_over_all_chunks() -> None:
    tally = ProblemTally()
    found = attended((1, 3, 1, 3), (4, 6, 4, 3), refused=2)

    found.report(tally)

    text = "Records that no intact chunk holds were not used: 4."
    assert sentences(tally) == (False, (text,))
    assert Attendance().last_id == 0


@pytest.mark.parametrize(
    ("gaps", "last"),
    [
        (20, "The records 58 to 59 are missing, so their content is unknown."),
        (21, "1 more ranges of records are missing."),
        (25, "5 more ranges of records are missing."),
    ],
)
def test_twenty_gaps_are_listed_and_the_rest_is_counted(gaps: int, last: str) -> None:
    tally = ProblemTally()

    attended(*((n, n, n, 1) for n in range(0, 3 * gaps + 1, 3))).report(tally)

    whole, found = sentences(tally)
    assert not whole
    assert len(found) == min(gaps, 20) + (gaps > 20)
    assert found[0] == "The records 1 to 2 are missing, so their content is unknown."
    assert found[-1] == last


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"ElfFile\0", True),
        (b"ElfFile", False),
        (bytes(4096) + b"ElfChnk\0", True),
        (bytes(4096) + b"ElfChnk\0more", True),
        (bytes(4096) + b"ElfChnk", False),
        (bytes(4095) + b"ElfChnk\0", False),
        (b"ElfChnk\0", False),
        (b"", False),
    ],
)
def test_a_file_is_evtx_by_its_magic_or_that_of_its_first_chunk(
    head: bytes, expected: bool
) -> None:
    assert is_evtx(head) is expected


def an_event(number: int, event_id: int = 1) -> Record:
    fields = (
        Field("SleepTime", 0x11, struct.pack("<Q", 133_000_000_000_000_000)),
        Field("WakeTime", 0x11, struct.pack("<Q", 133_000_000_500_000_000)),
        Field("WakeDuration", 0x08, struct.pack("<I", 900 + number)),
        Field("TargetState", 0x08, struct.pack("<I", 4)),
        Field("EffectiveState", 0x08, struct.pack("<I", 4)),
    )
    name = "Microsoft-Windows-Power-Troubleshooter"
    return Record(name, GUID, event_id, fields, written=133_000_000_000_000_000 + number)


def chunk_of(*numbers: int, first_id: int = 1, event_id: int = 1) -> bytes:
    builder = ChunkBuilder(first_id)
    assert all(builder.add(an_event(number, event_id)) for number in numbers)
    return builder.chunk()


def test_records_are_rendered_with_their_id_their_time_and_their_event_alone() -> None:
    found = list(render(chunk_of(1, 2, first_id=7)))

    assert [record.record_id for record in found] == [7, 8]
    written = [f"2022-06-18T04:26:40.000000{ticks}Z UTC" for ticks in (1, 2)]
    assert [record.written for record in found] == written
    for record in found:
        assert record.element.startswith("<Event xmlns=")
        assert record.element.endswith("</Event>")
    assert list(render(b"no chunk at all")) == []


def test_the_library_is_given_a_whole_file_of_the_one_chunk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = []

    def parser(file: BytesIO, *, number_of_threads: int, skip_errors: bool) -> Any:
        given.append((file.read(), number_of_threads, skip_errors))
        return SimpleNamespace(records=list)

    monkeypatch.setattr(evtx, "PyEvtxParser", parser)
    chunk = chunk_of(1)
    assert list(render(chunk)) == []
    assert given == [(evtx_file([chunk], 0), 1, True)]


def test_one_damaged_record_costs_no_other(tmp_path: Path) -> None:
    chunk = bytearray(chunk_of(1, 2, 3))
    second = 512 + struct.unpack_from("<I", chunk, 516)[0]
    chunk[second + 24] = 0xFF

    assert [record.record_id for record in render(bytes(chunk))] == [1, 3]


def test_text_of_records_is_kept_where_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "log.evtx"
    path.write_bytes(evtx_file([chunk_of(1)], 2))

    (plain,), (kept,) = (
        read_logs([path]).records,
        read_logs([path], keep_text=True).records,
    )

    assert plain.text == ""
    assert kept.text.startswith("<Event ")
    assert kept.written_utc_ns is not None
    assert kept.written_utc_ns % 1_000 == 100


def test_an_event_of_another_number_is_counted_and_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "log.evtx"
    path.write_bytes(evtx_file([chunk_of(1, event_id=999), chunk_of(2, first_id=2)], 3))

    reading = read_logs([path])

    assert reading.sources[0].records == 2
    assert [record.record_id for record in reading.records] == [2]
