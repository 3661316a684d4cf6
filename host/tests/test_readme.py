"""What the README claims: its example, its links; and that every page of docs/ can be found."""

import re
from pathlib import Path

import pytest

from resume_rig.cli.program import run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


def test_the_demo_prints_the_table_of_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    command = re.search(r"`resume-rig (demo [^`]*seed 7)` gives these numbers", README)
    assert command is not None
    assert run([*command[1].split(), "--out", str(tmp_path / "demo.rrs")]) == 0
    said = capsys.readouterr().out

    example = README.partition("gives these numbers):\n\n```\n")[2].partition("\n```")[0]
    answer, _, table = example.partition("\n...\n")
    assert said.startswith(answer)
    assert table in said


def test_the_readme_has_few_links_and_none_is_broken() -> None:
    links = LINK.findall(README)
    assert len(links) <= 20
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_readme_has_one_picture_of_report_and_application() -> None:
    assert re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README) == ["docs/pictures/hero.png"]
    composed = (ROOT / "docs" / "pictures.py").read_text("utf-8")
    assert '("report-under-reports", ' in composed
    assert '("explorer", ' in composed


def test_every_page_can_be_reached_from_the_first_one() -> None:
    docs = ROOT / "docs"
    first = (docs / "index.md").read_text("utf-8")
    linked = {str((docs / link).resolve()) for link in LINK.findall(first)}
    linked |= {
        str((docs / "decisions" / link).resolve())
        for link in LINK.findall((docs / "decisions" / "README.md").read_text("utf-8"))
    }
    pages = {str(page.resolve()) for page in docs.rglob("*.md")} - {str(docs / "index.md")}
    assert sorted(pages - linked) == []
