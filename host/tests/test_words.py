"""What users read speaks the field's words: phrases of an earlier dialect stay out.

Each phrase has the term that stands for it now; the glossary has the terms and their sources.
"""

import argparse
import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from golden.frozen import ANSWERS, thawed

from resume_rig.cli.program import build_parser

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(ROOT / folder / "README.md" for folder in ("firmware", "hardware", "fixtures/logs")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
SOURCES = sorted((ROOT / "host" / "src").rglob("*.py"))
DATA = sorted(
    path
    for kind in ("j2", "toml", "ps1", "json")
    for path in (ROOT / "host" / "src").rglob(f"*.{kind}")
)

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
    r"(?<!-)(?i:\b(tells?|told|foretold)\b)": "reports, reported, shows",
    r"(?i:\b(press|trigger|PLTRST#?) to light\b|\btimes? to light\b|→ light\b)": "display on",
    r"^ *(outside|inside)(:| {2,})|^\| (outside|inside) \|": "measured, OS-reported",
    r"\bthe outside\b|(?i:\boutside (time|limit)s?\b|outside and inside)": "measured",
    r"\bRisk at most\b": "risk of false acceptance",
    r"(?<![\w`\"'-])rectangle\b(?![`\"'])": "rectangular distribution",
    r"(?<![\w`\"'-])unexplained(?![\w`\"'-])": "residual",
    r"without an interval": "confidence interval needs n >= ...",
    r"says who\?": "independently of its operating system",
    r"\bdrivers \d+ ms\b|= resume \d": "device init, total",
    r"\bclock_jump_us\b +\d": "clock jump, ms",
    r"^\W*±? ?certain\W*$": "worst-case bound",
}


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of each string that is no documentation."""
    documentation: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):  # a body before what it holds
        documentation.update(
            id(statement.value)
            for statement in _body(node)
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        )
        if not isinstance(node, ast.Constant) or id(node) in documentation:
            continue
        if isinstance(node.value, str) and not re.fullmatch("[a-z_-]+", node.value):  # no name
            yield node.lineno, node.value


def _body(node: ast.AST) -> list[ast.stmt]:
    body = getattr(node, "body", ())
    return body if isinstance(body, list) else []


def found_in(name: str, lines: Iterable[tuple[int, str]]) -> list[str]:
    lines = list(lines)
    # Nearly all texts hold none of them, so all lines are searched at once first.
    whole = "\n".join(text for _, text in lines)
    phrases = [phrase for phrase in AVOIDED if re.search(phrase, whole, re.MULTILINE)]
    return [
        f"{name}:{line}: {hit[0]!r}; say: {AVOIDED[phrase]}"
        for line, text in lines
        for phrase in phrases
        for hit in [re.search(phrase, text)]
        if hit is not None
    ]


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    yield from enumerate(path.read_text("utf-8").splitlines(), start=1)


@pytest.mark.parametrize("path", [*PAGES, *DATA], ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_page_speaks_the_words_of_the_field(path: Path) -> None:
    if path.name == "glossary.md":
        pytest.skip("it names the words to avoid")
    assert found_in(path.name, lines_of(path)) == []


def test_the_program_speaks_the_words_of_the_field() -> None:
    found = [
        line for path in SOURCES for line in found_in(str(path.relative_to(ROOT)), texts_of(path))
    ]
    assert found == []


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb in action.choices.values():
                yield from parsers(verb)


def test_every_help_speaks_the_words_of_the_field() -> None:
    shown = list(parsers(build_parser()))
    assert len(shown) > 30
    for parser in shown:
        said = enumerate(parser.format_help().splitlines(), start=1)
        assert found_in(f"{parser.prog} --help", said) == []


def test_every_answer_speaks_the_words_of_the_field() -> None:
    found = set()
    for place in ANSWERS.iterdir():
        name = place.name.removesuffix(".json.xz")
        for what, text in thawed(name).items():
            if "{" in text[:2] or "json" in what or what.startswith("export"):
                continue  # keys of documents are names, not words
            shown = re.sub(r"(?s)<(script|style)\b.*?</\1>|<[^>]*>", "\n", text)
            shown = shown.replace("unexplained", "")  # the name of a finding
            found.update(found_in(f"{name}, {what}", enumerate(shown.splitlines(), start=1)))
    assert not found, "\n".join(sorted(found))


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("It is judged apart.", "not covered by this requirement"),
        ("  inside   BIOS init 207 ms", "measured, OS-reported"),
        ("FAIL: press to light at most 750 ms", "display on"),
        ("another one is told who has it", "reports, reported, shows"),
        ("U is below 2 u wherever one rectangle dominates.", "rectangular distribution"),
        ("clock_jump_us  4722289", "clock jump, ms"),
    ],
)
def test_the_test_sees_a_phrase(line: str, instead: str) -> None:
    assert [found.rpartition("; say: ")[2] for found in found_in("x", iter([(3, line)]))] == [
        instead
    ]


def test_names_are_no_words() -> None:
    said = "`unexplained` has `press_to_light_ns`; the distribution is `rectangle`."
    assert found_in("x", iter([(1, said)])) == []
