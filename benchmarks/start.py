"""Times `resume-rig --version` beside a bare interpreter, as whole processes, in turn.

python benchmarks/start.py [RUNS]
"""

import statistics
import subprocess
import sys
import time


def seconds(*words: str) -> float:
    """Return how long one process takes."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    return time.perf_counter() - begun


def main() -> None:
    """Print both medians and what the program adds."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    program = "import sys; from resume_rig.cli.main import main; sys.exit(main(['--version']))"
    pairs = [(seconds("-c", "pass"), seconds("-c", program)) for _ in range(runs)]
    bare, ours = (statistics.median(times) * 1000 for times in zip(*pairs, strict=True))
    print(f"bare interpreter {bare:.1f} ms, resume-rig --version {ours:.1f} ms")
    print(f"the start adds {ours - bare:.1f} ms, median of {runs} pairs")


if __name__ == "__main__":
    main()
