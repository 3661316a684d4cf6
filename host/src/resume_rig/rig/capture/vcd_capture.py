"""Reads Value Change Dump files (IEEE 1364-2001, clause 18), as logic analysers write them.

The body of a VCD is words between white space: `#` and a time, a level and the code of its line in
one word, a vector and its code in two, and words that begin with `$`. A word at a time takes
microseconds; numpy takes a block of a megabyte at once.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BufferedIOBase, BytesIO
from typing import Final

import numpy as np
from numpy.typing import NDArray
from vcd.reader import ScopeDecl, TokenKind, VarDecl, VCDParseError, tokenize

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError
from resume_rig.rig.capture.gathering import (
    LEVEL_OF_CHARACTER,
    NO_LEVEL,
    TIME_MAX_NS,
    Capture,
    Gathering,
)
from resume_rig.rig.capture.sampling import StatedRate, stated_in
from resume_rig.rig.capture.signals import Signal, choose_taps

_FS_A_NS: Final = 10**6
_DIGITS_IN_64_BITS: Final = 18
# Of a time: 30 years in fs have 24 digits.
_DIGITS_MAX: Final = 40
_WORD_MAX: Final = 1 << 20

_STAMP, _SCALAR, _VECTOR, _KEYWORD, _CODE = 1, 2, 3, 4, 5
_ONE_BIT: Final = 2  # characters of a vector: its letter and one digit
_NINE: Final = 9
# Not of the standard; GTKWave's converters write it, and so does `resume-rig export`. It is for
# viewers alone: what they call the zero of time.
_TIMEZERO: Final = re.compile(rb"\$timezero\s+-?\d+\s+\$end")
# White space is a space, and what lies from the tab to the carriage return.
_TAB, _SHIFT_OUT, _SPACE = np.uint8(9), np.uint8(14), np.uint8(32)
_WHITE: Final = (b" ", b"\t", b"\n", b"\v", b"\f", b"\r")
_COMMENT: Final = re.compile(rb"(?<=\s)\$comment\s(?:.*?\s)??\$end(?=\s)", re.S)
_OPENED: Final = re.compile(rb"\s\$comment\s")
_END: Final = re.compile(rb"\s\$end\s")
_SKIPPED: Final = (b"$dumpvars", b"$dumpall", b"$dumpon", b"$dumpoff", b"$end")


def _kinds() -> NDArray[np.uint8]:
    found = np.zeros(256, np.uint8)
    found[list(b"#")] = _STAMP
    found[list(b"01xXzZuUwWlLhH-")] = _SCALAR
    found[list(b"bBrRsS")] = _VECTOR
    found[list(b"$")] = _KEYWORD
    return found


_KIND: Final = _kinds()


@dataclass(frozen=True, slots=True)
class Changes:
    """Values of the wanted lines in order.

    Attributes:
        t_ns: int64 [n]. lines: uint8 [n], places in the keys. values: int8 [n], 0, 1 or NO_LEVEL.
        first_ns, last_ns: first and last time of the block; None where it has none.
    """

    t_ns: NDArray[np.int64]
    lines: NDArray[np.uint8]
    values: NDArray[np.int8]
    first_ns: int | None
    last_ns: int | None


class Words:
    """Reads blocks of a body one after another.

    Args:
        keys: identifier codes of the lines that are wanted.
        tick_fs: femtoseconds of a tick.
        what: the beginning of a sentence, for errors.
    """

    def __init__(self, keys: Sequence[str], tick_fs: int, what: str) -> None:
        self._keys = [np.frombuffer(key.encode("utf-8"), np.uint8) for key in keys]
        self._begins = np.zeros(256, np.bool_)
        self._begins[[int(key[0]) for key in self._keys]] = True
        self._tick_fs, self._what = tick_fs, what
        self._rest = b""
        self._t_ns, self._tick = 0, b"0"
        self._in_comment = False

    def read(self, block: bytes) -> Changes:
        """Return the changes of the next block.

        Raises:
            RecordError: it holds a word that no VCD has, or time goes back.
        """
        data = b"\n" + self._rest + block
        cut = max(data.rfind(space) for space in _WHITE)
        data, self._rest = data[: cut + 1], data[cut + 1 :]
        if len(self._rest) > _WORD_MAX:
            raise RecordError(f"{self._what}: it has a word of more than {_WORD_MAX} characters.")
        return self._changes(self._without_comments(data))

    def finish(self) -> Changes:
        """Return the changes of the last words.

        Raises:
            RecordError: as `read`, or the body ends inside a comment or a vector.
        """
        changes = self.read(b"\n")
        if self._in_comment or self._rest:
            raise RecordError(f"{self._what}: it is not valid VCD (it ends inside a value).")
        return changes

    def _without_comments(self, data: bytes) -> bytes:
        """Return whole words without comments, which may reach over blocks."""
        if self._in_comment:
            end = _END.search(data)
            if end is None:
                return b"\n"
            self._in_comment, data = False, data[end.end() - 1 :]
        if b"$comment" in data:
            data = _COMMENT.sub(b"\n", data)
            opened = _OPENED.search(data)
            if opened is not None:
                self._in_comment, data = True, data[: opened.start() + 1]
        return data

    def _changes(self, data: bytes) -> Changes:
        buffer = np.frombuffer(data, np.uint8)
        space = buffer <= _SPACE
        if (buffer < _TAB).any() or (buffer - _SHIFT_OUT < _SPACE - _SHIFT_OUT).any():
            raise RecordError(f"{self._what}: it is not valid VCD (it has control characters).")
        borders = np.flatnonzero(space[1:] != space[:-1]) + 1
        starts, ends = borders[0::2], borders[1::2]
        kinds = _KIND[buffer[starts]]
        if _without_codes(kinds):
            # The code of the last vector comes with the next block.
            self._rest = data[int(starts[-1]) :] + self._rest
            starts, ends, kinds = starts[:-1], ends[:-1], kinds[:-1]
        bad = (kinds == 0) | ((kinds == _SCALAR) & (ends - starts < 2))
        if bad.any():
            self._refuse(data, starts, ends, int(bad.argmax()))
        for at in np.flatnonzero(kinds == _KEYWORD).tolist():
            if data[starts[at] : ends[at]] not in _SKIPPED:
                self._refuse(data, starts, ends, at)
        stamps = np.flatnonzero(kinds == _STAMP)
        times_ns = self._times(data, buffer, starts[stamps] + 1, ends[stamps])
        places, lines, values = self._values(data, buffer, starts, ends, kinds)
        # How many times stand before a value; 0: that of the block before.
        nth = np.cumsum(kinds == _STAMP, dtype=np.int32)[places]
        every_ns = np.concatenate((np.array([self._t_ns], np.int64), times_ns))
        if not times_ns.size:
            return Changes(every_ns[nth], lines, values, None, None)
        self._t_ns = int(times_ns[-1])
        return Changes(every_ns[nth], lines, values, int(times_ns[0]), self._t_ns)

    def _values(
        self,
        data: bytes,
        buffer: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        kinds: NDArray[np.uint8],
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int8]]:
        """Return the places of the wanted lines' values among the words, their lines and levels."""
        scalars = np.flatnonzero(kinds == _SCALAR)
        places, lines = self._wanted(buffer, scalars, starts[scalars] + 1, ends[scalars])
        levels = LEVEL_OF_CHARACTER[buffer[starts[places]]]
        vectors = np.flatnonzero(kinds == _VECTOR)
        if not vectors.size:
            return places, lines, levels
        also, also_lines = self._wanted(buffer, vectors, starts[vectors + 1], ends[vectors + 1])
        binary = np.isin(buffer[starts[also]], list(b"bB"))
        also, also_lines = also[binary], also_lines[binary]
        short = ends[also] - starts[also] == _ONE_BIT
        also_levels = np.where(short, LEVEL_OF_CHARACTER[buffer[starts[also] + 1]], NO_LEVEL)
        for at in np.flatnonzero(~short).tolist():
            bits = data[starts[also[at]] + 1 : ends[also[at]]].lstrip(b"0")
            also_levels[at] = {b"": 0, b"1": 1}.get(bits, NO_LEVEL)
        whole = np.concatenate((places, also))
        order = np.argsort(whole, kind="stable")
        return (
            whole[order],
            np.concatenate((lines, also_lines))[order],
            np.concatenate((levels, np.maximum(also_levels, NO_LEVEL).astype(np.int8)))[order],
        )

    def _wanted(
        self,
        buffer: NDArray[np.uint8],
        places: NDArray[np.int64],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return which of some identifier codes are wanted, and which lines they are."""
        maybe = self._begins[buffer[starts]]
        places, starts, ends = places[maybe], starts[maybe], ends[maybe]
        lengths = ends - starts
        lines = np.full(places.size, len(self._keys), np.uint8)
        for line, key in enumerate(self._keys):
            same = lengths == key.size
            for at, character in enumerate(key.tolist()):
                # Beyond its end a shorter code shows whatever follows; it is no match anyhow.
                same &= buffer[np.minimum(starts + at, buffer.size - 1)] == character
            lines[same] = line
        found = lines < len(self._keys)
        return places[found], lines[found]

    def _times(
        self,
        data: bytes,
        buffer: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Return the times of stamps in ns; they may only grow."""
        lengths = ends - starts
        found = np.zeros(starts.size, np.int64)
        for length in np.flatnonzero(np.bincount(lengths)).tolist():
            same = np.flatnonzero(lengths == length)
            if not 0 < length <= _DIGITS_IN_64_BITS:
                for at in same.tolist():
                    found[at] = self._long_time(data[starts[at] : ends[at]])
                continue
            ticks = np.zeros(same.size, np.int64)
            digits_ok = True
            first = starts[same]
            for digit in range(length):
                value = buffer[first + digit] - np.uint8(ord("0"))
                digits_ok &= bool((value <= _NINE).all())
                ticks *= 10
                ticks += value
            if not digits_ok:
                word = next(w for at in same if not (w := data[starts[at] : ends[at]]).isdigit())
                raise RecordError(f"{self._what}: it is not valid VCD (no time: {_shown(word)!r}).")
            found[same] = self._in_ns(ticks)
        steps = np.diff(found, prepend=self._t_ns)
        if (steps < 0).any():
            at = int((steps < 0).argmax())
            before = data[starts[at - 1] : ends[at - 1]] if at else self._tick
            raise RecordError(
                f"{self._what}: time goes back from #{_shown(before)} to"
                f" #{_shown(data[starts[at] : ends[at]])}; it may only grow."
            )
        if found.size:
            self._tick = data[starts[-1] : ends[-1]]
        return found

    def _in_ns(self, ticks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return ticks in ns, half a nanosecond rounded up, in integers throughout."""
        if self._tick_fs >= _FS_A_NS:
            scale = self._tick_fs // _FS_A_NS
            if ticks.size and int(ticks.max()) > TIME_MAX_NS // scale:
                raise self._too_late(int(ticks.max()))
            return ticks * scale
        ticks_a_ns = _FS_A_NS // self._tick_fs
        return (ticks + ticks_a_ns // 2) // ticks_a_ns

    def _long_time(self, word: bytes) -> int:
        if not word.isdigit():
            raise RecordError(f"{self._what}: it is not valid VCD (no time: {_shown(word)!r}).")
        tick = int(word) if len(word) <= _DIGITS_MAX else 10**_DIGITS_MAX
        t_ns = (tick * self._tick_fs + _FS_A_NS // 2) // _FS_A_NS
        if t_ns > TIME_MAX_NS:
            raise self._too_late(tick)
        return t_ns

    def _too_late(self, tick: int) -> RecordError:
        return RecordError(f"{self._what}: the time #{tick} is beyond 30 years.")

    def _refuse(
        self, data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], at: int
    ) -> None:
        word = _shown(data[int(starts[at]) : int(ends[at])])
        raise RecordError(f"{self._what}: it is not valid VCD (no value change: {word!r}).")


def _without_codes(kinds: NDArray[np.uint8]) -> bool:
    """Mark the words after vectors as their codes; return whether the last vector has none yet.

    A code may begin as a vector does, so that in a row of such words every second one is a code.
    """
    vectors = np.flatnonzero(kinds == _VECTOR)
    if not vectors.size:
        return False
    begins = np.concatenate((np.ones(1, np.bool_), np.diff(vectors) > 1))
    in_row = np.arange(vectors.size) - np.flatnonzero(begins)[np.cumsum(begins) - 1]
    values = vectors[in_row % 2 == 0]
    if values[-1] + 1 == kinds.size:
        kinds[values[:-1] + 1] = _CODE
        return True
    kinds[values + 1] = _CODE
    return False


def _shown(word: bytes) -> str:
    text = word[:40].decode("ascii", "replace")
    return "".join(c if c.isprintable() else "?" for c in text)


_UNIT_FS: Final = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}
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
            gathering.cover(changes.first_ns, changes.last_ns)
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
        searched = max(0, len(read) - _REACHES_BACK)
        block = file.read(_BLOCK)
        read += block
        # A match at the very end may be a longer word that is not all there yet.
        end = _END_OF_HEADER.search(read, searched)
        if end is not None and (end.end() < len(read) or not block):
            return bytes(read[: end.end()]), bytes(read[end.end() :])
        if not block:
            return bytes(read), b""
    raise RecordError(f"{what}: its VCD header is longer than {_HEADER_MAX} bytes.")


def standard_header(head: bytes) -> bytes:
    """Return a header with `$timezero` replaced by as much white space; positions stay."""
    return _TIMEZERO.sub(lambda found: re.sub(rb"\S", b" ", found[0]), head)


def _header(head: bytes, what: str) -> tuple[list[Signal], int, StatedRate | None]:
    """Return the single-line signals, the femtoseconds of a tick, and what it was sampled at."""
    scopes: list[str] = []
    signals: list[Signal] = []
    comments: list[str] = []
    tick_fs: int | None = None
    for token in tokenize(BytesIO(standard_header(head))):
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
