"""Findings of all cycles: each once, grouped by kind, ranked by what they put in doubt."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.findings.kinds import ABOUT, Doubt
from resume_rig.model.result.cycle import ReconciledCycle
from resume_rig.model.result.verdict import Finding, FindingKind


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


def findings_of(cycle: ReconciledCycle) -> tuple[Finding, ...]:
    """Return what the wires show and what the reconciliation adds, each once."""
    own = tuple(cycle.findings)
    return tuple(f for f in cycle.outside.findings if f not in own) + own


def in_groups(groups: Mapping[FindingKind, Sequence[CycleFinding]]) -> tuple[FindingGroup, ...]:
    """Return findings by kind, rare kinds first: they are the ones easily overlooked."""
    ordered = sorted(groups.items(), key=lambda item: (len(item[1]), item[0].value))
    return tuple(FindingGroup(kind, tuple(members)) for kind, members in ordered)


def grouped_findings(cycles: Iterable[ReconciledCycle]) -> tuple[FindingGroup, ...]:
    """Return the findings of cycles by kind, as `in_groups` orders them."""
    groups: dict[FindingKind, list[CycleFinding]] = {}
    for cycle in cycles:
        for finding in findings_of(cycle):
            groups.setdefault(finding.kind, []).append(CycleFinding(cycle.outside.number, finding))
    return in_groups(groups)


_DOUBTS: Final = tuple(Doubt)
_KINDS: Final = tuple(ABOUT)


def ranked_findings(groups: Iterable[FindingGroup]) -> tuple[FindingGroup, ...]:
    """Return groups by what they put in doubt, of those that doubt the same the commonest first."""
    return tuple(
        sorted(
            groups,
            key=lambda each: (
                _DOUBTS.index(ABOUT[each.kind].doubt),
                -len(each.members),
                _KINDS.index(each.kind),
            ),
        )
    )
