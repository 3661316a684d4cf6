"""The log of another unit is not taken for that of the cycles; a unit's own log still is."""

from dataclasses import replace

import pytest
from foreign_units import answer_of, foreign, log_reading, own

from resume_rig.model.result.verdict import Verdict

# With the offsets that were tried left out of account, each of these had certain pairs; those from
# 60,000 on had some while nobody asked how long the unit was awake, or little was made of it.
EARLY = [9, 15, 23, 25, 30, 31, 44, 45, 51, 57, 104, 272]
LATE = [60045, 60195, 60368, 60646, 60675, 60874, 120460]


@pytest.mark.parametrize("seed", [*EARLY, *LATE])
def test_the_log_of_another_unit_is_no_evidence(seed: int) -> None:
    answer = answer_of(foreign(seed))

    assert (answer.wrong, answer.findings) == (0, {})
    assert answer.verdict is Verdict.NO_EVIDENCE


def test_that_a_log_was_read_from_the_dut_makes_no_few_cycles_certain() -> None:
    answer = answer_of(foreign(120_596))

    assert (answer.wrong, answer.findings) == (0, {})
    assert answer.reasons["ambiguous"] == 3


def test_that_the_log_is_of_another_unit_is_said() -> None:
    answer = answer_of(foreign(9))

    assert set(answer.reasons) == {"unrelated-log"}
    assert "the log does not match these cycles: 11 of 17 fit" in answer.why
    assert answer.why.endswith("check that it is the log of this unit.")


# Even paces against long logs, a clock that was set, and three or four cycles alone.
@pytest.mark.parametrize("seed", [60005, 60016, 60017, 60030, 60037, 60013, 60006])
def test_how_long_it_was_awake_ties_the_own_log(seed: int) -> None:
    made = own(seed)

    answer = answer_of(made)

    assert (answer.right, answer.wrong) == (len(made.own), 0)


# An even pace, and a clock that was set: the last cycles fitted another run of the log.
# And two logs, of which the other unit's stood near the host's time.
@pytest.mark.parametrize("seed", [60159, 60395, 60073, 90088])
def test_no_record_of_another_campaign_is_taken(seed: int) -> None:
    assert answer_of(own(seed)).wrong == 0


@pytest.mark.parametrize("pace", ["random", "narrow"])
@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_the_own_log_is_matched(seed: int, pace: str) -> None:
    made = own(seed, pace)

    answer = answer_of(made)

    assert answer.wrong == 0
    assert answer.right >= 0.8 * len(made.own)


def test_what_ties_one_of_two_logs_says_nothing_of_the_other() -> None:
    made = own(60073)

    answer = answer_of(made)

    # The other five stand in the own log, and are as certain as they are without the other log.
    assert (answer.right, answer.wrong) == (5, 0)
    assert answer.reasons["ambiguous"] == 3


def test_three_cycles_are_not_tied_to_another_run_of_the_own_log() -> None:
    assert answer_of(own(70_039, beside=1.0)).wrong == 0


@pytest.mark.parametrize("seed", [71_000, 71_004, 71_009])
def test_an_own_log_in_two_documents_is_own(seed: int) -> None:
    made = own(seed, "random", beside=0.0)
    middle = sorted(made.own.values())[len(made.own) // 2]
    records = [replace(r, source=int(at >= middle)) for at, r in enumerate(made.reading.records)]

    answer = answer_of(replace(made, reading=log_reading(records, 2)))

    assert (answer.right, answer.wrong) == (answer_of(made).right, 0)
    assert answer.right >= 0.8 * len(made.own)
