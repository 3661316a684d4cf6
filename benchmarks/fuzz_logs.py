"""Reads damaged logs of every kind for some time: no crash, no hang, no memory without bound.

python benchmarks/fuzz_logs.py [SECONDS] [SEED] [LOG ...]

Each log given, or each in fixtures/logs, is damaged with the mutators of the tests. A refusal in
one sentence is an answer; any other exception ends the run, with the damaged log kept beside it.
"""

import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
SLOW_S = 5.0


def main() -> int:
    """Read until the time is over; print what was answered, and the slowest answer."""
    sys.path.insert(0, str(ROOT / "host" / "tests" / "oslog"))
    from mutations import mutations

    from resume_rig.analysis.answer.log import answered_log
    from resume_rig.analysis.verdict.judge import judge_log
    from resume_rig.analysis.verdict.requirement import load_requirement
    from resume_rig.model.errors import RecordError
    from resume_rig.oslog.reading import read_logs
    from resume_rig.report.log.document import log_document
    from resume_rig.report.log.terminal import log_table
    from resume_rig.report.text.terminal_style import TerminalStyle

    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    paths = [Path(name) for name in sys.argv[3:]] or sorted((ROOT / "fixtures/logs").iterdir())
    samples = [path.read_bytes() for path in paths]
    requirement = load_requirement("sysfund-0004")
    answers: Counter[str] = Counter()
    slowest_s, end = 0.0, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "damaged"
        while time.monotonic() < end:
            for data in mutations(seed, samples, 50):
                path.write_bytes(data)
                begun = time.monotonic()
                try:
                    judgement = judge_log(read_logs([path]), requirement)
                    log = answered_log(judgement)
                    for piece in (*log_document(log), *log_table(log, TerminalStyle())):
                        piece.encode()
                    answers["read"] += 1
                except RecordError:
                    answers["refused"] += 1
                except Exception:
                    Path("damaged-log").write_bytes(data)
                    print(f"seed {seed}: the log that did it is kept as ./damaged-log")
                    raise
                spent_s = time.monotonic() - begun
                if spent_s > max(slowest_s, SLOW_S):
                    Path("slow-log").write_bytes(data)
                slowest_s = max(slowest_s, spent_s)
            seed += 1
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{answers.total()} damaged logs: {answers['read']} read, {answers['refused']} refused;"
        f" slowest {slowest_s:.2f} s; peak memory {memory_mb:.0f} MB"
    )
    return 1 if slowest_s > SLOW_S else 0


if __name__ == "__main__":
    sys.exit(main())
