"""An event log that grows: each download brings the new bytes only, cut anywhere."""

from typing import Final

from resume_rig.model.os_record import Integrity, LogSource, OsRecord
from resume_rig.oslog.event.assembler import ForwardAssembler
from resume_rig.oslog.event.delays import DelayReader
from resume_rig.oslog.event.event import EventValues, Provider
from resume_rig.oslog.event.log import RepeatFilter
from resume_rig.oslog.event.xml_export import KIND, EventXmlStream
from resume_rig.oslog.source.problems import ProblemTally

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
        self._delays = DelayReader(source, EventValues(self._tally))
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
        given: list[OsRecord] = []
        for event in self._stream.feed(data, final=final):
            if event.provider is Provider.DIAGNOSTICS_PERFORMANCE:
                self._delays.feed(event)
                continue
            record = self._assembler.feed(event)
            if record is not None and self._repeats.admit(record):
                given.append(record)
        return [*given, *filter(self._repeats.admit, self._delays.take())]
