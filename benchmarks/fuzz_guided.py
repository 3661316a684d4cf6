"""Lets coverage choose the damage: atheris (libFuzzer for Python) on each reader in turn.

    python benchmarks/fuzz_guided.py [SECONDS] [READER]

Readers of logs, and of captures. Each has SECONDS in a process of its own; it starts from the
fixtures that it recognises, and from a made file where the fixtures have none. Half of the damaged
EVTX files have checksums that hold, and all sigrok sessions are whole ZIP archives. Needs
`pip install atheris`, which is no dependency of the project. An input that a reader neither
answers nor refuses ends the run and is kept as ./crash-*.
"""

import csv
import io
import json
import random
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import atheris

if len(sys.argv) > 2:  # the process of one reader
    with atheris.instrument_imports(include=["resume_rig.oslog", "resume_rig.rig.capture"]):
        from resume_rig.oslog import reading
        from resume_rig.rig.capture.reading import read_capture

        tuple(reading.formats())  # readers are loaded late; here all of them have to be watched

from resume_rig.model.errors import RecordError, UsageError
from resume_rig.oslog.reading import HEAD_BYTES, LogFormat, format_of, formats
from resume_rig.oslog.source.records import SourceRequest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests"))

from oslog.evtx_builder import ChunkBuilder, Field, Record, evtx_file
from oslog.evtx_reference import seal

ROOT = Path(__file__).resolve().parents[1]
LOGS = {reader.description: reader for reader in formats()}
CAPTURES = ("VCD capture", "CSV capture", "sigrok session", "Saleae capture")
READERS = (*LOGS, *CAPTURES)
SIGROK = "sigrok session"
LONGEST_BYTES = 80_000
EVTX = "EVTX"
BETWEEN = b"\0\0\0\0"
STARTS = (b"<Event", b"<PwrTest", b'"ProviderName"', b"sleep", b"T=", b"\n", b",")
DONE = re.compile(r"Done (\d+) (?:in|runs)", re.IGNORECASE)
COVERED = re.compile(r"\bcov: (\d+) ft: (\d+)")


def made() -> dict[str, list[bytes]]:
    """Return logs by reader, of the kinds that the fixtures have none of, or only small ones."""
    return {EVTX: [made_evtx()], "event JSON": [made_json()], "event CSV": [made_csv()]} | {
        "ACPI FPDT": [made_fpdt()]
    }


def made_evtx() -> bytes:
    """Return one chunk: a sleep, a clock that is set, an account of the sleep."""
    numbers = ("TargetState", "EffectiveState", "WakeDuration", "BiosInitDuration")
    account = tuple(Field(name, 0x08, struct.pack("<I", 4)) for name in numbers)
    times = tuple(Field(name, 0x11, struct.pack("<Q", 133 << 50)) for name in ("SleepTime",))
    chunk = ChunkBuilder()
    for name, guid, event_id, fields in (
        ("Microsoft-Windows-Kernel-Power", "331c3b3a200544c2ac5e77220c37d6b4", 42, account[:2]),
        ("Microsoft-Windows-Power-Troubleshooter", "cdc05e28c44949c6b9d288cf761644df", 1, account),
        ("Service Control Manager", "555908d1a6d74695 8e1e26931d2012f4", 7036, times),
        ("Microsoft-Windows-Power-Troubleshooter", "cdc05e28c44949c6b9d288cf761644df", 1, times),
    ):
        parts = bytes.fromhex(guid)
        mixed = parts[3::-1] + parts[5:3:-1] + parts[7:5:-1] + parts[8:]  # as Windows keeps a GUID
        chunk.add(Record(name, mixed, event_id, fields))
    return evtx_file([chunk.chunk()], 5)


def rows() -> list[dict[str, object]]:
    """Return two events as PowerShell names their fields."""
    values = [1, 2, 1500, 900, 800, 700, 0, 0, 0, 33573888, 4, 4, 1, 0, "", 0, 0, 7, "", "", 38]
    common = {"Version": 3, "LogName": "System", "TimeCreated": "/Date(1714557662500)/"}
    return [
        {
            "Id": 1,
            "ProviderName": "Microsoft-Windows-Power-Troubleshooter",
            "RecordId": number,
            "Properties": [{"Value": value} for value in values],
            **common,
        }
        for number in (1, 2)
    ]


def made_json() -> bytes:
    """Return an export by ConvertTo-Json."""
    return json.dumps(rows()).encode()


def made_csv() -> bytes:
    """Return an export by Export-Csv of chosen values."""
    stream = io.StringIO()
    named = {"SleepTime": 1, "WakeTime": 2, "BiosInitDuration": 3, "TargetState": 4}
    picked = [{**row, "Properties": "x", **named} for row in rows()]
    writer = csv.DictWriter(stream, list(picked[0]), quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(picked)
    return stream.getvalue().encode()


def made_fpdt() -> bytes:
    """Return the ACPI table, and the two tables that it points at, with their records."""
    head = struct.pack("<4sIBB6s8sI4sI", b"FPDT", 68, 1, 0, b"EXAMPL", b"MODEL7  ", 1, b"EXPL", 1)
    table = bytearray(head + struct.pack("<HBBIQHBBIQ", 0, 16, 1, 0, 1, 1, 16, 1, 0, 2))
    table[9] = -sum(table) % 256
    boot = b"FBPT" + struct.pack("<IHBB4xQQQQQ", 56, 2, 48, 2, 1, 2, 3, 4, 5)
    resume = struct.pack("<IHBBIQQHBBQQ", 52, 0, 24, 1, 7, 333, 300, 1, 20, 1, 5, 7)
    return bytes(table) + boot + b"S3PT" + resume


def made_captures() -> dict[str, list[bytes]]:
    """Return captures by their kind; a sigrok session as its metadata and samples."""
    traces = {path.suffix: path.read_bytes() for path in (ROOT / "fixtures/traces").iterdir()}
    times = struct.pack("<8siiIddQ2d", b"<SALEAE>", 0, 0, 1, 0.0, 2.0, 2, 0.5, 1.5)
    device = b"[device 1]\ncapturefile=logic-1\nsamplerate=1 MHz\nunitsize=1\n"
    lines = b"probe1=PWR_OK\nprobe2=SLP_S3#\n"
    samples = bytes((0, 1, 3, 3, 2, 0))
    return {
        "VCD capture": [traces[".vcd"]],
        "CSV capture": [traces[".csv"], b"Time [s],PWR_OK\n0,0\n1.5,1\n"],
        SIGROK: [device + lines + BETWEEN + samples],
        "Saleae capture": [times],
    }


def corpus_of(name: str) -> list[bytes]:
    """Return what a reader's fuzzer starts from."""
    if name not in LOGS:
        return made_captures()[name]
    fixtures = [path.read_bytes()[:LONGEST_BYTES] for path in (ROOT / "fixtures/logs").iterdir()]
    own = [data for data in fixtures if format_of(data[:HEAD_BYTES]) == LOGS[name]]
    return [*own, *made().get(name, ())]


def read_log_once(reader: LogFormat, path: Path, data: bytes) -> None:
    """Read what the fuzzer made as a log of one kind."""
    path.write_bytes(data)
    try:
        reading = reader.read(SourceRequest(path, keep_text=True))
    except RecordError:
        return
    for record in reading.records:
        record.text.encode()


def read_capture_once(path: Path, data: bytes) -> None:
    """Read what the fuzzer made as a capture of whatever kind it shows itself to be."""
    path.write_bytes(data)
    try:
        read_capture(path, {})
    except (RecordError, UsageError):
        return


def zipped(data: bytes) -> bytes:
    """Return metadata and samples as a session: the archive itself is never damaged."""
    metadata, _, samples = data.partition(BETWEEN)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("version", "2")
        archive.writestr("metadata", metadata)
        archive.writestr("logic-1", samples)
    return packed.getvalue()


def fuzz(name: str, seconds: str) -> None:
    """Damage until the time is over; does not return."""
    folder = Path(tempfile.mkdtemp())
    corpus = folder / "corpus"
    corpus.mkdir()
    for index, data in enumerate(corpus_of(name)):
        (corpus / str(index)).write_bytes(data)
    words = folder / "words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in STARTS), encoding="ascii")
    path = folder / "read"

    def read_once(data: bytes) -> None:
        if name in LOGS:
            read_log_once(LOGS[name], path, data)
        else:
            read_capture_once(path, zipped(data) if name == SIGROK else data)

    def sealed(data: bytes, max_size: int, seed: int) -> bytes:
        damaged = bytes(atheris.Mutate(data, max_size))
        return seal(damaged) if random.Random(seed).random() < 0.5 else damaged

    limits = [f"-max_total_time={seconds}", f"-max_len={LONGEST_BYTES}", "-timeout=20"]
    arguments = [sys.argv[0], str(corpus), *limits, f"-dict={words}"]
    mutator = {"custom_mutator": sealed} if name == EVTX else {}
    atheris.Setup(arguments, read_once, **mutator)
    atheris.Fuzz()


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)


def main() -> int:
    """Fuzz one reader, or each in turn and print a line for each."""
    seconds = sys.argv[1] if len(sys.argv) > 1 else "60"
    if len(sys.argv) > 2:
        fuzz(sys.argv[2], seconds)
    failed = 0
    for name in READERS:
        seeds = len(corpus_of(name))
        command = [sys.executable, __file__, seconds, name]
        ended = subprocess.run(
            command, check=False, stderr=subprocess.PIPE, text=True, errors="replace"
        )
        runs = DONE.search(ended.stderr)
        covered = COVERED.findall(ended.stderr)
        told = f"{runs[1]} runs, {covered[-1][0]} branches" if runs and covered else "no answer"
        print(f"{name}: from {seeds} files, {told}, exit status {ended.returncode}", flush=True)
        if ended.returncode:
            failed += 1
            print(ended.stderr[-4000:])
    return failed


if __name__ == "__main__":
    sys.exit(main())
