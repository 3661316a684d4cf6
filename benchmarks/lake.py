"""Questions to a lab's judged facts: how long, how much memory, how that grows.

python benchmarks/lake.py make FOLDER CYCLES
python benchmarks/lake.py ask FOLDER [duckdb|spark]

`make` writes the judged facts of 1,000 units, a tenth of them of each of ten products, over four
builds: each campaign has CYCLES / 4,000 cycles. They are written as `lake compact` leaves them, a
file for each product and build. `ask` runs `fleet` and `trend` in processes of their own, and
prints wall time, CPU time and peak memory of each. Needs the extra lab (`make lab-test` has it).
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "host" / "tests" / "lake"))

PRODUCTS, UNITS, BUILDS = 10, 100, 4
CAMPAIGNS = PRODUCTS * UNITS * BUILDS


def main() -> int:
    """Make a lake, or ask one."""
    match sys.argv[1:]:
        case ["make", folder, cycles]:
            make(Path(folder), int(cycles) // CAMPAIGNS)
        case ["ask", folder]:
            ask(folder, "duckdb")
        case ["ask", folder, ("duckdb" | "spark") as engine]:
            ask(folder, engine)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


def make(folder: Path, cycles: int) -> None:
    """Write the lake; the third build of the first product is worse on most units."""
    import pyarrow as pa
    from deltalake import write_deltalake
    from made_facts import BEGIN_NS, DAY_NS, Made, made_facts

    from resume_rig.lake.facts import PARTITIONS, SCHEMAS
    from resume_rig.lake.tables import Lake

    began = time.perf_counter()
    lake = Lake(str(folder))
    lake._make()
    for product in range(PRODUCTS):
        for build in range(BUILDS):
            worse = product == 0 and build >= 2
            made = [
                made_facts(
                    Made(
                        product=f"Example Corp. Model {product}",
                        bios=f"1.0{build}",
                        unit=f"model {product} unit {unit}",
                        begun_ns=BEGIN_NS + build * 14 * DAY_NS + unit * DAY_NS // 20,
                        cycles=max(1, cycles),
                        seed=build,
                        resume_ms=1000 if worse and unit < 90 else 900,
                        driver_ms=215 if worse and unit < 90 else 120,
                        failing=0.0005,
                    )
                )
                for unit in range(UNITS)
            ]
            for name in SCHEMAS:
                rows = pa.concat_tables([facts.tables[name] for facts in made])
                if rows.num_rows:
                    place = f"{lake.url}/{name}"
                    write_deltalake(place, rows, mode="append", partition_by=list(PARTITIONS))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(
        f"{CAMPAIGNS} campaigns, {CAMPAIGNS * max(1, cycles):,} cycles, {size / 1e6:.0f} MB, made "
        f"in {time.perf_counter() - began:.0f} s"
    )


def ask(folder: str, engine: str) -> None:
    """Run the questions, and print what each took."""
    from deltalake import DeltaTable

    cycles = DeltaTable(f"{folder}/cycles").to_pyarrow_dataset().count_rows()
    print(f"{engine}, {cycles:,} cycles, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")
    for words in (["fleet"], ["trend"], ["trend", "--by", "week"]):
        took = asked([*words, folder, "--json", "--engine", engine])
        print(
            f"  {' '.join(words):16} {took['wall_s']:6.1f} s, {took['cpu_s']:6.1f} s of CPU, "
            f"peak {took['peak_mb']:5.0f} MB, answer {took['bytes']:,} bytes"
        )


CHILD = """
import json, resource, sys, time, io, contextlib
began = time.perf_counter()
from resume_rig.cli.main import main
said = io.StringIO()
with contextlib.redirect_stdout(said):
    status = main(sys.argv[1:])
own, below = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps({
    "wall_s": time.perf_counter() - began,
    "cpu_s": own.ru_utime + own.ru_stime + below.ru_utime + below.ru_stime,
    "peak_mb": (own.ru_maxrss + below.ru_maxrss) / 1024,
    "bytes": len(said.getvalue()),
    "status": status,
}))
"""


def asked(words: list[str]) -> dict[str, float]:
    """Return what a question took in a process of its own."""
    ended = subprocess.run(
        [sys.executable, "-c", CHILD, *words], capture_output=True, text=True, check=False
    )
    if ended.returncode != 0:
        raise SystemExit(ended.stderr)
    found: dict[str, float] = json.loads(ended.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    sys.exit(main())
