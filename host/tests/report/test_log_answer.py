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
        ((HYBRID,) * 3, (), "No S3 here. This PC sleeps in hybrid: 3 resumes, worst 1207 ms."),
        ((S3,), (DOZE,), "This PC sleeps in S3: 1 resume, worst 1205 ms."),
        ((S3, HYBRID), (), "This PC sleeps in S3 and hybrid: 2 resumes, worst 1206 ms."),
        ((HYBRID,), (S3,), "This PC sleeps in hybrid: 1 resume, worst 1205 ms."),
        ((S4, S4), (FAST,), "No S3 and no hybrid here, only 2 S4 and 1 fast-startup."),
        ((), (S3, S3), "No resume time here: 2 S3."),
        ((), (DOZE,), "No S3 and no hybrid here, only 1 doze to hibernate."),
        ((), (), "No sleep here."),
    ],
)
def test_the_answer_says_how_the_pc_sleeps(judged, kinds, bare, answer) -> None:
    judgement = judged(*kinds, bare=bare)

    assert answer_sentence(judgement) == answer
    assert all(len(part.split()) <= WORDS_MOST for part in answer.split(". "))


def test_what_hybrid_means_for_the_requirement_is_said_once(judged) -> None:
    meaning, why = reason_sentences(judged(HYBRID, HYBRID))

    assert meaning == "Hybrid sleep resumes from S3, so sysfund-0004 covers it."
    assert why.startswith("2 of 2 judged resumes are within 2000 ms")


@pytest.mark.parametrize(
    ("kinds", "bare", "judging", "advice"),
    [
        ((S4,), (), (), "give its own: --kind S4 --limit-ms MS."),
        ((HYBRID,), (), (S3,), "to judge it too: --kind S3 --kind hybrid."),
        ((), (S3,), (), "BiosInitDuration and DriverInitDuration."),
        ((), (FAST,), (), "let the PC sleep in S3 or hybrid, then read its log again."),
        ((), (), (), "let the PC sleep in S3 or hybrid, then read its log again."),
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
