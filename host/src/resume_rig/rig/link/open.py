"""From a rig URL to a rig that is identified, and the clock that belongs to it."""

import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resume_rig.guard.token import TOKEN_VARIABLE, token_from
from resume_rig.model.clock import Clock
from resume_rig.model.dut import DutProfile
from resume_rig.model.errors import UsageError
from resume_rig.model.evidence import is_simulated_board
from resume_rig.model.fault_plan import FaultPlan
from resume_rig.model.rig_url import RigUrl
from resume_rig.rig.dut_profile import USUAL_PROFILE, DutNetwork, load_dut_profile
from resume_rig.rig.fault_file import load_fault_plan
from resume_rig.rig.interface import DutControl, DutLog, LinkCounts, Rig, RigInfo, served_log
from resume_rig.rig.link.client import Foresight, SmpRig
from resume_rig.rig.smp.client import SmpClient, Transport
from resume_rig.rig.smp.serial_transport import (
    open_rfc2217,
    open_serial,
    open_socket,
    path_of,
    usb_serial_of,
)
from resume_rig.timing.clocks import VIRTUAL_START_UTC_NS, SystemClock, VirtualClock

SEED_MOST: Final = 10**18 - 1
"""Of a simulated bench; a resume counts it up, and 64 bits hold that too."""

_ALLOWED: Final = (
    "sim:[clock=virtual|real][,seed=N][,dut=loopback][,light=none][,power=ina226][,faults=FILE], "
    "native:PATH[,seed=N][,dut=loopback], "
    "serial:PATH, socket:HOST:PORT and rfc2217:HOST:PORT"
)


# Nothing that pyserial's own URLs would take for an option, a path or a user.
_HOST_AND_PORT: Final = re.compile(
    r"(?:(?P<name>[A-Za-z0-9_.-]{1,253})|(?P<bracket>\[)?(?P<v6>[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*"
    r"(?:%[A-Za-z0-9_.-]{1,40})?)(?(bracket)\])):(?P<port>[0-9]{1,5})"
)


@dataclass(frozen=True, slots=True)
class OpenRig:
    """An open rig; whoever opened it closes `rig`.

    Attributes:
        clock: what to wait on while using it; virtual only on a simulated bench.
        simulated: what it measures is a program: the bench or the image in this process, or one
            behind the port, by what its board calls itself. Kept with all that is measured.
        in_process: the DUT is a simulated one in this process.
        dut_log: the DUT's event log where it is simulated, in this process or behind the board.
        reopen: opens the port anew where its link went, and returns who answers; raises as
            `open_rig`.
        link_counts: returns what the link lost and damaged.
        plug: the URL puts a loop-back plug in the DUT's place, so that there is none.
        faults: what is injected on purpose; None for nothing.
        disk_is_full: whether the disk of the store is to count as full; None: look at it.
        control: the OS of a DUT that is simulated in this process, also behind an image; None
            elsewhere.
        network: of such a DUT, likewise.
    """

    rig: Rig
    clock: Clock
    url: RigUrl
    simulated: bool
    in_process: bool
    dut_log: DutLog | None
    reopen: Callable[[], RigInfo]
    link_counts: Callable[[], LinkCounts]
    plug: bool = False
    faults: FaultPlan | None = None
    disk_is_full: Callable[[], bool] | None = None
    control: DutControl | None = None
    network: DutNetwork | None = None


@dataclass(frozen=True, slots=True)
class SimOptions:
    """The options of a `sim:` URL; None where one was left out."""

    virtual: bool | None = None
    seed: int | None = None
    loopback: bool = False
    photodiode: bool = True
    power: bool = False
    faults: str | None = None


def open_rig(
    url: RigUrl,
    clock: Clock | None = None,
    dut: DutProfile | None = None,
    *,
    not_before_utc_ns: int = VIRTUAL_START_UTC_NS,
    sessions_before: int = 0,
) -> OpenRig:
    """Open the rig that `url` names and ask it who it is.

    Args:
        url: see docs/reference; e.g. "sim:clock=virtual,seed=7" or "serial:/dev/ttyACM0".
        clock: used instead of the one that the URL asks for.
        dut: what a simulated DUT is, a healthy laptop by default; rigs at a real one ignore it.
        not_before_utc_ns: wall time at which a virtual clock starts at the earliest, so that a
            campaign that goes on does not go back in time.
        sessions_before: of a campaign that goes on; its simulated bench counts its seed up by so
            much, as the DUT must not live through the same again.

    Raises:
        UsageError: not a rig URL.
        LinkLost: no such port, or nobody answers.
        ProtocolError: what answers is no rig.
    """
    scheme, colon, rest = url.partition(":")
    if not colon:
        raise UsageError(f"{url!r} is not the URL of a rig; allowed are {_ALLOWED}")
    if scheme == "sim":
        options = parse_sim_options(rest)
        if clock is None and options.virtual:
            clock = VirtualClock(max(VIRTUAL_START_UTC_NS, not_before_utc_ns))
        return _open_sim(url, options, clock or SystemClock(), dut, sessions_before)
    if scheme == "native":
        return _open_native(url, rest, clock, dut)
    real_clock = clock or SystemClock()
    port = _open_port(url, scheme, rest, real_clock)
    usb_serial = usb_serial_of(rest) if scheme == "serial" else None
    rig, info = _identified(port, real_clock)

    def reopen() -> RigInfo:
        # A board that enumerates anew may get another name.
        place = path_of(usb_serial, rest)
        return rig.relink(lambda: _open_port(url, scheme, place, real_clock))

    return OpenRig(
        rig,
        real_clock,
        url,
        simulated=is_simulated_board(info.board),
        in_process=False,
        dut_log=served_log(rig, info),
        reopen=reopen,
        link_counts=rig.link_counts,
    )


def open_port(url: RigUrl, clock: Clock) -> Transport:
    """Open the port of a board, for what is not the rig's own: its firmware.

    Args:
        url: serial:, socket: or rfc2217:, see docs/reference.
        clock: stamps what is sent and what arrives.

    Raises:
        UsageError: not the URL of a board's port.
        LinkLost: no such port, or another program has it open.
    """
    scheme, colon, rest = url.partition(":")
    if not colon or scheme in ("sim", "native"):
        raise UsageError(
            f"{url!r} names no board whose firmware can be updated; allowed are serial:PATH, "
            "socket:HOST:PORT and rfc2217:HOST:PORT"
        )
    return _open_port(url, scheme, rest, clock)


def is_seed(digits: str) -> bool:
    """Return whether a text is a seed of a simulated bench."""
    return digits.isascii() and digits.isdigit() and len(digits) <= len(str(SEED_MOST))


def parse_sim_options(text: str) -> SimOptions:
    """Return the options of a `sim:` URL, e.g. of "clock=virtual,seed=7".

    Raises:
        UsageError: an unknown option, or a value that is not allowed.
    """
    virtual: bool | None = None
    seed: int | None = None
    loopback = False
    photodiode = True
    power = False
    faults: str | None = None
    for option in _each_once(text):
        match option.split("=", 1):
            case ["clock", ("virtual" | "real") as which]:
                virtual = which == "virtual"
            case ["clock", other]:
                raise UsageError(f"sim: has no clock {other!r}; allowed are virtual and real")
            case ["seed", digits] if is_seed(digits):
                seed = int(digits)
            case ["faults", path] if path:
                faults = path
            case ["dut", "loopback"]:
                loopback = True
            case ["light", "none"]:
                photodiode = False
            case ["power", "ina226"]:
                power = True
            case [("light" | "power") as key, other]:
                allowed = "none, no photodiode" if key == "light" else "ina226, a power monitor"
                raise UsageError(f"sim: has no {key} {other!r}; allowed is {allowed}")
            case ["dut", other]:
                raise UsageError(f"sim: has no DUT {other!r}; allowed is loopback, a plug for none")
            case ["seed", other]:
                raise UsageError(
                    f"sim: seed {other!r} is not allowed; it is a whole number of 0 to {SEED_MOST}"
                )
            case _:
                raise UsageError(
                    f"sim: has no option {option!r}; allowed are clock=virtual|real, seed=N, "
                    "dut=loopback, light=none, power=ina226 and faults=FILE"
                )
    return SimOptions(virtual, seed, loopback, photodiode, power, faults)


def _each_once(text: str) -> list[str]:
    """Return the options of a `sim:` URL; the last of two of a name would win without a word."""
    options = [option for option in text.split(",") if option]
    keys = [option.partition("=")[0] for option in options]
    if twice := [key for key in keys if keys.count(key) > 1]:
        raise UsageError(f"sim: has the option {twice[0]!r:.80} twice; name it once")
    return options


def _open_sim(
    url: RigUrl, options: SimOptions, clock: Clock, dut: DutProfile | None, sessions_before: int
) -> OpenRig:
    # The compiled core is loaded only where a bench is simulated.
    from resume_rig.rig.sim.dut.control import SimulatedControl
    from resume_rig.rig.sim.opening import open_sim

    first_seed = secrets.randbits(31) if options.seed is None else options.seed
    plan = None if options.faults is None else load_fault_plan(Path(options.faults))
    profile = load_dut_profile(USUAL_PROFILE) if dut is None else dut
    sim = open_sim(
        url,
        clock,
        profile,
        first_seed,
        sessions_before=sessions_before,
        loopback=options.loopback,
        photodiode=options.photodiode,
        power=options.power,
        plan=plan,
    )
    rig, info = _identified(
        sim.open_link(), clock, sim.bench if sim.jumps else None, first_seed + sessions_before
    )
    log = None if options.loopback else served_log(rig, info)
    return OpenRig(
        rig,
        clock,
        url if options.seed is not None else _with_seed(url, first_seed),
        simulated=True,
        in_process=True,
        dut_log=None if log is None else sim.reached(log),
        reopen=rig.info if plan is None else lambda: rig.relink(sim.open_link),
        link_counts=rig.link_counts,
        plug=options.loopback,
        faults=plan,
        disk_is_full=None if plan is None else sim.disk_is_full,
        control=None if options.loopback else SimulatedControl(sim.bench),
        network=sim.bench,
    )


def _with_seed(url: RigUrl, seed: int) -> RigUrl:
    """Return the URL that opens the same bench again."""
    return RigUrl(f"{url}{'' if url.endswith((':', ',')) else ','}seed={seed}")


def _open_native(url: RigUrl, rest: str, clock: Clock | None, dut: DutProfile | None) -> OpenRig:
    from resume_rig.rig.native.opening import open_native, parse_native_options

    options = parse_native_options(rest)
    clock = clock or SystemClock()
    profile = load_dut_profile(USUAL_PROFILE) if dut is None else dut
    native = open_native(url, options, clock, profile)
    rig, _ = _identified(native.transport, clock)
    return OpenRig(
        rig,
        clock,
        url,
        simulated=True,
        in_process=True,
        dut_log=native.log,
        reopen=rig.info,
        link_counts=rig.link_counts,
        plug=options.loopback,
        control=native.control,
        network=native.network,
    )


def _open_port(url: str, scheme: str, rest: str, clock: Clock) -> Transport:
    match scheme:
        case "serial":
            if not rest:
                raise UsageError(f"{url!r} names no port; allowed is serial:PATH")
            return open_serial(rest, clock, url)
        case "socket":
            return open_socket(*_host_and_port(url, rest), clock, url)
        case "rfc2217":
            where = _host_and_port(url, rest)
            return open_rfc2217(*where, clock, url, token=token_from(os.environ))
        case _:
            raise UsageError(f"{url!r} is not the URL of a rig; allowed are {_ALLOWED}")


def _host_and_port(url: str, text: str) -> tuple[str, int]:
    if "@" in text:  # not shown: what stands before it may be a secret
        raise UsageError(
            "the URL of a rig has no user and no token in it, as URLs are kept in stores; name the "
            f"token by {TOKEN_VARIABLE} in the environment"
        )
    found = _HOST_AND_PORT.fullmatch(text.removeprefix("//"))
    if found is None or not 0 < int(found["port"]) < 65536:
        raise UsageError(
            f"{url!r:.200} names no host and port; allowed is HOST:PORT, a name or an address "
            "without any option, 1 to 65535"
        )
    return found["name"] or found["v6"], int(found["port"])


def _identified(
    transport: Transport,
    clock: Clock,
    foresight: Foresight | None = None,
    seed: int | None = None,
) -> tuple[SmpRig, RigInfo]:
    """Return the rig on the transport and who it is; else close the transport.

    Sequence numbers and tokens begin at random, but for a simulated bench: with its seed every
    byte on the wire is the same again.
    """
    first = secrets.randbits(32) if seed is None else seed
    client = SmpClient(transport, clock, first_sequence=first)
    rig = SmpRig(client, first_token=first, foresight=foresight)
    try:
        return rig, rig.info()
    except BaseException:  # Ctrl-C while a port stays silent must not leave it open
        transport.close()
        raise
