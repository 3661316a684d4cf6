"""Everything that `doctor` checks of host, rig and DUT before a campaign; nothing is moved."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resume_rig.campaign.dut.log_source import OsLogSource
from resume_rig.campaign.dut.shell import PROBE, Answer, DutKind, kind_of
from resume_rig.campaign.preparation.linux import linux_items
from resume_rig.campaign.preparation.windows import windows_items
from resume_rig.campaign.preparation.windows_quiet import quiet_items
from resume_rig.model.channel import Channel, line_name, line_names
from resume_rig.model.clock import Clock
from resume_rig.model.dut import DutProfile
from resume_rig.model.errors import ResumeRigError, RigError
from resume_rig.model.os_record import NO_SLEEPS, SleepKind, kind_count
from resume_rig.model.preparation import Item, Prepared, Reply
from resume_rig.model.units import NS_PER_S, count_of, seconds_text
from resume_rig.rig.interface import Faults, Rig, RigInfo
from resume_rig.timing.wall_clock import discipline_of

EXCHANGES = 50
# notes of round trips over USB hosts: about 0.2 ms is good, 1 ms is a problem.
BOUND_LIMIT_NS = 1_000_000
FREE_BYTES = 100_000_000

# What a DUT that is awake shows; LED and BACKLIGHT depend on its settings and are left out.
AWAKE = {
    Channel.PWR_OK: 1,
    Channel.SLP_S3: 1,
    Channel.SLP_S4: 1,
    Channel.SLP_S5: 1,
    Channel.PLTRST: 1,
    Channel.BUTTON: 1,
    Channel.LID: 1,
}


@dataclass(frozen=True, slots=True)
class Checked:
    """One thing that was looked at.

    Attributes:
        ok: whether a campaign can go on with it.
        text: what was found, and what to do when it is not good.
    """

    name: str
    ok: bool
    text: str


def check_place(folder: Path) -> Checked:
    """Return whether `folder` has room for a store."""
    free = shutil.disk_usage(folder).free
    return Checked(
        "disk",
        free >= FREE_BYTES,
        f"{free // 1_000_000} MB free where stores would go"
        + ("" if free >= FREE_BYTES else f"; {FREE_BYTES // 1_000_000} MB are wanted"),
    )


def check_clock(clock: Clock) -> Checked:
    """Return who keeps the host's wall clock; a campaign can do without."""
    discipline = discipline_of(clock)
    advice = "; start its time service" if discipline.synchronised is False else ""
    return Checked("host clock", True, f"{discipline.source}{advice}")


_STALE_S: Final = 24 * 3600  # assumed: who prepares a DUT has put it to sleep that day


def check_log(source: OsLogSource, clock: Clock) -> Checked:
    """Return whether records of a DUT arrive, however its log gets here."""
    try:
        records = [each for each in source.new_records() if each.kind not in NO_SLEEPS]
    except ResumeRigError as error:
        return Checked("log", False, str(error))
    found = source.describe()
    times_ns = (each.wake_time_utc_ns or each.written_utc_ns for each in records)
    newest_ns = max(filter(None, times_ns), default=None)
    if newest_ns is None:
        text = f"{found.path} reports no sleep with a time; put the DUT to sleep once, and wake it"
        problems = (problem.rstrip(".") for problem in found.integrity.problems[:1])
        return Checked("log", False, ". ".join((text, *problems)))
    age_s = (clock.utc_ns() - newest_ns) // NS_PER_S
    counted = Counter(each.kind for each in records).most_common()
    kinds = ", ".join(kind_count(count, kind) for kind, count in counted)
    no_s3 = "" if any(kind is SleepKind.S3 for kind, _ in counted) else ", none of them S3"
    count = f"{count_of(len(records), 'sleep')} ({kinds}){no_s3}"
    if age_s > _STALE_S:
        age = f"{age_s // 3600} h old; is it pushed still?"
        text = f"{found.path} reports {count}, the newest {age}"
        return Checked("log", False, text)
    return Checked("log", True, f"{found.path} reports {count}, the newest {age_s} s ago")


def check_bench(rig: Rig, clock: Clock, dut: DutProfile | None) -> Iterator[Checked]:
    """Yield what an open rig shows of itself and of the DUT; a broken link is a finding too."""
    try:
        info = rig.info()
        yield Checked("board", True, f"{info.board}, firmware {info.firmware}")
        if not info.guarded:
            yield Checked(
                "port",
                False,
                f"the board speaks version {info.protocol} of the rig protocol, in which it acts "
                "for whoever reaches its port; update its firmware",
            )
        yield _clock_rate(info)
        yield _edges(info)
        yield _round_trip(rig)
        yield _self_test(rig)
        yield _faults(rig)
        yield _levels(rig.levels(), dut)
        yield _lease(info, clock, rig)
    except RigError as error:
        yield Checked("link", False, str(error))


def clock_rate_text(info: RigInfo) -> str:
    """Return how far the board's clock may be off, and whether that was measured."""
    if info.calibration_ppb is None:
        return f"not calibrated: ±{info.clock_tolerance_ppb / 1000:g} ppm"
    return f"calibrated: {info.calibration_ppb:+d} ppb off, ±{info.clock_tolerance_ppb} ppb"


def _clock_rate(info: RigInfo) -> Checked:
    return Checked(
        "timebase tolerance",
        True,
        f"{info.clock_source}, {clock_rate_text(info)}, "
        f"that is {info.clock_tolerance_ppb * 2 / 1e6:.3f} ms in 2 s",
    )


def _edges(info: RigInfo) -> Checked:
    calibrated = [each for each in info.channels if each.latency is not None]
    widest_ns = max((each.uncertainty_ns for each in info.channels), default=0)
    return Checked(
        "edges",
        True,
        f"source: {info.edge_source or 'not reported'}, "
        f"{len(calibrated)} of {len(info.channels)} channels calibrated, "
        f"uncertainty of a stamp at most ±{seconds_text(widest_ns)}",
    )


def _round_trip(rig: Rig) -> Checked:
    waits = sorted(rig.exchange_clocks().round_trip_ns for _ in range(EXCHANGES))
    bound = waits[0] // 2
    return Checked(
        "clock bound",
        bound <= BOUND_LIMIT_NS,
        f"±{seconds_text(bound)} in the best of {EXCHANGES} exchanges, "
        f"median round trip {seconds_text(waits[len(waits) // 2])}"
        + ("" if bound <= BOUND_LIMIT_NS else "; over 1 ms: use another USB port, without a hub"),
    )


def _self_test(rig: Rig) -> Checked:
    checks = rig.selftest()
    bad = [check.name for check in checks if not check.ok]
    return Checked(
        "self-test",
        not bad,
        f"{len(checks)} checks, all good" if not bad else f"not good: {', '.join(bad)}",
    )


def _faults(rig: Rig) -> Checked:
    faults = rig.faults()
    return Checked(
        "board faults",
        faults.watchdog_resets == 0,
        f"reset by {faults.reset_reason}, {faults.watchdog_resets} watchdog resets, "
        f"{faults.edge_overruns} overruns, {faults.refusals} refusals, "
        f"{faults.lease_expiries} leases run out{_past_resets(faults)}",
    )


def _past_resets(faults: Faults) -> str:
    """Return how the boots before ended, newest first."""
    reasons = ", ".join(past.reset_reason for past in faults.history)
    return f"; the boots before ended by {reasons}" if reasons else ""


def _levels(levels: dict[Channel, int], dut: DutProfile | None) -> Checked:
    wired = dut.channels if dut is not None else tuple(levels)
    missing = [channel for channel in wired if channel not in levels]
    if missing:
        return Checked(
            "wiring",
            False,
            f"the profile wires {line_names(missing)}, the board has no such channel",
        )
    wrong = [
        f"{line_name(channel)}={levels[channel]}"
        for channel in wired
        if channel in AWAKE and levels[channel] != AWAKE[channel]
    ]
    return Checked(
        "wiring",
        not wrong,
        "every wired channel shows a DUT that is awake"
        if not wrong
        else f"a DUT that is awake would not show {', '.join(wrong)}: wake it, or check the wires",
    )


def _lease(info: RigInfo, clock: Clock, rig: Rig) -> Checked:
    before = rig.faults().lease_expiries
    clock.sleep_ns(info.lease_ns // 4)
    return Checked(
        "lease",
        rig.faults().lease_expiries == before,
        f"the board releases its outputs {seconds_text(info.lease_ns)} after the host's last word",
    )


REPLY_BYTES: Final = 1 << 20
"""What is looked at of one answer; the longest honest one (a whole power plan) has 60 kB."""

Run = Callable[[str], Answer]


def items_for(kind: DutKind, cycles: int) -> tuple[Item, ...]:
    """Return the checklist for one kind of DUT and a campaign of so many cycles."""
    if kind is DutKind.LINUX:
        return linux_items()
    return (*windows_items(cycles), *quiet_items())


def look_at(run: Run, cycles: int) -> Iterator[Prepared]:
    """Yield every item with what the DUT shows of it; each question is asked once.

    Raises:
        RecordError: the DUT cannot be reached.
    """
    answers: dict[str, Reply] = {}

    def reply_to(question: str) -> Reply:
        if question not in answers:
            answers[question] = _reply(run(question))
        return answers[question]

    for item in items_for(kind_of(run(PROBE)), cycles):
        yield Prepared(item, item.judge([reply_to(question) for question in item.questions]))


def _reply(answer: Answer) -> Reply:
    # Tools of a localised Windows write in its own code page; what is read of them is ASCII.
    return Reply(answer.status, answer.output[:REPLY_BYTES].decode("utf-8", "replace"))
