"""How likely offsets and lengths are in a log of the unit itself, against plain sums over them."""

import math
from statistics import fmean, median

import numpy as np
import pytest
from match_parts import cycles_of, entries_of, pairs_of

from resume_rig.analysis.match.foreign import NO_PAIRS, OffsetPrior, Origin, origins_of
from resume_rig.analysis.match.likelihood import Noise
from resume_rig.analysis.match.trace import Trace

DECADES_S = 40 * 365 * 86_400.0


def plain_density(size_s: float) -> float:
    """Return how likely an offset is, a second: right, off by a zone or by hand, or anything."""
    near = 0.5 * math.exp(-((size_s / 5) ** 2)) / (5 * math.sqrt(math.pi))
    zoned = 0.3 / (60 + size_s) / (2 * math.log1p(15 * 3600 / 60)) if size_s <= 54_000 else 0.0
    return near + zoned + 0.2 / DECADES_S


@pytest.mark.parametrize("size_s", [0.0, 3.0, 60.0, 7200.0, 54_000.0, 54_000.5, 1e8])
@pytest.mark.parametrize("sign", [-1, 1])
def test_clocks_that_agree_are_right_off_by_a_zone_or_anywhere(size_s: float, sign: int) -> None:
    prior = OffsetPrior(100.0, 1e6)

    (found,) = prior.log_density(np.array([100.0 + sign * size_s]))

    assert found == pytest.approx(math.log(plain_density(size_s)), rel=1e-12)


@pytest.mark.parametrize(
    ("low_s", "high_s"),
    [(-3.0, 4.0), (2.0, 9.0), (-900.0, -2.0), (1.0, 54_001.0), (-60_000.0, 90_000.0), (6e4, 7e4)],
)
def test_the_share_of_a_window_is_the_sum_of_its_offsets(low_s: float, high_s: float) -> None:
    prior = OffsetPrior(-50.0, 1e6)
    edges = np.unique(
        np.concatenate(
            [
                np.linspace(low_s, high_s, 20_001),
                np.clip(np.linspace(-30, 30, 20_001), low_s, high_s),
                np.clip([-54_000.0, 54_000.0], low_s, high_s),
            ]
        )
    )
    middle_s, width_s = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    total = (np.exp(prior.log_density(middle_s - 50.0)) * width_s).sum()

    assert prior.log_share(low_s - 50.0, high_s - 50.0) == pytest.approx(math.log(total), abs=3e-5)


def test_where_nothing_is_expected_all_offsets_are_alike() -> None:
    prior = OffsetPrior.of(None, cycles_of([10.0, 40.0]), entries_of([5.0, 105.0, 205.0]))

    assert prior == OffsetPrior(None, 3830.0)
    found = prior.log_density(np.array([1.0, math.nan, 9e9]))
    assert found[[0, 2]].tolist() == pytest.approx([-math.log(3830)] * 2)
    assert math.isnan(found[1])
    assert prior.log_share(3.0, 10.0) == pytest.approx(math.log(7 / 3830))


@pytest.mark.parametrize(
    ("log_odds", "script_odds", "own"),
    [
        (0.0, 700.0, 0.5),
        (math.log(3), math.log(3), 1 / (1 + 2 / 3)),
        (2.0, -1.0, 1 / (1 + math.exp(-2) + math.e)),
        (900.0, 900.0, 1.0),
        (-900.0, 900.0, math.exp(-700)),
        (900.0, -900.0, math.exp(-700)),
    ],
)
def test_a_log_is_own_foreign_or_of_one_script(log_odds, script_odds, own) -> None:
    origin = Origin(log_odds, 1, 1, script_odds=script_odds)

    assert origin.own == pytest.approx(own, rel=1e-12)
    assert origin.is_foreign is (own <= 0.01)


def test_what_makes_a_log_doubtful_is_named() -> None:
    certain = math.log(99)

    assert Origin(9.0, 1, 1, script_odds=certain - 1e-9).may_be_of_one_script
    assert not Origin(9.0, 1, 1, script_odds=certain + 1e-9).may_be_of_one_script
    assert not Origin(1.0, 1, 1, script_odds=1.0).may_be_of_one_script
    assert not NO_PAIRS.may_be_of_one_script
    assert Origin(certain, 1, 1).own == pytest.approx(0.99)
    assert Origin(-certain - 1e-9, 1, 1).is_foreign
    assert not Origin(-certain + 1e-6, 1, 1).is_foreign
    assert Origin(700.0, 0, 0, read_live=False, script_odds=700.0) == NO_PAIRS


@pytest.mark.parametrize(
    ("certain", "origin", "agrees"),
    [
        (5, Origin(3.0, 9, 10), False),
        (6, Origin(3.0, 9, 10), True),
        (1, Origin(3.0, 9, 10, read_live=True), True),
        (1, Origin(12.0, 9, 10), True),
        (1, Origin(11.99, 9, 10), False),
    ],
)
def test_certain_pairs_stand_where_they_are_most_or_the_log_is_beyond_doubt(
    certain, origin, agrees
) -> None:
    assert origin.agrees(certain) is agrees


SCALES_S = [0.0015 * (4.0 / 0.0015) ** (k / 13) for k in range(14)]
ALIKE = [1 / 14] * 14
# Nine units in ten scatter by 20 ms at most: five of the sizes are.
OWN = [0.9 / 5] * 5 + [0.1 / 9] * 9


def plain_evidence(values_s: list[float], weights: list[float] = ALIKE) -> float:
    """Return how likely values about their median are, by each size of a scatter."""
    if len(values_s) < 2:
        return 1.0
    middle_s = median(values_s)
    total = 0.0
    for scale_s, weight in zip(SCALES_S, weights, strict=True):
        each = [
            0.97 * math.exp(-abs(value - middle_s) / scale_s) / (2 * scale_s) + 0.03 / 20
            for value in values_s
        ]
        total += weight * 2 * scale_s * math.prod(each)
    return total


def plain_like(values_s: list[float], within: float, other: float) -> list[float]:
    """Return how likely each size is: near that of some values, or any other."""
    if len(values_s) < 2:
        return ALIKE
    size_s = max(fmean(abs(value - median(values_s)) for value in values_s), 0.002)
    near = [math.exp(-abs(math.log(scale_s / size_s)) / within) for scale_s in SCALES_S]
    return [other / 14 + (1 - other) * each / sum(near) for each in near]


def plain_constant(differences_s: list[float], between_s: float, scales_s: list[float]) -> float:
    """Return how much likelier the middle difference is in an own log than between two units."""
    middle_s = median(differences_s)
    flat = [(-7.0, -2.0, 0.08), (0.05, 3.0, 0.01), (-2.0, 0.05, 0.91)]
    own = 1e-6 + sum(p / (high - low) for low, high, p in flat if low <= middle_s <= high)
    like = fmean(math.exp(-abs(middle_s + between_s) / s) / (2 * s) for s in scales_s)
    return own / (0.9 * like + 0.1 / 120)


def lengths(
    seed: int, n: int, *, scatter_s: float, way_scatter_s: float, bias_s: float, way: bool
) -> tuple[dict, dict]:
    """Return the lengths of cycles and of records, float64 [n] each."""
    generator = np.random.default_rng(seed)
    awake_s, asleep_s = generator.uniform(20, 40, n), generator.uniform(5, 25, n)
    took_s = generator.uniform(1.2, 1.6, n)
    to_sleep_s = took_s + 0.08 + way_scatter_s * generator.normal(size=n)
    cycles = {"awake_s": awake_s, "asleep_s": asleep_s}
    entries = {
        "awake_s": awake_s + bias_s + scatter_s * generator.normal(size=n),
        "asleep_s": asleep_s + 0.4 + 0.3 * generator.normal(size=n),
        "took_s": took_s,
        "resume_s": generator.uniform(0.8, 1.0, n),
    }
    return (cycles | {"to_sleep_s": to_sleep_s} if way else cycles), entries


def plain_own(lists: dict[str, list[float]], others: float) -> float:
    """Return how likely lengths and ways are in an own log, against `others` for the ways."""
    awake = plain_evidence(lists["difference"], OWN) + 0.1 * plain_evidence(lists["slept"], OWN)
    if len(lists["before"]) < len(lists["difference"]):
        return awake
    usual = 0.8 * plain_evidence(lists["longer"]) / others * awake
    return usual + 0.1 * awake + 0.1 * plain_evidence(lists["before"], OWN)


def plain_shorter(longer: list[float]) -> float:
    if not longer:
        return 1.0
    impossible = sum(value > 0.05 for value in longer)
    return plain_constant(longer, 0.1, [1.0, 0.1]) * 0.03**impossible


SCENES = [
    {"seed": 1, "n": 12, "scatter_s": 0.004, "way_scatter_s": 0.01, "bias_s": -0.6, "way": True},
    {"seed": 2, "n": 9, "scatter_s": 0.5, "way_scatter_s": 0.2, "bias_s": 0.3, "way": True},
    {"seed": 3, "n": 7, "scatter_s": 0.05, "way_scatter_s": 0.0, "bias_s": -4.0, "way": False},
    {"seed": 4, "n": 5, "scatter_s": 3.0, "way_scatter_s": 0.6, "bias_s": 9.0, "way": True},
    {"seed": 5, "n": 3, "scatter_s": 0.001, "way_scatter_s": 0.001, "bias_s": -2.5, "way": True},
    {"seed": 6, "n": 2, "scatter_s": 0.1, "way_scatter_s": 0.1, "bias_s": 0.0, "way": True},
]


@pytest.mark.parametrize("scene", SCENES, ids=lambda each: f"seed {each['seed']}")
def test_lengths_say_what_their_scatter_says(scene: dict) -> None:
    of_cycles, of_entries = lengths(**scene)
    n = scene["n"]
    cycles = cycles_of(np.arange(n) * 60.0, **of_cycles)
    entries = entries_of(np.arange(n) * 60.0 + 5, **of_entries)

    trace = Trace(pairs_of(cycles, entries, range(n), range(n)), cycles, entries)

    os_awake, wires_awake = of_entries["awake_s"], of_cycles["awake_s"]
    os_asleep, wires_asleep = of_entries["asleep_s"], of_cycles["asleep_s"]
    took, way = of_entries["took_s"], of_cycles.get("to_sleep_s", np.full(n, math.nan))
    follow = slice(1, None)  # the first follows none
    difference = os_awake - wires_awake
    lists = {
        "difference": difference[follow].tolist(),
        "slept": (os_asleep - wires_asleep)[follow].tolist(),
        "before": [] if np.isnan(way).all() else (difference - took + way)[follow].tolist(),
        "longer": [] if np.isnan(way).all() else (took - way).tolist(),
    }

    def even(awake, asleep, to_sleep) -> list[list[float]]:
        found = [awake, (awake - asleep) / 2, -asleep, awake - to_sleep]
        return [[v for v in each[follow].tolist() if not math.isnan(v)] for each in found]

    assert trace.has_any
    ways = plain_evidence(took.tolist()) if lists["longer"] else 1.0
    others = fmean(
        plain_evidence(of_os, plain_like(of_wires, 0.7, 0.5))
        for of_os, of_wires in zip(
            even(os_awake, os_asleep, took), even(wires_awake, wires_asleep, way), strict=True
        )
    )
    odds = plain_own(lists, ways) / others * plain_shorter(lists["longer"])
    odds *= plain_constant(lists["difference"], 0.5, [1.0])
    assert trace.against_other_sleeps() == pytest.approx(math.log(odds + 0.002), abs=1e-9)

    to_sleep = [] if np.isnan(way).all() else way.tolist()
    waits = [of_entries["resume_s"].tolist(), (wires_awake - way)[follow].tolist()]
    waits = [[v for v in each if not math.isnan(v)] for each in waits]

    def size_s(values: list[float]) -> float:
        if len(values) < 2:
            return math.inf
        return max(fmean(abs(v - median(values)) for v in values), 0.002)

    of_script = plain_like(min(waits, key=size_s), 0.4, 0.1)
    theirs = [plain_evidence((difference - took)[follow].tolist(), of_script)]
    if len(lists["before"]) == len(lists["difference"]):
        theirs.append(plain_evidence(lists["before"], of_script))
    of_wires_way = plain_evidence(to_sleep)
    by_script = plain_evidence(to_sleep, plain_like(took.tolist() if to_sleep else [], 0.4, 0.2))
    script = plain_own(lists, of_wires_way) * plain_shorter(lists["longer"])
    script *= of_wires_way / by_script / fmean(theirs)
    if n - 1 < 2 or size_or_none(took[follow]) < 0.002:
        assert trace.against_one_script() == 0.0
    else:
        assert trace.against_one_script() == pytest.approx(math.log(script), abs=1e-9)


def size_or_none(took_s: np.ndarray) -> float:
    """Return the median distance of the ways to sleep from their median."""
    return median(abs(value - median(took_s.tolist())) for value in took_s.tolist())


def test_lengths_of_pairs_that_do_not_follow_one_another_say_nothing() -> None:
    of_cycles, of_entries = lengths(**SCENES[0])
    cycles = cycles_of(np.arange(12) * 60.0, **of_cycles)
    entries = entries_of(np.arange(12) * 60.0 + 5, **of_entries)
    every_other = range(0, 12, 2)

    none = Trace(pairs_of(cycles, entries, every_other, every_other), cycles, entries)
    # The records follow one another, and the cycles do not; and the other way round.
    gap = Trace(pairs_of(cycles, entries, range(0, 12, 2), range(6)), cycles, entries)
    lost = Trace(pairs_of(cycles, entries, range(6), range(0, 12, 2)), cycles, entries)

    for trace in (none, gap, lost):
        assert not trace.has_any
        assert trace.against_other_sleeps() == 0.0


def test_ways_to_sleep_that_do_not_vary_say_nothing_of_a_script() -> None:
    of_cycles, of_entries = lengths(**SCENES[0])
    cycles = cycles_of(np.arange(12) * 60.0, **of_cycles)

    def odds() -> float:
        entries = entries_of(np.arange(12) * 60.0 + 5, **of_entries)
        return Trace(
            pairs_of(cycles, entries, range(12), range(12)), cycles, entries
        ).against_one_script()

    of_entries["took_s"] = np.where(np.arange(12) % 3, 1.5, 1.6)
    assert odds() == 0.0
    # In the median 2 ms from the middle, of which a log in milliseconds can tell.
    for step_s, says in ((0.0019, False), (0.0021, True)):
        of_entries["took_s"] = 1.5 + step_s * (np.arange(12) % 3)
        assert (odds() != 0.0) is says


def test_a_pair_that_is_stated_leaves_nothing_to_doubt() -> None:
    cycles = cycles_of(np.arange(6) * 60.0, stated_pair=(2, 2))
    entries = entries_of(np.arange(6) * 60.0 + 9)
    pairs = pairs_of(cycles, entries, range(6), range(6))

    origin, own = origins_of(pairs, cycles, entries, Noise(), OffsetPrior(None, 1e5))

    assert (origin.log_odds, origin.fit, origin.covered) == (700.0, 6, 6)
    assert own.tolist() == [1.0] * 6


def test_a_pair_that_is_stated_speaks_for_all_logs_together() -> None:
    cycles = cycles_of(np.arange(8) * 60.0, stated_pair=(0, 0))
    entries = entries_of(np.arange(8) * 60.0 + 9, source=np.arange(8) // 4)
    pairs = pairs_of(cycles, entries, range(8), range(8))

    origin, own = origins_of(pairs, cycles, entries, Noise(), OffsetPrior(None, 1e5))

    assert (origin.log_odds, origin.fit) == (700.0, 8)
    assert own.tolist() == [1.0] * 8
