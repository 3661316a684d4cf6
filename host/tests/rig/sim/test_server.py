"""The simulated board's SMP: conversations [(request, reply), ...] in raw packets."""

from typing import Any

import cbor2
import pytest
from raw_request import packed

from resume_rig import __version__
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.sim.bench import BUFFER_BYTES, SimulatedBench
from resume_rig.rig.smp.packet import HEADER, Header
from resume_rig.timing.clocks import VirtualClock

READ, WRITE = 0, 2
LOG = "/dut/System.xml"


@pytest.fixture
def bench() -> SimulatedBench:
    return SimulatedBench(load_dut_profile("healthy-laptop"), VirtualClock(), 1)


def packet(
    operation: int,
    group: int,
    command: int,
    request: object,
    *,
    sequence: int = 9,
    version: int = 1,
) -> bytes:
    payload = request if isinstance(request, bytes) else cbor2.dumps(request)
    header = Header(operation, group, sequence, command, len(payload), version)
    return packed(header) + payload


def body(reply: bytes | None) -> Any:
    assert reply is not None
    return cbor2.loads(reply[HEADER.size :])


NOT_SUPPORTED = {"rc": 8}
INVALID = {"rc": 3}
CONVERSATIONS: list[Any] = [
    pytest.param((WRITE, 0, 0, {"d": "hello"}), {"r": "hello"}, id="echo"),
    pytest.param((READ, 0, 0, {"d": "hello"}), {"r": "hello"}, id="echo as read"),
    pytest.param((WRITE, 0, 0, {"d": 7}), INVALID, id="echo of a number"),
    pytest.param((WRITE, 0, 0, {}), INVALID, id="echo of nothing"),
    pytest.param(
        (READ, 0, 6, {}), {"buf_size": BUFFER_BYTES, "buf_count": 4}, id="buffer parameters"
    ),
    pytest.param((READ, 0, 6, b""), {"buf_size": BUFFER_BYTES, "buf_count": 4}, id="no payload"),
    pytest.param(
        (READ, 0, 7, {}), {"output": f"resume-rig simulated bench {__version__}"}, id="info"
    ),
    pytest.param((WRITE, 0, 5, {}), {"err": {"group": 64, "rc": 23}}, id="reset without a permit"),
    pytest.param((READ, 0, 5, {}), NOT_SUPPORTED, id="reset as read"),
    pytest.param((READ, 0, 99, {}), NOT_SUPPORTED, id="unknown OS command"),
    pytest.param((READ, 1, 0, {}), NOT_SUPPORTED, id="image group"),
    pytest.param((READ, 63, 0, {}), NOT_SUPPORTED, id="unknown group"),
    pytest.param((READ, 64, 99, {}), NOT_SUPPORTED, id="unknown rig command"),
    pytest.param((WRITE, 64, 0, {}), NOT_SUPPORTED, id="rig info as write"),
    pytest.param(
        (READ, 64, 2, {}), {"err": {"group": 64, "rc": 2}}, id="rig request without its key"
    ),
    pytest.param((READ, 0, 6, b"\xff\x00"), INVALID, id="not CBOR"),
    pytest.param((READ, 0, 6, b"\xa1\x61"), INVALID, id="cut CBOR"),
    pytest.param((READ, 0, 6, [1, 2]), INVALID, id="not a map"),
    pytest.param((READ, 0, 6, b"\x81" * 500), INVALID, id="nested without end"),
    pytest.param((WRITE, 8, 0, {"name": LOG, "off": 0}), NOT_SUPPORTED, id="upload"),
    pytest.param((READ, 8, 2, {"name": LOG}), NOT_SUPPORTED, id="hash"),
    pytest.param((READ, 8, 0, {"off": 0}), INVALID, id="no name"),
    pytest.param((READ, 8, 0, {"name": 5}), INVALID, id="name is a number"),
    pytest.param(
        (READ, 8, 0, {"name": "/etc/passwd"}), {"err": {"group": 8, "rc": 3}}, id="no such file"
    ),
    pytest.param((READ, 8, 0, {"name": LOG, "off": -1}), INVALID, id="negative offset"),
    pytest.param((READ, 8, 0, {"name": LOG, "off": True}), INVALID, id="offset is a flag"),
    pytest.param(
        (READ, 8, 0, {"name": LOG, "off": 2**40}), {"err": {"group": 8, "rc": 12}}, id="behind"
    ),
]


@pytest.mark.parametrize(("asked", "reply"), CONVERSATIONS)
def test_a_request_gets_its_answer(
    bench: SimulatedBench, asked: tuple[int, int, int, object], reply: object
) -> None:
    assert body(bench.handle(packet(*asked))) == reply


def test_a_reply_is_addressed_as_its_request(bench: SimulatedBench) -> None:
    reply = bench.handle(packet(WRITE, 0, 0, {"d": "x"}, sequence=77))
    assert reply is not None
    header = Header.unpack(reply)
    assert (header.operation, header.group, header.sequence, header.command) == (3, 0, 77, 0)
    assert header.length == len(reply) - HEADER.size
    assert header.version == 1


def test_smp_version_1_is_answered_in_kind(bench: SimulatedBench) -> None:
    reply = bench.handle(packet(READ, 0, 6, {}, version=0))
    assert reply is not None
    assert Header.unpack(reply).version == 0


@pytest.mark.parametrize("operation", [1, 3, 4, 7], ids=["read reply", "write reply", "4", "7"])
def test_what_is_no_request_is_not_answered(bench: SimulatedBench, operation: int) -> None:
    assert bench.handle(packet(operation, 0, 0, {"d": "x"})) is None


@pytest.mark.parametrize("length", range(HEADER.size))
def test_what_is_too_short_for_a_header_is_dropped(bench: SimulatedBench, length: int) -> None:
    assert bench.handle(packet(READ, 0, 6, {})[:length]) is None


def test_a_packet_shorter_than_it_says_is_corrupt(bench: SimulatedBench) -> None:
    assert body(bench.handle(packet(WRITE, 0, 0, {"d": "hello"})[:-2])) == {"rc": 9}


def test_a_packet_longer_than_the_buffer_is_corrupt(bench: SimulatedBench) -> None:
    assert body(bench.handle(packet(WRITE, 0, 0, {"d": "x" * BUFFER_BYTES}))) == {"rc": 9}


def test_requests_behind_one_another_are_answered_one_by_one(bench: SimulatedBench) -> None:
    both = packet(WRITE, 0, 0, {"d": "a"}, sequence=1) + packet(WRITE, 0, 0, {"d": "b"}, sequence=2)
    replies = bench.answers(both)
    assert [Header.unpack(reply).sequence for reply in replies] == [1, 2]
    assert [body(reply) for reply in replies] == [{"r": "a"}, {"r": "b"}]
    assert bench.handle(both) == b"".join(replies)


def test_every_chunk_of_the_log_fits_the_buffer(bench: SimulatedBench) -> None:
    content = b""
    while True:
        reply = bench.handle(packet(READ, 8, 0, {"name": LOG, "off": len(content)}))
        assert reply is not None
        assert len(reply) <= BUFFER_BYTES
        fields = body(reply)
        assert fields["off"] == len(content)
        if not fields["data"]:
            break
        content += fields["data"]
    assert (
        len(content)
        == fields["len"]
        == body(bench.handle(packet(READ, 8, 1, {"name": LOG})))["len"]
    )
