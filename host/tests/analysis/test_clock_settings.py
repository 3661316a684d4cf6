"""What a log says of its clock keeps a record that no cycle has from being called lost."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from findings_truth import CASES
from numpy.random import default_rng
from played_campaign import play

from resume_rig.model.result.cycle import Correlation
from resume_rig.model.result.match import CycleReason
from resume_rig.model.result.verdict import FindingKind
from resume_rig.rig.sim.dut.os_log import OsClock

SET_BY_SOMEBODY = '<Data Name="Reason">1</Data>'


def rewritten(change: Callable[[str, int], str]) -> Callable[[str], str]:
    """Return a log in which each event that tells of a setting by somebody is another.

    Args:
        change: gives the line instead of one, and of the how manieth.
    """

    def rewrite(log: str) -> str:
        lines, number = log.splitlines(keepends=True), 0
        for at, line in enumerate(lines):
            if SET_BY_SOMEBODY in line:
                lines[at], number = change(line, number), number + 1
        return "".join(lines)

    return rewrite


def by_hours_more(line: str, number: int) -> str:
    """Return the event with another hour before it, a different one each time."""
    return re.sub(
        r'(Name="OldTime">[0-9-]+T)([0-9]+)',
        lambda found: f"{found[1]}{(int(found[2]) + 1 + number) % 24:02}",
        line,
    )


def answer_of(folder: Path, number: int, rewrite: Callable[[str], str] | None) -> Correlation:
    """Return a campaign whose clock is set in a cycle of ten, for good."""
    (place, case), *_ = ((n, c) for n, c in enumerate(CASES) if c.kind is FindingKind.CLOCK_STEP)
    random = default_rng(1100 + place)
    for _ in range(number):
        spoilt = case.make(random)
    seed = 11_000 + number
    return play(spoilt.profile, 50, seed, folder, by=spoilt.by, spoil=spoilt.spoil, rewrite=rewrite)


def kinds_of(answer: Correlation) -> dict[int, set[FindingKind]]:
    return {c.outside.number: {each.kind for each in c.findings} for c in answer.cycles}


def test_cycles_beside_a_step_that_the_log_tells_of_have_lost_nothing(tmp_path: Path) -> None:
    """A campaign whose log reports settings of its clock that are wrong."""
    answer = answer_of(tmp_path, 7, rewritten(by_hours_more))

    kinds = set().union(*kinds_of(answer).values())
    assert FindingKind.RECORD_MISSING not in kinds
    assert FindingKind.CLOCK_STEP in kinds
    alone = [cycle for cycle in answer.cycles if cycle.record is None]
    assert {cycle.record_missing for cycle in alone} <= {CycleReason.AMBIGUOUS}


REWRITES = {
    "as it is": None,
    "told twice": rewritten(lambda line, number: line * (1 + number % 2)),
    # Windows 7 gives no reason: then a setting is told apart from that of the wake by its place.
    "no reasons": lambda log: re.sub(r'<Data Name="Reason">[12]</Data>', "", log),
}


@pytest.mark.parametrize("how", REWRITES)
@pytest.mark.parametrize("number", [2, 10])
def test_each_cycle_whose_clock_was_set_says_so_and_no_other(
    tmp_path: Path, number: int, how: str
) -> None:
    answer = answer_of(tmp_path, number, REWRITES[how])

    expected = {n: {FindingKind.CLOCK_STEP} if n % 10 == 5 else set() for n in range(1, 51)}
    assert kinds_of(answer) == expected


def test_a_setting_that_does_not_last_is_told_and_moves_no_cycle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The RTC is not set along with the clock, so that the next wake brings the old time back."""
    monkeypatch.setattr(OsClock, "set_rtc", lambda _clock, _by_ns: None)

    answer = answer_of(tmp_path, 2, None)

    expected = {n: {FindingKind.CLOCK_STEP} if n % 10 == 5 else set() for n in range(1, 51)}
    assert kinds_of(answer) == expected
    assert answer.clock_steps == ()


def test_a_setting_that_the_log_does_not_report_is_a_clock_step_or_nothing(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, 10, rewritten(lambda line, number: line * (number % 2)))

    kinds, was_set = kinds_of(answer), {5, 15, 25, 35, 45}
    assert {n for n in kinds if FindingKind.CLOCK_STEP in kinds[n]} <= was_set
    assert all(kinds[n] <= {FindingKind.CLOCK_STEP} for n in (15, 25, 35))
