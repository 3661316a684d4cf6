"""What is said of logs, of verdicts at the limit and of what is refused is what was frozen."""

import pytest

from golden.logs import lay_out
from golden.play import LOGS


@pytest.fixture(scope="module", autouse=True)
def laid_out(stage):
    lay_out()


@pytest.mark.parametrize("case", LOGS)
def test_the_answers_are_the_frozen_ones(case, stage, hold):
    hold(case, stage.answers(case))
