"""Text of a DUT in exports: it stays text, in every format."""

import csv
import io
import json
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vcd.reader import Token, TokenKind, tokenize

from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.analysis.verdict.columns import Column
from resume_rig.model.channel import Channel
from resume_rig.model.edge import Edge, LightBlock
from resume_rig.model.result.cycle import Correlation
from resume_rig.model.result.judgement import CampaignFacts, RecordedCycle
from resume_rig.model.result.verdict import Verdict
from resume_rig.report.export.junit import junit_pieces
from resume_rig.report.export.table import Table, csv_pieces
from resume_rig.report.export.waves import trace_pieces, vcd_pieces
from resume_rig.rig.capture.vcd_capture import standard_header


def tokens(text: str) -> Iterator[Token]:
    return tokenize(io.BytesIO(standard_header(text.encode("ascii"))))


def recorded(*edges: Edge, light: tuple[LightBlock, ...] = ()) -> RecordedCycle:
    levels = {Channel.BUTTON: 1, Channel.SLP_S3: 1}
    return RecordedCycle(1, edges, levels, light, 0, False, None, 0, 0)


@given(st.text(max_size=60))
def test_a_csv_field_reads_back_as_text_and_never_as_a_formula(text: str) -> None:
    table = Table("t", (Column("a", str, str), Column("b", int, int)), [(text, 7)])
    whole = "".join(csv_pieces(table))
    whole.encode("utf-8")
    rows = list(csv.reader(io.StringIO(whole, newline="")))
    assert len(rows) == 2
    assert rows[1][1] == "7"
    assert not rows[1][0].startswith(("=", "+", "-", "@", "\t", "\r"))


@pytest.mark.parametrize(
    "name", ["$end $enddefinitions $end", "a\nb\x1b[31m", "x" * 9_000, "ß\ud800"]
)
def test_a_name_cannot_end_a_comment_of_a_vcd(name: str) -> None:
    edge = Edge(0, 1_000, Channel.BUTTON, 0)
    text = "".join(vcd_pieces(recorded(edge), name))
    kinds = [token.kind for token in tokens(text)]
    assert kinds.count(TokenKind.ENDDEFINITIONS) == 1
    assert kinds.count(TokenKind.VAR) == 2


def test_a_vcd_of_nothing_is_still_a_vcd() -> None:
    text = "".join(vcd_pieces(recorded(), "dut"))
    times = [t.time_change for t in tokens(text) if t.kind is TokenKind.CHANGE_TIME]
    assert times == [0]


def test_light_before_the_first_edge_moves_the_start_and_not_the_zero() -> None:
    block = LightBlock(0, 500, 10, 12, 14)
    text = "".join(vcd_pieces(recorded(Edge(0, 2_000, Channel.BUTTON, 0), light=(block,)), "dut"))
    assert "$timezero 0 $end" in text  # nothing was pressed: the zero is the start
    assert "b1100 +" in text


@pytest.mark.parametrize("text", ["<a>&\"'", "\x00\x1b", "]]>", "\ud800", "x" * 9_000])
def test_junit_stays_well_formed(text: str) -> None:
    from resume_rig.analysis.verdict.requirement import load_requirement

    requirement = load_requirement("sysfund-0004")
    facts = CampaignFacts("s", None, {"dut": text, text: "v"}, {}, {}, (), requirement)
    answer = Correlation((), (), None, Verdict.NO_EVIDENCE, text)
    root = ElementTree.fromstring(
        "".join(junit_pieces(answered_campaign(answer, facts), "2026-01-01T00:00:00Z"))
    )
    assert root.get("errors") == "1"


def test_a_trace_of_nothing_is_valid_json() -> None:
    answer = Correlation((), (), None, Verdict.NO_EVIDENCE, "")
    assert json.loads("".join(trace_pieces(answer, [], 2_000)))["otherData"]["began"] is None
