"""A Linux DUT's answers."""

from collections.abc import Mapping

import pytest

from resume_rig.campaign.dut.shell import Answer
from resume_rig.campaign.preparation.doctor import look_at
from resume_rig.model.preparation import Found, Standing

GOOD = {
    "uname": "Linux\n",
    "power/state": "freeze mem disk\n",
    "mem_sleep": "s2idle [deep]\n",
    "pm_test": "[none] core processors platform devices freezer\n",
    "print_times": "0\n",
    "cmdline": "BOOT_IMAGE=/vmlinuz root=UUID=x quiet splash\n",
    "HandlePowerKey": 's "suspend"\n',
    "HandleLidSwitch": 's "suspend"\n',
    "IdleAction": 's "ignore"\n',
    "wakealarm": "\n",
    "journal": "/var/log/journal\n",
    "/proc/net/wireless": "Inter-| sta-|   Quality        |\n face | tus | link level noise |\n",
    "/proc/mounts": "/dev/sda1 / ext4 rw 0 0\nproc /proc proc rw 0 0\n",
    "usb/devices": "xHCI Host Controller\nIntegrated Camera\n",
    "platform_profile": "balanced\n",
    "power/disk": "[platform] shutdown reboot\n",
}


def found_with(changes: Mapping[str, str | None]) -> dict[str, Found]:
    answers = GOOD | dict(changes)

    def run(command: str) -> Answer:
        text = next((text for part, text in answers.items() if part in command), None)
        return Answer(b"", 1) if text is None else Answer(text.encode(), 0)

    return {entry.item.name: entry.found for entry in look_at(run, 1)}


def test_a_dut_that_is_set_up_needs_no_change() -> None:
    found = found_with({})
    assert len(found) == 16
    assert {entry.standing for entry in found.values()} <= {Standing.GOOD, Standing.NOTE}


@pytest.mark.parametrize(
    ("item", "question", "text"),
    [
        ("sleep states", "power/state", "freeze disk\n"),
        ("suspend to RAM", "mem_sleep", "[s2idle] deep\n"),
        ("suspend test", "pm_test", "none core [devices] freezer\n"),
        ("kernel's command line", "cmdline", "quiet initcall_debug no_console_suspend=1\n"),
        ("power button", "HandlePowerKey", 's "poweroff"\n'),
        ("lid", "HandleLidSwitch", 's "ignore"\n'),
        ("idle action", "IdleAction", 's "suspend"\n'),
        ("wake alarm", "wakealarm", "1790000000\n"),
        ("journal", "journal", None),
        ("wireless", "/proc/net/wireless", "Inter-\n face\n  wlp2s0: 0000   70.  -40.\n"),
        ("network files", "/proc/mounts", "srv:/home /home nfs4 rw 0 0\n"),
        ("updates", "reboot-required", "/var/run/reboot-required\n"),
    ],
)
def test_what_is_not_as_it_should_be_is_found_and_nothing_else(
    item: str, question: str, text: str | None
) -> None:
    found = found_with({question: text})
    assert [name for name, e in found.items() if e.standing is Standing.CHANGE] == [item]


def test_a_kernel_that_does_not_tell_is_not_condemned() -> None:
    found = found_with({"mem_sleep": None, "HandlePowerKey": None, "pm_test": None})
    assert found["suspend to RAM"].standing is Standing.UNKNOWN
    assert found["power button"].standing is Standing.UNKNOWN
    assert found["suspend test"].standing is Standing.GOOD
