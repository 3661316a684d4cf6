"""What a Windows DUT is asked, command by command, and what its answers come to."""

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.dut.log_source import LogFeed, OsLogSource, came_late, mark_of
from resume_rig.campaign.dut.own_log import DELAYS_CHANNEL
from resume_rig.campaign.dut.ssh_log import WindowsLog
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.store.read_back import load_campaign, with_record_texts
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import (
    NO_SLEEPS,
    Component,
    ComponentKind,
    LogSource,
    OsRecord,
    SleepKind,
)
from resume_rig.oslog.event.delays import with_delays

NUMBER = re.compile(r"<EventRecordID>(\d+)<")


def lines_of(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if "<Event " in line]


class Dut:
    """Answers as wevtutil does; what it was asked stands in `asked`."""

    def __init__(self, fixtures: Path) -> None:
        self.system = lines_of(fixtures / "logs" / "power-notes.xml")
        self.delays = lines_of(fixtures / "logs" / "diagnostics-performance.xml")
        self.denied = False
        self.asked: list[str] = []

    def answer(self, command: str) -> tuple[bytes, int]:
        self.asked.append(command)
        if command == "wevtutil gli System":
            first, last = (int(NUMBER.findall(self.system[at])[0]) for at in (0, -1))
            told = f"numberOfLogRecords: {last - first + 1}\noldestRecordNumber: {first}\n"
            return told.encode(), 0
        if f"qe {DELAYS_CHANNEL} " in command and self.denied:
            return b"", 5
        lines = self.delays if DELAYS_CHANNEL in command else self.system
        after = re.search(r"EventRecordID>(\d+)", command)
        from_number = int(after[1]) if after else 0
        new = [line for line in lines if int(NUMBER.findall(line)[0]) > from_number]
        return "\n".join(new).encode(), 0

    def round(self, log: WindowsLog) -> list[OsRecord]:
        while (found := log.take(*self.answer(log.command()))) is None:
            pass
        return list(found)


@pytest.fixture
def dut(fixtures_dir: Path) -> Dut:
    return Dut(fixtures_dir)


def test_a_round_ends_with_the_system_log_and_brings_both(dut: Dut) -> None:
    log = WindowsLog("dut")
    whole, dut.delays = dut.delays, dut.delays[:10]
    found = dut.round(log)
    assert [DELAYS_CHANNEL in command for command in dut.asked] == [False, True, False]
    assert [r.kind for r in found if r.kind not in NO_SLEEPS] == ["S3", "modern-standby"]
    dut.delays = whole
    found += dut.round(log)
    assert "EventRecordID>49]" in dut.asked[-2]
    (s3,) = (r for r in with_delays(found) if r is not None and r.kind is SleepKind.S3)
    assert {"exaudio.sys", "exwlan.sys"} < {component.name for component in s3.components}
    assert log.describe().integrity.problems == ()


def test_a_dut_that_refuses_is_asked_once_and_is_whole_without(dut: Dut) -> None:
    log = WindowsLog("dut")
    dut.denied = True
    assert len(dut.round(log)) == 2
    assert dut.round(log) == []
    assert sum(DELAYS_CHANNEL in command for command in dut.asked) == 1
    integrity = log.describe().integrity
    assert integrity.ok
    (problem,) = integrity.problems
    assert problem.startswith("What delayed a boot, a shutdown or a sleep is unknown: ")


def test_what_came_before_a_round_broke_is_not_lost(dut: Dut) -> None:
    log = WindowsLog("dut")
    for _ in range(2):
        assert log.take(*dut.answer(log.command())) is None
    with pytest.raises(RecordError, match="status 1"):
        log.take(b"", 1)
    log.forget_round()
    kinds = [record.kind for record in dut.round(log)]
    assert kinds.count(SleepKind.STANDBY_PERFORMANCE) == 2
    assert kinds.count(SleepKind.S3) == 1


class Given:
    """A log that gives what it is told to."""

    record_wait_ns = 0

    def __init__(self, records: list[OsRecord]) -> None:
        self._records = records

    def new_records(self) -> tuple[OsRecord, ...]:
        return tuple(self._records)

    def describe(self) -> object:
        raise NotImplementedError

    def close(self) -> None:
        """Nothing is open."""


def test_delays_are_no_record_that_a_cycle_waits_for(dut: Dut) -> None:
    found = dut.round(WindowsLog("dut"))
    delays = [record for record in found if record.kind in NO_SLEEPS]
    feed = LogFeed(Given(delays), mark_of(()))  # type: ignore[arg-type]
    feed.read()
    assert (len(feed.pending), feed.received, feed.has_new_records) == (4, 0, False)


def test_numbers_of_the_other_log_say_nothing_of_what_is_new(dut: Dut) -> None:
    found = dut.round(WindowsLog("dut"))
    (s3,) = (record for record in found if record.kind is SleepKind.S3)
    late = [r for r in found if r.kind is SleepKind.STANDBY_PERFORMANCE]
    assert all((record.record_id or 0) < (s3.record_id or 0) for record in late)
    assert mark_of([*late, s3]).record_id == s3.record_id
    assert came_late(late, mark_of([s3]), frozenset()) == late


class SlowDriver:
    """A log beside which Windows names a driver for each sleep, one poll after its record."""

    record_wait_ns = 3_000_000_000

    def __init__(self, source: OsLogSource) -> None:
        self._source = source
        self._told: list[OsRecord] = []

    def new_records(self) -> tuple[OsRecord, ...]:
        told, found = self._told, self._source.new_records()
        self._told = [self._account(record) for record in found]
        return (*told, *found)

    def _account(self, record: OsRecord) -> OsRecord:
        part = Component(ComponentKind.DRIVER, "slow.sys", "resume devices", 640.0)
        return dataclasses.replace(
            record,
            record_id=7,
            kind=SleepKind.STANDBY_PERFORMANCE,
            driver_init_ms=None,
            bios_init_ms=None,
            components=(part,),
            text="<Event/>",
        )

    def describe(self) -> LogSource:
        return self._source.describe()

    def close(self) -> None:
        self._source.close()


def test_a_campaign_names_the_driver_of_its_cycles_and_is_judged_alike(
    simulated: Callable[..., Any],
) -> None:
    plan = override(default_plan(), cycles=5)
    plain = simulated(name="plain.rrs")
    plain.begin(plan)
    bench = simulated()
    bench.log = SlowDriver(bench.log)
    bench.begin(plan)

    stored = load_campaign(bench.path)
    answer, alone = assess(stored), assess(load_campaign(plain.path))
    assert (answer.verdict, answer.why) == (alone.verdict, alone.why)
    assert [cycle.certainty for cycle in answer.cycles] == [c.certainty for c in alone.cycles]
    names = [[c.name for c in cycle.record.components] for cycle in answer.cycles if cycle.record]
    assert names[:4] == [["slow.sys"]] * 4
    assert [record for raw in stored.cycles for record in raw.records] == list(
        stored.reading.records
    )
    told = with_record_texts(answer, bench.path, {2}).cycles[1].record
    assert told is not None
    assert "Power-Troubleshooter" in told.text
    assert told.components == answer.cycles[1].record.components
