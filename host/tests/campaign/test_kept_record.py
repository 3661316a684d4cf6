"""A store keeps the parts of a record that matter, and few enough of them."""

import random

from resume_rig.campaign.dut.log_source import COMPONENTS_MAX, TEXT_CHARS_MAX, LogFeed, kept_of
from resume_rig.campaign.store import encoding
from resume_rig.campaign.store.raw import LogMark
from resume_rig.model.os_record import Component, ComponentKind, Figure, SleepKind

CYCLE_BYTES_MAX = 2048


def with_parts(record, n: int, seed: int = 1):
    chance = random.Random(seed)
    parts = [
        Component(
            ComponentKind.DEVICE, f"0000:{at:02x}.0", "resume devices", chance.uniform(0.1, 900)
        )
        for at in range(n)
    ]
    lines = (f"[{chance.uniform(1, 9999):.6f}] {part.name} returned 0" for part in parts)
    return record(kind=SleepKind.S3, components=tuple(parts), text="\n".join(lines))


def test_a_record_of_500_parts_stays_within_the_bytes_of_a_cycle(record) -> None:
    dictionary = encoding.records_json((kept_of(with_parts(record, 500)),))

    kept = kept_of(with_parts(record, 500, seed=2))
    packed = encoding.deflate(encoding.records_json((kept,)), dictionary)

    assert len(packed) <= CYCLE_BYTES_MAX
    assert encoding.unpack_records(packed, dictionary, encoding.Budget(1)) == (kept,)


def test_the_longest_parts_are_kept_in_their_order_and_the_rest_is_counted(record) -> None:
    whole = with_parts(record, 60)
    never = Component(ComponentKind.SERVICE, "Deaf", "stop services", None)
    whole = record(components=(*whole.components, never), text=whole.text * 5)

    kept = kept_of(whole)

    longest = sorted(whole.components[:-1], key=lambda part: -part.duration_ms)
    assert set(kept.components) == {never, *longest[: COMPONENTS_MAX - 1]}
    assert [part for part in whole.components if part in kept.components] == list(kept.components)
    assert kept.figures == (Figure("components_not_kept", 41),)
    assert len(kept.text) <= TEXT_CHARS_MAX
    assert whole.text.startswith(f"{kept.text}\n")


def test_a_record_of_few_parts_is_kept_as_it_is(record) -> None:
    whole = with_parts(record, COMPONENTS_MAX)

    assert kept_of(whole) is whole


class OneRound:
    """A log that gives its records at once."""

    record_wait_ns = 0

    def __init__(self, *records) -> None:
        self._records = records

    def new_records(self):
        return self._records


def test_a_boot_or_a_session_is_kept_and_is_not_what_a_cycle_waits_for(record) -> None:
    others = [SleepKind.BOOT, SleepKind.SHUTDOWN, SleepKind.MODERN_STANDBY, SleepKind.S2IDLE]
    feed = LogFeed(OneRound(*(record(kind=kind) for kind in others)), LogMark(None, None))

    feed.read()

    assert (len(feed.pending), feed.received, feed.has_new_records) == (4, 0, False)

    feed = LogFeed(OneRound(record(kind=SleepKind.S3)), LogMark(None, None))
    feed.read()
    assert (feed.received, feed.has_new_records) == (1, True)
