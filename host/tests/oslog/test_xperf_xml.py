"""XML summaries of xperf against the worked examples of Microsoft's papers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from readings import figures

from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Component, ComponentKind, LogReading, OsRecord, SleepKind
from resume_rig.model.result.verdict import Verdict
from resume_rig.oslog.reading import read_logs

Read = Callable[..., LogReading]


def one(reading: LogReading) -> OsRecord:
    (record,) = reading.records
    return record


def named(record: OsRecord, name: str, phase: str | None = None) -> Component:
    (found,) = [
        c for c in record.components if c.name == name and (phase is None or c.phase == phase)
    ]
    return found


def scenario(attributes: str, unit: str = "usec") -> bytes:
    return (
        f'<results timeFormat="{unit}"><suspend><scenario {attributes}/></suspend></results>'
    ).encode()


def test_suspend_tells_the_papers_example(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "xperf-suspend.xml"])
    source, record = reading.sources[0], one(reading)
    assert (source.kind, source.from_description) == ("xperf-suspend", True)
    assert source.integrity.problems == ()
    assert (record.kind, record.bios_init_ms, record.driver_init_ms) == (SleepKind.S3, 812, 1211)
    # 1320415 - 472485 = 847930 us: the video driver fades out and turns off the display.
    assert named(record, "suspend apps").own_ms == pytest.approx(847.930)
    assert figures(record)["display_off_ms"] == pytest.approx(847.930)
    assert figures(record)["transition_ms"] == 31_620
    assert figures(record)["resume_critical_ms"] == 1391  # holds more than the devices' resume
    # The paper's piwddev takes some 20 s to suspend.
    slow = named(record, r"ROOT\PIWDDEV\0000")
    assert (slow.kind, slow.phase, slow.duration_ms) == (
        *(ComponentKind.DEVICE, "suspend devices"),
        20_016,
    )
    assert slow.detail == "driver piwddev"
    kinds = {(c.phase, c.kind) for c in record.components if c.phase}
    assert kinds == {
        ("suspend apps", ComponentKind.APPLICATION),
        ("suspend services", ComponentKind.SERVICE),
        ("query devices", ComponentKind.DEVICE),
        ("suspend devices", ComponentKind.DEVICE),
        ("resume devices", ComponentKind.DEVICE),
    }
    assert named(record, "resume devices").own_ms is None  # its devices overlap beyond it


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ('biosinit="5000"', SleepKind.S3),
        ('biosinit="5000" hiberwrite="9000"', SleepKind.HYBRID),
        ('hiberwrite="9000" hiberread="8000"', SleepKind.S4),
        ('biosinit="5000" hiberwrite="-1" hiberread="-1"', SleepKind.S3),
        ('suspend="7000"', SleepKind.UNKNOWN),
    ],
)
def test_the_attributes_tell_the_kind(read: Read, attributes: str, kind: SleepKind) -> None:
    assert one(read(scenario(attributes))).kind is kind


@pytest.mark.parametrize("critical_us", [100_000, 9_000_000])
def test_without_its_devices_a_resume_is_never_judged(read: Read, critical_us: int) -> None:
    reading = read(scenario(f'biosinit="300000" resumecritical="{critical_us}"'))
    assert (one(reading).driver_init_ms, one(reading).resume_ms) == (None, None)
    judgement = judge_log(reading, load_requirement("sysfund-0004"))
    assert judgement.verdict is Verdict.NO_EVIDENCE


@pytest.mark.parametrize(
    ("unit", "bios_ms"), [("usec", 812), ("msec", 812_000), ("nsec", 1), ("MSEC", 812_000)]
)
def test_the_time_format_is_obeyed(read: Read, unit: str, bios_ms: int) -> None:
    assert one(read(scenario('biosinit="812000"', unit))).bios_init_ms == bios_ms


def test_the_time_format_may_be_an_element(read: Read) -> None:
    text = "<results><timeFormat>msec</timeFormat><scenario biosinit='812'/></results>"
    assert one(read(text.encode())).bios_init_ms == 812


def test_an_unknown_time_format_gives_no_number(read: Read) -> None:
    reading = read(scenario('biosinit="812000" resumecritical="5"', "ticks"))
    assert (one(reading).bios_init_ms, one(reading).driver_init_ms) == (None, None)
    assert not reading.sources[0].integrity.ok
    assert "'ticks'" in reading.sources[0].integrity.problems[0]


def test_a_missing_time_format_is_told(read: Read) -> None:
    reading = read(b'<results><suspend><scenario biosinit="812000"/></suspend></results>')
    assert one(reading).bios_init_ms == 812
    assert "usec was taken" in reading.sources[0].integrity.problems[0]


def test_nodes_behind_their_scenario_belong_to_it(read: Read) -> None:
    text = (
        '<results timeFormat="usec"><scenario biosinit="1000000" resumecritical="700000"/>'
        '<resumedevices duration="600000"><device name="A" duration="500000"/></resumedevices>'
        '<scenario biosinit="2000000"/>'
        '<resumedevices duration="900000"/></results>'
    )
    reading = read(text.encode())
    assert [(r.bios_init_ms, r.driver_init_ms) for r in reading.records] == [
        (1000, 600),
        (2000, 900),
    ]
    assert [len(r.components) for r in reading.records] == [2, 1]


def test_children_of_children_are_taken_off_their_parent(read: Read) -> None:
    text = (
        '<results timeFormat="msec"><suspend><suspenddevices duration="100">'
        '<driver name="usbhub" duration="60"><device name="A" duration="20"/>'
        '<device name="B" duration="15"/></driver></suspenddevices></suspend></results>'
    )
    record = one(read(text.encode()))
    hub = named(record, "usbhub")
    assert (hub.kind, hub.own_ms) == (ComponentKind.DRIVER, 25)
    assert named(record, "suspend devices").own_ms == 40
    assert named(record, "A").phase == "suspend devices"


def test_boot_tells_run_1_of_table_5(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "xperf-boot.xml"])
    record = one(reading)
    assert (reading.sources[0].kind, record.kind) == ("xperf-boot", SleepKind.BOOT)
    assert record.resume_ms is None
    # 40973 less the 10 s of idle are 30973; 16200 of PostBoot are 6200 of work.
    assert figures(record)["transition_ms"] == 30_973
    assert figures(record)["boot_done_via_explorer_ms"] == 24_773
    phases = {
        c.name: c.duration_ms
        for c in record.components
        if c.kind is ComponentKind.PHASE and not c.phase
    }
    assert phases == {
        "OSLoader": 1926,
        "PreSMSS": 10753,
        "SMSSInit": 5461,
        "WinLogonInit": 3697,
        "ExplorerInit": 4861,
        "PostBoot": 6200,
    }
    plug_and_play = named(record, "PlugPlay")
    assert (plug_and_play.duration_ms, plug_and_play.group) == (621, "PlugPlay")
    assert named(record, "ExampleUpdate").duration_ms is None  # -1: still starting at the end
    held = [c.held_ms for c in record.components if c.name == r"ROOT\RAMDISK\0000"]
    assert held == [3000, 3000]
    processor = named(record, "System (4)")
    assert (processor.phase, processor.duration_ms) == ("PreSMSS (processor time)", 2911)
    assert figures(record)["pre_smss_disk_read_bytes"] == 181_403_648
    assert figures(record)["services_auto_start_ms"] == 10_720


@pytest.mark.parametrize(
    ("given", "boot_ms", "post_boot_ms"),
    [
        (("40973", "40973", "16200"), 30_973, 6_200),
        (("9000", "9000", "4000"), 9_000, 4_000),  # the trace ended before ten idle seconds
        (("-1", "-1", "-1"), None, None),
        (("40973", "28000", "12000"), 30_973, 12_000),  # an interval that ends elsewhere
    ],
    ids=["paper", "shorter than the wait", "had not ended", "another end"],
)
def test_the_idle_wait_is_taken_off_only_where_it_is_in(
    read: Read, given: tuple[str, str, str], boot_ms: float | None, post_boot_ms: float | None
) -> None:
    done, end, duration = given
    text = (
        f'<results timeFormat="msec"><boot><timing bootDoneViaPostBoot="{done}"><interval'
        f' name="PostExplorerPeriod" endTime="{end}" duration="{duration}"/>'
        "</timing></boot></results>"
    )
    record = one(read(text.encode()))
    assert figures(record).get("transition_ms") == boot_ms
    assert named(record, "PostBoot").duration_ms == post_boot_ms


def test_shutdown_tells_the_papers_example(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "xperf-shutdown.xml"])
    record = one(reading)
    assert (reading.sources[0].kind, record.kind) == ("xperf-shutdown", SleepKind.SHUTDOWN)
    # 13066 - 6642 - 2675 = 3749 ms
    assert named(record, "kernel shutdown").duration_ms == 3749
    assert named(record, "user session").duration_ms == 6642
    assert named(record, "system session").duration_ms == 2675
    assert named(record, "slow_shutdown.exe").duration_ms == 5005
    assert named(record, "slow_shutdown.exe").detail == "pid 3604"
    assert named(record, "Deafsvc", "unresponsive services").kind is ComponentKind.SERVICE
    assert named(record, "Spooler").phase == "stop services"
    assert figures(record) == {"transition_ms": 13_066, "services_shutdown_ms": 2_675}


@pytest.mark.parametrize(
    ("sessions", "services", "kernel_ms"),
    [
        ((("1", "3321"), ("0", "1513")), "1513", 18_350),  # 23184 - 3321 - 1513
        ((("1", "3321"),), "1513", 18_350),  # the services' time is that of session 0
        ((("1", "3321"),), "", None),
        ((("1", "3321"), ("2", "1000"), ("0", "1513")), "", 17_350),
        ((("1", "-1"), ("0", "1513")), "1513", None),
        ((), "1513", None),
    ],
    ids=["both", "no session 0", "nothing of session 0", "two users", "not ended", "no session"],
)
def test_the_kernel_is_what_both_sessions_leave(
    read: Read, sessions: tuple[tuple[str, str], ...], services: str, kernel_ms: float | None
) -> None:
    nodes = "".join(f'<sessionShutdown sessionID="{n}" duration="{d}"/>' for n, d in sessions)
    text = (
        '<results timeFormat="msec"><shutdown><timing shutdownTime="23184"'
        f' servicesShutdownDuration="{services}">{nodes}</timing></shutdown></results>'
    )
    components = one(read(text.encode())).components
    found = [c.duration_ms for c in components if c.name == "kernel shutdown"]
    assert found == ([] if kernel_ms is None else [kernel_ms])


@pytest.mark.parametrize("session", ["-1", "", "x"])
def test_the_kernels_rest_is_unknown_where_a_session_is(read: Read, session: str) -> None:
    text = (
        '<results timeFormat="msec"><shutdown><timing shutdownTime="13066">'
        f'<sessionShutdown sessionID="1" duration="{session}"/></timing></shutdown></results>'
    )
    assert not [c for c in one(read(text.encode())).components if c.name == "kernel shutdown"]


def test_sessions_longer_than_the_whole_are_told(read: Read) -> None:
    text = (
        '<results timeFormat="msec"><shutdown><timing shutdownTime="100">'
        '<sessionShutdown sessionID="1" duration="500"/></timing></shutdown></results>'
    )
    reading = read(text.encode())
    assert not reading.sources[0].integrity.ok


def test_long_texts_are_bounded(read: Read) -> None:
    long = "x" * 900
    text = (
        f'<results timeFormat="msec"><boot><timing><interval name="{long}" duration="1"/></timing>'
        f'<services><serviceTransition name="{long}" group="{long}" container="{long}"'
        ' totalTransitionTimeDelta="2"/></services></boot></results>'
    )
    phase, service = one(read(text.encode())).components
    assert len(phase.name) == len(service.name) == 260
    assert len(service.group) == len(service.detail) == 200


def test_a_cut_summary_keeps_what_came_before(fixtures_dir: Path, read: Read) -> None:
    whole = (fixtures_dir / "logs" / "xperf-suspend.xml").read_bytes()
    reading = read(whole[: whole.index(b"<resumedevices")])
    assert named(one(reading), r"ROOT\PIWDDEV\0000").duration_ms == 20_016
    assert not reading.sources[0].integrity.ok


def test_a_summary_of_another_action_says_so(read: Read) -> None:
    reading = read(b'<results timeFormat="msec"><diskio><a/></diskio></results>')
    assert reading.records == ()
    assert "not" not in reading.sources[0].kind
    assert "holds no boot, shutdown or suspend" in reading.sources[0].integrity.problems[-1]


def test_a_declaration_is_refused(read: Read) -> None:
    text = '<!DOCTYPE results [<!ENTITY a "b">]><results timeFormat="&a;"><boot/></results>'
    with pytest.raises(RecordError, match="document type or entity"):
        read(text.encode())


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    phase_us=st.integers(0, 10**9),
    children_us=st.lists(st.integers(0, 10**7), max_size=8),
)
def test_own_time_is_the_rest_and_never_negative(
    read: Read, phase_us: int, children_us: list[int]
) -> None:
    children = "".join(f'<device name="D" duration="{us}"/>' for us in children_us)
    text = (
        f'<results timeFormat="usec"><suspend><resumedevices duration="{phase_us}">{children}'
        "</resumedevices></suspend></results>"
    )
    phase = named(one(read(text.encode())), "resume devices")
    rest_us = phase_us - sum(children_us)
    if not children_us or rest_us < 0:
        assert phase.own_ms is None or phase.own_ms == pytest.approx(0, abs=1e-6)
    else:
        assert phase.own_ms == pytest.approx(rest_us / 1000, abs=1e-3)
