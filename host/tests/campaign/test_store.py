"""The store: what it refuses, what it keeps, how small it is."""

import dataclasses
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.store.raw import CycleRaw, LogMark, LogState, Recovery, Session
from resume_rig.campaign.store.salvage import salvage
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Channel
from resume_rig.model.dut import PlatformConstants, RecoveryStep
from resume_rig.model.edge import Edge
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.model.os_record import Integrity, LogSource
from resume_rig.model.result.cycle import Outcome

Make = Callable[..., Any]

A_CYCLE = CycleRaw(
    number=1,
    session=1,
    boot_id=5,
    outcome=Outcome.SLEPT_AND_WOKE,
    utc_minus_host_ns=-3,
    started_host_ns=4,
    ended_host_ns=5,
    initial_levels={Channel.SLP_S3: 1, Channel.PWR_OK: 0},
    edges=(Edge(7, 8, Channel.SLP_S3, 0),),
    light=(),
    exchanges=(),
    commands=(),
)
AN_ONSET = LightOnset(
    state=OnsetState.OK,
    first_ns=10,
    half_ns=20,
    ninety_ns=30,
    resolution_ns=20_000,
    base_counts=40.25,
    sigma_counts=1.5,
    peak_counts=2600,
    level_counts=2599.75,
    pwm_hz=0.0,
    duty=1.0,
    pwm_uncertainty_ns=0,
)
A_SESSION = Session(1, 2, 5, "host", "0", None)


def new_store(bench: Any) -> Store:
    store = Store.create(bench.path, bench.identity, default_plan())
    store.begin_session(A_SESSION)
    return store


def test_a_new_store_holds_who_and_what(fake: Any) -> None:
    new_store(fake).close()

    with Store.open(fake.path) as store:
        assert store.identity == fake.identity
        assert store.plan == default_plan()
        assert store.sessions() == (A_SESSION,)
        assert (store.last_number(), store.outcomes()) == (0, {})


def test_the_dut_profile_comes_back_whole(simulated: Make) -> None:
    constants = PlatformConstants(residual_ns=-3, firmware_extra_ms=24)
    bench = simulated(change=lambda dut: dataclasses.replace(dut, platform=constants))
    new_store(bench).close()

    with Store.open(bench.path) as store:
        assert store.identity == bench.identity
    with closing(sqlite3.connect(bench.path)) as connection:
        rows = dict(connection.execute("SELECT name, value FROM identity"))
    # The key that stores of an earlier version have.
    assert json.loads(rows["identity"])["dut"]["known"] == {
        "residual_ns": -3,
        "firmware_extra_ms": 24,
    }


def fingerprints(path: Path) -> list[int]:
    with Store.open(path) as store:
        return list(store.fingerprints())


@pytest.mark.parametrize(
    "change",
    [
        "boot_id = 6",
        "utc_minus_host_ns = -4",
        "started_host_ns = 3",
        "ended_host_ns = 6",
        "edges = x''",
    ],
)
def test_a_fingerprint_is_of_one_cycle_and_of_what_a_salvage_keeps(fake: Any, change: str) -> None:
    with new_store(fake) as store:
        for number in (1, 2):
            store.commit_cycle(dataclasses.replace(A_CYCLE, number=number))
    first, second = fingerprints(fake.path)
    assert first != second

    with closing(sqlite3.connect(fake.path)) as connection, connection:
        connection.execute("UPDATE cycle SET light = x'01', records = x'01', lost_light = 9")
    assert fingerprints(fake.path) == [first, second]

    with closing(sqlite3.connect(fake.path)) as connection, connection:
        connection.execute(f"UPDATE cycle SET {change} WHERE number = 2")
    assert fingerprints(fake.path)[0] == first
    assert fingerprints(fake.path)[1] not in (first, second)


def test_a_cycle_of_another_plan_or_beginning_has_another_fingerprint(
    make_fake: Callable[[str], Any],
) -> None:
    found = []
    for name, cycles, created_utc_ns in (("a", 4, 1), ("b", 5, 1), ("c", 4, 2), ("d", 4, 1)):
        bench = make_fake(name)
        identity = dataclasses.replace(bench.identity, created_utc_ns=created_utc_ns)
        with Store.create(bench.path, identity, override(default_plan(), cycles=cycles)) as store:
            store.begin_session(A_SESSION)
            store.commit_cycle(A_CYCLE)
        found += fingerprints(bench.path)

    assert found[0] == found[3]
    assert len(set(found)) == 3


def test_cycles_recoveries_and_the_state_of_the_log_come_back(fake: Any) -> None:
    log = LogState(LogSource("System.xml", "eventlog-xml", 22000, 3, Integrity(True)), LogMark(9))
    levels = {Channel.SLP_S3: 1, Channel.BACKLIGHT: 0}
    recovery = Recovery(1, 1, "Why.", True, (), A_CYCLE.edges, RecoveryStep.FORCE_OFF, levels)
    with new_store(fake) as store:
        store.commit_cycle(A_CYCLE, log)
        store.commit_recovery(recovery)

    with Store.open(fake.path) as store:
        assert list(store.cycles()) == [A_CYCLE]
        assert store.recoveries() == (recovery,)
        assert store.sessions()[0].log == log
        assert store.outcomes() == {Outcome.SLEPT_AND_WOKE: 1}
        assert store.has_cycle(1)
        assert not store.has_cycle(2)


def test_the_file_is_durable_and_says_what_it_is(fake: Any) -> None:
    new_store(fake).close()

    connection = sqlite3.connect(fake.path)
    values = [
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "application_id", "user_version", "integrity_check")
    ]
    connection.close()

    assert values == ["wal", 0x52524947, 2, "ok"]
    assert [path.name for path in fake.path.parent.iterdir()] == [fake.path.name]


def test_an_existing_file_is_never_written_to(fake: Any) -> None:
    fake.path.write_text("somebody's thesis")

    with pytest.raises(UsageError, match="a file of that name is there; go on with it by"):
        new_store(fake)

    assert fake.path.read_text() == "somebody's thesis"


def test_a_store_in_no_folder_is_a_usage_error(fake: Any) -> None:
    fake.path = fake.path.parent / "none" / "x.rrs"

    with pytest.raises(UsageError, match=r"could not make the store .* No such file"):
        new_store(fake)


def damage(path: Path, how: str) -> None:
    """Make a good store bad in one way."""
    match how:
        case "missing":
            path.unlink()
        case "folder":
            path.unlink()
            path.mkdir()
        case "empty":
            path.write_bytes(b"")
        case "byte":
            path.write_bytes(b"S")
        case "text":
            path.write_text("not a store, but long enough to be one " * 99)
        case "truncated":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        case "overwritten":
            blob = bytearray(path.read_bytes())
            blob[8192 : 5 * 8192] = os.urandom(4 * 8192)
            path.write_bytes(blob)
        case _:
            connection = sqlite3.connect(path)
            connection.execute(how)
            connection.execute("DELETE FROM seal")  # or that would be what is noticed
            connection.commit()
            connection.close()


@pytest.mark.parametrize("open_it", [Store.open, Store.resume], ids=["open", "resume"])
@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("missing", "there is no such file"),
        ("folder", "it is a folder"),
        ("empty", "it is empty"),
        ("byte", "it holds a single byte"),
        ("text", "it is not a campaign store"),
        ("truncated", "it is damaged"),
        ("overwritten", "it is damaged"),
        ("PRAGMA application_id = 7", "an SQLite file of another application, id 0x7"),
        ("PRAGMA user_version = 3", "its schema is version 3; this version of resume-rig knows"),
        ("PRAGMA user_version = 0", "its schema is version 0; this version of resume-rig knows"),
        ("DELETE FROM identity WHERE name = 'plan'", "the identity table has no 'plan'"),
        ("UPDATE identity SET value = '{}'", "lacks a field"),
        ("UPDATE identity SET value = 'x' WHERE name = 'plan'", "is not JSON"),
        ("DROP TABLE identity", "it has no table identity"),
    ],
)
def test_what_is_no_whole_store_is_refused_in_one_sentence(
    fake: Any, how: str, words: str, open_it: Callable[[Path], Store]
) -> None:
    new_store(fake).close()
    damage(fake.path, how)

    with pytest.raises(RecordError) as refused:
        open_it(fake.path)

    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("UPDATE cycle SET edges = x'00'", "edges of a cycle end in the middle"),
        ("UPDATE cycle SET outcome = 'great'", "cannot be read"),
        ("UPDATE cycle SET records = x'00'", "OS records of a cycle are cut short"),
        ("UPDATE cycle SET records = x'ffff'", "cannot be unpacked"),
        ("UPDATE cycle SET faults = '{'", "not JSON"),
        ("UPDATE cycle SET levels = 'x'", "cannot be read"),
        ("UPDATE cycle SET onset = '[11]'", "which is no OnsetState"),
        ("UPDATE cycle SET onset = '{}'", "list of an onset"),
        ("UPDATE cycle SET onset = '[3,\"soon\"]'", "not allowed"),
    ],
)
def test_a_cycle_that_cannot_be_read_is_a_record_error(fake: Any, how: str, words: str) -> None:
    with new_store(fake) as store:
        store.commit_cycle(A_CYCLE)
    damage(fake.path, how)

    with Store.open(fake.path) as store, pytest.raises(RecordError, match=words) as caught:
        list(store.cycles())
    assert str(fake.path) in str(caught.value)


def test_a_finished_store_can_be_read_where_nothing_can_be_written(fake: Any) -> None:
    new_store(fake).close()
    fake.path.chmod(0o444)
    fake.path.parent.chmod(0o555)
    try:
        with Store.open(fake.path) as store:
            assert store.last_number() == 0
        assert [path.name for path in fake.path.parent.iterdir()] == [fake.path.name]
    finally:
        fake.path.parent.chmod(0o755)


def make_version_1(path: Path) -> None:
    """Turn a store into one as the version before the onset wrote it."""
    connection = sqlite3.connect(path)
    for column in ("onset", "sleep_timeout_ns", "wake_timeout_ns"):
        connection.execute(f"ALTER TABLE cycle DROP COLUMN {column}")
    connection.execute("ALTER TABLE recovery DROP COLUMN step")
    connection.execute("ALTER TABLE recovery DROP COLUMN levels")
    connection.execute("DROP TABLE seal")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()


def test_a_store_of_version_1_is_read_as_it_is(fake: Any) -> None:
    recovery = Recovery(1, 1, "Why.", True, (), A_CYCLE.edges)
    with new_store(fake) as store:
        store.commit_cycle(A_CYCLE)
        store.commit_recovery(recovery)
    make_version_1(fake.path)
    before = fake.path.read_bytes()

    with Store.open(fake.path) as store:
        assert list(store.cycles()) == [A_CYCLE]
        assert store.recoveries() == (recovery,)

    assert fake.path.read_bytes() == before


def test_a_store_of_version_1_is_gone_on_with_and_becomes_version_2(fake: Any) -> None:
    with new_store(fake) as store:
        store.commit_cycle(A_CYCLE)
    make_version_1(fake.path)
    second = dataclasses.replace(A_CYCLE, number=2, onset=AN_ONSET)

    with Store.resume(fake.path) as store:
        store.commit_cycle(second)
    with Store.resume(fake.path) as store:
        assert list(store.cycles()) == [A_CYCLE, second]

    connection = sqlite3.connect(fake.path)
    assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    connection.close()


def test_a_store_of_version_1_can_be_salvaged(fake: Any) -> None:
    with new_store(fake) as store:
        store.commit_cycle(A_CYCLE)
    make_version_1(fake.path)
    mended = fake.path.with_name("mended.rrs")

    assert salvage(fake.path, mended).kept == (1,)

    with Store.open(mended) as store:
        assert list(store.cycles()) == [A_CYCLE]


def test_the_onset_comes_back_whole_and_with_what_it_lacks(fake: Any) -> None:
    onsets = [
        AN_ONSET,
        LightOnset(OnsetState.SATURATED, first_ns=5, peak_counts=4095),
        LightOnset(OnsetState.IDLE),
        None,
    ]
    with new_store(fake) as store:
        for number, onset in enumerate(onsets, start=1):
            store.commit_cycle(dataclasses.replace(A_CYCLE, number=number, onset=onset))

    with Store.open(fake.path) as store:
        assert [raw.onset for raw in store.cycles()] == onsets


def resume_elsewhere(path: Path) -> str:
    """Try to take a store from another process; return what it said."""
    script = (
        "import sys; from pathlib import Path\n"
        "from resume_rig.campaign.store.store import Store\n"
        "from resume_rig.model.errors import RecordError\n"
        "try: Store.resume(Path(sys.argv[1])).close(); print('taken')\n"
        "except RecordError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_second_process_cannot_take_a_store_and_readers_may_look(fake: Any) -> None:
    store = new_store(fake)
    store.commit_cycle(A_CYCLE)

    refusal = resume_elsewhere(fake.path)
    with Store.open(fake.path) as reader:
        seen = reader.last_number()
    store.commit_cycle(dataclasses.replace(A_CYCLE, number=2))
    store.close()

    assert "another process is writing to it" in refusal
    assert seen == 1
    assert resume_elsewhere(fake.path) == "taken"


@pytest.mark.parametrize("use", [Store.open, Store.resume], ids=["to read", "to go on"])
def test_who_opens_a_store_waits_until_another_has_closed_it(fake: Any, use: Any) -> None:
    """Who closes a store last has it alone for a moment, even one who only read."""
    with new_store(fake) as store:
        store.commit_cycle(A_CYCLE)
    closing = sqlite3.connect(fake.path, isolation_level=None, check_same_thread=False)
    closing.execute("PRAGMA journal_mode = WAL")
    closing.execute("PRAGMA locking_mode = EXCLUSIVE")
    closing.execute("BEGIN EXCLUSIVE")
    closed = threading.Timer(0.3, closing.close)
    closed.start()

    with use(fake.path) as opened:
        assert opened.last_number() == 1

    closed.join()


def test_the_same_number_cannot_be_committed_twice(fake: Any) -> None:
    with new_store(fake) as store:
        store.commit_cycle(A_CYCLE)
        with pytest.raises(RecordError, match="could not write to the store"):
            store.commit_cycle(A_CYCLE)
        store.commit_cycle(dataclasses.replace(A_CYCLE, number=2))

        assert store.last_number() == 2


def test_a_full_disk_is_said_and_what_was_committed_stays(
    fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_store(fake).close()
    connect = sqlite3.connect

    def connect_to_a_small_disk(*args: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **options)
        connection.execute("PRAGMA max_page_count = 20")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_to_a_small_disk)
    store = Store.resume(fake.path)

    def fill() -> None:
        for number in range(1, 2_000):
            store.commit_cycle(dataclasses.replace(A_CYCLE, number=number))

    with pytest.raises(RecordError, match="the disk is full; make room, then go on"):
        fill()
    last = store.last_number()
    store.close()

    assert last > 1
    with Store.open(fake.path) as reader:
        assert [raw.number for raw in reader.cycles()] == list(range(1, last + 1))


def test_a_cycle_takes_2_kb_or_less_without_light(simulated: Make) -> None:
    bench = simulated()
    bench.begin(override(default_plan(), cycles=60))
    lean = bench.path.with_name("lean.rrs")

    with Store.open(bench.path) as full, Store.create(lean, full.identity, full.plan) as store:
        store.begin_session(A_SESSION)
        fixed_bytes = lean.stat().st_size
        for raw in full.cycles(with_light=False):
            store.commit_cycle(raw)

    assert (lean.stat().st_size - fixed_bytes) / 60 <= 2048


def test_the_file_alone_has_every_cycle_while_a_campaign_runs(fake: Any, tmp_path: Path) -> None:
    copy = tmp_path / "copy.rrs"
    with new_store(fake) as store:
        store.commit_cycle(A_CYCLE)
        shutil.copy(fake.path, copy)

    with Store.open(copy) as store:
        assert list(store.cycles()) == [A_CYCLE]
