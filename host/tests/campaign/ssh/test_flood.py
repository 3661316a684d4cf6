"""A DUT, or an ssh, that writes without an end: it is ended, and said."""

import sys
import time

import pytest

from resume_rig.campaign.dut import shell
from resume_rig.campaign.dut.shell import RunningCommand
from resume_rig.model.errors import RecordError
from resume_rig.timing.clocks import SystemClock

S = 1_000_000_000


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_output_without_end_is_ended(monkeypatch: pytest.MonkeyPatch, stream: str) -> None:
    monkeypatch.setattr(shell, "OUTPUT_BYTES_MAX", 8 << 20)
    flood = f"import sys\nwhile True: sys.{stream}.write('x' * 65536)"
    clock = SystemClock()
    command = RunningCommand([sys.executable, "-c", flood], clock, "ssh:user@dut", 120 * S)

    def waited() -> None:
        while command.poll() is None:
            time.sleep(0.01)

    with pytest.raises(RecordError, match="could not read from ssh:user@dut: it answered with"):
        waited()

    command.close()  # may be called twice
