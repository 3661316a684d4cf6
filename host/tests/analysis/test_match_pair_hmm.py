"""Another model of the same question, held against the match: all ways to pair, summed up."""

import pytest
from match_campaigns import BRUTAL, PACES, REALISTIC, Campaign, Troubles, campaign
from pair_hmm.match import likely_pairs

from resume_rig.analysis.match.match import match
from resume_rig.model.result.match import HIGH_CONFIDENCE


def certain_of(made: Campaign) -> tuple[dict[int, int], dict[int, int]]:
    """Return the certain pairs of the match, and those of the model: cycle to record."""
    found = match(made.cycles, made.records)
    chain = {
        cycle: record
        for (cycle, record), likely in zip(found.pairs, found.probability, strict=True)
        if likely >= HIGH_CONFIDENCE
    }
    likely_of = likely_pairs(made.cycles, made.records)
    model = {
        cycle: record for (cycle, record), likely in likely_of.items() if likely >= HIGH_CONFIDENCE
    }
    return chain, model


@pytest.mark.parametrize("troubles", [REALISTIC, BRUTAL], ids=["realistic", "brutal"])
@pytest.mark.parametrize("pace", PACES)
def test_what_both_are_certain_of_is_the_same(pace: str, troubles: Troubles) -> None:
    made = campaign(200_000 + PACES.index(pace), 60, pace, "zone", troubles)

    chain, model = certain_of(made)

    both = chain.keys() & model.keys()
    assert len(both) >= 0.9 * len(chain)
    # A record that repeats another is as good as that.
    assert all(
        made.also.get(chain[cycle], chain[cycle]) == made.also.get(model[cycle], model[cycle])
        for cycle in both
    )


@pytest.mark.parametrize("pace", PACES)
def test_the_model_is_certain_of_nothing_wrong(pace: str) -> None:
    made = campaign(200_010 + PACES.index(pace), 80, pace, "near", BRUTAL)

    _, model = certain_of(made)

    assert model
    assert all(
        made.truth.get(cycle) == made.also.get(record, record) for cycle, record in model.items()
    )
