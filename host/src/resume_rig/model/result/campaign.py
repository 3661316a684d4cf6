"""What a report has to know of a campaign: beside its cycles, and of one cycle on the wires."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from resume_rig.model.budget import Budget
from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge, LightBlock
from resume_rig.model.os_record import LogSource
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.requirement import Requirement


@dataclass(frozen=True, slots=True)
class RecordedCycle:
    """One cycle on the DUT's pins.

    Attributes:
        number: of the cycle in its campaign, from 1.
        edges: of the wired channels, in order; board clock, front-end delays taken off.
        initial_levels: of every wired channel before the first edge.
        light: blocks of the photodiode, in order.
        zero_ns: board clock of the wake trigger (press or lid); of the first edge where no trigger
            was seen, and 0 without an edge.
        has_trigger: whether `zero_ns` is a wake trigger.
        zero_utc_ns: host UTC at `zero_ns`; None where nothing relates the two clocks.
        zero_utc_bound_ns: half-width of that; 0 where it is None.
        started_utc_ns: host UTC when the cycle began, by the host's clock alone.
        light_full_scale: counts of the photodiode's converter at its most; None where nobody says.
    """

    number: int
    edges: tuple[Edge, ...]
    initial_levels: Mapping[Channel, int]
    light: Sequence[LightBlock]
    zero_ns: int
    has_trigger: bool
    zero_utc_ns: int | None
    zero_utc_bound_ns: int
    started_utc_ns: int
    light_full_scale: int | None = None


@dataclass(frozen=True, slots=True)
class CampaignFacts:
    """One campaign, as its store tells of it.

    Attributes:
        store_path: where the raw data lie, as the user named it.
        report_path: where the HTML report was written; None when there is none.
        identity: DUT, rig, firmware, host, profile and software, each under its own name; the
            values may come from the DUT and are hostile.
        plan: the plan's parameters, unit in each name.
        outcomes: how many cycles came to which outcome (`Outcome` values); zeros may be absent.
        faults: one sentence for each fault of rig or DUT, in the order they happened.
        requirement: what the campaign was judged against.
        budgets: of each interval that the campaign has, for its median.
        first_failure: number and outcome of the first cycle that the DUT failed; None without one.
        recoveries: number of the cycle before it, and one sentence, for each step that was taken to
            have the DUT awake again; in the order they were taken.
        plan_state: a sentence, where not all of the plan is done, or a rule of it ended the
            campaign; None for a plan that was done to its last cycle.
        unfinished: something of the plan is left to do.
        begun_utc_ns: when it began, by the host's clock; None where nobody says.
        reset_to_tsc: PLTRST# rising to the TSC's zero, as the DUT profile bounds it; None where
            nobody says.
        log_sources: what its OS records are from; a record's `source` is an index of these.
    """

    store_path: str
    report_path: str | None
    identity: Mapping[str, str]
    plan: Mapping[str, int | float | str | bool | None]
    outcomes: Mapping[str, int]
    faults: tuple[str, ...]
    requirement: Requirement
    budgets: tuple[Budget, ...] = ()
    log_sources: tuple[LogSource, ...] = ()
    first_failure: tuple[int, str] | None = None
    recoveries: tuple[tuple[int, str], ...] = ()
    plan_state: str | None = None
    unfinished: bool = False
    begun_utc_ns: int | None = None
    reset_to_tsc: BoundedNs | None = None
