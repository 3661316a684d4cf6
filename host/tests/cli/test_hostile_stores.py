"""Stores from strangers: for every verb one sentence, its status, bounded memory and time."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from campaign.hostile_stores import HOSTILE, beside, changed, flip_an_outcome

from resume_rig.acceptance.campaign import load_campaign
from resume_rig.campaign.store import schema
from resume_rig.cli.main import main
from resume_rig.gui.explorer.state import explore, read_detail, read_quick
from resume_rig.model.errors import RecordError

Make = Callable[[str], Path]

VERBS: dict[str, tuple[str, ...]] = {
    "info": ("store", "info"),
    "check": ("store", "check"),
    "faults": ("store", "faults"),
    "report": ("report", "--out", "r.html"),
    "correlate": ("correlate",),
    "compare": ("compare", "whole.rrs"),
    "fleet": ("fleet",),
    "csv": ("export", "--to", "csv", "--table", "edges", "--out", "c.csv"),
    "junit": ("export", "--to", "junit", "--out", "j.xml"),
    "vcd": ("export", "--to", "vcd", "--cycle", "1", "--out", "c.vcd"),
    "evidence": ("export", "--evidence", "folder"),
    "resume": ("run", "--resume"),
    "salvage": ("store", "salvage", "--out", "saved.rrs"),
}
"""Every verb that reads a store; its path comes last."""

HEAVY = (
    *("zeros-as-light", "records-without-end", "records-without-text"),
    *("200-tables", "brackets-in-commands", "huge-number-in-plan"),
)

# All verbs of a sound store take 105 MB in one process, one after another; the stores above took
# 195 MB (CPython 3.11, x86-64 Linux).
MEMORY_BYTES = 250_000_000


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "whole.rrs"
    words = ("--rig", "sim:clock=virtual,seed=3", "--cycles", "3", "--out", str(path))
    assert main(["run", *words]) == 0
    return path


@pytest.fixture
def hostile(whole: Path, tmp_path: Path) -> Make:
    def make(name: str) -> Path:
        path = tmp_path / f"{name}.rrs"
        shutil.copyfile(whole, path)
        shutil.copyfile(whole, tmp_path / "whole.rrs")
        changed(path, HOSTILE[name][0], sealed=not name.startswith(("view", "virtual")))
        return path

    return make


# Seconds each: every verb reads much of them before it refuses. Libraries refuse all, below.
LONG = ("records-without-end", "records-without-text", "zeros-as-light", "light-of-hours")


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=pytest.mark.slow) if each in LONG else each for each in HOSTILE],
)
def test_every_verb_refuses_it_in_one_sentence(command, hostile: Make, name: str) -> None:
    store, words = hostile(name), HOSTILE[name][1]

    for verb, given in VERBS.items():
        begun = time.monotonic()
        said = command(*given, str(store))

        took_s = time.monotonic() - begun
        assert said.status in (0, 1, 2, 4), (verb, said)
        assert took_s < 30, verb  # 9 s at most on a machine that others kept busy
        assert "Traceback" not in said.err, verb
        if said.status == 2 and verb not in ("check", "fleet", "faults"):
            assert said.err.splitlines()[-1].startswith("resume-rig: could not "), (verb, said)
        if verb == "correlate" and not name.endswith(("light", "hours")):
            assert said.status == 2, said
            assert words in said.err
        if verb == "check":
            assert said.status == 2, said
            assert "is damaged; `resume-rig store salvage" in said.err


@pytest.mark.parametrize("name", HOSTILE)
def test_application_and_libraries_refuse_it_too(hostile: Make, name: str) -> None:
    store = hostile(name)

    def opened() -> None:
        quick = read_quick(store)
        explore(lambda *_: None, store, quick.overview)
        read_detail(store, 1, None, None)

    with pytest.raises(RecordError) as refused:
        opened()
    assert str(store) in str(refused.value)
    if name not in ("zeros-as-light", "light-of-hours"):  # the onset stands without its light
        with pytest.raises(RecordError):
            load_campaign(store)


@pytest.mark.slow
def test_one_bad_store_never_hides_the_others(command, hostile: Make, whole: Path) -> None:
    for name in HOSTILE:
        hostile(name)
    rig = ("--rig", "sim:clock=virtual,seed=4", "--cycles", "3")
    assert command("run", *rig, "--out", "other.rrs").status == 0

    said = command("fleet", ".", "--json", "--jobs", "2")

    assert said.status in (0, 2)
    document = said.document
    read = [c["path"] for group in document["groups"] for c in group["campaigns"]]
    assert "other.rrs" in [Path(path).name for path in read]
    refused = {Path(each["path"]).stem for each in document["unread"]}
    assert refused >= set(HOSTILE) - {"zeros-as-light", "light-of-hours"}


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process alone is in /proc")
@pytest.mark.slow
def test_memory_stays_bounded(hostile: Make, tmp_path: Path) -> None:
    stores = [str(hostile(name)) for name in HEAVY]
    jobs = [[*given, store] for store in stores for given in VERBS.values()]
    code = (
        "import json, sys; from resume_rig.cli.main import main\n"
        "for job in json.loads(sys.argv[1]): main(job)\n"
        # ru_maxrss has the peak of who started the process in it, too.
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
        "print(peak.split()[1], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(jobs)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )

    assert int(done.stderr.split()[-1]) * 1024 < MEMORY_BYTES


def test_a_flipped_bit_in_an_outcome_is_told_with_what_to_do(command, whole: Path) -> None:
    shutil.copyfile(whole, "flipped.rrs")
    flip_an_outcome(Path("flipped.rrs"))

    for given in (("store", "info"), ("run", "--resume"), ("correlate",), ("report",)):
        said = command(*given, "flipped.rrs")
        assert said.status == 2, said
        assert "cycle 3 is damaged" in said.err or "cycle 1 is damaged" in said.err
        assert "`resume-rig store salvage flipped.rrs --out NEW`" in said.err
    assert command("store", "salvage", "flipped.rrs", "--out", "saved.rrs").status == 0
    assert command("correlate", "saved.rrs").status in (0, 4)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such pipes")
@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("pipe", [True, False], ids=["pipe", "link"])
def test_pipes_and_links_beside_a_store_are_not_opened(
    command, whole: Path, suffix: str, pipe: bool
) -> None:
    shutil.copyfile(whole, "s.rrs")
    beside(Path("s.rrs"), suffix, pipe=pipe)

    for given in (("store", "info"), ("fleet",), ("run", "--resume")):
        said = command(*given, "s.rrs")
        assert said.status == 2
        told = " ".join((said.out + said.err).split())
        assert f"s.rrs{suffix} beside it is no file but a link or a device" in told


@pytest.mark.skipif(sys.platform == "win32", reason="signals strike a process there otherwise")
def test_a_signal_ends_what_sqlite_does(whole: Path) -> None:
    def strike(*_: object) -> None:
        raise KeyboardInterrupt

    def ask_without_end() -> None:
        try:
            connection.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                "SELECT count(*) FROM n"
            )
        except sqlite3.Error as error:
            schema.why(error)

    before = signal.signal(signal.SIGTERM, strike)
    connection = schema.connect_existing(whole, write=False)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM))
    timer.start()
    begun = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            ask_without_end()
    finally:
        timer.cancel()
        connection.close()
        signal.signal(signal.SIGTERM, before)
    assert time.monotonic() - begun < 10
