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
_PlacesOfNames = tuple[int, ...]
_Names = tuple[bytes, ...]
_KEYS: Final = 512

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class _Known(Generic[_Found]):
    """One template as it was read, from the end of its head to where reading ended.

    The text is taken as one number. Names that it stores itself move with it: their places are
    its beginning and what `text` says.

    Attributes:
        length: of the text, in bytes.
        mask: 0 where the place of a name is that stands elsewhere, or the head of a name.
        text: the rest.
        step: 1 where the place of a name is that stands within.
        places: takes the places of names that stand elsewhere out of the text.
        names: for each of these, the name as stored; the same object for the same names.
    """

    length: int
    mask: int
    text: int
    step: int
    places: struct.Struct
    names: _Names
    found: _Found

    def is_at(self, chunk: bytes, start: int, seen: dict[_PlacesOfNames, _Names]) -> bool:
        """Whether the same text begins there; `seen` is what was found at places before."""
        text = int.from_bytes(chunk[start : start + self.length], "little")
        if text & self.mask != self.text + start * self.step:
            return False
        if start + self.length > len(chunk):
            return False
        places = self.places.unpack_from(chunk, start)
        if seen.get(places) is self.names:
            return True
        for place, name in set(zip(places, self.names, strict=True)):
            if not chunk.startswith(name, place + NAME_HEAD_BYTES):
                return False
        seen[places] = self.names
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
        self._names: dict[_Names, _Names] = {}
        self._chunk = b""
        self._of_chunk: dict[int, _Found | None] = {}
        self._seen: dict[_PlacesOfNames, _Names] = {}

    def find(self, chunk: bytes, definition: int) -> _Found | None:
        """Return what the template defined at this place says; None where it is of another shape.

        Args:
            chunk: its 64 KiB; quickest where it is the same object as the last time.
            definition: of the template, in bytes from the chunk's beginning.
        """
        if chunk is not self._chunk:
            self._chunk, self._of_chunk, self._seen = chunk, {}, {}
        elif definition in self._of_chunk:
            return self._of_chunk[definition]
        found = self._of_chunk[definition] = self._find(chunk, definition)
        return found

    def _find(self, chunk: bytes, definition: int) -> _Found | None:
        start = definition + HEAD_BYTES
        key = chunk[definition + _KEY_AT : start]
        variants = self._known.get(key, [])
        for index, known in enumerate(variants):
            if known.is_at(chunk, start, self._seen):
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
        self._remember(key, start, chunk[start : cursor.at], cursor.names, found)
        return found

    def _remember(
        self, key: bytes, start: int, text: bytes, uses: Sequence[NameUse], found: _Found
    ) -> None:
        if len(self._known) >= _KEYS:
            self._known.clear()
            self._names.clear()
        variants = self._known.setdefault(key, [])
        if len(variants) >= _VARIANTS:
            variants.clear()
        within = {use.place for use in uses if use.inline}
        names = tuple(use.stored for use in uses if use.place not in within)
        names = self._names.setdefault(names, names)
        variants.append(_known(start, text, uses, names, found))


def _known(
    start: int, text: bytes, uses: Sequence[NameUse], names: _Names, found: _Found
) -> _Known[_Found]:
    within = {use.place for use in uses if use.inline}
    mask = bytearray(b"\xff" * len(text))
    step = 0
    layout = "<"
    end = 0
    for use in uses:
        at = use.at - start
        if use.place in within:
            step += 1 << 8 * at
        else:
            layout += f"{at - end}xI"
            end = at + _PLACE_BYTES
            mask[at:end] = bytes(_PLACE_BYTES)
        if use.inline:
            head = at + _PLACE_BYTES
            mask[head : head + NAME_HEAD_BYTES] = bytes(NAME_HEAD_BYTES)
    whole = int.from_bytes(mask, "little")
    return _Known(
        length=len(text),
        mask=whole,
        text=(int.from_bytes(text, "little") & whole) - start * step,
        step=step,
        places=struct.Struct(layout),
        names=names,
        found=found,
    )
