"""Whether what was read of a damaged event log can be believed: no number is silently wrong.

Used by the tests of the readers and by benchmarks/fuzz_event_logs.py.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

from mutations import MUTATORS

from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import OsRecord
from resume_rig.oslog.reading import read_logs

NUMBERS = {
    "SleepDuration": "sleep_ms",
    "WakeDuration": "wake_ms",
    "DriverInitDuration": "driver_init_ms",
    "BiosInitDuration": "bios_init_ms",
    "HiberWriteDuration": "hiber_write_ms",
    "HiberReadDuration": "hiber_read_ms",
    "HiberPagesWritten": "hiber_pages",
    "TargetState": "target_state",
    "EffectiveState": "effective_state",
    "WakeSourceType": "",
}
UNCHECKED = "carry no checksum"
Damage = Callable[[random.Random, bytes, bytes], bytes]


class Unexplained(AssertionError):
    """A number that neither the undamaged log nor the damaged one has."""


def numbers_of(record: OsRecord) -> tuple[object, ...]:
    """Return what an account says by itself, without its companions."""
    values = [getattr(record, name) for name in NUMBERS.values() if name]
    times = record.sleep_time_utc_ns, record.wake_time_utc_ns, record.written_utc_ns
    return (record.record_id, record.kind, record.wake_source.type, *values, *times)


class ReadingOracle:
    """Reads damaged logs and holds them against the undamaged ones."""

    def __init__(self, samples: Sequence[Path]) -> None:
        self._truth = {
            numbers_of(record) for path in samples for record in read_logs([path]).records
        }

    def answer(self, path: Path) -> str:
        """Return "read", "changed" or "refused"; "changed" where the log itself says otherwise.

        Raises:
            Unexplained: a record has a number that nothing explains.
        """
        try:
            reading = read_logs([path], keep_text=True)
        except RecordError:
            return "refused"
        (source,) = reading.sources
        strange = [record for record in reading.records if numbers_of(record) not in self._truth]
        if source.kind == "evtx" and strange:
            if any(UNCHECKED in problem for problem in source.integrity.problems):
                return "changed"
            raise Unexplained(f"a checksum holds, and yet {strange[0]} was never written")
        for record in strange:
            _demand_that_the_log_says_so(record)
        return "changed" if strange else "read"


def _demand_that_the_log_says_so(record: OsRecord) -> None:
    account = record.text[record.text.rfind("<Event ") :]
    if record.notes:  # nobody wrote an account: its first event names the states
        account = f"<Events>{record.text}</Events>"
    try:
        element = ElementTree.fromstring(account)
    except (ElementTree.ParseError, ValueError):
        return  # not well formed for another parser: control characters, which are replaced
    said: dict[str, str] = {}
    for data in element.iter():
        if data.tag.rpartition("}")[2] == "Data":
            said.setdefault(data.get("Name", ""), "".join(data.itertext()).strip())
    for name, attribute in NUMBERS.items():
        value = getattr(record, attribute) if attribute else record.wake_source.type
        if value is not None and int(said[name], 0 if "x" in said[name].lower() else 10) != value:
            raise Unexplained(f"{name} is {said[name]!r} in the log and {value} in the record")


def _entity_bomb(_rng: random.Random, data: bytes, _other: bytes) -> bytes:
    bomb = b'<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;">]>'
    return bomb + data.replace(b"</Data>", b"&c;</Data>", 3)


def _entities(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    return data.replace(b"</Data>", rng.choice((b"&b;", b"&#0;", b"&#x1F;", b"&amp;")) + b"</Data>")


def _nested(rng: random.Random, data: bytes, _other: bytes) -> bytes:
    place = rng.randrange(len(data) + 1)
    tag = rng.choice((b"<Event>", b"<Data Name='a'>", b"<!--", b"<![CDATA[", b"<a:Event "))
    return data[:place] + tag * rng.choice((1, 50, 5_000)) + data[place:]


def _half_text(_rng: random.Random, data: bytes, _other: bytes) -> bytes:
    return data.decode("utf-8", errors="replace").encode("utf-16")[:-1]


XML_DAMAGE: tuple[Damage, ...] = (*MUTATORS, _entity_bomb, _entities, _nested, _half_text)
EVTX_DAMAGE: tuple[Damage, ...] = tuple(
    damage for damage in MUTATORS if damage.__name__ not in ("_encoding", "_line_ends")
)


def damaged(
    seed: int, samples: Sequence[bytes], count: int, ways: Sequence[Damage]
) -> Iterator[bytes]:
    """Yield `count` damaged samples, each hurt one to three times."""
    rng = random.Random(seed)
    for _ in range(count):
        data = rng.choice(samples)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            data = rng.choice(ways)(rng, data, rng.choice(samples))
        yield data
