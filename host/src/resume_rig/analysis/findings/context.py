"""What a finding is made from: one cycle with its record, and what is known around the two."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from resume_rig.analysis.reconcile.hidden_time import (
    Hidden,
    HiddenMean,
    longest_bios_ms,
    off_median,
)
from resume_rig.analysis.reconcile.norms import (
    UNKNOWN_PLATFORM,
    History,
    Norm,
    Norms,
    Platform,
    group_of,
)
from resume_rig.analysis.reconcile.reconcile import (
    hidden_by_light,
    light_after_complete,
    of_one_cause,
    press_to_resume_complete,
    with_bios_unproven,
)
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import OutsideCycle
from resume_rig.model.result.verdict import Finding, Requirement


@dataclass(frozen=True, slots=True)
class Context:
    """What all cycles of a campaign share.

    Attributes:
        reset_to_tsc: PLTRST# rising to the TSC's zero, from the DUT profile.
        means: by number of cycle, what it and those like it hide on average.
        hidden: likewise, what it hides by itself.
        hidden_norm: what is usual of `hidden`, by the clock's running; None of fewer than 3.
        after_stop: likewise, what of its way to sleep was after the OS's clock stopped.
        silent_steps: likewise, how far the OS's clock was set without an event, between its wake
            and the next sleep.
        clock_differences: likewise, how far the RTC went from the OS's clock around its sleep.
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
    means: dict[int, HiddenMean]
    platform: Platform = UNKNOWN_PLATFORM
    hidden: dict[int, Hidden] = field(default_factory=dict)
    hidden_norm: Norm | None = None
    after_stop: dict[int, BoundedNs] = field(default_factory=dict)
    silent_steps: dict[int, BoundedNs] = field(default_factory=dict)
    clock_differences: dict[int, BoundedNs] = field(default_factory=dict)
    usual_room_ms: float | None = None
    unit_factor: int | None = None
    awake_w: float | None = None


@dataclass(frozen=True)
class RecordedCycle:
    """One cycle and its OS record, in the context of the campaign."""

    outside: OutsideCycle
    record: OsRecord
    around: Context

    @cached_property
    def longest_bios_ms(self) -> float | None:
        """The longest BIOS time that clock and wires leave room for; None if not known.

        Where other cycles leave more, this one's clock was set, more likely than that its BIOS
        time is impossible: that is none which there is room for in them.
        """
        before, usual_ms = self.around.history.before(self.record), self.around.usual_room_ms
        own_ms = longest_bios_ms(self.outside, self.record, before, self.around.reset_to_tsc)
        if own_ms is None or usual_ms is None:
            return None if own_ms is None or own_ms < 0 else own_ms
        return max(own_ms, usual_ms)

    @cached_property
    def one_cause(self) -> tuple[BoundedNs, str] | None:
        """What a BIOS time as never lacks, where light or clock are as ever, and which; or None."""
        by_light = hidden_by_light(self.outside, self.record, self.around.norms)
        if by_light is not None:
            return by_light, "against the light, which came as ever"
        by_clock = of_one_cause(
            self.record,
            self.around.norms.bios.get(group_of(self.outside, self.record)),
            self.off_median,
            self.around.hidden_norm,
        )
        if by_clock is not None:
            return by_clock, "against the OS's own clock, which ran as ever"
        return None

    @property
    def off_median(self) -> BoundedNs | None:
        """How far what this cycle hides is from the campaign's median."""
        around = self.around
        hidden = around.hidden.get(self.outside.number)
        return off_median(hidden, around.hidden_norm, around.reset_to_tsc.bound_ns)

    @property
    def bios_unproven(self) -> BoundedNs | None:
        """What the OS's clock leaves open besides BiosInit; None where it does not bound that.

        Of this cycle alone, to a second where it is the last one. The mean of those like it is
        known better, and bounds no single cycle: one BIOS may stall while the mean hardly moves.
        """
        hidden = self.around.hidden.get(self.outside.number)
        return None if hidden is None else hidden.whole

    @property
    def press_to_resume_complete(self) -> BoundedNs | None:
        """Press (or lid) to resume complete; its bound holds whatever BiosInit says."""
        tsc = self.around.reset_to_tsc
        complete = press_to_resume_complete(self.outside, self.record, tsc)
        return with_bios_unproven(complete, self.bios_unproven, tsc)

    @property
    def light_after_complete(self) -> BoundedNs | None:
        """Light minus resume complete; its bound holds whatever BiosInit says."""
        tsc = self.around.reset_to_tsc
        light = light_after_complete(self.outside, self.record, tsc)
        return with_bios_unproven(light, self.bios_unproven, tsc)


Found = Iterator[Finding]
"""What a family of findings gives; none where nothing is wrong."""
