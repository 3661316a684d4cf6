"""A campaign that asks its DUT's OS for its health."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from campaign.conftest import CampaignBench

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.plan.plan_file import parse_plan, plan_to_mapping
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Channel
from resume_rig.model.dut import DutProfile
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.result.cycle import OutsideCycle, OutsideState, ReconciledCycle
from resume_rig.model.result.verdict import FindingKind
from resume_rig.oslog.reading import read_logs

S = 1_000_000_000
Simulated = Callable[..., CampaignBench]


def cycles_of(bench: CampaignBench) -> list[ReconciledCycle]:
    return list(assess(load_campaign(bench.path)).cycles)


def outsides(bench: CampaignBench) -> list[OutsideCycle]:
    return [each.outside for each in cycles_of(bench)]


def found(bench: CampaignBench) -> list[set[FindingKind]]:
    return [{finding.kind for finding in each.findings} for each in cycles_of(bench)]


def test_a_plan_with_health_is_written_and_read() -> None:
    plan = override(default_plan(), health=True)
    assert parse_plan(plan_to_mapping(plan)) == plan
    assert "health" not in plan_to_mapping(default_plan())
    with pytest.raises(UsageError, match="health = 1; allowed are true and false"):
        parse_plan({"health": 1})


def test_a_lost_device_is_a_finding_of_its_cycle(simulated: Simulated) -> None:
    bench = simulated(profile="loses-devices", power=False)
    bench.begin(override(default_plan(), cycles=6, health=True))
    healths = [each.health for each in outsides(bench)]
    assert all(each is not None and each.compared for each in healths)
    gone = [
        any(change.change.value == "gone" for change in each.changed)
        for each in healths
        if each is not None
    ]
    kinds = found(bench)
    assert any(gone)
    assert all(FindingKind.DEVICE_CHANGED in kinds[at] for at, lost in enumerate(gone) if lost)
    # Its link is up 9 s after the OS; the bounds hold that.
    for each in healths:
        assert each is not None
        (link,) = each.links
        assert link.is_up
        assert link.down_until_ns is not None
        assert link.up_by_ns is not None
        assert link.down_until_ns < 9.5 * S < link.up_by_ns + S


def test_without_the_option_nothing_is_asked_or_stored(simulated: Simulated) -> None:
    bench = simulated(profile="loses-devices")
    bench.begin(override(default_plan(), cycles=1, warm_up=0))
    assert [each.health for each in outsides(bench)] == [None]
    with closing(sqlite3.connect(bench.path)) as store:
        assert store.execute("SELECT 1 FROM sqlite_master WHERE name = 'health'").fetchone() is None


@pytest.mark.parametrize(("profile", "drains"), [("drains", True), ("modern-standby", False)])
def test_success_while_it_drains_is_a_finding(
    simulated: Simulated, profile: str, drains: bool
) -> None:
    bench = simulated(profile=profile)
    plan = override(
        default_plan(), cycles=2, state=SleepKind.MODERN_STANDBY, dwell_ns=30 * S, health=True
    )
    bench.begin(plan)
    assert [each.state for each in outsides(bench)] == [OutsideState.S0IX] * 2
    assert [FindingKind.DRAINS_ASLEEP in kinds for kinds in found(bench)] == [drains] * 2


@pytest.mark.parametrize("share", [0.2, 0.6, 0.8, 1.0])
@pytest.mark.parametrize("wired", [True, False], ids=["SLP_S0#", "counters"])
def test_the_truth_of_a_sleep_decides(simulated: Simulated, share: float, wired: bool) -> None:
    """By the wire alone, and by the counters alone."""

    def change(dut: DutProfile) -> DutProfile:
        lines = tuple(line for line in dut.channels if wired or line is not Channel.SLP_S0)
        behaviour = replace(dut.behaviour, standby_deep_share=share)
        return replace(dut, channels=lines, behaviour=behaviour)

    bench = simulated(profile="drains", change=change)
    standby = SleepKind.MODERN_STANDBY
    plan = override(default_plan(), cycles=3, state=standby, dwell_ns=40 * S, health=not wired)
    bench.begin(plan)
    assert [FindingKind.DRAINS_ASLEEP in kinds for kinds in found(bench)] == [share < 0.7] * 3


def test_sessions_of_sleep_study_are_matched_with_cycles(
    simulated: Simulated, tmp_path: Path
) -> None:
    """In whole seconds, and of a DUT that was in its deepest state for a fifth of each."""
    bench = simulated(profile="modern-standby")
    vary = {"cycles": 6, "state": "modern-standby", "dwell_s": {"from": 25, "to": 60}}
    bench.begin(parse_plan(vary))
    sessions = [sleep_study_session(each.record) for each in cycles_of(bench)]
    report = {"SystemInformation": {}, "ScenarioInstances": sessions}
    path = tmp_path / "study.html"
    path.write_text(
        '<html xmlns:slp="http://schemas.microsoft.com/sleepstudy/2012"><script>\n'
        f"var LocalSprData = {json.dumps(report)};\n</script></html>"
    )

    stored = replace(load_campaign(bench.path), reading=read_logs([path]))
    cycles = assess(stored).cycles

    assert [each.record is not None and each.record.source == 0 for each in cycles] == [True] * 6
    for each in cycles:
        (drains,) = (f for f in each.findings if f.kind is FindingKind.DRAINS_ASLEEP)
        assert drains.evidence["share_percent"] == pytest.approx(20)


def sleep_study_session(record: OsRecord | None) -> dict[str, object]:
    assert record is not None
    assert record.sleep_time_utc_ns is not None
    assert record.wake_time_utc_ns is not None
    begin_s, end_s = (t_ns // S for t_ns in (record.sleep_time_utc_ns, record.wake_time_utc_ns))
    in_100_ns = (end_s - begin_s) * 10_000_000
    times = [
        datetime.fromtimestamp(t_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for t_s in (begin_s, end_s)
    ]
    values = [
        {"Key": "Info.SwLowPowerStateTime", "Value": in_100_ns * 9 // 10},
        {"Key": "Info.HwLowPowerStateTime", "Value": in_100_ns // 5},
    ]
    return {
        "Type": 2,
        "SessionId": 1,
        "EntryTimestamp": times[0],
        "ExitTimestamp": times[1],
        "Duration": in_100_ns // 10,
        "Metadata": {"Values": values},
    }


def test_a_doze_from_modern_standby_is_told_by_the_wires(simulated: Simulated) -> None:
    bench = simulated(profile="standby-doze")
    plan = override(default_plan(), cycles=2, state=SleepKind.MODERN_STANDBY, dwell_ns=30 * S)
    bench.begin(plan)
    for outside, kinds in zip(outsides(bench), found(bench), strict=True):
        assert outside.state is OutsideState.S4
        assert FindingKind.DOZED in kinds
        assert FindingKind.WRONG_STATE not in kinds
        assert outside.hibernated_from_ns is not None
        assert outside.asleep_from_ns is not None
        assert outside.hibernated_from_ns - outside.asleep_from_ns > 5 * S


def test_nothing_reaches_the_os(simulated: Simulated) -> None:
    bench = simulated()
    bench.control = None
    with pytest.raises(UsageError, match="health reports"):
        bench.begin(override(default_plan(), health=True))


def test_a_damaged_report_is_said(simulated: Simulated) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=1, warm_up=0, health=True))
    with closing(sqlite3.connect(bench.path)) as store:
        store.execute("UPDATE health SET readings = x'00ff'")
        store.commit()
    with (
        Store.open(bench.path) as opened,
        pytest.raises(RecordError, match="checksum of its health reports"),
    ):
        list(opened.cycles())
