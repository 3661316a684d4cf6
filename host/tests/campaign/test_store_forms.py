"""The forms of a store on the disk, byte by byte, and what a store of a stranger may not hold."""

import json
import zlib
from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest

from resume_rig.campaign.store import encoding, rows
from resume_rig.campaign.store.disk import why_too_little
from resume_rig.campaign.store.encoding import CHANNEL_CODES, Budget
from resume_rig.campaign.store.raw import Command, CommandName, CycleRaw, Recovery, recoveries_of
from resume_rig.model.channel import Channel
from resume_rig.model.dut import RecoveryStep
from resume_rig.model.edge import ClockExchange, Edge, LightBlock
from resume_rig.model.errors import RecordError
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.model.os_record import Figure, OsRecord, SleepKind, WakeSource
from resume_rig.model.power import PowerSamples
from resume_rig.model.result.cycle import HealthReading, Outcome
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.rig.interface import ChannelInfo

MS = 1_000_000
MOST_NS = 2**61


def test_the_code_of_a_channel_is_that_of_every_store_ever_written() -> None:
    names = ["PWR_OK", "SLP_S3", "SLP_S4", "SLP_S5", "PLTRST", "BACKLIGHT", "LED", "BUTTON", "LID"]

    assert [channel.name for channel in CHANNEL_CODES] == [*names, "SLP_S0"]
    assert set(CHANNEL_CODES) == set(Channel)


def test_an_edge_is_fourteen_bytes_little_endian() -> None:
    packed = encoding.pack_edges([Edge(0x01020304, 0x05, Channel.SLP_S4, 1)])

    assert packed.hex() == "04030201" + "0500000000000000" + "02" + "01"


def test_levels_are_two_bits_a_channel_known_and_level() -> None:
    levels = {Channel.PWR_OK: 1, Channel.SLP_S3: 0, Channel.SLP_S0: 1}

    assert encoding.pack_levels(levels) == 0b11 | 0b10 << 2 | 0b11 << 18
    assert encoding.unpack_levels(0b11 | 0b10 << 2 | 0b11 << 18) == levels
    assert encoding.unpack_levels(0b01) == {}


def test_commands_exchanges_and_onsets_are_lists() -> None:
    command = Command(CommandName.PRESS, 5, 6, 7)
    assert encoding.pack_commands([command]) == '[["press",5,6,7,null]]'
    exchange = ClockExchange(-1, 2, 3, 4)
    assert encoding.pack_exchanges([exchange]) == np.array([-1, 2, 3, 4], "<i8").tobytes()
    assert encoding.pack_onset(None) is encoding.unpack_onset(None) is None
    onset = LightOnset(OnsetState.OK, first_ns=5)
    packed = encoding.pack_onset(onset)
    assert json.loads(packed)[:1] == [OnsetState.OK.value]
    assert json.loads(packed)[-1] == 5  # what is not known at the end is left out
    newer = [*json.loads(packed), *[None] * 40, "newer"]
    assert encoding.unpack_onset(json.dumps(newer)) == onset


@pytest.mark.parametrize(
    ("kind", "value", "says"),
    [
        (Figure, {"name": 5, "value": 1.0}, "Figure.name is 5; allowed is str"),
        (Figure, {"name": "x", "value": "1"}, "Figure.value is '1'; allowed is float"),
        (Figure, {"name": "x", "value": inf}, "Figure.value is inf, which is no number"),
        (Figure, {"name": "x", "value": nan}, "Figure.value is nan, which is no number"),
        (Figure, {"name": "x"}, "Figure lacks a field or holds a wrong one"),
        (Figure, [], "Figure is []; allowed is Figure"),
        (Finding, {"kind": "odd", "text": "x"}, "Finding.kind is 'odd', which is no FindingKind"),
        (Figure, {"name": "x", "value": True}, "Figure.value is True; allowed is float"),
        (WakeSource, {"type": "x", "name": "", "text": ""}, "which is not allowed there"),
    ],
)
def test_a_fact_that_is_none_is_refused_by_its_field(kind, value, says: str) -> None:
    with pytest.raises(RecordError) as found:
        encoding.from_plain(kind, value)

    assert says in str(found.value)


def test_what_is_wrong_is_quoted_in_bounds() -> None:
    with pytest.raises(RecordError) as found:
        encoding.from_plain(Figure, {"name": ["x" * 10_000] * 100, "value": 1.0})

    assert len(str(found.value)) < 150


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("delay_ns", MOST_NS),
        ("uncertainty_ns", MOST_NS),
    ],
)
def test_a_time_is_seventy_three_years_at_most(name: str, most: int) -> None:
    plain = {"channel": "PWR_OK", "resolution_ns": 1, "delay_ns": 0, "uncertainty_ns": 0}

    def read(value: int) -> ChannelInfo:
        return encoding.from_plain(ChannelInfo, plain | {name: value})

    assert getattr(read(most), name) == most
    with pytest.raises(RecordError, match=f"allowed are numbers up to {most}"):
        read(most + 1)
    with pytest.raises(RecordError, match="allowed are numbers up to"):
        read(-most - 1)


def record(**more) -> OsRecord:
    names = [f for f in OsRecord.__slots__ if f not in {"kind", "wake_source", "source"}]
    fields = dict.fromkeys(names[: names.index("hiber_pages") + 1])
    return OsRecord(
        source=0, kind=SleepKind.S3, wake_source=WakeSource(None, "x", ""), **(fields | more)
    )


def packed(records) -> bytes:
    return encoding.deflate(encoding.records_json(records), b"")


def test_a_dut_may_write_any_filetime() -> None:
    last = record(wake_time_utc_ns=2**72)

    assert encoding.unpack_records(packed([last]), b"", Budget(1)) == (last,)
    for beyond in (2**72 + 1, -(2**72) - 1):
        with pytest.raises(RecordError, match="72 bits"):
            encoding.unpack_records(packed([record(wake_time_utc_ns=beyond)]), b"", Budget(1))


@pytest.mark.parametrize(
    ("source", "whole"), [(0, True), (65_535, True), (65_536, False), (-1, False)]
)
def test_a_record_is_of_a_file_that_can_be(source: int, whole: bool) -> None:
    blob = packed([replace(record(), source=source)])

    if whole:
        assert encoding.unpack_records(blob, b"", Budget(1))[0].source == source
    else:
        with pytest.raises(RecordError, match="allowed are 0 to 65535"):
            encoding.unpack_records(blob, b"", Budget(1))


def test_an_empty_store_of_records_is_none_and_needs_no_budget() -> None:
    assert encoding.unpack_records(b"", b"", Budget(0)) == ()
    assert encoding.deflate(b"", b"x") == b""


def test_the_records_of_a_file_may_take_a_base_and_so_much_a_cycle() -> None:
    million = encoding.deflate(b" " * 1_000_000, b"")

    budget = Budget(125)
    for _ in range(72):
        budget.unpack(million, b"")
    with pytest.raises(RecordError, match="are cut short, or over 1 bytes"):
        budget.unpack(million, b"")
    values = encoding.deflate(b"[" * 100_000, b"")
    budget = Budget(0)
    for _ in range(37):  # 100,000 bytes, and 16 more for each value
        budget.unpack(values, b"")
    with pytest.raises(RecordError, match="more than any campaign has"):
        budget.unpack(values, b"")
    budget.unpack(encoding.deflate(b"[" * 1_000, b""), b"")  # what is left stays


def test_edges_are_bounded_in_number_channel_level_and_time(monkeypatch) -> None:
    one = encoding.pack_edges([Edge(1, 5, Channel.SLP_S0, 1)])

    monkeypatch.setattr(encoding, "EDGES_MOST", 7)
    assert len(encoding.unpack_edges(one * 7)) == 7
    with pytest.raises(RecordError, match="allowed are 7"):
        encoding.unpack_edges(one * 8)
    for wrong in (one[:12] + b"\x0a\x01", one[:12] + b"\x09\x02"):
        with pytest.raises(RecordError, match="a channel or a level that does not exist"):
            encoding.unpack_edges(wrong)
    last = encoding.pack_edges([Edge(1, MOST_NS, Channel.LID, 0)])
    assert encoding.unpack_edges(last)[0].t_ns == MOST_NS
    with pytest.raises(RecordError, match="is no time"):
        encoding.unpack_edges(encoding.pack_edges([Edge(1, MOST_NS + 1, Channel.LID, 0)]))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("place", range(4))
def test_a_stamp_of_an_exchange_is_a_time(place: int, sign: int) -> None:
    def unpacked(value: int):
        stamps = [0, 0, 0, 0]
        stamps[place] = value
        return encoding.unpack_exchanges(np.array(stamps, "<i8").tobytes())

    assert len(unpacked(sign * MOST_NS)) == 1
    with pytest.raises(RecordError, match="clock exchanges of a cycle is no time"):
        unpacked(sign * (MOST_NS + 1))


@pytest.mark.parametrize(
    ("took_ms", "most"), [(0, 10_000), (-5_000, 10_000), (1_000, 11_100), (10, 10_011)]
)
def test_a_cycle_has_a_block_of_light_each_millisecond_and_some_more(took_ms, most) -> None:
    def unpacked(count: int) -> int:
        blob = encoding.pack_light([LightBlock(n, n, 0, 0, 0) for n in range(count)])
        return len(encoding.unpack_light(blob, took_ms * MS))

    assert unpacked(most) == most
    with pytest.raises(RecordError, match="light of a cycle are cut short, or over"):
        unpacked(most + 1)


def test_light_is_kept_as_differences_column_by_column() -> None:
    blocks = [LightBlock(7, 100, 1, 2, 3), LightBlock(9, 250, 4, 5, 6)]

    plain = zlib.decompress(encoding.pack_light(blocks))

    columns = [
        ("<u4", [7, 2]),
        ("<u8", [100, 150]),
        ("<u2", [1, 4]),
        ("<u2", [2, 5]),
        ("<u2", [3, 6]),
    ]
    assert plain == b"".join(np.array(values, kind).tobytes() for kind, values in columns)
    assert encoding.pack_light([]) == b""
    assert len(encoding.unpack_light(b"")) == 0
    late = [LightBlock(1, MOST_NS + 1, 0, 0, 0)]
    with pytest.raises(RecordError, match="light blocks of a cycle is no time"):
        encoding.unpack_light(encoding.pack_light(late))


@pytest.mark.parametrize("text", ["[" * 100_000, "{", '{"a":' + "9" * 30 + "}"])
def test_what_is_no_sane_json_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        encoding.unpack_mapping(text)


def test_numbers_of_eighteen_digits_are_read_and_of_many_refused() -> None:
    assert encoding.unpack_mapping('{"a":999999999999999999}') == {"a": 10**18 - 1}
    assert encoding.unpack_mapping('{"a":1000000000000000000}') == {"a": 10**18}


def test_more_values_than_any_campaign_has_are_refused_unread(monkeypatch) -> None:
    monkeypatch.setattr(encoding, "_VALUES_MOST", 10)

    assert len(encoding.unpack_facts(int, "[0,0,0,0,0,0,0,0,0,0]")) == 10
    for text in ("[0,0,0,0,0,0,0,0,0,0,0]", "{" * 11, "[" * 11):
        with pytest.raises(RecordError, match="more than 10 values"):
            encoding.unpack_mapping(text)


@pytest.mark.parametrize(
    "text",
    [
        '[["press",1.5,null,null,null]]',
        '[["press",true,null,null,null]]',
        '[["press",1,null,null]]',
        "[5]",
        "5",
    ],
)
def test_commands_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(RecordError, match="commands of a cycle cannot be read"):
        encoding.unpack_commands(text)


RAW = CycleRaw(
    number=5,
    session=2,
    boot_id=9,
    outcome=Outcome.SLEPT_AND_WOKE,
    utc_minus_host_ns=10**18,
    started_host_ns=100 * MS,
    ended_host_ns=900 * MS,
    initial_levels={Channel.PWR_OK: 1},
    edges=(Edge(1, 5, Channel.PWR_OK, 0),),
    light=(LightBlock(1, 2, 3, 4, 5),),
    exchanges=(ClockExchange(1, 2, 3, 4),),
    commands=(Command(CommandName.PRESS, 5),),
    lost_edges=1,
    lost_light=2,
    records=(record(wake_ms=7),),
    findings=(Finding(FindingKind.DARK, "It is dark."),),
    onset=LightOnset(OnsetState.OK, first_ns=5),
    sleep_timeout_ns=3,
    wake_timeout_ns=4,
)


def row_of(raw: CycleRaw = RAW) -> dict[str, object]:
    values = rows.cycle_to_row(raw, None, packed(raw.records))
    return dict(zip(rows.CYCLE_COLUMNS, values, strict=True))


def test_a_cycle_comes_back_from_its_row_with_or_without_records() -> None:
    def read(**more) -> CycleRaw:
        return rows.cycle_of_row(row_of(), {}, budget=Budget(1), **more)

    assert read() == replace(RAW, light=read().light)
    assert list(read().light) == list(RAW.light)
    assert read(with_records=False).records == ()


@pytest.mark.parametrize("name", rows.CYCLE_COLUMNS)
def test_a_value_of_another_kind_is_refused_by_its_column(name: str) -> None:
    row = row_of()
    row[name] = 1.5

    with pytest.raises(RecordError, match=f"cannot be read \\({name} is of type float"):
        rows.cycle_of_row(row, {}, budget=Budget(1))


@pytest.mark.parametrize("name", [name for name in rows.CYCLE_COLUMNS if name.endswith("_ns")])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_time_of_a_row_is_seventy_three_years_at_most(name: str, sign: int) -> None:
    row = row_of(replace(RAW, light=()))
    row[name] = sign * MOST_NS
    rows.cycle_of_row(row, {}, budget=Budget(1))

    row[name] = sign * (MOST_NS + 1)
    with pytest.raises(RecordError, match=f"{name} is .*, which is no time"):
        rows.cycle_of_row(row, {}, budget=Budget(1))


@pytest.mark.parametrize(
    "name", ["dictionary", "faults", "onset", "sleep_timeout_ns", "wake_timeout_ns"]
)
def test_what_an_older_version_did_not_write_may_lack(name: str) -> None:
    row = row_of()
    row[name] = None

    rows.cycle_of_row(row, {}, budget=Budget(1))


def test_the_columns_of_version_two_stand_behind_the_records() -> None:
    assert rows.LATE_COLUMNS == ("onset", "sleep_timeout_ns", "wake_timeout_ns")


@pytest.mark.parametrize("name", rows.CYCLE_COLUMNS)
def test_a_changed_value_breaks_the_seal_of_its_part(name: str) -> None:
    row = row_of()
    seals = rows.seals_of(list(row.values()))
    assert rows.broken_seals(row, seals) == ()

    value = row[name]
    row[name] = value + b"\0" if isinstance(value, bytes) else f"{value}x"

    part = "light" if name == "light" else "cycle"
    assert rows.broken_seals(row, seals) == (part,)
    assert rows.broken_seals(row, (None, None)) == ()
    assert rows.broken_seals(row, (0, 0)) == ("cycle", "light")


def test_a_seal_knows_a_text_from_its_bytes_and_from_its_neighbour() -> None:
    def facts(*values: object) -> int:
        return rows.seals_of([*values, *[None] * (len(rows.CYCLE_COLUMNS) - len(values))])[0]

    different = [
        facts("ab", "c"),
        facts("a", "bc"),
        facts(b"ab", "c"),
        facts("1"),
        facts(1),
        facts(None),
    ]
    assert len(set(different)) == len(different)


def test_health_reports_are_sealed_and_sixteen_at_most() -> None:
    reading = HealthReading(True, 5, 6, "everything is up")
    raw = replace(RAW, health=(reading,) * 16)

    def read(values) -> CycleRaw:
        return rows.with_health(RAW, dict(zip(rows.HEALTH_COLUMNS, values, strict=True)))

    number, packed_readings, crc = rows.health_to_row(raw)
    assert (number, read((number, packed_readings, crc))) == (5, raw)
    assert rows.health_to_row(RAW) is None
    assert rows.with_health(RAW, None) is RAW
    with pytest.raises(RecordError, match="checksum of its health reports"):
        read((number, packed_readings, crc + 1))
    with pytest.raises(RecordError, match="checksum of its health reports"):
        read((number, "text", crc))
    more = rows.health_to_row(replace(raw, health=(reading,) * 17))
    with pytest.raises(RecordError, match="it has 17 health reports"):
        read(more)


def test_samples_of_power_are_sealed_and_one_a_millisecond_at_most() -> None:
    def samples(count: int) -> PowerSamples:
        return PowerSamples(tuple(range(5, 5 + count)), (7,) * count, (-9,) * count)

    def read(values, **more) -> CycleRaw:
        own = dict(zip(rows.POWER_COLUMNS, values, strict=True)) | more
        return rows.with_power(RAW, own)

    raw = replace(RAW, power=samples(10_800), lost_power=3)  # it took 800 ms
    values = rows.power_to_row(raw)
    assert read(values) == raw
    assert rows.power_to_row(RAW) is None
    assert rows.with_power(RAW, None) is RAW
    with pytest.raises(RecordError, match="checksum of its power"):
        read(values, crc=0)
    with pytest.raises(RecordError, match="it lost 'x' samples"):
        read(values, lost="x")
    with pytest.raises(RecordError, match="power of a cycle are cut short, or over"):
        read(rows.power_to_row(replace(raw, power=samples(10_801))))
    assert len(rows.unpack_power(rows.pack_power(samples(10_000)), -5).t_ns) == 10_000
    with pytest.raises(RecordError, match="end in the middle of one"):
        rows.unpack_power(zlib.compress(b"\0" * 17), 0)


def test_steps_of_one_recovery_are_one() -> None:
    step = Recovery(1, 5, "x", False, (), (), RecoveryStep.PRESS)
    steps = [step, replace(step, ok=True), replace(step, after_cycle=6), replace(step, session=2)]

    assert recoveries_of(steps) == 3
    assert recoveries_of([]) == 0


@pytest.mark.parametrize(
    ("free", "text"),
    [(1, "1 MB"), (1_000_001, "2 MB"), (64_000_000, "64 MB")],
)
def test_sizes_are_said_in_megabytes_rounded_up(free: int, text: str) -> None:
    assert (why_too_little(1, 1, free) or "").endswith(f"the disk has {text} left")


@pytest.mark.parametrize(("cycles", "text"), [(9_999, "9,999 MB"), (10_000, "10 GB")])
def test_large_sizes_are_said_in_gigabytes(cycles: int, text: str) -> None:
    assert f"take about {text} and" in (why_too_little(cycles, 1_000_000, 5) or "")


def test_what_does_not_fit_is_said_with_its_sizes() -> None:
    assert why_too_little(1_000, 24_000, 50_000_000) == (
        "1,000 cycles take about 24 MB and 64 MB are kept free, and the disk has 50 MB left"
    )
