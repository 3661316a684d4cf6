"""Health reports: read whatever they are, compared, and judged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.analysis.cycles.health import (
    FIRST_LINE,
    STANDBY_LEAST_NS,
    drains_finding,
    health_findings,
    health_of,
    is_settled,
    read_report,
)
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import (
    CycleHealth,
    DeviceChange,
    HealthReading,
    Outcome,
    OutsideCycle,
    OutsideState,
)
from resume_rig.model.result.verdict import FindingKind

S = 1_000_000_000
CAMERA = "device\tusb:3-6\t0\tCamera"
DISK = "device\tpci:01:00.0\t0\tDisk"


def report(*lines: str, boot: str = "b1", end: str = "end") -> str:
    return "\n".join((FIRST_LINE, f"boot\t{boot}", *lines, end, ""))


def reading(text: str, *, after: bool, at_s: float = 0, took_s: float = 1) -> HealthReading:
    return HealthReading(after, int(at_s * S), int((at_s + took_s) * S), text)


def since(host_ns: int) -> BoundedNs | None:
    """The trigger came at 10 s of the host's clock, known to 1 ms."""
    return BoundedNs(host_ns - 10 * S, 1_000_000)


def compared(before: str, *after: str) -> CycleHealth:
    readings = [reading(before, after=False)]
    readings += [reading(text, after=True, at_s=12 + 2 * i) for i, text in enumerate(after)]
    found = health_of(readings, since)
    assert found is not None
    return found


def cycle(health: CycleHealth | None, standby_ns: int | None = None) -> OutsideCycle:
    return OutsideCycle(
        number=1,
        outcome=Outcome.SLEPT_AND_WOKE,
        state=OutsideState.S0IX,
        wake_by=None,
        trigger_ns=None,
        asleep_from_ns=None,
        awake_from_ns=None,
        intervals={},
        health=health,
        standby_ns=standby_ns,
    )


def kinds(health: CycleHealth, standby_ns: int | None = None) -> list[FindingKind]:
    return [finding.kind for finding in health_findings(cycle(health, standby_ns))]


def test_a_sound_cycle_has_no_finding() -> None:
    both = report(CAMERA, DISK, "link\tw0\tup\tWi-Fi")
    assert kinds(compared(both, both)) == []


def test_a_device_that_is_gone_is_named() -> None:
    health = compared(report(CAMERA, DISK), report(DISK))
    (finding,) = health_findings(cycle(health))
    assert finding.kind is FindingKind.DEVICE_CHANGED
    assert '"Camera"' in finding.text
    assert finding.evidence["id"] == "usb:3-6"
    assert finding.evidence["change"] == "gone"


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [("0", "43", DeviceChange.FAILED), ("43", "0", DeviceChange.RECOVERED)],
)
def test_a_problem_code_is_told_with_its_words(
    before: str, after: str, change: DeviceChange
) -> None:
    was, now = (report(f"device\tPCI\\X\t{code}\tAudio") for code in (before, after))
    health = compared(was, now)
    assert [each.change for each in health.changed] == [change]
    (finding,) = health_findings(cycle(health))
    assert "problem code 43 (stopped by its driver" in finding.text


def test_a_device_that_came_is_a_finding_too() -> None:
    health = compared(report(DISK), report(DISK, CAMERA))
    assert [each.change for each in health.changed] == [DeviceChange.NEW]


def test_many_devices_are_one_more_finding() -> None:
    many = [f"device\tid{n}\t0\tDevice {n}" for n in range(30)]
    found = list(health_findings(cycle(compared(report(*many), report()))))
    assert len(found) == 9
    assert "22 more devices" in found[-1].text


def test_a_report_without_its_end_shows_nothing_to_be_gone() -> None:
    health = compared(report(CAMERA, DISK), report(DISK, end=""))
    assert not health.compared
    assert kinds(health) == []


def test_a_link_is_back_between_two_reports() -> None:
    up, down = (report(f"link\tw0\t{state}\tWi-Fi") for state in ("up", "down"))
    (link,) = compared(up, down, down, up).links
    assert link.is_up
    # The reports of 14 to 15 s and of 16 to 17 s, from the trigger at 10 s, each to 1 ms.
    assert link.down_until_ns == 4 * S - 1_000_000
    assert link.up_by_ns == 7 * S + 1_000_000


def test_a_link_that_stays_down_is_lost() -> None:
    up, down = (report(f"link\tw0\t{state}\tWi-Fi") for state in ("up", "down"))
    assert kinds(compared(up, down)) == [FindingKind.LINK_LOST]
    assert kinds(compared(down, down)) == []


def test_only_new_errors_count() -> None:
    health = compared(report("error\t[1.0] old"), report("error\t[1.0] old", "error\t[9.0] new"))
    assert health.errors == ("[9.0] new",)
    assert kinds(health) == [FindingKind.NEW_ERRORS]


def test_a_boot_in_between_resets_the_counters() -> None:
    counter = "residency\tslp_s0\t{}"
    health = compared(
        report(counter.format(5), boot="b1"), report(counter.format(9_000_000), boot="b2")
    )
    assert health.rebooted
    assert health.residencies == ()


def test_a_counter_that_runs_backwards_says_nothing() -> None:
    was, now = (report(f"residency\tslp_s0\t{us}") for us in (9, 4))
    assert compared(was, now).residencies == ()


@pytest.mark.parametrize(("deep_s", "found"), [(20.9, True), (21.1, False)])
def test_the_share_of_the_deepest_state_decides(deep_s: float, found: bool) -> None:
    was, now = (report(f"residency\ttotal_hw_sleep\t{us}") for us in (7, 7 + int(deep_s * 1e6)))
    assert (FindingKind.DRAINS_ASLEEP in kinds(compared(was, now), 30 * S)) is found


def test_the_greatest_of_the_deepest_counters_counts() -> None:
    was = report("residency\ttotal_hw_sleep\t0", "residency\tslp_s0\t0")
    now = report("residency\ttotal_hw_sleep\t0", "residency\tslp_s0\t29000000")
    assert kinds(compared(was, now), 30 * S) == []


def test_the_side_that_held_it_up_is_named() -> None:
    def texts(package_us: int) -> str:
        was = report("residency\tslp_s0\t0", "residency\tpackage C10\t0")
        now = report("residency\tslp_s0\t0", f"residency\tpackage C10\t{package_us}")
        (finding,) = health_findings(cycle(compared(was, now), 30 * S))
        return finding.text

    assert "never reached C10" in texts(0)
    assert "outside of it" in texts(25_000_000)


def test_a_short_standby_proves_nothing() -> None:
    assert drains_finding(0, STANDBY_LEAST_NS - 1, "x") is None
    assert drains_finding(0, STANDBY_LEAST_NS, "x") is not None


def test_a_dut_that_lacks_nothing_is_not_asked_again() -> None:
    both = report(CAMERA, "link\tw0\tup\tWi-Fi")
    assert is_settled(both, both)
    assert is_settled(None, both)
    assert not is_settled(both, report("link\tw0\tup\tWi-Fi"))
    assert not is_settled(both, report(CAMERA, "link\tw0\tdown\tWi-Fi"))
    assert not is_settled(both, "")


_FIELDS = st.one_of(
    st.sampled_from(["device", "link", "error", "residency", "boot", "end", "0", "up", "a"]),
    st.text(max_size=30),
)
_LINES = st.lists(st.lists(_FIELDS, max_size=5).map("\t".join), max_size=40)


@given(_LINES, _LINES)
def test_any_text_gives_bounded_findings(before: list[str], after: list[str]) -> None:
    texts = ["\n".join([FIRST_LINE, *lines, "end"]) for lines in (before, after)]
    health = compared(*texts)
    found = list(health_findings(cycle(health, 40 * S)))
    assert len(found) <= 2 * 9 + 2
    for finding in found:
        assert len(finding.text) < 800
        assert finding.text.isprintable()


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    read_report(text)
    is_settled(text, text)


def test_long_and_hostile_fields_are_cut() -> None:
    name = "\x1b[2J\u202e<script>" + "x" * 5_000
    found = read_report(report(f"device\tid\t0\t{name}"))
    (shown, _) = found.devices["id"]
    assert len(shown) <= 160
    assert shown.isprintable()


@pytest.mark.parametrize(
    ("line", "kept", "most"),
    [
        ("device\tid{}\t0\tx", "devices", 4_096),
        ("link\tw{}\tup\tx", "links", 64),
        ("residency\tC{}\t7", "counters", 64),
        ("error\t[{}] x", "errors", 64),
    ],
)
def test_of_each_kind_of_line_no_more_than_the_first_are_kept(
    line: str, kept: str, most: int
) -> None:
    whole, longer = (
        getattr(read_report(report(*(line.format(n) for n in range(count)))), kept)
        for count in (most, most + 1)
    )
    assert len(whole) == most
    assert longer == whole
