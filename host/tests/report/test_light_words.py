"""What light means in a report, and beside the intervals in its JSON."""

import json
from dataclasses import replace
from typing import Any

import pytest

from resume_rig.model.channel import Channel
from resume_rig.model.light import LightBasis
from resume_rig.model.result.cycle import ReconciledCycle
from resume_rig.report.campaign.document import correlation_pieces
from resume_rig.report.drawing.axis import light_words


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
    told = light_words([with_light(samples.cycle(), basis) for basis in bases])

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
    document = json.loads("".join(correlation_pieces(replace(correlation, cycles=(told,)))))

    cycle = document["cycles"][0]
    assert cycle["light_definition"] == "t_50"
    assert cycle["bounces"] == {"BUTTON": 3}
    assert cycle["hibernated_after_ns"] == 7
    assert {"press_to_first_light_ns", "press_to_light_90_ns"} <= set(cycle["outside"])
    plain = json.loads("".join(correlation_pieces(correlation)))["cycles"][0]
    assert plain["light_definition"] is outside.light_basis is None
    assert plain["hibernated_after_ns"] is None
