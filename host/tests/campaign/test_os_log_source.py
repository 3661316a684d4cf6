"""Logs that grow beside a campaign: each record comes once, whatever the file does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.dut.log_source import FileLog
from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.store.store import Store
from resume_rig.model.errors import RecordError

Make = Callable[..., Any]


@pytest.fixture
def fragments(simulated: Make) -> list[bytes]:
    """The log of a simulated DUT after four cycles, cut into events."""
    bench = simulated(name="source.rrs")
    bench.begin(override(default_plan(), cycles=4))
    data: bytes = bench.rig.download(bench.identity.rig.dut_log, 0)
    return [line for line in data.splitlines(keepends=True) if line.strip()]


def test_appended_events_give_each_record_once(tmp_path: Path, fragments: list[bytes]) -> None:
    path = tmp_path / "System.xml"
    path.write_bytes(fragments[0])
    log = FileLog(path)
    found = list(log.new_records())
    data = b"".join(fragments[1:])

    for start in range(0, len(data), 777):
        with path.open("ab") as file:
            file.write(data[start : start + 777])
        found += log.new_records()
        assert log.new_records() == ()

    assert len(found) == 4
    assert len({record.record_id for record in found}) == 4
    assert all(record.text for record in found)
    assert log.describe().records == len(fragments)


def test_a_document_that_is_written_anew_gives_only_what_is_new(
    tmp_path: Path, fragments: list[bytes]
) -> None:
    path = tmp_path / "System.xml"
    log = FileLog(path)
    found: list[int | None] = []

    for end in range(1, len(fragments) + 1):
        path.write_bytes(b"<Events>\n" + b"".join(fragments[:end]) + b"</Events>\n")
        found += [record.record_id for record in log.new_records()]

    assert len(found) == len(set(found)) == 4


def test_a_cleared_log_is_read_anew(tmp_path: Path, fragments: list[bytes]) -> None:
    path = tmp_path / "System.xml"
    accounts = [i for i, line in enumerate(fragments) if b"Power-Troubleshooter" in line]
    path.write_bytes(b"".join(fragments[: accounts[2] + 1]))
    log = FileLog(path)
    before = log.new_records()

    path.write_bytes(b"".join(fragments[accounts[2] + 1 :]))
    after = log.new_records()

    assert (len(before), len(after)) == (3, 1)


def test_an_evtx_file_is_read_as_a_whole_when_it_changes(tmp_path: Path, shared_data: Path) -> None:
    path = tmp_path / "System.evtx"
    path.write_bytes((shared_data / "eventlog" / "win10-15063-desktop-s1.evtx").read_bytes())
    log = FileLog(path)

    first = log.new_records()
    path.touch()

    assert first
    assert log.new_records() == ()
    assert log.describe().kind == "evtx"


@pytest.mark.parametrize("content", [None, b"", b"hello, this is no log"])
def test_a_file_that_is_no_log_is_a_record_error(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "System.xml"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(RecordError, match="could not read"):
        FileLog(path).new_records()


def test_a_log_that_cannot_be_read_for_a_while_does_not_stop_a_campaign(
    simulated: Make, tmp_path: Path
) -> None:
    bench = simulated()
    path = tmp_path / "System.xml"
    path.write_text(bench.simulated.log_document())
    bench.log = FileLog(path)

    def write_log(event: Any) -> None:
        match type(event).__name__, getattr(event, "number", None):
            case "Woke", 1:
                path.unlink()
            case "LogUnreadable", 1:
                path.write_text(bench.simulated.log_document())
            case "Woke", _:
                path.write_text(bench.simulated.log_document())

    seen: list[str] = []

    class Writing(list[object]):
        def append(self, event: object) -> None:
            seen.append(type(event).__name__)
            write_log(event)

    bench.events = Writing()
    bench.begin(override(default_plan(), cycles=3))

    assert "LogUnreadable" in seen
    with Store.open(bench.path) as store:
        assert sum(len(raw.records) for raw in store.cycles()) >= 1
