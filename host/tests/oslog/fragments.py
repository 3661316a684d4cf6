"""Event XML held in memory, read by the follower as one piece."""

from resume_rig.model.os_record import LogReading
from resume_rig.oslog.event.xml_export import EventLogFollower


def read_fragments(data: bytes, source_name: str) -> LogReading:
    """Return its OS records, oldest first; RecordError for what declares a document type."""
    follower = EventLogFollower(source_name)
    records = [*follower.feed(data), *follower.finish()]
    return LogReading(sources=(follower.describe(),), records=tuple(records))
