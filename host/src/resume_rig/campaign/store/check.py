"""What is wrong with a store, as far as it can be told; nothing is written.

SQLite's own check finds damaged pages, but has no checksum over them; so every cycle is read as
well, and held against what the others say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from resume_rig.campaign.store import schema
from resume_rig.campaign.store.raw import CycleRaw
from resume_rig.campaign.store.store import Store
from resume_rig.model.errors import RecordError

MOST_PROBLEMS: Final = 50


@dataclass(frozen=True, slots=True)
class StoreCheck:
    """The state of a store.

    Attributes:
        cycles: how many can be read.
        problems: one sentence each, at most 50 and then how many more; none for a whole store.
        salvaged: what was salvaged, where it was put together from a damaged store: the cycles
            that are missing by that are no problem of this one.
    """

    path: Path
    cycles: int
    problems: tuple[str, ...]
    salvaged: str | None = None


def check_store(path: Path) -> StoreCheck:
    """Return what is wrong with a store, which somebody may be writing to.

    Raises:
        RecordError: the file is not a campaign store at all, or of a version that is not known.
    """
    problems: list[str] = []
    try:
        with Store.open(path) as store:
            problems += _pages(path)
            cycles = _read_all(store, problems)
            salvaged = store.salvaged
    except RecordError as error:
        if not schema.looks_like_a_store(path):
            raise
        return StoreCheck(path, 0, (_sentence(str(error)),))
    if len(problems) > MOST_PROBLEMS:
        more = len(problems) - MOST_PROBLEMS
        problems[MOST_PROBLEMS:] = [f"And {more} more."]
    return StoreCheck(path, cycles, tuple(problems), salvaged)


def _pages(path: Path) -> Iterator[str]:
    """Yield what SQLite's full check finds."""
    connection = schema.connect_existing(path, write=False)
    try:
        for (line,) in connection.execute(f"PRAGMA integrity_check({MOST_PROBLEMS})"):
            if line != "ok":
                yield f"SQLite finds: {str(line).splitlines()[-1].strip()}."
    except schema.UNREADABLE as error:
        yield f"SQLite's own check breaks off: {schema.why(error)}."
    finally:
        connection.close()


def _read_all(store: Store, problems: list[str]) -> int:
    """Read every cycle, add what is wrong, and return how many can be read."""
    numbers = store.numbers()
    sessions = {session.number for session in store.sessions()}
    problems += _gaps([n for n in numbers if n > store.salvaged_to], store.salvaged_to)
    readable, before = 0, None
    try:
        store.recoveries()
    except RecordError as error:
        problems.append(_sentence(str(error)))
    for number in numbers:
        try:
            raw = next(store.cycles((number,)))
        except RecordError as error:
            problems.append(_sentence(str(error)))
            continue
        readable += 1
        if raw.session not in sessions:
            problems.append(f"Cycle {number} belongs to session {raw.session}, which is missing.")
        problems += _contradictions(raw, before)
        before = raw
    return readable


def _gaps(numbers: Sequence[int], last: int) -> Iterator[str]:
    """Yield a sentence for each gap between ascending numbers, of which `last` is before them."""
    for number in numbers:
        if number == last + 2:
            yield f"Cycle {last + 1} is missing."
        elif number > last + 2:
            yield f"Cycles {last + 1} to {number - 1} are missing."
        last = number


def _contradictions(raw: CycleRaw, before: CycleRaw | None) -> Iterator[str]:
    name = f"Cycle {raw.number}"
    if raw.ended_host_ns < raw.started_host_ns:
        yield f"{name} ends before it begins."
    if (
        before is not None
        and before.session == raw.session
        and raw.started_host_ns < before.ended_host_ns
    ):
        yield f"{name} begins before cycle {before.number} ends."
    stamps = [(edge.number, edge.t_ns) for edge in raw.edges]
    if any(b[0] <= a[0] for a, b in pairwise(stamps)):
        yield f"{name}: the numbers of its edges do not ascend."
    if any(b[1] < a[1] for a, b in pairwise(stamps)):
        yield f"{name}: the stamps of its edges go back in time."


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
