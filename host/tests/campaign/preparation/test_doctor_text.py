"""What doctor and the application say of a board's clock."""

from types import SimpleNamespace
from typing import Any

import pytest

from resume_rig.campaign.preparation.doctor import clock_rate_text


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
