"""A clock that was set without an event, against a BIOS that takes long once."""

import pytest
from hidden_worlds import MS, World, play_world

from resume_rig.model.result.verdict import FindingKind

BIOS = {FindingKind.BIOS_UNDER_REPORTED, FindingKind.BIOS_OVER_REPORTED}


def kinds(played, number):
    return {finding.kind for finding in played.answer.cycles[number - 1].findings}


@pytest.mark.parametrize("cycles", [4, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize("tells", [True, False])
@pytest.mark.parametrize("step", [-600_000, -3_000, 3_000, 600_000])
def test_a_silent_step_of_the_clock_accuses_no_bios(step, tells, cycles):
    for seed in range(2):
        played = play_world(World(cycles, at=3, step=step, tells=tells), seed)

        assert not any(BIOS & kinds(played, n) for n in range(1, cycles + 1))
        for cycle, true_ns in zip(played.answer.cycles, played.complete_ns, strict=True):
            complete = cycle.press_to_resume_complete
            assert complete is None or abs(complete.value_ns - true_ns) <= complete.bound_ns


@pytest.mark.parametrize("step", [-600_000, -3_000, 3_000])
def test_it_is_named_with_its_size_where_the_light_came_as_ever(step):
    played = play_world(World(12, at=3, step=step), 1)
    (found,) = [f for f in played.answer.cycles[2].findings if f.kind is FindingKind.CLOCK_STEP]

    assert "without an event" in found.text
    assert abs(found.evidence["stepped_ns"] - step * MS) <= found.evidence["bound_ns"] < 1_500 * MS


@pytest.mark.parametrize("stall", [600, 1_000, 1_500, 4_000])
def test_a_bios_that_delays_the_light_once_is_still_found(stall):
    for seed in range(2):
        played = play_world(World(12, at=3, stall=stall), seed)

        assert FindingKind.BIOS_UNDER_REPORTED in kinds(played, 3)
        (found,) = [
            f for f in played.answer.cycles[2].findings if f.kind is FindingKind.BIOS_UNDER_REPORTED
        ]
        assert "early OS initialization" in found.evidence["place"]
        assert not any(BIOS & kinds(played, n) for n in range(1, 13) if n != 3)


@pytest.mark.parametrize("awake", [(3_000, 12_000), (6_000, 6_100)])
@pytest.mark.parametrize(
    "stall", [1_200, *(pytest.param(ms, marks=pytest.mark.slow) for ms in (3_000, 8_000))]
)
def test_the_record_of_a_stalled_resume_is_that_cycles(stall, awake):
    for seed in range(20, 23):
        played = play_world(World(12, at=6, stall=stall, awake=awake), seed)

        of = [cycle.record and cycle.record.record_id for cycle in played.answer.cycles]
        assert of == list(range(1, 13))
