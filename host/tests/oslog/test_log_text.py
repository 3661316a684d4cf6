"""Text of tools' logs: encodings, line ends and bounds."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resume_rig.oslog.source import lines as log_lines
from resume_rig.oslog.source.lines import LINE_LIMIT_CHARS, LogLines, LogText
from resume_rig.oslog.source.problems import ProblemTally

TEXT = "first\r\n\r\nsecond\rthird\nfourth\r\r\nGerät é\n"
LINES = ["first", "", "second", "third", "fourth", "", "Gerät é"]


def lines(path: Path, content: bytes) -> tuple[list[str], tuple[str, ...]]:
    path.write_bytes(content)
    tally = ProblemTally()
    return list(LogLines(path, tally)), tally.integrity().problems


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
@pytest.mark.parametrize("block_bytes", [1, 2, 3, 7, 256 * 1024])
def test_every_encoding_and_line_end_in_any_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, block_bytes: int
) -> None:
    monkeypatch.setattr(log_lines, "BLOCK_BYTES", max(block_bytes, 4))
    found, problems = lines(tmp_path / "log.txt", TEXT.encode(encoding))
    assert found == LINES
    assert (problems != ()) == (encoding == "cp1252")


def test_what_is_not_utf_8_is_told_and_read(tmp_path: Path) -> None:
    found, problems = lines(tmp_path / "log.txt", b"a\n" + "Lüfter".encode("cp1252") + b"\nb")
    assert found == ["a", "Lüfter", "b"]
    assert len(problems) == 1
    assert "Windows-1252" in problems[0]


def test_a_cut_utf_16_log_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes("abc".encode("utf-16")[:-1])
    tally = ProblemTally()
    (line,) = LogLines(path, tally)
    assert line.startswith("ab")
    assert not tally.integrity().ok


def test_a_line_without_end_stays_bounded(tmp_path: Path) -> None:
    found, problems = lines(tmp_path / "log.txt", b"x" * 1_000_000 + b"\nrest\n")
    assert found == ["x" * LINE_LIMIT_CHARS, "rest"]
    assert len(problems) == 1


@settings(max_examples=60, deadline=None)
@given(text=st.text(), cuts=st.lists(st.integers(1, 9), min_size=1))
def test_pieces_decode_as_the_whole(text: str, cuts: list[int]) -> None:
    data = b"ab" + text.encode("utf-8", "ignore") + b"yz"
    decoder = LogText(data[:4], ProblemTally())
    found, position = "", 0
    while position < len(data):
        size = cuts[position % len(cuts)]
        found += decoder.decode(data[position : position + size])
        position += size
    assert found + decoder.decode(b"", final=True) == data.decode("utf-8")
