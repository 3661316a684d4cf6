"""Captures of other instruments are read exactly, or refused in one sentence."""

from decimal import Decimal
from pathlib import Path

import pytest
from captured import changes
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.rig.capture.reading import read_capture

SALEAE = {
    Channel.BUTTON: ("Channel 0", False),
    Channel.SLP_S3: ("Channel 1", True),
    Channel.PWR_OK: ("Channel 2", False),
    Channel.PLTRST: ("Channel 3", False),
    Channel.BACKLIGHT: ("Channel 4", False),
}
HEADER = """$timescale 1 us $end
$scope module top $end
$var wire 1 ! PWR_OK $end
$scope module lid $end $var wire 1 " state $end $upscope $end
$scope module led $end $var wire 1 # state $end $upscope $end
$var reg 8 & bus [7:0] $end
$upscope $end
$enddefinitions $end
"""


@pytest.fixture
def read(tmp_path: Path):
    def write_and_read(content: str | bytes, channel_map=None, name="capture.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_capture(path, channel_map or {})

    return write_and_read


def test_both_forms_of_the_same_capture_tell_the_same(fixtures_dir: Path) -> None:
    vcd = read_capture(fixtures_dir / "traces/two-s3-cycles.vcd", {})
    csv = read_capture(fixtures_dir / "traces/two-s3-cycles.csv", SALEAE)

    assert changes(vcd) == changes(csv)
    assert len(vcd.edges) == 24
    assert vcd.edges[-1].t_ns == 83_500_123_456
    assert vcd.edges[-1].channel is Channel.BACKLIGHT
    assert [edge.number for edge in vcd.edges] == list(range(24))
    assert csv.initial_levels == dict.fromkeys(SALEAE, 1)
    assert vcd.initial_levels == {**csv.initial_levels, Channel.SLP_S4: 1}
    assert (vcd.start_ns, vcd.end_ns, vcd.resolution_ns) == (0, 90_000_000_000, 1)
    assert csv.resolution_ns == 1


def test_signals_are_found_by_leaf_path_and_inverted(read) -> None:
    body = '#0 $dumpvars 1! 1" 0# b0 & $end #7 0! 0" #9 1#'

    capture = read(
        HEADER + body,
        {Channel.LID: ("top.lid.state", True), Channel.LED: ("top.led.state", False)},
    )

    assert capture.initial_levels == {Channel.PWR_OK: 1, Channel.LID: 0, Channel.LED: 0}
    assert changes(capture) == [(7000, "PWR_OK", 0), (7000, "LID", 1), (9000, "LED", 1)]
    assert capture.resolution_ns == 1000


def test_one_signal_may_be_two_channels(read) -> None:
    capture = read(HEADER + "#0 1! #5 0!", {Channel.LED: ("PWR_OK", True)})

    assert changes(capture) == [(5000, "PWR_OK", 0), (5000, "LED", 1)]


@pytest.mark.parametrize(
    ("scale", "ticks", "t_ns"),
    [
        ("1 s", 3, 3_000_000_000),
        ("10 ms", 3, 30_000_000),
        ("100us", 3, 300_000),
        ("1 ns", 9_007_199_254_740_993, 9_007_199_254_740_993),
        ("1 ps", 9_007_199_254_740_993, 9_007_199_254_741),
        ("100 fs", 9_999, 1),
    ],
)
def test_ticks_become_whole_nanoseconds_without_drift(read, scale, ticks, t_ns) -> None:
    capture = read(HEADER.replace("1 us", scale) + f"#0 0! #{ticks} 1!")

    assert changes(capture) == [(t_ns, "PWR_OK", 1)]


def test_values_without_a_level_are_ignored_and_told(read) -> None:
    capture = read(HEADER + "#0 x! #1 1! #2 x! #3 1! #4 z! #5 0!")

    assert capture.initial_levels == {Channel.PWR_OK: 1}
    assert changes(capture) == [(5000, "PWR_OK", 0)]
    assert any("2 values without a level" in note for note in capture.notes)
    assert any("no level before 1000 ns" in note for note in capture.notes)


def test_a_line_that_never_has_a_level_is_not_wired(read) -> None:
    capture = read(HEADER + '#0 1! x" #1 0!', {Channel.LID: ("top.lid.state", False)})

    assert Channel.LID not in capture.initial_levels
    assert any(note.startswith("LID: it never has a level") for note in capture.notes)


@pytest.mark.parametrize(
    ("channel_map", "text"),
    [
        ({Channel.LID: ("nothing", False)}, "'nothing', which is not in it; the signals are"),
        ({Channel.LID: ("state", False)}, "several signals; allowed are 'top.lid.state', 'top.led"),
        ({Channel.LID: ("bus", False)}, "'bus', which is not in it"),
    ],
    ids=["missing", "twice", "bus"],
)
def test_a_map_that_does_not_fit_is_answered_with_the_signals(read, channel_map, text) -> None:
    with pytest.raises(UsageError, match=text) as caught:
        read(HEADER + "#0 1!", channel_map)

    assert "'top.lid.state'" in str(caught.value)


def test_a_capture_without_any_channel_lists_what_it_has(read) -> None:
    with pytest.raises(UsageError, match="none was mapped; the signals are 'D0', 'D1'"):
        read("t_ns,D0,D1\n0,1,1\n")


def test_a_thousand_hostile_names_stay_one_short_sentence(read) -> None:
    names = ",".join(f"\x1b[31m{'x' * 200}{i}" for i in range(1000))

    with pytest.raises(UsageError) as caught:
        read(f"t_ns,{names}\n")

    assert len(str(caught.value)) < 3000
    assert "\x1b" not in str(caught.value)
    assert "and 976 more" in str(caught.value)


@pytest.mark.parametrize(
    ("header", "time", "t_ns"),
    [
        ("time_s", "1.000000001", 1_000_000_001),
        ("Time [s]", "83.500123456", 83_500_123_456),
        ("Time(ms)", "0.5", 500_000),
        ("t_us", "1e3", 1_000_000),
        ("Timestamp (µs)", "2", 2_000),
        ("t_ns", "9007199254740993", 9_007_199_254_740_993),
        ('"Time [ps]"', "1500", 2),
        ("TIME [S]", "-0.25", -250_000_000),
    ],
)
def test_times_are_read_in_the_unit_of_the_header(read, header, time, t_ns) -> None:
    capture = read(f"{header},LED\n-1,0\n{time},1\n")

    assert changes(capture) == [(t_ns, "LED", 1)]


@pytest.mark.parametrize(
    ("text", "t_ns"),
    [
        ("t_s;LED\n0,0;0\n0,5;1\n", 500_000_000),
        ("t_s\tLED\r\n0\t0\r\n0.5\t1\r\n", 500_000_000),
        ("; made by an analyser\n# 1 MHz\n\nt_s,LED\n0,0\n\n0.5,1\n", 500_000_000),
        ("\ufefft_s, LED\n0, 0\n0.5, 1\n", 500_000_000),
        ("t_s,LED\n0,0\n0.25,0\n0.5,1\n0.75,1", 500_000_000),
        ("t_s,LED\n0,0\n0.5,1\n; triggered\n0.75,1\n# end\n", 500_000_000),
        ("; Samplerate: 1 MHz\nTime,LED\n1,0\n500000,1\n", 500_000_000),
        ("; Samplerate: 500 kHz\nTime,LED\n2,0\n500000,1\n", 500_000_000),
        ("; Samplerate: 100 MHz\nTime,LED\n10,0\n500000000,1\n", 500_000_000),
    ],
    ids=[
        "decimal comma",
        "tab",
        "comments",
        "byte order mark",
        "a row a sample",
        "comments between rows",
        "sigrok, us",
        "sigrok, 500 kHz",
        "sigrok, ns",
    ],
)
def test_the_usual_dialects_are_read(read, text, t_ns) -> None:
    assert changes(read(text)) == [(t_ns, "LED", 1)]


@given(
    exact_ns=st.lists(st.integers(1, 10**17), min_size=1, max_size=30, unique=True),
    unit=st.sampled_from([("s", 9), ("ms", 6), ("us", 3), ("ns", 0)]),
)
def test_no_nanosecond_is_lost_in_any_unit(tmp_path_factory, exact_ns, unit) -> None:
    name, exponent = unit
    times = sorted(exact_ns)
    rows = [f"{Decimal(t).scaleb(-exponent)},{i % 2}" for i, t in enumerate(times, start=1)]
    path = tmp_path_factory.mktemp("csv") / "capture.csv"
    path.write_text("\n".join([f"t_{name},LED", "0,0", *rows]), "utf-8")

    capture = read_capture(path, {})

    assert [edge.t_ns for edge in capture.edges] == times


@pytest.mark.parametrize("rate", ["24 MHz", "3 kHz", "1 Hz"])
def test_a_rate_at_which_sigrok_rounds_its_times_is_refused(read, rate) -> None:
    with pytest.raises(RecordError, match=r"sigrok cannot write times .*; export VCD instead"):
        read(f"; Samplerate: {rate}\nTime,LED\n1,0\n500000,1\n")


def test_the_resolution_is_the_last_digit_of_the_times(read) -> None:
    assert read("t_s,LED\n0,0\n0.000001,1\n").resolution_ns == 1000


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", "it is empty"),
        ("\n \n", "it is empty"),
        (b"MZ\0\1\2", "binary file"),
        (b"ElfFile\0" + bytes(5000), "binary file"),
        (b"\xff\xfe\xfa, nothing\n", "not CSV text"),
        ("<Events/>", "the first column is '<Events/>'"),
        ("time,LED\n0,1\n", "the time with its unit"),
        ("LED,t_s\n0,1\n", "the first column is 'LED'"),
        ("t_s,LED\n0,1,1\n", "row 1 has 3 cells, the header has 2"),
        ("t_s,LED\n0,1\n1\n", "row 2 has 1 cells"),
        ("t_s,LED\nnow,1\n", "'now', which is not a time"),
        ("t_s,LED\nnan,1\n", "'nan', which is not a time"),
        ("t_s,LED\n1e400,1\n", "'1e400', which is not a time"),
        ("t_s,LED\n1e10,1\n", "beyond 30 years"),
        (HEADER + "#99999999999999999999 1!", "beyond 30 years"),
        ("t_s," + "x" * 1_100_000, "longer than"),
        ("t_s,LED\n0,2\n", "row 1 has '2' in column 2"),
        ("t_s,LED\n2,1\n1,0\n", "time goes back from 2000000000 ns to 1000000000 ns"),
        ('t_s,LED\n0,"1\n', "not CSV text"),
        ("$timescale 1 ns $end", "breaks off before"),
        ("$var wire 1 ! LED $end $enddefinitions $end #0", "no \\$timescale"),
        ("$timescale x ns $end $enddefinitions $end #0", "not valid VCD"),
        ("$nonsense $end", "not valid VCD"),
        (HEADER + "#5 1! #4 0!", "time goes back from #5 to #4"),
        (HEADER + "#5 garbage", "not v"),
    ],
)
def test_what_is_no_capture_is_refused_in_one_sentence(read, content, text) -> None:
    with pytest.raises(RecordError, match=text) as caught:
        read(content)

    assert str(caught.value).startswith("Reading the capture")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"nowhere\.vcd'.*No such file"):
        read_capture(tmp_path / "nowhere.vcd", {})
    with pytest.raises(RecordError, match="directory"):
        read_capture(tmp_path, {})


@given(st.binary(max_size=300), st.sampled_from([b"", HEADER.encode(), b"t_s,LED\n", b"$"]))
def test_noise_is_read_or_refused_and_nothing_else(tmp_path_factory, noise, prefix) -> None:
    path = tmp_path_factory.mktemp("noise") / "capture"
    path.write_bytes(prefix + noise)
    try:
        levels = set(read_capture(path, {}).initial_levels.values())
    except (RecordError, UsageError):
        return
    assert levels <= {0, 1}
