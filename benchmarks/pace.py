"""How fast a campaign of simulated cycles runs on the virtual clock, and what takes how long.

python benchmarks/pace.py [CYCLES] [STORE ...]

One process, one core: a healthy DUT without and with light, and mixed faults without light. CPU
time, as other work on the machine changes wall time. The stages are timed in a campaign of its own,
because timing takes time, too; each has what it does itself, without the stages that it calls.
For each STORE: what the tool itself added to each of its cycles, its commit included, beside the
DUT's own time, the dwell and the settle time.
"""

import os
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "campaign"))

from accounting import REQUIREMENT, Soak

from resume_rig.campaign.dut.log_source import LogFeed, ServedLog
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.run import runner
from resume_rig.campaign.run.campaign import CampaignParts, begin
from resume_rig.campaign.store.identity import identify
from resume_rig.campaign.store.raw import CommandName, CycleRaw
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Channel
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.rig_url import RigUrl
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.link.open import open_rig
from resume_rig.rig.sim.board import SimulatedBoard
from resume_rig.rig.sim.dut.machine import SimulatedDut
from resume_rig.rig.sim.dut.os_log import OsLog
from resume_rig.rig.smp.client import SmpClient
from resume_rig.timing.relation import ExchangeSelection

SIGNS = (Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST, Channel.BACKLIGHT)
PWRTEST_AN_HOUR = 24  # its defaults: 90 s awake, 60 s asleep
STAGES: tuple[tuple[str, Any, str], ...] = (
    ("requests: client, SMP, CBOR, virtual port", SmpClient, "request"),
    ("the board's core, over cffi", SimulatedBoard, "request"),
    ("the simulated DUT", SimulatedDut, "advance"),
    ("its OS log, written", OsLog, "take"),
    ("the photodiode, simulated", SimulatedBoard, "sample_light"),
    ("the OS log, read", LogFeed, "read"),
    ("which exchanges are kept", ExchangeSelection, "kept"),
    ("what became of the cycle", runner, "outside_cycle"),
    ("the store: packing", Store, "commit_cycle"),
    ("the store: SQLite and the disk", Store, "_write"),
)
REST = "states, waits, everything else"
_Job = Callable[[Path], None]


class Stages:
    """CPU time by stage, in ns, each without the stages that it calls."""

    def __init__(self) -> None:
        self.spent_ns: Counter[str] = Counter()
        self._current = REST
        self._since_ns = time.process_time_ns()

    def switch(self, stage: str) -> str:
        """Go to a stage; return the one before."""
        now_ns = time.process_time_ns()
        before = self._current
        self.spent_ns[before] += now_ns - self._since_ns
        self._current, self._since_ns = stage, now_ns
        return before

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Time the stages until the end."""
        kept = [(owner, name, getattr(owner, name)) for _, owner, name in STAGES]
        for stage, owner, name in STAGES:
            setattr(owner, name, self._timed(stage, getattr(owner, name)))
        self.switch(REST)
        try:
            yield
        finally:
            self.switch(REST)
            for owner, name, function in kept:
                setattr(owner, name, function)

    def _timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **named: Any) -> Any:
            before = self.switch(stage)
            try:
                return function(*args, **named)
            finally:
                self.switch(before)

        return timed


def main() -> int:
    """Print the tables."""
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    jobs: tuple[tuple[str, _Job], ...] = (
        ("healthy DUT, no light", lambda path: healthy(path, cycles, "light=none,")),
        ("healthy DUT, light", lambda path: healthy(path, cycles, "")),
        ("mixed faults, no light", lambda path: mixed(path, cycles)),
    )
    for name, job in jobs:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pace.rrs"
            begun_ns = time.process_time_ns()
            job(path)
            each_us = (time.process_time_ns() - begun_ns) / cycles / 1000
            size = path.stat().st_size / cycles
            print(f"{name}: {1e6 / each_us:.0f} cycles/s ({each_us:.0f} us each), {size:.0f} bytes")
            print_tables(path, cycles)
    stages = Stages()
    with tempfile.TemporaryDirectory() as folder, stages.watched():
        healthy(Path(folder) / "pace.rrs", cycles, "light=none,")
    for stage in [*(stage for stage, _, _ in STAGES), REST]:
        print(f"  {stages.spent_ns[stage] / cycles / 1000:7.0f} us  {stage}")
    print_commits(cycles)
    for store in sys.argv[2:]:
        print_overheads(Path(store))
    return 0


def healthy(path: Path, cycles: int, options: str) -> None:
    """Run a campaign in which nothing goes wrong."""
    opened = open_rig(RigUrl(f"sim:{options}clock=virtual,seed=1"))
    assert opened.dut_log is not None
    dut = load_dut_profile("healthy-laptop")
    identity = identify(
        rig_url="sim:",
        rig=opened.rig.info(),
        dut=dut,
        requirement=REQUIREMENT,
        created_utc_ns=2,
    )
    plan = override(default_plan(), cycles=cycles)
    log = ServedLog(opened.dut_log)
    begin(path, plan, identity, CampaignParts(opened.rig, opened.clock, log))


def mixed(path: Path, cycles: int) -> None:
    """Run a campaign of the soak."""
    Soak(path, cycles, 1, light=False).run_campaign()


def print_tables(path: Path, cycles: int) -> None:
    """Print what each table of a store takes in its file, in bytes a cycle."""
    connection = sqlite3.connect(path)
    try:
        rows = connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall()
    except sqlite3.OperationalError:
        return  # an SQLite without dbstat
    finally:
        connection.close()
    told = ", ".join(f"{name} {size / cycles:.0f}" for name, size in rows if size > 5 * cycles)
    print(f"  bytes a cycle by table: {told}")


def print_commits(cycles: int) -> None:
    """Print what a commit of 1 KB takes in wall time, beside the same without the disk."""
    for folder in (tempfile.gettempdir(), "/dev/shm"):
        if not Path(folder).is_dir():
            continue
        with tempfile.TemporaryDirectory(dir=folder) as inside:
            connection = sqlite3.connect(Path(inside) / "x.db", isolation_level=None)
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "wal_autocheckpoint=1"):
                connection.execute(f"PRAGMA {pragma}")
            connection.execute("CREATE TABLE t (b BLOB)")
            begun_ns = time.perf_counter_ns()
            for _ in range(cycles):
                connection.execute("INSERT INTO t VALUES (?)", (os.urandom(1000),))
            each_us = (time.perf_counter_ns() - begun_ns) / cycles / 1000
            connection.close()
        print(f"  {each_us:7.0f} us of wall time: a commit of 1 KB in {folder}")


def print_overheads(path: Path) -> None:
    """Print what the tool added to the cycles of a store, and how many there are in an hour."""
    with Store.open(path) as store:
        plan = store.plan
        raws = list(store.cycles(with_light=False, with_records=False))
    # The commit of a cycle, and what else stands before the next one, is the tool's own, too.
    behind_ns = [later.started_host_ns - raw.ended_host_ns for raw, later in pairwise(raws)]
    added = sorted(
        overhead_ns(raw, plan.dwell_ns + plan.settle_ns) + gap_ns
        for raw, gap_ns in zip(raws, [*behind_ns, 0], strict=True)
        if raw.outcome is Outcome.SLEPT_AND_WOKE
    )
    if not added:
        return
    p99 = added[min(len(added) - 1, len(added) * 99 // 100)]
    lasted_ns = (raws[-1].ended_host_ns - raws[0].started_host_ns) / len(raws)
    an_hour = 3600e9 / lasted_ns
    print(
        f"{path.name}: added to a cycle {added[len(added) // 2] / 1e6:.1f} ms median, "
        f"{p99 / 1e6:.1f} ms p99 of {len(added)}; {an_hour:.0f} cycles an hour, "
        f"{an_hour / PWRTEST_AN_HOUR:.1f} times PwrTest's default"
    )


def overhead_ns(raw: CycleRaw, waits_ns: int) -> int:
    """Return how long a cycle took beyond the DUT's own time and the waits of its plan."""
    sleep, wake = (c for c in raw.commands if c.name is CommandName.PRESS)
    asleep_ns = next(e.t_ns for e in raw.edges if e.channel is Channel.SLP_S3 and not e.level)
    assert sleep.start_ns is not None
    assert wake.start_ns is not None
    awake_ns = max(e.t_ns for e in raw.edges if e.channel in SIGNS and e.level)
    own_ns = (asleep_ns - sleep.start_ns) + (awake_ns - wake.start_ns)
    return raw.ended_host_ns - raw.started_host_ns - own_ns - waits_ns


if __name__ == "__main__":
    sys.exit(main())
