"""Mad requests to the real firmware on native_sim, over its pseudo-terminal.

Usage: python benchmarks/fuzz_image.py IMAGE [REQUESTS] [SEED]

IMAGE is zephyr.exe as `make firmware SANITIZE=1` builds it. Golden requests in mad order, damaged
ones, any CBOR, any bytes, wrong headers, broken frames and now and then a reset with its permit;
many name the boot and show its nonce, or nothing would be done. After each few the board must still
say who it is. Exits 1 where it does not, where an output is still driven when the lease is over, or
where a sanitizer has something to say.
"""

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import cbor2
import serial

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "rig"))

from raw_request import Packet, packed

from resume_rig.model.channel import Actuator
from resume_rig.rig.commands.actions import PermitRequest
from resume_rig.rig.commands.board import InfoRequest
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.native.wires import ACTUATOR_PINS, Wires
from resume_rig.rig.smp import framing
from resume_rig.rig.smp.client import SmpClient
from resume_rig.rig.smp.packet import Group, Header, Operation, OsCommand
from resume_rig.rig.smp.serial_transport import open_serial
from resume_rig.timing.clocks import SystemClock

MS = 1_000_000
S = 1_000 * MS
BATCH = 3  # a flood is dropped by mcumgr's receiver before anybody looks at it
REPLY_NS = 40 * MS
TRIES = 500  # a reset of the sanitized image takes seconds on a busy machine
LEASE_MARGIN_NS = S
RESETS_IN = 20_000
ROOT = Path(__file__).parents[1]
VECTORS = json.loads((ROOT / "fixtures" / "wire" / "vectors.json").read_text("utf-8"))
GOLDEN = [
    (bytes.fromhex(entry["request"]["hex"]), VECTORS["boards"][entry["board"]])
    for entry in VECTORS["exchanges"]
]
KEYS: tuple[str, ...] = (
    "act",
    "dur",
    "tok",
    "at",
    "force",
    "closed",
    "from",
    "max",
    "base",
    "settle",
    "boot",
    "nonce",
)
KEYS += ("ch", "n", "gap", "cal", "loop", "clear", "", "x")
COMPLAINTS = ("ERROR: AddressSanitizer", "runtime error:", "LeakSanitizer", "ASSERTION FAIL")
# The OS group's echo of nothing: zcbor copies 0 bytes from NULL (Zephyr 3.7's zcbor).
KNOWN = ("zcbor_encode.c", "null pointer passed as argument 2")


@dataclass(slots=True)
class Madness:
    """What is sent; the same again for the same seed."""

    random: random.Random
    boot_id: int = 0
    nonce: int = 0
    sent: int = field(default=0)

    def frame(self) -> bytes:
        """Return the next thing to put on the line."""
        self.sent += 1
        dice = self.random.random()
        if dice < 0.05:
            return self._noise()
        if self.random.randrange(RESETS_IN) == 0:
            return self._reset()
        frame = framing.encode(self._packet(dice))
        if dice > 0.97:
            cut = self.random.randrange(len(frame))
            return frame[:cut] + self._noise()
        return frame

    def _packet(self, dice: float) -> bytes:
        payload = self._payload(dice)
        if dice < 0.12:  # any header
            return self.random.randbytes(8) + payload
        command = self.random.choice([*range(19), self.random.randrange(256)])
        group = self.random.choice([Group.RIG] * 9 + [Group.OS])
        if group is Group.OS and command == OsCommand.RESET:
            command = OsCommand.ECHO
        length = len(payload) if dice < 0.95 else self.random.randrange(1 << 16)
        operation = self.random.choice((Operation.READ, Operation.WRITE))
        header = Header(operation, group, self.random.randrange(256), command, length)
        return packed(header) + payload

    def _reset(self) -> bytes:
        permit = PermitRequest(self.boot_id, self.nonce).encode()
        asked = (
            (Group.RIG, PermitRequest.command, permit),
            (Group.OS, OsCommand.RESET, b"\xa0"),
        )
        return b"".join(
            framing.encode(packed(Header(Operation.WRITE, group, 0, command, len(data))) + data)
            for group, command, data in asked
        )

    def _golden(self) -> bytes:
        """Return a golden request, as the board that is asked would take it."""
        data, board = self.random.choice(GOLDEN)
        for key, told, own in (
            ("boot", board["boot_id"], self.boot_id),
            ("nonce", board["nonce"], self.nonce),
        ):
            data = data.replace(cbor2.dumps({key: told})[1:], cbor2.dumps({key: own})[1:])
        return data

    def _payload(self, dice: float) -> bytes:
        if dice < 0.45:
            return self._golden()
        if dice < 0.6:
            return self._damaged(self._golden())
        if dice < 0.65:
            return self.random.randbytes(self.random.randrange(1, 400))
        return cbor2.dumps(self._map())

    def _map(self) -> dict[str, object]:
        keys = self.random.sample(KEYS, self.random.randrange(7))
        found = {key: self._value(3) for key in keys}
        if "boot" in found and self.random.random() < 0.8:
            found["boot"] = self.boot_id
        if "nonce" in found and self.random.random() < 0.8:
            found["nonce"] = self.nonce
        return found

    def _value(self, depth: int) -> object:
        kind = self.random.randrange(10 if depth else 8)
        if kind < 4:
            return self.random.choice((0, 1, 2, 100, MS, 100 * MS, self.random.getrandbits(64)))
        if kind < 8:
            return self.random.choice((True, False, None, -1, 1.5, "t", b"b" * 40))
        inner = [self._value(depth - 1) for _ in range(self.random.randrange(4))]
        return inner if kind == 8 else dict(zip(KEYS, inner, strict=False))

    def _damaged(self, data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(self.random.randrange(1, 4)):
            at = self.random.randrange(len(changed) + 1)
            changed[at : at + self.random.randrange(3)] = self.random.randbytes(
                self.random.randrange(4)
            )
        return bytes(changed) or b"\0"

    def _noise(self) -> bytes:
        marks = (b"\n", framing.FIRST_MARK, framing.NEXT_MARK, b"\r", b"=", b"AAAA")
        return b"".join(
            self.random.choice((self.random.choice(marks), self.random.randbytes(5)))
            for _ in range(self.random.randrange(1, 40))
        )


@contextmanager
def running(image: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Start the image; yields its terminal and what it has said so far."""
    said = folder / "said"
    words = [str(image), f"--rig-link={folder / 'smp'}", f"--rig-wires={folder / 'wires'}"]
    clock = SystemClock()
    with said.open("wb") as out:
        process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT)
    try:
        while "resume-rig" not in said.read_text("utf-8", "replace"):
            if process.poll() is not None:
                raise SystemExit(f"the image ended: {said.read_text('utf-8', 'replace')}")
            clock.sleep_ns(20 * MS)
        yield str(folder / "smp"), said
        if process.poll() is not None:
            raise SystemExit(f"the image ended: {said.read_text('utf-8', 'replace')[-2000:]}")
    finally:
        process.terminate()
        process.wait(10)


def answers(port: serial.Serial, madness: Madness, clock: SystemClock) -> bool:
    """Whether the board still says who it is, whatever else it has to say first.

    A busy machine answers late, so an answer to any of the tries counts. What it says is what is
    sent from now on.
    """
    decoder = framing.Decoder()
    first = madness.sent
    asked = {first + i & 0xFF for i in range(TRIES)}
    for i in range(TRIES):
        found = _answer(port, first + i & 0xFF, asked, decoder, clock)
        if found is not None:
            madness.boot_id, madness.nonce = found["boot"], found["nonce"]
            return True
    return False


def _answer(
    port: serial.Serial,
    sequence: int,
    asked: set[int],
    decoder: framing.Decoder,
    clock: SystemClock,
) -> dict[str, int] | None:
    header = Header(Operation.READ, Group.RIG, sequence, InfoRequest.command, 1)
    port.write(b"\n" + framing.encode(packed(header) + b"\xa0"))
    end_ns = clock.now_ns() + REPLY_NS
    while clock.now_ns() < end_ns:
        for data in decoder.feed(port.read(port.in_waiting or 1)):
            packet = Packet.unpack(data)
            found = packet.header
            told = (found.group, found.command, found.operation)
            wanted = (Group.RIG, InfoRequest.command, Operation.READ_REPLY)
            if told == wanted and found.sequence in asked:
                fields: dict[str, int] = cbor2.loads(packet.payload)
                if "nonce" in fields:  # a golden one may have been refused
                    return fields
    return None


def storm(terminal: str, madness: Madness, requests: int, clock: SystemClock) -> bool:
    """Send everything; False when the board stopped answering."""
    with serial.Serial(terminal, timeout=0.01, write_timeout=5) as port:
        if not answers(port, madness, clock):
            return False
        while madness.sent < requests:
            for _ in range(BATCH):
                port.write(madness.frame())
            if not answers(port, madness, clock):
                return False
    return True


def still_driven(wires: Wires, actuators: Iterable[Actuator]) -> int:
    """Return the outputs that are driven, bit n for pin n; one that nobody told of counts.

    Args:
        wires: of the image.
        actuators: those that it has; an image without a keyboard tells nothing of its pin.
    """
    driven = outputs = sum(1 << ACTUATOR_PINS[actuator] for actuator in actuators)
    for change in wires.outputs():
        driven = driven & ~change.mask | change.values & change.mask
    return driven & outputs


def main() -> int:
    """Storm, wait for the lease to end, look."""
    if len(sys.argv) < 2:
        raise SystemExit("usage: python benchmarks/fuzz_image.py IMAGE [REQUESTS] [SEED]")
    requests = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().getrandbits(32)
    clock = SystemClock()
    with tempfile.TemporaryDirectory() as place, closing(Wires()) as wires:
        folder = Path(place)
        with running(Path(sys.argv[1]), folder) as (terminal, said):
            rig = SmpRig(SmpClient(open_serial(terminal, clock, "native:"), clock))
            with closing(rig):
                info = rig.info()
            madness, begun_ns = Madness(random.Random(seed)), clock.now_ns()
            answered = storm(terminal, madness, requests, clock)
            seconds = (clock.now_ns() - begun_ns) / S
            clock.sleep_ns(info.lease_ns + LEASE_MARGIN_NS)
            wires.connect(folder / "wires")
            wires.greet()
            clock.sleep_ns(200 * MS)
            driven = still_driven(wires, [each.actuator for each in info.actuators])
            lines = said.read_text("utf-8", "replace").splitlines()
            complaints = [
                line
                for line in lines
                if any(word in line for word in COMPLAINTS)
                and not all(word in line for word in KNOWN)
            ]
    print(
        f"{madness.sent} requests in {seconds:.0f} s, seed {seed}: "
        f"{'answering' if answered else 'NO ANSWER'}, outputs "
        f"{'released' if not driven else f'DRIVEN ({driven:#x})'}, "
        f"{', '.join(complaints[:5]) or 'no sanitizer report'}"
    )
    return 0 if answered and not driven and not complaints else 1


if __name__ == "__main__":
    raise SystemExit(main())
