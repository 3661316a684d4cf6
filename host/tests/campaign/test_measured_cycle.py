"""One cycle, edge by edge: what became of it by its wires, its plan, its commands and its steps."""

from dataclasses import replace
from typing import Any

import pytest

from resume_rig.analysis.cycles.health import FIRST_LINE
from resume_rig.analysis.cycles.light import LightReading
from resume_rig.campaign.plan.plan import Plan, default_plan, override
from resume_rig.campaign.store.measured_cycle import (
    bounds_of,
    hung_after,
    outside_cycle,
    pin_edges,
    with_hang,
)
from resume_rig.campaign.store.raw import Command, CommandName, CycleRaw, Recovery
from resume_rig.model.channel import Actuator, Channel, WakeMeans
from resume_rig.model.dut import RecoveryStep
from resume_rig.model.edge import ClockExchange, Edge
from resume_rig.model.light import LightBasis, LightOnset, OnsetState
from resume_rig.model.os_record import SleepKind
from resume_rig.model.power import PowerMonitor, PowerSamples
from resume_rig.model.result.cycle import (
    HealthReading,
    IntervalName,
    Outcome,
    OutsideCycle,
    OutsideState,
)
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.interface import ChannelInfo, ChannelLatency
from resume_rig.timing.budget import StampFacts
from resume_rig.timing.edge_uncertainty import Ramp
from resume_rig.timing.relation import RateCalibration

from .few_cycles import ONE

S, MS = 1_000_000_000, 1_000_000
BUTTON, LID, LIT = Channel.BUTTON, Channel.LID, Channel.BACKLIGHT
S3, S4, S5 = Channel.SLP_S3, Channel.SLP_S4, Channel.SLP_S5
OK, RST = Channel.PWR_OK, Channel.PLTRST
WIRED = (OK, S3, S4, S5, RST, LIT, BUTTON, LID)
PLAN = override(default_plan(), dwell_ns=5 * S)
PRESS = (Command(CommandName.PRESS, 0, 150 * MS, 5_300 * MS),)
PRESSED = ((BUTTON, 100, 0), (BUTTON, 250, 1))
ASLEEP = ((LIT, 250, 0), (S3, 300, 0), (RST, 301, 0), (OK, 305, 0))
BY_BUTTON = ((BUTTON, 5_300, 0), (BUTTON, 5_450, 1))
BY_LID = ((LID, 5_300, 1),)
AWAKE = ((S3, 5_360, 1), (OK, 5_380, 1), (RST, 5_400, 1), (LIT, 5_500, 1))
DEEP = ((S4, 302, 0), (S4, 5_350, 1))
DEEPEST = (*DEEP, (S5, 303, 0), (S5, 5_345, 1))
HEALTHY = (*PRESSED, *ASLEEP, *BY_BUTTON, *AWAKE)
TRIGGER_NS = 5_300 * MS


def raw_of(
    *changes: tuple[Channel, int, int], commands: tuple[Command, ...] = PRESS, **more: Any
) -> CycleRaw:
    ordered = sorted(changes, key=lambda change: change[1])
    edges = tuple(
        Edge(n, at * MS, channel, level) for n, (channel, at, level) in enumerate(ordered)
    )
    levels = dict.fromkeys(WIRED, 1) | ({LID: 0} if (LID, 5_300, 1) in changes else {})
    return replace(ONE, edges=edges, initial_levels=levels, commands=commands, **more)


@pytest.fixture
def identity(fake: Any) -> Any:
    """A campaign on a board that is a program, whose stamps have no delay."""
    info = fake.identity.rig
    channels = tuple(ChannelInfo(channel, 1_000, 0, 0) for channel in WIRED)
    return replace(fake.identity, rig=replace(info, board="sim", channels=channels), wired=WIRED)


def kinds(cycle: OutsideCycle) -> list[FindingKind]:
    return [finding.kind for finding in cycle.findings]


def test_a_cycle_that_went_as_planned(identity: Any) -> None:
    found = outside_cycle(raw_of(*HEALTHY), PLAN, identity, ignored=True)

    assert (found.outcome, found.state, found.asked) == (
        Outcome.SLEPT_AND_WOKE,
        OutsideState.S3,
        SleepKind.S3,
    )
    assert (found.wake_by, found.trigger_ns) == (Actuator.BUTTON, TRIGGER_NS)
    assert (found.asleep_from_ns, found.awake_from_ns) == (300 * MS, 5_360 * MS)
    assert (found.findings, found.ignored, found.number) == ((), True, 1)
    assert found.intervals[IntervalName.PRESS_TO_SLP_S3].value_ns == 60 * MS
    assert not outside_cycle(raw_of(*HEALTHY), PLAN, identity).ignored
    assert outside_cycle(raw_of(*HEALTHY), PLAN, identity, measured=False).intervals == {}


@pytest.mark.parametrize("name", [CommandName.PRESS, CommandName.OPEN_LID, CommandName.CLOSE_LID])
@pytest.mark.parametrize(
    ("start_ns", "ours"),
    [
        (TRIGGER_NS + 50 * MS, True),
        (TRIGGER_NS + 50 * MS + 1, False),
        (TRIGGER_NS - 3_000 * MS, True),
        (TRIGGER_NS - 3_000 * MS - 1, False),
        (None, True),
    ],
)
def test_a_trigger_is_ours_from_50_ms_before_its_command_to_3_s_after_it(
    identity: Any, name: CommandName, start_ns: int | None, ours: bool
) -> None:
    commands = (Command(name, 0, None, start_ns), Command(CommandName.PRESS, 0, 1, 0))
    found = outside_cycle(raw_of(*HEALTHY, commands=commands), PLAN, identity)

    if ours and name is not CommandName.CLOSE_LID:
        assert (found.outcome, found.findings) == (Outcome.SLEPT_AND_WOKE, ())
        return
    assert found.outcome is Outcome.WOKE_ALONE
    assert found.findings == (
        Finding(
            FindingKind.WAKE_NOT_OURS,
            "Something else woke the DUT: the BUTTON moved, and the rig had not been asked to "
            "move it.",
            {"trigger_ns": TRIGGER_NS},
        ),
    )


def test_a_lid_that_nobody_opened_is_not_ours(identity: Any) -> None:
    edges = (*ASLEEP, *BY_LID, *AWAKE)
    plan = override(PLAN, wake_by=Actuator.LID)
    opened = (Command(CommandName.OPEN_LID, 0, None, TRIGGER_NS),)

    assert outside_cycle(raw_of(*edges, commands=opened), plan, identity).outcome is (
        Outcome.SLEPT_AND_WOKE
    )
    assert outside_cycle(raw_of(*edges, commands=()), plan, identity).outcome is Outcome.WOKE_ALONE


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({"lost_edges": 1}, Outcome.INVALID),
        ({"lost_light": 1}, Outcome.INVALID),
        ({}, Outcome.SLEPT_AND_WOKE),
    ],
)
def test_a_cycle_of_which_something_was_lost_is_invalid(
    identity: Any, more: dict[str, int], outcome: Outcome
) -> None:
    assert outside_cycle(raw_of(*HEALTHY, **more), PLAN, identity).outcome is outcome


RAW_FINDING = Finding(FindingKind.LEASE_EXPIRED, "It was silent.")


@pytest.mark.parametrize("outcome", [Outcome.INTERRUPTED, Outcome.RIG_FAULT, Outcome.INVALID])
@pytest.mark.parametrize(
    ("edges", "blamed"),
    [
        ((*PRESSED, *ASLEEP), FindingKind.NEVER_WOKE),
        (PRESSED, FindingKind.NEVER_SLEPT),
        ((*PRESSED, *ASLEEP, *BY_BUTTON, *AWAKE[:3]), FindingKind.DARK),
        ((*PRESSED, *ASLEEP, *AWAKE), FindingKind.WAKE_NOT_OURS),
    ],
)
def test_what_the_runner_decided_stays_and_blames_no_dut(
    identity: Any, outcome: Outcome, edges: Any, blamed: FindingKind
) -> None:
    plain = outside_cycle(raw_of(*edges, findings=(RAW_FINDING,)), PLAN, identity)
    found = outside_cycle(raw_of(*edges, outcome=outcome, findings=(RAW_FINDING,)), PLAN, identity)

    assert blamed in kinds(plain)
    assert plain.findings[-1] == RAW_FINDING
    assert (found.outcome, found.asked) == (outcome, SleepKind.S3)
    assert kinds(found) == [
        *(k for k in kinds(plain) if k not in {blamed, *kinds(found)[-1:]}),
        (FindingKind.LEASE_EXPIRED),
    ]


@pytest.mark.parametrize(
    ("limit_ns", "late"), [(200 * MS, False), (200 * MS - 1, True), (None, False)]
)
def test_a_wake_is_late_where_its_last_sign_came_after_the_time_out(
    identity: Any, limit_ns: int | None, late: bool
) -> None:
    # A display that blinks later on is no sign of the wake any more.
    edges = (*HEALTHY, (LIT, 8_000, 0), (LIT, 8_500, 1))
    found = outside_cycle(raw_of(*edges, wake_timeout_ns=limit_ns), PLAN, identity)

    assert found.outcome is (Outcome.WOKE_LATE if late else Outcome.SLEPT_AND_WOKE)
    late_findings = [f for f in found.findings if f.kind is FindingKind.WOKE_LATE]
    assert late_findings == (
        [
            Finding(
                FindingKind.WOKE_LATE,
                "The last sign of the wake came 200.0 ms after its trigger; as the cycles before "
                "it went, 200.0 ms are enough.",
                {"woke_after_ns": 200 * MS, "timeout_ns": 200 * MS - 1},
            )
        ]
        if late
        else []
    )


@pytest.mark.parametrize(("limit_ns", "late"), [(500 * MS, False), (500 * MS - 1, True)])
def test_a_timer_that_wakes_is_late_from_when_it_was_due(
    identity: Any, limit_ns: int, late: bool
) -> None:
    commands = (
        Command(CommandName.ARM_TIMER, 0, 1, 1, 9 * S),
        Command(CommandName.ARM_TIMER, 0, 1, 1, 5 * S),
        Command(CommandName.DISARM_TIMER, 0, 1, 1, 7 * S),
    )
    plan = override(PLAN, wake_by=WakeMeans.TIMER)
    raw = raw_of(*PRESSED, *ASLEEP, *AWAKE, commands=commands, wake_timeout_ns=limit_ns)
    found = outside_cycle(raw, plan, identity)

    assert found.outcome is (Outcome.WOKE_LATE if late else Outcome.SLEPT_AND_WOKE)
    early = raw_of(*PRESSED, *ASLEEP, *AWAKE, commands=commands[:1], wake_timeout_ns=limit_ns)
    assert outside_cycle(early, plan, identity).outcome is Outcome.WOKE_ALONE


def test_a_sign_that_came_as_the_timer_was_due_came_in_time(identity: Any) -> None:
    due = (Command(CommandName.ARM_TIMER, 0, 1, 1, 5_360 * MS),)
    lights = ((LIT, 5_360, 1), (LIT, 8_000, 0), (LIT, 8_500, 1))
    raw = raw_of(*PRESSED, *ASLEEP, *AWAKE[:3], *lights, commands=due, wake_timeout_ns=40 * MS)

    found = outside_cycle(raw, override(PLAN, wake_by=WakeMeans.TIMER), identity)
    assert found.outcome is Outcome.SLEPT_AND_WOKE


def shown(plan: Plan, edges: Any, identity: Any) -> tuple[Outcome, OutsideState, list]:
    found = outside_cycle(raw_of(*edges), plan, identity)
    return found.outcome, found.state, [(f.kind, f.text, dict(f.evidence)) for f in found.findings]


WRONG, REBOOTED = FindingKind.WRONG_STATE, FindingKind.REBOOTED


@pytest.mark.parametrize(
    ("asked", "deeper", "outcome", "expected"),
    [
        (SleepKind.S3, (), Outcome.SLEPT_AND_WOKE, []),
        (SleepKind.S4, DEEP, Outcome.SLEPT_AND_WOKE, []),
        (SleepKind.S4, DEEPEST, Outcome.SLEPT_AND_WOKE, []),
        (
            SleepKind.S4,
            (),
            Outcome.SLEPT_SHALLOW,
            [
                (
                    WRONG,
                    "The plan asked for S4, and the wires show S3.",
                    {"asked": "S4", "state_outside": "S3"},
                )
            ],
        ),
        (
            SleepKind.S3,
            DEEP,
            Outcome.SLEPT_AND_WOKE,
            [
                (
                    WRONG,
                    "The plan asked for S3, and the wires show S4.",
                    {"asked": "S3", "state_outside": "S4"},
                )
            ],
        ),
        (
            SleepKind.S3,
            DEEPEST,
            Outcome.REBOOTED,
            [
                (
                    REBOOTED,
                    "The DUT booted instead of resuming: SLP_S5# was low, so it was off and not "
                    "in the S3 that was asked for.",
                    {"state": "S5"},
                )
            ],
        ),
    ],
)
def test_the_state_that_the_wires_show_is_held_against_the_plan(
    identity: Any, asked: SleepKind, deeper: Any, outcome: Outcome, expected: list[Any]
) -> None:
    found = shown(replace(PLAN, state=asked), (*HEALTHY, *deeper), identity)

    assert (found[0], found[2]) == (outcome, expected)


def test_where_no_line_distinguishes_s4_from_s3_nothing_is_wrong(identity: Any) -> None:
    narrow = replace(identity, wired=(OK, S3, RST, LIT, BUTTON))
    outcome, state, findings = shown(replace(PLAN, state=SleepKind.S4), HEALTHY, narrow)

    assert (outcome, state, findings) == (Outcome.SLEPT_AND_WOKE, OutsideState.S3, [])


@pytest.mark.parametrize(
    ("timeout_ns", "outcome"), [(None, Outcome.SLEPT_SHALLOW), (1, Outcome.SLEPT_SHALLOW)]
)
def test_a_shallow_sleep_is_shallow_even_where_its_wake_was_late(
    identity: Any, timeout_ns: int | None, outcome: Outcome
) -> None:
    raw = raw_of(*HEALTHY, wake_timeout_ns=timeout_ns)
    found = outside_cycle(raw, replace(PLAN, state=SleepKind.S4), identity)

    assert found.outcome is outcome
    assert (FindingKind.WOKE_LATE in kinds(found)) is (timeout_ns is not None)


def test_a_display_that_stayed_dark_after_a_shallow_sleep_stays_dark(identity: Any) -> None:
    raw = raw_of(*HEALTHY[:-1])
    found = outside_cycle(raw, replace(PLAN, state=SleepKind.S4), identity)

    assert found.outcome is Outcome.DARK
    assert FindingKind.WRONG_STATE in kinds(found)


def test_a_standby_that_went_on_to_s4_is_a_doze(identity: Any) -> None:
    plan = replace(PLAN, state=SleepKind.MODERN_STANDBY)
    late = tuple((c, 3_000 + t if t < 1_000 else t, v) for c, t, v in (*ASLEEP[1:], *DEEP))
    edges = (*PRESSED, ASLEEP[0], (Channel.LED, 400, 0), *late, *BY_BUTTON, *AWAKE)
    lit = replace(identity, wired=(*WIRED, Channel.LED))

    found = outside_cycle(raw_of(*edges), plan, lit)

    (finding,) = [f for f in found.findings if f.kind is FindingKind.DOZED]
    assert found.outcome is Outcome.SLEPT_AND_WOKE
    assert (found.asleep_from_ns, found.hibernated_from_ns) == (250 * MS, 3_300 * MS)
    assert finding.text == (
        "The sleep began as Modern Standby and became S4 after 3.050 s (doze to hibernate)."
    )
    assert finding.evidence == {"s4_after_ns": 3_050 * MS}
    assert FindingKind.WRONG_STATE not in kinds(found)


@pytest.mark.parametrize(("dwell_ns", "early_ns"), [(6 * S, 940 * MS), (5 * S, 0)])
def test_a_wake_that_nobody_asked_for_is_early_by_what_the_dwell_lacks(
    identity: Any, dwell_ns: int, early_ns: int
) -> None:
    plan = replace(PLAN, dwell_ns=dwell_ns)
    found = outside_cycle(raw_of(*PRESSED, *ASLEEP, *AWAKE), plan, identity)

    (finding,) = [f for f in found.findings if f.kind is FindingKind.WAKE_NOT_OURS]
    assert found.outcome is Outcome.WOKE_ALONE
    assert (finding.evidence["asleep_ns"], finding.evidence["early_ns"]) == (5_060 * MS, early_ns)


@pytest.mark.parametrize(
    ("by", "name"),
    [
        (Actuator.KEYBOARD, CommandName.PRESS_KEY),
        (Actuator.CONTACT, CommandName.CLOSE_CONTACT),
    ],
)
def test_a_wake_that_no_wire_shows_counts_from_its_last_command(
    identity: Any, by: Actuator, name: CommandName
) -> None:
    commands = (Command(name, 0, 1, 1 * S), Command(name, 0, 1, 5_310 * MS), *PRESS)
    plan = override(PLAN, wake_by=by)
    found = outside_cycle(raw_of(*PRESSED, *ASLEEP, *AWAKE, commands=commands), plan, identity)

    assert (found.outcome, found.wake_by, found.trigger_ns) == (
        Outcome.SLEPT_AND_WOKE,
        by,
        5_310 * MS,
    )
    without = raw_of(*PRESSED, *ASLEEP, *AWAKE, commands=PRESS)
    assert outside_cycle(without, plan, identity).wake_by is None
    nobody = raw_of(*PRESSED, *ASLEEP, commands=())
    assert outside_cycle(nobody, plan, identity).outcome is Outcome.INTERRUPTED


def exchanges(*host_s: float) -> tuple[ClockExchange, ...]:
    """Exchanges of 2 us with a board whose clock began 1 s before the host's."""
    stamps = [round(at * S) for at in host_s]
    return tuple(ClockExchange(at, at + S + 1_000, at + S + 1_000, at + 2_000) for at in stamps)


def test_a_packet_counts_from_the_middle_of_when_it_left(identity: Any) -> None:
    plan = override(PLAN, wake_by=WakeMeans.LAN)

    def woken(took_ns: int | None, *made: ClockExchange) -> OutsideCycle:
        commands = (Command(CommandName.SEND_PACKET, 4_310 * MS, took_ns),)
        edges = (*PRESSED, *ASLEEP, *AWAKE)
        return outside_cycle(raw_of(*edges, commands=commands, exchanges=made), plan, identity)

    both = exchanges(4, 5)
    at_once, slowly = woken(0, *both), woken(8_000_000, *both)
    assert at_once.trigger_ns == pytest.approx(5_310 * MS, abs=2_000)
    assert slowly.trigger_ns == pytest.approx(5_314 * MS, abs=2_000)
    name = IntervalName.PRESS_TO_SLP_S3
    assert at_once.intervals[name].bound_ns < 2 * MS
    wider = slowly.intervals[name].bound_ns - at_once.intervals[name].bound_ns
    assert wider == pytest.approx(4_000_000, abs=20_000)
    assert woken(None, *both) == at_once
    assert woken(0).trigger_ns is None
    assert woken(2 * S, *both).trigger_ns is None
    assert woken(0, *exchanges(5, 6)).trigger_ns is None


def test_a_calibration_corrects_intervals_and_no_moment(identity: Any) -> None:
    raw = raw_of(*HEALTHY)
    plain = outside_cycle(raw, PLAN, identity)
    found = outside_cycle(
        raw, PLAN, identity, calibration=RateCalibration(1_000_000, 500, "a reference")
    )

    assert found.trigger_ns == plain.trigger_ns
    assert found.intervals.keys() == plain.intervals.keys()
    for name, each in plain.intervals.items():
        true = found.intervals[name]
        assert true.value_ns == round(each.value_ns / 1.001)
        # 30 ppm of the tolerance are 0.5 ppm of the calibration.
        assert each.bound_ns - true.bound_ns == pytest.approx(each.value_ns * 29.5e-6, abs=2)


def test_bounds_that_are_given_stand_in_the_place_of_the_boards(identity: Any) -> None:
    wide = replace(bounds_of(identity.rig), rate_ppb=1_000_000)
    raw, name = raw_of(*HEALTHY), IntervalName.PRESS_TO_SLP_S3
    plain = outside_cycle(raw, PLAN, identity).intervals[name]
    found = outside_cycle(raw, PLAN, identity, bounds=wide).intervals[name]

    assert found.bound_ns - plain.bound_ns == pytest.approx(60 * MS * 970e-6, abs=2)


def test_pins_are_those_of_wired_channels_with_their_delays_subtracted(identity: Any) -> None:
    channels = tuple(
        replace(info, delay_ns=2 * MS if info.channel is S3 else 0)
        for info in identity.rig.channels
    )
    slow = replace(identity, rig=replace(identity.rig, channels=channels), wired=(S3, OK))
    edges = pin_edges(raw_of((OK, 300, 0), (S3, 301, 0), (LIT, 302, 0)), slow)

    assert [(e.channel, e.t_ns) for e in edges] == [(S3, 299 * MS), (OK, 300 * MS)]


@pytest.mark.parametrize(
    ("delay_ns", "latency", "facts"),
    [
        (0, None, StampFacts(1_000, 7, "irq", None, 0, 0, states_front_end=False)),
        (1, None, StampFacts(1_000, 7, "irq", None, 0, 1, states_front_end=True)),
        (50, (50, 3, 9), StampFacts(1_000, 7, "irq", 3, 9, 50, states_front_end=False)),
        (51, (50, 3, 9), StampFacts(1_000, 7, "irq", 3, 9, 51, states_front_end=True)),
        (0, (-5, 3, 9), StampFacts(1_000, 7, "irq", 3, 9, 0, states_front_end=False)),
    ],
)
def test_what_a_board_states_of_its_stamps(
    identity: Any, delay_ns: int, latency: tuple[int, int, int] | None, facts: StampFacts
) -> None:
    measured = None if latency is None else ChannelLatency(OK, *latency, count=100)
    info = ChannelInfo(OK, 1_000, delay_ns, 7, measured)
    bounds = bounds_of(replace(identity.rig, channels=(info,), edge_source="irq"))

    assert bounds.stamps == {OK: facts}
    assert bounds.rate_ppb == 30_000
    none = bounds_of(replace(identity.rig, channels=(info,), edge_source=None))
    assert none.stamps[OK].edge_source == ""


def test_a_dut_states_how_its_power_rises_and_what_presses_it(identity: Any) -> None:
    plain = bounds_of(identity.rig)
    assert plain.pwr_ok_ramp == (0, 10_000_000, "ATX T4, 10 ms at most")
    assert plain.press_definition_ns == 20_000
    dut: Any = replace(
        load_dut_profile("healthy-laptop"), pwr_ok_rise_max_ns=None, pressed_by="rig"
    )
    assert bounds_of(identity.rig, dut) == plain
    slow = bounds_of(identity.rig, replace(dut, pwr_ok_rise_max_ns=3))
    assert slow == replace(plain, pwr_ok_ramp=Ramp(0, 3, "the DUT profile"))
    by_hand = bounds_of(identity.rig, replace(dut, pressed_by="finger"))
    assert by_hand == replace(plain, press_definition_ns=5_000_000)


def test_light_is_that_of_the_record_unless_it_is_given(identity: Any) -> None:
    onset = LightOnset(OnsetState.OK, 5_490 * MS, 5_492 * MS, 5_494 * MS, 20_000, 40.0, 1.0, 2_600)
    raw = raw_of(*HEALTHY, onset=replace(onset, level_counts=2_600.0))
    later = LightReading(replace(onset, half_ns=5_493 * MS, level_counts=2_600.0))

    def lit(light: LightReading | None) -> int:
        found = outside_cycle(raw, PLAN, identity, light=light)
        assert found.light_basis is LightBasis.HALF
        return found.intervals[IntervalName.PRESS_TO_LIGHT].value_ns

    assert lit(later) - lit(None) == 1 * MS


@pytest.mark.parametrize(
    ("board", "is_program"),
    [
        ("sim", True),
        ("native_sim", True),
        ("native_sim/native/64", True),
        ("qemu_cortex_m3", True),
        ("mps2/an385", True),
        ("nucleo_g474re/stm32g474xx", False),
        ("simulator", False),
    ],
)
def test_a_board_that_is_a_program_has_no_front_end(
    identity: Any, board: str, is_program: bool
) -> None:
    assert (bounds_of(replace(identity.rig, board=board)).front_end is None) is is_program


HEALTH = f"{FIRST_LINE}\nboot\tb1\nend\n"


def test_health_counts_from_the_wakes_trigger(identity: Any) -> None:
    readings = tuple(
        HealthReading(after, begun, begun + 20 * MS, HEALTH)
        for after, begun in ((False, 100), (True, 4_800 * MS))
    )
    raw = raw_of(*HEALTHY, exchanges=exchanges(-1, 4, 6), health=readings)

    found = outside_cycle(raw, PLAN, identity).health
    assert found is not None
    # The host's 4.82 s are the board's 5.82 s, 520 ms after the trigger.
    assert found.answered_by_ns == pytest.approx(520 * MS, abs=60_000)
    assert found.took_ns == 40 * MS
    assert outside_cycle(raw, PLAN, identity, measured=False).health is None
    assert outside_cycle(replace(raw, health=()), PLAN, identity).health is None
    unrelated = outside_cycle(replace(raw, exchanges=()), PLAN, identity).health
    assert unrelated is not None
    assert unrelated.answered_by_ns is None


def test_power_is_that_of_the_monitor_and_of_the_samples(identity: Any) -> None:
    monitor = PowerMonitor(1_000, 2 * MS, 2 * MS, 10_000, 5_000)
    count = 3_000
    samples = PowerSamples(
        tuple(n * 2 * MS for n in range(count)), (10_000_000,) * count, (500_000,) * count
    )
    metered = replace(identity, rig=replace(identity.rig, power=monitor))

    found = outside_cycle(raw_of(*HEALTHY, power=samples, lost_power=3), PLAN, metered).power
    assert found is not None
    assert found.asleep_w is not None
    assert (found.asleep_w.value, found.lost) == (pytest.approx(5.0), 3)
    assert outside_cycle(raw_of(*HEALTHY, power=samples), PLAN, identity).power is None
    assert outside_cycle(raw_of(*HEALTHY), PLAN, metered).power is None


RUNS = {S3: 1, OK: 1, RST: 1}


def step(**more: Any) -> Recovery:
    edges = (Edge(1, 5, BUTTON, 0), Edge(2, 6, BUTTON, 1))
    return replace(
        Recovery(1, 1, "why", False, (), edges, RecoveryStep.PRESS, dict.fromkeys(RUNS, 0)), **more
    )


def hung(outcome: Outcome, *steps: Recovery, wired: Any = tuple(RUNS)) -> OutsideCycle:
    cycle = OutsideCycle(1, outcome, OutsideState.S3, None, None, None, None, {})
    return with_hang(cycle, steps, wired)


@pytest.mark.parametrize(
    ("levels", "wired", "expected"),
    [
        ({S3: 0, OK: 0, RST: 0}, (S3, OK, RST), Outcome.HUNG_IN_SLEEP),
        ({S3: 0}, (S3,), Outcome.HUNG_IN_SLEEP),
        ({OK: 0}, (OK,), Outcome.HUNG_IN_SLEEP),
        ({S3: 1, OK: 0, RST: 0}, (S3, OK, RST), Outcome.NEVER_WOKE),
        ({S3: 0, OK: 1, RST: 1}, (S3, OK, RST), Outcome.NEVER_WOKE),
        ({S3: 1, OK: 1, RST: 0}, (S3, OK, RST), Outcome.HUNG_IN_RESUME),
        ({S3: 1, OK: 1, RST: 1}, (S3, OK, RST), Outcome.HUNG_IN_RESUME),
        ({RST: 0}, (RST,), Outcome.HUNG_IN_RESUME),
    ],
)
def test_where_a_dut_hangs_is_shown_by_its_power_lines(
    levels: dict[Channel, int], wired: tuple[Channel, ...], expected: Outcome
) -> None:
    found = hung(Outcome.NEVER_WOKE, step(levels=levels), wired=wired)

    where = {Outcome.HUNG_IN_SLEEP: "in its sleep", Outcome.HUNG_IN_RESUME: "in its resume"}
    assert found.outcome is expected
    assert [f.text for f in found.findings] == (
        [f"The DUT hung {where[expected]}: one more press reached it, and changed nothing."]
        if expected in where
        else []
    )


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([step(edges=(Edge(1, 5, BUTTON, 1),))], Outcome.NEVER_WOKE),
        ([step(edges=(Edge(1, 5, LID, 0),))], Outcome.NEVER_WOKE),
        ([step(edges=(*step().edges, Edge(3, 7, LIT, 1)))], Outcome.HUNG_IN_SLEEP),
        ([step(edges=(*step().edges, Edge(3, 7, RST, 1)))], Outcome.NEVER_WOKE),
        ([step(ok=True), step()], Outcome.HUNG_IN_SLEEP),
        ([step(step=RecoveryStep.ASK), step()], Outcome.NEVER_WOKE),
        ([step(step=RecoveryStep.WAIT), step()], Outcome.HUNG_IN_SLEEP),
        ([], Outcome.NEVER_WOKE),
    ],
)
def test_a_press_proves_a_hang_where_it_reached_the_dut_and_changed_no_power_line(
    steps: list[Recovery], expected: Outcome
) -> None:
    assert hung(Outcome.NEVER_WOKE, *steps).outcome is expected


def test_the_newest_cycle_hung_by_the_steps_after_it_alone() -> None:
    newest = OutsideCycle(1, Outcome.NEVER_WOKE, OutsideState.S3, None, None, None, None, {})
    steps = (step(after_cycle=2), step(levels=RUNS))

    found = hung_after(newest, steps, tuple(RUNS))
    assert found is not None
    assert found.outcome is Outcome.HUNG_IN_RESUME
    assert hung_after(None, steps, tuple(RUNS)) is None
    assert hung_after(newest, steps[:1], tuple(RUNS)) is None
    assert hung_after(found, steps, tuple(RUNS)) is None
