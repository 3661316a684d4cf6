"""`run --trace`: a campaign through the command line, whose ssh runs commands on this machine."""

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from etl_builder import Ev, etl, s3_sleep
from tree_sitter import Language, Parser
from tree_sitter_powershell import language

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.dut import trace as dut_trace
from resume_rig.campaign.dut.shell import DutShell, parse_dut_address, powershell
from resume_rig.campaign.dut.trace import (
    DutTrace,
    Traced,
    Wait,
    disarm_script,
    guard_script,
    opened_trace,
    send_script,
)
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.plan.words import TraceTool
from resume_rig.campaign.run.campaign import begin
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.model.clock import Clock
from resume_rig.model.os_record import Component, ComponentKind, SleepKind
from resume_rig.oslog.source.records import BARE_RECORD
from resume_rig.timing.clocks import SystemClock

PROGRAMS = ("wpr", "xperf", "where.exe", "powershell")
PLAN = "cycles = 2\nwarm_up = 0\nshort_dwell = true\ndwell_ms = 600\nsettle_ms = 300\n"


@dataclass(frozen=True, slots=True)
class Dut:
    """A DUT whose commands are stand-ins in a folder; `lost` there cuts the connection."""

    folder: Path

    def does(self, wrong: str) -> None:
        (self.folder / wrong).touch()

    def told(self) -> list[str]:
        return (self.folder / "told").read_text().splitlines()

    def has(self, name: str) -> bool:
        return (self.folder / name).exists()

    def run(self, out: Path, *words: str) -> "tuple[int, dict[str, Any], str]":
        plan = out / "plan.toml"
        plan.write_text(PLAN)
        command = [sys.executable, "-m", "resume_rig", "run", "--json", "--rig", "sim:"]
        command += ["--plan", str(plan), "--out", str(out / "night.rrs")]
        command += ["--dut-shell", "ssh:lab@dut", *words]
        path = f"{self.folder}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, json.loads(done.stdout or "{}"), done.stderr


@pytest.fixture
def dut(tmp_path_factory: pytest.TempPathFactory) -> Dut:
    if sys.platform == "win32":
        pytest.skip("its ssh and the DUT's programs are stand-ins, scripts of a POSIX shell")
    folder = tmp_path_factory.mktemp("dut")
    (folder / "sample.etl").write_bytes(etl(s3_sleep()))
    (folder / "told").write_text("")
    shutil.copy(Path(__file__).with_name("stand_in_trace.py"), folder)
    own = folder / "bin"
    own.mkdir()
    for name in PROGRAMS:
        (own / name).write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -I -S "{folder}/stand_in_trace.py" {name} "$@"\n'
        )
    (own / "uname").write_text("#!/bin/sh\nexit 1\n")
    # The last word is the command; a host that only is the DUT's has no xperf of its own.
    (folder / "ssh").write_text(
        f'#!/bin/sh\nif [ -e "{folder}/lost" ]; then echo "Connection refused" >&2; exit 255; fi\n'
        f'for command do :; done\nPATH="{own}:/usr/bin:/bin" exec sh -c "$command"\n'
    )
    for program in (folder / "ssh", *own.iterdir()):
        program.chmod(0o755)
    return Dut(folder)


def kinds(document: "dict[str, Any]") -> list[list[str]]:
    return [[each["kind"] for each in cycle["findings"]] for cycle in document["cycles"]]


def whys(document: "dict[str, Any]") -> str:
    return " ".join(each["text"] for cycle in document["cycles"] for each in cycle["findings"])


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["wpr", "xperf"])
def test_every_cycle_has_its_trace_and_nothing_stays_on_the_dut(
    dut: Dut, tmp_path: Path, tool: str
) -> None:
    status, document, _ = dut.run(tmp_path, "--trace", tool)
    assert status in {0, 4}
    assert "no-trace" not in whys(document) + str(kinds(document))
    names = sorted(each.name for each in (tmp_path / "night-traces").iterdir())
    assert names == [
        "cycle-000001.etl", "cycle-000001.xml", "cycle-000002.etl", "cycle-000002.xml"
    ]  # fmt: skip
    assert document["campaign"]["plan"]["trace"] == tool
    started = [each for each in dut.told() if each.startswith((f"{tool} -start", f"{tool} -on"))]
    assert len(started) == 2
    assert not any(map(dut.has, ("recording", "guard", "trace", "summary")))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("no-start", "ended with status 0x1 on the DUT"),
        ("huge", "its file is larger than 512 MiB"),
        ("foreign", "it shows no sleep; it is kept in"),
        ("goes-away", "could not reach ssh:lab@dut: Connection refused"),
    ],
)
def test_a_cycle_without_a_trace_says_why_and_the_campaign_goes_on(
    dut: Dut, tmp_path: Path, fault: str, why: str
) -> None:
    other = Ev(1, 1, provider="0cd1c309-0878-4515-83db-749843b3f5c9")
    (dut.folder / fault).write_bytes(etl([other]) if fault == "foreign" else b"")
    _, document, _ = dut.run(tmp_path, "--trace", "wpr")
    assert ["no-trace" in each for each in kinds(document)] == [True, True]
    assert why in whys(document)
    assert [cycle["verdict"] for cycle in document["cycles"]].count("FAIL") == 0
    # Who cannot be reached ends it by a task of its own.
    assert dut.has("recording") == dut.has("guard") == (fault == "goes-away")


def test_a_dut_without_the_tool_is_refused_before_anything_moves(dut: Dut, tmp_path: Path) -> None:
    dut.does("no-xperf")
    status, _, said = dut.run(tmp_path, "--trace", "xperf")
    assert status == 2
    assert "has none that its shell finds; install the Windows Performance Toolkit" in said
    assert not (tmp_path / "night.rrs").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--trace", "etw"], "--trace = 'etw'; allowed are none, wpr, xperf"),
        (["--trace", "wpr", "--state", "S5", "--settle", "adaptive"], "with a boot"),
    ],
)
def test_a_plan_that_cannot_be_traced_is_refused(
    dut: Dut, tmp_path: Path, words: list[str], said: str
) -> None:
    status, _, told = dut.run(tmp_path, *words)
    assert (status, said in told) == (2, True)


def test_without_a_shell_there_is_no_trace(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "resume_rig", "run", "--rig", "sim:", "--trace", "wpr"]
    command += ["--out", str(tmp_path / "night.rrs")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "nothing reaches the DUT's OS" in done.stderr


@pytest.mark.parametrize(
    "script",
    [
        guard_script(TraceTool.WPR, 1000),
        guard_script(TraceTool.XPERF, 1000),
        disarm_script(),
        send_script(r"C:\Windows\Temp\resume-rig.etl", 1 << 29),
    ],
    ids=["guard-wpr", "guard-xperf", "disarm", "send"],
)
def test_the_scripts_are_powershell_and_fit_a_command_line(script: str) -> None:
    tree = Parser(Language(language())).parse(script.encode())
    assert not tree.root_node.has_error
    assert len(powershell(script)) < 8191  # cmd's own limit


def until(until_ns: int, done: Callable[[], bool]) -> bool:
    while not done() and time.monotonic_ns() < until_ns:
        time.sleep(0.01)
    return done()


@pytest.fixture
def trace(dut: Dut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DutTrace:
    """Return what traces the DUT in this process."""
    monkeypatch.setenv("PATH", f"{dut.folder}{os.pathsep}{os.environ['PATH']}")
    clock = SystemClock()
    shell = DutShell(parse_dut_address("ssh:lab@dut"), clock)
    found = opened_trace(
        override(default_plan(), trace=TraceTool.WPR), shell, tmp_path / "a.rrs", clock
    )
    assert found is not None
    found.prepare()
    return found


def test_a_trace_tells_of_its_sleep(trace: DutTrace, dut: Dut, tmp_path: Path) -> None:
    trace.start(until)
    assert dut.has("recording")
    assert dut.has("guard")
    traced = trace.finish(12, until)
    trace.close()
    (record,) = traced.records
    assert (traced.why_not, traced.path) == ("", tmp_path / "a-traces" / "cycle-000012.etl")
    assert record.kind is SleepKind.STANDBY_PERFORMANCE
    assert record.driver_init_ms == 1350
    assert "USB\\ROOT_HUB30" in {part.name for part in record.components}


def test_a_trace_that_never_stops_is_given_up_and_the_next_one_starts(
    trace: DutTrace, dut: Dut, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dut_trace, "STOP_LIMIT_NS", 500_000_000)
    dut.does("no-stop")
    trace.start(until)
    assert "it gave no answer within 500.0 ms" in trace.finish(1, until).why_not
    assert not dut.has("recording")
    (dut.folder / "no-stop").unlink()
    trace.start(until)
    assert trace.finish(2, until).why_not == ""
    trace.close()


def test_a_recording_that_an_earlier_run_left_is_ended_first(trace: DutTrace, dut: Dut) -> None:
    dut.does("recording")
    trace.start(until)
    assert trace.finish(1, until).why_not == ""


def test_without_room_nothing_is_recorded(
    trace: DutTrace, dut: Dut, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dut_trace, "free_bytes", lambda _: 700 << 20)
    trace.start(until)
    assert not dut.has("recording")
    assert trace.finish(1, until).why_not == (
        "700 MiB are free where traces are kept, and 768 MiB are wanted"
    )


def test_an_interrupted_cycle_leaves_nothing_on_the_dut(trace: DutTrace, dut: Dut) -> None:
    trace.start(until)
    trace.close()
    trace.close()
    assert not any(map(dut.has, ("recording", "guard")))


class _Sleeping(DutTrace):
    """Times a driver in each cycle, at the DUT's own time, without a DUT."""

    def __init__(self, clock: Clock) -> None:
        self._now_ns = clock.utc_ns

    def prepare(self) -> None:
        pass

    def start(self, wait: Wait) -> None:
        wait(0, lambda: True)
        self._from_ns = self._now_ns()

    def finish(self, number: int, wait: Wait) -> Traced:
        slow = Component(ComponentKind.DEVICE, f"slow {number}", "resume devices", 900.0)
        record = replace(BARE_RECORD, kind=SleepKind.STANDBY_PERFORMANCE, components=(slow,))
        return Traced(
            "",
            (
                dataclasses.replace(
                    record, sleep_time_utc_ns=self._from_ns, wake_time_utc_ns=self._now_ns()
                ),
            ),
        )

    def close(self) -> None:
        pass


def test_what_a_trace_times_joins_its_own_cycle(simulated: Callable[..., Any]) -> None:
    bench = simulated()
    parts = dataclasses.replace(bench.parts, trace=_Sleeping(bench.clock))
    begin(bench.path, override(default_plan(), cycles=3), bench.identity, parts)
    cycles = assess(load_campaign(bench.path)).cycles
    named = [
        {part.name for part in cycle.record.components if part.name.startswith("slow")}
        for cycle in cycles
        if cycle.record is not None
    ]
    assert named == [{"slow 1"}, {"slow 2"}, {"slow 3"}]


def correlate(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "resume_rig", "correlate", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_trace_from_elsewhere_joins_the_cycle_that_is_named(
    simulated: Callable[..., Any], tmp_path: Path
) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=2))
    store, trace = str(bench.path), tmp_path / "s3.etl"
    trace.write_bytes(etl(s3_sleep()))
    report = tmp_path / "report.html"
    done = correlate(store, "--cycle", f"2={trace}", "--all", "--report", str(report))
    assert "USB\\ROOT_HUB30" in done.stdout
    assert "USB\\ROOT_HUB30" in report.read_text()
    assert "USB\\ROOT_HUB30" not in correlate(store, "--all").stdout


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("9={}", "could not join a trace with cycle 9: the campaign has no such cycle"),
        ("two={}", "--cycle takes a cycle and its file, such as 12=s3.xml; found 'two="),
        ("1={}x", "found no such file"),
    ],
)
def test_a_trace_that_joins_no_cycle_is_refused_in_a_sentence(
    simulated: Callable[..., Any], tmp_path: Path, word: str, said: str
) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=1))
    trace = tmp_path / "s3.etl"
    trace.write_bytes(etl(s3_sleep()))
    done = correlate(str(bench.path), "--cycle", word.format(trace))
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
