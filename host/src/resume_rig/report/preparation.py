"""What a DUT should be like before it is measured: for a terminal, and as JSON."""

from collections.abc import Iterable, Iterator

from resume_rig.model.preparation import Item, Prepared, Standing
from resume_rig.report.text.hostile_text import one_line
from resume_rig.report.text.json_text import Json, text_json
from resume_rig.report.text.terminal_style import TerminalStyle

_WORDS = {
    Standing.GOOD: "ok",
    Standing.CHANGE: "SET",
    Standing.NOTE: "note",
    Standing.UNKNOWN: "?",
}
_FOUND_CHARS = 200
_INDENT = "       "


def _wanted(item: Item) -> str:
    return f"{item.wanted} ({item.source})" if item.source else item.wanted


def preparation_lines(prepared: Iterable[Prepared], style: TerminalStyle) -> Iterator[str]:
    """Yield one line an item, and below it what sets right one that is not as it should be."""
    for entry in prepared:
        item, found = entry.item, entry.found
        word = _WORDS[found.standing]
        yield f"{word:<4} {item.name}: {style.shown(found.text, _FOUND_CHARS)}\n"
        if found.standing is Standing.GOOD:
            continue
        yield style.paragraph(f"should be: {_wanted(item)}", len(_INDENT))
        if found.standing is Standing.CHANGE and item.remedy:
            yield f"{_INDENT}set it by: {item.remedy}\n"


def checklist_lines(items: Iterable[Item], style: TerminalStyle) -> Iterator[str]:
    """Yield the checklist for somebody who looks by hand."""
    for item in items:
        yield f"[ ]  {item.name}\n"
        yield style.paragraph(f"should be: {_wanted(item)}", len(_INDENT))
        for question in dict.fromkeys(item.questions):
            yield f"{_INDENT}look with: {question}\n"
        if item.remedy:
            yield f"{_INDENT}set it by: {item.remedy}\n"


def preparation_json(prepared: Iterable[Prepared]) -> list[Json]:
    """Return the items as JSON values."""
    return [
        {
            "name": entry.item.name,
            "standing": entry.found.standing.value,
            "found": text_json(one_line(entry.found.text, _FOUND_CHARS)),
            "wanted": entry.item.wanted,
            "remedy": entry.item.remedy or None,
            "source": entry.item.source or None,
        }
        for entry in prepared
    ]


def checklist_json(items: Iterable[Item]) -> list[Json]:
    """Return the checklist as JSON values."""
    return [
        {
            "name": item.name,
            "wanted": item.wanted,
            "questions": list(dict.fromkeys(item.questions)),
            "remedy": item.remedy or None,
            "source": item.source or None,
        }
        for item in items
    ]
