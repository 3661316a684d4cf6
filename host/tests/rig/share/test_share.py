"""A port that is shared as RFC 2217: real bytes from a simulated bench over loopback."""

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from queue import Queue

import pytest
import serial

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import LinkLost, UsageError
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.link import share
from resume_rig.rig.link.open import OpenRig, open_rig
from resume_rig.rig.link.share import share_port
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.serve import serve_pty
from resume_rig.rig.smp.serial_transport import open_plain
from resume_rig.timing.clocks import SystemClock

PATIENCE_S = 60.0
MS = 1_000_000
DRIFT_NS = 100_000  # 30 ppm of the seconds that it takes
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals"),
]


@contextmanager
def running(work: Callable[[Callable[[str], None], threading.Event], None]) -> Iterator[str]:
    """Run a server in a thread; yield what it says when it is ready."""
    ready: Queue[str] = Queue()
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(ready.put, stop))
    thread.start()
    try:
        yield ready.get(timeout=PATIENCE_S)
    finally:
        stop.set()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


@contextmanager
def bench(link: Path) -> Iterator[str]:
    simulated = SimulatedBench(load_dut_profile("healthy-laptop"), SystemClock(), 1)
    with running(lambda ready, stop: serve_pty(simulated, link, ready, stop)) as path:
        yield path


@contextmanager
def shared(path: str, token: str | None = None) -> Iterator[str]:
    def open_port() -> serial.Serial:
        return open_plain(path, 0.2)

    def serve(ready: Callable[[str], None], stop: threading.Event) -> None:
        share_port(open_port, "127.0.0.1", 0, ready, stop, token=token)

    with running(serve) as place:
        yield f"rfc2217:{place}"


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with bench(tmp_path / "rig") as path, shared(path) as url:
        yield url


@contextmanager
def opened(url: str) -> Iterator[OpenRig]:
    rig = open_rig(url)
    try:
        yield rig
    finally:
        rig.rig.close()


@contextmanager
def opened_when_free(url: str) -> Iterator[OpenRig]:
    """Open the rig once the server has noticed that its client is gone."""
    pause = threading.Event()
    for _ in range(100):
        with suppress(LinkLost):
            rig = open_rig(url)
            break
        pause.wait(0.1)
    else:
        raise AssertionError(f"{url} is never free")
    try:
        yield rig
    finally:
        rig.rig.close()


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


def test_a_shared_rig_answers_as_at_the_cable(url: str) -> None:
    with opened(url) as there:
        assert there.rig.info().board == "sim"
        assert there.rig.levels()[Channel.PWR_OK] == 1
        assert there.dut_log is not None
        assert there.dut_log.text_from(0).startswith(b"<Event ")
        there.rig.press(Actuator.BUTTON, 100 * MS)
        there.clock.sleep_ns(200 * MS)
        edges = there.rig.edges(0).edges

    assert [edge.level for edge in edges if edge.channel is Channel.BUTTON] == [0, 1]


def test_every_byte_passes_both_ways(url: str) -> None:
    """Telnet has a byte of its own, 255; what looks like it has to come through."""
    with opened(url) as there:
        exchanges = [there.rig.exchange_clocks() for _ in range(50)]

    assert all(each.board_rx_ns <= each.board_tx_ns for each in exchanges)
    assert all(a.board_tx_ns < b.board_rx_ns for a, b in pairwise(exchanges))


def test_each_exchange_bounds_the_same_offset_of_the_clocks(url: str) -> None:
    """A longer way makes the bounds wider, and never wrong."""
    with opened(url) as there:
        made = [there.rig.exchange_clocks() for _ in range(50)]

    least = max(each.board_tx_ns - each.host_rx_ns for each in made)
    most = min(each.board_rx_ns - each.host_tx_ns for each in made)
    assert least <= most + DRIFT_NS


NONSENSE = [
    b"\xff\xfa\x2c\x01\xff\xf0",  # a baud rate of no bytes
    b"\xff\xfa\x2c\x03\x63\xff\xf0",  # a parity that there is not
    b"\xff\xf0",  # the end of an option that did not begin
    b"\xff\xfa\xff\xf0",  # an empty option
    b"\xff\xfa\x2c" + b"x" * 2_000_000,  # an option without end
    bytes(range(256)) * 8,
]


@pytest.mark.parametrize("sent", NONSENSE, ids=range(len(NONSENSE)))
def test_a_client_that_talks_nonsense_harms_only_itself(url: str, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port_of(url))) as mad, suppress(OSError):
        mad.sendall(sent)
        mad.shutdown(socket.SHUT_WR)
        while mad.recv(4096):
            pass

    with opened_when_free(url) as there:
        assert there.rig.info().board == "sim"


@pytest.mark.slow
def test_a_client_that_takes_nothing_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share, "_SEND_S", 1)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        far = socket.create_connection(listener.getsockname())
        near, _ = listener.accept()
        with near, far:
            share._prepare(near)
            with pytest.raises(BlockingIOError):
                near.sendall(b"x" * 50_000_000)


def test_a_second_client_is_told_who_has_it(url: str) -> None:
    told = r" 127.0.0.1 port \d+ has this rig; wait until it is done$"
    with opened(url), pytest.raises(LinkLost, match=told):
        open_rig(url)


def test_the_next_client_is_served_when_the_first_has_left_without_a_word(url: str) -> None:
    first = socket.create_connection(("127.0.0.1", port_of(url)))
    assert first.recv(1)[0] == 255  # the server's telnet options
    first.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    first.close()  # with a reset, as the system does for a process that was killed

    with opened_when_free(url) as there:
        assert there.rig.info().board == "sim"


def test_the_port_is_free_when_its_client_has_left(tmp_path: Path) -> None:
    with bench(tmp_path / "rig") as path, shared(path) as url:
        with opened(url), pytest.raises(LinkLost, match="another program has it open"):
            open_plain(path, 0.2)

        free_when = threading.Event()
        for _ in range(100):
            with suppress(LinkLost):
                open_plain(path, 0.2).close()
                free_when.set()
            if free_when.wait(0.1):
                break
        assert free_when.is_set()


def test_a_port_that_is_gone_is_told_and_may_come_back(tmp_path: Path) -> None:
    link = tmp_path / "rig"
    with ExitStack() as stack:
        url = stack.enter_context(shared(str(link)))
        with pytest.raises(LinkLost, match=f"could not open serial port {link}: no such port"):
            open_rig(url)
        stack.enter_context(bench(link))
        with opened(url) as there:
            assert there.rig.info().board == "sim"


def test_a_board_that_goes_ends_the_visit_and_not_the_server(tmp_path: Path) -> None:
    link = tmp_path / "rig"
    with shared(str(link)) as url:
        with bench(link):
            there = open_rig(url)
        with pytest.raises(LinkLost, match=f"lost {url}|{url}"):
            there.rig.levels()
        there.rig.close()
        with bench(link), opened(url) as again:
            assert again.rig.info().board == "sim"


def test_a_place_that_is_taken_or_none_is_refused() -> None:
    def never() -> serial.Serial:
        raise AssertionError

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"could not listen on 127.0.0.1:{port}: .*in use"):
            share_port(never, "127.0.0.1", port, print, threading.Event(), token=None)
    with pytest.raises(UsageError, match="99999 is no port; 0 to 65535 are allowed"):
        share_port(never, "127.0.0.1", 99_999, print, threading.Event(), token=None)
