"""kill -9 at random instants of campaigns in real processes: what is lost, and what goes on.

python benchmarks/soak_kill.py [INSTANTS] [SEED]

One campaign after another is begun, killed at a random instant, resumed, killed again, until its
plan is done. After each kill the store is looked at: it is whole, nothing that was told of as done
is gone, and no more than the cycle in flight is missing. Killed before there was a store, nothing
is lost, and `--resume` says so. In the end the answer of the last run is held against the cycles
that are recorded. Ctrl-C ends it with what came so far; every 100 kills it says how far it is.

The processes are forked from this one, which has the program loaded already (not on Windows): the
load took five times as long as a campaign lives. One in ten is a program of its own.
"""

import json
import multiprocessing
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from resume_rig.campaign.answer.assessment import assess, facts_of
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.campaign.store.store import Store
from resume_rig.cli.main import main as main_of_program

_CYCLES = 400
_LONGEST_S = 2.0
_URL = "sim:clock=virtual,seed=7"
_BEGAN = b'"event":"began"'
_DONE = '"event":"cycle"'
_FINAL = ("cycles", "statistics", "clock", "verdict")


@dataclass
class Tally:
    """What became of the kills.

    Attributes:
        kills: that struck a campaign; `early` of them before its store was there.
        in_flight: after which the store held just what had been told of as done: what was in
            flight, if anything was, is lost.
        kept: cycles in all finished campaigns.
        faults: a sentence for each thing that may not be.
    """

    kills: int = 0
    early: int = 0
    in_flight: int = 0
    campaigns: int = 0
    kept: int = 0
    faults: tuple[str, ...] = ()
    begun_s: float = field(default_factory=time.perf_counter)


def main() -> int:
    """Strike until there were so many instants, and print what became of them."""
    instants = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    strikes = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        while tally.kills < instants:
            store = Path(folder) / f"campaign-{tally.campaigns}.rrs"
            _campaign(store, strikes, instants, tally)
    print(_so_far(tally))
    for fault in tally.faults:
        print(fault)
    return 1 if tally.faults else 0


def _so_far(tally: Tally) -> str:
    return (
        f"{tally.kills} kills in {tally.campaigns} campaigns "
        f"({time.perf_counter() - tally.begun_s:.0f} s)"
        f": {tally.early} before there was a store, {tally.in_flight} kept just the cycles "
        f"that had been told of as done, the others one more; {tally.kept} cycles kept, "
        f"{len(tally.faults)} faults"
    )


def _campaign(store: Path, strikes: random.Random, instants: int, tally: Tally) -> None:
    """Begin a campaign and see it to its end, with a kill now and then."""
    kept = 0
    tally.campaigns += 1
    while tally.kills < instants:
        told, ended = _strike(store, _drawn(strikes))
        if ended is not None:
            break
        tally.kills += 1
        if tally.kills % 100 == 0:
            print(_so_far(tally), file=sys.stderr, flush=True)
        if not store.exists():
            tally.early += 1
            _nothing_to_resume(store, tally)
            continue
        now = _looked_at(store, tally)
        done = max(told, default=kept)
        if now < done or now < kept:
            tally.faults += (f"{store.name}: {done} cycles were told of, {now} are kept",)
        if now > done + 1:
            tally.faults += (f"{store.name}: {now} cycles are kept, {done} were told of",)
        tally.in_flight += now == done
        kept = now
    else:
        _, ended = _strike(store, None)
    assert ended is not None
    if ended.status not in (0, 1):
        tally.faults += (f"{store.name}: ended with {ended.status}: {ended.told[-300:]}",)
    else:
        _finished(store, ended.answer, tally)


@dataclass(frozen=True)
class Ended:
    """A run that came to its own end: exit status, standard output and standard error."""

    status: int
    answer: str
    told: str


@dataclass(frozen=True)
class Instant:
    """When to strike: so long after the process began, or after its campaign did.

    Attributes:
        own: the process is a program of its own, which loads everything.
    """

    of_campaign: bool
    after_s: float
    own: bool


def _drawn(strikes: random.Random) -> Instant:
    """One in five strikes anywhere from the start; half of the others soon after it began."""
    own = not hasattr(os, "fork") or strikes.random() < 0.1
    if strikes.random() < 0.2:
        return Instant(False, strikes.uniform(0, _LONGEST_S), own)
    longest_s = strikes.choice((_LONGEST_S / 10, _LONGEST_S))
    return Instant(True, strikes.uniform(0, longest_s), own)


def _strike(store: Path, instant: Instant | None) -> tuple[list[int], Ended | None]:
    """Run or resume; return the cycles told of, and how it ended; None where it was killed."""
    what = ["--resume", str(store)] if store.exists() else _fresh(store)
    with tempfile.TemporaryDirectory() as folder:
        answer, told = Path(folder) / "answer", Path(folder) / "told"
        with answer.open("wb") as out, told.open("wb") as err:
            words = ["run", *what, "--progress", "json", "--json"]
            process = _begun(words, out.fileno(), err.fileno(), own=instant is None or instant.own)
            killed = instant is not None and _killed(process, told, instant)
            status = process.wait()
        text = told.read_text(encoding="utf-8")
        if killed:
            return list(_told(text)), None
        return list(_told(text)), Ended(status, answer.read_text("utf-8"), text)


class _Forked:
    """A process forked from this one, asked as `subprocess.Popen` is."""

    def __init__(self, words: list[str], out: int, err: int) -> None:
        fork = multiprocessing.get_context("fork")
        self._process = fork.Process(target=_run, args=(words, out, err))
        self._process.start()

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("run", timeout or 0)
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()


def _run(words: list[str], out: int, err: int) -> None:
    os.dup2(out, 1)
    os.dup2(err, 2)
    sys.exit(main_of_program(words))


def _begun(
    words: list[str], out: int, err: int, *, own: bool
) -> "subprocess.Popen[bytes] | _Forked":
    if own:
        command = [sys.executable, "-m", "resume_rig", *words]
        return subprocess.Popen(command, stdout=out, stderr=err)
    return _Forked(words, out, err)


def _killed(process: "subprocess.Popen[bytes] | _Forked", told: Path, instant: "Instant") -> bool:
    """Kill a process at an instant, where it still runs; return whether it did."""
    while instant.of_campaign and process.poll() is None and _BEGAN not in told.read_bytes():
        time.sleep(0.001)
    try:
        process.wait(instant.after_s)
    except subprocess.TimeoutExpired:
        process.kill()
        return True
    return False


def _nothing_to_resume(store: Path, tally: Tally) -> None:
    """See that `--resume` says in one sentence that there is nothing to go on with."""
    run = subprocess.run(
        [sys.executable, "-m", "resume_rig", "run", "--resume", str(store)],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode != 2 or run.stdout or run.stderr.count("\n") != 1:
        tally.faults += (f"{store.name}: {run.returncode} from --resume: {run.stderr[-300:]}",)


def _fresh(store: Path) -> list[str]:
    return ["--rig", _URL, "--cycles", str(_CYCLES), "--out", str(store)]


def _told(out: str) -> Iterator[int]:
    for line in out.splitlines():
        if line.endswith("}") and _DONE in line:
            yield int(json.loads(line)["cycle"])


def _looked_at(store: Path, tally: Tally) -> int:
    """Return how many cycles are kept; they are numbered without gaps, and the file is whole."""
    connection = sqlite3.connect(store)
    (integrity,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    with Store.open(store) as opened:
        numbers = [raw.number for raw in opened.cycles()]
    if integrity != "ok" or numbers != list(range(1, len(numbers) + 1)):
        tally.faults += (f"{store.name}: integrity {integrity}, cycles {numbers}",)
    return len(numbers)


def _finished(store: Path, told: str, tally: Tally) -> None:
    """Hold the final statistics against the cycles that are recorded."""
    document = json.loads(told)
    again = subprocess.run(
        [sys.executable, "-m", "resume_rig", "correlate", str(store), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    computed = json.loads(again.stdout)
    if any(document[name] != computed[name] for name in _FINAL):
        tally.faults += (f"{store.name}: the run's answer is not that of its store",)
    if document["campaign"]["outcomes"] != _counted(store):
        tally.faults += (f"{store.name}: the run told {document['campaign']['outcomes']}",)
    stored = load_campaign(store)
    answer, outcomes = assess(stored), facts_of(stored).outcomes
    if len(answer.cycles) != sum(outcomes.values()) or outcomes != _counted(store):
        tally.faults += (f"{store.name}: statistics of {outcomes} do not fit the store",)
    done = sum(outcomes.values()) - outcomes.get("interrupted", 0)
    if done != _CYCLES:
        tally.faults += (f"{store.name}: {done} cycles of {_CYCLES} were done",)
    tally.kept += len(answer.cycles)


def _counted(store: Path) -> dict[str, int]:
    connection = sqlite3.connect(store)
    rows = connection.execute("SELECT outcome, count(*) FROM cycle GROUP BY outcome").fetchall()
    connection.close()
    return dict(rows)


if __name__ == "__main__":
    sys.exit(main())
