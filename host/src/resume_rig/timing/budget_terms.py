"""The terms of a budget: what may be wrong with a stamp, and with what is taken for an edge.

docs/explanation/uncertainty.md tells where each figure comes from.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Final

from resume_rig.model.budget import BudgetRow, Distribution, Evaluation, Scope
from resume_rig.model.channel import Channel
from resume_rig.model.coverage import SQRT_3
from resume_rig.model.front_end import PathDelay

# The photoMOS needs 30..42 us for 2.0 V to 0.8 V: where in there the press "is", is a definition.
PRESS_DEFINITION_NS: Final = 20_000
# A finger that senses its contact: the travel of the key until it switches.
FINGER_DEFINITION_NS: Final = 5_000_000
# Pilot hall and the DUT's hall switch at different fields of one magnet.
LID_DEFINITION_NS: Final = 6_000_000
# Ramp of the LED driver and phase of a dimmed panel are unknown to a digital edge.
LIGHT_DEFINITION_NS: Final = 1_000_000

FIXED: Final = "fixed: "
"""Begins the group of an error that is the same at each edge of a kind, not only at one edge."""
_EXPLAINED: Final = "docs/explanation/uncertainty.md"
_INFO: Final = "the board's info"
_CALIBRATION: Final = "the board's calibration"


@dataclass(frozen=True, slots=True)
class StampFacts:
    """What a board states of one channel's stamps.

    Attributes:
        resolution_ns, uncertainty_ns: as in its info.
        edge_source: what stamps edges; empty where the board does not tell.
        measured_sd_ns, deviation_ns: of a loop-back's latencies; None where it is not calibrated.
        delay_ns: what it states is to be subtracted from its stamps.
        states_front_end: the front end's delay is in `delay_ns`; the table's is not used then.
    """

    resolution_ns: int
    uncertainty_ns: int
    edge_source: str = ""
    measured_sd_ns: int | None = None
    deviation_ns: int = 0
    delay_ns: int = 0
    states_front_end: bool = False


def even_row(
    name: str,
    source: str,
    half_width_ns: int,
    *,
    scope: Scope = Scope.CYCLE,
    group: str | None = None,
    correction_ns: int = 0,
) -> BudgetRow:
    """Return a term of which only the limits are known (JCGM 100:2008, 4.3.7)."""
    return BudgetRow(
        name,
        source,
        Evaluation.B,
        Distribution.RECTANGLE,
        half_width_ns,
        ceil(half_width_ns / SQRT_3),
        group=group,
        correction_ns=correction_ns,
        scope=scope,
    )


def stamp_rows(channel: Channel, rises: bool, facts: StampFacts) -> Iterator[BudgetRow]:
    """Yield the terms of one stamp, named so that one edge has one error; 0s are among them.

    A stated uncertainty does not tell a latency's mean from its scatter, so all of it is taken for
    the mean, which is the rig's; a tick is another one at each edge.
    """
    edge = f"{channel} {edge_word(rises)}"
    if facts.measured_sd_ns is None:
        by = f", {facts.edge_source}" if facts.edge_source else ""
        yield even_row(
            f"stamp of {edge}{by}",
            f"{_INFO}: uncertainty",
            facts.uncertainty_ns,
            scope=Scope.RIG,
            group=f"stamp of {edge}",
            correction_ns=facts.delay_ns,
        )
        # A calibrated channel has the ticks in its figures already.
        half_tick_ns = -(-facts.resolution_ns // 2)
        yield even_row(
            f"tick of {edge}", f"{_INFO}: resolution", half_tick_ns, group=f"tick of {edge}"
        )
        return
    yield BudgetRow(
        f"scatter of {edge}, measured",
        f"{_CALIBRATION}: loop-back",
        Evaluation.A,
        Distribution.NORMAL,
        max(facts.deviation_ns, facts.measured_sd_ns),
        facts.measured_sd_ns,
        group=f"stamp of {edge}",
        correction_ns=facts.delay_ns,
    )
    yield even_row(
        f"what the loop-back leaves open, {edge}",
        f"{_INFO}: uncertainty",
        max(facts.uncertainty_ns - facts.deviation_ns, 0),
        scope=Scope.RIG,
        group=f"{FIXED}calibration of {edge}",
    )


def front_end_row(channel: Channel, delay: PathDelay, source: str) -> BudgetRow:
    """Return what a subtracted delay leaves; one error for all edges of that kind."""
    name = f"front end of {channel} {edge_word(delay.rises)}"
    return BudgetRow(
        name,
        f"{source}: {delay.path}; {delay.origin}",
        Evaluation.B,
        delay.distribution,
        delay.half_width_ns,
        delay.standard_ns,
        group=f"{FIXED}{name}",
        correction_ns=delay.value_ns,
        scope=Scope.RIG,
    )


def unknown_ramp_row(channel: Channel, half_width_ns: int, source: str) -> BudgetRow:
    """Return what is left where only the limits of a ramp's length are known: it is the DUT's."""
    name = f"length of {channel}'s ramp"
    return even_row(
        name,
        f"{source}; its limits",
        half_width_ns,
        scope=Scope.CAMPAIGN,
        group=f"{FIXED}{name}",
    )


def definition_row(channel: Channel, rises: bool, half_width_ns: int) -> BudgetRow:
    """Return what the definition of an edge leaves open; one error for all that share the edge.

    The photoMOS is the rig's. A finger, a lid's magnet and a display's ramp are of this DUT as it
    is set up; what of them differs from cycle to cycle nobody tells, so all of it is common.
    """
    name = f"what {channel} {edge_word(rises)} is"
    by_rig = channel is Channel.BUTTON and half_width_ns <= PRESS_DEFINITION_NS
    scope = Scope.RIG if by_rig else Scope.CAMPAIGN
    return even_row(name, _EXPLAINED, half_width_ns, scope=scope, group=name)


def bounce_row(half_width_ns: int) -> BudgetRow:
    """Return what is open where any edge of a bounce may have been the change, in this cycle."""
    return even_row("bounces of its edges", "the edges", half_width_ns)


def clock_row(rate_ppb: int, duration_ns: int, source: str, scope: Scope) -> BudgetRow:
    """Return what a clock makes wrong whose rate is off by up to `rate_ppb`."""
    half_ns = rate_half_width_ns(rate_ppb, duration_ns)
    return even_row(f"clock rate, {rate_ppb} ppb", source, half_ns, scope=scope, group="clock rate")


def reported_row(name: str, half_width_ns: int) -> BudgetRow:
    """Return what the OS leaves open that reports a time in whole milliseconds.

    One OS rounds every time alike, so that its direction is common to all cycles; and rounding
    keeps the order of values, so that it moves a quantile of many by as much as it moves one.
    """
    scope = Scope.CAMPAIGN
    return even_row(f"{name} in whole ms", "the OS record", half_width_ns, scope=scope)


def hidden_row(half_width_ns: int, source: str) -> BudgetRow:
    """Return what is not known of the time that neither side sees: a property of the DUT."""
    return even_row("PLTRST# to the TSC's zero", source, half_width_ns, scope=Scope.CAMPAIGN)


def unproven_row(half_width_ns: int) -> BudgetRow:
    """Return what the OS's clock leaves open beside BiosInit; it counts in the bound alone."""
    return BudgetRow(
        "BIOS time beside BiosInit that is not excluded",
        "the OS's clock and the wires",
        Evaluation.B,
        Distribution.RECTANGLE,
        half_width_ns,
        0,
    )


def rate_half_width_ns(rate_ppb: int, duration_ns: int) -> int:
    """Return by how much a clock that is off by up to `rate_ppb` mistakes a duration."""
    return -(-rate_ppb * abs(duration_ns) // 1_000_000_000)


def edge_word(rises: bool) -> str:
    """Return what an edge does."""
    return "rising" if rises else "falling"
