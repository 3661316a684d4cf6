"""The data in a report's script: an object literal, cut into its members and never executed.

It is JSON but for some strings in single quotes. The scanner only knows strings and brackets, so
its time grows with the text and its depth is a number.
Of a cut report the members before the cut are kept.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

VALUE_LIMIT_CHARS: Final = 8 << 20
"""A longer member or session is skipped; real sessions have some KB."""

MEMBERS_LIMIT: Final = 100_000
"""A report of a week has some hundreds."""

DEPTH_LIMIT: Final = 100
"""Real data is some ten levels deep."""

_ASSIGNMENT: Final = re.compile(r"\bLocalSprData\s{0,8}=\s{0,8}(?=\{)")
_TOKEN: Final = re.compile(r"[{}\[\]:,\"']")
_DEEP_TOKEN: Final = re.compile(r"[{}\[\]\"']")  # commas matter only near the top
_QUOTE_OR_ESCAPE: Final = re.compile(r'\\.|"', re.DOTALL)
_TOP: Final = 2
_NAME_LIMIT_CHARS: Final = 100

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Member:
    """One member of the object, or one element of a member that is an array.

    Attributes:
        name: of the member. value: None where it could not be read.
        readable: whether it could.
    """

    name: str
    value: Json
    readable: bool


def data_start(text: str) -> int | None:
    """Return where the object begins; None where the text holds none."""
    match = _ASSIGNMENT.search(text)
    return None if match is None else match.end()


@dataclass(frozen=True, slots=True)
class _Token:
    """A string, a bracket, a colon or a comma: its first character and where it stands."""

    char: str
    start: int
    end: int


class ScriptData:
    """Iterates over the wanted members; `complete` tells afterwards whether the end was there."""

    def __init__(self, text: str, start: int, wanted: frozenset[str]) -> None:
        self._text = text
        self._start = start
        self._wanted = wanted
        self.complete = False

    def members(self) -> Iterator[Member]:
        """Yield the members in their order, arrays element by element."""
        scan = _Scan(self._text, self._wanted)
        position, count = self._start, 0
        while (token := self._next(position, scan.depth)) is not None:
            position = token.end
            found = scan.take(token)
            if found is not None:
                count += 1
                yield found
            if scan.depth == 0 or scan.depth > DEPTH_LIMIT or count == MEMBERS_LIMIT:
                break
        self.complete = scan.depth == 0 and position > self._start

    def _next(self, position: int, depth: int) -> _Token | None:
        pattern = _TOKEN if depth <= _TOP else _DEEP_TOKEN
        match = pattern.search(self._text, position)
        if match is None:
            return None
        char, end = match[0], match.end()
        if char in "\"'":
            end = _string_end(self._text, end, char)
        return _Token(char, match.start(), end) if end > 0 else None


def _string_end(text: str, position: int, quote: str) -> int:
    """Return where a string ends, behind its quote; 0 where it has no end."""
    while (end := text.find(quote, position)) >= 0:
        escapes = end
        while escapes > position and text[escapes - 1] == "\\":
            escapes -= 1
        if (end - escapes) % 2 == 0:
            return end + 1
        position = end + 1
    return 0


class _Scan:
    """Where in the object the scanner is."""

    def __init__(self, text: str, wanted: frozenset[str]) -> None:
        self.depth = 0
        self._wanted = wanted
        self._text = text
        self._name = ""
        self._last_string = ""
        self._base = 1
        self._value_start = -1
        self._single: list[_Token] = []

    def take(self, token: _Token) -> Member | None:
        """Take the next token; return the member that it completes."""
        char = token.char
        if char in "\"'":
            self._string(token)
        elif char in "{[":
            self.depth += 1
            self._opened(char, token)
        elif char in "}]":
            found = self._closes(token)
            self.depth -= 1
            self._base = min(self._base, max(self.depth, 1))
            return found
        elif char == ":" and self.depth == 1:
            self._name = self._last_string
            self._begin_value(token.end)
        elif char == "," and self.depth == self._base:
            return self._value(token.start, token.end if self._base > 1 else -1)
        return None

    def _string(self, token: _Token) -> None:
        if self.depth == 1:
            self._last_string = self._text[token.start + 1 : token.end - 1][:_NAME_LIMIT_CHARS]
        if token.char == "'":
            self._single.append(token)

    def _opened(self, char: str, token: _Token) -> None:
        if self.depth == _TOP and self._base == 1 and char == "[":
            self._base = _TOP
            self._begin_value(token.end)

    def _closes(self, token: _Token) -> Member | None:
        if self.depth != self._base or self._value_start < 0:
            return None
        return self._value(token.start, -1)

    def _begin_value(self, start: int) -> None:
        self._value_start = start
        self._single = []

    def _value(self, end: int, next_start: int) -> Member | None:
        start, single = self._value_start, self._single
        self._begin_value(next_start)
        if self._name not in self._wanted:
            return None
        if start < 0 or not self._text[start : min(end, start + 64)].strip():
            return None
        if end - start > VALUE_LIMIT_CHARS:
            return Member(self._name, None, readable=False)
        try:
            value = json.loads(_as_json(self._text, start, end, single))
        except (ValueError, RecursionError):
            return Member(self._name, None, readable=False)
        return Member(self._name, value, readable=True)


def _as_json(text: str, start: int, end: int, single: list[_Token]) -> str:
    """Return a piece of the text with double quotes where single ones stood."""
    parts, position = [], start
    for token in single:
        inner = _QUOTE_OR_ESCAPE.sub(_requoted, text[token.start + 1 : token.end - 1])
        parts += [text[position : token.start], f'"{inner}"']
        position = token.end
    return "".join((*parts, text[position:end]))


def _requoted(match: re.Match[str]) -> str:
    """Other escapes mean the same in both kinds of string."""
    return {'"': '\\"', "\\'": "'"}.get(match[0], match[0])
