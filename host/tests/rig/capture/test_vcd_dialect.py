"""`$timezero` in a VCD: skipped where it stands, and nowhere else."""

from pathlib import Path

import pytest

from resume_rig.model.channel import Channel
from resume_rig.rig.capture.reading import read_capture
from resume_rig.rig.capture.vcd_capture import standard_header

HEADER = "$timescale 1 ns $end\n{extra}$var wire 1 ! PWR_OK $end\n$enddefinitions $end\n"
BODY = "#0\n1!\n#500\n0!\n#900\n1!\n"


@pytest.mark.parametrize("extra", ["", "$timezero -5839517000 $end\n", "$timezero\n\t0\n$end\n"])
def test_times_do_not_change_with_the_zero_of_a_viewer(tmp_path: Path, extra: str) -> None:
    path = tmp_path / "wave.vcd"
    path.write_text(HEADER.format(extra=extra) + BODY, encoding="ascii")
    capture = read_capture(path, {})
    assert [(e.t_ns, e.channel, e.level) for e in capture.edges] == [
        (500, Channel.PWR_OK, 0),
        (900, Channel.PWR_OK, 1),
    ]


def test_every_other_byte_of_a_header_comes_through() -> None:
    text = HEADER.format(extra="$timezero -12 $end\n").encode("ascii")
    got = standard_header(text)
    assert got == text.replace(b"$timezero -12 $end", b" " * 9 + b" " + b"   " + b" " + b"    ")
