"""The whole answer of a store of many cycles: CPU time a cycle, and memory.

python benchmarks/big_store.py [CYCLES]

A short campaign is simulated and told again and again, each time later on all clocks; light is
left out, as the board told the onsets.
"""

import dataclasses
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TypeVar

from resume_rig.campaign.store.raw import CycleRaw
from resume_rig.campaign.store.store import Store
from resume_rig.model.light import LightOnset
from resume_rig.model.os_record import OsRecord

_SIMULATED = 200
_URL = "sim:clock=virtual,seed=1"
_PAUSE_NS = 10_000_000_000
_ONSET_TIMES = ("first_ns", "half_ns", "ninety_ns")
_RECORD_TIMES = ("sleep_time_utc_ns", "wake_time_utc_ns", "written_utc_ns")
_Fact = TypeVar("_Fact", LightOnset, OsRecord)


def main() -> int:
    """Make the store, ask `resume-rig correlate` for its answer, and print what it took."""
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        short, long = Path(folder) / "short.rrs", Path(folder) / "long.rrs"
        told = (*("--rig", _URL), *("--cycles", str(min(cycles, _SIMULATED))), "--out", str(short))
        subprocess.run(_verb("run", *told), check=True, capture_output=True)
        lengthen(short, long, cycles)
        page = Path(folder) / "long.html"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            _verb("correlate", str(long), "--json", "--report", str(page)),
            stdout=subprocess.DEVNULL,
            check=False,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(
            f"{cycles} cycles: {cpu_s:.1f} s of CPU time ({1000 * cpu_s / cycles:.2f} ms each), "
            f"peak memory {after.ru_maxrss / 1024:.0f} MB (the greatest of all steps), "
            f"store {long.stat().st_size / cycles:.0f} bytes a cycle, "
            f"report {page.stat().st_size / 1e6:.2f} MB"
        )
        return done.returncode


def lengthen(short: Path, long: Path, cycles: int) -> None:
    """Write a store of so many cycles from those of a shorter one."""
    with Store.open(short) as source:
        told = list(source.cycles(with_light=False))
        span_ns = told[-1].ended_host_ns - told[0].started_host_ns + _PAUSE_NS
        ids = 1 + max(record.record_id or 0 for raw in told for record in raw.records)
        with Store.create(long, source.identity, source.plan) as store:
            for session in source.sessions():
                store.begin_session(session)
            for place in range(cycles):
                again, at = divmod(place, len(told))
                store.commit_cycle(_later(told[at], place + 1, again * span_ns, again * ids))


def _later(raw: CycleRaw, number: int, by_ns: int, ids: int) -> CycleRaw:
    """Return a cycle as if it had been later by `by_ns`, on every clock."""
    return dataclasses.replace(
        raw,
        number=number,
        started_host_ns=raw.started_host_ns + by_ns,
        ended_host_ns=raw.ended_host_ns + by_ns,
        edges=tuple(edge._replace(t_ns=edge.t_ns + by_ns) for edge in raw.edges),
        exchanges=tuple(
            each._replace(
                host_tx_ns=each.host_tx_ns + by_ns,
                board_rx_ns=each.board_rx_ns + by_ns,
                board_tx_ns=each.board_tx_ns + by_ns,
                host_rx_ns=each.host_rx_ns + by_ns,
            )
            for each in raw.exchanges
        ),
        commands=tuple(
            dataclasses.replace(
                command,
                host_ns=command.host_ns + by_ns,
                start_ns=None if command.start_ns is None else command.start_ns + by_ns,
                end_ns=None if command.end_ns is None else command.end_ns + by_ns,
            )
            for command in raw.commands
        ),
        onset=None if raw.onset is None else _shifted(raw.onset, _ONSET_TIMES, by_ns),
        records=tuple(
            dataclasses.replace(
                _shifted(record, _RECORD_TIMES, by_ns),
                record_id=None if record.record_id is None else record.record_id + ids,
            )
            for record in raw.records
        ),
    )


def _shifted(fact: _Fact, names: tuple[str, ...], by_ns: int) -> _Fact:
    """Return a fact with some of its times later; a time that it has not stays absent."""
    times = {name: getattr(fact, name) for name in names}
    later = {name: at_ns + by_ns for name, at_ns in times.items() if at_ns is not None}
    return dataclasses.replace(fact, **later)


def _verb(*told: str) -> list[str]:
    return [sys.executable, "-m", "resume_rig", *told]


if __name__ == "__main__":
    sys.exit(main())
