"""Reads Saleae Logic 2's raw binary exports, version 0: a file of change times for each line.

The export is a folder of digital_0.bin, digital_1.bin and so on; one of these files alone is a
capture of one line. Format: "Binary Export Format - Version 0" in Saleae's support pages.
"""

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError
from resume_rig.rig.capture.gathering import TIME_MAX_NS, Capture, Gathering
from resume_rig.rig.capture.signals import Signal, choose_taps

MAGIC: Final = b"<SALEAE>"

_VERSION: Final = struct.Struct("<8sii")
# the head above, initial state, first and last moment [s], number of changes
_HEAD: Final = struct.Struct("<8siiIddQ")
_DIGITAL: Final = 0
_NAME: Final = re.compile(r"digital_[0-9]{1,4}\.bin")
_S_NS: Final = 10**9
# The times are seconds in double precision of whole samples; no Saleae samples faster than this.
_RESOLUTION_NS: Final = 2


@dataclass(frozen=True, slots=True)
class _Line:
    """One line: its level at first, and int64 [n] ns of its changes."""

    name: str
    level: int
    begin_ns: int
    end_ns: int
    changes_ns: NDArray[np.int64]


def digital_files(folder: Path) -> list[Path]:
    """Return the files of a folder that are lines of an export, in the order of their numbers."""
    found = [path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.is_file()]
    return sorted(found, key=lambda path: (len(path.name), path.name))


def read_saleae(
    files: Sequence[Path], channel_map: Mapping[Channel, tuple[str, bool]], what: str
) -> Capture:
    """Return the edges of an export; each line is named as its file, e.g. "digital_3".

    Args:
        files: of the lines.
        channel_map: as in `read_capture`.
        what: the beginning of a sentence, for errors.

    Raises:
        RecordError: a file is no such export, is cut, or holds times that cannot be.
        UsageError: the channel map does not fit.
        OSError: a file cannot be read.
    """
    signals = [Signal(path.stem, str(index)) for index, path in enumerate(files)]
    taps = choose_taps(signals, channel_map, what)
    keys = sorted({int(tap.key) for tap in taps})
    lines = [_read_line(files[key], what) for key in keys]
    gathering = Gathering(taps)
    begin_ns = min(line.begin_ns for line in lines)
    gathering.moment(begin_ns)
    levels = [line.level for line in lines]
    for key, level in zip(keys, levels, strict=True):
        gathering.value(str(key), begin_ns, str(level))
    times_ns = np.concatenate([line.changes_ns for line in lines])
    owners = np.repeat(np.arange(len(lines)), [line.changes_ns.size for line in lines])
    for at in np.argsort(times_ns, kind="stable").tolist():
        owner, t_ns = int(owners[at]), int(times_ns[at])
        levels[owner] ^= 1
        gathering.moment(t_ns)
        gathering.value(str(keys[owner]), t_ns, str(levels[owner]))
    gathering.moment(max(line.end_ns for line in lines))
    return gathering.finish(_RESOLUTION_NS)


def _read_line(path: Path, what: str) -> _Line:
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(_HEAD.size)
        _check_version(head, path, what)
        if len(head) < _HEAD.size:
            raise RecordError(f"{what}: {path.name} ends inside its head of {_HEAD.size} bytes.")
        _, _, _, state, begin_s, end_s, count = _HEAD.unpack(head)
        if size != _HEAD.size + 8 * count:
            raise RecordError(
                f"{what}: {path.name} promises {count} changes, which are {_HEAD.size + 8 * count}"
                f" bytes; it has {size}, so it was cut or is damaged."
            )
        times_s = np.frombuffer(file.read(8 * count), dtype="<f8")
    if state not in (0, 1):
        raise RecordError(
            f"{what}: {path.name} begins with the level {state}, allowed are 0 and 1."
        )
    every = np.concatenate(([begin_s], times_s, [end_s]))
    if not np.isfinite(every).all() or (np.abs(every) > TIME_MAX_NS / _S_NS).any():
        raise RecordError(f"{what}: {path.name} holds a time that is none, or is beyond 30 years.")
    if (np.diff(every) < 0).any():
        raise RecordError(f"{what}: in {path.name} time goes back; it may only grow.")
    every_ns = np.rint(every * _S_NS).astype(np.int64)
    return _Line(path.stem, state, int(every_ns[0]), int(every_ns[-1]), every_ns[1:-1])


def _check_version(head: bytes, path: Path, what: str) -> None:
    if not head.startswith(MAGIC) or len(head) < _VERSION.size:
        raise RecordError(f"{what}: {path.name} is no binary export of Saleae Logic 2.")
    _, version, kind = _VERSION.unpack_from(head)
    if version != 0:
        raise RecordError(
            f"{what}: {path.name} is a binary export of version {version}, allowed is 0; export"
            " CSV instead."
        )
    if kind != _DIGITAL:
        raise RecordError(f"{what}: {path.name} holds analog samples, allowed are digital ones.")
