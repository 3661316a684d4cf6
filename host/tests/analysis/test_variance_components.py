"""Variance components against a published example and against draws with a known truth."""

import math

import numpy as np
import pytest

from resume_rig.analysis.compare.precision import SessionSums, study_of, variance_components
from resume_rig.analysis.stats.figures import chi_squared_quantile
from resume_rig.model.result.comparison import Source, StudySession

SEED = 20_261_122
EVERY = tuple(Source)


def sums(unit: int, rig: int, values) -> SessionSums:
    values = np.asarray(values, dtype=np.float64)
    return SessionSums(unit, rig, len(values), values.mean(), ((values - values.mean()) ** 2).sum())


def drawn(generator, sds, *, units=5, rigs=3, sessions=2, cycles=(4, 10)) -> list[SessionSums]:
    """Return a study with known standard deviations of EVERY source; lengths are drawn."""
    unit, rig = (generator.normal(0, sd, n) for sd, n in zip(sds[:2], (units, rigs), strict=True))
    found = []
    for i in range(units):
        for j in range(rigs):
            cell = 900 + unit[i] + rig[j] + generator.normal(0, sds[2])
            for _ in range(sessions):
                n = int(generator.integers(*cycles, endpoint=True))
                middle = cell + generator.normal(0, sds[3])
                found.append(sums(i, j, middle + generator.normal(0, sds[4], n)))
    return found


def test_a_published_example_is_found() -> None:
    """Davies' dyestuff (Box and Tiao, 1973, 5.1.2): six batches of five, 42.00 and 49.51 g."""
    batches = [
        (1545, 1440, 1440, 1520, 1580),
        (1540, 1555, 1490, 1560, 1495),
        (1595, 1550, 1605, 1510, 1560),
        (1445, 1440, 1595, 1465, 1545),
        (1595, 1630, 1515, 1635, 1625),
        (1520, 1455, 1450, 1480, 1445),
    ]

    found = variance_components([sums(0, 0, batch) for batch in batches])

    assert found.sources == (Source.SESSION, Source.REPEATABILITY)
    assert found.variance(Source.SESSION) == pytest.approx(1764.05)
    assert found.variance(Source.REPEATABILITY) == pytest.approx(2451.25)
    # Repeatability's interval is exact: 24 * 2451.25 over the quantiles of chi-squared.
    assert found.interval(Source.REPEATABILITY) == pytest.approx((1494.5, 4744.0), rel=1e-3)


def test_a_balanced_study_gives_the_textbooks_mean_squares() -> None:
    generator = np.random.default_rng(SEED)
    values = generator.normal(size=(4, 3, 2, 6)) + generator.normal(size=(4, 1, 1, 1))
    study = [sums(i, j, values[i, j, k]) for i in range(4) for j in range(3) for k in range(2)]

    found = variance_components(study)

    grand, unit = values.mean(), values.mean(axis=(1, 2, 3))
    rig, cell = values.mean(axis=(0, 2, 3)), values.mean(axis=(2, 3))
    session = values.mean(axis=3)
    mixed = cell - unit[:, None] - rig[None, :] + grand
    expected = [
        36 * unit.var(ddof=1),
        48 * rig.var(ddof=1),
        12 * (mixed**2).sum() / 6,
        6 * ((session - cell[:, :, None]) ** 2).sum() / 12,
        ((values - session[..., None]) ** 2).sum() / 120,
    ]
    assert found.mean_squares == pytest.approx(expected)
    a, b, ab, s, e = expected
    components = [(a - ab) / 36, (b - ab) / 48, (ab - s) / 12, (s - e) / 6, e]
    assert found.weights @ found.mean_squares == pytest.approx(components)


@pytest.mark.parametrize("sds", [(20, 5, 3, 8, 12), (0, 10, 0, 5, 5), (10, 0, 0, 0, 30)])
def test_estimates_are_unbiased_where_numbers_of_cycles_differ(sds) -> None:
    generator = np.random.default_rng(SEED)
    estimates = [
        found.weights @ found.mean_squares
        for found in (variance_components(drawn(generator, sds)) for _ in range(400))
    ]

    mean, error = np.mean(estimates, axis=0), np.std(estimates, axis=0) / 20
    assert np.all(np.abs(mean - np.square(sds)) < 4 * error + 1e-9)


def test_intervals_hold_the_truth() -> None:
    generator = np.random.default_rng(SEED)
    sds = (20, 5, 3, 8, 12)
    held = dict.fromkeys(EVERY, 0)
    all_but_unit = 0
    for _ in range(300):
        found = variance_components(drawn(generator, sds))
        for source, sd in zip(EVERY, sds, strict=True):
            low, high = found.interval(source)
            held[source] += low <= sd * sd <= high
        low, high = found.interval(*EVERY[1:])
        all_but_unit += low <= sum(sd * sd for sd in sds[1:]) <= high

    # 95 % are wanted; unequal numbers of cycles cost some, at most 5 (benchmarks/msa.py).
    assert min(*held.values(), all_but_unit) / 300 >= 0.87


def test_what_a_design_does_not_tell_apart_is_absent() -> None:
    generator = np.random.default_rng(SEED)

    def sources(**design):
        return variance_components(drawn(generator, (9, 9, 9, 9, 9), **design)).sources

    last = Source.REPEATABILITY
    assert sources(rigs=1) == (Source.UNIT, Source.SESSION, last)
    assert sources(units=1, sessions=1) == (Source.RIG, last)
    assert sources(sessions=1) == (Source.UNIT, Source.RIG, Source.UNIT_BY_RIG, last)
    one_to_one = [sums(i, i, generator.normal(size=5)) for i in (0, 0, 1, 1, 2)]
    assert variance_components(one_to_one).sources == (Source.UNIT, Source.SESSION, last)
    nested = [sums(i, i // 2, generator.normal(size=5)) for i in (0, 1, 2, 3, 0, 1, 2, 3)]
    assert variance_components(nested).sources == (Source.UNIT, Source.RIG, Source.SESSION, last)
    assert variance_components([sums(0, 0, [900.0])]) is None


def test_a_study_says_gauge_r_and_r_and_what_it_lacks() -> None:
    generator = np.random.default_rng(SEED)
    sessions = [
        StudySession(
            f"{unit}-{rig}-{n}", f"unit {unit}", f"rig {rig}",
            {"resume_ms": tuple(900 + 50 * unit + generator.normal(0, 5, 20))},
        )
        for unit in range(4) for rig in range(2) for n in range(2)
    ]  # fmt: skip

    (measure,) = study_of(sessions).measures
    alone = study_of(sessions[:2])

    assert measure.reproducibility.sd_ms == pytest.approx(5.0, rel=0.2)
    assert measure.components[0].deviation.sd_ms == pytest.approx(50 * math.sqrt(5 / 3), rel=0.1)
    assert measure.grr_percent == pytest.approx(100 * 5 / math.hypot(64.5, 5), rel=0.2)
    assert measure.categories == pytest.approx(18, abs=4)
    assert measure.session_mean_ms < measure.reproducibility.sd_ms
    assert study_of(sessions).notes == ()
    assert alone.measures[0].grr_percent is None
    assert any(note.startswith("One unit:") for note in alone.notes)
    assert any(note.startswith("One rig:") for note in alone.notes)


def test_units_each_on_a_rig_of_its_own_are_not_told_from_their_rigs() -> None:
    def notes(cells) -> tuple[str, ...]:
        sessions = [
            StudySession(f"{unit} {rig} {n}", unit, rig, {"resume_ms": (900.0, 900.0 + n)})
            for unit, rig in cells
            for n in range(2)
        ]
        return study_of(sessions).notes

    (own,) = notes(["aA", "bB", "cC"])
    (some,) = notes(["aA", "bB", "aB"])

    assert own.startswith("Each unit was on a rig of its own: unit and rig cannot be separated")
    assert some.startswith("3 of 4 pairs of unit and rig were measured")


@pytest.mark.parametrize(
    ("share", "freedom", "value"),
    # Tables of the distribution (Pearson and Hartley, 1966, table 8).
    [(0.025, 1, 0.000982), (0.975, 1, 5.02389), (0.025, 10, 3.24697), (0.975, 100, 129.561),
     (0.025, 1000, 914.257)],
)  # fmt: skip
def test_quantiles_are_those_of_the_tables(share: float, freedom: int, value: float) -> None:
    assert chi_squared_quantile(share, freedom) == pytest.approx(value, rel=1e-3)


def of_cells(generator, cells, sessions: int = 1) -> tuple[Source, ...] | None:
    """Return the sources that sessions on these pairs of unit and rig tell apart."""
    found = variance_components(
        [sums(unit, rig, generator.normal(size=5)) for unit, rig in cells for _ in range(sessions)]
    )
    return None if found is None else found.sources


@pytest.mark.parametrize(
    ("cells", "sessions", "expected"),
    [
        # Two units on two rigs, all four pairs: the least design that tells all apart.
        ([(0, 0), (0, 1), (1, 0), (1, 1)], 2, EVERY),
        ([(0, 0), (0, 1), (1, 0), (1, 1)], 1, EVERY[:3] + EVERY[4:]),
        # Three pairs leave no freedom to unit x rig.
        ([(0, 0), (0, 1), (1, 0)], 2, (Source.UNIT, Source.RIG, *EVERY[3:])),
        ([(0, 0), (1, 0)], 2, (Source.UNIT, *EVERY[3:])),
        ([(0, 0), (0, 1)], 2, (Source.RIG, *EVERY[3:])),
        ([(0, 0)], 2, EVERY[3:]),
        ([(0, 0)], 1, EVERY[4:]),
        # Each unit on one rig, several on each; and each rig with one unit.
        ([(0, 0), (1, 0), (2, 1), (3, 1)], 1, (Source.UNIT, Source.RIG, EVERY[4])),
        ([(0, 0), (0, 1), (1, 2), (1, 3)], 1, (Source.UNIT, Source.RIG, EVERY[4])),
        ([(0, 0), (1, 1)], 2, (Source.UNIT, *EVERY[3:])),
    ],
)
def test_a_design_tells_apart_what_it_can(cells, sessions: int, expected) -> None:
    assert of_cells(np.random.default_rng(SEED), cells, sessions) == expected


def test_figures_of_a_study_by_hand() -> None:
    """Two units, one session each: one-way analysis of variance, worked out."""
    sessions = [
        StudySession("a", "u1", "r", {"resume_ms": (900.0, 902.0, 904.0)}),
        StudySession("b", "u2", "r", {"resume_ms": (920.0, 922.0, 924.0, 926.0, 928.0)}),
        StudySession("c", "u2", "r", {}),
    ]
    study = study_of(sessions)
    (measure,) = study.measures

    within = (8 + 40) / 6  # sums of squares over 2 + 4 degrees of freedom
    mean = (3 * 902 + 5 * 924) / 8
    between = 3 * (902 - mean) ** 2 + 5 * (924 - mean) ** 2
    n0 = 8 - (9 + 25) / 8
    unit = (between - within) / n0
    assert (measure.values, measure.units, measure.rigs, measure.sessions) == (8, 2, 1, 2)
    assert measure.mean_ms == pytest.approx(mean)
    assert measure.repeatability.sd_ms == pytest.approx(math.sqrt(within))
    assert measure.components[0].deviation.sd_ms == pytest.approx(math.sqrt(unit))
    assert measure.components[0].share == pytest.approx(unit / (unit + within))
    assert [each.freedom for each in measure.components] == [1, 6]
    assert [each.contains_session for each in measure.components] == [True, False]
    assert measure.total.sd_ms == pytest.approx(math.sqrt(unit + within))
    assert measure.reproducibility.sd_ms == pytest.approx(math.sqrt(within))
    assert measure.grr_percent == pytest.approx(100 * math.sqrt(within / (unit + within)))
    assert measure.categories == math.floor(1.41 * math.sqrt(unit / within))
    assert measure.session_cycles == 4
    assert measure.session_mean_ms == pytest.approx(math.sqrt(within / 4))
    low, high = measure.repeatability.low_ms, measure.repeatability.high_ms
    # 6 degrees of freedom: chi-squared's quantiles of tables.
    assert (low, high) == pytest.approx(
        (math.sqrt(6 * within / 14.44938), math.sqrt(6 * within / 1.237344)), rel=1e-5
    )
    assert study.sessions == (("a", "u1", "r"), ("b", "u2", "r"), ("c", "u2", "r"))


def test_equal_values_have_no_variation_and_no_categories() -> None:
    sessions = [StudySession(unit, unit, "r", {"resume_ms": (9.0, 9.0)}) for unit in "ab"]
    (measure,) = study_of(sessions).measures

    assert (measure.total.sd_ms, measure.grr_percent, measure.categories) == (0.0, 0.0, None)
    assert [each.share for each in measure.components] == [0.0, 0.0]
    assert measure.total.low_ms is None


@pytest.mark.parametrize(
    ("cells", "notes"),
    [
        (["aA", "aA"], ["One unit", "One rig"]),
        (["aA", "bA", "aA", "bA"], ["One rig"]),
        (["aA", "bA"], ["One rig", "One session a pair"]),
        (["aA", "bB"] * 2, ["Each unit was on a rig of its own"]),
        (["aA", "aB", "bA"] * 2, ["3 of 4 pairs"]),
        (["aA", "aB", "bA", "bB"] * 2, []),
        (["aA", "aB", "bA", "bB"], ["One session a pair"]),
    ],
)
def test_a_study_says_what_its_design_cannot_show(cells: list[str], notes: list[str]) -> None:
    sessions = [StudySession(str(n), unit, rig, {}) for n, (unit, rig) in enumerate(cells)]

    found = study_of(sessions).notes

    assert len(found) == len(notes)
    for note, begins in zip(found, notes, strict=True):
        assert note.startswith(begins)
