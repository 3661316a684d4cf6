import pytest

from resume_rig.campaign.run.actions import hold_closed, newest_edge, press_once
from resume_rig.model.channel import Channel
from resume_rig.model.clock import Clock
from resume_rig.model.rig_url import RigUrl
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.link.open import open_rig

SIM = "sim:clock=virtual,seed=11"


def test_a_press_is_told_as_the_header_saw_it() -> None:
    opened = open_rig(SIM)
    press = press_once(opened.rig, opened.clock, 200_000_000, force_off=False)
    assert press.commanded_ns == 200_000_000
    assert press.width_ns is not None
    assert abs(press.width_ns - 200_000_000) < 5_000_000
    assert press.pressed_ns is not None
    assert press.pressed_ns >= press.start_ns


def test_a_press_that_outlasts_the_lease_is_kept_up() -> None:
    opened = open_rig(SIM)
    lease_ns = opened.rig.info().lease_ns
    press = press_once(opened.rig, opened.clock, lease_ns + 1_000_000_000, force_off=True)
    assert press.width_ns is not None
    assert press.width_ns > lease_ns
    assert opened.rig.faults().lease_expiries == 0


def test_a_lid_stays_closed_beyond_the_lease_and_is_opened_in_the_end() -> None:
    opened = open_rig(SIM)
    lease_ns = opened.rig.info().lease_ns
    seen: list[int] = []

    held = hold_closed(
        opened.rig,
        opened.clock,
        3 * lease_ns,
        lambda: seen.append(opened.clock.now_ns()),
        opened.rig.lid,
    )

    assert len(seen) == 1
    # Two clocks: the host held it for so long, the board says how long that was.
    assert abs(held.held_ns - 3 * lease_ns) < 10_000_000
    assert not held.by_board
    assert opened.rig.faults().lease_expiries == 0
    opened.clock.sleep_ns(50_000_000)
    assert opened.rig.levels()[Channel.LID] == 1


class SuspendedOnce:
    """The clock of a host that falls asleep in the second wait."""

    def __init__(self, clock: Clock, suspended_ns: int) -> None:
        self._clock, self._suspended_ns, self._waits = clock, suspended_ns, 0

    def sleep_ns(self, duration_ns: int) -> None:
        self._waits += 1
        asleep_ns = self._suspended_ns if self._waits == 2 else 0
        self._clock.sleep_ns(duration_ns + asleep_ns)

    def now_ns(self) -> int:
        return self._clock.now_ns()

    def utc_ns(self) -> int:
        return self._clock.utc_ns()


@pytest.mark.parametrize("duration_s", [22, 60])
def test_a_lid_that_the_board_let_go_of_was_closed_for_so_long_alone(duration_s: int) -> None:
    opened = open_rig(RigUrl(SIM))
    lease_ns = opened.rig.info().lease_ns
    clock = SuspendedOnce(opened.clock, 3 * lease_ns)

    held = hold_closed(opened.rig, clock, duration_s * 1_000_000_000, lambda: None, opened.rig.lid)

    assert held.by_board
    # Of its lease since it heard the host last, a quarter of a lease after the lid closed.
    assert lease_ns < held.held_ns < 1.3 * lease_ns


def test_a_contact_that_the_board_let_go_of_has_no_line_and_is_known_by_its_lease() -> None:
    opened = open_rig(RigUrl(SIM), dut=load_dut_profile("wakes-by-device"))
    lease_ns = opened.rig.info().lease_ns
    clock = SuspendedOnce(opened.clock, 3 * lease_ns)

    held = hold_closed(opened.rig, clock, 22_000_000_000, lambda: None, opened.rig.contact)

    assert held.by_board
    assert lease_ns < held.held_ns < 1.3 * lease_ns


def test_the_newest_edge_is_behind_every_edge() -> None:
    opened = open_rig(SIM)
    press_once(opened.rig, opened.clock, 100_000_000, force_off=False)
    cursor = newest_edge(opened.rig)
    assert cursor >= 2
    assert opened.rig.edges(cursor).edges == ()
