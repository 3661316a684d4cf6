"""Every cycle of a campaign with mixed faults is told as the simulator's own diary has it."""

from dataclasses import replace
from pathlib import Path

import pytest
from accounting import Deeds, Soak, Truth, outcome_of, wrong

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.model.result.cycle import Outcome
from resume_rig.rig.sim.dut.event import WakeCause

SLEPT_AND_WOKE = Deeds(
    slept=True, woke=True, resets=1, resumed_by=WakeCause.BUTTON, booted=False, lit=True
)


@pytest.mark.slow
def test_every_cycle_is_told_as_it_was(tmp_path: Path) -> None:
    soak = Soak(tmp_path / "soak.rrs", 150, seed=3)

    account = soak.run()

    assert account.wrong == []
    assert account.cycles == sum(account.outcomes.values()) == 150
    assert account.damaged > 20
    seen = {Outcome.SLEPT_AND_WOKE, Outcome.NEVER_SLEPT, Outcome.NEVER_WOKE, Outcome.DARK}
    assert set(account.outcomes) == {*seen, Outcome.WOKE_ALONE}
    assert any(truth.record_lost for truth in soak.truths.values())
    assert any(truth.deeds.resets == 2 for truth in soak.truths.values())
    # A diary that was otherwise would have been noticed.
    answer = assess(load_campaign(soak.path))
    first = next(c for c in answer.cycles if c.outside.outcome is Outcome.SLEPT_AND_WOKE)
    deeds = soak.truths[first.outside.number].deeds
    lost = soak.truths[first.outside.number].record_lost
    for lie in (replace(deeds, lit=False), replace(deeds, slept=False), replace(deeds, woke=False)):
        assert wrong(first, Truth(lie, lost))
    assert wrong(first, Truth(deeds, not lost))
    assert wrong(first, Truth(replace(deeds, resets=deeds.resets % 2 + 1), lost))


@pytest.mark.parametrize(
    ("deeds", "outcome"),
    [
        (SLEPT_AND_WOKE, Outcome.SLEPT_AND_WOKE),
        (replace(SLEPT_AND_WOKE, slept=False), Outcome.NEVER_SLEPT),
        (replace(SLEPT_AND_WOKE, woke=False), Outcome.NEVER_WOKE),
        (replace(SLEPT_AND_WOKE, lit=False), Outcome.DARK),
        (replace(SLEPT_AND_WOKE, booted=True), Outcome.REBOOTED),
        (replace(SLEPT_AND_WOKE, resumed_by=WakeCause.DEVICE), Outcome.WOKE_ALONE),
    ],
)
def test_deeds_have_one_outcome(deeds: Deeds, outcome: Outcome) -> None:
    assert outcome_of(deeds) is outcome
