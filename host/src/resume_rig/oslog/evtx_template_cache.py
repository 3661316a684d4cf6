"""Templates that were read before, found again in another chunk by their content.

Each chunk holds its templates anew, with names in other places. A template is the same where all
its bytes are, but for the places of names, and the names that stand there are. Nothing else is
trusted: a template's GUID and size only say where to look.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from resume_rig.oslog.evtx_binxml import NAME_HEAD_BYTES, NameUse, TemplateCursor, UnusualError

HEAD_BYTES: Final = 24
"""Of a template's definition: next definition, its GUID, how many bytes follow."""

_PLACE_BYTES: Final = 4
_SIZE: Final = struct.Struct("<I")  # the end of the head
_KEY_AT: Final = 4
_VARIANTS: Final = 16  # by which names a template is the first to use
_KEYS: Final = 512

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class _Known(Generic[_Found]):
    """One template as it was read, from the end of its head to where reading ended.

    Attributes:
        length: of that text, in bytes.
        mask: 0 where a place of a name is, or the head of a name.
        text: the rest, as one number.
        places: takes the places of names out of the text.
        names: for each of these, the name as stored, or None and where in the text it is.
    """

    length: int
    mask: int
    text: int
    places: struct.Struct
    names: tuple[tuple[bytes | None, int], ...]
    found: _Found

    def is_at(self, chunk: bytes, start: int) -> bool:
        """Whether the same text begins there."""
        if start + self.length > len(chunk):
            return False
        text = int.from_bytes(chunk[start : start + self.length], "little")
        if text & self.mask != self.text:
            return False
        for place, (name, inside) in zip(
            self.places.unpack_from(chunk, start), self.names, strict=True
        ):
            if name is None:
                if place != start + inside:
                    return False
            elif not chunk.startswith(name, place + NAME_HEAD_BYTES):
                return False
        return True


class TemplateCache(Generic[_Found]):
    """Reads templates of chunks in one way; each but once, as far as it remembers."""

    def __init__(self, read: Callable[[TemplateCursor], _Found], *, whole: bool) -> None:
        """Start with nothing known.

        Args:
            read: reads one template; may raise UnusualError.
            whole: whether it reads all of a template, or only its beginning.
        """
        self._read = read
        self._whole = whole
        self._known: dict[bytes, list[_Known[_Found]]] = {}
        self._chunk = b""
        self._of_chunk: dict[int, _Found | None] = {}

    def find(self, chunk: bytes, definition: int) -> _Found | None:
        """Return what the template defined at this place says; None where it is of another shape.

        Args:
            chunk: its 64 KiB; quickest where it is the same object as the last time.
            definition: of the template, in bytes from the chunk's beginning.
        """
        if chunk is not self._chunk:
            self._chunk, self._of_chunk = chunk, {}
        if definition not in self._of_chunk:
            self._of_chunk[definition] = self._find(chunk, definition)
        return self._of_chunk[definition]

    def _find(self, chunk: bytes, definition: int) -> _Found | None:
        start = definition + HEAD_BYTES
        key = chunk[definition + _KEY_AT : start]
        variants = self._known.get(key, [])
        for index, known in enumerate(variants):
            if known.is_at(chunk, start):
                if index:  # most likely it comes again
                    variants[0], variants[index] = known, variants[0]
                return known.found
        cursor = TemplateCursor(chunk, start)
        try:
            found = self._read(cursor)
        except (UnusualError, IndexError, KeyError, UnicodeDecodeError, struct.error):
            return None
        if self._whole and cursor.at - start != _SIZE.unpack_from(key, len(key) - _SIZE.size)[0]:
            return None
        self._remember(key, _known(chunk[start : cursor.at], start, cursor.names, found))
        return found

    def _remember(self, key: bytes, known: _Known[_Found]) -> None:
        if len(self._known) >= _KEYS:
            self._known.clear()
        variants = self._known.setdefault(key, [])
        if len(variants) >= _VARIANTS:
            variants.clear()
        variants.append(known)


def _known(text: bytes, start: int, uses: Sequence[NameUse], found: _Found) -> _Known[_Found]:
    mask = bytearray(b"\xff" * len(text))
    layout = ""
    names: list[tuple[bytes | None, int]] = []
    end = 0
    for use in uses:
        at = use.at - start
        layout += f"{at - end}xI"
        end = at + _PLACE_BYTES
        masked = end + NAME_HEAD_BYTES if use.inline else end
        mask[at:masked] = bytes(masked - at)
        names.append((None, end) if use.inline else (use.stored, 0))
    whole = int.from_bytes(mask, "little")
    return _Known(
        length=len(text),
        mask=whole,
        text=int.from_bytes(text, "little") & whole,
        places=struct.Struct(f"<{layout}"),
        names=tuple(names),
        found=found,
    )
