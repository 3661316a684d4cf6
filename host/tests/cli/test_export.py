"""`resume-rig export`: what other tools get of a campaign, read back by their own readers."""

import csv
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import pytest
from command_line import Command

from resume_rig.cli.main import main
from resume_rig.model.channel import Channel
from resume_rig.rig.capture.reading import read_capture


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "night.rrs"
    words = ["--rig", "sim:clock=virtual,seed=11", "--cycles", "6", "--out", str(path)]
    assert main(["run", *words, "--json"]) == 0
    return path


def exported(command: Command, store: Path, *words: str) -> Path:
    path = Path("out.file")
    said = command("export", str(store), *words, "--out", str(path))
    assert (said.status, said.err) == (0, f"Written: {path}\n")
    return path


def read_parquet(path: Path) -> tuple[list[str], list[tuple[object, ...]]]:
    read = duckdb.connect().read_parquet(str(path))
    return read.columns, read.fetchall()


def cycles_of(command: Command, store: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(command("correlate", str(store), "--json").out)[
        "cycles"
    ]
    return found


def test_every_export_is_the_same_bytes_each_time(command: Command, store: Path) -> None:
    for folder in ("one", "two"):
        assert command("export", str(store), "--evidence", folder).status == 0
    first = {path.relative_to("one"): path for path in Path("one").rglob("*") if path.is_file()}
    assert len(first) >= 15
    for name, path in first.items():
        assert path.read_bytes() == (Path("two") / name).read_bytes(), name


def test_the_manifest_names_every_file_with_its_hash(command: Command, store: Path) -> None:
    command("export", str(store), "--evidence", "night")
    listed = {}
    for line in Path("night/MANIFEST.sha256").read_text("utf-8").splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    files = [path for path in Path("night").rglob("*") if path.is_file()]
    expected = {
        path.relative_to("night").as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.name != "MANIFEST.sha256"
    }
    assert listed == expected


def test_every_link_of_the_report_leads_to_a_file_of_the_evidence(
    command: Command, store: Path
) -> None:
    command("export", str(store), "--evidence", "night")
    links = re.findall(r'href="([^"]*)"', Path("night/report.html").read_text("utf-8"))
    assert {"campaign.rrs", "cycles.csv", "edges.csv", "trace.json"} <= set(links)
    assert any(link.startswith("cycles/cycle-") for link in links)
    missing = [
        link for link in links if not link.startswith("#") and not Path("night", link).is_file()
    ]
    assert missing == []


def test_the_copy_of_the_store_is_a_store(command: Command, store: Path) -> None:
    command("export", str(store), "--evidence", "night")
    assert cycles_of(command, Path("night/campaign.rrs")) == cycles_of(command, store)


def test_csv_and_parquet_hold_what_correlate_says(command: Command, store: Path) -> None:
    cycles = cycles_of(command, store)
    with exported(command, store, "--to", "csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    parquet = exported(command, store, "--to", "parquet")
    names, found = read_parquet(parquet)
    assert list(rows[0]) == names
    assert len(rows) == len(cycles) == 6
    for row, values, cycle in zip(rows, found, cycles, strict=True):
        of_type = dict(zip(names, values, strict=True))
        for name, quantity in cycle["outside"].items():
            wanted = None if quantity is None else quantity["value"]
            assert of_type[name] == wanted
            assert row[name] == ("" if wanted is None else str(wanted))
        assert of_type["bios_init_ms"] == cycle["inside"]["bios_init_ms"]
        assert of_type["judged"] is cycle["judged"]


@pytest.mark.parametrize("table", ["edges", "findings", "components"])
def test_the_other_tables_are_the_same_in_both_forms(
    command: Command, store: Path, table: str
) -> None:
    plain = exported(command, store, "--to", "csv", "--table", table).read_text("utf-8")
    parquet = exported(command, store, "--to", "parquet", "--table", table)
    names, found = read_parquet(parquet)
    assert plain.splitlines()[0].split(",") == names
    assert len(plain.splitlines()) - 1 == len(found)


def test_a_wave_read_back_has_the_edges_of_its_cycle(command: Command, store: Path) -> None:
    edges = exported(command, store, "--to", "csv", "--table", "edges").read_text("utf-8")
    rows = [row for row in csv.DictReader(edges.splitlines()) if row["cycle"] == "3"]
    wave = exported(command, store, "--to", "vcd", "--cycle", "3")
    shift = int(wave.read_text("ascii").split("$timezero ")[1].split()[0])
    capture = read_capture(wave, {})
    read = sorted((e.t_ns + shift, e.channel.value, e.level) for e in capture.edges)
    wanted = sorted((int(r["t_ns"]), r["channel"], int(r["level"])) for r in rows)
    assert read == wanted
    assert (0, Channel.BUTTON.value, 0) in read  # the press is the zero of time


@pytest.mark.skipif(shutil.which("vcd2fst") is None, reason="GTKWave's vcd2fst is not installed")
def test_a_wave_is_read_by_gtkwave(command: Command, store: Path) -> None:
    wave = exported(command, store, "--to", "vcd", "--cycle", "2")
    subprocess.run(["vcd2fst", str(wave), "wave.fst"], check=True, timeout=60)
    back = subprocess.run(
        ["fst2vcd", "wave.fst"], check=True, timeout=60, capture_output=True, text=True
    ).stdout
    before = wave.read_text("ascii")
    for text in (before, back):
        assert text.count("\n0") + text.count("\n1") > 20
    assert sum(line.startswith("#") for line in back.splitlines()) == sum(
        line.startswith("#") for line in before.splitlines()
    )


@pytest.mark.skipif(shutil.which("sigrok-cli") is None, reason="sigrok-cli is not installed")
def test_a_wave_is_read_by_sigrok(command: Command, store: Path) -> None:
    wave = exported(command, store, "--to", "vcd", "--cycle", "2")
    options = ["-I", "vcd:downsample=1000000", "-i", str(wave), "-O", "csv"]
    read = subprocess.run(
        ["sigrok-cli", *options], check=True, timeout=120, capture_output=True, text=True
    ).stdout
    lines = [line for line in read.splitlines() if line[:1] in "01"]
    assert len(lines) > 5_000  # a cycle of several seconds, a line a millisecond
    assert {line.split(",")[1] for line in lines} == {"0", "1"}  # SLP_S3 fell and rose


def test_the_trace_has_every_cycle_on_one_time_axis(command: Command, store: Path) -> None:
    events = json.loads(exported(command, store, "--to", "trace").read_text("utf-8"))["traceEvents"]
    cycles = [e for e in events if e["ph"] == "X" and e["pid"] == 1]
    presses = [e["ts"] for e in events if e["ph"] == "i"]
    bios = [e for e in events if e.get("name") == "BIOS"]
    assert len(cycles) == len(presses) == len(bios) == 6
    assert all(e["ts"] >= 0 and e.get("dur", 0) >= 0 for e in events if e["ph"] in "XCi")
    ends = [0.0, *(e["ts"] + e["dur"] for e in cycles)]
    assert all(e["ts"] >= end for e, end in zip(cycles, ends, strict=False))
    for cycle, press, phase in zip(cycles, presses, bios, strict=True):
        assert cycle["ts"] < press < phase["ts"] < cycle["ts"] + cycle["dur"]


def test_junit_has_a_case_a_requirement_and_its_verdict(command: Command, store: Path) -> None:
    passed = ElementTree.parse(exported(command, store, "--to", "junit")).getroot()
    assert passed.get("failures") == passed.get("errors") == "0"
    assert 2 <= len(passed.findall(".//testcase")) <= 10
    failed = ElementTree.parse(
        exported(command, store, "--to", "junit", "--limit-ms", "100")
    ).getroot()
    # The requirement, and the limit that it fails by.
    assert failed.get("failures") == "2"
    failure = failed.find(".//failure")
    assert failure is not None
    assert failure.get("type") == "FAIL"
    assert "100 ms" in (failure.get("message") or "")


def test_a_campaign_without_evidence_is_an_error_in_junit(command: Command, store: Path) -> None:
    root = ElementTree.parse(exported(command, store, "--to", "junit", "--kind", "S4")).getroot()
    error = root.find(".//error")
    assert error is not None
    assert error.get("type") == "NO-EVIDENCE"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--to", "vcd"), "--cycle N"),
        (("--to", "csv", "--cycle", "1"), "--to vcd"),
        (("--to", "vcd", "--cycle", "7"), "it has 1 to 6"),
        (("--evidence", "there", "--to", "csv"), "not allowed"),
        (("--to", "png"), "junit"),
    ],
)
def test_what_cannot_be_exported_is_said(
    command: Command, store: Path, words: tuple[str, ...], named: str
) -> None:
    Path("there").mkdir()
    said = command("export", str(store), *words, "--out", "x")
    assert said.status == 2
    assert named in said.err
    assert not Path("x").exists()


def test_an_existing_folder_is_left_alone(command: Command, store: Path) -> None:
    Path("there").mkdir()
    Path("there/precious").write_text("mine", encoding="utf-8")
    said = command("export", str(store), "--evidence", "there")
    assert said.status == 2
    assert "name a new folder" in said.err
    assert [path.name for path in Path("there").iterdir()] == ["precious"]


def test_the_store_is_not_overwritten(command: Command, store: Path) -> None:
    before = store.read_bytes()
    said = command("export", str(store), "--to", "csv", "--out", str(store))
    assert said.status == 2
    assert store.read_bytes() == before


def test_a_failure_is_in_the_report_with_its_wave_and_its_record(
    command: Command, store: Path
) -> None:
    assert command("report", str(store), "--limit-ms", "500", "--out", "failed.html").status == 0
    html = Path("failed.html").read_text("utf-8")
    assert html.count('class="wave lane-') >= 5 * 8  # cycles 2 to 6, a lane a wire
    assert "Cycle 2: FAIL" in html
    assert "the first failure" in html
    assert "&lt;Event" in html  # the record as it was read, escaped
    assert "<Event" not in html


def test_the_advised_bios_time_in_junit_is_as_it_is_judged(command: Command) -> None:
    campaign = ["run", "--rig", "sim:clock=virtual,seed=7", "--cycles", "4", "--json"]
    assert command(*campaign, "--dut", "bios-under-reports", "--out", "slow.rrs").err
    assert command(*campaign, "--dut", "bios-reports-zero", "--out", "zero.rrs").err

    slow = advised(exported(command, Path("slow.rrs"), "--to", "junit"))
    assert slow.findtext("system-out") == (
        "3 of 3 cycles above the advised 250 ms; advice never fails"  # the first one is ignored
    )
    Path("out.file").unlink()
    path = exported(command, Path("zero.rrs"), "--to", "junit")
    skipped = advised(path).find("skipped")
    assert skipped is not None
    assert str(skipped.get("message")).endswith("not measured in any judged cycle")
    assert ElementTree.parse(path).getroot().get("skipped") == "1"


def advised(path: Path) -> ElementTree.Element:
    cases = ElementTree.parse(path).iter("testcase")
    return next(case for case in cases if "advised" in str(case.get("name")))
