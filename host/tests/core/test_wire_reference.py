"""The page about the wire names what the CDDL names, and nothing else."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "reference" / "wire.md").read_text("utf-8")


def section(title: str) -> str:
    """Return what stands below a heading of the page."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    assert found is not None, title
    return found[1]


def rows(title: str) -> list[list[str]]:
    """Return the cells of a section's table, without heading and rule."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def errors(cddl: str) -> dict[int, str]:
    return {int(code): name for code, name in re.findall(r"^; {2,3}(\d+) ([\w-]+) ", cddl, re.M)}


def operations(cddl: str) -> set[tuple[int, str, str]]:
    """Return number, name and operation of each command."""
    return {
        (int(number), name, operation)
        for number, name, rest in re.findall(r"^; --- (\d+) (\w+)(.*)$", cddl, re.M)
        for operation in re.findall(r"\((read|write)\)", rest)
    }


def test_the_page_names_every_command_with_its_operations(cddl: str) -> None:
    page = [(int(row[0]), row[1].strip("`"), row[2]) for row in rows("Commands of group 64")]
    assert len(page) == len(set(page))
    assert set(page) == operations(cddl)


def test_the_page_names_every_error_with_its_code(cddl: str) -> None:
    assert {int(row[0]): row[1].strip("`") for row in rows("Errors")} == errors(cddl)


def test_every_refusal_of_a_command_is_an_error_and_the_reverse(cddl: str) -> None:
    told = {name for row in rows("Commands of group 64") for name in re.findall(r"`(.*?)`", row[4])}
    assert told | {"bad-request", "unknown"} == set(errors(cddl).values())


def test_what_the_vectors_provoke_is_told_of_the_command(cddl: str, vectors: dict) -> None:
    names = errors(cddl)
    provoked = {
        (entry["command"], entry["op"], names[entry["reply"]["fields"]["err"]["rc"]])
        for entry in vectors["exchanges"]
        if "err" in (entry.get("reply", {}).get("fields") or {})
    }
    told = {
        (int(row[0]), row[2], name)
        for row in rows("Commands of group 64")
        for name in [*re.findall(r"`(.*?)`", row[4]), "bad-request"]
    }
    assert {code for _, _, code in provoked} | {"unknown"} == set(names.values())
    assert provoked - told == set()


@pytest.mark.parametrize("word", ["proto", "boot", "ovr", "first", "next", "dutlog", "force", "at"])
def test_keys_that_the_page_speaks_of_are_in_the_contract(word: str, cddl: str) -> None:
    assert f"`{word}`" in PAGE
    assert re.search(rf'"{word}": ', cddl)


def test_the_version_is_that_of_the_contract(cddl: str) -> None:
    version = re.search(r"protocol version (\d+)", cddl)
    assert version is not None
    assert f"Protocol version {version[1]}." in PAGE
