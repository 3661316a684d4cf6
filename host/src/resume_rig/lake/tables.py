"""The lake: Delta tables below one URL, added to by many hosts at once; and what waits for it.

A Delta commit is atomic in one table; an add writes nine. So rows of `campaigns` are written last,
and alone decide what is there: each names its load, and rows of a load that no campaign names are
not read by anybody. A campaign that is judged again replaces its row in one commit, which Delta
refuses where another host was faster; then it is tried again on what that host left. Where a lake
cannot be reached, a judged campaign waits in a folder of its own.
"""

import json
import logging
import os
import random
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, unique
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError

from resume_rig.lake.facts import PARTITIONS, RANDOM_BITS, SCHEMA_VERSION, SCHEMAS, JudgedFacts
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.units import NS_PER_MS

logger = logging.getLogger(__name__)

Found = TypeVar("Found")

SCHEMES: Final = ("file", "s3", "s3a", "az", "abfs", "abfss", "adl", "gs")
"""What deltalake can write to without a catalogue."""

_DESCRIPTION: Final = "resume-rig lake, schema"
_VERSION: Final = re.compile(r"[0-9]{1,9}")
CAMPAIGN_ID: Final = re.compile(r"[0-9a-f]{64}")
"""What names a campaign, in hex; it stands in predicates, so nothing else may."""
# Each lost race means that another host has committed; with a pause of up to 0.2 s at first, 40
# hosts that begin at once are through within a minute.
_TRIES_MOST: Final = 60
_PAUSE_S: Final = 0.2
_PAUSE_MOST_S: Final = 2.0
# An add that takes longer than a day was killed; only then are its rows taken away.
_ORPHAN_MS: Final = 24 * 3600 * 1000


class LakeUnreachable(RecordError):
    """The lake cannot be written to just now; what is to be added can be queued."""


@unique
class Added(Enum):
    """What became of an add."""

    NEW = "added"
    REPLACED = "replaced what was there of it"
    KEPT = "left alone: the lake has a longer copy of it, or a newer judgement"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All tables as they stood at one moment.

    Attributes:
        url: of the lake.
        tables: by name; a table that nobody has written to is there, and empty.
    """

    url: str
    tables: Mapping[str, DeltaTable]

    def rows_of(self, name: str) -> Any:
        """Return a table as an Arrow dataset, with partitions and columns added later."""
        return self.tables[name].to_pyarrow_dataset()


def lake_url(place: str) -> str:
    """Return where a lake is: a URL of one of SCHEMES, or the absolute path of a folder.

    Raises:
        UsageError: it is neither.
    """
    scheme, separator, rest = place.partition("://")
    if not separator:
        if not place.strip():
            raise UsageError("could not use the lake '': a folder or a URL is needed")
        return str(Path(place).absolute())
    if scheme.lower() not in SCHEMES or not rest.strip("/"):
        raise UsageError(
            f"could not use the lake {place}: allowed are a folder, and URLs of "
            f"{', '.join(f'{each}://' for each in SCHEMES)}"
        )
    return f"/{rest.strip('/')}" if scheme.lower() == "file" else place.rstrip("/")


class Lake:
    """The tables below a URL.

    Args:
        place: a folder, or a URL; credentials of an object store come from its own variables in
            the environment (AWS_..., AZURE_...).
        sleep: waits so many seconds between two tries.
    """

    def __init__(self, place: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self.url = lake_url(place)
        self._sleep = sleep

    def add(self, facts: JudgedFacts) -> Added:
        """Add a judged campaign; it is there whole or not at all, and once.

        Raises:
            LakeUnreachable: the place cannot be written to.
            UsageError: a newer version of the program made the lake.
        """
        if not CAMPAIGN_ID.fullmatch(facts.campaign_id):
            raise ValueError(f"campaign_id is {facts.campaign_id!r}; 64 hex digits are needed")
        try:
            self._make()
            if self._better(facts, self._open("campaigns")):
                return Added.KEPT
            for name, rows in facts.tables.items():
                if name != "campaigns" and rows.num_rows:
                    self._tried(partial(self._append, name, rows))
            before = self._tried(partial(self._commit, facts))
            if before is None:
                self._take_away([facts.load_id])
                return Added.KEPT
            self._take_away(before)
            return Added.REPLACED if before else Added.NEW
        except (OSError, DeltaError) as error:
            raise LakeUnreachable(
                f"could not add to the lake {self.url}: {_reason(error)}; see that it can be "
                "reached and written to"
            ) from error

    def snapshot(self) -> Snapshot:
        """Return all tables as they stand.

        Raises:
            RecordError: there is no lake, or it cannot be read.
            UsageError: a newer version of the program made it.
        """
        try:
            for _ in range(_TRIES_MOST):
                campaign = self._open("campaigns")
                self._check_version(campaign)
                tables = {
                    name: campaign if name == "campaigns" else self._open(name) for name in SCHEMAS
                }
                if "://" not in self.url:
                    for table in tables.values():
                        self._check_files(table.file_uris())
                # Rows of a load are taken away after the campaign has another one.
                if self._open("campaigns").version() == campaign.version():
                    return Snapshot(self.url, tables)
                self._sleep(_PAUSE_S)
        except TableNotFoundError as error:
            raise RecordError(
                f"could not read the lake {self.url}: there is none; `resume-rig lake add STORE "
                f"--to {self.url}` makes it"
            ) from error
        except (OSError, DeltaError) as error:
            raise RecordError(f"could not read the lake {self.url}: {_reason(error)}") from error
        raise RecordError(
            f"could not read the lake {self.url}: campaigns are added all the time; try again"
        )

    def compact(self, now_ns: int) -> Mapping[str, tuple[int, int]]:
        """Put small files together, take away what killed adds left; return files before, after.

        Files that are in no table any more are deleted once they are a week old: a question that
        runs just now still reads them.

        Raises:
            RecordError: there is no lake, or it cannot be read or written.
        """
        found = {}
        old = (now_ns // NS_PER_MS - _ORPHAN_MS) << RANDOM_BITS
        try:
            for name, table in self.snapshot().tables.items():
                before = len(table.file_uris())
                if name != "campaigns":
                    named = self._loads()
                    rows = table.to_pyarrow_table(columns=["load_id"])["load_id"].unique()
                    self._take_away(
                        [load for load in rows.to_pylist() if load not in named and load < old],
                        [name],
                    )
                self._tried(partial(self._compacted, name))
                after = self._open(name)
                after.vacuum(dry_run=False)
                found[name] = (before, len(after.file_uris()))
        except (OSError, DeltaError) as error:
            raise RecordError(f"could not compact the lake {self.url}: {_reason(error)}") from error
        return found

    def _at(self, name: str) -> str:
        return f"{self.url}/{name}"

    def _open(self, name: str) -> DeltaTable:
        if "://" not in self.url:
            log = Path(self._at(name)) / "_delta_log"
            with suppress(FileNotFoundError, NotADirectoryError):
                self._check_files(str(each) for each in log.iterdir() if not each.is_dir())
        return DeltaTable(self._at(name))

    def _check_files(self, paths: Iterable[str]) -> None:
        """Check that what would be opened are files: a pipe is waited for, and hears no signal."""
        for path in map(Path, paths):
            if path.exists() and not path.is_file():
                raise RecordError(
                    f"could not read the lake {self.url}: {path} is no file but a device"
                )

    def _make(self) -> None:
        """Make the tables that are not there, `campaigns` last: it is what makes a lake."""
        try:
            self._check_version(self._open("campaigns"))
            return
        except TableNotFoundError:
            pass
        for name in (*(each for each in SCHEMAS if each != "campaigns"), "campaigns"):
            self._tried(
                partial(
                    DeltaTable.create,
                    self._at(name),
                    SCHEMAS[name],
                    mode="ignore",
                    partition_by=list(PARTITIONS),
                    description=f"{_DESCRIPTION} {SCHEMA_VERSION}",
                )
            )

    def _check_version(self, table: DeltaTable) -> None:
        description = table.metadata().description or ""
        version = description.removeprefix(_DESCRIPTION).strip()
        if not description.startswith(_DESCRIPTION) or not _VERSION.fullmatch(version):
            raise UsageError(
                f"could not use the lake {self.url}: its tables are not resume-rig's; name another "
                "place"
            )
        if int(version) > SCHEMA_VERSION:
            raise UsageError(
                f"could not use the lake {self.url}: its schema is {version}, and this program "
                f"knows schemas up to {SCHEMA_VERSION}; use the program that made it"
            )

    def _compacted(self, name: str) -> None:
        self._open(name).optimize.compact()

    def _deleted(self, name: str, predicate: str) -> None:
        self._open(name).delete(predicate)

    def _append(self, name: str, rows: Any) -> None:
        # A lake that is older than a column gets it with the first row that has it.
        write_deltalake(
            self._at(name),
            rows,
            mode="append",
            partition_by=list(PARTITIONS),
            schema_mode="merge",
        )

    def _commit(self, facts: JudgedFacts) -> list[int] | None:
        """Put a campaign's row in place of those that are there; return the loads of these.

        None where a better one was added meanwhile.
        """
        table = self._open("campaigns")
        if self._better(facts, table):
            return None
        there = _campaign_rows(table, facts.campaign_id)
        rows = facts.tables["campaigns"]
        # The predicate, even where it meets no row, has Delta refuse what came between.
        write_deltalake(
            table,
            rows,
            mode="overwrite",
            predicate=f"campaign_id = '{facts.campaign_id}'",
        )
        return [row["load_id"] for row in there]

    def _better(self, facts: JudgedFacts, table: DeltaTable) -> bool:
        """Return whether the lake has a longer copy, or one as long that was judged later."""
        return any(
            (row["cycles"], row["load_id"]) > (facts.cycles, facts.load_id)
            for row in _campaign_rows(table, facts.campaign_id)
        )

    def _loads(self) -> set[int]:
        return set(
            self._open("campaigns").to_pyarrow_table(columns=["load_id"])["load_id"].to_pylist()
        )

    def _take_away(self, loads: Sequence[int], names: Sequence[str] | None = None) -> None:
        """Delete the rows of loads that no campaign names; what cannot be is for `compact`."""
        if not loads:
            return
        chosen = ", ".join(str(int(load)) for load in loads)
        for name in names or [each for each in SCHEMAS if each != "campaigns"]:
            with suppress(OSError, DeltaError):
                self._tried(partial(self._deleted, name, f"load_id IN ({chosen})"))

    def _tried(self, act: Callable[[], Found]) -> Found:
        """Do something until no other host's commit is in its way."""
        for number in range(_TRIES_MOST):
            try:
                return act()
            except CommitFailedError as error:
                logger.debug("try %d: %s", number, error)
                self._sleep(random.uniform(0, min(_PAUSE_S * 2**number, _PAUSE_MOST_S)))
        return act()


def _campaign_rows(table: DeltaTable, campaign_id: str) -> list[dict[str, Any]]:
    found = table.to_pyarrow_dataset().to_table(
        columns=["load_id", "cycles"], filter=ds.field("campaign_id") == campaign_id
    )
    rows: list[dict[str, Any]] = found.to_pylist()
    return rows


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return os.strerror(error.errno)
    # Object stores' errors come with colours.
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    return " ".join(plain.split())[:300] or type(error).__name__


_ABOUT: Final = "about.json"
_ABOUT_MOST: Final = 65_536
_KEYS: Final = ("url", "store", "campaign_id", "load_id", "cycles")


@dataclass(frozen=True, slots=True)
class Waiting:
    """One campaign that waits.

    Attributes:
        folder: where it is. url: of its lake. store: its path when it was judged.
        campaign_id, load_id, cycles: as in JudgedFacts.
    """

    folder: Path
    url: str
    store: str
    campaign_id: str
    load_id: int
    cycles: int


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits, in the order of its names; and why other folders cannot be read, one each."""

    waiting: tuple[Waiting, ...]
    unread: tuple[RecordError, ...]


def queue_folder() -> Path:
    """Return the user's queue: RESUME_RIG_LAKE_QUEUE, or where a system keeps state."""
    named = os.environ.get("RESUME_RIG_LAKE_QUEUE")
    if named:
        return Path(named)
    state = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    return (
        (Path(state) if state else Path.home() / ".local" / "state") / "resume-rig" / "lake-queue"
    )


def put(facts: JudgedFacts, url: str, store: Path, queue: Path) -> None:
    """Keep a judged campaign for later; it replaces an earlier judgement that still waits.

    What waits is what was judged, as Parquet files: nothing is computed a second time, and the
    store may be moved meanwhile.

    Raises:
        UsageError: the queue cannot be written to.
    """
    lake = lake_url(url)
    try:
        queue.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".part-", dir=queue))
        for name, rows in facts.tables.items():
            pq.write_table(rows, made / f"{name}.parquet")
        about = {
            "url": lake,
            "store": str(store.absolute()),
            "campaign_id": facts.campaign_id,
            "load_id": facts.load_id,
            "cycles": facts.cycles,
        }
        (made / _ABOUT).write_text(json.dumps(about), "utf-8")
        for older in queued(queue).waiting:
            if older.url == lake and older.folder.name.startswith(facts.campaign_id):
                shutil.rmtree(older.folder, ignore_errors=True)
        made.rename(queue / f"{facts.campaign_id}-{facts.load_id}")
    except OSError as error:
        raise UsageError(
            f"could not queue for the lake {lake} in {queue}: {error.strerror or error}; "
            "RESUME_RIG_LAKE_QUEUE names another folder"
        ) from error


def queued(queue: Path) -> Queue:
    """Return what a folder holds; what is half written is none of it."""
    waiting: list[Waiting] = []
    unread: list[RecordError] = []
    for folder in sorted(queue.iterdir()) if queue.is_dir() else ():
        if not folder.name.startswith(".") and (folder / _ABOUT).is_file():
            try:
                waiting.append(_waiting(folder))
            except RecordError as error:
                unread.append(error)
    return Queue(tuple(waiting), tuple(unread))


def push(one: Waiting, lake: Lake) -> Added:
    """Add what waits to its lake, and take it from the queue.

    Raises:
        LakeUnreachable: it still cannot be added, and goes on waiting.
        RecordError: its files cannot be read.
    """
    try:
        tables = {
            name: pq.read_table(one.folder / f"{name}.parquet", schema=schema)
            for name, schema in SCHEMAS.items()
        }
    except (OSError, pa.ArrowException) as error:
        raise RecordError(
            f"could not read {one.folder}, which waits for the lake {one.url}: {error}; remove it, "
            f"and add {one.store} again"
        ) from error
    added = lake.add(JudgedFacts(one.campaign_id, one.load_id, one.cycles, tables))
    shutil.rmtree(one.folder, ignore_errors=True)
    return added


def _waiting(folder: Path) -> Waiting:
    try:
        with (folder / _ABOUT).open("rb") as file:
            found = json.loads(file.read(_ABOUT_MOST))
        one = Waiting(folder, **{each: found[each] for each in _KEYS})
        texts, numbers = (one.url, one.store, one.campaign_id), (one.load_id, one.cycles)
        if (
            all(isinstance(each, str) for each in texts)
            and all(type(each) is int and 0 <= each < 2**63 for each in numbers)
            and CAMPAIGN_ID.fullmatch(one.campaign_id)
        ):
            return one
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    raise RecordError(
        f"could not read {folder}, which waits for a lake: its {_ABOUT} is not of that form; "
        "remove the folder, and add its store again"
    )
