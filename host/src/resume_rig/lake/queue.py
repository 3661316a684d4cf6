"""Judged campaigns that wait for their lake: one folder each, added when it can be reached again.

What waits is what was judged, as Parquet files, so that nothing is computed a second time and the
store may be moved meanwhile.
"""

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from resume_rig.lake.facts import SCHEMAS, JudgedFacts
from resume_rig.lake.tables import CAMPAIGN_ID, Added, Lake, lake_url
from resume_rig.model.errors import RecordError, UsageError

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
