"""What tests compare of a capture."""

from resume_rig.rig.capture.gathering import Capture


def changes(capture: Capture) -> list[tuple[int, str, int]]:
    """Return time, channel and level of each edge."""
    return [(edge.t_ns, str(edge.channel), edge.level) for edge in capture.edges]
