"""The OS of a DUT behind a real sshd, which notes what it is told."""

import base64
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import tree_sitter
import tree_sitter_powershell

from resume_rig.analysis.cycles.health import read_report
from resume_rig.campaign.dut.shell import (
    HEALTH_COMMANDS,
    SLEEP_COMMANDS,
    TIMER_COMMANDS,
    DutKind,
    ShellControl,
    sleep_command,
)
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.os_record import SleepKind
from resume_rig.rig.interface import Ended

PROGRAMS = ("powershell", "shutdown", "systemctl", "sudo")


@pytest.fixture
def told(dut: Any) -> Path:
    """Let the DUT note every program that matters, and return where."""
    noted = Path(dut.folder) / "told"
    noted.write_text("")
    for name in PROGRAMS:
        program = Path(dut.folder) / name
        program.write_text(f'#!/bin/sh\necho "{name} $*" >> "{noted}"\n')
        program.chmod(0o755)
    return noted


def ended(control: ShellControl) -> Ended:
    for _ in range(1000):
        if (answer := control.ended()) is not None:
            return answer
        time.sleep(0.02)
    pytest.fail("the command does not end")


def decoded(command: str) -> str:
    return base64.b64decode(command.rsplit(" ", 1)[1]).decode("utf-16-le")


def test_a_windows_is_told_in_its_own_words(dut: Any, told: Path) -> None:
    control = ShellControl(dut.shell())
    control.prepare({SleepKind.S4})

    control.sleep(SleepKind.S4)
    assert ended(control) == Ended(ok=True)
    control.arm_timer(30_000_000_001)
    assert ended(control) == Ended(ok=True)
    control.greet()
    assert ended(control) == Ended(ok=True)

    first, second = told.read_text().splitlines()
    assert first == "shutdown /h"
    assert "AddSeconds(31)" in decoded(second)


def test_a_linux_is_told_in_its_own_words(dut: Any, told: Path) -> None:
    uname = Path(dut.folder) / "uname"
    windows = uname.read_text()
    uname.write_text("#!/bin/sh\necho Linux\n")
    try:
        control = ShellControl(dut.shell())
        control.prepare({SleepKind.S4, SleepKind.BOOT})
        control.sleep(SleepKind.S4)
        assert ended(control) == Ended(ok=True)
        control.arm_timer(1)
        assert ended(control) == Ended(ok=True)
    finally:
        uname.write_text(windows)

    assert told.read_text().splitlines() == ["systemctl hibernate", "sudo -n rtcwake -m no -s 1"]


@pytest.mark.skipif(sys.platform != "linux", reason="asks this machine as its DUT")
def test_a_linux_reports_its_health() -> None:
    """The DUT is this machine: what it has is not known, that the report is whole is."""
    words = ["sh", "-c", HEALTH_COMMANDS[DutKind.LINUX]]
    answer = subprocess.run(words, capture_output=True, check=True, timeout=60)

    report = read_report(answer.stdout.decode())
    assert report.whole
    assert report.boot == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    pci = {f"pci:{each.name}" for each in Path("/sys/bus/pci/devices").glob("*")}
    assert pci <= set(report.devices)
    assert answer.stderr == b""


@pytest.mark.skipif(sys.platform != "linux", reason="needs sh and sed")
def test_the_counters_of_pmc_core_are_read(tmp_path: Path) -> None:
    """In the forms that users have posted (docs/reference/health.md names where)."""
    (tmp_path / "slp_s0_residency_usec").write_text("12345\n")
    (tmp_path / "substate_residencies").write_text(
        "Substate       Residency\nS0i2.0         9028122\nS0i3.0         0\n"
    )
    (tmp_path / "package_cstate_show").write_text("Package C2 : 19094886\nPackage C10 : 70353426\n")
    command = HEALTH_COMMANDS[DutKind.LINUX].replace("/sys/kernel/debug/pmc_core", str(tmp_path))
    answer = subprocess.run(["sh", "-c", command], capture_output=True, check=True, timeout=60)

    counters = read_report(answer.stdout.decode()).counters
    assert counters["slp_s0"] == 12345
    assert (counters["substate S0i2.0"], counters["substate S0i3.0"]) == (9028122, 0)
    assert (counters["package C2"], counters["package C10"]) == (19094886, 70353426)


def test_a_windows_is_asked_in_powershell() -> None:
    script = decoded(HEALTH_COMMANDS[DutKind.WINDOWS])
    language = tree_sitter.Language(tree_sitter_powershell.language())

    assert not tree_sitter.Parser(language).parse(script.encode()).root_node.has_error
    assert script.isascii()
    # cmd.exe, the shell that OpenSSH on Windows starts, takes no longer lines.
    assert len(HEALTH_COMMANDS[DutKind.WINDOWS]) < 8191


def test_a_state_that_the_os_has_no_command_for_is_refused_beforehand(dut: Any) -> None:
    with pytest.raises(UsageError, match="windows has no command for modern-standby"):
        ShellControl(dut.shell()).prepare({SleepKind.MODERN_STANDBY})


def test_a_command_that_fails_says_its_status(dut: Any, told: Path) -> None:
    (Path(dut.folder) / "shutdown").write_text("#!/bin/sh\nexit 5\n")
    control = ShellControl(dut.shell())
    control.prepare(())

    control.sleep(SleepKind.BOOT)

    assert ended(control) == Ended(ok=False, text="it ended the command with status 5")


def test_a_dut_that_is_not_there_is_not_reached(dut: Any) -> None:
    nobody = f"{dut.address.rpartition(':')[0]}:9"
    with pytest.raises(RecordError, match="could not reach"):
        ShellControl(dut.shell(nobody)).prepare(())

    control = ShellControl(dut.shell(nobody))
    control.sleep(SleepKind.S4)
    answer = ended(control)
    control.close()
    assert (answer.ok, answer.reached) == (False, False)


@pytest.mark.parametrize("kind", DutKind)
def test_every_kind_has_commands_and_a_timer(kind: DutKind) -> None:
    assert {SleepKind.S3, SleepKind.S4, SleepKind.BOOT, SleepKind.HYBRID} <= set(
        SLEEP_COMMANDS[kind]
    )
    assert sleep_command(kind, SleepKind.S3)
    assert TIMER_COMMANDS[kind](5)
    suspend = decoded(SLEEP_COMMANDS[DutKind.WINDOWS][SleepKind.S3])
    assert "SetSuspendState('Suspend', $false, $false)" in suspend
