"""Ctrl-C in the middle of a call from C is neither lost nor taken for a time of 0."""

import pytest

from resume_rig.model.channel import Actuator
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.link.open import OpenRig, open_rig
from resume_rig.timing.clocks import VirtualClock

PRESS_NS = 100_000_000


class StruckClock(VirtualClock):
    """A clock that Ctrl-C strikes whenever it is read, from a chosen reading on, so many times."""

    def __init__(self) -> None:
        super().__init__()
        self.readings = 0
        self.strike_at: set[int] = set()

    def now_ns(self) -> int:
        self.readings += 1
        if self.readings in self.strike_at:
            raise KeyboardInterrupt
        return super().now_ns()


class WrongClock(VirtualClock):
    """A clock that fails as a mistake of the program would."""

    wrong = False

    def now_ns(self) -> int:
        if self.wrong:
            raise ZeroDivisionError("a mistake")
        return super().now_ns()


def opened(clock: VirtualClock) -> OpenRig:
    return open_rig("sim:seed=3", clock, load_dut_profile("healthy-laptop"))


def readings_of_a_press() -> int:
    clock = StruckClock()
    rig = opened(clock).rig
    before = clock.readings
    rig.press(Actuator.BUTTON, PRESS_NS)
    return clock.readings - before


@pytest.mark.parametrize("at", range(1, readings_of_a_press() + 1))
def test_ctrl_c_in_any_reading_of_the_clock_comes_through(at: int) -> None:
    clock = StruckClock()
    rig = opened(clock).rig
    before_ns = rig.exchange_clocks().board_tx_ns
    clock.strike_at = {clock.readings + at}
    with pytest.raises(KeyboardInterrupt):
        rig.press(Actuator.BUTTON, PRESS_NS)
    # The board has its time still, and the link its order.
    assert rig.exchange_clocks().board_tx_ns >= before_ns > 0
    rig.release()


def test_a_mistake_in_a_callback_is_raised_where_the_core_was_called(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = WrongClock()
    use = opened(clock)
    clock.wrong = True
    with pytest.raises(ZeroDivisionError, match="a mistake"):
        use.rig.exchange_clocks()
    assert "ZeroDivisionError" not in capsys.readouterr().err
