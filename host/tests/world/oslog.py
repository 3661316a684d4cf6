"""What Windows writes into its System log, as Event XML.

Fields, versions, order and quirks are those of real logs of builds 7600 to 22000: the clock stops
with the sleep and is set from the RTC at the wake, in whole seconds and a half; event 107 carries
the stale time; Power-Troubleshooter's record comes 0.1 to 1.1 s after the wake, all zeros where the
machine was sent to sleep before that; a time service sets clock and RTC (Kernel-General 1 with
reason 1); a change of the time zone's bias is one with reason 3 and equal times.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from xml.sax.saxutils import escape

from world.unit import Cycle, Random, Unit

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
GUIDS = {
    "Microsoft-Windows-Eventlog": "{fc65ddd8-d6ef-4962-83d5-6e5cfe9ce148}",
    "Microsoft-Windows-Kernel-Boot": "{15ca44ff-4d7a-4baa-bba5-0998955e531e}",
    "Microsoft-Windows-Kernel-General": "{a68ca8b7-004f-d7b6-a698-07e2de0f1f5d}",
    "Microsoft-Windows-Kernel-Power": "{331c3b3a-2005-44c2-ac5e-77220c37d6b4}",
    "Microsoft-Windows-Power-Troubleshooter": "{cdc05e28-c449-49c6-b9d2-88cf761644df}",
    "Service Control Manager": "{555908d1-a6d7-4695-8e1e-26931d2012f4}",
}
EVENTLOG = "Microsoft-Windows-Eventlog"
BUILDS = (7600, 10240, 15063, 17763, 19044, 22000)


@dataclass(frozen=True)
class Event:
    """One record: OS time in seconds since `Windows.base`, and named fields."""

    record: int
    time: float
    provider: str
    number: int
    version: int
    data: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Slew:
    """A time service that lets the clock run faster or slower for a while, and tells nobody."""

    begin: float  # true times
    end: float
    rate: float  # relative, up to 0.031
    rtc: bool = False  # the RTC is set from the clock at its end


@dataclass
class Windows:
    """One installation and its clocks; times of the OS are seconds since `base` (UTC)."""

    build: int
    base: int  # seconds since 1970 of the campaign's start, as the OS has it
    rtc_phase: float  # the RTC's fraction of a second against the OS at the start
    os_rate: float  # relative errors of the two oscillators
    rtc_rate: float
    computer: str = "DUT"
    local_bias: int = -60  # minutes, UTC less local time
    boots: bool = True  # the log holds the boot before the campaign
    next_record: int = 1000
    events: list[Event] = field(default_factory=list)
    anchor: tuple[float, float] = (0.0, 0.0)  # true time, OS time
    rtc_anchor: tuple[float, float] = (0.0, 0.0)
    resumes: list[int] = field(default_factory=list)  # FullResume, ms
    slews: list[Slew] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rtc_anchor = (0.0, self.rtc_phase)

    def clock(self, true: float) -> float:
        """Return the OS's time at a true time at which its clock runs."""
        since, at = self.anchor
        slewed = sum(
            slew.rate * max(0.0, min(true, slew.end) - max(since, slew.begin))
            for slew in self.slews
        )
        return at + (true - since) * (1.0 + self.os_rate) + slewed

    def rtc(self, true: float) -> float:
        """Return the RTC's own time, of which only whole seconds can be read."""
        return self.rtc_anchor[1] + (true - self.rtc_anchor[0]) * (1.0 + self.rtc_rate)

    def set_clock(self, true: float, new: float, *, rtc: bool) -> float:
        """Set the OS's clock, and the RTC with it; return the old time."""
        old = self.clock(true)
        self.anchor = (true, new)
        if rtc:  # whole seconds are written, and the divider starts at a half
            self.rtc_anchor = (true, math.floor(new) + 0.5)
        return old

    def text_of(self, time: float) -> str:
        """Return an OS time as Windows renders a FILETIME."""
        ticks = round(time * 1e7)
        whole = EPOCH + timedelta(seconds=self.base + ticks // 10_000_000)
        return f"{whole:%Y-%m-%dT%H:%M:%S}.{ticks % 10_000_000:07d}Z"

    def write(
        self, time: float, provider: str, number: int, version: int, data: dict[str, object]
    ) -> int:
        """Append a record and return its EventRecordID."""
        self.next_record += 1
        pairs = tuple((name, str(value)) for name, value in data.items())
        self.events.append(Event(self.next_record, time, provider, number, version, pairs))
        return self.next_record

    def boot(self, true: float) -> None:
        """Write the start of the OS."""
        start = math.floor(self.clock(true)) + 0.5
        self.write(
            start,
            "Microsoft-Windows-Kernel-General",
            12,
            0,
            {
                "MajorVersion": 10 if self.build > 9000 else 6,
                "MinorVersion": 0 if self.build > 9000 else 1,
                "BuildVersion": self.build,
                "QfeVersion": 434,
                "ServiceVersion": 0,
                "BootMode": 0,
                "StartTime": self.text_of(start),
            },
        )

    def shutdown(self, true: float) -> None:
        """Write the end of the OS."""
        now = self.clock(true)
        self.write(now, "Microsoft-Windows-Kernel-General", 13, 0, {"StopTime": self.text_of(now)})

    def noise(self, true: float, random: Random) -> None:
        """Write what else stands in a System log, or leave a gap where it was filtered out."""
        if random.random() < 0.5:
            self.next_record += int(random.integers(1, 9))
            return
        self.write(
            self.clock(true),
            "Service Control Manager",
            7036,
            0,
            {"param1": "WMI Performance Adapter", "param2": "running"},
        )

    def time_changed(self, new: float, old: float, reason: int) -> None:
        """Write Kernel-General 1."""
        data: dict[str, object] = {"NewTime": self.text_of(new), "OldTime": self.text_of(old)}
        version = 0
        if self.build > 9000:
            data["Reason"] = reason
            version = 1
        if self.build >= 17763:
            data["ProcessID"] = 4 if reason == 2 else 13040
            version = 2
        if self.build >= 20000:
            data |= {
                "CmosTime": self.text_of(new - 60 * self.local_bias),
                "TimeZoneBias": self.local_bias,
                "RealTimeIsUniversal": "false",
                "SystemInCmosMode": "false",
            }
            version = 3
        self.write(new + 0.0007, "Microsoft-Windows-Kernel-General", 1, version, data)

    def time_service(self, true: float, error: float, *, logged: bool, rtc: bool = True) -> None:
        """Step the clock by `error` seconds; Windows tells of it three times, or not at all."""
        old = self.clock(true)
        new = old + error
        self.set_clock(true, new, rtc=rtc)
        if logged:
            self.time_changed(new, old, 1)
            self.time_changed(new + 0.004, new + 0.0035, 1)

    def daylight_saving(self, true: float, minutes: int) -> None:
        """Change the bias of the time zone: UTC goes on."""
        self.local_bias += minutes
        now = self.clock(true)
        self.time_changed(now, now, 3)


@dataclass(frozen=True)
class Step:
    """What happens around a cycle, which counts from 0.

    A setting of the clock (`when` is suspend, asleep, wake, after), a change of the time zone
    (bias), or the log is cleared.
    """

    cycle: int
    when: str
    error: float | None  # seconds; None brings the clock to true time
    logged: bool = True
    rtc: bool = True


def sleep_and_wake(
    windows: Windows,
    unit: Unit,
    cycle: Cycle,
    random: Random,
    *,
    next_sleep: float | None,
    steps: tuple[Step, ...] = (),
) -> None:
    """Write the records of one S3 cycle; `next_sleep` is the true start of the next one."""
    sleep = windows.clock(cycle.os_sleep)
    for step in steps:
        if step.when == "suspend":
            _set(windows, cycle.os_sleep + 0.02, step)
    halt = windows.clock(cycle.clock_halt)
    power = "Microsoft-Windows-Kernel-Power"
    states = (5, 5) if unit.hibernates else (4, 5 if unit.hybrid else 4)
    state: dict[str, object] = {"TargetState": states[0], "EffectiveState": states[1]}
    modern = windows.build > 9000
    entering(windows, cycle, random, states)
    for step in steps:
        if step.when == "asleep":  # a firmware that moves the RTC, for daylight saving
            windows.rtc_anchor = (cycle.slp_fall, windows.rtc(cycle.slp_fall) + (step.error or 0.0))
    # The clock stands while asleep, and is then the RTC's reading.
    new = math.floor(windows.rtc(cycle.rtc_read)) + 0.5
    windows.anchor = (cycle.rtc_read, new)
    stale = dict(state)
    stale |= {"WakeFromState": states[0]}
    for name in ("ProgrammedWakeTimeAc", "ProgrammedWakeTimeDc"):
        stale[name] = "1601-01-01T00:00:00.0000000Z"
    stale |= {"WakeRequesterTypeAc": 0, "WakeRequesterTypeDc": 0}
    if modern:
        windows.write(halt + 0.0001, power, 107, 1, stale)
    windows.time_changed(new, halt, 2)
    if unit.has_fpdt and modern:
        performance(windows, cycle, new)
    if unit.hibernates:
        windows.write(new + 0.0009, "Microsoft-Windows-Kernel-Boot", 27, 1, {"BootType": 2})
    windows.noise(cycle.awake, random)
    for step in steps:
        if step.when == "wake":
            _set(windows, cycle.awake - random.uniform(-0.09, 0.2), step)
    wake = windows.clock(cycle.awake) + random.normal(0.0, 0.003)
    written = cycle.awake + (
        random.uniform(0.98, 1.1) if random.random() < 0.8 else random.uniform(0.1, 0.98)
    )
    if next_sleep is not None and next_sleep < written:
        # Sent to sleep again too early: an empty record, with the next sleep's beginning.
        cycle.empty = True
        cycle.record = troubleshooter(
            windows,
            windows.clock(written),
            windows.clock(next_sleep),
            wake,
            (0, 0, 0, 0),
            states=(0, 0),
            source=0,
        )
        return
    durations = (
        int((cycle.os_asleep - cycle.os_sleep) * 1e3),
        int((cycle.awake - cycle.rtc_read) * 1e3),
        int(cycle.driver * 1e3),
        int(cycle.bios_reported * 1e3),
    )
    cycle.record = troubleshooter(
        windows,
        windows.clock(written),
        sleep,
        wake,
        durations,
        states=states,
        source=source_of(windows, unit, cycle),
        hiber_read=int(cycle.driver * 5e2) if unit.hibernates else 0,
    )


def entering(windows: Windows, cycle: Cycle, random: Random, states: tuple[int, int]) -> None:
    """Write what stands before the sleep."""
    power = "Microsoft-Windows-Kernel-Power"
    if windows.build >= 19041:
        windows.write(
            windows.clock(cycle.os_sleep + 0.05),
            power,
            566,
            0,
            {"BootId": 3, "Reason": 1, "NextSessionType": 3},
        )
    data: dict[str, object] = {"TargetState": states[0], "EffectiveState": states[1]}
    if windows.build > 9000:
        data |= {"Reason": 4, "Flags": 0}
    if windows.build >= 15063:
        data["TransitionsToOn"] = cycle.number
    at = cycle.os_sleep + (cycle.os_asleep - cycle.os_sleep) * random.uniform(0.5, 0.9)
    version = 3 if windows.build >= 15063 else 2 if windows.build > 9000 else 0
    windows.write(windows.clock(at), power, 42, version, data)


def performance(windows: Windows, cycle: Cycle, new: float) -> None:
    """Write the firmware's own S3 times (FPDT)."""
    power = "Microsoft-Windows-Kernel-Power"
    full = int(cycle.firmware_resume * 1e3)
    windows.resumes.append(full)
    mean = sum(windows.resumes) // len(windows.resumes)
    windows.write(
        new + 0.00073,
        power,
        131,
        0,
        {"ResumeCount": len(windows.resumes), "FullResume": full, "AverageResume": mean},
    )
    start = int(cycle.clock_halt * 1e3) + 17_000_000
    windows.write(
        new + 0.00074,
        power,
        130,
        0,
        {"SuspendStart": start, "SuspendEnd": start + round(cycle.firmware_suspend * 1e3)},
    )


def source_of(windows: Windows, unit: Unit, cycle: Cycle) -> int:
    """Return WakeSourceType; a lid is a device, and the number of that depends on the build."""
    if not cycle.lid and cycle.ours:
        return unit.wake_source
    return 5 if windows.build >= 17134 else 4


def _set(windows: Windows, true: float, step: Step) -> None:
    error = step.error if step.error is not None else true - windows.clock(true)
    windows.time_service(true, error, logged=step.logged, rtc=step.rtc)


def record(
    windows: Windows,
    unit: Unit,
    cycles: list[Cycle],
    random: Random,
    *,
    steps: tuple[Step, ...] = (),
    doze_and_wake: Callable[[Windows, Unit, Cycle, Random], None] | None = None,
    boots: tuple[int, ...] = (),
    otherwise: Callable[[Windows, Unit, Cycle, Random], None] | None = None,
) -> None:
    """Write the log of a life: all cycles, settings of the clock, boots before some cycles.

    `otherwise` writes an attempt that did not end in a resume.
    """
    windows.boot(0.0)
    slews = list(windows.slews)
    for i, cycle in enumerate(cycles):
        while slews and slews[0].end < cycle.os_sleep:
            over = slews.pop(0)
            if over.rtc:
                windows.rtc_anchor = (over.end, math.floor(windows.clock(over.end)) + 0.5)
        if i in boots:
            windows.shutdown(cycle.press_sleep - 4.5)
            reading = math.floor(windows.rtc(cycle.press_sleep - 3.0)) + 0.5
            windows.set_clock(cycle.press_sleep - 3.0, reading, rtc=False)
            windows.boot(cycle.press_sleep - 3.0)
            windows.resumes = []
        before = windows.next_record
        if cycle.doze is not None and doze_and_wake:
            doze_and_wake(windows, unit, cycle, random)
            cycle.written = frozenset(range(before + 1, windows.next_record + 1))
            continue
        if cycle.ended != "resumed" and otherwise:
            otherwise(windows, unit, cycle, random)
            cycle.written = frozenset(range(before + 1, windows.next_record + 1))
            continue
        mine = tuple(step for step in steps if step.cycle == i)
        next_sleep = cycles[i + 1].os_sleep if i + 1 < len(cycles) else None
        sleep_and_wake(windows, unit, cycle, random, next_sleep=next_sleep, steps=mine)
        cycle.written = frozenset(range(before + 1, windows.next_record + 1))
        for step in mine:
            if step.when == "after":
                _set(windows, cycle.awake + random.uniform(1.3, 2.5), step)
            elif step.when == "cleared":  # somebody cleared the log; its numbers restart
                windows.next_record = 0
                windows.write(windows.clock(cycle.awake + 1.5), EVENTLOG, 104, 0, {})
            elif step.when == "bias":
                windows.daylight_saving(cycle.awake + 1.5, round((step.error or 0.0) / 60))


def troubleshooter(
    windows: Windows,
    time: float,
    sleep: float,
    wake: float,
    durations: tuple[int, int, int, int],
    *,
    states: tuple[int, int],
    source: int,
    hiber_read: int = 0,
) -> int:
    """Write Power-Troubleshooter 1 as the build does; durations are sleep, wake, driver, BIOS."""
    version = 1 if windows.build < 9000 else 2 if windows.build < 18000 else 3
    data: dict[str, object] = {
        "SleepTime": windows.text_of(sleep),
        "WakeTime": windows.text_of(wake),
        "SleepDuration": durations[0],
        "WakeDuration": durations[1],
        "DriverInitDuration": durations[2],
        "BiosInitDuration": durations[3],
        "HiberWriteDuration": 0 if states[1] != 5 else durations[0] - 70,
        "HiberReadDuration": hiber_read,
        "HiberPagesWritten": 0 if states[1] != 5 else 406891,
        "Attributes": 33573888,
        "TargetState": states[0],
        "EffectiveState": states[1],
        "WakeSourceType": source,
        "WakeSourceTextLength": 0,
        "WakeSourceText": "",
        "WakeTimerOwnerLength": 0,
        "WakeTimerContextLength": 0,
    }
    if version >= 2:
        data["NoMultiStageResumeReason"] = 0
    data |= {"WakeTimerOwner": "", "WakeTimerContext": ""}
    if version >= 3:
        data["CheckpointDuration"] = 41
    return windows.write(time, "Microsoft-Windows-Power-Troubleshooter", 1, version, data)


def xml_of(logs: list[tuple[Windows, list[Event]]]) -> str:
    """Return one `<Events>` document of the given records, in the given order."""
    lines = ["<Events>"]
    for windows, events in logs:
        lines += [_element(windows, event) for event in events]
    lines.append("</Events>\n")
    return "\n".join(lines)


def _element(windows: Windows, event: Event) -> str:
    data = "".join(f'<Data Name="{name}">{escape(value)}</Data>' for name, value in event.data)
    return (
        "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System>"
        f"<Provider Name='{event.provider}' Guid='{GUIDS[event.provider]}'/>"
        f"<EventID>{event.number}</EventID><Version>{event.version}</Version><Level>4</Level>"
        "<Task>0</Task><Opcode>0</Opcode><Keywords>0x8000000000000000</Keywords>"
        f"<TimeCreated SystemTime='{windows.text_of(event.time)}'/>"
        f"<EventRecordID>{event.record}</EventRecordID><Correlation/>"
        "<Execution ProcessID='4' ThreadID='8'/><Channel>System</Channel>"
        f"<Computer>{windows.computer}</Computer><Security/></System>"
        f"<EventData>{data}</EventData></Event>"
    )
