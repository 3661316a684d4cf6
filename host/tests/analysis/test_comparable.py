"""Whether sessions can be compared at all, sentence by sentence.

It asks the functions behind `compare` one by one: which of them spoke is lost in its answer.
"""

from dataclasses import replace

import numpy as np
import pytest

from resume_rig.analysis.compare.comparable import (
    differences_of,
    differing_warnings,
    identity_of,
    names_its_dut,
    not_cancelled_ms,
    other_kinds_warnings,
    sample_warnings,
    session_warnings,
)
from resume_rig.analysis.compare.effects import Times, same_cycles_of
from resume_rig.analysis.compare.samples import Evidence, Sample, evidence_of_log
from resume_rig.analysis.verdict.measures import Sighting
from resume_rig.model.os_record import Integrity, LogReading, LogSource, SleepKind
from resume_rig.model.result.comparison import Unit
from resume_rig.model.result.series import Training


def session(path: str = "a.rrs", identity=None, setting=None, **more) -> Evidence:
    return Evidence(path, identity or {}, setting or {}, more.pop("sightings", ()), **more)


@pytest.mark.parametrize(
    ("rig", "dut", "expected"),
    [
        ("r1", "d1", {"x": 0.0, "y": 0.0}),
        ("r2", "d1", {"x": 6.0, "y": 0.5}),  # of each side the greatest of its sessions
        ("r1", "d2", {"x": 30.0, "y": 0.25}),
        ("r2", "d2", {"x": 36.0, "y": 0.75}),
    ],
)
def test_what_a_rig_or_a_dut_shares_cancels_where_both_sides_are_of_it(
    rig: str, dut: str, expected: dict[str, float]
) -> None:
    base = [session(identity={"dut": "d1"}, rig="r1")] * 2
    candidate = [session(identity={"dut": dut}, rig=rig)]
    samples = [
        Sample(1, shared_ms={"x": (1.0, 10.0)}),
        Sample(1, shared_ms={"x": (2.0, 7.0), "y": (0.5, 0.25)}),
    ]

    found = not_cancelled_ms(
        base, candidate, samples, [Sample(1, shared_ms={"x": (4.0, 20.0)}), Sample(0)]
    )

    assert found == expected


def test_two_rigs_on_one_side_do_not_cancel_either() -> None:
    sides = [session(rig="r1"), session(rig="r2")]
    samples = [Sample(1, shared_ms={"x": (1.0, 0.0)})] * 2

    assert not_cancelled_ms(sides, sides, samples, samples) == {"x": 2.0}


def test_an_identity_names_every_value_once_in_order() -> None:
    sides = [session(identity={"dut": "a", "rig": "r"}), session(identity={"dut": "b"})]

    assert identity_of([*sides, sides[0]]) == {"dut": "a, b", "rig": "r"}
    assert identity_of([]) == {}


def test_differences_are_of_identity_and_setting_and_what_is_absent_is_named() -> None:
    base = [session(identity={"bios_version": "1", "sessions": "2"}, setting={"dwell": "5 s"})]
    candidate = [session(identity={"bios_version": "2", "sessions": "3", "rig": "b"})]

    assert differences_of(base, candidate) == (
        ("bios_version", "1", "2"),
        ("dwell", "5 s", "not reported"),
        ("rig", "not reported", "b"),
    )
    assert differences_of(base, base) == ()


def test_another_dut_is_graver_than_conditions_and_these_than_the_instrument() -> None:
    base = [session(identity={"rig": "a", "dut": "x", "bios_version": "1"}, setting={"dwell": "5"})]
    candidate = [
        session(identity={"rig": "b", "dut": "y", "bios_version": "2"}, setting={"dwell": "6"})
    ]

    assert differing_warnings(base, candidate) == (
        "The candidate is of another DUT: dut is y, not x.",
        "The candidate is of other conditions: dwell is 6, not 5.",
        "The candidate is of another instrument: rig is b, not a.",
    )
    assert differing_warnings(base, base) == ()
    # What one of them does not report is no difference.
    assert differing_warnings([session()], candidate) == ()
    assert differing_warnings(base, [session()]) == ()


@pytest.mark.parametrize("name", ["system_product", "os_build", "dwell", "firmware"])
def test_sessions_of_one_side_that_differ_are_warned_of_by_side(name: str) -> None:
    where = "setting" if name == "dwell" else "identity"
    unlike = [session(**{where: {name: value}}) for value in ("p", "q")]
    shown = f"are not alike: {name.replace('_', ' ')} is p, q."

    assert session_warnings(unlike, [session()], []) == (f"Sessions of the base {shown}",)
    assert session_warnings([session()], unlike, []) == (f"Sessions of the candidate {shown}",)
    assert session_warnings([unlike[0], session()], [session()], []) == ()


def at(*begun: int | None) -> list[Evidence]:
    return [session(f"{place}", begun_utc_ns=each) for place, each in enumerate(begun)]


@pytest.mark.parametrize(
    ("base", "candidate", "warned"),
    [
        ((1, 2), (3, 4), True),
        ((3, 4), (1, 2), True),
        ((1, 3), (3, 4), False),  # at the same time is not before
        ((3, 4), (1, 3), False),
        ((1, 3), (2, 4), False),
        ((1,), (3, 4), False),
        ((3, 4), (1,), False),
        ((1, 2, None), (3, 4), False),
        ((1, 2), (3, 4, None), False),
    ],
)
def test_all_of_one_side_before_the_other_is_warned_of(base, candidate, warned: bool) -> None:
    found = session_warnings(at(*base), at(*candidate), [])

    assert any("measure them in turn" in each for each in found) is warned


def test_a_wake_that_two_sessions_report_is_counted_by_pairs(record) -> None:
    def reporting(path: str, *wakes: int | None) -> Evidence:
        records = (None if w == 0 else record(wake_time_utc_ns=w) for w in wakes)
        return session(path, sightings=tuple(map(Sighting, records)))

    sides = [reporting("a", 5, 6, 0, None), reporting("b", 6, 5, 5), reporting("c", 5, None, 0)]

    assert session_warnings(sides[:1], sides[1:], []) == (
        "a and b share 3 records, so they are not independent sessions.",
        "a and c share 1 record, so they are not independent sessions.",
    )
    # Within one session it is that session's own affair.
    assert session_warnings([reporting("a", 5, 5)], [session("b")], []) == ()
    other = session("d", sightings=(Sighting(record(wake_time_utc_ns=5, wake_ms=77)),))
    assert session_warnings(sides[2:], [other], []) == ()


def times(*lengths: int, warm_up: int = 0) -> Times:
    return Times("resume_ms", (), (), warm_up, tuple(np.zeros(n) for n in lengths))


@pytest.mark.parametrize(
    ("each", "short"),
    [
        (times(49, 100, 100), "0 has 49 values only"),
        (times(50, 100, 100), None),  # half of the middle one is enough
        (times(100, 1, 100), "1 has 1 value only"),
        (times(100, 100, 0), None),  # without any value it shortens nobody
        (times(29, 80, 80, warm_up=20), "0 has 49 values only"),
        (times(30, 80, 80, warm_up=20), None),
        (times(0, 80, 80, warm_up=20), None),
        (times(0, 0, 0), None),
    ],
)
def test_a_session_that_shortens_the_others_is_named(each: Times, short: str | None) -> None:
    found = session_warnings(at(None), at(None, None), [times(9, 9, 9), each])
    paths = [session(str(place)) for place in range(3)]
    found = session_warnings(paths[:1], paths[1:], [times(9, 9, 9), each])

    assert [text.partition(",")[0] for text in found] == ([] if short is None else [short])


def test_of_two_sessions_none_is_said_to_be_short() -> None:
    assert session_warnings([session("a")], [session("b")], [times(1, 100)]) == ()


def test_each_short_session_is_named_once_with_its_first_length() -> None:
    paths = [session(str(place)) for place in range(3)]

    found = session_warnings(paths[:2], paths[2:], [times(4, 100, 100), times(3, 100, 100)])

    assert len(found) == 1
    assert found[0].startswith("0 has 4 values only, and the same cycles")


def test_other_kinds_are_counted_and_boots_are_other_than_sleeps() -> None:
    sides = [session("a"), session("b")]
    mixed = {SleepKind.S3: 9, SleepKind.HYBRID: 2, SleepKind.BOOT: 4, SleepKind.SHUTDOWN: 1}

    assert other_kinds_warnings(sides, [mixed, {SleepKind.S3: 1}], SleepKind.S3) == (
        f"a has cycles of other kinds, which are left out: 2 {SleepKind.HYBRID.value}.",
    )
    assert other_kinds_warnings(sides[:1], [mixed], SleepKind.BOOT) == (
        f"a has cycles of other kinds, which are left out: 1 {SleepKind.SHUTDOWN.value}.",
    )


def test_cycles_that_change_while_they_are_measured_are_warned_of_by_cycle_alone() -> None:
    noise = np.random.default_rng(3).normal(0, 2, 60)
    stepping = Sample(60, {"resume_ms": [*(900 + noise[:30]), *(980 + noise[30:])]})
    steady = Sample(
        60, {"resume_ms": list(900 + noise), "bios_init_ms": stepping.times_ms["resume_ms"]}
    )
    drifting = Sample(60, {"resume_ms": list(900.0 + np.arange(10))})
    sides = [session("a", notes=("It lacks a file.",))]

    def warned(sample: Sample, unit: Unit) -> tuple[str, ...]:
        return sample_warnings(sides, [sample], unit)

    first, last = warned(stepping, Unit.CYCLE)
    assert first.startswith("a: the total resume time steps while it is measured")
    assert last == "It lacks a file."
    assert "total resume time drifts while" in warned(drifting, Unit.CYCLE)[0]
    assert warned(steady, Unit.CYCLE) == warned(stepping, Unit.SESSION) == ("It lacks a file.",)


def test_boots_in_which_the_prefetcher_learnt_are_said_to_be_set_apart() -> None:
    sample = Sample(9, training=Training(2, 9, 40_000.0, 30_000.0, 20_000.0))

    (found,) = sample_warnings([session("a")], [sample], Unit.SESSION)

    assert found.startswith("a: the first 2 boots were slower (40000 to 30000 ms, then 20000 ms)")
    assert found.endswith("; set apart.")


def test_the_same_cycles_of_a_session_too_short_are_none() -> None:
    long = np.full(20, 7.0)

    of_three = same_cycles_of("x", [long, np.arange(2.0)], [np.arange(4.0)])
    of_two = same_cycles_of("x", [long], [np.arange(3.0)])
    of_none = same_cycles_of("x", [np.zeros(0)], [np.zeros(0)])

    assert [len(each) for each in (*of_three.base, *of_three.candidate)] == [4, 0, 4]
    assert [len(each) for each in (*of_two.base, *of_two.candidate)] == [3, 3]
    assert [len(each) for each in of_two.settled] == [20, 3]
    assert [len(each) for each in (*of_none.base, *of_none.candidate)] == [0, 0]


@pytest.mark.parametrize(
    ("identity", "computers", "computer"),
    [
        ((), ("UNIT-5",), "UNIT-5"),
        ((("computer_name", "UNIT-7"),), (), "UNIT-7"),
        ((("computer", "UNIT-8"),), (), "UNIT-8"),
        ((("computer_name", "UNIT-7"),), ("UNIT-9",), "UNIT-9"),
        ((), ("A", "B"), None),  # renamed, or a collection of several
    ],
)
def test_a_log_names_its_dut_by_its_computer(identity, computers, computer) -> None:
    source = LogSource("x", "evtx", None, 0, Integrity(True), identity)
    other = LogSource("y", "evtx", None, 0, Integrity(True))

    found = evidence_of_log("x", LogReading((source,), computers=computers))
    against = evidence_of_log("y", LogReading((other,), computers=("OTHER",)))

    assert dict(found.identity) == ({} if computer is None else {"computer": computer})
    assert names_its_dut(found.identity) is (computer is not None)
    assert differing_warnings([found], [against]) == (
        ()
        if computer is None
        else (f"The candidate is of another DUT: computer is OTHER, not {computer}.",)
    )


def test_a_bios_time_that_no_firmware_takes_is_not_compared(record) -> None:
    records = record(record_id=1), replace(record(record_id=2), bios_init_ms=2**32 - 1)

    found = evidence_of_log("x", LogReading((), records))

    assert [each.record.bios_init_ms for each in found.sightings] == [records[0].bios_init_ms, None]
