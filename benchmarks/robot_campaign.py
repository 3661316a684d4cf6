"""A long campaign in one Robot Framework test: size of output.xml, and memory while it runs.

python benchmarks/robot_campaign.py [CYCLES]
"""

import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

CYCLES = 10_000
OUTPUT_LIMIT_BYTES = 2_000_000
# While it runs, the campaign may need so much more memory than at its beginning.
GROWTH_LIMIT = 1.1
SUITE = """\
*** Settings ***
Library           resume_rig.robot.ResumeRig
Suite Setup       Open Rig    sim:clock=virtual,seed=7
Suite Teardown    Close Rig

*** Test Cases ***
Every Cycle Of Many
    Run Campaign    cycles={cycles}    settle=3 s    dwell=5 s
    Every Cycle Should Sleep And Wake
    Resume Time Should Be At Most    2 s
    Display Should Light Within    1500 ms
"""


def resident_bytes(pid: int) -> int:
    """Return a process's resident memory."""
    for line in Path(f"/proc/{pid}/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def watched(process: subprocess.Popen[str]) -> tuple[dict[int, int], int]:
    """Return the memory at each tenth of the campaign, and the most at any time."""
    tenths: dict[int, int] = {}
    peak, over = 0, threading.Event()

    def sample() -> None:
        nonlocal peak
        while not over.wait(0.2):
            try:
                peak = max(peak, resident_bytes(process.pid))
            except (OSError, ValueError):
                return

    sampler = threading.Thread(target=sample)
    sampler.start()
    for line in process.stdout or ():
        # The first one stands behind the name of the test.
        if told := re.search(r"(\d+) of \d+ cycles$", line.rstrip()):
            tenths[int(told[1])] = resident_bytes(process.pid)
            print(f"{told[0]}: {tenths[int(told[1])] / 1e6:.0f} MB", flush=True)
        elif "PASS" in line or "FAIL" in line:
            print(line.rstrip(), flush=True)
    process.wait()
    over.set()
    sampler.join()
    return tenths, peak


def main() -> int:
    """Run it, print the figures, and return 1 where one is over its limit."""
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else CYCLES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "many.robot").write_text(SUITE.format(cycles=cycles), "utf-8")
        words = [sys.executable, "-m", "robot", "--outputdir", name, str(folder / "many.robot")]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            tenths, peak = watched(process)
        written = (folder / "output.xml").stat().st_size
        store = sum(path.stat().st_size for path in folder.glob("*.rrs"))
    while_running = [tenths[number] for number in sorted(tenths)]
    growth = while_running[-1] / while_running[0]
    print(f"output.xml     {written / 1e3:8.0f} kB, limit {OUTPUT_LIMIT_BYTES / 1e3:.0f}")
    print(f"store          {store / 1e6:8.1f} MB")
    print(f"while it runs  {while_running[0] / 1e6:8.0f} MB at first, x {growth:.2f} at the end")
    print(f"at the most    {peak / 1e6:8.0f} MB, when all cycles are judged at once")
    good = process.returncode == 0 and written < OUTPUT_LIMIT_BYTES and growth < GROWTH_LIMIT
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
