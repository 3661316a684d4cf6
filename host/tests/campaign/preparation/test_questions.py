"""Nothing that is asked of a DUT changes it, and hostile answers are shown tamed."""

import re

from resume_rig.campaign.dut.shell import Answer, DutKind
from resume_rig.campaign.preparation.doctor import items_for, look_at
from resume_rig.model.preparation import Found, Prepared, Standing
from resume_rig.report.preparation import checklist_lines, preparation_json, preparation_lines
from resume_rig.report.text.terminal_style import TerminalStyle

READS = re.compile(
    r"powercfg /(a|qh SCHEME_CURRENT|getactivescheme)$|reg query |netsh wlan show |"
    r"pnputil /enum-devices |wevtutil (gli|gl|qe) |cat /|ls -d /|"
    r"busctl get-property "
)
STYLE = TerminalStyle(colour=False, unicode=True, width=80)


def test_every_question_only_reads() -> None:
    for kind in DutKind:
        for item in items_for(kind, 10):
            assert item.questions
            for question in item.questions:
                assert READS.match(question), question
                # Nothing that a shell would take for a second command.
                assert not re.search(r"[;|`$]|>[^=0-9]|&", question.split('"')[0]), question


def test_each_question_is_asked_once() -> None:
    asked: list[str] = []

    def run(command: str) -> Answer:
        asked.append(command)
        return Answer(b"", 1)

    list(look_at(run, 10))
    assert len(asked) == len(set(asked))


def test_what_a_dut_says_cannot_move_the_cursor() -> None:
    def run(command: str) -> Answer:
        hostile = b"    Domain    REG_SZ    \x1b[2Jevil\xe2\x80\xae" + b"x" * 5000
        return Answer(hostile if "Domain" in command else b"", 0)

    shown = "".join(preparation_lines(look_at(run, 10), STYLE))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert max(map(len, shown.splitlines())) < 400


def test_an_item_that_is_good_has_one_line_and_one_that_is_not_says_what_to_do() -> None:
    item = items_for(DutKind.WINDOWS, 10)[2]
    good = "".join(preparation_lines([Prepared(item, Found(Standing.GOOD, "off"))], STYLE))
    bad = "".join(preparation_lines([Prepared(item, Found(Standing.CHANGE, "on"))], STYLE))
    assert good == "ok   hybrid sleep: off\n"
    assert bad.startswith("SET  hybrid sleep: on\n")
    assert f"set it by: {item.remedy}" in bad
    (entry,) = preparation_json([Prepared(item, Found(Standing.CHANGE, "on"))])
    assert isinstance(entry, dict)
    assert entry["standing"] == "change"


def test_the_checklist_has_every_item() -> None:
    items = items_for(DutKind.LINUX, 10)
    text = "".join(checklist_lines(items, STYLE))
    assert text.count("[ ]") == len(items)
    assert all(question in text for item in items for question in item.questions)
