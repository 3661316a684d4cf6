"""What no document shows by itself is what was frozen: light, clocks, what findings mean.

The scenes of light are held against their truth, too; the clocks are in host/tests/timing.
"""

import json
import operator

import numpy as np
import pytest
from lit_bounds import recorded, timed
from lit_scenes import FULL_SCALE, Scene, scene_of

from resume_rig.analysis.cycles.light import LightReading
from resume_rig.analysis.cycles.light_shape import light_reading
from resume_rig.analysis.findings.kinds import ABOUT
from resume_rig.model.edge import ClockExchange
from resume_rig.model.result.verdict import FindingKind
from resume_rig.timing.hull import ClockLimits
from resume_rig.timing.relation import ExchangeSelection, relate

SCENES = 60
DRIFTS = (0, 100, 5_000)
S = 1_000_000_000


def of_light(scene: Scene, reading: LightReading | None) -> object:
    """Return everything that a reading says, and the bounds that follow from it."""
    assert reading is not None
    onset = reading.onset
    return {
        "state": onset.state.name,
        "times_ns": [onset.first_ns, onset.half_ns, onset.ninety_ns],
        "counts": [onset.base_counts, onset.sigma_counts, onset.level_counts, onset.peak_counts],
        "from_blocks": reading.from_blocks,
        "step": None if reading.step is None else list(reading.step),
        "doubts": {name.value: list(doubt) for name, doubt in reading.doubts.items()},
        "refused": {name.value: why for name, why in reading.refused.items()},
        "bounds_ns": [each.bound_ns for each in timed(scene, reading)],
    }


def test_light_is_read_as_it_was_and_each_moment_is_within_its_bound_or_refused(hold) -> None:
    answers = {}
    for number in range(SCENES):
        scene, random = scene_of(number, 20)
        onset, table = recorded(scene, random)
        reading = light_reading(onset, table, FULL_SCALE)
        for each in timed(scene, reading):
            assert each.ratio <= 1, (scene, each)
        alone = light_reading(None, table, FULL_SCALE)
        answers[f"scene {number}"] = json.dumps(of_light(scene, reading))
        answers[f"scene {number}, by its blocks alone"] = json.dumps(of_light(scene, alone))
    hold("numbers-light", answers)


def exchanges_of(seed: int) -> list[ClockExchange]:
    """Return a session of a board whose crystal drifts; some clocks stand still, or begin anew."""
    random = np.random.default_rng(seed)
    count = int(random.integers(3, 400))
    at_ns = np.cumsum(random.exponential(random.choice([1, 20, 200]), count)) * 1e9
    rate = 40e-6 * np.sin(at_ns / 1e9 / 3_000 + seed) * random.random()
    offset_ns = np.concatenate([[0.0], np.cumsum(np.diff(at_ns) * rate[1:])]) + 5e9 * seed
    if seed % 4 == 1:
        offset_ns[count // 2 :] += random.normal(0, 5e7)
    up, turn, down = random.exponential(2e5, (3, count))
    board_ns = at_ns - offset_ns + 1e12
    if seed % 4 == 2:
        board_ns[2 * count // 3 :] -= board_ns[2 * count // 3] - 5e9
    return [
        ClockExchange(*map(int, row))
        for row in np.column_stack(
            (at_ns, board_ns + up, board_ns + up + turn, at_ns + up + turn + down)
        )
    ]


@pytest.mark.parametrize("drift", DRIFTS)
def test_clocks_are_related_as_they_were(drift: int, hold) -> None:
    answers = {}
    for seed in range(12):
        exchanges = exchanges_of(seed)
        relation = relate(exchanges, ClockLimits(100_000, drift, 1_000))
        found: list[object] = [
            [each.kind, each.after_ns, each.before_ns, each.size_ns] for each in relation.breaks
        ]
        stamps = [each.board_rx_ns for each in exchanges]
        for share in np.linspace(0, 1, 9):
            board_ns = int(stamps[0] + share * (stamps[-1] - stamps[0]))
            host = relation.to_host_ns(board_ns)
            back = None if host is None else relation.to_board_ns(host.value_ns)
            rates = relation.rates(stamps[0], board_ns)
            found += [
                *([None] if q is None else [q.value_ns, q.bound_ns] for q in (host, back)),
                None if rates is None else [rates.low, rates.high, rates.steady],
            ]
        selection = ExchangeSelection(relation.limits)
        for each in exchanges:
            selection.add(each)
        kept = [exchanges.index(each) for each in selection.kept()]
        answers[f"session {seed}"] = json.dumps([found, kept])
    hold(f"numbers-clocks-{drift}", answers)


def test_each_finding_means_what_it_meant(hold) -> None:
    of = operator.attrgetter("means", "do", "threshold", "source", "command")
    hold("numbers-findings", {kind.value: json.dumps(of(ABOUT[kind])) for kind in FindingKind})
