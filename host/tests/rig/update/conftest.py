"""A board with two slots and a bootloader of a few lines, behind an in-process transport."""

import hashlib
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

import cbor2
import pytest
from raw_request import Packet

from resume_rig.model.errors import LinkLost
from resume_rig.rig.sim.opening import InProcessTransport
from resume_rig.rig.smp.client import Arrival
from resume_rig.rig.smp.packet import Group, Header, ImageCommand, OsCommand
from resume_rig.rig.update.image import parse_image
from resume_rig.timing.clocks import VirtualClock

OLD_BOOT = 1000
BUFFER_BYTES = 512


def make_image(
    version: tuple[int, int, int, int] = (1, 2, 3, 0),
    board: bytes | None = b"rig",
    program: bytes = bytes(range(256)) * 12,
    signature: int | None = 0x22,
    digest: bytes | None = None,
) -> bytes:
    """Return an image as imgtool makes it, with a signature of zeros."""
    protected = b""
    if board is not None:
        entry = struct.pack("<HH", 0xA0, len(board)) + board
        protected = struct.pack("<HH", 0x6908, 4 + len(entry)) + entry
    head = struct.pack(
        "<IIHHIIBBHI4x", 0x96F3B83D, 0, 32, len(protected), len(program), 0, *version
    )
    hashed = head + program + protected
    entries = struct.pack("<HH", 0x10, 32) + (digest or hashlib.sha256(hashed).digest())
    if signature is not None:
        entries += struct.pack("<HH", signature, 64) + bytes(64)
    return hashed + struct.pack("<HH", 0x6907, 4 + len(entries)) + entries


INFO: dict[str, object] = {
    "proto": 2,
    "nonce": 99,
    "fw": "0.1.0",
    "board": "rig",
    "clk": "xtal",
    "hz": 1_000_000,
    "tol": 30_000,
    "lease": 60_000_000_000,
    "ch": [["PWR_OK", 1000, 50, 500]],
    "act": [["BUTTON", 1_000_000_000]],
    "ering": 512,
    "lring": 0,
}


@dataclass
class Board:
    """What a board with MCUboot does, as far as the host sees it; tests make it misbehave.

    Attributes:
        cut_at: offsets of an upload at which the link is lost, each once.
        damages: flips a bit of what is uploaded.
        slot_bytes: size of each slot.
        comes_back: answers after its reset.
        accepts: the bootloader accepts the other image's signature.
        starts_rig: the new image's rig starts.
        proof_refusals: how often confirming is refused before the image has proved itself.
        takes_back: instead of proving itself the image resets, and the one before runs again.
        has_images: it has the image group at all.
        protocol: of its rig group; 1 asks for no permit.
        permits: that were asked for and taken.
        reboots_at: an offset of an upload at which it starts anew, once, with its port open.
    """

    clock: VirtualClock
    slots: list[bytes | None] = field(default_factory=lambda: [make_image((1, 0, 0, 0)), None])
    confirmed: bool = True
    pending: bool = False
    boot_id: int = OLD_BOOT
    cut_at: list[int] = field(default_factory=list)
    damages: bool = False
    slot_bytes: int = 1 << 20
    comes_back: bool = True
    accepts: bool = True
    starts_rig: bool = True
    proof_refusals: int = 0
    takes_back: bool = False
    has_images: bool = True
    protocol: int = 2
    permits: int = 0
    reboots_at: int | None = None
    _permitted: bool = False
    uploaded: bytearray = field(default_factory=bytearray)
    chunk_offsets: list[int] = field(default_factory=list)
    _expected: tuple[int, bytes] = (0, b"")
    _gone: bool = False
    _opened: int = 0

    def open_port(self) -> "Port":
        if self._gone:
            raise LinkLost("could not open serial port: no such port")
        self._opened += 1
        return Port(self)

    def handle(self, data: bytes) -> bytes | None:
        packet = Packet.unpack(data)
        header, fields = packet.header, cbor2.loads(packet.payload)
        reply: dict[str, object]
        match Group(header.group), header.command:
            case _ if not self._may(header):
                reply = {"err": {"group": 64, "rc": 23}}
            case Group.OS, OsCommand.BUFFERS:
                reply = {"buf_size": BUFFER_BYTES, "buf_count": 4}
            case Group.OS, OsCommand.RESET:
                self._reset()
                reply = {}
            case Group.IMAGE, ImageCommand.STATE if self.has_images:
                reply = self._state(fields) if header.operation == 2 else self._listed()
            case Group.IMAGE, ImageCommand.UPLOAD:
                reply = self._upload(fields)
            case Group.RIG, 0 if self.has_rig:
                reply = {**INFO, "boot": self.boot_id, "proto": self.protocol}
            case Group.RIG, 1 if self.has_rig:
                reply = {"boot": self.boot_id, "rx": 1, "tx": 1}
            case Group.RIG, 18 if self.has_rig:
                reply = self._permit(fields)
            case _:
                reply = {"rc": 8}
        encoded = cbor2.dumps(reply)
        answer = Header(
            header.operation + 1, header.group, header.sequence, header.command, len(encoded)
        )
        return Packet(answer, encoded).pack()

    @property
    def has_rig(self) -> bool:
        return self.starts_rig or self.boot_id == OLD_BOOT

    def _may(self, header: Header) -> bool:
        """One permit for one command, of a rig that speaks of permits."""
        write = header.group == Group.IMAGE and header.operation == 2
        guarded = write or (header.group, header.command) == (Group.OS, OsCommand.RESET)
        if not guarded or not self.has_rig or self.protocol == 1:
            return True
        permitted, self._permitted = self._permitted, False
        self.permits += permitted
        return permitted

    def _permit(self, fields: dict[str, object]) -> dict[str, object]:
        if self.protocol == 1:
            return {"rc": 8}
        if fields["boot"] != self.boot_id:
            return {"err": {"group": 64, "rc": 12}}
        if fields["nonce"] != INFO["nonce"]:
            return {"err": {"group": 64, "rc": 23}}
        self._permitted = True
        return {"boot": self.boot_id, "until": 5}

    def _listed(self) -> dict[str, object]:
        images = []
        for number, data in enumerate(self.slots):
            if data is None:
                continue
            found = parse_image(data, "slot")
            images.append(
                {
                    "slot": number,
                    "version": found.version,
                    "hash": found.hash,
                    "bootable": True,
                    "active": number == 0,
                    "confirmed": number == 0 and self.confirmed,
                    "pending": number == 1 and self.pending,
                    "permanent": False,
                }
            )
        return {"images": images, "splitStatus": 0}

    def _state(self, fields: dict[str, object]) -> dict[str, object]:
        if fields.get("confirm"):
            if self.proof_refusals > 0:
                self.proof_refusals -= 1
                if self.takes_back and self.proof_refusals == 0:
                    self.slots.reverse()
                    self.boot_id += 1
                return {"rc": 6}
            self.confirmed = True
        else:
            other = self.slots[1]
            if other is None or parse_image(other, "slot").hash != fields["hash"]:
                return {"err": {"group": 1, "rc": 3}}
            self.pending = True
        return self._listed()

    def _upload(self, fields: dict[str, object]) -> dict[str, object]:
        offset, data = fields["off"], fields["data"]
        assert isinstance(offset, int)
        assert isinstance(data, bytes)
        if offset == 0:
            size, sha = fields["len"], fields["sha"]
            assert isinstance(size, int)
            assert isinstance(sha, bytes)
            if size > self.slot_bytes:
                return {"err": {"group": 1, "rc": 30}}
            if (size, sha) != self._expected:
                self._expected, self.uploaded = (size, sha), bytearray()
        self.chunk_offsets.append(offset)
        if self.reboots_at is not None and offset >= self.reboots_at:
            self.reboots_at = None
            self.boot_id += 1
        if offset == len(self.uploaded):
            self.uploaded += data
        if len(self.uploaded) == self._expected[0]:
            if self.damages:
                self.uploaded[40] ^= 1
            right = hashlib.sha256(self.uploaded).digest() == self._expected[1]
            self.slots[1] = bytes(self.uploaded) if right else None
            return {"off": len(self.uploaded), "match": right}
        return {"off": len(self.uploaded)}

    def _reset(self) -> None:
        self.boot_id += 1
        self._gone = not self.comes_back
        if self.pending and self.accepts:
            self.slots.reverse()
            self.confirmed = False
        elif self.pending:
            self.slots[1] = None
        self.pending = False


class Port(InProcessTransport):
    """One opening of the board's port; lost where the test says so."""

    def __init__(self, board: Board) -> None:
        super().__init__(board.handle, board.clock, "serial:board", 1000)
        self._board = board
        self._dead = False
        self._uploads = False

    def send(self, packet: bytes) -> int:
        if self._dead or self._board._gone:
            raise LinkLost("lost serial:board: the port is gone")
        header = Header.unpack(packet)
        self._uploads = (header.group, header.command) == (Group.IMAGE, ImageCommand.UPLOAD)
        return super().send(packet)

    def receive(self, timeout_ns: int) -> Arrival | None:
        arrival = super().receive(timeout_ns)
        cut_at = self._board.cut_at
        if self._uploads and cut_at and len(self._board.uploaded) > cut_at[0]:
            cut_at.pop(0)
            self._dead = True
            raise LinkLost("lost serial:board: the port is gone")
        return arrival


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def board(clock: VirtualClock) -> Board:
    return Board(clock)


@pytest.fixture(scope="session")
def make_bytes() -> Callable[..., bytes]:
    """`make_image`, for test files, which cannot import this one."""
    return make_image
