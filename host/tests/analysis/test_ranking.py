"""The ranking of components, hibernation rates and the advice that rests on both."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resume_rig.analysis.findings.advice import advise, rank, transition_length_ms
from resume_rig.analysis.verdict.measures import hibernate_rates
from resume_rig.model.os_record import (
    Component,
    ComponentKind,
    Figure,
    Integrity,
    LogReading,
    LogSource,
    OsRecord,
    SleepKind,
)
from resume_rig.oslog.reading import read_logs
from resume_rig.oslog.source.records import BARE_RECORD

DEVICE, SERVICE = ComponentKind.DEVICE, ComponentKind.SERVICE


def record(
    *components: Component,
    kind: SleepKind = SleepKind.S3,
    figures: tuple[Figure, ...] = (),
    hiber: tuple[int | None, int | None, int | None] = (None, None, None),
) -> OsRecord:
    pages, write_ms, read_ms = hiber
    return replace(
        BARE_RECORD,
        record_id=1,
        kind=kind,
        hiber_read_ms=read_ms,
        hiber_write_ms=write_ms,
        hiber_pages=pages,
        components=components,
        figures=figures,
    )


def device(
    ms: float | None, name: str = "A", phase: str = "resume devices", **more: float
) -> Component:
    return Component(DEVICE, name, phase, ms, **more)


def reading(*records: OsRecord, kind: str = "xperf-suspend") -> LogReading:
    return LogReading((LogSource("a", kind, None, 1, Integrity(True)),), records)


def test_one_name_in_one_phase_is_one_over_all_records() -> None:
    found = rank([record(device(10), device(5, "B")), record(device(30)), record(device(None))])
    assert [(one.name, one.count, one.not_ended) for one in found] == [("A", 3, 1), ("B", 1, 0)]
    assert (found[0].median_ms, found[0].worst_ms) == (20, 30)


def test_the_same_name_in_another_phase_or_moment_stands_apart() -> None:
    boot = record(device(7), kind=SleepKind.BOOT)
    found = rank([record(device(10), device(9, phase="suspend devices")), boot])
    assert [(one.moment, one.phase, one.worst_ms) for one in found] == [
        ("sleep", "resume devices", 10),
        ("sleep", "suspend devices", 9),
        ("boot", "resume devices", 7),
    ]


def test_what_never_ended_comes_first() -> None:
    found = rank([record(device(10), device(None, "B"))])
    assert [(one.name, one.worst_ms, one.median_ms) for one in found] == [
        ("B", None, None),
        ("A", 10, 10),
    ]


def test_details_are_those_of_the_worst() -> None:
    found = rank([record(device(10, own_ms=4.0)), record(device(30, own_ms=6.0, held_ms=2.0))])
    assert (found[0].own_ms, found[0].held_ms) == (6.0, 2.0)


def test_a_share_is_of_the_transition_as_the_account_tells_it() -> None:
    told = record(device(10), figures=(Figure("transition_ms", 40.0),))
    assert rank([told])[0].share == 0.25


def test_components_alone_tell_no_length_of_their_transition() -> None:
    """Six services of a boot, from the first start to the last end, are no boot."""
    services = record(device(10, start_ms=100.0), device(50, "B", start_ms=150.0))
    assert transition_length_ms(services) is None
    assert [each.share for each in rank([services])] == [None, None]


def test_suspend_and_resume_may_each_be_timed_from_a_start_of_their_own() -> None:
    phase = ComponentKind.PHASE
    halves = (
        Component(phase, "suspend", "", 1_000, 0.0),
        Component(phase, "resume", "", 200, 0.0),
        Component(phase, "suspend devices", "suspend", 900, 5.0),
    )
    assert transition_length_ms(record(*halves)) == 1_200


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("ABC"), st.none() | st.floats(0, 1e6)), max_size=6),
        max_size=8,
    )
)
def test_nothing_is_lost_and_order_is_by_the_worst(
    parts: list[list[tuple[str, float | None]]],
) -> None:
    found = rank([record(*(device(ms, name) for name, ms in row)) for row in parts])
    assert sum(one.count for one in found) == sum(map(len, parts))
    worst = [one.worst_ms for one in found if one.worst_ms is not None]
    assert worst == sorted(worst, reverse=True)
    for one in found:
        times = [ms for row in parts for name, ms in row if name == one.name and ms is not None]
        assert one.worst_ms == max(times, default=None)


def test_the_papers_hibernation_file() -> None:
    rates = hibernate_rates(record(hiber=(38_075, 17_282, 10_964)))
    assert rates is not None
    assert round(rates.read_pages_per_ms or 0, 1) == 3.5
    assert round(rates.write_pages_per_ms or 0, 2) == 2.20
    # 38075 * 4096 B in 10.964 s and in 17.282 s
    assert round(rates.read_mb_per_s or 0, 2) == 14.22
    assert round(rates.write_mb_per_s or 0, 2) == 9.02


@pytest.mark.parametrize(
    "hiber", [(None, 5, 5), (0, 5, 5), (5, None, None)], ids=["unknown", "none", "no times"]
)
def test_without_pages_or_times_there_is_no_rate(hiber: tuple[int | None, ...]) -> None:
    pages, write_ms, read_ms = hiber
    assert hibernate_rates(record(hiber=(pages, write_ms, read_ms))) is None


def test_a_file_that_was_only_written_has_no_read_rate() -> None:
    rates = hibernate_rates(record(hiber=(100, 50, None)))
    assert rates is not None
    assert (rates.write_pages_per_ms, rates.read_pages_per_ms, rates.read_mb_per_s) == (
        *(2.0, None),
        None,
    )


def topics(of: LogReading) -> list[str]:
    found = advise(of)
    # No advice is without whom it is for, where it is told of, and what shows more.
    assert all((each.owner, each.source, each.section, each.command) for each in found)
    return [advice.topic for advice in found]


def service(ms: float | None, phase: str, group: str = "") -> Component:
    return Component(SERVICE, "S", phase, ms, group=group)


@pytest.mark.parametrize(
    ("component", "kind", "topic"),
    [
        (device(200), SleepKind.S3, "slow-resume-device"),
        (device(199), SleepKind.S3, None),
        (device(1_000, phase="suspend devices"), SleepKind.S3, "slow-suspend-device"),
        (device(999, phase="query devices"), SleepKind.S3, None),
        (
            Component(ComponentKind.APPLICATION, "a", "suspend apps", 2_000),
            SleepKind.S3,
            "slow-suspend-application",
        ),
        (
            Component(ComponentKind.APPLICATION, "a", "trace (weight)", 9_000),
            SleepKind.SHUTDOWN,
            None,
        ),
        (service(30_000, "suspend services"), SleepKind.S3, "slow-suspend-service"),
        (service(6_000, "start services", "AudioGroup"), SleepKind.BOOT, "slow-service-in-group"),
        (service(6_000, "start services"), SleepKind.BOOT, "slow-service"),
        (device(3_000, phase="x", held_ms=3_000.0), SleepKind.BOOT, "irp-not-pended"),
        (device(3_000, phase="x", held_ms=0.0), SleepKind.BOOT, None),
        (Component(ComponentKind.PHASE, "OSLoader", "", 3_000), SleepKind.BOOT, "slow-loader"),
        (Component(ComponentKind.PHASE, "OSLoader", "", 1_926), SleepKind.BOOT, None),
        (Component(ComponentKind.PHASE, "PostBoot", "", 10_000), SleepKind.BOOT, "slow-post-boot"),
        (service(None, "unresponsive services"), SleepKind.SHUTDOWN, "unresponsive-service"),
        (service(1_200, "stop services"), SleepKind.SHUTDOWN, "slow-shutdown-service"),
        (
            Component(ComponentKind.APPLICATION, "a", "user session", 5_005),
            SleepKind.SHUTDOWN,
            "slow-shutdown-application",
        ),
    ],
)
def test_each_rule_applies_from_its_number_on(
    component: Component, kind: SleepKind, topic: str | None
) -> None:
    assert topics(reading(record(component, kind=kind))) == ([] if topic is None else [topic])


def test_windows_advice_is_not_given_to_linux() -> None:
    assert topics(reading(record(device(9_000)), kind="linux-kernel-log")) == []


def test_a_slow_hibernation_file_is_advised_on_once() -> None:
    slow = record(hiber=(38_075, 17_282, 10_964), kind=SleepKind.S4)
    (advice,) = advise(reading(slow, slow, kind="evtx"))
    assert (advice.topic, advice.count, advice.names) == ("slow-hibernate-read", 2, ())
    assert "64 KB" in advice.text


def test_advice_names_the_worst_five_and_counts_all() -> None:
    many = [device(1_000 + n, f"D{n}") for n in range(8)]
    (advice,) = advise(reading(record(*many)))
    assert advice.names == ("D7", "D6", "D5", "D4", "D3")
    assert advice.count == 8


def test_every_sentence_has_a_source_and_an_end(fixtures_dir: Path) -> None:
    logs = sorted((fixtures_dir / "logs").glob("xperf-*.xml"))
    found = advise(read_logs(logs))
    assert {advice.topic for advice in found} >= {
        *("slow-resume-device", "slow-suspend-device", "slow-suspend-service"),
        *("irp-not-pended", "slow-service-in-group", "unresponsive-service"),
        "slow-shutdown-application",
    }
    assert all(advice.text.endswith(".") and "Microsoft" in advice.source for advice in found)
