"""What the OS says of a campaign's own cycles, for the sections that a log has too."""

from collections.abc import Sequence

from resume_rig.model.cycle import Correlation
from resume_rig.model.os_record import LogReading, LogSource


def matched_reading(correlation: Correlation, sources: Sequence[LogSource]) -> LogReading:
    """Return the records that belong to cycles, in their order.

    Args:
        correlation: of the campaign.
        sources: of all its records; a record's `source` is an index of these.
    """
    records = (cycle.record for cycle in correlation.cycles)
    return LogReading(tuple(sources), tuple(record for record in records if record is not None))
