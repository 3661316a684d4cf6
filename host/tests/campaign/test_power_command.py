"""The user's command for the supply: it is told what to do, and its status says whether it did."""

import sys
import time
from pathlib import Path

import pytest

from resume_rig.campaign.dut.user_program import PowerCommand

NOTES = "import os,sys; open(sys.argv[1],'a').write(os.environ['RESUME_RIG_POWER']+'\\n')"


def result_of(power: PowerCommand) -> bool | None:
    """Poll as a campaign does, for ten seconds at most."""
    for _ in range(1000):
        if (done := power.succeeded()) is not None:
            return done
        time.sleep(0.01)
    return None


def test_it_is_told_off_and_on(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    power = PowerCommand([sys.executable, "-c", NOTES, str(notes)], {"store": "x.rrs"})

    for on in (False, True):
        power.start(on=on)
        assert result_of(power) is True

    assert notes.read_text("utf-8") == "off\non\n"


def test_it_finds_what_it_is_told(tmp_path: Path) -> None:
    code = "import os,sys; sys.exit(os.environ['RESUME_RIG_STORE'] != 'x.rrs')"
    power = PowerCommand([sys.executable, "-c", code], {"store": "x.rrs"})

    power.start(on=False)

    assert result_of(power) is True


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([sys.executable, "-c", "raise SystemExit(3)"], "ended with status 3"),
        (["/no/such/program"], "could not be run"),
    ],
)
def test_one_that_fails_is_no_success_and_says_why(words: list[str], problem: str) -> None:
    power = PowerCommand(words, {})

    power.start(on=False)

    assert result_of(power) is False
    assert power.problem is not None
    assert problem in power.problem


def test_one_that_hangs_is_ended(tmp_path: Path) -> None:
    power = PowerCommand([sys.executable, "-c", "import time; time.sleep(600)"], {})
    power.start(on=False)
    assert power.succeeded() is None

    power.stop()

    assert power.succeeded() is False
