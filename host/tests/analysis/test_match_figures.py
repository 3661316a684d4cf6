"""What the steps of the match say of seeded campaigns, against figures recorded when written.

The steps hand one another more than their last answer shows: candidates, odds of a log, doubts of
a run. `python test_match_figures.py` records them anew, where they shall be others.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from match_campaigns import BRUTAL, REALISTIC, Campaign, Troubles, campaign, tell
from match_parts import cycles_of, entries_of, pairs_of

from resume_rig.analysis.match import views
from resume_rig.analysis.match.foreign import OffsetPrior, Origin, origins_of
from resume_rig.analysis.match.likelihood import Noise
from resume_rig.analysis.match.match import Match, match
from resume_rig.analysis.match.offsets import Tracks, find_tracks
from resume_rig.analysis.match.rivals import without_rivals
from resume_rig.analysis.match.times import UNKNOWN
from resume_rig.analysis.match.trace import Traced, traced

Figures = dict[str, list[list[float]]]
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
    return match(made.cycles, made.records, arrived_at=arrived, both_utc=True)


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
    return match(made.cycles, [*made.records, *theirs], both_utc=True)


def stated(made: Campaign, place: int) -> Match:
    """Match with one pair that is known."""
    return match(made.cycles, made.records, stated_pair=sorted(made.truth.items())[place])


SCENES: dict[str, Callable[[], Match]] = {
    "even, host": lambda: alone(of(2, 24, "even", "near", FEW_BEFORE), both_utc=True),
    "jittered, zone": lambda: alone(of(3, 30, "jittered", "zone", FEW_BEFORE), both_utc=True),
    "random": lambda: alone(of(4, 24, "random", "hours", LOSING)),
    "from images": lambda: alone(of(8, 30, "S4", "near", LOSING), both_utc=True),
    "set often, reported": lambda: alone(
        tell(of(11, 40, "random", "hours", SET_OFTEN), "truly", 1)
    ),
    "read live": lambda: live(of(13, 30, "even", "near", FEW_BEFORE), 0),
    "read live, late": lambda: live(of(14, 30, "jittered", "hours", LOSING), 2),
    "few": lambda: alone(of(16, 3, "random", "near", FEW_BEFORE), both_utc=True),
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
        both_utc=True,
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


def of_tracks(found: Tracks) -> list[float]:
    return [
        found.offset_s.shape[1],
        *map(weighed, (found.first, found.offset_s, found.rate * 1e6, found.middle_s)),
    ]


def of_traced(found: Traced | None) -> list[float]:
    if found is None:
        return []
    length = found.length
    return [*found.offset_s, length.to_sleep, length.bias_s, length.scale_s, length.range_s]


def of_origins(found: tuple[Origin, np.ndarray]) -> list[float]:
    origin, own = found
    return [origin.log_odds, origin.fit, origin.covered, origin.script_odds, weighed(own)]


def of_sure(sure: np.ndarray) -> list[float]:
    """Return how far from certain pairs are, where it is more than one in a billion."""
    return [weighed(np.log(1e-9 + 1.0 - sure))]


def matched(scene: str, monkeypatch: pytest.MonkeyPatch) -> Figures:
    """Return the figures of all steps of a match."""
    steps: Figures = {}

    def listen(name: str, figures: Callable[..., list[float]]) -> None:
        step = getattr(views, name)

        def heard(*args: object, **more: object) -> object:
            found = step(*args, **more)
            steps.setdefault(name, []).append(figures(found))
            return found

        monkeypatch.setattr(views, name, heard)

    listen("find_tracks", of_tracks)
    listen("traced", of_traced)
    listen("origins_of", of_origins)
    listen("without_rivals", of_sure)
    found = SCENES[scene]()
    steps["match"] = [[len(found.pairs), weighed(np.array(found.probability))]]
    return steps


class Plain(NamedTuple):
    """A campaign of which only times are known.

    Attributes:
        n: cycles. jitter_s: of the pace. period_s: of it.
        sets: (cycle before which, seconds) of each setting of the clock.
        gone: cycles without a record, beside those lost by chance.
        others: records of other sleeps, within and about.
        wrong: (first, end, by how many) pairs that are taken for those of cycles beside.
        live: by how many readings the log is late; None where it was not read meanwhile.
        stated: a cycle whose record is known.
        expected_s: the offset of clocks that agree.
        logs: documents, the first with the records of the cycles.
        split: documents over which those are spread.
        lengths: whether the OS tells how long it was awake.
        tracks: whether candidates are looked for, which takes time in a long campaign.
    """

    n: int
    jitter_s: float
    period_s: float = 45.0
    sets: tuple[tuple[int, float], ...] = ()
    gone: range = range(0)
    lost: float = 0.05
    others: int = 0
    wrong: tuple[tuple[int, int, int], ...] = ()
    live: int | None = None
    stated: int | None = None
    expected_s: float | None = None
    logs: int = 1
    split: int = 1
    lengths: bool = False
    tracks: bool = True


PLAIN = {
    "even": Plain(40, 0.05, others=30, expected_s=3_600.0),
    "even, expected elsewhere": Plain(40, 0.3, others=60, expected_s=3_700.0, lengths=True),
    "even, stated": Plain(60, 0.05, others=30, stated=31),
    "shifted": Plain(50, 3.0, others=40, wrong=((0, 50, 1),)),
    "begins wrong": Plain(40, 6.0, others=12, wrong=((0, 2, 1),), gone=range(2, 6)),
    "ends wrong": Plain(40, 6.0, others=12, wrong=((37, 39, 1),), gone=range(33, 37)),
    "one alone": Plain(40, 6.0, gone=range(20, 26), sets=((27, 33.0),), others=6),
    "one alone, live": Plain(40, 6.0, gone=range(20, 26), sets=((27, 33.0),), live=0),
    "set thrice": Plain(90, 9.0, sets=((20, 40.0), (23, -40.0), (70, 500.0)), others=20),
    "set within stretches": Plain(140, 9.0, sets=((60, 12.0), (64, -50.0), (131, 7.0)), others=90),
    "middle run wrong": Plain(
        60, 2.0, sets=((20, 45.0), (40, -45.0)), wrong=((20, 40, 1),), others=20
    ),
    "live": Plain(70, 0.2, live=0, others=15),
    "live, late": Plain(70, 0.2, live=2, others=15, sets=((35, 20.0),), wrong=((50, 60, 1),)),
    "two logs": Plain(40, 6.0, logs=2, others=60),
    "three logs": Plain(60, 12.0, logs=3, others=60, expected_s=3_600.0),
    "split in two": Plain(8, 0.3, lost=0.0, split=2),
    "split in three": Plain(11, 0.3, lost=0.0, split=3, others=2),
    "split in four, random": Plain(24, 4.0, split=4, expected_s=3_610.0, lengths=True),
    "lengths": Plain(30, 6.0, others=20, lengths=True),
    "lengths, even": Plain(130, 0.4, others=50, lengths=True, sets=((64, 200.0),)),
    "fewest": Plain(2, 6.0, lost=0.0, others=3),
    "one": Plain(1, 6.0, lost=0.0),
    "gaps": Plain(80, 6.0, gone=range(30, 70), others=25),
    "long, from its beginning": Plain(
        4_160, 8.0, sets=((1_500, 90.0), (3_000, -300.0)), lost=0.02, stated=100
    ),
    "long, random": Plain(4_400, 8.0, lost=0.02, others=40, tracks=False),
    "long, even": Plain(4_401, 0.01, 45.01, lost=0.02, tracks=False),
    "long, slow": Plain(4_100, 8.0, 86.0, stated=100, lost=0.01, sets=((1_500, 20.0),)),
    "long, stated": Plain(
        4_160, 0.3, 45.01, stated=4_000, gone=range(2_000, 2_040), sets=((2_500, 90.0), (600, -7.0))
    ),
}


def any_plain(seed: int) -> Plain:
    """Return a campaign in which anything may be."""
    random = Random(seed)
    n = random.choice([5, 12, 30, 66, 100])
    first, by = random.randrange(n), random.choice([-1, 1])
    steps = sorted(random.sample(range(1, n), k=random.randrange(4)))
    begins = random.randrange(n)
    return Plain(
        n,
        random.choice([0.05, 0.5, 3.0, 10.0]),
        period_s=random.choice([45.0, 33.3, 61.01]),
        sets=tuple((row, random.choice([-1, 1]) * random.uniform(1, 120)) for row in steps),
        gone=range(begins, begins + random.choice([0, 2, 4, 7])),
        lost=random.choice([0.0, 0.1, 0.3]),
        others=random.choice([0, 9, 70]),
        wrong=((first, first + random.choice([1, 2, 5]), by),) if random.random() < 0.6 else (),
        live=random.choice([None, None, 0, 1]),
        expected_s=random.choice([None, 3_600.0, 0.0]),
        logs=random.choice([1, 1, 2, 3]),
        lengths=random.random() < 0.4,
    )


PLAIN |= {f"any {seed}": any_plain(seed) for seed in range(14)}


def directly(scene: str) -> Figures:
    """Return the figures of steps that are given times alone."""
    plain = PLAIN[scene]
    generator = np.random.default_rng(sum(scene.encode()))
    n = plain.n
    at_s = np.cumsum(plain.period_s + plain.jitter_s * generator.uniform(-1, 1, n))
    stood_s = 3_600.0 + 20e-6 * at_s
    for row, by_s in plain.sets:
        stood_s[row:] += by_s
    wakes_s = np.floor(at_s + stood_s + generator.uniform(0, 0.05, n)) + 0.5
    kept = np.flatnonzero(generator.random(n) >= plain.lost)
    kept = kept[~np.isin(kept, plain.gone)]
    about_s = generator.uniform(wakes_s[0] - 4_000, wakes_s[-1] + 4_000, plain.others)
    written = np.argsort(np.concatenate([at_s[kept] + 3_600.0, about_s]), kind="stable")
    times_s = np.concatenate([wakes_s[kept], about_s])[written]
    cycle = np.concatenate([kept, np.full(plain.others, -1)])[written]
    by_time = np.argsort(times_s, kind="stable")
    m, own = len(times_s), cycle[by_time]
    reading = np.where(own < 0, UNKNOWN, own + (plain.live or 0)).astype(np.int32)
    lengths_s = generator.uniform(12, 14, n)
    awake_s = np.where(own >= 0, lengths_s[own] - 0.6, 9.0) + 0.004 * generator.normal(size=m)
    source = np.zeros(m, dtype=np.int64)
    if plain.logs > 1:
        source = np.where(own >= 0, 0, 1 + by_time % (plain.logs - 1))
    if plain.split > 1:
        source = by_time * plain.split // m
    entries = entries_of(
        times_s[by_time],
        record=by_time,
        rank=by_time,
        before=by_time - 1,
        source=source,
        reading=reading if plain.live is not None else np.full(m, UNKNOWN, dtype=np.int32),
        awake_s=awake_s if plain.lengths else np.full(m, np.nan),
        asleep_s=30.0 + generator.normal(size=m),
    )
    of_cycle = {int(each): place for place, each in enumerate(own.tolist()) if each >= 0}
    known = None
    if plain.stated is not None:
        at = min(of_cycle, key=lambda each: abs(each - plain.stated))
        known = (at, int(entries.record[of_cycle[at]]))
    cycles = cycles_of(
        at_s,
        readings=0 if plain.live is None else n,
        reading=np.arange(n, dtype=np.int32),
        stated_pair=known,
        awake_s=lengths_s if plain.lengths else np.full(n, np.nan),
        asleep_s=30.0 + generator.normal(size=n),
    )
    rows = np.array(sorted(of_cycle))
    taken = np.array([of_cycle[row] for row in rows.tolist()])
    offset_s = stood_s[rows]
    for first, end, by in plain.wrong:
        some = np.flatnonzero((rows >= first) & (rows < end))
        beside = np.clip(some + by, 0, len(rows) - 1)
        if len(some):
            offset_s[some] = np.median(entries.at_s[taken[beside]] - at_s[rows[some]])
            taken[some] = taken[beside]
    pairs = pairs_of(cycles, entries, rows, taken, offset_s)
    # In the order of the log, as the match hands them on.
    ranks = entries.rank[taken]
    highest = np.maximum.accumulate(np.append(-1, ranks))[:-1]
    pairs = pairs.where(np.flatnonzero(ranks > highest))
    noise = Noise(half_s=0.6, lost=0.06, usual_lag=plain.live or 0)
    prior = OffsetPrior.of(plain.expected_s, cycles, entries)
    along = traced(cycles, entries)
    more_s = np.empty(0) if along is None else along.offset_s
    tracks = [find_tracks(cycles, entries, plain.expected_s, more_s)] if plain.tracks else []
    return {
        "traced": [of_traced(along)],
        "find_tracks": [of_tracks(each) for each in tracks],
        "without_rivals": [
            of_sure(without_rivals(pairs, cycles, entries, noise, plain.expected_s))
        ],
        "origins_of": [of_origins(origins_of(pairs, cycles, entries, noise, prior))],
    }


def assert_found(found: Figures, scene: str) -> None:
    expected = json.loads(FIGURES.read_text("utf-8"))[scene]
    assert list(found) == list(expected)
    for step, calls in expected.items():
        assert len(found[step]) == len(calls)
        for one, other in zip(found[step], calls, strict=True):
            assert one == pytest.approx(other, rel=1e-6, abs=1e-5), step


@pytest.mark.parametrize("scene", PLAIN)
def test_each_step_finds_what_it_found_in_times_alone(scene: str) -> None:
    assert_found(directly(scene), f"plain: {scene}")


@pytest.mark.parametrize("scene", SCENES)
def test_the_steps_of_a_match_find_what_they_found(scene: str, monkeypatch) -> None:
    assert_found(matched(scene, monkeypatch), scene)


if __name__ == "__main__":
    figures = {f"plain: {scene}": directly(scene) for scene in PLAIN}
    for scene in SCENES:
        with pytest.MonkeyPatch.context() as patch:
            figures[scene] = matched(scene, patch)
    short = {
        scene: {
            step: [[float(f"{each:.9g}") for each in call] for call in calls]
            for step, calls in steps.items()
        }
        for scene, steps in figures.items()
    }
    FIGURES.write_text(json.dumps(short, indent=1) + "\n", "utf-8")
    sys.stdout.write(f"{len(figures)} scenes\n")
