import base64
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.rig.smp import framing
from resume_rig.rig.smp.framing import Decoder, encode

PACKETS = st.binary(min_size=1, max_size=600)
LOG = b"[00:00:03.120,000] <inf> rig: press\r\n"


def crc16_xmodem(data: bytes) -> int:
    """CRC by the book, bit by bit: polynomial 0x1021, start 0, nothing reflected."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def in_pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({min(cut, len(data)) for cut in cuts})
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]


def test_a_short_packet_is_one_line_as_mcumgr_documents_it() -> None:
    packet = b"123456789"
    assert crc16_xmodem(packet) == 0x31C3  # the check value of CRC-16/XMODEM
    body = b"\x00\x0b" + packet + b"\x31\xc3"
    assert encode(packet) == b"\x06\x09" + base64.b64encode(body) + b"\n"


@given(PACKETS)
def test_no_line_is_longer_than_zephyr_takes(packet: bytes) -> None:
    found = list(framing.lines(packet))
    assert all(len(line) <= 127 and line.endswith(b"\n") for line in found)
    assert [line[:2] for line in found] == [b"\x06\x09"] + [b"\x04\x14"] * (len(found) - 1)
    assert b"".join(found) == encode(packet)
    raw = b"".join(base64.b64decode(line[2:-1]) for line in found)
    assert raw == (len(packet) + 2).to_bytes(2, "big") + packet + raw[-2:]
    assert crc16_xmodem(packet) == int.from_bytes(raw[-2:], "big")


@given(st.lists(PACKETS, max_size=4), st.lists(st.integers(0, 3000), max_size=12))
def test_packets_come_back_however_the_stream_is_cut(packets: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(map(encode, packets))
    decoder = Decoder()
    found = [packet for piece in in_pieces(stream, cuts) for packet in decoder.feed(piece)]
    assert found == packets
    assert decoder.damaged == 0


@given(st.lists(st.binary(max_size=300), max_size=8), PACKETS)
def test_any_bytes_never_raise_and_never_cost_the_next_packet(
    noise: list[bytes], packet: bytes
) -> None:
    decoder = Decoder()
    for piece in noise:
        decoder.feed(piece)
    assert decoder.feed(encode(packet))[-1:] == [packet]


# Pieces of real lines in any order are far closer to a frame than random bytes are.
SHARDS = st.sampled_from(
    [b"\x06\x09", b"\x04\x14", b"AAsx", b"MjM0", b"==", b"\n", b"\r\n", b"\x06", LOG, b"AAA="]
)


@given(st.lists(SHARDS, max_size=40), PACKETS)
def test_pieces_of_frames_never_raise_and_never_cost_the_next_packet(
    shards: list[bytes], packet: bytes
) -> None:
    decoder = Decoder()
    for shard in shards:
        decoder.feed(shard)
    assert decoder.feed(encode(packet))[-1:] == [packet]


@pytest.mark.parametrize("packet", [b"short", bytes(range(256)) * 2], ids=["one line", "many"])
def test_log_lines_between_the_lines_of_a_packet_do_no_harm(packet: bytes) -> None:
    stream = LOG + LOG.join(framing.lines(packet)) + LOG
    assert Decoder().feed(stream) == [packet]


def test_log_text_before_a_mark_on_the_same_line_does_no_harm() -> None:
    assert Decoder().feed(b"uart:~$ " + encode(b"reply")) == [b"reply"]


def test_carriage_returns_before_the_line_feeds_do_no_harm() -> None:
    packet = bytes(300)
    assert Decoder().feed(encode(packet).replace(b"\n", b"\r\n")) == [packet]


FRAME = encode(b"reply")
LONG = bytes(range(256))
FIRST, *REST = framing.lines(LONG)


@pytest.mark.parametrize(
    "damaged",
    [
        FRAME[:8] + bytes([FRAME[8] ^ 1]) + FRAME[9:],
        FRAME[:9],
        FRAME.replace(b"\n", b"[log]\n"),
        b"".join([FIRST, *REST[:-1]]),
        b"".join(REST),
        b"".join([FIRST, FIRST[:50]]),
        b"".join([FIRST, *REST[::-1]]),
        b"".join([FIRST, REST[0], *REST]),
        b"\x06\x09\n",
        b"\x06\x09AAA=\n",
        b"\x06\x09AAAA\n",
        b"\x06\x09AAIAAA==\n",
        b"\x04\x14\n",
        b"\x06\x09" + base64.b64encode(b"\x00\x05" + base64.b64decode(FRAME[2:])[2:]) + b"\n",
    ],
    ids=[
        "wrong CRC",
        "half a frame",
        "text inside",
        "last line lost",
        "first line lost",
        "first line twice, cut",
        "lines out of order",
        "a line doubled",
        "empty",
        "no room for a length",
        "length 0",
        "a CRC of nothing",
        "empty continuation",
        "longer than it says",
    ],
)
def test_a_damaged_packet_is_dropped_counted_and_costs_no_other(damaged: bytes) -> None:
    decoder = Decoder()
    assert decoder.feed(damaged) == []
    assert decoder.feed(encode(b"next")) == [b"next"]
    assert decoder.feed(encode(LONG)) == [LONG]
    unseen = damaged == FRAME[:9]  # cut before the line feed, so never a line
    assert (decoder.damaged == 0) == unseen


@pytest.mark.parametrize(
    ("start", "chunk"),
    [
        (b"", b"no line feed "),
        (b"", b"\x06\x09AAAA"),
        (b"\x06\x09", b"A" * 4000),
        (b"", b"\x04\x14"),
        (b"", bytes(999)),
        (b"\x06\x09//9BQUFB\n", b"\x04\x14" + b"A" * 120 + b"\n"),
    ],
    ids=["text", "marks", "a frame without end", "continuations", "zeros", "a packet without end"],
)
def test_endless_lines_are_bounded_in_memory(start: bytes, chunk: bytes) -> None:
    decoder = Decoder()
    decoder.feed(start)
    tracemalloc.start()
    try:
        for _ in range(3_000_000 // len(chunk) // 20):
            assert decoder.feed(chunk * 20) == []
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 1_000_000
    assert decoder.feed(encode(b"next")) == [b"next"]


@pytest.mark.parametrize("length", [0, 65534])
def test_a_packet_that_cannot_be_framed_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="allowed are 1 to 65533"):
        encode(bytes(length))


def test_the_longest_packet_passes() -> None:
    packet = bytes(65533)
    assert Decoder().feed(encode(packet)) == [packet]
