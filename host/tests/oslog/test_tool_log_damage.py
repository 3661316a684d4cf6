"""Seeded damage of every fixture of a tool's log: a reading or one sentence, nothing else."""

import random
from pathlib import Path

import pytest

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogReading
from resume_rig.oslog.reading import read_logs

NAMES = (
    *("pwrtest-two-s3.log", "pwrtest-newer.log", "pwrtest-old-names.xml", "pwrtest-new-names.xml"),
    *("s3resume.txt", "xperf-suspend.xml", "xperf-boot.xml", "xperf-shutdown.xml"),
    *("xperf-services.csv", "xperf-pnp.csv", "xperf-dumper.csv", "xperf-dumper-power.csv"),
    *("wpa-processes.csv", "wpa-regions.csv"),
)
MUTATIONS = 60
INTERESTING = (
    *(b"<", b">", b'"', b"&", b"\0", b"\xff", b"-1", b"99999999999999999999", b"\r", b"\n"),
    *(b"]]>", b"<!--", b"<a>", b"</a>", b"0x", b",", b"::", b"(", b"\xe9"),
)


def damaged(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data))
    match draw.randrange(5):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + draw.choice(INTERESTING) + data[place:]
        case 2:
            return data[:place] + draw.randbytes(draw.randrange(1, 9)) + data[place + 4 :]
        case 3:
            end = min(len(data), place + draw.randrange(1, 400))
            return data[:end] + data[place:end] * draw.randrange(1, 4) + data[end:]
        case _:
            return data[:place] + data[place + draw.randrange(1, 200) :]


def check(reading: LogReading) -> None:
    assert all(problem.endswith(".") for s in reading.sources for problem in s.integrity.problems)
    for record in reading.records:
        times = (record.sleep_ms, record.wake_ms, record.driver_init_ms, record.bios_init_ms)
        assert all(ms is None or ms >= 0 for ms in times)
        for component in record.components:
            values = (component.duration_ms, component.own_ms, component.held_ms)
            assert all(ms is None or 0 <= ms < float("inf") for ms in values)
            assert component.name
            assert len(component.name) <= 260


@pytest.mark.parametrize("name", NAMES)
def test_damage_is_told_and_never_a_fault(fixtures_dir: Path, tmp_path: Path, name: str) -> None:
    whole = (fixtures_dir / "logs" / name).read_bytes()
    path = tmp_path / name
    read_whole = 0
    refusals: list[str] = []
    for seed in range(MUTATIONS):
        draw = random.Random(f"{name} {seed}")
        data = whole
        for _ in range(draw.randrange(1, 4)):
            data = damaged(data, draw) or b"x"
        path.write_bytes(data)
        try:
            reading = read_logs([path])
        except RecordError as error:
            refusals.append(str(error))
        else:
            check(reading)
            read_whole += 1
    assert all(refusal.startswith("could not read") for refusal in refusals)
    assert read_whole > MUTATIONS // 3  # most damage leaves a file that its reader still knows
