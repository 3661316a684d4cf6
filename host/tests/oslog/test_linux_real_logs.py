"""Real pm-graph logs, held against counts that this test makes itself from the text."""

import gzip
import re
from collections import Counter
from pathlib import Path

import pytest

from resume_rig.model.os_record import Component, ComponentKind, OsRecord, SleepKind
from resume_rig.oslog.reading import read_logs

DMESG = {
    "mem": ("suspend-061314-132459_skynet_mem_dmesg.txt", SleepKind.S3),
    "freeze": ("suspend-061314-131447_skynet_freeze_dmesg.txt", SleepKind.S2IDLE),
}
FTRACE = {
    "mem": ("suspend-061314-132459_skynet_mem_ftrace.txt", SleepKind.S3),
    "freeze": ("suspend-061314-131447_skynet_freeze_ftrace.txt", SleepKind.S2IDLE),
}
# Worked by hand from the stamps: entry to the last line before the sleep, first line awake (or the
# noirq phase's end minus its length) to "done."; the trace: step ends and begins.
HALVES_MS = {
    ("dmesg", "mem"): (552.478981 - 550.702791, 552.779517 - 552.479987),
    ("dmesg", "freeze"): (135.341605 - 134.319057, 145.515500 - (145.351421 - 0.015994)),
    ("ftrace", "mem"): (552.478988 - 550.702789, 552.779520 - 552.480302),
    ("ftrace", "freeze"): (135.341606 - 134.319055, 145.515502 - 145.335411),
}


def only_record(path: Path) -> OsRecord:
    (record,) = read_logs([path]).records
    return record


def of_kind(record: OsRecord, kind: ComponentKind) -> list[Component]:
    return [component for component in record.components if component.kind is kind]


def figure(record: OsRecord, name: str) -> float:
    return next(figure.value for figure in record.figures if figure.name == name)


@pytest.mark.parametrize("mode", DMESG)
def test_kernel_log(shared_data: Path, mode: str) -> None:
    name, kind = DMESG[mode]
    path = shared_data / "pm-graph" / name
    text = path.read_text()

    record = only_record(path)

    assert (record.kind, record.resume_ms, record.firmware_resume_ms) == (kind, None, None)
    told = re.findall(r"\] call (.*)\+ returned (-?\d+) after (\d+) usecs", text)
    devices = of_kind(record, ComponentKind.DEVICE)
    assert Counter((d.name, d.duration_ms) for d in devices) == Counter(
        (device, int(usecs) / 1000) for device, _, usecs in told
    )
    assert figure(record, "failed_devices") == sum(error != "0" for _, error, _ in told) > 0
    phases = re.findall(r"PM: (.*) of devices complete after ([\d.]+) msecs", text)
    timed = {c.name: c.duration_ms for c in of_kind(record, ComponentKind.PHASE)}
    assert {f"{name} devices": float(ms) for name, ms in phases}.items() <= timed.items()
    assert len(phases) == 6
    assert {d.phase for d in devices} <= {f"{name} devices" for name, _ in phases}
    suspend_s, resume_s = HALVES_MS["dmesg", mode]
    assert timed["suspend"] == pytest.approx(suspend_s * 1000, abs=0.01)
    assert timed["resume"] == pytest.approx(resume_s * 1000, abs=0.01)


@pytest.mark.parametrize("mode", FTRACE)
def test_suspend_trace(shared_data: Path, mode: str) -> None:
    name, kind = FTRACE[mode]
    path = shared_data / "pm-graph" / name
    stamps = [
        (float(stamp), event, rest)
        for stamp, event, rest in re.findall(r"\s(\d+\.\d+): (\w+): (.*)", path.read_text())
    ]
    starts: dict[str, float] = {}
    expected: Counter[tuple[str, int]] = Counter()
    for stamp, event, rest in stamps:  # no two callbacks of one device overlap
        device = rest.partition(",")[0].partition(" ")[2]
        if event == "device_pm_callback_start":
            starts[device] = stamp
        elif event == "device_pm_callback_end":
            expected[device, round((stamp - starts.pop(device)) * 1e6)] += 1

    record = only_record(path)

    assert record.kind is kind
    devices = of_kind(record, ComponentKind.DEVICE)
    assert len(devices) == 341
    assert Counter((d.name, round((d.duration_ms or 0) * 1000)) for d in devices) == expected
    timed = {c.name: c.duration_ms for c in of_kind(record, ComponentKind.PHASE)}
    suspend_s, resume_s = HALVES_MS["ftrace", mode]
    assert timed["suspend"] == pytest.approx(suspend_s * 1000, abs=0.002)
    assert timed["resume"] == pytest.approx(resume_s * 1000, abs=0.002)
    assert "machine_suspend[3]" not in timed  # the clock stands still in it
    assert (timed["sync filesystems"] or 0) > 100


@pytest.mark.parametrize("mode", DMESG)
def test_both_show_the_same_sleeps(shared_data: Path, mode: str) -> None:
    folder = shared_data / "pm-graph"
    log, trace = only_record(folder / DMESG[mode][0]), only_record(folder / FTRACE[mode][0])
    for half in ("kernel_suspend_ms", "kernel_resume_ms"):
        assert figure(log, half) == pytest.approx(figure(trace, half), abs=0.5)


@pytest.mark.parametrize("name", [DMESG["mem"][0], FTRACE["freeze"][0]])
def test_gzip_makes_no_difference(shared_data: Path, tmp_path: Path, name: str) -> None:
    path = shared_data / "pm-graph" / name
    packed = tmp_path / "log.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_logs([packed]).records == read_logs([path]).records


def test_a_cut_log_never_tells_other_numbers(shared_data: Path, tmp_path: Path) -> None:
    data = (shared_data / "pm-graph" / DMESG["mem"][0]).read_bytes()
    whole = only_record(shared_data / "pm-graph" / DMESG["mem"][0])
    path = tmp_path / "cut"
    for end in range(2000, len(data), 977):
        path.write_bytes(data[:end])
        reading = read_logs([path])
        for record in reading.records:
            if record.kind is whole.kind:  # woken, so the suspend is as it was
                assert figure(record, "kernel_suspend_ms") == figure(whole, "kernel_suspend_ms")
            else:
                assert record.kind is SleepKind.UNKNOWN
                assert not reading.sources[0].integrity.ok
