"""Words and numbers as people read them, and which rows of a long table are shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.verdict.limits import limit_text
from resume_rig.model.os_record import OsRecord, SleepKind, kind_words, state_word
from resume_rig.model.quantity import BoundedNs, rounded_ms
from resume_rig.model.result.cycle import MEANINGS, BoardClock, OsClock, Outcome, ReconciledCycle
from resume_rig.model.result.verdict import Limit, Requirement
from resume_rig.model.units import count_of, listed
from resume_rig.report.text.json_text import utc_json

TERMINAL_ROWS: Final = 12
"""Rows of a table on a terminal unless all are asked for."""

PAGE_ROWS: Final = 2_000
"""Rows of a table in an HTML report: what a browser lays out without delay."""


@dataclass(frozen=True, slots=True)
class RowChoice:
    """Which rows of a long table are shown: `head` from its beginning, `tail` from its end."""

    head: int
    left_out: int
    tail: int


def row_choice(rows: int, most: int | None) -> RowChoice:
    """Return the choice for a table of `rows` rows; half of `most` come from each end.

    `most` None shows every row.
    """
    if most is None or rows <= most:
        return RowChoice(rows, 0, 0)
    head = most - most // 2
    return RowChoice(head, rows - most, most - head)


MISSING: Final = "-"
"""Stands where a time was not measured; never a 0."""

_BREAKS_SHOWN: Final = 3


def outcome_words(outcome: Outcome) -> str:
    """Return an outcome in words."""
    return MEANINGS[outcome].words


def value_ms_text(quantity: BoundedNs | None) -> str:
    """Return the value alone, in milliseconds."""
    return MISSING if quantity is None else rounded_ms(quantity)[0]


def quantity_text(quantity: BoundedNs | None) -> str:
    """Return value and expanded uncertainty in milliseconds."""
    return MISSING if quantity is None else " ±".join(rounded_ms(quantity))


def whole_ms_text(value_ms: int | None) -> str:
    """Return an OS time, which is in whole milliseconds."""
    return MISSING if value_ms is None else str(value_ms)


def utc_text(t_ns: int | None, characters: int) -> str:
    """Return UTC as people read it, to the day in 10 characters, to the minute in 16."""
    return (utc_json(t_ns) or MISSING)[:characters].replace("T", " ")


def too_narrow(titles: Sequence[str]) -> str:
    """Return which columns there is no room for, a sentence without its stop."""
    word = "column" if len(titles) == 1 else "columns"
    return f"Too narrow for the {word} {', '.join(titles)}"


def requirement_sentence(requirement: Requirement) -> str:
    """Return what is demanded, in one sentence."""
    kinds = listed(map(kind_words, requirement.kinds), "or")
    demanded = "; ".join(limit_words(limit) for limit in requirement.limits() if limit.required)
    sentence = f"{requirement.id} version {requirement.version}: after {kinds}, {demanded}"
    if requirement.ignore_first:
        sentence += ", the first transition of each log ignored"
    advised = [limit_words(limit) for limit in requirement.limits() if not limit.required]
    if not advised:
        return f"{sentence}."
    verb = "is" if len(advised) == 1 else "are"
    return f"{sentence}; {', '.join(advised)} {verb} advised, not demanded."


def limit_words(limit: Limit) -> str:
    """Return a limit in words, with the kinds of sleep left out."""
    return limit_text(limit).replace(" below ", " less than ", 1)


def clock_sentence(clock: OsClock | None) -> str:
    """Return how the OS clock stood to the host's."""
    if clock is None:
        return "The OS clock was not compared with another clock: nothing related the two."
    sentence = f"OS clock minus host clock: {clock.os_minus_host_s:+.3f} s ±{clock.bound_s:.3f} s"
    if clock.drift_ppm is None:
        return f"{sentence}, drift not known."
    return f"{sentence}, drift {clock.drift_ppm:+.1f} ppm."


def board_clock_sentences(clock: BoardClock, cycles: int) -> tuple[str, ...]:
    """Return how the board's clock ran, what was made of it, and where the clocks broke off."""
    parts = []
    tolerance = ppm_text(clock.tolerance_ppb)
    if clock.rate_ppb is not None and clock.bound_ppb is not None:
        mean = f"{clock.rate_ppb / 1000:+.2f} ppm ±{ppm_text(clock.bound_ppb)} over the campaign"
        parts.append(f"{mean}, against {clock.source}")
        if abs(clock.rate_ppb) > clock.tolerance_ppb + clock.bound_ppb:
            parts.append(f"that is beyond the {tolerance} that the board states")
    if clock.cycle_bound_ppb is not None:
        corrected = f"intervals of {clock.corrected} of {count_of(cycles, 'cycle')} are corrected"
        parts.append(f"{corrected}, to ±{ppm_text(clock.cycle_bound_ppb)} or better")
    else:
        # A mean alone corrects nothing: the rate in each cycle is what has to be proven.
        parts.append(
            f"not calibrated against {clock.source}, so its tolerance of {tolerance} stays"
        )
    sentence = f"Board clock: {'; '.join(parts)}."
    return (sentence, *clock.breaks[:_BREAKS_SHOWN], *_breaks_left(clock))


def _breaks_left(clock: BoardClock) -> tuple[str, ...]:
    left = len(clock.breaks) - _BREAKS_SHOWN
    return (f"... and {left} more breaks of the clocks.",) if left > 0 else ()


def ppm_text(rate_ppb: int) -> str:
    """Return a half-width in ppm, rounded up to three digits."""
    digits = 2 if rate_ppb < 10_000 else 1 if rate_ppb < 100_000 else 0
    step = 10 ** (3 - digits)
    return f"{-(-rate_ppb // step) * step / 1000:.{digits}f} ppm"


def record_name(record: OsRecord) -> str:
    """Return how to find a record again."""
    number = "without a number" if record.record_id is None else str(record.record_id)
    return f"record {number} ({kind_words(record.kind)})"


def cycle_name(cycle: ReconciledCycle) -> str:
    """Return the number of a cycle, with its state where that is not S3, and whether it counts."""
    asked = cycle.outside.asked
    state = "" if asked in (None, SleepKind.S3) else f" {state_word(asked)}"
    return f"{cycle.outside.number}{state}{' (ignored)' if cycle.outside.ignored else ''}"


def unjudged_word(cycle: ReconciledCycle) -> str | None:
    """Return what stands in place of a verdict; None where the cycle counts."""
    if cycle.judged:
        return None
    return "ignored" if cycle.outside.ignored else "not judged"
