"""Time that nobody reports, in worlds that share nothing with the simulated DUT.

benchmarks/hidden_time.py does the same with many more campaigns.
"""

from pathlib import Path

import pytest
from hidden_worlds import MS, Played, World, play_world
from played_campaign import play

from resume_rig.analysis.reconcile.hidden_time import Hidden, after_stop
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.verdict import FindingKind
from resume_rig.rig.dut_profile import load_dut_profile

BIOS = {FindingKind.BIOS_UNDER_REPORTED, FindingKind.BIOS_OVER_REPORTED}
SECONDS = (300.0, 5_000.0)


def accused(played: Played) -> list[bool]:
    return [not BIOS.isdisjoint(f.kind for f in cycle.findings) for cycle in played.answer.cycles]


def assert_bounded(played: Played) -> None:
    for cycle, true_ns in zip(played.answer.cycles, played.complete_ns, strict=True):
        complete = cycle.press_to_resume_complete
        if complete is not None:
            assert cycle.bios_checked
            assert abs(complete.value_ns - true_ns) <= complete.bound_ns


@pytest.mark.parametrize("tells", [True, False])
@pytest.mark.parametrize(
    "world",
    [
        World(early=SECONDS),
        World(early=(2_000, 2_040)),
        World(late=SECONDS),
        World(late=(200, 204)),
        World(early=SECONDS, late=SECONDS),
        World(tail=(380, 1_200)),
    ],
)
def test_a_sound_bios_is_not_accused_wherever_time_is_hidden(world: World, tells: bool) -> None:
    made = World(12, world.early, world.tail, world.late, tells=tells)
    for seed in range(2):
        played = play_world(made, seed)
        assert not any(accused(played))
        assert all(cycle.press_to_resume_complete for cycle in played.answer.cycles)
        assert_bounded(played)


@pytest.mark.parametrize("profile", [None, (1, 60)])
def test_a_bios_time_is_found_short_from_where_the_campaign_states(profile) -> None:
    tsc = (0, 300) if profile is None else profile
    for seed in range(2):
        sound = play_world(World(12, tsc=tsc, known=profile), seed)
        least_ms = sound.answer.detectable.constant_ns / MS
        assert (least_ms < 420) if profile is None else (least_ms < 170)
        short = play_world(World(12, tsc=tsc, known=profile, short=least_ms + 10), seed)
        assert all(accused(short))


@pytest.mark.parametrize("short_ms", [50, 100, 200, 300])
def test_what_is_not_found_is_within_the_bound(short_ms: float) -> None:
    """Nothing tells it from PLTRST# to the TSC's zero, which may take as long."""
    for seed in range(2):
        assert_bounded(play_world(World(10, short=short_ms), seed))


def test_single_cycles_are_found_short_where_all_could_not_be() -> None:
    """What is the same in all cycles cancels: the clock and the light ran as ever."""
    for seed in range(2):
        played = play_world(World(40, short=180, share=0.1), seed)
        stated = played.answer.detectable
        assert stated.single_ns < 180 * MS < stated.constant_ns
        assert accused(played)[:-1] == played.is_short[:-1]
        assert_bounded(played)


def test_a_short_bios_time_before_a_late_sleep_is_not_stated_as_found() -> None:
    """All of the delay may have been after the clock's stop: less than the least is not found."""
    stated = play_world(World(8, early=(1_000, 1_020)), 1).answer.detectable
    assert stated.constant_ns > 1_000 * MS


def test_a_late_sleep_says_where_it_was_and_accuses_nobody(tmp_path: Path) -> None:
    answer = play(load_dut_profile("slow-ec"), 12, 3, tmp_path)
    for cycle in answer.cycles:
        kinds = {finding.kind for finding in cycle.findings}
        assert kinds == {FindingKind.HIDDEN_BEFORE_SLEEP}
        assert cycle.press_to_resume_complete is not None
    for cycle in list(answer.cycles)[1:]:
        (finding,) = cycle.findings
        after, bound = (finding.evidence[f"after_stop_{name}ns"] for name in ("", "bound_"))
        # Its firmware takes 2 ms.
        assert abs(after - 2 * MS) <= bound < 50 * MS
        assert "after the OS's clock had stopped" in finding.text


def test_a_wait_of_the_firmware_is_told_from_a_late_sleep(tmp_path: Path) -> None:
    answer = play(load_dut_profile("hidden-before-s3"), 4, 3, tmp_path)
    evidence = [c.findings[0].evidence for c in list(answer.cycles)[1:]]
    assert all(abs(each["after_stop_ns"] - 18_002 * MS) < 100 * MS for each in evidence)


def test_no_bios_time_takes_less_than_none() -> None:
    """By the clocks the BIOS had 240 ms too much at most, or they contradict each other."""
    some = Hidden(BoundedNs(-3_000 * MS, 2_900 * MS), 0, 240 * MS)
    assert some.whole == BoundedNs(-170 * MS, 70 * MS)
    assert Hidden(BoundedNs(-5_085 * MS, 40 * MS), 0, 240 * MS).whole is None


def test_where_nobody_saw_the_trigger_nothing_is_told_of_the_way_to_sleep() -> None:
    assert after_stop(Hidden(BoundedNs(0, MS), 0, 240 * MS, None)) is None
