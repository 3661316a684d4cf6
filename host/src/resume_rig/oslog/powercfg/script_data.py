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

_ASSIGNMENT: Final = re.compile(r"\bLocalSprData\s{0,8}=\s{0,8}(?=\{)")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[{}\[\]:,"\']', re.DOTALL)

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


class ScriptData:
    """Iterates over the members; `complete` tells afterwards whether the object was closed."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._start = start
        self.complete = False

    def members(self) -> Iterator[Member]:
        """Yield the members in their order, arrays element by element."""
        scan = _Scan()
        for token in _TOKEN.finditer(self._text, self._start):
            found = scan.take(token, self._text)
            if found is not None:
                yield found
            if scan.depth == 0 or scan.broken:
                break
        self.complete = scan.depth == 0 and not scan.broken


class _Scan:
    """Where in the object the scanner is."""

    def __init__(self) -> None:
        self.depth = 0
        self.broken = False
        self._name = ""
        self._last_string = ""
        self._base = 1
        self._value_start = -1
        self._pieces: list[tuple[int, int, str]] = []

    def take(self, token: re.Match[str], text: str) -> Member | None:
        char = token[0][0]
        if char in "\"'":
            self._string(token)
        elif char in "{[":
            self.depth += 1
            self._opened(char, token)
        elif char in "}]":
            found = self._closes(token, text)
            self.depth -= 1
            self._base = min(self._base, max(self.depth, 1))
            return found
        elif char == ":" and self.depth == 1:
            self._name = self._last_string
            self._begin_value(token.end())
        elif char == "," and self.depth == self._base:
            return self._value(token.start(), text, token.end() if self._base > 1 else -1)
        return None

    def _string(self, token: re.Match[str]) -> None:
        if len(token[0]) == 1:
            self.broken = True  # a string without its end
            return
        if self.depth == 1:
            self._last_string = token[0][1:-1]
        if token[0][0] == "'":
            inner = token[0][1:-1].replace("\\'", "'").replace('"', '\\"')
            self._pieces.append((token.start(), token.end(), f'"{inner}"'))

    def _opened(self, char: str, token: re.Match[str]) -> None:
        if self.depth == 2 and self._base == 1 and char == "[":
            self._base = 2
            self._begin_value(token.end())

    def _closes(self, token: re.Match[str], text: str) -> Member | None:
        if self.depth != self._base or self._value_start < 0:
            return None
        return self._value(token.start(), text, -1)

    def _begin_value(self, start: int) -> None:
        self._value_start = start
        self._pieces = []

    def _value(self, end: int, text: str, next_start: int) -> Member | None:
        start, pieces = self._value_start, self._pieces
        self._begin_value(next_start)
        if start < 0 or text[start : min(end, start + 64)].isspace() or start == end:
            return None
        if end - start > VALUE_LIMIT_CHARS:
            return Member(self._name, None, readable=False)
        try:
            return Member(self._name, json.loads(_joined(text, start, end, pieces)), readable=True)
        except (ValueError, RecursionError):
            return Member(self._name, None, readable=False)


def _joined(text: str, start: int, end: int, pieces: list[tuple[int, int, str]]) -> str:
    parts, position = [], start
    for first, last, replacement in pieces:
        if first >= start:
            parts += [text[position:first], replacement]
            position = last
    return "".join((*parts, text[position:end]))
