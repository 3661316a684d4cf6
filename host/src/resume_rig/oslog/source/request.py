"""What a reader is asked, and what it answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from resume_rig.model.os_record import Integrity, LogSource, OsRecord


@dataclass(frozen=True, slots=True)
class SourceReading:
    """What one source holds, and its records."""

    source: LogSource
    records: tuple[OsRecord, ...]


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """What to read: the file, its index among the sources, whether original texts are kept."""

    path: Path
    source: int = 0
    keep_text: bool = False

    def answer(
        self,
        records: Sequence[OsRecord],
        kind: str,
        integrity: Integrity,
        *,
        count: int,
        os_build: int | None = None,
        identity: tuple[tuple[str, str], ...] = (),
        from_description: bool = False,
    ) -> SourceReading:
        """Return what the file holds; `count` is of its records, the rest as in `LogSource`."""
        source = LogSource(
            str(self.path), kind, os_build, count, integrity, identity, from_description
        )
        return SourceReading(source, tuple(records))
