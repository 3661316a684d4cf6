"""A rig that is spoken to over SMP: serial, socket and simulated ones alike.

Each method asks once through `SmpClient`, which repeats what gets lost, and returns the reply as
a fact of `rig.interface`.
"""

import logging
import secrets
from collections.abc import Callable, Collection, Sequence
from typing import Final

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import ClockExchange
from resume_rig.model.errors import DeviceFault, RigError
from resume_rig.model.light import LightOnset
from resume_rig.model.units import seconds_text
from resume_rig.rig.calibration import Calibration, LoopbackResult
from resume_rig.rig.foresight import Foresight
from resume_rig.rig.interface import (
    ActionStart,
    EdgeBatch,
    Faults,
    LightBatch,
    LinkCounts,
    RigInfo,
    SampleBatch,
    SelfTestCheck,
)
from resume_rig.rig.smp import measurement_replies, rig_replies, wire_values
from resume_rig.rig.smp.board_link import BoardLink
from resume_rig.rig.smp.client import SmpClient
from resume_rig.rig.smp.fields import Fields
from resume_rig.rig.smp.packet import FileCommand, Group, Operation, OsCommand, RigCommand
from resume_rig.rig.smp.refusal import RigCode
from resume_rig.rig.smp.transport import Transport

logger = logging.getLogger(__name__)

_U32: Final = 0xFFFF_FFFF
_SELFTEST_TIMEOUT_NS: Final = 5_000_000_000
_CLOSING_TIMEOUT_NS: Final = 200_000_000
_CLOSING_TRIES: Final = 2
_MOST_FILE_BYTES: Final = 64 * 1024 * 1024


class SmpRig:
    """Implements `rig.interface.Rig` on an SMP client, which it owns from then on.

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
        self._link = BoardLink(client)
        self._closed = False

    def info(self) -> RigInfo:
        """Return the identity and abilities of the board, and take its boot id as the valid one.

        Raises:
            ProtocolError: what answers is no rig, or speaks another protocol version.
        """
        return self._link.identify().info

    def exchange_clocks(self) -> ClockExchange:
        """Stamp one request and reply on both sides."""
        self._link.known()
        reply, fields = self._link.ask(Operation.READ, RigCommand.TIME, {})
        self._link.check_boot(fields)
        rx_ns, tx_ns = fields.count("rx"), fields.count("tx")
        if tx_ns < rx_ns:
            raise fields.wrong("tx", tx_ns, f"a time from {rx_ns} on")
        return ClockExchange(reply.tx_ns, rx_ns, tx_ns, reply.rx_ns)

    def edges(self, cursor: int, count: int = 128) -> EdgeBatch:
        """Return up to `count` edges numbered from `cursor`."""
        channels = self._link.known().channels
        fields = self._link.checked(
            Operation.READ, RigCommand.EDGES, {"from": cursor, "max": count}
        )
        return rig_replies.parse_edges(fields, cursor, channels)

    def await_news(
        self,
        until_host_ns: int,
        pause_ns: int,
        channels: Collection[Channel] = (),
        *,
        log: bool = False,
    ) -> bool:
        """Wait until the board may have news, at most until a host time; return whether it may."""
        clock = self._client.clock
        left_ns = until_host_ns - clock.now_ns()
        if self._foresight is None or left_ns <= 0:
            clock.sleep_ns(min(left_ns, pause_ns))
            return True
        news_ns = self._foresight.next_news_ns(until_host_ns, channels, log=log)
        clock.sleep_ns(news_ns - until_host_ns + left_ns)
        return news_ns < until_host_ns

    def levels(self) -> dict[Channel, int]:
        """Return the present electrical level of each channel."""
        channels = self._link.known().channels
        return rig_replies.parse_levels(
            self._link.checked(Operation.READ, RigCommand.LEVELS, {}), channels
        )

    def press(
        self,
        actuator: Actuator,
        duration_ns: int,
        at_ns: int | None = None,
        force_off: bool = False,
    ) -> ActionStart:
        """Press for `duration_ns`, at board time `at_ns` or at once.

        Raises:
            UsageError: a negative time.
            DeviceFault: the board refused, or has no such actuator.
            BoardRebooted: it started anew since `info`, even if that was between a lost reply
                and the repeat of the request, and has not pressed since.
        """
        known = self._link.known()
        request: dict[str, object] = {
            "act": self._index_of(actuator),
            "dur": wire_values.time("a press of", duration_ns),
            "tok": self._next_token(),
            "boot": known.info.boot_id,
        }
        if at_ns is not None:
            request["at"] = wire_values.time("a press at board time", at_ns)
        if force_off:
            request["force"] = True
        try:
            reply = self._link.checked(Operation.WRITE, RigCommand.PRESS, request)
        except DeviceFault as fault:
            if (fault.group, fault.code) != (Group.RIG, RigCode.TOO_LONG) or force_off:
                raise
            raise self._too_long(actuator, duration_ns, fault) from fault
        return rig_replies.parse_action(reply)

    def lid(self, closed: bool, at_ns: int | None = None) -> ActionStart:
        """Close or open the lid, at board time `at_ns` or at once.

        Raises:
            UsageError: a negative time.
            DeviceFault: the board refused, or moves no lid.
            BoardRebooted: as of a press.
        """
        self._index_of(Actuator.LID)
        request: dict[str, object] = {
            "closed": closed,
            "tok": self._next_token(),
            "boot": self._link.known().info.boot_id,
        }
        if at_ns is not None:
            request["at"] = wire_values.time("a lid move at board time", at_ns)
        return rig_replies.parse_action(
            self._link.checked(Operation.WRITE, RigCommand.LID, request)
        )

    def release(self) -> None:
        """Let go of every actuator and forget what was scheduled."""
        self._link.known()
        self._link.checked(Operation.WRITE, RigCommand.RELEASE, {})

    def arm_light(
        self, duration_ns: int, baseline_ns: int | None = None, settle_ns: int | None = None
    ) -> None:
        """Record light for `duration_ns` from now, and look for its onset.

        Raises:
            UsageError: a negative time.
            DeviceFault: the board refused, e.g. another baseline while it records.
        """
        self._link.known()
        request: dict[str, object] = {"dur": wire_values.time("light for", duration_ns)}
        if baseline_ns is not None:
            request["base"] = wire_values.time("a baseline of", baseline_ns)
        if settle_ns is not None:
            request["settle"] = wire_values.time("a settled level of", settle_ns)
        self._link.checked(Operation.WRITE, RigCommand.LIGHT, request)

    def onset(self) -> LightOnset:
        """Return what is known of the onset of light in the newest recording."""
        self._link.known()
        return rig_replies.parse_onset(self._link.checked(Operation.READ, RigCommand.ONSET, {}))

    def light(self, cursor: int, count: int = 128) -> LightBatch:
        """Return up to `count` light blocks numbered from `cursor`."""
        self._link.known()
        fields = self._link.checked(
            Operation.READ, RigCommand.LIGHT, {"from": cursor, "max": count}
        )
        return rig_replies.parse_light(fields, cursor)

    def selftest(self) -> tuple[SelfTestCheck, ...]:
        """Let the board measure itself; refused while an action is under way."""
        self._link.known()
        fields = self._link.checked(Operation.WRITE, RigCommand.SELFTEST, {}, _SELFTEST_TIMEOUT_NS)
        return rig_replies.parse_selftest(fields)

    def faults(self) -> Faults:
        """Return the board's fault counters."""
        self._link.known()
        return rig_replies.parse_faults(self._link.checked(Operation.READ, RigCommand.FAULTS, {}))

    def samples(self, number: int, count: int | None = None) -> SampleBatch:
        """Return samples kept about the onset, numbered from `number`: `count`, or what fits."""
        self._link.known()
        request: dict[str, object] = {"from": number}
        if count is not None:
            request["max"] = count
        fields = self._link.checked(Operation.READ, RigCommand.SAMPLES, request)
        return measurement_replies.parse_samples(fields, number)

    def start_loopback(
        self,
        actuator: Actuator,
        channels: Sequence[Channel],
        count: int,
        gap_ns: int,
    ) -> ActionStart:
        """Drive an output again and again; no DUT may be connected.

        Raises:
            UsageError: a number that the wire cannot carry.
            DeviceFault: the board refused, or has no such actuator or channel.
        """
        request: dict[str, object] = {
            "act": self._index_of(actuator),
            "ch": self._wired_to(channels),
            "tok": self._next_token(),
            "n": wire_values.changes(count),
            "gap": wire_values.time("a gap of", gap_ns),
            "boot": self._link.known().info.boot_id,
        }
        return rig_replies.parse_action(
            self._link.checked(Operation.WRITE, RigCommand.LOOPBACK, request)
        )

    def loopback(self) -> LoopbackResult:
        """Return what came of the newest loop-back; asking keeps one that runs alive."""
        identity = self._link.known()
        fields = self._link.checked(Operation.READ, RigCommand.LOOPBACK, {})
        return measurement_replies.parse_loopback(fields, identity)

    def calibration(self) -> Calibration:
        """Return what the board keeps of itself."""
        channels = self._link.known().channels
        fields = self._link.checked(Operation.READ, RigCommand.CALIBRATION, {})
        return measurement_replies.parse_calibration(fields, channels)

    def calibrate(
        self, *, clock_ppb: int | None = None, loopback: bool = False, clear: bool = False
    ) -> Calibration:
        """Let the board keep something of itself over resets, and return all that it keeps.

        Raises:
            UsageError: `clock_ppb` is out of range.
            DeviceFault: the board refused; what it kept before, it keeps.
        """
        channels = self._link.known().channels
        request: dict[str, object] = {}
        if clock_ppb is not None:
            request["cal"] = wire_values.rate(clock_ppb)
        if loopback:
            request["loop"] = True
        if clear:
            request["clear"] = True
        fields = self._link.checked(Operation.WRITE, RigCommand.CALIBRATION, request)
        return measurement_replies.parse_calibration(fields, channels)

    def download(self, name: str, offset: int) -> bytes:
        """Return the bytes of a file on the board from `offset` to its end (SMP file group).

        Raises:
            DeviceFault: no such file, or `offset` is behind its end.
            ProtocolError: a reply for another offset, or more than 64 MiB.
        """
        content = bytearray()
        end: int | None = None
        while end is None or offset + len(content) < end:
            asked = offset + len(content)
            reply = self._client.request(
                Operation.READ, Group.FILE, FileCommand.FILE, {"name": name, "off": asked}
            )
            fields = Fields(reply.fields, f"download of {name}")
            found = fields.count("off")
            if found != asked:
                raise fields.wrong("off", found, str(asked))
            if fields.has("len"):
                end = fields.count("len")
            chunk = fields.data("data")
            if not chunk:
                break  # Zephyr gives the length with offset 0 only; elsewhere this is the end
            content += chunk
            if len(content) > _MOST_FILE_BYTES:
                raise fields.wrong("len", len(content), f"at most {_MOST_FILE_BYTES} bytes")
        return bytes(content)

    def link_counts(self) -> LinkCounts:
        """Return what the link lost and damaged since the rig was opened."""
        dropped = self._client.discards
        return LinkCounts(self._client.repeated, dropped.stale, dropped.damaged)

    def ping(self, text: str = "resume-rig") -> int:
        """Let the board echo `text` (OS group) and return the round trip in nanoseconds."""
        reply = self._client.request(Operation.WRITE, Group.OS, OsCommand.ECHO, {"d": text})
        fields = Fields(reply.fields, "echo")
        if reply.fields.get("r") != text:
            raise fields.wrong("r", reply.fields.get("r"), repr(text))
        return reply.rx_ns - reply.tx_ns

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
        """Release every actuator if the link still works, and close it; may be called twice."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._link.identified:
                self._link.ask(
                    Operation.WRITE, RigCommand.RELEASE, {}, _CLOSING_TIMEOUT_NS, _CLOSING_TRIES
                )
        except RigError as e:
            logger.debug("not released at the end: %s", e)
        finally:
            self._client.close()

    def _too_long(self, actuator: Actuator, duration_ns: int, fault: DeviceFault) -> DeviceFault:
        longest = {info.actuator: info.max_press_ns for info in self._link.known().info.actuators}
        return DeviceFault(
            fault.group,
            fault.code,
            f"the board refused a press of {seconds_text(duration_ns)}: too-long ({fault.code}); "
            f"allowed are up to {seconds_text(longest[actuator])}, or a longer one named force-off",
        )

    def _index_of(self, actuator: Actuator) -> int:
        """Return what requests call an actuator."""
        actuators = self._link.known().actuators
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
        known = self._link.known().channels
        for channel in channels:
            if channel not in known:
                present = ", ".join(filter(None, known)) or "none"
                raise DeviceFault(
                    Group.RIG,
                    RigCode.NO_CHANNEL,
                    f"could not look at {channel} on {self._link.name}: it has no such channel "
                    f"(channels present: {present})",
                )
        return sum(1 << known.index(channel) for channel in set(channels))

    def _next_token(self) -> int:
        token = self._token
        self._token = (token + 1) & _U32
        return token
