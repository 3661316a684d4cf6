"""The command line's reference names every verb and option, and no other."""

import argparse
import re
from pathlib import Path

from resume_rig.cli.program import build_parser

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "reference" / "command-line.md").read_text("utf-8")


def below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def verbs() -> dict[str, argparse.ArgumentParser]:
    found = below(build_parser())
    assert found, "the parser has no verbs"
    return found


def parsers() -> list[argparse.ArgumentParser]:
    """Every verb's parser, and those of the verbs that a verb has."""
    return [inner for parser in verbs().values() for inner in (parser, *below(parser).values())]


def options() -> set[str]:
    found = {
        text
        for parser in parsers()
        for action in parser._actions
        for text in action.option_strings
        if text.startswith("--")
    }
    return found | {"--help"}


def test_every_verb_and_option_is_in_the_reference() -> None:
    missing = {name for name in verbs() if f"`{name}" not in PAGE}
    missing |= {option for option in options() if f"`{option}" not in PAGE}
    assert missing == set()


def test_the_reference_names_no_option_that_is_not_there() -> None:
    assert set(re.findall(r"`(--[a-z-]+)", PAGE)) - options() == set()


def test_nobody_is_sent_to_an_index_that_does_not_have_the_package() -> None:
    sent = [
        f"{page.relative_to(ROOT)}: {line}"
        for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
        for line in page.read_text("utf-8").splitlines()
        if re.search(r"pip install [^`#]*resume-rig", line)
    ]
    assert sent == []


def links(page: Path) -> set[Path]:
    """Return the files that a page links to."""
    targets = re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8"))
    return {(page.parent / target).resolve() for target in targets}


def test_every_page_is_in_the_readme_or_in_an_index() -> None:
    pages = set((ROOT / "docs").rglob("*.md"))
    indexes = {page for page in pages if page.name == "README.md"}
    indexes.add(ROOT / "docs" / "index.md")
    listed = set().union(*map(links, {ROOT / "README.md", *indexes}))
    assert pages - indexes - listed == set()
    assert indexes - set().union(*map(links, {ROOT / "README.md", *pages})) == set()


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
        for target in links(page)
        if not target.exists()
    ]
    assert broken == []
