"""Synthetic cycles and judgements, shaped like those of a healthy laptop unless told otherwise."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from resume_rig.analysis.stats.figures import failure_rate
from resume_rig.analysis.verdict.limits import judge_limits
from resume_rig.analysis.verdict.measures import Sighting, sighting_of
from resume_rig.model.channel import Actuator
from resume_rig.model.os_record import (
    Integrity,
    LogReading,
    LogSource,
    OsRecord,
    SleepKind,
    WakeSource,
)
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import (
    BROKEN,
    Correlation,
    IntervalName,
    OsClock,
    Outcome,
    OutsideCycle,
    OutsideState,
    ReconciledCycle,
)
from resume_rig.model.result.judgement import (
    CampaignFacts,
    JudgedRecord,
    KindJudgement,
    LogJudgement,
)
from resume_rig.model.result.match import RecordReason, UnmatchedRecord
from resume_rig.model.result.verdict import (
    Finding,
    FindingKind,
    NotJudged,
    Requirement,
    Statistics,
    Verdict,
    WhyNot,
)

MS = 1_000_000
WAKE_UTC_NS = 1_700_000_000_500_000_000
EDGE_BOUND_NS = 21_000
RESET_TO_TSC = BoundedNs(25 * MS, 15 * MS)

SYSFUND = Requirement(
    id="sysfund-0004",
    version=1,
    title="Resume from S3 in 2 seconds or less",
    source="System resume performance, a white paper",
    kinds=(SleepKind.S3,),
    resume_limit_ms=2000,
    bios_advised_ms=250,
)


def wake_source(text: str = "") -> WakeSource:
    return WakeSource(1, "power button", text)


def os_record(
    number: int = 0,
    *,
    bios_ms: int | None = 205,
    drivers_ms: int | None = 1043,
    kind: SleepKind = SleepKind.S3,
    wake_text: str = "",
    source: int = 0,
) -> OsRecord:
    slow_ms = max(0, (drivers_ms or 0) - 10_000)
    return OsRecord(
        source=source,
        record_id=790 + number,
        kind=kind,
        sleep_time_utc_ns=WAKE_UTC_NS + ((number - 1) * 30_000 - slow_ms) * MS,
        wake_time_utc_ns=WAKE_UTC_NS + number * 30_000 * MS,
        written_utc_ns=WAKE_UTC_NS + 900 * MS,
        sleep_ms=1400,
        wake_ms=max(1100, (drivers_ms or 0) + 57),
        driver_init_ms=drivers_ms,
        bios_init_ms=bios_ms,
        firmware_resume_ms=None if bios_ms is None else bios_ms - 97,
        firmware_resume_count=number,
        hiber_read_ms=None,
        hiber_write_ms=None,
        hiber_pages=None,
        wake_source=wake_source(wake_text),
        os_build=22000,
    )


def verdict_for(total_ms: int | None) -> Verdict:
    if total_ms is None:
        return Verdict.NO_EVIDENCE
    return Verdict.FAIL if total_ms > 2000 else Verdict.PASS


def bounded(value_ms: float, bound_ns: int = EDGE_BOUND_NS) -> BoundedNs:
    return BoundedNs(round(value_ms * MS), bound_ns)


def healthy_intervals(light_ms: float = 1_420.6) -> dict[IntervalName, BoundedNs]:
    return {
        IntervalName.PRESS_WIDTH: bounded(120.0),
        IntervalName.PRESS_TO_SLP_S3: bounded(52.31),
        IntervalName.PRESS_TO_PWR_OK: bounded(231.77),
        IntervalName.SLP_S3_TO_PWR_OK: bounded(179.46),
        IntervalName.PWR_OK_TO_PLTRST: bounded(101.9),
        IntervalName.PRESS_TO_PLTRST: bounded(333.67),
        IntervalName.PLTRST_TO_LIGHT: bounded(light_ms - 333.67, 550_000),
        IntervalName.PRESS_TO_LIGHT: bounded(light_ms, 550_000),
    }


def cycle(
    number: int = 1,
    *,
    bios_ms: int | None = 205,
    drivers_ms: int | None = 1043,
    light_ms: float = 1_420.6,
    matched: bool = True,
    ignored: bool = False,
    findings: Sequence[Finding] = (),
    wake_by: Actuator = Actuator.BUTTON,
) -> ReconciledCycle:
    intervals = healthy_intervals(light_ms)
    record = os_record(number, bios_ms=bios_ms, drivers_ms=drivers_ms) if matched else None
    total = None if record is None else record.resume_ms
    complete = None
    if total is not None:
        complete = intervals[IntervalName.PRESS_TO_PLTRST] + RESET_TO_TSC + bounded(total, MS)
    light = intervals[IntervalName.PRESS_TO_LIGHT]
    return ReconciledCycle(
        outside=OutsideCycle(
            number=number,
            outcome=Outcome.SLEPT_AND_WOKE,
            state=OutsideState.S3,
            wake_by=wake_by,
            trigger_ns=number * 40_000 * MS,
            asleep_from_ns=number * 40_000 * MS - 10_000 * MS,
            awake_from_ns=number * 40_000 * MS + 52 * MS,
            intervals=intervals,
            ignored=ignored,
        ),
        record=record,
        press_to_resume_complete=complete,
        unexplained=None if complete is None else bounded(0.4, 2 * MS),
        light_after_complete=None if complete is None else light - complete,
        verdict=Verdict.NO_EVIDENCE if ignored else verdict_for(total),
        judged=not ignored and total is not None,
        unjudged=NotJudged(WhyNot.IGNORED_BY_PLAN) if ignored else None,
        findings=tuple(findings),
    )


def never_woke(number: int) -> ReconciledCycle:
    return ReconciledCycle(
        outside=OutsideCycle(
            number=number,
            outcome=Outcome.NEVER_WOKE,
            state=OutsideState.S3,
            wake_by=Actuator.BUTTON,
            trigger_ns=number * 40_000 * MS,
            asleep_from_ns=number * 40_000 * MS - 10_000 * MS,
            awake_from_ns=None,
            intervals={IntervalName.PRESS_WIDTH: bounded(120.0)},
            findings=(
                Finding(
                    FindingKind.NEVER_WOKE,
                    "SLP_S3# stayed low for 30 s after the press; power was forced off and on.",
                    {"waited_s": 30, "press_width_ms": 120.0},
                ),
            ),
        ),
        record=None,
        press_to_resume_complete=None,
        unexplained=None,
        light_after_complete=None,
        verdict=Verdict.FAIL,
        judged=True,
        unjudged=None,
    )


def unmatched(number: int) -> UnmatchedRecord:
    return UnmatchedRecord(os_record(number), RecordReason.BETWEEN_CYCLES)


def correlation(
    cycles: Sequence[ReconciledCycle], verdict: Verdict = Verdict.PASS, why: str = "All met it."
) -> Correlation:
    judged = [cycle for cycle in cycles if cycle.judged]
    timed = [sighting_of(each) for each in judged if each.outside.outcome not in BROKEN]
    failed = sum(each.verdict is not Verdict.PASS for each in judged)
    return Correlation(
        cycles=tuple(cycles),
        unmatched_records=(),
        clock=OsClock(os_minus_host_s=-1.412, bound_s=0.5, drift_ppm=12.25),
        verdict=verdict,
        why=why,
        limits=judge_limits(SYSFUND, timed, len(judged) - len(timed)),
        failures=failure_rate(failed, len(judged), 0),
    )


def facts(**identity: str) -> CampaignFacts:
    return CampaignFacts(
        store_path="out/night.rrs",
        report_path="out/night.html",
        identity=identity
        or {
            "dut": "Example Computers Notebook 14 G3",
            "dut_bios": "N14 Ver. 01.07.02, 2025-03-11",
            "os": "Windows 11 build 22000",
            "rig": "resume-rig board, USB serial 0123456789AB",
            "firmware": "0.1.0, protocol 1",
            "host": "lab-7, Linux 6.1",
            "profile": "laptop",
            "software": "resume-rig 0.1.0",
        },
        plan={
            "cycles": 4,
            "state": "S3",
            "sleep_by": "button",
            "wake_by": "button",
            "dwell_s": 10.0,
            "ignore_first": True,
            "light_timeout_s": None,
        },
        outcomes={"slept-and-woke": 4, "never-woke": 0},
        faults=(),
        requirement=SYSFUND,
    )


def four_cycles() -> Correlation:
    bios_over = Finding(
        FindingKind.BIOS_OVER_ADVISED,
        "BIOS took 262 ms; at most 250 ms is advised.",
        {"bios_init_ms": 262, "advised_ms": 250},
    )
    cycles = [
        cycle(1, bios_ms=231, drivers_ms=1290, light_ms=1_611.2, ignored=True),
        cycle(2),
        cycle(3, bios_ms=262, drivers_ms=998, light_ms=1_399.0, findings=[bios_over]),
        cycle(4, bios_ms=207, drivers_ms=1061, light_ms=1_902.3),
    ]
    why = "3 of 3 judged cycles met the limit of 2000 ms; the slowest took 1268 ms."
    return correlation(cycles, why=why)


def slow_cycles() -> Correlation:
    cycles = [
        cycle(n, bios_ms=640 + 13 * n, drivers_ms=1500 + 170 * n, light_ms=3_100.0 + 90 * n)
        for n in range(1, 9)
    ]
    why = "8 of 8 judged cycles took longer than 2000 ms; the slowest took 3604 ms."
    return correlation(cycles, Verdict.FAIL, why)


def with_a_hang() -> Correlation:
    cycles = [cycle(1), cycle(2), never_woke(3), cycle(4, matched=False), cycle(5, bios_ms=None)]
    why = "Cycle 3 never woke: a cycle that does not come back is a failure."
    return correlation(cycles, Verdict.FAIL, why)


def long_campaign(count: int = 500) -> Correlation:
    draw = random.Random(7)
    cycles: list[ReconciledCycle] = []
    for number in range(1, count + 1):
        drivers = round(draw.lognormvariate(6.95, 0.09))
        if number in {count // 3, count // 2}:
            drivers = 12_511 if number == count // 2 else 2_214
        if number == (2 * count) // 3:
            cycles.append(never_woke(number))
            continue
        bios = round(draw.gauss(206, 4))
        light = 333.67 + 25 + bios + drivers * draw.uniform(0.85, 1.1)
        cycles.append(cycle(number, bios_ms=bios, drivers_ms=drivers, light_ms=light))
    why = "3 of 500 judged cycles failed: 2 took longer than 2000 ms and 1 never woke."
    return correlation(cycles, Verdict.FAIL, why)


def statistics_of(times: Sequence[int]) -> Statistics:
    if not times:
        return Statistics(0, None, None, None, None, None)
    ordered = sorted(times)
    return Statistics(
        n=len(ordered),
        min_ms=float(ordered[0]),
        median_ms=float(ordered[len(ordered) // 2]),
        mean_ms=sum(ordered) / len(ordered),
        p95_ms=float(ordered[-1]),
        max_ms=float(ordered[-1]),
    )


@dataclass(frozen=True, slots=True)
class LogShape:
    """What a synthetic log judgement is made of; tests vary single parts of it."""

    records: tuple[OsRecord, ...] = ()
    ignore_first: bool = False
    problems: tuple[str, ...] = ()
    path: str = "System.evtx"
    why: str = "All judged transitions met the limit."
    os_build: int | None = 22000
    extra_apart: tuple[KindJudgement, ...] = field(default=())


def log_judgement(shape: LogShape) -> LogJudgement:
    judged = [_judged(i, r, ignore_first=shape.ignore_first) for i, r in enumerate(shape.records)]
    times = [j.record.resume_ms for j in judged if j.judged and j.record.resume_ms is not None]
    apart_kinds = sorted({r.kind for r in shape.records} - {SleepKind.S3})
    apart = [_apart(kind, shape.records) for kind in apart_kinds]
    source = LogSource(
        shape.path,
        "evtx",
        shape.os_build,
        5803,
        Integrity(not shape.problems, shape.problems),
    )
    return LogJudgement(
        reading=LogReading((source,), shape.records),
        requirement=SYSFUND,
        cycles=tuple(judged),
        statistics=statistics_of(times),
        verdict=Verdict.NO_EVIDENCE if not times else verdict_for(max(times)),
        why=shape.why,
        failure_rate_upper=1 - 0.05 ** (1 / len(times)) if times else None,
        not_covered=(*apart, *shape.extra_apart),
        limits=judge_limits(SYSFUND, [Sighting(each.record) for each in judged if each.judged]),
        failures=failure_rate(0, len(times), 0),
    )


def _judged(index: int, record: OsRecord, *, ignore_first: bool) -> JudgedRecord:
    if record.kind is not SleepKind.S3:
        why = NotJudged.of(
            WhyNot.NOT_COVERED, requirement="sysfund-0004", covers="S3", kind=record.kind
        )
        return JudgedRecord(record, False, why, Verdict.NO_EVIDENCE)
    if record.resume_ms is None:
        why = NotJudged.of(WhyNot.NOT_REPORTED, missing="BiosInit")
        return JudgedRecord(record, False, why, Verdict.NO_EVIDENCE)
    if ignore_first and index == 0:
        why = NotJudged(WhyNot.IGNORED_FIRST)
        return JudgedRecord(record, False, why, Verdict.NO_EVIDENCE)
    return JudgedRecord(record, True, None, verdict_for(record.resume_ms))


def _apart(kind: SleepKind, records: Sequence[OsRecord]) -> KindJudgement:
    times = [r.resume_ms for r in records if r.kind is kind and r.resume_ms is not None]
    return KindJudgement(kind, sum(1 for r in records if r.kind is kind), statistics_of(times))


def mixed_log() -> LogJudgement:
    return log_judgement(
        LogShape(
            records=(
                os_record(0, bios_ms=149, drivers_ms=1095),
                os_record(1, bios_ms=149, drivers_ms=1055),
                os_record(2, bios_ms=None, drivers_ms=None, kind=SleepKind.DOZE),
                os_record(3, bios_ms=149, drivers_ms=1078),
                os_record(4, bios_ms=8020, drivers_ms=1339, kind=SleepKind.S4),
                os_record(5, bios_ms=149, drivers_ms=1048),
                os_record(6, bios_ms=7741, drivers_ms=1290, kind=SleepKind.S4),
            ),
            ignore_first=True,
            problems=("3 chunks of 79 have a wrong checksum; their records are missing.",),
        )
    )


HOSTILE = {
    "markup": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "ansi escape": "\x1b[2J\x1b]0;title\x07red",
    "c1 escape": "\x9b31mred",
    "right-to-left override": "photo\u202egnp.exe",
    "isolate": "a\u2066b\u2069",
    "64 KB": "A" * 65_536,
    "lone surrogate": "name\udcff",
    "line breaks": "one\r\ntwo\u2028three",
    "template": "{{ 7 * 7 }}{% raw %}",
}


@pytest.fixture(params=list(HOSTILE.values()), ids=list(HOSTILE))
def hostile(request: pytest.FixtureRequest) -> str:
    text = request.param
    assert isinstance(text, str)
    return text


@dataclass(frozen=True, slots=True)
class Samples:
    """The builders, handed to tests as one fixture: test folders are not packages."""

    cycle: Callable[..., ReconciledCycle] = cycle
    never_woke: Callable[[int], ReconciledCycle] = never_woke
    correlation: Callable[..., Correlation] = correlation
    facts: Callable[..., CampaignFacts] = facts
    os_record: Callable[..., OsRecord] = os_record
    unmatched: Callable[[int], UnmatchedRecord] = unmatched
    log_judgement: Callable[[LogShape], LogJudgement] = log_judgement
    log_shape: Callable[..., LogShape] = LogShape
    mixed_log: Callable[[], LogJudgement] = mixed_log
    four_cycles: Callable[[], Correlation] = four_cycles
    slow_cycles: Callable[[], Correlation] = slow_cycles
    with_a_hang: Callable[[], Correlation] = with_a_hang
    long_campaign: Callable[..., Correlation] = long_campaign


@pytest.fixture
def samples() -> Samples:
    return Samples()
