"""A button or a lid that stays until it is let go."""

import threading
from collections.abc import Iterator

import pytest

from resume_rig.acceptance.bench import BenchInUse, open_bench
from resume_rig.acceptance.held_line import HeldLines
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import UsageError

S = 1_000_000_000
MS = 1_000_000


@pytest.fixture
def bench() -> Iterator[BenchInUse]:
    bench = open_bench("sim:clock=virtual,seed=7", "healthy-laptop")
    yield bench
    bench.close()


@pytest.fixture
def lines(bench: BenchInUse) -> Iterator[HeldLines]:
    lines = HeldLines(bench, threading.RLock())
    yield lines
    lines.close()


def after(bench: BenchInUse, duration_ns: int) -> dict[Channel, int]:
    bench.opened.clock.sleep_ns(duration_ns)
    return bench.rig.levels()


def test_a_held_button_is_pressed_until_it_is_let_go(bench: BenchInUse, lines: HeldLines) -> None:
    lines.hold_button()
    assert after(bench, 100 * MS)[Channel.BUTTON] == 0
    assert lines.is_active(Actuator.BUTTON)

    lines.let_go(Actuator.BUTTON)

    assert after(bench, 100 * MS)[Channel.BUTTON] == 1
    assert not lines.is_active(Actuator.BUTTON)


def test_a_press_ends_by_itself_at_the_boards_limit(bench: BenchInUse, lines: HeldLines) -> None:
    lines.hold_button()

    assert after(bench, 1100 * MS)[Channel.BUTTON] == 1


def test_a_longer_press_cuts_the_power(bench: BenchInUse, lines: HeldLines) -> None:
    lines.hold_button(8 * S)

    assert after(bench, 7 * S)[Channel.PWR_OK] == 0


def test_a_lid_stays_closed(bench: BenchInUse, lines: HeldLines) -> None:
    lines.hold_lid()
    assert after(bench, 5 * S)[Channel.LID] == 0

    lines.let_go(Actuator.LID)

    assert after(bench, 1 * S)[Channel.LID] == 1


def test_only_one_of_both_is_held(lines: HeldLines) -> None:
    lines.hold_lid()
    with pytest.raises(UsageError, match=r"could not press the power button: the board lets go of"):
        lines.hold_button()
    lines.let_go(Actuator.LID)
    lines.hold_button()
    with pytest.raises(
        UsageError, match=r"could not close the lid: the board lets go of everything together"
    ):
        lines.hold_lid()


def test_a_press_without_end_is_refused(lines: HeldLines) -> None:
    with pytest.raises(UsageError, match=r"for 13.00 s; allowed are up to 12.00 s"):
        lines.hold_button(13 * S)


def test_closing_lets_go(bench: BenchInUse) -> None:
    lines = HeldLines(bench, threading.RLock())
    lines.hold_lid()

    lines.close()

    assert after(bench, 1 * S)[Channel.LID] == 1


def test_it_stays_in_touch_while_something_is_held(
    bench: BenchInUse, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Event()
    monkeypatch.setattr(bench.rig, "exchange_clocks", asked.set)
    short = BenchInUse(bench.url, bench.dut, bench.opened, bench.info, bench.claim)
    object.__setattr__(short.info, "lease_ns", 40 * MS)
    lines = HeldLines(short, threading.RLock())

    lines.hold_lid()

    assert asked.wait(10)
    lines.close()
