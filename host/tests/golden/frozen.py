"""The frozen answers: how they are kept, and how they are held against new ones."""

import difflib
import json
import lzma
import math
import re
from pathlib import Path

ANSWERS = Path(__file__).parent / "answers"
INPUTS = Path(__file__).parent / "inputs"

# A float's last digits depend on the processor: numpy has exp and log for each kind of vector unit.
CLOSE = 1e-9
_FLOAT = re.compile(r"(?<![\w.])-?\d+(?:\.\d+(?:[eE][-+]?\d+)?|[eE][-+]?\d+)(?![\w.])")

Answers = dict[str, str]


def freeze(name: str, answers: Answers) -> None:
    """Keep the answers of a case."""
    text = json.dumps(answers, ensure_ascii=False, sort_keys=True)
    ANSWERS.mkdir(exist_ok=True)
    place_of(name).write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def thawed(name: str) -> Answers:
    """Return the answers of a case as they were frozen; nothing where there are none."""
    place = place_of(name)
    if not place.exists():
        return {}
    found: Answers = json.loads(lzma.decompress(place.read_bytes()))
    return found


def place_of(name: str) -> Path:
    """Return the file of a case."""
    return ANSWERS / f"{name}.json.xz"


def differences(before: Answers, now: Answers) -> list[str]:
    """Return a readable sentence for each answer that changed."""
    found = [f"{name}: is not answered any more" for name in before if name not in now]
    found += [f"{name}: is new" for name in now if name not in before]
    for name in before.keys() & now.keys():
        if not alike(before[name], now[name]):
            found.append(f"{name}: {first_difference(before[name], now[name])}")
    return sorted(found)


def alike(before: str, now: str) -> bool:
    """Return whether two answers are the same but for a float's last digits."""
    if before == now:
        return True
    if _FLOAT.sub("0.0", before) != _FLOAT.sub("0.0", now):
        return False
    pairs = zip(_FLOAT.findall(before), _FLOAT.findall(now), strict=True)
    return all(_close(one, other) for one, other in pairs)


def _close(one: str, other: str) -> bool:
    return math.isclose(float(one), float(other), rel_tol=CLOSE, abs_tol=1e-12)


def first_difference(before: str, now: str) -> str:
    """Return where two answers differ first: a path in a document, or a line of a text."""
    try:
        old, new = json.loads(before), json.loads(now)
    except ValueError:
        return _first_line(before, now)
    return _first_key(old, new, "$") or _first_line(before, now)


def _first_key(old: object, new: object, path: str) -> str:  # noqa: PLR0911 - a case a line
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if key not in new:
                return f"{path}.{key} is gone; it was {_short(old[key])}"
            if key not in old:
                return f"{path}.{key} is new: {_short(new[key])}"
            found = _first_key(old[key], new[key], f"{path}.{key}")
            if found:
                return found
        return "" if list(old) == list(new) else f"{path}: the keys are in another order"
    if isinstance(old, list) and isinstance(new, list):
        for i, (one, other) in enumerate(zip(old, new, strict=False)):
            found = _first_key(one, other, f"{path}[{i}]")
            if found:
                return found
        return "" if len(old) == len(new) else f"{path} had {len(old)} items, has {len(new)}"
    if type(old) is type(new) and (old == new or _is_close(old, new)):
        return ""
    return f"{path} was {_short(old)}, is {_short(new)}"


def _is_close(old: object, new: object) -> bool:
    return isinstance(old, float) and isinstance(new, float) and _close(repr(old), repr(new))


def _first_line(before: str, now: str) -> str:
    olds, news = before.splitlines(), now.splitlines()
    for number, (old, new) in enumerate(zip(olds, news, strict=False), 1):
        if not alike(old, new):
            at = _unlike(old, new)
            return f"line {number} was\n    {_about(old, at)}\n  is\n    {_about(new, at)}"
    if len(olds) == len(news):
        return "line ends differ"
    more = (olds if len(olds) > len(news) else news)[min(len(olds), len(news))]
    return f"had {len(olds)} lines, has {len(news)}; the first that is more: {_short(more)}"


def _unlike(old: str, new: str) -> int:
    for tag, low, *_ in difflib.SequenceMatcher(None, old[:2000], new[:2000], False).get_opcodes():
        if tag != "equal":
            return low
    return 0


def _about(text: str, at: int) -> str:
    low = max(0, at - 60)
    return ("..." if low else "") + text[low : at + 100] + ("..." if at + 100 < len(text) else "")


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:157] + "..."
