"""Cycles of a store as they were on the DUT's pins, one at a time."""

from collections.abc import Collection, Iterator
from pathlib import Path

from resume_rig.campaign.identity import Identity
from resume_rig.campaign.outside import outside_cycle, pin_edges
from resume_rig.campaign.raw import CycleRaw
from resume_rig.campaign.store import Store
from resume_rig.campaign.stored_clock import utc_alone
from resume_rig.model.recorded import RecordedCycle


def recorded_cycles(
    path: Path, numbers: Collection[int] | None = None, *, with_light: bool = True
) -> Iterator[RecordedCycle]:
    """Yield the cycles of a store in order.

    Args:
        path: of the store.
        numbers: only these; None for all.
        with_light: whether light is read too; it is most of a store.

    Raises:
        RecordError: the store cannot be read.
    """
    with Store.open(path) as store:
        for raw in store.cycles(numbers, with_light=with_light):
            yield recorded_cycle(raw, store)


def recorded_cycle(raw: CycleRaw, store: Store) -> RecordedCycle:
    """Return a cycle of an open store, with the light that was read of it."""
    identity: Identity = store.identity
    edges = pin_edges(raw, identity)
    trigger_ns = outside_cycle(
        raw, store.plan.of_cycle(store.index_of(raw.number)), identity
    ).trigger_ns
    zero_ns = trigger_ns if trigger_ns is not None else (edges[0].t_ns if edges else 0)
    utc = utc_alone(raw, zero_ns, identity.rig)
    return RecordedCycle(
        number=raw.number,
        edges=edges,
        initial_levels={c: level for c, level in raw.initial_levels.items() if c in identity.wired},
        light=raw.light,
        zero_ns=zero_ns,
        has_trigger=trigger_ns is not None,
        zero_utc_ns=None if utc is None else utc.value_ns,
        zero_utc_bound_ns=0 if utc is None else utc.bound_ns,
        started_utc_ns=raw.started_host_ns + raw.utc_minus_host_ns,
        light_full_scale=identity.rig.light_full_scale,
    )
