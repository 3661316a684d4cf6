"""sigrok sessions and Saleae's binary exports: read exactly, or refused in one sentence."""

import shutil
import struct
import subprocess
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from captured import changes
from hypothesis import given, settings
from hypothesis import strategies as st

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.rig.capture.csv_capture import TimeColumn
from resume_rig.rig.capture.reading import read_capture

LINES = {Channel.LED: ("D0", False), Channel.BUTTON: ("D1", True)}


def metadata(rate: str = "1 MHz", unit: object = 1, probes: int = 2, more: str = "") -> str:
    lines = "".join(f"probe{n + 1}=D{n}\n" for n in range(probes))
    return (
        "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\n"
        f"total probes={probes}\nsamplerate={rate}\ntotal analog=0\n{lines}unitsize={unit}\n{more}"
    )


def session(path: Path, text: str, parts: dict[str, bytes], packed: int = 8) -> Path:
    with zipfile.ZipFile(path, "w", packed) as archive:
        archive.writestr("version", "2")
        archive.writestr("metadata", text)
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_samples_become_edges(tmp_path: Path) -> None:
    path = session(tmp_path / "a.sr", metadata(), {"logic-1-1": bytes([2, 2, 3, 1, 1, 0, 4])})
    capture = read_capture(path, LINES)
    assert changes(capture) == [(2000, "LED", 1), (3000, "BUTTON", 1), (5000, "LED", 0)]
    assert capture.initial_levels == {Channel.LED: 0, Channel.BUTTON: 0}
    assert (capture.start_ns, capture.end_ns, capture.resolution_ns) == (0, 7000, 1000)


def test_parts_follow_by_number_and_a_sample_may_reach_over_two(tmp_path: Path) -> None:
    samples = np.repeat(np.array([0, 1, 0, 512, 1, 0], dtype="<u2"), [3, 2, 4, 2, 1, 1]).tobytes()
    cuts = [0, 1, 2, 5, 6, 7, 9, 11, 12, 15, 20, len(samples)]
    parts = {f"logic-1-{n + 1}": samples[a:b] for n, (a, b) in enumerate(pairwise(cuts))}
    path = session(tmp_path / "a.sr", metadata("20 MHz", 2, 16), parts)
    capture = read_capture(path, {Channel.LED: ("D0", False), Channel.SLP_S3: ("D9", True)})
    assert changes(capture) == [
        (150, "LED", 1),
        (250, "LED", 0),
        (450, "SLP_S3", 0),
        (550, "LED", 1),
        (550, "SLP_S3", 1),
        (600, "LED", 0),
    ]


@settings(max_examples=40, deadline=None)
@given(
    samples=st.lists(st.integers(0, 2**24 - 1), min_size=1, max_size=60),
    unit=st.sampled_from([3, 4, 5]),
    rate=st.sampled_from([("24 MHz", 24_000_000), ("12.5 kHz", 12_500), ("3 Hz", 3)]),
)
def test_any_samples_tell_each_change(
    tmp_path_factory: pytest.TempPathFactory,
    samples: list[int],
    unit: int,
    rate: tuple[str, int],
) -> None:
    content = b"".join(sample.to_bytes(unit, "little") for sample in samples)
    path = tmp_path_factory.getbasetemp() / "any.sr"
    session(path, metadata(rate[0], unit, 24), {"logic-1": content})
    capture = read_capture(path, {Channel.LED: ("D17", False)})
    levels = [sample >> 17 & 1 for sample in samples]
    expected = [
        (round(n * 10**9 / rate[1]), "LED", levels[n])
        for n in range(1, len(levels))
        if levels[n] != levels[n - 1]
    ]
    assert [(at, name, level) for at, name, level in changes(capture)] == expected
    assert capture.initial_levels == {Channel.LED: levels[0]}


def test_an_idle_hour_costs_no_memory(tmp_path: Path) -> None:
    """100 MB of samples are 100 KB here; only two edges are kept."""
    block = bytes(10_000_000)
    parts = {f"logic-1-{n}": block for n in range(1, 10)} | {"logic-1-10": block[:-1] + b"\1"}
    path = session(tmp_path / "idle.sr", metadata(), parts)
    assert path.stat().st_size < 200_000
    capture = read_capture(path, LINES)
    assert changes(capture) == [(99_999_999_000, "LED", 1)]


@pytest.mark.parametrize(
    ("text", "parts", "told"),
    [
        (metadata(unit=0), {"logic-1": b"\0"}, "the unit size '0', allowed are 1 to 128"),
        (metadata(unit="x"), {"logic-1": b"\0"}, "the unit size 'x'"),
        (metadata(unit="0000019"), {"logic-1": b"\0"}, "the unit size '0000019'"),
        (metadata(unit="1" * 5000), {"logic-1": b"\0"}, "the unit size '1111"),
        (metadata(unit=4), {"logic-1": bytes(9)}, "ends inside a sample: 1 of 4 bytes"),
        (metadata(probes=9), {"logic-1": b"\0"}, "the line 9, but its samples have 8 bits"),
        (metadata(rate="0 Hz"), {"logic-1": b"\0"}, "the sample rate '0 Hz'"),
        (metadata(rate="fast"), {"logic-1": b"\0"}, "the sample rate 'fast'"),
        (metadata(), {"logic-1-1": b"\0", "logic-1-3": b"\0"}, "it has 2 parts, the last one is"),
        (metadata(), {"../logic-1": b"\0", "/logic-1": b"\0"}, "it has 0 parts"),
        (metadata(), {"logic-1": b""}, "it holds no sample"),
        (metadata() + metadata(), {"logic-1": b"\0"}, "logic samples of 2 devices"),
        ("[global]\n", {"logic-1": b"\0"}, "logic samples of 0 devices"),
        ("x" * 2_000_000, {"logic-1": b"\0"}, "longer than 1 MiB"),
    ],
)
def test_what_is_no_session_is_refused_in_one_sentence(
    tmp_path: Path, text: str, parts: dict[str, bytes], told: str
) -> None:
    path = session(tmp_path / "a.sr", text, parts)
    with pytest.raises(RecordError) as error:
        read_capture(path, LINES)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_another_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.txt", "milk")
    with pytest.raises(RecordError, match="without sigrok's metadata"):
        read_capture(path, LINES)


def test_a_session_cut_or_damaged_anywhere_is_refused_or_read(tmp_path: Path) -> None:
    whole = session(tmp_path / "a.sr", metadata(), {"logic-1": bytes([0, 1] * 500)}).read_bytes()
    path = tmp_path / "b.sr"
    for end in range(4, len(whole), 7):
        path.write_bytes(whole[:end])
        with pytest.raises(RecordError, match="archive is damaged"):
            read_capture(path, LINES)
    expected = changes(read_capture(tmp_path / "a.sr", LINES))
    for at in range(4, len(whole), 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            found = changes(read_capture(path, LINES))
        except (RecordError, UsageError):
            continue
        assert found == expected


def test_sizes_that_an_archive_only_claims_are_refused(tmp_path: Path) -> None:
    path = session(tmp_path / "a.sr", metadata(), {"logic-1": bytes(1000)})
    content = bytearray(path.read_bytes())
    at = content.rindex(b"PK\1\2")  # the directory's entry of logic-1
    struct.pack_into("<I", content, at + 24, 0xFFFF_FFF0)
    path.write_bytes(content)
    with pytest.raises(RecordError, match="damaged"):
        read_capture(path, LINES)
    with pytest.raises(RecordError, match="allowed are 68719476736 and 30 years"):
        read_capture(
            session(tmp_path / "b.sr", metadata("0.0000001 Hz"), {"logic-1": bytes(1000)}), LINES
        )


def test_a_session_of_sigrok_itself(tmp_path: Path, fixtures_dir: Path) -> None:
    """The real tool makes the session of our own capture; times are those of its samples."""
    tool = shutil.which("sigrok-cli")
    if tool is None:
        pytest.skip("sigrok-cli is not installed")
    source = fixtures_dir / "traces/two-s3-cycles.vcd"
    path = tmp_path / "session.sr"
    subprocess.run(
        [tool, "-I", "vcd:downsample=100000", "-i", source, "-o", path], check=True, timeout=60
    )
    original = read_capture(source, {})
    capture = read_capture(path, {})
    assert [edge.channel for edge in capture.edges] == [edge.channel for edge in original.edges]
    assert [edge.level for edge in capture.edges] == [edge.level for edge in original.edges]
    for edge, other in zip(capture.edges, original.edges, strict=True):
        assert abs(edge.t_ns - other.t_ns) <= 100_000
    assert capture.resolution_ns == 100_000


def exported(folder: Path, lines: dict[str, tuple[int, list[float]]], end_s: float = 9.0) -> Path:
    folder.mkdir(exist_ok=True)
    for name, (level, times_s) in lines.items():
        head = struct.pack("<8siiIddQ", b"<SALEAE>", 0, 0, level, 0.0, end_s, len(times_s))
        (folder / f"{name}.bin").write_bytes(head + struct.pack(f"<{len(times_s)}d", *times_s))
    return folder


SALEAE = {Channel.LED: ("digital_0", False), Channel.SLP_S3: ("digital_10", True)}


def test_an_export_of_saleae_is_merged_by_time(tmp_path: Path) -> None:
    lines = {
        "digital_0": (0, [1.000000002, 3.0]),
        "digital_10": (1, [0.5, 3.0]),
        "analog_0": (7, []),
    }
    capture = read_capture(exported(tmp_path / "export", lines), SALEAE)
    assert changes(capture) == [
        (500_000_000, "SLP_S3", 1),
        (1_000_000_002, "LED", 1),
        (3_000_000_000, "LED", 0),
        (3_000_000_000, "SLP_S3", 0),
    ]
    assert capture.initial_levels == {Channel.LED: 0, Channel.SLP_S3: 0}
    assert (capture.start_ns, capture.end_ns) == (0, 9_000_000_000)


def test_one_line_of_an_export_is_a_capture_too(tmp_path: Path) -> None:
    folder = exported(tmp_path / "export", {"digital_0": (1, [2.0])})
    capture = read_capture(folder / "digital_0.bin", {Channel.LED: ("digital_0", False)})
    assert changes(capture) == [(2_000_000_000, "LED", 0)]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data[:-3], "so it was cut or is damaged"),
        (lambda data: data[:30], "ends inside its head of 44 bytes"),
        (lambda data: data + b"\0", "so it was cut or is damaged"),
        (lambda data: data[:8] + b"\1" + data[9:], "version 1, allowed is 0; export CSV instead"),
        (lambda data: data[:12] + b"\1" + data[13:], "holds analog samples"),
        (lambda data: data[:16] + b"\2" + data[17:], "begins with the level 2"),
        (lambda data: data[:-8] + struct.pack("<d", float("nan")), "a time that is none"),
        (lambda data: data[:-8] + struct.pack("<d", -1.0), "time goes back"),
        (lambda data: data[:36] + b"\xff" * 8 + data[44:], "so it was cut or is damaged"),
    ],
)
def test_what_is_no_export_is_refused_in_one_sentence(
    tmp_path: Path, change: object, told: str
) -> None:
    folder = exported(tmp_path / "export", {"digital_0": (1, [2.0, 3.0])})
    path = folder / "digital_0.bin"
    assert callable(change)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(RecordError) as error:
        read_capture(folder, {Channel.LED: ("digital_0", False)})
    assert told in str(error.value)


def test_a_csv_of_any_columns_with_the_time_named(tmp_path: Path) -> None:
    path = tmp_path / "scope.csv"
    path.write_text("No,Zeit,Kommentar,LED\n1,0.5,an,0\n2,1.25,aus,1\n")
    capture = read_capture(path, {}, TimeColumn("Zeit", "ms"))
    assert changes(capture) == [(1_250_000, "LED", 1)]
    with pytest.raises(UsageError, match="'Time', which 0 columns are called"):
        read_capture(path, {}, TimeColumn("Time", "ms"))
    with pytest.raises(RecordError, match="first column is 'Zeit'"):
        read_capture(path, {}, TimeColumn("Zeit"))


def test_saleaes_csv_is_read_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "digital.csv"
    path.write_text("Time [s],Channel 0,Channel 1\n-0.5,0,1\n0.000000002,1,1\n")
    capture = read_capture(path, {Channel.LED: ("Channel 0", False)})
    assert changes(capture) == [(2, "LED", 1)]
    assert capture.start_ns == -500_000_000
