"""Cycles that are read again in each pass, and texts that stay in the store until shown."""

from collections.abc import Callable
from typing import Any

import pytest

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.store.read_back import load_campaign, with_record_texts
from resume_rig.campaign.store.store import Store
from resume_rig.model.errors import RecordError
from resume_rig.model.result.packed import PackedIntervals


@pytest.fixture
def bench(simulated: Callable[..., Any]) -> Any:
    made = simulated()
    made.begin(override(default_plan(), cycles=3))
    return made


def test_a_sequence_of_stored_cycles_is_that_of_the_store(bench: Any) -> None:
    cycles = load_campaign(bench.path).cycles
    with Store.open(bench.path) as store:
        expected = list(store.cycles(with_light=False))

    assert [raw.number for raw in cycles] == [raw.number for raw in expected] == [1, 2, 3]
    assert [raw.edges for raw in cycles] == [raw.edges for raw in expected]
    assert [raw.number for raw in cycles[1:]] == [2, 3]
    assert cycles[-1].exchanges == expected[-1].exchanges
    assert [len(raw.records) for raw in cycles] == [len(raw.records) for raw in expected]


def test_a_store_that_is_gone_between_two_passes_is_one_sentence(bench: Any) -> None:
    cycles = load_campaign(bench.path).cycles
    bench.path.unlink()

    with pytest.raises(RecordError, match="there is no such file"):
        list(cycles)


def test_texts_come_back_for_the_cycles_that_are_shown(bench: Any) -> None:
    answer = assess(load_campaign(bench.path))
    with Store.open(bench.path) as store:
        texts = {record.record_id: record.text for raw in store.cycles() for record in raw.records}
    assert all(cycle.record is not None and not cycle.record.text for cycle in answer.cycles)

    told = with_record_texts(answer, bench.path, {2}).cycles

    found = [cycle.record for cycle in told if cycle.record is not None]
    assert [bool(record.text) for record in found] == [False, True, False]
    assert found[1].text == texts[found[1].record_id]


def test_packed_intervals_are_those_of_the_dict(bench: Any) -> None:
    for cycle in assess(load_campaign(bench.path)).cycles:
        plain = dict(cycle.outside.intervals)
        packed = PackedIntervals(plain)
        assert packed == plain
        assert list(packed) == list(plain)
        assert len(packed) == len(plain) > 3
    with pytest.raises(KeyError):
        PackedIntervals({})[next(iter(plain))]
