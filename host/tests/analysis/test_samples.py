"""What of a session is compared: which cycles, which times, which components."""

from dataclasses import replace

import pytest

from resume_rig.analysis.compare.samples import (
    Evidence,
    Sample,
    evidence_of_cycles,
    evidence_of_log,
    headlines_gone,
    kinds_in,
    sample_of,
    step_ms_of,
)
from resume_rig.analysis.verdict.measures import Sighting
from resume_rig.model.channel import Actuator
from resume_rig.model.os_record import (
    Component,
    ComponentKind,
    Integrity,
    LogReading,
    LogSource,
    SleepKind,
    WakeSource,
)
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import (
    IntervalName,
    Outcome,
    OutsideCycle,
    OutsideState,
    ReconciledCycle,
)
from resume_rig.model.result.verdict import Finding, FindingKind, Verdict

MS = 1_000_000
LIGHT = IntervalName.PRESS_TO_LIGHT
DEVICE, PHASE = ComponentKind.DEVICE, ComponentKind.PHASE


def cycle(number: int, outcome=Outcome.SLEPT_AND_WOKE, **more) -> ReconciledCycle:
    """Return a cycle that woke by its button, 750 ms from press to light."""
    light = more.pop("light", BoundedNs(750 * MS, MS))
    outside = OutsideCycle(
        number,
        outcome,
        more.pop("state", OutsideState.S3),
        more.pop("wake_by", Actuator.BUTTON),
        None,
        None,
        None,
        {} if light is None else {LIGHT: light},
        ignored=more.pop("ignored", False),
    )
    whole = ReconciledCycle(outside, None, None, None, None, Verdict.NO_EVIDENCE, False, None)
    return replace(whole, **more)


def session(*sightings: Sighting, failed=None) -> Evidence:
    return Evidence("x", {}, {}, sightings, failed)


def test_cycles_that_were_tried_count_and_those_that_went_well_are_measured() -> None:
    cycles = [
        cycle(1, ignored=True),
        cycle(2),
        cycle(3, Outcome.NEVER_WOKE, light=None),
        cycle(4, Outcome.WOKE_LATE),
        cycle(5, wake_by=Actuator.LID),
        cycle(6, wake_by=None),
    ]

    found = evidence_of_cycles("a.rrs", cycles, {"dut": "x"}, {"dwell": "5 s"})

    assert found.failed == (False, True, True, False, False)
    assert [each.cycle.outside.number for each in found.sightings] == [2, 5, 6]
    assert found.setting == {"dwell": "5 s", "woken by": "BUTTON, LID"}
    assert (found.identity, found.notes) == ({"dut": "x"}, ())
    assert evidence_of_cycles("a", [cycle(1, wake_by=None)], {}, {}).setting == {}


def test_a_record_that_the_wires_contradict_is_left_out_and_its_cycle_stays(record) -> None:
    cycles = [
        cycle(1, record=record()),
        cycle(2, record=record(kind=SleepKind.S3), state=OutsideState.S4),
    ]

    found = evidence_of_cycles("a.rrs", cycles, {}, {})

    assert [each.record is None for each in found.sightings] == [False, True]
    assert [each.cycle.outside.number for each in found.sightings] == [1, 2]
    assert found.notes == ("a.rrs: 1 OS records contradict the wires and are left out.",)


def test_bios_times_that_cannot_be_are_counted_apart_from_those_contradicted(record) -> None:
    wrong = (Finding(FindingKind.BIOS_UNDER_REPORTED, "It is short."),)
    cycles = [
        cycle(1, record=record(), bios_impossible=True, findings=wrong),
        cycle(2, record=record(), findings=wrong),
        cycle(3, record=record(), findings=wrong),
        cycle(4, record=record()),
    ]

    assert evidence_of_cycles("a", cycles, {}, {}).notes == (
        "a: 1 impossible BIOS time left out.",
        "a: 2 BIOS times contradicted by clock and wires, and compared as reported.",
    )


def test_a_log_tells_who_it_is_of_and_what_woke_it(record) -> None:
    def source(path: str, ok: bool, build: int | None, **identity: str) -> LogSource:
        return LogSource(path, "evtx", build, 1, Integrity(ok), tuple(identity.items()))

    wakes = ["lid"] * 3 + ["power button"] * 2 + ["timer"] * 2 + ["LAN", "unknown"]
    records = [record(wake_source=WakeSource(1, name, "")) for name in wakes]
    records += [record(wake_source=WakeSource(None, "not recorded", ""))] * 9
    reading = LogReading(
        (source("a", True, 22000, computer="PC"), source("b", False, None, computer="PC2")),
        tuple(records),
    )

    found = evidence_of_log("log", reading)

    assert found.identity == {"computer": "PC2", "os_build": "22000"}
    assert found.setting == {"woken by": "lid, power button, timer"}
    assert found.notes == ("b is incomplete, so cycles may be missing.",)
    assert (len(found.sightings), found.failed) == (len(records), None)


def test_kinds_are_counted_where_a_time_can_be_compared(record) -> None:
    phase = (Component(PHASE, "PreSMSS", "", 5.0),)
    empty = dict.fromkeys(
        ("sleep_ms", "wake_ms", "driver_init_ms", "bios_init_ms", "firmware_resume_ms")
    )
    sightings = [
        Sighting(record()),
        Sighting(record(kind=SleepKind.HYBRID)),
        Sighting(record(**empty)),
        Sighting(record(kind=SleepKind.BOOT, **empty)),
        Sighting(record(kind=SleepKind.BOOT, components=phase, **empty)),
        Sighting(None, cycle(1)),
        Sighting(None, cycle(2, light=None)),
        Sighting(None, None),
    ]

    assert kinds_in(session(*sightings)) == {
        SleepKind.S3: 2,
        SleepKind.HYBRID: 1,
        SleepKind.BOOT: 1,
    }


def test_a_sample_has_the_times_of_one_kind_and_what_their_cycles_share(record) -> None:
    sightings = [
        Sighting(record(bios_init_ms=200, driver_init_ms=700)),
        Sighting(record(kind=SleepKind.HYBRID, bios_init_ms=1)),
        Sighting(record(bios_init_ms=None, driver_init_ms=800)),
        Sighting(None, cycle(1, light=BoundedNs(750 * MS, 9 * MS, rig_ns=2 * MS, campaign_ns=MS))),
        Sighting(None, cycle(2, light=BoundedNs(751 * MS, 9 * MS, rig_ns=MS, campaign_ns=4 * MS))),
    ]

    sample = sample_of(session(*sightings), SleepKind.S3)

    assert sample.cycles == 4
    assert sample.times_ms["bios_init_ms"] == [200.0]
    assert sample.times_ms["driver_init_ms"] == [700.0, 800.0]
    assert sample.times_ms["resume_ms"] == [900.0]
    assert sample.times_ms[LIGHT.value] == [750.0, 751.0]
    assert sample.shared_ms[LIGHT.value] == (2.0, 4.0)
    # What an OS rounds, it rounds in every cycle: two figures, each to a millisecond.
    assert sample.shared_ms["resume_ms"] == (0.0, 2.0)
    assert sample.training is None


def test_components_are_of_each_record_the_longest_of_one_name(record) -> None:
    def with_parts(*parts: Component, kind=SleepKind.S3) -> Sighting:
        return Sighting(record(kind=kind, components=parts))

    sightings = [
        with_parts(
            Component(DEVICE, "disk", "resume devices", 5.0),
            Component(DEVICE, "disk", "resume devices", 9.0),
            Component(DEVICE, "disk", "resume devices", 7.0),
            Component(DEVICE, "disk", "suspend devices", 3.0),
            Component(DEVICE, "none", "resume devices", None),
            Component(PHASE, "resume", "", 50.0),
        ),
        Sighting(None, cycle(1)),
        with_parts(Component(DEVICE, "disk", "resume devices", 4.0)),
    ]

    assert sample_of(session(*sightings), SleepKind.S3).components_ms == {
        ("sleep", DEVICE, "disk", "resume devices"): [9.0, 4.0],
        ("sleep", DEVICE, "disk", "suspend devices"): [3.0],
        ("sleep", PHASE, "resume", ""): [50.0],
    }
    # Of a boot each phase is a time of its own.
    boot = with_parts(
        Component(PHASE, "PreSMSS", "", 50.0),
        Component(DEVICE, "disk", "", 1.0),
        kind=SleepKind.BOOT,
    )
    sample = sample_of(session(boot), SleepKind.BOOT)
    assert sample.components_ms == {("boot", DEVICE, "disk", ""): [1.0]}
    assert sample.times_ms["phase:PreSMSS"] == [50.0]


@pytest.mark.parametrize(("count", "taken"), [(40, 40), (41, 40)])
def test_forty_phases_of_boots_are_compared(record, count: int, taken: int) -> None:
    parts = tuple(Component(PHASE, f"p{n}", "", 1.0) for n in range(count))
    boot = Sighting(record(kind=SleepKind.BOOT, components=parts))

    times = sample_of(session(boot), SleepKind.BOOT).times_ms

    assert sum(name.startswith("phase:") for name in times) == taken


@pytest.mark.parametrize(
    ("candidate", "gone"),
    [
        ("log", ["resume_ms"]),
        ("wires", [LIGHT.value]),
        ("both", ["resume_ms", LIGHT.value]),
        ("neither", []),
    ],
)
def test_a_headline_is_gone_where_the_candidate_could_have_it(
    record, candidate: str, gone: list[str]
) -> None:
    sightings = {
        "log": session(Sighting(record(bios_init_ms=None))),
        "wires": session(Sighting(None, cycle(1, light=None)), failed=(False,)),
        "both": session(Sighting(record(bios_init_ms=None), cycle(1)), failed=(False,)),
        "neither": session(),
    }[candidate]
    base = [Sample(4, {"resume_ms": [1.0] * 3, LIGHT.value: [1.0] * 2})] * 2

    assert headlines_gone(base, [sightings], [Sample(1)], 4) == gone
    assert headlines_gone(base, [sightings], [Sample(1)], 7) == []
    there = Sample(1, {"resume_ms": [1.0], LIGHT.value: [1.0]})
    assert headlines_gone(base, [sightings, sightings], [Sample(1), there], 4) == []


def test_an_os_reports_in_milliseconds_and_wires_in_microseconds() -> None:
    assert [step_ms_of(name) for name in ("resume_ms", LIGHT.value)] == [1.0, 0.001]
    assert step_ms_of("press_to_resume_complete_ns") == 0.001
