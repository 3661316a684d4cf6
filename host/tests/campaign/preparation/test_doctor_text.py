"""What doctor and the application say of a board: its clock, and whether it acts for anybody."""

from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from resume_rig.campaign.preparation.doctor import check_bench, clock_rate_text
from resume_rig.model.rig_url import RigUrl
from resume_rig.rig.interface import Rig, RigInfo
from resume_rig.rig.link.open import open_rig


@pytest.mark.parametrize(
    ("calibration_ppb", "tolerance_ppb", "text"),
    [
        (None, 30_000, "not calibrated: ±30 ppm"),
        (1_234, 500, "calibrated: +1234 ppb off, ±500 ppb"),
        (-7, 500, "calibrated: -7 ppb off, ±500 ppb"),
    ],
)
def test_a_clock_is_stated_with_what_it_may_be_off(
    calibration_ppb: int | None, tolerance_ppb: int, text: str
) -> None:
    info: Any = SimpleNamespace(calibration_ppb=calibration_ppb, clock_tolerance_ppb=tolerance_ppb)
    assert clock_rate_text(info) == text


class Old:
    """The simulated rig, saying that it speaks version 1 of the protocol."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig

    def info(self) -> RigInfo:
        return replace(self._rig.info(), protocol=1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rig, name)


def test_a_board_that_acts_for_anybody_is_not_good() -> None:
    opened = open_rig(RigUrl("sim:clock=virtual,seed=7"))
    with closing(opened.rig) as rig:
        good = {check.name: check for check in check_bench(rig, opened.clock, None)}
        old: Any = Old(rig)
        found = {check.name: check for check in check_bench(old, opened.clock, None)}
    assert "port" not in good
    assert not found["port"].ok
    assert found["port"].text == (
        "the board speaks version 1 of the rig protocol, in which it acts for whoever reaches its "
        "port; update its firmware"
    )
