"""Gathers the findings of cycles for every format: each once, and grouped by kind."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from resume_rig.model.cycle import ReconciledCycle
from resume_rig.model.verdict import Finding, FindingKind


@dataclass(frozen=True, slots=True)
class CycleFinding:
    """A finding and the number of the cycle that it is about."""

    cycle: int
    finding: Finding


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """All findings of one kind, in cycle order."""

    kind: FindingKind
    members: tuple[CycleFinding, ...]


@dataclass(frozen=True, slots=True)
class SharedFinding:
    """A finding and the cycles that it is about, word for word and figure for figure."""

    cycles: tuple[int, ...]
    finding: Finding


def findings_of(cycle: ReconciledCycle) -> tuple[Finding, ...]:
    """Return what the wires show and what the reconciliation adds, each once."""
    own = tuple(cycle.findings)
    return tuple(f for f in cycle.outside.findings if f not in own) + own


def grouped_findings(cycles: Iterable[ReconciledCycle]) -> tuple[FindingGroup, ...]:
    """Return the findings by kind, rare kinds first: they are the ones easily overlooked."""
    groups: dict[FindingKind, list[CycleFinding]] = {}
    for cycle in cycles:
        for finding in findings_of(cycle):
            groups.setdefault(finding.kind, []).append(CycleFinding(cycle.outside.number, finding))
    ordered = sorted(groups.items(), key=lambda item: (len(item[1]), item[0].value))
    return tuple(FindingGroup(kind, tuple(members)) for kind, members in ordered)


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


def cycle_ranges(numbers: Sequence[int], most: int = 12) -> str:
    """Write cycle numbers as ranges ("1-4, 7"), at most `most` of them, then how many remain."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    texts = [str(a) if a == b else f"{a}-{b}" for a, b in ranges[:most]]
    if rest := sum(b - a + 1 for a, b in ranges[most:]):
        texts.append(f"and {rest} more")
    return ", ".join(texts)
