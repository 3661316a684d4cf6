"""A campaign made of edges and records, for the tests of `correlate`."""

from dataclasses import replace

from resume_rig.analysis.correlate import correlate
from resume_rig.analysis.cycles.building import build_cycle
from resume_rig.analysis.reconcile.norms import Platform
from resume_rig.analysis.reconcile.reconcile import TimedCycle
from resume_rig.analysis.reconcile.thresholds import NO_SLEW
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.channel import Actuator
from resume_rig.model.os_record import Integrity, LogReading, LogSource
from resume_rig.model.quantity import BoundedNs
from resume_rig.timing.edge_uncertainty import IntervalBounds

MS = 1_000_000
S = 1_000_000_000
BOUNDS = IntervalBounds(rate_ppb=30_000, default_edge_ns=4_000)
LIMIT = load_requirement("sysfund-0004")
RESET_TO_TSC = BoundedNs(30 * MS, 20 * MS)
NO_TIME_SERVICE = Platform(slew=NO_SLEW)
UTC_NS = 1_777_000_000 * S
# Of the waveform: SLP_S3# rises at 20.048 s, PLTRST# 110 ms later, light 1342 ms after that.
ASLEEP_NS, AWAKE_NS = 1501 * MS, 20_048 * MS
TO_OS_NS = 110 * MS + 30 * MS + 200 * MS


class Campaign:
    """Cycles a minute apart and the records of a healthy OS, to be spoilt one by one."""

    def __init__(self, waveform, record) -> None:
        self.waveform, self.record = waveform, record
        self.cycles: list[TimedCycle] = []
        self.records = []
        self.at_ns = 0
        self.late_ns: int | None = None

    def cycle(self, waveform=None, ignored=False, lost=False, **fields) -> "Campaign":
        self.outside(waveform, ignored, lost)
        return self.inside(**fields)

    def outside(self, waveform=None, ignored=False, lost=False) -> "Campaign":
        told = self.waveform if waveform is None else waveform
        # An uneven pace, as campaigns have, so that the match has no second way.
        self.at_ns += 60 * S + len(self.cycles) ** 2 % 7 * S
        outside = build_cycle(
            len(self.cycles) + 1,
            told.edges(),
            told.levels,
            Actuator.BUTTON,
            BOUNDS,
            ignored=ignored,
            lost=lost,
        )
        moment = outside.awake_from_ns or outside.trigger_ns
        utc = None if moment is None else BoundedNs(UTC_NS + self.at_ns + moment, 300_000)
        self.cycles.append(TimedCycle(outside, utc))
        return self

    def inside(self, late_ns: int = 0, **fields) -> "Campaign":
        came_back_ns = UTC_NS + self.at_ns + AWAKE_NS + TO_OS_NS + late_ns
        # The OS reads its RTC at each wake: a sleep is stamped as the wake before it was.
        slept_ns = late_ns if self.late_ns is None else self.late_ns
        self.late_ns = late_ns
        times = {
            "record_id": len(self.records),
            "sleep_time_utc_ns": UTC_NS + self.at_ns + ASLEEP_NS - 1400 * MS + slept_ns,
            "wake_time_utc_ns": came_back_ns + 850 * MS,
        }
        self.records.append(self.record(**{**times, **fields}))
        return self

    def healthy(self, n: int) -> "Campaign":
        for _ in range(n):
            self.cycle()
        return self

    def lacking_bios(self, n: int, lacking_ns: int) -> "Campaign":
        """Add cycles of a BIOS that takes longer than it tells; the OS's clock runs true."""
        for _ in range(n):
            self.outside()
            self.inside(sleep_time_utc_ns=UTC_NS + self.at_ns + ASLEEP_NS - 1400 * MS)
            last = self.records[-1]
            told_ns = last.wake_time_utc_ns + lacking_ns
            self.records[-1] = replace(last, wake_time_utc_ns=told_ns)
        return self

    def correlation(self, requirement=LIMIT, log=True, beside=()):
        whole = Integrity(ok=True)
        sources = (LogSource("x.evtx", "evtx", 22000, 9, whole),) if log else ()
        reading = LogReading(sources, tuple(self.records) if log else ())
        return correlate(
            self.cycles, reading, requirement, RESET_TO_TSC, NO_TIME_SERVICE, extra_sleeps=beside
        )


def kinds(cycle):
    return [finding.kind for finding in cycle.findings]
