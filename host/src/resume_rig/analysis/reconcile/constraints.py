"""The unknowns of a wake as intervals, and what wires and clocks leave of them.

Two rings close around a wake; docs/explanation/claims.md draws them:

    running     SLP_S3# rising to its next falling, by the wires, is power-up, PLTRST# to the OS,
                the OS's clock running, and that clock's stop to SLP_S3#
    standing    the RTC at the wake less the OS's clock at its stop is the clock's stop to SLP_S3#,
                the sleep, power-up, and PLTRST# to the OS

PLTRST# to the OS is TSC = 0, the BIOS and the hand-off. Nothing that the BIOS says of itself is in
either. Whole nanoseconds; an end that nothing bounds is OPEN_NS away.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.reconcile.norms import Pair
from resume_rig.analysis.reconcile.os_account import (
    firmware_suspend,
    os_away,
    os_ran,
    sleep_to_stop,
    way_to_sleep,
)
from resume_rig.analysis.reconcile.reconcile import power_up
from resume_rig.analysis.reconcile.thresholds import HANDOFF_NS, OS_CLOCK_NS, Slew, reported
from resume_rig.model.channel import Channel
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideState

OPEN_NS: Final = 1 << 80
IN_RAM: Final = frozenset({SleepKind.S3, SleepKind.HYBRID})
"""Sleeps of whose wakes the rings speak."""


@dataclass(frozen=True, slots=True)
class Span:
    """All that an unknown may be, from `low_ns` to `high_ns`, both included."""

    low_ns: int
    high_ns: int

    @classmethod
    def of(cls, quantity: BoundedNs) -> "Span":
        """Return what a measured time may be."""
        return cls(quantity.value_ns - quantity.bound_ns, quantity.value_ns + quantity.bound_ns)

    @property
    def is_open(self) -> bool:
        """Whether nothing bounds one of its ends."""
        return max(-self.low_ns, self.high_ns) >= OPEN_NS // 2

    @property
    def width_ns(self) -> int:
        """From end to end."""
        return self.high_ns - self.low_ns

    def __add__(self, other: "Span") -> "Span":
        """Return what the sum of the two may be."""
        return Span(self.low_ns + other.low_ns, self.high_ns + other.high_ns)

    def __sub__(self, other: "Span") -> "Span":
        """Return what the difference of the two may be."""
        return Span(self.low_ns - other.high_ns, self.high_ns - other.low_ns)

    def meet(self, other: "Span | None") -> "Span | None":
        """Return what is in both; None where nothing is."""
        if other is None:
            return None
        low_ns, high_ns = max(self.low_ns, other.low_ns), min(self.high_ns, other.high_ns)
        return Span(low_ns, high_ns) if low_ns <= high_ns else None

    def excludes(self, value_ns: int) -> bool:
        """Return whether it cannot be that."""
        return not self.low_ns <= value_ns <= self.high_ns

    def bounded(self) -> BoundedNs:
        """Return its middle, with half of its width as bound."""
        half_ns = -(-self.width_ns // 2)
        return BoundedNs(self.low_ns + half_ns, half_ns)


ANY: Final = Span(-OPEN_NS, OPEN_NS)
_NO_LESS_THAN_NONE: Final = Span(0, OPEN_NS)
Sum = tuple[str, tuple[str, ...]]
"""A whole and its parts, by name."""

_PASSES_MOST: Final = 8


def narrowed(spans: Mapping[str, Span], sums: Sequence[Sum]) -> dict[str, Span] | None:
    """Return what all sums together leave of each unknown; None where they contradict each other.

    The true values are in what is returned if they were in what was given. Fewer passes leave more
    than could be left, and nothing false.
    """
    low = {name: span.low_ns for name, span in spans.items()}
    high = {name: span.high_ns for name, span in spans.items()}
    is_narrower = True
    passes = 0
    while is_narrower and passes < _PASSES_MOST:
        is_narrower = False
        passes += 1
        for whole, parts in sums:
            least = most = 0
            for part in parts:
                least += low[part]
                most += high[part]
            if low[whole] < least:
                low[whole], is_narrower = least, True
            if high[whole] > most:
                high[whole], is_narrower = most, True
            if low[whole] > high[whole]:
                return None
            for part in parts:
                # What the others leave of the whole.
                part_least, part_most = (
                    low[whole] - most + high[part],
                    high[whole] - least + low[part],
                )
                if low[part] < part_least:
                    least += part_least - low[part]
                    low[part], is_narrower = part_least, True
                if high[part] > part_most:
                    most += part_most - high[part]
                    high[part], is_narrower = part_most, True
                if low[part] > high[part]:
                    return None
    return {name: Span(low[name], high[name]) for name in spans}


_WAY: Final = ("way", ("accepted", "froze", "stop"))
_TO_OS: Final = ("to_os", ("tsc", "bios", "handoff"))
_RUNNING: Final = ("awake", ("power_up", "to_os", "ran", "stop"))
_STANDING: Final = ("away", ("stop", "asleep", "power_up", "to_os"))


@dataclass(frozen=True, slots=True)
class Ring:
    """What one ring leaves of a wake.

    Attributes:
        to_os: PLTRST# rising to the OS's clock running.
        hidden: what of it is neither BiosInit nor PLTRST# to TSC = 0 nor the hand-off; negative
            where BiosInit is more than there was.
        stop: the OS's clock's stop to SLP_S3# falling, of the sleep that closes the ring.
        stop_and_hidden: the sum of the two, which is better known than each of them.
        is_seen: whether the trigger of that sleep was observed, so that both ends are bounded.
    """

    to_os: Span
    hidden: Span
    stop: Span
    stop_and_hidden: Span
    is_seen: bool

    @property
    def stop_if_true(self) -> Span | None:
        """The clock's stop to SLP_S3# falling if BiosInit is true; None where it cannot be."""
        return self.stop_and_hidden.meet(self.stop)


def by_running(
    cycle: Pair, after: Pair, awake: BoundedNs, reset_to_tsc: BoundedNs, slew: Slew
) -> Ring | None:
    """Return what the OS's clock from this wake to the next sleep leaves; None if not known.

    Args:
        cycle: wires and record of the wake.
        after: those of the sleep that followed; no other was between.
        awake: SLP_S3# rising in the one to SLP_S3# falling in the other, on one clock.
        reset_to_tsc: PLTRST# rising to the TSC's zero.
        slew: how far a time service may have moved the clock.
    """
    ran = os_ran(cycle[1], after[1], slew)
    if ran is None or not _is_s3(after):
        return None
    spans = {"awake": Span.of(awake), "ran": Span.of(ran)}
    return _ring((cycle, after), _RUNNING, spans, reset_to_tsc, slew)


def by_standing(
    cycle: Pair, before: OsRecord | None, reset_to_tsc: BoundedNs, slew: Slew
) -> Ring | None:
    """Return what the RTC's time at the wake less the clock's at the sleep leaves of a wake.

    The RTC is read in whole seconds, at this wake and at the one that set the clock, so that it is
    known to a second. None if not known.

    Args:
        cycle: wires and record of the sleep and its wake.
        before: the record before it in the log.
        reset_to_tsc: PLTRST# rising to the TSC's zero.
        slew: how far a time service may have moved the clock.
    """
    away = os_away(cycle[1], before, slew)
    asleep = cycle[0].intervals.get(IntervalName.ASLEEP)
    if away is None or asleep is None:
        return None
    away_ns = BoundedNs(away.value_ns, away.bound_ns + 2 * OS_CLOCK_NS)
    spans = {"away": Span.of(away_ns), "asleep": Span.of(asleep)}
    return _ring((cycle, cycle), _STANDING, spans, reset_to_tsc, slew)


def _ring(
    wake_and_sleep: tuple[Pair, Pair],
    ring: Sum,
    spans: dict[str, Span],
    reset_to_tsc: BoundedNs,
    slew: Slew,
) -> Ring | None:
    cycle, sleep = wake_and_sleep
    outside, record = cycle
    if record.bios_init_ms is None or outside.awake_from_ns is None or not _is_s3(cycle):
        return None
    bios, tsc, handoff = (
        Span.of(reported(record.bios_init_ms)),
        Span.of(reset_to_tsc),
        Span(0, HANDOFF_NS),
    )
    spans |= {
        **{"tsc": tsc, "handoff": handoff, "power_up": Span.of(power_up(outside))},
        # What takes less than no time is told apart below.
        **{
            "bios": ANY,
            "to_os": ANY,
            "stop": Span(Span.of(firmware_suspend(sleep[1])).low_ns, OPEN_NS),
        },
    }
    sums = [ring, _TO_OS]
    way, froze = way_to_sleep(*sleep), sleep_to_stop(sleep[1], slew)
    seen = way is not None and froze is not None
    if way is not None and froze is not None:
        spans |= {"way": Span.of(way), "froze": Span.of(froze), "accepted": _NO_LESS_THAN_NONE}
        sums.append(_WAY)
    found = narrowed(spans, sums)
    if found is None:
        return None
    whole, parts = ring
    left = found[whole]
    for part in parts:
        left = left if part in ("stop", "to_os") else left - found[part]
    return Ring(
        to_os=found["to_os"],
        hidden=found["bios"] - bios,
        stop=found["stop"],
        stop_and_hidden=left - tsc - handoff - bios,
        is_seen=seen,
    )


def _is_s3(pair: Pair) -> bool:
    """Return whether it slept in RAM, by its record and an SLP_S3# that is wired.

    PWR_OK does not show where a sleep begins.
    """
    outside, record = pair
    if Channel.SLP_S3 not in outside.channels:
        return False
    if record.kind is SleepKind.HYBRID:
        return outside.state is OutsideState.S3
    return record.kind is SleepKind.S3


@dataclass(frozen=True, slots=True)
class WakeBounds:
    """What both rings together leave of a wake, whatever the BIOS says of itself.

    Attributes:
        to_os: PLTRST# rising to the OS's clock running; the BIOS takes no less than no time.
        hidden: what of it BiosInit does not hold.
        is_followed: whether the sleep after it bounds it, which is known best.
    """

    to_os: Span
    hidden: Span
    is_followed: bool

    @property
    def least_found_ns(self) -> int | None:
        """The least error of BiosInit that moves the whole interval off zero; None: no error."""
        return None if self.hidden.is_open else self.hidden.width_ns


def wake_bounds(
    rings: Sequence[Ring | None], reset_to_tsc: BoundedNs, bios_ms: int
) -> WakeBounds | None:
    """Return what the rings leave together; None where there is none, or they contradict.

    Args:
        rings: by running and by standing.
        reset_to_tsc: PLTRST# rising to the TSC's zero.
        bios_ms: what the OS reports for the BIOS.
    """
    known = [ring for ring in rings if ring is not None]
    tsc_ns = max(Span.of(reset_to_tsc).low_ns, 0)
    to_os: Span | None = Span(tsc_ns, OPEN_NS)
    hidden: Span | None = Span(-Span.of(reported(bios_ms)).high_ns, OPEN_NS)
    for ring in known:
        to_os, hidden = ring.to_os.meet(to_os), ring.hidden.meet(hidden)
    if not known or to_os is None or hidden is None:
        return None
    return WakeBounds(to_os, hidden, rings[0] is not None)
