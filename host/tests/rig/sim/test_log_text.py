"""The text of a log that grows beyond what is held in memory."""

from hypothesis import given
from hypothesis import strategies as st

from resume_rig.rig.sim.dut.os_log import LogText


@given(st.lists(st.binary(max_size=40), max_size=30), st.integers(0, 300), st.integers(0, 300))
def test_any_part_is_what_was_appended(pieces: list[bytes], offset: int, count: int) -> None:
    text = LogText(memory_bytes=64)
    whole = b""
    for piece in pieces:
        text.append(piece)
        whole += piece
        assert text.part(offset, count) == whole[offset : offset + count]
    assert len(text) == len(whole)
    assert text.part(0) == whole
    assert text.part(offset) == whole[offset:]
