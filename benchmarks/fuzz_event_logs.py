"""Reads damaged event logs: no crash, no hang, no number that nobody wrote.

    python benchmarks/fuzz_event_logs.py [COUNT] [SEED]

Event XML comes from fixtures/logs; EVTX from real logs, where RESUME_RIG_SHARED_DATA names a
folder with them (or ../shared/data is one). A refusal in one sentence is an answer. Anything else
that is wrong ends the run, with the damaged log kept as ./damaged-log.
"""

import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("RESUME_RIG_SHARED_DATA", ROOT.parent / "shared" / "data"))
EVTX_SAMPLE = "eventlog/win10-15063-desktop-s1.evtx"
SLOW_S = 5.0
BATCH = 100
ENDLESS_MB = 2048


def answers(name: str, count: int, seed: int) -> bool:
    """Read `count` damaged logs of one form; print what came of it and return whether all is well.

    Args:
        name: "XML", "EVTX", or "EVTX, sealed" for damage that the checksums cover.
        count: how many logs.
        seed: of the damage.
    """
    from evtx_reference import full_parse
    from reading_oracle import ReadingOracle, numbers_of

    from resume_rig.oslog.reading import read_logs

    found: Counter[str] = Counter()
    slowest_s, begun_s = 0.0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "damaged"
        oracle = ReadingOracle(_paths(name))
        for content in _damaged(name, count, seed):
            path.write_bytes(content)
            start_s = time.monotonic()
            try:
                if name == "EVTX, sealed":
                    reading = read_logs([path])
                    slowest_s = max(slowest_s, time.monotonic() - start_s)
                    rendered, records = full_parse(path)
                    if rendered != reading.sources[0].records:
                        read = {numbers_of(record) for record in reading.records}
                        if not read.issuperset(numbers_of(record) for record in records):
                            raise AssertionError("the full parser tells a record more")
                        found["records that cannot be rendered"] += 1
                    elif list(reading.records) != records:
                        raise AssertionError("the full parser tells other records")
                    else:
                        found["equal"] += 1
                else:
                    found[oracle.answer(path)] += 1
                    slowest_s = max(slowest_s, time.monotonic() - start_s)
            except BaseException:
                Path("damaged-log").write_bytes(content)
                print(f"{name}, seed {seed}: the log that did it is kept as ./damaged-log")
                raise
    told = ", ".join(f"{number} {answer}" for answer, number in sorted(found.items()))
    spent_s = time.monotonic() - begun_s
    print(f"{name}: {count} damaged logs in {spent_s:.0f} s: {told}; slowest {slowest_s:.2f} s")
    return slowest_s < SLOW_S


def _paths(name: str) -> list[Path]:
    return (
        sorted((ROOT / "fixtures/logs").glob("*.xml")) if name == "XML" else [SHARED / EVTX_SAMPLE]
    )


def _damaged(name: str, count: int, seed: int) -> Iterator[bytes]:
    from evtx_reference import CHUNK, HEADER, sealed_damage
    from reading_oracle import EVTX_DAMAGE, XML_DAMAGE, damaged

    samples = [path.read_bytes() for path in _paths(name)]
    if name == "XML":
        yield from damaged(seed, samples, count, XML_DAMAGE)
        return
    samples = [sample[: HEADER + 7 * CHUNK] for sample in samples]  # both accounts
    if name == "EVTX":
        yield from damaged(seed, samples, count, EVTX_DAMAGE)
        return
    rng = random.Random(seed)
    for _ in range(count):
        yield sealed_damage(rng, samples[0])


def read_endless_line() -> None:
    """Feed Event XML whose one line has 2 GB; print the time and the most text that was held."""
    from resume_rig.oslog.event.xml_export import EventXmlStream
    from resume_rig.oslog.source.problems import ProblemTally

    stream = EventXmlStream("log", ProblemTally(), keep_text=False)
    block, held, begun_s = b"<Event>" + b"x" * (1 << 20), 0, time.monotonic()
    for _ in range(ENDLESS_MB):
        list(stream.feed(block))
        held = max(held, stream.held_chars)
    spent_s = time.monotonic() - begun_s
    print(f"one line of {ENDLESS_MB} MB: {spent_s:.0f} s, {held / 1e6:.1f} MB of text held at most")


def main() -> int:
    """Run every form; 1 where one was too slow."""
    sys.path.insert(0, str(ROOT / "host" / "tests" / "oslog"))
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    well = answers("XML", count // 2, seed)
    if (SHARED / EVTX_SAMPLE).is_file():
        well &= answers("EVTX", count * 4 // 10, seed)
        well &= answers("EVTX, sealed", count - count // 2 - count * 4 // 10, seed)
    else:
        print(f"EVTX: skipped, no real log at {SHARED / EVTX_SAMPLE}")
    read_endless_line()
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {memory_mb:.0f} MB")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
