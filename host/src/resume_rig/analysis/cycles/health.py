"""Health reports of a DUT, before a sleep and after the wake: read, compared, and judged. Pure.

A report is what `campaign.dut.shell` has Windows and Linux write: lines of fields that tabs
separate (docs/reference/health.md). It is text of a DUT, so nothing in it is believed: lines of any
other form are passed over, and what is long is cut.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import (
    ChangedDevice,
    CycleHealth,
    DeviceChange,
    HealthReading,
    LinkReturn,
    OutsideCycle,
    Residency,
)
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.model.units import count_of, seconds_text

FIRST_LINE: Final = "resume-rig health 1"
LAST_LINE: Final = "end"
HEALTH_WITHIN_NS: Final = 30_000_000_000
"""So long a report is waited for, and after a wake what it lacks: links take some 10 s to be back
(Wi-Fi and DHCP), USB devices 5 s (assumed). A DUT that lacks nothing costs one report."""

ERRORS_MOST: Final = 64
"""As many of the newest errors a report has; the commands ask for no more. Assumed."""

_Evidence: TypeAlias = "dict[str, int | float | str | None]"
# Bounds of hostile text, all assumed: a PC has some 300 devices, and a handful of links.
_DEVICES_MOST: Final = 4_096
_LINKS_MOST: Final = 64
_COUNTERS_MOST: Final = 64
_FIELD_CHARS: Final = 160
_COUNTER_MOST: Final = 2**63
_WORKS: Final = "0"  # Windows' problem code of a device that works
_SHOWN: Final = 8
"""So many devices and links of a cycle have a finding each; one more counts the others. Assumed."""

PROBLEMS: Final[Mapping[str, str]] = {
    "1": "not configured",
    "3": "driver damaged, or memory short",
    "10": "cannot start",
    "12": "not enough resources",
    "14": "needs a restart",
    "18": "driver to be reinstalled",
    "19": "registry damaged",
    "21": "being removed",
    "22": "disabled",
    "24": "not present, or not all drivers are there",
    "28": "no driver",
    "29": "disabled by the firmware",
    "31": "driver not loaded",
    "32": "driver's service disabled",
    "37": "driver failed to initialise",
    "38": "driver's earlier instance still in memory",
    "39": "driver missing or damaged",
    "43": "stopped by its driver, for it reported problems",
    "45": "not connected",
    "47": "prepared for safe removal",
    "48": "driver blocked",
    "52": "driver not signed",
    "no-driver": "no driver bound",
    "runtime-error": "its runtime power management failed",
}
"""Windows' problem codes (learn.microsoft.com, "Device Manager error messages"), in short, and what
Linux's sysfs shows (`power/runtime_status`, the link `driver`)."""

DEEPEST: Final = ("total_hw_sleep", "slp_s0", "low_power_idle_system")
"""Counters of the deepest state of a platform, the most general first; each is one of the same."""

DEEP_SHARE_LEAST: Final = 0.7
"""`drains-asleep`: the deepest state's least share of a sleep. As the message of a Linux s3 test
demands of /sys/power/suspend_stats/last_hw_sleep ("at least 70% of the last sleep cycle"), which
public scripts that sort such messages quote; the test's own source was not read."""

STANDBY_LEAST_NS: Final = 20_000_000_000
"""A Modern Standby that is shorter proves nothing: the way into the deepest state takes seconds.
Assumed; of 20 s with 6 s of way in and out, 70 % are left."""


@dataclass(slots=True)
class HealthReport:
    """One report, read.

    Attributes:
        whole: it has its first and its last line, and nothing was left out.
        boot: what distinguishes one boot of the DUT from another; empty where it is not reported.
        devices: name and problem, by id. links: name and whether it is up, by id.
        counters: in microseconds, by name.
        errors: newest first or last, as the DUT wrote them.
    """

    whole: bool = False
    boot: str = ""
    devices: dict[str, tuple[str, str]] = field(default_factory=dict)
    links: dict[str, tuple[str, bool]] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


def read_report(text: str) -> HealthReport:
    """Return what a report has; of any text whatever something, at least an empty one."""
    report = HealthReport()
    lines = iter(text.lstrip("\ufeff").split("\n"))
    if next(lines, "").strip() != FIRST_LINE:
        return report
    for line in lines:
        kind, *fields = (_clean(each) for each in line.rstrip("\r").split("\t"))
        if kind == LAST_LINE:
            report.whole = True
            break
        _take(report, kind, fields)
    report.whole = report.whole and len(report.devices) < _DEVICES_MOST
    return report


def _take(report: HealthReport, kind: str, fields: Sequence[str]) -> None:
    match kind, fields:
        case "boot", [boot]:
            report.boot = boot
        case "device", [each, problem, name] if each and len(report.devices) < _DEVICES_MOST:
            report.devices[each] = (name or each, problem or _WORKS)
        case "link", [each, state, name] if each and len(report.links) < _LINKS_MOST:
            report.links[each] = (name or each, state == "up")
        case "residency", [name, us] if name and len(report.counters) < _COUNTERS_MOST:
            if us.isascii() and us.isdigit() and len(us) < 20 and int(us) < _COUNTER_MOST:
                report.counters[name] = int(us)
        case "error", [text] if text and len(report.errors) < ERRORS_MOST:
            report.errors.append(text)


def _clean(text: str) -> str:
    """Return one field: printable, of one line, and cut."""
    cut = text[: 4 * _FIELD_CHARS]
    shown = "".join(char if char.isprintable() else " " for char in cut)
    return " ".join(shown.split())[:_FIELD_CHARS]


def is_settled(before: str | None, after: str) -> bool:
    """Return whether a report shows nothing that may still come, so that no other is asked for.

    Args:
        before: the report from before the sleep; None: any whole report will do.
        after: the newest one.
    """
    now = read_report(after)
    if before is None or not now.whole:
        return now.whole
    was = read_report(before)
    back = all(now.links.get(each, ("", False))[1] for each, (_, up) in was.links.items() if up)
    lost = (_GONE, DeviceChange.FAILED)
    return back and not any(each.change in lost for each in _changed(was, now))


def same_links(one: str, other: str) -> bool:
    """Return whether two reports show the same links, up or down."""
    return read_report(one).links == read_report(other).links


_GONE: Final = DeviceChange.GONE


def health_of(
    readings: Sequence[HealthReading],
    since_trigger: Callable[[int], BoundedNs | None],
) -> CycleHealth | None:
    """Return what changed over a cycle; None where nobody asked.

    Args:
        readings: in order.
        since_trigger: brings a time of the host's clock onto one from the wake's trigger; None
            where that is not known.
    """
    if not readings:
        return None
    both = [(each, read_report(each.text)) for each in readings]
    before = [report for each, report in both if not each.after and report.whole]
    after = [(each, report) for each, report in both if each.after and report.whole]
    took_ns = sum(each.ended_host_ns - each.begun_host_ns for each in readings)
    answered = since_trigger(after[0][0].ended_host_ns) if after else None
    answered_by_ns = None if answered is None else answered.value_ns + answered.bound_ns
    if not before or not after:
        return CycleHealth(
            *(False, False, 0, (), (), (), False, ()),
            answered_by_ns=answered_by_ns,
            took_ns=took_ns,
        )
    was, now = before[-1], after[-1][1]
    rebooted = bool(was.boot and now.boot) and was.boot != now.boot
    earlier = set(was.errors)
    errors = tuple(dict.fromkeys(each for each in now.errors if each not in earlier))
    return CycleHealth(
        compared=True,
        rebooted=rebooted,
        devices=len(was.devices),
        changed=tuple(_changed(was, now)),
        links=tuple(_links(was, after, since_trigger)),
        errors=errors,
        errors_cut=len(now.errors) >= ERRORS_MOST and len(errors) == len(now.errors),
        residencies=() if rebooted else tuple(_gained(was, now)),
        answered_by_ns=answered_by_ns,
        took_ns=took_ns,
    )


def _changed(was: HealthReport, now: HealthReport) -> Iterator[ChangedDevice]:
    for each, (name, before) in was.devices.items():
        if each not in now.devices:
            yield ChangedDevice(_GONE, each, name, before, None)
            continue
        after = now.devices[each][1]
        if after != before:
            worse = DeviceChange.RECOVERED if after == _WORKS else DeviceChange.FAILED
            yield ChangedDevice(worse, each, name, before, after)
    for each, (name, after) in now.devices.items():
        if each not in was.devices:
            yield ChangedDevice(DeviceChange.NEW, each, name, None, after)


def _links(
    was: HealthReport,
    after: Sequence[tuple[HealthReading, HealthReport]],
    since_trigger: Callable[[int], BoundedNs | None],
) -> Iterator[LinkReturn]:
    """Yield each link that was up: a report is of a time between its command's begin and end."""
    for each, (name, up) in was.links.items():
        if not up:
            continue
        down_until_ns = up_by_ns = None
        is_up = False
        for reading, report in after:
            is_up = report.links.get(each, ("", False))[1]
            if is_up and up_by_ns is None:
                at = since_trigger(reading.ended_host_ns)
                up_by_ns = None if at is None else at.value_ns + at.bound_ns
            elif not is_up:
                at = since_trigger(reading.begun_host_ns)
                down_until_ns = None if at is None else max(at.value_ns - at.bound_ns, 0)
                up_by_ns = None
        yield LinkReturn(name, is_up, down_until_ns, up_by_ns)


def _gained(was: HealthReport, now: HealthReport) -> Iterator[Residency]:
    for name, before_us in was.counters.items():
        gained_us = now.counters.get(name, -1) - before_us
        # One that runs backwards was reset, or has run over.
        if name in now.counters and gained_us >= 0:
            yield Residency(name, gained_us)


def health_findings(cycle: OutsideCycle) -> Iterator[Finding]:
    """Give `device-changed`, `link-lost`, `new-errors`, and `drains-asleep` by the counters."""
    health = cycle.health
    if health is None or not health.compared:
        return
    for device in health.changed[:_SHOWN]:
        yield _device_finding(device)
    more = len(health.changed) - _SHOWN
    if more > 0:
        text = f"{count_of(more, 'more device')} changed over the cycle."
        yield Finding(FindingKind.DEVICE_CHANGED, text, {"more": more})
    for link in [each for each in health.links if not each.is_up][:_SHOWN]:
        yield Finding(
            FindingKind.LINK_LOST,
            f'The network link "{link.name}" was up before the sleep, and did not come back.',
            {"link": link.name, "down_until_ns": link.down_until_ns},
        )
    if health.errors:
        least = " or more" if health.errors_cut else ""
        text = (
            f"New errors in the DUT's log since before the sleep: {len(health.errors)}{least}, one "
            f'of them "{health.errors[0]}".'
        )
        evidence: _Evidence = {"errors": len(health.errors), "first": health.errors[0]}
        yield Finding(FindingKind.NEW_ERRORS, text, evidence)
    drains = _drains(cycle, health)
    if drains is not None:
        yield drains


def _device_finding(device: ChangedDevice) -> Finding:
    match device.change:
        case DeviceChange.GONE:
            what = "was there before the sleep, and is gone after the wake"
        case DeviceChange.NEW:
            what = "was not there before the sleep, and is after the wake"
        case DeviceChange.FAILED:
            what = f"has {_problem(device)} after the wake, and had not before the sleep"
        case DeviceChange.RECOVERED:
            what = f"works after the wake; before the sleep it had {_problem(device)}"
    evidence = {
        "change": device.change.value,
        "device": device.name,
        "id": device.id,
        "problem_before": device.problem_before,
        "problem_after": device.problem_after,
    }
    return Finding(FindingKind.DEVICE_CHANGED, f'The device "{device.name}" {what}.', evidence)


def _problem(device: ChangedDevice) -> str:
    failed = device.change is DeviceChange.FAILED
    code = (device.problem_after if failed else device.problem_before) or ""
    words = PROBLEMS.get(code)
    problem = f"problem code {code}" if code.isdigit() else f"the problem {code}"
    return problem if words is None else f"{problem} ({words})"


def _drains(cycle: OutsideCycle, health: CycleHealth) -> Finding | None:
    """Return a finding where the counters show that a Modern Standby was not a deep one."""
    gained = {each.name: each.gained_us for each in health.residencies}
    gained_deep = [each for each in DEEPEST if each in gained]
    shown = any(finding.kind is FindingKind.DRAINS_ASLEEP for finding in cycle.findings)
    if cycle.standby_ns is None or shown or not gained_deep:
        return None
    # Where there are several, the greatest: some are always 0 on some platforms.
    name = max(gained_deep, key=lambda each: gained[each])
    return drains_finding(gained[name] / 1e6, cycle.standby_ns, name, _held_by(gained))


def drains_finding(deep_s: float, asleep_ns: int, source: str, why: str = "") -> Finding | None:
    """Return `drains-asleep` where too little of a sleep was in the deepest state.

    None of one that is too short to show it.

    Args:
        deep_s: time in the deepest state.
        asleep_ns: how long it slept.
        source: what shows it.
        why: what is known of the cause, as the end of the sentence.
    """
    if asleep_ns < STANDBY_LEAST_NS:
        return None
    share = deep_s * 1e9 / asleep_ns
    if share >= DEEP_SHARE_LEAST:
        return None
    text = (
        f"The DUT was in Modern Standby for {seconds_text(asleep_ns)}, and {deep_s:.1f} s of it "
        f"({100 * share:.0f} %) in its deepest state, says {source}; "
        f"{100 * DEEP_SHARE_LEAST:.0f} % or more are due{why}."
    )
    evidence: _Evidence = {
        "asleep_ns": asleep_ns,
        "deep_s": round(deep_s, 6),
        "share_percent": round(100 * share, 2),
        "least_percent": 100 * DEEP_SHARE_LEAST,
        "source": source,
    }
    return Finding(FindingKind.DRAINS_ASLEEP, text, evidence)


def _held_by(gained: Mapping[str, int]) -> str:
    """Return which side of the platform held it up: the package, or what is around it."""
    package_us = gained.get("package C10")
    shallow = max(
        ((us, name) for name, us in gained.items() if name.startswith("substate ")), default=(0, "")
    )
    if shallow[0] > 0:
        return f"; most was in {shallow[1]}"
    if package_us is None:
        return ""
    if package_us == 0:
        return "; the package never reached C10, so a device of the processor's own held it up"
    return "; the package reached C10, so something outside of it held the platform up"
