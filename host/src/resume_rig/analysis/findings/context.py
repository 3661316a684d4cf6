"""What a finding is made from: one cycle with its record, and what is known around the two."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from resume_rig.analysis.reconcile.constraints import IN_RAM, Span, WakeBounds
from resume_rig.analysis.reconcile.norms import UNKNOWN_PLATFORM, History, Norm, Norms, Platform
from resume_rig.analysis.reconcile.reconcile import (
    hidden_by_light,
    light_after_complete,
    of_one_cause,
    press_to_resume_complete,
)
from resume_rig.analysis.reconcile.thresholds import UPTIME_MS, reported
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, OutsideCycle
from resume_rig.model.result.verdict import Finding, Requirement
from resume_rig.model.units import NS_PER_MS


@dataclass(frozen=True, slots=True)
class WakeClaims:
    """What may be said of one wake's BIOS time.

    Attributes:
        longest_bios_ms: that clock and wires leave room for, to the second of the RTC.
        proven: what the rings leave whatever a time service did; None where there is none, where
            they contradict each other, and where the clock was set, likely.
        likely: the same where a time service does what it does by default.
        hidden: what BiosInit does not hold, by the clock's running until the next sleep, as
            `likely`; None where the trigger of that sleep was not seen.
        stop: the OS's clock's stop to SLP_S3# falling, of this cycle's sleep, if BiosInit is true.
    """

    longest_bios_ms: float | None = None
    proven: WakeBounds | None = None
    likely: WakeBounds | None = None
    hidden: Span | None = None
    stop: Span | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What all cycles of a campaign share.

    Attributes:
        reset_to_tsc: PLTRST# rising to the TSC's zero, from the DUT profile.
        wakes: by number of cycle, what may be said of its BIOS time.
        hidden_norm: what is usual of what cycles hide by the clock's running; None of fewer than 3.
        silent_steps: likewise, how far the OS's clock was set without an event, between its wake
            and the next sleep.
        clock_differences: likewise, how far the RTC went from the OS's clock around its sleep.
        contradictory: whether clock and wires prove BIOS times both short and long: then it is the
            clock, rather than the BIOS.
        clock_moves: the same of what they show if a time service does what it does by default: then
            it does more.
        usual_room_ms: median of the longest BIOS times that clock and wires leave room for; None
            of fewer than 3 cycles.
        awake_w: median of what the DUT draws awake; None without a power monitor.
        unit_factor: what most of the impossible BIOS times are too large by; None where no one
            factor is.
    """

    requirement: Requirement
    reset_to_tsc: BoundedNs
    norms: Norms
    history: History
    platform: Platform = UNKNOWN_PLATFORM
    wakes: dict[int, WakeClaims] = field(default_factory=dict)
    hidden_norm: Norm | None = None
    silent_steps: dict[int, BoundedNs] = field(default_factory=dict)
    clock_differences: dict[int, BoundedNs] = field(default_factory=dict)
    contradictory: bool = False
    clock_moves: bool = False
    usual_room_ms: float | None = None
    unit_factor: int | None = None
    awake_w: float | None = None


@dataclass(frozen=True)
class RecordedCycle:
    """One cycle and its OS record, in the context of the campaign."""

    outside: OutsideCycle
    record: OsRecord
    around: Context

    @property
    def claims(self) -> WakeClaims:
        """What may be said of its BIOS time."""
        return self.around.wakes.get(self.outside.number, _NO_CLAIMS)

    @cached_property
    def longest_bios_ms(self) -> float | None:
        """The longest BIOS time that clock and wires leave room for; None if not known.

        Where other cycles leave more, this one's clock was set, more likely than that its BIOS
        time is impossible: that is none which there is room for in them.
        """
        own_ms, usual_ms = self.claims.longest_bios_ms, self.around.usual_room_ms
        if own_ms is None or usual_ms is None:
            return None if own_ms is None or own_ms < 0 else own_ms
        return max(own_ms, usual_ms)

    @cached_property
    def one_cause(self) -> tuple[BoundedNs, str] | None:
        """What a BIOS time as most never lacks, where light or clock are as ever, and which."""
        by_light = hidden_by_light(self.outside, self.record, self.around.norms)
        if by_light is not None:
            return by_light, "the light came as in most"
        bios = self.around.norms.bios_of(self.outside, self.record)
        by_clock = of_one_cause(self.record, bios, self.off_median, self.around.hidden_norm)
        return None if by_clock is None else (by_clock, "the OS's clock ran as in most")

    @property
    def off_median(self) -> BoundedNs | None:
        """How far what this cycle hides is from the campaign's median; None if not known."""
        hidden, norm = self.claims.hidden, self.around.hidden_norm
        if hidden is None or norm is None:
            return None
        each = hidden.bounded()
        # What nobody sees after PLTRST# is the same in all cycles, and cancels.
        bound_ns = max(each.bound_ns - self.around.reset_to_tsc.bound_ns, 0)
        return BoundedNs(each.value_ns, bound_ns).from_median(norm.median_ns)

    @property
    def press_to_resume_complete(self) -> BoundedNs | None:
        """Press (or lid) to resume complete; None where nothing bounds it."""
        complete = press_to_resume_complete(self.outside, self.record, self.around.reset_to_tsc)
        measured = self.outside.intervals.get(IntervalName.PRESS_TO_PLTRST)
        within = self._to_complete
        whole = None if measured is None or within is None else Span.of(measured) + within
        return self._as_left(complete, whole)

    @property
    def light_after_complete(self) -> BoundedNs | None:
        """Light minus resume complete; None where nothing bounds it."""
        light = light_after_complete(self.outside, self.record, self.around.reset_to_tsc)
        return self._as_left(light, self.light_after)

    @property
    def light_after(self) -> Span | None:
        """What the rings leave of light minus resume complete, whatever BiosInit is."""
        measured = self.outside.intervals.get(IntervalName.PLTRST_TO_LIGHT)
        within = self._to_complete
        if measured is None:
            return None
        if self.record.kind not in IN_RAM:
            light = light_after_complete(self.outside, self.record, self.around.reset_to_tsc)
            return None if light is None else Span.of(light)
        return None if within is None else Span.of(measured) - within

    @property
    def _to_complete(self) -> Span | None:
        """PLTRST# to all devices having completed their S0 IRP; None where nothing bounds it."""
        left, driver_ms = self.claims.proven, self.record.driver_init_ms
        if left is None or driver_ms is None or left.to_os.high_ns > UPTIME_MS * NS_PER_MS:
            return None
        return left.to_os + Span.of(reported(driver_ms))

    def _as_left(self, time: BoundedNs | None, whole: Span | None) -> BoundedNs | None:
        """Return a time by BiosInit, with the bound that the rings leave whatever that is.

        Standard and expanded uncertainty stay those of a BiosInit that is true.
        """
        if time is None or self.record.kind not in IN_RAM:
            # No ring is known of a wake from an image.
            return time
        if whole is None:
            return None
        bound_ns = max(whole.high_ns - time.value_ns, time.value_ns - whole.low_ns, time.bound_ns)
        return replace(time, bound_ns=bound_ns)


_NO_CLAIMS = WakeClaims()
Found = Iterator[Finding]
"""What a family of findings gives; none where nothing is wrong."""
