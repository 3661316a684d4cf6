"""A thousand simulated cycles on the virtual clock: speed, size of the store, memory, matching.

python benchmarks/soak.py [CYCLES]
"""

import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> int:
    """Run `resume-rig run` as a user does, and print what it took."""
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "soak.rrs"
        begun = time.perf_counter()
        done = subprocess.run(
            [
                *(sys.executable, "-m", "resume_rig", "run", "--rig", "sim:clock=virtual,seed=1"),
                *("--cycles", str(cycles), "--out", str(store)),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - begun
        memory_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(done.stdout.splitlines()[-1] if done.stdout else done.stderr)
        with sqlite3.connect(store) as connection:
            light = connection.execute("SELECT sum(length(light)) FROM cycle").fetchone()[0]
        connection.close()
        size = store.stat().st_size
        print(
            f"{cycles} cycles in {seconds:.1f} s ({1000 * seconds / cycles:.1f} ms each), "
            f"peak memory {memory_mb:.0f} MB"
        )
        print(
            f"store: {size / cycles:.0f} bytes a cycle, {(size - light) / cycles:.0f} without light"
        )
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())
