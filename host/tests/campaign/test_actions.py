from resume_rig.campaign.run.actions import hold_closed, newest_edge, press_once
from resume_rig.model.channel import Channel
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

    closed, opened_again = hold_closed(
        opened.rig,
        opened.clock,
        3 * lease_ns,
        lambda: seen.append(opened.clock.now_ns()),
        opened.rig.lid,
    )

    assert len(seen) == 1
    # Two clocks: the host held it for so long, the board says how long that was.
    assert abs(opened_again.start_ns - closed.start_ns - 3 * lease_ns) < 10_000_000
    assert opened.rig.faults().lease_expiries == 0
    opened.clock.sleep_ns(50_000_000)
    assert opened.rig.levels()[Channel.LID] == 1


def test_the_newest_edge_is_behind_every_edge() -> None:
    opened = open_rig(SIM)
    press_once(opened.rig, opened.clock, 100_000_000, force_off=False)
    cursor = newest_edge(opened.rig)
    assert cursor >= 2
    assert opened.rig.edges(cursor).edges == ()
