"""Clients that mean no good, on loopback: real sockets, a real clock, a simulated DUT."""

import json
import logging
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from queue import Queue

import pytest

from resume_rig.acceptance.bench import BenchInUse, open_bench
from resume_rig.acceptance.held_line import HeldLines
from resume_rig.acceptance.single_actions import PowerActions, SingleActions
from resume_rig.guard import http
from resume_rig.guard.http import CONNECTIONS_MOST
from resume_rig.model.channel import Channel
from resume_rig.relay.gpio import Gpios
from resume_rig.relay.server import Guard, serve_relay

GPIO = "/api/v1/gpio"
HOLD = b'{"state": 1, "time": 0}'
LET_GO = b'{"state": 0, "time": 0}'
AT_ONCE_S = 1.0
PATIENCE_S = 20.0
TOKEN = "a-token-of-the-lab"


@dataclass
class Relay:
    bench: BenchInUse
    lock: threading.RLock
    port: int

    def connection(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)

    def ask(self, method: str, number: int, body: bytes = b"", *heads: str) -> tuple[int, str]:
        """Send one request as a whole; return the status and the document."""
        with self.connection() as connection:
            connection.sendall(self.request(method, number, body, *heads))
            return answer_on(connection)

    def request(self, method: str, number: int, body: bytes = b"", *heads: str) -> bytes:
        lines = [f"{method} {GPIO}/{number} HTTP/1.1", *heads]
        if not any(head.startswith("Host:") for head in heads):
            lines.append(f"Host: 127.0.0.1:{self.port}")
        lines += [f"Content-Length: {len(body)}", "", ""]
        return "\r\n".join(lines).encode() + body

    def button_is_down(self) -> bool:
        with self.lock:
            return self.bench.rig.levels()[Channel.BUTTON] == 0

    def has_power(self) -> bool:
        """Whether the DUT's power was not cut; a press may have put it into S3."""
        with self.lock:
            return self.bench.rig.levels()[Channel.SLP_S4] == 1

    def presses_s(self) -> list[float]:
        """Return how long each press was, as the DUT's header saw it."""
        with self.lock:
            edges = [e for e in self.bench.rig.edges(0).edges if e.channel is Channel.BUTTON]
        pairs = zip(edges[::2], edges[1::2], strict=False)  # one that is down has no end yet
        return [(up.t_ns - down.t_ns) / 1e9 for down, up in pairs]


def answer_on(connection: socket.socket) -> tuple[int, str]:
    heard = b""
    while more := connection.recv(4096):
        heard += more
    head, _, body = heard.partition(b"\r\n\r\n")
    return int(head.split()[1]), body.decode()


@contextmanager
def serving(guard: Guard | None = None) -> Iterator[Relay]:
    bench, lock = open_bench("sim:seed=7", "healthy-desktop"), threading.RLock()
    lines, actions = HeldLines(bench, lock), SingleActions(bench)
    gpios = Gpios(actions, PowerActions(actions), lines, lock)
    ready: Queue[str] = Queue()
    serve = threading.Thread(
        target=serve_relay, args=(gpios, "127.0.0.1", 0, ready.put, guard), daemon=True
    )
    serve.start()
    try:
        yield Relay(bench, lock, int(ready.get(timeout=PATIENCE_S).rpartition(":")[2]))
    finally:
        lines.close()
        bench.close()


@pytest.fixture
def relay() -> Iterator[Relay]:
    with serving() as relay:
        yield relay


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[Relay]:
    """A relay that waits for a request for 0.5 s only."""
    monkeypatch.setattr(http, "REQUEST_S", 0.5)
    with serving() as relay:
        yield relay


def until(holds, within_s: float = PATIENCE_S) -> float:
    """Wait until something holds, and return how long that took."""
    begun_s, pause = time.monotonic(), threading.Event()
    while not holds():
        assert time.monotonic() - begun_s < within_s
        pause.wait(0.02)
    return time.monotonic() - begun_s


def test_a_silent_connection_keeps_no_button_down(relay: Relay) -> None:
    """It held the only place for 10 s, and the button with it: the DUT lost its power."""
    with relay.connection():
        assert relay.ask("PATCH", 9, HOLD)[0] == 200
        begun_s = time.monotonic()
        assert relay.ask("PATCH", 9, LET_GO)[0] == 200
        assert time.monotonic() - begun_s < AT_ONCE_S

        until(lambda: not relay.button_is_down(), AT_ONCE_S)
        assert relay.has_power()


def test_a_hold_ends_by_itself_when_its_client_is_gone(relay: Relay) -> None:
    assert relay.ask("PATCH", 9, HOLD)[0] == 200

    until(lambda: not relay.button_is_down(), 2.0)

    (press_s,) = relay.presses_s()
    assert 0.9 < press_s < 1.5
    assert relay.has_power()


def test_a_forced_off_that_is_asked_for_cuts_the_power(relay: Relay) -> None:
    """What the others assert can fail: this is how a DUT without power looks."""
    assert relay.ask("PATCH", 9, b'{"state": 1, "time": 6}')[0] == 200
    until(lambda: not relay.has_power(), 6.0)
    assert relay.ask("PATCH", 9, LET_GO)[0] == 200


@pytest.mark.slow
def test_a_hold_that_is_renewed_for_ever_never_reaches_the_override(relay: Relay) -> None:
    begun_s, answers = time.monotonic(), set()
    while time.monotonic() - begun_s < 4.2:
        answers.add(relay.ask("PATCH", 9, HOLD)[0])
        threading.Event().wait(0.1)

    assert answers == {200, 400}  # renewed, and then refused until it is let go of
    (press_s,) = relay.presses_s()
    assert 2.9 < press_s < 3.2
    assert relay.has_power()


def test_a_late_renewal_is_no_second_press(relay: Relay) -> None:
    relay.ask("PATCH", 9, HOLD)
    until(lambda: not relay.button_is_down(), 2.0)

    status, document = relay.ask("PATCH", 9, HOLD)

    assert (status, len(relay.presses_s())) == (400, 1)
    assert "let go of it first" in document
    assert relay.ask("PATCH", 9, LET_GO)[0] == 200
    assert relay.ask("PATCH", 9, HOLD)[0] == 200


def test_a_hold_ends_while_the_rig_is_kept_busy(relay: Relay) -> None:
    """Even where the relay cannot say a word, the board lets go before the override time."""
    assert relay.ask("PATCH", 9, HOLD)[0] == 200
    with relay.lock:
        threading.Event().wait(4.2)
    assert relay.presses_s() == pytest.approx([3.0], abs=0.1)
    assert relay.has_power()


def test_what_waits_too_long_for_the_rig_is_not_done(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resume_rig.relay.gpio._BUSY_S", 0.2)
    with relay.lock:
        status, document = relay.ask("PATCH", 9, b'{"state": 1, "time": 1}')

    assert status == 503
    assert "nothing was done" in document
    assert relay.presses_s() == []


@pytest.mark.parametrize("piece", [b"P", b"X-Filler: x\r\n"], ids=["request line", "headers"])
def test_a_dripping_client_is_hung_up_on_in_time(hasty: Relay, piece: bytes) -> None:
    begun_s = time.monotonic()
    with hasty.connection() as dripping, suppress(ConnectionError):
        dripping.sendall(b"GET / HTTP/1.1\r\n" if len(piece) > 1 else b"")
        dripping.settimeout(0.05)
        while time.monotonic() - begun_s < PATIENCE_S:
            dripping.sendall(piece)
            with suppress(TimeoutError):
                if dripping.recv(100) == b"":
                    break

    assert time.monotonic() - begun_s < 0.5 + AT_ONCE_S


def test_a_silent_client_is_hung_up_on_in_time(hasty: Relay) -> None:
    begun_s = time.monotonic()
    with hasty.connection() as silent:
        assert silent.recv(100) == b""

    assert time.monotonic() - begun_s < 0.5 + AT_ONCE_S


def test_a_head_without_end_is_cut(relay: Relay) -> None:
    with relay.connection() as endless, suppress(ConnectionError):
        endless.sendall(b"GET / HTTP/1.1\r\n")
        for _ in range(10_000):
            endless.sendall(b"X-Filler: " + b"x" * 1000 + b"\r\n")
        raise AssertionError("10 MB were taken")
    assert relay.ask("GET", 13)[0] == 200


@pytest.mark.parametrize("cut", [1, 20, 60, -1, -12], ids=str)
def test_a_part_of_a_request_moves_nothing(relay: Relay, cut: int) -> None:
    """The part may look like a whole one to who takes the end of a connection for its end."""
    whole = relay.request("PATCH", 9, HOLD)
    with relay.connection() as half:
        half.sendall(whole[:cut])
        half.shutdown(socket.SHUT_WR)
        while half.recv(4096):
            pass

    assert not relay.button_is_down()
    assert relay.presses_s() == []


def test_a_client_that_has_said_all_may_close_its_side(relay: Relay) -> None:
    with relay.connection() as half:
        half.sendall(relay.request("GET", 13))
        half.shutdown(socket.SHUT_WR)
        assert answer_on(half)[0] == 200


@pytest.mark.slow
def test_three_hundred_connections_keep_nobody_out(relay: Relay) -> None:
    with ExitStack() as stack:
        assert relay.ask("PATCH", 9, HOLD)[0] == 200
        for _ in range(300):
            stack.enter_context(closing(relay.connection()))
        begun_s = time.monotonic()

        assert relay.ask("PATCH", 9, LET_GO)[0] == 200

        assert time.monotonic() - begun_s < AT_ONCE_S
        served = [t for t in threading.enumerate() if "process_request_thread" in t.name]
        assert len(served) <= CONNECTIONS_MOST
        until(lambda: not relay.button_is_down(), AT_ONCE_S)
    assert relay.has_power()


def test_who_waits_for_the_rig_is_not_hung_up_on_for_newcomers(relay: Relay) -> None:
    with ExitStack() as stack:
        relay.lock.acquire()
        try:
            patient = stack.enter_context(relay.connection())
            patient.sendall(relay.request("GET", 13))
            threading.Event().wait(0.2)
            for _ in range(2 * CONNECTIONS_MOST):
                stack.enter_context(closing(relay.connection()))
        finally:
            relay.lock.release()

        assert answer_on(patient)[0] == 200


def test_beyond_what_can_wait_a_client_is_told(relay: Relay) -> None:
    with ExitStack() as stack:
        relay.lock.acquire()
        try:
            for _ in range(CONNECTIONS_MOST):
                waits = stack.enter_context(relay.connection())
                waits.sendall(relay.request("GET", 13))
            threading.Event().wait(0.5)
            assert relay.ask("GET", 13)[0] == 503
        finally:
            relay.lock.release()


def test_who_hangs_up_during_the_answer_leaves_no_trace(
    relay: Relay, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        for _ in range(50):
            connection = relay.connection()
            connection.sendall(relay.request("GET", 13))
            # With a reset, as of a process that was killed.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        assert relay.ask("GET", 13)[0] == 200

    said = capfd.readouterr()
    assert (said.out, said.err, caplog.text) == ("", "", "")


def test_a_page_whose_name_was_made_to_point_here_moves_nothing(relay: Relay) -> None:
    """DNS rebinding: the browser takes the relay for the page's own site."""
    named = f"Host: evil.example:{relay.port}"
    here = f"Host: 127.0.0.1:{relay.port}"

    assert relay.ask("PATCH", 9, HOLD, named)[0] == 403
    assert relay.ask("GET", 9, b"", named)[0] == 403
    assert relay.ask("PATCH", 9, HOLD, here, "Origin: http://evil.example")[0] == 403
    assert relay.ask("PATCH", 9, HOLD, here, "Origin: null")[0] == 403
    assert relay.ask("PATCH", 9, HOLD, here, here)[0] == 400
    assert relay.presses_s() == []
    assert not relay.button_is_down()


def test_without_the_token_nothing_moves() -> None:
    with serving(Guard(token=TOKEN)) as relay:
        assert relay.ask("PATCH", 9, HOLD)[0] == 401
        assert relay.ask("PATCH", 9, HOLD, "Authorization: Bearer wrong")[0] == 401
        assert relay.ask("GET", 9)[0] == 401
        assert not relay.button_is_down()

        status, document = relay.ask("GET", 9, b"", f"Authorization: Bearer {TOKEN}")

        assert (status, json.loads(document)["state"]) == (200, 0)
