"""A real-time campaign over a pseudo-terminal with a bad cable, held against what was injected.

python benchmarks/soak_pty.py FOLDER [HOURS] [SEED]
python benchmarks/soak_pty.py FOLDER --summary

`resume-rig sim --pty` in one process injects the faults of fixtures/faults/two-hour-soak.toml and
keeps a diary; `resume-rig run --rig serial:` in another one measures for HOURS (2). Then every
sleep of the diary has to stand in a cycle of the store or in a recovery between two of them, and
every cycle has to be told as the DUT had it. `--summary` holds what is there so far.
"""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from resume_rig.campaign.store.raw import CycleRaw
from resume_rig.campaign.store.store import Store
from resume_rig.model.channel import Channel
from resume_rig.model.result.cycle import Outcome

_NS_PER_S: Final = 1_000_000_000
_FAULTS: Final = Path(__file__).resolve().parents[1] / "fixtures" / "faults" / "two-hour-soak.toml"
_PLAN: Final = """cycles = 1000000
dwell_s = 1.5
settle_s = 1
short_dwell = true
[stop]
after_s = {after_s}
"""
# Until a fault is told of: a request that waits, and a cycle's next look at the board.
_NOTICED_WITHIN_NS: Final = 60 * _NS_PER_S
_MARGIN_NS: Final = 100_000_000
_MOST_RESUMES: Final = 100
_VOID: Final = (Outcome.INVALID, Outcome.RIG_FAULT, Outcome.INTERRUPTED)
_FINE: Final = (0, 1, 4)


def main() -> int:
    """Run, then account; or account for what is there."""
    folder = Path(sys.argv[1])
    if "--summary" not in sys.argv:
        hours = float(sys.argv[2]) if len(sys.argv) > 2 else 2.0
        seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
        folder.mkdir(parents=True)
        _soak(folder, hours, seed)
    return _summary(folder)


def _soak(folder: Path, hours: float, seed: int) -> None:
    """Keep bench and campaign going for so long; each in a process of its own."""
    plan = folder / "plan.toml"
    plan.write_text(_PLAN.format(after_s=round(hours * 3600)), encoding="utf-8")
    port = folder / "rig"
    bench = subprocess.Popen(
        [
            *_resume_rig("sim", "--pty", str(port), "--seed", str(seed)),
            *("--faults", str(_FAULTS), "--diary", str(folder / "diary.jsonl")),
        ],
        stderr=subprocess.DEVNULL,
    )
    try:
        while not port.exists():
            time.sleep(0.05)
        _campaign(folder, plan, port)
    finally:
        bench.send_signal(signal.SIGINT)
        bench.wait()


def _campaign(folder: Path, plan: Path, port: Path) -> None:
    """Run; go on where the rig was away for too often or too long."""
    store = folder / "soak.rrs"
    rig = ("--rig", f"serial:{port}", "--dut", "healthy-laptop", "--progress", "json")
    what = ["--plan", str(plan), "--out", str(store)]
    for _ in range(_MOST_RESUMES):
        status = _told(folder, _resume_rig("run", *rig, *what))
        if status in _FINE:
            return
        what = ["--resume", str(store)]


def _told(folder: Path, command: list[str]) -> int:
    """Run it; keep each of its JSON lines with the time at which it came."""
    with (folder / "progress.jsonl").open("a", encoding="utf-8") as out:
        run = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        assert run.stderr is not None
        for line in run.stderr:
            told = line.strip()
            fields = json.loads(told) if told.startswith('{"event"') else {"text": told}
            out.write(json.dumps({"utc_ns": time.time_ns(), **fields}) + "\n")
            out.flush()
        status = run.wait()
        out.write(json.dumps({"utc_ns": time.time_ns(), "status": status}) + "\n")
    return status


def _resume_rig(*words: str) -> list[str]:
    return [sys.executable, "-m", "resume_rig", *words]


def _summary(folder: Path) -> int:
    diary, told = _lines(folder / "diary.jsonl"), _lines(folder / "progress.jsonl")
    with Store.open(folder / "soak.rrs") as store:
        cycles = list(store.cycles())
        helped = {
            step.after_cycle
            for step in store.recoveries()
            if any(e.channel is Channel.SLP_S3 and not e.level for e in step.edges)
        }
    spans = [_span(raw) for raw in cycles]
    wrong = [*_gaps(cycles), *_wrong_cycles(cycles, spans, diary)]
    wrong += [*_lost(spans, cycles, diary, helped)]
    wrong += _unnoticed(diary, told, cycles, spans)
    _print_figures(cycles, spans, diary, told)
    check = subprocess.run(
        _resume_rig("store", "check", str(folder / "soak.rrs")),
        text=True,
        capture_output=True,
        check=False,
    )
    print(f"store check (status {check.returncode}): {check.stdout.strip()}")
    for sentence in wrong:
        print(f"WRONG: {sentence}")
    print(f"{len(wrong)} wrong")
    return 1 if wrong or check.returncode else 0


def _print_figures(
    cycles: list[CycleRaw],
    spans: list[tuple[int, int]],
    diary: list[dict[str, Any]],
    told: list[dict[str, Any]],
) -> None:
    outcomes = Counter(raw.outcome.value for raw in cycles)
    hours = (spans[-1][1] - spans[0][0]) / 3600e9
    print(f"{len(cycles)} cycles in {hours:.2f} h: {_counted(outcomes)}")
    print(f"the DUT: {_counted(Counter(line['dut'] for line in diary if 'dut' in line))}")
    print(f"scheduled faults: {_counted(Counter(x['fault'] for x in diary if 'fault' in x))}")
    print(f"faults of the wire: {_counted(Counter(x['wire'] for x in diary if 'wire' in x))}")
    events = Counter(line["event"] for line in told if "event" in line)
    noticed = {name: events[name] for name in ("rig-lost", "rig-back", "recovering", "recovered")}
    sums = Counter[str]()
    for line in told:
        if line.get("event") == "link":
            sums.update({name: line[name] for name in ("repeated", "stale", "damaged")})
    print(f"noticed: {_counted(Counter(noticed))}; requests and replies: {_counted(sums)}")
    print(f"ended with: {[line['status'] for line in told if 'status' in line]}")


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"


def _lines(path: Path) -> list[dict[str, Any]]:
    whole, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
    return [json.loads(line) for line in whole.splitlines()]


def _span(raw: CycleRaw) -> tuple[int, int]:
    start_ns, end_ns = raw.started_host_ns, raw.ended_host_ns
    return start_ns + raw.utc_minus_host_ns, end_ns + raw.utc_minus_host_ns


def _gaps(cycles: list[CycleRaw]) -> Iterator[str]:
    numbers = [raw.number for raw in cycles]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"the cycles are not numbered without gaps: {numbers}"


def _deeds(diary: list[dict[str, Any]], span: tuple[int, int]) -> Counter[str]:
    since_ns, until_ns = span[0] - _MARGIN_NS, span[1] + _MARGIN_NS
    return Counter(x["dut"] for x in diary if "dut" in x and since_ns <= x["utc_ns"] <= until_ns)


def _wrong_cycles(
    cycles: list[CycleRaw], spans: list[tuple[int, int]], diary: list[dict[str, Any]]
) -> Iterator[str]:
    """Say which cycles that count were told other than the DUT had them."""
    for raw, span in zip(cycles, spans, strict=True):
        deeds = _deeds(diary, span)
        slept_and_woke = (deeds["sleeps"], deeds["wakes"], deeds["resumed"]) == (1, 1, 1)
        if raw.outcome is Outcome.SLEPT_AND_WOKE and not slept_and_woke:
            yield f"cycle {raw.number} is told to be slept-and-woke; the DUT: {_counted(deeds)}"
        told = raw.outcome is Outcome.SLEPT_AND_WOKE or raw.outcome in _VOID
        if not told and slept_and_woke:
            yield f"cycle {raw.number} is told to be {raw.outcome.value}; the DUT slept and woke"
        elif not told:
            yield f"cycle {raw.number} is told to be {raw.outcome.value}; this DUT never errs"


def _lost(
    spans: list[tuple[int, int]],
    cycles: list[CycleRaw],
    diary: list[dict[str, Any]],
    helped: set[int],
) -> Iterator[str]:
    """Say which sleeps of the DUT stand in no cycle, and in no recovery behind one.

    A cycle that the rig spoilt may have lost what it saw of one; `helped` are the cycles behind
    which the store has a recovery that saw the DUT sleep.
    """
    for line in diary:
        if line.get("dut") != "sleeps" or line["utc_ns"] > spans[-1][1]:
            continue
        before = [n for n, span in enumerate(spans) if span[0] - _MARGIN_NS <= line["utc_ns"]]
        if not before:
            yield f"the DUT slept before the first cycle: {line}"
            continue
        last = before[-1]
        inside = line["utc_ns"] <= spans[last][1] + _MARGIN_NS
        if not inside and last + 1 not in helped and cycles[last].outcome not in _VOID:
            yield f"a sleep after cycle {last + 1} is in no cycle: {line}"


def _unnoticed(
    diary: list[dict[str, Any]],
    told: list[dict[str, Any]],
    cycles: list[CycleRaw],
    spans: list[tuple[int, int]],
) -> Iterator[str]:
    """Say which resets of the board and unplugged cables nobody was told of."""
    losses = [line["utc_ns"] for line in told if line.get("event") == "rig-lost"]
    void = [s for s, raw in zip(spans, cycles, strict=True) if raw.outcome in _VOID]
    for line in diary:
        t_ns = line["utc_ns"]
        if "fault" not in line or t_ns > spans[-1][1]:
            continue
        told_soon = any(t_ns <= loss <= t_ns + _NOTICED_WITHIN_NS for loss in losses)
        if not told_soon and not any(begun <= t_ns <= ended for begun, ended in void):
            yield f"nobody was told of {line}"


if __name__ == "__main__":
    sys.exit(main())
