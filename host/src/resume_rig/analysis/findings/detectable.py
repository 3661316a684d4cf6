"""The least error of BiosInit that a campaign would have found, by the thresholds of its tests.

By the OS's clock a finding needs an interval that does not hold zero: an error of its whole width
moves it there, wherever in it the truth was. Against the campaign's own medians it needs more than
what is usual, in BiosInit and in light or clock, and the two to agree; two spreads more find nearly
all.
"""

from collections.abc import Iterable, Sequence
from math import ceil, hypot, inf

from resume_rig.analysis.findings.context import RecordedCycle, Surroundings
from resume_rig.analysis.reconcile.norms import Norm, group_of
from resume_rig.analysis.reconcile.reconcile import unexplained
from resume_rig.analysis.reconcile.thresholds import (
    FOUND_SHARE,
    FOUND_SIGMAS,
    ONE_CAUSE,
    UNEXPLAINED_NS,
)
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import DetectableBios, OutsideCycle


def detectable_bios(
    pairs: Iterable[tuple[OutsideCycle, OsRecord]], around: Surroundings
) -> DetectableBios | None:
    """Return from where on an error of BiosInit is found; None where no cycle reports one.

    Args:
        pairs: cycles with their record, ignored ones among them.
        around: what their findings are made with.
    """
    always: list[float] = []
    single: list[float] = []
    for outside, record in pairs:
        if outside.ignored or record.bios_init_ms is None:
            continue
        alone = _alone_ns(outside, around)
        mean = around.means.get(outside.number)
        on_average = inf if mean is None else 2.0 * mean.mean.bound_ns
        always.append(min(alone, on_average))
        single.append(min(alone, _of_one_cause_ns(RecordedCycle(outside, record, around))))
    if not always:
        return None
    # No sleep follows the last one, so its clock is known to a second only.
    followed = single[:-1] or single
    return DetectableBios(len(always), _in_nearly_all(always), _in_nearly_all(followed))


def _alone_ns(outside: OutsideCycle, around: Surroundings) -> float:
    hidden = around.hidden.get(outside.number)
    if hidden is None or hidden.stopped is None:
        return inf
    return 2.0 * (hidden.each.bound_ns + hidden.drift_ns)


def _of_one_cause_ns(seen: RecordedCycle) -> float:
    group, norms = group_of(seen.outside, seen.record), seen.around.norms
    bios, by_light = norms.bios.get(group), unexplained(seen.outside, seen.record, norms)
    return min(
        _least_ns(bios, by_light, norms.residuals.get(group)),
        _least_ns(bios, seen.off_median, seen.around.hidden_norm),
    )


def _least_ns(bios: Norm | None, rest: BoundedNs | None, norm: Norm | None) -> float:
    if rest is None or norm is None or bios is None:
        return inf
    if norm.unusual_ns is None or bios.unusual_ns is None:
        return inf
    bios_ns, rest_ns = bios.spread_ns or 0, norm.spread_ns or 0
    return max(
        max(bios.unusual_ns, UNEXPLAINED_NS) + FOUND_SIGMAS * bios_ns,
        max(norm.unusual_ns, UNEXPLAINED_NS, rest.bound_ns) + FOUND_SIGMAS * rest_ns,
        ONE_CAUSE * FOUND_SIGMAS * hypot(bios_ns, rest_ns),
    )


def _in_nearly_all(least_ns: Sequence[float]) -> int | None:
    found = sorted(least_ns)[ceil(FOUND_SHARE * len(least_ns)) - 1]
    return None if found == inf else ceil(found)
