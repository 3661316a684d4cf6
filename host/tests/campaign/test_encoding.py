"""What is packed comes back as it was; what is damaged is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.campaign.store import encoding
from resume_rig.campaign.store.raw import Command, CommandName
from resume_rig.model.channel import Channel
from resume_rig.model.edge import ClockExchange, Edge, LightBlock
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import Figure, OsRecord, SleepKind, WakeSource
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.rig.interface import Faults, RigInfo

U16, U32 = st.integers(0, 2**16 - 1), st.integers(0, 2**32 - 1)
# Of a time no more is read than 73 years, on either side of nought.
U64, I64 = st.integers(0, 2**61), st.integers(-(2**61), 2**61)
MAYBE = st.none() | I64
MAYBE_MS = st.none() | st.integers(-(10**12), 10**12)
TEXT = st.text(max_size=200)

EDGES = st.lists(st.builds(Edge, U32, U64, st.sampled_from(Channel), st.integers(0, 1)))
BLOCKS = st.lists(st.builds(LightBlock, U32, U64, U16, U16, U16))
EXCHANGES = st.lists(st.builds(ClockExchange, I64, I64, I64, I64))
COMMANDS = st.lists(st.builds(Command, st.sampled_from(CommandName), I64, MAYBE, MAYBE, MAYBE))
RECORDS = st.lists(
    st.builds(
        OsRecord,
        source=st.just(0),
        record_id=MAYBE,
        kind=st.sampled_from(SleepKind),
        sleep_time_utc_ns=MAYBE,
        wake_time_utc_ns=MAYBE,
        written_utc_ns=MAYBE,
        sleep_ms=MAYBE_MS,
        wake_ms=MAYBE_MS,
        driver_init_ms=MAYBE_MS,
        bios_init_ms=MAYBE_MS,
        firmware_resume_ms=MAYBE_MS,
        firmware_resume_count=MAYBE,
        hiber_read_ms=MAYBE_MS,
        hiber_write_ms=MAYBE_MS,
        hiber_pages=MAYBE,
        wake_source=st.builds(WakeSource, MAYBE, TEXT, TEXT),
        text=TEXT,
    ),
    max_size=3,
)


@given(EDGES)
def test_edges_come_back(edges: list[Edge]) -> None:
    packed = encoding.pack_edges(edges)

    assert encoding.unpack_edges(packed) == tuple(edges)
    assert len(packed) == 14 * len(edges)


@given(BLOCKS)
def test_light_comes_back(blocks: list[LightBlock]) -> None:
    assert encoding.unpack_light(encoding.pack_light(blocks)) == tuple(blocks)


@given(EXCHANGES)
def test_clock_exchanges_come_back(exchanges: list[ClockExchange]) -> None:
    assert encoding.unpack_exchanges(encoding.pack_exchanges(exchanges)) == tuple(exchanges)


@given(COMMANDS)
def test_commands_come_back(commands: list[Command]) -> None:
    assert encoding.unpack_commands(encoding.pack_commands(commands)) == tuple(commands)


@given(st.dictionaries(st.sampled_from(Channel), st.integers(0, 1)))
def test_levels_come_back(levels: dict[Channel, int]) -> None:
    assert encoding.unpack_levels(encoding.pack_levels(levels)) == levels


@given(RECORDS, st.binary(max_size=100))
def test_os_records_come_back_with_their_text(records: list[OsRecord], dictionary: bytes) -> None:
    packed = encoding.deflate(encoding.records_json(records), dictionary)

    assert encoding.unpack_records(packed, dictionary, encoding.Budget(1)) == tuple(records)


@pytest.mark.parametrize(
    "fact",
    [
        Faults("watchdog", 1, 2, 3, 4, 5, 6),
        Finding(FindingKind.OVERRUN, "text", {"a_ns": 1, "b": None, "c": 1.5, "d": "e"}),
    ],
    ids=["faults", "finding"],
)
def test_facts_come_back(fact: object) -> None:
    assert encoding.unpack_fact(type(fact), encoding.pack_fact(fact)) == fact


def rig_with(field: str, value: int) -> str:
    rig = RigInfo(
        *(1, "0.1.0", "rig", 7, "xtal", 10**6, 30_000, None, 10**9),
        channels=(),
        actuators=(),
        edge_ring=64,
        light_ring=0,
        dut_log=None,
    )
    packed = encoding.pack_fact(rig)
    assert encoding.unpack_fact(RigInfo, packed) == rig
    return json.dumps({**json.loads(packed), field: value})


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: encoding.unpack_edges(b"\0" * 15),
        lambda: encoding.unpack_edges(b"\0" * 12 + b"\x63\0"),
        lambda: encoding.unpack_edges(b"\0" * 13 + b"\2"),
        lambda: encoding.unpack_exchanges(b"\0"),
        lambda: encoding.unpack_light(b"nonsense"),
        lambda: encoding.unpack_light(encoding.deflate(b"\0" * 17, b"")),
        lambda: encoding.unpack_records(encoding.deflate(b"[", b""), b"", encoding.Budget(1)),
        lambda: encoding.unpack_records(encoding.deflate(b"\xff", b""), b"", encoding.Budget(1)),
        lambda: encoding.unpack_records(encoding.deflate(b"[1]", b""), b"", encoding.Budget(1)),
        lambda: encoding.unpack_records(
            encoding.deflate(b"[]", b"words words"), b"", encoding.Budget(1)
        ),
        lambda: encoding.unpack_records(
            encoding.deflate(b"[]" * 999, b"")[:-3], b"", encoding.Budget(1)
        ),
        lambda: encoding.unpack_commands('[["jump",1,null,null,null]]'),
        lambda: encoding.unpack_commands("[[1]]"),
        lambda: encoding.unpack_commands("{"),
        lambda: encoding.unpack_fact(Faults, '{"reset_reason":"x"}'),
        lambda: encoding.unpack_fact(Faults, "[]"),
        lambda: encoding.unpack_facts(Finding, '[{"kind":"nonsense","text":"x"}]'),
        lambda: encoding.unpack_facts(Finding, "{}"),
        lambda: encoding.unpack_mapping("[]"),
        lambda: encoding.unpack_fact(Figure, '{"name":"clock_jump_us","value":1e999}'),
        lambda: encoding.unpack_fact(Figure, '{"name":"clock_jump_us","value":NaN}'),
        lambda: encoding.unpack_fact(RigInfo, rig_with("clock_tolerance_ppb", -1)),
    ],
    ids=lambda attempt: None,
)
def test_damaged_bytes_are_a_record_error(attempt: object) -> None:
    assert callable(attempt)

    with pytest.raises(RecordError):
        attempt()


def test_a_key_of_a_newer_version_is_ignored() -> None:
    text = '{"kind":"dark","text":"x","colour":"red"}'

    assert encoding.unpack_fact(Finding, text) == Finding(FindingKind.DARK, "x")
