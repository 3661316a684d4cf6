"""PwrTest's XML in both generations of names, its text in both forms, and S3Resume's table.

Numbers are those of Microsoft's paper on resume from standby (figures 4 and 5, table 2).
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogReading, OsRecord, SleepKind
from resume_rig.model.result.verdict import Verdict
from resume_rig.oslog.reading import read_logs

Read = Callable[..., LogReading]

TRANSITION = """<SleepTransition number="1" status="{status}">
<TargetState>{target}</TargetState><EffectiveState>{effective}</EffectiveState>
<BIOSInitTimeMs>{bios}</BIOSInitTimeMs><DriverWakeTimeMs>442</DriverWakeTimeMs>
<Suspend>3120</Suspend><Resume>470</Resume><HiberPagesWritten>0</HiberPagesWritten>
</SleepTransition>"""


def log_of(*transitions: str) -> str:
    return f"<PwrTestLog><SleepTransitions>{''.join(transitions)}</SleepTransitions></PwrTestLog>"


def transition(
    status: str = "pass", target: str = "S3", effective: str = "S3", bios: str = "812"
) -> str:
    return TRANSITION.format(status=status, target=target, effective=effective, bios=bios)


def values(record: OsRecord) -> tuple[object, ...]:
    return (record.kind.value, record.bios_init_ms, record.driver_init_ms, record.resume_ms)


def test_the_console_form_of_the_paper(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "pwrtest-two-s3.log"])
    assert reading.sources[0].kind == "pwrtest-log"
    assert [values(record) for record in reading.records] == [
        ("S3", 149, 1075, 1224),
        ("S3", 149, 1068, 1217),
    ]
    assert [(r.sleep_ms, r.wake_ms) for r in reading.records] == [(4870, 1098), (4227, 1116)]
    assert [r.record_id for r in reading.records] == [0, 1]


def test_local_times_without_a_zone_are_not_reported_and_told(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "pwrtest-two-s3.log"])
    assert {(r.sleep_time_utc_ns, r.wake_time_utc_ns) for r in reading.records} == {(None, None)}
    assert reading.sources[0].integrity.ok
    assert any("names no zone" in problem for problem in reading.sources[0].integrity.problems)


def test_the_newer_log_form_in_utf_16_with_mixed_line_ends(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "pwrtest-newer.log"])
    assert [values(record) for record in reading.records] == [
        ("S3", 812, 442, 1254),
        ("aborted", None, None, None),
    ]
    assert ("system_s3_state_supported", "1") in reading.sources[0].identity


def test_the_old_names_of_the_xml(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "pwrtest-old-names.xml"])
    source = reading.sources[0]
    assert (source.kind, source.os_build, source.from_description) == ("pwrtest-xml", 6000, False)
    assert [values(record) for record in reading.records] == [
        ("S3", 149, 1095, 1244),
        ("S3", 149, 1055, 1204),
        ("aborted", None, None, None),
    ]
    assert [(r.sleep_ms, r.wake_ms) for r in reading.records[:2]] == [(4870, 1120), (4227, 1116)]
    assert dict(source.identity)["system_product"] == "Notebook 14"
    assert any("'fail'" in problem for problem in source.integrity.problems)


def test_the_new_names_of_the_xml(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "pwrtest-new-names.xml"])
    assert [values(record) for record in reading.records] == [
        ("hybrid", 812, 442, 1254),
        ("S4", None, 903, None),
    ]
    hibernated = reading.records[1]
    assert (hibernated.hiber_pages, hibernated.hiber_write_ms, hibernated.hiber_read_ms) == (
        *(38075, 17282),
        10964,
    )
    assert hibernated.sleep_ms == 20111  # not the 00:02:05 that the whole cycle took


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_any_encoding_gives_the_same(fixtures_dir: Path, read: Read, encoding: str) -> None:
    for name in ("pwrtest-two-s3.log", "pwrtest-new-names.xml", "s3resume.txt"):
        path = fixtures_dir / "logs" / name
        text = path.read_text("utf-8").replace("UNIT-7", "GERÄT-7")
        found = read(text.encode(encoding))
        assert [values(r) for r in found.records] == [values(r) for r in read_logs([path]).records]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r", "\r\r\n", "\n\n"])
def test_any_line_end_gives_the_same(fixtures_dir: Path, read: Read, line_end: str) -> None:
    text = (fixtures_dir / "logs" / "pwrtest-two-s3.log").read_bytes().decode()
    found = read(text.replace("\r\n", line_end).encode())
    assert [r.resume_ms for r in found.records] == [1224, 1217]


@pytest.mark.parametrize(
    "content",
    [
        "<PwrTestLog/>",
        "<PwrTestLog><SystemInformation><ComputerName>A</ComputerName></SystemInformation></PwrTestLog>",
        "Start: PwrTest\r\nSYSTEM_POWER_CAPABILITIES\r\n  A = 1\r\nEnd: Pass, PwrTest, (null)\r\n",
        "Transition # | BIOS Init | Driver Init | Total\n",
    ],
    ids=["empty root", "head only", "log that ends with Pass", "S3Resume"],
)
def test_a_log_without_a_transition_is_no_evidence(read: Read, content: str) -> None:
    reading = read(content.encode())
    assert reading.records == ()
    assert reading.sources[0].integrity.problems != ()
    judgement = judge_log(reading, load_requirement("sysfund-0004"))
    assert judgement.verdict is Verdict.NO_EVIDENCE


@pytest.mark.parametrize("status", ["pass", "PASS", "0", "0x0", "", "Success", "(null)"])
def test_what_succeeded_counts(read: Read, status: str) -> None:
    (record,) = read(log_of(transition(status)).encode()).records
    assert values(record) == ("S3", 812, 442, 1254)


@pytest.mark.parametrize("status", ["fail", "1", "0xC0000001", "aborted", "timeout"])
def test_what_failed_is_kept_without_its_times(read: Read, status: str) -> None:
    reading = read(log_of(transition(status)).encode())
    (record,) = reading.records
    assert values(record) == ("aborted", None, None, None)
    assert (record.sleep_ms, record.wake_ms) == (None, None)
    judgement = judge_log(reading, load_requirement("sysfund-0004"))
    assert judgement.verdict is Verdict.NO_EVIDENCE


@pytest.mark.parametrize(
    ("target", "effective", "kind"),
    [
        ("3", "3", SleepKind.S3),
        ("s3", "S3", SleepKind.S3),
        ("S1", "S1", SleepKind.S1),
        ("3", "4", SleepKind.HYBRID),
        ("Hibernate", "4", SleepKind.S4),
        ("S2", "S2", SleepKind.UNKNOWN),
        ("S3", "", SleepKind.UNKNOWN),
        ("banana", "S3", SleepKind.UNKNOWN),
    ],
)
def test_states_name_the_kind(read: Read, target: str, effective: str, kind: SleepKind) -> None:
    (record,) = read(log_of(transition(target=target, effective=effective)).encode()).records
    assert record.kind is kind


@pytest.mark.parametrize("bios", ["0", "", "-5", "99999999999", "x", "1.5"])
def test_a_bios_time_that_is_none_is_never_a_number(read: Read, bios: str) -> None:
    reading = read(log_of(transition(bios=bios)).encode())
    assert reading.records[0].bios_init_ms is None
    assert reading.sources[0].integrity.ok == (bios in {"0", ""})


def test_a_log_cut_inside_a_transition_does_not_judge_it(read: Read) -> None:
    text = log_of(transition(), transition())
    reading = read(text[: text.rindex("<Resume>")].encode())
    assert [r.kind.value for r in reading.records] == ["S3", "aborted"]
    assert not reading.sources[0].integrity.ok


def test_a_time_with_a_zone_is_read(read: Read) -> None:
    text = log_of(transition()).replace("<Target", "<StartT>2026-03-02T12:57:38.5Z</StartT><Target")
    reading = read(text.encode())
    assert reading.records[0].sleep_time_utc_ns == 1_772_456_258_500_000_000
    assert reading.sources[0].integrity.problems == ()


@pytest.mark.parametrize("text", ["17:14:57 01-20-2006", "01/20/2006 17:14:57::915", "17:14:57"])
def test_a_local_time_of_any_form_is_not_reported(read: Read, text: str) -> None:
    written = log_of(transition()).replace("<Target", f"<StartT>{text}</StartT><Target", 1)
    reading = read(written.encode())
    assert reading.records[0].sleep_time_utc_ns is None
    assert reading.sources[0].integrity.ok
    assert "names no zone" in reading.sources[0].integrity.problems[0]


def test_a_state_that_is_not_known_is_told(read: Read) -> None:
    reading = read(log_of(transition(target="S0ix", effective="S4")).encode())
    assert reading.sources[0].integrity.ok
    assert "'S0ix'" in reading.sources[0].integrity.problems[0]


def test_a_transition_that_the_newer_form_does_not_close_broke_off(read: Read) -> None:
    text = (
        "No.1 of 2 Transition -- TargetState: S3\n EffectiveState: S3\n BiosInitTimeMs: 1\n"
        " DriverWakeTimeMs: 2\nNo.2 of 2 Transition -- TargetState: S3\n EffectiveState: S3\n"
        " BiosInitTimeMs: 3\n DriverWakeTimeMs: 4\nNo.2 of 2 Transition -- Complete\n"
    )
    reading = read(text.encode())
    assert [(r.kind.value, r.resume_ms) for r in reading.records] == [("aborted", None), ("S3", 7)]


def test_original_lines_are_kept_on_request(fixtures_dir: Path) -> None:
    path = fixtures_dir / "logs" / "pwrtest-two-s3.log"
    kept = read_logs([path], keep_text=True).records[0].text
    assert "BiosInitTimeMs : 00000149" in kept
    assert read_logs([path]).records[0].text == ""


def test_s3resume_is_read_and_judged_as_the_script_does(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "s3resume.txt"])
    assert [r.resume_ms for r in reading.records] == [1244, 1204, 1227, 1197]
    judgement = judge_log(reading, load_requirement("s3resume"))
    assert [cycle.judged for cycle in judgement.cycles] == [False, True, True, True]
    figures = judgement.statistics
    assert (figures.min_ms, figures.max_ms, round(figures.mean_ms or 0)) == (1197, 1227, 1209)
    assert judgement.verdict is Verdict.PASS


def test_the_row_that_s3resume_ignores_is_ignored_by_every_requirement(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "s3resume.txt"])
    assert [record.ignored for record in reading.records] == [True, False, False, False]

    judgement = judge_log(reading, load_requirement("sysfund-0004"))

    assert judgement.cycles[0].why_not == "ignored: its listing marks it so"
    figures = judgement.statistics
    assert (figures.n, figures.max_ms, round(figures.mean_ms or 0)) == (3, 1227, 1209)
    assert "1 transition ignored as the listing says" in judgement.why


def test_a_wrong_sum_of_s3resume_is_told(read: Read) -> None:
    head = "Transition # | BIOS Init | Driver Init | Total\n"
    reading = read(f"{head}0 (ignored)  149  1095  1244\n1  149  1055  1205\n".encode())
    assert len(reading.records) == 2
    assert not reading.sources[0].integrity.ok


def test_our_own_table_is_not_taken_for_s3resumes(read: Read) -> None:
    ours = "Transition # | BIOS Init | Driver Init | Total | Verdict    | Record | Note\n1 2 3 5\n"
    with pytest.raises(RecordError, match="found other text"):
        read(ours.encode())


def test_a_declaration_in_the_xml_is_refused(read: Read) -> None:
    with pytest.raises(RecordError, match="document type or entity"):
        read(b"<!DOCTYPE PwrTestLog []><PwrTestLog/>")


def test_a_doze_that_was_asked_for_is_a_hibernation(read: Read) -> None:
    reading = read(log_of(transition(target="DozeS4", effective="S4")).encode())
    assert reading.records[0].kind is SleepKind.S4
    assert reading.sources[0].integrity.problems == ()


def standby_log(*elements: str) -> bytes:
    inner = "".join(f"<{each}/>" for each in elements)
    return f"<PwrTestLog><CSTransitions>{inner}</CSTransitions></PwrTestLog>".encode()


def at(tag: str, clock: str, day: str = "11/05/2026", name: str = "") -> str:
    named = f' name="{name}"' if name else ""
    return f'{tag}{named} Timestamp="{day}:{clock}"'


ENTERED = at("EnteringCS", "09:14:02.000")
EXITS = (at("ExitingCS", "09:15:02.310"), at("ExitedCS", "09:15:02.551"))


def test_a_modern_standby_has_its_exit_latency_and_phases(read: Read) -> None:
    phases = (
        at("PhaseEnter", "09:14:02.100", name="Connection"),
        at("PhaseExit", "09:14:07.100", name="Connection"),
    )
    (record,) = read(standby_log(ENTERED, *phases, *EXITS)).records
    assert record.kind is SleepKind.MODERN_STANDBY
    figures = {each.name: each.value for each in record.figures}
    assert figures == {"session_us": 60_551_000, "exit_latency_us": 241_000}
    assert [(each.name, each.duration_ms) for each in record.components] == [("Connection", 5000)]


def test_a_standby_over_midnight_is_as_long_as_it_was(read: Read) -> None:
    late = at("EnteringCS", "23:59:40.000")
    exits = (
        at("ExitingCS", "00:00:40.100", "11/06/2026"),
        at("ExitedCS", "00:00:40.480", "11/06/2026"),
    )
    (record,) = read(standby_log(late, *exits)).records
    assert {each.name: each.value for each in record.figures} == {
        "session_us": 60_480_000,
        "exit_latency_us": 380_000,
    }


@pytest.mark.parametrize(
    "elements",
    [
        (ENTERED,),
        (ENTERED, at("AbortingCS", "09:14:03.000"), at("AbortedCS", "09:14:03.100")),
    ],
    ids=["cut", "aborted"],
)
def test_a_standby_that_was_not_left_shows_nothing(read: Read, elements: tuple[str, ...]) -> None:
    (record,) = read(standby_log(*elements)).records
    assert record.kind is SleepKind.ABORTED
    assert record.figures == ()


@pytest.mark.parametrize(
    "exits",
    [
        (at("ExitingCS", "09:15:02.310"), at("ExitedCS", "09:15:01.000")),
        (at("ExitingCS", "99:99:99"), at("ExitedCS", "no time")),
    ],
    ids=["backwards", "no-times"],
)
def test_a_standby_with_impossible_times_has_no_latency(read: Read, exits: tuple[str, ...]) -> None:
    (record,) = read(standby_log(ENTERED, *exits)).records
    assert "exit_latency_us" not in {each.name for each in record.figures}


def test_entries_into_the_deepest_idle_state_are_counted(read: Read) -> None:
    def idle(deepest: int) -> str:
        states = f'<State Index="0" SuccessCount="9"/><State Index="1" SuccessCount="{deepest}"/>'
        return f"<PlatformIdleStats>{states}</PlatformIdleStats>"

    body = f"<{ENTERED}/>{idle(40)}<{EXITS[0]}/><{EXITS[1]}/>{idle(63)}"
    text = f"<PwrTestLog><CSTransitions>{body}</CSTransitions></PwrTestLog>"
    (record,) = read(text.encode()).records
    assert {each.name: each.value for each in record.figures}["deepest_idle_entries"] == 23
