"""The real image with the simulated DUT at its pins, used as any other rig."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from raw_request import reset

from resume_rig.campaign.dut.wake_lan import network_of
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import Edge
from resume_rig.model.errors import BoardRebooted, LinkLost
from resume_rig.model.light import OnsetState
from resume_rig.model.os_record import SleepKind
from resume_rig.rig.dut_profile import load_dut_profile, mac_bytes, magic_packet, packet_for
from resume_rig.rig.interface import Rig
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.link.open import OpenRig, open_rig
from resume_rig.rig.smp.client import SmpClient
from resume_rig.rig.smp.serial_transport import open_serial
from resume_rig.timing.clocks import SystemClock

if not sys.platform.startswith("linux"):
    pytest.skip("native_sim runs on Linux", allow_module_level=True)

MS = 1_000_000
PATIENCE_S = 60
SHORT = ("--cycles", "2", "--settle", "2s", "--dwell", "5s")


def images() -> set[int]:
    """Process ids of the images that this test runs, known by where their wires were made."""
    ours = f"-rig-wires={tempfile.gettempdir()}/".encode()
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if any(word.startswith(ours) for word in words):
            found.add(int(entry.name))
    return found


@pytest.fixture(autouse=True)
def nothing_stays_behind(
    native_image: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    # tmp_path is made before the place for temporary files moves, so it does not move along.
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    yield
    assert images() == set()
    # A claim's file stays; who has the lock has the rig.
    assert [path for path in folder.iterdir() if path.suffix != ".claim"] == []


@pytest.fixture
def opened(native_image: Path) -> Iterator[OpenRig]:
    found = open_rig(f"native:{native_image},seed=7")
    yield found
    found.rig.close()


@contextmanager
def closing_rig(opened: OpenRig) -> Iterator[OpenRig]:
    with closing(opened.rig):
        yield opened


def wait_for(rig: Rig, wanted: int) -> list[Edge]:
    edges: list[Edge] = []
    clock = SystemClock()
    end_ns = clock.now_ns() + 5_000 * MS
    while len(edges) < wanted and clock.now_ns() < end_ns:
        batch = rig.edges(len(edges))
        edges.extend(batch.edges)
        clock.sleep_ns(5 * MS)
    return edges


def test_it_is_a_board_with_a_dut_that_is_up(opened: OpenRig) -> None:
    assert opened.rig.info().board.startswith("native_sim")
    assert set(opened.rig.levels().values()) == {1}
    assert opened.rig.edges(0).edges == ()
    assert opened.simulated


def test_a_press_is_measured_and_puts_the_dut_to_sleep(opened: OpenRig) -> None:
    opened.rig.press(Actuator.BUTTON, 150 * MS)
    edges = wait_for(opened.rig, 7)
    assert [(edge.channel, edge.level) for edge in edges] == [
        (Channel.BUTTON, 0),
        (Channel.BACKLIGHT, 0),
        (Channel.BUTTON, 1),
        (Channel.SLP_S3, 0),
        (Channel.PLTRST, 0),
        (Channel.LED, 0),
        (Channel.PWR_OK, 0),
    ]
    slp_s3, pltrst, led = (edge.t_ns for edge in edges[3:6])
    # What the simulated DUT keeps to the nanosecond arrives to the board's microsecond.
    assert abs(pltrst - slp_s3 - 100_000) <= 1_000
    assert abs(led - slp_s3 - MS) <= 1_000
    assert opened.dut_log is not None
    assert b"Kernel-Power" in opened.dut_log.text_from(0)


def test_the_os_behind_the_image_sleeps_when_it_is_told(opened: OpenRig) -> None:
    assert opened.control is not None
    opened.control.prepare([SleepKind.S4])

    opened.control.sleep(SleepKind.S4)

    ended = opened.control.ended()
    assert ended is not None
    assert ended.ok
    until(lambda: opened.rig.levels()[Channel.SLP_S4] == 0)
    opened.control.greet()
    assert opened.control.ended() != ended


def test_a_magic_packet_on_the_loopback_interface_wakes_the_dut(native_image: Path) -> None:
    profile = load_dut_profile("wakes-by-device")
    assert profile.mac is not None
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as adapter,
        closing_rig(open_rig(f"native:{native_image},seed=7", dut=profile)) as opened,
    ):
        adapter.bind(("127.0.0.1", 0))
        adapter.settimeout(PATIENCE_S)
        network = network_of(opened.network, "127.0.0.1", f"127.0.0.1:{adapter.getsockname()[1]}")
        send = packet_for(network, profile)
        assert send is not None
        assert opened.network is not None
        opened.rig.press(Actuator.BUTTON, 150 * MS)
        until(lambda: opened.rig.levels()[Channel.PWR_OK] == 0)

        send()
        payload = adapter.recv(2048)
        assert payload == magic_packet(mac_bytes(profile.mac))
        assert opened.rig.levels()[Channel.SLP_S3] == 0, "nobody has told the DUT yet"
        opened.network.magic_packet(payload[6:12])

        until(lambda: opened.rig.levels()[Channel.PWR_OK] == 1)
        woke = [e for e in opened.rig.edges(0).edges if (e.channel, e.level) == (Channel.SLP_S3, 1)]
        assert len(woke) == 1


def test_the_lid_is_sensed_and_gates_the_panel(opened: OpenRig) -> None:
    opened.rig.lid(closed=True)
    edges = wait_for(opened.rig, 2)
    assert [(e.channel, e.level) for e in edges[:2]] == [(Channel.LID, 0), (Channel.BACKLIGHT, 0)]
    assert edges[0].t_ns == edges[1].t_ns
    opened.rig.lid(closed=False)
    levels = [(e.channel, e.level) for e in wait_for(opened.rig, 3)]
    assert (Channel.LID, 1) in levels


def state_of_onset(opened: OpenRig) -> OnsetState | None:
    """Return None where a busy machine keeps the image from answering."""
    try:
        return opened.rig.onset().state
    except LinkLost:
        return None


def test_the_onset_of_the_panels_light_is_told(opened: OpenRig) -> None:
    opened.rig.lid(closed=True)
    clock = SystemClock()
    clock.sleep_ns(100 * MS)
    opened.rig.arm_light(10_000 * MS)
    clock.sleep_ns(200 * MS)
    opened.rig.lid(closed=False)
    done = (OnsetState.OK, OnsetState.UNSTABLE, OnsetState.NO_LIGHT, OnsetState.LOST)
    until(lambda: state_of_onset(opened) in done)
    onset = opened.rig.onset()
    lit = [e for e in opened.rig.edges(0).edges if (e.channel, e.level) == (Channel.BACKLIGHT, 1)]
    assert onset.state is OnsetState.OK
    # A linear ramp of 8 ms, which the simulated DUT tells in steps of 50 us.
    assert onset.half_ns is not None
    assert abs(onset.half_ns - lit[-1].t_ns - 4 * MS) < 100_000
    assert onset.ninety_ns is not None
    assert abs(onset.ninety_ns - lit[-1].t_ns - 7.2 * MS) < 100_000
    assert (onset.pwm_hz, onset.resolution_ns) == (0.0, 20_000)
    assert opened.rig.faults().light_overruns == 0


def test_an_image_that_is_killed_is_link_lost_and_named(opened: OpenRig) -> None:
    (pid,) = images()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(LinkLost, match=r"the image was ended by signal 9 \(SIGKILL\)"):
        until(lambda: opened.rig.levels() == {})


def test_an_image_that_stands_still_does_not_answer_and_goes_at_the_end(opened: OpenRig) -> None:
    (pid,) = images()
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(LinkLost):
        opened.rig.levels()


def test_a_reset_board_is_named_and_lets_go(native_image: Path) -> None:
    with sim(native_image) as link:
        client = SmpClient(open_serial(link, SystemClock(), f"serial:{link}"), SystemClock())
        rig = SmpRig(client)
        try:
            rig.info()
            rig.press(Actuator.BUTTON, 3_000 * MS, force_off=True)
            assert [(e.channel, e.level) for e in wait_for(rig, 1)][:1] == [(Channel.BUTTON, 0)]
            reset(rig, client)
            with pytest.raises(BoardRebooted):
                until(lambda: rig.levels() == {})
            rig.info()
            until(lambda: rig.levels()[Channel.BUTTON] == 1)
        finally:
            rig.close()


def until(holds: Callable[[], bool]) -> None:
    clock = SystemClock()
    end_ns = clock.now_ns() + PATIENCE_S * 1_000 * MS
    while not holds():
        assert clock.now_ns() < end_ns, "it did not come about"
        clock.sleep_ns(5 * MS)


@contextmanager
def sim(image: Path, *words: str) -> Iterator[str]:
    """Serve the image with `resume-rig sim` in another process; yields its terminal."""
    with begun("sim", "--json", "--firmware", str(image), *words) as process:
        assert process.stdout is not None
        yield str(json.loads(process.stdout.readline())["rig"]).removeprefix("serial:")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0


@contextmanager
def begun(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Start `resume-rig WORDS...` in another process."""
    with subprocess.Popen(
        [sys.executable, "-m", "resume_rig", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def run(image: Path, store: Path, *words: str) -> subprocess.Popen[str]:
    here = [sys.executable, "-m", "resume_rig", "run", "--json", "--rig", f"native:{image},seed=7"]
    return subprocess.Popen(
        [*here, "--out", str(store), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def said_until(process: subprocess.Popen[str], text: str) -> None:
    assert process.stderr is not None
    while text not in (line := process.stderr.readline()):
        assert line, f"it ended before it said {text!r}"


def test_a_campaign_passes_with_the_record_that_the_dut_wrote(
    native_image: Path, tmp_path: Path
) -> None:
    with run(native_image, tmp_path / "a.rrs", *SHORT) as process:
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    document = json.loads(out)
    assert document["verdict"] == "PASS"
    _, judged = document["cycles"]
    assert judged["state_outside"] == "S3"
    assert judged["findings"] == []
    assert judged["record_id"] is not None
    assert document["unmatched_cycles"] == []
    inside_ms = judged["inside"]["bios_init_ms"] + judged["inside"]["driver_init_ms"]
    whole_ms = judged["reconciled"]["press_to_resume_complete_ns"]["value"] / MS
    assert inside_ms < whole_ms < inside_ms + 400


def test_the_lid_sleeps_and_wakes_it(native_image: Path, tmp_path: Path) -> None:
    words = ("--cycles", "1", "--no-ignore-first", "--sleep-by", "lid", "--wake-by", "lid")
    with run(native_image, tmp_path / "a.rrs", *words) as process:
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    (cycle,) = json.loads(out)["cycles"]
    assert (cycle["state_outside"], cycle["verdict"]) == ("S3", "PASS")


def test_an_image_killed_in_a_cycle_ends_the_campaign_and_the_cycle_is_kept(
    native_image: Path, tmp_path: Path
) -> None:
    store = tmp_path / "a.rrs"
    with run(native_image, store, *SHORT) as process:
        said_until(process, "S3 cycle")
        until(lambda: len(images()) == 1)
        SystemClock().sleep_ns(3_000 * MS)
        (pid,) = images()
        os.kill(pid, signal.SIGKILL)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3, err
    assert "the image was ended by signal 9 (SIGKILL)" in err
    assert [str(raw.outcome) for raw in load_campaign(store).cycles] == ["rig-fault"]


def test_a_ring_that_overflows_while_the_host_stands_still_makes_the_cycle_invalid(
    native_image: Path, tmp_path: Path
) -> None:
    store = tmp_path / "a.rrs"
    words = ("--cycles", "1", "--settle", "1s", "--dwell", "5s", "--out", str(store))
    with (
        sim(native_image, "--fault", "noisy-line") as link,
        begun("run", "--json", "--rig", f"serial:{link}", *words) as process,
    ):
        said_until(process, "S3 cycle")
        SystemClock().sleep_ns(4_000 * MS)
        process.send_signal(signal.SIGSTOP)  # shorter than the lease
        SystemClock().sleep_ns(2_000 * MS)
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 4, err
    (cycle,) = json.loads(out)["cycles"]
    assert [finding["kind"] for finding in cycle["findings"]] == ["overrun"]
    (raw,) = load_campaign(store).cycles
    assert str(raw.outcome) == "invalid"
    assert raw.lost_edges > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_campaign_that_is_stopped_takes_its_image_along(
    native_image: Path, tmp_path: Path, number: signal.Signals
) -> None:
    with run(native_image, tmp_path / "a.rrs", *SHORT) as process:
        said_until(process, "S3 cycle")
        process.send_signal(number)
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert images() == set()


def test_a_campaign_that_is_killed_takes_its_image_along(
    native_image: Path, tmp_path: Path
) -> None:
    with run(native_image, tmp_path / "a.rrs", *SHORT) as process:
        said_until(process, "S3 cycle")
        assert len(images()) == 1
        process.kill()
        process.wait(PATIENCE_S)
        until(lambda: images() == set())


def test_the_image_outlives_the_thread_that_asked_for_it(native_image: Path) -> None:
    found: list[OpenRig] = []
    asking = threading.Thread(target=lambda: found.append(open_rig(f"native:{native_image}")))
    asking.start()
    asking.join(PATIENCE_S)
    try:
        assert set(found[0].rig.levels().values()) == {1}
    finally:
        found[0].rig.close()


def test_it_is_served_under_a_link_and_leaves_the_log(native_image: Path, tmp_path: Path) -> None:
    link, log = tmp_path / "rig", tmp_path / "System.xml"
    with sim(native_image, "--pty", str(link), "--log-file", str(log)) as terminal:
        assert terminal == str(link)
        opened = open_rig(f"serial:{link}")
        opened.rig.press(Actuator.BUTTON, 150 * MS)
        assert len(wait_for(opened.rig, 7)) == 7
        assert opened.dut_log is None
        opened.rig.close()
    assert not link.is_symlink()
    assert "Kernel-Power" in log.read_text("utf-8")


def test_a_served_image_that_dies_is_named(native_image: Path) -> None:
    with begun("sim", "--firmware", str(native_image)) as process:
        said_until(process, "Ctrl-C ends it")
        (pid,) = images()
        os.kill(pid, signal.SIGKILL)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3
    assert "the image was ended by signal 9 (SIGKILL)" in err


def test_tcp_is_refused_for_an_image(native_image: Path) -> None:
    with begun("sim", "--firmware", str(native_image), "--tcp", "127.0.0.1:0") as process:
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert "--firmware is served on a pseudo-terminal; leave --tcp out" in err
