"""The verdict of a campaign that still runs: provisional, by what each cycle has told by itself.

The judged campaign knows more: which record is of which cycle, what clock and wires contradict,
and how uncertain a time is. So a MARGINAL is never said here. Pure.
"""

from collections.abc import Iterable
from typing import Final

from resume_rig.campaign.plan import Plan
from resume_rig.model.cycle import IntervalName, OutsideCycle
from resume_rig.model.os_record import OsRecord
from resume_rig.model.outcome import BROKEN, CAME_BACK, MEANINGS, TRIED
from resume_rig.model.requirement import RESUME, Comparison, Limit, Requirement
from resume_rig.model.verdict import Verdict

_NS_PER_MS: Final = 1_000_000
_WIRES: Final = {name.value: name for name in IntervalName}


class SoFar:
    """What the judged cycles of a session came to.

    Args:
        requirement: of which required limits on every cycle count, of the resume and the wires.
    """

    def __init__(self, requirement: Requirement) -> None:
        self._kinds = requirement.kinds
        self._limits = tuple(
            limit
            for limit in requirement.limits()
            if limit.required
            and limit.share is None
            and limit.comparison in (Comparison.AT_MOST, Comparison.BELOW)
            and (limit.measure == RESUME or limit.measure in _WIRES)
        )
        # What a share of cycles must keep is shown by many of them, and told when all are judged.
        self._open = any(limit.required and limit.share for limit in requirement.limits())
        self._evidence_min = requirement.evidence_min
        self._within = [0] * len(self._limits)
        self._undecided = [0] * len(self._limits)
        self._failed = 0

    def add(
        self, plan: Plan, index: int, outside: OutsideCycle, records: Iterable[OsRecord]
    ) -> None:
        """Count a cycle.

        Args:
            plan: what this cycle was asked for.
            index: how many cycles of the plan were before it.
            outside: what its wires say.
            records: that the log brought with it.
        """
        if index < plan.warm_up or plan.state not in self._kinds or outside.outcome not in TRIED:
            return
        if outside.outcome in BROKEN:
            self._failed += 1
            return
        told = [record for record in records if record.kind in self._kinds]
        kept = [_is_kept(limit, outside, told) for limit in self._limits]
        if False in kept:
            self._failed += 1
            return
        woke = outside.outcome in CAME_BACK and MEANINGS[outside.outcome].why_not is None
        for place, each in enumerate(kept):
            self._within[place] += each is True
            self._undecided[place] += each is None and woke

    @property
    def verdict(self) -> Verdict:
        """FAIL by any cycle; PASS by enough where each has to keep the limits; else NO-EVIDENCE."""
        if self._failed:
            return Verdict.FAIL
        counts = list(zip(self._within, self._undecided, strict=True))
        enough = all(n >= self._evidence_min * (n + undecided) for n, undecided in counts)
        shown = any(self._within) and enough and not self._open
        return Verdict.PASS if shown else Verdict.NO_EVIDENCE


def _is_kept(limit: Limit, outside: OutsideCycle, records: Iterable[OsRecord]) -> bool | None:
    """Return whether a cycle keeps a limit; None where it told nothing of that."""
    if limit.measure == RESUME:
        values = [r.resume_ms * _NS_PER_MS for r in records if r.resume_ms is not None]
    else:
        quantity = outside.intervals.get(_WIRES[limit.measure])
        values = [] if quantity is None else [quantity.value_ns]
    if not values:
        return None
    below = limit.comparison is Comparison.BELOW
    return all(value < limit.value if below else value <= limit.value for value in values)
