"""The terms of a stamp in a capture by an instrument that is not ours."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from resume_rig.model.budget import BudgetRow, Scope
from resume_rig.model.channel import Channel
from resume_rig.timing.budget_terms import edge_word, even_row

# What an unknown logic analyser is taken for: its threshold crossed within 1 us by logic, within
# 100 us by a PWR_OK ramp of 10 ms (ATX T4).
_LOGIC_NS: Final = 1_000
_RAMP_NS: Final = 100_000
# A first touch shorter than a sample is not seen, and the edge is then that of a later bounce.
# Eighteen switches bounced for 1.6 ms on average and 6.2 ms at most (J. Ganssle, A Guide to
# Debouncing, part 1); their touches are taken for 10 us and longer.
_BOUNCE_MAX_NS: Final = 6_200_000
_TOUCH_MIN_NS: Final = 10_000
_CONTACTS: Final = (Channel.BUTTON, Channel.LID)


@dataclass(frozen=True, slots=True)
class CaptureStamps:
    """How an instrument stamps edges.

    Attributes:
        step_ns: from sample to sample. sampled_by: who says so.
        resolution_ns: last digit of its times.
    """

    step_ns: int
    resolution_ns: int = 1
    sampled_by: str = "the capture"


def capture_rows(channel: Channel, rises: bool, stamps: CaptureStamps) -> Iterator[BudgetRow]:
    """Yield the terms of one stamp.

    A stamp is that of the first sample after the edge, late by 0 to 1 step: half a step on
    average, which the two ends of an interval share, and half a step to either side, which is each
    edge's own. A contact may have touched and opened again between two samples.
    """
    edge = f"{channel} {edge_word(rises)}"
    name = f"sampling of the capture, {edge}"
    yield even_row(name, stamps.sampled_by, -(-stamps.step_ns // 2), group=name)
    if stamps.step_ns % stamps.resolution_ns:
        # The step is no whole number of last digits: the times were rounded.
        name = f"last digit of the capture's times, {edge}"
        yield even_row(name, "the capture", -(-stamps.resolution_ns // 2), group=name)
    if channel in _CONTACTS and stamps.step_ns > _TOUCH_MIN_NS:
        name = f"bounces between the samples, {edge}"
        yield even_row(name, "J. Ganssle, A Guide to Debouncing", _BOUNCE_MAX_NS, group=name)
    half_ns = _LOGIC_NS + (_RAMP_NS if channel is Channel.PWR_OK else 0)
    name = f"threshold of the capture, {edge}"
    # The same threshold in each cycle, so it does not average out.
    yield even_row(name, "assumed of an unknown instrument", half_ns, group=name, scope=Scope.RIG)
