"""What is said of captures with event logs is what was frozen."""

import pytest

from golden.play import CAPTURES, timed


@pytest.mark.parametrize("case", timed(CAPTURES))
def test_the_answers_are_the_frozen_ones(case, stage, hold):
    hold(case, stage.answers(case))
