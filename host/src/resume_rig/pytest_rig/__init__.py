"""The rig inside pytest: fixtures `rig`, `dut` and `campaign`, and `assert_resume`."""

from resume_rig.pytest_rig.judging import assert_resume

__all__ = ["assert_resume"]
