"""From the rest of a `native:` URL to an image that runs, with a simulated DUT at its pins.

Its pseudo-terminal can be served to other programs, as sim/serve does a simulated bench's.
"""

import re
import secrets
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from resume_rig.model.clock import Clock
from resume_rig.model.dut import DutProfile
from resume_rig.model.errors import LinkLost, UsageError
from resume_rig.rig.dut_profile import DutNetwork
from resume_rig.rig.interface import DutControl, DutLog
from resume_rig.rig.native.bench import NativeBench
from resume_rig.rig.native.wired_dut import WiredDut, WiredOs
from resume_rig.rig.native.wires import WiredPlug
from resume_rig.rig.sim.dut.control import SimulatedControl
from resume_rig.rig.sim.dut.event import SimFault
from resume_rig.rig.sim.dut.os_log import DUT_LOG_NAME
from resume_rig.rig.sim.serve import clear_link, linked
from resume_rig.rig.smp.client import Arrival, Transport
from resume_rig.rig.smp.serial_transport import open_serial
from resume_rig.timing.clocks import SystemClock


class NativeTransport:
    """Carries packets over the image's pseudo-terminal.

    Args:
        terminal: open; closed by `close`.
        bench: started; closed by `close`, and asked what became of the image when the link goes.
    """

    def __init__(self, terminal: Transport, bench: NativeBench) -> None:
        self._terminal = terminal
        self._bench = bench

    @property
    def name(self) -> str:
        """Return the URL that a sentence for the user names."""
        return self._terminal.name

    @property
    def received_bytes(self) -> int:
        """Return how many bytes have come in, noise included."""
        return self._terminal.received_bytes

    def send(self, packet: bytes) -> int:
        """Send one packet and return the host clock [ns] just before that.

        Raises:
            LinkLost: the image is gone.
        """
        try:
            return self._terminal.send(packet)
        except LinkLost as error:
            raise self._bench.loss() or error from error

    def receive(self, timeout_ns: int) -> Arrival | None:
        """Return the next packet; None when none came within `timeout_ns`.

        Raises:
            LinkLost: the image is gone.
        """
        try:
            return self._terminal.receive(timeout_ns)
        except LinkLost as error:
            raise self._bench.loss() or error from error

    def close(self) -> None:
        """Let go of the terminal and end the image; may be called twice."""
        try:
            self._terminal.close()
        finally:
            self._bench.close()


@dataclass(frozen=True, slots=True)
class NativeOptions:
    """The options of a `native:` URL; `seed` is None where it was left out."""

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
        raise UsageError(
            f"native: seed {digits[:40]!r} is not allowed; it is a whole number of 0 to "
            f"{10**18 - 1}"
        )
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
    return NativeBench(image, _dut_on(clock, profile, seed, faults), clock, name)


@dataclass(frozen=True, slots=True)
class OpenNative:
    """An image that runs.

    Attributes:
        transport: the way to it, which owns it.
        log: of its DUT; None where there is none.
        control: of its DUT's OS, likewise.
        network: of its DUT, likewise.
    """

    transport: NativeTransport
    log: DutLog | None = None
    control: DutControl | None = None
    network: DutNetwork | None = None


def open_native(url: str, options: NativeOptions, clock: Clock, profile: DutProfile) -> OpenNative:
    """Start the image, with what the options put at its pins.

    Raises:
        UsageError: there is no such image, or it cannot be executed.
        LinkLost: it ended, or served no SMP in time.
    """
    seed = secrets.randbits(31) if options.seed is None else options.seed
    of_image = SystemClock()
    if options.loopback:
        plug = WiredPlug(of_image.now_ns(), seed)
        return OpenNative(_started(NativeBench(options.image, plug, of_image, url), clock, url))
    dut = _dut_on(of_image, profile, seed, frozenset())
    bench = NativeBench(options.image, dut, of_image, url)
    transport = _started(bench, clock, url)
    log = DutLog(DUT_LOG_NAME, bench.log_text_from)
    os = WiredOs(bench, dut)
    return OpenNative(transport, log, SimulatedControl(os), os)


def _dut_on(clock: Clock, profile: DutProfile, seed: int, faults: frozenset[SimFault]) -> WiredDut:
    return WiredDut(profile, clock.now_ns(), clock.utc_ns(), seed, faults)


def _started(bench: NativeBench, clock: Clock, url: str) -> NativeTransport:
    try:
        return NativeTransport(open_serial(bench.start(), clock, url), bench)
    except BaseException:  # Ctrl-C, too, must not leave the image there
        bench.close()
        raise


def serve_native(bench: NativeBench, link: Path | None, on_ready: Callable[[str], None]) -> None:
    """Start the image and let clients come and go until the image ends or Ctrl-C.

    Args:
        bench: not started; closed in the end.
        link: becomes a symbolic link to the terminal, and is removed in the end; None for none.
        on_ready: called with the path to open, link or terminal, when clients may come.

    Raises:
        UsageError: there is no such image, it cannot be executed, or `link` cannot be made.
        LinkLost: the image ended, or served no SMP in time.
    """
    if link is not None:
        clear_link(link)
    with closing(bench), linked(link, bench.start()) as path:
        on_ready(path)
        problem = bench.wait()
        if problem is not None:
            raise problem
