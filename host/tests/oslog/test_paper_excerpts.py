"""Excerpts as Microsoft's papers print them: pieces, cut off, in typographic marks, by tabs."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resume_rig.analysis.findings.advice import advise
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogReading
from resume_rig.oslog.reading import read_logs

WriteText = Callable[[str], Path]

SERVICES = """<services autoStartStartTime="8531" autoStartEndTime="13146" autoStartDuration="4614">
  <serviceTransition name="PlugPlay" group="PlugPlay" transition="start"
    totalTransitionTimeDelta="621" startedAt="8532" endedAt="9153" />
  <serviceTransition name="RpcSs" group="COM Infrastructure" transition="start"
    startedAt="9313" endedAt="9381" />
  <serviceTransition name="Endless" transition="start" totalTransitionTimeDelta="-1"
    startedAt="9400" endedAt="-1" />
  <serviceTransition name="Untimed" transition="start" startedAt="9401" />
"""
SHUTDOWN = (
    '<results timeFormat="msec"> <shutdown> <timing shutdownTime="13066"'
    ' servicesShutdownDuration="2675"> <perSessionInfo> <sessionShutdown sessionID=”1”'
    " startTime=”448” endTime=”7091” duration=”6642”> <sessionShutdown sessionID=“0”"
    " startTime=“8335” endTime=“11010” duration=“2675”>"
)
DISK = (
    "Line\tProcess\tPath Name\tService Time (us)\tSize\tPri\tRead Counts\n"
    "1\tscanner.exe (860)\t\t3,035,396.797\t22,577,664\t\t442\n"
    "2\tsvchost.exe (1056)\tC:\\Windows\\a.dll\t135,680.516\t122,880\t\t2\n"
)


@pytest.fixture
def write_text(tmp_path: Path) -> WriteText:
    """Write a file and return its path."""

    def written(text: str) -> Path:
        path = tmp_path / "excerpt.txt"
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return written


def timed(reading: LogReading) -> list[tuple[str, float | None]]:
    (record,) = reading.records
    return [(part.name, part.duration_ms) for part in record.components]


def test_a_bare_block_of_services_has_their_times_and_invents_none(write_text: WriteText) -> None:
    reading = read_logs([write_text(SERVICES)])
    (record,) = reading.records
    assert (reading.sources[0].kind, record.kind) == ("xperf-boot", "boot")
    # From begin to end where the delta lacks; -1 had not ended; nothing at all is left out.
    assert timed(reading) == [("PlugPlay", 621), ("RpcSs", 68), ("Endless", None)]
    assert [(f.name, f.value) for f in record.figures] == [("services_auto_start_ms", 4614)]
    problems = " ".join(reading.sources[0].integrity.problems)
    assert "names 1 services without a time" in problems
    assert not reading.sources[0].integrity.ok  # it is cut off, and says so


def test_group_policies_of_a_piece_have_only_times_that_are_told(write_text: WriteText) -> None:
    piece = (
        '<groupPolicy><script name="a.cmd" duration="2100"/><script name="b.cmd"'
        ' startTime="10" endTime="40"/><script name="c.cmd"/><script name="d.cmd" duration="-1"/>'
        "</groupPolicy>"
    )
    reading = read_logs([write_text(f'<results timeFormat="msec"><boot>{piece}</boot></results>')])
    assert timed(reading) == [("a.cmd", 2100), ("b.cmd", 30), ("d.cmd", None)]


def test_typographic_marks_are_read_as_straight_ones(write_text: WriteText) -> None:
    reading = read_logs([write_text(SHUTDOWN)])
    phases = timed(reading)
    assert phases == [("user session", 6642), ("system session", 2675), ("kernel shutdown", 3749)]
    assert "8 attributes stand between typographic" in reading.sources[0].integrity.problems[0]


def test_typographic_marks_within_a_value_stay(write_text: WriteText) -> None:
    text = '<services autoStartDuration="1"><serviceTransition name="the “fast” one"'
    text += ' totalTransitionTimeDelta="5"/></services>'
    assert timed(read_logs([write_text(text)])) == [("the “fast” one", 5)]


def test_a_table_that_was_copied_is_read_by_its_tabs(write_text: WriteText) -> None:
    reading = read_logs([write_text(DISK)])
    assert reading.sources[0].kind == "wpa-table"
    assert timed(reading) == [
        ("scanner.exe (860)", pytest.approx(3035.396797)),
        ("svchost.exe (1056)", pytest.approx(135.680516)),
    ]


def test_drivers_that_the_loader_loads_are_named_and_advised_about(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "xperf-dumper.csv"])
    assert reading.sources[0].boot_start_drivers == ("disk.sys", "ramdisk.sys")
    (advice,) = [one for one in advise(reading) if one.topic == "boot-start-signatures"]
    assert (advice.names, advice.count) == (("disk.sys", "ramdisk.sys"), 2)
    assert "embedded signature" in advice.text


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.sampled_from((SERVICES, SHUTDOWN, DISK)),
    cut=st.integers(0, 600),
    place=st.integers(0, 600),
    noise=st.text(st.sampled_from('“”"=<>\t,/-\0é9 e'), max_size=12),
)
def test_no_damage_of_an_excerpt_is_an_internal_error(
    write_text: WriteText, text: str, cut: int, place: int, noise: str
) -> None:
    damaged = text[:place] + noise + text[place : len(text) - cut]
    try:
        reading = read_logs([write_text(damaged)])
    except RecordError:
        return
    for record in reading.records:
        assert all(part.duration_ms is None or part.duration_ms >= 0 for part in record.components)
