"""A DUT without SSH: its script pushes events to a folder, and the campaign reads them there."""

import json
import re
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import tree_sitter
import tree_sitter_powershell

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.dut.log_source import FileLog, FolderLog
from resume_rig.campaign.dut.own_log import DELAYS_CHANNEL, remote_event_log
from resume_rig.campaign.dut.ssh_log import PROVIDERS, WindowsLog
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.preparation.doctor import check_log
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.cli.main import main
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.oslog.event.delays import with_delays
from resume_rig.rig.interface import DutLog, served_log
from resume_rig.timing.clocks import VirtualClock

EVENT = re.compile(rb"<Event .*?</Event>", re.DOTALL)
SCRIPT = files("resume_rig.campaign.dut").joinpath("push-events.ps1").read_bytes()
NS_PER_HOUR = 3_600_000_000_000


class Pushed(FolderLog):
    """A folder into which the DUT's script writes before it is looked at: an event a line."""

    def __init__(self, folder: Path, log: DutLog) -> None:
        super().__init__(folder)
        self._file, self._log, self._read = folder / "UNIT-7.xml", log, 0

    def new_records(self) -> tuple[OsRecord, ...]:
        text = self._log.text_from(self._read)
        self._read += len(text)
        with self._file.open("ab") as file:
            file.writelines(event + b"\n" for event in EVENT.findall(text))
        return super().new_records()


def test_a_campaign_is_judged_by_what_the_dut_pushes(
    simulated: Any, short_plan: Plan, requirement: Any, tmp_path: Path
) -> None:
    bench = simulated()
    folder = tmp_path / "share"
    folder.mkdir()
    log = served_log(bench.rig, bench.rig.info())
    assert log is not None
    bench.log = Pushed(folder, log)
    bench.begin(short_plan)

    judged = assess(load_campaign(bench.path), requirement)

    assert len(judged.cycles) == short_plan.cycles
    assert all(cycle.record is not None for cycle in judged.cycles)
    assert check_log(FolderLog(folder), bench.clock).ok


def test_doctor_tells_whether_records_arrive(
    simulated: Any, short_plan: Plan, tmp_path: Path
) -> None:
    bench = simulated()
    log = served_log(bench.rig, bench.rig.info())
    assert log is not None
    nothing = check_log(FolderLog(tmp_path), bench.clock)
    bench.begin(short_plan)
    Pushed(tmp_path, log).new_records()
    fresh = check_log(FolderLog(tmp_path), bench.clock)
    bench.clock.sleep_ns(30 * NS_PER_HOUR)
    stale = check_log(FolderLog(tmp_path), bench.clock)

    assert (nothing.ok, fresh.ok, stale.ok) == (False, True, False)
    assert "reports no sleep with a time; put the DUT to sleep once" in nothing.text
    cycles = short_plan.cycles
    assert f"reports {cycles} sleeps ({cycles} S3), the newest " in fresh.text
    assert "h old; is it pushed still?" in stale.text


def test_doctor_ends_its_sentence_before_what_a_log_lacks(shared_data: Path) -> None:
    log = FileLog(shared_data / "eventlog" / "win11-22000-no-sleep.evtx")
    told = check_log(log, VirtualClock()).text

    assert "put the DUT to sleep once, and wake it. The log was copied" in told
    assert not told.endswith(".")


def test_doctor_says_how_the_dut_sleeps_and_counts_no_boot(shared_data: Path) -> None:
    log = FileLog(shared_data / "eventlog" / "win11-22000-laptop-s3.xml")
    told = check_log(log, VirtualClock()).text

    assert "reports 90 sleeps (54 hybrid sleeps, 16 dozes to hibernate, 16 S4, 4 aborted" in told
    assert ", none of them S3, the newest " in told


def test_doctor_refuses_a_folder_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["doctor", "--log", str(tmp_path / "none"), "--json"]) == 3

    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert not checks["log"]["ok"]
    assert checks["host clock"]["ok"]
    assert "board" not in checks


def test_what_delayed_a_sleep_arrives_beside_the_sleeps(tmp_path: Path, fixtures_dir: Path) -> None:
    for name, pushed in (("power-notes", "UNIT-7"), ("diagnostics-performance", "UNIT-7-delays")):
        shutil.copy(fixtures_dir / "logs" / f"{name}.xml", tmp_path / f"{pushed}.xml")

    records = with_delays(FolderLog(tmp_path).new_records())

    kinds = {r.kind for r in records if r is not None and r.sleep_time_utc_ns and r.components}
    assert SleepKind.S3 in kinds
    assert SCRIPT.count(b'"$env:COMPUTERNAME.xml"') == 1
    assert SCRIPT.count(b'"$env:COMPUTERNAME-delays.xml"') == 1
    assert DELAYS_CHANNEL.encode() in SCRIPT


def test_the_script_is_powershell_and_readable_everywhere() -> None:
    language = tree_sitter.Language(tree_sitter_powershell.language())
    tree = tree_sitter.Parser(language).parse(SCRIPT)

    assert not tree.root_node.has_error
    assert SCRIPT.isascii()
    assert len(SCRIPT.splitlines()) <= 100


def test_the_script_asks_for_what_is_read_over_ssh() -> None:
    asked = set(re.findall(r"@Name='([^']+)'", SCRIPT.decode("ascii")))

    assert asked == set(PROVIDERS)
    assert "EventRecordID>$last" in SCRIPT.decode("ascii")


def test_dut_script_prints_it_and_writes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "push.ps1"

    assert main(["dut-script"]) == 0
    assert capsys.readouterr().out.encode() == SCRIPT
    assert main(["dut-script", "--out", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["path"] == str(path)
    assert path.read_bytes().replace(b"\r\n", b"\n") == SCRIPT


def test_another_windows_pc_is_asked_by_wevtutil() -> None:
    shell = remote_event_log("wevtutil:unit-7.lab", VirtualClock(), "win32")

    assert shell.text == "wevtutil:unit-7.lab"
    assert shell.line(WindowsLog("").command()) == "wevtutil gli System /r:unit-7.lab"


@pytest.mark.parametrize(
    ("text", "platform", "words"),
    [
        ("wevtutil:", "win32", "allowed is wevtutil:HOST"),
        ("wevtutil:a b", "win32", "allowed is wevtutil:HOST"),
        ("wevtutil:/u:admin", "win32", "allowed is wevtutil:HOST"),
        ("wevtutil:unit-7", "linux", "only Windows has wevtutil"),
    ],
)
def test_a_host_that_is_none_is_refused(text: str, platform: str, words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        remote_event_log(text, VirtualClock(), platform)
