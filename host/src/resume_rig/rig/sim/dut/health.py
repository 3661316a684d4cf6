"""What the OS of a simulated DUT lists: devices, links, idle counters and errors of its log."""

from dataclasses import dataclass
from typing import Final

from resume_rig.model.dut import DutBehaviour

_DEVICES: Final = (
    ("pci:0000:00:02.0", "i915 0x8086:0x9a49"),
    ("pci:0000:00:14.0", "xhci_hcd 0x8086:0xa0ed"),
    ("pci:0000:00:1f.3", "snd_hda_intel 0x8086:0xa0c8"),
    ("pci:0000:01:00.0", "nvme 0x144d:0xa808"),
    ("usb:3-6:13d3:56a2", "Integrated Camera"),
    ("usb:3-10:8087:0026", "Bluetooth"),
)
_LINK: Final = "wlan0"
_FAILING: Final = _DEVICES[4][0]
_PACKAGE_SHARE: Final = 0.98
"""Of a sleep that is not deep: the package may be in C10 all the while."""


@dataclass(frozen=True, slots=True)
class _Error:
    t_ns: int
    text: str


class SimulatedHealth:
    """Devices and counters of one DUT since its OS booted; world time."""

    def __init__(self) -> None:
        self._boots = 1
        self._failed = False
        self._link_from_ns = 0
        self._deep_us = self._package_us = 0
        self._errors: list[_Error] = []

    def slept_in_standby(self, slept_ns: int, errs: DutBehaviour) -> None:
        """Count a Modern Standby that is over."""
        self._deep_us += round(slept_ns * errs.standby_deep_share / 1_000)
        self._package_us += round(slept_ns * _PACKAGE_SHARE / 1_000)

    def woke(self, t_ns: int, errs: DutBehaviour, *, lost: bool) -> None:
        """Its devices come back, but for one where that is lost; until the next wake."""
        self._failed = lost
        self._link_from_ns = t_ns + errs.link_late_ns
        if lost:
            self._errors.append(_Error(t_ns, "usb 3-6: device descriptor read/64, error -71"))

    def booted(self, t_ns: int, errs: DutBehaviour) -> None:
        """Everything begins anew."""
        self._boots += 1
        self._errors.clear()
        self._deep_us = self._package_us = 0
        self.woke(t_ns, errs, lost=False)

    def report(self, now_ns: int) -> str:
        """Return the lines of a health report, as Linux's command writes them."""
        lines = ["resume-rig health 1", f"boot\tboot-{self._boots}"]
        lines += [
            f"device\t{each}\t0\t{name}"
            for each, name in _DEVICES
            if not (self._failed and each == _FAILING)
        ]
        lines.append(f"link\t{_LINK}\t{'up' if now_ns >= self._link_from_ns else 'down'}\t{_LINK}")
        lines += [
            f"residency\ttotal_hw_sleep\t{self._deep_us}",
            f"residency\tslp_s0\t{self._deep_us}",
            f"residency\tpackage C10\t{self._package_us}",
        ]
        lines += [f"error\t[{each.t_ns / 1e9:12.6f}] {each.text}" for each in self._errors[-64:]]
        return "\n".join([*lines, "end", ""])
