"""Stands in for `wevtutil` on a DUT: serves the logs in its folder, one event a line.

What it is to do wrong stands in files beside the log: `cut` (half an answer, then the connection
goes), `denied` (exit status 5), `wait` (no answer while the file is there).
"""

import os
import re
import signal
import sys
import time
from pathlib import Path

DELAYS = "Microsoft-Windows-Diagnostics-Performance/Operational"
HERE = Path(__file__).parent
PROVIDER = re.compile(r"<Provider[^>]* Name=.(?P<name>[^'\"]+)")
NUMBER = re.compile(r"<EventRecordID>(?P<number>\d+)</EventRecordID>")


def number_of(event: str) -> int:
    found = NUMBER.search(event)
    assert found is not None
    return int(found["number"])


def is_asked_for(event: str, query: str) -> bool:
    after = re.search(r"EventRecordID>(\d+)", query)
    provider = PROVIDER.search(event)
    assert provider is not None
    return f"@Name='{provider['name']}'" in query and (
        after is None or number_of(event) > int(after[1])
    )


def delays(query: str) -> int:
    if not (HERE / "delays.xml").exists():
        sys.stderr.write("Access is denied.\n")
        return 5
    after = re.search(r"EventRecordID>(\d+)", query)
    assert after is not None, query
    events = (HERE / "delays.xml").read_text("utf-8").splitlines()
    sys.stdout.write("\n".join(e for e in events if number_of(e) > int(after[1])))
    return 0


def main(words: list[str]) -> int:
    while (HERE / "wait").exists():
        time.sleep(0.01)
    if (HERE / "denied").exists():
        sys.stderr.write("Access is denied.\n")
        return 5
    lines = (HERE / "log.xml").read_text("utf-8").splitlines()
    events = [line for line in lines if line.strip()]
    if words[:2] == ["gli", "System"]:
        oldest = number_of(events[0]) if events else 1
        newest = number_of(events[-1]) if events else 0
        count = newest - oldest + 1
        sys.stdout.write(f"numberOfLogRecords: {count}\noldestRecordNumber: {oldest}\n")
        return 0
    if words[:2] == ["qe", DELAYS]:
        return delays(words[3])
    assert words[:3] == ["qe", "System", "/f:xml"], words
    text = "\n".join(event for event in events if is_asked_for(event, words[3]))
    if (HERE / "cut").exists():
        (HERE / "cut").unlink()
        sys.stdout.write(text[: len(text) // 2])
        sys.stdout.flush()
        os.kill(os.getppid(), signal.SIGKILL)
        return 1
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
