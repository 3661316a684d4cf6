"""The image group of a board that MCUboot starts, spoken by smpclient over our own transport.

smpclient's own serial transport polls, and goes wrong for good after one lost reply. Here a reply
is recognised by its sequence number and group, a request that nothing answers is repeated, and a
port that is gone is a LinkLost.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from smp.exceptions import SMPException
from smpclient import SMPClient
from smpclient.exceptions import SMPClientException, SMPUploadError
from smpclient.generics import SMPRequest, TEr1, TEr2, TRep, success
from smpclient.requests.image_management import ImageStatesRead, ImageStatesWrite
from smpclient.requests.os_management import ResetWrite
from smpclient.transport import SMPTransport

from resume_rig.model.clock import Clock
from resume_rig.model.errors import DeviceFault, LinkLost, ProtocolError, RigError
from resume_rig.rig.smp.client import Transport, check_for_refusal, decode_map
from resume_rig.rig.smp.packet import HEADER, Group, Header, ImageCommand, Operation, OsCommand
from resume_rig.rig.smp.request import SMP_LEVEL, SmpCode

TRIES: Final = 3
_FOREVER_S: Final = 1e9
"""smpclient's own time limit; the link has one, and tries again within it."""
_SLICE_NS: Final = 100_000_000
"""How long a wait keeps Ctrl-C out."""
_DEFAULT_BUFFER_BYTES: Final = 384
"""Zephyr's smallest default, for a board that does not report the size of its buffers."""
_FRAMING_BYTES: Final = 4
"""Length and CRC, which share the board's buffer with the packet."""

STATE_TIMEOUT_NS: Final = 5_000_000_000
"""Reading states hashes nothing, but may wait for a sector that is being erased."""

UPLOAD_TIMEOUT_NS: Final = 20_000_000_000
"""A board that runs from the flash it erases stands still: up to 4 s for a sector of 256 KiB."""

_SLOTS: Final = 2


class SmpClientLink(SMPTransport):
    """One open transport, as smpclient wants it.

    Args:
        transport: open; closed by whoever opened it.
        clock: decides how long a request may take.
        permit: called before each try of what the board does only by permit.
        timeout_ns: of one try; three are made.
    """

    def __init__(
        self, transport: Transport, clock: Clock, permit: Callable[[], None], timeout_ns: int
    ) -> None:
        self._transport = transport
        self._clock = clock
        self._permit = permit
        self.timeout_ns = timeout_ns

    @property
    def name(self) -> str:
        """Return the URL that sentences name."""
        return self._transport.name

    @property
    def mtu(self) -> int:
        """Return the most bytes of one packet while the board reports no size of its buffers."""
        return _DEFAULT_BUFFER_BYTES - _FRAMING_BYTES

    @property
    def max_unencoded_size(self) -> int:
        """Return the most bytes of one packet."""
        size_bytes = self._smp_server_transport_buffer_size
        return self.mtu if size_bytes is None else max(size_bytes - _FRAMING_BYTES, 64)

    async def connect(self, address: str, timeout_s: float) -> None:
        """Do nothing: the transport is open."""

    async def disconnect(self) -> None:
        """Do nothing: whoever opened the transport closes it."""

    async def send(self, data: bytes) -> None:
        """Send one packet."""
        self._transport.send(data)

    async def receive(self) -> bytes:
        """Return the next packet, whatever it answers.

        Raises:
            LinkLost: the port is gone, or nothing came.
        """
        arrival = self._transport.receive(self.timeout_ns)
        if arrival is None:
            raise LinkLost(f"nothing came from {self.name} for {self.timeout_ns / 1e9:g} s")
        return arrival.packet

    async def send_and_receive(self, data: bytes) -> bytes:
        """Return the reply to the request in `data`, which is sent up to three times.

        Nothing else runs in the event loop, so this blocks; between slices it lets Ctrl-C through,
        which asyncio turns into a cancellation.

        Raises:
            LinkLost: the port is gone, or nobody answers.
            DeviceFault: the board refused.
            BoardRebooted: it is not the boot any more that was identified, so it may do nothing.
        """
        asked = Header.unpack(data)
        what = _command_name(asked.group, asked.command)
        for _ in range(TRIES):
            if _needs_permit(asked):
                self._permit()
            self._transport.send(data)
            deadline_ns = self._clock.now_ns() + self.timeout_ns
            while (left_ns := deadline_ns - self._clock.now_ns()) > 0:
                await asyncio.sleep(0)
                arrival = self._transport.receive(min(left_ns, _SLICE_NS))
                if arrival is not None and _answers(arrival.packet, asked):
                    # smpclient takes a refusal by another group, or by SMP, for something else.
                    check_for_refusal(decode_map(arrival.packet[HEADER.size :]) or {}, what)
                    return arrival.packet
        raise LinkLost(
            f"no reply from {self.name} to {what}: asked {TRIES} times, waited "
            f"{self.timeout_ns / 1e9:g} s each time"
        )


@dataclass(frozen=True, slots=True)
class Slot:
    """One slot as the board describes it.

    Attributes:
        number: 0 is the one that runs.
        version: of the image in it, e.g. "1.2.3".
        hash: of the image; None where the board reports none.
        active: it runs. confirmed: it stays. pending: the next reset tries it.
        permanent: and keeps it.
    """

    number: int
    version: str
    hash: bytes | None
    active: bool
    confirmed: bool
    pending: bool
    permanent: bool


class ImageGroup:
    """Speaks the image group over an open transport; whoever opened the transport closes it.

    Args:
        transport: open.
        clock: decides how long a request may take.
        permit: asks the board's rig group for leave to write, or to reset, once.
    """

    def __init__(self, transport: Transport, clock: Clock, permit: Callable[[], None]) -> None:
        self._link = SmpClientLink(transport, clock, permit, STATE_TIMEOUT_NS)
        self._client = SMPClient(self._link, address=transport.name)

    def slots(self) -> tuple[Slot, ...]:
        """Return the slots that hold an image.

        Raises:
            DeviceFault: the board refused; in the words of a user where it has no image group.
            ProtocolError: it answers, but not as a board does.
            LinkLost: it does not answer.
        """
        try:
            reply = _ask(self._client, ImageStatesRead())
        except DeviceFault as e:
            if (e.group, e.code) == (SMP_LEVEL, SmpCode.NOT_SUPPORTED):
                raise DeviceFault(
                    e.group,
                    e.code,
                    f"the firmware of the board at {self._link.name} cannot be updated this way: "
                    "it has no image group; build it with MCUboot (make firmware-mcuboot) and "
                    "flash it once with a programmer",
                ) from e
            raise
        return tuple(
            Slot(
                number=state.slot,
                version=_printable(state.version),
                hash=None if state.hash is None else bytes(state.hash),
                active=state.active is True,
                confirmed=state.confirmed is True,
                pending=state.pending is True,
                permanent=state.permanent is True,
            )
            for state in reply.images[:_SLOTS]
        )

    def upload(self, data: bytes, on_offset: Callable[[int], None]) -> None:
        """Send an image; a board that has a part of it already is sent the rest.

        Args:
            data: the whole image.
            on_offset: called with how many bytes the board has, after each reply.

        Raises:
            DeviceFault, ProtocolError, LinkLost: as `slots`.
        """
        self._link.timeout_ns = UPLOAD_TIMEOUT_NS
        try:
            asyncio.run(self._upload(data, on_offset))
        finally:
            self._link.timeout_ns = STATE_TIMEOUT_NS

    async def _upload(self, data: bytes, on_offset: Callable[[int], None]) -> None:
        try:
            with suppress(DeviceFault):  # a board may not tell the size of its buffers
                await self._client.connect()
            received = -1
            async for offset in self._client.upload(
                data, first_timeout_s=1e9, subsequent_timeout_s=1e9
            ):
                if not 0 <= offset <= len(data) or offset == received == 0:
                    raise ProtocolError(
                        f"the board answered upload with offset {offset}; allowed are 1 to "
                        f"{len(data)}"
                    )
                received = offset
                on_offset(offset)
        except SMPUploadError as e:
            raise RigError(
                "the board got the image damaged: the SHA-256 of what it has is not that of what "
                "was sent; send it again"
            ) from e
        except (SMPClientException, SMPException, ValueError) as e:
            raise _misread("upload", e) from e

    def try_next(self, image_hash: bytes) -> None:
        """Let the bootloader try this image at the next reset, once."""
        _ask(self._client, ImageStatesWrite(hash=image_hash, confirm=False))

    def confirm(self) -> None:
        """Keep the image that runs.

        Raises:
            DeviceFault: with BAD_STATE while the image has not proved itself; and as `slots`.
        """
        _ask(self._client, ImageStatesWrite(confirm=True))

    def reset(self) -> None:
        """Reset the board; it answers first."""
        _ask(self._client, ResetWrite())


def _ask(client: SMPClient, request: SMPRequest[TRep, TEr1, TEr2]) -> TRep:
    """Return what the board answers to one request.

    Raises:
        DeviceFault: the board refused.
        ProtocolError: it answers, but not as a board does.
        LinkLost: it does not answer.
    """
    what = _command_name(request.header.group_id, request.header.command_id)
    try:
        response = asyncio.run(client.request(request, _FOREVER_S))
    except (SMPClientException, SMPException, ValueError) as e:
        raise _misread(what, e) from e
    if success(response):
        return response
    raise ProtocolError(f"the board refused {what} with an error of a wrong form")


def _misread(what: str, cause: Exception) -> ProtocolError:
    """Return the exception for a reply that smpclient cannot read."""
    found = " ".join(str(cause).split())[:120]
    return ProtocolError(f"the board answered {what} with what cannot be read: {found}")


def _needs_permit(asked: Header) -> bool:
    """Whether a request is of those that rig.cddl, 18, names."""
    writes = asked.operation == Operation.WRITE and asked.group == Group.IMAGE
    return writes or (asked.group, asked.command) == (Group.OS, OsCommand.RESET)


def _answers(packet: bytes, asked: Header) -> bool:
    try:
        found = Header.unpack(packet)
    except ValueError:
        return False
    return (found.operation, found.group, found.command, found.sequence) == (
        asked.operation + 1,
        asked.group,
        asked.command,
        asked.sequence,
    )


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text[:40])


def _command_name(group: int, command: int) -> str:
    """Return what sentences call a command of an update, e.g. "upload"."""
    names = {Group.OS: OsCommand, Group.IMAGE: ImageCommand}
    try:
        return names[Group(group)](command).name.lower()
    except (KeyError, ValueError):
        return f"command {command} of group {group}"
