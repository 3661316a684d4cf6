"""What a store keeps of one cycle, for a person who wants to know why. Free of Qt."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from resume_rig.analysis.cycles.light import LightReading
from resume_rig.campaign.store.measured_cycle import outside_cycle, with_hang
from resume_rig.campaign.store.read_back import light_of, recorded_cycle
from resume_rig.campaign.store.store import Store
from resume_rig.gui.state.lanes import Wires, wires_of
from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import kind_words
from resume_rig.model.result.cycle import OutsideCycle
from resume_rig.model.units import seconds_text
from resume_rig.report.text.wording import outcome_words
from resume_rig.rig.interface import RigInfo

_LEAD_NS = 300_000_000
_NEAR = 20
"""Cycles before one that stayed dark, of which some were bright: enough to scale its light by."""


def stamp_bounds_of(rig: RigInfo) -> dict[Channel, int]:
    """Return the half-width [ns] of an edge's stamp, by channel, as the board states it."""
    return {info.channel: info.uncertainty_ns + info.resolution_ns for info in rig.channels}


@dataclass(frozen=True, slots=True)
class Evidence:
    """One cycle.

    Attributes:
        zero_ns: board clock of the wake trigger, or of the first edge.
        wires: from shortly before the first edge on.
        until_ns: board clock at which the picture ends.
        stamp_bound_ns: half-width of an edge's stamp, by channel, as the board states it.
        clock_tolerance_ppb: of the board's clock.
        light_threshold: counts at which the display is on (t_50); None where it was not timed.
        most_light: counts of the brightest moment of this cycle and of those before it, where the
            board timed any; 0 where not.
        sentences: what became of the cycle, its findings, its OS records; in order.
    """

    path: Path
    outside: OutsideCycle
    zero_ns: int
    has_trigger: bool
    wires: Wires
    until_ns: int
    stamp_bound_ns: Mapping[Channel, int]
    clock_tolerance_ppb: int
    sentences: tuple[str, ...]
    light_threshold: float | None = None
    most_light: int = 0


def read_evidence(path: Path, number: int) -> Evidence:
    """Read one cycle of a store, which a campaign may be writing to.

    Raises:
        RecordError: the store cannot be read, or has no such cycle.
    """
    with Store.open(path) as store:
        near = range(max(number - _NEAR, 1), number + 1)
        onsets = [
            raw.onset
            for raw in store.cycles([n for n in near if store.has_cycle(n)], with_light=False)
        ]
        peaks = [each.peak_counts or 0 for each in onsets if each is not None]
        return replace(evidence_of(store, number), most_light=max(peaks, default=0))


def evidence_of(store: Store, number: int) -> Evidence:
    """Read one cycle of an open store.

    Raises:
        RecordError: the store cannot be read, or has no such cycle.
    """
    raw = next(iter(store.cycles([number])), None)
    if raw is None:
        last = store.last_number()
        raise RecordError(f"there is no cycle {number} in {store.path}; it has cycles 1 to {last}")
    plan = store.plan.of_cycle(store.index_of(number))
    after = [
        each
        for each in store.recoveries()
        if (each.session, each.after_cycle) == (raw.session, number)
    ]
    outside = with_hang(outside_cycle(raw, plan, store.identity), after, store.identity.wired)
    recorded = recorded_cycle(raw, store)
    moments = [edge.t_ns for edge in recorded.edges] + [block.t_ns for block in recorded.light]
    first_ns, last_ns = min(moments, default=0), max(moments, default=0)
    wires = wires_of(recorded.initial_levels, first_ns - _LEAD_NS)
    records = [
        f"OS record {record.record_id if record.record_id is not None else ''}: "
        + f"{kind_words(record.kind)}, "
        + ("no resume time" if record.resume_ms is None else f"resume {record.resume_ms} ms")
        for record in raw.records
    ]
    asleep_ns = None
    if outside.asleep_from_ns is not None and outside.awake_from_ns is not None:
        asleep_ns = outside.awake_from_ns - outside.asleep_from_ns
    slept = "" if asleep_ns is None else f", asleep for {seconds_text(asleep_ns)}"
    return Evidence(
        path=store.path,
        outside=outside,
        zero_ns=recorded.zero_ns,
        has_trigger=recorded.has_trigger,
        wires=wires.plus_edges(recorded.edges).plus_light(recorded.light),
        until_ns=last_ns + _LEAD_NS,
        stamp_bound_ns=stamp_bounds_of(store.identity.rig),
        clock_tolerance_ppb=store.identity.rig.clock_tolerance_ppb,
        sentences=(
            f"Cycle {number}, by its wires: {outcome_words(outside.outcome)}{slept}.",
            *(finding.text for finding in outside.findings),
            *(records or ("No OS record came during this cycle.",)),
        ),
        light_threshold=_threshold(light_of(raw, store)),
    )


def _threshold(reading: LightReading | None) -> float | None:
    """Return half of the settled level above the dark."""
    onset = None if reading is None else reading.onset
    if onset is None or onset.half_ns is None or reading is None or reading.step is not None:
        return None
    if onset.base_counts is None or onset.level_counts is None:
        return None
    return (onset.base_counts + onset.level_counts) / 2
