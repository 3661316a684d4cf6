"""Asks the board over SMP: one request at a time, until it is answered or the tries are used up.

Packets are carried by a `Transport`. A reply is recognised by its sequence number, group and
command. Whatever else arrives (stale or doubled replies, echoes of our own requests, damaged CBOR)
is counted and dropped, so a lost or late reply never puts the client off by one. Requests are
idempotent (fixtures/wire/rig.cddl), so repeating one is safe. A board that had no buffer left for a
reply has refused nothing: our own repeats wait in its queue, and it is asked again after the usual
wait.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Protocol, Self

import cbor2

from resume_rig.model.clock import Clock
from resume_rig.model.errors import LinkLost, ProtocolError, RigError
from resume_rig.rig.smp.packet import HEADER, OPERATION_BITS, Operation, request_packet
from resume_rig.rig.smp.request import NOTHING_COMMON, SMP_LEVEL, Request, SmpCode, refusal

logger = logging.getLogger(__name__)

# Six tries end before a lease of 3 s does; a reply that comes late answers an earlier try as well.
DEFAULT_TIMEOUT_NS: Final = 300_000_000
DEFAULT_TRIES: Final = 6
_MAX_DEPTH: Final = 16  # assumed: decides what damaged CBOR may cost; replies nest 3 deep
_TEXTS: Final = frozenset({str})
_ERROR_KEYS: Final = frozenset({"err", "rc"})
_REQUESTS: Final = frozenset({Operation.READ, Operation.WRITE})
_NO_HEADER: Final = (0, 0, 0, 0, 0, 0)

# The tries of one request: each has its own sequence number, and when it was sent.
_Tries = dict[int, int]
_Wanted = tuple[int, int, int]


class Arrival(NamedTuple):
    """One packet from the board, whole and with a right checksum.

    Attributes:
        t_ns: host clock when its last byte had arrived.
    """

    packet: bytes
    t_ns: int


class Transport(Protocol):
    """Carries packets both ways; an open one is handed to the client."""

    @property
    def name(self) -> str:
        """Return the URL that a sentence for the user names."""
        ...

    @property
    def received_bytes(self) -> int:
        """Return how many bytes have come in, noise included."""
        ...

    def send(self, packet: bytes) -> int:
        """Send one packet and return the host clock [ns] just before it was handed over.

        Raises:
            LinkLost: the port is gone, or takes nothing.
        """
        ...

    def receive(self, timeout_ns: int) -> Arrival | None:
        """Return the next packet; None when none came within `timeout_ns`.

        Raises:
            LinkLost: the port is gone.
        """
        ...

    def close(self) -> None:
        """Let go of the port; may be called twice."""
        ...


class Reply(NamedTuple):
    """A board's answer and when it was asked for.

    Attributes:
        fields: the CBOR map; values are still of any type.
        tx_ns: host clock just before the request that this answers went to the port.
        rx_ns: host clock when the reply's last byte had arrived.
    """

    fields: Mapping[str, object]
    tx_ns: int
    rx_ns: int


@dataclass(frozen=True, slots=True)
class Discards:
    """Packets that arrived and were not the reply waited for; all counts.

    Attributes:
        stale: replies to earlier requests, doubled ones, and those of another group or command.
        echoed: requests, sent back by what is not a board.
        damaged: packets whose header or CBOR is not whole.
    """

    stale: int = 0
    echoed: int = 0
    damaged: int = 0

    def __add__(self, other: Self) -> Self:
        return replace(
            self,
            stale=self.stale + other.stale,
            echoed=self.echoed + other.echoed,
            damaged=self.damaged + other.damaged,
        )


class SmpClient:
    """Sends requests over an open transport and returns their replies; safe for many threads.

    Args:
        transport: open; closed by `close`.
        clock: decides how long a request may take.
        first_sequence: 0 to 255; random, so that replies to an earlier process are recognised.
    """

    def __init__(self, transport: Transport, clock: Clock, first_sequence: int = 0) -> None:
        self._transport = transport
        self._clock = clock
        self._sequence = first_sequence & 0xFF
        self._lock = threading.Lock()
        self._discards = Discards()
        self._repeated = 0

    @property
    def name(self) -> str:
        """Return the URL of the rig, for sentences."""
        return self._transport.name

    @property
    def clock(self) -> Clock:
        """Return the clock that decides how long a request may take."""
        return self._clock

    @property
    def discards(self) -> Discards:
        """Return what was dropped, of all requests."""
        return self._discards

    @property
    def repeated(self) -> int:
        """Return how many requests were sent again, as no reply to them came."""
        return self._repeated

    def replace_transport(self, open_transport: Callable[[], Transport]) -> None:
        """Close the transport, and go on with another one.

        Raises:
            LinkLost: it cannot be opened; the old one stays closed.
        """
        with self._lock:
            self._transport.close()
            self._transport = open_transport()

    def close(self) -> None:
        """Close the transport; may be called twice."""
        self._transport.close()

    def request(
        self,
        request: Request,
        *,
        timeout_ns: int = DEFAULT_TIMEOUT_NS,
        tries: int = DEFAULT_TRIES,
        common: Mapping[str, object] = NOTHING_COMMON,
    ) -> Reply:
        """Return the board's reply; without one it takes `timeout_ns` times `tries`.

        Every try has a sequence number of its own, so the reply's send stamp is that of the very
        packet which it answers, even when it comes late.

        Raises:
            LinkLost: no reply, or the port is gone.
            ProtocolError: something answers, but not as a board does.
            DeviceFault: the board refused.
        """
        operation, group, command = request.operation, request.group, request.command
        encoded = request.encode(common)
        wanted: _Wanted = (operation + 1, group, command)
        sent_ns: _Tries = {}
        with self._lock:
            transport = self._transport
            heard_before = transport.received_bytes
            dropped_before = self._discards
            for tries_left in reversed(range(tries)):
                sequence = self._sequence
                self._sequence = (sequence + 1) & 0xFF
                packet = request_packet(operation, group, command, sequence, encoded)
                if sent_ns:
                    self._repeated += 1
                sent_ns[sequence] = transport.send(packet)
                reply = self._await_reply(wanted, sent_ns, timeout_ns)
                if reply is not None and not (tries_left and _had_no_buffer(reply.fields)):
                    if not _ERROR_KEYS.isdisjoint(reply.fields):
                        check_for_refusal(reply.fields, request.name)
                    return reply
            heard_bytes = transport.received_bytes - heard_before
            raise self._silence(request.name, len(sent_ns), timeout_ns, heard_bytes, dropped_before)

    def _await_reply(self, wanted: _Wanted, sent_ns: _Tries, timeout_ns: int) -> Reply | None:
        """Return the reply to any of the tries; None when it is worth trying again.

        That of a board without a buffer is returned when no better one came in time.
        """
        poor: Reply | None = None
        deadline_ns = self._clock.now_ns() + timeout_ns
        left_ns = timeout_ns
        while left_ns > 0:
            arrival = self._transport.receive(left_ns)
            if arrival is None:
                return poor
            tx_ns = self._sent_ns(arrival, wanted, sent_ns)
            if tx_ns is not None:
                fields = decode_map(arrival.packet[HEADER.size :])
                if fields is None:
                    self._drop(arrival, Discards(damaged=1))
                    return poor  # its checksum was right: no better copy is on the way
                reply = Reply(fields, tx_ns, arrival.t_ns)
                if not _had_no_buffer(fields):
                    return reply
                poor = reply
            left_ns = deadline_ns - self._clock.now_ns()
        return poor

    def _sent_ns(self, arrival: Arrival, wanted: _Wanted, sent_ns: _Tries) -> int | None:
        """Return when the try was sent that a packet's header answers, or count why none."""
        packet = arrival.packet
        length_bytes = len(packet) - HEADER.size
        # Unpacked without a Header: a simulated campaign reads thousands a second.
        first, _, payload_bytes, group, sequence, command = (
            HEADER.unpack_from(packet) if length_bytes >= 0 else _NO_HEADER
        )
        operation = first & OPERATION_BITS
        if payload_bytes != length_bytes:
            self._drop(arrival, Discards(damaged=1))
        elif operation in _REQUESTS:
            self._drop(arrival, Discards(echoed=1))
        elif (operation, group, command) != wanted or sequence not in sent_ns:
            self._drop(arrival, Discards(stale=1))
        else:
            return sent_ns[sequence]
        return None

    def _drop(self, arrival: Arrival, why: Discards) -> None:
        self._discards += why
        logger.debug("%s: dropped %s: %s", self.name, arrival.packet[:32].hex(), why)

    def _silence(
        self, what: str, tries: int, timeout_ns: int, heard_bytes: int, before: Discards
    ) -> RigError:
        """Return the exception for a request that nothing answered."""
        no_reply = f"no reply from {self.name} to {what}"
        if self._discards.echoed > before.echoed:
            return ProtocolError(f"{no_reply}: it only sends back what it is sent, so it is no rig")
        if self._discards.damaged > before.damaged:
            return ProtocolError(f"{no_reply} that can be read: its packets hold no CBOR map")
        heard = f"{heard_bytes} bytes that are no reply" if heard_bytes else "nothing"
        return LinkLost(
            f"{no_reply}: asked {tries} times, waited {timeout_ns / 1e6:g} ms each time, "
            f"heard {heard}"
        )


def decode_map(payload: bytes) -> Mapping[str, object] | None:
    """Return the CBOR map; None when it is damaged or something else.

    A payload has at most 64 KiB, which bounds what decoding can make of it.
    """
    try:
        value: object = cbor2.loads(payload, max_depth=_MAX_DEPTH)
    except cbor2.CBORDecodeError:
        return None
    if not isinstance(value, dict) or not _TEXTS.issuperset(map(type, value)):
        return None
    return value


def _had_no_buffer(fields: Mapping[str, object]) -> bool:
    """Whether mcumgr answered in the group's place, as it had no buffer for a reply."""
    return fields.get("rc") == SmpCode.NO_MEMORY and "err" not in fields


def check_for_refusal(fields: Mapping[str, object], what: str) -> None:
    """Raise DeviceFault for an error reply of SMP version 2 (`err`) or 1 (`rc`)."""
    match fields.get("err"):
        case None:
            pass
        case {"group": int(group), "rc": int(code)}:
            left_ns = fields.get("left")
            raise refusal(group, code, what, left_ns if isinstance(left_ns, int) else 0)
        case _:
            raise ProtocolError(f"the board refused {what} with an error of a wrong form")
    match fields.get("rc", 0):
        case 0:
            return
        case int(code):
            raise refusal(SMP_LEVEL, code, what)
        case _:
            raise ProtocolError(f"the board answered {what} with an rc that is no number")
