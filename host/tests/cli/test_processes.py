"""The command line as processes: two terminals, Ctrl-C, kill -9, going on, a reader that leaves."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge
from resume_rig.rig.link.open import open_rig

pytestmark = [pytest.mark.slow, pytest.mark.windows]

PROGRAM = [sys.executable, "-m", "resume_rig"]
PATIENCE_S = 180  # 60 s were too few on Windows' CPython under Wine, at a load of 10
# On Windows Ctrl-C goes to all that share a console, so each program gets one of its own, and
# another process goes there to press it.
A_CONSOLE_OF_ITS_OWN: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)
PRESS_CTRL_C = """\
import ctypes, sys
console = ctypes.windll.kernel32
console.FreeConsole()
assert console.AttachConsole(int(sys.argv[1]))
console.SetConsoleCtrlHandler(None, True)
assert console.GenerateConsoleCtrlEvent(0, 0)
"""
POSIX = pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals and POSIX signals")


def finish(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    with process:
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()  # who hangs would hold the pipes of the tests
    return process.returncode, out, err


def start(folder: Path, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*PROGRAM, *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        creationflags=A_CONSOLE_OF_ITS_OWN,
    )


def interrupt(process: "subprocess.Popen[str]") -> None:
    """Press Ctrl-C."""
    if sys.platform == "win32":
        subprocess.run([sys.executable, "-c", PRESS_CTRL_C, str(process.pid)], check=True)
    else:
        process.send_signal(signal.SIGINT)


def wait_for_cycles(campaign: "subprocess.Popen[str]", store: Path, count: int) -> None:
    """Wait until a running campaign has committed `count` cycles."""
    deadline = time.monotonic() + PATIENCE_S
    while not (store.exists() and cycles_in(store) >= count):
        if campaign.poll() is not None or time.monotonic() > deadline:
            campaign.kill()
            raise AssertionError(f"no {count} cycles: {finish(campaign)}")
        time.sleep(0.02)


def cycles_in(store: Path) -> int:
    connection = sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)
    try:
        return int(connection.execute("SELECT count(*) FROM cycle").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


@contextmanager
def served(folder: Path, *words: str) -> Iterator[str]:
    """A simulated bench in a process of its own; gives its URL."""
    bench = start(folder, "sim", "--json", *words)
    try:
        assert bench.stdout is not None
        yield str(json.loads(bench.stdout.readline())["rig"])
    finally:
        try:
            interrupt(bench)
        finally:
            status, _, err = finish(bench)
        assert status == 0, err


@contextmanager
def shared(folder: Path, port: str, *words: str) -> Iterator[dict[str, object]]:
    """A port that another process shares; gives what it says of it."""
    sharing = start(folder, "share", "--json", "--rig", port, *words)
    try:
        assert sharing.stdout is not None
        yield json.loads(sharing.stdout.readline())
    finally:
        interrupt(sharing)
        status, _, err = finish(sharing)
        assert status == 0, err


def test_ctrl_c_keeps_what_was_measured_and_says_how_to_go_on(tmp_path: Path) -> None:
    store = tmp_path / "long.rrs"
    campaign = start(
        tmp_path,
        *("run", "--rig", "sim:clock=virtual,seed=4", "--cycles", "400"),
        *("--out", "long.rrs", "--json"),
    )
    wait_for_cycles(campaign, store, 3)
    interrupt(campaign)
    status, out, err = finish(campaign)

    assert status == 130, err
    assert "resume-rig run --resume long.rrs" in err
    assert "Traceback" not in err
    stopped = json.loads(out)
    assert 3 <= len(stopped["cycles"]) < 400

    status, out, err = finish(start(tmp_path, "run", "--resume", "long.rrs", "--json"))

    assert status == 0, err
    document = json.loads(out)
    assert document["campaign"]["outcomes"]["slept-and-woke"] == 400
    first = [cycle["record_id"] for cycle in stopped["cycles"][:3]]
    assert [cycle["record_id"] for cycle in document["cycles"][:3]] == first


@pytest.mark.parametrize("after_s", [0.0, 0.05, 0.15])
def test_a_campaign_stopped_in_a_cycle_keeps_its_records(tmp_path: Path, after_s: float) -> None:
    store = tmp_path / "short.rrs"
    campaign = start(
        tmp_path,
        *("run", "--rig", "sim:clock=virtual,seed=4", "--cycles", "40"),
        *("--out", "short.rrs", "--json"),
    )
    wait_for_cycles(campaign, store, 3)
    time.sleep(after_s)
    interrupt(campaign)
    finish(campaign)

    status, out, err = finish(start(tmp_path, "run", "--resume", "short.rrs", "--json"))

    assert status == 0, err
    document = json.loads(out)
    assert document["verdict"] == "PASS"
    assert document["campaign"]["outcomes"]["slept-and-woke"] == 40
    told = [cycle["match"] for cycle in document["cycles"] if cycle["record_id"] is not None]
    # A cycle that was cut behind its wake has a record, too.
    assert len(told) in (40, 41)
    assert {match["level"] for match in told} == {"high"}


def test_a_killed_campaign_goes_on(tmp_path: Path) -> None:
    store = tmp_path / "killed.rrs"
    campaign = start(
        tmp_path,
        *("run", "--rig", "sim:clock=virtual,seed=5", "--cycles", "200", "--out", "killed.rrs"),
    )
    wait_for_cycles(campaign, store, 5)
    campaign.kill()
    finish(campaign)
    kept = cycles_in(store)
    assert kept >= 5

    status, out, err = finish(start(tmp_path, "run", "--resume", "killed.rrs", "--json"))

    assert status == 0, err
    assert json.loads(out)["campaign"]["outcomes"]["slept-and-woke"] == 200


@POSIX
def test_a_bench_in_one_terminal_and_a_campaign_in_another(tmp_path: Path) -> None:
    link = tmp_path / "rig"
    with served(tmp_path, "--pty", str(link), "--seed", "6", "--log-file", "dut.xml") as url:
        assert url == f"serial:{link}"
        campaign = start(
            tmp_path,
            *("run", "--rig", url, "--dut", "healthy-laptop", "--cycles", "1"),
            *("--no-ignore-first", "--json", "--out", "a.rrs"),
        )
        status, out, err = finish(campaign)
        assert status == 0, err
        (cycle,) = json.loads(out)["cycles"]
        assert cycle["record_id"] is not None
    assert not link.is_symlink()

    status, out, err = finish(start(tmp_path, "log", "dut.xml", "--json"))
    assert status == 0, err
    assert [c["record_id"] for c in json.loads(out)["cycles"]] == [cycle["record_id"]]


def test_a_bench_on_a_tcp_port(tmp_path: Path) -> None:
    with served(tmp_path, "--tcp", "127.0.0.1:0") as url:
        assert url.startswith("rfc2217:127.0.0.1:")
        status, out, err = finish(start(tmp_path, "press", "--rig", url, "--json"))
        assert status == 0, err
        assert abs(json.loads(out)["width_ns"] - 150_000_000) < 20_000_000


@POSIX
def test_a_shared_rig_asks_for_a_token_that_no_store_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "token").write_text("a-token-of-this-test\n", "utf-8")
    with served(tmp_path, "--pty", str(tmp_path / "rig")) as port:
        with shared(tmp_path, port) as fresh:
            url, token = str(fresh["rig"]), str(fresh["token"])
            status, _, err = finish(start(tmp_path, "press", "--rig", url))
            assert status == 3
            assert "it asks for the token of `resume-rig share`; name it by RESUME_RIG_TOKEN" in err

            monkeypatch.setenv("RESUME_RIG_TOKEN", token)
            words = ("--rig", url, "--dut", "healthy-laptop", "--cycles", "1", "--no-ignore-first")
            status, out, err = finish(start(tmp_path, "run", *words, "--out", "a.rrs"))
            assert status == 0, err
        kept = b"".join(path.read_bytes() for path in tmp_path.glob("a*"))
        assert url.encode() in kept
        assert token not in out + err
        assert token.encode() not in kept

        with shared(tmp_path, port, "--token", "token") as known:
            assert known["token"] is None
            refused = finish(start(tmp_path, "press", "--rig", str(known["rig"])))
            assert refused[0] == 3
            assert "the token is wrong" in refused[2]
            monkeypatch.setenv("RESUME_RIG_TOKEN_FILE", "token")
            assert finish(start(tmp_path, "press", "--rig", str(known["rig"])))[0] == 0


def test_a_state_that_two_wires_would_tell_apart_is_not_guessed(tmp_path: Path) -> None:
    """The laptop has no wire on SLP_S5: hibernated and off look alike."""
    with served(tmp_path, "--tcp", "127.0.0.1:0") as url:
        off = finish(start(tmp_path, "press", "--for", "4.2s", "--force-off", "--rig", url))
        state = finish(start(tmp_path, "power", "state", "--rig", url))

    assert off[0] == 0, off
    assert state == (0, "The DUT is in S4 or off (SLP_S5# is not wired and would decide it).\n", "")


def test_a_served_bench_keeps_a_diary_of_faults_and_deeds(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[wire]\nlate_share = 0.5\nlate_ms = 20", "utf-8")
    words = ("--tcp", "127.0.0.1:0", "--seed", "3", "--faults", "bad.toml", "--diary", "d.jsonl")
    with served(tmp_path, *words) as url:
        status, _, err = finish(start(tmp_path, "press", "--rig", url, "--json"))
        assert status == 0, err
        diary = tmp_path / "d.jsonl"
        deadline = time.monotonic() + PATIENCE_S
        while '"dut":"sleeps"' not in diary.read_text(encoding="utf-8"):
            assert time.monotonic() < deadline
            time.sleep(0.02)

    lines = [json.loads(line) for line in diary.read_text(encoding="utf-8").splitlines()]
    assert {line["wire"] for line in lines if "wire" in line} == {"late"}
    assert abs(lines[-1]["utc_ns"] - time.time_ns()) < PATIENCE_S * 10**9


@POSIX
def test_ctrl_c_in_the_middle_of_a_press_lets_go(tmp_path: Path) -> None:
    with served(tmp_path, "--pty", str(tmp_path / "rig")) as url:
        press = start(tmp_path, "press", "--rig", url, "--for", "10s", "--force-off")
        time.sleep(2)
        interrupt(press)
        status, _, err = finish(press)
        levels, edges = what_the_board_saw(url)

    assert status == 130, err
    assert levels[Channel.BUTTON] == 1
    down, up = (edge.t_ns for edge in edges if edge.channel is Channel.BUTTON)
    assert 0 < up - down < 4_000_000_000


@POSIX
def test_a_host_that_dies_in_a_press_leaves_it_to_the_lease(tmp_path: Path) -> None:
    with served(tmp_path, "--pty", str(tmp_path / "rig")) as url:
        press = start(tmp_path, "press", "--rig", url, "--for", "12s", "--force-off")
        time.sleep(1.5)
        press.kill()
        finish(press)
        lease_ns = 10_000_000_000
        time.sleep(lease_ns / 1e9 + 0.5)
        levels, edges = what_the_board_saw(url)

    assert levels[Channel.BUTTON] == 1
    down, up = (edge.t_ns for edge in edges if edge.channel is Channel.BUTTON)
    assert up - down < 12_000_000_000


def what_the_board_saw(url: str) -> tuple[dict[Channel, int], tuple[Edge, ...]]:
    rig = open_rig(url).rig
    try:
        return rig.levels(), rig.edges(0).edges
    finally:
        rig.close()


@POSIX
def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m resume_rig run --help | head -n 1",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stderr) == (0, "")


@POSIX
def test_a_port_that_is_not_a_rig_is_told_so(tmp_path: Path) -> None:
    controller, port = os.openpty()
    try:
        name = os.ttyname(port)
        status, out, err = finish(start(tmp_path, "run", "--rig", f"serial:{name}"))
    finally:
        os.close(controller)
        os.close(port)
    assert (status, out) == (3, "")
    assert len(err.splitlines()) == 1
    assert name in err
    assert list(tmp_path.iterdir()) == []


@POSIX
def test_two_campaigns_cannot_have_one_port(tmp_path: Path) -> None:
    with served(tmp_path, "--pty", str(tmp_path / "rig")) as url:
        first = start(tmp_path, "watch", "--rig", url, "--for", f"{PATIENCE_S}s")
        assert first.stdout is not None
        assert "=" in first.stdout.readline(), "the levels, so the port is open"
        status, _, err = finish(start(tmp_path, "selftest", "--rig", url))
        interrupt(first)
        finish(first)
    assert status == 3
    assert len(err.splitlines()) == 1
