"""An adaptive settle time: evidence ends a cycle, a floor and a limit hold it."""

from collections.abc import Callable
from typing import Any

from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.plan_file import parse_plan
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Channel
from resume_rig.model.result.verdict import FindingKind
from resume_rig.rig.sim.dut.event import SimFault

Make = Callable[..., Any]
S = 1_000_000_000


def plan_of(**keys: object) -> Plan:
    return parse_plan({"cycles": 3, "warm_up": 0, "settle": "adaptive", **keys})


def settled_ns(bench: Any) -> list[int]:
    """Return how long each cycle lasted after the last edge of its display."""
    with Store.open(bench.path) as store:
        cycles = list(store.cycles())
    # Both clocks of a simulation tick alike, but for the board's tolerance.
    last = (
        max(e.t_ns for e in raw.edges if e.channel is Channel.BACKLIGHT and e.level)
        - raw.exchanges[-1].board_rx_ns
        + raw.exchanges[-1].host_tx_ns
        for raw in cycles
    )
    return [raw.ended_host_ns - t_ns for raw, t_ns in zip(cycles, last, strict=True)]


def findings(bench: Any) -> list[set[FindingKind]]:
    with Store.open(bench.path) as store:
        return [{finding.kind for finding in raw.findings} for raw in store.cycles()]


def test_a_cycle_ends_when_record_and_light_are_there_and_not_later(simulated: Make) -> None:
    bench = simulated()

    bench.begin(plan_of(settle_s=1))

    assert findings(bench) == [set()] * 3
    with Store.open(bench.path) as store:
        assert all(raw.records for raw in store.cycles())
    assert all(1 * S <= lasted <= 5 * S for lasted in settled_ns(bench))


def test_the_floor_holds_whatever_the_evidence(simulated: Make) -> None:
    bench = simulated()

    bench.begin(plan_of(settle_s=20))

    assert all(20 * S <= lasted <= 22 * S for lasted in settled_ns(bench))


def test_a_record_that_does_not_come_is_named_at_the_limit_and_then_not_waited_for(
    simulated: Make,
) -> None:
    bench = simulated(faults=frozenset({SimFault.NO_RECORD}))

    bench.begin(plan_of(settle_limit_s=15))

    # A log that brought nothing twice is not waited for any more.
    assert findings(bench) == [{FindingKind.NOT_SETTLED}] * 2 + [set()]
    with Store.open(bench.path) as store:
        first = next(iter(store.cycles()))
    assert "missing: an OS record" in first.findings[0].text


def test_after_a_boot_the_next_cycle_waits_for_an_os_that_answers(simulated: Make) -> None:
    bench = simulated(profile="healthy-desktop")

    bench.begin(plan_of(state=["S5", "S3"], sleep_by="command", settle_s=1))

    assert findings(bench) == [set()] * 3
    # The logo comes seven seconds before the OS does.
    assert settled_ns(bench)[0] >= 7 * S
