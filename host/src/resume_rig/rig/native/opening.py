"""From the rest of a `native:` URL to an image that runs, with a simulated DUT at its pins."""

import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from resume_rig.model.clock import Clock
from resume_rig.model.dut import DutProfile
from resume_rig.model.errors import UsageError
from resume_rig.rig.dut_log import DutLog
from resume_rig.rig.native.bench import NativeBench
from resume_rig.rig.native.transport import NativeTransport
from resume_rig.rig.native.wired_dut import WiredDut
from resume_rig.rig.native.wired_plug import WiredPlug
from resume_rig.rig.sim.faults import SimFault
from resume_rig.rig.sim.os_log import DUT_LOG_NAME
from resume_rig.rig.smp.serial_port import open_serial
from resume_rig.timing.clocks import SystemClock


@dataclass(frozen=True, slots=True)
class NativeOptions:
    """What stands behind `native:`; `seed` is None where it was left out."""

    image: Path
    seed: int | None = None
    loopback: bool = False


_OPTION = re.compile(r"(.*),(seed|dut|faults)=([^,]*)", re.DOTALL)


def parse_native_options(text: str) -> NativeOptions:
    """Return the options of a `native:` URL, e.g. of "build/zephyr.exe,seed=7".

    Raises:
        UsageError: no path, a seed that is none, or a fault plan.
    """
    path, found = text, dict[str, str]()
    # From the right, each option once: a path may have commas, too.
    while (option := _OPTION.fullmatch(path)) is not None and option[2] not in found:
        path, found[option[2]] = option[1], option[3]
    if "faults" in found:
        raise UsageError(
            f"native: takes no fault plan, and was given {found['faults'][:40]!r}: line, clock and "
            "ring of a real firmware are its own; allowed is sim:...,faults=FILE"
        )
    if not path:
        raise UsageError("native: names no image; allowed is native:PATH[,seed=N][,dut=loopback]")
    digits = found.get("seed", "0")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        raise UsageError(f"native: seed {digits[:40]!r} is not allowed; it is a whole number")
    if found.get("dut", "loopback") != "loopback":
        raise UsageError(
            f"native: has no DUT {found['dut'][:40]!r}; allowed is loopback, a plug for none"
        )
    return NativeOptions(Path(path), int(digits) if "seed" in found else None, "dut" in found)


def native_bench(
    image: Path, profile: DutProfile, seed: int, faults: frozenset[SimFault], name: str
) -> NativeBench:
    """Return a bench, not started, with a DUT that is up."""
    clock = SystemClock()
    dut = WiredDut(profile, clock.now_ns(), clock.utc_ns(), seed, faults)
    return NativeBench(image, dut, clock, name)


def open_native(
    url: str, options: NativeOptions, clock: Clock, profile: DutProfile
) -> tuple[NativeTransport, DutLog | None]:
    """Start the image; return the way to it, which owns it, and the event log of its DUT if any.

    Raises:
        UsageError: there is no such image, or it cannot be executed.
        LinkLost: it ended, or served no SMP in time.
    """
    seed = secrets.randbits(31) if options.seed is None else options.seed
    if options.loopback:
        clock_of_image = SystemClock()
        plug = WiredPlug(clock_of_image.now_ns(), seed)
        bench = NativeBench(options.image, plug, clock_of_image, url)
    else:
        bench = native_bench(options.image, profile, seed, frozenset(), url)
    try:
        terminal = open_serial(bench.start(), clock, url)
    except BaseException:  # Ctrl-C, too, must not leave the image there
        bench.close()
        raise
    log = None if options.loopback else DutLog(DUT_LOG_NAME, bench.log_text_from)
    return NativeTransport(terminal, bench), log
