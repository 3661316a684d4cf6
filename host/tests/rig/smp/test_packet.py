import pytest
from hypothesis import given
from hypothesis import strategies as st
from raw_request import packed

from resume_rig.rig.smp.packet import Header, Operation, request_packet

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
    assert Header.unpack(packed(header)) == header


@given(st.binary(max_size=40))
def test_any_bytes_have_a_header_or_are_a_value_error(data: bytes) -> None:
    try:
        header = Header.unpack(data)
    except ValueError:
        assert len(data) < 8
    else:
        assert header.length == int.from_bytes(data[2:4], "big")


def test_a_payload_above_64_kib_is_refused() -> None:
    with pytest.raises(ValueError, match="65535"):
        request_packet(Operation.READ, 0, 0, 0, bytes(65536))
