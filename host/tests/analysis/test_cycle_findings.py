"""Findings about a sleep, its record and its light at their thresholds, each by itself."""

from dataclasses import replace

import pytest

from resume_rig.analysis.cycles.health import drains_finding
from resume_rig.analysis.findings.context import Context, RecordedCycle, WakeClaims
from resume_rig.analysis.findings.disagreements import (
    context_of,
    disagreements,
    display_findings,
    unexplained_findings,
)
from resume_rig.analysis.findings.silent_steps import (
    Rings,
    Witnesses,
    without_steps,
    witnesses_of,
)
from resume_rig.analysis.findings.sleeps import (
    record_findings,
    record_missing,
    sleep_findings,
    state_mismatch,
)
from resume_rig.analysis.reconcile.constraints import Ring, Span, WakeBounds
from resume_rig.analysis.reconcile.norms import (
    UNKNOWN_PLATFORM,
    History,
    Norm,
    Norms,
    Platform,
    history_of,
)
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.channel import Actuator, Channel, WakeMeans
from resume_rig.model.os_record import Figure, SleepKind, WakeSource
from resume_rig.model.power import CyclePower, PowerFigure
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideCycle, OutsideState
from resume_rig.model.result.verdict import Finding, FindingKind

MS = 1_000_000
S = 1_000 * MS
REQUIREMENT = load_requirement("sysfund-0004")
AROUND = Context(REQUIREMENT, BoundedNs(10 * MS, 3 * MS), Norms(), History())
WIRED = (Channel.SLP_S3, Channel.SLP_S4, Channel.PWR_OK)
OUTSIDE = replace(
    OutsideCycle(1, Outcome.SLEPT_AND_WOKE, OutsideState.S3, Actuator.BUTTON, None, None, None, {}),
    channels=WIRED,
)
GROUP = SleepKind.S3, Actuator.BUTTON, 0


def timed(outside: OutsideCycle = OUTSIDE, **values_ms: tuple[float, float]) -> OutsideCycle:
    intervals = {
        IntervalName[name]: BoundedNs(round(value * MS), round(bound * MS))
        for name, (value, bound) in values_ms.items()
    }
    return replace(outside, intervals=intervals)


def kinds(found) -> list[str]:
    return [finding.kind.value for finding in found]


def figures(**values: float) -> tuple[Figure, ...]:
    return tuple(Figure(name, value) for name, value in values.items())


@pytest.mark.parametrize(
    ("kind", "state", "channels", "found"),
    [
        (SleepKind.S3, OutsideState.S3, WIRED, False),
        (SleepKind.S3, OutsideState.S4, WIRED, True),
        (SleepKind.S3, OutsideState.NONE, WIRED, False),
        (SleepKind.S4, OutsideState.S4, WIRED, False),
        (SleepKind.S4, OutsideState.S5, WIRED, False),
        (SleepKind.S4, OutsideState.S3, WIRED, True),
        # SLP_S3# alone cannot show that it was deeper.
        (SleepKind.S4, OutsideState.S3, (Channel.SLP_S3,), False),
        (SleepKind.S4, OutsideState.S3, (Channel.SLP_S5,), True),
        (SleepKind.MODERN_STANDBY, OutsideState.S3, (Channel.SLP_S3,), True),
        (SleepKind.MODERN_STANDBY, OutsideState.S0IX, WIRED, False),
        (SleepKind.S1, OutsideState.S0IX, WIRED, False),
        (SleepKind.HYBRID, OutsideState.S5, WIRED, False),
        (SleepKind.HYBRID, OutsideState.S0IX, WIRED, True),
        (SleepKind.DOZE, OutsideState.S3, WIRED, False),
        (SleepKind.BOOT, OutsideState.S3, WIRED, False),  # no state is expected of it
    ],
)
def test_another_state_than_the_wires_show_is_a_mismatch(record, kind, state, channels, found):
    outside = replace(OUTSIDE, state=state, channels=channels)

    mismatch = state_mismatch(outside, record(kind=kind))

    assert (mismatch is not None) is found
    if mismatch is not None:
        assert mismatch.text == f"The OS reports {kind}, and the wires show {state}."


def drew(asleep: tuple[float, float] | None) -> CyclePower:
    return CyclePower(asleep_w=None if asleep is None else PowerFigure(*asleep))


@pytest.mark.parametrize(
    ("kind", "asleep", "awake", "found"),
    [
        (SleepKind.S3, (1.25, 0.25), (1.0, None), False),
        (SleepKind.S3, (1.26, 0.25), (1.0, None), True),
        (SleepKind.HYBRID, (1.26, 0.25), (1.0, None), True),
        (SleepKind.S4, (1.26, 0.25), (1.0, None), False),
        (SleepKind.S3, (3.25, 0.25), (None, 6.0), False),  # half of what it draws awake
        (SleepKind.S3, (3.26, 0.25), (None, 6.0), True),
        (SleepKind.S3, (9.0, 0.25), (None, None), False),
        (SleepKind.S3, (3.26, 0.25), (4.0, 6.0), False),  # the profile knows better
        (SleepKind.S3, None, (1.0, 6.0), False),
    ],
)
def test_an_s3_that_draws_an_s0_is_named_beyond_its_uncertainty(record, kind, asleep, awake, found):
    platform_w, awake_w = awake
    around = replace(AROUND, platform=Platform(s3_power_max_w=platform_w), awake_w=awake_w)
    pair = RecordedCycle(replace(OUTSIDE, power=drew(asleep)), record(kind=kind), around)

    assert ("s0-power-asleep" in kinds(sleep_findings(pair))) is found


STANDBY = replace(OUTSIDE, state=OutsideState.S0IX, standby_ns=1_000 * S)


@pytest.mark.parametrize(
    ("kind", "told", "outside", "source"),
    [
        (SleepKind.MODERN_STANDBY, ((3.26, 0.25), {}), STANDBY, None),
        (SleepKind.S2IDLE, ((3.26, 0.25), {}), STANDBY, None),
        (SleepKind.S3, ((3.26, 0.25), {}), STANDBY, "none"),
        (SleepKind.MODERN_STANDBY, ((3.25, 0.25), {}), STANDBY, "none"),
        (SleepKind.MODERN_STANDBY, ((3.26, 0.25), {}), OUTSIDE, "none"),
        (SleepKind.MODERN_STANDBY, (None, {"drips_percent": 10.0}), STANDBY, "the OS's account"),
        (
            SleepKind.MODERN_STANDBY,
            (None, {"drips_percent": 99.0, "hardware_drips_percent": 10.0}),
            STANDBY,
            "the OS's account, by hardware",
        ),
        (SleepKind.MODERN_STANDBY, (None, {"drips_percent": 99.0}), STANDBY, "none"),
        (SleepKind.MODERN_STANDBY, (None, {}), STANDBY, "none"),
    ],
)
def test_a_standby_that_was_not_deep_is_told_by_power_or_by_the_os(
    record, kind, told, outside, source
):
    asleep, residency = told
    own = record(kind=kind, figures=figures(**residency))
    pair = RecordedCycle(replace(outside, power=drew(asleep)), own, replace(AROUND, awake_w=6.0))

    found = [f for f in sleep_findings(pair) if f.kind is FindingKind.DRAINS_ASLEEP]

    assert len(found) == (0 if source == "none" else 1)
    if found and source is not None:
        assert found[0].evidence["source"] == source
        assert (found[0].evidence["deep_s"], found[0].evidence["share_percent"]) == (100.0, 10.0)
    elif found:
        assert "more than 3 W, half of what it draws awake" in found[0].text


def test_a_drain_is_told_once(record) -> None:
    already = Finding(FindingKind.DRAINS_ASLEEP, "It drains.")
    outside = replace(STANDBY, power=drew((9.0, 0.1)), findings=(already,))
    own = record(kind=SleepKind.MODERN_STANDBY)

    found = sleep_findings(RecordedCycle(outside, own, replace(AROUND, awake_w=6.0)))

    assert "drains-asleep" not in kinds(found)


def test_a_share_of_the_deepest_state_is_due_of_sleeps_long_enough() -> None:
    def found(deep_s: float, asleep_s: float) -> bool:
        return drains_finding(deep_s, round(asleep_s * S), "x") is not None

    least_s = next(s for s in range(1, 100_000) if found(0.0, s))
    assert not found(0.0, least_s - 1)
    share = next(p for p in range(101) if not found(p / 100 * 1_000_000, 1_000_000))
    assert found((share - 1) / 100 * 1_000_000, 1_000_000)
    text = drains_finding(0.0, 1_000_000 * S, "the wires", "; so it is").text
    assert text.endswith(f"says the wires; {share} % or more are due; so it is.")


@pytest.mark.parametrize(
    ("whole_ms", "after", "ends"),
    [
        (2_000, None, "525 ms longer on its way to sleep than the OS reports (1400 ms)."),
        (
            2_000,
            (300, 250),
            "; if BiosInitDuration is true, SLP_S3# fell 50 to 550 ms after the OS's clock had "
            "stopped.",
        ),
        (2_000, (100, 250), "SLP_S3# fell 0 to 350 ms after the OS's clock had stopped."),
    ],
)
def test_a_way_to_sleep_that_the_os_does_not_report_is_named(record, whole_ms, after, ends):
    around = AROUND
    if after is not None:
        stop = span(after[0] - after[1], after[0] + after[1])
        around = replace(AROUND, wakes={1: WakeClaims(stop=stop)})
    outside = timed(TRIGGER_TO_SLP_S3=(whole_ms, 1))

    (finding,) = sleep_findings(RecordedCycle(outside, record(sleep_ms=1_400), around))

    assert finding.kind is FindingKind.HIDDEN_BEFORE_SLEEP
    assert finding.text.endswith(ends)
    assert finding.evidence["hidden_ns"] == 525 * MS
    assert ("after_stop_ns" in finding.evidence) == (after is not None)
    soon = timed(TRIGGER_TO_SLP_S3=(whole_ms - 205, 1))
    assert list(sleep_findings(RecordedCycle(soon, record(sleep_ms=1_400), around))) == []


@pytest.mark.parametrize(
    ("by", "source", "outcome", "found"),
    [
        (Actuator.BUTTON, "power button", Outcome.SLEPT_AND_WOKE, False),
        (Actuator.BUTTON, "timer", Outcome.SLEPT_AND_WOKE, True),
        (Actuator.BUTTON, "timer", Outcome.WOKE_ALONE, False),
        (Actuator.BUTTON, "unknown", Outcome.SLEPT_AND_WOKE, False),
        (Actuator.LID, "power button", Outcome.SLEPT_AND_WOKE, True),
        (Actuator.LID, "device", Outcome.SLEPT_AND_WOKE, False),
        (WakeMeans.LAN, "power button", Outcome.SLEPT_AND_WOKE, True),
        (WakeMeans.LAN, "device", Outcome.SLEPT_AND_WOKE, False),
        (None, "timer", Outcome.SLEPT_AND_WOKE, False),
    ],
)
def test_another_wake_source_than_the_rig_moved_is_named(record, by, source, outcome, found):
    outside = replace(OUTSIDE, wake_by=by, outcome=outcome)
    own = record(wake_source=WakeSource(3, source, ""))

    got = list(sleep_findings(RecordedCycle(outside, own, AROUND)))

    assert kinds(got) == (["wake-source-mismatch"] if found else [])
    if found:
        did = "the rig's magic packet did" if by is WakeMeans.LAN else f"the rig moved the {by}"
        assert got[0].text == f"The OS reports that a {source} woke the DUT; {did}."
        assert got[0].evidence["type_inside"] == 3


def test_a_missing_record_is_told_with_its_times() -> None:
    found = record_missing(replace(OUTSIDE, asleep_from_ns=5, awake_from_ns=9))

    assert (found.kind, found.evidence) == (
        FindingKind.RECORD_MISSING,
        {"asleep_from_ns": 5, "awake_from_ns": 9},
    )


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({}, None),
        ({"bios_init_ms": None}, "bios-not-reported"),
        ({"bios_init_ms": None, "kind": SleepKind.S4}, "bios-not-reported"),
        ({"bios_init_ms": None, "kind": SleepKind.MODERN_STANDBY}, "not-measured"),
        ({"bios_init_ms": None, "driver_init_ms": None}, "not-measured"),
        ({"driver_init_ms": None}, "not-measured"),
        (
            {"bios_init_ms": None, "driver_init_ms": None, "kind": SleepKind.ABORTED},
            "record-aborted",
        ),
    ],
)
def test_what_a_record_lacks_is_named(record, fields, kind) -> None:
    found = kinds(record_findings(RecordedCycle(OUTSIDE, record(**fields), AROUND)))

    assert found == ([] if kind is None else [kind])


def test_two_records_of_one_wake_are_named_with_their_numbers(record) -> None:
    one, two = record(record_id=4, wake_time_utc_ns=S), record(record_id=5, wake_time_utc_ns=S)
    around = replace(AROUND, history=history_of([one, two], []))

    (finding,) = record_findings(RecordedCycle(OUTSIDE, one, around))

    assert finding.text == "The OS wrote two records of one wake: 4 and 5."


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"figures": figures(clock_stepped_us=1e6)}, None),
        ({"figures": figures(clock_stepped_us=1e6 + 1)}, "somebody set it by +1.0 s"),
        ({"figures": figures(clock_stepped_us=-1.5e6)}, "somebody set it by -1.5 s"),
        ({"sleep_time_utc_ns": 5, "wake_time_utc_ns": 4}, "its record wakes before it sleeps"),
        ({"sleep_time_utc_ns": 5, "wake_time_utc_ns": 5}, None),
        ({"sleep_time_utc_ns": 5}, None),
    ],
)
def test_a_step_of_the_clock_is_named_beyond_a_second_or_backwards(record, fields, text) -> None:
    stepped_us = sum(figure.value for figure in fields.get("figures", ()))
    found = list(record_findings(RecordedCycle(OUTSIDE, record(**fields), AROUND)))

    assert kinds(found) == ([] if text is None else ["clock-step"])
    if text is not None:
        assert found[0].text == f"The OS clock stepped about this cycle: {text}."
        times = fields.get("sleep_time_utc_ns"), fields.get("wake_time_utc_ns")
        by_its_times = None if None in times else times[1] - times[0]
        assert found[0].evidence["asleep_by_its_times_ns"] == by_its_times
        assert found[0].evidence["stepped_ns"] == 1_000 * stepped_us


def test_a_silent_step_is_told_where_no_event_tells_one(record) -> None:
    step, difference = BoundedNs(-3 * S, MS), BoundedNs(4 * S, MS)
    both = replace(AROUND, silent_steps={1: step}, clock_differences={1: difference})
    alone = replace(AROUND, clock_differences={1: difference})

    (one,) = record_findings(RecordedCycle(OUTSIDE, record(), both))
    (other,) = record_findings(RecordedCycle(OUTSIDE, record(), alone))
    told = record(figures=figures(clock_stepped_us=2e6))
    (event,) = record_findings(RecordedCycle(OUTSIDE, told, both))

    assert one.text.startswith("The OS clock was set by about -3.0 s without an event")
    assert other.text.startswith("The RTC went about +4.0 s from the OS clock around this sleep")
    assert (one.evidence["stepped_ns"], other.evidence["stepped_ns"]) == (-3 * S, 4 * S)
    assert event.evidence["stepped_ns"] == 2 * S


def possible(outside: OutsideCycle, own, around: Context = AROUND) -> RecordedCycle:
    pair = RecordedCycle(outside, own, around)
    vars(pair).update(longest_bios_ms=1e6, one_cause=None)
    return pair


def span(low_ms: float, high_ms: float) -> Span:
    return Span(round(low_ms * MS), round(high_ms * MS))


def left(to_os: Span, hidden: Span | None = None) -> Context:
    """Return a campaign whose first wake was so long until the OS, as wires and clocks show."""
    bounds = WakeBounds(to_os, hidden or span(-1, 1), True)
    return replace(AROUND, wakes={1: WakeClaims(proven=bounds, likely=bounds)})


@pytest.mark.parametrize(("light_ms", "ahead"), [(199, 11), (205, None), (206, None), (204, 6)])
def test_a_light_before_the_os_by_its_bios_time_alone_is_a_suspicion(record, light_ms, ahead):
    """10 +/- 3 ms to the TSC and 200 +/- 1 ms of BIOS: 210 +/- 5, beside a bound of 1 ms."""
    found = list(display_findings(possible(timed(PLTRST_TO_LIGHT=(light_ms, 1)), record())))

    assert kinds(found) == ([] if ahead is None else ["suspicion"])
    if ahead is not None:
        assert f"Light came {ahead} ms before the OS had control" in found[0].text
        assert "another light was there, or the BIOS time is too long" in found[0].text
    impossible = RecordedCycle(timed(PLTRST_TO_LIGHT=(light_ms, 1)), record(), AROUND)
    vars(impossible).update(longest_bios_ms=1.0, one_cause=None)
    assert list(display_findings(impossible)) == []


@pytest.mark.parametrize(("least_ms", "ahead"), [(201, None), (202, 3)])
def test_the_firmware_lit_the_display_where_clock_and_wires_leave_nothing_else(
    record, least_ms, ahead
):
    """Light after 200 +/- 1 ms; the OS had control after 201 or 202 ms at least."""
    lit = timed(PLTRST_TO_LIGHT=(200, 1))
    found = list(display_findings(possible(lit, record(), left(span(least_ms, 204)))))

    assert kinds(found) == (["suspicion"] if ahead is None else ["lit-before-os"])
    if ahead is not None:
        assert f"lit {ahead} ms before the OS had control, by the OS's own clock" in found[0].text


@pytest.mark.parametrize(
    ("light_ms", "to_os", "most_ms", "found"),
    [
        # 2000 +/- 1 less 800 +/- 1 of DriverInit, and at most that until the OS.
        (2_000, None, 1_000, False),
        (2_000, (0, 196), 1_000, True),
        (2_000, (0, 199), 1_000, False),
        (2_000, (150, 698), 500, False),
        (2_000, (150, 697), 500, True),
    ],
)
def test_a_light_long_after_complete_is_named_beyond_its_bound(
    record, light_ms, to_os, most_ms, found
):
    around = AROUND if to_os is None else left(span(*to_os))
    around = replace(around, platform=Platform(light_after_complete_max_ns=most_ms * MS))
    outside = timed(PLTRST_TO_LIGHT=(light_ms, 1))

    got = list(display_findings(possible(outside, record(), around)))

    assert kinds(got) == (["complete-before-light"] if found else [])


@pytest.mark.parametrize("off_ms", [100, -100])
@pytest.mark.parametrize("given", [True, False])
def test_what_no_other_finding_names_is_unexplained(record, off_ms, given) -> None:
    norm = Norm(9, 300 * MS, 20 * MS, 60 * MS, is_given=given)
    around = replace(AROUND, norms=Norms(residuals={GROUP: norm}))
    outside = timed(PLTRST_TO_LIGHT=(1_300 + off_ms, 1))

    (finding,) = unexplained_findings(possible(outside, record(), around))

    way, whose = "later" if off_ms > 0 else "earlier", "platform" if given else "campaign"
    assert f"The light came 100 ms {way} than" in finding.text
    assert f"the usual rest of this {whose} explain" in finding.text
    assert finding.evidence["unexplained_ns"] == off_ms * MS
    usual = timed(PLTRST_TO_LIGHT=(1_360, 1))
    assert list(unexplained_findings(possible(usual, record(), around))) == []


def test_what_a_cause_explains_is_no_finding_of_its_own(record) -> None:
    norm = Norm(9, 300 * MS, 20 * MS, 60 * MS)
    around = replace(left(span(599, 601), span(399, 401)), norms=Norms(residuals={GROUP: norm}))
    late = timed(PLTRST_TO_LIGHT=(1_700, 1))

    assert kinds(disagreements(late, record(), around)) == ["bios-under-reported"]
    assert kinds(disagreements(late, record(), replace(around, wakes={}))) == ["unexplained"]
    again = replace(late, findings=(Finding(FindingKind.DOUBLE_RESET, "Twice."),))
    assert disagreements(again, record(), replace(around, wakes={})) == ()


def test_usual_power_and_room_are_of_the_campaigns_middle(record) -> None:
    def awake(number: int, watts: float | None) -> OutsideCycle:
        power = None if watts is None else CyclePower(awake_w=PowerFigure(watts, 0.1))
        return replace(OUTSIDE, number=number, power=power)

    def around(*watts: float | None) -> Context:
        cycles = [awake(n, each) for n, each in enumerate(watts)]
        return context_of(
            cycles,
            {},
            [],
            requirement=REQUIREMENT,
            reset_to_tsc=BoundedNs(0, 0),
            platform=UNKNOWN_PLATFORM,
        )

    assert around(5.0, None, 9.0, 6.0).awake_w == 6.0
    assert around(None).awake_w is None


def bounded(value_ms: float, bound_ms: float) -> BoundedNs:
    return BoundedNs(round(value_ms * MS), round(bound_ms * MS))


def test_witnesses_are_light_and_bios_beyond_their_scatter(record) -> None:
    def norms(spread_ms: float | None, unusual_ms: float) -> Norms:
        spread_ns = None if spread_ms is None else round(spread_ms * MS)
        return Norms(
            residuals={GROUP: Norm(9, 300 * MS, spread_ns, round(unusual_ms * MS))},
            bios={GROUP: Norm(9, 250 * MS, spread_ns, round(unusual_ms * MS))},
        )

    def found(light_ms: float, spread_ms: float | None = 12, unusual_ms: float = 999) -> Witnesses:
        outside = timed(PLTRST_TO_LIGHT=(light_ms, 1))
        return witnesses_of(outside, record(), norms(spread_ms, unusual_ms))

    as_ever = Span(0, 0)
    # Five spreads, and no less than 50 ms.
    assert found(1_360).light == as_ever
    assert found(1_361).light == span(1, 121)
    assert found(1_239).light == span(-121, -1)
    assert found(1_351, 1).light == span(1, 101)
    assert found(1_350, 1).light == as_ever
    # Where no spread is known, what is unusual.
    assert found(1_400, None, 99).light == span(1, 199)
    assert (found(1_300).bios, found(1_300, 1).bios) == (as_ever, as_ever)
    assert found(1_300, None, 49).bios == as_ever
    assert found(1_300).most_ns == (1_300 + 1 - 200) * MS
    assert found(1_300).least_ns == -201 * MS
    blind = witnesses_of(OUTSIDE, record(bios_init_ms=None), norms(1, 1))
    assert blind == Witnesses(None, None, None, -MS)
    short = witnesses_of(OUTSIDE, record(bios_init_ms=100), norms(12, 999))
    assert short.bios == span(90, 210)


AS_EVER = Span(0, 0)
NO_LESS = -9_000 * MS
USUAL = Witnesses(AS_EVER, AS_EVER, 500 * MS, NO_LESS)


def hides(value_ms: float, bound_ms: float = 20) -> Ring:
    hidden = span(value_ms - bound_ms, value_ms + bound_ms)
    return Ring(hidden, hidden, hidden, hidden, is_seen=True)


def times(*values, witnesses=None, standing=None, parts=None) -> Rings:
    count = len(values) + 1
    own = [hides(v) if isinstance(v, int | float) else v for v in values]
    return Rings(
        [*own, None],
        list(standing or [hides(0, 1_020)] * count),
        [witnesses or USUAL] * count,
        parts or [0] * count,
        {},
        {},
    )


def wide(found) -> dict[int, tuple[float, float]]:
    return {index: (each.value_ns / MS, each.bound_ns / MS) for index, each in found.items()}


def test_a_cycle_whose_clock_was_set_is_taken_out_with_the_next_ones_standing() -> None:
    found = without_steps(times(0, 0, 3_000, 0, 0))

    assert [each is None for each in found.running] == [False, False, True, False, False, True]
    assert [each is None for each in found.standing] == [False, False, False, True, False, False]
    # The clock went back by what the cycle seems to hide.
    assert wide(found.steps) == {2: (-3_000, 40)}


@pytest.mark.parametrize(("off_ms", "named"), [(1_041, True), (1_040, False), (-1_041, True)])
def test_a_step_is_named_beyond_a_second(off_ms: int, named: bool) -> None:
    found = without_steps(times(0, 0, off_ms, 0, 0))

    assert found.running[2] is None
    assert bool(found.steps) is named


def test_a_step_is_named_only_where_the_light_came_as_ever() -> None:
    dark = Witnesses(None, AS_EVER, None, NO_LESS)

    found = without_steps(times(0, 0, 3_000, 0, 0, witnesses=dark))

    assert found.running[2] is None
    assert found.steps == {}


@pytest.mark.parametrize(
    ("witnesses", "is_clock"),
    [
        (Witnesses(span(2_940, 3_060), AS_EVER, None, NO_LESS), False),
        (Witnesses(AS_EVER, span(2_940, 3_060), None, NO_LESS), False),
        (Witnesses(span(3_040, 3_160), None, None, NO_LESS), False),
        (Witnesses(span(3_041, 3_161), None, None, NO_LESS), True),
        (Witnesses(span(-3_060, -2_940), None, None, NO_LESS), True),
    ],
)
def test_what_light_or_bios_tell_too_is_no_step_of_the_clock(witnesses, is_clock) -> None:
    found = without_steps(times(0, 0, 3_000, 0, 0, witnesses=witnesses))

    assert (found.running[2] is None) is is_clock


def test_what_agrees_with_the_others_is_kept() -> None:
    found = without_steps(times(0, 40, 0, 10, -40))

    assert [each is None for each in found.running] == [False] * 5 + [True]


def test_of_too_few_cycles_only_what_the_light_rules_out_is_the_clocks() -> None:
    def kept(value_ms: float, most_ms: float | None) -> bool:
        most_ns = None if most_ms is None else round(most_ms * MS)
        witnesses = Witnesses(None, None, most_ns, NO_LESS)
        few = times(value_ms, 0, witnesses=witnesses, standing=[None] * 3)
        return without_steps(few).running[0] is not None

    # At least 480 ms, where the light leaves 500 or less.
    assert [kept(500, most) for most in (500, 480, 479, None)] == [True, True, False, True]


def test_each_part_of_a_campaign_has_its_own_usual() -> None:
    """A BIOS that was updated hides 700 ms from the fourth cycle on: no clock was set."""
    found = without_steps(times(0, 0, 0, 700, 700, 700, parts=[0, 0, 0, 1, 1, 1, 1]))

    assert [each is None for each in found.running] == [False] * 6 + [True]
    alone = without_steps(times(0, 0, 0, 0, 700, 700, 700))
    assert [each is None for each in alone.running] == [False] * 4 + [True] * 4


def test_an_rtc_that_went_away_from_the_clock_is_told_by_standing() -> None:
    standing = [hides(0, 1_020)] * 4 + [hides(5_000, 1_020)]

    found = without_steps(times(0, 0, 0, 0, standing=standing))

    assert found.standing[4] is None
    assert wide(found.clock_differences) == {4: (5_000, 1_040)}
    assert found.steps == {}
