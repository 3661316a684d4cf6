"""Light on a comparator's line that may be no display's, or not the OS's.

A light that flickers is a dimmed panel, a lamp, or a PWM sampled too slowly: its first edge is its
first flash. Of a dimmed panel that may be late by as long as it is dark in a period; of a lamp it
says nothing of the display. Light before PLTRST# rises comes from no graphics: they are in reset.
Light that goes dark and comes back in one wake is a logo before the OS's picture.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.analysis.cycles.levels import DARK_MIN_NS
from resume_rig.model.channel import Channel
from resume_rig.model.edge import CHANNELS, EdgeColumns
from resume_rig.model.result.cycle import IntervalName, OutsideCycle
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.model.units import NS_PER_MS, NS_PER_S

_LIT: Final = frozenset({IntervalName.PLTRST_TO_LIGHT, IntervalName.PRESS_TO_LIGHT})
_MAINS_NS: Final = (NS_PER_S / 100, NS_PER_S / 120, NS_PER_S / 50, NS_PER_S / 60)
_MAINS_SHARE: Final = 0.03
"""Mains keep their frequency to 1 % (EN 50160); the rest is for the sampling. No panel is dimmed at
these rates (assumed: they would beat with the lamps)."""

_FLASHES: Final = 3
"""Dark parts that make a flicker. Assumed: fewer are bounces of a ramp."""

_WATCHED_NS: Final = NS_PER_S
"""A flicker begins with the light, and is looked for within so long. Assumed."""

_RELIT_NS: Final = 10 * NS_PER_S
"""A display that goes dark later was switched off by somebody, or by idling. Assumed."""

_STEADY_NS: Final = NS_PER_S // 2
"""Light that no longer flickers for so long has changed: something else came on. Assumed."""

_SAMPLES: Final = 4
"""A period of fewer samples than that shows beats in place of itself. Assumed, at twice what the
sampling theorem asks for, as the lit and the dark part both have to be met."""


def with_flicker(
    cycles: Sequence[OutsideCycle], begins_ns: Sequence[int], edges: EdgeColumns, step_ns: int
) -> Iterator[OutsideCycle]:
    """Yield cycles with their times to light as well as a flicker leaves them.

    Args:
        cycles: of a capture, in order.
        begins_ns: when the edges of each begin.
        edges: of the whole capture, flicker included.
        step_ns: between two samples.
    """
    own = edges.codes == CHANNELS.index(Channel.BACKLIGHT)
    t_ns, levels = edges.t_ns[own], edges.levels[own]
    ends_ns = [*begins_ns, np.iinfo(np.int64).max][1:]
    for cycle, end_ns in zip(cycles, ends_ns, strict=True):
        if cycle.awake_from_ns is None or _LIT.isdisjoint(cycle.intervals):
            yield cycle
            continue
        first, last = np.searchsorted(t_ns, [cycle.awake_from_ns, end_ns]).tolist()
        yield _one(cycle, t_ns[first:last], levels[first:last], step_ns)


def _one(
    cycle: OutsideCycle, t_ns: NDArray[np.int64], levels: NDArray[np.uint8], step_ns: int
) -> OutsideCycle:
    if _is_before_reset(cycle):
        return _not_timed(cycle, "Light came while PLTRST# still held the graphics in reset", {})
    lit = int(np.argmax(levels == 1)) if levels.size else 0
    t_ns, levels = t_ns[lit:], levels[lit:]
    falls = np.flatnonzero((levels[:-1] == 0) & (levels[1:] == 1))
    falls = falls[t_ns[falls] <= t_ns[0] + _RELIT_NS]
    longer = falls[t_ns[falls + 1] - t_ns[falls] >= DARK_MIN_NS]
    falls = falls[t_ns[falls] <= t_ns[0] + _WATCHED_NS]
    falls = falls[t_ns[falls + 1] - t_ns[falls] < DARK_MIN_NS]
    if longer.size:
        return _relit(cycle, int(t_ns[longer[-1] + 1] - t_ns[0]))
    if not falls.size:
        return cycle
    if falls.size < _FLASHES:
        return _widened(cycle, int(t_ns[falls[-1] + 1] - t_ns[0]))
    return _flickering(cycle, t_ns, falls, step_ns)


def _flickering(
    cycle: OutsideCycle, t_ns: NDArray[np.int64], falls: NDArray[np.int64], step_ns: int
) -> OutsideCycle:
    """Return a cycle whose light flickers.

    Args:
        cycle: as its first flash has it.
        t_ns: of the line's edges, from that flash on.
        falls: places in there at which a dark part begins.
        step_ns: between two samples.
    """
    dark_ns = t_ns[falls + 1] - t_ns[falls]
    period_ns = float(np.median(np.diff(t_ns[falls])))
    why = _refused(period_ns, dark_ns, step_ns)
    after = t_ns[falls[-1] + 1 :]
    steady_ns = float(after[1] - after[0]) if after.size > 1 else np.inf
    if why is None and steady_ns >= _STEADY_NS and t_ns[falls[-1]] < t_ns[0] + _WATCHED_NS / 2:
        why = "it stopped, and the light stayed: something else flickered before"
    if why is None:
        return _widened(cycle, int(dark_ns.max()))
    text = f"Light came, and flickered with a period of {period_ns / NS_PER_MS:.2f} ms: {why}"
    return _not_timed(cycle, text, {"period_ns": round(period_ns)})


def _not_timed(cycle: OutsideCycle, why: str, evidence: Mapping[str, int]) -> OutsideCycle:
    """Return a cycle without its times to light."""
    text = f"{why}. When the display was lit is not known."
    finding = Finding(FindingKind.LIGHT_NOT_TIMED, text, evidence)
    kept = {name: each for name, each in cycle.intervals.items() if name not in _LIT}
    return replace(cycle, intervals=kept, findings=(*cycle.findings, finding), light_basis=None)


def _refused(period_ns: float, dark_ns: NDArray[np.int64], step_ns: int) -> str | None:
    """Return why a flicker is none of a panel that is dimmed and sampled well enough; or None."""
    if any(abs(period_ns - mains_ns) <= _MAINS_SHARE * mains_ns for mains_ns in _MAINS_NS):
        return "that is a lamp's, at the rate of the mains"
    if period_ns < _SAMPLES * step_ns or dark_ns.max() > 2 * np.median(dark_ns) + 2 * step_ns:
        return "that is sampled too slowly, or no one light"
    return None


def _is_before_reset(cycle: OutsideCycle) -> bool:
    """Return whether the light came before PLTRST# rose, beyond the bounds."""
    lit, reset = (
        cycle.intervals.get(name)
        for name in (IntervalName.PRESS_TO_LIGHT, IntervalName.PRESS_TO_PLTRST)
    )
    after = cycle.intervals.get(IntervalName.PLTRST_TO_LIGHT)
    if after is None and lit is not None and reset is not None:
        after = lit - reset
    return after is not None and after.value_ns + after.bound_ns < 0


def _relit(cycle: OutsideCycle, later_ns: int) -> OutsideCycle:
    """Return a cycle whose display went dark and came back; its times are to the first light."""
    finding = Finding(
        FindingKind.SUSPICION,
        f"The display went dark again, and was lit {later_ns / NS_PER_MS:.0f} ms after its first "
        "light: a logo of the firmware, likely, before the OS's picture.",
        {"of": FindingKind.LIT_BEFORE_OS.value, "later_light_ns": later_ns},
    )
    return replace(cycle, findings=(*cycle.findings, finding))


def _widened(cycle: OutsideCycle, by_ns: int) -> OutsideCycle:
    wide = {
        name: replace(each, bound_ns=each.bound_ns + by_ns) if name in _LIT else each
        for name, each in cycle.intervals.items()
    }
    return replace(cycle, intervals=wide)
