"""Records that are left out unrendered are such that full parsing would have left out too."""

import random
from pathlib import Path

import pytest

from resume_rig.oslog.reading import read_logs

from .evtx_reference import CHUNK, HEADER, full_parse, seal, sealed_damage

LOGS = ("win10-15063-desktop-s1.evtx", "win7sp1-no-sleep.evtx", "win11-22000-no-sleep.evtx")


@pytest.mark.parametrize("name", LOGS)
def test_a_real_log_reads_as_with_the_full_parser(shared_data: Path, name: str) -> None:
    path = shared_data / "eventlog" / name
    reading = read_logs([path])
    count, records = full_parse(path)
    assert list(reading.records) == records
    assert reading.sources[0].records == count


def test_damage_that_the_checksums_cover_reads_as_with_the_full_parser(
    shared_data: Path, tmp_path: Path
) -> None:
    original = (shared_data / "eventlog" / LOGS[0]).read_bytes()
    content = original[: HEADER + 7 * CHUNK]  # both accounts
    rng = random.Random(3)
    path = tmp_path / "log.evtx"
    compared = 0
    for _ in range(60):
        path.write_bytes(sealed_damage(rng, content))
        reading = read_logs([path])
        count, records = full_parse(path)
        if count == reading.sources[0].records:
            assert list(reading.records) == records
            compared += 1
    assert compared > 20


def test_a_chunk_whose_records_are_no_row_is_left_to_the_full_parser(
    shared_data: Path, tmp_path: Path
) -> None:
    content = bytearray((shared_data / "eventlog" / LOGS[0]).read_bytes())
    place = HEADER + 4 * CHUNK + 512
    content[place + 3] = 1  # the first record's magic
    path = tmp_path / "log.evtx"
    path.write_bytes(seal(bytes(content)))
    source = read_logs([path]).sources[0]
    assert not source.integrity.ok
    assert any("could not be parsed" in problem for problem in source.integrity.problems)


def test_a_provider_told_by_a_value_is_found_in_either_case(
    shared_data: Path, tmp_path: Path
) -> None:
    """The values of Kernel-General replaced by others, so that its records do not matter."""
    path = shared_data / "eventlog" / LOGS[0]
    guid = bytes.fromhex("b7a88ca64f00b6d7a69807e2de0f1f5d")
    content = path.read_bytes()
    assert content.count(guid) > 100
    name = "Microsoft-Windows-Kernel-General".encode("utf-16-le")
    other = "Microsoft-Windows-Kernel-Generic".encode("utf-16-le")
    copy = tmp_path / "log.evtx"
    copy.write_bytes(seal(content.replace(guid, bytes(16)).replace(name, other)))
    reading = read_logs([copy])
    assert reading.sources[0].os_build is None
    assert list(reading.records) == full_parse(copy)[1]
    copy.write_bytes(seal(content.replace(guid, bytes(16))))
    assert read_logs([copy]).sources[0].os_build == 15063
