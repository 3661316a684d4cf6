"""Lets coverage choose the damage: atheris (libFuzzer for Python) on the readers of event logs.

    python benchmarks/fuzz_guided.py [SECONDS]

Needs `pip install atheris`, which is no dependency of the project. An input that a reader neither
answers nor refuses ends the run and is kept as ./crash-*.
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["resume_rig.oslog"]):
    from resume_rig.oslog.reading import read_logs
    from resume_rig.oslog.registry import formats

    READERS = tuple(formats())  # readers are loaded late; here all of them have to be watched

from resume_rig.model.errors import RecordError

ROOT = Path(__file__).parents[1]
PATH = Path(tempfile.mkdtemp()) / "log"


def read_once(data: bytes) -> None:
    """Read what the fuzzer made, as a file of whatever kind its content shows."""
    PATH.write_bytes(data)
    try:
        reading = read_logs([PATH], keep_text=True)
    except RecordError:
        return
    for record in reading.records:
        record.text.encode()


def main() -> None:
    """Start from the fixtures, small exports and an empty EVTX."""
    seconds = sys.argv[1] if len(sys.argv) > 1 else "60"
    with tempfile.TemporaryDirectory() as corpus:
        for path in (ROOT / "fixtures/logs").glob("*.xml"):
            Path(corpus, path.name).write_bytes(path.read_bytes()[:8192])
        Path(corpus, "json").write_text(
            '[{"Id":1,"Version":0,"ProviderName":"Microsoft-Windows-Kernel-General","RecordId":1,'
            '"TimeCreated":"/Date(1)/","Properties":[{"Value":1},{"Value":2}]}]'
        )
        Path(corpus, "csv").write_text('"ProviderName","Id","RecordId"\n"x","1","2"\n')
        Path(corpus, "evtx").write_bytes(b"ElfFile\0" + bytes(4088) + b"ElfChnk\0" + bytes(65528))
        options = [f"-max_total_time={seconds}", "-max_len=70000", "-timeout=20"]
        atheris.Setup([sys.argv[0], corpus, *options], read_once)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
