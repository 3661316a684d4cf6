"""The served bench: real bytes through a pseudo-terminal and a TCP port."""

import os
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from queue import Queue
from typing import Any

import cbor2
import pytest
from served_bench import AGREES, heard_from

from resume_rig.model.clock import Clock
from resume_rig.model.errors import UsageError
from resume_rig.model.fault_plan import FaultKind, FaultPlan, ScheduledFault, WireShares
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.sim.schedule import LinkFaults
from resume_rig.rig.sim.serve import serve_pty, serve_tcp
from resume_rig.rig.smp.framing import Decoder, encode
from resume_rig.rig.smp.packet import HEADER, Group, Operation, request_packet
from resume_rig.timing.clocks import SystemClock, VirtualClock

S = 1_000_000_000
PATIENCE_S = 60.0
needs_pty = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")

Serve = Callable[[SimulatedBench, Callable[[str], None], threading.Event], None]


@contextmanager
def serving(serve: Serve, clock: Clock | None = None) -> Iterator[str]:
    """Serve a bench in a thread; yield where, and see that it ends when told to."""
    ready: Queue[str] = Queue()
    stop = threading.Event()
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), clock or SystemClock(), 1)
    thread = threading.Thread(target=serve, args=(bench, ready.put, stop))
    thread.start()
    try:
        yield ready.get(timeout=PATIENCE_S)
    finally:
        stop.set()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def request(text: str, sequence: int = 1) -> bytes:
    payload = cbor2.dumps({"d": text})
    return encode(request_packet(Operation.WRITE, Group.OS, 0, sequence, payload))


def echo(end: int | socket.socket, text: str) -> str:
    """Send one echo to a terminal or a socket, and return what came back."""
    data = request(text)
    while data:
        sent = os.write(end, data) if isinstance(end, int) else end.send(data)
        data = data[sent:]
    return str(next_reply(end)["r"])


def next_reply(end: int | socket.socket) -> Any:
    decoder = Decoder()
    while True:
        readable, _, _ = select.select([end], [], [], PATIENCE_S)
        assert readable, "no reply came"
        data = os.read(end, 4096) if isinstance(end, int) else end.recv(4096)
        for packet in decoder.feed(data):
            return cbor2.loads(packet[HEADER.size :])


@needs_pty
def test_a_terminal_answers_and_its_link_goes_with_it(tmp_path: Path) -> None:
    link = tmp_path / "rig"
    with serving(lambda bench, ready, stop: serve_pty(bench, link, ready, stop)) as path:
        assert path == str(link)
        assert link.is_symlink()
        descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY)
        assert echo(descriptor, "hello") == "hello"
        os.close(descriptor)
    assert not link.is_symlink()


@needs_pty
def test_clients_of_a_terminal_come_and_go_and_noise_does_no_harm() -> None:
    with serving(lambda bench, ready, stop: serve_pty(bench, None, ready, stop)) as path:
        for text in ("first", "x" * 900, "third"):
            descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY)
            os.write(descriptor, b"\x00noise\x06\x09AAAA\nmore\n")
            assert echo(descriptor, text) == text
            os.close(descriptor)


@needs_pty
@pytest.mark.parametrize("what", ["file", "folder", "link to a file", "link to a live terminal"])
def test_what_is_in_the_place_of_the_link_is_left_alone(tmp_path: Path, what: str) -> None:
    link = tmp_path / "rig"
    ours, theirs = os.openpty()
    match what:
        case "file":
            link.write_text("mine")
        case "folder":
            link.mkdir()
        case "link to a file":
            link.symlink_to(tmp_path / "elsewhere")
        case _:
            link.symlink_to(os.ttyname(theirs))
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), SystemClock(), 1)
    with pytest.raises(UsageError, match="a path that is free is allowed"):
        serve_pty(bench, link, lambda _: None, threading.Event())
    assert link.is_symlink() or link.exists()
    os.close(ours)
    os.close(theirs)


@needs_pty
def test_a_link_that_a_dead_bench_left_behind_is_replaced(tmp_path: Path) -> None:
    link = tmp_path / "rig"
    link.symlink_to("/dev/pts/999999")
    with serving(lambda bench, ready, stop: serve_pty(bench, link, ready, stop)) as path:
        assert link.readlink() != Path("/dev/pts/999999")
        descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY)
        assert echo(descriptor, "again") == "again"
        os.close(descriptor)


@needs_pty
def test_a_link_in_no_folder_is_refused_in_a_sentence(tmp_path: Path) -> None:
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), SystemClock(), 1)
    with pytest.raises(UsageError, match=r"Cannot link .*No such file or directory"):
        serve_pty(bench, tmp_path / "no" / "rig", lambda _: None, threading.Event())


def connect(place: str) -> socket.socket:
    """Connect, and agree on RFC 2217 as a host of a board does."""
    host, _, port = place.rpartition(":")
    connection = socket.create_connection((host, int(port)), PATIENCE_S)
    connection.sendall(AGREES)
    return connection


@contextmanager
def tcp() -> Iterator[str]:
    with serving(lambda bench, ready, stop: serve_tcp(bench, "127.0.0.1", 0, ready, stop)) as place:
        yield place


def test_a_port_answers_one_client_after_the_other() -> None:
    with tcp() as place:
        for text in ("first", "second"):
            with closing(connect(place)) as client:
                assert echo(client, text) == text


def test_a_second_client_is_turned_away_and_the_first_one_stays() -> None:
    with tcp() as place, closing(connect(place)) as first:
        assert echo(first, "one") == "one"
        with closing(connect(place)) as second:
            second.sendall(request("two"))
            assert b"has this rig; wait until it is done" in heard_from(second)
        assert echo(first, "still") == "still"


def test_a_client_that_asks_and_vanishes_does_no_harm() -> None:
    with tcp() as place:
        for _ in range(5):
            with closing(connect(place)) as client:
                client.sendall(request("bye") * 20)
        with closing(connect(place)) as client:
            assert echo(client, "here") == "here"


@pytest.mark.parametrize(
    ("connections", "requests"), [(20, 400), pytest.param(300, 4000, marks=pytest.mark.slow)]
)
def test_a_flood_of_connections_and_of_bytes_keeps_nobody_out_after_it(
    connections: int, requests: int
) -> None:
    """So many at once, each with garbage; then up to 4 MB that nobody takes the answers of."""
    with tcp() as place:
        crowd = [connect(place) for _ in range(connections)]
        for client in crowd:
            with suppress(OSError):
                client.sendall(b"\xff\x00\x06\x09" * 4096)
        for client in crowd:
            client.close()
        with closing(connect(place)) as flooding:
            flooding.settimeout(1.0)
            with suppress(OSError):
                for _ in range(requests):
                    flooding.sendall(request("x" * 900))
        deadline = time.monotonic() + PATIENCE_S
        while True:  # who hung up is noticed at the next turn
            with closing(connect(place)) as client, suppress(OSError, AssertionError, IndexError):
                assert echo(client, "here") == "here"
                return
            assert time.monotonic() < deadline


def test_several_requests_at_once_are_answered_in_order() -> None:
    with tcp() as place, closing(connect(place)) as client:
        client.sendall(b"".join(request(f"n{number}") for number in range(30)))
        decoder = Decoder()
        texts: list[str] = []
        while len(texts) < 30:
            packets = decoder.feed(client.recv(4096))
            texts += [cbor2.loads(packet[HEADER.size :])["r"] for packet in packets]
    assert texts == [f"n{number}" for number in range(30)]


def test_a_port_in_use_is_refused_in_a_sentence() -> None:
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), SystemClock(), 1)
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]
        with pytest.raises(
            UsageError, match=rf"could not listen on 127.0.0.1:{port}: .*(in use|address)"
        ):
            serve_tcp(bench, "127.0.0.1", port, lambda _: None, threading.Event())


@pytest.mark.parametrize(
    ("host", "port"), [("127.0.0.1", 70_000), ("203.0.113.7", 0)], ids=["no port", "not ours"]
)
def test_a_place_that_cannot_be_listened_on_is_refused(host: str, port: int) -> None:
    bench = SimulatedBench(load_dut_profile("healthy-laptop"), SystemClock(), 1)
    with pytest.raises(UsageError, match="could not listen on"):
        serve_tcp(bench, host, port, lambda _: None, threading.Event())


def test_a_served_bench_is_kept_going_while_nobody_asks() -> None:
    calls: Queue[int] = Queue()

    class Watched(SimulatedBench):
        def advance(self) -> int:
            now_ns = super().advance()
            calls.put(now_ns)
            return now_ns

    ready: Queue[str] = Queue()
    stop = threading.Event()
    bench = Watched(load_dut_profile("healthy-laptop"), SystemClock(), 1)
    thread = threading.Thread(target=serve_tcp, args=(bench, "127.0.0.1", 0, ready.put, stop))
    thread.start()
    ready.get(timeout=PATIENCE_S)
    times = [calls.get(timeout=PATIENCE_S) for _ in range(20)]
    stop.set()
    thread.join(PATIENCE_S)
    assert times == sorted(times)


def wait_for(what: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < deadline_s
        time.sleep(0.005)


UNPLUGGED = FaultPlan(faults=(ScheduledFault(FaultKind.UNPLUG, (1 * S,), for_ns=9 * S),))


def with_cable(plan: FaultPlan, serve: Callable[..., None], *where: Any) -> Serve:
    """Serve with a cable that has these faults."""

    def served(bench: SimulatedBench, ready: Callable[[str], None], stop: threading.Event) -> None:
        serve(bench, *where, ready, stop, faults=LinkFaults(plan, 1, bench.now_ns))

    return served


@needs_pty
def test_a_cable_that_is_out_takes_the_terminal_with_it_and_comes_back(tmp_path: Path) -> None:
    link, clock = tmp_path / "rig", VirtualClock()

    with serving(with_cable(UNPLUGGED, serve_pty, link), clock) as path:
        before = os.open(path, os.O_RDWR | os.O_NOCTTY)
        assert echo(before, "here") == "here"
        clock.sleep_ns(2 * S)
        wait_for(lambda: not link.is_symlink())
        with pytest.raises(OSError, match="Input/output error"):
            os.write(before, b"gone")
        os.close(before)
        clock.sleep_ns(9 * S)
        wait_for(link.is_symlink)
        after = os.open(path, os.O_RDWR | os.O_NOCTTY)
        assert echo(after, "back") == "back"
        os.close(after)
    assert not link.is_symlink()


def test_a_cable_that_is_out_hangs_up_and_lets_nobody_in() -> None:
    clock = VirtualClock()

    with serving(with_cable(UNPLUGGED, serve_tcp, "127.0.0.1", 0), clock) as place:
        with closing(connect(place)) as first:
            assert echo(first, "here") == "here"
            clock.sleep_ns(2 * S)
            heard_from(first)
        with closing(connect(place)) as turned_away:
            turned_away.sendall(request("there?"))
            assert b"the cable is out" in heard_from(turned_away)
        clock.sleep_ns(9 * S)
        with closing(connect(place)) as last:
            assert echo(last, "back") == "back"


def test_what_is_held_up_on_a_served_wire_comes_in_order() -> None:
    late = FaultPlan(WireShares(late=0.5, late_ns=10_000_000))

    served = with_cable(late, serve_tcp, "127.0.0.1", 0)
    with serving(served) as place, closing(connect(place)) as client:
        texts = [str(number) for number in range(12)]
        assert [echo(client, text) for text in texts] == texts
