"""Files to a reading: told apart by content, refused in one sentence."""

import os
from pathlib import Path

import pytest

from resume_rig.model.errors import RecordError
from resume_rig.oslog.reading import allowed_formats, read_logs

ALLOWED = f"allowed are {allowed_formats()} files"


@pytest.mark.parametrize(
    ("content", "found"),
    [
        pytest.param(b"", "an empty file", id="empty"),
        pytest.param(b" \r\n\t\n", "a file of blanks", id="blanks"),
        pytest.param(b"\xff\xfe", "a file of blanks", id="BOM alone"),
        pytest.param(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image", id="PNG"),
        pytest.param(b"PK\x03\x04\x14\0", "a ZIP archive", id="ZIP"),
        pytest.param(b"\x1f\x8b\x08\0", "a gzip archive", id="gzip"),
        pytest.param(b"%PDF-1.7", "a PDF document", id="PDF"),
        pytest.param(b"SQLite format 3\0rest", "an SQLite file", id="SQLite"),
        pytest.param(b"\x7fELF\x02\x01", "an ELF program", id="ELF"),
        pytest.param(b"MZ\x90\0\x03", "a Windows program", id="PE"),
        pytest.param(b"\xff\xd8\xff\xe0", "a JPEG image", id="JPEG"),
        pytest.param(bytes(range(256)) * 40, "binary data", id="binary"),
        pytest.param(b"\0" * 5000, "binary data", id="zeros"),
        pytest.param(b"[  134.3] PM: Syncing filesystems\n", "other text", id="dmesg"),
        pytest.param(b"see the <Event> element\n", "other text", id="text on events"),
        pytest.param(b"{}", "other text", id="JSON"),
        pytest.param(b"<!DOCTYPE html><Event>", "an HTML page", id="HTML"),
        pytest.param(b"<?xml version='1.0'?><a/>", "an XML document without events", id="XML"),
        pytest.param(
            '<?xml version="1.0"?><Benchmark/>'.encode("utf-16"),
            "an XML document without events",
            id="UTF-16",
        ),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes, found: str) -> None:
    path = tmp_path / "log.evtx"
    path.write_bytes(content)
    with pytest.raises(RecordError) as refusal:
        read_logs([path])
    assert str(refusal.value) == f"could not read {path}: found {found}, {ALLOWED}"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("<Event xmlns='x'><System>", id="cut in its only event"),
        pytest.param("<Events><Event xm", id="cut in a tag"),
        pytest.param("<Events>", id="cut behind the root"),
    ],
)
def test_event_xml_without_one_whole_event_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "log.xml"
    path.write_text(content)
    with pytest.raises(RecordError) as refusal:
        read_logs([path])
    assert str(refusal.value) == (
        f"could not read {path}: found Event XML without one whole event, allowed is a log that"
        " holds at least one or is empty on purpose (<Events/>)"
    )


@pytest.mark.parametrize(
    "content", ["<Events></Events>", "<Events/>", "<?xml version='1.0'?><Events />"]
)
def test_a_log_without_events_is_a_log(tmp_path: Path, content: str) -> None:
    path = tmp_path / "log.xml"
    path.write_text(content)
    reading = read_logs([path])
    assert (reading.records, reading.sources[0].records) == ((), 0)
    assert reading.sources[0].integrity.ok


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.evtx"
    with pytest.raises(RecordError) as refusal:
        read_logs([path])
    assert str(refusal.value) == f"could not read {path}: found no such file, {ALLOWED}"


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError) as refusal:
        read_logs([tmp_path])
    assert str(refusal.value) == f"could not read {tmp_path}: found a directory, {ALLOWED}"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(RecordError) as refusal:
        read_logs([path])
    assert (
        str(refusal.value)
        == f"could not read {path}: found a pipe (write it to a file first), {ALLOWED}"
    )


@pytest.mark.parametrize("name", ["a\0b", "x" * 300], ids=["null byte", "too long"])
def test_an_impossible_path_is_refused(tmp_path: Path, name: str) -> None:
    # Windows does not tell a name that is too long from one that is not there.
    found = r": found (that the system refuses it \(.+\)|no such file), allowed"
    with pytest.raises(RecordError, match=found):
        read_logs([tmp_path / name])


def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.xml"
    path.write_text("<Events/>")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(RecordError) as refusal:
        read_logs([path])
    assert str(refusal.value) == (
        f"could not read {path}: found that the system refuses it (Permission denied), {ALLOWED}"
    )


def test_several_files_are_sources_in_their_order(tmp_path: Path, write) -> None:
    paths = [tmp_path / name for name in ("b.xml", "a.xml", "c.txt")]
    for index, path in enumerate(paths):
        path.write_text("".join(write.account(DriverInitDuration=index + 1) for _ in range(index)))
    paths[0].write_text("<Events/>")
    reading = read_logs(paths)
    assert [source.path for source in reading.sources] == [str(path) for path in paths]
    assert [record.source for record in reading.records] == [1, 2, 2]
    assert [record.driver_init_ms for record in reading.records] == [2, 3, 3]


def test_a_record_that_two_files_hold_is_used_once(tmp_path: Path, write) -> None:
    events = [write.account(DriverInitDuration=n) for n in range(700, 704)]
    first, second = tmp_path / "first.xml", tmp_path / "second.xml"
    first.write_text("".join(events[:3]))
    # As the evtx library gives the same event: times cut to 1 us.
    second.write_text("".join(events[1:]).replace("1234567Z", "123456Z"))

    reading = read_logs([first, second, first])

    assert [record.driver_init_ms for record in reading.records] == [700, 701, 702, 703]
    assert [record.source for record in reading.records] == [0, 0, 0, 1]
    assert [source.integrity.problems for source in reading.sources] == [
        (),
        ("2 records stand in a log before this one too and were used once.",),
        ("3 records stand in a log before this one too and were used once.",),
    ]
    assert all(source.integrity.ok for source in reading.sources)


def test_nothing_to_read_is_an_empty_reading() -> None:
    assert read_logs([]).sources == ()


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        ("powercfg/*.html", "powercfg-html"),
        ("pm-graph/*_dmesg.txt", "linux-kernel-log"),
        ("pm-graph/*_ftrace.txt", "linux-suspend-trace"),
        ("eventlog/*.xml", "eventlog-xml"),
        ("eventlog/*.evtx", "evtx"),
    ],
)
def test_real_files_are_told_apart(shared_data: Path, pattern: str, kind: str) -> None:
    paths = sorted(shared_data.glob(pattern))
    assert paths
    assert {source.kind for source in read_logs(paths).sources} == {kind}
