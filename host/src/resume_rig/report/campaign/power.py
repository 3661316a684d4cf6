"""What the DUT drew: a paragraph for a reader, and keys for a program."""

from collections.abc import Callable, Sequence
from statistics import median

from resume_rig.model.power import CyclePower, PowerFigure
from resume_rig.model.result.cycle import ReconciledCycle
from resume_rig.model.units import count_of
from resume_rig.report.text.json_text import Json

_PARTS: tuple[tuple[str, str, Callable[[CyclePower], PowerFigure | None]], ...] = (
    ("asleep", "W", lambda power: power.asleep_w),
    ("awake after the resume", "W", lambda power: power.awake_w),
    ("the resume", "J", lambda power: power.resume_j),
)


def power_sentences(cycles: Sequence[ReconciledCycle]) -> tuple[str, ...]:
    """Return what the DUT drew in each part of its cycles; nothing without a power monitor."""
    drawn = [each.outside.power for each in cycles if each.outside.power is not None]
    if not drawn:
        return ()
    told: list[str] = []
    for name, unit, figure_of in _PARTS:
        figures = [found for power in drawn if (found := figure_of(power)) is not None]
        if figures:
            middle = median(figure.value for figure in figures)
            widest = max(figure.expanded for figure in figures)
            told.append(f"{name} {PowerFigure(middle, widest).text(unit)} ({len(figures)})")
    lost = sum(power.lost for power in drawn)
    sentences = []
    if told:
        sentences.append(f"Power, median ± expanded uncertainty (cycles): {'; '.join(told)}.")
    if lost:
        sentences.append(f"{count_of(lost, 'sample')} of power were lost before they were read.")
    return tuple(sentences)


def power_json(power: CyclePower | None) -> dict[str, Json]:
    """Return the key of a cycle's power; none at all without a power monitor."""
    if power is None:
        return {}
    return {
        "power": {
            "asleep_w": _figure(power.asleep_w),
            "asleep_j": _figure(power.asleep_j),
            "resume_j": _figure(power.resume_j),
            "resume_ns": power.resume_ns,
            "awake_w": _figure(power.awake_w),
            "lost": power.lost,
        }
    }


def _figure(figure: PowerFigure | None) -> Json:
    if figure is None:
        return None
    return {"value": round(figure.value, 6), "expanded": round(figure.expanded, 6)}
