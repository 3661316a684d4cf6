"""How fast a hibernation file was written and read, as Microsoft's resume paper works it out."""

from dataclasses import dataclass
from typing import Final

from resume_rig.model.os_record import OsRecord

PAGE_BYTES: Final = 4096


@dataclass(frozen=True, slots=True)
class HibernateRates:
    """Rates of one hibernation file; None where the record does not tell.

    Attributes:
        pages: HiberPagesWritten.
        read_pages_per_ms: HiberPagesWritten / HiberReadDuration; 38075 / 10964 = 3.5 in the paper.
        write_pages_per_ms: HiberPagesWritten / HiberWriteDuration.
    """

    pages: int
    read_pages_per_ms: float | None
    write_pages_per_ms: float | None

    @property
    def read_mb_per_s(self) -> float | None:
        """Read rate in MB/s, of 10^6 bytes."""
        return _mb_per_s(self.read_pages_per_ms)

    @property
    def write_mb_per_s(self) -> float | None:
        """Write rate in MB/s, of 10^6 bytes."""
        return _mb_per_s(self.write_pages_per_ms)


def hibernate_rates(record: OsRecord) -> HibernateRates | None:
    """Return the rates of a record; None where it tells of no hibernation file."""
    pages = record.hiber_pages
    if not pages or not (record.hiber_read_ms or record.hiber_write_ms):
        return None
    return HibernateRates(
        pages=pages,
        read_pages_per_ms=pages / record.hiber_read_ms if record.hiber_read_ms else None,
        write_pages_per_ms=pages / record.hiber_write_ms if record.hiber_write_ms else None,
    )


def _mb_per_s(pages_per_ms: float | None) -> float | None:
    # Pages of 4096 B in 1 ms are that many B/ms, which is kB/s; 1000 of these are 1 MB/s.
    return None if pages_per_ms is None else pages_per_ms * PAGE_BYTES / 1_000
