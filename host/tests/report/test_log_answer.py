"""The answer that `log` leads with, on a terminal, on a page and in its document."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from resume_rig.analysis.answer.log import answered_log
from resume_rig.analysis.answer.log_figures import no_sleep_sentence
from resume_rig.analysis.answer.next_step import PROFILES
from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.os_record import Integrity, LogReading, LogSource, SleepKind
from resume_rig.model.result.answer import Standing
from resume_rig.model.result.judgement import LogJudgement
from resume_rig.model.result.verdict import Comparison, Limit, Verdict
from resume_rig.oslog.reading import read_logs
from resume_rig.report.html import log_report
from resume_rig.report.log.document import log_document
from resume_rig.report.log.page import log_page
from resume_rig.report.log.terminal import log_table
from resume_rig.report.log.transitions import main_transitions, transitions_not_covered
from resume_rig.report.parts.answer import cause_text
from resume_rig.report.text.terminal_style import TerminalStyle

WORDS_MOST = 12
MS, S = 1_000_000, 1_000_000_000
BY_RIG = "run a campaign, or join a capture with this log by `resume-rig correlate`."
LOGS = Path(__file__).parents[3] / "fixtures" / "logs"

S3, HYBRID, S4, DOZE, FAST = (
    SleepKind.S3,
    SleepKind.HYBRID,
    SleepKind.S4,
    SleepKind.DOZE,
    SleepKind.FAST_STARTUP,
)

MET = "resumes within 2000 ms; the worst"


def headline(judgement: LogJudgement) -> str:
    """Return the sentence that every face begins with."""
    sentence = answered_log(judgement).answer.headline
    assert len(sentence.split()) <= WORDS_MOST, sentence
    return sentence


def advice_of(judgement: LogJudgement) -> str:
    """Return what to do, as a terminal shows it."""
    (cause,) = answered_log(judgement).answer.causes
    return cause_text(cause)


@pytest.fixture
def judged(samples: Any) -> Callable[..., Any]:
    """Judge one record of each kind, the longer the later; those without a time are `bare`."""

    def judge(
        *kinds: SleepKind, bare: Sequence[SleepKind] = (), judging: Sequence[SleepKind] = ()
    ) -> Any:
        records = tuple(
            samples.os_record(n, drivers_ms=1_000 + n, kind=kind) for n, kind in enumerate(kinds)
        ) + tuple(
            samples.os_record(100 + n, bios_ms=None, drivers_ms=None, kind=kind)
            for n, kind in enumerate(bare)
        )
        source = LogSource("System.evtx", "evtx", 22000, len(records), Integrity(True, ()))
        requirement = load_requirement("sysfund-0004", kinds=tuple(judging) or None)
        return judge_log(LogReading((source,), records), requirement)

    return judge


@pytest.fixture
def log_of() -> Callable[..., Any]:
    """Judge a log of the repository."""

    def judge(name: str, profile: str = "sysfund-0004", *kinds: SleepKind) -> Any:
        reading = read_logs([LOGS / name])
        return judge_log(reading, load_requirement(profile, kinds=kinds or None))

    return judge


@pytest.mark.parametrize(
    ("kinds", "bare", "answer", "sleeps"),
    [
        ((HYBRID,) * 3, (), f"3 of 3 {MET} 1207 ms.", "This PC uses hybrid sleep, no S3."),
        ((S3,), (DOZE,), f"1 of 1 {MET} 1205 ms.", "This PC uses S3."),
        ((S3, HYBRID), (), f"2 of 2 {MET} 1206 ms.", "This PC uses S3 and hybrid sleep."),
        (
            *((HYBRID,), (S3,), "Only 1 of 2 sleeps with a time; 90 % are needed."),
            "This PC uses hybrid sleep.",
        ),
        ((S4, S4), (FAST,), "No S3 or hybrid sleep, only 2 S4 and 1 fast startup.", ""),
        ((), (S3, S3), "No resume time here: 2 S3.", ""),
        ((), (DOZE,), "No S3 or hybrid sleep, only 1 doze to hibernate.", ""),
        ((), (), "No sleep here.", ""),
    ],
)
def test_the_answer_says_how_the_pc_sleeps(judged, kinds, bare, answer, sleeps) -> None:
    judgement = judged(*kinds, bare=bare)

    assert headline(judgement) == answer
    assert not sleeps or answered_log(judgement).answer.why[0] == sleeps


def test_a_failure_leads_with_how_many_and_the_worst(samples: Any) -> None:
    records = tuple(samples.os_record(n, drivers_ms=ms) for n, ms in enumerate((900, 2_400, 901)))
    source = LogSource("System.evtx", "evtx", 22000, len(records), Integrity(True, ()))
    judgement = judge_log(LogReading((source,), records), load_requirement("sysfund-0004"))

    assert headline(judgement) == "1 of 3 resumes over 2000 ms; the worst 2605 ms."
    assert answered_log(judgement).answer.counts.wrong == (2,)
    assert advice_of(judgement).startswith(
        "Driver: 1 resume over the limit, by 605 ms: device initialization takes 2400 of 2605 ms."
    )


LIMITED = [
    (
        Limit("sleep_ms", Comparison.AT_LEAST, 2 * S, "s"),
        "1 of 3 sleeps: sleep below 2000 ms; the worst",
    ),
    (
        Limit("sleep_ms", Comparison.ABOVE, 1_500 * MS, "ms"),
        "1 of 3 sleeps: sleep 1500 ms or less.",
    ),
    (
        Limit("sleep_ms", Comparison.ABOVE, S, "s"),
        "3 of 3 sleeps: sleep above 1000 ms; the worst 1500 ms",
    ),
    (
        Limit("hiber_read_rate", Comparison.AT_LEAST, 3.47, "pages/ms"),
        "rate at least 3.47 pages/ms.",
    ),
    (
        Limit("hiber_read_rate", Comparison.AT_LEAST, 800, "MB/s"),
        "3 of 3 sleeps: hibernation file read",
    ),
]


@pytest.mark.parametrize(("limit", "words"), LIMITED)
def test_the_answer_has_the_worst_of_what_is_limited(
    samples: Any, limit: Limit, words: str
) -> None:
    records = tuple(
        replace(
            samples.os_record(n, drivers_ms=900),
            sleep_ms=sleep_ms,
            hiber_pages=10_000,
            hiber_read_ms=100 + n,
        )
        for n, sleep_ms in enumerate((9_000, 1_500, 8_000))
    )
    source = LogSource("System.evtx", "evtx", 22000, len(records), Integrity(True, ()))
    judgement = judge_log(
        LogReading((source,), records),
        replace(
            load_requirement("sysfund-0004"),
            resume_limit_ms=None,
            guard_band=False,
            further=(limit,),
        ),
    )
    worst = {"pages/ms": "98.04 pages/ms", "MB/s": "401.57 MB/s"}.get(limit.unit, "1500 ms")

    answer = answered_log(judgement).answer
    assert words in headline(judgement)
    assert any(f"The worst, {worst} (" in each or "at the limit" in each for each in answer.why)
    assert "1105 ms" not in answer.text  # their total, which nothing limits


@pytest.mark.parametrize(
    ("log", "profile", "answer"),
    [
        (
            "xperf-shutdown.xml",
            "shutdown-12s",
            "1 of 1 shutdowns: system session phase below 12000 ms.",
        ),
        (
            "xperf-boot.xml",
            "boot-33s",
            "1 of 1 boots: end of BIOS to idle within 33500 ms.",
        ),
    ],
)
def test_a_boot_answers_with_what_is_limited(log_of, log: str, profile: str, answer: str) -> None:
    assert headline(log_of(log, profile)) == answer


def test_without_enough_evidence_the_worst_is_named_by_what_it_is(samples: Any) -> None:
    records = tuple(
        replace(samples.os_record(n, drivers_ms=900), sleep_ms=sleep_ms)
        for n, sleep_ms in enumerate((9_000, None, 8_000))
    )
    source = LogSource("System.evtx", "evtx", 22000, len(records), Integrity(True, ()))
    limit = Limit("sleep_ms", Comparison.AT_LEAST, 2 * S, "s")
    requirement = replace(load_requirement("sysfund-0004"), resume_limit_ms=None, further=(limit,))
    judgement = judge_log(LogReading((source,), records), requirement)

    assert judgement.verdict is Verdict.NO_EVIDENCE
    assert headline(judgement) == "Only 2 of 3 sleeps with a time; 90 % are needed."
    why = answered_log(judgement).answer.why
    assert "The worst, 8000 ms (transition 3), is 6000 ±1 ms from the limit." in why


@pytest.mark.parametrize(("drivers_ms", "worst"), [(2_468_929, 2_469_134), (1_796, 2_001)])
def test_a_time_has_all_of_its_digits(samples: Any, drivers_ms: int, worst: int) -> None:
    records = (samples.os_record(0, drivers_ms=drivers_ms),)
    source = LogSource("System.evtx", "evtx", 22000, len(records), Integrity(True, ()))
    judgement = judge_log(LogReading((source,), records), load_requirement("sysfund-0004"))

    assert f"the worst {worst} ms." in headline(judgement)
    (margin,) = (each for each in answered_log(judgement).answer.why if "The worst" in each)
    assert f"The worst, {worst} ms (transition 1), is {worst - 2000} ±2 ms from" in margin


def test_what_hybrid_means_for_the_requirement_is_said_once(judged) -> None:
    why = answered_log(judged(HYBRID, HYBRID)).answer.why

    assert why.count("Hybrid sleep resumes from S3, so sysfund-0004 covers it.") == 1
    assert why[-1].startswith("At most 78 % of sleeps fail (95 % confidence), if cycles fail")


@pytest.mark.parametrize(
    ("kinds", "bare", "judging", "advice"),
    [
        ((S4,), (), (), "give its own: --kind S4 --limit-ms MS."),
        ((HYBRID,), (), (S3,), "to judge it too: --kind S3 --kind hybrid."),
        ((), (S3,), (), f"Windows did not report that time; a rig measures from outside: {BY_RIG}"),
        ((), (FAST,), (), "put the PC into S3 or hybrid sleep, then read its log again."),
        ((), (), (), "put the PC into S3 or hybrid sleep, then read its log again."),
    ],
)
def test_without_a_verdict_it_says_how_to_have_one(judged, kinds, bare, judging, advice) -> None:
    assert advice_of(judged(*kinds, bare=bare, judging=judging)).endswith(advice)


LIGHT = f"Power button to display on is measured by a rig: {BY_RIG}"
KERNEL = "The kernel's own time stands in a kernel log of Linux."
OWN = "To judge what is here, name a profile of its own, as in --requirement"
NO_TIME = "has a time, so none can be judged."
TRANSITION = "To judge what is here, write a profile with a limit on figure:transition_ms."
XPERF = "such as a summary of `xperf -a boot`."
FOUR, DMESG, DIAGNOSTICS = (
    "four-s3-cycles.xml",
    "linux-6.6-dmesg.txt",
    "diagnostics-performance.xml",
)
NOT_LIT = "Power button to display on not measured here: 4 S3."


@pytest.mark.parametrize(
    ("log", "profile", "answer", "advice"),
    [
        (FOUR, "press-to-light-2s", NOT_LIT, f"{LIGHT} {OWN} sysfund-0004."),
        (FOUR, "xp-5s", NOT_LIT, f"{LIGHT} {OWN} sysfund-0004."),
        (
            *(FOUR, "chromeos-1s", "Kernel resume not measured here: 4 S3."),
            f"{KERNEL} {OWN} sysfund-0004.",
        ),
        (
            *(FOUR, "connected-standby-300ms", "No Modern Standby, only 4 S3."),
            f"{OWN} sysfund-0004.",
        ),
        (
            "every-kind.xml",
            "s4-20s",
            "Power button to display on not measured here: 1 S4.",
            "s4-rates.",
        ),
        (
            *("pwrtest-standby.xml", "sysfund-0004"),
            *("No S3 or hybrid sleep, only 2 Modern Standby.", f"{OWN} connected-standby-300ms."),
        ),
        ("xperf-boot.xml", "sysfund-0004", "No sleep here.", f"{OWN} boot-19s."),
        ("systemd-analyze.txt", "sysfund-0004", "No sleep here.", TRANSITION),
        (
            *("systemd-analyze.txt", "boot-19s", "End of BIOS to idle not measured here: 2 boots."),
            XPERF,
        ),
        (
            "systemd-analyze.txt",
            "boot-30s",
            "Power button to desktop not measured here: 2 boots.",
            BY_RIG,
        ),
        (
            *("xperf-pnp.csv", "sysfund-0004", "No sleep here."),
            "put the PC into S3 or hybrid sleep, then read its log again.",
        ),
        (
            *(DIAGNOSTICS, "sysfund-0004"),
            "No sleep here, only 2 records of what delayed one.",
            TRANSITION,
        ),
    ],
)
def test_the_advice_leads_to_a_verdict(
    log_of: Any, log: str, profile: str, answer: str, advice: str
) -> None:
    judgement = log_of(log, profile)

    assert headline(judgement) == answer
    assert advice_of(judgement).endswith(advice)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        (SleepKind.DIED, "1 died in sleep here, of which there is no time."),
        (SleepKind.ABORTED, "1 aborted sleep attempt here, of which there is no time."),
        (DOZE, "No doze to hibernate, only 1 S3 and 1 s2idle."),
    ],
)
def test_no_pc_is_put_into_what_is_no_state(log_of: Any, kind: SleepKind, answer: str) -> None:
    judgement = log_of(DMESG, "sysfund-0004", kind)

    assert headline(judgement) == answer
    assert advice_of(judgement).endswith(f"{NO_TIME} {OWN} chromeos-1s.")


def test_a_transition_that_does_not_count_is_no_missing_time(samples: Any) -> None:
    records = (samples.os_record(0),)
    source = LogSource("System.evtx", "evtx", 22000, 1, Integrity(True, ()))
    judgement = judge_log(LogReading((source,), records), load_requirement("s3resume"))

    assert headline(judgement) == "The only transition is ignored."
    assert "1 first transition ignored." in answered_log(judgement).answer.why


def test_kinds_and_limits_that_judge_nothing_have_an_answer(log_of: Any, judged: Any) -> None:
    advice = advice_of(log_of(FOUR, "sysfund-0004", SleepKind.BOOT, DOZE))
    assert advice.endswith("limits, such as a summary of `xperf -a boot`.")

    advised = replace(load_requirement("sysfund-0004"), resume_limit_ms=None)
    assert judge_log(judged(S3).reading, advised).why.startswith("Back whole in every cycle")
    judgement = judge_log(judged(S3).reading, replace(advised, back_whole=False))
    assert headline(judgement) == "sysfund-0004 requires nothing, so nothing is judged."


def test_the_advice_knows_what_the_shipped_profiles_limit() -> None:
    for name, (measure, kinds) in PROFILES.items():
        requirement = load_requirement(name)
        required = [each for each in requirement.limits() if each.required and not each.is_event]
        limited = {limit.measure for limit in required}
        assert (limited, requirement.kinds) == ({measure}, kinds)


@pytest.mark.parametrize(
    ("log", "profile", "row", "held", "tile"),
    [
        (
            *("power-notes.xml", "connected-standby-300ms", "Modern Standby, exit latency 412 ms"),
            *(("Modern Standby", "1", "412", "judged"), ("Exit latency, worst", "412 ms")),
        ),
        (
            *("xperf-boot.xml", "boot-33s", "boot, 30973 ms, end of BIOS to idle 32899 ms"),
            *(("boot", "1", "30973", "judged"), ("End of BIOS to idle, worst", "32899 ms")),
        ),
        (
            *("every-kind.xml", "s4-rates", "hibernation file read rate 131.99 pages/ms"),
            *(("S4", "1", "9044", "judged"), None),
        ),
    ],
)
def test_a_row_has_what_it_was_judged_by(
    log_of: Any, *, log: str, profile: str, row: str, held: tuple[str, ...], tile: Any
) -> None:
    judgement = log_of(log, profile)
    page = log_page(answered_log(judgement), "now")
    kind = page.kinds[0]

    assert main_transitions(answered_log(judgement))[0].note == row
    assert page.table.before[0].note == row
    assert (kind.kind, kind.measured, kind.greatest, kind.judged) == held
    assert tile is None or (page.tiles[0].name, page.tiles[0].value) == tile
    assert "no time is judged" not in page.tiles[0].detail


def test_sentences_list_kinds_and_lengths_one_way(log_of: Any) -> None:
    light = log_of(FOUR, "press-to-light-2s").why
    delayed = log_of(DIAGNOSTICS)

    assert "resume from S3, hybrid sleep, Modern Standby or s2idle; 4 records of S3, " in light
    assert "; 2 boots without a measurement." in log_of("systemd-analyze.txt", "boot-19s").why
    assert no_sleep_sentence(delayed, SleepKind.STANDBY_PERFORMANCE) == (
        "2 records, not covered by this requirement; one of them, which alone reports it, took"
        " 2640 ms."
    )


def test_terminal_page_and_document_lead_with_the_same_words(judged) -> None:
    log = answered_log(judged(HYBRID, HYBRID, S4))
    answer = log.answer.headline
    page = log_report(log, "now")
    document = json.loads("".join(log_document(log)))

    assert "".join(log_table(log, TerminalStyle())).startswith(f"PASS: {answer}\n")
    assert page.index(answer) < page.index("Requirement</h2>")
    assert list(document)[1:3] == ["verdict", "answer"]
    assert (document["answer"]["headline"], document["answer"]["verdict"]) == (answer, "PASS")
    assert document["answer"]["why"] == list(log.answer.why)


def test_a_transition_has_one_number_on_every_face(judged) -> None:
    log = answered_log(judged(S3, S4, S3, S4, S3))
    document = json.loads("".join(log_document(log)))
    text = "".join(log_table(log, TerminalStyle(), show_all=True))

    by_kind = {each["transition"]: each["kind"] for each in document["cycles"]}
    assert by_kind == {1: "S3", 2: "S4", 3: "S3", 4: "S4", 5: "S3"}
    assert [row.number for row in main_transitions(log)] == [1, 3, 5]
    assert [row.number for row in transitions_not_covered(log, S4)] == [2, 4]
    assert "Maximum Total Time: 1209, Transition No. 5" in text
    assert log.answer.counts[Standing.PASSED] == (1, 3, 5)
    assert log.answer.counts[Standing.NOT_COVERED] == (2, 4)
    assert document["answer"]["transitions"]["not_covered"] == [2, 4]
