"""A damaged store: what can be read of it is written to a new one; and what is wrong with a store.

A salvage works on a copy and asks for rows one by one, so that a damaged page costs the rows on it
and no others. A first page that is destroyed is taken from an empty store: tables are laid out the
same way in every store. A check reads every cycle, as SQLite has no checksum over its pages.
"""

import dataclasses
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeAlias

from resume_rig.campaign.store import schema
from resume_rig.campaign.store.encoding import DICTIONARY_BYTES, Budget
from resume_rig.campaign.store.raw import CycleRaw, LogMark, LogState, Session
from resume_rig.campaign.store.rows import (
    LATE_COLUMNS,
    Value,
    broken_seals,
    cycle_of_row,
    identity_of_rows,
    recovery_of_row,
    session_of_row,
    with_health,
    with_power,
)
from resume_rig.campaign.store.store import Store, give_name
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.os_record import Integrity, LogSource
from resume_rig.model.units import count_of

# Beyond the plan's cycles there are only interrupted ones.
_NUMBERS_MORE: Final = 10_000
_OTHER_ROWS: Final = 10_000
_LISTED: Final = 20

_Values: TypeAlias = sqlite3.Row | Mapping[str, object]
_Dictionaries: TypeAlias = Mapping[int, bytes]


@dataclass(frozen=True, slots=True)
class Salvage:
    """What came of it.

    Attributes:
        kept: numbers of the cycles that were read whole.
        without_light: numbers of those whose light could not be read; they count as INVALID.
        without_records: numbers of those whose OS records could not be read.
        without_power: numbers of those whose samples of power could not be read, of a rig that
            has a power monitor.
        lost: numbers below the last one that was found, and that could not be read.
        planned: cycles of the plan; those after the last one that was found are lost, or were
            never done.
        whole: nothing of the store was damaged, so they were never done.
    """

    path: Path
    kept: tuple[int, ...]
    without_light: tuple[int, ...]
    without_records: tuple[int, ...]
    without_power: tuple[int, ...]
    lost: tuple[int, ...]
    planned: int
    whole: bool = field(default=False, compare=False)

    def sentence(self) -> str:
        """Return what came of it, without a full stop."""
        parts = [count_of(len(self.kept), "cycle")]
        for name, numbers in (
            ("light lost, so they count as invalid", self.without_light),
            ("OS records lost", self.without_records),
            ("samples of power lost", self.without_power),
            ("lost", self.lost),
        ):
            if numbers:
                listed = ", ".join(map(str, numbers[:_LISTED])) + (
                    " ..." if len(numbers) > _LISTED else ""
                )
                parts.append(f"{name}: {listed}")
        last = max(self.kept, default=0)
        if len(parts) == 1 and (self.whole or last >= self.planned):
            undone = f"; the plan has {self.planned}, and the store has no more"
            more = undone if last < self.planned else ""
            return f"{parts[0]} of the store; nothing is lost{more}"
        if last < self.planned:
            parts.append(
                f"the plan has {self.planned}: what there was after cycle {last} is lost"
                if last
                else f"the plan has {self.planned}: what there was of them is lost"
            )
        return "; ".join((f"{parts[0]} of a damaged store", *parts[1:]))


def salvage(damaged: Path, path: Path) -> Salvage:
    """Write what can be read of `damaged` to a new store.

    Args:
        damaged: is only read.
        path: of the new store; no file may be there.

    Raises:
        RecordError: identity or plan cannot be read, so that nothing else has a meaning.
        UsageError: the new store cannot be made.
    """
    if not damaged.is_file():
        raise RecordError(f"could not salvage {damaged}: there is no such file")
    if path.exists():
        raise _there_already(path)
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".salvage-") as folder:
            copy = Path(folder) / "damaged.rrs"
            for suffix in ("", "-wal"):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{damaged}{suffix}", f"{copy}{suffix}")
            whole = _is_whole(copy)
            _mend_first_page(copy, Path(folder) / "empty.rrs")
            with closing(_open(copy)) as connection:
                # Killed in between it leaves no store that looks like a whole, shorter campaign.
                came = _write(_Wreck(connection, damaged), Path(folder) / "saved.rrs", whole=whole)
            give_name(came.path, path)
            return dataclasses.replace(came, path=path)
    except FileExistsError as error:
        raise _there_already(path) from error
    except OSError as error:
        if error.filename is not None and Path(error.filename).parent == damaged.parent:
            raise RecordError(f"could not salvage {damaged}: {error.strerror}") from error
        raise UsageError(f"could not salvage to {path}: {error.strerror or error}") from error
    except schema.UNREADABLE as error:
        raise RecordError(f"could not salvage {damaged}: {schema.why(error)}") from error


def _there_already(path: Path) -> UsageError:
    return UsageError(f"could not salvage to {path}: it is there already; name a new file")


class _Wreck:
    """A damaged store: every question may fail, and then has no answer."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    def row(self, query: str, *values: int | str) -> sqlite3.Row | None:
        """Return the one row of a query; None where it cannot be read, or is not there."""
        try:
            found: sqlite3.Row | None = self._connection.execute(query, values).fetchone()
        except schema.UNREADABLE as error:
            schema.why(error)  # a signal is no damage
            return None
        return found

    def rows(self, table: str, most: int) -> Iterator[sqlite3.Row]:
        """Yield the rows of a table with a number, in order, as many as can be read."""
        for number in range(1, most + 1):
            found = self.row(f"SELECT * FROM {table} WHERE number = ?", number)
            if found is not None:
                yield found

    def last(self, table: str, most: int) -> int:
        """Return the greatest number of a table, or `most` where it cannot be read."""
        found = self.row(f"SELECT max(number) FROM {table}")
        (value,) = (None,) if found is None else found
        return min(value, most) if isinstance(value, int) else most


def _open(copy: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(copy, isolation_level=None)
    schema.trust_nothing(connection)
    connection.row_factory = sqlite3.Row
    # What cannot be decoded as text comes as bytes, and is then found to be damaged.
    connection.text_factory = _text_or_bytes
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA writable_schema = ON")
    return connection


def _text_or_bytes(raw: bytes) -> str | bytes:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def _mend_first_page(copy: Path, empty: Path) -> None:
    """Replace the first page, header and layout, where it cannot be read or is not ours."""
    if _is_ours(copy):
        return
    with closing(schema.connect_new(empty)) as connection:
        connection.execute("BEGIN")
        schema.lay_out(connection)
        connection.execute("COMMIT")
    page = bytearray(empty.read_bytes()[: schema.PAGE_BYTES])
    pages = copy.stat().st_size // schema.PAGE_BYTES
    page[28:32] = pages.to_bytes(4, "big")  # size of the file in pages
    page[92:96] = page[24:28]  # ... which counts, because these two agree
    with copy.open("r+b") as file:
        file.write(page)
    # Pages that wait in a WAL would come before it.
    if not _is_ours(copy):
        for suffix in ("-wal", "-shm"):
            copy.with_name(f"{copy.name}{suffix}").unlink(missing_ok=True)


def _is_ours(copy: Path) -> bool:
    try:
        with closing(sqlite3.connect(copy)) as connection:
            schema.trust_nothing(connection)
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            return version in schema.READABLE and schema.why_foreign(connection, copy) is None
    except schema.UNREADABLE as error:
        schema.why(error)  # a signal is no damage
        return False


def _is_whole(copy: Path) -> bool:
    with suppress(RecordError):
        return not check_store(copy).problems
    return False


def _write(wreck: _Wreck, path: Path, *, whole: bool) -> Salvage:
    facts: dict[Value, Value] = {}
    for name in ("identity", "plan"):
        row = wreck.row("SELECT value FROM identity WHERE name = ?", name)
        if row is not None:
            facts[name] = row[0]
    try:
        identity, plan = identity_of_rows(facts)
    except RecordError as error:
        raise RecordError(
            f"could not salvage {wreck.path}: it is no campaign store, or too damaged: {error}, "
            "and without that nothing else of it has a meaning"
        ) from error
    with Store.create(path, identity, plan) as store:
        for row in wreck.rows("session", wreck.last("session", _OTHER_ROWS)):
            with suppress(RecordError, TypeError, ValueError):
                store.begin_session(session_of_row(row))
        for row in wreck.rows("recovery", wreck.last("recovery", _OTHER_ROWS)):
            with suppress(RecordError, TypeError, ValueError):
                store.commit_recovery(recovery_of_row(row))
        came = _cycles(wreck, store, plan.cycles, monitored=identity.rig.power is not None)
        came = dataclasses.replace(came, whole=whole)
        store.note_salvage(came.sentence(), max(came.kept, default=0))
        return came


def _cycles(wreck: _Wreck, store: Store, planned: int, *, monitored: bool) -> Salvage:
    last = wreck.last("cycle", planned + _NUMBERS_MORE)
    dictionaries = {
        row["number"]: row["bytes"]
        for row in wreck.rows("dictionary", 1)
        if isinstance(row["bytes"], bytes) and len(row["bytes"]) <= DICTIONARY_BYTES
    }
    budget = Budget(planned)
    sessions = {session.number for session in store.sessions()}
    kept: list[int] = []
    without: dict[str, list[int]] = {"light": [], "records": [], "power": []}
    for row in wreck.rows("cycle", last):
        part, raw = _read_what_is_whole(wreck, row, dictionaries, budget)
        if raw is None:
            continue
        raw = _and_health(wreck, _and_power(wreck, raw))
        if monitored and raw.power is None:
            without["power"].append(raw.number)
        if raw.session not in sessions:
            sessions.add(raw.session)
            store.begin_session(_stand_in(raw))
        store.commit_cycle(raw)
        kept.append(raw.number)
        if part:
            without[part].append(raw.number)
    lost = sorted(set(range(1, max(kept, default=0) + 1)) - set(kept))
    return Salvage(
        store.path,
        tuple(kept),
        tuple(without["light"]),
        tuple(without["records"]),
        tuple(without["power"]),
        tuple(lost),
        planned,
    )


def _stand_in(raw: CycleRaw) -> Session:
    """Return a session in place of one that is lost, as far as its first cycle shows it."""
    lost = Integrity(ok=False, problems=("What the store recorded of this log is lost.",))
    source = LogSource("lost", "unknown", os_build=None, records=0, integrity=lost)
    return Session(
        number=raw.session,
        started_utc_ns=raw.started_host_ns + raw.utc_minus_host_ns,
        boot_id=raw.boot_id,
        host="lost",
        software="lost",
        log=LogState(source, LogMark()) if raw.records else None,
    )


def _read(values: _Values, dictionaries: _Dictionaries, budget: Budget) -> CycleRaw | None:
    with suppress(RecordError, TypeError, ValueError, KeyError):
        return cycle_of_row(values, dictionaries, budget=budget)
    return None


def _and_power(wreck: _Wreck, raw: CycleRaw) -> CycleRaw:
    """Return a cycle with its samples of power, where they have their checksum."""
    with suppress(RecordError):
        return with_power(raw, wreck.row("SELECT * FROM power WHERE cycle = ?", raw.number))
    return raw


def _and_health(wreck: _Wreck, raw: CycleRaw) -> CycleRaw:
    """Return a cycle with its health reports, where they have their checksum."""
    with suppress(RecordError):
        return with_health(raw, wreck.row("SELECT * FROM health WHERE cycle = ?", raw.number))
    return raw


def _read_what_is_whole(
    wreck: _Wreck, row: sqlite3.Row, dictionaries: _Dictionaries, budget: Budget
) -> tuple[str, CycleRaw | None]:
    """Return a cycle, and the part that it had to be read without: "", "light" or "records".

    What does not have its checksum is not what was written, even where it can be decoded.
    """
    values: dict[str, object] = {**dict.fromkeys(LATE_COLUMNS), **dict(row)}
    found = wreck.row("SELECT facts, light FROM seal WHERE cycle = ?", row["number"])
    broken = broken_seals(values, (None, None) if found is None else tuple(found))
    if "cycle" in broken:
        return "", None
    if not broken and (raw := _read(values, dictionaries, budget)) is not None:
        return "", raw
    dark = {**values, "light": b"", "lost_light": max(1, _count(values))}
    raw = _read(dark, dictionaries, budget)
    if raw is not None:
        return "light", raw
    return "records", _read({**values, "records": b"", "dictionary": None}, dictionaries, budget)


def _count(values: dict[str, object]) -> int:
    lost = values["lost_light"]
    return lost if isinstance(lost, int) else 1


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
        RecordError: the file is no campaign store at all, or of a version that cannot be read.
    """
    problems: list[str] = []
    try:
        with Store.open(path) as store:
            problems += _pages(path)
            cycles = _read_all(store, problems)
            salvaged = store.salvaged
    except RecordError as error:
        damaged = str(error).endswith(schema.salvage_hint(path))
        # Another process has it, or the disk gives no room: that is no damage.
        refused = isinstance(error.__cause__, sqlite3.OperationalError) and not damaged
        if refused or not schema.looks_like_a_store(path):
            raise
        found = str(error).removesuffix(schema.salvage_hint(path))
        return StoreCheck(path, 0, (_sentence(found),))
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
