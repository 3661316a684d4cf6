"""Whose records a template's are: told by its literals, or by each record's values.

Nearly all records whose values tell it name a provider by its GUID. Those are told apart on
arrays; the others one by one.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from resume_rig.oslog.event import RELEVANT_EVENT_IDS, ROLES, Provider, provider_of
from resume_rig.oslog.evtx_binxml import STRING_TYPE
from resume_rig.oslog.evtx_block import Places, RecordBlock
from resume_rig.oslog.evtx_template import GUID_TYPE, TemplateShape
from resume_rig.oslog.evtx_values import NULL_TYPE

PROVIDERS: Final = tuple(Provider)
"""A kind below their number is a place among them."""

BY_VALUE: Final = len(PROVIDERS)
NO_PROVIDER: Final = BY_VALUE + 1
IN_DOUBT: Final = NO_PROVIDER + 1

_GUIDS: Final = np.array(
    [np.frombuffer(UUID(provider.value).bytes_le, "<u4") for provider in PROVIDERS], np.int64
)
_GUID_ENTRY: Final = GUID_TYPE << 16 | 16  # type and size
_ABSENT: Final = -1
_INDEX_LIMIT: Final = 32  # of values that are looked at on arrays
_COUNT_BYTES: Final = 4  # the number of values, before their sizes and types
_SIZE: Final = struct.Struct("<I")
_SIZE_AND_TYPE: Final = struct.Struct("<HBx")
_COUNT_LIMIT: Final = 256  # a record with more values is left to the full parser


@dataclass(frozen=True, slots=True)
class JudgedTemplate:
    """What the records of a template may be.

    Attributes:
        kind: a place among PROVIDERS, BY_VALUE or NO_PROVIDER.
        shape: of the template.
        guid_at, name_at: places of the provider's GUID and name among the values, -1 for none.
    """

    kind: int
    shape: TemplateShape
    guid_at: int
    name_at: int


def judge(shape: TemplateShape) -> JudgedTemplate:
    """Return what the records of a template of this shape may be."""
    guid_at = _ABSENT if shape.guid_index is None else shape.guid_index
    name_at = _ABSENT if shape.name_index is None else shape.name_index
    if shape.by_value:
        return JudgedTemplate(BY_VALUE, shape, guid_at, name_at)
    kind = NO_PROVIDER if shape.provider is None else PROVIDERS.index(shape.provider)
    return JudgedTemplate(kind, shape, guid_at, name_at)


def _may_matter() -> NDArray[np.bool_]:
    table = np.zeros((IN_DOUBT + 1, 1 << 16), dtype=np.bool_)
    for provider, event_id in ROLES:
        table[PROVIDERS.index(provider), event_id] = True
    table[BY_VALUE, list(RELEVANT_EVENT_IDS)] = True
    table[IN_DOUBT] = True
    return table


MAY_MATTER: Final = _may_matter()
"""Whether a record may matter: bool [kind, event id]."""


def kinds_by_guid(
    block: RecordBlock,
    records: Places,
    starts: Places,
    templates: Sequence[JudgedTemplate | None],
) -> Places:
    """Return whose records are whose values name a provider by its GUID; BY_VALUE for others.

    Args:
        block: where they stand.
        records: int64 [n], which ones; at least one.
        starts: int64 [n], where their values begin.
        templates: of each.
    """
    guid_at = np.array([_ABSENT if one is None else one.guid_at for one in templates], np.int64)
    name_at = np.array([_ABSENT if one is None else one.name_at for one in templates], np.int64)
    sure = (guid_at >= 0) & (guid_at < _INDEX_LIMIT) & (name_at < _INDEX_LIMIT)
    guid_at = np.where(sure, guid_at, 0)
    name_at = np.where(sure & (name_at >= 0), name_at, guid_at)
    last = np.maximum(guid_at, name_at)
    entries, begins, ends = block.values(starts, int(last.max()) + 1)
    column = np.arange(records.size)
    (count,) = block.numbers(starts, 1)
    name_type = entries[name_at, column] >> 16
    sure &= (last < count) & (count <= _COUNT_LIMIT) & (ends[last, column] <= block.ends[records])
    sure &= entries[guid_at, column] == _GUID_ENTRY
    sure &= (name_type == STRING_TYPE) | (name_type == NULL_TYPE) | (name_at == guid_at)
    guid = block.numbers(begins[guid_at, column], 4)
    kinds = np.full(records.size, BY_VALUE)
    for kind, known in enumerate(_GUIDS):
        kinds[sure & (guid == known[:, np.newaxis]).all(axis=0)] = kind
    return kinds


def provider_by_values(
    chunk: bytes, shape: TemplateShape, start: int, end: int
) -> tuple[bool, Provider | None]:
    """Return whether a record's provider is beyond doubt, and the provider if it matters.

    Args:
        chunk: its 64 KiB.
        shape: of its template.
        start: where the record's values begin within the chunk.
        end: where the record ends.
    """
    (count,) = _SIZE.unpack_from(chunk, start)
    begin = start + _COUNT_BYTES + 4 * count
    if count > _COUNT_LIMIT or begin > end:
        return False, None
    table = chunk[start + _COUNT_BYTES : begin]
    name_span = _span_of(table, shape.name_index, STRING_TYPE)
    guid_span = _span_of(table, shape.guid_index, GUID_TYPE)
    if name_span is None or guid_span is None:
        return False, None
    name = chunk[begin + name_span[0] : begin + name_span[1]]
    guid = chunk[begin + guid_span[0] : begin + guid_span[1]]
    if begin + max(name_span[1], guid_span[1]) > end or len(guid) not in (0, 16):
        return False, None
    return True, _provider_of_values(guid, name)


@lru_cache(maxsize=512)
def _span_of(table: bytes, index: int | None, expected_type: int) -> tuple[int, int] | None:
    """Return where a value begins and ends behind the table of sizes and types.

    Returns:
        An empty span where the record leaves it out; None where it is in doubt.
    """
    heads = list(_SIZE_AND_TYPE.iter_unpack(table))
    if index is None:
        return 0, 0
    if index >= len(heads):
        return None
    size, value_type = heads[index]
    if value_type == NULL_TYPE:
        return 0, 0
    begin = sum(size for size, _ in heads[:index])
    return (begin, begin + size) if value_type == expected_type else None


@lru_cache(maxsize=64)
def _provider_of_values(guid: bytes, name: bytes) -> Provider | None:
    text = name.decode("utf-16-le", errors="replace").rstrip("\0")
    return provider_of(str(UUID(bytes_le=guid)) if guid else "", text)
