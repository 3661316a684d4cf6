"""What is said of campaigns on the simulated bench, of one and of many, is what was frozen."""

import pytest

from golden.play import CAMPAIGNS, timed


@pytest.mark.parametrize("case", timed(CAMPAIGNS))
def test_the_answers_are_the_frozen_ones(case, stage, hold):
    hold(case, stage.answers(case))
