"""Makes ETL files of events, after the Windows SDK's structures; shares nothing with the reader."""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

KERNEL_POWER = "331c3b3a-2005-44c2-ac5e-77220c37d6b4"
POWER_TROUBLESHOOTER = "cdc05e28-c449-49c6-b9d2-88cf761644df"
HZ = 10_000_000
START = 133_485_408_000_000_000  # FILETIME of 2024-01-01T00:00:00Z
START_TICKS = 77_000_000_000
BUFFER = 65536
PACKED = 0x80


def u8(value: int) -> bytes:
    return struct.pack("<B", value)


def u32(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def pointer(value: int) -> bytes:
    return struct.pack("<Q", value)


def filetime(seconds: float) -> bytes:
    return struct.pack("<Q", START + round(seconds * 10_000_000))


def name(text: str) -> bytes:
    return struct.pack("<H", len(text)) + text.encode("utf-16-le")


@dataclass(frozen=True, slots=True)
class Ev:
    """One event at so many seconds after the start."""

    at_s: float
    event_id: int
    payload: bytes = b""
    provider: str = KERNEL_POWER
    version: int = 0
    stack: bool = False

    def packed(self) -> bytes:
        extended = struct.pack("<HHHHQ", 0, 6, 0, 8, 0xFFFF) if self.stack else b""
        ticks = START_TICKS + round(self.at_s * HZ)
        size = 80 + len(extended) + len(self.payload)
        return (
            struct.pack("<HBBHHIIq", size, 19, 0xC0, 0x41 if self.stack else 0x40, 0, 4, 4, ticks)
            + UUID(self.provider).bytes_le
            + struct.pack("<HBBBBHQQ16s", self.event_id, self.version, 0, 4, 0, 0, 0, 0, bytes(16))
            + extended
            + self.payload
        )


def system(hook: int, at_s: float, payload: bytes) -> bytes:
    ticks = START_TICKS + round(at_s * HZ)
    return struct.pack("<HBBHHIIqII", 2, 2, 0xC0, 32 + len(payload), hook, 0, 0, ticks, 0, 0) + (
        payload
    )


def computer(text: str) -> bytes:
    host = text.encode("utf-16-le").ljust(512, b"\0")
    return system(0x0B0A, 0, u32(2000, 8, 8000, 4096, 65536) + host + bytes(280))


def buffer(events: Iterable[bytes], kind: int = 0, flags: int = 0x20, size: int = BUFFER) -> bytes:
    content = b"".join(event.ljust((len(event) + 7) & ~7, b"\0") for event in events)
    used = 72 + len(content)
    head = struct.pack("<IIIi", size, used, used, 0).ljust(0x30, b"\0")
    head += struct.pack("<IHH16x", used, flags, kind)
    return (head + content).ljust(size, b"\xff")


def logfile(*, lost: int = 0, build: int = 22631, clock: int = 1, size: int = BUFFER) -> bytes:
    head = struct.pack("<IIIIqIIIIIIII", size, 0x0501000A, build, 8, START + 10**9, 156250, 0, 1,
                       2, 1, 8, lost, 1992)  # fmt: skip
    times = struct.pack("<qqqII", START - 10**9, HZ, START, clock, 0)
    return (head + bytes(16 + 172)).ljust(248, b"\0") + times


def etl(
    events: Sequence[Ev],
    *,
    lost: int = 0,
    host: str = "UNIT-7",
    clock: int = 1,
    size: int = BUFFER,
) -> bytes:
    """Return a file; events go in turn to the buffers of two processors."""
    first = buffer([system(0, 0, logfile(lost=lost, clock=clock, size=size))], 4, 0x21, size)
    own = [computer(host), *(event.packed() for event in events[::2])]
    other = [event.packed() for event in events[1::2]]
    return first + buffer(own, size=size) + buffer(other, size=size)


def irp(at_s: float, took_s: float, device: str, key: int, *, of_system: bool = True) -> list[Ev]:
    begin = pointer(key) + u32(0 if of_system else 1) + u8(2) + pointer(9) + name(device)
    return [
        Ev(at_s, 7, begin + u8(1), version=1),
        Ev(at_s + took_s, 8, pointer(key) + u32(0) + b"\0\0"),
    ]


def s3_sleep(at_s: float = 1.0, slow_s: float = 1.25) -> list[Ev]:
    """Return an S3 cycle of 60 s whose USB controller takes `slow_s` to resume."""
    woke = at_s + 60
    return [
        Ev(at_s, 42, u32(4, 4, 4, 0, 3), version=3),
        Ev(at_s + 0.1, 1, u32(0, 0) + filetime(at_s + 0.1)),
        Ev(at_s + 0.2, 22),
        Ev(at_s + 0.2, 16, u32(812) + name("explorer.exe")),
        Ev(at_s + 0.25, 17, u32(812)),
        Ev(at_s + 0.3, 23),
        Ev(at_s + 0.4, 35, u32(0, 4, 4)),
        *irp(at_s + 0.45, 0.2, "PCI\\VEN_8086&DEV_1111", 0x10),
        Ev(at_s + 0.8, 36),
        Ev(woke, 37),
        *irp(woke + 0.01, slow_s, "USB\\ROOT_HUB30", 0x20),
        *irp(woke + 0.02, 0.004, "PCI\\VEN_8086&DEV_1111", 0x30),
        *irp(woke + 0.02, 9.0, "HID\\NEVER", 0x40, of_system=False),
        Ev(woke + slow_s + 0.1, 38, stack=True),
        Ev(woke + slow_s + 0.2, 39, u32(900, 1500, round(slow_s * 1000) + 100, 0, 0, 0, 240)),
        Ev(woke + slow_s + 0.3, 2, u32(0) + filetime(woke + slow_s + 0.3)),
    ]


def account(sleep_s: float, wake_s: float, written_s: float, driver_ms: int = 1350) -> Ev:
    """Return Power-Troubleshooter 1 of that cycle, version 3."""
    values = filetime(sleep_s) + filetime(wake_s)
    values += u32(900, 1500, driver_ms, 240, 0, 0, 0, 4354, 4, 4, 1) + name("Power Button")
    values += struct.pack("<HHI", 0, 0, 0) + u32(0)
    return Ev(written_s, 1, values, provider=POWER_TROUBLESHOOTER, version=3)
