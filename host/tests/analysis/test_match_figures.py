"""What the steps of the match say of seeded campaigns, against figures recorded when written.

The steps hand one another more than their last answer shows: candidates, odds of a log, doubts of
a run. `python test_match_figures.py` records them anew, where they shall be others.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from match_campaigns import BRUTAL, REALISTIC, Campaign, Troubles, campaign, tell

from resume_rig.analysis.match import views
from resume_rig.analysis.match.match import Match, match

FIGURES = Path(__file__).with_name("match_figures.json")
FEW_BEFORE = replace(REALISTIC, before=20)
LOSING = replace(BRUTAL, before=20)
SET_OFTEN = replace(BRUTAL, before=12, steps=1 / 9, lost=0.1)


def of(seed: int, n: int, pace: str, offset: str, troubles: Troubles) -> Campaign:
    return campaign(seed, n, pace, offset, troubles, pressed=seed % 2 == 0)


def alone(made: Campaign, **how: object) -> Match:
    return match(made.cycles, made.records, **how)


def live(made: Campaign, late: int) -> Match:
    """Match a log that was read after each cycle, and that many readings late."""
    at = {record: min(cycle + late, len(made.cycles) - 1) for cycle, record in made.truth.items()}
    arrived = [at.get(record) for record in range(len(made.records))]
    return match(made.cycles, made.records, arrived_at=arrived, same_epoch=True)


def two_logs(made: Campaign, other: Campaign, shift_s: float) -> Match:
    """Match two documents, the second of them of another unit."""

    def moved(at_ns: int | None) -> int | None:
        return None if at_ns is None else at_ns + round(shift_s * 1e9)

    theirs = [
        replace(
            each,
            source=1,
            wake_time_utc_ns=moved(each.wake_time_utc_ns),
            sleep_time_utc_ns=moved(each.sleep_time_utc_ns),
        )
        for each in other.records
    ]
    return match(made.cycles, [*made.records, *theirs], same_epoch=True)


def stated(made: Campaign, place: int) -> Match:
    """Match with one pair that is known."""
    return match(made.cycles, made.records, stated_pair=sorted(made.truth.items())[place])


SCENES: dict[str, Callable[[], Match]] = {
    "even, by years": lambda: alone(of(1, 20, "even", "years", FEW_BEFORE)),
    "even, host": lambda: alone(of(2, 24, "even", "near", FEW_BEFORE), same_epoch=True),
    "jittered, zone": lambda: alone(of(3, 30, "jittered", "zone", FEW_BEFORE), same_epoch=True),
    "random": lambda: alone(of(4, 24, "random", "hours", LOSING)),
    "random, losing": lambda: alone(of(5, 40, "random", "zone", LOSING), same_epoch=True),
    "mixed": lambda: alone(of(6, 30, "mixed", "hours", FEW_BEFORE)),
    "from images": lambda: alone(of(8, 30, "S4", "near", LOSING), same_epoch=True),
    "set often": lambda: alone(of(9, 60, "random", "near", SET_OFTEN), same_epoch=True),
    "set often, jittered": lambda: alone(of(10, 70, "jittered", "hours", SET_OFTEN)),
    "set often, reported": lambda: alone(
        tell(of(11, 40, "random", "hours", SET_OFTEN), "truly", 1)
    ),
    "two stretches": lambda: alone(of(12, 130, "even", "hours", SET_OFTEN)),
    "read live": lambda: live(of(13, 30, "even", "near", FEW_BEFORE), 0),
    "read live, late": lambda: live(of(14, 30, "jittered", "hours", LOSING), 2),
    "few": lambda: alone(of(16, 3, "random", "near", FEW_BEFORE), same_epoch=True),
    "of another unit": lambda: alone(
        replace(
            of(17, 14, "random", "near", FEW_BEFORE),
            records=of(18, 50, "random", "near", LOSING).records,
        )
    ),
    "of another, same plan": lambda: alone(
        replace(
            of(19, 20, "even", "near", FEW_BEFORE),
            records=of(20, 20, "even", "near", FEW_BEFORE).records,
        ),
        same_epoch=True,
    ),
    "two logs": lambda: two_logs(
        of(21, 20, "random", "near", FEW_BEFORE), of(22, 30, "random", "near", FEW_BEFORE), 40.0
    ),
    "stated": lambda: stated(of(23, 30, "even", "hours", FEW_BEFORE), 7),
}


def weighed(values: np.ndarray) -> float:
    """Return one figure of an array in which each value and each place counts."""
    flat = np.nan_to_num(np.asarray(values, dtype=np.float64).ravel())
    return float(flat @ np.cos(1.0 + np.arange(len(flat))))


def recorded(scene: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[list[float]]]:
    """Return the figures of a scene."""
    steps: dict[str, list[list[float]]] = {}

    def listen(name: str, figures: Callable[..., list[float]]) -> None:
        step = getattr(views, name)

        def heard(*args: object, **more: object) -> object:
            found = step(*args, **more)
            steps.setdefault(name, []).append(figures(found))
            return found

        monkeypatch.setattr(views, name, heard)

    listen(
        "find_tracks",
        lambda t: [t.offset_s.shape[1], *map(weighed, (t.first, t.offset_s, t.rate * 1e6))],
    )
    listen(
        "traced",
        lambda t: (
            [] if t is None else [*t.offset_s, t.length.bias_s, t.length.scale_s, t.length.range_s]
        ),
    )
    listen(
        "origins_of",
        lambda o: [o[0].log_odds, o[0].fit, o[0].covered, o[0].script_odds, weighed(o[1])],
    )
    listen("without_rivals", lambda sure: [weighed(np.log(1e-9 + 1.0 - sure))])
    found = SCENES[scene]()
    steps["match"] = [[len(found.pairs), weighed(np.array(found.probability))]]
    return steps


@pytest.mark.parametrize("scene", SCENES)
def test_the_steps_of_the_match_find_what_they_found(scene: str, monkeypatch) -> None:
    expected = json.loads(FIGURES.read_text("utf-8"))[scene]

    found = recorded(scene, monkeypatch)

    assert list(found) == list(expected)
    for step, calls in expected.items():
        assert len(found[step]) == len(calls)
        for one, other in zip(found[step], calls, strict=True):
            assert one == pytest.approx(other, rel=1e-6, abs=1e-5), step


if __name__ == "__main__":
    figures = {}
    for scene in SCENES:
        with pytest.MonkeyPatch.context() as patch:
            steps = recorded(scene, patch)
        figures[scene] = {
            step: [[float(f"{each:.9g}") for each in call] for call in calls]
            for step, calls in steps.items()
        }
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    sys.stdout.write(f"{len(figures)} scenes\n")
