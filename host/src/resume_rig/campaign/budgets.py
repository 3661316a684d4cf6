"""The uncertainty budgets of a campaign: its median cycles are built again to see their ends."""

import dataclasses
from collections.abc import Sequence

from resume_rig.analysis.cycle_building import CycleEdges, build_cycle
from resume_rig.analysis.interval_budgets import interval_budgets
from resume_rig.campaign.assess import reset_to_tsc_of
from resume_rig.campaign.instrument import bounds_of
from resume_rig.campaign.outside import outside_cycle
from resume_rig.campaign.store import Store
from resume_rig.campaign.stored import StoredCampaign, light_of, timed_campaign
from resume_rig.model.budget import Budget
from resume_rig.model.cycle import Correlation, OutsideCycle
from resume_rig.model.dut import DutProfile
from resume_rig.timing.edge_uncertainty import IntervalBounds, Witness
from resume_rig.timing.rate_calibration import RateCalibration


def stored_budgets(
    stored: StoredCampaign,
    correlation: Correlation,
    calibrations: Sequence[RateCalibration | None] | None = None,
) -> tuple[Budget, ...]:
    """Return a budget for each interval of a stored campaign.

    Args:
        stored: the campaign.
        correlation: its answer.
        calibrations: of its cycles, in order, for who has them already (`timed_campaign`).
    """
    identity = stored.identity
    bounds = bounds_of(identity.rig, identity.dut)
    places = {cycle.outside.number: place for place, cycle in enumerate(correlation.cycles)}
    known = timed_campaign(stored).calibrations if calibrations is None else calibrations

    def rebuild(number: int, witness: Witness) -> OutsideCycle:
        watched = dataclasses.replace(bounds, witness=witness)
        raw = stored.cycles[places[number]]
        with Store.open(stored.path) as store:
            light = light_of(raw, store)
        return outside_cycle(
            raw,
            stored.plan.of_cycle(_done_before(stored, number)),
            identity,
            light=light,
            calibration=known[places[number]],
            bounds=watched,
        )

    hidden = reset_to_tsc_of(identity.dut)
    return interval_budgets(
        correlation.cycles, bounds, rebuild, hidden, _hidden_source(identity.dut)
    )


def capture_budgets(
    correlation: Correlation,
    cuts: Sequence[CycleEdges],
    bounds: IntervalBounds,
    dut: DutProfile | None,
) -> tuple[Budget, ...]:
    """Return a budget for each interval of a capture, whose cycles are `cuts`, from 1."""

    def rebuild(number: int, witness: Witness) -> OutsideCycle:
        cut = cuts[number - 1]
        watched = dataclasses.replace(bounds, witness=witness)
        return build_cycle(number, cut.edges, cut.initial_levels, None, watched)

    hidden = reset_to_tsc_of(dut)
    return interval_budgets(correlation.cycles, bounds, rebuild, hidden, _hidden_source(dut))


def _done_before(stored: StoredCampaign, number: int) -> int:
    """Return how many cycles of the plan were done before one."""
    with Store.open(stored.path) as store:
        return store.index_of(number)


def _hidden_source(dut: DutProfile | None) -> str:
    return "taken, as there is no DUT profile" if dut is None else "the DUT profile"
