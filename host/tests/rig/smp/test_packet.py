import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.rig.smp.packet import Header, Operation, Packet, request_packet

HEADERS = st.builds(
    Header,
    operation=st.integers(0, 7),
    group=st.integers(0, 0xFFFF),
    sequence=st.integers(0, 0xFF),
    command=st.integers(0, 0xFF),
    length=st.integers(0, 0xFFFF),
    version=st.integers(0, 3),
    flags=st.integers(0, 0xFF),
)


def test_a_header_has_the_bytes_that_mcumgr_documents() -> None:
    packet = request_packet(Operation.WRITE, group=64, command=4, sequence=0x7F, payload=b"\xa0")
    # version 2 (1 << 3) and write (2), flags, length, group, sequence, command
    assert packet == bytes.fromhex("0a 00 0001 0040 7f 04 a0")


@given(HEADERS)
def test_a_header_survives_its_bytes(header: Header) -> None:
    assert Header.unpack(header.pack()) == header


@given(st.binary(max_size=40))
def test_any_bytes_are_a_packet_or_a_value_error(data: bytes) -> None:
    try:
        packet = Packet.unpack(data)
    except ValueError:
        assert len(data) < 8 or int.from_bytes(data[2:4], "big") != len(data) - 8
    else:
        assert len(packet.payload) == packet.header.length == len(data) - 8


@pytest.mark.parametrize(
    "header",
    [
        Header(operation=8, group=0, sequence=0, command=0, length=0),
        Header(operation=0, group=65536, sequence=0, command=0, length=0),
        Header(operation=0, group=0, sequence=256, command=0, length=0),
        Header(operation=0, group=0, sequence=0, command=-1, length=0),
        Header(operation=0, group=0, sequence=0, command=0, length=0, version=4),
    ],
    ids=["operation", "group", "sequence", "command", "version"],
)
def test_a_field_out_of_range_is_refused_when_packed(header: Header) -> None:
    with pytest.raises(ValueError, match="SMP"):
        header.pack()


def test_a_payload_above_64_kib_is_refused() -> None:
    with pytest.raises(ValueError, match="65535"):
        request_packet(Operation.READ, 0, 0, 0, bytes(65536))
