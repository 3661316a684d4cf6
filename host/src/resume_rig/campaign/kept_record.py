"""What a campaign keeps of an OS record: the parts that matter, whatever the OS timed."""

from dataclasses import replace
from typing import Final

from resume_rig.model.component import Component, Figure
from resume_rig.model.os_record import OsRecord

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
