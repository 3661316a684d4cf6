import re
from dataclasses import replace
from typing import Any

import pytest

from resume_rig.analysis.answer.log import answered_log
from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.os_record import Integrity, LogReading, LogSource, SleepKind, kind_count
from resume_rig.model.result.verdict import Verdict
from resume_rig.report.log.page import log_page
from resume_rig.report.log.terminal import log_table
from resume_rig.report.text.hostile_text import display_width
from resume_rig.report.text.terminal_style import TerminalStyle


def text_of(judgement: Any, *, show_all: bool = False, **style: Any) -> str:
    return "".join(log_table(answered_log(judgement), TerminalStyle(**style), show_all=show_all))


def many(samples: Any, count: int) -> Any:
    records = tuple(samples.os_record(n, drivers_ms=1_000 + n % 7) for n in range(count))
    return samples.log_judgement(samples.log_shape(records=records))


def test_it_speaks_the_words_of_s3resume(samples: Any) -> None:
    text = text_of(samples.mixed_log())
    assert "Transition # | BIOS Init | Driver Init | Total" in text
    assert re.search(r"^0 \(ignored\) +149 +1095 +1244\b", text, re.MULTILINE)
    assert re.search(r"^1 +149 +1055 +1204\b", text, re.MULTILINE)
    assert "Minimum Total Time: 1197, Transition No. 5\n" in text
    assert "Maximum Total Time: 1227, Transition No. 3\n" in text
    assert "Average Total Time: 1209\n" in text


def test_without_an_ignored_one_numbers_begin_at_one(samples: Any) -> None:
    text = text_of(many(samples, 2))
    assert re.search(r"^1 +205 +1000 +1205\b", text, re.MULTILINE)
    assert not re.search(r"^0\b", text, re.MULTILINE)


def test_a_record_without_a_measurement_stays_and_is_named(samples: Any) -> None:
    text = text_of(samples.mixed_log())
    row = r"^2 +- +- +- +not judged +792 +[-\d: ]+ +doze to hibernate, not\s+measured"
    assert re.search(row, text, re.MULTILINE)
    assert "doze to hibernate: 1 cycle, none measured." in text


def test_other_kinds_stand_apart(samples: Any) -> None:
    text = text_of(samples.mixed_log())
    head, _, tail = text.partition("S4, not covered by this requirement: 2 cycles, 2 measured")
    assert "9359" not in head
    assert re.search(r"^4 +8020 +1339 +9359 +not covered", tail, re.MULTILINE)
    assert "FAIL" not in tail  # S4 gets no verdict by a limit of S3


def test_an_unjudged_kind_of_the_table_does_not_make_the_extremes(samples: Any) -> None:
    records = (
        samples.os_record(0),
        samples.os_record(1, bios_ms=1, drivers_ms=1, kind=SleepKind.UNKNOWN),
    )
    text = text_of(samples.log_judgement(samples.log_shape(records=records)))
    assert "Minimum Total Time: 1248, Transition No. 1" in text


def test_the_answer_stands_first_with_its_reason(samples: Any) -> None:
    shape = samples.log_shape(records=(samples.os_record(),))
    assert text_of(samples.log_judgement(shape)).startswith(
        "PASS: 1 of 1 resumes within 2000 ms; the worst 1248 ms.\nThis PC uses S3.\n"
        "The worst, 1248 ms (transition 1), is 752 ±2 ms from the limit.\n"
    )


@pytest.mark.parametrize("lost", [(), ("1 time could not be read.",)])
def test_a_note_is_no_damage(samples: Any, lost: tuple[str, ...]) -> None:
    note = "1 record has a WakeTime before its SleepTime; both are kept as they stand."
    integrity = Integrity(ok=not lost, problems=(*lost, note), notes=(note,))
    source = LogSource("System.evtx", "evtx", 22000, 1, integrity)
    reading = LogReading((source,), (samples.os_record(),))
    judgement = judge_log(reading, load_requirement("sysfund-0004"))
    text = text_of(judgement)
    integrity_of_page = log_page(answered_log(judgement), "now").sources[0].problems

    assert f"Note on System.evtx: {note}" in text
    assert ("Incomplete: System.evtx: 1 time could not be read." in text) is bool(lost)
    assert text.count("Incomplete:") == len(lost)
    assert ("the log is incomplete (1 problem)" in judgement.why) is bool(lost)
    assert integrity_of_page == ((*lost, f"note: {note}") if lost else (note,))


def test_damage_of_a_source_is_told(samples: Any) -> None:
    text = text_of(samples.mixed_log())
    assert "Incomplete: System.evtx: 3 chunks of 79 have a wrong checksum" in text
    assert "1 log read, 0 complete." in text


def test_a_long_table_is_folded_to_what_took_longest_and_says_so(samples: Any) -> None:
    judgement = many(samples, 1_000)
    text = text_of(judgement)
    rows = re.findall(r"^(\d+) +205 +\d+ +(\d+)", text, re.MULTILINE)
    totals = sorted((c.record.resume_ms for c in judgement.cycles), reverse=True)
    assert sorted((int(total) for _, total in rows), reverse=True) == totals[:12]
    assert [int(number) for number, _ in rows] == sorted(int(number) for number, _ in rows)
    assert "12 of 1000 transitions: what did not pass, then the slowest; --all" in text


def test_a_folded_table_keeps_what_did_not_pass(samples: Any) -> None:
    judgement = many(samples, 40)
    failed = replace(judgement.cycles[20], verdict=Verdict.FAIL)
    cycles = (*judgement.cycles[:20], failed, *judgement.cycles[21:])
    text = text_of(replace(judgement, cycles=cycles))
    assert re.search(r"^21 .*FAIL", text, re.MULTILINE)


def test_a_row_says_when_and_by_what_the_dut_woke(samples: Any) -> None:
    text = text_of(samples.mixed_log())
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d +power button", text)
    narrower = text_of(samples.mixed_log(), width=100)
    assert "Woke (UTC)" not in narrower
    assert re.search(r"^1 .* power button", narrower, re.MULTILINE)


def test_counts_of_kinds_are_in_the_right_number() -> None:
    assert kind_count(1, SleepKind.ABORTED) == "1 aborted sleep attempt"
    assert kind_count(4, SleepKind.ABORTED) == "4 aborted sleep attempts"
    assert kind_count(16, SleepKind.S4) == "16 S4"


def test_all_rows_are_shown_on_request(samples: Any) -> None:
    text = text_of(many(samples, 1_000), show_all=True)
    assert len(re.findall(r"^\d+ +205", text, re.MULTILINE)) == 1_000
    assert "left out" not in text


def test_nothing_read_still_says_why(samples: Any) -> None:
    text = text_of(samples.log_judgement(samples.log_shape()))
    assert "(no transition)" in text
    assert text.startswith("NO-EVIDENCE: No sleep here.\nTo do, Rig: To have a verdict, put the PC")


def test_colour_is_used_only_where_it_is_allowed(samples: Any) -> None:
    plain = text_of(samples.mixed_log())
    coloured = text_of(samples.mixed_log(), colour=True)
    assert "\x1b" not in plain
    assert "\x1b[1;32mPASS\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


@pytest.mark.parametrize("width", [60, 80, 99, 100, 120, 200])
@pytest.mark.parametrize("unicode", [True, False], ids=["Unicode", "ASCII"])
def test_lines_fit_the_terminal(samples: Any, width: int, unicode: bool) -> None:
    text = text_of(samples.mixed_log(), width=width, unicode=unicode)
    # The heading of S3Resume and four numbers need this much; it never breaks.
    least = max(width, 75)
    assert max(map(len, text.splitlines())) <= least
    assert unicode or text.isascii()


def test_hostile_text_neither_moves_the_cursor_nor_floods(samples: Any, hostile: str) -> None:
    shape = samples.log_shape(
        records=(samples.os_record(wake_text=hostile),),
        problems=(hostile,),
        path=hostile,
        why=hostile,
    )
    for unicode in (True, False):
        text = text_of(samples.log_judgement(shape), unicode=unicode)
        text.encode("utf-8" if unicode else "ascii")
        assert all(c == "\n" or c.isprintable() for c in text)
        assert not set(text) & set("\u202e\u2066\u2069\u2028")
        assert len(text) < 6_000


def test_a_note_of_wide_signs_is_broken_by_their_width_and_stays_whole() -> None:
    style = TerminalStyle(colour=False, unicode=True, width=80)
    name = "device: Intel(R) USB \u53ef\u6269\u5c55\u4e3b\u673a - 1.10 (Microsoft)"
    lines = style.cell_lines(name, 24)
    assert " ".join(lines) == name
    assert all(display_width(line) <= 24 for line in lines)
    assert style.cell_lines("", 24) == [""]
    assert style.cell_lines("x" * 40, 24) == ["x" * 23 + "\u2026"]
