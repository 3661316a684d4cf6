"""Waits for wires that show a DUT off, running or lit, and for the switch of its supply."""

from typing import Final

from resume_rig.campaign.dut.supply import PowerSwitch
from resume_rig.campaign.plan.plan import NS_PER_S
from resume_rig.campaign.plan.states import RUNNING, is_dark, is_off
from resume_rig.campaign.run.bench import Bench
from resume_rig.model.channel import Channel

# Rails go within some 10 ms of the override; an embedded controller may take its time.
_OFF_WITHIN_NS: Final = 5 * NS_PER_S
# A relay or a network socket answers within a second; a PDU behind a queue takes longer.
_SWITCH_WITHIN_NS: Final = 60 * NS_PER_S
STARTS_WITHIN_NS: Final = 5 * NS_PER_S
"""A DUT that boots by itself when its supply comes back begins within seconds."""


def goes_off(bench: Bench) -> bool:
    """Return whether the wires show a DUT without power, within seconds."""
    return bench.wait(
        bench.clock.now_ns() + _OFF_WITHIN_NS,
        lambda: is_off(bench.levels(), bench.wired),
        signs=bench.wired,
    )


def runs_within(bench: Bench, timeout_ns: int) -> bool:
    """Return whether the wires show a DUT that runs, in time."""
    until_ns = bench.clock.now_ns() + timeout_ns
    return bench.wait(until_ns, bench.is_running, fast=True, signs=RUNNING)


def lights_within(bench: Bench, timeout_ns: int) -> bool:
    """Return whether a display that is wired is lit, in time; none that is wired counts as lit."""
    return bench.wait(
        bench.clock.now_ns() + timeout_ns,
        lambda: not is_dark(bench.levels(), bench.wired),
        signs=(Channel.BACKLIGHT,),
    )


def comes_up(bench: Bench, timeout_ns: int) -> bool:
    """Return whether a DUT that runs is lit, in time; one that goes to sleep is not waited for."""
    bench.wait(
        bench.clock.now_ns() + timeout_ns,
        lambda: not (bench.is_running() and is_dark(bench.levels(), bench.wired)),
        signs={*RUNNING, Channel.BACKLIGHT},
    )
    return bench.is_running() and not is_dark(bench.levels(), bench.wired)


def switched(bench: Bench, supply: PowerSwitch | None, *, on: bool) -> bool:
    """Return whether the command that switches the supply succeeded; False without one."""
    if supply is None:
        return False
    supply.start(on=on)
    try:
        until_ns = bench.clock.now_ns() + _SWITCH_WITHIN_NS
        bench.wait(until_ns, lambda: supply.succeeded() is not None)
        return supply.succeeded() is True
    finally:
        supply.stop()
