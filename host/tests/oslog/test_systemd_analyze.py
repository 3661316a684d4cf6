"""Boots of Linux as systemd-analyze prints them."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import ComponentKind, LogReading, SleepKind
from resume_rig.oslog.linux.systemd_analyze import is_systemd_analyze
from resume_rig.oslog.reading import read_logs

Read = Callable[..., LogReading]


def test_two_boots_with_their_phases_and_units(fixtures_dir) -> None:
    reading = read_logs([fixtures_dir / "logs" / "systemd-analyze.txt"])
    assert reading.sources[0].kind == "linux-systemd-analyze"
    first, second = reading.records
    assert {first.kind, second.kind} == {SleepKind.BOOT}
    phases = {p.name: p.duration_ms for p in first.components if p.kind is ComponentKind.PHASE}
    assert phases == {"firmware": 6102, "loader": 2250, "kernel": 1418, "userspace": 62730}
    units = [(p.kind, p.name, p.duration_ms) for p in first.components[4:]]
    assert units == [
        (ComponentKind.SERVICE, "example-wait-online.service", 50118),
        (ComponentKind.DEVICE, "dev-nvme0n1p2.device", 4007),
        (ComponentKind.SERVICE, "example-update.service", 891),
    ]
    told = [{f.name: f.value for f in record.figures} for record in (first, second)]
    names = ("transition_ms", "target_reached_ms", "start_os_image_ms")
    assert [told[0][name] for name in names] == pytest.approx([72501, 62101, 6102])
    assert [told[1][name] for name in names] == pytest.approx([21478, 11101, 6098])


@pytest.mark.parametrize(
    ("line", "total_ms"),
    [
        pytest.param(
            "Startup finished in 2.9s (kernel) + 8.4s (userspace) = 11.3s ", 11300, id="s"
        ),
        pytest.param("Startup finished in 1min 16.5s (kernel) = 1min 16.5s", 76500, id="min"),
        pytest.param("Startup finished in 820ms (kernel) = 820ms", 820, id="ms"),
        pytest.param("Startup finished in 17.236s (kernel) ", None, id="no sum"),
        pytest.param(
            "Startup finished in 5.855s (firmware) + 3.106s (kernel)\n+ 12.1s (userspace) = 21.1s",
            21100,
            id="wrapped",
        ),
    ],
)
def test_spans_as_systemd_prints_them(read: Read, line: str, total_ms: float | None) -> None:
    (record,) = read(f"{line}\n").records
    told = {figure.name: figure.value for figure in record.figures}
    assert told.get("transition_ms") == (None if total_ms is None else pytest.approx(total_ms))


def test_a_line_of_the_journal_says_when_the_kernel_began(read: Read) -> None:
    line = (
        "2026-05-01T10:00:30.500000+02:00 dut systemd[1]: Startup finished in 6.100s (firmware)"
        " + 2.200s (loader) + 1.400s (kernel) + 11.600s (userspace) = 21.300s.\n"
    )
    first, second = read(line + line.replace("10:00:30", "11:00:30")).records
    assert first.wake_time_utc_ns == 1_777_622_430_500_000_000
    assert first.sleep_time_utc_ns == first.wake_time_utc_ns - 13_000_000_000
    told = {figure.name: figure.value for figure in first.figures}
    assert told == pytest.approx(
        {"transition_ms": 21300, "start_os_image_ms": 6100, "exit_boot_services_exit_ms": 8300}
    )
    assert {part.name: part.duration_ms for part in first.components}["main path"] == 13000
    assert second.wake_time_utc_ns - first.wake_time_utc_ns == 3_600_000_000_000


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"Startup finished in 123ms.\n", id="a user's manager"),
        pytest.param(b"[    1.0] systemd[1]: Startup finished in 4s (kernel)\n", id="a kernel log"),
        pytest.param(b"Plugin startup finished in 12ms\n", id="another program"),
    ],
)
def test_other_lines_are_not_taken_for_it(text: bytes) -> None:
    assert not is_systemd_analyze(text)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.text(st.sampled_from("0123456789.=+()msuhin abcxyz\t\0é\r"), max_size=80), max_size=8
    )
)
def test_no_damage_is_an_internal_error(read: Read, rows: list[str]) -> None:
    first = "Startup finished in 2s (kernel) + 3s (userspace) = 5s"
    try:
        reading = read("\n".join([first, *rows, ""]))
    except RecordError:
        return
    assert all(part.duration_ms >= 0 for r in reading.records for part in r.components)
