"""Makes text that came from a DUT, a log or a file name fit to be shown.

Such text can hold ANSI escapes, bidirectional overrides, invisible characters, lone surrogates or
64 KB of anything. It is bounded, put on one line, and what does not print is spelled out. Escaping
for HTML is the template engine's work and comes after this.
"""

import unicodedata
from typing import Final

SENTENCE_LIMIT: Final = 1_000
"""Characters of a finding, a reason or an identity value that are shown."""

_SPELLED_OUT: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
_ASCII: Final = str.maketrans(
    {
        "±": "+/-",
        "→": "->",
        "…": "...",
        "≤": "<=",
        "≥": ">=",
        "−": "-",
        "–": "-",
        "—": "-",
        "·": "*",
        "µ": "u",
        "μ": "u",
        "×": "x",
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
    }
)


def bounded(text: str, limit: int = SENTENCE_LIMIT) -> str:
    """Cut `text` to `limit` characters, the last an ellipsis where something was cut off."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def encodable(text: str) -> str:
    """Replace lone surrogates, which no UTF-8 file and no strict JSON reader takes."""
    if text.isascii():
        return text
    return "".join(_REPLACEMENT if "\ud800" <= c <= "\udfff" else c for c in text)


def one_line(text: str, limit: int = SENTENCE_LIMIT) -> str:
    """Bound `text` and spell out what does not print; white space becomes single spaces."""
    return spelled_out(" ".join(bounded(text, limit).split()))


def spelled_out(text: str) -> str:
    """Spell out what does not print, line ends too; white space stays as it is."""
    return text if text.isprintable() else "".join(_spelled(c) for c in text)


def ascii_only(text: str) -> str:
    """Write `text` in ASCII: our own signs in words, other characters by their number."""
    return text.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")


def display_width(text: str) -> int:
    """Return how many terminal cells `text` takes; wide East Asian characters take two."""
    if text.isascii():
        return len(text)
    return sum(_cells(c) for c in text)


def _spelled(character: str) -> str:
    if unicodedata.category(character) not in _SPELLED_OUT:
        return character
    return (
        character.encode("ascii", "backslashreplace").decode("ascii")
        if (ord(character) > 0x7F)
        else f"\\x{ord(character):02x}"
    )


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
