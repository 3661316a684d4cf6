"""What tests ask of a log that was read."""

from collections.abc import Callable

from resume_rig.model.os_record import LogReading, OsRecord


def figures(record: OsRecord) -> dict[str, float]:
    """Return the figures of a record by name."""
    return {figure.name: figure.value for figure in record.figures}


def both_orders(read: Callable[..., LogReading], events: list[str]) -> LogReading:
    """Read oldest first and newest first; both tell the same."""
    forward, backward = read(events), read(events[::-1])
    assert backward.records == forward.records
    assert backward.sources == forward.sources
    return forward
