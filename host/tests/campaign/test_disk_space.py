"""A campaign that does not fit its disk is not begun, and one that fills it loses nothing."""

import dataclasses
import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.plan.plan import Plan, StopRules, default_plan, override
from resume_rig.campaign.run.campaign import begin
from resume_rig.campaign.run.events import CampaignEvent, CycleDone
from resume_rig.campaign.store.disk import (
    FLOOR_BYTES,
    LIGHTLESS_BYTES,
    DiskSpace,
    is_being_written,
    most_cycles,
    why_too_little,
)
from resume_rig.campaign.store.store import Store
from resume_rig.cli.main import main
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.units import NS_PER_S


def test_a_campaign_that_does_not_fit_makes_no_store_and_moves_nothing(fake: Any) -> None:
    plan = override(default_plan(), cycles=1000)
    fake.free = lambda _: 1000 * LIGHTLESS_BYTES + FLOOR_BYTES - 1

    with pytest.raises(UsageError, match=r"1,000 cycles take about 2 MB .* has 66 MB left"):
        fake.begin(plan)

    assert not fake.path.exists()
    assert fake.rig.all_edges == []


def test_what_just_fits_is_begun(fake: Any, short_plan: Plan) -> None:
    fake.free = lambda _: 2 * LIGHTLESS_BYTES + FLOOR_BYTES

    end = fake.begin(short_plan)

    assert end.outcomes == {Outcome.SLEPT_AND_WOKE: 2}


def test_a_disk_that_others_fill_stops_the_campaign_between_two_cycles(
    fake: Any, short_plan: Plan
) -> None:
    plan = override(short_plan, cycles=9)

    def free(path: Path) -> int:
        if not path.exists():
            return 10**12
        with Store.open(path) as store:
            return FLOOR_BYTES - 1 if store.last_number() >= 3 else 10**12

    fake.free = free
    with pytest.raises(RecordError, match=r"64 MB are left.*`resume-rig run --resume"):
        fake.begin(plan)

    assert fake.rig.driven == set()
    fake.free = lambda _: 10**12
    end = fake.go_on()
    assert end.outcomes == {Outcome.SLEPT_AND_WOKE: 9}


def test_a_disk_that_is_full_in_a_commit_ends_with_advice_and_loses_nothing(
    fake: Any, short_plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    def connect_to_a_small_disk(*args: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **options)
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("PRAGMA max_page_count = 10")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_to_a_small_disk)

    with pytest.raises(RecordError, match=r"the disk is full.*`resume-rig run --resume"):
        fake.begin(override(short_plan, cycles=60))

    monkeypatch.undo()
    assert fake.rig.driven == set()
    with Store.open(fake.path) as store:
        kept = store.last_number()
        assert kept > 3
        assert len(list(store.cycles())) == kept
    assert fake.go_on().outcomes[Outcome.SLEPT_AND_WOKE] == 60


@pytest.mark.skipif(os.name == "nt", reason="Windows moves no file that is open")
@pytest.mark.parametrize("another", [False, True], ids=["moved", "replaced"])
def test_a_store_that_is_moved_while_it_is_written_stops_the_campaign_and_keeps_its_cycles(
    fake: Any, short_plan: Plan, another: bool
) -> None:
    plan, moved = override(short_plan, cycles=9), fake.path.with_name("moved.rrs")
    done: list[int] = []

    def move_after_three(event: CampaignEvent) -> None:
        if isinstance(event, CycleDone):
            done.append(event.raw.number)
            if len(done) == 3:
                fake.path.rename(moved)
                if another:
                    fake.path.write_bytes(b"of somebody else")

    with pytest.raises(RecordError, match=r"was moved, renamed or removed.*its name back"):
        begin(fake.path, plan, fake.identity, fake.parts, move_after_three)

    assert done == [1, 2, 3]
    assert fake.rig.driven == set()
    if another:
        fake.path.unlink()
    moved.rename(fake.path)
    assert fake.go_on().outcomes == {Outcome.SLEPT_AND_WOKE: 9}


def test_a_rule_of_time_bounds_what_a_plan_takes() -> None:
    plan = override(default_plan(), cycles=1_000_000)
    timed = dataclasses.replace(plan, stop=StopRules(time_ns=70 * NS_PER_S))

    assert most_cycles(plan) == 1_000_000
    assert most_cycles(timed) == 11


def test_a_place_that_is_not_there_is_left_to_the_store_to_say(tmp_path: Path) -> None:
    DiskSpace(tmp_path / "none" / "x.rrs").check_before(default_plan(), has_light=True)


@pytest.mark.parametrize(("free", "fits"), [(FLOOR_BYTES + 10, True), (FLOOR_BYTES + 9, False)])
def test_the_floor_stays_free(free: int, fits: bool) -> None:
    assert (why_too_little(5, 2, free) is None) is fits


def test_where_no_locks_are_told_of_no_store_is_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    (tmp_path / "night.rrs-shm").touch()
    monkeypatch.setattr("msvcrt.locking" if os.name == "nt" else "fcntl.lockf", no_locks)

    assert not is_being_written(tmp_path / "night.rrs")


NO_ROOM = """\
import resource, sys
from resume_rig.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # nothing can be written to any file
sys.exit(main(sys.argv[1:]))
"""


def without_room(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", NO_ROOM, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def of_a_host_that_died(folder: Path) -> Path:
    """Write a store whose newest change waits in its WAL, with no index beside it."""
    whole, path = folder / "whole.rrs", folder / "died.rrs"
    rig = ("--rig", "sim:clock=virtual,seed=3", "--cycles", "3")
    assert main(["run", *rig, "--out", str(whole)]) == 0
    with closing(sqlite3.connect(whole, isolation_level=None)) as store:
        store.execute("PRAGMA journal_mode = WAL")
        store.execute("PRAGMA wal_autocheckpoint = 0")
        store.execute("UPDATE identity SET value = replace(value, 'sim-0.1.0', 'in the WAL')")
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{whole}{suffix}", f"{path}{suffix}")
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of what may be written there")
def test_a_sound_store_is_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    store = of_a_host_that_died(tmp_path)
    kept = store.read_bytes(), store.with_name("died.rrs-wal").read_bytes()
    for words in (
        *(("store", "info"), ("store", "check"), ("correlate",), ("fleet",)),
        *(("correlate", "--json"), ("compare", "whole.rrs")),
    ):
        done = without_room(tmp_path, *words, "died.rrs")
        assert done.returncode in (0, 4), (words, done.stderr)
    info = without_room(tmp_path, "store", "info", "died.rrs", "--json")
    assert "in the WAL" in info.stdout
    assert (store.read_bytes(), store.with_name("died.rrs-wal").read_bytes()) == kept


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of what may be written there")
def test_a_campaign_that_cannot_write_is_told_to_make_room_and_is_not_damaged(
    tmp_path: Path,
) -> None:
    of_a_host_that_died(tmp_path)
    for name in ("whole.rrs", "died.rrs"):
        done = without_room(tmp_path, "run", "--resume", name)
        assert done.returncode == 2
        assert "takes nothing that is written; where it is full make room" in done.stderr
        assert "damaged" not in done.stderr
        assert main(["store", "check", str(tmp_path / name)]) == 0
