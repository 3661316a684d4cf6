"""The records of one EVTX chunk as the `evtx` library renders them.

The library takes a whole file and trusts its header, so it is given one that is made here: a
header that is true, and behind it one sound chunk. That keeps memory small, names the chunk of
each record, and reads a file whose own header is destroyed. It costs nothing: names and templates
are the chunk's own (benchmarks/evtx_reading.py holds it against the library by itself).
"""

import io
import logging
import struct
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from evtx import PyEvtxParser

from resume_rig.oslog.evtx.audit import FILE_HEADER_BYTES, FILE_MAGIC

# magic, first and last chunk, next record id, header size, version 3.1, block size, chunks
_HEADER: Final = struct.Struct("<8sQQQIHHHH")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RenderedRecord:
    """One record as the library renders it.

    Attributes:
        record_id: EventRecordID of its header.
        element: its `<Event>` element, without the declaration before it.
        written: the time of its header, as text; it keeps 100 ns, the element 1 us.
    """

    record_id: int
    element: str
    written: str


def render(chunk: bytes) -> Iterator[RenderedRecord]:
    """Yield the records of a sound chunk, in its order; one that is damaged is left out."""
    file = io.BytesIO(_FILE_HEADER + chunk)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what is missing is counted
        try:
            for record in PyEvtxParser(file, number_of_threads=1, skip_errors=True).records():
                if record is None:
                    continue
                text = record["data"]
                yield RenderedRecord(
                    record_id=record["event_record_id"],
                    element=text[max(0, text.find("<Event")) :].rstrip(),
                    written=record["timestamp"],
                )
        except (OSError, RuntimeError, ValueError) as error:
            logger.debug("the evtx library gave up a chunk: %s", error)


def _file_header() -> bytes:
    """Return the header of a file of one chunk."""
    head = _HEADER.pack(FILE_MAGIC, 0, 0, 0, 128, 1, 3, FILE_HEADER_BYTES, 1).ljust(120, b"\0")
    return (head + struct.pack("<II", 0, zlib.crc32(head))).ljust(FILE_HEADER_BYTES, b"\0")


_FILE_HEADER: Final = _file_header()
