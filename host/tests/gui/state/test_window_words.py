"""Sentences that name an option of the command line name a field in the window."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import resume_rig
from resume_rig.gui.state.requirement_choice import FIELDS, in_window

PACKAGE = Path(resume_rig.__file__).parent
SHOWN = (
    "analysis",
    "campaign",
    "model",
    "oslog",
    "rig/capture",
    "rig/link",
    "report/campaign/answer.py",
    "report/log/transitions.py",
)
"""What makes sentences that pages show: findings, refusals, notes."""
NOT_FIELDS = {
    # Words for other programs, which no person reads.
    *("--after-cursor", "--no-pager", "--output-fields", "--what", "--who", "--why"),
    # The window wakes by no magic packet, and asks for help with no `--debug`.
    *("--lan-from", "--lan-to", "--debug"),
    # In commands that the window has nothing for.
    "--json",
}
OPTION = re.compile(r"--[a-z][a-z-]*[a-z]")


def sentences(path: Path) -> Iterator[str]:
    """Yield the texts of a module; docstrings are none."""
    tree = ast.parse(path.read_text("utf-8"))
    notes = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes:
            yield node.value


def test_every_option_that_a_shown_sentence_names_has_a_field() -> None:
    found = set()
    for place in SHOWN:
        path = PACKAGE / place
        for each in [path] if path.is_file() else path.rglob("*.py"):
            for text in sentences(each):
                # Commands that show more, whole in code or a text of their own, are for a terminal.
                bare = re.sub(r"`resume-rig (?!run --resume)[^`]*|^resume-rig .*", "", text)
                found |= set(OPTION.findall(bare))
    assert found - set(FIELDS) - NOT_FIELDS - {"--resume"} == set()


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("measure more, or say --one-session-is-enough.", "or say “One session is enough”."),
        ("1 S4 (--kind S4)", "1 S4 (“Kind” S4)"),
        ("wrong way up? `--channel PWR_OK=~SIGNAL` inverts", "“Signals” PWR_OK=~SIGNAL inverts"),
        (
            "go on with it by `resume-rig run --resume 'a b.rrs'`, or",
            "by Resume (page Campaign), or",
        ),
        ("; `run --power-cycle COMMAND` would let", "; “Power cycle” COMMAND would let"),
        (
            "`resume-rig store salvage x.rrs --out NEW` writes",
            "store salvage x.rrs --out NEW` writes",
        ),
        ("to judge it too: --kind S3 --kind hybrid.", "too: “Kind” S3, then “Kind” hybrid."),
        ("its own: --kind S4 --limit-ms MS.", "its own: “Kind” S4, “Limit, ms” MS."),
        ("resume-rig correlate STORE --budget", "Limits, Uncertainty"),
        (
            "resume-rig run --trace wpr (Linux: x -m y)",
            "“Trace by” and “DUT shell” (Linux: x -m y)",
        ),
        ("resume-rig doctor --rig URL --dut PC", "resume-rig doctor --rig URL --dut PC"),
        ("(`resume-rig correlate` judges stores)", "(`resume-rig correlate` judges stores)"),
        ("two--three and a -- b", "two--three and a -- b"),
    ],
)
def test_a_sentence_names_the_windows_own_field(sentence: str, shown: str) -> None:
    assert shown in in_window(sentence)
