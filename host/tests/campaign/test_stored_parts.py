"""A stored campaign, part by part: its progress, its cycles read again, its clocks."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.plan.plan import NO_RULES, Plan, StopRules, Vary, default_plan, override
from resume_rig.campaign.store.clock import CampaignClock, utc_alone
from resume_rig.campaign.store.raw import (
    Command,
    CommandName,
    CycleRaw,
    LogMark,
    LogState,
    Recovery,
    Session,
)
from resume_rig.campaign.store.read_back import (
    PlanProgress,
    clock_of,
    light_of,
    load_campaign,
    overview_of,
    progress_of,
    recorded_cycle,
    recorded_cycles,
    timed_campaign,
    with_record_texts,
    without_text,
)
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import RecoveryStep
from resume_rig.model.edge import ClockExchange, Edge, LightBlock
from resume_rig.model.errors import RecordError
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.model.os_record import Figure, Integrity, LogSource, OsRecord, WakeSource
from resume_rig.model.result.cycle import (
    Outcome,
    OutsideCycle,
    OutsideState,
    ReconciledCycle,
)
from resume_rig.model.result.verdict import Finding, FindingKind, Verdict
from resume_rig.timing.hull import board_limits
from resume_rig.timing.relation import calibrate, relate
from resume_rig.timing.wall_clock import HostDiscipline, WallClock

from .few_cycles import ONE, WOKE, change, cycle, make, record

S, MS = 1_000_000_000, 1_000_000
DARK, CUT = Outcome.DARK, Outcome.INTERRUPTED
S3, OK, RST, LIT, BUTTON = (
    Channel.SLP_S3,
    Channel.PWR_OK,
    Channel.PLTRST,
    Channel.BACKLIGHT,
    Channel.BUTTON,
)


@pytest.mark.parametrize(
    ("done", "ended_by", "to_show", "left", "rule"),
    [
        (4, None, "", None, None),
        (5, None, "", None, None),
        (3, None, "", "The plan is not done: 3 of 4 cycles; the answer is of these alone.", None),
        (3, "x", "", None, "Ended by a rule of its plan before the last cycle: x."),
        (4, "x", "", None, None),
        (4, None, "y", None, "Not shown by all of the plan's cycles: y."),
        (5, None, "y", None, "Not shown by all of the plan's cycles: y."),
        (3, None, "y", "The plan is not done: 3 of 4 cycles; the answer is of these alone.", None),
        (4, "x", "y", None, None),
    ],
)
def test_where_a_campaign_stands(
    done: int, ended_by: str | None, to_show: str, left: str | None, rule: str | None
) -> None:
    progress = PlanProgress(done, 4, ended_by, to_show)
    assert (progress.left, progress.rule) == (left, rule)


def planned(bench: Any, plan: Plan, *cycles: CycleRaw, steps: Iterable[Recovery] = ()) -> Path:
    make(bench)
    bench.path.unlink()
    with Store.create(bench.path, bench.identity, plan) as store:
        store.begin_session(Session(1, 2, 5, bench.identity.host, "0", None))
        for each in cycles:
            store.commit_cycle(each)
        for step in steps:
            store.commit_recovery(step)
    return bench.path


@pytest.mark.parametrize(
    ("stop", "ended_by"),
    [
        (NO_RULES, None),
        (StopRules(failures=1), "1 cycle failed, and the plan stops at 1"),
        (StopRules(failures=2), None),
        (
            StopRules(recoveries=2),
            "the DUT had to be brought back 2 times, and the plan stops at 2",
        ),
        (StopRules(recoveries=3), None),
        (
            StopRules(time_ns=2 * S),
            "2.000 s were spent in cycles, and the plan ends after that",
        ),
        (StopRules(time_ns=2 * S + 1), None),
    ],
)
def test_a_rule_of_the_plan_ends_a_campaign(
    fake: Any, stop: StopRules, ended_by: str | None
) -> None:
    steps = [Recovery(1, n, "x", False, (), ()) for n in (1, 1, 2)]
    plan = replace(default_plan(), stop=stop)
    cycles = (cycle(1, CUT, S), cycle(2, WOKE, S // 2), cycle(3, DARK, S // 2))
    planned(fake, plan, *cycles, steps=steps)
    with Store.open(fake.path) as store:
        found = progress_of(store)
    assert (found.done, found.cycles, found.to_show) == (2, 4, stop.rate_words())
    assert found.ended_by == ended_by


RECORDS = (record(1), record(2), record(3))
FINDING = Finding(FindingKind.LEASE_EXPIRED, "It was silent.")


@pytest.fixture
def four(fake: Any) -> Path:
    """Cycles 1, 2, 4 and 7 with 1, 0, 2 and 0 OS records."""
    return make(
        fake,
        cycle(1, records=RECORDS[:1], light=(LightBlock(1, 2, 3, 4, 5),)),
        cycle(2, DARK, findings=(FINDING,)),
        cycle(4, records=RECORDS[1:]),
        cycle(7, findings=(FINDING, FINDING)),
    )


def numbers(cycles: Iterable[CycleRaw]) -> list[int]:
    return [raw.number for raw in cycles]


def test_a_store_is_read_back_without_its_light(fake: Any, four: Path) -> None:
    stored = load_campaign(four)

    assert (stored.outcomes, stored.salvaged) == ({WOKE: 3, DARK: 1}, None)
    assert stored.findings == ((2, FINDING), (7, FINDING), (7, FINDING))
    assert stored.reading.records == RECORDS
    assert stored.reading.sources == ()
    assert stored.progress == PlanProgress(4, 4, None)
    assert (stored.identity, stored.plan) == (fake.identity, default_plan())
    cycles = stored.cycles
    assert len(cycles) == 4
    assert numbers(cycles) == [1, 2, 4, 7]
    counts = [1, 0, 2, 0]
    assert [len(raw.records) for raw in cycles] == counts
    assert [len(cycles[place].records) for place in range(4)] == counts
    assert [raw.records for raw in cycles][2] == cycles[2].records == RECORDS[1:]
    assert all(len(raw.light) == 0 for raw in cycles)
    assert (cycles[-1].number, cycles[-3].number) == (7, 2)
    assert numbers(cycles[1:3]) == [2, 4]
    assert numbers(cycles[::-2]) == [7, 2]
    assert cycles[4:] == ()
    for place in (4, -5):
        with pytest.raises(IndexError):
            cycles[place]


def test_the_log_of_a_campaign_is_that_of_its_newest_session(fake: Any) -> None:
    make(fake)
    names = ("first", "second", None)
    with Store.resume(fake.path) as store:
        for number, name in enumerate(names, start=2):
            log = LogState(LogSource(str(name), "x", None, 0, Integrity(True)), LogMark())
            kept = None if name is None else log
            store.begin_session(Session(number, 2, 5, "host", "0", kept))
    (source,) = load_campaign(fake.path).reading.sources
    assert source.path == "second"


def test_an_empty_store_is_read_back_empty(fake: Any) -> None:
    stored = load_campaign(make(fake))
    fake.path.unlink()
    assert list(stored.cycles) == []
    assert len(stored.cycles) == 0


def test_what_is_added_meanwhile_is_in_no_sequence(four: Path) -> None:
    cycles = load_campaign(four).cycles
    with Store.resume(four) as store:
        store.commit_cycle(cycle(9, records=RECORDS))
    assert numbers(cycles) == [1, 2, 4, 7]
    with Store.resume(four) as store:
        store.commit_cycle(cycle(3))
    with pytest.raises(RecordError) as refused:
        list(cycles)
    assert str(refused.value) == (
        f"could not read the store {four} again: found 5 cycles up to cycle 7, where 4 were before"
    )


def test_what_is_gone_meanwhile_is_said(four: Path) -> None:
    cycles = load_campaign(four).cycles
    change(four, "DELETE FROM cycle WHERE number IN (2, 4)")
    with pytest.raises(RecordError) as refused:
        list(cycles)
    assert str(refused.value) == (
        f"could not read the store {four} again: found 2 cycles up to cycle 7, where 4 were before"
    )
    for ask in (lambda: cycles[1], lambda: cycles[:3]):
        with pytest.raises(RecordError) as refused:
            ask()
        assert str(refused.value) == f"could not read the store {four} again: cycle 2 is gone"
    assert cycles[0].number == 1


def test_a_record_without_its_text_has_all_else() -> None:
    source = WakeSource(5, "device", "keyboard")
    full = replace(
        RECORDS[0],
        text="<Event/>",
        figures=(Figure("a", 1.0), Figure("b", 1)),
        wake_source=source,
        sleep_ms=1,
        wake_ms=2,
        driver_init_ms=3,
        bios_init_ms=4,
        firmware_resume_ms=5,
        firmware_resume_count=6,
        os_build=7,
    )
    bare = without_text(full)
    assert bare == replace(full, text="")
    assert [type(each.value) for each in bare.figures] == [float, int]
    again = without_text(replace(full, wake_source=replace(source)))
    assert again.wake_source is bare.wake_source
    assert again.figures[0] is bare.figures[0]


@pytest.mark.parametrize("vary", [False, True])
def test_an_overview_has_one_entry_a_cycle(fake: Any, vary: bool) -> None:
    plan = override(default_plan(), cycles=5)
    if vary:
        plan = replace(plan, vary=(Vary("sleep_by", (Actuator.BUTTON, Actuator.LID)),))
    planned(fake, plan, cycle(1, took_ns=3), cycle(2, DARK), cycle(4, took_ns=0))
    with Store.open(fake.path) as store:
        found = overview_of(store)
    assert found.numbers.tolist() == [1, 2, 4]
    assert found.outcomes == (WOKE, DARK, WOKE)
    assert found.took_ns.tolist() == [3, 7, 0]
    ways = ("BUTTON", "LID", "BUTTON") if vary else ("BUTTON",) * 3
    assert found.planned == tuple(("S3", by, "BUTTON") for by in ways)


# A board whose clock is 7 s ahead of the host's, and a wall clock 1,000 s ahead of that.
AHEAD_NS, WALL_NS = 7 * S, 1_000 * S
RATE = 20e-6


def board(host_ns: float, rate: float = 0.0) -> int:
    return round(AHEAD_NS + host_ns * (1 + rate))


def timed(
    number: int,
    start_s: float,
    *changes: tuple[Channel, float, int],
    rate: float = 0.0,
    **more: Any,
) -> CycleRaw:
    """Return a cycle of 10 s; its edges are seconds of the host's clock after its start."""
    start = round(start_s * S)

    def exchange(host_ns: int) -> ClockExchange:
        at = board(host_ns + 1_000, rate)
        return ClockExchange(host_ns, at, at, host_ns + 2_000)

    edges = tuple(
        Edge(n, board(start + round(at * S), rate), channel, level)
        for n, (channel, at, level) in enumerate(changes)
    )
    facts = {
        "edges": edges,
        "exchanges": tuple(exchange(start + at * S) for at in (0, 3, 6, 10)),
        "utc_minus_host_ns": WALL_NS,
        "started_host_ns": start,
        "ended_host_ns": start + 10 * S,
        "initial_levels": dict.fromkeys((OK, S3, RST, LIT, BUTTON), 1),
        "commands": (Command(CommandName.PRESS, 0, 1, board(start + 7 * S, rate)),),
    }
    return replace(ONE, number=number, **(facts | more))


NIGHT = (
    *((BUTTON, 1.0, 0), (BUTTON, 1.15, 1), (LIT, 1.2, 0), (S3, 1.3, 0), (RST, 1.301, 0)),
    *((OK, 1.305, 0), (BUTTON, 7.0, 0), (S3, 7.06, 1), (OK, 7.08, 1), (RST, 7.1, 1)),
    *((BUTTON, 7.15, 1), (LIT, 7.3, 1)),
)
EXACT = HostDiscipline(True, 500, "a reference")


def test_a_cycle_by_itself_has_a_wall_time_of_its_own(fake: Any) -> None:
    raw = timed(1, 5, *NIGHT)
    rig = fake.identity.rig
    found = utc_alone(raw, board(12 * S), rig)
    assert found is not None
    assert abs(found.value_ns - (WALL_NS + 12 * S)) <= found.bound_ns < 10 * MS
    assert utc_alone(raw, board(16 * S), rig) is None
    assert utc_alone(replace(raw, exchanges=()), board(12 * S), rig) is None


def clock(
    fake: Any,
    cycles: list[CycleRaw],
    discipline: HostDiscipline | None = EXACT,
    trusted: tuple[int, ...] = (1,),
) -> CampaignClock:
    return CampaignClock(cycles, fake.identity.rig, discipline, frozenset(trusted))


def night(rate: float = RATE, count: int = 12, every_s: int = 300) -> list[CycleRaw]:
    return [timed(n, every_s * n, *NIGHT, rate=rate) for n in range(1, count + 1)]


@pytest.mark.parametrize("rate", [RATE, -RATE, 0.0])
def test_the_rate_of_a_board_is_that_between_its_first_and_last_cycle(
    fake: Any, rate: float
) -> None:
    cycles = night(rate)
    found = clock(fake, cycles)
    summary = found.summary([5_000, 7_000, 6_000])

    first, last = cycles[0].exchanges[0].board_rx_ns, cycles[-1].exchanges[0].board_rx_ns
    start, end = found.utc_ns(cycles[0], first), found.utc_ns(cycles[-1], last)
    assert start is not None
    assert end is not None
    true_ns, bound_ns = end.value_ns - start.value_ns, end.bound_ns + start.bound_ns
    assert summary.rate_ppb == round(((last - first) / true_ns - 1) * 1e9)
    assert summary.bound_ppb == bound_ns * 10**9 // (true_ns - bound_ns) + 1 + 500
    assert abs(summary.rate_ppb - rate * 1e9) <= summary.bound_ppb
    assert (summary.tolerance_ppb, summary.source, summary.breaks) == (30_000, "a reference", ())
    assert (summary.cycle_bound_ppb, summary.corrected) == (7_000, 3)
    for raw in cycles:
        each = found.calibration(raw)
        assert each is not None
        assert abs(each.rate_ppb - rate * 1e9) <= each.bound_ppb < 30_000
        assert each.source == "a reference"
        middle = raw.edges[5].t_ns
        utc = found.utc_ns(raw, middle)
        assert utc is not None
        host_ns = (middle - AHEAD_NS) / (1 + rate)
        assert abs(utc.value_ns - WALL_NS - host_ns) <= utc.bound_ns < MS


@pytest.mark.parametrize(
    ("discipline", "trusted"),
    [
        (None, (1,)),
        (replace(EXACT, synchronised=False), (1,)),
        (replace(EXACT, synchronised=None), (1,)),
        (EXACT, ()),
        (EXACT, (2,)),
    ],
)
def test_a_wall_clock_that_nobody_keeps_right_measures_no_rate(
    fake: Any, discipline: HostDiscipline | None, trusted: tuple[int, ...]
) -> None:
    cycles = night()
    found = clock(fake, cycles, discipline, trusted)
    summary = found.summary([])
    assert (summary.rate_ppb, summary.bound_ppb, summary.cycle_bound_ppb) == (None, None, None)
    assert summary.corrected == 0
    assert found.calibration(cycles[3]) is None
    assert summary.source == (
        "a host whose time source the store does not name" if discipline is None else "a reference"
    )


def test_without_edges_or_exchanges_a_cycle_has_no_rate(fake: Any) -> None:
    cycles = night()
    cycles[2] = replace(cycles[2], edges=())
    cycles[4] = replace(cycles[4], exchanges=())
    found = clock(fake, cycles)
    assert [found.calibration(raw) is None for raw in cycles[:4]] == [False, False, True, False]
    one = clock(fake, cycles[:1])
    assert one.summary([]).rate_ppb is None
    assert clock(fake, [replace(raw, exchanges=()) for raw in cycles]).summary([]).rate_ppb is None
    # The first and the last cycle that have exchanges.
    ends = [replace(cycles[0], exchanges=()), *cycles[1:11], replace(cycles[11], exchanges=())]
    longer, shorter = found.summary([]).bound_ppb, clock(fake, ends).summary([]).bound_ppb
    assert longer is not None
    assert shorter is not None
    assert longer < shorter


def test_a_break_of_any_clock_leaves_no_mean_rate(fake: Any) -> None:
    cycles = night()
    stepped = [replace(raw, utc_minus_host_ns=WALL_NS + S * (raw.number > 6)) for raw in cycles]
    assert clock(fake, stepped).summary([]).rate_ppb is None
    asleep = [
        replace(
            raw,
            exchanges=tuple(
                e._replace(board_rx_ns=e.board_rx_ns + S, board_tx_ns=e.board_tx_ns + S)
                for e in raw.exchanges
            ),
        )
        if raw.number > 6
        else raw
        for raw in cycles
    ]
    summary = clock(fake, asleep).summary([])
    assert summary.rate_ppb is None
    assert len(summary.breaks) == 1
    assert "the host's clock stood still for" in summary.breaks[0]


def test_the_closest_mean_of_all_runs_is_reported(fake: Any) -> None:
    long, short = night(count=12), [replace(raw, boot_id=6) for raw in night(count=4)]
    other = [replace(raw, session=2) for raw in night(count=20)]
    alone = clock(fake, long).summary([])
    assert clock(fake, [*short, *long, *other]).summary([]) == alone
    assert clock(fake, [*short, *long, *other], trusted=(1, 2)).summary([]) != alone


def test_exchanges_that_cannot_be_cost_the_wall_time_alone(fake: Any) -> None:
    cycles = night()
    broken = cycles[0].exchanges[1]
    wrong = broken._replace(host_rx_ns=broken.host_tx_ns - 1)
    cycles[0] = replace(cycles[0], exchanges=(wrong,))
    found = clock(fake, cycles)
    assert all(found.utc_ns(raw, raw.edges[0].t_ns) is None for raw in cycles)
    assert found.calibration(cycles[3]) is None


def test_a_slewed_wall_clock_corrects_no_cycle_that_it_slews_in(fake: Any) -> None:
    cycles = [
        replace(raw, utc_minus_host_ns=WALL_NS + max(0, raw.number - 8) * 9_000_000)
        for raw in night()
    ]
    found = clock(fake, cycles)
    calibrated = [found.calibration(raw) is not None for raw in cycles]
    assert calibrated[:7] == [True] * 7
    assert not any(calibrated[8:])


def test_a_wall_clock_that_runs_fast_all_the_time_is_not_slewed(fake: Any) -> None:
    fast = [
        replace(raw, utc_minus_host_ns=WALL_NS + round(raw.started_host_ns * 40e-6))
        for raw in night(60e-6)
    ]
    found = clock(fake, fast)
    for raw in fast:
        each = found.calibration(raw)
        assert each is not None
        assert abs(each.rate_ppb - 20_000) <= each.bound_ppb + 10


def test_a_calibration_is_of_both_clocks_all_through_the_cycle(fake: Any) -> None:
    cycles = night()
    relation = relate((e for raw in cycles for e in raw.exchanges), board_limits(30_000, 1_000_000))
    wall = WallClock()
    for raw in cycles:
        wall.add(raw.started_host_ns, WALL_NS)
    found = clock(fake, cycles)
    for raw in cycles:
        rates = relation.rates(raw.edges[0].t_ns, raw.edges[-1].t_ns)
        assert rates is not None
        start = raw.started_host_ns
        expected = calibrate(
            rates,
            wall.rates(start, start + 10 * S, start),
            wall_ppb=500,
            tolerance_ppb=30_000,
            source="a reference",
        )
        assert found.calibration(raw) == expected


def test_a_rate_is_of_all_the_time_between_the_edges(fake: Any) -> None:
    cycles = night(0.0, count=3)
    early = Edge(0, cycles[0].exchanges[0].board_rx_ns - 1, S3, 1)
    late = Edge(99, cycles[2].exchanges[-1].board_rx_ns + 1, S3, 1)
    assert all(clock(fake, cycles).calibration(raw) is not None for raw in cycles)
    cycles[0] = replace(cycles[0], edges=(early, *cycles[0].edges))
    cycles[2] = replace(cycles[2], edges=(*cycles[2].edges, late))
    found = clock(fake, cycles)
    assert [found.calibration(raw) is None for raw in cycles] == [True, False, True]


def test_each_cycle_is_timed_by_the_plan_and_its_clock(fake: Any) -> None:
    fake.identity = replace(fake.identity, host_clock=EXACT)
    cycles = night(count=6)
    cycles[0] = replace(cycles[0], outcome=CUT)
    plan = replace(default_plan(), cycles=9, warm_up=2)
    stored = load_campaign(planned(fake, plan, *cycles))

    found = timed_campaign(stored)

    assert [each.outside.ignored for each in found.cycles] == [False, True, True, *[False] * 3]
    assert len(found.calibrations) == 6
    assert found.board_clock.corrected == sum(each is not None for each in found.calibrations) == 6
    assert found.extra_sleeps == ()
    for raw, each in zip(cycles, found.cycles, strict=True):
        woke = next(e.t_ns for e in raw.edges if e.channel is S3 and e.level)
        at = woke if each.outside.awake_from_ns is None else each.outside.awake_from_ns
        assert each.wake_utc == clock_of(stored).utc_ns(raw, at)
    elsewhere = replace(fake.identity, host="elsewhere")
    away = timed_campaign(replace(stored, identity=elsewhere))
    assert away.board_clock.corrected == 0


def test_a_timer_that_shows_on_the_display_alone_woke_the_dut_as_it_came_on(fake: Any) -> None:
    lights = ((LIT, 1.0, 0), (LIT, 2.0, 1), (LIT, 3.0, 0), (LIT, 7.0, 1), (LIT, 8.0, 0))
    armed = (Command(CommandName.ARM_TIMER, 0, 1, 1, board(9 * S)),)
    cycles = [
        timed(1, 5, *lights, commands=armed),
        timed(2, 20, *lights, commands=()),
        timed(3, 40, lights[0], commands=armed),
        timed(4, 60, commands=armed),
    ]
    stored = load_campaign(make(fake, *cycles))
    found = timed_campaign(stored).cycles
    no_wake = [c.outside.trigger_ns is None and c.outside.awake_from_ns is None for c in found]
    assert no_wake == [True] * 4
    assert found[0].wake_utc == clock_of(stored).utc_ns(cycles[0], cycles[0].edges[3].t_ns)
    assert found[0].wake_utc is not None
    assert [c.wake_utc for c in found[1:]] == [None] * 3


def slept(start_s: float, session: int, after: int) -> Recovery:
    lines = (
        (S3, 0.0, 0),
        (RST, 0.001, 0),
        (OK, 0.005, 0),
        (S3, 2, 1),
        (OK, 2.02, 1),
        (RST, 2.04, 1),
    )
    edges = tuple(
        Edge(100 + n, board(round((start_s + at) * S)), line, level)
        for n, (line, at, level) in enumerate(lines)
    )
    levels = dict.fromkeys((S3, OK, RST), 1)
    return Recovery(session, after, "x", True, (), edges, RecoveryStep.PRESS, levels)


def test_sleeps_outside_of_cycles_are_those_after_them_and_before_a_session(fake: Any) -> None:
    cycles = [timed(1, 5, *NIGHT), timed(2, 40, *NIGHT), timed(3, 90, *NIGHT, session=2)]
    cycles[0] = replace(cycles[0], exchanges=sum((timed(9, at).exchanges for at in (0, 5, 17)), ()))
    cycles[2] = replace(cycles[2], exchanges=(*timed(9, 70).exchanges, *cycles[2].exchanges))
    # One within a cycle is of a board that began anew, and has no time.
    steps = [slept(1, 1, 0), slept(8, 1, 1), slept(20, 1, 1), slept(75, 2, 2), slept(20, 1, 7)]
    planned(fake, default_plan(), *cycles, steps=steps)
    found = timed_campaign(load_campaign(fake.path)).extra_sleeps
    ends = [(round((s.asleep_ns - WALL_NS) / S), round((s.awake_ns - WALL_NS) / S)) for s in found]
    assert ends == [(1, 3), (20, 22), (75, 77)]


@pytest.mark.parametrize(
    ("changes", "zero_s", "has_trigger"),
    [(NIGHT, 7.0, True), (NIGHT[:2], 1.0, False), ((), None, False)],
)
def test_a_recorded_cycle_begins_at_its_trigger_else_at_its_first_edge(
    fake: Any, changes: Any, zero_s: float | None, has_trigger: bool
) -> None:
    channels = tuple(replace(info, delay_ns=0) for info in fake.identity.rig.channels)
    rig = replace(fake.identity.rig, channels=channels, board="sim", light_full_scale=4_095)
    fake.identity = replace(fake.identity, rig=rig, wired=(OK, S3, RST, LIT, BUTTON))
    raw = timed(1, 5, *changes, light=(LightBlock(1, 2, 3, 4, 5),))
    raw = replace(raw, initial_levels={**raw.initial_levels, Channel.LED: 1})
    make(fake, raw, cycle(2))

    (found,) = recorded_cycles(fake.path, [1])

    zero_ns = 0 if zero_s is None else board(round((5 + zero_s) * S))
    assert (found.number, found.zero_ns, found.has_trigger) == (1, zero_ns, has_trigger)
    assert found.edges == raw.edges
    assert found.initial_levels == dict.fromkeys((OK, S3, RST, LIT, BUTTON), 1)
    assert list(found.light) == list(raw.light)
    assert found.started_utc_ns == WALL_NS + 5 * S
    assert found.light_full_scale == 4_095
    utc = utc_alone(raw, zero_ns, rig)
    if zero_s is None:
        assert (found.zero_utc_ns, found.zero_utc_bound_ns) == (None, 0)
    else:
        assert utc is not None
        assert (found.zero_utc_ns, found.zero_utc_bound_ns) == (utc.value_ns, utc.bound_ns)
    assert [len(each.light) for each in recorded_cycles(fake.path, with_light=False)] == [0, 0]
    with Store.open(fake.path) as store:
        assert recorded_cycle(raw, store) == found


def test_the_onset_of_light_stands_without_its_blocks(fake: Any) -> None:
    onset = LightOnset(OnsetState.IDLE)
    fake.identity = replace(fake.identity, rig=replace(fake.identity.rig, light_ring=8))
    make(fake, cycle(1, onset=onset), cycle(2))
    change(fake.path, "UPDATE cycle SET light = x'00'")
    with Store.open(fake.path) as store:
        lit, dark = store.cycles(with_light=False)
        found = light_of(lit, store)
        assert found is not None
        assert found.onset == onset
        assert light_of(dark, store) is None
        blind = replace(store.identity, rig=replace(store.identity.rig, light_ring=0))
        store.identity = blind
        assert light_of(lit, store) is None


@dataclass(frozen=True)
class Answer:
    """As much of a correlation as texts are put into."""

    cycles: Any


def shown(number: int, matched: OsRecord | None) -> ReconciledCycle:
    outside = OutsideCycle(number, WOKE, OutsideState.S3, None, None, None, None, {})
    return ReconciledCycle(outside, matched, None, None, None, Verdict.PASS, True, None)


def test_texts_come_back_once_from_wherever_they_are(fake: Any, four: Path) -> None:
    texts = [replace(each, text=f"<Event>{each.record_id}</Event>") for each in RECORDS]
    four.unlink()
    make(
        fake,
        cycle(1, records=(texts[0],)),
        cycle(2, records=(texts[1],)),
        cycle(3, records=(texts[2], replace(texts[1], text="another"))),
    )
    # The record of cycle 1 came late, in cycle 3.
    matched = [RECORDS[2], RECORDS[1], None, replace(RECORDS[0], text="kept")]
    answer: Any = Answer([shown(n, each) for n, each in enumerate(matched, start=1)])

    def found(*chosen: int) -> list[str | None]:
        told = with_record_texts(answer, fake.path, set(chosen)).cycles
        return [None if each.record is None else each.record.text for each in told]

    assert found(1, 2, 3, 4) == ["<Event>3</Event>", "<Event>2</Event>", None, "kept"]
    assert found(2) == ["", "<Event>2</Event>", None, "kept"]
    assert with_record_texts(answer, Path("none"), {3, 4}) is answer
