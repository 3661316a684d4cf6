"""The pages of logs quote the problems that readers report: each quotation is what one says."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
READERS = ROOT / "host" / "src" / "resume_rig" / "oslog"
PAGES = sorted((ROOT / "docs" / "reference").glob("*.md"))
QUOTED = [
    (page.name, sentence.replace("`", ""))
    for page in PAGES
    for sentence in re.findall(r"^\| (.+?) \| (?:true|false) \|$", page.read_text("utf-8"), re.M)
]


def sentences_of(tree: ast.AST) -> Iterator[str]:
    """Yield each text of a module as a pattern, with anything in the place of a value."""
    inner = {
        id(value)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for value in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+?"
                for part in node.values
            )
        elif isinstance(node, ast.Constant) and id(node) not in inner:
            yield re.sub(r"\\\{\w*\\\}", ".+?", re.escape(str(node.value)))


@pytest.fixture(scope="module")
def patterns() -> list[str]:
    return [
        pattern
        for path in READERS.rglob("*.py")
        for pattern in sentences_of(ast.parse(path.read_text("utf-8")))
        if len(pattern.replace(".+?", "")) > 8
    ]


def is_said(sentence: str, patterns: list[str]) -> bool:
    return any(re.fullmatch(rf"{pattern}(?:: .+)?\.?", sentence) for pattern in patterns)


@pytest.mark.parametrize(("page", "sentence"), QUOTED)
def test_a_reader_says_what_its_page_quotes(page: str, sentence: str, patterns: list[str]) -> None:
    assert is_said(sentence, patterns), f"{page}: no reader says {sentence!r}"


def test_a_sentence_that_no_reader_says_is_seen(patterns: list[str]) -> None:
    assert len(QUOTED) > 30
    assert not is_said("1 event is not well formed, so what it told is unknown.", patterns)
