"""Each transition once, whatever tells of it, and which of them contradict themselves."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from resume_rig.analysis.answer.log import answered_log
from resume_rig.analysis.compare.samples import evidence_of_log
from resume_rig.analysis.ledger.contradictions import contradiction, doubted
from resume_rig.analysis.ledger.ledger import ledger_of
from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.os_record import Ending, Integrity, LogReading, LogSource, OsRecord, SleepKind
from resume_rig.model.result.verdict import Verdict
from resume_rig.oslog.reading import read_logs

S = 1_000_000_000
MS = 1_000_000
HOUR = 3_600 * S
Make = Callable[..., OsRecord]


def source(name: str, kind: str = "eventlog-xml") -> LogSource:
    return LogSource(name, kind, 22631, 9, Integrity(ok=True))


@pytest.fixture
def slept(record: Make) -> Callable[..., OsRecord]:
    """Return the account of the n-th sleep of a PC, 90 s after the one before."""

    def make(n: int, **fields: object) -> OsRecord:
        begun_ns = 1_800_000_000 * S + n * 90 * S + n * n * MS
        own = {
            "record_id": 400 + 7 * n,
            "sleep_time_utc_ns": begun_ns,
            "wake_time_utc_ns": begun_ns + 41 * S + 3 * n * MS,
            "written_utc_ns": begun_ns + 43 * S,
            "driver_init_ms": 600 + n,
            "computer": "PC-07",
        }
        return record(**{**own, **fields})

    return make


def later(record: OsRecord, by_ns: int, **fields: object) -> OsRecord:
    """Return a record as a log has it whose times were exported in another zone."""
    times = {
        name: None if (at_ns := getattr(record, name)) is None else at_ns + by_ns
        for name in ("sleep_time_utc_ns", "wake_time_utc_ns", "written_utc_ns")
    }
    return replace(record, **{**times, **fields})


def left(record: OsRecord, ending: Ending, record_id: int) -> OsRecord:
    """Return a sleep as its first events alone show it, 600 ms after its SleepTime."""
    nothing = dict.fromkeys(("sleep_ms", "wake_ms", "driver_init_ms", "bios_init_ms"))
    return replace(
        record,
        **nothing,
        record_id=record_id,
        sleep_time_utc_ns=(record.sleep_time_utc_ns or 0) + 600 * MS,
        wake_time_utc_ns=None if ending is Ending.OPEN else record.wake_time_utc_ns,
        ended=ending,
        notes=("No account.",),
    )


def reading(*logs: list[OsRecord], kinds: tuple[str, ...] = ()) -> LogReading:
    sources = tuple(
        source(f"{n}.xml", kinds[n] if kinds else "eventlog-xml") for n in range(len(logs))
    )
    records = [replace(each, source=n) for n, log in enumerate(logs) for each in log]
    return LogReading(sources, tuple(records))


def test_an_account_that_was_written_again_is_one_sleep(slept) -> None:
    again = replace(
        slept(2), record_id=999, wake_time_utc_ns=(slept(2).wake_time_utc_ns or 0) + 515 * MS
    )
    ledger = ledger_of(reading([slept(1), slept(2), again, slept(3)]))
    assert [r.record_id for r in ledger.reading.records] == [407, 414, 421]
    assert ledger.repeated == 1
    assert "1 record is of a sleep that another" in ledger.reading.sources[0].integrity.problems[0]


@pytest.mark.parametrize("zone_ns", [0, HOUR, -HOUR, 5 * HOUR + HOUR // 2])
@pytest.mark.parametrize("turned", [False, True])
def test_two_exports_hold_a_sleep_once_whatever_their_zones(slept, zone_ns, turned) -> None:
    first = [*(slept(n) for n in range(1, 9)), left(slept(9), Ending.OPEN, 461)]
    second = [later(slept(n), zone_ns) for n in range(5, 13)]
    logs = [second, first] if turned else [first, second]
    ledger = ledger_of(reading(*logs))
    assert len(ledger.reading.records) == 12
    assert all(record.ended is None for record in ledger.reading.records)
    assert ledger.reading.overlaps == (frozenset({0, 1}),)
    if zone_ns >= 0:
        numbers = [record.record_id for record in ledger.reading.records]
        assert numbers == sorted(numbers)


def test_a_wake_at_the_end_of_one_log_has_its_account_in_the_next(slept) -> None:
    ledger = ledger_of(reading([slept(1), left(slept(2), Ending.RESUMED, 412)], [slept(2)]))
    assert [(r.record_id, r.ended) for r in ledger.reading.records] == [(407, None), (414, None)]


def test_within_one_log_nothing_is_taken_for_the_sleep_beside_it(slept) -> None:
    """The clock went back: the second sleep lies within the first by its times alone."""
    odd = left(slept(2), Ending.RESUMED, 415)
    assert ledger_of(reading([slept(2), odd])).repeated == 0


def test_a_sleep_study_beside_the_log_tells_of_the_same_sleeps(slept) -> None:
    def session(n: int) -> OsRecord:
        account = slept(n)
        return replace(
            account,
            record_id=n,
            sleep_time_utc_ns=(account.sleep_time_utc_ns or 0) // S * S,
            wake_time_utc_ns=((account.wake_time_utc_ns or 0) // S + 1) * S,
            written_utc_ns=None,
        )

    log, study = [slept(n) for n in range(1, 4)], [session(n) for n in range(1, 6)]
    ledger = ledger_of(reading(log, study, kinds=("evtx", "powercfg-html")))
    assert (len(ledger.reading.records), ledger.repeated) == (5, 3)
    assert len(ledger_of(reading(log, study)).reading.records) == 8  # of one kind the values decide


def test_two_studies_without_times_share_most_of_their_sessions(slept) -> None:
    bare = dict.fromkeys(("sleep_time_utc_ns", "wake_time_utc_ns", "written_utc_ns"))
    one = [slept(n, **bare) for n in range(6)]
    other = [slept(n, **bare, record_id=n) for n in range(1, 7)]
    kinds = ("powercfg-html", "powercfg-html")
    assert len(ledger_of(reading(one, other, kinds=kinds)).reading.records) == 7
    strange = [slept(n, **bare, record_id=n) for n in (5, 20, 21, 22)]
    assert len(ledger_of(reading(one, strange, kinds=kinds)).reading.records) == 10
    assert len(ledger_of(reading(one, other)).reading.records) == 12


@pytest.mark.parametrize("kind", ["pwrtest-log", "s3resume", "powercfg-html"])
def test_what_other_tools_copy_of_the_log_is_the_same_sleep(slept, kind) -> None:
    bare = dict.fromkeys(("sleep_time_utc_ns", "wake_time_utc_ns", "written_utc_ns", "sleep_ms"))
    copied = [slept(n, **bare, record_id=n, computer="") for n in range(1, 5)]
    log = [slept(n) for n in range(3, 12)]
    for logs, kinds in (((log, copied), ("evtx", kind)), ((copied, log), (kind, "evtx"))):
        ledger = ledger_of(reading(*logs, kinds=kinds))
        assert len(ledger.reading.records) == 13 - ledger.repeated
        assert ledger.repeated == 0  # two of four are no majority
    more = [slept(n, **bare, record_id=n, computer="") for n in range(2, 7)]
    ledger = ledger_of(reading(more, log, kinds=(kind, "evtx")))
    assert (ledger.repeated, len(ledger.reading.records)) == (4, 10)
    constant = [replace(each, driver_init_ms=600) for each in (*more, *log)]
    same = ledger_of(reading(constant[:5], constant[5:], kinds=(kind, "evtx")))
    assert same.repeated == 0  # one value that does not vary shows nothing


def test_two_computers_are_never_one(slept) -> None:
    other = [replace(slept(n), computer="PC-08") for n in range(4)]
    ledger = ledger_of(reading([slept(n) for n in range(4)], other))
    assert (len(ledger.reading.records), ledger.computers) == (8, ("PC-07", "PC-08"))
    names = [name for name, _ in ledger.of_each_computer()]
    assert names == ["PC-07", "PC-08"]


def test_a_domain_and_another_case_make_no_other_computer(slept) -> None:
    joined = [replace(slept(n), computer="pc-07.example.com") for n in range(2, 5)]
    ledger = ledger_of(reading([slept(n) for n in range(3)], joined))
    assert (len(ledger.reading.records), ledger.computers) == (5, ("pc-07.example.com",))


def test_what_names_no_computer_stays_with_the_only_one_that_is_named(slept) -> None:
    nobody = [replace(slept(n), computer="") for n in range(3, 6)]
    ledger = ledger_of(reading([slept(n) for n in range(3)], nobody))
    ((name, whole),) = ledger.of_each_computer()
    assert (name, len(whole.records)) == ("PC-07", 6)


def test_a_ledger_of_a_ledger_is_itself(slept) -> None:
    once = ledger_of(reading([slept(1), slept(2)], [slept(2), slept(3)])).reading
    again = ledger_of(once)
    assert (again.reading, again.repeated) == (once, 0)


def test_each_computer_is_judged_alone_and_the_worst_counts(slept) -> None:
    slow = [replace(slept(n, driver_init_ms=2_400), computer="PC-08") for n in range(4)]
    judged = judge_log(
        reading([slept(n) for n in range(4)], slow), load_requirement("sysfund-0004")
    )
    assert [(unit.reading.computers, unit.verdict) for unit in judged.units] == [
        (("PC-07",), Verdict.PASS),
        (("PC-08",), Verdict.FAIL),
    ]
    assert judged.verdict is Verdict.FAIL
    answer = answered_log(judged).answer
    assert answer.headline == "2 computers, each judged alone: PC-07 PASS and PC-08 FAIL."
    assert [line.partition(":")[0] for line in answer.why] == ["PC-07", "PC-08"]
    assert (answer.verdict, answer.failures) == (Verdict.FAIL, None)
    assert answer.causes[0].numbers == (5, 6, 7, 8)  # as every face numbers them


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, ""),
        ({"driver_init_ms": 852, "wake_ms": 850}, ""),
        ({"driver_init_ms": 1_900, "wake_ms": 850}, "DriverInitDuration of 1900 ms"),
        ({"bios_init_ms": 39_400}, ""),
        ({"bios_init_ms": 41_400}, "41000 ms from SleepTime"),
        ({"bios_init_ms": 41_400, "sleep_time_utc_ns": None}, ""),
        ({"bios_init_ms": None}, ""),
    ],
)
def test_times_that_exclude_each_other(slept, fields, words) -> None:
    found = contradiction(slept(0, **fields))
    assert (found or "") == "" if not words else words in (found or "")


def test_where_most_contradict_themselves_the_others_are_doubted(slept) -> None:
    uptime = [slept(n, bios_init_ms=30_000 + n * 90_000) for n in range(6)]
    assert sorted(doubted(uptime)) == [0, 1, 2, 3, 4, 5]
    assert "5 of 6 records" in doubted(uptime)[0]
    one_odd = [slept(0, bios_init_ms=90_000), *(slept(n) for n in range(1, 6))]
    assert list(doubted(one_odd)) == [0]


def test_a_record_that_contradicts_itself_is_undecided_with_its_arithmetic(slept) -> None:
    records = [slept(0, bios_init_ms=52_000), *(slept(n) for n in range(1, 12))]
    judged = judge_log(reading(records), load_requirement("sysfund-0004"))
    first = judged.cycles[0]
    assert (first.undecided, first.verdict) == (True, Verdict.NO_EVIDENCE)
    assert "leave 38750 ms" in (first.why_not or "")
    assert "1 record contradicts itself" in judged.why
    left_out = evidence_of_log("x", reading(records))
    assert len(left_out.sightings) == 11
    assert "1 record with times that exclude each other left out" in " ".join(left_out.notes)


def test_a_log_of_contradictions_says_so_first(slept) -> None:
    records = [slept(n, bios_init_ms=300_000 + n) for n in range(1, 4)]
    answer = answered_log(judge_log(reading(records), load_requirement("sysfund-0004"))).answer
    assert answer.headline == "3 of 3 S3 with times that exclude each other."
    assert "what it counts" in answer.causes[0].what


def test_a_wake_that_nobody_accounts_for_is_in_every_count(fixtures_dir: Path) -> None:
    log = read_logs([fixtures_dir / "logs" / "wakes-without-account.xml"])
    judged = judge_log(log, load_requirement("sysfund-0004"))
    assert (judged.verdict, len(judged.cycles)) == (Verdict.NO_EVIDENCE, 8)
    assert [c.undecided for c in judged.cycles] == [
        *(False, True, False, False),
        *(False, False, True, True),
    ]
    assert judged.failures is not None
    assert judged.failures.upper > 0.8
    assert "4 transitions without resume times" in " ".join(evidence_of_log("x", log).notes)


def test_a_hibernation_that_became_a_boot_fails_where_it_is_covered(fixtures_dir: Path) -> None:
    log = read_logs([fixtures_dir / "logs" / "wakes-without-account.xml"])
    judged = judge_log(log, load_requirement("sysfund-0004", kinds=(SleepKind.S4,)))
    assert judged.verdict is Verdict.FAIL
    assert judged.why.startswith("1 S4 became a boot; Kernel-Boot 29")
    default = judge_log(log, load_requirement("sysfund-0004"))
    assert "1 S4 became a boot" in default.why


def test_a_series_names_transitions_by_their_numbers(slept) -> None:
    """Nobody looks for "transition 1007" in a table of 16."""
    records = [slept(n, record_id=1000 + n) for n in range(16)]
    records[3] = left(records[3], Ending.RESUMED, 1003)
    records[9] = replace(records[9], bios_init_ms=9_000)
    judgement = judge_log(reading(records), load_requirement("sysfund-0004"))
    (bios,) = [each for each in judgement.series if each.name == "bios_init_ms"]
    assert bios.outliers == (10,)
    of_two = [replace(each, computer=f"PC-{n % 2}") for n, each in enumerate(records)]
    units = judge_log(reading(of_two), load_requirement("sysfund-0004")).units
    found = [one.outliers for unit in units for one in unit.series if one.name == "bios_init_ms"]
    assert found == [(), (10,)]


def test_a_boot_in_place_of_a_resume_asks_for_its_reason(fixtures_dir: Path) -> None:
    logs = read_logs([fixtures_dir / "logs" / "linux-hibernate-refused.txt"])
    answer = answered_log(judge_log(logs, load_requirement("sysfund-0004"))).answer
    first, *_ = answer.causes
    assert "became a boot" in first.what
    assert "failed to quiesce" in first.what
    assert not [cause for cause in answer.causes if "S3" in cause.what + cause.step]
