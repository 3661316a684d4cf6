"""Ctrl-C at every moment: actuators released, the measured kept, the store whole, resumable."""

import sqlite3
from typing import Any

import pytest

from resume_rig.campaign.plan.plan import Plan, override
from resume_rig.campaign.run.campaign import CampaignFinished, CampaignStopped
from resume_rig.campaign.run.events import CycleDone
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Actuator
from resume_rig.model.result.cycle import Outcome

pytestmark = pytest.mark.slow


class Striker:
    """Raises KeyboardInterrupt the n-th time it is called, once; 0 only counts."""

    def __init__(self, strike_at: int) -> None:
        self.calls = 0
        self.strike_at = strike_at

    def __call__(self, when: str, name: str) -> None:
        # After a wait is before the next request, and the same goes for a reading.
        if when == "after" and name not in {"press", "lid", "release"}:
            return
        self.calls += 1
        if self.calls == self.strike_at:
            raise KeyboardInterrupt


def strike(bench: Any, plan: Plan, moment: int) -> object:
    striker = Striker(moment)
    bench.rig.hook = bench.clock.hook = striker
    end = bench.begin(plan)
    bench.rig.hook = bench.clock.hook = lambda when, name: None
    return end


def moments_of(bench: Any, plan: Plan) -> int:
    counter = Striker(0)
    bench.rig.hook = bench.clock.hook = counter
    bench.begin(plan)
    return counter.calls


@pytest.mark.parametrize("by", [Actuator.BUTTON, Actuator.LID], ids=str)
def test_at_every_moment_of_a_campaign(make_fake: Any, short_plan: Plan, by: Actuator) -> None:
    plan = override(short_plan, cycles=1, sleep_by=by, wake_by=by)
    kinds: list[Outcome | None] = []

    for moment in range(1, moments_of(make_fake("whole.rrs"), plan) + 1):
        fake = make_fake(f"{moment}.rrs")
        end = strike(fake, plan, moment)

        assert not fake.rig.driven, f"moment {moment} left {fake.rig.driven} driven"
        if isinstance(end, CampaignFinished):
            # The very last release was struck: nothing was left to stop.
            continue
        assert isinstance(end, CampaignStopped)
        assert f"`resume-rig run --resume {fake.path}` goes on" in end.text
        with Store.open(fake.path) as store:
            kept = [(raw.number, raw.outcome) for raw in store.cycles()]
        kinds.append(kept[0][1] if kept else None)
        fake.clock.sleep_ns(5_000_000_000)
        assert fake.go_on().outcomes.get(Outcome.SLEPT_AND_WOKE) == 1
    # First nothing was touched yet, then the cycle was in flight.
    assert set(kinds) == {None, Outcome.INTERRUPTED}
    assert kinds == sorted(kinds, key=lambda kind: kind is not None)


def test_what_was_measured_of_the_cycle_in_flight_is_kept(fake: Any, short_plan: Plan) -> None:
    def strike_asleep(when: str, name: str) -> None:
        if fake.clock.now_ns() > 2_000_000_000:
            fake.clock.hook = lambda when, name: None
            raise KeyboardInterrupt

    fake.clock.hook = strike_asleep

    end = fake.begin(short_plan)

    assert isinstance(end, CampaignStopped)
    with Store.open(fake.path) as store:
        (raw,) = store.cycles()
    assert raw.outcome is Outcome.INTERRUPTED
    assert len(raw.edges) == 6
    assert raw.commands[-1].name == "release"


def test_before_anything_was_touched_nothing_is_kept(fake: Any, short_plan: Plan) -> None:
    end = strike(fake, short_plan, 3)

    assert isinstance(end, CampaignStopped)
    assert end.outcomes == {}


def test_an_observer_may_be_struck_too(fake: Any, short_plan: Plan) -> None:
    def strike_done(event: object) -> None:
        if isinstance(event, CycleDone):
            raise KeyboardInterrupt

    fake.events = type("Striking", (list,), {"append": lambda self, event: strike_done(event)})()

    end = fake.begin(short_plan)

    assert end.outcomes == {Outcome.SLEPT_AND_WOKE: 1}


def test_twice_in_a_row_still_releases_and_keeps(fake: Any, short_plan: Plan) -> None:
    strikes = iter([90, 91, 92])
    state = {"calls": 0, "next": next(strikes)}

    def hook(when: str, name: str) -> None:
        state["calls"] += 1
        if state["calls"] == state["next"]:
            state["next"] = next(strikes, -1)
            raise KeyboardInterrupt

    fake.rig.hook = hook

    end = fake.begin(short_plan)

    assert state["next"] == -1, "all three struck"
    assert isinstance(end, CampaignStopped)
    assert not fake.rig.driven
    with Store.open(fake.path) as store:
        assert [raw.number for raw in store.cycles()] == [1]


@pytest.mark.parametrize("statement", ["INSERT INTO cycle", "COMMIT", "BEGIN IMMEDIATE"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_inside_a_commit(
    fake: Any, short_plan: Plan, monkeypatch: pytest.MonkeyPatch, statement: str, when: str
) -> None:
    struck: list[str] = []

    class StruckConnection(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            hit = sql.startswith(statement) and armed and not struck
            if hit and when == "before":
                struck.append(sql)
                raise KeyboardInterrupt
            cursor = super().execute(sql, *values)
            if hit:
                struck.append(sql)
                raise KeyboardInterrupt
            return cursor

    armed: list[bool] = []
    connect = sqlite3.connect

    def struck_connect(*args: Any, **options: Any) -> sqlite3.Connection:
        return connect(*args, factory=StruckConnection, **options)

    monkeypatch.setattr(sqlite3, "connect", struck_connect)
    fake.rig.hook = lambda moment, name: armed.append(True) if name == "faults" else None

    end = fake.begin(short_plan)

    assert struck
    assert isinstance(end, CampaignStopped)
    assert end.outcomes == {Outcome.SLEPT_AND_WOKE: 1}
    fake.clock.sleep_ns(5_000_000_000)
    resumed = fake.go_on()
    assert resumed.outcomes == {Outcome.SLEPT_AND_WOKE: 2}
