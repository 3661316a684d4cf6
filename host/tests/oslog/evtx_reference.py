"""EVTX by the full parser alone, and damaged EVTX whose checksums hold all the same.

Used by the tests of the EVTX reader and by benchmarks/fuzz_event_logs.py.
"""

import random
import struct
import warnings
import zlib
from pathlib import Path

from evtx import PyEvtxParser

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import OsRecord
from resume_rig.oslog.event.event import is_relevant, parse_event
from resume_rig.oslog.event.log import TakeEvent, read_source
from resume_rig.oslog.source.problems import ProblemTally
from resume_rig.oslog.source.records import SourceRequest

HEADER = 4096
CHUNK = 65536


def full_parse(path: Path) -> tuple[int, list[OsRecord]]:
    """Return how many records the evtx library renders, and the OS records that they tell."""
    reading = read_source(SourceRequest(path), "evtx", _scan)
    return reading.source.records, list(reading.records)


def _scan(request: SourceRequest, take: TakeEvent, tally: ProblemTally) -> int:
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        parser = PyEvtxParser(
            str(request.path), number_of_threads=1, validate_checksums=True, skip_errors=True
        )
        for record in parser.records():
            count += 1
            text = record["data"]
            if not is_relevant(text):
                continue
            element = text[max(0, text.find("<Event")) :].rstrip()
            try:
                event = parse_event(
                    element, tally, keep_text=False, written=str(record["timestamp"])
                )
            except RecordError:
                continue
            if event is not None and event.role is not None:
                take(event)
    return count


def seal(content: bytes) -> bytes:
    """Redo the checksums of every used chunk, as if the damage had been written."""
    sealed = bytearray(content)
    for start in range(HEADER, len(sealed) - CHUNK + 1, CHUNK):
        if sealed[start : start + 8] != b"ElfChnk\0":
            continue
        (used,) = struct.unpack_from("<I", sealed, start + 48)
        if not 512 <= used <= CHUNK:
            continue
        records = sealed[start + 512 : start + used]
        struct.pack_into("<I", sealed, start + 52, zlib.crc32(records))
        header = sealed[start : start + 120] + sealed[start + 128 : start + 512]
        struct.pack_into("<I", sealed, start + 124, zlib.crc32(header))
    return bytes(sealed)


def sealed_damage(rng: random.Random, content: bytes) -> bytes:
    """Flip bits within records of the log and redo the checksums."""
    changed = bytearray(content)
    for _ in range(rng.randint(1, 6)):
        start = HEADER + CHUNK * rng.randrange((len(content) - HEADER) // CHUNK)
        changed[start + rng.randrange(512, CHUNK)] ^= 1 << rng.randrange(8)
    return seal(bytes(changed))
