"""`resume-rig selftest` and `watch --samples`, as a person uses them."""

import csv
import threading
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from queue import Queue

import pytest

from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.serve import serve_tcp
from resume_rig.timing.clocks import SystemClock

SIM = "sim:clock=virtual,seed=7"
PLUG = f"{SIM},dut=loopback"
PATIENCE_S = 10.0


@pytest.fixture
def served_bench() -> Iterator[str]:
    """The URL of a bench with a DUT, of which the command line cannot know that."""
    ready: Queue[str] = Queue()
    stop = threading.Event()
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), SystemClock(), 1)
    serve = partial(serve_tcp, bench, "127.0.0.1", 0, ready.put, stop)
    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"rfc2217:{ready.get(timeout=PATIENCE_S)}"
    finally:
        stop.set()
        thread.join(PATIENCE_S)


def test_without_options_it_tells_of_edges_clock_and_calibration(command) -> None:
    said = command("selftest", "--rig", SIM)
    assert said.status == 0, said.err
    assert "ok   edge_delay_ns" in said.out
    assert "edge source: simulated" in said.out
    assert "clock sim-xtal, 1000000 Hz, +/-30 ppm" in said.out
    assert "calibration: none" in said.out

    document = command("selftest", "--rig", SIM, "--json").document
    assert document["edge_source"] == "simulated"
    assert document["clock"] == {"source": "sim-xtal", "hz": 1_000_000, "tolerance_ppb": 30_000}
    assert document["calibration"]["store"] == "retained"


def test_a_loopback_is_a_table_and_is_not_kept_unasked(command) -> None:
    said = command("selftest", "--rig", PLUG, "--loopback", "BUTTON=PWR_OK,LED", "--count", "50")
    assert said.status == 0, said.err
    assert "BUTTON -> PWR_OK, LED: 50 changes" in said.out
    rows = {line.split()[0]: line.split()[1:] for line in said.out.splitlines() if line.strip()}
    assert rows["PWR_OK"][:3] == rows["LED"][:3] == ["50", "0", "0"]
    assert rows["PWR_OK"][-1] == "2500"
    assert "Not kept (--save lets the board keep them)" in said.out


def test_saved_latencies_are_in_force_from_then_on(command) -> None:
    said = command(
        *("selftest", "--rig", PLUG, "--json", "--save", "--count", "60", "--gap", "2ms"),
        *("--loopback", "BUTTON=PWR_OK", "--loopback", "LID=LID,LED"),
    )
    assert said.status == 0, said.err
    assert said.document["schema"] == "resume-rig/selftest-loopback/1"
    first, second = said.document["loopbacks"]
    assert (first["actuator"], second["actuator"]) == ("BUTTON", "LID")
    assert (first["kept"], second["kept"], first["gap_ns"]) == (True, True, 2_000_000)
    for row in first["channels"] + second["channels"]:
        assert row["delay_in_force_ns"] == row["mean_ns"]
        deviation_ns = max(row["max_ns"] - row["mean_ns"], row["mean_ns"] - row["min_ns"])
        assert row["uncertainty_in_force_ns"] == deviation_ns + 1_000


def test_a_wire_that_is_not_there_is_said_and_nothing_is_kept(command) -> None:
    # The profile's board has no channel SLP_S5, so the refusal is the board's.
    said = command("selftest", "--rig", PLUG, "--loopback", "BUTTON=SLP_S5")
    assert said.status == 3
    assert "no such channel (channels present: PWR_OK" in said.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--rig", SIM, "--loopback", "BUTTON=LED", "--no-dut"), "a simulated DUT is connected"),
        (("--rig", PLUG, "--loopback", "BUTTON"), "is not of the form ACTUATOR=CHANNEL"),
        (("--rig", PLUG, "--loopback", "BUTTON="), "is not of the form ACTUATOR=CHANNEL"),
        (("--rig", PLUG, "--loopback", "FAN=LED"), "actuators are BUTTON, LID"),
        (("--rig", PLUG, "--loopback", "LID=LED,LED"), "names a channel twice"),
        (("--rig", PLUG, "--save"), "--save needs --loopback"),
        (("--rig", PLUG, "--count", "5", "--gap", "1ms"), "--count, --gap needs --loopback"),
        (("--rig", PLUG, "--forget", "--save"), "give it alone"),
        (("--rig", f"{SIM},dut=laptop"), "allowed is loopback, a plug for none"),
        (("--rig", PLUG, "--loopback", "LID=LED", "--count", "-1"), "allowed are 2 to 10000"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(command, arguments, sentence: str) -> None:
    said = command("selftest", *arguments)
    assert said.status == 2
    assert sentence in said.err


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("--count", "1", "2 to 10000 changes"),
        ("--count", "10001", "2 to 10000 changes"),
        ("--gap", "99us", "100.0 us to 100.0 ms"),
        ("--gap", "101ms", "100.0 us to 100.0 ms"),
    ],
)
def test_what_the_board_would_refuse_is_refused_before_anything_is_driven(
    command, option: str, value: str, allowed: str
) -> None:
    said = command("selftest", "--rig", PLUG, "--loopback", "LID=LED", option, value)
    assert said.status == 2
    assert f"allowed are {allowed}" in said.err
    assert "Driving" not in said.err


def test_a_board_with_a_dut_perhaps_is_not_looped_back_unless_a_person_says_so(
    command, served_bench: str
) -> None:
    wanted = ("selftest", "--rig", served_bench, "--loopback", "BUTTON=PWR_OK", "--count", "4")
    said = command(*wanted)
    assert said.status == 2
    assert "take the DUT off the rig, put the wires in, and say so with --no-dut" in said.err

    said = command(*wanted, "--no-dut")
    assert said.status == 3
    assert "no edge came on PWR_OK; is the wire from BUTTON's output pin" in said.out
    assert "nothing of it is kept" in said.out


def test_forgetting_says_so(command) -> None:
    assert "has forgotten its calibration" in command("selftest", "--rig", SIM, "--forget").out
    document = command("selftest", "--rig", SIM, "--forget", "--json").document
    assert document["calibration"]["latencies"] == []


def test_doctor_tells_what_stamps_edges(command) -> None:
    said = command("doctor", "--rig", SIM)
    assert "source: simulated, 0 of 8 channels calibrated" in said.out


def test_samples_of_light_are_written_as_csv(command, folder: Path) -> None:
    said = command("watch", "--rig", SIM, "--for", "1s", "--samples", "light.csv", "--json")
    assert said.status == 0, said.err
    assert said.document["samples"] == {"state": "no_light", "count": 512, "path": "light.csv"}
    with (folder / "light.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 512
    times = [int(row["t_ns"]) for row in rows]
    assert {after - before for before, after in pairwise(times)} == {500_000}
    assert all(0 <= int(row["counts"]) <= 4_095 for row in rows)


@pytest.mark.parametrize("arguments", [(), ("--for", "0")])
def test_samples_need_a_time(command, arguments) -> None:
    said = command("watch", "--rig", SIM, "--samples", "light.csv", *arguments)
    assert said.status == 2
    assert "--samples needs --for TIME, above 0" in said.err
