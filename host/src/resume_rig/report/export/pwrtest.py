"""Judged records as PwrTest's XML log, the newer generation of its names.

What a record does not report is written as 0, as PwrTest does, and left out where a 0 would count.
Times are UTC and end with Z, which PwrTest's own do not.
"""

from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.result.judgement import JudgedRecord, LogJudgement
from resume_rig.report.text.hostile_text import one_line
from resume_rig.report.text.json_text import utc_json

# (TargetState, EffectiveState) in the words of PwrTest.
_STATES: Final = {
    SleepKind.S1: ("S1", "S1"),
    SleepKind.S3: ("S3", "S3"),
    SleepKind.HYBRID: ("S3", "S4"),
    SleepKind.S4: ("S4", "S4"),
}
_VALUE_LIMIT: Final = 200
_IDENTITY_NAMES: Final = {"system_product": "SystemProductName", "bios_version": "BIOSVersion"}


def pwrtest_xml(judgement: LogJudgement) -> Iterator[str]:
    """Yield the document in pieces: every record of a kind that PwrTest has, in order.

    A record without a measurement is a transition that did not succeed. Kinds that PwrTest does
    not have (fast startup, boots, Linux's suspend to idle) are left out.
    """
    yield '<?xml version="1.0" encoding="utf-8"?>\n<PwrTestLog>\n  <SystemInformation>\n'
    yield from _identity(judgement)
    yield "  </SystemInformation>\n  <SleepScenario>\n    <SleepTransitions>\n"
    number = 0
    for cycle in judgement.cycles:
        if _writable(cycle.record):
            number += 1
            yield _transition(cycle, number)
    yield "    </SleepTransitions>\n  </SleepScenario>\n</PwrTestLog>\n"


def left_out_count(judgement: LogJudgement) -> int:
    """Return how many records the document leaves out."""
    return sum(not _writable(cycle.record) for cycle in judgement.cycles)


def _writable(record: OsRecord) -> bool:
    return record.kind in _STATES or record.kind in {SleepKind.ABORTED, SleepKind.DOZE}


def _has_durations(record: OsRecord) -> bool:
    values = (record.bios_init_ms, record.driver_init_ms, record.sleep_ms, record.wake_ms)
    return any(values) or any((record.hiber_read_ms, record.hiber_write_ms))


def _identity(judgement: LogJudgement) -> Iterator[str]:
    sources = judgement.reading.sources
    pairs: dict[str, str] = {}
    for source in sources:
        if source.os_build is not None:
            pairs.setdefault("os_build_number", str(source.os_build))
        for name, value in source.identity:
            pairs.setdefault(name, value)
    for name, value in pairs.items():
        tag = _tag(name)
        if tag:
            yield f"    <{tag}>{escape(one_line(value, _VALUE_LIMIT))}</{tag}>\n"


def _tag(name: str) -> str:
    """Return a name of identity as PwrTest spells it; empty where it can be no element."""
    if name in _IDENTITY_NAMES:
        return _IDENTITY_NAMES[name]
    if not (name.isascii() and name.replace("_", "").isalnum() and name[:1].isalpha()):
        return ""
    words = [word.upper() if word in {"os", "bios"} else word.title() for word in name.split("_")]
    return "".join(words)


def _transition(cycle: JudgedRecord, number: int) -> str:
    record = cycle.record
    target, effective = _STATES.get(record.kind, ("S3", ""))
    status = one_line(record.kind.value) if record.kind not in _STATES else "pass"
    if not _has_durations(record):
        status = "not measured"  # or zeros would pass for the fastest resume of all
    values = (
        ("StartT", utc_json(record.sleep_time_utc_ns) or ""),
        ("EndT", utc_json(record.wake_time_utc_ns) or ""),
        ("TargetState", target),
        ("EffectiveState", effective),
        ("BIOSInitTimeMs", str(record.bios_init_ms or 0)),
        ("DriverWakeTimeMs", str(record.driver_init_ms or 0)),
        ("Suspend", None if record.sleep_ms is None else str(record.sleep_ms)),
        ("Resume", None if record.wake_ms is None else str(record.wake_ms)),
        ("HiberReadTimeMs", str(record.hiber_read_ms or 0)),
        ("HiberWriteTimeMs", str(record.hiber_write_ms or 0)),
        ("HiberPagesWritten", str(record.hiber_pages or 0)),
    )
    lines = "".join(
        f"        <{name}>{escape(value)}</{name}>\n" for name, value in values if value is not None
    )
    return (
        f'      <SleepTransition number="{number}" status={quoteattr(status)}>\n'
        f"{lines}      </SleepTransition>\n"
    )
