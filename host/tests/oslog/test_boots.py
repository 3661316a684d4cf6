"""Cold boots that Kernel-Boot times, alone and with what Diagnostics-Performance says of them."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogReading, OsRecord, SleepKind

Read = Callable[..., LogReading]
TIMES = {
    "ResetEndStart": 17,
    "LoadOSImageStart": 3005,
    "StartOSImageStart": 3241,
    "ExitBootServicesEntry": 4656,
    "ExitBootServicesExit": 4657,
}


def kernel_boot(event_id: int, values: dict[str, object], number: int) -> str:
    data = "".join(f'<Data Name="{name}">{value}</Data>' for name, value in values.items())
    return (
        '<Event><System><Provider Name="Microsoft-Windows-Kernel-Boot"'
        ' Guid="{15ca44ff-4d7a-4baa-bba5-0998955e531e}"/>'
        f"<EventID>{event_id}</EventID><Version>1</Version>"
        '<TimeCreated SystemTime="2024-05-01T09:00:01.5000000Z"/>'
        f"<EventRecordID>{number}</EventRecordID></System><EventData>{data}</EventData></Event>"
    )


def booted(write, start: str, boot_type: int = 0, first: int = 1, **times: object) -> list[str]:
    began = write.event("KG", 12, {"BuildVersion": 22631, "StartTime": start}, first)
    write.next_id = first + 4
    return [
        began,
        kernel_boot(20, {"LastShutdownGood": "true"}, first + 1),
        kernel_boot(27, {"BootType": boot_type}, first + 2),
        kernel_boot(30, {**TIMES, **times}, first + 3),
    ]


def took(start: str, number: int = 90) -> str:
    values = {"BootStartTime": start, "BootTime": 51237, "MainPathBootTime": 24437}
    return kernel_boot(100, values, number).replace(
        'Kernel-Boot" Guid="{15ca44ff-4d7a-4baa-bba5-0998955e531e}"',
        'Diagnostics-Performance" Guid="{cfc18ec0-96b1-4eba-961b-622caee05b0a}"',
    )


def told(record: OsRecord) -> dict[str, float]:
    return {figure.name: figure.value for figure in record.figures}


def test_a_cold_boot_is_a_record_of_the_firmwares_times(write, read: Read) -> None:
    (boot,) = read(booted(write, "2024-05-01T09:00:00.5000000Z")).records
    assert (boot.kind, boot.record_id, boot.os_build) == (SleepKind.BOOT, 4, 22631)
    assert boot.sleep_time_utc_ns == 1_714_554_000_500_000_000
    assert (told(boot)["start_os_image_ms"], told(boot)["exit_boot_services_exit_ms"]) == (
        3241,
        4657,
    )
    assert told(boot)["last_shutdown_good"] == 1


@pytest.mark.parametrize("newest_first", [False, True])
def test_each_boot_is_told_once_whatever_the_order(write, read: Read, newest_first: bool) -> None:
    events = booted(write, "2024-05-01T09:00:00.5000000Z")
    events += write.cycle()
    events += booted(write, "2024-05-02T09:00:00.5000000Z", first=50, StartOSImageStart=2900)
    records = read(events[::-1] if newest_first else events).records
    assert [record.kind for record in records] == ["boot", "S3", "boot"]
    assert told(records[2])["start_os_image_ms"] == 2900


@pytest.mark.parametrize(
    ("boot_type", "times"),
    [
        pytest.param(1, {}, id="fast startup"),
        pytest.param(2, {}, id="a wake from S4"),
        pytest.param(0, {"StartOSImageStart": 0}, id="not stamped"),
        pytest.param(0, {"StartOSImageStart": 6568027066368}, id="garbage"),
    ],
)
def test_what_is_no_timed_cold_boot_makes_no_record(
    write, read: Read, boot_type: int, times: dict[str, object]
) -> None:
    assert read(booted(write, "2024-05-01T09:00:00.5000000Z", boot_type, **times)).records == ()


def test_what_windows_says_of_the_boot_joins_it(write, read: Read) -> None:
    events = booted(write, "2024-05-01T09:00:00.5000000Z")
    (boot,) = read([*events, took("2024-05-01T09:00:02.1000000Z")]).records
    assert boot.record_id == 4
    assert told(boot)["transition_ms"] == 51237
    assert [(part.name, part.duration_ms) for part in boot.components] == [("main path", 24437)]


@pytest.mark.parametrize(
    "start", ["2024-05-01T09:00:11.0000000Z", "2024-05-01T08:59:50.0000000Z"], ids=["late", "early"]
)
def test_a_boot_that_began_elsewhere_stays_by_itself(write, read: Read, start: str) -> None:
    records = read([*booted(write, "2024-05-01T09:00:00.5000000Z"), took(start)]).records
    assert [told(record).get("transition_ms") for record in records] == [None, 51237]


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.dictionaries(
        st.sampled_from([*TIMES, "BootType", "StartTime"]),
        st.one_of(st.integers(-(2**70), 2**70), st.text(st.characters(codec="ascii"), max_size=9)),
    ),
    start=st.text(st.sampled_from("0123456789-:TZ."), max_size=30),
)
def test_no_hostile_boot_is_an_internal_error(
    write, read: Read, values: dict[str, object], start: str
) -> None:
    def clean(value: object) -> str:
        return "".join(c for c in str(value) if c.isalnum() or c in "-.: ")

    events = booted(write, start, **{name: clean(value) for name, value in values.items()})
    try:
        records = read(events).records
    except RecordError:
        return
    assert all(figure.value >= 0 for record in records for figure in record.figures)
