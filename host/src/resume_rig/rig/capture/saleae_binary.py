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
from resume_rig.model.units import NS_PER_S
from resume_rig.rig.capture.gathering import TIME_MAX_NS, Capture, Gathering
from resume_rig.rig.capture.signals import Signal, choose_taps

MAGIC: Final = b"<SALEAE>"

_VERSION: Final = struct.Struct("<8sii")
# the head above, initial state, first and last moment [s], number of changes
_HEAD: Final = struct.Struct("<8siiIddQ")
_DIGITAL: Final = 0
_NAME: Final = re.compile(r"digital_[0-9]{1,4}\.bin")
# The times are seconds in double precision; the file does not state at which rate they were taken.
_RESOLUTION_NS: Final = 1


@dataclass(frozen=True, slots=True)
class _Head:
    """The head of one file: level at first, first and last moment, changes."""

    path: Path
    level: int
    begin_s: float
    end_s: float
    count: int


@dataclass(frozen=True, slots=True)
class _Line:
    """First and last moment of one line, and int64 [n] ns of its changes."""

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
    gathering = Gathering(choose_taps(signals, channel_map, what), what)
    keys = sorted(int(key) for key in gathering.keys)
    heads = [_read_head(files[key], what) for key in keys]
    gathering.check_count(sum(head.count for head in heads))
    lines = [_read_changes(head, what) for head in heads]
    begin_ns, end_ns = min(line.begin_ns for line in lines), max(line.end_ns for line in lines)
    gathering.cover(begin_ns, end_ns)
    times_ns = [np.concatenate(([begin_ns], line.changes_ns)) for line in lines]
    # Levels alternate from the first one on.
    levels = [
        (np.arange(t_ns.size) + head.level & 1).astype(np.int8)
        for head, t_ns in zip(heads, times_ns, strict=True)
    ]
    places = np.array([gathering.keys.index(str(key)) for key in keys], np.uint8)
    owners = np.repeat(places, [each.size for each in times_ns])
    whole_ns = np.concatenate(times_ns)
    order = np.argsort(whole_ns, kind="stable")
    gathering.take(whole_ns[order], owners[order], np.concatenate(levels)[order])
    return gathering.finish(_RESOLUTION_NS)


def _read_head(path: Path, what: str) -> _Head:
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
    if state not in (0, 1):
        raise RecordError(
            f"{what}: {path.name} begins with the level {state}, allowed are 0 and 1."
        )
    return _Head(path, state, begin_s, end_s, count)


def _read_changes(head: _Head, what: str) -> _Line:
    path = head.path
    times_s = np.fromfile(path, dtype="<f8", count=head.count, offset=_HEAD.size)
    every = np.concatenate(([head.begin_s], times_s, [head.end_s]))
    if not np.isfinite(every).all() or (np.abs(every) > TIME_MAX_NS / NS_PER_S).any():
        raise RecordError(f"{what}: {path.name} holds a time that is none, or is beyond 30 years.")
    if (np.diff(every) < 0).any():
        raise RecordError(f"{what}: in {path.name} time goes back; it may only grow.")
    every_ns = np.rint(every * NS_PER_S).astype(np.int64)
    return _Line(int(every_ns[0]), int(every_ns[-1]), every_ns[1:-1])


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
