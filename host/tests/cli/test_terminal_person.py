"""Somebody at a terminal is asked, and never waited for."""

import io
import os
import sys

import pytest

from resume_rig.cli.bench.verb_run import TerminalPerson, person_at_terminal


def test_where_nobody_sits_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))

    assert person_at_terminal() is None


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
def test_an_enter_after_the_question_is_the_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    master, slave = os.openpty()
    with os.fdopen(slave, encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        person = TerminalPerson()
        os.write(master, b"typed before\n")

        person.ask("Look at it.")
        before = person.answered()
        os.write(master, b"\n")

        assert (before, person.answered(), person.answered()) == (False, True, False)
    os.close(master)
    assert "Look at it." in capsys.readouterr().err
