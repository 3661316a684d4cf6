"""What light means in a report, and beside the intervals in its JSON."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.channel import Channel
from resume_rig.model.light import LightBasis
from resume_rig.model.result.cycle import ReconciledCycle
from resume_rig.model.result.judgement import CampaignFacts
from resume_rig.report.campaign.document import correlation_pieces
from resume_rig.report.drawing.axis import light_words

FACTS = CampaignFacts(
    store_path="night.rrs",
    report_path=None,
    identity={},
    plan={},
    outcomes={},
    faults=(),
    requirement=load_requirement("sysfund-0004"),
)


def with_light(cycle: ReconciledCycle, basis: LightBasis | None, **fields: Any) -> ReconciledCycle:
    return replace(cycle, outside=replace(cycle.outside, light_basis=basis, **fields))


@pytest.mark.parametrize(
    ("bases", "words"),
    [
        ([None, None], ""),
        ([LightBasis.HALF, LightBasis.HALF, None], "Display on is t_50"),
        ([LightBasis.COMPARATOR], "Display on is the edge of the photodiode's comparator."),
        (
            [LightBasis.HALF, LightBasis.COMPARATOR, LightBasis.COMPARATOR],
            "in 2 cycles the edge of the photodiode's comparator",
        ),
        ([LightBasis.BLOCKS], "blocks of 1 ms"),
    ],
)
def test_a_report_says_what_light_is(
    samples: Any, bases: list[LightBasis | None], words: str
) -> None:
    told = light_words(Counter(basis for basis in bases if basis is not None))

    assert words in told
    assert bool(told) == any(bases)


def test_the_definition_stands_beside_the_intervals(samples: Any) -> None:
    correlation = samples.four_cycles()
    outside = correlation.cycles[0].outside
    told = with_light(
        correlation.cycles[0],
        LightBasis.HALF,
        bounces={Channel.BUTTON: 3},
        asleep_from_ns=5,
        hibernated_from_ns=12,
    )
    document = json.loads(
        "".join(correlation_pieces(answered_campaign(replace(correlation, cycles=(told,)), FACTS)))
    )

    cycle = document["cycles"][0]
    assert cycle["light_definition"] == "t_50"
    assert cycle["bounces"] == {"BUTTON": 3}
    assert cycle["hibernated_after_ns"] == 7
    assert {"press_to_first_light_ns", "press_to_light_90_ns"} <= set(cycle["outside"])
    plain = json.loads("".join(correlation_pieces(answered_campaign(correlation, FACTS))))[
        "cycles"
    ][0]
    assert plain["light_definition"] is outside.light_basis is None
    assert plain["hibernated_after_ns"] is None
