"""Measures, limits and health reports on both sides of what is allowed, and in their words."""

from dataclasses import replace

import pytest

from resume_rig.analysis.cycles.health import (
    DEEP_SHARE_LEAST,
    FIRST_LINE,
    STANDBY_LEAST_NS,
    drains_finding,
    health_findings,
    health_of,
    is_settled,
    read_report,
    same_links,
)
from resume_rig.analysis.verdict.measures import (
    Side,
    Sighting,
    is_measure,
    is_rate,
    measure_words,
    measured,
    rate_of,
    side_of,
    time_for_rate_ns,
    units_of,
)
from resume_rig.analysis.verdict.requirement import limits_of, load_requirement
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import Component, ComponentKind, Figure, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import HealthReading, Outcome, OutsideCycle, OutsideState

MS = 1_000_000
S = 1_000 * MS


def ms(found: BoundedNs | None) -> tuple[float, float] | None:
    return None if found is None else (found.value_ns / MS, found.bound_ns / MS)


@pytest.mark.parametrize(
    ("measure", "fields", "expected"),
    [
        ("resume_ms", {}, (1_000, 2)),
        ("resume_ms", {"bios_init_ms": None}, None),
        ("resume_ms", {"driver_init_ms": None}, None),
        ("bios_init_ms", {}, (200, 1)),
        ("bios_init_ms", {"bios_init_ms": 0}, None),
        ("user_init_ms", {"user_init_ms": 50, "wake_ms": 850}, (50, 2)),
        ("user_init_ms", {"user_init_ms": None}, None),
        ("user_init_ms", {"user_init_ms": 50, "wake_ms": None}, None),
        ("hiber_read_ms", {"hiber_read_ms": 9}, (9, 1)),
        ("hiber_read_rate", {"hiber_read_ms": 9, "hiber_pages": 5}, (9, 1)),
        ("hiber_read_rate", {"hiber_read_ms": 9, "hiber_pages": 0}, None),
        ("hiber_write_rate", {"hiber_write_ms": 8, "hiber_pages": 5}, (8, 1)),
        ("figure:x_us", {"figures": (Figure("x_us", 1_500.4),)}, (1.5004, 0.001)),
        ("figure:x_ms", {"figures": (Figure("x_ms", 2.5), Figure("x_ms", 9.0))}, (2.5, 1)),
        ("figure:x_s", {"figures": (Figure("y_s", 2.5),)}, None),
    ],
)
def test_a_measure_has_its_value_and_the_steps_of_what_reports_it(
    record, measure: str, fields, expected
) -> None:
    if "user_init_ms" in fields:
        user_ms = fields["user_init_ms"]
        fields = {k: v for k, v in fields.items() if k != "user_init_ms"}
        wake_ms = fields.get("wake_ms", 850)
        driver_ms = None if user_ms is None or wake_ms is None else wake_ms - user_ms
        fields = {"wake_ms": wake_ms, "driver_init_ms": driver_ms}

    assert ms(measured(measure, Sighting(record(**fields)))) == expected
    assert measured(measure, Sighting(None)) is None


def test_of_several_phases_of_a_name_the_longest_counts_up_to_a_day(record) -> None:
    def phase(*lengths_ms: float | None, kind=ComponentKind.PHASE) -> tuple[float, float] | None:
        parts = tuple(Component(kind, "PreSMSS", "", length) for length in lengths_ms)
        return ms(measured("phase:PreSMSS", Sighting(record(components=parts))))

    day = 24 * 3_600_000.0
    assert phase(5.0, 9.0, None, 7.0) == (9.0, 1.0)
    assert phase(None) is phase() is phase(5.0, kind=ComponentKind.DEVICE) is None
    assert phase(day) == (day, 1.0)
    assert phase(day + 1) is None
    other = (Component(ComponentKind.PHASE, "x", "", 5.0),)
    assert measured("phase:PreSMSS", Sighting(record(components=other))) is None


def test_a_rate_is_the_time_of_its_pages_and_back(record) -> None:
    own = record(hiber_pages=38_075)

    # 38075 pages of 4096 bytes at 3.5 pages/ms, and at 14.336 MB/s, which is as much.
    assert time_for_rate_ns(3.5, "pages/ms", own) == round(38_075 / 3.5 * MS)
    assert time_for_rate_ns(14.336, "MB/s", own) == round(38_075 / 3.5 * MS)
    time = BoundedNs(10_000 * MS, 0)
    assert rate_of(time, "pages/ms", own) == pytest.approx(3.8075)
    assert rate_of(time, "MB/s", own) == pytest.approx(3.8075 * 4.096)
    assert rate_of(BoundedNs(0, 0), "MB/s", own) is None
    for none in (record(hiber_pages=0), record(hiber_pages=None), None):
        assert time_for_rate_ns(3.5, "pages/ms", none) is rate_of(time, "MB/s", none) is None


@pytest.mark.parametrize(
    ("measure", "is_one"),
    [
        ("resume_ms", True),
        ("hiber_read_rate", True),
        ("press_to_light_ns", True),
        ("light_after_complete_ns", True),
        ("figure:x_us", True),
        ("figure:x", False),
        ("x_us", False),
        ("phase:PreSMSS", True),
        ("phase:", False),
        ("phase:  ", False),
        (f"phase:{'x' * 80}", True),
        (f"phase:{'x' * 81}", False),
        ("phase:a\tb", False),
    ],
)
def test_what_is_a_measure(measure: str, is_one: bool) -> None:
    assert is_measure(measure) is is_one


@pytest.mark.parametrize(
    ("measure", "words", "side"),
    [
        ("resume_ms", "total resume time", Side.INSIDE),
        ("bios_init_ms", "BIOS initialization", Side.INSIDE),
        ("wake_ms", "wake", Side.INSIDE),
        ("hiber_read_rate", "hibernation file read rate", Side.INSIDE),
        ("slp_s3_to_pwr_ok_ns", "SLP_S3# to PWR_OK", Side.OUTSIDE),
        ("press_to_light_90_ns", "power button to display at 90 %", Side.OUTSIDE),
        ("press_to_light_ns", "power button to display on", Side.OUTSIDE),
        ("light_after_complete_ns", "display on after complete", Side.RECONCILED),
        ("press_to_desktop_ns", "power button to desktop", Side.RECONCILED),
        ("phase:PreSMSS", "PreSMSS phase", Side.INSIDE),
        ("figure:drips_us", "DRIPS residency", Side.INSIDE),
        ("figure:own_time_ms", "own time", Side.INSIDE),
        ("figure:own_count", "own count", Side.INSIDE),
    ],
)
def test_a_measure_is_said_in_words_and_has_a_side(measure, words, side) -> None:
    assert (measure_words(measure), side_of(measure)) == (words, side)
    assert is_rate(measure) is measure.endswith("_rate")
    assert units_of(measure) == (
        ("pages/ms", "MB/s") if measure.endswith("_rate") else ("ns", "us", "ms", "s")
    )


KINDS = (SleepKind.S3, SleepKind.HYBRID)


def limit(**changed):
    table = {"measure": "wake_ms", "at_most": 5, "unit": "s"} | changed
    table = {key: value for key, value in table.items() if value is not None}
    (found,) = limits_of([table], KINDS, "x")
    return found


@pytest.mark.parametrize(
    ("changed", "value"),
    [
        ({}, 5 * S),
        ({"at_most": 600}, 600 * S),
        ({"at_most": 1, "unit": "ns"}, 1),
        ({"at_most": 0.5, "unit": "ms"}, MS // 2),
        ({"measure": "light_after_complete_ns", "at_most": -600}, -600 * S),
        ({"measure": "hiber_read_rate", "unit": "MB/s", "at_most": 1_000_000}, 1e6),
        ({"measure": "hiber_read_rate", "unit": "MB/s", "at_most": 0.001}, 0.001),
    ],
)
def test_a_limit_may_be_what_a_resume_can_be(changed, value) -> None:
    assert limit(**changed).value == value


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"at_most": 600.001}, "allowed is a time above 0, at most 600 s"),
        ({"at_most": 0}, "allowed is a time above 0"),
        ({"at_most": -1}, "allowed is a time above 0"),
        ({"at_most": True}, "allowed is a time above 0"),
        ({"at_most": float("nan")}, "allowed is a time above 0"),
        ({"measure": "light_after_complete_ns", "at_most": -600.001}, "at most 600 s"),
        ({"measure": "hiber_read_rate", "unit": "MB/s", "at_most": 0}, "above 0 is needed"),
        ({"measure": "hiber_read_rate", "unit": "MB/s", "at_most": 1_000_001}, "at most 1000000"),
        ({"unit": "min"}, "unit is 'min'; allowed are ns, us, ms, s"),
        ({"demand": "wanted"}, "demand is 'wanted'; allowed are required, advised"),
        ({"at_most": None}, "it has none of at_most, below, at_least, above"),
        ({"below": 5}, "it has at_most and below of"),
        ({"measure": "odd"}, "measure is 'odd'; allowed are resume_ms"),
        ({"odd": 1}, "'odd' is not a key of it"),
        ({"share": 0.4999}, "share is 0.4999; allowed is a number from 0.5 to 0.9999"),
        ({"share": 0.99991}, "allowed is a number from 0.5 to 0.9999"),
        ({"confidence": 1}, "confidence is 1; allowed is a number"),
        ({"kinds": "S3"}, "kinds is 'S3'; a list of kinds of sleep is needed"),
        ({"kinds": ["S4"]}, "'S4' is not among the kinds of its profile; allowed are S3, hybrid"),
        ({"kinds": []}, "no kind of sleep is named"),
    ],
)
def test_a_limit_that_is_none_is_refused_with_what_is_allowed(changed, says: str) -> None:
    with pytest.raises(UsageError) as found:
        limit(**changed)

    assert says in str(found.value)
    assert str(found.value).startswith("x, [[limit]] 1")


def test_the_rest_of_a_limit_is_as_it_is_without() -> None:
    plain = limit()
    told = limit(share=0.5, confidence=0.9999, demand="advised", kinds=["S3", "S3"])

    assert (plain.required, plain.share, plain.confidence, plain.kinds) == (True, None, 0.95, ())
    assert (told.required, told.share, told.confidence) == (False, 0.5, 0.9999)
    assert told.kinds == (SleepKind.S3,)


def test_fifty_limits_are_allowed_and_tables_needed() -> None:
    table = {"measure": "wake_ms", "at_most": 5, "unit": "s"}

    assert len(limits_of([table] * 50, KINDS, "x")) == 50
    with pytest.raises(UsageError, match=r"it has 51 tables \[\[limit\]\]; allowed are 50"):
        limits_of([table] * 51, KINDS, "x")
    for wrong in (table, [5], "x"):
        with pytest.raises(UsageError, match=r"tables \[\[limit\]\] are needed"):
            limits_of(wrong, KINDS, "x")


@pytest.mark.parametrize(
    ("limit_ms", "allowed"), [(1, True), (600_000, True), (0, False), (600_001, False)]
)
def test_a_limit_in_place_of_the_profiles_is_ten_minutes_at_most(limit_ms, allowed) -> None:
    if allowed:
        assert load_requirement("sysfund-0004", limit_ms).resume_limit_ms == limit_ms
    else:
        with pytest.raises(UsageError, match="whole milliseconds from 1 to 600000"):
            load_requirement("sysfund-0004", limit_ms)


def test_a_profile_is_a_file_of_64_kib_at_most(tmp_path) -> None:
    whole = 'id = "x"\nversion = 1\ntitle = "t"\nsource = "s"\nkinds = ["S3"]\n'
    whole += "[limits]\nresume_ms = 9\n"
    path = tmp_path / "own.toml"

    path.write_text(whole + "#" * (65_536 - len(whole)))
    assert load_requirement(str(path)).resume_limit_ms == 9
    path.write_text(whole + "#" * (65_537 - len(whole)))
    with pytest.raises(UsageError, match="it is larger than 65536 bytes"):
        load_requirement(str(path))
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(UsageError, match="it is no file"):
        load_requirement(str(tmp_path / "folder.toml"))


def report(*lines: str, boot: str = "b1", end: str = "end") -> str:
    return "\n".join((FIRST_LINE, f"boot\t{boot}", *lines, end, ""))


@pytest.mark.parametrize(
    ("line", "counters"),
    [
        ("residency\tx\t7", {"x": 7}),
        (f"residency\tx\t{2**63 - 1}", {"x": 2**63 - 1}),
        (f"residency\tx\t{2**63}", {}),
        ("residency\tx\t-7", {}),
        ("residency\tx\t٧", {}),
        ("residency\t\t7", {}),
        ("residency\tx\t7\t8", {}),
    ],
)
def test_a_counter_is_a_number_of_63_bits(line: str, counters) -> None:
    assert read_report(report(line)).counters == counters


def test_a_report_has_its_first_and_its_last_line() -> None:
    assert read_report(report()).whole
    assert not read_report(report(end="")).whole
    assert read_report("x\n" + report()).devices == {}
    assert read_report("\ufeff" + report("device\ta\t0\tA")).devices == {"a": ("A", "0")}
    named = read_report(report("device\ta\t\t", "link\te\tup\t", "link\tw\tdown\tWi-Fi"))
    assert named.devices == {"a": ("a", "0")}
    assert named.links == {"e": ("e", True), "w": ("Wi-Fi", False)}


@pytest.mark.parametrize(
    ("kind", "most"), [("device", 4_096), ("link", 64), ("residency", 64), ("error", 64)]
)
def test_of_each_kind_so_many_lines_are_taken(kind: str, most: int) -> None:
    def read(count: int):
        rest = {"device": "\t0\tx", "link": "\tup\tx", "residency": "\t5", "error": ""}[kind]
        found = read_report(report(*(f"{kind}\t{n}{rest}" for n in range(count))))
        named = {"device": "devices", "link": "links", "residency": "counters", "error": "errors"}
        return len(getattr(found, named[kind])), found.whole

    assert read(most - 1) == (most - 1, True)
    assert read(most) == (most, kind != "device")  # of so many devices some may be left out
    assert read(most + 1) == (most, kind != "device")


def test_a_field_is_of_one_line_and_160_characters() -> None:
    (text,) = read_report(report("error\t" + "a\x1b  b" + "x" * 300)).errors

    assert (text[:4], len(text)) == ("a bx", 160)


@pytest.mark.parametrize(
    ("after", "settled"),
    [
        (report("device\ta\t0\tA", "link\te\tup\tE"), True),
        (report("device\ta\t0\tA", "link\te\tdown\tE"), False),
        (report("device\ta\t0\tA"), False),
        (report("link\te\tup\tE"), False),
        (report("device\ta\t10\tA", "link\te\tup\tE"), False),
        (report("device\ta\t0\tA", "link\te\tup\tE", "device\tb\t10\tB"), True),
        (report("device\ta\t0\tA", "link\te\tup\tE", end=""), False),
    ],
)
def test_a_report_is_the_last_where_nothing_may_still_come(after: str, settled: bool) -> None:
    before = report("device\ta\t0\tA", "link\te\tup\tE", "link\tw\tdown\tW")

    assert is_settled(before, after) is settled
    assert is_settled(None, after) is read_report(after).whole
    assert same_links(before, before)
    assert not same_links(before, report())


OUTSIDE = replace(
    OutsideCycle(1, Outcome.SLEPT_AND_WOKE, OutsideState.S0IX, None, None, None, None, {}),
    standby_ns=100 * S,
)


def compared(before: str, *after: str, since=lambda ns: BoundedNs(ns - 100 * S, S)):
    """Return the health of a cycle; reports take a second each, the trigger is at 100 s."""
    readings = [HealthReading(False, 0, S, before)]
    readings += [
        HealthReading(True, (101 + 5 * n) * S, (102 + 5 * n) * S, text)
        for n, text in enumerate(after)
    ]
    return health_of(readings, since)


def test_a_link_is_back_between_the_last_report_without_it_and_the_first_with_it() -> None:
    before = report("link\te\tup\tE")
    down, up = report("link\te\tdown\tE"), report("link\te\tup\tE")

    def back(*after: str) -> tuple[bool, float | None, float | None]:
        (link,) = compared(before, *after).links
        times = (link.down_until_ns, link.up_by_ns)
        return link.is_up, *(None if each is None else each / S for each in times)

    assert back(down, up) == (True, 0.0, 8.0)  # down from 1 - 1 on, up by 7 + 1 s
    assert back(up) == (True, None, 3.0)
    assert back(down, down, up) == (True, 5.0, 13.0)
    assert back(up, down, up) == (True, 5.0, 13.0)
    assert back(up, down) == (False, 5.0, None)
    unknown = compared(before, down, up, since=lambda _: None)
    assert (unknown.links[0].down_until_ns, unknown.links[0].up_by_ns) == (None, None)
    assert unknown.answered_by_ns is None


def test_reports_are_compared_where_both_are_whole() -> None:
    found = compared(report("error\told"), report("error\told", "error\tnew", "error\tnew"))
    cut = compared(report(end=""), report())

    assert (found.compared, found.errors, found.took_ns) == (True, ("new",), 2 * S)
    assert found.answered_by_ns == 3 * S
    assert (cut.compared, cut.took_ns) == (False, 2 * S)
    assert health_of([], lambda _: None) is None


@pytest.mark.parametrize(("count", "known", "cut"), [(63, 0, False), (64, 0, True), (64, 1, False)])
def test_errors_are_cut_where_a_whole_report_of_them_is_new(count, known, cut) -> None:
    lines = [f"error\t{n}" for n in range(count)]

    found = compared(report(*lines[:known]), report(*lines))

    assert (len(found.errors), found.errors_cut) == (count - known, cut)
    text = next(health_findings(replace(OUTSIDE, health=found))).text
    assert (f"sleep: {count - known} or more, one" in text) is cut


def test_a_boot_between_is_one_where_both_names_are_known() -> None:
    counter = "residency\tslp_s0\t{}"
    before = report(counter.format(5))

    def found(boot: str):
        return compared(before, report(counter.format(9), boot=boot))

    assert (found("b1").rebooted, found("b2").rebooted, found("").rebooted) == (False, True, False)
    assert [each.gained_us for each in found("b1").residencies] == [4]
    assert found("b2").residencies == ()
    assert compared(before, report(counter.format(4))).residencies == ()
    assert [r.gained_us for r in compared(before, report(counter.format(5))).residencies] == [0]


@pytest.mark.parametrize(("count", "findings"), [(8, 8), (9, 9), (20, 9)])
def test_eight_devices_have_a_finding_each(count: int, findings: int) -> None:
    health = compared(report(*(f"device\t{n}\t0\tD{n}" for n in range(count))), report())

    found = list(health_findings(replace(OUTSIDE, health=health)))

    assert len(found) == findings
    if count > 8:
        more = count - 8
        devices = "1 more device" if more == 1 else f"{more} more devices"
        assert found[-1].text == f"{devices} changed over the cycle."


def test_the_deepest_state_is_due_of_a_sleep_of_twenty_seconds() -> None:
    just = DEEP_SHARE_LEAST * STANDBY_LEAST_NS / 1e9

    assert drains_finding(just - 0.01, STANDBY_LEAST_NS, "x") is not None
    assert drains_finding(just - 0.01, STANDBY_LEAST_NS - 1, "x") is None
    assert drains_finding(just, STANDBY_LEAST_NS, "x") is None


@pytest.mark.parametrize(
    ("counters", "ends"),
    [
        ({}, "due."),
        ({"package C10": 0}, "so a device of the processor's own held it up."),
        ({"package C10": 5}, "so something outside of it held the platform up."),
        (
            {"package C10": 5, "substate S0i2.0": 7, "substate S0i2.1": 9},
            "most was in substate S0i2.1.",
        ),
        ({"substate S0i2.0": 0}, "due."),
    ],
)
def test_what_held_a_standby_up_is_named(counters, ends: str) -> None:
    def lines(gained: bool) -> list[str]:
        own = {"slp_s0": 10_000_000, "total_hw_sleep": 20_000_000} | counters
        return [f"residency\t{name}\t{us if gained else 0}" for name, us in own.items()]

    health = compared(report(*lines(False)), report(*lines(True)))
    (finding,) = health_findings(replace(OUTSIDE, health=health))

    assert finding.evidence["deep_s"] == 20.0  # the greatest of those that are of the same
    assert finding.text.endswith(ends)
    awake = replace(OUTSIDE, health=health, standby_ns=None)
    assert list(health_findings(awake)) == []
