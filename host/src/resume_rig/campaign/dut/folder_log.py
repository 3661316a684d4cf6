"""A folder into which somebody puts logs: each file in it is followed as a log of its own."""

from pathlib import Path
from typing import Final

from resume_rig.campaign.dut.log_source import (
    FILE_RECORD_WAIT_NS,
    FileLog,
    RecordIdentity,
    has_identity,
    identity_of,
)
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Integrity, LogSource, OsRecord
from resume_rig.oslog.registry import HEAD_BYTES, format_of

FILES_MAX: Final = 1000


class FolderLog:
    """All logs in a folder, by name; files of other kinds are left alone.

    A record that several files hold (exports that overlap) is given once. One without any time
    (S3Resume, PwrTest's older form) cannot be told from that of another file: each is given. A file
    that cannot be read is no reason to stop: it may be half written, so it is tried again when it
    changes, and `describe` tells of it until then.
    """

    record_wait_ns = FILE_RECORD_WAIT_NS

    def __init__(self, path: Path) -> None:
        self._path = path
        self._logs: dict[Path, FileLog] = {}
        self._known: set[RecordIdentity] = set()
        self._unreadable: dict[Path, str] = {}

    def new_records(self) -> tuple[OsRecord, ...]:
        """Return the records that appeared since the last call.

        Raises:
            RecordError: the folder cannot be read, or holds more than 1000 files.
        """
        new: list[OsRecord] = []
        for path in self._files():
            try:
                new += self._new_in(path)
            except RecordError as error:
                self._unreadable[path] = str(error)
            else:
                self._unreadable.pop(path, None)
        return tuple(new)

    def describe(self) -> LogSource:
        """Return the folder as read so far."""
        sources = [log.describe() for log in self._logs.values()]
        problems = tuple(
            f"{Path(source.path).name}: {problem}"
            for source in sources
            for problem in source.integrity.problems
        )
        problems += tuple(self._unreadable.values())
        return LogSource(
            str(self._path),
            "folder",
            next((s.os_build for s in reversed(sources) if s.os_build is not None), None),
            sum(source.records for source in sources),
            Integrity(
                not self._unreadable and all(source.integrity.ok for source in sources), problems
            ),
        )

    def close(self) -> None:
        """Nothing is open between two calls."""

    def _files(self) -> list[Path]:
        try:
            found = sorted(path for path in self._path.iterdir() if path.is_file())
        except OSError as error:
            raise RecordError(
                f"could not read the folder of logs {self._path}: {error.strerror or error}"
            ) from error
        if len(found) > FILES_MAX:
            raise RecordError(
                f"could not read the folder of logs {self._path}: it holds {len(found)} files, "
                f"allowed are {FILES_MAX}"
            )
        return found

    def _new_in(self, path: Path) -> list[OsRecord]:
        if path not in self._logs:
            try:
                with path.open("rb") as file:
                    if format_of(file.read(HEAD_BYTES)) is None:
                        return []
            except OSError:
                return []  # perhaps it is being written; it is looked at again next time
            self._logs[path] = FileLog(path)
        found = [
            record
            for record in self._logs[path].new_records()
            if not has_identity(record) or identity_of(record) not in self._known
        ]
        self._known.update(map(identity_of, found))
        return found
