"""A store's face, number by number: what it answers of its cycles, and which files it opens."""

import hashlib
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resume_rig.campaign.plan.plan import Plan, default_plan
from resume_rig.campaign.store import encoding, schema
from resume_rig.campaign.store.identity import (
    Identity,
    check_same_bench,
    host_text,
    identify,
)
from resume_rig.campaign.store.raw import Recovery, Session
from resume_rig.campaign.store.rows import identity_to_rows
from resume_rig.campaign.store.store import NUMBERS_MOST, Store
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import LightBlock
from resume_rig.model.errors import RecordError, UsageError, shell_word
from resume_rig.model.power import PowerSamples
from resume_rig.model.result.cycle import HealthReading, Outcome
from resume_rig.model.rig_url import RigUrl, StoredRigUrl, url_to_go_on
from resume_rig.rig.dut_profile import load_dut_profile

from .few_cycles import ONE, WOKE, change, cycle, make, record

S = 1_000_000_000
MOST_NS = 2**61
DARK, CUT = Outcome.DARK, Outcome.INTERRUPTED
FIVE = (cycle(1, CUT), cycle(2), cycle(3, DARK, 20), cycle(4, CUT, 0), cycle(6, took_ns=3))


@pytest.fixture
def five(fake: Any) -> Iterator[Store]:
    """A store of five cycles, open for reading."""
    with Store.open(make(fake, *FIVE)) as store:
        yield store


def test_what_a_store_counts_of_its_cycles(five: Store) -> None:
    assert five.numbers() == (1, 2, 3, 4, 6)
    assert five.outline() == [(1, CUT, 7), (2, WOKE, 7), (3, DARK, 20), (4, CUT, 0), (6, WOKE, 3)]
    assert [five.index_of(number) for number in (1, 2, 3, 4, 5, 6, 7)] == [0, 0, 1, 2, 2, 2, 3]
    assert five.spent_ns() == 37
    assert five.last_number() == 6
    assert five.newest_utc_ns() == 1_063
    assert five.outcomes() == {CUT: 2, WOKE: 2, DARK: 1}
    assert five.first_failure() == (3, DARK)
    assert [entry.name for entry in five.path.parent.iterdir()] == [five.path.name]
    assert [five.has_cycle(number) for number in (4, 5, 6)] == [True, False, True]
    assert [raw.number for raw in five.cycles()] == [1, 2, 3, 4, 6]
    assert [raw.number for raw in five.cycles((6, 2, 5))] == [2, 6]
    assert list(five.cycles(())) == []
    five.close()
    five.close()


def test_a_store_without_cycles_counts_none(fake: Any) -> None:
    with Store.open(make(fake)) as store:
        assert (store.numbers(), store.outline(), store.outcomes()) == ((), [], {})
        assert (store.spent_ns(), store.last_number(), store.newest_utc_ns()) == (0, 0, 0)
        assert (store.first_failure(), store.index_of(1)) == (None, 0)
        assert (store.salvaged, store.salvaged_to) == (None, 0)
        assert len(store.light_table(1).t_ns) == 0


def test_who_writes_counts_on_and_who_reads_looks_again(fake: Any) -> None:
    make(fake, cycle(1))
    with Store.resume(fake.path) as writer, Store.open(fake.path) as reader:
        for store in (writer, reader):
            assert (store.last_number(), store.outcomes()) == (1, {WOKE: 1})
        for number, outcome in ((5, DARK), (4, WOKE)):
            writer.commit_cycle(cycle(number, outcome))
        for store in (writer, reader):
            assert (store.last_number(), store.outcomes()) == (5, {WOKE: 2, DARK: 1})
        with pytest.raises(RecordError):
            writer.commit_cycle(cycle(5, DARK))
        assert (writer.last_number(), writer.outcomes()) == (5, {WOKE: 2, DARK: 1})


def test_a_commit_is_whole_or_not_there(fake: Any) -> None:
    make(fake, cycle(1))
    change(fake.path, "INSERT INTO seal VALUES (2, 0, 0)")
    with Store.resume(fake.path) as store:
        with pytest.raises(RecordError, match="could not write to the store"):
            store.commit_cycle(cycle(2))
        store.commit_cycle(cycle(3))
        assert store.numbers() == (1, 3)
        # It is held again after each commit.
        with pytest.raises(RecordError) as refused:
            Store.resume(fake.path)
    assert str(refused.value) == (
        f"could not write to the store {fake.path}: another process is writing to it; wait for "
        "that one to end, or stop it"
    )


def test_fingerprints_are_64_bits_of_campaign_clocks_and_edges(fake: Any) -> None:
    make(fake, cycle(1), cycle(2))
    campaign = repr(identity_to_rows(fake.identity, default_plan())).encode()
    edges = encoding.pack_edges(ONE.edges)
    with Store.open(fake.path) as store:
        found = list(store.fingerprints())

    for number, value in enumerate(found, start=1):
        clocks = [number, 5, 1_000, 10 * number, 10 * number + 7]
        digest = hashlib.blake2b(campaign + repr(clocks).encode() + edges, digest_size=8).digest()
        assert value == int.from_bytes(digest, "little", signed=True)


def test_the_first_records_are_the_dictionary_of_all_others(fake: Any) -> None:
    records = tuple(record(number) for number in range(200))
    cycles = (cycle(1), cycle(2, records=records), cycle(3, records=records[:5]), cycle(4))
    make(fake, *cycles[:3])
    with Store.resume(fake.path) as store:
        store.commit_cycle(cycles[3])
        store.commit_cycle(cycle(5, records=records[5:9]))

    with closing(sqlite3.connect(fake.path)) as connection:
        used = connection.execute("SELECT dictionary, length(records) > 0 FROM cycle").fetchall()
        kept = connection.execute("SELECT number, bytes FROM dictionary").fetchall()
    assert used == [(None, 0), (1, 1), (1, 1), (None, 0), (1, 1)]
    assert kept == [(1, encoding.records_json(records)[-32_768:])]
    with Store.open(fake.path) as store:
        assert [raw.records for raw in store.cycles()][:3] == [(), records, records[:5]]
        assert all(raw.records == () for raw in store.cycles(with_records=False))


@pytest.mark.parametrize(
    ("value", "whole"),
    [("zeroblob(32768)", True), ("zeroblob(32769)", False), ("'text'", False)],
)
def test_a_dictionary_is_bytes_of_32_kib_at_most(fake: Any, value: str, whole: bool) -> None:
    change(make(fake), f"INSERT INTO dictionary VALUES (1, {value})")
    if whole:
        Store.open(fake.path).close()
        return
    with pytest.raises(RecordError) as refused:
        Store.open(fake.path)
    assert str(refused.value) == (
        f"could not read the store {fake.path}: its dictionary is none; `resume-rig store salvage "
        f"{fake.path} --out NEW` writes what can be read to a new store"
    )


@pytest.mark.parametrize(
    ("number", "whole"),
    [(1, True), (0, False), (-1, False), (NUMBERS_MOST, True), (NUMBERS_MOST + 1, False)],
)
def test_cycles_are_numbered_up_to_two_million(fake: Any, number: int, whole: bool) -> None:
    assert NUMBERS_MOST == 2_000_000
    make(fake, cycle(number), cycle(5))
    if whole:
        Store.open(fake.path).close()
        return
    with pytest.raises(RecordError, match=f"it has a cycle {number}, and cycles are numbered from"):
        Store.open(fake.path)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("'12'", 12), ("'1234567890'", 123_456_789), ("'x'", 0), ("''", 0), ("'-3'", 0)],
)
def test_up_to_which_cycle_a_store_was_salvaged_is_a_number(
    fake: Any, value: str, expected: int
) -> None:
    change(make(fake), f"INSERT INTO identity VALUES ('salvage_to', {value})")
    with Store.open(fake.path) as store:
        assert (store.salvaged, store.salvaged_to) == (None, expected)


def test_a_salvage_is_noted_in_the_store(fake: Any) -> None:
    make(fake)
    with Store.resume(fake.path) as store:
        store.note_salvage("3 cycles of a damaged store", 3)
        assert (store.salvaged, store.salvaged_to) == ("3 cycles of a damaged store", 3)
    with Store.open(fake.path) as store:
        assert (store.salvaged, store.salvaged_to) == ("3 cycles of a damaged store", 3)


@pytest.mark.parametrize("sign", [1, -1])
def test_how_long_a_cycle_took_is_within_two_times(fake: Any, sign: int) -> None:
    make(fake, cycle(1))
    start = -sign * MOST_NS
    update = f"UPDATE cycle SET started_host_ns = {start}, ended_host_ns = {{}}"
    change(fake.path, update.format(sign * MOST_NS))
    with Store.open(fake.path) as store:
        assert store.outline() == [(1, WOKE, sign * 2 * MOST_NS)]
    change(fake.path, update.format(sign * (MOST_NS + 1)))
    with Store.open(fake.path) as store, pytest.raises(RecordError, match="is no time"):
        store.outline()


@pytest.mark.parametrize("ask", [Store.outline, Store.outcomes, Store.first_failure])
def test_an_outcome_that_is_none_is_refused_with_its_cycle(
    fake: Any, ask: Callable[[Store], object]
) -> None:
    change(make(fake, cycle(1), cycle(2)), "UPDATE cycle SET outcome = 'great' WHERE number = 2")
    with Store.open(fake.path) as store, pytest.raises(RecordError) as refused:
        ask(store)
    assert "cycle 2 is damaged: 'great' is no outcome; `resume-rig store" in str(refused.value)


LIGHT = (LightBlock(1, 2, 3, 4, 5), LightBlock(2, 1_000_002, 6, 7, 8))


def test_light_comes_as_columns_and_only_where_it_is_asked_for(fake: Any) -> None:
    make(fake, cycle(1), cycle(2, light=LIGHT))
    with Store.open(fake.path) as store:
        table = store.light_table(2)
        assert [list(raw.light) for raw in store.cycles()] == [[], list(LIGHT)]
        assert [len(raw.light) for raw in store.cycles(with_light=False)] == [0, 0]
        assert len(store.light_table(3).t_ns) == 0
    assert (table.t_ns.tolist(), table.t_ns.dtype) == ([2, 1_000_002], np.int64)
    assert table.mean.dtype == np.float64
    means = {block.t_ns: block.mean for block in LIGHT}
    assert table.mean.tolist() == list(means.values())
    assert table.most.tolist() == [block.maximum for block in LIGHT]


@pytest.mark.parametrize(
    ("how", "part", "with_light"),
    [
        ("UPDATE cycle SET boot_id = 6", "cycle", True),
        ("UPDATE cycle SET boot_id = 6", "cycle", False),
        ("UPDATE cycle SET light = x''", "light", True),
        ("UPDATE cycle SET light = x''", None, False),
        ("UPDATE seal SET facts = facts + 1", "cycle", True),
        ("UPDATE seal SET light = light + 1", "light", True),
    ],
)
def test_what_has_not_its_checksum_is_refused_by_its_part(
    fake: Any, how: str, part: str | None, with_light: bool
) -> None:
    change(make(fake, cycle(1, light=LIGHT)), how)
    with Store.open(fake.path) as store:
        if part is None:
            assert len(list(store.cycles(with_light=with_light))) == 1
            return
        with pytest.raises(RecordError) as refused:
            list(store.cycles(with_light=with_light))
    assert (
        f"cycle 1 is damaged: the checksum of its {part} is not that of what was written; "
        in str(refused.value)
    )


@pytest.mark.parametrize(("timeout_ns", "refused"), [(5, True), (None, False)])
def test_a_checksum_that_is_gone_is_damage_of_a_cycle_of_this_version(
    fake: Any, timeout_ns: int | None, refused: bool
) -> None:
    change(make(fake, cycle(1, sleep_timeout_ns=timeout_ns)), "DELETE FROM seal")
    with Store.open(fake.path) as store:
        if not refused:
            assert [raw.number for raw in store.cycles()] == [1]
            return
        with pytest.raises(RecordError, match="cycle 1 is damaged: its checksum is gone;"):
            list(store.cycles())


def test_power_and_health_are_of_the_cycles_that_have_them(fake: Any) -> None:
    power = PowerSamples((11, 12), (5, 6), (7, 8))
    health = (HealthReading(True, 5, 6, "everything is up"),)
    cycles = [
        cycle(1),
        cycle(2, power=power, lost_power=4),
        cycle(3, health=health),
        cycle(4, power=power, health=health),
    ]
    with Store.open(make(fake, *cycles)) as store:
        assert list(store.cycles()) == cycles
        assert list(store.cycles((3,))) == cycles[2:3]
    change(fake.path, "UPDATE power SET crc = 0 WHERE cycle = 4")
    with Store.open(fake.path) as store, pytest.raises(RecordError, match="checksum of its power"):
        list(store.cycles())


def test_sessions_and_recoveries_come_in_order(fake: Any) -> None:
    make(fake)
    steps = [Recovery(1, n, f"Why {n}.", n > 1, (), ()) for n in (2, 1)]
    with Store.resume(fake.path) as store:
        store.begin_session(Session(2, 3, 6, "other", "1", None))
        for step in steps:
            store.commit_recovery(step)
    with Store.open(fake.path) as store:
        assert [(s.number, s.boot_id, s.host) for s in store.sessions()] == [
            (1, 5, "host"),
            (2, 6, "other"),
        ]
        assert store.recoveries() == tuple(steps)
    change(fake.path, "UPDATE session SET log = '5'", "UPDATE recovery SET levels = 'x'")
    with Store.open(fake.path) as store:
        for ask in (store.sessions, store.recoveries):
            with pytest.raises(RecordError, match="`resume-rig store salvage"):
                ask()


def test_a_copy_is_whole_and_the_same_each_time(fake: Any, tmp_path: Path) -> None:
    make(fake, *FIVE)
    copies = [tmp_path / "a.rrs", tmp_path / "b.rrs"]
    with Store.open(fake.path) as store:
        for copy in copies:
            store.copy_to(copy)
        with pytest.raises(RecordError, match="could not copy the store"):
            store.copy_to(copies[0])
    assert copies[0].read_bytes() == copies[1].read_bytes()
    with Store.open(copies[0]) as store:
        assert list(store.cycles()) == list(FIVE)


@pytest.mark.parametrize(
    ("name", "fits"), [("x" * 240, True), ("x" * 241, False), ("ü" * 120, True), ("ü" * 121, False)]
)
def test_a_name_has_240_bytes_at_most(fake: Any, name: str, fits: bool) -> None:
    path = fake.path.with_name(name)
    if fits:
        Store.create(path, fake.identity, default_plan()).close()
        assert [entry.name for entry in path.parent.iterdir()] == [name]
        return
    with pytest.raises(UsageError) as refused:
        Store.create(path, fake.identity, default_plan())
    assert str(refused.value) == (
        f"could not make the store {path}: its name has more than 240 bytes, and files beside it "
        "need a longer one; name it shorter"
    )
    assert list(path.parent.iterdir()) == []


def test_a_folder_of_the_name_is_no_store_to_go_on_with(fake: Any) -> None:
    fake.path.mkdir()
    with pytest.raises(UsageError) as refused:
        Store.create(fake.path, fake.identity, default_plan())
    assert str(refused.value) == (
        f"could not make the store {fake.path}: it is a folder or a device; name a new file"
    )


def test_the_folder_of_a_new_store_is_synchronised(
    fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    fsync = os.fsync

    def noted(opened: int) -> None:
        synced.append(Path(f"/proc/self/fd/{opened}").readlink())
        fsync(opened)

    monkeypatch.setattr(os, "fsync", noted)
    before = len(list(Path("/proc/self/fd").iterdir()))
    make(fake)
    assert synced == [fake.path.parent]
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def pragma(connection: sqlite3.Connection, name: str) -> Any:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 128_000_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 64,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 50,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 2,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
}


@pytest.mark.parametrize("write", [True, False])
def test_a_store_is_opened_bounded_and_durable(fake: Any, write: bool) -> None:
    with closing(schema.connect_existing(make(fake), write=write)) as connection:
        assert {key: connection.getlimit(key) for key in LIMITS} == LIMITS
        assert pragma(connection, "hard_heap_limit") == 768_000_000
        assert pragma(connection, "trusted_schema") == 0
        assert pragma(connection, "cell_size_check") == 1
        assert pragma(connection, "busy_timeout") == (0 if write else 5_000)
        assert pragma(connection, "page_size") == 8192
        if write:
            assert pragma(connection, "journal_mode") == "wal"
            assert pragma(connection, "synchronous") == 2
            assert pragma(connection, "wal_autocheckpoint") == 1
        else:
            # Nothing waits in a WAL: no file is made beside it.
            assert [entry.name for entry in fake.path.parent.iterdir()] == [fake.path.name]


def test_a_new_file_is_durable_from_its_first_page(tmp_path: Path) -> None:
    path = tmp_path / "new.rrs"
    path.touch()
    with closing(schema.connect_new(path)) as connection:
        schema.lay_out(connection)
        assert pragma(connection, "page_size") == 8192
        assert (pragma(connection, "synchronous"), pragma(connection, "busy_timeout")) == (2, 0)
        assert connection.getlimit(sqlite3.SQLITE_LIMIT_LENGTH) == 128_000_000
        assert pragma(connection, "journal_mode") == "wal"
    assert list(schema.READABLE) == [1, 2]


def test_what_waits_in_a_wal_is_read(fake: Any) -> None:
    make(fake, cycle(1))
    with closing(sqlite3.connect(fake.path, isolation_level=None)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("DELETE FROM cycle")
        with Store.open(fake.path) as store:
            assert store.numbers() == ()


def test_a_signal_ends_what_sqlite_does_and_long_work_without_one_goes_on(fake: Any) -> None:
    def strike(*_args: object) -> None:
        raise KeyboardInterrupt

    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"
    with closing(schema.connect_existing(make(fake), write=False)) as connection:
        few = f"SELECT count(*) FROM ({endless.format('i')} LIMIT 50000)"
        assert connection.execute(few).fetchone() == (50_000,)
        before = signal.signal(signal.SIGALRM, strike)
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        try:
            with pytest.raises(sqlite3.OperationalError) as ended:
                connection.execute(endless.format("max(i)")).fetchone()
        finally:
            signal.signal(signal.SIGALRM, before)
        with pytest.raises(KeyboardInterrupt):
            schema.why(ended.value)


def sqlite_error(code: int, text: str = "it\n  said so") -> sqlite3.Error:
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    return error


BUSY = "another process is writing to it; wait for that one to end, or stop it"
NOT_ALLOWED = "this user may not open it so, or its disk is read-only (it said so)"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (sqlite_error(sqlite3.SQLITE_BUSY), BUSY),
        (sqlite_error(sqlite3.SQLITE_LOCKED), BUSY),
        (sqlite_error(sqlite3.SQLITE_BUSY | 3 << 8), BUSY),
        (
            sqlite_error(sqlite3.SQLITE_NOTADB),
            "it is not a campaign store (it is not an SQLite file)",
        ),
        (sqlite_error(sqlite3.SQLITE_CORRUPT), "it is damaged (it said so)"),
        (
            sqlite_error(sqlite3.SQLITE_TOOBIG),
            "it has a value of more than 128000000 bytes, which no store has",
        ),
        (sqlite_error(sqlite3.SQLITE_FULL), "the disk is full; make room, then go on"),
        (sqlite_error(sqlite3.SQLITE_READONLY), NOT_ALLOWED),
        (sqlite_error(sqlite3.SQLITE_CANTOPEN), NOT_ALLOWED),
        (sqlite_error(sqlite3.SQLITE_PERM), NOT_ALLOWED),
        (sqlite_error(sqlite3.SQLITE_ERROR), "it said so"),
        (sqlite_error(sqlite3.SQLITE_ERROR, "x" * 300), "x" * 200),
        (sqlite3.Error("without a code"), "without a code"),
        (
            sqlite3.OperationalError("Could not decode to UTF-8 column 'sql' with text 'CREATE"),
            "it is damaged (what should be text is none)",
        ),
        (OSError(2, "No such file"), "[Errno 2] No such file"),
        (MemoryError(), "it takes more than the 768 MB of memory that it may have"),
        (
            UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"),
            "it is damaged (what should be text is none)",
        ),
    ],
)
def test_each_error_of_sqlite_means_something_to_a_user(
    error: schema.Unreadable, text: str
) -> None:
    assert schema.why(error) == text


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"SQLite format 3\0" + bytes(52) + b"RRIG", True),
        (b"SQLite format 3\0" + bytes(52) + b"RRIG and more", True),
        (b"SQLite format 3\0" + bytes(52) + b"RRI", False),
        (b"SQLite format 3\0" + bytes(51) + b"RRIG\0", False),
        (b"SQLite format 2\0" + bytes(52) + b"RRIG", False),
        (b"", False),
    ],
)
def test_a_store_is_known_by_its_header(tmp_path: Path, content: bytes, expected: bool) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    assert schema.looks_like_a_store(path) is expected
    assert schema.looks_like_a_store(tmp_path / "none") is False


def refusal(path: Path) -> str:
    with pytest.raises(RecordError) as refused:
        schema.connect_existing(path, write=False)
    prefix = f"could not open the store {path}: "
    assert str(refused.value).startswith(prefix)
    return str(refused.value).removeprefix(prefix)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("none", "there is no such file"),
        ("folder", "it is a folder"),
        ("empty", "it is empty"),
        ("x\0y", "it is not the name of a file"),
        ("x" * 300, "File name too long"),
        ("/dev/null", "it is no file but a device"),
        ("text", "it is not a campaign store (it is not an SQLite file)"),
    ],
)
def test_what_cannot_be_a_store_is_refused_before_sqlite_opens_it(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_bytes(b"x" * 600)
    assert refusal(tmp_path / name) == text


def test_what_this_user_may_not_read_is_said_so(fake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    make(fake)
    asked = []
    monkeypatch.setattr(os, "access", lambda *args: asked.append(args))
    assert refusal(fake.path) == "this user may not read it"
    assert asked == [(fake.path, os.R_OK)]


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_a_link_where_sqlite_keeps_a_file_of_its_own_is_refused(fake: Any, suffix: str) -> None:
    make(fake).with_name(fake.path.name + suffix).symlink_to("/etc/hostname")
    assert refusal(fake.path) == (
        f"{fake.path.name}{suffix} beside it is no file but a link or a device"
    )


FOREIGN = "; who made or changed it did not use resume-rig"


@pytest.mark.parametrize(
    ("statements", "text"),
    [
        (["CREATE TABLE other (a)"], f"it has a table 'other', which a store has not{FOREIGN}"),
        (
            ["CREATE INDEX i ON cycle (outcome)"],
            f"it has the 'index' 'i', and a store has tables alone{FOREIGN}",
        ),
        (["DROP TABLE seal", "DROP TABLE recovery"], f"it has no table recovery{FOREIGN}"),
        (
            ["ALTER TABLE session ADD COLUMN more TEXT"],
            f"its table session has other columns than that of a store{FOREIGN}",
        ),
        (
            ["CREATE TABLE power (cycle INTEGER PRIMARY KEY)"],
            f"its table power has other columns than that of a store{FOREIGN}",
        ),
        (
            [f"CREATE TABLE {'x' * 100} (a)"],
            f"it has a table '{'x' * 79}, which a store has not{FOREIGN}",
        ),
        (
            ["PRAGMA user_version = 3"],
            "its schema is version 3; this version of resume-rig knows versions 1 to 2",
        ),
        (
            ["PRAGMA user_version = 0"],
            "its schema is version 0; this version of resume-rig knows versions 1 to 2",
        ),
        (
            ["PRAGMA application_id = 255"],
            "it is not a campaign store (it is an SQLite file of another application, id 0xff)",
        ),
        # What version 1 has not, it may not have.
        (
            ["PRAGMA user_version = 1"],
            f"its table cycle has other columns than that of a store{FOREIGN}",
        ),
        ([schema.POWER_TABLE, schema.HEALTH_TABLE], ""),
    ],
)
def test_a_file_of_other_definitions_is_refused(
    fake: Any, statements: list[str], text: str
) -> None:
    change(make(fake), *statements)
    if text:
        assert refusal(fake.path) == text
    else:
        schema.connect_existing(fake.path, write=False).close()


def test_a_damaged_page_is_named_in_one_line(fake: Any) -> None:
    make(fake, *(cycle(number) for number in range(1, 25)))
    content = bytearray(fake.path.read_bytes())
    with closing(sqlite3.connect(fake.path)) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'cycle'"
        ).fetchone()
    content[(page - 1) * 8192] = 0xEE
    fake.path.write_bytes(content)
    with closing(sqlite3.connect(fake.path)) as connection:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    lines = [line.strip() for line in found.splitlines()]
    assert len(lines) == 2
    hint = f"`resume-rig store salvage {shell_word(fake.path)} --out NEW` writes what can be read"
    assert refusal(fake.path) == f"it is damaged ({lines[1]}); {hint} to a new store"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({}, None),
        (
            {"rig": {"boot_id": 9}, "software": "other", "host": "x", "rig_url": StoredRigUrl("y")},
            None,
        ),
        ({"faults": "x"}, "the fault plan has changed"),
        (
            {"wired": (Channel.SLP_S3, Channel.PWR_OK)},
            "wired PWR_OK, SLP_S3#, PLTRST#, BACKLIGHT, BUTTON, LID, now SLP_S3#, PWR_OK",
        ),
        ({"rig": {"board": "b"}}, "board fake, now b"),
        ({"rig": {"firmware": "b"}}, "firmware fake-1, now b"),
        ({"rig": {"protocol": 2}}, "protocol 1, now 2"),
        ({"rig": {"clock_source": "rc"}}, "clock source fake-xtal, now rc"),
        ({"rig": {"clock_hz": 5}}, "clock rate [Hz] 1000000, now 5"),
        ({"rig": {"clock_tolerance_ppb": 5}}, "clock tolerance [ppb] 30000, now 5"),
        ({"rig": {"calibration_ppb": 5}}, "calibration [ppb] None, now 5"),
        ({"rig": {"channels": ()}}, "channels differ"),
        (
            {"rig": {"actuators": (), "channels": ()}, "faults": "x"},
            "the fault plan has changed; channels differ; actuators differ",
        ),
    ],
)
def test_a_campaign_goes_on_with_the_bench_that_it_began_with(
    fake: Any, change: dict[str, Any], text: str | None
) -> None:
    rig = replace(fake.identity.rig, **change.get("rig", {}))
    present = replace(fake.identity, **(change | {"rig": rig}))
    if text is None:
        check_same_bench(fake.identity, present, "x.rrs")
        return
    with pytest.raises(UsageError) as refused:
        check_same_bench(fake.identity, present, "x.rrs")
    assert str(refused.value) == (
        f"could not go on with x.rrs: it was begun with another bench ({text}); go on with the "
        "same rig and DUT, or begin a new store"
    )


@pytest.mark.parametrize(
    ("url", "goes_on_at", "other"),
    [
        (None, "sim:clock=virtual,seed=7", None),
        ("sim:clock=virtual,seed=7", "sim:clock=virtual,seed=7", None),
        ("sim:clock=real", "sim:clock=real,seed=7", None),
        ("sim:", "sim:seed=7", None),
        ("sim:seed=8", "sim:seed=8", "seed 7 of the simulated bench, now 8"),
        ("serial:/dev/ttyACM0", "serial:/dev/ttyACM0", "one of them is a simulated bench"),
    ],
)
def test_a_simulated_bench_goes_on_with_the_seed_that_it_began_with(
    fake: Any, url: str | None, goes_on_at: str, other: str | None
) -> None:
    began = "sim:clock=virtual,seed=7"
    typed = None if url is None else RigUrl(url)
    assert url_to_go_on(typed, StoredRigUrl(began), Path("x.rrs")) == goes_on_at
    stored = replace(fake.identity, rig_url=StoredRigUrl(began))
    present = replace(fake.identity, rig_url=StoredRigUrl(goes_on_at))
    if other is None:
        check_same_bench(stored, present, "x.rrs")
        return
    with pytest.raises(UsageError, match=rf"\({other}\)"):
        check_same_bench(stored, present, "x.rrs")


def test_an_identity_names_its_dut_its_host_and_what_can_be_moved(
    fake: Any, simulated: Callable[..., Any]
) -> None:
    known = simulated().identity
    assert (fake.identity.dut_name, known.dut_name) == ("a DUT without a profile", "healthy-laptop")
    assert fake.identity.movable == {Actuator.BUTTON: S, Actuator.LID: S}
    button = replace(known, dut=replace(known.dut, actuators=(Actuator.BUTTON,)))
    assert list(button.movable) == [Actuator.BUTTON]
    changed = replace(known, dut=replace(known.dut, title="other"))
    with pytest.raises(UsageError, match=r"\(the profile of healthy-laptop has changed\)"):
        check_same_bench(known, changed, "x.rrs")
    with pytest.raises(UsageError, match="DUT healthy-laptop, now a DUT without a profile"):
        check_same_bench(known, replace(known, dut=None), "x.rrs")
    assert fake.identity.host == host_text()
    assert ", Python 3." in host_text()


def test_a_profile_that_wires_what_the_board_has_not_is_refused(fake: Any) -> None:
    dut = replace(load_dut_profile("healthy-laptop"), channels=(Channel.SLP_S3, Channel.SLP_S0))

    def made(**more: Any) -> Identity:
        facts = {"rig_url": "x", "rig": fake.rig.info(), "created_utc_ns": 1}
        return identify(**facts, requirement=fake.identity.requirement, **more)

    with pytest.raises(UsageError) as refused:
        made(dut=dut)
    assert str(refused.value) == (
        "the profile of healthy-laptop wires SLP_S0#, which the board fake does not observe; it "
        "observes PWR_OK, SLP_S3#, PLTRST#, BACKLIGHT, BUTTON, LID"
    )
    assert made(dut=replace(dut, channels=(Channel.LID,))).wired == (Channel.LID,)
    assert made(dut=None).wired == fake.identity.wired


def plan_of(path: Path) -> Plan:
    with Store.open(path) as store:
        return store.plan


def test_a_file_that_appears_meanwhile_keeps_its_name(
    fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def slowly(part: Path, path: Path) -> None:
        path.write_bytes(b"theirs")
        link(part, path)

    monkeypatch.setattr(os, "link", slowly)
    with pytest.raises(UsageError, match=r"a file of that name is there; go on with it by `resume"):
        Store.create(fake.path, fake.identity, default_plan())
    assert fake.path.read_bytes() == b"theirs"
    monkeypatch.undo()
    fake.path.unlink()
    assert plan_of(make(fake)) == default_plan()
