"""Damages campaign stores at random, and asks every reader of each: an answer or a sentence.

    python benchmarks/fuzz_stores.py [STORES] [SEED] [FOLDER] [READER... | all]

Half of the stores are damaged as a disk does it: bits, pages, cuts. The other half are changed as
a stranger does it, with checksums that hold: values of other kinds and sizes in any column, and
JSON within them. Each is checked, summed up and salvaged, and is judged, drawn, exported, packed
or explored, as chance has it, in one process that may have 1.5 GB. What is neither an answer nor an
expected error, or takes 20 s of the processor, is a fault; its store is kept in FOLDER (the
present one by default). READERs named are asked of every store, no others; `all` are all of them.
Every 500 stores it says how far it is, on standard error.
"""

import collections
import functools
import importlib.util
import json
import random
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests"))

from campaign.hostile_stores import reseal

from resume_rig.acceptance.campaign import load_campaign
from resume_rig.campaign.store import encoding
from resume_rig.campaign.store.read_back import progress_of
from resume_rig.campaign.store.salvage import check_store, salvage
from resume_rig.campaign.store.schema import PAGE_BYTES
from resume_rig.campaign.store.store import Store
from resume_rig.cli import program
from resume_rig.cli.main import main as command
from resume_rig.gui.explorer.state import explore, read_detail, read_quick
from resume_rig.model.errors import RecordError, ResumeRigError

_MEMORY_BYTES = 1_500_000_000
_SECONDS = 20  # of the processor: a busy machine is no fault
_WAIT_SECONDS = 180
_ODD: tuple[Any, ...] = (
    None,
    0,
    1,
    -1,
    2**31,
    2**53,
    2**62,
    2**63 - 1,
    -(2**63),
    0.5,
    1e308,
    "",
    "x",
    "[]",
    "{}",
    "\x00",
    "\ud800",
    "é" * 5000,
    b"",
    b"\x00",
    b"\xff" * 99,
    "[" * 5000,
    "null",
)
_ODD_JSON: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1,
    2**53,
    2**63 - 1,
    -(2**63),
    2**64,
    2**71,
    -(2**71),
    10**30,
    0.0,
    0.5,
    -1e308,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x",
    "é" * 5000,
    "\u202e",
    [],
    {},
    [[]],
    [None],
    {"": None},
)


class _TooLong(Exception):
    pass


def _strike(*_: object) -> None:
    raise _TooLong


def main() -> int:
    """Damage so many stores, and print what came of them."""
    stores = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    kept = Path(sys.argv[3] if len(sys.argv) > 3 else ".").resolve()
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY_BYTES, _MEMORY_BYTES))
    signal.signal(signal.SIGALRM, _strike)
    signal.signal(signal.SIGPROF, _strike)
    # To make the parser of all verbs takes as long as to read a damaged store; it reads none.
    program.build_parser = functools.cache(program.build_parser)
    came: collections.Counter[str] = collections.Counter()
    faults: dict[str, str] = {}
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wholes = _wholes(folder)
        for number in range(stores):
            path = folder / "damaged.rrs"
            shutil.copyfile(chance.choice(wholes), path)
            (_strangers if number % 2 else _disks)(path, chance)
            for fault in _asked(path, folder, chance, came):
                if fault not in faults:
                    faults[fault] = f"fuzz-{len(faults)}.rrs"
                    shutil.copyfile(path, kept / faults[fault])
                    print(f"{faults[fault]}: {fault}", flush=True)
            if number % 500 == 499 and number + 1 < stores:
                print(_so_far(number + 1, begun, came, faults), file=sys.stderr, flush=True)
    print(_so_far(stores, begun, came, faults))
    return 1 if faults else 0


def _so_far(
    stores: int, begun: float, came: "collections.Counter[str]", faults: dict[str, str]
) -> str:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told = ", ".join(f"{kind}: {count}" for kind, count in sorted(came.items()))
    return (
        f"{stores} damaged stores in {time.perf_counter() - begun:.0f} s, {peak} MB at most; "
        f"{told}; {len(faults)} kinds of fault"
    )


def _wholes(folder: Path) -> list[Path]:
    """Return sound stores: with light and records, with failures, with a plan that varies."""
    found: list[Path] = []
    for words in (
        ["--cycles", "4"],
        ["--cycles", "5", "--dut", "resume-hang"],
        ["--cycles", "4", "--plan", "press-widths"],
    ):
        path = folder / f"whole-{len(found)}.rrs"
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            command(["run", "--rig", "sim:clock=virtual,seed=5", "--out", str(path), *words])
        found.append(path)
    return found


def _disks(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    match chance.randrange(5):
        case 0 | 1:
            for _ in range(chance.choice((1, 8, 64))):
                content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        case 2:
            for _ in range(chance.randint(1, 3)):
                start = chance.randrange(len(content) // PAGE_BYTES) * PAGE_BYTES
                filling = chance.choice((bytes(PAGE_BYTES), chance.randbytes(PAGE_BYTES)))
                content[start : start + PAGE_BYTES] = filling
        case 3:
            del content[chance.randrange(1, len(content)) :]
        case 4:
            pages = len(content) // PAGE_BYTES
            one, two = (chance.randrange(pages) * PAGE_BYTES for _ in range(2))
            content[one : one + PAGE_BYTES] = content[two : two + PAGE_BYTES]
    path.write_bytes(content)


def _strangers(path: Path, chance: random.Random) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            table = chance.choice(("identity", "identity", "session", "cycle", "cycle", "recovery"))
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            keys = "name" if table == "identity" else "rowid"
            rows = connection.execute(f"SELECT {keys}, * FROM {table}").fetchall()
            if not rows:
                continue
            key, *values = chance.choice(rows)
            at = chance.randrange(len(columns))
            if table == "cycle" and chance.random() < 0.25:
                at = columns.index("records")
            value = values[at]
            if columns[at] == "records" and chance.random() < 0.9:
                value = _changed_records(value, connection, chance)
            else:
                value = _changed(value, chance)
            with suppress(sqlite3.Error, OverflowError, UnicodeError):
                connection.execute(
                    f"UPDATE {table} SET {columns[at]} = ? WHERE {keys} = ?", (value, key)
                )
        with suppress(UnicodeError, sqlite3.Error):
            reseal(connection)
        connection.commit()


def _changed_records(packed: bytes, connection: sqlite3.Connection, chance: random.Random) -> bytes:
    """Change what the OS is said to have recorded, within its packing."""
    (dictionary,) = connection.execute("SELECT max(bytes) FROM dictionary").fetchone()
    try:
        records = json.loads(encoding.inflate(packed, dictionary or b"", "OS records"))
    except (RecordError, ValueError):
        return packed
    for _ in range(chance.choice((1, 2, 5))):
        records = _changed_json(records, chance)
    return encoding.deflate(json.dumps(records).encode(), dictionary or b"")


def _changed(value: Any, chance: random.Random) -> Any:
    if chance.random() < 0.2:
        return chance.choice(_ODD)
    match value:
        case str() if value[:1] in ("{", "[") and "[[[" not in value:
            document = json.loads(value)
            for _ in range(chance.choice((1, 1, 3))):
                document = _changed_json(document, chance)
            return json.dumps(document)
        case bytes() if value:
            content = bytearray(value)
            for _ in range(chance.choice((1, 4, 16))):
                content[chance.randrange(len(content))] = chance.choice((0, 255, 127, 128, 1))
            return bytes(content)
        case int():
            return chance.choice((value + 1, -value, value * 1000, value // 1000, 0, 2**60))
    return chance.choice(_ODD)


def _changed_json(document: Any, chance: random.Random) -> Any:
    """Return a document with one value of it changed, left out, or put twice."""
    if isinstance(document, dict) and document and chance.random() < 0.9:
        key = chance.choice(list(document))
        if chance.random() < 0.1:
            return {name: each for name, each in document.items() if name != key}
        return {**document, key: _changed_json(document[key], chance)}
    if isinstance(document, list) and document and chance.random() < 0.9:
        at = chance.randrange(len(document))
        if chance.random() < 0.2:
            return [*document, document[at]]
        return [*document[:at], _changed_json(document[at], chance), *document[at + 1 :]]
    if isinstance(document, int) and chance.random() < 0.4:
        return chance.choice((document + 1, -document, document * 1000, 0))
    return chance.choice(_ODD_JSON)


def _asked(
    path: Path, folder: Path, chance: random.Random, came: "collections.Counter[str]"
) -> list[str]:
    """Return what is wrong with how the readers took a store."""
    saved = folder / "saved.rrs"

    def explored() -> None:
        quick = read_quick(path)
        explore(lambda *_: None, path, quick.overview)
        for number in quick.overview.numbers[:2]:
            read_detail(path, int(number), None, None)

    def opened() -> None:
        with Store.open(path) as store:
            store.outcomes(), store.outline(), store.sessions(), store.recoveries()
            progress_of(store)
            for _ in store.cycles():
                pass

    def salvaged() -> None:
        saved.unlink(missing_ok=True)
        salvage(path, saved)
        check_store(saved)
        load_campaign(saved)

    def exported(*words: str) -> Callable[[], object]:
        return lambda: _told(["export", str(path), *words])

    def out(name: str) -> str:
        return str(folder / f"made-{name}")

    whole = str(folder / "whole-0.rrs")
    readers: dict[str, Callable[[], object]] = {
        "info": lambda: _told(["store", "info", str(path), "--json"]),
        "check": lambda: check_store(path),
        "report": lambda: _told(["report", str(path), "--out", out("report.html")]),
        "correlate": lambda: _told(["correlate", str(path), "--json"]),
        "compare": lambda: _told(["compare", whole, str(path), "--json"]),
        "fleet": lambda: _told(["fleet", whole, str(path), "--json", "--jobs", "1"], (0, 1, 2, 4)),
        "msa": lambda: _told(["msa", whole, str(path), "--json"]),
        "junit": exported("--to", "junit", "--out", out("junit.xml")),
        "trace": exported("--to", "trace", "--out", out("trace.json")),
        "csv": exported("--to", "csv", "--table", "components", "--out", out("table.csv")),
        "pwrtest": exported("--to", "pwrtest-xml", "--out", out("pwrtest.xml")),
        "vcd": exported("--to", "vcd", "--cycle", "2", "--out", out("waves.vcd")),
        "evidence": exported("--evidence", out("evidence")),
        "bundle": lambda: _told(["bundle", str(path), "--out", out("bundle.zip")]),
        "explore": explored,
        "open": opened,
        "salvage": salvaged,
    }
    if importlib.util.find_spec("deltalake") is not None:
        readers["lake"] = lambda: facts_of_lake(path)
    found = []
    always = ("info", "check", "salvage")
    others = [each for each in readers if each not in always]
    chosen = sys.argv[4:] or (*always, chance.choice(others))
    for name in readers if chosen == ["all"] else chosen:
        read = readers[name]
        for left in folder.glob("made-*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        signal.setitimer(signal.ITIMER_PROF, _SECONDS)
        signal.alarm(_WAIT_SECONDS)
        try:
            read()
            came[f"{name} answered"] += 1
        except ResumeRigError as error:
            came[f"{name} refused"] += 1
            if "\n" in str(error):
                found.append(f"{name}: not one sentence: {error!s:.200}")
        except (Exception, KeyboardInterrupt) as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}:{last.lineno}"
            found.append(f"{name}: {type(error).__name__}: {error!s:.120} ({where})")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)
    return found


def facts_of_lake(path: Path) -> None:
    """Make the rows that `lake add` would add."""
    from resume_rig.lake.facts import facts_of

    facts_of(load_campaign(path))


def _told(words: list[str], allowed: Sequence[int] = (0, 1, 4)) -> None:
    """Run a verb, and raise where it ends otherwise than it may."""
    said, wrong = StringIO(), StringIO()
    with redirect_stdout(said), redirect_stderr(wrong):
        status = command([*words, "--debug"])
    if status not in allowed:
        raise AssertionError(f"status {status}: {wrong.getvalue():.200}")


if __name__ == "__main__":
    sys.exit(main())
