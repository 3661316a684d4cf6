"""What the BIOS took beyond what it reports, as findings state it, and the most it can have."""

from collections.abc import Iterable
from typing import Final

from resume_rig.analysis.reconcile.constraints import Ring
from resume_rig.analysis.reconcile.thresholds import OS_CLOCK_NS
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import ReconciledCycle
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.model.units import NS_PER_MS


def longest_bios_ms(
    running: Ring | None, standing: Ring | None, reset_to_tsc: BoundedNs
) -> float | None:
    """Return the longest BIOS time that clock and wires of a cycle leave room for, in ms.

    It is known to the second of the RTC, by either ring: a clock that is off by less makes no BIOS
    time impossible. Negative where they contradict each other; None if not known.
    """
    ends_ns = [] if standing is None else [standing.to_os.high_ns]
    ends_ns += [] if running is None else [running.to_os.high_ns + 2 * OS_CLOCK_NS]
    if not ends_ns:
        return None
    return (min(ends_ns) + reset_to_tsc.bound_ns - reset_to_tsc.value_ns) / NS_PER_MS


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


def is_of_another_light(findings: Iterable[Finding]) -> bool:
    """Return whether the light that was timed may not be the OS's own."""
    lit = FindingKind.LIT_BEFORE_OS
    return any(each.kind is lit or each.evidence.get("of") == lit.value for each in findings)
