"""Blocks of words and rows are read as words and rows one by one are; and how many is bounded."""

import io
from pathlib import Path

import pytest
from captured import changes
from hypothesis import example, given
from hypothesis import strategies as st
from vcd.reader import ScalarChange, TokenKind, VCDParseError, VectorChange, tokenize

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.rig.capture import csv_capture, gathering, vcd_capture
from resume_rig.rig.capture.gathering import doubts_of
from resume_rig.rig.capture.reading import read_capture

HEADER = """$timescale 1 ns $end
$var wire 1 ! PWR_OK $end
$var wire 1 b0 LED $end
$var wire 1 #1 PLTRST# $end
$var wire 1 \" OTHER $end
$var wire 8 & BUS $end
$enddefinitions $end
"""
CODES = {"!": "PWR_OK", "b0": "LED", "#1": "PLTRST"}
WORDS = st.one_of(
    st.builds("{}{}".format, st.sampled_from("01xzhL"), st.sampled_from(["!", "b0", "#1", '"'])),
    st.builds(
        "b{} {}".format, st.text("01xz", min_size=1, max_size=4), st.sampled_from([*CODES, "&"])
    ),
    st.builds("r{} &".format, st.floats(allow_nan=False, allow_infinity=False)),
    st.sampled_from(["$dumpvars", "$end", "$comment 1! #9 $end", "$comment $end"]),
    st.integers(0, 10**17),
)


def one_by_one(text: str) -> list[tuple[int, str, int]]:
    """Return the edges of a VCD by pyvcd's tokens."""
    t_ns, levels, found = 0, {}, []
    for token in tokenize(io.BytesIO(text.encode())):
        if token.kind is TokenKind.CHANGE_TIME:
            t_ns = token.data
        if not isinstance(token.data, ScalarChange | VectorChange):
            continue
        name = CODES.get(token.data.id_code)
        level = {"0": 0, "1": 1, "l": 0, "h": 1}.get(str(token.data.value).lower())
        if name is None or level is None:
            continue
        if levels.setdefault(name, level) != level:
            found.append((t_ns, name, level))
        levels[name] = level
    return found


@example(["0!", "$comment $end", "b1 !", "$end"], 60, " ")
@given(
    st.lists(WORDS, max_size=40), st.integers(1, 60), st.sampled_from([" ", "\n", "\r\n", "\t "])
)
def test_words_are_read_as_tokens_are(tmp_path_factory, words, block, space) -> None:
    times = iter(sorted(word for word in words if isinstance(word, int)))
    body = space.join(f"#{next(times)}" if isinstance(word, int) else word for word in words)
    text = f"{HEADER}#0{space}{body}{space}"
    try:
        expected = one_by_one(text)
    except VCDParseError:
        return  # it wants vectors to be what their declaration says
    path = tmp_path_factory.getbasetemp() / "words.vcd"
    path.write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vcd_capture, "_BLOCK", block)
        assert changes(read_capture(path, {})) == expected


def test_a_body_that_ends_in_a_value_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.vcd"
    for end in ("#5 b1", "#5 $comment 1! ", "#5 1", "#", "#5\0 1!"):
        path.write_text(f"{HEADER}#0 1! {end}")
        with pytest.raises(RecordError, match="not valid VCD"):
            read_capture(path, {})


CELLS = st.sampled_from(["0", "1", "x", "z", "", " 1", "0 ", "H"])


@given(
    st.lists(st.tuples(st.integers(-(10**6), 10**15), CELLS, CELLS), max_size=30),
    st.tuples(
        st.integers(0, 12),
        st.sampled_from(["s", "ms", "ns", "ps"]),
        st.sampled_from(["\n", "\r\n"]),
    ),
    st.integers(5, 200),
)
def test_plain_rows_are_read_as_the_csv_module_reads_them(
    tmp_path_factory, rows, form, block
) -> None:
    digits, unit, end = form

    def text(quote: str) -> str:
        lines = [f"t_{unit},LED,PLTRST#"]
        for value, *cells in sorted(rows):
            sign, whole = "-" if value < 0 else "", abs(value)
            t = f"{sign}{whole // 10**digits}.{whole % 10**digits:0{digits}}" if digits else value
            lines.append(",".join([f"{quote}{t}{quote}", *cells]))
        return end.join(lines) + end

    paths = [tmp_path_factory.getbasetemp() / name for name in ("plain.csv", "quoted.csv")]
    for path, quote in zip(paths, ("", '"'), strict=True):
        path.write_text(text(quote), newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_capture, "_BLOCK", block)
        answers = []
        for path in paths:
            try:
                answers.append(read_capture(path, {}))
            except RecordError as error:
                answers.append(str(error).partition(": ")[2])
        assert answers[0] == answers[1]


def test_more_edges_than_are_allowed_are_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(gathering, "EDGES_MAX", 10)
    body = "".join(f"#{n} {n % 2}! {n % 2}&\n" for n in range(40))
    path = tmp_path / "a.vcd"
    path.write_text(HEADER + body)
    with pytest.raises(RecordError, match="more than 10 edges, which is the most that is read"):
        read_capture(path, {})
    # Those of other signals do not count.
    path.write_text(HEADER + body.replace("!", '"') + "#99 1!")
    assert changes(read_capture(path, {})) == []


def test_signals_that_may_both_be_a_channel_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("t_s,SLP_S3#,slp_s3_n,D7\n0,1,1,1\n1,0,1,1\n")
    with pytest.raises(UsageError, match=r"allowed are 'SLP_S3#', 'slp_s3_n'; `--channel SLP_S3="):
        read_capture(path, {})
    capture = read_capture(path, {Channel.SLP_S3: ("slp_s3#", False)})
    assert changes(capture) == [(10**9, "SLP_S3", 0)]
    assert capture.notes == (
        "Signals that were not used: 'slp_s3_n', 'D7'; --channel NAME=SIGNAL takes one.",
    )


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("SLP_S3#,PWR_OK,LED", None),
        ("SLP_S3#,LED,LID", "PWR_OK is not in the capture: a sleep with the power left on looks"),
        ("PWR_OK,LED,LID", "SLP_S3# is not in the capture: sleeps are read off PWR_OK"),
        ("PLTRST#,LED,LID", "Neither SLP_S3# nor PWR_OK is in the capture"),
    ],
)
def test_what_is_missing_is_said(tmp_path: Path, names: str, said: str | None) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"t_s,{names}\n0,1,1,1\n1,0,0,1\n2,1,1,1\n")
    doubts = doubts_of(read_capture(path, {}))
    assert [doubt.startswith(said or "-") for doubt in doubts] == [True] * (said is not None)


@pytest.mark.parametrize(
    ("signal", "inverted", "said"),
    [("D1", False, None), ("D1", True, "do not invert it"), ("D0", False, "invert it")],
)
def test_a_button_that_is_pressed_most_of_the_time_is_doubted(
    tmp_path: Path, signal: str, inverted: bool, said: str | None
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("t_s,D0,D1,SLP_S3,PWR_OK\n0,0,1,1,1\n5,1,0,1,1\n6,0,1,1,1\n60,0,1,1,1\n")
    doubts = doubts_of(read_capture(path, {Channel.BUTTON: (signal, inverted)}))
    assert [f"Then {said}: --channel BUTTON=" in doubt for doubt in doubts] == [True] * bool(said)
