"""Reads sigrok sessions (.sr): a ZIP archive of metadata and raw samples of all lines.

Each sample is `unitsize` bytes, bit n of it the line probe(n+1); they stand in one file "logic-1",
or in "logic-1-1", "logic-1-2" and so on. Format: https://sigrok.org/wiki/File_format:Sigrok/v2.
Samples are read in blocks and only changes are kept, so that an idle line costs no memory, however
well it was packed. Nothing is ever extracted: entries are opened by the names that belong here.
"""

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import IO, Final
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError
from resume_rig.model.units import NS_PER_S
from resume_rig.rig.capture.gathering import TIME_MAX_NS, Capture, Gathering
from resume_rig.rig.capture.sampling import StatedRate, rate_of
from resume_rig.rig.capture.signals import Signal, choose_taps

MAGIC: Final = b"PK\x03\x04"

_METADATA_MAX: Final = 1 << 20
_BLOCK_BYTES: Final = 1 << 22
_PART: Final = 1 << 18
# Times a block's samples it is still safe in 64 bits.
_FACTOR_MAX: Final = 1 << 40
# An hour of 16 lines at 9 MHz; unpacking as much takes minutes.
_BYTES_MAX: Final = 1 << 36
_UNIT_MAX: Final = 128  # bytes; more lines than any analyser has
_UNIT: Final = re.compile(r"[0-9]{1,6}")
_PROBE: Final = re.compile(r"probe([1-9][0-9]{0,3})")


@dataclass(frozen=True, slots=True)
class _Session:
    """What the metadata state of the samples.

    Attributes:
        file: name of the samples' file, or the beginning of the names of several.
        unit_bytes: of one sample.
        rate_hz: samples a second.
        probes: names of the lines, by their bit.
    """

    file: str
    unit_bytes: int
    rate_hz: Fraction
    probes: Mapping[int, str]

    def time_ns(self, sample: int) -> int:
        """Return when a sample was taken, to the nearest ns."""
        return round(sample * NS_PER_S / self.rate_hz)

    def times_ns(self, first: int, samples: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return when samples of a block were taken; they count from sample `first`."""
        step_ns = NS_PER_S / self.rate_hz
        scale, divisor = step_ns.numerator, step_ns.denominator
        if max(scale, divisor) > _FACTOR_MAX:
            times = [self.time_ns(first + sample) for sample in samples.tolist()]
            return np.array(times, np.int64)
        begin_ns, rest = divmod(first * scale, divisor)
        quotient, rests = np.divmod(samples * scale + rest, divisor)
        up = (2 * rests > divisor) | ((2 * rests == divisor) & (quotient + begin_ns & 1 == 1))
        found: NDArray[np.int64] = begin_ns + quotient + up
        return found


def read_sigrok(
    file: IO[bytes], channel_map: Mapping[Channel, tuple[str, bool]], what: str
) -> Capture:
    """Return the edges of a sigrok session.

    Args:
        file: from its first byte.
        channel_map: as in `read_capture`.
        what: the beginning of a sentence, for errors.

    Raises:
        RecordError: it is no sigrok session, is damaged, or holds more than 64 GiB of samples.
        UsageError: the channel map does not fit.
    """
    try:
        with ZipFile(file) as archive:
            session = _session(archive, what)
            entries = _entries(archive, session, what)
            signals = [Signal(name, str(bit)) for bit, name in session.probes.items()]
            gathering = Gathering(choose_taps(signals, channel_map, what), what)
            blocks = _blocks(archive, entries, session, what)
            _gather(blocks, session, gathering, what)
    except (BadZipFile, EOFError, zlib.error) as error:
        raise RecordError(f"{what}: the ZIP archive is damaged ({str(error)[:120]}).") from error
    except (RuntimeError, NotImplementedError) as error:  # encrypted, or packed otherwise
        raise RecordError(f"{what}: its entries cannot be opened ({str(error)[:120]}).") from error
    stated = StatedRate(session.rate_hz, "the session's metadata")
    return gathering.finish(-(-NS_PER_S // session.rate_hz), stated)


def _session(archive: ZipFile, what: str) -> _Session:
    names = set(archive.namelist())
    if "metadata" not in names:
        raise RecordError(
            f"{what}: it is a ZIP archive without sigrok's metadata; allowed are sigrok sessions."
        )
    with archive.open("metadata") as entry:
        text = entry.read(_METADATA_MAX + 1)
    if len(text) > _METADATA_MAX:
        raise RecordError(f"{what}: its metadata are longer than 1 MiB.")
    devices = [
        section
        for name, section in _sections(text.decode("utf-8", "replace"))
        if name.startswith("device ") and "capturefile" in section
    ]
    if len(devices) != 1:
        raise RecordError(
            f"{what}: it holds logic samples of {len(devices)} devices, allowed are those of 1."
        )
    return _device(devices[0], what)


def _sections(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the sections of sigrok's metadata with their keys."""
    name, section = "", dict[str, str]()
    for line in map(str.strip, (*text.splitlines(), "[]")):
        if line.startswith("[") and line.endswith("]"):
            yield name, section
            name, section = line[1:-1], {}
        elif "=" in line:
            key, _, value = line.partition("=")
            section[key.strip()] = value.strip()


def _device(section: Mapping[str, str], what: str) -> _Session:
    rate_hz = rate_of(section.get("samplerate", ""))
    if rate_hz is None:
        raise RecordError(
            f"{what}: its metadata give the sample rate {section.get('samplerate', '')[:40]!r},"
            " allowed is one such as 1 MHz."
        )
    unit = section.get("unitsize", "")
    if _UNIT.fullmatch(unit) is None or not 1 <= int(unit) <= _UNIT_MAX:
        raise RecordError(
            f"{what}: its metadata give the unit size {unit[:40]!r}, allowed are 1 to {_UNIT_MAX}."
        )
    probes = {
        int(match[1]) - 1: name
        for key, name in section.items()
        if (match := _PROBE.fullmatch(key)) is not None
    }
    if probes and max(probes) >= 8 * int(unit):
        raise RecordError(
            f"{what}: it names the line {max(probes) + 1}, but its samples have {8 * int(unit)}"
            f" bits (unit size {unit})."
        )
    return _Session(section["capturefile"], int(unit), rate_hz, dict(sorted(probes.items())))


def _entries(archive: ZipFile, session: _Session, what: str) -> list[str]:
    """Return the names of the samples' entries, in their order."""
    names = set(archive.namelist())
    numbered = re.compile(re.escape(session.file) + r"-([1-9][0-9]{0,8})")
    numbers = sorted(int(m[1]) for name in names if (m := numbered.fullmatch(name)) is not None)
    if session.file in names:
        found = [session.file]
    elif numbers == list(range(1, len(numbers) + 1)) and numbers:
        found = [f"{session.file}-{number}" for number in numbers]
    else:
        raise RecordError(
            f"{what}: of its samples {session.file[:60]!r}, parts are missing: it has"
            f" {len(numbers)} parts, the last one is number {numbers[-1] if numbers else 0}."
        )
    size = sum(archive.getinfo(name).file_size for name in found)
    if size > _BYTES_MAX or session.time_ns(size // session.unit_bytes) > TIME_MAX_NS:
        raise _too_long(size, what)
    return found


def _too_long(size: int, what: str) -> RecordError:
    return RecordError(
        f"{what}: it holds {size} bytes of samples, allowed are {_BYTES_MAX} and 30 years."
    )


def _blocks(
    archive: ZipFile, entries: list[str], session: _Session, what: str
) -> Iterator[NDArray[np.uint8]]:
    """Yield samples, uint8 [n, unitsize]; none is torn between two entries' ends.

    What the archive states of sizes is not trusted: what was unpacked is counted.
    """
    wanted = _BLOCK_BYTES - _BLOCK_BYTES % session.unit_bytes
    rest, unpacked = b"", 0
    for name in entries:
        left = archive.getinfo(name).file_size
        with archive.open(name) as entry:
            while taken := entry.read(wanted - len(rest)):
                left -= len(taken)
                unpacked += len(taken)
                if unpacked > _BYTES_MAX:
                    raise _too_long(unpacked, what)
                data = rest + taken
                whole = len(data) - len(data) % session.unit_bytes
                rest = data[whole:]
                if whole:
                    samples = np.frombuffer(data, dtype=np.uint8, count=whole)
                    yield samples.reshape(-1, session.unit_bytes)
        if left:
            raise BadZipFile(f"{name} has {left} bytes less than the archive states")
    if rest:
        raise RecordError(
            f"{what}: it ends inside a sample: {len(rest)} of {session.unit_bytes} bytes are"
            " there, so its unit size is wrong or it was cut."
        )


def _gather(
    blocks: Iterator[NDArray[np.uint8]], session: _Session, gathering: Gathering, what: str
) -> None:
    bits = [int(key) for key in gathering.keys]
    mask = np.zeros(session.unit_bytes, dtype=np.uint8)
    for bit in bits:
        mask[bit // 8] |= 1 << bit % 8
    columns = np.flatnonzero(mask)
    first, before = 0, np.zeros(0, np.uint8)
    for block in blocks:
        changed = np.zeros(len(block), np.bool_)
        changed[0] = not first or bool(((block[0] ^ before) & mask).any())
        for column in columns.tolist():
            lines = block[:, column] & mask[column]
            changed[1:] |= lines[1:] != lines[:-1]
        at = np.flatnonzero(changed)
        gathering.cover(session.time_ns(first), session.time_ns(first + len(block)))
        _take(block[at], session.times_ns(first, at), gathering)
        first, before = first + len(block), block[-1]
    if not first:
        raise RecordError(f"{what}: it holds no sample.")


def _take(samples: NDArray[np.uint8], t_ns: NDArray[np.int64], gathering: Gathering) -> None:
    """Give every line's level in some samples to `gathering`, a part at a time."""
    bits = sorted(int(key) for key in gathering.keys)
    lines = np.array([gathering.keys.index(str(bit)) for bit in bits], np.uint8)
    for start in range(0, len(samples), _PART):
        part = samples[start : start + _PART]
        levels = np.stack([part[:, bit // 8] >> bit % 8 & 1 for bit in bits], axis=1)
        gathering.take(
            np.repeat(t_ns[start : start + _PART], len(bits)),
            np.tile(lines, len(part)),
            levels.astype(np.int8).ravel(),
        )
