"""The answer that `log` leads with, on a terminal, on a page and in its document."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.os_record import Integrity, LogReading, LogSource, SleepKind
from resume_rig.report.html import log_report
from resume_rig.report.log.answer import answer_sentence, reason_sentences
from resume_rig.report.log.document import log_document
from resume_rig.report.log.terminal import log_table
from resume_rig.report.text.terminal_style import TerminalStyle

WORDS_MOST = 12

S3, HYBRID, S4, DOZE, FAST = (
    SleepKind.S3,
    SleepKind.HYBRID,
    SleepKind.S4,
    SleepKind.DOZE,
    SleepKind.FAST_STARTUP,
)

MET = "resumes within 2000 ms; the worst"


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


@pytest.mark.parametrize(
    ("kinds", "bare", "answer"),
    [
        ((HYBRID,) * 3, (), f"3 of 3 {MET} 1207 ms. This PC uses hybrid sleep, no S3."),
        ((S3,), (DOZE,), f"1 of 1 {MET} 1205 ms. This PC uses S3."),
        ((S3, HYBRID), (), f"2 of 2 {MET} 1206 ms. This PC uses S3 and hybrid sleep."),
        ((HYBRID,), (S3,), "1 resume judged, the worst 1205 ms. This PC uses hybrid sleep."),
        ((S4, S4), (FAST,), "No S3 or hybrid sleep, only 2 S4 and 1 fast startup."),
        ((), (S3, S3), "No resume time here: 2 S3."),
        ((), (DOZE,), "No S3 or hybrid sleep, only 1 doze to hibernate."),
        ((), (), "No sleep here."),
    ],
)
def test_the_answer_says_how_the_pc_sleeps(judged, kinds, bare, answer) -> None:
    judgement = judged(*kinds, bare=bare)

    assert answer_sentence(judgement) == answer
    assert all(len(part.split()) <= WORDS_MOST for part in answer.split(". "))


def test_a_failure_leads_with_how_many_and_the_worst(samples: Any) -> None:
    records = tuple(samples.os_record(n, drivers_ms=ms) for n, ms in enumerate((900, 2_400, 901)))
    source = LogSource("System.evtx", "evtx", 22000, len(records), Integrity(True, ()))
    judgement = judge_log(LogReading((source,), records), load_requirement("sysfund-0004"))

    assert answer_sentence(judgement) == (
        "1 of 3 resumes over 2000 ms; the worst 2605 ms. This PC uses S3."
    )
    assert "judged resumes" not in " ".join(reason_sentences(judgement))


def test_what_hybrid_means_for_the_requirement_is_said_once(judged) -> None:
    meaning, why = reason_sentences(judged(HYBRID, HYBRID))

    assert meaning == "Hybrid sleep resumes from S3, so sysfund-0004 covers it."
    assert why.startswith("Upper 95 % confidence limit of the failure rate")


@pytest.mark.parametrize(
    ("kinds", "bare", "judging", "advice"),
    [
        ((S4,), (), (), "give its own: --kind S4 --limit-ms MS."),
        ((HYBRID,), (), (S3,), "to judge it too: --kind S3 --kind hybrid."),
        ((), (S3,), (), "BiosInitDuration and DriverInitDuration."),
        ((), (FAST,), (), "put the PC into S3 or hybrid sleep, then read its log again."),
        ((), (), (), "put the PC into S3 or hybrid sleep, then read its log again."),
    ],
)
def test_without_a_verdict_it_says_how_to_have_one(judged, kinds, bare, judging, advice) -> None:
    assert reason_sentences(judged(*kinds, bare=bare, judging=judging))[-1].endswith(advice)


def test_terminal_page_and_document_lead_with_the_same_words(judged) -> None:
    judgement = judged(HYBRID, HYBRID, S4)
    answer = answer_sentence(judgement)
    page = log_report(judgement, "now")
    document = json.loads("".join(log_document(judgement)))

    assert "".join(log_table(judgement, TerminalStyle())).startswith(f"PASS: {answer}\n")
    assert page.index(answer) < page.index("Requirement</h2>")
    assert list(document)[1:3] == ["verdict", "answer"]
    assert document["answer"] == [answer, *reason_sentences(judgement)]
