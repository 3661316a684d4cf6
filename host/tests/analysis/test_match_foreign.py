"""The log of another unit is not taken for that of the cycles; a unit's own log still is."""

import pytest
from foreign_units import answer_of, foreign, own

from resume_rig.model.verdict import Verdict


# With the offsets that were tried left out of account, each of these had certain pairs.
@pytest.mark.parametrize("seed", [9, 15, 23, 25, 30, 31, 44, 45, 51, 57, 104, 272])
def test_the_log_of_another_unit_is_no_evidence(seed: int) -> None:
    answer = answer_of(foreign(seed))

    assert (answer.wrong, answer.findings) == (0, {})
    assert answer.verdict is Verdict.NO_EVIDENCE


def test_that_the_log_is_of_another_unit_is_said() -> None:
    answer = answer_of(foreign(44))

    assert set(answer.reasons) == {"unrelated-log"}
    assert "the log does not match these cycles: 9 of 12 fit" in answer.why
    assert answer.why.endswith("check that it is the log of this unit.")


@pytest.mark.parametrize("pace", ["random", "narrow"])
@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_the_own_log_is_matched(seed: int, pace: str) -> None:
    made = own(seed, pace)

    answer = answer_of(made)

    assert answer.wrong == 0
    assert answer.right >= 0.8 * len(made.own)
