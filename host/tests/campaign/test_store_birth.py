"""A store is whole or not there: nothing that strikes while it is made leaves half of one."""

import errno
import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.store.store import Store
from resume_rig.model.errors import UsageError
from resume_rig.model.result.cycle import Outcome

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no fork and no SIGKILL here")


def killed_at_event(number: int, path: Path, fake: Any, plan: Any) -> bool:
    """Make a store in a process that is killed at its n-th audited event; return whether it was."""
    child = os.fork()
    if child == 0:
        left = number

        def strike(_event: str, _args: object) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(strike)
        Store.create(path, fake.identity, plan).close()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def test_kill_9_at_any_step_leaves_no_store_or_a_whole_one(
    fake: Any, short_plan: Any, tmp_path: Path
) -> None:
    seen = []
    for number in range(1, 200):
        path = tmp_path / f"{number}.rrs"
        killed = killed_at_event(number, path, fake, short_plan)
        seen.append(path.exists())
        if path.exists():
            with Store.resume(path) as store:
                assert store.plan == short_plan
                assert store.last_number() == 0
        else:
            Store.create(path, fake.identity, short_plan).close()
        if not killed:
            break

    assert not killed
    assert seen == sorted(seen), "once it is there it stays"
    assert seen.count(False) >= 3
    assert seen.count(True) >= 2


def test_a_campaign_that_was_killed_at_the_birth_of_its_store_goes_on(
    fake: Any, short_plan: Any
) -> None:
    Store.create(fake.path, fake.identity, short_plan).close()

    end = fake.go_on()

    assert end.outcomes == {Outcome.SLEPT_AND_WOKE: 2}


def test_what_is_there_is_not_touched(fake: Any, short_plan: Any) -> None:
    fake.path.write_bytes(b"something else")

    with pytest.raises(UsageError, match="a file of that name is there"):
        Store.create(fake.path, fake.identity, short_plan)

    assert fake.path.read_bytes() == b"something else"
    assert [entry.name for entry in fake.path.parent.iterdir()] == [fake.path.name]


def test_a_file_system_without_hard_links_will_do(
    fake: Any, short_plan: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)

    Store.create(fake.path, fake.identity, short_plan).close()

    with Store.open(fake.path) as store:
        assert store.plan == short_plan
    with pytest.raises(UsageError, match="a file of that name is there"):
        Store.create(fake.path, fake.identity, short_plan)
    names = [entry.name for entry in fake.path.parent.iterdir()]
    assert names == [fake.path.name]


def test_a_full_disk_makes_no_store(
    fake: Any, short_plan: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    def connect_to_a_full_disk(*args: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **options)
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("PRAGMA max_page_count = 3")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_to_a_full_disk)

    with pytest.raises(UsageError, match=r"could not make the store .*: the disk is full"):
        Store.create(fake.path, fake.identity, short_plan)

    assert list(fake.path.parent.iterdir()) == []
