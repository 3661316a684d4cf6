"""Reports of powercfg: the project's own, and real ones against counts made by other means."""

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from readings import figures

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogReading, SleepKind
from resume_rig.oslog.reading import read_logs

Read = Callable[..., LogReading]

HEAD = "<!DOCTYPE html>\n<html><script>var LocalSprData = "


def script(*sessions: str, tail: str = "]};</script></html>") -> str:
    system = '{"OSBuild":"22631.1.amd64fre.ni_release.220506-1250"}'
    joined = ",".join(sessions)
    return f'{HEAD}{{"SystemInformation":{system},"ScenarioInstances":[{joined}{tail}'


def test_a_session_of_every_type(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "sleep-study.html"])
    assert [(r.record_id, r.kind.value) for r in reading.records] == [
        (3, "modern-standby"),
        (4, "S3"),
        (5, "S1"),
        (6, "hybrid"),
        (7, "S4"),
        (8, "fast-startup"),
        (9, "shutdown"),
        (10, "unknown"),
        (11, "shutdown"),
        (12, "shutdown"),
    ]
    source = reading.sources[0]
    assert (source.os_build, source.records, source.integrity.problems) == (22631, 13, ())
    assert not source.from_description
    assert dict(source.identity) == {
        "system_manufacturer": "Example Corp.",
        "system_product": "Model 7",
        "bios_version": "1.2.3",
        "bios_date": "02/03/2024",
        "os_build": "22631.1.amd64fre.ni_release.220506-1250",
        "os_version": "22631.3447",
        "platform_role": "Mobile",
        "modern_standby": "yes",
    }
    assert figures(reading.records[-2]) == {"session_us": 60e6, "abnormal_shutdowns": 1}
    assert figures(reading.records[-1]) == {"session_us": 60e6, "bugchecks": 1}


def test_modern_standby(fixtures_dir: Path) -> None:
    standby, s3, *_ = read_logs([fixtures_dir / "logs" / "sleep-study.html"]).records
    assert figures(standby) == {
        "session_us": 600e6,
        "exit_latency_us": 812_000,
        "hardware_drips_percent": 75.0,
        "drips_percent": 90.0,
        "drips_delta_percent": 15.0,
    }
    assert [(c.name, c.phase, c.duration_ms) for c in standby.components] == [
        ("ScreenOnExitTime", "exit", 300.0)
    ]
    assert standby.wake_source.text == "Power Button"
    assert standby.sleep_time_utc_ns == 1_714_558_200 * 10**9  # UTC, not the local one
    assert (s3.bios_init_ms, s3.driver_init_ms, s3.resume_ms) == (700, 800, 1500)
    assert s3.wake_source.name == "power button"


def test_a_dash_for_a_reason_is_not_reported(fixtures_dir: Path) -> None:
    """The report has "-" for the fourth session of one, "----" for the first of the other."""
    for name in ("sleep-study-tables.html", "sleep-study.html"):
        records = read_logs([fixtures_dir / "logs" / name]).records
        assert all("-" not in record.wake_source.text for record in records)
        assert any(record.wake_source.text == "" for record in records)


def test_a_time_of_zero_is_not_reported(fixtures_dir: Path) -> None:
    unknown = read_logs([fixtures_dir / "logs" / "sleep-study.html"]).records[7]
    assert (unknown.kind, unknown.wake_time_utc_ns) == (SleepKind.UNKNOWN, None)


def test_labels_in_another_language_do_not_matter(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "sleep-study-tables.html"])
    hybrid, s3 = reading.records
    assert (hybrid.kind, hybrid.resume_ms, hybrid.hiber_write_ms) == (SleepKind.HYBRID, 1500, 2000)
    assert (hybrid.wake_source.name, hybrid.wake_source.text) == ("timer", "T&T")
    assert (hybrid.sleep_time_utc_ns, figures(hybrid)) == (None, {"session_us": 60e6})
    assert (s3.kind, s3.resume_ms, s3.record_id) == (SleepKind.S3, None, 4)
    assert dict(reading.sources[0].identity)["system_product"] == "Model 7"
    assert reading.sources[0].integrity.not_understood == (
        "Not understood: 2 of the report's sessions, the first 'session 2, Aktiv'.",
    )


def test_xml_by_its_description(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "sleep-study.xml"])
    standby, hibernate, strange = reading.records
    assert reading.sources[0].from_description
    assert figures(standby) == {
        "session_us": 600e6,
        "hardware_drips_percent": 75.0,
        "drips_percent": 90.0,
        "drips_delta_percent": 15.0,
    }
    assert (hibernate.kind, hibernate.wake_source.text) == (SleepKind.S4, "a < b")
    assert strange.kind is SleepKind.UNKNOWN
    assert any("Not understood: 1" in text for text in reading.sources[0].integrity.problems)


def test_xml_that_declares_is_refused(read: Read) -> None:
    text = (
        '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]>'
        '<SleepStudy xmlns="http://schemas.microsoft.com/sleepstudy/2012"/>'
    )
    with pytest.raises(RecordError, match="entity declaration"):
        read(text)


@pytest.mark.parametrize(
    ("text", "kinds", "problem"),
    [
        pytest.param(
            script('{"Type":5}', "{'Type':5,'x':'a\\'\"]}'}"), ["S4", "S4"], None, id="quotes"
        ),
        pytest.param(script('{"Type":5}', '{"Type":5,'), ["S4"], "ends too early", id="cut"),
        pytest.param(script('{"Type":5}', tail=""), [], "ends too early", id="no end"),
        pytest.param(script('{"Type":5', "x}"), [], "could not be read: 1", id="no JSON"),
        pytest.param(script('{"Type":12}'), ["unknown"], "of type 12", id="type 12"),
        pytest.param(script('{"Type":"5"}'), [], "which has no type", id="type as text"),
        pytest.param(
            script('{"Type":5,"Duration":1e999}'), ["S4"], "count as not reported: 1", id="inf"
        ),
        pytest.param(
            script('{"Type":5,"Duration":' + "9" * 5000 + "}"), [], "could not be read", id="digits"
        ),
        pytest.param(
            script('{"Type":5,"EntryTimestamp":"2024-99-01T00:00:00Z"}'),
            ["S4"],
            "count as not reported: 1",
            id="no date",
        ),
        pytest.param(script("[" * 5000), [], "ends too early", id="deep"),
        pytest.param(
            script('{"Type":5,"x":' + "[" * 90 + "]" * 90 + "}"), ["S4"], None, id="not too deep"
        ),
    ],
)
def test_damaged_and_hostile_data(
    read: Read, text: str, kinds: list[str], problem: str | None
) -> None:
    reading = read(text)
    assert [record.kind.value for record in reading.records] == kinds
    problems = reading.sources[0].integrity.problems
    assert (problem is None and not problems) or problem in " ".join(problems)


def test_a_page_of_powercfg_without_sessions_is_refused(read: Read) -> None:
    with pytest.raises(RecordError, match="without sessions, allowed are"):
        read('<html xmlns:slp="http://schemas.microsoft.com/sleepstudy/2012"></html>')


def test_any_other_page_is_none_of_powercfgs(read: Read) -> None:
    with pytest.raises(RecordError, match="found an HTML page"):
        read("<!DOCTYPE html><html><body>LocalSprData</body></html>")


def test_real_report_of_windows_11(shared_data: Path) -> None:
    path = shared_data / "powercfg" / "win11-26100-desktop-sleepstudy.html"
    text = path.read_text("utf-8")
    data, _ = json.JSONDecoder().raw_decode(text, text.index("{", text.index("LocalSprData")))
    kept = [session for session in data["ScenarioInstances"] if session["Type"] in (3, 5)]

    reading = read_logs([path])

    assert reading.sources[0].records == text.count('"SessionId":') == 107
    assert reading.sources[0].integrity.problems == ()
    assert Counter(r.kind.value for r in reading.records) == {"S3": 10, "S4": 5}
    for record, session in zip(reading.records, kept, strict=True):
        entry, left = (
            int(datetime.fromisoformat(session[name]).timestamp()) * 10**9
            for name in ("EntryTimestamp", "ExitTimestamp")
        )
        assert (record.record_id, record.sleep_time_utc_ns, record.wake_time_utc_ns) == (
            *(session["SessionId"], entry),
            left,
        )
        assert figures(record) == {"session_us": session["Duration"]}
        assert abs((left - entry) / 1000 - session["Duration"]) < 1_000_000
        assert (record.resume_ms, record.os_build) == (None, 26100)


def test_real_report_of_windows_10(shared_data: Path) -> None:
    path = shared_data / "powercfg" / "win10-19041-laptop-sleepstudy.html"
    text = path.read_text("utf-8")
    told = {
        name: [int(value) for value in re.findall(rf">{name}</td><td[^>]*>(\d+)<", text)]
        for name in ("BiosInitDuration", "DriverInitDuration", "HiberWriteDuration")
    }

    reading = read_logs([path])

    slept = [record for record in reading.records if record.kind is not SleepKind.SHUTDOWN]
    assert [record.kind for record in slept] == [SleepKind.HYBRID] * 4
    assert [r.bios_init_ms for r in slept] == told["BiosInitDuration"]
    assert [r.driver_init_ms for r in slept] == told["DriverInitDuration"]
    assert [r.hiber_write_ms for r in slept] == told["HiberWriteDuration"]
    assert [r.resume_ms for r in slept] == [2408, 2505, 2310, 2358]
    assert [r.record_id for r in slept] == [1, 3, 5, 11]
    assert [figures(r)["session_us"] for r in slept] == [
        27_526_000_000,  # 7:38:46
        28_470_000_000,  # 7:54:30
        57_000_000,
        32_360_000_000,  # 8:59:20
    ]
    assert reading.sources[0].os_build == 19041
