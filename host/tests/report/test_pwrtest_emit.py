"""Records written as PwrTest's XML are read back to the same numbers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.oslog.reading import read_logs
from resume_rig.report.export.pwrtest import left_out_count, pwrtest_xml

VALUES = (
    *("kind", "sleep_time_utc_ns", "wake_time_utc_ns", "sleep_ms", "wake_ms", "driver_init_ms"),
    *("bios_init_ms", "hiber_read_ms", "hiber_write_ms", "hiber_pages"),
)
MS = st.none() | st.integers(1, 2**32 - 1)
TIME = st.none() | st.integers(0, 4_000_000_000).map(lambda seconds: seconds * 1_000_000_000)


def values_of(record: OsRecord) -> list[object]:
    return [getattr(record, name) for name in VALUES]


def read_back(tmp_path: Path, judgement: Any) -> tuple[OsRecord, ...]:
    path = tmp_path / "out.xml"
    path.write_text("".join(pwrtest_xml(judgement)), "utf-8")
    reading = read_logs([path])
    assert reading.sources[0].kind == "pwrtest-xml"
    assert reading.sources[0].integrity.ok
    return reading.records


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    values=st.fixed_dictionaries(
        {
            "kind": st.sampled_from([SleepKind.S1, SleepKind.S3, SleepKind.HYBRID, SleepKind.S4]),
            "driver_init_ms": st.integers(1, 2**32 - 1),
            "sleep_time_utc_ns": TIME,
            "wake_time_utc_ns": TIME,
            **dict.fromkeys(VALUES[3:5] + VALUES[6:], MS),
        }
    )
)
def test_every_number_comes_back(samples: Any, tmp_path: Path, values: dict[str, Any]) -> None:
    record = replace(samples.os_record(), **values)
    judgement = samples.log_judgement(samples.log_shape(records=(record,)))
    assert [values_of(back) for back in read_back(tmp_path, judgement)] == [values_of(record)]


def test_a_record_without_a_duration_did_not_pass(samples: Any, tmp_path: Path) -> None:
    unmeasured = replace(samples.os_record(), kind=SleepKind.S3, **dict.fromkeys(VALUES[3:], None))
    judgement = samples.log_judgement(samples.log_shape(records=(unmeasured,)))
    assert 'status="not measured"' in "".join(pwrtest_xml(judgement))
    (back,) = read_back(tmp_path, judgement)
    assert (back.kind, back.resume_ms) == (SleepKind.ABORTED, None)


def test_a_mixed_log_comes_back_in_order(samples: Any, tmp_path: Path) -> None:
    judgement = samples.mixed_log()
    found = [(r.kind.value, r.resume_ms, r.record_id) for r in read_back(tmp_path, judgement)]
    assert found == [
        ("S3", 1244, 1),
        ("S3", 1204, 2),
        ("aborted", None, 3),  # the doze: PwrTest knows no such word
        ("S3", 1227, 4),
        ("S4", 9359, 5),
        ("S3", 1197, 6),
        ("S4", 9031, 7),
    ]


def test_kinds_that_pwrtest_has_not_are_counted(samples: Any, tmp_path: Path) -> None:
    kinds = (SleepKind.S3, SleepKind.BOOT, SleepKind.FAST_STARTUP, SleepKind.S2IDLE)
    records = tuple(samples.os_record(n, kind=kind) for n, kind in enumerate(kinds))
    judgement = samples.log_judgement(samples.log_shape(records=records))
    assert left_out_count(judgement) == 3
    assert len(read_back(tmp_path, judgement)) == 1


def test_hostile_identity_stays_text(samples: Any, tmp_path: Path, hostile: str) -> None:
    judgement = samples.mixed_log()
    identity = ((hostile, "a"), ("computer_name", hostile), ("<b>", "c"))
    source = replace(judgement.reading.sources[0], identity=identity)
    judgement = replace(judgement, reading=replace(judgement.reading, sources=(source,)))
    assert len(read_back(tmp_path, judgement)) == 7
