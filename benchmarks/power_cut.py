"""Cuts the power at every write of a campaign, and looks at what is left of its store.

    python benchmarks/power_cut.py [CYCLES] [VARIANTS] [SEED]

What a disk may hold then is in host/tests/campaign/power_cuts.py: unsynced writes dropped, kept in
part, in another order, torn. Whatever it is, every cycle that a user was told of is there and reads
as it was written, and the campaign could go on. Needs strace.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests"))

from campaign.power_cuts import STRACE, cuts, lay, record, replay

from resume_rig.campaign.store.store import Store
from resume_rig.model.errors import RecordError


def main() -> int:
    """Run a campaign, cut it everywhere, and print what was left."""
    given = [int(word) for word in sys.argv[1:]]
    cycles, variants, seed = (*given, *(8, 6, 1)[len(given) :])
    if STRACE is None:
        print("needs strace, and it is not there; install it (Debian, Ubuntu: apt install strace)")
        return 2
    chance = random.Random(seed)
    begun, calls, states, none, faults = time.perf_counter(), 0, 0, 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        lines = record(folder, cycles)
        with Store.open(folder / "s.rrs") as store:
            written = {raw.number: raw for raw in store.cycles()}
        for disk in replay(lines, folder):
            calls += 1
            for files in cuts(disk, chance, variants):
                states += 1
                with tempfile.TemporaryDirectory(dir=folder) as inner:
                    path = lay(files, Path(inner))
                    if not path.exists():
                        none += 1
                        if disk.began:
                            faults.append(f"call {calls}: the store is gone, the campaign began")
                        continue
                    try:
                        with Store.resume(path) as store:
                            found = {raw.number: raw for raw in store.cycles()}
                    except RecordError as error:
                        faults.append(f"call {calls}: {error}")
                        continue
                if max(found, default=0) < disk.told:
                    faults.append(f"call {calls}: {disk.told} cycles told, {len(found)} kept")
                if any(raw != written[number] for number, raw in found.items()):
                    faults.append(f"call {calls}: a cycle reads otherwise than it was written")
    print(
        f"{cycles} cycles: {calls} writes, syncs and names, {states} states of the disk after a "
        f"cut, {none} before there was a store; {len(faults)} faults "
        f"({time.perf_counter() - begun:.0f} s)"
    )
    for fault in faults[:20]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
