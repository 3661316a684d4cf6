"""An event log that grows: each download brings the new bytes only, cut anywhere."""

from typing import Final

from resume_rig.model.os_record import Integrity, LogReading, LogSource, OsRecord
from resume_rig.oslog.assembler import ForwardAssembler
from resume_rig.oslog.event_xml import KIND, EventXmlStream
from resume_rig.oslog.problems import ProblemTally
from resume_rig.oslog.record_order import RepeatFilter

_LIVE_NAME: Final = "the event log"


class EventLogFollower:
    """Takes appended Event XML, oldest first, and gives each OS record with its last byte.

    Bytes that were fed before may come again from the start of an event: a record that is
    complete is given once.
    """

    def __init__(
        self, source_name: str = _LIVE_NAME, *, source: int = 0, keep_text: bool = False
    ) -> None:
        """Start with nothing read.

        Args:
            source_name: for error texts.
            source: index that the records carry.
            keep_text: whether records carry their events' original text.
        """
        self._source_name = source_name
        self._tally = ProblemTally()
        self._stream = EventXmlStream(source_name, self._tally, keep_text=keep_text)
        self._assembler = ForwardAssembler(source, self._tally)
        self._repeats = RepeatFilter(self._tally)

    @property
    def integrity(self) -> Integrity:
        """What is known to be damaged so far; an event that is still incomplete is not."""
        return self._tally.integrity()

    def feed(self, data: bytes) -> list[OsRecord]:
        """Return the records that `data` completes.

        Raises:
            RecordError: the log declares a document type or an entity.
        """
        return self._take(data, final=False)

    def finish(self) -> list[OsRecord]:
        """Return what the end completes (nothing, but for damage); notes an event that is cut."""
        records = self._take(b"", final=True)
        self._stream.finish(growing=True)
        return records

    def describe(self) -> LogSource:
        """Return the source as read so far."""
        return LogSource(
            path=self._source_name,
            kind=KIND,
            os_build=self._assembler.os_build,
            records=self._stream.events,
            integrity=self.integrity,
        )

    def _take(self, data: bytes, *, final: bool) -> list[OsRecord]:
        given = (self._assembler.feed(event) for event in self._stream.feed(data, final=final))
        return [record for record in given if record is not None and self._repeats.admit(record)]


def read_fragments(data: bytes, source_name: str, *, keep_text: bool = False) -> LogReading:
    """Return the OS records of Event XML held in memory, oldest first.

    Raises:
        RecordError: the text declares a document type or an entity.
    """
    follower = EventLogFollower(source_name, keep_text=keep_text)
    records = [*follower.feed(data), *follower.finish()]
    return LogReading(sources=(follower.describe(),), records=tuple(records))
