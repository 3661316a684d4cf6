"""A rig that is spoken to over SMP: serial, socket and simulated ones alike.

Each method asks once through `SmpClient`, which repeats what gets lost, and returns the reply as
a fact of `rig.interface`.
"""

import logging
import secrets
from collections.abc import Mapping
from typing import Final

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import ClockExchange
from resume_rig.model.errors import (
    BoardRebooted,
    DeviceFault,
    ProtocolError,
    RigError,
    UsageError,
)
from resume_rig.model.light import LightOnset
from resume_rig.model.units import seconds_text
from resume_rig.rig.interface import (
    ActionStart,
    EdgeBatch,
    Faults,
    LightBatch,
    RigInfo,
    SelfTestCheck,
)
from resume_rig.rig.smp import rig_replies
from resume_rig.rig.smp.client import DEFAULT_TIMEOUT_NS, DEFAULT_TRIES, Reply, SmpClient
from resume_rig.rig.smp.fields import INT64_MAX, Fields
from resume_rig.rig.smp.packet import FileCommand, Group, Operation, OsCommand, RigCommand
from resume_rig.rig.smp.refusal import SMP_LEVEL, RigCode, SmpCode
from resume_rig.rig.smp.rig_replies import Identity

logger = logging.getLogger(__name__)

_U32: Final = 0xFFFF_FFFF
_SELFTEST_TIMEOUT_NS: Final = 5_000_000_000
_CLOSING_TIMEOUT_NS: Final = 200_000_000
_CLOSING_TRIES: Final = 2
_MOST_FILE_BYTES: Final = 64 * 1024 * 1024

# These can be the first sign of a reboot: the board's clock and its numbering began anew.
_DOUBTFUL_CODES: Final = frozenset({RigCode.TOO_LATE, RigCode.TOO_EARLY, RigCode.CURSOR})


class SmpRig:
    """Implements `rig.interface.Rig` on an SMP client, which it owns from then on.

    Args:
        client: on an open transport; closed by `close`.
        first_token: of the first action, 0 to 2^32 - 1; random unless a test fixes it.
    """

    def __init__(self, client: SmpClient, first_token: int | None = None) -> None:
        self._client = client
        self._token = secrets.randbits(32) if first_token is None else first_token & _U32
        self._identity: Identity | None = None
        self._closed = False

    def info(self) -> RigInfo:
        """Return the identity and abilities of the board, and take its boot id as the valid one.

        Raises:
            ProtocolError: what answers is no rig, or speaks another protocol version.
        """
        return self._identify().info

    def exchange_clocks(self) -> ClockExchange:
        """Stamp one request and reply on both sides."""
        self._known()
        reply, fields = self._ask(Operation.READ, RigCommand.TIME, {})
        self._check_boot(fields)
        rx_ns, tx_ns = fields.count("rx"), fields.count("tx")
        if tx_ns < rx_ns:
            raise fields.wrong("tx", tx_ns, f"a time from {rx_ns} on")
        return ClockExchange(reply.tx_ns, rx_ns, tx_ns, reply.rx_ns)

    def edges(self, cursor: int, count: int = 128) -> EdgeBatch:
        """Return up to `count` edges numbered from `cursor`."""
        channels = self._known().channels
        fields = self._checked(Operation.READ, RigCommand.EDGES, {"from": cursor, "max": count})
        return rig_replies.parse_edges(fields, cursor, channels)

    def levels(self) -> dict[Channel, int]:
        """Return the present electrical level of each channel."""
        channels = self._known().channels
        return rig_replies.parse_levels(
            self._checked(Operation.READ, RigCommand.LEVELS, {}), channels
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
        """
        index = self._known().actuators.get(actuator)
        if index is None:
            raise self._no_actuator(actuator)
        request: dict[str, object] = {
            "act": index,
            "dur": _time("a press of", duration_ns),
            "tok": self._next_token(),
        }
        if at_ns is not None:
            request["at"] = _time("a press at board time", at_ns)
        if force_off:
            request["force"] = True
        try:
            reply = self._checked(Operation.WRITE, RigCommand.PRESS, request)
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
        """
        if Actuator.LID not in self._known().actuators:
            raise self._no_actuator(Actuator.LID)
        request: dict[str, object] = {"closed": closed, "tok": self._next_token()}
        if at_ns is not None:
            request["at"] = _time("a lid move at board time", at_ns)
        return rig_replies.parse_action(self._checked(Operation.WRITE, RigCommand.LID, request))

    def release(self) -> None:
        """Let go of every actuator and forget what was scheduled."""
        self._known()
        self._checked(Operation.WRITE, RigCommand.RELEASE, {})

    def arm_light(
        self, duration_ns: int, baseline_ns: int | None = None, settle_ns: int | None = None
    ) -> None:
        """Record light for `duration_ns` from now, and look for its onset.

        Raises:
            UsageError: a negative time.
            DeviceFault: the board refused, e.g. another baseline while it records.
        """
        self._known()
        request: dict[str, object] = {"dur": _time("light for", duration_ns)}
        if baseline_ns is not None:
            request["base"] = _time("a baseline of", baseline_ns)
        if settle_ns is not None:
            request["settle"] = _time("a settled level of", settle_ns)
        self._checked(Operation.WRITE, RigCommand.LIGHT, request)

    def onset(self) -> LightOnset:
        """Return what is known of the onset of light in the newest recording."""
        self._known()
        return rig_replies.parse_onset(self._checked(Operation.READ, RigCommand.ONSET, {}))

    def light(self, cursor: int, count: int = 128) -> LightBatch:
        """Return up to `count` light blocks numbered from `cursor`."""
        self._known()
        fields = self._checked(Operation.READ, RigCommand.LIGHT, {"from": cursor, "max": count})
        return rig_replies.parse_light(fields, cursor)

    def selftest(self) -> tuple[SelfTestCheck, ...]:
        """Let the board measure itself; refused while an action is under way."""
        self._known()
        fields = self._checked(Operation.WRITE, RigCommand.SELFTEST, {}, _SELFTEST_TIMEOUT_NS)
        return rig_replies.parse_selftest(fields)

    def faults(self) -> Faults:
        """Return the board's fault counters."""
        self._known()
        return rig_replies.parse_faults(self._checked(Operation.READ, RigCommand.FAULTS, {}))

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

    def ping(self, text: str = "resume-rig") -> int:
        """Let the board echo `text` (OS group) and return the round trip in nanoseconds."""
        reply = self._client.request(Operation.WRITE, Group.OS, OsCommand.ECHO, {"d": text})
        fields = Fields(reply.fields, "echo")
        if reply.fields.get("r") != text:
            raise fields.wrong("r", reply.fields.get("r"), repr(text))
        return reply.rx_ns - reply.tx_ns

    def close(self) -> None:
        """Release every actuator if the link still works, and close it; may be called twice."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._identity is not None:
                self._ask(
                    Operation.WRITE, RigCommand.RELEASE, {}, _CLOSING_TIMEOUT_NS, _CLOSING_TRIES
                )
        except RigError as e:
            logger.debug("not released at the end: %s", e)
        finally:
            self._client.close()

    def _known(self) -> Identity:
        """Return the board's identity, asking for it the first time."""
        return self._identity or self._identify()

    def _identify(self) -> Identity:
        """Ask who the board is; its boot id is the valid one from now on."""
        try:
            _, fields = self._ask(Operation.READ, RigCommand.INFO, {})
        except DeviceFault as e:
            if (e.group, e.code) == (SMP_LEVEL, SmpCode.NOT_SUPPORTED):
                raise ProtocolError(
                    f"{self._client.name} is no rig: the board there speaks SMP but has no rig "
                    f"group ({Group.RIG.value})"
                ) from e
            raise
        self._identity = rig_replies.parse_identity(fields)
        return self._identity

    def _ask(
        self,
        operation: Operation,
        command: RigCommand,
        request: Mapping[str, object],
        timeout_ns: int = DEFAULT_TIMEOUT_NS,
        tries: int = DEFAULT_TRIES,
    ) -> tuple[Reply, Fields]:
        reply = self._client.request(
            operation, Group.RIG, command, request, timeout_ns=timeout_ns, tries=tries
        )
        return reply, Fields(reply.fields, command.name.lower())

    def _checked(
        self,
        operation: Operation,
        command: RigCommand,
        request: Mapping[str, object],
        timeout_ns: int = DEFAULT_TIMEOUT_NS,
    ) -> Fields:
        """Ask, and make sure that the answer is of the boot that is known."""
        try:
            _, fields = self._ask(operation, command, request, timeout_ns)
        except DeviceFault as e:
            if e.group == Group.RIG and e.code in _DOUBTFUL_CODES:
                self._check_boot(self._ask(Operation.READ, RigCommand.TIME, {})[1])
            raise
        self._check_boot(fields)
        return fields

    def _check_boot(self, fields: Fields) -> None:
        was, boot = self._known().info.boot_id, fields.count("boot")
        if boot != was:
            raise BoardRebooted(
                f"the board of {self._client.name} rebooted: its boot id was {was} and is {boot}, "
                "so what it stamped before does not compare with what it stamps now"
            )

    def _too_long(self, actuator: Actuator, duration_ns: int, fault: DeviceFault) -> DeviceFault:
        longest = {info.actuator: info.max_press_ns for info in self._known().info.actuators}
        return DeviceFault(
            fault.group,
            fault.code,
            f"the board refused a press of {seconds_text(duration_ns)}: too-long ({fault.code}); "
            f"allowed are up to {seconds_text(longest[actuator])}, or a longer one named force-off",
        )

    def _no_actuator(self, actuator: Actuator) -> DeviceFault:
        present = ", ".join(self._known().actuators) or "none"
        return DeviceFault(
            Group.RIG,
            RigCode.NO_ACTUATOR,
            f"could not move {actuator} on {self._client.name}: it has no such actuator "
            f"(actuators present: {present})",
        )

    def _next_token(self) -> int:
        token = self._token
        self._token = (token + 1) & _U32
        return token


def _time(what: str, value_ns: int) -> int:
    """Return a time that the wire can carry."""
    if not 0 <= value_ns <= INT64_MAX:
        raise UsageError(f"{what} {value_ns} ns is not possible; allowed is 0 to {INT64_MAX} ns")
    return value_ns
