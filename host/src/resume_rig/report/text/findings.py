"""Findings of one kind as lines of a table: equal ones, or those that differ in numbers, once."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.findings.groups import CycleFinding, FindingGroup
from resume_rig.model.result.verdict import Finding


@dataclass(frozen=True, slots=True)
class SharedFinding:
    """A finding and the cycles that it is about, word for word and figure for figure."""

    cycles: tuple[int, ...]
    finding: Finding


def shared_findings(group: FindingGroup) -> tuple[SharedFinding, ...]:
    """Return the findings of one kind, equal ones once, in the order of their first cycles."""
    found: list[tuple[Finding, list[int]]] = []
    place: dict[tuple[str, str], int] = {}
    for member in group.members:
        key = (member.finding.text, repr(sorted(member.finding.evidence.items())))
        if key in place:
            found[place[key]][1].append(member.cycle)
        else:
            place[key] = len(found)
            found.append((member.finding, [member.cycle]))
    return tuple(SharedFinding(tuple(cycles), finding) for finding, cycles in found)


_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_FOLDED_FROM: Final = 3


@dataclass(frozen=True, slots=True)
class FoldedFinding:
    """Findings that differ in their numbers alone, as one: a number is a range, "343 to 388"."""

    cycles: tuple[int, ...]
    text: str
    evidence: Mapping[str, str]


def folded_findings(group: FindingGroup) -> tuple[FoldedFinding, ...]:
    """Return the findings of one kind, those that differ in their numbers alone as one line.

    Two of them stay two: their own figures are shorter than what they have in common.
    """
    by_key: dict[tuple[str, tuple[str, ...]], list[CycleFinding]] = {}
    for member in group.members:
        found = member.finding
        key = (_NUMBER.sub("0", found.text), tuple(sorted(found.evidence)))
        by_key.setdefault(key, []).append(member)
    lines: list[FoldedFinding] = []
    for members in by_key.values():
        if len(members) >= _FOLDED_FROM:
            lines.append(_folded(members))
            continue
        shared = shared_findings(FindingGroup(group.kind, tuple(members)))
        lines += [_folded([CycleFinding(n, each.finding) for n in each.cycles]) for each in shared]
    return tuple(lines)


def _folded(members: Sequence[CycleFinding]) -> FoldedFinding:
    texts = [member.finding.text for member in members]
    evidence = [member.finding.evidence for member in members]
    numbers = zip(*(_NUMBER.findall(text) for text in texts), strict=True)
    ranges = iter([_range_text(column) for column in numbers])
    return FoldedFinding(
        cycles=tuple(member.cycle for member in members),
        text=_NUMBER.sub(lambda _: next(ranges), texts[0]),
        evidence=dict(_evidence(name, [each[name] for each in evidence]) for name in evidence[0]),
    )


_IN_MS: Final = {"_ns": 1e-6, "_us": 1e-3}


def _evidence(name: str, values: Sequence[int | float | str | None]) -> tuple[str, str]:
    """Return a piece of evidence as it is read: its name in words, times in ms."""
    unit = name[-3:]
    if unit not in _IN_MS or not all(isinstance(each, int | float) for each in values):
        return name, _range_text([_evidence_text(each) for each in values])
    times_ms = [f"{float(each or 0) * _IN_MS[unit]:.2f}" for each in values]
    return f"{name.removesuffix(unit)}_ms", _range_text(times_ms)


def _evidence_text(value: int | float | str | None) -> str:
    if value is None:
        return "not set"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _range_text(values: Sequence[str]) -> str:
    """Return one text for all: the same, or from the least number to the greatest."""
    different = list(dict.fromkeys(values))
    if len(different) == 1:
        return different[0]
    try:
        ordered = sorted(different, key=float)
    except ValueError:
        return f"{different[0]} and {len(different) - 1} more"
    return f"{ordered[0]} to {ordered[-1]}"


_RANGES_MOST: Final = 12


def cycle_ranges(numbers: Sequence[int]) -> str:
    """Write cycle numbers as ranges ("1-4, 7"), a dozen at most, then how many remain."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    texts = [str(a) if a == b else f"{a}-{b}" for a, b in ranges[:_RANGES_MOST]]
    if rest := sum(b - a + 1 for a, b in ranges[_RANGES_MOST:]):
        texts.append(f"and {rest} more")
    return ", ".join(texts)
