"""What a report has to know of a campaign beside its cycles."""

from collections.abc import Mapping
from dataclasses import dataclass

from resume_rig.model.budget import Budget
from resume_rig.model.os_record import LogSource
from resume_rig.model.requirement import Requirement


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
