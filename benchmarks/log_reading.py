"""Reads a large Event XML log: ours beside `xml.etree`'s iterparse.

The log is made here, of our own simulated DUT's events with the usual noise of a System log
between them, in a temporary folder. Each reader runs in a process of its own, so that its peak
memory is its own.

    python benchmarks/log_reading.py [MEGABYTES]
"""

import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from xml.etree import ElementTree

NAMESPACE = "{http://schemas.microsoft.com/win/2004/08/events/event}"
NOISE_PER_CYCLE = 25


def event(record_id: int, provider: str, event_id: int, data: dict[str, object]) -> str:
    """Return one event as Windows exports it."""
    fields = "".join(f'<Data Name="{name}">{value}</Data>' for name, value in data.items())
    seconds = record_id // 10
    stamp = f"2026-{1 + seconds // 2_592_000 % 12:02}-{1 + seconds // 86_400 % 28:02}"
    clock = f"{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return (
        '<Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event"><System>'
        f'<Provider Name="{provider}"/><EventID>{event_id}</EventID><Version>3</Version>'
        f'<TimeCreated SystemTime="{stamp}T{clock}.{record_id % 10}000000Z"/>'
        f"<EventRecordID>{record_id}</EventRecordID><Channel>System</Channel>"
        f"<Computer>DUT</Computer></System><EventData>{fields}</EventData></Event>\n"
    )


def write_log(path: Path, megabytes: int) -> int:
    """Write a log of about this size and return how many sleeps it tells of."""
    record_id = cycles = 0
    with path.open("w", encoding="utf-8") as stream:
        stream.write("<Events>\n")
        while stream.tell() < megabytes * 1_000_000:
            for _ in range(NOISE_PER_CYCLE):
                record_id += 1
                noise: dict[str, object] = {"param1": "Windows Update", "param2": "running"}
                stream.write(event(record_id, "Service Control Manager", 7036, noise))
            record_id += 1
            states: dict[str, object] = {"TargetState": 4, "EffectiveState": 4}
            stream.write(event(record_id, "Microsoft-Windows-Kernel-Power", 42, states))
            record_id += 1
            account = {
                "SleepTime": f"2026-01-01T00:00:00.{record_id:09}Z",
                "WakeTime": f"2026-01-01T00:00:10.{record_id:09}Z",
                "SleepDuration": 1500,
                "WakeDuration": 900,
                "DriverInitDuration": 800,
                "BiosInitDuration": 200,
                **states,
                "WakeSourceType": 1,
            }
            provider = "Microsoft-Windows-Power-Troubleshooter"
            stream.write(event(record_id, provider, 1, account))
            cycles += 1
        stream.write("</Events>\n")
    return cycles


def ours(path: Path) -> int:
    """Read with resume-rig."""
    from resume_rig.oslog.reading import read_logs

    return len(read_logs([path]).records)


def peer(path: Path) -> int:
    """Read with the standard library's streaming parser, as a script would."""
    cycles = 0
    for _, element in ElementTree.iterparse(path):
        if element.tag == f"{NAMESPACE}Event":
            provider = element.find(f"{NAMESPACE}System/{NAMESPACE}Provider")
            if provider is not None and "Power-Troubleshooter" in provider.get("Name", ""):
                cycles += 1
            element.clear()
    return cycles


def measured(job: Callable[[Path], int], path: Path) -> tuple[int, float, float]:
    """Return what a job found, its seconds, and the peak memory of its process in MB.

    Raises:
        EOFError: its process ended without an answer.
    """
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=_run, args=(job, path, sender))
    process.start()
    sender.close()  # or the end of the process would not be the end of the pipe
    found: tuple[int, float, float] = receiver.recv()
    process.join()
    return found


def _run(job: Callable[[Path], int], path: Path, sender: Connection) -> None:
    begun = time.perf_counter()
    found = job(path)
    seconds = time.perf_counter() - begun
    sender.send((found, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def main() -> None:
    """Print one line a reader, and the ratio."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "System.xml"
        cycles = write_log(path, megabytes)
        size = path.stat().st_size / 1e6
        print(f"{size:.0f} MB of Event XML, {cycles} sleeps")
        rates = []
        for name, job in (("resume-rig", ours), ("xml.etree", peer)):
            found, seconds, memory = measured(job, path)
            rates.append(size / seconds)
            print(
                f"{name:<11} {found:>7} sleeps {seconds:7.2f} s {rates[-1]:7.1f} MB/s "
                f"{memory:6.0f} MB peak"
            )
        print(f"resume-rig reads {rates[0] / rates[1]:.1f} times as fast as xml.etree")


if __name__ == "__main__":
    main()
