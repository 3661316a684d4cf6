"""Rig URLs, opened."""

import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from resume_rig.model.channel import Channel
from resume_rig.model.errors import LinkLost, ProtocolError, UsageError
from resume_rig.rig.link.open import SimOptions, open_rig, parse_sim_options
from resume_rig.rig.smp import serial_transport
from resume_rig.rig.smp.serial_transport import open_serial, port_key
from resume_rig.timing.clocks import SystemClock, VirtualClock

needs_ptys = pytest.mark.skipif(
    sys.platform == "win32", reason="needs pseudo-terminals, which Windows does not have"
)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", SimOptions(None, None)),
        ("clock=virtual,seed=7", SimOptions(True, 7)),
        ("seed=0", SimOptions(None, 0)),
        ("clock=real", SimOptions(False, None)),
        ("clock=virtual,", SimOptions(True, None)),
    ],
)
def test_the_options_of_a_simulated_bench_are_parsed(text: str, options: SimOptions) -> None:
    assert parse_sim_options(text) == options


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("sim:speed=9", "no option 'speed=9'; allowed are clock=virtual|real, seed=N, "),
        ("sim:virtual", "no option 'virtual'; allowed are clock=virtual|real, seed=N, "),
        ("sim:clock=fast", "no clock 'fast'; allowed are virtual and real"),
        ("sim:seed=x", "seed 'x' is not allowed; it is a whole number"),
        ("sim:seed=-1", "seed '-1' is not allowed"),
        ("sim:seed=" + "9" * 5000, "is not allowed"),
        ("native:", "native: names no image; allowed is native:PATH[,seed=N]"),
        ("native:zephyr.exe,seed=x", "native: seed 'x' is not allowed; it is a whole number"),
        ("native:,seed=1", "native: names no image"),
        ("serial:", "names no port; allowed is serial:PATH"),
        ("/dev/ttyACM0", "'/dev/ttyACM0' is not the URL of a rig; allowed are sim:"),
        ("http://x:1", "is not the URL of a rig; allowed are sim:"),
        ("", "'' is not the URL of a rig"),
        ("socket:host", "names no host and port; allowed is HOST:PORT"),
        ("socket::4000", "names no host and port"),
        ("rfc2217:host:0", "names no host and port"),
        ("rfc2217:a-secret-of-20-chars@host:7000", "the URL of a rig has no user and no token"),
        ("socket:a-secret-of-20-chars@host:7000", "the URL of a rig has no user and no token"),
        ("rfc2217:host:99999999999", "names no host and port"),
        ("socket:host:²", "names no host and port"),
    ],
)
def test_an_url_that_is_none_is_a_usage_error(url: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_rig(url)
    assert sentence in str(caught.value)
    assert "a-secret" not in str(caught.value)


def test_a_port_that_is_not_there_is_link_lost(tmp_path: Path) -> None:
    with pytest.raises(LinkLost, match=r"could not open serial port .*: no such port"):
        open_rig(f"serial:{tmp_path / 'rig'}")


@needs_ptys
def test_a_port_that_stays_silent_is_link_lost_and_left_closed() -> None:
    master, slave = os.openpty()
    try:
        path = os.ttyname(slave)
        with pytest.raises(LinkLost, match=f"no reply from serial:{path} to info: asked 6"):
            open_rig(f"serial:{path}")
        open_serial(path, SystemClock(), "serial:again").close()
    finally:
        os.close(master)
        os.close(slave)


@needs_ptys
def test_a_port_that_echoes_is_no_rig() -> None:
    master, slave = os.openpty()

    def echo() -> None:
        for _ in range(3):
            os.write(master, os.read(master, 4096))

    thread = threading.Thread(target=echo, daemon=True)
    thread.start()
    try:
        with pytest.raises(ProtocolError, match="it only sends back what it is sent"):
            open_rig(f"serial:{os.ttyname(slave)}")
        thread.join(60)
    finally:
        os.close(master)
        os.close(slave)


def test_a_simulated_bench_on_the_virtual_clock_answers() -> None:
    found = open_rig("sim:clock=virtual,seed=7")
    assert (found.simulated, found.url) == (True, "sim:clock=virtual,seed=7")
    assert isinstance(found.clock, VirtualClock)
    before_ns = found.clock.now_ns()
    exchange = found.rig.exchange_clocks()
    assert before_ns <= exchange.host_tx_ns < exchange.host_rx_ns <= found.clock.now_ns()
    assert found.rig.levels()[Channel.PWR_OK] == 1
    found.rig.close()


def test_a_simulated_bench_waits_in_real_time_by_default() -> None:
    found = open_rig("sim:")
    assert isinstance(found.clock, SystemClock)
    found.rig.close()


def test_the_same_seed_is_the_same_bench_and_another_one_is_not() -> None:
    boots = [open_rig(f"sim:clock=virtual,seed={seed}").rig.info().boot_id for seed in (7, 7, 8)]
    assert boots[0] == boots[1] != boots[2]


def test_a_clock_that_is_handed_in_is_used_instead_of_the_urls() -> None:
    clock = VirtualClock()
    found = open_rig("sim:clock=real,seed=1", clock=clock)
    assert found.clock is clock
    assert clock.now_ns() > 0


def test_a_usb_port_is_found_by_its_serial_number_under_another_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def present(*ports: tuple[str, str | None]) -> None:
        found = [SimpleNamespace(device=device, serial_number=number) for device, number in ports]
        monkeypatch.setattr(serial_transport.list_ports, "comports", lambda: found)

    present(("/dev/ttyACM0", "A1"), ("/dev/ttyS0", None))
    assert serial_transport.usb_serial_of("/dev/ttyACM0") == "A1"
    assert serial_transport.usb_serial_of("/dev/ttyS0") is None
    assert serial_transport.usb_serial_of("/dev/none") is None

    present(("/dev/ttyACM0", "B2"), ("/dev/ttyACM1", "A1"))
    assert serial_transport.path_of("A1", "/dev/ttyACM0") == "/dev/ttyACM1"
    assert serial_transport.path_of(None, "/dev/ttyACM0") == "/dev/ttyACM0"
    present()
    assert serial_transport.path_of("A1", "/dev/ttyACM0") == "/dev/ttyACM0"
    present(("/dev/ttyACM0", "A1"), ("/dev/ttyACM1", "A1"))
    assert serial_transport.path_of("A1", "/dev/ttyACM1") == "/dev/ttyACM1"


def test_a_port_of_windows_has_many_names_and_one_of_others_has_one() -> None:
    names = ("COM12", "com12", r"\\.\COM12", r"\\.\com12")

    assert {port_key(name, windows=True) for name in names} == {"COM12"}
    assert len({port_key(name, windows=False) for name in names}) == len(names)
