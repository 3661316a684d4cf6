"""On, off and reset of a simulated DUT: the wires say whether it happened."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from resume_rig.acceptance.bench import open_bench
from resume_rig.acceptance.single_actions import DutState, PowerActions, PowerChange, SingleActions
from resume_rig.campaign.dut.user_program import PowerCommand
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import DutFault, UsageError

S = 1_000_000_000
RIG = "sim:clock=virtual,seed=7"
REAL_TIME = "sim:seed=7"


@dataclass(frozen=True)
class Opened:
    """A bench, and what acts on it."""

    actions: SingleActions
    power: PowerActions


Open = Callable[..., Opened]


@pytest.fixture
def opened() -> Iterator[Open]:
    with ExitStack() as stack:

        def open_it(
            dut: str = "healthy-desktop", supply: PowerCommand | None = None, rig: str = RIG
        ) -> Opened:
            bench = open_bench(rig, dut)
            stack.callback(bench.close)
            actions = SingleActions(bench)
            return Opened(actions, PowerActions(actions, supply))

        yield open_it


@pytest.mark.parametrize("dut", ["healthy-desktop", "healthy-laptop", "espi-laptop"])
def test_a_dut_goes_off_and_on(opened: Open, dut: str) -> None:
    bench = opened(dut)

    off = bench.power.off()
    lines_off = bench.actions.levels()
    on = bench.power.on()

    assert (off.before, off.after) == (DutState.AWAKE, DutState.OFF)
    assert lines_off[Channel.PWR_OK] == 0
    assert on.after is DutState.AWAKE
    assert 4 * S < off.took_ns < 20 * S


def test_what_is_there_already_costs_nothing(opened: Open) -> None:
    power = opened().power

    assert power.on() == PowerChange(DutState.AWAKE, DutState.AWAKE, 0)
    power.off()
    assert power.off() == PowerChange(DutState.OFF, DutState.OFF, 0)


def test_a_sleeping_dut_is_woken_and_can_be_cut(opened: Open) -> None:
    bench = opened()
    bench.actions.put_to_sleep(Actuator.BUTTON, 60 * S)
    bench.actions.stay_asleep(5 * S)

    woken = bench.power.on()

    assert (woken.before, woken.after) == (DutState.S3, DutState.AWAKE)
    assert woken.took_ns < 5 * S


def test_a_reset_starts_anew(opened: Open) -> None:
    bench = opened()

    change = bench.power.reset()

    assert change.after is DutState.AWAKE
    edges = bench.actions.bench.capture.edges
    assert [edge.level for edge in edges if edge.channel is Channel.SLP_S5] == [0, 1]


def test_a_dut_that_does_not_start_is_a_fault_in_one_sentence(opened: Open) -> None:
    power = opened().power
    power.off()

    with pytest.raises(DutFault, match=r"^could not switch the DUT on: 10.00 ms after the press"):
        power.on(10_000_000)


def test_a_dut_whose_power_no_line_tells_is_refused(opened: Open, tmp_path: Path) -> None:
    profile = tmp_path / "blind.toml"
    profile.write_text(
        'base = "healthy-laptop"\ntitle = "Blind"\nchannels = ["BACKLIGHT", "BUTTON"]\n'
    )

    with pytest.raises(UsageError, match="no line of blind shows whether it has power; PWR_OK or"):
        opened(str(profile)).power.off()


def test_the_supply_is_switched_by_a_command(opened: Open, tmp_path: Path) -> None:
    told = tmp_path / "told"
    script = f"import os; open({str(told)!r}, 'a').write(os.environ['RESUME_RIG_POWER'] + ' ')"
    command = PowerCommand([sys.executable, "-c", script], {})
    power = opened(supply=command, rig=REAL_TIME).power

    power.switch_supply(on=False)
    power.switch_supply(on=True)

    assert told.read_text() == "off on "


def test_a_supply_without_a_command_or_with_a_failing_one_is_told(opened: Open) -> None:
    with pytest.raises(UsageError, match="the rig has no relay in it; --power-cycle names"):
        opened().power.switch_supply(on=False)
    failing = PowerCommand([sys.executable, "-c", "raise SystemExit(7)"], {})
    with pytest.raises(DutFault, match=r"supply off: the command .* ended with status 7"):
        opened(supply=failing, rig=REAL_TIME).power.switch_supply(on=False)
