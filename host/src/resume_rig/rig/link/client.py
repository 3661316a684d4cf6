"""A rig that is reached over SMP, whether by a serial line, a socket or in this process.

Each method asks once through `SmpClient`, which repeats what gets lost, and returns the reply as a
fact of `rig.interface`. Every reply names the boot that it is of: one of another boot than was
identified is a BoardRebooted. A board never speaks unasked and has to be asked now and then; a
simulated bench on a virtual clock knows what comes next (`Foresight`), and time jumps there.
"""

import logging
import secrets
from collections.abc import Callable, Collection, Sequence
from typing import Final, Protocol, TypeVar

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import ClockExchange
from resume_rig.model.errors import BoardRebooted, DeviceFault, ProtocolError, RigError
from resume_rig.model.light import LightOnset
from resume_rig.model.units import seconds_text
from resume_rig.rig.commands.actions import (
    ActionRequest,
    BootloaderRequest,
    CalibrationRequest,
    CalibrationWriteRequest,
    ContactRequest,
    HoldRequest,
    KeyboardRequest,
    LidRequest,
    LoopbackResultRequest,
    LoopbackStartRequest,
    PermitRequest,
    PressRequest,
    ReleaseRequest,
)
from resume_rig.rig.commands.board import (
    FaultsRequest,
    FileRequest,
    Identity,
    InfoRequest,
    RigRequest,
    SelftestRequest,
    TimeRequest,
)
from resume_rig.rig.commands.capture import (
    EdgesRequest,
    LevelsRequest,
    LightArmRequest,
    LightRequest,
    OnsetRequest,
    PowerRequest,
    SamplesRequest,
)
from resume_rig.rig.interface import (
    ActionStart,
    Calibration,
    EdgeBatch,
    Faults,
    Keyboard,
    LightBatch,
    LinkCounts,
    LoopbackResult,
    PowerBatch,
    RigInfo,
    SampleBatch,
    SelfTestCheck,
)
from resume_rig.rig.smp.client import DEFAULT_TIMEOUT_NS, DEFAULT_TRIES, Reply, SmpClient, Transport
from resume_rig.rig.smp.packet import Group
from resume_rig.rig.smp.request import SMP_LEVEL, Fields, Request, RigCode, SmpCode

logger = logging.getLogger(__name__)

T = TypeVar("T")

_U32: Final = 0xFFFF_FFFF  # rig.cddl: "tok"
# Assumed: decides how long a board may drive and look at its own pins before it counts as lost.
_SELFTEST_TIMEOUT_NS: Final = 5_000_000_000
# Assumed: decides how long closing waits for a board that is gone; its lease lets go anyway.
_CLOSING_TIMEOUT_NS: Final = 200_000_000
_CLOSING_TRIES: Final = 2
# Ten times what boards ask for by default; a longer one is for the user to know.
_LONGEST_REST_NS: Final = 1_000_000_000
# Assumed: how often to ask whether another host has let go; twelve times within a lease of 3 s.
_LOOK_AGAIN_NS: Final = 250_000_000
# Assumed: decides when a file that never ends is given up; Windows keeps 20 MiB of a log.
_MOST_FILE_BYTES: Final = 64 * 1024 * 1024
# These can be the first sign of a reboot: the board's clock and its numbering began anew.
_DOUBTFUL_CODES: Final = frozenset(
    {RigCode.TOO_LATE, RigCode.TOO_EARLY, RigCode.CURSOR, RigCode.OTHER_BOOT}
)


class Foresight(Protocol):
    """Looks ahead on a bench whose time passes only by waiting."""

    def next_change_ns(
        self, until_host_ns: int, channels: Collection[Channel], *, log: bool = False
    ) -> int:
        """Return the host time of the next edge on one of `channels`, `until_host_ns` at most.

        The clock has to reach that time before anything is asked of the bench again.

        Args:
            until_host_ns: look no further.
            channels: the others' edges do not count.
            log: the DUT's log growing counts, too.
        """
        ...


class BoardLink:
    """Asks the board behind an SMP client, and notices when it is not the same boot any more.

    Args:
        client: on an open transport; whoever owns the link closes it.
        host: what this host calls itself, 0 to 2^32 - 1: an action of it keeps other hosts out.
    """

    def __init__(self, client: SmpClient, host: int) -> None:
        self._client = client
        self._host: Final = {"host": host}
        self._identity: Identity | None = None

    @property
    def name(self) -> str:
        """Return the URL of the rig, for sentences."""
        return self._client.name

    @property
    def identified(self) -> bool:
        """Return whether the board was ever identified."""
        return self._identity is not None

    def identity(self) -> Identity:
        """Return the board's identity, asking for it the first time."""
        return self._identity or self.identify()

    def identify(self) -> Identity:
        """Ask who the board is; its boot id is the valid one from now on."""
        try:
            _, fields = self.request(InfoRequest())
        except DeviceFault as e:
            if (e.group, e.code) == (SMP_LEVEL, SmpCode.NOT_SUPPORTED):
                raise ProtocolError(
                    f"{self._client.name} is no rig: the board there speaks SMP but has no rig "
                    f"group ({Group.RIG.value})"
                ) from e
            raise
        identity = InfoRequest().decode(fields)
        if not (identity.info.guarded or self._identity):
            logger.warning(
                "%s speaks version %d of the rig protocol, in which a board acts for whoever "
                "reaches its port; update its firmware",
                self._client.name,
                identity.info.protocol,
            )
        self._identity = identity
        return identity

    def ask(self, request: RigRequest[T], timeout_ns: int = DEFAULT_TIMEOUT_NS) -> T:
        """Return the answer, which is of the boot that was identified."""
        return self.ask_stamped(request, timeout_ns)[1]

    def ask_stamped(
        self, request: RigRequest[T], timeout_ns: int = DEFAULT_TIMEOUT_NS
    ) -> tuple[Reply, T]:
        """Return the same, with the host's stamps of the very try that was answered."""
        identity = self.identity()
        try:
            reply, fields = self.request(request, timeout_ns)
        except DeviceFault as e:
            if e.group == Group.RIG and e.code in _DOUBTFUL_CODES:
                self._check_boot(self.request(TimeRequest())[1])
            raise
        self._check_boot(fields)
        return reply, request.decode(fields, identity)

    def request(
        self,
        request: Request,
        timeout_ns: int = DEFAULT_TIMEOUT_NS,
        tries: int = DEFAULT_TRIES,
    ) -> tuple[Reply, Fields]:
        """Return the reply with its stamps, and its fields, of whatever boot."""
        reply = self._client.request(request, timeout_ns=timeout_ns, tries=tries, common=self._host)
        return reply, Fields(reply.fields, request.name)

    def _check_boot(self, fields: Fields) -> None:
        """Raise BoardRebooted unless a reply is of the boot that was identified."""
        was, boot = self.identity().info.boot_id, fields.count("boot")
        if boot != was:
            raise BoardRebooted(
                f"the board of {self._client.name} rebooted: its boot id was {was} and is {boot}, "
                "so what it stamped before does not compare with what it stamps now"
            )


class SmpRig:
    """Implements `rig.interface.Rig`, which documents its methods, on an SMP client that it owns.

    Args:
        client: on an open transport; closed by `close`.
        first_token: of the first action, 0 to 2^32 - 1; random unless a test fixes it.
        foresight: of a simulated bench on a virtual clock; None where the board has to be asked.
    """

    def __init__(
        self,
        client: SmpClient,
        first_token: int | None = None,
        foresight: Foresight | None = None,
    ) -> None:
        self._client = client
        self._foresight = foresight
        self._token = secrets.randbits(32) if first_token is None else first_token & _U32
        # Tokens begin at random, so the first one is no other host's.
        self._link = BoardLink(client, self._token)
        self._closed = False

    def info(self) -> RigInfo:
        """Return the identity and abilities of the board, and take its boot id as the valid one.

        Raises:
            ProtocolError: what answers is no rig, or speaks another protocol version.
        """
        return self._link.identify().info

    def exchange_clocks(self) -> ClockExchange:
        reply, board = self._link.ask_stamped(TimeRequest())
        # A clock that moves in steps is behind the time: the reply came up to one step later.
        at_latest_ns = reply.rx_ns + self._client.clock.tick_ns
        return ClockExchange(reply.tx_ns, board.rx_ns, board.tx_ns, at_latest_ns)

    def edges(self, cursor: int, count: int = 128) -> EdgeBatch:
        return self._link.ask(EdgesRequest(cursor, count))

    def await_change(
        self,
        until_host_ns: int,
        pause_ns: int,
        channels: Collection[Channel] = (),
        *,
        log: bool = False,
    ) -> bool:
        clock = self._client.clock
        left_ns = until_host_ns - clock.now_ns()
        if self._foresight is None or left_ns <= 0:
            clock.sleep_ns(min(left_ns, pause_ns))
            return True
        change_ns = self._foresight.next_change_ns(until_host_ns, channels, log=log)
        clock.sleep_ns(change_ns - until_host_ns + left_ns)
        return change_ns < until_host_ns

    def levels(self) -> dict[Channel, int]:
        return self._link.ask(LevelsRequest())

    def press(
        self,
        actuator: Actuator,
        duration_ns: int,
        at_ns: int | None = None,
        force_off: bool = False,
    ) -> ActionStart:
        request = PressRequest(
            self._index_of(actuator),
            duration_ns,
            self._next_token(),
            self._boot_id(),
            at_ns,
            force_off,
            self._link.identity().nonce if force_off else None,
        )
        try:
            return self._rested(request)
        except DeviceFault as fault:
            if (fault.group, fault.code) != (Group.RIG, RigCode.TOO_LONG) or force_off:
                raise
            raise self._too_long(actuator, duration_ns, fault) from fault

    def lid(self, closed: bool, at_ns: int | None = None) -> ActionStart:
        self._index_of(Actuator.LID)
        return self._rested(LidRequest(closed, self._next_token(), self._boot_id(), at_ns))

    def contact(self, closed: bool, at_ns: int | None = None) -> ActionStart:
        self._index_of(Actuator.CONTACT)
        return self._rested(ContactRequest(closed, self._next_token(), self._boot_id(), at_ns))

    def keyboard(self) -> Keyboard:
        return self._link.ask(KeyboardRequest())

    def release(self) -> None:
        self._link.ask(ReleaseRequest())

    def arm_light(
        self, duration_ns: int, baseline_ns: int | None = None, settle_ns: int | None = None
    ) -> None:
        self._link.ask(LightArmRequest(duration_ns, baseline_ns, settle_ns))

    def onset(self) -> LightOnset:
        return self._link.ask(OnsetRequest())

    def light(self, cursor: int, count: int = 128) -> LightBatch:
        return self._link.ask(LightRequest(cursor, count))

    def power(self, cursor: int, count: int = 128) -> PowerBatch:
        return self._link.ask(PowerRequest(cursor, count))

    def selftest(self) -> tuple[SelfTestCheck, ...]:
        return self._link.ask(SelftestRequest(), _SELFTEST_TIMEOUT_NS)

    def faults(self) -> Faults:
        return self._link.ask(FaultsRequest())

    def samples(self, number: int, count: int | None = None) -> SampleBatch:
        return self._link.ask(SamplesRequest(number, count))

    def start_loopback(
        self,
        actuator: Actuator,
        channels: Sequence[Channel],
        count: int,
        gap_ns: int,
    ) -> ActionStart:
        request = LoopbackStartRequest(
            self._index_of(actuator),
            self._wired_to(channels),
            self._next_token(),
            count,
            gap_ns,
            self._boot_id(),
        )
        return self._rested(request)

    def loopback(self) -> LoopbackResult:
        return self._link.ask(LoopbackResultRequest())

    def calibration(self) -> Calibration:
        return self._link.ask(CalibrationRequest())

    def calibrate(
        self, *, clock_ppb: int | None = None, loopback: bool = False, clear: bool = False
    ) -> Calibration:
        return self._link.ask(CalibrationWriteRequest(self._boot_id(), clock_ppb, loopback, clear))

    def download(self, name: str, offset: int) -> bytes:
        content = bytearray()
        end: int | None = None
        while end is None or offset + len(content) < end:
            request = FileRequest(name, offset + len(content))
            reply = Fields(self._client.request(request).fields, f"download of {name}")
            size_bytes, data = request.decode(reply)
            end = end if size_bytes is None else size_bytes
            if not data:
                break  # Zephyr gives the length with offset 0 only; elsewhere this is the end
            content += data
            if len(content) > _MOST_FILE_BYTES:
                raise reply.wrong("len", len(content), f"at most {_MOST_FILE_BYTES} bytes")
        return bytes(content)

    def leave_for_bootloader(self) -> None:
        """Let the board leave its firmware for the bootloader in its ROM; it answers no more.

        Raises:
            DeviceFault: something is driven, or the board has no such bootloader.
        """
        self._link.ask(BootloaderRequest(self._boot_id(), self._link.identity().nonce))

    def permit(self) -> None:
        """Let the board take one reset, or one write of the image group, that follows at once.

        A board of version 1 of the protocol takes each without being asked.

        Raises:
            BoardRebooted: it is not the boot any more that was identified.
        """
        nonce = self._link.identity().nonce
        if nonce is not None:
            self._link.ask(PermitRequest(self._boot_id(), nonce))

    def link_counts(self) -> LinkCounts:
        """Return what the link lost and damaged since the rig was opened."""
        dropped = self._client.discards
        return LinkCounts(self._client.repeated, dropped.stale, dropped.damaged)

    def relink(self, open_transport: Callable[[], Transport]) -> RigInfo:
        """Open the link anew; return who answers, whose boot id is the valid one from now on.

        Args:
            open_transport: opens the port; called after the old one was closed.

        Raises:
            LinkLost: there is no such port (yet), or nobody answers.
            ProtocolError: what answers is no rig.
        """
        self._client.replace_transport(open_transport)
        return self.info()

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            if self._link.identified:
                self._link.request(ReleaseRequest(), _CLOSING_TIMEOUT_NS, _CLOSING_TRIES)
        except RigError as e:
            logger.debug("not released at the end: %s", e)
        finally:
            self._client.close()

    def _boot_id(self) -> int:
        return self._link.identity().info.boot_id

    def _rested(self, request: ActionRequest) -> ActionStart:
        """Ask for an action, at once or once the actuator, or another host, has let go of it.

        A host that was killed is forgotten after the board's lease: one that lives stays longer.
        """
        planned = isinstance(request, PressRequest | HoldRequest) and request.at_ns is not None
        deadline_ns: int | None = None
        while True:
            try:
                return self._link.ask(request)
            except DeviceFault as fault:
                wait_ns = 0 if planned else _worth_waiting_ns(fault)
                now_ns = self._client.clock.now_ns()
                if deadline_ns is None:
                    lease_ns = self._link.identity().info.lease_ns
                    deadline_ns = now_ns + lease_ns + _LONGEST_REST_NS
                if wait_ns == 0 or now_ns + wait_ns > deadline_ns:
                    raise
            self._client.clock.sleep_ns(wait_ns)

    def _too_long(self, actuator: Actuator, duration_ns: int, fault: DeviceFault) -> DeviceFault:
        longest = {
            info.actuator: info.max_press_ns for info in self._link.identity().info.actuators
        }
        return DeviceFault(
            fault.group,
            fault.code,
            f"the board refused a press of {seconds_text(duration_ns)}: too-long ({fault.code}); "
            f"allowed are up to {seconds_text(longest[actuator])}, or a longer one named force-off",
        )

    def _index_of(self, actuator: Actuator) -> int:
        """Return what requests call an actuator."""
        actuators = self._link.identity().actuators
        if actuator in actuators:
            return actuators[actuator]
        raise DeviceFault(
            Group.RIG,
            RigCode.NO_ACTUATOR,
            f"could not move {actuator} on {self._link.name}: it has no such actuator "
            f"(actuators present: {', '.join(actuators) or 'none'})",
        )

    def _wired_to(self, channels: Sequence[Channel]) -> int:
        """Return the channels as requests name them: bit n for channel n."""
        present = self._link.identity().channels
        for channel in channels:
            if channel not in present:
                names = ", ".join(filter(None, present)) or "none"
                raise DeviceFault(
                    Group.RIG,
                    RigCode.NO_CHANNEL,
                    f"could not look at {channel} on {self._link.name}: it has no such channel "
                    f"(channels present: {names})",
                )
        return sum(1 << present.index(channel) for channel in set(channels))

    def _next_token(self) -> int:
        token = self._token
        self._token = (token + 1) & _U32
        return token


def _worth_waiting_ns(fault: DeviceFault) -> int:
    """Return after how long the board may do what it refused; 0 when waiting does not help."""
    match (fault.group, fault.code):
        case (Group.RIG, RigCode.TOO_SOON) if fault.left_ns <= _LONGEST_REST_NS:
            return fault.left_ns
        case (Group.RIG, RigCode.OTHER_HOST):
            return _LOOK_AGAIN_NS
        case _:
            return 0
