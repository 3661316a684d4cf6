"""The serial transport and client against a fake board at the other end of a PTY."""

import os
import select
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import cbor2
import pytest
from raw_request import Packet
from serial import rfc2217

from resume_rig.model.errors import LinkLost, ProtocolError, UsageError
from resume_rig.rig.commands.board import TimeRequest
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.smp.client import Discards, SmpClient
from resume_rig.rig.smp.framing import Decoder, encode, lines
from resume_rig.rig.smp.packet import Header
from resume_rig.rig.smp.serial_transport import open_rfc2217, open_serial, open_socket
from resume_rig.timing.clocks import SystemClock

if sys.platform == "win32":
    pytest.skip("needs pseudo-terminals, which Windows does not have", allow_module_level=True)

import tty

MS = 1_000_000
LOG = b"[00:00:03.120,000] <wrn> rig: late\r\n"
TIME = TimeRequest()


def packet_of(asked: Packet, fields: object) -> bytes:
    payload = cbor2.dumps(fields)
    header = asked.header
    answer = Header(
        header.operation + 1, header.group, header.sequence, header.command, len(payload)
    )
    return Packet(answer, payload).pack()


def framed(asked: Packet, fields: object) -> bytes:
    return encode(packet_of(asked, fields))


def good(asked: Packet) -> bytes:
    return framed(asked, {"n": asked.header.sequence, "pad": "x" * 200})


class PtyBoard:
    """Answers each request with the bytes that the next rule returns; `good` when none is left."""

    def __init__(self, *rules: Callable[[Packet], bytes]) -> None:
        self.rules = list(rules)
        self.seen: list[Packet] = []
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self._wake, self._woken = os.pipe()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        decoder = Decoder()
        while True:
            ready, _, _ = select.select([self.master, self._wake], [], [])
            if self._wake in ready:
                return
            for packet in decoder.feed(os.read(self.master, 4096)):
                self.seen.append(Packet.unpack(packet))
                rule = self.rules.pop(0) if self.rules else good
                answer = rule(self.seen[-1])
                if self.master < 0:
                    return
                os.write(self.master, answer)

    def say(self, data: bytes) -> None:
        os.write(self.master, data)

    def hang_up(self) -> bytes:
        """Go, as a board whose cable is pulled."""
        for descriptor in (self.master, self._slave):
            os.close(descriptor)
        self.master = -1
        return b""

    def stop(self) -> None:
        os.write(self._woken, b"x")
        self._thread.join(60)
        for descriptor in (self._wake, self._woken):
            os.close(descriptor)
        if self.master >= 0:
            self.hang_up()


@pytest.fixture
def cleanup() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


Connect = Callable[..., tuple[SmpClient, PtyBoard]]


@pytest.fixture
def connect(cleanup: ExitStack) -> Connect:
    """Return a client, and the board with those rules that it talks to."""

    def connect_to(*rules: Callable[[Packet], bytes]) -> tuple[SmpClient, PtyBoard]:
        board = PtyBoard(*rules)
        cleanup.callback(board.stop)
        clock = SystemClock()
        client = SmpClient(open_serial(board.path, clock, f"serial:{board.path}"), clock)
        cleanup.callback(client.close)
        return client, board

    return connect_to


def ask(client: SmpClient, timeout_ns: int = 500 * MS, tries: int = 3) -> object:
    return client.request(TIME, timeout_ns=timeout_ns, tries=tries).fields["n"]


def in_the_middle(noise: bytes) -> Callable[[Packet], bytes]:
    """A reply with noise between its two lines."""
    return lambda asked: noise.join(
        lines(packet_of(asked, {"n": asked.header.sequence, "pad": "x" * 100}))
    )


@pytest.mark.parametrize(
    "rule",
    [
        lambda p: b"\x00\xff\x06 garbage \x06\x09AAAA" + good(p),
        lambda p: good(p) + b"\x06\x09AAAA\x80\xfe",
        lambda p: b"\x06\x09" + b"A" * 20_000 + good(p),
        lambda p: LOG + good(p) + LOG,
        in_the_middle(LOG),
        lambda p: good(p)[:60] + good(p),
    ],
    ids=["before", "after", "a lot", "log text around", "log text inside", "half, then whole"],
)
def test_noise_around_a_reply_costs_nothing(
    connect: Connect, rule: Callable[[Packet], bytes]
) -> None:
    client, board = connect(rule)
    assert [ask(client) for _ in range(3)] == [0, 1, 2]
    assert len(board.seen) == 3


@pytest.mark.parametrize(
    "rule",
    [
        lambda _: b"",
        lambda p: good(p)[:-20],
        lambda p: good(p)[:30] + b"?" + good(p)[31:],
        lambda p: good(p)[:30] + LOG + good(p)[30:],
        in_the_middle(b"\x06\x09AAAA\n"),
        lambda p: encode(packet_of(p, {}) + b"\xff"),
        lambda _: os.urandom(1000),
    ],
    ids=["lost", "half", "wrong CRC", "text in a line", "frame inside", "length", "random"],
)
def test_a_spoiled_reply_costs_one_repeat_and_no_reopening(
    connect: Connect, rule: Callable[[Packet], bytes]
) -> None:
    client, board = connect(rule)
    found = [ask(client, timeout_ns=100 * MS) for _ in range(3)]
    assert found == [1, 2, 3]
    assert len(board.seen) == 4


def test_a_late_reply_is_dropped_and_the_next_request_gets_its_own(connect: Connect) -> None:
    client, board = connect(lambda _: b"")
    with pytest.raises(LinkLost, match="heard nothing"):
        ask(client, timeout_ns=50 * MS, tries=1)
    board.say(good(board.seen[0]))
    assert [ask(client) for _ in range(3)] == [1, 2, 3]
    assert client.discards == Discards(stale=1)


def test_a_doubled_reply_is_dropped_and_the_next_request_gets_its_own(connect: Connect) -> None:
    client, _ = connect(lambda p: good(p) * 2)
    assert [ask(client) for _ in range(3)] == [0, 1, 2]
    assert client.discards == Discards(stale=1)


def test_a_reply_of_many_lines_comes_whole(connect: Connect) -> None:
    content = os.urandom(1500)
    client, _ = connect(lambda p: framed(p, {"data": content}))
    assert client.request(TIME).fields == {"data": content}


def test_replies_are_stamped_after_their_request(connect: Connect) -> None:
    client, _ = connect()
    clock = SystemClock()
    stamps = [clock.now_ns()]
    for _ in range(20):
        reply = client.request(TIME)
        stamps += [reply.tx_ns, reply.rx_ns, clock.now_ns()]
    assert stamps == sorted(stamps)


def test_a_silent_port_is_said_to_be_silent(connect: Connect) -> None:
    client, board = connect(*[lambda _: b""] * 3)
    with pytest.raises(LinkLost) as caught:
        ask(client, timeout_ns=20 * MS)
    assert str(caught.value) == (
        f"no reply from serial:{board.path} to time: asked 3 times, waited 20 ms each time, "
        "heard nothing"
    )


def test_a_chatty_port_is_said_to_have_been_heard(connect: Connect) -> None:
    client, _ = connect(*[lambda _: b"OK\r\n"] * 3)
    with pytest.raises(LinkLost, match="heard 12 bytes that are no reply"):
        ask(client, timeout_ns=20 * MS)


def test_a_port_that_echoes_is_said_to_be_no_rig(connect: Connect) -> None:
    client, _ = connect(*[lambda p: encode(p.pack())] * 3)
    with pytest.raises(ProtocolError, match="it only sends back what it is sent, so it is no rig"):
        ask(client, timeout_ns=20 * MS)


def test_a_port_that_disappears_while_a_reply_is_awaited_is_lost_at_once(connect: Connect) -> None:
    client, board = connect()
    assert ask(client) == 0
    board.rules = [lambda _: board.hang_up()]
    with pytest.raises(LinkLost, match=r"lost serial:/dev/\S+: the port is gone"):
        ask(client, timeout_ns=10_000 * MS)
    with pytest.raises(LinkLost, match=r"lost serial:/dev/\S+: the port is gone"):
        ask(client, timeout_ns=10_000 * MS)


def test_a_rig_whose_port_disappears_can_still_be_closed_twice(connect: Connect) -> None:
    info = {"proto": 1, "fw": "1", "board": "b", "boot": 1, "clk": "xtal", "hz": 1, "tol": 1}
    info |= {"lease": 1, "ch": [], "act": [], "ering": 1, "lring": 0}
    client, board = connect(lambda p: framed(p, info))
    board.rules.append(lambda _: board.hang_up())
    rig = SmpRig(client)
    rig.info()
    with pytest.raises(LinkLost):
        rig.levels()
    rig.close()
    rig.close()


def test_a_port_that_is_open_already_is_refused_to_the_second_one(connect: Connect) -> None:
    client, board = connect()
    with pytest.raises(LinkLost) as caught:
        open_serial(board.path, SystemClock(), f"serial:{board.path}")
    assert (
        str(caught.value) == f"could not open serial port {board.path}: another program has it open"
    )
    assert ask(client) == 0


def test_a_port_can_be_opened_again_after_it_was_closed(connect: Connect) -> None:
    client, board = connect()
    client.close()
    clock = SystemClock()
    again = open_serial(board.path, clock, "serial:again")
    assert ask(SmpClient(again, clock)) == 0
    again.close()
    again.close()


def test_a_closed_transport_says_so(connect: Connect) -> None:
    client, _ = connect()
    client.close()
    with pytest.raises(LinkLost, match=r"could not send to serial:/dev/\S+: it is closed"):
        ask(client)


@pytest.mark.parametrize("shape", ["absent", "file", "folder"])
def test_a_port_that_is_none_is_one_sentence(tmp_path: Path, shape: str) -> None:
    path = tmp_path / "port"
    if shape == "file":
        path.write_text("no port")
    if shape == "folder":
        path.mkdir()
    because = {
        "absent": r"no such port \(ports present: .+\)",
        "file": "it is not a serial port",
        "folder": "Is a directory",
    }[shape]
    with pytest.raises(LinkLost, match=f"^could not open serial port {path}: {because}$"):
        open_serial(str(path), SystemClock(), "serial:x")


def test_an_url_of_an_unknown_kind_is_not_a_port_name() -> None:
    with pytest.raises(UsageError, match="'gopher://x' is not the name of a serial port"):
        open_serial("gopher://x", SystemClock(), "serial:x")


# Its close() skips Socket.close() when shutdown() fails, as it does once the other side has gone.
PYSERIAL_LEAVES_THE_CLOSING_TO_PYTHON = pytest.mark.filterwarnings(
    "ignore:unclosed <socket:ResourceWarning"
)


@PYSERIAL_LEAVES_THE_CLOSING_TO_PYTHON
def test_a_rig_behind_a_tcp_port_answers_and_its_going_is_noticed(cleanup: ExitStack) -> None:
    listener = cleanup.enter_context(socket.create_server(("127.0.0.1", 0)))
    clock = SystemClock()
    transport = open_socket("127.0.0.1", listener.getsockname()[1], clock, "socket:there")
    cleanup.callback(transport.close)
    board, _ = listener.accept()

    def serve() -> None:
        with board:
            (packet,) = Decoder().feed(board.recv(4096))
            board.sendall(LOG + good(Packet.unpack(packet)))
            board.recv(4096)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    client = SmpClient(transport, clock)
    assert ask(client) == 0
    with pytest.raises(LinkLost, match=r"lost socket:there: the port is gone \(.*disconnected"):
        ask(client, timeout_ns=10_000 * MS)
    thread.join(60)


def test_a_tcp_port_where_nobody_listens_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(LinkLost, match=f"^could not connect to 127.0.0.1 port {port}: .*refused"):
        open_socket("127.0.0.1", port, SystemClock(), "socket:nowhere")
    with pytest.raises(LinkLost, match=f"RFC 2217 server at 127.0.0.1 port {port}: .*refused"):
        open_rfc2217("127.0.0.1", port, SystemClock(), "rfc2217:nowhere", token=None)


class SharedPort:
    """As much of a serial port as pyserial's RFC 2217 server asks for."""

    baudrate, bytesize, parity, stopbits = 115_200, 8, "N", 1
    rtscts = xonxoff = rts = dtr = cts = dsr = ri = cd = False

    def reset_input_buffer(self) -> None: ...

    def reset_output_buffer(self) -> None: ...


@PYSERIAL_LEAVES_THE_CLOSING_TO_PYTHON
# pyserial 3.5 calls Thread.setDaemon and setName, which are deprecated
@pytest.mark.filterwarnings("ignore:set(Daemon|Name):DeprecationWarning")
def test_a_rig_behind_an_rfc_2217_server_answers_and_its_going_is_noticed(
    cleanup: ExitStack,
) -> None:
    listener = cleanup.enter_context(socket.create_server(("127.0.0.1", 0)))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("wb", buffering=0) as to_host:
            manager = rfc2217.PortManager(cast(Any, SharedPort()), cast(Any, to_host))
            decoder = Decoder()
            answered = 0
            while received := connection.recv(4096):
                for packet in decoder.feed(b"".join(manager.filter(received))):
                    if answered == 2:
                        return
                    to_host.write(b"".join(manager.escape(good(Packet.unpack(packet)))))
                    answered += 1

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    clock = SystemClock()
    port = listener.getsockname()[1]
    transport = open_rfc2217("127.0.0.1", port, clock, "rfc2217:there", token=None)
    cleanup.callback(transport.close)
    client = SmpClient(transport, clock)
    assert [ask(client), ask(client)] == [0, 1]
    with pytest.raises(LinkLost, match="rfc2217:there"):
        ask(client, timeout_ns=10_000 * MS)
    thread.join(60)
