"""Light that flickers on a comparator's line: a dimmed panel, a lamp, or a PWM sampled too slowly.

The first edge of such a light is its first flash. Of a dimmed panel the first flash may be late by
as long as it is dark in a period; of a lamp it says nothing of the display.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.channel import Channel
from resume_rig.model.edge import CHANNELS, EdgeColumns
from resume_rig.model.quantity import BoundedNs
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

_STEADY_NS: Final = NS_PER_S // 2
"""Light that no longer flickers for so long has changed: something else came on. Assumed."""

_SAMPLES: Final = 4
"""A period of fewer samples than that shows beats in place of itself. Assumed, at twice what the
sampling theorem asks for, as the lit and the dark part both have to be met."""


def with_flicker(
    cycles: Iterable[OutsideCycle], edges: EdgeColumns, step_ns: int
) -> Iterator[OutsideCycle]:
    """Yield cycles with their times to light as well as a flicker leaves them.

    Args:
        cycles: of a capture, in order.
        edges: of the whole capture, flicker included.
        step_ns: between two samples.
    """
    own = edges.codes == CHANNELS.index(Channel.BACKLIGHT)
    t_ns, levels = edges.t_ns[own], edges.levels[own]
    for cycle in cycles:
        if cycle.awake_from_ns is None or _LIT.isdisjoint(cycle.intervals):
            yield cycle
            continue
        first = int(np.searchsorted(t_ns, cycle.awake_from_ns))
        last = int(np.searchsorted(t_ns, cycle.awake_from_ns + 60 * NS_PER_S))
        yield _one(cycle, t_ns[first:last], levels[first:last], step_ns)


def _one(
    cycle: OutsideCycle, t_ns: NDArray[np.int64], levels: NDArray[np.uint8], step_ns: int
) -> OutsideCycle:
    rises = np.flatnonzero(levels == 1)
    if not rises.size:
        return cycle
    t_ns, levels = t_ns[rises[0] :], levels[rises[0] :]
    falls = np.flatnonzero((levels[:-1] == 0) & (levels[1:] == 1))
    falls = falls[t_ns[falls] <= t_ns[0] + _WATCHED_NS]
    if falls.size < _FLASHES:
        return cycle
    dark_ns = t_ns[falls + 1] - t_ns[falls]
    period_ns = float(np.median(np.diff(t_ns[falls])))
    why = _refused(period_ns, dark_ns, step_ns)
    after = t_ns[falls[-1] + 1 :]
    steady_ns = float(after[1] - after[0]) if after.size > 1 else np.inf
    if why is None and steady_ns >= _STEADY_NS and t_ns[falls[-1]] < t_ns[0] + _WATCHED_NS / 2:
        why = "it stopped, and the light stayed: something else flickered before"
    if why is None:
        late_ns = int(dark_ns.max())
        return replace(
            cycle,
            intervals={
                name: _widened(each, late_ns) if name in _LIT else each
                for name, each in cycle.intervals.items()
            },
        )
    text = (
        f"Light came, and flickered with a period of {period_ns / NS_PER_MS:.2f} ms: {why}. When "
        "the display was lit is not known."
    )
    finding = Finding(FindingKind.LIGHT_NOT_TIMED, text, {"period_ns": round(period_ns)})
    kept = {name: each for name, each in cycle.intervals.items() if name not in _LIT}
    return replace(cycle, intervals=kept, findings=(*cycle.findings, finding), light_basis=None)


def _refused(period_ns: float, dark_ns: NDArray[np.int64], step_ns: int) -> str | None:
    """Return why a flicker is none of a panel that is dimmed and sampled well enough; or None."""
    if any(abs(period_ns - mains_ns) <= _MAINS_SHARE * mains_ns for mains_ns in _MAINS_NS):
        return "that is a lamp's, at the rate of the mains"
    if period_ns < _SAMPLES * step_ns or dark_ns.max() > 2 * np.median(dark_ns) + 2 * step_ns:
        return "that is sampled too slowly, or no one light"
    return None


def _widened(quantity: BoundedNs, by_ns: int) -> BoundedNs:
    return replace(quantity, bound_ns=quantity.bound_ns + by_ns)
