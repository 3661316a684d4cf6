"""Settings of the OS's clock without an event, against BIOS times that err in one cycle.

Where clock and wires disagree in one cycle alone, the clock was set, or the BIOS took another time
than it reports: that delays the light, or is off its own median. Where neither shows, nothing is
concluded about the BIOS, and this cycle's clock counts for nothing; where the light came as ever,
the clock was set. A display that the firmware lights, or that is not watched, leaves that open.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from resume_rig.analysis.reconcile.constraints import Ring, Span
from resume_rig.analysis.reconcile.norms import Norm, Norms
from resume_rig.analysis.reconcile.reconcile import unexplained
from resume_rig.analysis.reconcile.thresholds import (
    CLOCK_STEP_NS,
    FAR_SIGMAS,
    MEDIAN_OF,
    OS_CLOCK_NS,
    UNEXPLAINED_NS,
)
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle
from resume_rig.model.units import NS_PER_MS

_AS_EVER = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Witnesses:
    """What else shows a cycle's BIOS time; None where nothing does.

    Attributes:
        light: how much later it came than is usual; `_AS_EVER` where by no more than that.
        bios: by how much BiosInit is shorter than is usual, likewise.
        most_ns: what the BIOS may hide before the light comes.
        least_ns: the least that it may hide, which is minus BiosInit.
    """

    light: Span | None
    bios: Span | None
    most_ns: int | None
    least_ns: int


@dataclass(frozen=True, slots=True)
class Rings:
    """The rings of each cycle, in order, as far as a time service by default leaves them.

    Attributes:
        running: by the OS's clock from this wake to the next sleep; None where that is not known.
        standing: by the time that the OS was away, likewise.
        witnesses: of each cycle with a record.
        parts: of each cycle, in which part of the campaign it is: each has its own usual.
        steps: by index, how far the OS's clock was set without an event, between that wake and
            the next sleep.
        clock_differences: by index, how far the RTC went from the OS's clock without an event
            around that sleep, whichever of the two was set.
    """

    running: list[Ring | None]
    standing: list[Ring | None]
    witnesses: list[Witnesses | None]
    parts: list[int]
    steps: dict[int, BoundedNs]
    clock_differences: dict[int, BoundedNs]


def witnesses_of(outside: OutsideCycle, record: OsRecord, norms: Norms) -> Witnesses:
    """Return what light and BiosInit show, given what is usual of them."""
    light, bios_ms = None, record.bios_init_ms
    rest, norm = unexplained(outside, record, norms), norms.residual_of(outside, record)
    if rest is not None and norm is not None:
        light = _moved(rest, norm)
    usual = norms.bios_of(outside, record)
    bios = None
    if usual is not None and bios_ms is not None:
        bios = _moved(BoundedNs(usual.median_ns - bios_ms * NS_PER_MS, NS_PER_MS), usual)
    lit = outside.intervals.get(IntervalName.PLTRST_TO_LIGHT)
    bios_ns = (bios_ms or 0) * NS_PER_MS
    most_ns = None if lit is None else lit.value_ns + lit.bound_ns - bios_ns
    return Witnesses(light, bios, most_ns, -bios_ns - NS_PER_MS)


def _moved(rest: BoundedNs, norm: Norm) -> Span:
    """Return how far a rest is from usual, as wide as bounds and scatter make it.

    What one cycle in a billion does is no question here: it has to move with the clock.
    """
    usual_ns = norm.unusual_ns or 0 if norm.spread_ns is None else FAR_SIGMAS * norm.spread_ns
    slack_ns = max(rest.bound_ns, UNEXPLAINED_NS, usual_ns)
    if abs(rest.value_ns) <= slack_ns:
        return _AS_EVER
    return Span(rest.value_ns - slack_ns, rest.value_ns + slack_ns)


def without_steps(rings: Rings) -> Rings:
    """Return the rings without those that a clock that was set explains.

    A running that is taken away takes the next cycle's standing with it: whether the RTC was set
    along with the clock is not known.
    """
    standing, running = list(rings.standing), list(rings.running)
    usual = _usual(running, rings.parts)
    steps: dict[int, BoundedNs] = {}
    differences: dict[int, BoundedNs] = {}
    for index, (ring, witnesses) in enumerate(zip(rings.running, rings.witnesses, strict=True)):
        own = usual.get(rings.parts[index])
        if ring is None or witnesses is None or not _is_clocks(ring, own, witnesses, 0):
            continue
        running[index] = None
        standing[index + 1] = None
        if own is not None and _is_step(own - ring.hidden, witnesses):
            steps[index] = (own - ring.hidden).bounded()
    second_ns = 2 * OS_CLOCK_NS
    usual = _usual(standing, rings.parts, second_ns) | usual
    for index, (ring, witnesses) in enumerate(zip(standing, rings.witnesses, strict=True)):
        own = usual.get(rings.parts[index])
        if ring is None or witnesses is None or not _is_clocks(ring, own, witnesses, second_ns):
            continue
        standing[index] = None
        if own is not None and _is_step(ring.hidden - own, witnesses):
            differences[index] = (ring.hidden - own).bounded()
    return replace(
        rings, running=running, standing=standing, steps=steps, clock_differences=differences
    )


def _is_step(step: Span, witnesses: Witnesses) -> bool:
    """Return whether the clock was set, and by enough to report it."""
    is_far = step.low_ns > CLOCK_STEP_NS or step.high_ns < -CLOCK_STEP_NS
    return is_far and witnesses.light == _AS_EVER


def _usual(rings: Sequence[Ring | None], parts: Sequence[int], step_ns: int = 0) -> dict[int, Span]:
    """Return the interval that the cycles of each part have in the middle.

    Args:
        rings: of all cycles.
        parts: of each, in which part of the campaign it is.
        step_ns: of each end, what cancels in there.
    """
    known: dict[int, list[Span]] = {}
    for ring, part in zip(rings, parts, strict=True):
        if ring is not None:
            known.setdefault(part, []).append(ring.hidden)
    usual: dict[int, Span] = {}
    for part, each in known.items():
        if len(each) >= MEDIAN_OF:
            low_ns = round(median(span.low_ns for span in each)) + step_ns
            high_ns = round(median(span.high_ns for span in each)) - step_ns
            usual[part] = Span(low_ns, max(low_ns, high_ns))
    return usual


def _is_clocks(ring: Ring, usual: Span | None, witnesses: Witnesses, step_ns: int) -> bool:
    """Return whether it is the clock, likely, that makes a cycle seem to hide what it does.

    Args:
        ring: of the cycle.
        usual: of those of the campaign.
        witnesses: what else shows its BIOS time.
        step_ns: by how much the RTC's whole seconds alone may be off.
    """
    mine = ring.hidden
    possible = mine.meet(Span(witnesses.least_ns, mine.high_ns))
    if usual is None:
        if possible is None or witnesses.most_ns is None:
            return False
        return possible.low_ns > witnesses.most_ns
    claims = possible is None or possible.excludes(0)
    # A step of the size of what is not known could make any cycle claim what no other does.
    alone = claims and step_ns > 0 and not usual.excludes(0)
    if mine.meet(usual) is not None and not alone:
        return False
    off = mine - usual
    moved = (each for each in (witnesses.light, witnesses.bios) if each not in (None, _AS_EVER))
    return not any(off.meet(each) for each in moved)
