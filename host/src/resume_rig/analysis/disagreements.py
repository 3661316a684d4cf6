"""Where outside and inside of one cycle disagree: findings, each with its evidence.

`findings/` has one file a family, `finding_classes` tells what each of them means. A finding is
made only where no explanation within the bounds is left.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from resume_rig.analysis.findings.bios_claim import Claim, bios_findings, claim_of
from resume_rig.analysis.findings.display import display_findings, unexplained_findings
from resume_rig.analysis.findings.firmware import firmware_findings
from resume_rig.analysis.findings.records import record_findings, record_missing
from resume_rig.analysis.findings.seen import Found, Seen, Surroundings
from resume_rig.analysis.findings.sleeps import sleep_findings, state_mismatch
from resume_rig.analysis.norms import Norms, norms_of
from resume_rig.analysis.os_away import Hidden, hidden, means_in_a_row
from resume_rig.analysis.platform import Platform
from resume_rig.analysis.reconcile import hidden_by_light
from resume_rig.analysis.record_history import history_of
from resume_rig.model.cycle import OutsideCycle
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.requirement import Requirement
from resume_rig.model.verdict import Finding, FindingKind

__all__ = [
    "bios_is_impossible",
    "disagreements",
    "record_missing",
    "state_mismatch",
    "surroundings_of",
]

_FAMILIES: Final[tuple[Callable[[Seen], Found], ...]] = (
    record_findings,
    sleep_findings,
    bios_findings,
    firmware_findings,
    display_findings,
    unexplained_findings,
)
# What a cause explains is no finding of its own.
_EXPLAINED_BY: Final[Mapping[FindingKind, frozenset[FindingKind]]] = MappingProxyType(
    {
        FindingKind.UNEXPLAINED: frozenset(
            {
                FindingKind.BIOS_UNDER_REPORTED,
                FindingKind.BIOS_OVER_REPORTED,
                FindingKind.LIT_BEFORE_OS,
                FindingKind.STATE_MISMATCH,
                FindingKind.DOUBLE_RESET,
            }
        ),
        FindingKind.LIT_BEFORE_OS: frozenset({FindingKind.BIOS_OVER_REPORTED}),
    }
)


def surroundings_of(
    cycles: Collection[OutsideCycle],
    record_of: Mapping[int, OsRecord],
    records: Sequence[OsRecord],
    *,
    requirement: Requirement,
    reset_to_tsc: BoundedNs,
    platform: Platform,
) -> Surroundings:
    """Return what all findings of a campaign are measured against.

    Args:
        cycles: in order; gone through more than once.
        record_of: the matched record, by index into `cycles`.
        records: all that were read, in record order.
        requirement: what the verdict is about.
        reset_to_tsc: PLTRST# rising to the TSC's zero.
        platform: what is known of the platform.
    """
    history = history_of(records, [record_of[index] for index in sorted(record_of)])
    alone = Surroundings(requirement, reset_to_tsc, Norms(), history, {}, platform)
    # What cannot be tells nothing of what is usual.
    pairs = ((c, record_of[index]) for index, c in enumerate(cycles) if index in record_of)
    norms = norms_of((pair for pair in pairs if not bios_is_impossible(*pair, alone)), platform)

    def hidden_of(index: int, cycle: OutsideCycle) -> Hidden | None:
        record = record_of.get(index)
        # A cycle that errs by itself would make the others seem to.
        if record is None or hidden_by_light(cycle, record, norms) is not None:
            return None
        return hidden(cycle, record, history.before(record), reset_to_tsc)

    def follows(index: int) -> bool:
        record, last = record_of.get(index), record_of.get(index - 1)
        return record is not None and last is not None and history.follows(record, last)

    each_hidden = [hidden_of(index, cycle) for index, cycle in enumerate(cycles)]
    rows = means_in_a_row(each_hidden, [follows(index) for index in range(len(cycles))])
    means = zip(cycles, rows, strict=True)
    return Surroundings(
        requirement=requirement,
        reset_to_tsc=reset_to_tsc,
        norms=norms,
        history=history,
        means={cycle.number: mean for cycle, mean in means if mean is not None},
        platform=platform,
    )


def bios_is_impossible(outside: OutsideCycle, record: OsRecord, around: Surroundings) -> bool:
    """Return whether clock and wires leave no room for the record's BIOS time."""
    return claim_of(Seen(outside, record, around)) is not Claim.POSSIBLE


def disagreements(
    outside: OutsideCycle, record: OsRecord, around: Surroundings
) -> tuple[Finding, ...]:
    """Return every finding of one cycle and its record, without what another one explains."""
    seen = Seen(outside, record, around)
    found = [finding for family in _FAMILIES for finding in family(seen)]
    kinds = {finding.kind for finding in (*outside.findings, *found)}
    return tuple(
        finding
        for finding in found
        if kinds.isdisjoint(_EXPLAINED_BY.get(finding.kind, frozenset()))
    )
