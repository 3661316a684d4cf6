"""What a test expects of the rig itself: health, clock, interlock, lease, latency."""

from typing import Final

from resume_rig.acceptance.bench_in_use import BenchInUse, need
from resume_rig.acceptance.expectations import Expectation
from resume_rig.acceptance.single_actions import SingleActions
from resume_rig.campaign.doctor import check_bench
from resume_rig.campaign.self_measurement import LoopbackPlan, measure_loopback
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import DeviceFault, UsageError
from resume_rig.model.units import seconds_text

_EXCHANGES: Final = 50
_BEYOND_LEASE_NS: Final = 500_000_000


def rig_is_healthy(use: BenchInUse) -> Expectation:
    """Return whether everything that `doctor` looks at is good; nothing on the DUT is moved."""
    found = list(check_bench(use.rig, use.opened.clock, use.dut))
    bad = [f"{each.name}: {each.text}" for each in found if not each.ok]
    if bad:
        return Expectation(False, f"the rig is not healthy: {'; '.join(bad)}")
    return Expectation(True, "; ".join(f"{each.name}: {each.text}" for each in found))


def self_test_passes(use: BenchInUse) -> Expectation:
    """Return whether every check of the board's self-test is good."""
    checks = use.rig.selftest()
    bad = [f"{check.name} ({check.value})" for check in checks if not check.ok]
    if bad:
        return Expectation(False, f"the self-test of {use.info.board} failed: {', '.join(bad)}")
    return Expectation(True, f"self-test: {', '.join(check.name for check in checks)}, all good")


def clocks_tied_to(use: BenchInUse, limit_ns: int) -> Expectation:
    """Return whether an exchange of stamps ties the board's clock to the host's so closely."""
    made = [use.rig.exchange_clocks() for _ in range(_EXCHANGES)]
    trips = [(e.host_rx_ns - e.host_tx_ns) - (e.board_tx_ns - e.board_rx_ns) for e in made]
    bound_ns = min(trips) // 2
    text = f"the clocks are tied to ±{seconds_text(bound_ns)} by the best of {_EXCHANGES} exchanges"
    if bound_ns <= limit_ns:
        return Expectation(True, text)
    return Expectation(False, f"{text}; expected ±{seconds_text(limit_ns)} or better")


def press_is_refused(hands: SingleActions, duration_ns: int) -> Expectation:
    """Return whether the interlock refuses a press; one that is not refused is made."""
    try:
        hands.press(duration_ns)
    except DeviceFault as fault:
        return Expectation(True, f"refused: {fault}")
    return Expectation(
        False,
        f"the rig pressed for {seconds_text(duration_ns)}, and its interlock should have refused",
    )


def lets_go_when_silent(use: BenchInUse, hands: SingleActions) -> Expectation:
    """Close the lid, be silent for longer than the lease, and return whether it is open again."""
    need(use, "see the board let go", Actuator.LID, Channel.LID)
    before = use.rig.faults().lease_expiries
    hands.move_lid(closed=True)
    use.opened.clock.sleep_ns(use.info.lease_ns + _BEYOND_LEASE_NS)
    opened = use.rig.levels().get(Channel.LID) == 1
    lease = seconds_text(use.info.lease_ns)
    if opened and use.rig.faults().lease_expiries > before:
        return Expectation(True, f"the board let go of the lid after its lease of {lease}")
    hands.move_lid(closed=False)
    return Expectation(False, f"the board did not let go of the lid after its lease of {lease}")


def latency_within(use: BenchInUse, plan: LoopbackPlan, spread_ns: int) -> Expectation:
    """Measure the latency of channels that are wired to an output; nothing else may be there.

    Raises:
        UsageError: no channel is named, or a simulated DUT is in the plug's place.
        RigError: the board refuses, or the loop-back does not end.
    """
    if not plan.channels:
        raise UsageError(f"no channel is named; allowed are {', '.join(Channel)}")
    if use.opened.simulated and not use.opened.plug:
        raise UsageError(
            "could not measure a latency: a DUT is on the rig, which takes the changes for "
            "presses; open the rig with a plug in its place (dut=loopback in the URL)"
        )
    result = measure_loopback(use.rig, use.opened.clock, plan)
    if not result.ended_well:
        return Expectation(
            False, f"the loop-back did not end well: {result.changes} changes were made"
        )
    widths = {each.channel: each.max_ns - each.min_ns for each in result.channels}
    told = ", ".join(f"{line} within {seconds_text(width)}" for line, width in widths.items())
    if max(widths.values(), default=spread_ns + 1) <= spread_ns:
        return Expectation(True, f"latency of {told}")
    return Expectation(
        False, f"latency of {told or 'no channel'}; expected within {seconds_text(spread_ns)}"
    )
