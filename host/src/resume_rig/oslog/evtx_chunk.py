"""The records of EVTX chunks: which may matter, and a chunk cut down to these.

The full parser renders every record, and rendering is what costs. Of most records the event id
and the provider, which are plain, already tell that they do not matter. `RecordFinder` leaves
out a record only if it is framed as the event log service frames it, its template has a shape
that can be judged (see evtx_template), and the provider and event id that full parsing would
find have no part in a cycle. Any other record is wanted. A chunk that is not one row of records
from its beginning to its end is left to the full parser as it is.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from resume_rig.oslog.event import ROLES, Provider
from resume_rig.oslog.evtx_audit import CHUNK_BYTES, EvtxBlock
from resume_rig.oslog.evtx_block import RECORDS_START, Places, RecordBlock
from resume_rig.oslog.evtx_provider import (
    BY_VALUE,
    IN_DOUBT,
    MAY_MATTER,
    NO_PROVIDER,
    PROVIDERS,
    JudgedTemplate,
    judge,
    kinds_by_guid,
    provider_by_values,
)
from resume_rig.oslog.evtx_template import read_shape
from resume_rig.oslog.evtx_template_cache import TemplateCache

_SIZE: Final = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class WantedRecords:
    """What was found in a chunk.

    Attributes:
        present: how many records it holds that its header promises.
        refused: how many others.
        places: where each wanted record begins, by its id.
        providers: of those wanted records whose provider and event id are beyond doubt, by id.
    """

    present: int
    refused: int
    places: dict[int, int] = field(default_factory=dict)
    providers: dict[int, Provider] = field(default_factory=dict)

    def add(self, record_id: int, place: int, provider: Provider | None) -> None:
        """Take a wanted record; of two with one id the later one counts."""
        self.places[record_id] = place
        if provider is not None:
            self.providers[record_id] = provider
        else:
            self.providers.pop(record_id, None)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Records of a block that may matter, as far as arrays tell: int64 [n] each.

    Attributes:
        records: which ones.
        templates: of each, as places in `judged`.
        starts: where their values begin.
        event_ids: any number where the kind is IN_DOUBT.
        kinds: whose they may be; see evtx_provider.
        judged: the templates of the block; None for one of an unusual shape.
    """

    records: Places
    templates: Places
    starts: Places
    event_ids: Places
    kinds: Places
    judged: Sequence[JudgedTemplate | None]


class RecordFinder:
    """Finds the records of chunks that may matter; remembers the templates that it judged."""

    def __init__(self) -> None:
        self._templates: TemplateCache[JudgedTemplate] = TemplateCache(
            lambda cursor: judge(read_shape(cursor)), whole=False
        )

    def wanted_records(self, block: EvtxBlock) -> list[WantedRecords | None]:
        """Return the records that may matter, slot by slot; None for one that is no plain row."""
        rows = RecordBlock(block)
        wanted = [WantedRecords(*counts) for counts in rows.attendance()]
        asked = self._ask(block, rows)
        index = rows.index[asked.records].tolist()
        places = (rows.places[asked.records] % CHUNK_BYTES).tolist()
        ids = rows.ids[asked.records].tolist()
        for at, provider in _told(block, rows, asked):
            wanted[index[at]].add(ids[at], places[at], provider)
        return [found if plain else None for found, plain in zip(wanted, rows.plain, strict=True)]

    def _ask(self, block: EvtxBlock, rows: RecordBlock) -> _Asked:
        """Return the records of plain chunks that may matter, in their order."""
        framed, definitions = rows.templates()
        keys, which = np.unique(rows.index << 32 | definitions, return_inverse=True)
        judged = [
            self._templates.find(block.data(key >> 32), key & 0xFFFF_FFFF) for key in keys.tolist()
        ]
        kinds = np.array([IN_DOUBT if one is None else one.kind for one in judged], np.int64)[which]
        kinds[~framed] = IN_DOUBT
        records = np.flatnonzero(kinds != NO_PROVIDER)
        starts = rows.values_at(records, definitions[records])
        event_ids, doubtful = rows.event_ids(records, starts)
        kinds, which = kinds[records], which[records]
        kinds[doubtful] = IN_DOUBT
        asked = np.flatnonzero(MAY_MATTER[kinds, event_ids])
        return _Asked(
            records=records[asked],
            templates=which[asked],
            starts=starts[asked],
            event_ids=event_ids[asked],
            kinds=kinds[asked],
            judged=judged,
        )


def cut_down(chunk: bytes, used: int, places: Sequence[int]) -> bytearray:
    """Return the chunk with the records at `places` alone, and the first one.

    Each record is made so long that it covers those behind it that are left out: the parser goes
    by the length, and reads of a record only what its own content needs. Nothing moves, because
    templates and names are found by their place.
    """
    cut = bytearray(chunk)
    kept = places if places[0] == RECORDS_START else (RECORDS_START, *places)
    for place, following in zip(kept, (*kept[1:], used), strict=True):
        _SIZE.pack_into(cut, place + 4, following - place)
        _SIZE.pack_into(cut, following - 4, following - place)
    return cut


def _told(
    block: EvtxBlock, rows: RecordBlock, asked: _Asked
) -> Iterator[tuple[int, Provider | None]]:
    """Yield which of the records are wanted after all, with their providers.

    A provider is None where it, or the event id, is in doubt.
    """
    kinds = asked.kinds.copy()
    by_value = np.flatnonzero(kinds == BY_VALUE)
    if by_value.size:
        templates = [asked.judged[index] for index in asked.templates[by_value].tolist()]
        kinds[by_value] = kinds_by_guid(
            rows, asked.records[by_value], asked.starts[by_value], templates
        )
    left = np.flatnonzero(MAY_MATTER[kinds, asked.event_ids])
    for at, kind in zip(left.tolist(), kinds[left].tolist(), strict=True):
        if kind == IN_DOUBT:
            yield at, None
        elif kind < BY_VALUE:
            yield at, PROVIDERS[kind]
        else:
            sure, provider = _provider(block, rows, asked, at)
            if not sure or (provider, int(asked.event_ids[at])) in ROLES:
                yield at, provider


def _provider(
    block: EvtxBlock, rows: RecordBlock, asked: _Asked, at: int
) -> tuple[bool, Provider | None]:
    """Return whether the values of a record tell its provider, and the provider."""
    judged = asked.judged[asked.templates[at]]
    if judged is None:
        return False, None
    index = int(rows.index[asked.records[at]])
    base = index * CHUNK_BYTES
    start, end = int(asked.starts[at]) - base, int(rows.ends[asked.records[at]]) - base
    return provider_by_values(block.data(index), judged.shape, start, end)
