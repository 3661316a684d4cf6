"""A rig that measures itself: loop-backs from outputs to channels, and what is kept of them."""

from dataclasses import dataclass
from typing import Final

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.clock import Clock
from resume_rig.model.errors import DeviceFault, RigError
from resume_rig.model.units import seconds_text
from resume_rig.rig.calibration import Calibration, LoopbackResult, LoopbackState
from resume_rig.rig.interface import Rig
from resume_rig.rig.smp.refusal import SMP_LEVEL, SmpCode

DEFAULT_CHANGES: Final = 200
DEFAULT_GAP_NS: Final = 1_000_000
PROBE_CHANGES: Final = 2
_LEAST_PAUSE_NS: Final = 5_000_000
# Late changes make a loop-back longer; one that takes this many times as long hangs.
_MOST_TIMES: Final = 10


@dataclass(frozen=True, slots=True)
class LoopbackPlan:
    """One output, the channels that its wire goes to, and how often it changes.

    Attributes:
        changes: 2 to 10000.
        gap_ns: mean time between two, 100 us to 100 ms.
    """

    actuator: Actuator
    channels: tuple[Channel, ...]
    changes: int = DEFAULT_CHANGES
    gap_ns: int = DEFAULT_GAP_NS


def measure_loopback(rig: Rig, clock: Clock, plan: LoopbackPlan) -> LoopbackResult:
    """Run a loop-back and return what came of it; nothing may be at the output but the wire.

    Two changes come first. Only when both are seen on every channel do the others follow, so
    that what is not the plug that it was taken for gets no more than one short pulse.

    Raises:
        DeviceFault: the board refuses.
        RigError: the link broke, or the loop-back does not end; the board lets go by itself.
    """
    probe = _measure(rig, clock, plan, min(PROBE_CHANGES, plan.changes))
    if not probe.ended_well or plan.changes <= PROBE_CHANGES:
        return probe
    return _measure(rig, clock, plan, plan.changes)


def _measure(rig: Rig, clock: Clock, plan: LoopbackPlan, changes: int) -> LoopbackResult:
    start = rig.start_loopback(plan.actuator, plan.channels, changes, plan.gap_ns)
    expected_ns = (start.end_ns or start.start_ns) - start.start_ns
    pause_ns = max(min(expected_ns, rig.info().lease_ns // 4), _LEAST_PAUSE_NS)
    begun_ns = clock.now_ns()
    while (result := rig.loopback()).state is LoopbackState.RUNNING:
        if clock.now_ns() - begun_ns > _MOST_TIMES * (expected_ns + pause_ns):
            rig.release()
            raise RigError(
                f"a loop-back of {changes} changes of {plan.actuator} does not end: "
                f"{result.changes} were made in {seconds_text(clock.now_ns() - begun_ns)}; it "
                f"should take {seconds_text(expected_ns)}"
            )
        clock.sleep_ns(pause_ns)
    return result


def check_can_keep(rig: Rig) -> Calibration:
    """Return what the board keeps, before work is done whose result it is to keep.

    Raises:
        RigError: it cannot keep a calibration; the sentence says why.
    """
    kept, info = kept_calibration(rig), rig.info()
    if kept is None:
        raise RigError(
            f"the board {info.board} cannot keep a calibration: its firmware {info.firmware} has "
            "no such command; load a newer one"
        )
    if not kept.crystal:
        raise RigError(
            f"the board {info.board} cannot keep a calibration: its clock {info.clock_source} is "
            "an RC oscillator, which drifts with temperature; use a board that runs on a crystal"
        )
    if kept.store == "none":
        raise RigError(
            f"the board {info.board} cannot keep a calibration: it has no memory that outlives "
            "a reset; use a board with a store"
        )
    return kept


def kept_calibration(rig: Rig) -> Calibration | None:
    """Return what the board keeps of itself; None from firmware that does not know the word."""
    try:
        return rig.calibration()
    except DeviceFault as fault:
        if (fault.group, fault.code) == (SMP_LEVEL, SmpCode.NOT_SUPPORTED):
            return None
        raise
