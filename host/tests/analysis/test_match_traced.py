"""The alignment that lengths alone tie, against every alignment tried one after the other."""

import math
from statistics import median

import numpy as np
import pytest
from match_parts import cycles_of, entries_of

from resume_rig.analysis.match.likelihood import Length
from resume_rig.analysis.match.times import CycleTimes, Entries
from resume_rig.analysis.match.trace import traced

Best = tuple[float, float, Length]


def plain_runs(count: int, records: int) -> list[range]:
    """Return 64 cycles in a row, and 12 where there are two times that, at most 16 times each."""
    runs = []
    for size in (64, 12) if count >= 24 else (64,):
        most = min(math.ceil(count / size), max(2_000_000 // (size * records), 1), 16)
        lows = sorted({int(place) for place in np.linspace(0, max(count - size, 0), most)})
        runs += [range(low, min(low + size, count)) for low in lows]
    return runs


def plain_best(length: Length, cycles, entries, among, share: float) -> Best | None:
    """Return how far the best alignment is beyond chance, its offset, and its length."""
    (of_os_s, of_wires_s), (rows, order) = length.both(cycles, entries), among
    tried = []
    for shift in range(-len(rows), len(order) + 1):
        places = [at for at in range(len(rows)) if 0 <= shift + at < len(order)]
        every = [float(of_os_s[order[shift + at]] - of_wires_s[rows[at]]) for at in places]
        some = sorted(each for each in every if -7.0 <= each <= 3.0)
        if len(some) < 4:
            continue
        agree = math.ceil(len(some) * share)
        width_s, low_s = min(
            (some[at + agree - 1] - some[at], some[at]) for at in range(len(some) - agree + 1)
        )
        offsets_s = [entries.at_s[order[shift + at]] - cycles.at_s[rows[at]] for at in places]
        tried.append((max(width_s, 0.002), agree, low_s + width_s / 2, median(offsets_s)))
    if not tried:
        return None
    usual_s = median(width_s for width_s, *_ in tried)
    width_s, agree, bias_s, offset_s = max(
        tried, key=lambda each: (each[1] - 2) * math.log(usual_s / each[0])
    )
    low, high = np.nanquantile(of_wires_s[rows], [0.1, 0.9])
    range_s = 2 * (high - low) + 0.002
    found = Length(length.to_sleep, bias_s, max(0.8 * width_s, range_s / 250), range_s)
    return (agree - 2) * math.log(usual_s / width_s) - math.log(len(tried)), offset_s, found


def plain_traced(cycles: CycleTimes, entries: Entries) -> tuple[list[float], Length] | None:
    some = []
    for to_sleep in (False, True):
        length = Length(to_sleep, 0.0, 1.0, 1.0)
        of_os_s, of_wires_s = length.both(cycles, entries)
        first: dict[int, int] = {}
        for at, record in enumerate(entries.record.tolist()):
            first.setdefault(record, at)
        known = [at for at in first.values() if not math.isnan(of_os_s[at])]
        if np.isnan(of_wires_s).all():
            continue
        found = []
        for source in sorted({int(entries.source[at]) for at in known}):
            order = sorted(
                (at for at in known if entries.source[at] == source), key=entries.rank.__getitem__
            )
            if len(order) <= 4:
                continue
            for run in plain_runs(len(cycles.at_s), len(order)):
                for share in (0.6, 1.0):
                    best = plain_best(length, cycles, entries, (np.array(run), order), share)
                    found += [best] if best else []
        if found:
            beyond, offset_s, length = max(found, key=lambda each: each[0])
            if beyond - math.log(len(found)) > 7.0:
                some.append((offset_s, length))
    if not some:
        return None
    return [offset_s for offset_s, _ in some], max(
        (each for _, each in some), key=lambda e: e.information
    )


def scene(
    seed: int, n: int, *, by_awake: bool = True, by_way: bool = False, scatter_s: float = 0.003,
    bias_s: float = -0.7, lost: float = 0.0, around: int = 15, sources: int = 1,
) -> tuple[CycleTimes, Entries]:  # fmt: skip
    """Return cycles and a log whose lengths agree, or do not."""
    generator = np.random.default_rng(seed)
    awake_s, way_s = np.round(generator.uniform([[20], [1]], [[30], [2]], (2, n)), 3)
    m = n + around
    times_s = np.cumsum(generator.uniform(30, 60, m))
    own = np.arange(around // 2, around // 2 + n)
    os_awake_s, os_way_s = generator.uniform([[20], [1]], [[30], [2]], (2, m))
    if by_awake:
        os_awake_s[own] = awake_s + bias_s + scatter_s * generator.uniform(-1, 1, n)
    if by_way:
        os_way_s[own] = way_s - 0.1 + scatter_s * generator.uniform(-1, 1, n)
    kept = np.flatnonzero((generator.random(m) >= lost) | (np.arange(m) % 3 > 0))
    rank = np.arange(len(kept))
    return (
        cycles_of(
            times_s[own] - 500.0,
            awake_s=awake_s if by_awake else np.full(n, np.nan),
            to_sleep_s=way_s if by_way else np.full(n, np.nan),
        ),
        entries_of(
            times_s[kept],
            rank=rank,
            awake_s=os_awake_s[kept],
            took_s=np.where(rank % 7 == 3, np.nan, os_way_s[kept]),
            source=rank % sources,
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    "made",
    [
        scene(1, 20),
        scene(2, 12, lost=0.5, around=8),
        scene(3, 30, lost=0.4),
        scene(4, 16, by_awake=False, by_way=True),
        scene(5, 25, by_way=True, scatter_s=0.012),
        scene(6, 25, by_way=True, scatter_s=0.0),
        scene(7, 18, bias_s=4.0),
        scene(8, 18, bias_s=-8.0),
        scene(9, 14, scatter_s=1.5),
        scene(10, 40, sources=2),
        scene(11, 4, around=2),
        scene(12, 5, around=0, scatter_s=0.0005),
        scene(13, 70, around=5, lost=0.3),
        scene(19, 23, lost=0.5),
        scene(20, 24, lost=0.9, around=8),
        scene(14, 14, bias_s=2.99, around=4),
        scene(15, 14, bias_s=-6.99, around=4),
        scene(16, 9, scatter_s=0.6, around=3),
        scene(17, 10, scatter_s=0.3, around=3),
        scene(18, 12, scatter_s=0.1, around=20),
    ],
    ids=lambda made: f"{len(made[0].at_s)} cycles, {len(made[1].at_s)} records",
)
def test_the_alignment_that_agrees_best_beyond_chance_is_found(made) -> None:
    cycles, entries = made
    expected = plain_traced(cycles, entries)

    found = traced(cycles, entries)

    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert found.offset_s.tolist() == pytest.approx(expected[0])
        assert found.length.to_sleep == expected[1].to_sleep
        figures = (found.length.bias_s, found.length.scale_s, found.length.range_s)
        assert figures == pytest.approx(
            (expected[1].bias_s, expected[1].scale_s, expected[1].range_s)
        )


def test_two_entries_of_one_record_are_slid_once() -> None:
    cycles, entries = scene(1, 20)
    twice = np.sort(np.concatenate([np.arange(len(entries.at_s)), [4, 9, 12]]))

    found, once = traced(cycles, entries.where(twice)), traced(cycles, entries)

    assert found is not None
    assert once is not None
    assert (found.offset_s, found.length) == (once.offset_s, once.length)


@pytest.mark.parametrize(("records", "asked"), [(10_000, True), (10_001, False)])
def test_logs_of_more_than_ten_thousand_records_are_not_asked(records: int, asked: bool) -> None:
    cycles, entries = scene(1, 12, around=records - 12)

    assert (traced(cycles, entries) is not None) is asked
