"""Light on a comparator's line that flickers: a dimmed panel is timed, a lamp is not."""

from dataclasses import replace

import pytest

from resume_rig.analysis.cycles.building import build_cycle
from resume_rig.analysis.cycles.flicker import with_flicker
from resume_rig.analysis.cycles.levels import without_flicker
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import EdgeColumns
from resume_rig.model.result.cycle import IntervalName, OutsideCycle
from resume_rig.model.result.verdict import FindingKind
from resume_rig.timing.edge_uncertainty import IntervalBounds

MS = 1_000_000
US = 1_000
BOUNDS = IntervalBounds(rate_ppb=30_000, default_edge_ns=4_000)
LIT_MS = 21_500  # of the waveform; PLTRST# rises 1342 ms before
LIT = (IntervalName.PLTRST_TO_LIGHT, IntervalName.PRESS_TO_LIGHT)


@pytest.fixture
def seen(waveform):
    """Return a function that gives a cycle whose light has dark parts, each (from, to) in ms."""

    def make(darks_ms, step_us: int = 10) -> tuple[OutsideCycle, OutsideCycle]:
        steps = [
            (ms, Channel.BACKLIGHT, level)
            for d in darks_ms
            for ms, level in zip(d, (0, 1), strict=True)
        ]
        edges = EdgeColumns.of(replace(waveform).plus(*steps).edges())
        plain = build_cycle(1, without_flicker(edges), waveform.levels, Actuator.BUTTON, BOUNDS)
        (found,) = with_flicker([plain], [0], edges, step_us * US)
        return plain, found

    return make


def flashes(period_ms: float, dark_ms: float, until_ms: float = 1_200) -> list[tuple[float, float]]:
    count = int(until_ms / period_ms)
    starts = [LIT_MS + (n + 1) * period_ms - dark_ms for n in range(count)]
    return [(start, start + dark_ms) for start in starts]


def test_a_light_that_does_not_flicker_is_left_alone(seen) -> None:
    plain, found = seen([])
    assert found == plain


def test_a_light_that_bounces_was_there_by_its_last_bounce_at_the_latest(seen) -> None:
    plain, found = seen([(LIT_MS + 1, LIT_MS + 1.1), (LIT_MS + 2, LIT_MS + 2.1)])

    for name in LIT:
        more_ns = found.intervals[name].bound_ns - plain.intervals[name].bound_ns
        assert more_ns == pytest.approx(2.1 * MS, abs=2)


def test_a_display_that_goes_dark_and_comes_back_may_have_shown_a_logo_first(seen) -> None:
    plain, found = seen([(LIT_MS + 200, LIT_MS + 900)])

    assert found.intervals == plain.intervals
    (finding,) = [f for f in found.findings if f.kind is FindingKind.SUSPICION]
    assert finding.evidence == {"of": "lit-before-os", "later_light_ns": 900 * MS}
    late = seen([(LIT_MS + 11_000, LIT_MS + 12_000)])
    assert late[1] == late[0]


def test_light_in_reset_is_no_display(waveform) -> None:
    steps = tuple(s for s in waveform.steps if s[1] is not Channel.BACKLIGHT or s[2] == 0)
    early = replace(waveform, steps=steps).plus((20_120, Channel.BACKLIGHT, 1))
    edges = EdgeColumns.of(early.edges())
    plain = build_cycle(1, edges, waveform.levels, Actuator.BUTTON, BOUNDS)

    (found,) = with_flicker([plain], [0], edges, 10 * US)

    assert not set(LIT) & set(found.intervals)
    (finding,) = [f for f in found.findings if f.kind is FindingKind.LIGHT_NOT_TIMED]
    assert "PLTRST# still held the graphics in reset" in finding.text


@pytest.mark.parametrize(("period_ms", "dark_ms"), [(4.545, 2.7), (1.0, 0.9), (3.3, 0.4)])
def test_a_dimmed_panel_may_have_been_lit_a_dark_part_before(seen, period_ms, dark_ms) -> None:
    plain, found = seen(flashes(period_ms, dark_ms))

    for name in LIT:
        more_ns = found.intervals[name].bound_ns - plain.intervals[name].bound_ns
        assert more_ns == pytest.approx(dark_ms * MS, abs=2)
        assert found.intervals[name].value_ns == plain.intervals[name].value_ns
    assert found.findings == plain.findings
    kept = {name: each for name, each in plain.intervals.items() if name not in LIT}
    assert {name: each for name, each in found.intervals.items() if name not in LIT} == kept


@pytest.mark.parametrize(
    ("darks_ms", "step_us", "words"),
    [
        (flashes(10.0, 4.4), 10, "a lamp's, at the rate of the mains"),
        (flashes(1_000 / 120, 3.0), 10, "a lamp's"),
        (flashes(20.1, 9.0), 10, "a lamp's"),
        (flashes(4.545, 2.0, until_ms=300), 10, "it stopped, and the light stayed"),
        (flashes(1.0, 0.5), 300, "sampled too slowly"),
        ([(LIT_MS + at, LIT_MS + at + dark) for at, dark in ((3, 1), (7, 2), (12, 1), (16, 70))],
         10, "no one light"),
    ],
)  # fmt: skip
def test_light_that_is_no_panels_is_not_timed(seen, darks_ms, step_us, words) -> None:
    plain, found = seen(darks_ms, step_us)

    assert not set(LIT) & set(found.intervals)
    assert set(plain.intervals) - set(LIT) == set(found.intervals)
    assert found.light_basis is None
    (finding,) = [f for f in found.findings if f.kind is FindingKind.LIGHT_NOT_TIMED]
    assert words in finding.text
    assert "When the display was lit is not known." in finding.text
