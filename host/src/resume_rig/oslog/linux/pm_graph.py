"""The header lines that pm-graph's sleepgraph writes before a test's kernel log or trace."""

import re
from collections.abc import Mapping
from typing import Final

from resume_rig.model.os_record import SleepKind
from resume_rig.oslog.linux.firmware import FirmwareTimes, sane_resume_ns, sane_suspend_ns
from resume_rig.oslog.source.problems import ProblemTally

_VALUE_LIMIT_CHARS: Final = 200
_TEST: Final = re.compile(r"# [a-z]{1,16}-[0-9]{6}-[0-9]{6} (\S{1,64}) (\S{1,32}) (\S{1,80})$")
_FIRMWARE: Final = re.compile(r"# fwsuspend ([0-9]{1,20}) fwresume ([0-9]{1,20})")
_PLATFORM: Final = re.compile(r"# platform-([A-Za-z0-9_,]{1,40}): (.{1,400})")
_HOW: Final = re.compile(r"# (command|kparams) \| (.{1,4000})")
_HOW_NAMES: Final = {"command": "test_command", "kparams": "kernel_parameters"}
_KINDS: Final[Mapping[str, SleepKind]] = {
    "mem": SleepKind.S3,
    "freeze": SleepKind.S2IDLE,
    "standby": SleepKind.S1,
    "disk": SleepKind.S4,
}
_SYSTEM: Final[Mapping[str, str]] = {
    "man": "system_manufacturer",
    "plat": "system_product",
    "cpu": "processor",
    "bios": "bios_version",
    "biosdate": "bios_date",
    "os": "os",
}


def is_pm_graph(line: str) -> bool:
    """Whether a line is the first of a test."""
    return _TEST.match(line) is not None


class PmGraphHeader:
    """Collects what the header lines of one test tell; `take_test` hands it over."""

    def __init__(self, tally: ProblemTally) -> None:
        self._tally = tally
        self._reported: set[str] = set()
        self.identity: dict[str, str] = {}
        self.kind = SleepKind.UNKNOWN
        self.firmware = FirmwareTimes()
        self.tests = 0

    def read(self, line: str) -> bool:
        """Take one line that begins with #; return whether it begins another test."""
        test = _TEST.match(line)
        if test is not None:
            self.tests += 1
            self.kind = _KINDS.get(test[2].partition("-")[0], SleepKind.UNKNOWN)
            self.firmware = FirmwareTimes()
            self._note("kernel", test[3])
            return True
        firmware = _FIRMWARE.match(line)
        if firmware is not None:
            self._read_firmware(int(firmware[1]), int(firmware[2]))
        elif line.startswith("# sysinfo"):
            for item in line.split("|")[1:]:
                name, _, value = item.strip().partition(":")
                self._note(_SYSTEM.get(name, ""), value)
        elif (how := _HOW.match(line)) is not None:
            self._note(_HOW_NAMES[how[1]], how[2])
        elif (platform := _PLATFORM.match(line)) is not None:
            self._note(f"platform_{platform[1]}", platform[2])
        return False

    def _read_firmware(self, suspend_ns: int, resume_ns: int) -> None:
        suspend, why_suspend = sane_suspend_ns(suspend_ns)
        resume, why_resume = sane_resume_ns(resume_ns)
        self.firmware = FirmwareTimes(suspend, resume)
        for sentence in (why_suspend, why_resume):
            if sentence and sentence not in self._reported:
                self._reported.add(sentence)
                self._tally.report(sentence, damage=False)

    def _note(self, name: str, value: str) -> None:
        if name and value.strip() and len(self.identity) < 100:
            self.identity.setdefault(name, value.strip()[:_VALUE_LIMIT_CHARS])
