"""How much BIOS time a cycle's record keeps to itself, as the findings of that cycle have it."""

from typing import Final

from resume_rig.model.cycle import ReconciledCycle
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.verdict import FindingKind

BIOS_IS_WRONG: Final = frozenset({FindingKind.BIOS_UNDER_REPORTED, FindingKind.BIOS_OVER_REPORTED})
"""Findings by which a BIOS time is not what it was, though there was time for it."""


def hidden_bios(cycle: ReconciledCycle) -> BoundedNs | None:
    """Return what the BIOS took beyond its reported time, negative where it took less.

    None where clock and wires do not contradict the reported time.
    """
    for finding in cycle.findings:
        if finding.kind not in BIOS_IS_WRONG:
            continue
        hidden_ns, bound_ns = (finding.evidence.get(key) for key in ("hidden_ns", "bound_ns"))
        if isinstance(hidden_ns, int) and isinstance(bound_ns, int):
            return BoundedNs(hidden_ns, bound_ns)
    return None
