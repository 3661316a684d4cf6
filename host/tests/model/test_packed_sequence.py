"""Facts in chunks: the same ones in each pass, what is kept being the same object."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.packed import Derived, PackedSequence


@dataclass(frozen=True, slots=True)
class Leaf:
    name: str


@dataclass(frozen=True, slots=True)
class Fact:
    number: int
    leaf: Leaf | None
    outcome: Outcome
    times: tuple[BoundedNs, ...] = ()


FACTS = st.builds(
    Fact,
    st.integers(),
    st.one_of(st.none(), st.builds(Leaf, st.text())),
    st.sampled_from(Outcome),
    st.lists(st.builds(BoundedNs, st.integers(), st.integers(0, 1 << 70)), max_size=3).map(tuple),
)


@given(st.lists(FACTS, max_size=300), st.slices(300))
def test_it_is_the_sequence_that_it_was_made_of(facts: list[Fact], part: slice) -> None:
    packed = PackedSequence(iter(facts))

    assert list(packed) == list(packed) == facts
    assert len(packed) == len(facts)
    assert packed == PackedSequence(facts) == tuple(facts)
    assert packed[part] == tuple(facts[part])
    assert [packed[at] for at in range(-len(facts), len(facts))] == facts + facts
    assert list(Derived(packed, lambda fact: fact.number)) == [fact.number for fact in facts]


def test_what_is_kept_is_the_same_object_and_the_rest_is_made_anew() -> None:
    leaves = [Leaf(str(number)) for number in range(500)]
    facts = [Fact(at, leaf, Outcome.DARK) for at, leaf in enumerate(leaves)]

    packed = PackedSequence(facts, kept=leaves[:250])

    assert all(fact.leaf is leaf for fact, leaf in zip(packed[:250], leaves[:250], strict=True))
    assert packed[499] == facts[499]
    assert packed[499].leaf is not leaves[499]


def test_another_place_and_another_sequence_are_told_apart() -> None:
    packed = PackedSequence([Fact(1, None, Outcome.DARK)])

    assert packed != PackedSequence([Fact(2, None, Outcome.DARK)])
    assert packed != [Fact(1, None, Outcome.DARK)]
    assert not PackedSequence([])
    with pytest.raises(IndexError, match="there is no item 1; there are 1"):
        packed[1]


def test_a_hundred_thousand_facts_take_a_tenth_of_their_memory() -> None:
    facts = [Fact(at, Leaf("x" * 40 + str(at)), Outcome.DARK) for at in range(2000)]
    packed = PackedSequence(facts)

    assert sum(map(len, packed._chunks)) < 40 * len(facts)
