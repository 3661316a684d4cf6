"""Components and hibernation files as people read them, the same on a terminal and in HTML."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from resume_rig.analysis.advice import Advice
from resume_rig.analysis.hibernate import hibernate_rates
from resume_rig.analysis.ranking import Ranked
from resume_rig.model.component import ComponentKind
from resume_rig.model.os_record import OsRecord
from resume_rig.report.code_names import is_code
from resume_rig.report.wording import MISSING, kind_words, whole_ms_text

OVERLAP_NOTE: Final = (
    "Times in ms over all records, the longest first. Parts overlap and nest, so they do not add"
    " up; a share is that of the whole transition."
)
HIBERNATE_NOTE: Final = (
    "Pages of 4096 bytes; MB are 10^6 bytes. Read: pages written / read time, as Microsoft's paper"
    " works it out."
)
_TITLES: Final = (
    (ComponentKind.PHASE, "Phases"),
    (ComponentKind.DEVICE, "Devices"),
    (ComponentKind.DRIVER, "Drivers"),
    (ComponentKind.SERVICE, "Services"),
    (ComponentKind.APPLICATION, "Applications"),
)
FIGURE_ROWS: Final = 200
_NOT_ENDED: Final = "not ended"


@dataclass(frozen=True, slots=True)
class RankedRow:
    """One component; texts are hostile until they are shown."""

    worst: str
    median: str
    own: str
    share: str
    count: str
    name: str
    phase: str
    detail: str


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One figure over all records of a kind; the name is hostile until it is shown."""

    kind: str
    name: str
    count: str
    least: str
    median: str
    greatest: str


@dataclass(frozen=True, slots=True)
class RankedTable:
    """The components of one kind; `left_out` counts those that are not shown."""

    title: str
    rows: tuple[RankedRow, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class HibernateRow:
    """One hibernation file."""

    record: str
    kind: str
    pages: str
    write: str
    write_pages: str
    write_mb: str
    read: str
    read_pages: str
    read_mb: str


def ranked_tables(ranked: Sequence[Ranked], most: int | None) -> tuple[RankedTable, ...]:
    """Return a table for each kind that there is, each with `most` rows or all."""
    tables = []
    for kind, title in _TITLES:
        own = [one for one in ranked if one.kind is kind]
        if own:
            shown = own if most is None else own[:most]
            rows = tuple(_ranked_row(one) for one in shown)
            tables.append(RankedTable(title, rows, len(own) - len(rows)))
    return tuple(tables)


def figure_rows(records: Iterable[OsRecord]) -> tuple[FigureRow, ...]:
    """Return a row for each figure that the records of a kind tell; at most FIGURE_ROWS.

    Codes are none: their least and median mean nothing (see code_view).
    """
    values: dict[tuple[str, str], list[float]] = {}
    for record in records:
        for figure in record.figures:
            if is_code(figure.name):
                continue
            key = (kind_words(record.kind), figure.name)
            if math.isfinite(figure.value) and (key in values or len(values) < FIGURE_ROWS):
                values.setdefault(key, []).append(figure.value)
    return tuple(
        FigureRow(
            kind=kind,
            name=name,
            count=str(len(found)),
            least=figure_text(min(found)),
            median=figure_text(median(found)),
            greatest=figure_text(max(found)),
        )
        for (kind, name), found in sorted(values.items())
    )


def figure_text(value: float) -> str:
    """Return a figure without an exponent and with three digits behind the point at most."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def hibernate_rows(records: Iterable[OsRecord]) -> tuple[HibernateRow, ...]:
    """Return a row for each record that tells of a hibernation file."""
    rows = []
    for record in records:
        rates = hibernate_rates(record)
        if rates is None:
            continue
        rows.append(
            HibernateRow(
                record=MISSING if record.record_id is None else str(record.record_id),
                kind=kind_words(record.kind),
                pages=str(rates.pages),
                write=whole_ms_text(record.hiber_write_ms),
                write_pages=_rate(rates.write_pages_per_ms),
                write_mb=_rate(rates.write_mb_per_s),
                read=whole_ms_text(record.hiber_read_ms),
                read_pages=_rate(rates.read_pages_per_ms),
                read_mb=_rate(rates.read_mb_per_s),
            )
        )
    return tuple(rows)


def advised_for(advice: Advice) -> str:
    """Return what a piece of advice is for, e.g. "Slowsvc, Deafsvc and 3 more"."""
    if not advice.names:
        return "1 record" if advice.count == 1 else f"{advice.count} records"
    more = advice.count - len(advice.names)
    names = ", ".join(short_name(name) for name in advice.names)
    return f"{names} and {more} more" if more else names


def short_name(name: str) -> str:
    """Return a program's name without its path; anything else as it is."""
    if name[1:3] == ":\\" and name.lower().endswith(".exe"):
        return name.rpartition("\\")[2]
    return name


def _ranked_row(one: Ranked) -> RankedRow:
    details = [f"group {one.group}" if one.group else "", one.detail]
    if one.held_ms is not None:
        details.append(f"held others up for {time_text(one.held_ms)} ms")
    if one.not_ended and one.worst_ms is not None:
        details.append(f"{_NOT_ENDED} in {one.not_ended}")
    return RankedRow(
        worst=_NOT_ENDED if one.worst_ms is None else time_text(one.worst_ms),
        median=MISSING if one.median_ms is None else time_text(one.median_ms),
        own=MISSING if one.own_ms is None else time_text(one.own_ms),
        share=MISSING if one.share is None else _percent(one.share),
        count=str(one.count),
        name=short_name(one.name),
        phase=one.phase or one.moment,
        detail=", ".join(detail for detail in details if detail),
    )


def time_text(value_ms: float) -> str:
    """Return milliseconds, with a digit behind the point below 100."""
    return f"{value_ms:.0f}" if value_ms >= 100 or value_ms == int(value_ms) else f"{value_ms:.1f}"


def _percent(share: float) -> str:
    return "<1 %" if 0 < share < 0.01 else f"{share * 100:.0f} %"


def _rate(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}"
