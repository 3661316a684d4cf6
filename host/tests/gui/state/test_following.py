"""When a store that is being written is looked at, read and derived again."""

from pathlib import Path

import numpy as np
import pytest

from resume_rig.campaign.store.disk import is_being_written
from resume_rig.gui.explorer.state import NOT_YET, Due, Pace, StoreLook, look_at, with_newer
from resume_rig.gui.state.table import Table, number_column, word_column


def sight(change: int, *, writing: bool = True) -> StoreLook:
    return StoreLook(((change, 0),), writing)


@pytest.fixture
def pace() -> Pace:
    """Of a store that was read in 100 ms and derived in 2 s, both over at 10 s."""
    made = Pace()
    made.reading.begin(sight(1).stamp, 7_900)
    made.reading.end(8_000)
    made.deriving.begin(sight(1).stamp, 8_000)
    made.deriving.end(10_000)
    return made


def test_what_has_not_changed_is_left_alone(pace: Pace) -> None:
    assert pace.due(sight(1), 100_000) is Due.NOTHING


@pytest.mark.parametrize(
    ("read_ms", "now_ms", "due"),
    [
        (100, 8_999, Due.NOTHING),
        (100, 9_000, Due.READ),
        (500, 12_999, Due.NOTHING),
        (500, 13_000, Due.READ),
    ],
)
def test_reading_takes_a_small_share_of_the_time(
    pace: Pace, read_ms: int, now_ms: int, due: Due
) -> None:
    pace.reading.begin(sight(1).stamp, 8_000 - read_ms)
    pace.reading.end(8_000)
    assert pace.due(sight(2), now_ms) is due


def test_deriving_follows_reading_and_waits_some_times_as_long_as_it_took(pace: Pace) -> None:
    pace.reading.begin(sight(2).stamp, 11_000)
    assert pace.due(sight(2), 11_000) is Due.NOTHING
    pace.reading.end(11_100)
    assert pace.due(sight(2), 15_999) is Due.NOTHING
    assert pace.due(sight(2), 16_000) is Due.DERIVE
    pace.deriving.begin(sight(2).stamp, 16_000)
    assert pace.due(sight(2), 60_000) is Due.NOTHING
    assert pace.due(sight(3), 60_000) is Due.READ


def test_the_end_reads_and_derives_at_once_and_then_nothing_is_followed(pace: Pace) -> None:
    over = sight(2, writing=False)
    assert pace.due(over, 10_001) is Due.READ
    pace.reading.begin(over.stamp, 10_001)
    pace.reading.end(10_002)
    assert pace.due(over, 10_003) is Due.DERIVE
    pace.deriving.begin(over.stamp, 10_003)
    assert pace.due(over, 10_004) is Due.NOTHING
    pace.deriving.end(10_005)
    assert pace.due(over, 10_006) is Due.END


def test_what_was_cancelled_is_not_derived_again(pace: Pace) -> None:
    pace.give_up_deriving()
    pace.reading.begin(sight(2).stamp, 11_000)
    pace.reading.end(11_001)
    assert pace.due(sight(2), 60_000) is Due.NOTHING
    assert pace.due(sight(2, writing=False), 60_000) is Due.END


def test_newer_cycles_stand_below_those_that_are_judged() -> None:
    judged = Table(
        (
            number_column("cycle", [1, 2]),
            word_column("outcome", ["slept and woke", "dark"]),
            word_column("verdict", ["PASS", "FAIL"]),
            number_column("to light, ms", [1.5, None]),
        )
    )
    seen = Table(
        (
            number_column("cycle", [1, 2, 3, 4]),
            word_column("outcome", ["a", "a", "never woke", "a"]),
            number_column("took, s", [1, 1, 1, 1]),
        )
    )
    longer = with_newer(judged, seen)
    assert [column.title for column in longer.columns] == [c.title for c in judged.columns]
    assert [longer.cell(row, 0) for row in range(4)] == ["1", "2", "3", "4"]
    assert [longer.cell(row, 1) for row in range(4)] == [
        "slept and woke",
        "dark",
        "never woke",
        "a",
    ]
    assert [longer.cell(row, 2) for row in range(4)] == ["PASS", "FAIL", NOT_YET, NOT_YET]
    assert np.isnan(longer.columns[3].values[1:]).all()
    assert with_newer(judged, Table(tuple(c for c in judged.columns[:2]))).cell(1, 2) == "FAIL"


def test_a_store_that_is_not_there_is_not_written(tmp_path: Path) -> None:
    assert not is_being_written(tmp_path / "none.rrs")
    assert look_at(tmp_path / "none.rrs") == StoreLook(((0, 0), (0, 0)), False)
