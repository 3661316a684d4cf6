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
