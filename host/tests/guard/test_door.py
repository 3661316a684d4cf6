"""Strangers at the TCP ports that lead to a board: real sockets on loopback.

The board itself is the witness: every byte that reached its port, and its button's edges.
"""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty, Queue
from typing import Any

import cbor2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from serial import rfc2217
from served_bench import AGREES, heard_from, served

from resume_rig.guard import door
from resume_rig.guard.door import WAITING_MOST
from resume_rig.guard.token import proof_of
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import LinkLost
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.link.open import open_rig
from resume_rig.rig.link.share import share_port
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.rig.smp.framing import Decoder, encode
from resume_rig.rig.smp.packet import Group, Operation, request_packet
from resume_rig.timing.clocks import SystemClock

TOKEN = "of-the-lab-in-a-test"
PATIENCE_S = 30.0
MS = 1_000_000
FACES = ("sim", "share", "share with a token")
ECHO = encode(request_packet(Operation.WRITE, Group.OS, 0, 1, cbor2.dumps({"d": "x"})))


class Board(SimulatedBench):
    """A simulated bench that keeps what reached it; it is a serial port as well."""

    def __init__(self) -> None:
        super().__init__(load_dut_profile("healthy-laptop"), SystemClock(), 1)
        self.reached: list[bytes] = []

    def answers(self, packet: bytes) -> list[bytes]:
        self.reached.append(packet)
        return super().answers(packet)


@dataclass
class Port:
    """A board's serial port, as `share_port` opens it."""

    board: Board
    decoder: Decoder = field(default_factory=Decoder)
    replies: Queue[bytes] = field(default_factory=Queue)
    in_waiting = 0

    def read(self, size: int) -> bytes:
        if not size:
            return b""
        with suppress(Empty):
            return self.replies.get(timeout=0.05)
        self.board.advance()
        return b""

    def write(self, data: bytes) -> None:
        self.board.reached.append(data)
        for packet in self.decoder.feed(data):
            for reply in self.board.answers(packet):
                self.replies.put(encode(reply))

    def close(self) -> None: ...


@dataclass
class Face:
    """A TCP port, and the board behind it."""

    board: Board
    place: str
    with_token: bool

    @property
    def url(self) -> str:
        return f"rfc2217:{self.place}"

    def connection(self) -> socket.socket:
        host, _, port = self.place.rpartition(":")
        return socket.create_connection((host, int(port)), timeout=PATIENCE_S)

    def says_to(self, *sent: bytes) -> bytes:
        """Send as a stranger; return what the server says until it hangs up."""
        with closing(self.connection()) as stranger:
            for data in sent:
                with suppress(ConnectionError):
                    stranger.sendall(data)
            return heard_from(stranger)

    def presses(self) -> int:
        """Return how often the button went down, as the board reports it to an honest host."""
        opened = open_rig(self.url)
        with closing(opened.rig):
            edges = opened.rig.edges(0).edges
        return sum(edge.channel is Channel.BUTTON and edge.level == 0 for edge in edges)


@contextmanager
def facing(kind: str) -> Iterator[Face]:
    board = Board()
    if kind == "sim":
        with served(board) as place:
            yield Face(board, place, with_token=False)
        return
    ready: Queue[str] = Queue()
    stop = threading.Event()
    token = TOKEN if "token" in kind else None

    def opened() -> Any:
        board.reached.append(b"opened")
        return Port(board)

    def serve() -> None:
        share_port(opened, "127.0.0.1", 0, ready.put, stop, token=token)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield Face(board, ready.get(timeout=PATIENCE_S), token is not None)
    finally:
        stop.set()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


@pytest.fixture(params=FACES)
def face(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Face]:
    with facing(request.param) as face:
        if face.with_token:
            monkeypatch.setenv("RESUME_RIG_TOKEN", TOKEN)
        yield face


@pytest.fixture(scope="module")
def press() -> bytes:
    """The bytes of a forced press of 12 s, as an honest host sends them."""
    with facing("sim") as face:
        opened = open_rig(face.url)
        with closing(opened.rig):
            before = len(face.board.reached)
            opened.rig.press(Actuator.BUTTON, 12_000 * MS, force_off=True)
        return b"".join(encode(packet) for packet in face.board.reached[before:])


def http(method: str, body: bytes = b"") -> bytes:
    head = f"{method} / HTTP/1.1\r\nHost: 127.0.0.1:7000\r\nContent-Type: text/plain\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def tls_hello() -> bytes:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
    with suppress(ssl.SSLWantReadError):
        tls.do_handshake()
    return outgoing.read()


STRANGERS: dict[str, Callable[[bytes], list[bytes]]] = {
    "a page's text": lambda press: [http("POST", b"\n" + press)],
    "a page's text that speaks telnet": lambda press: [http("POST", AGREES + press)],
    "head and body apart": lambda press: [http("POST"), AGREES, press],
    "GET": lambda press: [http("GET", press)],
    "OPTIONS": lambda press: [http("OPTIONS"), press],
    "TLS": lambda press: [tls_hello(), press],
    "a packet at once": lambda press: [press],
    "a packet, then telnet": lambda press: [press + AGREES, press],
    "telnet that is turned down": lambda press: [
        rfc2217.IAC + rfc2217.WONT + rfc2217.COM_PORT_OPTION + press
    ],
    "another telnet option": lambda press: [rfc2217.IAC + rfc2217.WILL + rfc2217.SGA + press],
    "a line of text": lambda press: [b"\r\n" + press],
}


@pytest.mark.parametrize("name", STRANGERS)
def test_a_stranger_is_hung_up_on_at_once_and_reaches_nothing(
    face: Face, name: str, press: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "HANDSHAKE_S", 1e9)  # not the time: what it sends ends it

    face.says_to(*STRANGERS[name](press))

    assert face.board.reached == []
    assert face.presses() == 0


@pytest.mark.parametrize("name", ["silent", "agrees and is silent", "agrees, then garbage"])
def test_who_only_waits_is_dropped_and_keeps_nobody_out(
    face: Face, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = {"silent": b"", "agrees and is silent": AGREES}.get(name, AGREES + b"\x06\x09AAAA\n" * 9)
    with closing(face.connection()) as stranger:
        stranger.sendall(sent)
        assert face.presses() == 0  # an honest host is served meanwhile
        before = len(face.board.reached)
        monkeypatch.setattr(door, "HANDSHAKE_S", 0.2)
        with closing(face.connection()) as late:
            late.sendall(sent)
            heard_from(late)
        assert len(face.board.reached) == before


def drip(stranger: socket.socket) -> None:
    pause = threading.Event()
    for byte in (rfc2217.IAC + rfc2217.DO + rfc2217.ECHO) * 10_000:
        stranger.sendall(bytes([byte]))
        pause.wait(0.01)


def test_one_that_drips_has_no_more_time(face: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte is one of a telnet option, which nobody could object to."""
    monkeypatch.setattr(door, "HANDSHAKE_S", 0.5)
    with closing(face.connection()) as stranger, pytest.raises(OSError, match=r"reset|Broken pipe"):
        drip(stranger)
    assert face.board.reached == []


def test_a_crowd_that_waits_keeps_nobody_out(face: Face) -> None:
    with ExitStack() as stack:
        for _ in range(WAITING_MOST * 2):
            stack.enter_context(closing(face.connection())).sendall(AGREES)
        assert face.presses() == 0


@pytest.mark.parametrize("kind", ["share with a token"])
@pytest.mark.parametrize("proof", ["", TOKEN, "0" * 64, "\xff" * 9, proof_of(TOKEN, "0" * 32)])
def test_who_does_not_know_the_token_reaches_nothing(kind: str, proof: str, press: bytes) -> None:
    name = f"resume-rig {proof}".encode("latin-1").replace(b"\xff", b"\xff\xff")
    signature = b"\xff\xfa\x2c\x00" + name + b"\xff\xf0"
    with facing(kind) as face:
        said = face.says_to(AGREES, signature + press)

        assert b"resume-rig no: " in said
        assert TOKEN.encode() not in said
        assert face.board.reached == []


def test_a_proof_serves_once(press: bytes) -> None:
    """What was overheard of one connection opens no other."""
    with facing("share with a token") as face, closing(face.connection()) as first:
        first.sendall(AGREES)
        heard = b""
        while b"asks " not in heard or not heard.endswith(b"\xff\xf0"):
            heard += first.recv(4096)
        nonce = heard.partition(b"asks ")[2][:32].decode()
        signature = b"\xff\xfa\x2c\x00resume-rig " + proof_of(TOKEN, nonce).encode() + b"\xff\xf0"

        assert b"resume-rig no: the token is wrong" in face.says_to(AGREES, signature + press)
        assert face.board.reached == []

        first.sendall(signature)
        first.sendall(ECHO)
        heard = b""
        while b"\n" not in heard:
            heard += first.recv(4096)
        assert b"resume-rig yes" in heard


@pytest.mark.parametrize(
    ("variable", "reason"),
    [(None, "asks for the token of `resume-rig share`"), ("x" * 20, "the token is wrong")],
)
def test_a_host_learns_what_is_wrong_with_its_token(
    variable: str | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RESUME_RIG_TOKEN", raising=False)
    if variable is not None:
        monkeypatch.setenv("RESUME_RIG_TOKEN", variable)
    with facing("share with a token") as face:
        with pytest.raises(LinkLost, match=reason):
            open_rig(face.url)
        assert face.board.reached == []


def test_a_host_with_the_right_token_presses(face: Face) -> None:
    opened = open_rig(face.url)
    with closing(opened.rig):
        opened.rig.press(Actuator.BUTTON, 50 * MS)
        opened.clock.sleep_ns(200 * MS)
    assert face.presses() == 1


def test_another_rfc_2217_client_is_let_in_where_no_token_is_asked_for() -> None:
    with facing("share") as face, closing(face.connection()) as client:
        client.sendall(AGREES + ECHO)
        heard = b""
        while b"\n" not in heard:
            heard += client.recv(4096)
        (reply,) = Decoder().feed(heard)
        assert b"x" in reply


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=st.binary(min_size=1, max_size=40))
def test_no_first_byte_but_telnets_own_leads_anywhere(face: Face, first: bytes) -> None:
    if first[0] == 0xFF:
        first = b"P" + first
    face.says_to(first + ECHO)
    assert face.board.reached == []


def test_what_a_server_says_is_one_bounded_printable_line() -> None:
    """A server that means no good: its reason reaches the user's terminal."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                manager = rfc2217.PortManager(_Line(), _Sends(connection))  # type: ignore[arg-type]
                manager.rfc2217_send_subnegotiation(b"\x64", b"resume-rig")
                while data := connection.recv(4096):
                    b"".join(manager.filter(data))
                    if b"\x2c\x00resume-rig" in data:
                        why = b"resume-rig no: \x1b[31mred\r\nmore" + b"y" * 5000
                        manager.rfc2217_send_subnegotiation(b"\x64", why)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(LinkLost) as caught:
            open_rig(f"rfc2217:127.0.0.1:{listener.getsockname()[1]}")
        thread.join(PATIENCE_S)
    assert "?[31mred??more" in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500


class _Line:
    baudrate, bytesize, parity, stopbits = 115_200, 8, "N", 1
    rtscts = xonxoff = rts = dtr = cts = dsr = ri = cd = False

    def reset_input_buffer(self) -> None: ...

    def reset_output_buffer(self) -> None: ...


class _Sends:
    def __init__(self, connection: socket.socket) -> None:
        self.write = connection.sendall
