"""Reads Value Change Dump files (IEEE 1364-2001, clause 18), as logic analysers write them."""

import re
from collections.abc import Iterator, Mapping
from io import BufferedIOBase, BytesIO
from typing import Final

from vcd.reader import ScopeDecl, TokenKind, VarDecl, VCDParseError, tokenize

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError
from resume_rig.rig.capture.gathering import Capture, Gathering
from resume_rig.rig.capture.sampling import StatedRate, stated_in
from resume_rig.rig.capture.signals import Signal, choose_taps
from resume_rig.rig.capture.vcd_dialect import StandardVcd
from resume_rig.rig.capture.vcd_words import Changes, Words

_UNIT_FS: Final = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}
_FS_A_NS: Final = 10**6
_BLOCK: Final = 1 << 20
# A simulator's header names every signal of a design; a logic analyser's has a few lines.
_HEADER_MAX: Final = 64 << 20
_END_OF_HEADER: Final = re.compile(rb"\$enddefinitions\s+\$end(?=\s|$)")
_REACHES_BACK: Final = 4_096


def read_vcd(
    file: BufferedIOBase, channel_map: Mapping[Channel, tuple[str, bool]], what: str
) -> Capture:
    """Return the edges of a VCD stream.

    Args:
        file: from its first byte.
        channel_map: as in `read_capture`.
        what: the beginning of a sentence, for errors.

    Raises:
        RecordError: it is not VCD, breaks off, goes back in time, or has no timescale.
        UsageError: the channel map does not fit.
    """
    head, rest = _split(file, what)
    try:
        signals, tick_fs, stated = _header(head, what)
    except VCDParseError as error:
        raise RecordError(f"{what}: it is not valid VCD ({_short(error)}).") from error
    except (UnicodeDecodeError, ValueError) as error:
        raise RecordError(f"{what}: it is not VCD text ({_short(error)}).") from error
    gathering = Gathering(choose_taps(signals, channel_map, what), what)
    words = Words(gathering.keys, tick_fs, what)
    for changes in _blocks(file, rest, words):
        if changes.first_ns is not None and changes.last_ns is not None:
            gathering.moments(changes.first_ns, changes.last_ns)
        gathering.take(changes.t_ns, changes.lines, changes.values)
    return gathering.finish(tick_fs // _FS_A_NS, stated)


def _blocks(file: BufferedIOBase, rest: bytes, words: Words) -> Iterator[Changes]:
    for start in range(0, len(rest), _BLOCK):
        yield words.read(rest[start : start + _BLOCK])
    while block := file.read(_BLOCK):
        yield words.read(block)
    yield words.finish()


def _short(error: Exception) -> str:
    return "".join(c if c.isprintable() else "?" for c in str(error)[:120])


def _split(file: BufferedIOBase, what: str) -> tuple[bytes, bytes]:
    """Return the header, and what was read beyond it."""
    read = bytearray()
    while len(read) < _HEADER_MAX:
        seen = max(0, len(read) - _REACHES_BACK)
        block = file.read(_BLOCK)
        read += block
        # A match at the very end may be a longer word that is not all there yet.
        end = _END_OF_HEADER.search(read, seen)
        if end is not None and (end.end() < len(read) or not block):
            return bytes(read[: end.end()]), bytes(read[end.end() :])
        if not block:
            return bytes(read), b""
    raise RecordError(f"{what}: its VCD header is longer than {_HEADER_MAX} bytes.")


def _header(head: bytes, what: str) -> tuple[list[Signal], int, StatedRate | None]:
    """Return the single-line signals, the femtoseconds of a tick, and what it was sampled at."""
    scopes: list[str] = []
    signals: list[Signal] = []
    comments: list[str] = []
    tick_fs: int | None = None
    for token in tokenize(StandardVcd(BytesIO(head))):
        if token.kind is TokenKind.SCOPE and isinstance(token.data, ScopeDecl):
            scopes.append(token.data.ident)
        elif token.kind is TokenKind.UPSCOPE and scopes:
            scopes.pop()
        elif token.kind is TokenKind.COMMENT:
            comments.append(token.comment)
        elif token.kind is TokenKind.TIMESCALE:
            scale = token.timescale
            tick_fs = int(scale.magnitude) * _UNIT_FS[str(scale.unit.value)]
        elif token.kind is TokenKind.VAR and isinstance(token.data, VarDecl):
            if token.data.size == 1:
                name = ".".join([*filter(None, scopes), token.data.ref_str])
                signals.append(Signal(name, token.data.id_code))
        elif token.kind is TokenKind.ENDDEFINITIONS:
            break
    else:
        raise RecordError(f"{what}: the VCD header breaks off before $enddefinitions.")
    if tick_fs is None:
        raise RecordError(f"{what}: the VCD header has no $timescale, so its times have no unit.")
    return signals, tick_fs, stated_in(comments)
