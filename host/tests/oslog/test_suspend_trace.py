"""Suspend traces, made for the test."""

from collections.abc import Callable
from pathlib import Path

import pytest

from resume_rig.model.os_record import ComponentKind, LogReading, SleepKind
from resume_rig.oslog.reading import read_logs

Read = Callable[..., LogReading]

FRONTS = {
    "3.x": "     sh-4260  [007] ...1   {s}.{us:06d}: ",
    "6.x": "  kworker/u8:1-33      [001] .....  {s}.{us:06d}: ",
    "thread groups": "  a b-c-33    (  901) [001] .....  {s}.{us:06d}: ",
    "no flags": "  sh-33 [001]  {s}.{us:06d}: ",
    "nanoseconds": "  sh-33 [001] ....  {s}.{us:06d}000: ",
}


def trace(*events: str, front: str = FRONTS["6.x"]) -> str:
    return "# tracer: nop\n" + "".join(
        front.format(s=50 + ms // 1000, us=ms % 1000 * 1000) + f"{text}\n"
        for ms, text in ((int(e.partition(" ")[0]), e.partition(" ")[2]) for e in events)
    )


S3 = (
    "0 suspend_resume: suspend_enter[3] begin",
    "5 suspend_resume: dpm_suspend[2] begin",
    "6 device_pm_callback_start: usb 1-2, parent: usb1, type [suspend]",
    "16 device_pm_callback_end: usb 1-2, err=0",
    "20 suspend_resume: dpm_suspend[2] end",
    "30 suspend_resume: machine_suspend[3] begin",
    "40 suspend_resume: machine_suspend[3] end",
    "50 suspend_resume: dpm_resume[16] begin",
    "70 suspend_resume: dpm_resume[16] end",
    "71 suspend_resume: thaw_processes[0] begin",
    "75 suspend_resume: thaw_processes[0] end",
)


def test_fixture(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "linux-s3-trace.txt"])
    (record,) = reading.records
    told = [(c.name, c.phase, c.start_ms, c.duration_ms, c.detail) for c in record.components]
    assert told == [
        ("suspend", "", 0.0, 89.0, ""),
        ("resume", "", 0.0, 125.0, ""),
        ("1-2", "suspend devices", 12.0, 50.0, "usb, parent usb1, type [suspend]"),
        ("usb1", "suspend devices", 63.0, 10.0, "usb, parent 0000:00:14.0, type [suspend]"),
        ("suspend devices", "suspend", 11.0, 68.0, ""),
        ("usb1", "resume devices", 11.0, 20.0, "usb, parent 0000:00:14.0, type [resume]"),
        ("1-2", "resume devices", 32.0, 80.0, "usb, parent usb1, type [resume], error -71"),
        ("resume devices", "resume", 10.0, 110.0, ""),
        ("thaw processes", "resume", 121.0, 4.0, ""),
    ]
    assert (record.kind, record.firmware_resume_ms) == (SleepKind.S3, 412)
    assert dict(reading.sources[0].identity)["system_product"] == "Model 7"


@pytest.mark.parametrize("front", FRONTS.values(), ids=FRONTS)
def test_every_form_of_a_line(read: Read, front: str) -> None:
    (record,) = read(trace(*S3, front=front)).records
    (device,) = [c for c in record.components if c.kind is ComponentKind.DEVICE]
    assert (device.name, device.start_ms, device.duration_ms) == ("1-2", 6.0, 10.0)


@pytest.mark.parametrize(
    ("value", "kind"),
    [(1, SleepKind.S2IDLE), (2, SleepKind.S1), (3, SleepKind.S3), (4, SleepKind.S4)],
)
def test_kinds(read: Read, value: int, kind: SleepKind) -> None:
    events = [event.replace("machine_suspend[3]", f"machine_suspend[{value}]") for event in S3]
    assert [record.kind for record in read(trace(*events)).records] == [kind]


def test_a_sleep_that_was_given_up(read: Read) -> None:
    events = [event for event in S3 if "machine_suspend" not in event]
    events[3] = "16 device_pm_callback_end: usb 1-2, err=-16"
    (record,) = read(trace(*events)).records
    assert record.kind is SleepKind.ABORTED
    assert record.wake_source.text == "1-2: type [suspend], error -16"


def test_many_idle_rounds_are_one_sleep(read: Read) -> None:
    rounds = (
        "40 suspend_resume: machine_suspend[1] begin",
        "44 suspend_resume: machine_suspend[1] end",
    )
    events = [event.replace("machine_suspend[3]", "machine_suspend[1]") for event in S3]
    (record,) = read(trace(*events[:7], *rounds, *events[7:])).records
    totals = [c.duration_ms for c in record.components if not c.phase]
    assert (record.kind, totals) == (SleepKind.S2IDLE, [30.0, 31.0])


def test_two_sleeps(read: Read) -> None:
    later = [f"{int(e.partition(' ')[0]) + 500} {e.partition(' ')[2]}" for e in S3]
    first, second = read(trace(*S3, *later)).records
    assert first.components == second.components


@pytest.mark.parametrize(
    ("events", "problem"),
    [
        (S3[:6], "Sleeps whose end is not in the trace: 1"),
        (
            tuple(e for e in S3 if "callback_end" not in e),
            "callbacks whose end is not in the trace",
        ),
        (
            tuple(e for e in S3 if "callback_start" not in e),
            "callbacks whose end is not in the trace",
        ),
    ],
    ids=["cut", "no end", "no start"],
)
def test_what_is_missing_is_told(read: Read, events: tuple[str, ...], problem: str) -> None:
    integrity = read(trace(*events)).sources[0].integrity
    assert not integrity.ok
    assert problem in integrity.problems[0]


def test_lost_events_are_told(read: Read) -> None:
    integrity = read(trace(*S3) + "CPU:2 [LOST 17 EVENTS]\n").sources[0].integrity
    assert integrity.problems == ("Places where the trace reports lost events: 1.",)


def test_header_lines_of_pm_graph_need_not_be_whole(read: Read) -> None:
    told = "# command | sleepgraph -m mem\n# kparams |\n# command |# sysinfo | man:ACME\n"
    identity = dict(read(told + trace(*S3)).sources[0].identity)
    assert identity["test_command"] == "sleepgraph -m mem"
    assert "kernel_parameters" not in identity
