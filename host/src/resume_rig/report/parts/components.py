"""Components, reason codes, hibernation files and advice, on pages and terminals.

The numbers are those of Windows' enumerations: POWER_ACTION, POWER_MONITOR_REQUEST_REASON and
SYSTEM_POWER_STATE of the SDK's winnt.h, POWER_POLICY_DEVICE_TYPE of the kernel's symbols for what
led to a sleep or a shutdown. The states and reasons of connectivity are in the order in which the
messages of Kernel-Power have them.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from resume_rig.analysis.findings.advice import Advice, Ranked, advise, rank
from resume_rig.analysis.verdict.measures import (
    FIGURE,
    HibernateRates,
    hibernate_rates,
    measure_words,
)
from resume_rig.model.os_record import ComponentKind, Figure, LogReading, OsRecord, kind_words
from resume_rig.model.units import count_of
from resume_rig.report.text.terminal_style import Column, TerminalStyle
from resume_rig.report.text.wording import (
    MISSING,
    PAGE_ROWS,
    row_choice,
    whole_ms_text,
)

_TRIGGERS: Final[Mapping[int, str]] = {
    0: "button or lid",
    1: "thermal zone",
    2: "battery",
    3: "memory",
    4: "application",
    5: "kernel",
    6: "hibernation after sleep, by time",
    7: "system idle",
    8: "wake alarm",
    9: "fan",
    10: "battery saver",
    11: "hibernation after sleep, user away",
    12: "hibernation after sleep, user away, without a wake",
    13: "hibernation after sleep, battery budget",
    14: "hibernation after sleep, battery reserve, without a wake",
    15: "system",
}
_ACTIONS: Final[Mapping[int, str]] = {
    0: "none",
    2: "sleep",
    3: "hibernate",
    4: "shutdown",
    5: "restart",
    6: "power off",
    7: "eject",
    8: "display off",
}
_STATES: Final[Mapping[int, str]] = {
    0: "unspecified",
    1: "working",
    2: "S1",
    3: "S2",
    4: "S3",
    5: "S4",
    6: "off",
}
_SESSION_REASONS: Final[Mapping[int, str]] = dict(
    enumerate(
        (
            *("unknown", "power button", "remote connection", "SC_MONITORPOWER", "user input"),
            *("mains or battery", "user's display burst", "PoSetSystemState"),
            *("SetThreadExecutionState", "full wake", "session unlocked", "screen off asked for"),
            *("idle time-out", "policy change", "sleep button", "lid", "number of batteries"),
            *("grace period", "graphics Plug and Play", "dynamic partitioning"),
            *("sleep, hibernation or shutdown", "system idle", "proximity", "thermal standby"),
            *("resume of the PDC", "resume from S4", "terminal", "PDC signal"),
            *("mains or battery, suppressed", "S4 or S5 entered", "WinRT", "keyboard", "mouse"),
            *("touchpad or touch", "pen", "accelerometer", "HID", "user present"),
            *("session switched", "input initialisation"),
        )
    )
)
_YES_NO: Final[Mapping[int, str]] = {0: "no", 1: "yes"}
_CODES: Final[Mapping[str, Mapping[int, str]]] = {
    "sleep_reason": _TRIGGERS,
    "shutdown_reason": _TRIGGERS,
    "shutdown_action": _ACTIONS,
    "shutdown_event_code": {},
    "requested_action": _ACTIONS,
    "requested_state": _STATES,
    "wake_from_state": _STATES,
    "wake_requester_ac": {},
    "wake_requester_dc": {},
    "sleep_session_reason": _SESSION_REASONS,
    "wake_session_reason": _SESSION_REASONS,
    "screen_on_reason": _SESSION_REASONS,
    "standby_session_reason": _SESSION_REASONS,
    "standby_left_reason": _SESSION_REASONS,
    "entry_reason": _SESSION_REASONS,
    "exit_reason": _SESSION_REASONS,
    "standby_connectivity": {0: "connected", 1: "restricted", 2: "disconnected"},
    "standby_connectivity_reason": dict(
        enumerate(
            (
                *("none", "policy setting", "enforced", "device compliance", "smart presence"),
                *("pending tasks", "NIC compliance"),
            )
        )
    ),
    "boot_type": {0: "cold boot", 1: "fast startup", 2: "resume from S4"},
    "last_shutdown_good": _YES_NO,
    "last_boot_good": _YES_NO,
    "on_ac_at_sleep": _YES_NO,
    "on_ac_at_wake": _YES_NO,
    "power_button_pressed": _YES_NO,
    "bugcheck_code": {},
    "sleep_in_progress": {},
    "transition_status": {},
    "transition_successful": _YES_NO,
    "degraded": _YES_NO,
    "attributes": {},
    "no_multi_stage_resume_reason": {},
}


def is_code(name: str) -> bool:
    """Return whether a figure of this name is a code: to take its median means nothing."""
    return name in _CODES


def code_name(figure: Figure) -> str | None:
    """Return what a code means; None of a figure that is none, or whose number has no name."""
    names = _CODES.get(figure.name, {})
    value = float(figure.value)
    return names.get(int(value)) if value.is_integer() else None


CODE_ROWS: Final = 200
_NO_NAME: Final = "-"


@dataclass(frozen=True, slots=True)
class CodeRow:
    """How often the records of a kind report one code."""

    kind: str
    name: str
    code: str
    meaning: str
    count: str


def code_rows(records: Iterable[OsRecord]) -> tuple[CodeRow, ...]:
    """Return a row for each code that the records of a kind report; at most CODE_ROWS.

    Of one figure the most frequent code comes first.
    """
    found: Counter[tuple[str, str, int]] = Counter()
    for record in records:
        for figure in record.figures:
            if not is_code(figure.name) or not float(figure.value).is_integer():
                continue
            key = (kind_words(record.kind), figure.name, int(figure.value))
            if key in found or len(found) < CODE_ROWS:
                found[key] += 1
    ordered = sorted(found.items(), key=lambda item: (*item[0][:2], -item[1], item[0][2]))
    return tuple(
        CodeRow(
            kind=kind,
            name=measure_words(f"{FIGURE}{name}"),
            code=str(code),
            meaning=code_name(Figure(name, float(code))) or _NO_NAME,
            count=str(count),
        )
        for (kind, name, code), count in ordered
    )


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
_UNITS: Final = {
    "ns": ("ms", 1_000_000.0),
    "us": ("ms", 1_000.0),
    "ms": ("ms", 1.0),
    "s": ("s", 1.0),
    "mwh": ("mWh", 1.0),
    "percent": ("%", 1.0),
}
"""The unit that a figure is shown in, and what its value goes by, by the end of its name."""
_SECONDS_FROM_MS: Final = 100_000.0
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
    """Return a row for each figure that the records of a kind report; at most FIGURE_ROWS.

    Codes are left to `code_rows`: their least and median mean nothing.
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
            name=words,
            count=str(len(found)),
            least=figure_text(min(found) / per),
            median=figure_text(median(found) / per),
            greatest=figure_text(max(found) / per),
        )
        for (kind, name), found in sorted(values.items())
        for words, per in (_title(name, median(map(abs, found))),)
    )


def _title(name: str, usual: float) -> tuple[str, float]:
    """Return a figure's name with the unit that it is shown in, and what its value goes by.

    Times are in ms; where they are of minutes and hours, in s.
    """
    unit = name.rpartition("_")[2]
    shown, per = _UNITS.get(unit, ("", 1.0))
    words = measure_words(f"{FIGURE}{name}").removesuffix(f" {unit}" if shown else "")
    if shown == "ms" and usual / per >= _SECONDS_FROM_MS:
        shown, per = "s", per * 1_000.0
    return (f"{words}, {shown}" if shown else words), per


def figure_text(value: float) -> str:
    """Return a figure without an exponent and with three digits behind the point at most."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def hibernate_rows(records: Iterable[OsRecord]) -> tuple[HibernateRow, ...]:
    """Return a row for each record that reports a hibernation file."""
    rows = []
    for record in records:
        if not (record.hiber_read_ms or record.hiber_write_ms):
            continue
        rates = hibernate_rates(record) or HibernateRates(0, None, None)
        rows.append(
            HibernateRow(
                record=MISSING if record.record_id is None else str(record.record_id),
                kind=kind_words(record.kind),
                pages=str(rates.pages) if rates.pages else MISSING,
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
        return count_of(advice.count, "record")
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


_PAGE_ROWS_A_KIND: Final = 25
"""Components of one kind on a page."""


@dataclass(frozen=True, slots=True)
class AdviceRow:
    """One piece of advice: what it is for, who can follow it, its paper, what shows more."""

    names: str
    text: str
    owner: str
    source: str
    command: str


@dataclass(frozen=True, slots=True)
class PartsSection:
    """What a reading has beyond its transitions' times; the command `document` has all of it."""

    hibernate: tuple[HibernateRow, ...]
    hibernate_note: str
    slowest: tuple[RankedTable, ...]
    slowest_note: str
    document: str
    advice: tuple[AdviceRow, ...]
    figures: tuple[FigureRow, ...]
    codes: tuple[CodeRow, ...]


def parts_section(reading: LogReading, document: str) -> PartsSection:
    """Return the section of a reading; its parts are empty where there is nothing to show.

    Args:
        reading: what the section is of.
        document: the command that shows all of it, as in "log --json".
    """
    files = hibernate_rows(reading.records)
    shown = files[:PAGE_ROWS]
    note = HIBERNATE_NOTE
    if len(shown) < len(files):
        note += f" The first {len(shown)} of {len(files)} are shown; {document} has them all."
    return PartsSection(
        hibernate=shown,
        hibernate_note=note,
        slowest=ranked_tables(rank(reading.records), _PAGE_ROWS_A_KIND),
        slowest_note=OVERLAP_NOTE,
        document=document,
        figures=figure_rows(reading.records),
        codes=code_rows(reading.records),
        advice=tuple(
            AdviceRow(
                advised_for(advice),
                advice.text,
                advice.owner.value,
                f"{advice.source}: {advice.section}",
                advice.command,
            )
            for advice in advise(reading)
        ),
    )


_TERMINAL_ROWS_A_KIND: Final = 5
_HIBERNATE_ROWS: Final = 12
_NAME_CELLS: Final = 40
_PHASE_CELLS: Final = 30
_DETAIL_CELLS: Final = 44
_ADVICE_NAMES_LIMIT: Final = 200
_DRIVERS_CHARS: Final = 20_000


def component_lines(reading: LogReading, style: TerminalStyle, *, show_all: bool) -> Iterator[str]:
    """Yield the sections that a reading gives cause for, each after an empty line."""
    yield from _hibernate(hibernate_rows(reading.records), style, show_all=show_all)
    tables = ranked_tables(rank(reading.records), None if show_all else _TERMINAL_ROWS_A_KIND)
    if tables:
        yield "\n"
        yield style.paragraph(f"Slowest parts. {OVERLAP_NOTE}")
    for table in tables:
        yield from _ranked(table, style)
    if show_all:
        for source in reading.sources:
            if source.boot_start_drivers:
                names = style.shown(", ".join(source.boot_start_drivers), _DRIVERS_CHARS)
                yield "\n"
                yield style.paragraph(f"BOOT_START drivers: {names}.")
        yield from _figures(reading, style)
        yield from _codes(reading, style)
    found = advise(reading)
    if found:
        yield "\n"
    for advice in found:
        names = style.shown(advised_for(advice), _ADVICE_NAMES_LIMIT)
        yield style.paragraph(
            f"Advice for the {advice.owner.value}: {names}: {advice.text} ({advice.source}:"
            f" {advice.section}) More by: {advice.command}"
        )


def _hibernate(
    rows: tuple[HibernateRow, ...], style: TerminalStyle, *, show_all: bool
) -> Iterator[str]:
    if not rows:
        return
    choice = row_choice(len(rows), None if show_all else _HIBERNATE_ROWS)
    shown = (*rows[: choice.head], *rows[len(rows) - choice.tail :])
    yield "\n"
    yield style.paragraph(f"Hibernation files. {HIBERNATE_NOTE}")
    columns = (
        Column("Record", [row.record for row in shown], drop=2),
        Column("Kind", [row.kind for row in shown], right=False),
        Column("Pages", [row.pages for row in shown]),
        Column("Write ms", [row.write for row in shown], drop=1),
        Column("pages/ms", [row.write_pages for row in shown]),
        Column("MB/s", [row.write_mb for row in shown]),
        Column("Read ms", [row.read for row in shown], drop=1),
        Column("pages/ms", [row.read_pages for row in shown]),
        Column("MB/s", [row.read_mb for row in shown]),
    )
    yield from style.table(columns)
    if choice.left_out:
        yield style.paragraph(
            f"... {choice.left_out} of {len(rows)} are left out here; --all shows them all ..."
        )


def _figures(reading: LogReading, style: TerminalStyle) -> Iterator[str]:
    rows = figure_rows(reading.records)
    if not rows:
        return
    columns = (
        Column("Kind", [row.kind for row in rows], right=False),
        Column("Figure", [style.cell(row.name, _NAME_CELLS) for row in rows], right=False),
        Column("n", [row.count for row in rows], drop=1),
        Column("Least", [row.least for row in rows], drop=2),
        Column("Median", [row.median for row in rows]),
        Column("Greatest", [row.greatest for row in rows], drop=3),
    )
    yield "\n"
    yield from style.table(columns)


def _codes(reading: LogReading, style: TerminalStyle) -> Iterator[str]:
    rows = code_rows(reading.records)
    if not rows:
        return
    columns = (
        Column("Kind", [row.kind for row in rows], right=False),
        Column("Reason", [style.cell(row.name, _NAME_CELLS) for row in rows], right=False),
        Column("Code", [row.code for row in rows]),
        Column("Meaning", [row.meaning for row in rows], right=False),
        Column("n", [row.count for row in rows], drop=1),
    )
    yield "\n"
    yield from style.table(columns)


def _ranked(table: RankedTable, style: TerminalStyle) -> Iterator[str]:
    rows = table.rows
    columns = (
        Column("Worst", [row.worst for row in rows]),
        Column("Median", [row.median for row in rows], drop=2),
        Column("Own", [row.own for row in rows], drop=3),
        Column("Share", [row.share for row in rows], drop=1),
        Column("n", [row.count for row in rows], drop=4),
        Column(table.title, [style.cell(r.name, _NAME_CELLS) for r in rows], right=False),
        Column("Phase", [style.cell(r.phase, _PHASE_CELLS) for r in rows], right=False, drop=5),
        Column("", [style.cell(r.detail, _DETAIL_CELLS) for r in rows], right=False, drop=6),
    )
    yield "\n"
    yield from style.table(columns)
    if table.left_out:
        yield style.paragraph(f"... {table.left_out} more; --all shows them all ...")
