"""The command line, judged by a world that it knows nothing of, at a small scale.

`python benchmarks/world.py` is the same at large.
"""

import pytest

from world.judge import judge
from world.scenarios import SCENARIOS, made


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_false_is_stated_as_certain(scenario, seed, tmp_path):
    trial = made(scenario, seed, 24)

    judged = judge(trial, tmp_path)

    assert not judged.refused
    assert judged.lies == []
