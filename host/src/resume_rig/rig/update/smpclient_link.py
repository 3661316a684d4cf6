"""Lets smpclient speak over our own transport, and turns what it raises into our sentences.

Its own serial transport polls, and goes wrong for good after one lost reply. Here a reply is known
by its sequence number and group, a request that nothing answers is repeated, and a port that is
gone is a LinkLost.
"""

import asyncio
from typing import Final

from smp.exceptions import SMPException
from smpclient import SMPClient
from smpclient.exceptions import SMPClientException
from smpclient.generics import SMPRequest, TEr1, TEr2, TRep, success
from smpclient.transport import SMPTransport

from resume_rig.model.clock import Clock
from resume_rig.model.errors import LinkLost, ProtocolError
from resume_rig.rig.smp.packet import Header
from resume_rig.rig.smp.refusal import SMP_LEVEL, command_name, refusal
from resume_rig.rig.smp.transport import Transport

TRIES: Final = 3
_FOREVER_S: Final = 1e9
"""smpclient's own time limit; the link has one, and tries again within it."""
_SLICE_NS: Final = 100_000_000
"""How long a wait keeps Ctrl-C out."""
_UNTOLD_BUFFER_BYTES: Final = 384
"""Zephyr's smallest default, for a board that does not tell the size of its buffers."""
_FRAMING_BYTES: Final = 4
"""Length and CRC, which share the board's buffer with the packet."""


class SmpClientLink(SMPTransport):
    """One open transport, as smpclient wants it.

    Args:
        transport: open; closed by whoever opened it.
        clock: decides how long a request may take.
        timeout_ns: of one try; three are made.
    """

    def __init__(self, transport: Transport, clock: Clock, timeout_ns: int) -> None:
        self._transport = transport
        self._clock = clock
        self.timeout_ns = timeout_ns

    @property
    def name(self) -> str:
        """Return the URL that sentences name."""
        return self._transport.name

    @property
    def mtu(self) -> int:
        """Return the most bytes of one packet while the board has not told its buffers' size."""
        return _UNTOLD_BUFFER_BYTES - _FRAMING_BYTES

    @property
    def max_unencoded_size(self) -> int:
        """Return the most bytes of one packet."""
        told = self._smp_server_transport_buffer_size
        return self.mtu if told is None else max(told - _FRAMING_BYTES, 64)

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
        """
        asked = Header.unpack(data)
        for _ in range(TRIES):
            self._transport.send(data)
            deadline_ns = self._clock.now_ns() + self.timeout_ns
            while (left_ns := deadline_ns - self._clock.now_ns()) > 0:
                await asyncio.sleep(0)
                arrival = self._transport.receive(min(left_ns, _SLICE_NS))
                if arrival is not None and _answers(arrival.packet, asked):
                    return arrival.packet
        what = command_name(asked.group, asked.command)
        raise LinkLost(
            f"no reply from {self.name} to {what}: asked {TRIES} times, waited "
            f"{self.timeout_ns / 1e9:g} s each time"
        )


def asked(client: SMPClient, request: SMPRequest[TRep, TEr1, TEr2]) -> TRep:
    """Return what the board answers to one request.

    Raises:
        DeviceFault: the board refused.
        ProtocolError: it answers, but not as a board does.
        LinkLost: it does not answer.
    """
    what = command_name(request.header.group_id, request.header.command_id)
    try:
        response = asyncio.run(client.request(request, _FOREVER_S))
    except (SMPClientException, SMPException, ValueError) as e:
        raise misread(what, e) from e
    if success(response):
        return response
    raise refused(response, what)


def refused(response: object, what: str) -> Exception:
    """Return the exception for an error that smpclient understood."""
    err = getattr(response, "err", None)
    if err is not None:
        return refusal(int(err.group), int(err.rc), what)
    return refusal(SMP_LEVEL, int(getattr(response, "rc", 1)), what)


def misread(what: str, cause: Exception) -> ProtocolError:
    """Return the exception for a reply that smpclient cannot read."""
    found = " ".join(str(cause).split())[:120]
    return ProtocolError(f"the board answered {what} with what cannot be read: {found}")


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
