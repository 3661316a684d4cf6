"""Times that the OS reports, as quantities."""

from resume_rig.model.quantity import BoundedNs

MS_NS = 1_000_000
VALUE_BOUND_MS = 1
"""The OS reports whole milliseconds, and no document tells how it rounds."""


def reported(value_ms: int) -> BoundedNs:
    """Return a time that the OS reports in whole milliseconds, of unknown rounding."""
    return BoundedNs(value_ms * MS_NS, VALUE_BOUND_MS * MS_NS)
