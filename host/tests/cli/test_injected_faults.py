"""How a campaign answers each fault that can be injected: outcome, exit status and sentence.

The table of docs/reference/faults.md names these tests.
"""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Channel
from resume_rig.model.fault_plan import FaultKind
from resume_rig.model.result.cycle import Outcome

CYCLES = 5
GOOD = "slept-and-woke"


URL = "sim:clock=virtual,seed=7,faults=plan-of-faults.toml"


def url_of(text: str, seed: int = 7) -> str:
    Path("plan-of-faults.toml").write_text(text, encoding="utf-8")
    return URL.replace("seed=7", f"seed={seed}")


def run(command: Any, text: str, *words: str, cycles: int = CYCLES) -> Any:
    where = ("--cycles", str(cycles), "--out", "night.rrs")
    return command("run", "--rig", url_of(text), *where, "--json", *words)


def resume(command: Any, *words: str) -> Any:
    """Go on; a fault plan is a file, which no store may name."""
    return command("run", "--resume", "night.rrs", "--rig", URL, *words)


def at(kind: str, *instants_s: float, **more: float) -> str:
    lines = [f"{name} = {value}" for name, value in more.items()]
    return "\n".join(["[[fault]]", f'kind = "{kind}"', f"at_s = {list(instants_s)}", *lines])


def outcomes(said: Any) -> dict[str, int]:
    found: dict[str, int] = said.document["campaign"]["outcomes"]
    return found


def kinds(said: Any) -> set[str]:
    return {f["kind"] for cycle in said.document["cycles"] for f in cycle["findings"]}


def presses() -> list[int]:
    """Return how often the button went down in each cycle."""
    with Store.open(Path("night.rrs")) as store:
        return [
            sum(edge.channel is Channel.BUTTON and not edge.level for edge in raw.edges)
            for raw in store.cycles()
        ]


def matched(said: Any) -> int:
    return sum(cycle["record_id"] is not None for cycle in said.document["cycles"])


def test_struck_bytes_cost_a_repeat_and_nothing_else(command: Any) -> None:
    shares = "".join(f"{what}_share = 1e-4\n" for what in ("lost", "doubled", "flipped"))
    said = run(command, f"[wire]\n{shares}")

    assert (said.status, outcomes(said)) == (0, {GOOD: CYCLES})
    assert presses() == [2] * CYCLES
    assert matched(said) == CYCLES
    assert "requests sent again" in said.err


def test_late_packets_answer_the_try_that_they_belong_to(command: Any) -> None:
    said = run(command, "[wire]\nlate_share = 0.02\nlate_ms = 400")

    assert (said.status, outcomes(said)) == (0, {GOOD: CYCLES})
    assert presses() == [2] * CYCLES
    assert "replies too late or doubled" in said.err
    assert " 0 replies too late" not in said.err


def test_a_line_that_is_all_noise_ends_with_a_sentence(command: Any) -> None:
    said = run(command, "[wire]\nflipped_share = 0.1")

    assert (said.status, said.out) == (3, "")
    assert "no reply from sim:" in said.err
    assert "heard" in said.err
    assert not Path("night.rrs").exists()


def test_a_board_reset_costs_the_cycle_in_flight(command: Any) -> None:
    said = run(command, at("board-reset", 12, 40))

    assert (said.status, outcomes(said)) == (0, {GOOD: 3, "rig-fault": 2})
    assert kinds(said) == {"board-rebooted"}
    assert said.err.count("the rig is back, the campaign goes on") == 2


@pytest.mark.parametrize("at_s", [17.4, 17.6, 17.8, 18.0])
def test_a_board_reset_while_the_dut_falls_asleep_spoils_no_other_cycle(
    command: Any, at_s: float
) -> None:
    """The next cycle began with a DUT that slept: its first press was told as its wake."""
    said = run(command, at("board-reset", at_s))

    assert (said.status, outcomes(said)) == (0, {GOOD: 4, "rig-fault": 1})
    with Store.open(Path("night.rrs")) as store:
        good = [raw.number for raw in store.cycles() if raw.outcome is Outcome.SLEPT_AND_WOKE]
    assert [presses()[number - 1] for number in good] == [2] * len(good)
    assert "The DUT does not run" in said.err


def test_a_cable_that_was_out_costs_the_cycle_in_flight(command: Any) -> None:
    said = run(command, at("unplug", 12, for_s=20))

    assert (said.status, outcomes(said)) == (0, {GOOD: 4, "rig-fault": 1})
    assert kinds(said) == {"not-measured"}
    assert "the port is gone (its cable is out); waiting for the rig" in said.err


def test_a_cable_that_stays_out_ends_the_campaign_and_it_can_go_on(command: Any) -> None:
    said = run(command, at("unplug", 12, for_s=400))

    assert said.status == 3
    assert f"`resume-rig run --resume night.rrs --rig {URL}` goes on" in said.err
    assert outcomes(said) == {GOOD: 1, "rig-fault": 1}


def test_a_ring_that_ran_over_makes_its_cycle_void_and_no_other(command: Any) -> None:
    said = run(command, at("ring-overrun", 12, 30), cycles=9)

    # Nobody saw whether the two woke: too little evidence for a PASS.
    assert (said.status, outcomes(said)) == (4, {GOOD: 7, "invalid": 2})
    assert "6 of 8 cycles that woke can be judged" in said.document["why"]
    assert kinds(said) == {"overrun"}


def test_a_host_that_was_suspended_measures_on(command: Any) -> None:
    said = run(command, at("host-pause", 12, for_s=40))

    assert (said.status, outcomes(said)) == (0, {GOOD: CYCLES})
    with Store.open(Path("night.rrs")) as store:
        lasted_s = [(raw.ended_host_ns - raw.started_host_ns) / 1e9 for raw in store.cycles()]
    assert max(lasted_s) > 40, "it did stand still, in a cycle"


def test_a_host_that_was_suspended_with_the_lid_closed_blames_nobody(command: Any) -> None:
    lid = ("--sleep-by", "lid", "--wake-by", "lid")
    said = run(command, at("host-pause", 13, for_s=40), *lid)

    assert said.status == 0
    assert outcomes(said) == {GOOD: CYCLES - 1, "rig-fault": 1}
    assert "lease-expired" in kinds(said)


def test_a_full_disk_stops_between_two_cycles_and_loses_nothing(command: Any) -> None:
    said = run(command, at("disk-full", 12, for_s=12))
    rounds = 1
    while said.status == 2:
        assert "stopped before the disk of night.rrs is full" in said.err
        assert f"`resume-rig run --resume night.rrs --rig {URL}` goes on" in said.err
        said = resume(command, "--json")
        rounds += 1
        assert rounds < 2 * CYCLES

    assert rounds > 1
    with Store.open(Path("night.rrs")) as store:
        # Each session has a DUT with another clock, so that pairs may stay open; no cycle is lost.
        assert store.outcomes() == {Outcome.SLEPT_AND_WOKE: CYCLES}


def test_a_log_that_cannot_be_reached_is_read_later(command: Any) -> None:
    said = run(command, at("log-cut", 12, for_s=15))

    assert (said.status, outcomes(said), matched(said)) == (0, {GOOD: CYCLES}, CYCLES)
    assert "the way to it is cut (a fault that is injected)" in said.err


def test_a_log_that_comes_late_is_matched_with_the_cycles_that_it_tells_of(command: Any) -> None:
    said = run(command, at("log-late", 12, for_s=18))

    assert (said.status, outcomes(said), matched(said)) == (0, {GOOD: CYCLES}, CYCLES)
    assert kinds(said) == set()
    with Store.open(Path("night.rrs")) as store:
        held = [sum(r.resume_ms is not None for r in raw.records) for raw in store.cycles()]
    assert 0 in held, "it did come late"


def test_what_a_log_overwrote_is_missing_and_nothing_else(command: Any) -> None:
    said = run(command, '[[fault]]\nkind = "log-wrapped"\nevery_s = 1.5', cycles=12)

    found = matched(said)
    missing = outcomes(said)["record-missing"]
    assert outcomes(said) == {GOOD: 12 - missing, "record-missing": missing}
    assert 1 <= found <= 12 - missing
    assert kinds(said) == {"record-missing"}


@pytest.mark.parametrize(("cycles", "status"), [(CYCLES, 4), (12, 0)])
def test_a_lost_record_is_told_to_be_missing(command: Any, cycles: int, status: int) -> None:
    """One of five leaves too little evidence for a PASS; one of twelve does not."""
    said = run(command, at("no-record", 12, for_s=8), cycles=cycles)

    assert (said.status, outcomes(said)) == (status, {GOOD: cycles - 1, "record-missing": 1})
    (lost,) = (each for each in said.document["cycles"] if each["outcome"] == "record-missing")
    # The log shows the wake by other events (Kernel-Power 107), which have no times.
    assert (matched(said), lost["inside"]["ending"]) == (cycles, "resumed")
    assert (lost["inside"]["resume_ms"], lost["verdict"]) == (None, "NO-EVIDENCE")
    assert (lost["why_not_reason"], lost["standing"]) == ("not-timed", "undecided")
    assert "no Power-Troubleshooter 1" in lost["why_not"]
    assert kinds(said) == {"record-missing"}
    assert said.document["statistics"]["failure_rate"]["undecided"] == 1


def resumes(said: Any) -> list[int | None]:
    """Return what the OS says that the drivers of each cycle took [ms]; None: no record."""
    return [cycle["inside"]["driver_init_ms"] for cycle in said.document["cycles"]]


@pytest.mark.parametrize("by_s", [-90, 3])
def test_a_stepped_os_clock_is_told_and_every_cycle_keeps_its_record(
    command: Any, by_s: int
) -> None:
    sim = "sim:clock=virtual,seed=7"
    undisturbed = command("run", "--rig", sim, "--cycles", "9", "--json", "--out", "x.rrs")
    said = run(command, at("clock-step", 42, by_s=by_s), cycles=9)

    (step,) = said.document["clock"]["steps"]
    assert outcomes(said) == {GOOD: 9}
    assert said.status in (0, 4), "a cycle beside the step may be left undecided"
    assert resumes(said) == resumes(undisturbed)
    assert (step["after_cycle"], step["before_cycle"]) == (5, 6)
    assert step["step_s"] == pytest.approx(by_s, abs=1)


def test_a_step_that_leaves_the_pairs_open_makes_no_wrong_one(command: Any) -> None:
    sim = "sim:clock=virtual,seed=7"
    undisturbed = command("run", "--rig", sim, "--cycles", "5", "--json", "--out", "x.rrs")
    said = run(command, at("clock-step", 12, by_s=3))

    found = zip(resumes(said), resumes(undisturbed), strict=True)
    assert set(outcomes(said)) <= {GOOD, "record-missing"}
    assert said.status in (0, 4)
    assert all(told in (None, true) for told, true in found)


@pytest.mark.parametrize(
    ("kind", "for_s", "outcome", "status"),
    [
        ("never-sleeps", 8, "never-slept", 1),
        ("never-wakes", 30, "never-woke", 1),
        ("dark", 10, "dark", 1),
        ("wakes-alone", 8, "woke-alone", 1),
    ],
)
def test_a_dut_that_errs_for_a_while_is_told_so(
    command: Any, kind: str, for_s: float, outcome: str, status: int
) -> None:
    said = run(command, at(kind, 11, for_s=for_s))

    assert said.status == status
    assert outcomes(said) == {GOOD: CYCLES - 1, outcome: 1}
    (failed,) = (each for each in said.document["cycles"] if each["verdict"] == "FAIL")
    assert failed["outcome"] == outcome


def test_a_record_of_zeros_never_helps_a_pass(command: Any) -> None:
    said = run(command, at("zero-record", 0, for_s=1000))

    assert said.status == 4
    assert outcomes(said) == {GOOD: CYCLES}
    assert kinds(said) == {"record-aborted"}


def test_a_line_that_flutters_makes_its_cycles_void(command: Any) -> None:
    said = run(command, at("noisy-line", 12, for_s=10))

    assert outcomes(said)["invalid"] >= 1
    assert outcomes(said)[GOOD] >= 3
    assert kinds(said) == {"overrun"}


MIXED = """
[wire]
lost_share = 1e-4
flipped_share = 1e-4
doubled_share = 1e-4
late_share = 0.002
late_ms = 350

[[fault]]
kind = "board-reset"
every_s = 60

[[fault]]
kind = "no-record"
every_s = 45
for_s = 8
"""


def raw_rows(path: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT * FROM cycle ORDER BY number").fetchall()
    connection.close()
    return rows


@pytest.mark.slow
def test_seed_and_store_replay_a_campaign_to_the_byte(command: Any, folder: Path) -> None:
    run(command, MIXED, cycles=8)
    (folder / "plan-of-faults.toml").unlink()
    printed = command("store", "faults", "night.rrs")
    (folder / "again.toml").write_text(printed.out, encoding="utf-8")
    with Store.open(folder / "night.rrs") as store:
        assert store.identity.rig_url.text.startswith("sim:clock=virtual,seed=7,faults=")
        spoilt = store.outcomes()[Outcome.RIG_FAULT]

    again = "sim:clock=virtual,seed=7,faults=again.toml"
    command("run", "--rig", again, "--cycles", "8", "--out", "again.rrs")
    other = "sim:clock=virtual,seed=8,faults=again.toml"
    command("run", "--rig", other, "--cycles", "8", "--out", "other.rrs")

    assert spoilt >= 1
    first = [row[:13] for row in raw_rows("night.rrs")]
    assert [row[:13] for row in raw_rows("again.rrs")] == first
    assert [row[:13] for row in raw_rows("other.rrs")] != first


def test_a_drawn_seed_is_told(command: Any, folder: Path) -> None:
    command("run", "--rig", "sim:clock=virtual", "--cycles", "2", "--out", "drawn.rrs")

    with Store.open(folder / "drawn.rrs") as store:
        url = store.identity.rig_url.text
    command("run", "--rig", url, "--cycles", "2", "--out", "again.rrs")
    assert url.startswith("sim:clock=virtual,seed=")
    assert [r[10] for r in raw_rows("again.rrs")] == [r[10] for r in raw_rows("drawn.rrs")]


def test_a_dut_does_not_live_through_the_same_again(command: Any, folder: Path) -> None:
    run(command, at("disk-full", 12, for_s=12))
    resume(command, "--json")

    light = [row[10] for row in raw_rows("night.rrs")]
    assert len(set(light)) == len(light) >= 2


def test_what_is_injected_is_told_and_may_not_change(command: Any, folder: Path) -> None:
    run(command, at("disk-full", 12, for_s=12))
    info = command("store", "info", "night.rrs").out
    told = command("correlate", "night.rrs", "--json").document["campaign"]["identity"]
    url_of(at("disk-full", 13, for_s=12))

    said = resume(command)

    assert 'kind = "disk-full"' in info
    assert (
        told["injected"] == 'faults on purpose: [[fault]] kind = "disk-full" at_s = [12] for_s = 12'
    )
    assert said.status == 2
    assert "the fault plan has changed" in said.err


def test_a_store_without_faults_says_so(command: Any) -> None:
    command("run", "--rig", "sim:clock=virtual,seed=7", "--cycles", "1", "--out", "x.rrs")

    said = command("store", "faults", "x.rrs")

    assert (said.status, said.out) == (2, "")
    assert "no fault was injected into x.rrs" in said.err


def test_a_bad_plan_is_refused_before_anything_is_made(command: Any) -> None:
    said = run(command, at("gremlins", 1))

    assert said.status == 2
    assert said.err.count("\n") == 1
    assert all(str(kind) in said.err for kind in FaultKind)
    assert not Path("night.rrs").exists()


@pytest.mark.parametrize(
    ("words", "text", "sentence"),
    [
        (("--faults", "none.toml"), "", "could not read the fault plan none.toml: No such file"),
        (("--faults", "p.toml"), at("host-pause", 1, for_s=1), "host-pause strike the process of"),
        (("--faults", "p.toml"), "[wire]\nlost_share = 2", 'key "wire.lost_share" is 2'),
        (("--faults", "p.toml", "--firmware", "x.exe"), "", "--faults and --diary go without it"),
        (("--diary", "p.toml"), "", "could not write p.toml: File exists; a new file"),
        (("--diary", "no/x.jsonl"), "", f"could not write {Path('no/x.jsonl')}: No such file"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_sentence(
    command: Any, folder: Path, words: tuple[str, ...], text: str, sentence: str
) -> None:
    (folder / "p.toml").write_text(text, encoding="utf-8")

    said = command("sim", *words)

    assert said.status == 2
    assert sentence in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("reset_s", [6.0, 6.25, 6.5])
def test_a_dut_that_is_still_waking_when_the_board_is_back_is_not_pressed(
    command: Any, reset_s: float
) -> None:
    said = run(command, at("board-reset", reset_s), cycles=4)

    assert outcomes(said) == {"rig-fault": 1, GOOD: 3}
    assert kinds(said) == {"board-rebooted"}
