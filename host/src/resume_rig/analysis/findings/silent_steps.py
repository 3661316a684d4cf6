"""Settings of the OS's clock without an event, against BIOS times that err in one cycle.

Where clock and wires disagree in one cycle alone, the clock was set, or the BIOS took another time
than it reports: that delays the light, or is off its own median. Where neither shows, nothing is
concluded about the BIOS, and this cycle's clock counts for nothing; where the light came as ever,
the clock was set. A display that the firmware lights, or that is not watched, leaves that open.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from resume_rig.analysis.reconcile.hidden_time import Hidden, agree, usual_of
from resume_rig.analysis.reconcile.norms import Norm, Norms, group_of
from resume_rig.analysis.reconcile.reconcile import unexplained
from resume_rig.analysis.reconcile.thresholds import (
    CLOCK_STEP_NS,
    FAR_SIGMAS,
    MEDIAN_OF,
    UNEXPLAINED_NS,
)
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle
from resume_rig.model.units import NS_PER_MS

_AS_EVER = BoundedNs(0, 0)


@dataclass(frozen=True, slots=True)
class Witnesses:
    """What else shows a cycle's BIOS time; None where nothing does.

    Attributes:
        light: how much later it came than is usual; `_AS_EVER` where by no more than that.
        bios: by how much BiosInit is shorter than is usual, likewise.
        most_ns: what the BIOS may hide before the light comes.
    """

    light: BoundedNs | None
    bios: BoundedNs | None
    most_ns: int | None


@dataclass(frozen=True, slots=True)
class HiddenTimes:
    """What each cycle hides, in order; None where that is not known.

    Attributes:
        standing: by the time that the OS was away.
        running: by the OS's clock from this wake to the next sleep.
        follows: whether each cycle's sleep began with the clock that the wake before it set.
        witnesses: of each cycle with a record.
        steps: by index, how far the OS's clock was set without an event, between that wake and
            the next sleep.
        clock_differences: by index, how far the RTC went from the OS's clock without an event
            around that sleep, whichever of the two was set.
    """

    standing: list[Hidden | None]
    running: list[Hidden | None]
    follows: list[bool]
    witnesses: list[Witnesses | None]
    steps: dict[int, BoundedNs]
    clock_differences: dict[int, BoundedNs]


def witnesses_of(outside: OutsideCycle, record: OsRecord, norms: Norms) -> Witnesses:
    """Return what light and BiosInit show, given what is usual of them."""
    group, light, bios_ms = group_of(outside, record), None, record.bios_init_ms
    rest, norm = unexplained(outside, record, norms), norms.residuals.get(group)
    if rest is not None and norm is not None:
        light = _moved(rest, norm)
    usual = norms.bios.get(group)
    bios = None
    if usual is not None and bios_ms is not None:
        bios = _moved(BoundedNs(usual.median_ns - bios_ms * NS_PER_MS, NS_PER_MS), usual)
    lit = outside.intervals.get(IntervalName.PLTRST_TO_LIGHT)
    most_ns = None if lit is None else lit.value_ns + lit.bound_ns - (bios_ms or 0) * NS_PER_MS
    return Witnesses(light, bios, most_ns)


def _moved(rest: BoundedNs, norm: Norm) -> BoundedNs:
    """Return how far a rest is from usual, as wide as bounds and scatter make it.

    What one cycle in a billion does is no question here: it has to move with the clock.
    """
    usual_ns = norm.unusual_ns or 0 if norm.spread_ns is None else FAR_SIGMAS * norm.spread_ns
    slack_ns = max(rest.bound_ns, UNEXPLAINED_NS, usual_ns)
    return _AS_EVER if abs(rest.value_ns) <= slack_ns else BoundedNs(rest.value_ns, slack_ns)


def without_steps(times: HiddenTimes) -> HiddenTimes:
    """Return the hidden times without those that a clock that was set explains.

    A cycle's running that is taken away takes the next one's standing with it: whether the RTC was
    set along with the clock is not known.
    """
    standing, running, follows = list(times.standing), list(times.running), list(times.follows)
    usual = _usual(running)
    steps: dict[int, BoundedNs] = {}
    differences: dict[int, BoundedNs] = {}
    for index, (hidden, witnesses) in enumerate(zip(times.running, times.witnesses, strict=True)):
        if hidden is None or witnesses is None or not _is_clocks(hidden, usual, witnesses):
            continue
        running[index] = None
        standing[index + 1], follows[index + 1] = None, False
        if usual is not None and _is_step(usual - hidden.each, witnesses):
            steps[index] = usual - hidden.each
    usual = usual or _usual(standing)
    for index, (hidden, witnesses) in enumerate(zip(standing, times.witnesses, strict=True)):
        if hidden is None or witnesses is None or not _is_clocks(hidden, usual, witnesses):
            continue
        standing[index] = None
        if usual is not None and _is_step(hidden.with_drift - usual, witnesses):
            differences[index] = hidden.with_drift - usual
    return HiddenTimes(standing, running, follows, times.witnesses, steps, differences)


def _is_step(step: BoundedNs, witnesses: Witnesses) -> bool:
    """Return whether the clock was set, and by enough to report it."""
    is_far = abs(step.value_ns) - step.bound_ns > CLOCK_STEP_NS
    return is_far and witnesses.light == _AS_EVER


def _usual(hidden: Sequence[Hidden | None]) -> BoundedNs | None:
    count = sum(each is not None for each in hidden)
    return usual_of(hidden) if count >= MEDIAN_OF else None


def _is_clocks(hidden: Hidden, usual: BoundedNs | None, witnesses: Witnesses) -> bool:
    """Return whether it is the clock, likely, that makes a cycle seem to hide what it does."""
    whole, mine = hidden.whole, hidden.with_drift
    if usual is None:
        least_ns = None if whole is None else whole.value_ns - whole.bound_ns
        most_ns = witnesses.most_ns
        return least_ns is not None and most_ns is not None and least_ns > most_ns
    claims = whole is None or abs(whole.value_ns) > whole.bound_ns
    # A step of the size of what is not known could make any cycle claim what no other does.
    alone = claims and hidden.drift_ns > 0 and abs(usual.value_ns) <= usual.bound_ns
    if agree(mine, usual) and not alone:
        return False
    off = mine - usual
    moved = (each for each in (witnesses.light, witnesses.bios) if each not in (None, _AS_EVER))
    return not any(each is not None and agree(off, each) for each in moved)
