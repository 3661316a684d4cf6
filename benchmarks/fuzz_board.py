"""A board that lies: its replies are well-formed, and what they say is changed at random.

    python benchmarks/fuzz_board.py [CAMPAIGNS] [SEED] [FOLDER]

Campaigns of 3 cycles on the simulated bench, whose replies are decoded, changed in one to three
places and encoded again: now and then, often, or one command's always. Whatever the board says, the
program ends within 30 s with an answer or a sentence, and what it wrote is a store that opens.
What is neither is a fault; its store is kept in FOLDER (the present one by default).
"""

import collections
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests"))

from campaign.lying_board import lying

from resume_rig.campaign.store.salvage import check_store
from resume_rig.cli.main import main as command
from resume_rig.model.errors import ResumeRigError

_SECONDS = 30
_MEMORY_BYTES = 1_500_000_000
_STATUSES = (0, 1, 2, 3, 4)


class _TooLong(BaseException):
    pass


def _strike(*_: object) -> None:
    raise _TooLong


def main() -> int:
    """Run so many campaigns against liars, and print what came of them."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    kept = Path(sys.argv[3] if len(sys.argv) > 3 else ".").resolve()
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY_BYTES, _MEMORY_BYTES))
    signal.signal(signal.SIGALRM, _strike)
    came: collections.Counter[str] = collections.Counter()
    faults: dict[str, str] = {}
    begun, lies = time.perf_counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(campaigns):
            store = Path(folder) / f"{number}.rrs"
            words = ["run", "--rig", f"sim:clock=virtual,seed={number}", "--cycles", "3"]
            with lying(random.Random(f"{seed}-{number}")) as liar:
                fault = _asked([*words, "--out", str(store)], store, came)
            lies += liar.lies
            if fault is not None and fault not in faults:
                faults[fault] = f"liar {number}"
                print(f"{faults[fault]}: {fault}", flush=True)
                if store.exists():
                    shutil.copyfile(store, kept / f"liar-{number}.rrs")
            for left in Path(folder).iterdir():
                left.unlink()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told = ", ".join(f"{kind}: {count}" for kind, count in sorted(came.items()))
    print(
        f"{campaigns} campaigns, {lies} lies in {time.perf_counter() - begun:.0f} s, {peak} MB at "
        f"most; {told}; {len(faults)} kinds of fault"
    )
    return 1 if faults else 0


def _asked(words: list[str], store: Path, came: "collections.Counter[str]") -> str | None:
    """Return what is wrong with how a campaign ended."""
    said, wrong = StringIO(), StringIO()
    signal.alarm(_SECONDS)
    try:
        with redirect_stdout(said), redirect_stderr(wrong):
            status = command([*words, "--progress", "quiet"])
        came[f"status {status}"] += 1
        if status not in _STATUSES or "\x1b" in said.getvalue() + wrong.getvalue():
            return f"status {status}: {wrong.getvalue()[-300:]}"
        if store.exists() and (problems := check_store(store).problems):
            return f"the store: {problems[0]:.200}"
    except ResumeRigError as error:
        return f"the store: {error!s:.200}"
    except (Exception, _TooLong) as error:
        last = traceback.extract_tb(error.__traceback__)[-4:]
        where = " ".join(f"{Path(each.filename).name}:{each.lineno}" for each in last)
        return f"{type(error).__name__}: {error!s:.120} ({where})"
    finally:
        signal.alarm(0)
    return None


if __name__ == "__main__":
    sys.exit(main())
