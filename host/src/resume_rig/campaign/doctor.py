"""Everything that can be checked before a campaign, without moving anything on the DUT."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from resume_rig.model.channel import Channel
from resume_rig.model.clock import Clock
from resume_rig.model.dut import DutProfile
from resume_rig.model.errors import RigError
from resume_rig.model.units import seconds_text
from resume_rig.rig.interface import Faults, Rig, RigInfo

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
        name: what it is.
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


def check_bench(rig: Rig, clock: Clock, dut: DutProfile | None) -> Iterator[Checked]:
    """Yield what an open rig shows of itself and of the DUT; a broken link is a finding too."""
    try:
        info = rig.info()
        yield Checked("board", True, f"{info.board}, firmware {info.firmware}")
        yield _clock_rate(info)
        yield _edges(info)
        yield _round_trip(rig)
        yield _self_test(rig)
        yield _faults(rig)
        yield _levels(rig.levels(), dut)
        yield _lease(info, clock, rig)
    except RigError as error:
        yield Checked("link", False, str(error))


def _clock_rate(info: RigInfo) -> Checked:
    calibrated = info.calibration_ppb is not None
    return Checked(
        "clock rate",
        True,
        f"{info.clock_source}, "
        + (
            f"calibrated to {info.calibration_ppb} ppb"
            if calibrated
            else f"not calibrated: {info.clock_tolerance_ppb / 1000:g} ppm, "
            f"that is {info.clock_tolerance_ppb * 2 / 1e6:.3f} ms in 2 s"
        ),
    )


def _edges(info: RigInfo) -> Checked:
    calibrated = [known for known in info.channels if known.latency is not None]
    widest_ns = max((known.uncertainty_ns for known in info.channels), default=0)
    return Checked(
        "edges",
        True,
        f"stamped by {info.edge_source or 'a source that it does not tell'}, "
        f"{len(calibrated)} of {len(info.channels)} channels calibrated, "
        f"good to +/-{seconds_text(widest_ns)} or better",
    )


def _round_trip(rig: Rig) -> Checked:
    exchanges = [rig.exchange_clocks() for _ in range(EXCHANGES)]
    waits = sorted(
        (e.host_rx_ns - e.host_tx_ns) - (e.board_tx_ns - e.board_rx_ns) for e in exchanges
    )
    bound = waits[0] // 2
    return Checked(
        "clock bound",
        bound <= BOUND_LIMIT_NS,
        f"+/-{seconds_text(bound)} at best of {EXCHANGES} exchanges, "
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
        f"{faults.lease_expiries} leases run out{_endings(faults)}",
    )


def _endings(faults: Faults) -> str:
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
            f"the profile wires {', '.join(missing)}, the board has no such channel",
        )
    odd = [
        f"{channel}={levels[channel]}"
        for channel in wired
        if channel in AWAKE and levels[channel] != AWAKE[channel]
    ]
    return Checked(
        "wiring",
        not odd,
        "every wired channel shows a DUT that is awake"
        if not odd
        else f"a DUT that is awake would not show {', '.join(odd)}: wake it, or check the wires",
    )


def _lease(info: RigInfo, clock: Clock, rig: Rig) -> Checked:
    before = rig.faults().lease_expiries
    clock.sleep_ns(info.lease_ns // 4)
    return Checked(
        "lease",
        rig.faults().lease_expiries == before,
        f"the board lets go {seconds_text(info.lease_ns)} after the last word of the host",
    )
