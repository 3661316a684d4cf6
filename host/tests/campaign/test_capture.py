"""What the board lost is never taken for silence."""

from typing import cast

import pytest

from resume_rig.campaign.run.bench import Capture
from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.rig.interface import EdgeBatch, Rig


class ScriptedRig:
    """Answers "edges" with what a test says."""

    def __init__(self) -> None:
        self.batch = EdgeBatch((), 0, 0, 0, 0, more=False)

    def edges(self, cursor: int, count: int = 128) -> EdgeBatch:
        return self.batch

    def levels(self) -> dict[Channel, int]:
        return {Channel.PWR_OK: 1}


def edge(number: int) -> Edge:
    return Edge(number, number * 1000, Channel.PWR_OK, number % 2)


@pytest.mark.parametrize(
    ("lost", "overruns", "expected"),
    [(0, 7, 0), (3, 10, 3), (0, 9, 2), (3, 7, 3)],
    ids=["nothing", "by numbers and count", "by the count alone", "by numbers alone"],
)
def test_edges_that_the_board_lost_are_told(lost: int, overruns: int, expected: int) -> None:
    rig = ScriptedRig()
    rig.batch = EdgeBatch((edge(0),), 0, 1, 0, 7, more=False)  # 7 were lost long before
    capture = Capture(cast("Rig", rig), has_light=False)
    capture.begin()
    assert capture.lost_edges == 0

    first = 1 + lost
    rig.batch = EdgeBatch((edge(first),), first, first + 1, lost, overruns, more=False)
    capture.read_edges()

    assert capture.lost_edges == expected
