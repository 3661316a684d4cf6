"""Light in columns is the same blocks."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.edge import LightBlock
from resume_rig.model.light import LightColumns

U64, U16 = st.integers(0, 2**64 - 1), st.integers(0, 2**16 - 1)
BLOCKS = st.lists(st.builds(LightBlock, U64, U64, U16, U16, U16), max_size=20)


@given(BLOCKS)
def test_columns_give_the_blocks_that_they_were_made_of(blocks: list[LightBlock]) -> None:
    columns = LightColumns.of(blocks)

    assert columns == tuple(blocks)
    assert list(columns) == blocks
    assert len(columns) == len(blocks)
    assert [columns[at] for at in range(len(blocks))] == blocks
    assert LightColumns.of(columns) is columns


@given(BLOCKS, st.slices(20))
def test_a_slice_is_a_slice_of_the_blocks(blocks: list[LightBlock], cut: slice) -> None:
    assert LightColumns.of(blocks)[cut] == tuple(blocks[cut])


@given(st.lists(BLOCKS, max_size=4), st.lists(st.booleans(), min_size=4, max_size=4))
def test_parts_are_joined_in_order(parts: list[list[LightBlock]], packed: list[bool]) -> None:
    given_as: list[Sequence[LightBlock]] = [
        LightColumns.of(part) if as_columns else part
        for part, as_columns in zip(parts, packed, strict=False)
    ]
    joined = LightColumns.joined(given_as)

    assert joined == tuple(block for part in parts for block in part)
    # What was joined is not touched by it.
    assert [tuple(part) for part in given_as] == [tuple(part) for part in parts]


def test_columns_are_not_the_blocks_of_another_recording() -> None:
    one = LightColumns.of([LightBlock(1, 2, 3, 4, 5)])

    assert one != LightColumns.of([LightBlock(1, 2, 3, 4, 6)])
    assert one != (LightBlock(2, 2, 3, 4, 5),)
    assert one != ()
    assert hash(one) == hash((LightBlock(1, 2, 3, 4, 5),))


@pytest.mark.parametrize(
    "block",
    [LightBlock(0, 0, 65_536, 0, 0), LightBlock(0, 0, 0, -1, 0), LightBlock(0, -1, 0, 0, 0)],
    ids=["counts above 16 bits", "counts below 0", "time below 0"],
)
def test_a_number_that_no_board_can_mean_is_refused(block: LightBlock) -> None:
    with pytest.raises(OverflowError):
        LightColumns.of([block])
