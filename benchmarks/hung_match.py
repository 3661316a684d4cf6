"""Whose records campaigns of a DUT that hangs in its resumes get, and the truth beside it.

python benchmarks/hung_match.py [CAMPAIGNS [CYCLES]]

Each campaign runs on the simulated bench, virtual clock, with a DUT that hangs in one resume of
five and is brought back by the ladder. Its log is read once while it runs, and once only
afterwards. The truth is told by time: the first cycle of a campaign is sound, and its log begins
with that cycle, so the two say how the clocks stand; where the first cycle hangs it is left out.
"""

import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.store.read_back import TimedCampaign, load_campaign, timed_campaign
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.match import Confidence

S = 1_000_000_000
NEAR_NS = 3 * S
PROFILE = """\
base = "healthy-laptop"
title = "Laptop that hangs in one resume of five"
[behaviour]
hang_share = 0.2
"""


def run(folder: Path, seed: int, cycles: int) -> Path:
    """Return the store of a campaign."""
    profile, store = folder / "hangs.toml", folder / f"{seed}.rrs"
    profile.write_text(PROFILE, "utf-8")
    rig = ["--rig", f"sim:clock=virtual,seed={seed}", "--dut", str(profile)]
    files = ["--out", str(store), "--report", str(folder / f"{seed}.html")]
    command = [sys.executable, "-m", "resume_rig", "run", *rig, "--cycles", str(cycles), *files]
    subprocess.run([*command, "--progress", "quiet"], capture_output=True, check=False)
    return store


def came_back_ns(record: OsRecord) -> int:
    """Return when the OS read its RTC in a wake, OS clock."""
    return (record.wake_time_utc_ns or 0) - (record.wake_ms or 0) * 1_000_000


def unread(timed: TimedCampaign) -> TimedCampaign:
    """Return a campaign whose log was read only afterwards."""
    return replace(timed, cycles=[replace(cycle, records=()) for cycle in timed.cycles])


def counted(store: Path) -> dict[str, Counter[str]] | None:
    """Return what became of the records, by when the log was read; None without a first cycle."""
    stored = load_campaign(store)
    timed, records = timed_campaign(stored), stored.reading.records
    first = next(iter(timed.cycles), None)
    sound = first is not None and first.outside.outcome is Outcome.SLEPT_AND_WOKE
    if first is None or first.wake_utc is None or not sound or not records:
        return None
    offset_ns = came_back_ns(records[0]) - first.wake_utc.value_ns
    told: dict[str, Counter[str]] = {}
    for when, given in (("meanwhile", timed), ("afterwards", unread(timed))):
        count = told.setdefault(when, Counter())
        for cycle, seen in zip(assess(stored, timed=given).cycles, timed.cycles, strict=True):
            sound = cycle.outcome is Outcome.SLEPT_AND_WOKE
            count["sound" if sound else "hung"] += 1
            certain = cycle.certainty is not None and cycle.certainty.level is Confidence.HIGH
            if cycle.record is None or not certain or seen.wake_utc is None:
                count["without"] += sound
                continue
            apart_ns = came_back_ns(cycle.record) - seen.wake_utc.value_ns - offset_ns
            count["right" if abs(apart_ns) < NEAR_NS else "wrong"] += 1
    return told


def main() -> None:
    """Run what was asked for and print the table."""
    campaigns, cycles = (*map(int, sys.argv[1:3]), *(20, 12)[len(sys.argv) - 1 :])
    whole: dict[str, Counter[str]] = {}
    played = seed = 0
    with tempfile.TemporaryDirectory() as folder:
        while played < campaigns:
            seed += 1
            told = counted(run(Path(folder), seed, cycles))
            if told is None:
                continue
            played += 1
            for when, count in told.items():
                whole.setdefault(when, Counter()).update(count)
    print(f"{campaigns} campaigns of {cycles} cycles at most; certain pairs:")
    print(f"{'log read':>12} {'sound':>6} {'right':>6} {'without':>8} {'hung':>6} {'wrong':>6}")
    for when, count in whole.items():
        names = ("sound", "right", "without", "hung", "wrong")
        print(f"{when:>12}" + "".join(f" {count[n]:{max(len(n), 6)}}" for n in names).rstrip())


if __name__ == "__main__":
    main()
