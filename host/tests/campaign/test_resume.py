"""Going on with a campaign: same plan, same bench, next cycle."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.dut.log_source import ServedLog
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.run.campaign import CampaignFinished
from resume_rig.campaign.run.events import CycleDone
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.rig_url import StoredRigUrl
from resume_rig.rig.interface import served_log

S = 1_000_000_000
Make = Callable[..., Any]


def stop_after(bench: Any, cycles: int) -> None:
    """Let Ctrl-C strike when so many cycles are done."""

    class Stopping(list[object]):
        def append(self, event: object) -> None:
            super().append(event)
            if isinstance(event, CycleDone) and event.raw.number == cycles:
                raise KeyboardInterrupt

    bench.events = Stopping()


def test_a_stopped_campaign_goes_on_at_the_next_cycle_in_a_new_session(simulated: Make) -> None:
    plan = override(default_plan(), cycles=6)
    first = simulated()
    stop_after(first, 2)
    first.begin(plan)
    second = simulated(seed=8, start_utc_ns=first.clock.utc_ns() + 60 * S)

    end = second.go_on()

    assert isinstance(end, CampaignFinished)
    with Store.open(first.path) as store:
        assert [(raw.number, raw.session) for raw in store.cycles()] == [
            (1, 1),
            (2, 1),
            (3, 2),
            (4, 2),
            (5, 2),
            (6, 2),
        ]
        assert store.plan == plan
        assert len(store.sessions()) == 2


def test_interrupted_cycles_are_done_again_and_kept(fake: Any) -> None:
    def strike_once(when: str, name: str) -> None:
        if fake.clock.now_ns() > 3 * S:
            fake.clock.hook = lambda when, name: None
            raise KeyboardInterrupt

    fake.clock.hook = strike_once
    fake.begin(override(default_plan(), cycles=2))
    fake.clock.sleep_ns(60 * S)

    end = fake.go_on()

    assert end.outcomes == {Outcome.INTERRUPTED: 1, Outcome.SLEPT_AND_WOKE: 2}
    stored = load_campaign(fake.path)
    assert [raw.number for raw in stored.cycles] == [1, 2, 3]
    assert [r.after_cycle for r in stored.recoveries] == [1], "the DUT was left asleep"


def test_a_finished_campaign_is_left_alone(fake: Any) -> None:
    fake.begin(override(default_plan(), cycles=1))
    requests: list[str] = []
    fake.rig.hook = lambda when, name: requests.append(name)

    end = fake.go_on()

    assert end.outcomes == {Outcome.SLEPT_AND_WOKE: 1}
    assert requests == []
    assert len(load_campaign(fake.path).sessions) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"board": "other"}, "board fake, now other"),
        ({"firmware": "2"}, "firmware fake-1, now 2"),
        ({"clock_tolerance_ppb": 1}, r"clock tolerance \[ppb\] 30000, now 1"),
        ({"calibration_ppb": 5}, r"calibration \[ppb\] None, now 5"),
        ({"actuators": ()}, "actuators differ"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_another_rig_is_refused_by_what_differs(
    fake: Any, change: dict[str, Any], words: str
) -> None:
    stop_after(fake, 1)
    fake.begin(override(default_plan(), cycles=2))
    other = dataclasses.replace(fake.identity.rig, **change)
    fake.identity = dataclasses.replace(fake.identity, rig=other)

    with pytest.raises(UsageError, match=words):
        fake.go_on()


def test_another_dut_or_wiring_is_refused(simulated: Make) -> None:
    bench = simulated()
    stop_after(bench, 1)
    bench.begin(override(default_plan(), cycles=2))
    other = simulated(profile="slow-laptop")
    rewired = simulated()
    rewired.identity = dataclasses.replace(rewired.identity, wired=(Channel.PWR_OK,))

    with pytest.raises(UsageError, match="DUT healthy-laptop, now slow-laptop"):
        other.go_on()
    with pytest.raises(UsageError, match=r"wired .*, now PWR_OK"):
        rewired.go_on()


def test_a_rebooted_board_at_another_port_is_the_same_rig(fake: Any) -> None:
    stop_after(fake, 1)
    fake.begin(override(default_plan(), cycles=2))
    again = dataclasses.replace(fake.identity.rig, boot_id=6)
    fake.identity = dataclasses.replace(
        fake.identity, rig=again, rig_url=StoredRigUrl("serial:/dev/ttyFAKE1")
    )

    fake.go_on()

    assert [raw.boot_id for raw in load_campaign(fake.path).cycles] == [5, 6]


def test_a_record_that_was_written_after_the_stop_goes_to_the_next_cycle(simulated: Make) -> None:
    bench = simulated()
    pulled: list[object] = []

    class SlowLog:
        """A log that shows nothing until it is opened again."""

        record_wait_ns = 3_000_000_000

        def new_records(self) -> tuple[object, ...]:
            pulled.append(None)
            return ()

        def describe(self) -> object:
            return bench_log.describe()

        def close(self) -> None:
            bench_log.close()

    bench_log = bench.log
    bench.log = SlowLog()
    stop_after(bench, 1)
    bench.begin(override(default_plan(), cycles=2))
    bench.log = bench_log

    bench.go_on()

    assert pulled
    assert [len(raw.records) for raw in load_campaign(bench.path).cycles] == [0, 2]


def test_records_from_before_the_campaign_are_not_its_own(simulated: Make) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=3))
    name = bench.path.with_name("second.rrs")
    bench.path = name
    # A new reader of the same log sees the first campaign's records at once.
    bench.log = ServedLog(served_log(bench.rig, bench.identity.rig))
    stop_after(bench, 2)
    bench.begin(override(default_plan(), cycles=4))
    bench.log = ServedLog(served_log(bench.rig, bench.identity.rig))
    bench.events = []

    bench.go_on()

    stored = load_campaign(name)
    assert [len(raw.records) for raw in stored.cycles] == [1, 1, 1, 1]


@pytest.mark.parametrize("done", [2, 9], ids=["seconds behind", "more than a minute behind"])
def test_no_cycle_stands_before_an_earlier_one(simulated: Make, done: int) -> None:
    first = simulated()
    stop_after(first, done)
    first.begin(override(default_plan(), cycles=10))
    # A second virtual clock begins where the first one began.
    again = simulated(seed=8)

    if done == 9:
        with pytest.raises(UsageError, match="before the end of its newest cycle; set the clock"):
            again.go_on()
        return
    again.go_on()

    cycles = load_campaign(first.path).cycles
    starts = [raw.started_host_ns + raw.utc_minus_host_ns for raw in cycles]
    assert starts == sorted(starts)


def test_a_host_that_was_booted_anew_goes_on(simulated: Make) -> None:
    before = simulated(seed=3)
    before.clock.sleep_ns(3600 * S)
    stop_after(before, 2)
    before.begin(override(default_plan(), cycles=4))
    # The monotonic clock of the host starts from 0, its wall clock does not.
    after = simulated(seed=4, start_utc_ns=before.clock.utc_ns() + 60 * S)

    after.go_on()

    with Store.open(after.path) as store:
        starts_ns = [raw.started_host_ns for raw in store.cycles()]
        walls_ns = [raw.started_host_ns + raw.utc_minus_host_ns for raw in store.cycles()]
    answer = assess(load_campaign(after.path))
    assert starts_ns[2] < starts_ns[0], "it did begin anew"
    assert walls_ns == sorted(walls_ns)
    assert {cycle.outside.outcome for cycle in answer.cycles} == {Outcome.SLEPT_AND_WOKE}
    assert [cycle.record is not None for cycle in answer.cycles] == [True] * 4
