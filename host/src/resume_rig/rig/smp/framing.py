"""SMP packets on a serial line, as mcumgr frames them; no I/O.

A packet becomes lines of at most 127 bytes: a two byte mark, base64, a line feed. Before base64
the packet gets its length (2 bytes, the CRC included) in front and a CRC-16 behind. Zephyr's
receiver (CONFIG_UART_MCUMGR_RX_BUF_SIZE, 128) drops longer lines. Both sides use this module: the
host's transport and the simulated board's server.
"""

import binascii
import struct
from collections.abc import Iterator
from typing import Final

FIRST_MARK: Final = b"\x06\x09"
NEXT_MARK: Final = b"\x04\x14"

MAX_LINE_BYTES: Final = 127
"""MCUMGR_SERIAL_MAX_FRAME: mark, base64 and line feed together."""

_RAW_PER_LINE: Final = (MAX_LINE_BYTES - 3) // 4 * 3
_LENGTH: Final = struct.Struct(">H")
_CRC: Final = struct.Struct(">H")
MAX_PACKET_BYTES: Final = 0xFFFF - _CRC.size  # the length has two bytes and counts the CRC

# Longer than any sender's line, short enough to bound what noise can make us keep.
_MAX_PENDING_BYTES: Final = 8192


def lines(packet: bytes) -> Iterator[bytes]:
    """Yield the lines that carry `packet`, each with its line feed.

    Raises:
        ValueError: the packet is empty or longer than 65533 bytes.
    """
    if not 1 <= len(packet) <= MAX_PACKET_BYTES:
        raise ValueError(
            f"a packet of {len(packet)} bytes cannot be framed; allowed are 1 to {MAX_PACKET_BYTES}"
        )
    # crc_hqx is CRC-16/XMODEM: polynomial 0x1021, start 0, as crc16_itu_t(0, ...) in Zephyr.
    crc = _CRC.pack(binascii.crc_hqx(packet, 0))
    raw = _LENGTH.pack(len(packet) + len(crc)) + packet + crc
    mark = FIRST_MARK
    for start in range(0, len(raw), _RAW_PER_LINE):
        yield mark + binascii.b2a_base64(raw[start : start + _RAW_PER_LINE])
        mark = NEXT_MARK


def encode(packet: bytes) -> bytes:
    """Return all lines of `packet` joined.

    Raises:
        ValueError: the packet is empty or longer than 65533 bytes.
    """
    return b"".join(lines(packet))


class Decoder:
    """Finds packets in a byte stream that may hold anything else as well.

    Noise, log text, cut lines and wrong checksums cost the packet that they damage and nothing
    else. What is kept between calls is bounded by 8 KiB of line and 64 KiB of packet.

    Attributes:
        damaged: frames and packets dropped so far, because of base64, length, order or CRC.
    """

    def __init__(self) -> None:
        self.damaged = 0
        self._line = b""
        self._packet: bytearray | None = None
        self._expected_bytes = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Take what arrived and return the packets that it completes, oldest first."""
        packets: list[bytes] = []
        *complete, self._line = (self._line + data).split(b"\n")
        for line in complete:
            packet = self._take_line(line)
            if packet is not None:
                packets.append(packet)
        self._bound_pending()
        return packets

    def _bound_pending(self) -> None:
        """Keep of an unfinished line only what may still become a frame."""
        start = _mark_position(self._line)
        if start < 0:
            self._line = self._line[-1:]  # perhaps the first half of a mark
        elif len(self._line) - start > _MAX_PENDING_BYTES:
            self.damaged += 1
            self._line = self._line[-1:]
        else:
            self._line = self._line[start:]

    def _take_line(self, line: bytes) -> bytes | None:
        """Add one line to the packet under way and return the packet when that ends it."""
        start = _mark_position(line)
        if start < 0:
            return None
        is_first = line.startswith(FIRST_MARK, start)
        if is_first:
            if self._packet is not None:
                self._drop()  # the one before never ended
            self._packet, self._expected_bytes = bytearray(), 0
        try:
            raw = binascii.a2b_base64(line[start + 2 :].rstrip(b"\r"), strict_mode=True)
        except binascii.Error:
            raw = b""
        if self._packet is None or len(raw) < (_LENGTH.size if is_first else 1):
            self._drop()
            return None
        if is_first:
            (self._expected_bytes,) = _LENGTH.unpack_from(raw)
            raw = raw[_LENGTH.size :]
        self._packet += raw
        if len(self._packet) < self._expected_bytes:
            return None
        return self._finish(bytes(self._packet))

    def _finish(self, whole: bytes) -> bytes | None:
        """Return the packet without its CRC if length and CRC are right."""
        # The CRC of data followed by its own CRC is 0.
        if (
            len(whole) != self._expected_bytes
            or len(whole) <= _CRC.size
            or binascii.crc_hqx(whole, 0) != 0
        ):
            self._drop()
            return None
        self._packet = None
        return whole[: -_CRC.size]

    def _drop(self) -> None:
        self.damaged += 1
        self._packet = None


def _mark_position(line: bytes) -> int:
    """Return where the last mark of a line starts, -1 without one.

    Neither mark's bytes occur in base64, so whatever stands before the last mark is noise, or a
    frame that was cut short.
    """
    return max(line.rfind(FIRST_MARK), line.rfind(NEXT_MARK))
