"""Time that nobody reports, in worlds that share nothing with the simulated DUT.

benchmarks/hidden_time.py does the same with many more campaigns.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from hidden_worlds import MS, Played, World, play_world
from played_campaign import play

from resume_rig.model.result.verdict import FindingKind
from resume_rig.rig.dut_profile import load_dut_profile

BIOS = {FindingKind.BIOS_UNDER_REPORTED, FindingKind.BIOS_OVER_REPORTED}
SECONDS = (300.0, 5_000.0)


def accused(played: Played) -> list[bool]:
    return [not BIOS.isdisjoint(f.kind for f in cycle.findings) for cycle in played.answer.cycles]


def noted(played: Played) -> list[bool]:
    """Return which cycles are accused, or suspected."""
    kinds = BIOS | {FindingKind.SUSPICION}
    return [not kinds.isdisjoint(f.kind for f in cycle.findings) for cycle in played.answer.cycles]


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
    """A cycle that another one follows; the last is known to a second only."""
    tsc = (0, 300) if profile is None else profile
    for seed in range(2):
        made = World(12, tsc=tsc, known=profile, bios=1_400)
        stated = play_world(made, seed).answer.detectable
        assert stated.checked == 12
        assert stated.suspected_ns < stated.single_ns < (1_500 if profile is None else 1_250) * MS
        short = play_world(replace(made, short=stated.single_ns / MS + 10), seed)
        assert all(accused(short)[:-1])
        suspect = play_world(replace(made, short=stated.suspected_ns / MS + 10), seed)
        assert all(noted(suspect)[:-1])


@pytest.mark.parametrize("short_ms", [50, 100, 200, 300])
def test_what_is_not_found_is_within_the_bound(short_ms: float) -> None:
    """Nothing tells it from PLTRST# to the TSC's zero, which may take as long."""
    for seed in range(2):
        assert_bounded(play_world(World(10, short=short_ms), seed))


def test_single_cycles_that_differ_from_most_are_suspected_and_not_accused() -> None:
    """What is the same in all cycles cancels: the clock and the light ran as ever."""
    for seed in range(2):
        played = play_world(World(40, short=180, share=0.1), seed)
        assert played.answer.detectable.single_ns > 180 * MS
        assert noted(played)[:-1] == played.is_short[:-1]
        assert not any(accused(played))
        assert_bounded(played)


@pytest.mark.parametrize("share", [0.15, 0.4, 0.6, 0.95])
@pytest.mark.parametrize("short_ms", [180, 900])
def test_no_honest_cycle_is_accused_however_many_are_short(share: float, short_ms: float) -> None:
    for seed in range(2):
        played = play_world(World(30, short=short_ms, share=share, bios=1_000), seed)
        pairs = zip(accused(played), played.is_short, strict=True)
        assert not any(is_accused and not is_short for is_accused, is_short in pairs)
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
