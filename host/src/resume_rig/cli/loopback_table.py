"""What loop-backs and calibrations look like: lines for people, documents for programs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resume_rig.campaign.self_measurement import LoopbackPlan
    from resume_rig.rig.calibration import Calibration, LoopbackResult
    from resume_rig.rig.interface import RigInfo

_HEAD = ("channel", "seen", "missed", "extra", "mean", "sd", "min", "max", "uncertainty")


def loopback_lines(
    plan: "LoopbackPlan", result: "LoopbackResult", kept: bool, info: "RigInfo"
) -> Iterator[str]:
    """Yield a table, and what it means.

    Args:
        plan: what was asked for.
        result: what came of it.
        kept: the board keeps it.
        info: who the board says it is since then; its uncertainties are shown.
    """
    yield f"{plan.actuator} -> {', '.join(plan.channels)}: {result.changes} changes; times in ns"
    yield f"{_HEAD[0]:<10}" + "".join(f"{name:>12}" for name in _HEAD[1:])
    uncertainty_ns = {known.channel: known.uncertainty_ns for known in info.channels}
    for row in result.channels:
        figures = (row.seen, row.missed, row.extra, row.mean_ns, row.sd_ns, row.min_ns, row.max_ns)
        cells = (*figures, uncertainty_ns[row.channel])
        yield f"{row.channel:<10}" + "".join(f"{cell:>12}" for cell in cells)
    yield f"The clock was read up to {result.held_ns} ns before the pin changed."
    if not result.ended_well:
        yield f"Not good: {_complaint(plan, result)}; nothing of it is kept."
    elif kept:
        yield "The board keeps these latencies; the uncertainties are those in force from now on."
    else:
        yield "Not kept (--save lets the board keep them); the uncertainties are those in force."


def _complaint(plan: "LoopbackPlan", result: "LoopbackResult") -> str:
    if result.lost:
        return f"the board lost {result.lost} edges; allow more time with --gap"
    silent = [row.channel for row in result.channels if row.seen == 0]
    if silent:
        return (
            f"no edge came on {', '.join(silent)}; is the wire from {plan.actuator}'s output pin "
            "to its pin there?"
        )
    if result.changes < plan.changes:
        return f"of the first {result.changes} changes not every one was seen once"
    return "edges were missed or came too often; look at the wires, or allow more time with --gap"


def loopback_document(
    plan: "LoopbackPlan", result: "LoopbackResult", kept: bool, info: "RigInfo"
) -> dict[str, object]:
    """Return a loop-back for JSON; arguments as of `loopback_lines`."""
    known = {entry.channel: entry for entry in info.channels}
    return {
        "actuator": plan.actuator,
        "ok": result.ended_well,
        "kept": kept,
        "changes": result.changes,
        "gap_ns": plan.gap_ns,
        "held_ns": result.held_ns,
        "lost": result.lost,
        "channels": [
            {
                "channel": row.channel,
                "seen": row.seen,
                "missed": row.missed,
                "extra": row.extra,
                "mean_ns": row.mean_ns,
                "sd_ns": row.sd_ns,
                "min_ns": row.min_ns,
                "max_ns": row.max_ns,
                "delay_in_force_ns": known[row.channel].delay_ns,
                "uncertainty_in_force_ns": known[row.channel].uncertainty_ns,
            }
            for row in result.channels
        ],
    }


def calibration_text(kept: "Calibration | None") -> str:
    """Return in one line what a board keeps of itself."""
    if kept is None:
        return "this firmware keeps none"
    if kept.store == "none":
        return "none, and no memory for one"
    if kept.empty:
        why = "" if kept.crystal else ", as the clock is an RC oscillator"
        return f"none{why}"
    parts = [f"clock {kept.clock_ppb:+d} ppb"] if kept.clock_ppb is not None else []
    if kept.latencies:
        parts.append(f"latency of {', '.join(row.channel for row in kept.latencies)}")
    return f"{'; '.join(parts)} (kept in {kept.store} memory)"


def calibration_document(kept: "Calibration | None") -> dict[str, object] | None:
    """Return what a board keeps of itself for JSON; None from firmware that keeps none."""
    if kept is None:
        return None
    return {
        "crystal": kept.crystal,
        "store": kept.store,
        "clock_ppb": kept.clock_ppb,
        "held_ns": kept.held_ns,
        "latencies": [
            {
                "channel": row.channel,
                "mean_ns": row.mean_ns,
                "sd_ns": row.sd_ns,
                "deviation_ns": row.deviation_ns,
                "count": row.count,
            }
            for row in kept.latencies
        ],
    }
