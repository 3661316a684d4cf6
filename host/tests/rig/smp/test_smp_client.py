"""The client against a scripted board; every wait is on a virtual clock."""

import threading
from collections import deque
from collections.abc import Callable

import cbor2
import pytest
from raw_request import Packet, packed, raw_request

from resume_rig.model.errors import DeviceFault, LinkLost, ProtocolError
from resume_rig.rig.commands.board import TimeRequest
from resume_rig.rig.smp.client import Arrival, Discards, SmpClient
from resume_rig.rig.smp.packet import Header, Operation
from resume_rig.rig.smp.request import Request
from resume_rig.timing.clocks import VirtualClock

MS = 1_000_000
TIME = TimeRequest()

Delayed = tuple[int, bytes]


def reply_to(packet: Packet, fields: object, **changes: int) -> bytes:
    """The bytes of a good reply, unless `changes` spoil its header."""
    payload = fields if isinstance(fields, bytes) else cbor2.dumps(fields)
    asked = packet.header
    header = {
        "operation": asked.operation + 1,
        "group": asked.group,
        "sequence": asked.sequence,
        "command": asked.command,
        "length": len(payload),
    }
    return packed(Header(**(header | changes))) + payload


class ScriptedTransport:
    """Answers the n-th request with what the n-th rule says, each packet after its delay."""

    name = "serial:SCRIPT"

    def __init__(self, clock: VirtualClock, *rules: Callable[[Packet], list[Delayed]]) -> None:
        self.clock = clock
        self.rules = deque(rules)
        self.sent: list[Packet] = []
        self.coming: list[tuple[int, bytes]] = []
        self.received_bytes = 0
        self.closed = 0

    def send(self, packet: bytes) -> int:
        self.sent.append(Packet.unpack(packet))
        rule = self.rules.popleft() if self.rules else lambda _: []
        now_ns = self.clock.now_ns()
        self.coming += [(now_ns + delay_ns, data) for delay_ns, data in rule(self.sent[-1])]
        self.coming.sort(key=lambda item: item[0])
        return now_ns

    def receive(self, timeout_ns: int) -> Arrival | None:
        until_ns = self.clock.now_ns() + timeout_ns
        if not self.coming or self.coming[0][0] > until_ns:
            self.clock.sleep_ns(timeout_ns)
            return None
        t_ns, data = self.coming.pop(0)
        self.clock.sleep_ns(t_ns - self.clock.now_ns())
        self.received_bytes += len(data)
        return Arrival(data, self.clock.now_ns())

    def close(self) -> None:
        self.closed += 1


def client_of(*rules: Callable[[Packet], list[Delayed]]) -> tuple[SmpClient, ScriptedTransport]:
    clock = VirtualClock()
    transport = ScriptedTransport(clock, *rules)
    return SmpClient(transport, clock), transport


def good(packet: Packet) -> list[Delayed]:
    return [(1 * MS, reply_to(packet, {"n": packet.header.sequence}))]


def silent(packet: Packet) -> list[Delayed]:
    return []


def test_a_request_is_what_the_wire_contract_says_and_its_reply_comes_back() -> None:
    client, transport = client_of(good)
    reply = client.request(raw_request(Operation.WRITE, 64, 4, {"act": 0, "dur": 200 * MS}))
    assert reply.fields == {"n": 0}
    assert (reply.tx_ns, reply.rx_ns) == (0, 1 * MS)
    (sent,) = transport.sent
    assert sent.header == Header(Operation.WRITE, 64, 0, 4, len(sent.payload))
    assert cbor2.loads(sent.payload) == {"act": 0, "dur": 200 * MS}


@pytest.mark.parametrize(
    ("spoiled", "discards"),
    [
        (lambda p: reply_to(p, {}, sequence=p.header.sequence ^ 0x80), Discards(stale=1)),
        (lambda p: reply_to(p, {}, group=0), Discards(stale=1)),
        (lambda p: reply_to(p, {}, command=9), Discards(stale=1)),
        (lambda p: reply_to(p, {}, operation=3), Discards(stale=1)),
        (lambda p: p.pack(), Discards(echoed=1)),
        (lambda _: b"short", Discards(damaged=1)),
        (lambda p: reply_to(p, {}, length=77), Discards(damaged=1)),
    ],
    ids=["sequence", "group", "command", "write reply", "echo", "no header", "length"],
)
def test_what_is_not_the_reply_is_dropped_and_counted_before_it(
    spoiled: Callable[[Packet], bytes], discards: Discards
) -> None:
    client, transport = client_of(lambda p: [(1, spoiled(p)), *good(p)])
    assert client.request(TIME).fields == {"n": 0}
    assert client.discards == discards
    assert len(transport.sent) == 1


def test_a_doubled_reply_does_not_answer_the_next_request() -> None:
    client, _ = client_of(lambda p: good(p) * 2, good, good)
    found = [client.request(TIME).fields["n"] for _ in range(3)]
    assert found == [0, 1, 2]
    assert client.discards == Discards(stale=1)


def test_a_lost_reply_costs_one_repeat_of_the_same_request() -> None:
    client, transport = client_of(silent, silent, good)
    reply = client.request(raw_request(Operation.READ, 64, 1, {"k": 1}))
    assert reply.fields == {"n": 2}
    assert reply.tx_ns == 600 * MS
    assert {sent.payload for sent in transport.sent} == {cbor2.dumps({"k": 1})}


def test_a_reply_that_comes_after_the_repeat_counts_with_the_stamp_of_its_own_request() -> None:
    client, transport = client_of(
        lambda p: [(600 * MS, reply_to(p, {"from": "first"}))],
        lambda p: [(300 * MS, reply_to(p, {"from": "second"}))],
        good,
    )
    reply = client.request(TIME)
    assert reply.fields == {"from": "first"}
    assert (reply.tx_ns, reply.rx_ns) == (0, 600 * MS)
    transport.clock.sleep_ns(300 * MS)  # the second reply is there by now
    assert client.request(TIME).fields == {"n": 2}
    assert client.discards == Discards(stale=1)


def test_after_a_reply_that_came_too_late_the_next_request_is_not_off_by_one() -> None:
    client, _ = client_of(lambda p: [(120 * MS, reply_to(p, {"late": True}))], good, good)
    with pytest.raises(LinkLost):
        client.request(TIME, timeout_ns=100 * MS, tries=1)
    assert client.request(TIME, timeout_ns=100 * MS).fields == {"n": 1}
    assert client.request(TIME, timeout_ns=100 * MS).fields == {"n": 2}


def no_buffer(packet: Packet) -> list[Delayed]:
    return [(1 * MS, reply_to(packet, {"rc": 2}))]


def test_a_board_without_a_buffer_for_its_reply_is_asked_again_after_the_usual_wait() -> None:
    client, transport = client_of(no_buffer, no_buffer, good)
    assert client.request(TIME, timeout_ns=100 * MS).fields == {"n": 2}
    assert [packet.header.sequence for packet in transport.sent] == [0, 1, 2]
    assert transport.clock.now_ns() == 201 * MS


def test_the_reply_to_an_earlier_try_comes_before_that_of_a_board_without_a_buffer() -> None:
    def late(packet: Packet) -> list[Delayed]:
        return [(150 * MS, reply_to(packet, {"n": "first"}))]

    client, transport = client_of(late, no_buffer)
    reply = client.request(TIME, timeout_ns=100 * MS)
    assert reply.fields == {"n": "first"}
    assert (reply.tx_ns, reply.rx_ns) == (0, 150 * MS)
    assert len(transport.sent) == 2


def test_a_board_that_never_has_a_buffer_is_a_device_fault() -> None:
    client, transport = client_of(*[no_buffer] * 6)
    with pytest.raises(DeviceFault, match=r"refused time: no-memory \(2\)"):
        client.request(TIME, timeout_ns=100 * MS)
    assert len(transport.sent) == 6


def test_sequence_numbers_wrap_after_256_requests() -> None:
    client, _ = client_of(*[good] * 300)
    found = [client.request(TIME).fields["n"] for _ in range(300)]
    assert found == [number & 0xFF for number in range(300)]
    assert client.discards == Discards()


@pytest.mark.parametrize(
    "payload",
    [b"\xff", b"\xa1\x61", b"\x5b" + b"\xff" * 8, b"\x81" * 500, b"\x01", b"\xa1\x01\x02", b""],
    ids=["break", "cut", "endless string", "deep", "number", "key is a number", "empty"],
)
def test_damaged_cbor_is_a_lost_reply_and_repeated_at_once(payload: bytes) -> None:
    client, transport = client_of(lambda p: [(1 * MS, reply_to(p, payload))], good)
    assert client.request(TIME).fields == {"n": 1}
    assert client.discards == Discards(damaged=1)
    assert transport.clock.now_ns() == 2 * MS


def test_nothing_at_all_is_said_in_one_sentence_after_a_bounded_time() -> None:
    client, transport = client_of()
    with pytest.raises(LinkLost) as caught:
        client.request(TIME)
    assert str(caught.value) == (
        "no reply from serial:SCRIPT to time: asked 6 times, waited 300 ms each time, heard nothing"
    )
    assert transport.clock.now_ns() == 1800 * MS


def test_a_flood_of_stale_replies_does_not_lengthen_the_wait() -> None:
    def flood(packet: Packet) -> list[Delayed]:
        stale = reply_to(packet, {}, command=200)
        return [(delay_ms * MS, stale) for delay_ms in range(0, 5000, 10)]

    client, transport = client_of(flood)
    with pytest.raises(LinkLost, match="bytes that are no reply"):
        client.request(TIME)
    assert transport.clock.now_ns() <= 1810 * MS


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (lambda p: [(1, p.pack())], "it only sends back what it is sent, so it is no rig"),
        (lambda p: [(1, reply_to(p, b"\xff"))], "its packets hold no CBOR map"),
    ],
    ids=["echo", "damaged"],
)
def test_a_port_that_answers_wrongly_each_time_is_no_rig(
    rule: Callable[[Packet], list[Delayed]], sentence: str
) -> None:
    client, _ = client_of(rule, rule, rule)
    with pytest.raises(ProtocolError, match=f"no reply from serial:SCRIPT to time.*{sentence}"):
        client.request(TIME)


@pytest.mark.parametrize(
    ("asked", "fields", "group", "code", "sentence"),
    [
        (
            raw_request(Operation.WRITE, 64, 4, name="press"),
            {"err": {"group": 64, "rc": 4}},
            64,
            4,
            "the board refused press: too-long (4), longer than the actuator's maximum",
        ),
        (
            raw_request(Operation.READ, 8, 0, name="file"),
            {"err": {"group": 8, "rc": 3, "more": []}},
            8,
            3,
            "the board refused file: not-found (3), the board has no file of that name",
        ),
        (
            TIME,
            {"err": {"group": 70, "rc": 9}},
            70,
            9,
            "the board refused time: code 9 of group 70",
        ),
        (
            TIME,
            {"err": {"group": 64, "rc": 99}},
            64,
            99,
            "the board refused time: code 99 of group 64",
        ),
        (
            TIME,
            {"rc": 8},
            -1,
            8,
            "the board refused time: not-supported (8), the board does not have this command",
        ),
        (TIME, {"rc": 10, "rsn": "x"}, -1, 10, "the board refused time: busy (10)"),
        (TIME, {"rc": 256}, -1, 256, "the board refused time: code 256 of SMP"),
    ],
    ids=["rig", "file", "other group", "unknown code", "v1", "v1 with reason", "v1 unknown"],
)
def test_a_refusal_is_a_device_fault_that_names_its_code(
    asked: Request, fields: object, group: int, code: int, sentence: str
) -> None:
    client, transport = client_of(lambda p: [(1, reply_to(p, fields))])
    with pytest.raises(DeviceFault) as caught:
        client.request(asked)
    assert (caught.value.group, caught.value.code) == (group, code)
    assert str(caught.value) == sentence
    assert len(transport.sent) == 1


def test_an_rc_of_0_is_no_refusal() -> None:
    client, _ = client_of(lambda p: [(1, reply_to(p, {"rc": 0, "t": 5}))])
    assert client.request(TIME).fields["t"] == 5


@pytest.mark.parametrize("fields", [{"err": 5}, {"err": {"rc": "x"}}, {"rc": "x"}])
def test_an_error_of_a_wrong_form_is_a_protocol_error(fields: object) -> None:
    client, _ = client_of(lambda p: [(1, reply_to(p, fields))])
    with pytest.raises(ProtocolError, match=r"the board (refused|answered) time with an"):
        client.request(TIME)


def test_threads_take_turns_and_each_gets_its_own_reply() -> None:
    def echo(packet: Packet) -> list[Delayed]:
        return [(1 * MS, reply_to(packet, cbor2.loads(packet.payload)))]

    client, _ = client_of(*[echo] * 400)
    wrong: list[object] = []

    def ask(thread: int) -> None:
        for number in range(100):
            fields = {"thread": thread, "number": number}
            if client.request(raw_request(Operation.WRITE, 0, 0, fields)).fields != fields:
                wrong.append(fields)

    threads = [threading.Thread(target=ask, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert wrong == []
    assert client.discards == Discards()


def test_closing_the_client_closes_its_transport() -> None:
    client, transport = client_of()
    client.close()
    assert transport.closed == 1
