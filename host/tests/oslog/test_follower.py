"""A log that grows is read piece by piece as it would be read whole."""

from itertools import pairwise
from pathlib import Path

import pytest
from fragments import read_fragments
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import OsRecord
from resume_rig.oslog.event.xml_export import EventLogFollower
from resume_rig.oslog.reading import read_logs


def fed(follower: EventLogFollower, pieces: list[bytes]) -> list[OsRecord]:
    return [record for piece in pieces for record in follower.feed(piece)]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(ends)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    places=st.lists(st.integers(0, 1 << 16), max_size=30),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be"]),
    root=st.booleans(),
)
def test_any_cuts_give_what_the_whole_gives(write, places, encoding: str, root: bool) -> None:
    write.next_id = 1
    events = [write.boot(22000), *write.cycle(601, WakeSourceText="扩展"), write.other()]
    events += [*write.cycle(602, WakeSourceType=5), write.asleep()]
    text = "\r\n".join(events)
    data = (f"<Events>{text}</Events>" if root else text).encode(encoding)
    follower = EventLogFollower("memory")
    records = fed(follower, cut(data, places)) + follower.finish()
    whole = read_fragments(data, "memory")
    assert tuple(records) == whole.records
    assert follower.describe() == whole.sources[0]
    assert [record.firmware_resume_ms for record in records] == [601, 602]
    assert follower.integrity.problems == ()


def test_a_record_comes_with_its_last_byte(write) -> None:
    data = "".join(write.cycle()).encode()
    follower = EventLogFollower("memory")
    assert follower.feed(data[:-1]) == []
    assert len(follower.feed(data[-1:])) == 1
    assert follower.finish() == []
    assert follower.integrity.ok


def test_companions_of_an_earlier_download_belong_to_the_record(write) -> None:
    follower = EventLogFollower("memory")
    follower.feed("".join([write.boot(10240), write.asleep(), *write.wake(650)]).encode())
    (record,) = follower.feed(write.account(WakeSourceType=5).encode())
    assert (record.firmware_resume_ms, record.os_build) == (650, 10240)
    assert record.wake_source.name == "timer"


def test_a_download_that_overlaps_gives_nothing_twice(write) -> None:
    cycles = ["".join(write.cycle(ms)).encode() for ms in (601, 602, 603)]
    follower = EventLogFollower("memory")
    records = fed(follower, [cycles[0] + cycles[1], cycles[1] + cycles[2]])
    assert [record.firmware_resume_ms for record in records] == [601, 602, 603]


def test_an_event_that_stays_cut_is_told_at_the_end(write) -> None:
    follower = EventLogFollower("memory")
    follower.feed(write.account().encode()[:-20])
    assert follower.integrity.ok
    assert follower.finish() == []
    assert follower.integrity.problems == (
        "The log ends inside an event, so that event and all after it are unknown.",
    )


def test_nothing_is_no_problem() -> None:
    follower = EventLogFollower("the DUT's log")
    assert (follower.feed(b""), follower.finish()) == ([], [])
    source = follower.describe()
    assert (source.path, source.records, source.integrity.ok) == ("the DUT's log", 0, True)


def test_a_declaration_cut_in_two_is_refused(write) -> None:
    follower = EventLogFollower("the DUT's log")
    follower.feed(write.account().encode() + b"<!DOC")
    with pytest.raises(RecordError, match=r"^could not read the DUT's log: found a document type"):
        follower.feed(b"TYPE x>")


@pytest.mark.parametrize("step", [1000, 4096, 65_537])
def test_a_real_log_follows_as_it_reads(shared_data: Path, step: int) -> None:
    path = shared_data / "eventlog" / "win11-22000-laptop-s3.xml"
    data = path.read_bytes()
    follower = EventLogFollower(str(path))
    records = fed(follower, [data[at : at + step] for at in range(0, len(data), step)])
    whole = read_logs([path], keep_text=True)
    assert tuple(records + follower.finish()) == whole.records
    assert follower.describe() == whole.sources[0]


def test_sleeps_without_an_account_come_through_piece_by_piece(write) -> None:
    session = {"DurationInUs": 1_000_000, "ExitLatencyInUs": 90_000}
    events = [
        *(write.boot(22621), write.event("KP", 506, {"Reason": 1})),
        *(write.event("KP", 507, session), write.asleep(), write.boot(22621)),
        *(write.event("KP", 41, {"SleepInProgress": "true"}), *write.cycle(601)),
    ]
    data = "\r\n".join(events).encode()
    whole = read_fragments(data, "memory")
    assert [record.kind.value for record in whole.records] == [
        *("modern-standby", "died-in-sleep", "S3")
    ]
    for size in (1, 700, 5000):
        follower = EventLogFollower("memory")
        pieces = [data[start : start + size] for start in range(0, len(data), size)]
        assert tuple(fed(follower, pieces) + follower.finish()) == whole.records
        assert follower.describe() == whole.sources[0]
