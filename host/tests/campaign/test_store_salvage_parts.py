"""What a salvage keeps and loses part by part, and each sentence of a check."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.plan.plan import default_plan
from resume_rig.campaign.store.raw import LogMark, LogState, Recovery, Session
from resume_rig.campaign.store.salvage import Salvage, StoreCheck, check_store, salvage
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge, LightBlock
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.os_record import Integrity, LogSource
from resume_rig.model.power import PowerMonitor, PowerSamples
from resume_rig.model.result.cycle import HealthReading

from .few_cycles import change, cycle, make, record
from .hostile_stores import changed

PLAN = "the plan has 4: what there was after cycle {} is lost"
NEVER = "the plan has 4: what there was of them is lost"
LIGHT = (LightBlock(1, 2, 3, 4, 5),)


def came(**parts: tuple[int, ...]) -> Salvage:
    plain = dict.fromkeys(("kept", "without_light", "without_records", "without_power", "lost"), ())
    return Salvage(path=Path("x"), planned=4, **(plain | parts))


MANY = tuple(range(1, 21))
LISTED = ", ".join(map(str, MANY))


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"kept": (1, 2, 3, 4)}, "4 cycles of the store; nothing is lost"),
        ({"kept": (5,)}, "1 cycle of the store; nothing is lost"),
        ({"kept": (1, 3)}, f"2 cycles of a damaged store; {PLAN.format(3)}"),
        ({}, f"0 cycles of a damaged store; {NEVER}"),
        (
            {"kept": (4,), "without_light": (4,), "without_records": (4, 5), "lost": (1, 2, 3)},
            "1 cycle of a damaged store; light lost, so they count as invalid: 4; OS records "
            "lost: 4, 5; lost: 1, 2, 3",
        ),
        (
            {"kept": (4,), "without_power": MANY},
            f"1 cycle of a damaged store; samples of power lost: {LISTED}",
        ),
        (
            {"kept": (4,), "without_power": (*MANY, 21)},
            f"1 cycle of a damaged store; samples of power lost: {LISTED} ...",
        ),
    ],
)
def test_what_came_of_a_salvage_is_one_sentence(parts: dict[str, Any], expected: str) -> None:
    assert came(**parts).sentence() == expected


@pytest.mark.parametrize("kept", [(), (1, 2)])
def test_cycles_that_were_never_done_are_not_lost(kept: tuple[int, ...]) -> None:
    whole = replace(came(kept=kept), whole=True)
    assert whole.sentence() == (
        f"{len(kept)} cycles of the store; nothing is lost; the plan has 4, and the store has no "
        "more"
    )


def test_a_store_that_was_stopped_is_salvaged_without_a_loss(fake: Any, tmp_path: Path) -> None:
    make(fake, cycle(1), cycle(2))
    made = salvage(fake.path, tmp_path / "new.rrs")
    assert "nothing is lost" in made.sentence()
    with Store.open(made.path) as store:
        assert store.salvaged == made.sentence()


def rest(bench: Any, new: Path) -> tuple[Salvage, Store]:
    made = salvage(bench.path, new)
    return made, Store.open(new)


@pytest.mark.parametrize(
    ("statement", "sealed", "expected"),
    [
        ("UPDATE cycle SET number = number", False, came(kept=(1, 2, 3, 4))),
        ("DELETE FROM cycle WHERE number = 2", False, came(kept=(1, 3, 4), lost=(2,))),
        ("DELETE FROM cycle WHERE number > 2", False, replace(came(kept=(1, 2)), whole=True)),
        ("DELETE FROM cycle", False, replace(came(), whole=True)),
        (
            "UPDATE cycle SET boot_id = 6 WHERE number < 3",
            False,
            came(kept=(3, 4), lost=(1, 2)),
        ),
        (
            "UPDATE seal SET light = 5 WHERE cycle = 2",
            False,
            came(kept=(1, 2, 3, 4), without_light=(2,)),
        ),
        # Definitions that are not ours are replaced by ours.
        ("ALTER TABLE cycle RENAME TO other", False, came(kept=(1, 2, 3, 4))),
        ("PRAGMA user_version = 3", False, came(kept=(1, 2, 3, 4))),
        # A bit that turns bytes into a text that is none.
        (
            "UPDATE cycle SET light = CAST(x'ff' AS TEXT) WHERE number = 2",
            False,
            came(kept=(1, 2, 3, 4), without_light=(2,)),
        ),
        # What its checksum covers and cannot be read.
        (
            "UPDATE cycle SET light = x'00' WHERE number = 2",
            True,
            came(kept=(1, 2, 3, 4), without_light=(2,)),
        ),
        (
            "UPDATE cycle SET records = x'00' WHERE number = 2",
            True,
            came(kept=(1, 2, 3, 4), without_records=(2,)),
        ),
        ("UPDATE cycle SET edges = x'00' WHERE number = 2", True, came(kept=(1, 3, 4), lost=(2,))),
        (
            "UPDATE cycle SET light = x'00', records = x'00' WHERE number = 2",
            True,
            came(kept=(1, 3, 4), lost=(2,)),
        ),
        # A store of version 1 has no checksums.
        ("DELETE FROM seal", False, came(kept=(1, 2, 3, 4))),
        ("DELETE FROM dictionary", False, came(kept=(1, 2, 3, 4), without_records=(1, 2))),
        (
            "UPDATE dictionary SET bytes = bytes || zeroblob(32769 - length(bytes))",
            False,
            came(kept=(1, 2, 3, 4), without_records=(1, 2)),
        ),
        (
            "UPDATE dictionary SET bytes = 'text'",
            False,
            came(kept=(1, 2, 3, 4), without_records=(1, 2)),
        ),
    ],
)
def test_damage_costs_its_part_and_no_other(
    fake: Any, tmp_path: Path, statement: str, sealed: bool, expected: Salvage
) -> None:
    records = (record(1), record(2))
    cycles = {n: cycle(n, light=LIGHT, records=records if n < 3 else ()) for n in (1, 2, 3, 4)}
    make(fake, *cycles.values())
    if sealed:
        changed(fake.path, lambda connection: connection.execute(statement))
    else:
        change(fake.path, statement)
    new = tmp_path / "new.rrs"

    made, store = rest(fake, new)

    assert made == replace(expected, path=new)
    with store:
        kept = {raw.number: raw for raw in store.cycles()}
        assert (store.plan, store.identity) == (default_plan(), fake.identity)
        assert store.sessions() == (Session(1, 2, 5, "host", "0", None),)
        assert (store.salvaged, store.salvaged_to) == (
            expected.sentence(),
            max(expected.kept, default=0),
        )
    assert tuple(kept) == expected.kept
    for number, raw in kept.items():
        wanted = cycles[number]
        if number in expected.without_light:
            wanted = replace(wanted, light=(), lost_light=1)
        if number in expected.without_records:
            wanted = replace(wanted, records=())
        assert raw == wanted
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["fake.rrs", "new.rrs"]


@pytest.mark.parametrize(("lost", "expected"), [(0, 1), (1, 1), (7, 7)])
def test_a_cycle_whose_light_is_lost_counts_at_least_one_block_as_lost(
    fake: Any, tmp_path: Path, lost: int, expected: int
) -> None:
    make(fake, cycle(1, light=LIGHT, lost_light=lost))
    changed(fake.path, lambda c: c.execute("UPDATE cycle SET light = x'00'"))
    _, store = rest(fake, tmp_path / "new.rrs")
    with store:
        assert [(raw.lost_light, tuple(raw.light)) for raw in store.cycles()] == [(expected, ())]


@pytest.mark.parametrize("content", [bytes(8192), b"SQLite format 3\0".ljust(8192, b"\xff")])
def test_a_first_page_that_is_destroyed_is_that_of_an_empty_store(
    fake: Any, tmp_path: Path, content: bytes
) -> None:
    cycles = [cycle(number, records=(record(number),)) for number in range(1, 25)]
    whole = make(fake, *cycles).read_bytes()
    fake.path.write_bytes(content + whole[8192:])
    made, store = rest(fake, tmp_path / "new.rrs")
    with store:
        assert list(store.cycles()) == cycles
        assert store.sessions() == (Session(1, 2, 5, "host", "0", None),)
    assert made.lost == made.without_records == ()


@pytest.mark.parametrize("size", [0, 1, 8191, 8192, 3 * 8192])
def test_a_file_that_has_no_page_of_a_store_is_none(fake: Any, tmp_path: Path, size: int) -> None:
    fake.path.write_bytes(bytes(size))
    with pytest.raises(RecordError, match="it is no campaign store, or too damaged"):
        salvage(fake.path, tmp_path / "new.rrs")


def test_a_session_that_is_lost_is_stood_in_for(fake: Any, tmp_path: Path) -> None:
    lone = {"session": 2, "boot_id": 9}
    make(fake, cycle(1), cycle(2, **lone), cycle(3, **lone), cycle(4, records=(record(1),)))
    change(fake.path, "DELETE FROM session")
    _, store = rest(fake, tmp_path / "new.rrs")
    with store:
        first, second = store.sessions()
    assert first == Session(1, 1_010, 5, "lost", "lost", None)
    assert second == Session(2, 1_020, 9, "lost", "lost", None)


def test_the_log_of_a_lost_session_is_said_to_be_lost(fake: Any, tmp_path: Path) -> None:
    make(fake, cycle(1, records=(record(1),)))
    change(fake.path, "DELETE FROM session")
    _, store = rest(fake, tmp_path / "new.rrs")
    with store:
        (session,) = store.sessions()
    lost = Integrity(ok=False, problems=("What the store recorded of this log is lost.",))
    assert session.log == LogState(LogSource("lost", "unknown", None, 0, lost), LogMark())


def test_sessions_recoveries_and_health_are_kept_where_they_can_be_read(
    fake: Any, tmp_path: Path
) -> None:
    health = (HealthReading(True, 5, 6, "everything is up"),)
    make(fake, cycle(1, health=health), cycle(2, health=health))
    steps = [Recovery(1, n, "Why.", False, (), ()) for n in (1, 2, 3)]
    with Store.resume(fake.path) as store:
        store.begin_session(Session(2, 3, 6, "other", "1", None))
        store.begin_session(Session(10_000, 3, 6, "other", "1", None))
        store.begin_session(Session(10_001, 3, 6, "beyond", "1", None))
        for step in steps:
            store.commit_recovery(step)
    change(
        fake.path,
        "UPDATE recovery SET edges = x'00' WHERE number = 2",
        "UPDATE session SET log = '5' WHERE number = 2",
        "UPDATE health SET crc = 0 WHERE cycle = 1",
    )
    made, store = rest(fake, tmp_path / "new.rrs")
    with store:
        assert [session.number for session in store.sessions()] == [1, 10_000]
        assert store.recoveries() == (steps[0], steps[2])
        assert [raw.health for raw in store.cycles()] == [(), health]
    assert (made.kept, made.without_power) == ((1, 2), ())


def test_power_is_missed_of_a_rig_that_has_a_monitor(fake: Any, tmp_path: Path) -> None:
    power = PowerSamples((11,), (5,), (7,))
    monitor = PowerMonitor.__new__(PowerMonitor)
    for name in PowerMonitor.__slots__:
        object.__setattr__(monitor, name, "x" if "name" in name or "part" in name else 1)
    make(fake, cycle(1), cycle(2, power=power))
    assert salvage(fake.path, tmp_path / "a.rrs").without_power == ()
    fake.path.unlink()
    fake.identity = replace(fake.identity, rig=replace(fake.identity.rig, power=monitor))
    make(fake, cycle(1), cycle(2, power=power), cycle(3, power=power))
    change(fake.path, "UPDATE power SET crc = 0 WHERE cycle = 3")
    assert salvage(fake.path, tmp_path / "b.rrs").without_power == (1, 3)


def test_cycles_are_looked_for_ten_thousand_numbers_beyond_the_plan(
    fake: Any, tmp_path: Path
) -> None:
    make(fake, cycle(10_004), cycle(10_005))
    made = salvage(fake.path, tmp_path / "new.rrs")
    assert made.kept == (10_004,)
    assert made.lost == tuple(range(1, 10_004))


def test_what_cannot_be_salvaged_is_said_in_one_sentence(fake: Any, tmp_path: Path) -> None:
    make(fake, cycle(1))
    new = tmp_path / "new.rrs"

    def why(kind: type[Exception], damaged: Path, path: Path) -> str:
        with pytest.raises(kind) as refused:
            salvage(damaged, path)
        return str(refused.value)

    for damaged in (tmp_path / "none", tmp_path):
        expected = f"could not salvage {damaged}: there is no such file"
        assert why(RecordError, damaged, new) == expected
    there = f"could not salvage to {fake.path}: it is there already; name a new file"
    assert why(UsageError, fake.path, fake.path) == there
    nowhere = tmp_path / "none" / "new.rrs"
    found = why(UsageError, fake.path, nowhere)
    assert found == f"could not salvage to {nowhere}: No such file or directory"
    change(fake.path, "DELETE FROM identity WHERE name = 'plan'")
    assert why(RecordError, fake.path, new) == (
        f"could not salvage {fake.path}: it is no campaign store, or too damaged: the identity "
        "table has no 'plan', and without that nothing else of it has a meaning"
    )
    assert [entry.name for entry in tmp_path.iterdir()] == ["fake.rrs"]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (("fake.rrs", "Permission denied"), "could not salvage {damaged}: Permission denied"),
        (("none/x", "Permission denied"), "could not salvage to {new}: Permission denied"),
        ((None, "No space left"), "could not salvage to {new}: No space left"),
        ((None, None), "could not salvage to {new}: it failed"),
    ],
)
def test_the_file_that_fails_is_named(
    fake: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Any, text: str
) -> None:
    name, why = error
    path = None if name is None else str(tmp_path / name)
    make_sure = OSError("it failed") if why is None else OSError(13, why, path)
    new = tmp_path / "new.rrs"
    fake.path.touch()

    def fail(*_: object) -> None:
        raise make_sure

    monkeypatch.setattr(shutil, "copyfile", fail)
    with pytest.raises((RecordError, UsageError)) as refused:
        salvage(fake.path, new)
    assert str(refused.value) == text.format(damaged=fake.path, new=new)


def test_a_file_that_appears_while_a_store_is_salvaged_stays(
    fake: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(fake, cycle(1))
    new = tmp_path / "new.rrs"
    link = os.link

    def slowly(part: Path, path: Path) -> None:
        if path == new:
            path.write_bytes(b"theirs")
        link(part, path)

    monkeypatch.setattr(os, "link", slowly)
    with pytest.raises(UsageError) as refused:
        salvage(fake.path, new)
    assert str(refused.value) == (
        f"could not salvage to {new}: it is there already; name a new file"
    )
    assert new.read_bytes() == b"theirs"


def edges(*pairs: tuple[int, int]) -> dict[str, Any]:
    return {"edges": tuple(Edge(number, t_ns, Channel.SLP_S3, 0) for number, t_ns in pairs)}


@pytest.mark.parametrize(
    ("cycles", "expected"),
    [
        ([cycle(1), cycle(2)], ()),
        ([], ()),
        ([cycle(2)], ("Cycle 1 is missing.",)),
        ([cycle(1), cycle(3)], ("Cycle 2 is missing.",)),
        ([cycle(3)], ("Cycles 1 to 2 are missing.",)),
        (
            [cycle(1), cycle(5), cycle(7)],
            ("Cycles 2 to 4 are missing.", "Cycle 6 is missing."),
        ),
        ([cycle(1, took_ns=0)], ()),
        ([cycle(1, took_ns=-1)], ("Cycle 1 ends before it begins.",)),
        ([cycle(1, took_ns=10), cycle(2)], ()),
        ([cycle(1, took_ns=11), cycle(2)], ("Cycle 2 begins before cycle 1 ends.",)),
        ([cycle(1, **edges((1, 5), (2, 5), (3, 6)))], ()),
        (
            [cycle(1, **edges((1, 5), (1, 6)))],
            ("Cycle 1: the numbers of its edges do not ascend.",),
        ),
        (
            [cycle(1, **edges((1, 5), (2, 6), (3, 5)))],
            ("Cycle 1: the stamps of its edges go back in time.",),
        ),
        ([cycle(1, session=2)], ("Cycle 1 belongs to session 2, which is missing.",)),
    ],
)
def test_a_check_names_what_contradicts_itself(
    fake: Any, cycles: list[Any], expected: tuple[str, ...]
) -> None:
    make(fake, *cycles)
    assert check_store(fake.path) == StoreCheck(fake.path, len(cycles), expected)


def test_a_session_may_begin_before_another_one_ended(fake: Any) -> None:
    make(fake, cycle(1, took_ns=50), cycle(2, session=2))
    with Store.resume(fake.path) as store:
        store.begin_session(Session(2, 3, 6, "other", "1", None))
    assert check_store(fake.path).problems == ()


def test_what_cannot_be_read_is_counted_and_named(fake: Any) -> None:
    make(fake, cycle(1), cycle(2), cycle(3))
    with Store.resume(fake.path) as store:
        store.commit_recovery(Recovery(1, 1, "Why.", False, (), ()))
        store.note_salvage("2 cycles of a damaged store", 1)
    change(
        fake.path,
        "UPDATE recovery SET edges = x'00'",
        "UPDATE cycle SET boot_id = 6 WHERE number = 2",
        "DELETE FROM cycle WHERE number = 1",
    )
    found = check_store(fake.path)
    assert (found.cycles, found.salvaged) == (1, "2 cycles of a damaged store")
    recovery, damaged = found.problems
    assert recovery.startswith(f"Could not read the store {fake.path}: ")
    assert damaged.startswith(f"Could not read the store {fake.path}: cycle 2 is damaged: the ")
    assert damaged.endswith("writes what can be read to a new store.")


@pytest.mark.parametrize(("count", "more"), [(50, None), (52, "And 2 more.")])
def test_a_check_lists_fifty_problems(fake: Any, count: int, more: str | None) -> None:
    make(fake, *(cycle(n, session=2) for n in range(1, count + 1)))
    problems = check_store(fake.path).problems
    assert len(problems) == (50 if more is None else 51)
    assert problems[49] == "Cycle 50 belongs to session 2, which is missing."
    if more is not None:
        assert problems[50] == more


def test_a_store_that_cannot_be_opened_is_one_problem_and_another_file_is_none(
    fake: Any, tmp_path: Path
) -> None:
    make(fake, cycle(1))
    change(fake.path, "PRAGMA user_version = 3")
    assert check_store(fake.path) == StoreCheck(
        fake.path,
        0,
        (
            f"Could not open the store {fake.path}: its schema is version 3; this version of "
            "resume-rig knows versions 1 to 2.",
        ),
    )
    change(fake.path, "PRAGMA application_id = 5")
    with pytest.raises(RecordError, match="of another application, id 0x5"):
        check_store(fake.path)
