"""The log of a DUT over a real SSH connection: each record comes once, whatever breaks."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from resume_rig.campaign.dut.shell import DutShell, parse_dut_address
from resume_rig.campaign.dut.ssh_log import SshLog
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import (
    NO_SLEEPS,
    ComponentKind,
    LogSource,
    OsRecord,
    SleepKind,
)
from resume_rig.timing.clocks import SystemClock

MS = 1_000_000
PATIENCE_NS = 60_000 * MS


class Dut(Protocol):
    folder: Path
    address: str
    config: Path
    port: int

    def shell(self, address: str | None = None) -> DutShell: ...
    def log(self, address: str | None = None) -> SshLog: ...
    def write(self, lines: list[bytes]) -> None: ...
    def does(self, wrong: str) -> None: ...
    def does_no_longer(self, wrong: str) -> None: ...


@pytest.fixture
def fragments(simulated: Callable[..., Any]) -> list[bytes]:
    """The log of a simulated DUT after four cycles, cut into events."""
    bench = simulated(name="source.rrs")
    bench.begin(override(default_plan(), cycles=4))
    data: bytes = bench.rig.download(bench.identity.rig.dut_log, 0)
    return [line for line in data.splitlines(keepends=True) if line.strip()]


def settled(log: SshLog, wanted: int) -> list[OsRecord]:
    """Ask until so many records came."""
    clock = SystemClock()
    end_ns = clock.now_ns() + PATIENCE_NS
    found = list(log.new_records())
    while len(found) < wanted:
        assert clock.now_ns() < end_ns, f"{len(found)} of {wanted} records came"
        clock.sleep_ns(20 * MS)
        found += log.new_records()
    return found


def failure(log: SshLog) -> str:
    """Ask until it fails."""
    clock = SystemClock()
    end_ns = clock.now_ns() + PATIENCE_NS
    while True:
        assert clock.now_ns() < end_ns, "it did not fail"
        try:
            log.new_records()
        except RecordError as error:
            return str(error)
        clock.sleep_ns(20 * MS)


def ids(records: list[OsRecord]) -> list[int | None]:
    return [record.record_id for record in records]


def accounts(fragments: list[bytes]) -> list[int]:
    return [i for i, line in enumerate(fragments) if b"Power-Troubleshooter" in line]


def test_each_record_comes_once_as_the_log_grows(dut: Dut, fragments: list[bytes]) -> None:
    log = dut.log()
    found: list[OsRecord] = []
    for count, end in enumerate(accounts(fragments), start=1):
        dut.write(fragments[: end + 1])
        found += settled(log, count - len(found))
    log.close()
    assert ids(found) == sorted(set(ids(found)), key=lambda number: number or 0)
    assert len(found) == 4
    assert all(record.text for record in found)
    source = log.describe()
    assert (source.path, source.kind, source.integrity.ok) == (dut.address, "eventlog-xml", True)


def test_the_first_call_waits_for_everything(dut: Dut, fragments: list[bytes]) -> None:
    dut.write(fragments)
    log = dut.log()
    assert len(log.new_records()) == 4
    log.close()


def test_a_connection_that_is_cut_costs_a_repeat_and_nothing_else(
    dut: Dut, fragments: list[bytes]
) -> None:
    first = accounts(fragments)[0]
    dut.write(fragments[: first + 1])
    log = dut.log()
    assert len(log.new_records()) == 1
    dut.write(fragments)
    dut.does("cut")
    assert failure(log).startswith(f"could not reach {dut.address}: ")
    found = settled(log, 3)
    log.close()
    assert len(set(ids(found))) == len(found) == 3
    assert log.describe().integrity.ok


def test_a_dut_that_gives_no_answer_holds_nobody_up(dut: Dut, fragments: list[bytes]) -> None:
    dut.write(fragments[: accounts(fragments)[0] + 1])
    log = dut.log()
    log.new_records()
    dut.write(fragments)
    dut.does("wait")
    assert [log.new_records() for _ in range(5)] == [()] * 5
    dut.does_no_longer("wait")
    assert len(settled(log, 3)) == 3
    log.close()


def test_a_log_that_nobody_may_read_says_what_is_needed(dut: Dut) -> None:
    dut.does("denied")
    with pytest.raises(RecordError, match=r"status 5; .* Event Log Readers"):
        dut.log().new_records()


def test_a_host_that_is_not_known_is_refused(dut: Dut, tmp_path: Path) -> None:
    config = tmp_path / "ssh_config"
    text = dut.config.read_text()
    config.write_text(text.replace(f"{dut.folder}/known_hosts", f"{tmp_path}/none"))
    shell = DutShell(parse_dut_address(dut.address), SystemClock(), config)
    with pytest.raises(RecordError, match="Host key verification failed"):
        shell.run("uname -s")


def test_a_dut_that_is_not_there_is_named(dut: Dut) -> None:
    nobody = dut.address.rpartition(":")[0] + ":1"
    with pytest.raises(RecordError, match=r"could not reach ssh:.*:1: .*refused"):
        dut.log(nobody).new_records()


def test_a_dut_that_comes_back_with_another_address_is_found(
    dut: Dut, fragments: list[bytes]
) -> None:
    dut.write(fragments)
    user = dut.address.partition("@")[0]
    log = dut.log(f"{user}@nobody.invalid,127.0.0.1:{dut.port}")
    with pytest.raises(RecordError, match=r"nobody\.invalid"):
        log.new_records()
    assert len(settled(log, 4)) == 4
    log.close()


def test_a_cleared_log_is_read_anew_and_said(dut: Dut, fragments: list[bytes]) -> None:
    dut.write(fragments)
    log = dut.log()
    assert len(log.new_records()) == 4
    dut.write(fragments[: accounts(fragments)[0] + 1])
    assert len(settled(log, 1)) == 1
    assert any("cleared" in problem for problem in log.describe().integrity.problems)
    log.close()


def test_a_log_that_wrapped_in_between_is_not_whole(dut: Dut, fragments: list[bytes]) -> None:
    marks = accounts(fragments)
    dut.write(fragments[: marks[0] + 1])
    log = dut.log()
    log.new_records()
    dut.write(fragments[marks[1] + 1 :])
    settled(log, 2)
    assert not log.describe().integrity.ok
    assert any("wrapped" in problem for problem in log.describe().integrity.problems)
    log.close()


def test_what_delayed_a_sleep_is_read_beside_the_log(
    dut: Dut, fragments: list[bytes], fixtures_dir: Path
) -> None:
    text = (fixtures_dir / "logs" / "diagnostics-performance.xml").read_text()
    events = [line for line in text.splitlines(keepends=True) if "<Event " in line]
    (dut.folder / "delays.xml").write_text("".join(events[:10]))
    dut.write(fragments)
    log = dut.log()
    first = list(log.new_records())
    assert Counter(r.kind for r in first)[SleepKind.STANDBY_PERFORMANCE] == 1
    assert len([r for r in first if r.kind not in NO_SLEEPS]) == 4
    (dut.folder / "delays.xml").write_text("".join(events))
    later = settled(log, 2)
    log.close()
    assert [c.name for r in later for c in r.components if c.kind is ComponentKind.DRIVER] == [
        "exwlan.sys"
    ]
    source = log.describe()
    assert (source.integrity.ok, source.integrity.problems) == (True, ())


def test_a_dut_that_does_not_give_the_log_of_delays_is_read_without(
    dut: Dut, fragments: list[bytes]
) -> None:
    dut.write(fragments)
    log = dut.log()
    assert len(log.new_records()) == 4
    log.close()
    integrity = log.describe().integrity
    assert integrity.ok
    assert integrity.notes == integrity.problems
    assert [problem.partition(":")[0] for problem in integrity.problems] == [
        "What delayed a boot, a shutdown or a sleep is unknown"
    ]


class Patient:
    """Waits in real time for what a campaign on a virtual clock would pass over."""

    record_wait_ns = 3_000 * MS

    def __init__(self, log: SshLog, publish: Callable[[], int]) -> None:
        self._log = log
        self._publish = publish
        self._given = 0

    def new_records(self) -> tuple[OsRecord, ...]:
        wanted = self._publish() - self._given
        found = settled(self._log, wanted) if wanted else list(self._log.new_records())
        self._given += len(found)
        return tuple(found)

    def describe(self) -> LogSource:
        return self._log.describe()

    def close(self) -> None:
        self._log.close()


def test_a_campaign_reads_its_records_over_ssh(dut: Dut, simulated: Callable[..., Any]) -> None:
    bench = simulated()

    def publish() -> int:
        data: bytes = bench.rig.download(bench.identity.rig.dut_log, 0)
        dut.write(data.splitlines(keepends=True))
        return data.count(b"Microsoft-Windows-Power-Troubleshooter")

    bench.log = Patient(dut.log(), publish)
    bench.begin(override(default_plan(), cycles=3))
    stored = load_campaign(bench.path)
    assert [len(raw.records) for raw in stored.cycles] == [1, 1, 1]
    bench.log.close()
