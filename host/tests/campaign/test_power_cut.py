"""The power goes at any write of a campaign: every cycle that was told of is there."""

import random
from pathlib import Path

import pytest

from resume_rig.campaign.store.store import Store

from .power_cuts import STRACE, cuts, lay, record, replay

pytestmark = pytest.mark.skipif(
    STRACE is None, reason="needs strace (Debian, Ubuntu: apt install strace)"
)

CYCLES = 3


@pytest.mark.slow
def test_whatever_a_disk_keeps_no_committed_cycle_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    lines, chance, states = record(folder, CYCLES), random.Random(1), 0
    with Store.open(folder / "s.rrs") as store:
        written = {raw.number: raw for raw in store.cycles()}
    assert len(written) == CYCLES

    for disk in replay(lines, folder):
        for files in cuts(disk, chance, 4):
            states += 1
            place = tmp_path / str(states)
            place.mkdir()
            path = lay(files, place)
            if not path.exists():
                assert not disk.began
                continue
            with Store.resume(path) as left:  # raises where it is not whole
                found = {raw.number: raw for raw in left.cycles()}
            assert max(found, default=0) >= disk.told
            assert all(raw == written[number] for number, raw in found.items())

    assert disk.told == CYCLES
    assert states > 400  # 155 calls, four states each
