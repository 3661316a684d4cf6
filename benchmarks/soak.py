"""Simulated cycles with mixed faults on the virtual clock, held against the simulator's diary.

python benchmarks/soak.py [CYCLES] [SEED] [light]

The DUT hangs in its resume, sleeps not, wakes not, wakes alone, stays dark, resets twice and
loses records; the wire loses, doubles and cuts packets. Whatever is told of a cycle that was not
so is printed. Then: speed of runner and bench together, memory, and the size of the store. Without
`light` the board has no photodiode, and the backlight's line tells of the display.
"""

import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "campaign"))

from accounting import Account, Soak


def main() -> int:
    """Run the campaign and its account, and print what they took."""
    light = "light" in sys.argv[1:]
    numbers = [int(each) for each in sys.argv[1:] if each != "light"]
    cycles, seed = (*numbers, *(1000, 1)[len(numbers) :])[:2]
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder) / "soak.rrs", cycles, seed, light=light)
        ran_s = _cpu_s(soak.run_campaign)
        ran_mb = _peak_mb()
        print(
            f"campaign: {1000 * ran_s / cycles:.1f} ms of CPU time a cycle "
            f"({cycles / ran_s:.0f} cycles/s), peak memory {ran_mb:.0f} MB",
            flush=True,
        )
        told_s = _cpu_s(soak.hold_against)
        account = soak.account
        print(_outcomes(account))
        for sentence in account.wrong:
            print(f"  {sentence}")
        print(f"answer: {1000 * told_s / cycles:.1f} ms a cycle, peak {_peak_mb():.0f} MB")
        connection = sqlite3.connect(soak.path)
        light_bytes = connection.execute("SELECT sum(length(light)) FROM cycle").fetchone()[0]
        connection.close()
        size = soak.path.stat().st_size
        print(
            f"store: {size / cycles:.0f} bytes a cycle, "
            f"{(size - light_bytes) / cycles:.0f} without light"
        )
    return 1 if account.wrong else 0


def _outcomes(account: Account) -> str:
    counts = ", ".join(f"{count} {outcome.value}" for outcome, count in account.outcomes.items())
    return (
        f"{account.cycles} cycles: {counts}; {account.damaged} damaged packets, "
        f"{account.operator} times the button was held; {len(account.wrong)} told wrong"
    )


def _cpu_s(job: Callable[[], object]) -> float:
    begun = time.process_time()
    job()
    return time.process_time() - begun


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main())
