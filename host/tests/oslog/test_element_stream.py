"""XML of tools: nothing declared, nothing deep, nothing without bound; damage ends it politely."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from resume_rig.model.errors import RecordError
from resume_rig.oslog.source.elements import DEPTH_LIMIT, VALUE_LIMIT_CHARS, scan_elements
from resume_rig.oslog.source.problems import ProblemTally


class Listing:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self.seen.append(f"<{name} {dict(attributes)}>")

    def end(self, name: str, text: str) -> None:
        self.seen.append(f"</{name}> {text}")


def scan(path: Path, content: bytes) -> tuple[list[str], ProblemTally]:
    path.write_bytes(content)
    listing, tally = Listing(), ProblemTally()
    scan_elements(path, listing, tally)
    return listing.seen, tally


def test_names_lose_their_prefix_and_attributes_their_case(tmp_path: Path) -> None:
    seen, tally = scan(tmp_path / "a.xml", b'<p:A xmlns:p="u" startTime="1"> x <B/> y </p:A>')
    assert seen[0].startswith("<A ")
    assert "'starttime': '1'" in seen[0]
    assert seen[1:] == ["<B {}>", "</B> ", "</A> x  y"]
    assert tally.integrity().problems == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_that_of_the_bytes(tmp_path: Path, encoding: str) -> None:
    text = '<?xml version="1.0" encoding="windows-1252"?><a n="Lüfter">é</a>'
    seen, _ = scan(tmp_path / "a.xml", text.encode(encoding))
    assert seen == ["<a {'n': 'Lüfter'}>", "</a> é"]


@pytest.mark.parametrize(
    "content",
    [
        b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
        b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
        b"<a><b/></a><!ENTITY x 'y'>",
    ],
    ids=["entity", "external", "behind the root"],
)
def test_a_declaration_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(RecordError, match="document type or entity declaration"):
        scan(tmp_path / "a.xml", content)


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="nested deeper"):
        scan(tmp_path / "a.xml", b"<a>" * (DEPTH_LIMIT + 1))


def test_a_tag_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="more than 1 MiB"):
        scan(tmp_path / "a.xml", b'<a n="' + b"x" * 3_000_000)


def test_long_values_are_cut(tmp_path: Path) -> None:
    seen, _ = scan(tmp_path / "a.xml", b"<a>" + b"x" * 100_000 + b"</a>")
    assert seen[1] == "</a> " + "x" * VALUE_LIMIT_CHARS


@pytest.mark.parametrize("content", [b"<a><b></a>", b"<a><b/>", b"<a>&lol;</a>", b"<a/><a/>"])
def test_what_is_not_well_formed_keeps_what_came_before(tmp_path: Path, content: bytes) -> None:
    seen, tally = scan(tmp_path / "a.xml", content)
    assert seen[0] == "<a {}>"
    assert not tally.integrity().ok
    assert "line 1" in tally.integrity().problems[0]
