"""The OS log beside a running campaign: what is new goes to the cycle at hand, once."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from resume_rig.campaign.dut.log_source import OsLogSource, RecordIdentity, identity_of
from resume_rig.campaign.plan.states import tells_of
from resume_rig.campaign.store.raw import LogMark, LogState
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import NO_SLEEPS, Component, Figure, OsRecord, SleepKind

COMPONENTS_MAX: Final = 20
TEXT_CHARS_MAX: Final = 4096


def kept_of(record: OsRecord) -> OsRecord:
    """Return a record as the store keeps it.

    A kernel that times every device of every cycle tells of hundreds: the longest are kept, in
    their order, with the beginning of the text, and the figure `components_not_kept`. All others
    stay as they are.
    """
    left_out = len(record.components) - COMPONENTS_MAX
    if left_out <= 0:
        return record
    ranked = sorted(range(len(record.components)), key=lambda at: _rank(record.components[at]))
    components = tuple(record.components[at] for at in sorted(ranked[:COMPONENTS_MAX]))
    figures = (*record.figures, Figure("components_not_kept", float(left_out)))
    text = record.text
    if len(text) > TEXT_CHARS_MAX:
        text = text[:TEXT_CHARS_MAX].rpartition("\n")[0]
    return replace(record, components=components, figures=figures, text=text)


def _rank(component: Component) -> float:
    """Return what sorts the longest first, and before it what had not ended."""
    return float("-inf") if component.duration_ms is None else -component.duration_ms


# In the end nobody comes back for a record, and a log that is copied from elsewhere comes later.
LAST_RECORD_WAIT_NS = 10_000_000_000


class LogFeed:
    """OS records that no cycle has taken yet.

    Args:
        source: where records come from; None for a campaign without a log.
        mark: where the log stood when the campaign began.
        late: records that earlier sessions did not get to keep.
        states: that the plan asks for; they say which records can tell of a cycle.

    Attributes:
        pending: read, and not yet on the disk.
        received: how many records were read so far that can tell of a cycle; a boot or a session
            of Modern Standby is not what is waited for.
        problem: why the log could not be read last time; None when it could.
    """

    def __init__(
        self,
        source: OsLogSource | None,
        mark: LogMark,
        late: Sequence[OsRecord] = (),
        states: Collection[SleepKind] = (SleepKind.S3,),
    ) -> None:
        self._states = states
        self._source = source
        self._mark = mark
        self.pending: list[OsRecord] = [kept_of(record) for record in late]
        self.received = 0
        self.problem: str | None = None

    @property
    def present(self) -> bool:
        """Whether there is a log at all."""
        return self._source is not None

    @property
    def has_news(self) -> bool:
        """Whether a record is pending that can tell of a cycle."""
        return self.tells(self.pending)

    def tells(self, records: Iterable[OsRecord]) -> bool:
        """Return whether any of the records can tell of a cycle of this plan."""
        return any(tells_of(record, self._states) for record in records)

    def wait_ns(self, *, last: bool) -> int:
        """Return how long a record is waited for; longer in the end, when nobody comes back."""
        if self._source is None:
            return 0
        wait_ns = self._source.record_wait_ns
        return max(wait_ns, LAST_RECORD_WAIT_NS) if last else wait_ns

    def state(self) -> LogState | None:
        """Return what the store keeps of the log beside its records."""
        return None if self._source is None else LogState(self._source.describe(), self._mark)

    def read(self) -> None:
        """Read what is new; a log that cannot be read now is tried again next time."""
        if self._source is None:
            return
        try:
            found = self._source.new_records()
        except RecordError as error:
            self.problem = str(error)
        else:
            self.problem = None
            self.pending.extend(map(kept_of, found))
            self.received += sum(tells_of(record, self._states) for record in found)


def mark_of(records: Iterable[OsRecord]) -> LogMark:
    """Return where a log that holds `records` stands."""
    found = tuple(records)
    numbers = (r.record_id for r in found if r.kind not in NO_SLEEPS)
    return LogMark(
        max((number for number in numbers if number is not None), default=None),
        max((r.written_utc_ns for r in found if r.written_utc_ns is not None), default=None),
    )


def came_late(
    records: Iterable[OsRecord], mark: LogMark, stored: frozenset[RecordIdentity]
) -> list[OsRecord]:
    """Return the records of a campaign that its earlier sessions did not keep."""
    return [
        record
        for record in records
        if not _is_before(record, mark) and identity_of(record) not in stored
    ]


def _is_before(record: OsRecord, mark: LogMark) -> bool:
    numbered = record.kind not in NO_SLEEPS  # others may be of a log that counts by itself
    if numbered and record.record_id is not None and mark.record_id is not None:
        return record.record_id <= mark.record_id
    if record.written_utc_ns is not None and mark.written_utc_ns is not None:
        return record.written_utc_ns <= mark.written_utc_ns
    return False
