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
from resume_rig.rig.capture.gathering import TIME_MAX_NS, Capture, Gathering
from resume_rig.rig.capture.signals import Signal, choose_taps

MAGIC: Final = b"PK\x03\x04"

_METADATA_MAX: Final = 1 << 20
_BLOCK_SAMPLES: Final = 1 << 20
_BYTES_MAX: Final = 1 << 36
_UNIT_MAX: Final = 128  # bytes; more lines than any analyser has
_RATE: Final = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?) ?([kMG]?)Hz")
_RATE_UNITS: Final = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}
_UNIT: Final = re.compile(r"[0-9]{1,6}")
_PROBE: Final = re.compile(r"probe([1-9][0-9]{0,3})")
_NS: Final = 10**9


@dataclass(frozen=True, slots=True)
class _Session:
    """What the metadata tell of the samples.

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
        return round(sample * _NS / self.rate_hz)


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
            gathering = Gathering(taps := choose_taps(signals, channel_map, what))
            bits = sorted({int(tap.key) for tap in taps})
            blocks = _blocks(archive, entries, session, what)
            _gather(blocks, bits, session, gathering, what)
    except (BadZipFile, EOFError, zlib.error) as error:
        raise RecordError(f"{what}: the ZIP archive is damaged ({str(error)[:120]}).") from error
    except (RuntimeError, NotImplementedError) as error:  # encrypted, or packed otherwise
        raise RecordError(f"{what}: its entries cannot be opened ({str(error)[:120]}).") from error
    return gathering.finish(-(-_NS // session.rate_hz))


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
    rate = _RATE.fullmatch(section.get("samplerate", ""))
    rate_hz = Fraction(0) if rate is None else Fraction(rate[1]) * _RATE_UNITS[rate[2]]
    if not rate_hz:
        raise RecordError(
            f"{what}: its metadata tell the sample rate {section.get('samplerate', '')[:40]!r},"
            " allowed is one such as 1 MHz."
        )
    unit = section.get("unitsize", "")
    if _UNIT.fullmatch(unit) is None or not 1 <= int(unit) <= _UNIT_MAX:
        raise RecordError(
            f"{what}: its metadata tell the unit size {unit[:40]!r}, allowed are 1 to {_UNIT_MAX}."
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
        raise RecordError(
            f"{what}: it holds {size} bytes of samples, allowed are {_BYTES_MAX} and 30 years."
        )
    return found


def _blocks(
    archive: ZipFile, entries: list[str], session: _Session, what: str
) -> Iterator[NDArray[np.uint8]]:
    """Yield samples, uint8 [n, unitsize]; none is torn between two entries' ends."""
    wanted = _BLOCK_SAMPLES * session.unit_bytes
    rest = b""
    for name in entries:
        left = archive.getinfo(name).file_size
        with archive.open(name) as entry:
            while taken := entry.read(wanted - len(rest)):
                left -= len(taken)
                data = rest + taken
                whole = len(data) - len(data) % session.unit_bytes
                rest = data[whole:]
                if whole:
                    samples = np.frombuffer(data, dtype=np.uint8, count=whole)
                    yield samples.reshape(-1, session.unit_bytes)
        if left:
            raise BadZipFile(f"{name} has {left} bytes less than the archive tells")
    if rest:
        raise RecordError(
            f"{what}: it ends inside a sample: {len(rest)} of {session.unit_bytes} bytes are"
            " there, so its unit size is wrong or it was cut."
        )


def _gather(
    blocks: Iterator[NDArray[np.uint8]],
    bits: list[int],
    session: _Session,
    gathering: Gathering,
    what: str,
) -> None:
    mask = np.zeros(session.unit_bytes, dtype=np.uint8)
    for bit in bits:
        mask[bit // 8] |= 1 << bit % 8
    columns = np.flatnonzero(mask)
    first, before = 0, None
    for block in blocks:
        lines = block[:, columns] & mask[columns]
        if before is None:
            gathering.moment(0)
            changes = np.zeros(1, dtype=np.int64)
        else:
            changes = np.zeros(int((lines[0] != before).any()), dtype=np.int64)
        later = np.flatnonzero((lines[1:] != lines[:-1]).any(axis=1)) + 1
        for at in np.concatenate((changes, later)).tolist():
            t_ns, sample = session.time_ns(first + at), block[at]
            gathering.moment(t_ns)
            for bit in bits:
                gathering.value(str(bit), t_ns, "1" if sample[bit // 8] >> bit % 8 & 1 else "0")
        first, before = first + len(block), lines[-1]
    if before is None:
        raise RecordError(f"{what}: it holds no sample.")
    gathering.moment(session.time_ns(first))
