"""Intervals to light end at t_50 where there is one, and say what they end at."""

import pytest
from correlated import kinds

from resume_rig.analysis.cycles.building import build_cycle
from resume_rig.analysis.cycles.light import LightReading
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.light import LightBasis, LightOnset, OnsetState
from resume_rig.model.result.cycle import IntervalName, Outcome
from resume_rig.model.result.verdict import FindingKind
from resume_rig.timing.edge_uncertainty import IntervalBounds

MS = 1_000_000
BOUNDS = IntervalBounds(rate_ppb=0, press_definition_ns=0)
LIT_MS = 21_500
LIGHT = (
    IntervalName.PRESS_TO_LIGHT,
    IntervalName.PLTRST_TO_LIGHT,
    IntervalName.PRESS_TO_FIRST_LIGHT,
    IntervalName.PRESS_TO_LIGHT_90,
)


def onset(lit_ms=LIT_MS, *, state=OnsetState.OK, pwm_ns=0, resolution_ns=20_000) -> LightOnset:
    lit_ns = lit_ms * MS
    if state is OnsetState.OK:
        times = (lit_ns + MS, lit_ns + 5 * MS, lit_ns + 9 * MS)
    elif state in (OnsetState.NOT_SETTLED, OnsetState.UNSTABLE, OnsetState.SATURATED):
        times = (lit_ns + MS, None, None)
    else:
        times = (None, None, None)
    return LightOnset(state, *times, resolution_ns=resolution_ns, pwm_uncertainty_ns=pwm_ns)


def build(waveform, light, **more):
    reading = LightReading(light, **more)
    return build_cycle(1, waveform.edges(), waveform.levels, Actuator.BUTTON, BOUNDS, light=reading)


def light_ms(cycle):
    return [
        cycle.intervals[name].value_ns / MS if name in cycle.intervals else None for name in LIGHT
    ]


def test_a_measured_onset_gives_t_50_t_first_and_t_90(waveform) -> None:
    cycle = build(waveform, onset())

    assert light_ms(cycle) == [1505, 1347, 1501, 1509]
    assert cycle.light_basis is LightBasis.HALF
    assert cycle.findings == ()


def test_light_is_timed_where_no_comparator_is_wired(waveform) -> None:
    cycle = build(waveform.without(Channel.BACKLIGHT), onset())

    assert light_ms(cycle) == [1505, 1347, 1501, 1509]
    assert cycle.light_basis is LightBasis.HALF


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (OnsetState.NOT_SETTLED, "before its level had settled"),
        (OnsetState.UNSTABLE, "flickered"),
        (OnsetState.SATURATED, "at the end of its range"),
        (OnsetState.NO_BASELINE, "baseline"),
        (OnsetState.LOST, "samples were lost"),
        (OnsetState.NO_LIGHT, "no light came"),
        (OnsetState.RISING, "had not settled when it was read"),
        (OnsetState.DARK, "recording was not over"),
        (OnsetState.IDLE, "nothing was recorded"),
    ],
)
def test_what_was_not_timed_is_named_and_the_comparator_stands_for_it(
    waveform, state, words
) -> None:
    cycle = build(waveform, onset(state=state))

    first_ms = 1501 if state in (5, 6, 7) else None
    assert light_ms(cycle) == [1500, 1342, first_ms, None]
    assert cycle.light_basis is LightBasis.COMPARATOR
    (finding,) = cycle.findings
    assert finding.kind is FindingKind.LIGHT_NOT_TIMED
    assert words in finding.text


def test_without_comparator_and_onset_there_is_no_light_and_no_complaint(waveform) -> None:
    cycle = build(waveform.without(Channel.BACKLIGHT), onset(state=OnsetState.NO_LIGHT))

    assert light_ms(cycle) == [None] * 4
    assert cycle.light_basis is None
    assert cycle.findings == ()
    assert cycle.outcome is Outcome.SLEPT_AND_WOKE


@pytest.mark.parametrize("lit_ms", [-30_000, 3_000, 20_040])
def test_an_onset_from_before_the_wake_is_none_of_it(waveform, lit_ms) -> None:
    cycle = build(waveform, onset(lit_ms))

    assert light_ms(cycle) == [1500, 1342, None, None]
    assert kinds(cycle) == [FindingKind.LIGHT_NOT_TIMED]


def test_an_onset_at_the_moment_of_the_wake_is_of_it(waveform) -> None:
    # SLP_S3# rises at 20,048 ms, 48 ms after the press, and t_first is there.
    cycle = build(waveform, onset(20_047))

    assert light_ms(cycle) == [52, None, 48, 56]
    assert kinds(cycle) == []


@pytest.mark.parametrize(
    ("lit_ms", "whose"),
    [(61_500, LIGHT[:2]), (41_492, LIGHT[:2]), (41_491, LIGHT)],
    ids=["after it", "t_90 as it begins", "t_90 just before it"],
)
def test_an_onset_of_the_next_sleep_is_none_of_this_wake(waveform, lit_ms, whose) -> None:
    # SLP_S3# falls again at 41,501 ms.
    again = waveform.plus(*waveform.dropping(22_000).later(40_000).steps)

    cycle = build(again, onset(lit_ms))

    assert tuple(name for name in LIGHT if name in cycle.intervals) == whose
    assert (light_ms(cycle)[0] == 1500) == (whose != LIGHT)


def test_a_panel_too_dim_for_the_comparator_is_not_dark(waveform) -> None:
    dim = waveform.dropping(21_000)

    assert build(dim, onset()).outcome is Outcome.SLEPT_AND_WOKE
    assert light_ms(build(dim, onset()))[0] == 1505
    assert build(dim, onset(state=OnsetState.NOT_SETTLED)).outcome is Outcome.SLEPT_AND_WOKE
    assert build(dim, onset(state=OnsetState.NO_LIGHT)).outcome is Outcome.DARK


def test_the_bound_grows_with_resolution_and_dark_time_of_the_pwm(waveform) -> None:
    def bound_ns(light):
        return build(waveform, light).intervals[IntervalName.PRESS_TO_LIGHT].bound_ns

    assert bound_ns(onset(resolution_ns=1_020_000)) - bound_ns(onset()) == 500_000
    # 220 Hz at 50 %: u = 656 us, and t_50 is off by up to a half of the 2.27 ms of darkness.
    assert 1_136_225 <= bound_ns(onset(pwm_ns=656_000)) - bound_ns(onset()) <= 1_200_000


def test_blocks_give_the_same_and_say_so(waveform) -> None:
    cycle = build(waveform, onset(resolution_ns=2 * MS), from_blocks=True)

    assert light_ms(cycle) == [1505, 1347, 1501, 1509]
    assert cycle.light_basis is LightBasis.BLOCKS
