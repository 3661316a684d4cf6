"""What users read speaks the field's words: phrases of an earlier dialect stay out.

Each phrase has the term that stands for it now; the glossary has the terms and their sources.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from resume_rig.cli.program import build_parser

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
SOURCES = sorted((ROOT / "host" / "src").rglob("*.py"))
TEMPLATES = sorted((ROOT / "host" / "src").rglob("*.j2"))

AVOIDED = {
    r"in 95 of 100": "expanded uncertainty, 95 % coverage",
    r"\bcertainly within\b": "worst-case bound",
    r"what [A-Z_#0-9]+ (rising|falling) is": "edge definition",
    r"\bclock rate, \d+ ppb": "timebase tolerance, in ppm",
    r"would close it": "interval needs n >= ...",
    r"cycles without any would show": "failure-free cycles demonstrate ...",
    r"left out as asked|ignored as planned": "first transition ignored",
    r"judged apart": "not covered by this requirement",
    r"BIOS \+ drivers": "total resume time",
    r"as the OS (says|tells)": "OS-reported",
    r"seen by neither side": "unobserved",
    r"have their S0 IRP": "have completed their S0 set-power IRP",
    r"clock that nobody synchronises": "free-running clock (no reference)",
    r"of them whole": "complete",
    r"tell the same of themselves": "DUT identity and test conditions match",
    r"would have one in as many": "upper confidence limit of the fraction of units",
    r"tell each code": "reason code counts",
    r"\bGo on with\b": "Resume",
    r"\(usual\)": "Default",
    r"What happened": "Recovery log",
    r"Look again": "Reconnect",
    r"\btells? of\b|\btold of\b|\bforetold\b": "reports, reported",
}


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of each string that is no documentation."""
    tree = ast.parse(path.read_text("utf-8"))
    documentation = {
        id(statement.value)
        for node in ast.walk(tree)
        for statement in _body(node)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in documentation:
            continue
        if isinstance(node.value, str):
            yield node.lineno, node.value


def _body(node: ast.AST) -> list[ast.stmt]:
    body = getattr(node, "body", ())
    return body if isinstance(body, list) else []


def found_in(name: str, lines: Iterator[tuple[int, str]]) -> list[str]:
    return [
        f"{name}:{line}: {hit[0]!r}; say: {instead}"
        for line, text in lines
        for phrase, instead in AVOIDED.items()
        for hit in [re.search(phrase, text)]
        if hit is not None
    ]


@pytest.mark.parametrize("path", [*PAGES, *TEMPLATES], ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_page_speaks_the_words_of_the_field(path: Path) -> None:
    lines = enumerate(path.read_text("utf-8").splitlines(), start=1)
    name = path.name
    if name == "glossary.md":
        pytest.skip("it names the words to avoid")
    assert found_in(name, iter(lines)) == []


def test_the_program_speaks_the_words_of_the_field() -> None:
    found = [
        line for path in SOURCES for line in found_in(str(path.relative_to(ROOT)), texts_of(path))
    ]
    assert found == []


def test_the_help_speaks_the_words_of_the_field() -> None:
    said = enumerate(build_parser().format_help().splitlines(), start=1)
    assert found_in("--help", iter(said)) == []


def test_the_test_sees_a_phrase() -> None:
    assert found_in("x", iter([(3, "It is judged apart.")])) == [
        "x:3: 'judged apart'; say: not covered by this requirement"
    ]
