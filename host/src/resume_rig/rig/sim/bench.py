"""The simulated bench: board and DUT on one world time, and the SMP that the board answers.

Nothing here runs by itself. `advance` and `handle` do all that is due since the last call, in
strict time order, so that edges carry exact event times however rarely the bench is asked, and a
thousand cycles on a virtual clock cost no more than their events. One thread at a time.
"""

from collections.abc import Collection, Mapping
from enum import IntEnum, unique
from typing import Final

import cbor2
from numpy.random import Generator, SeedSequence, default_rng

from resume_rig import __version__
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.clock import Clock
from resume_rig.model.dut import DutBehaviour, DutProfile
from resume_rig.model.os_record import SleepKind
from resume_rig.rig.commands.board import TimeRequest
from resume_rig.rig.commands.capture import EdgesRequest, LevelsRequest, PowerRequest
from resume_rig.rig.dut_profile import mac_bytes
from resume_rig.rig.interface import Keyboard, KeyboardBus
from resume_rig.rig.sim.board import EDGE_RING, LIGHT_RATE_HZ, BoardWiring, SimulatedBoard
from resume_rig.rig.sim.dut.event import DutEvent, PanelChange, SimFault, WireChange
from resume_rig.rig.sim.dut.machine import SimulatedDut
from resume_rig.rig.sim.dut.os_log import DUT_LOG_NAME, OsClock, OsLog
from resume_rig.rig.sim.dut.panel import Load, Panel
from resume_rig.rig.sim.dut.plug import LoopbackPlug, Plugged
from resume_rig.rig.sim.dut.states import PowerState, has_state
from resume_rig.rig.sim.schedule import DutDiary, FaultInjector, FaultSchedule
from resume_rig.rig.smp.packet import (
    HEADER,
    OPERATION_BITS,
    VERSION_2,
    VERSION_BITS,
    Group,
    Operation,
    OsCommand,
)
from resume_rig.rig.smp.request import FileCode, RigCode, SmpCode

# As our images configure them: CONFIG_MCUMGR_TRANSPORT_NETBUF_SIZE and _COUNT.
BUFFER_BYTES: Final = 2048
BUFFER_COUNT: Final = 4
IN_PROCESS_BYTES: Final = 16_384
"""Of a board that no line is in front of."""
_FILE_OVERHEAD_BYTES: Final = 64  # header, keys and lengths around a chunk of a file
_MAX_DEPTH: Final = 8  # rig.cddl: levels of a request
# As plain numbers: an enum's are slow to compare.
_WRITE: Final = int(Operation.WRITE)
_REQUESTS: Final = (int(Operation.READ), _WRITE)
_RIG: Final = int(Group.RIG)
_OK: Final = int(SmpCode.OK)


_MAX_RATE_PPB: Final = 30_000  # a plain crystal
_EDGES: Final = EdgesRequest.command
_POWER: Final = PowerRequest.command
# Commands that read no light; it is sampled when somebody asks for it, the panel switches, or its
# recording is over.
_BLIND: Final = frozenset({TimeRequest.command, _EDGES, LevelsRequest.command, _POWER})


def _streams(seed: int) -> tuple[Generator, ...]:
    return tuple(default_rng(stream) for stream in SeedSequence(seed).spawn(5))


class SimulatedBench:
    """One DUT that is up, wired to one board that has just booted.

    World time is the time on `clock` since the bench was made. Equal seeds, clocks and requests
    give equal benches.

    Args:
        profile: of the DUT.
        clock: the host's; only read, never waited on.
        seed: 0 or more.
        sessions_before: of the same campaign. What the DUT does is drawn anew in each; its clocks
            and the crystal of the board stay what they are.
        faults: how the DUT misbehaves; empty for not at all.
        light_rate_hz: of the board's photodiode; a divisor of 1e9, 0: it has none.
        loopback: a plug is in the DUT's place, which stays dark and logs nothing.
        diary: takes what the DUT really does.
        power: the board has a power monitor.
        buffer_bytes: the longest packet that the board takes or gives.
        schedule: of faults that are injected into board and DUT.
    """

    def __init__(
        self,
        profile: DutProfile,
        clock: Clock,
        seed: int,
        *,
        sessions_before: int = 0,
        faults: frozenset[SimFault] = frozenset(),
        light_rate_hz: int = LIGHT_RATE_HZ,
        loopback: bool = False,
        diary: DutDiary | None = None,
        schedule: FaultSchedule | None = None,
        buffer_bytes: int = BUFFER_BYTES,
        power: bool = False,
    ) -> None:
        self._diary = diary
        self._profile = profile
        self._clock = clock
        self._start_ns = clock.now_ns()
        # A stream for each part: what one draws does not shift what another one gets.
        dut, log, _, board, light = _streams(seed + sessions_before)
        _, _, time, crystal, _ = _streams(seed)
        self._dut: Plugged = LoopbackPlug(dut) if loopback else SimulatedDut(profile, dut, faults)
        self._log = OsLog(profile, OsClock(clock.utc_ns(), time), log, faults)
        self._panel = Panel(light, profile.behaviour.pwm_hz, profile.behaviour.pwm_duty)
        self._moves: list[tuple[int, Actuator, bool]] = []
        self._changed: set[Channel] = set()
        self._board = SimulatedBoard(
            BoardWiring(profile.channels, profile.actuators),
            self.now_ns,
            lambda t_ns, actuator, driven: self._moves.append((t_ns, actuator, driven)),
            board,
            round(crystal.uniform(-1, 1) * _MAX_RATE_PPB),
            light_rate_hz=light_rate_hz,
            keyboard=self._keyboard if Actuator.KEYBOARD in profile.actuators else None,
            power=power,
        )
        self._load = Load(self._load_mw())
        self._board.boot(0, self._dut.levels, "power-on")
        self._server = SmpServer(self, buffer_bytes)
        self._reached_ns = 0
        self._idle_until_ns = 0  # nothing is due before that, unless somebody touches a part
        self._arrived_ns = 0
        self._read_bytes = 0
        self._held_bytes: int | None = None
        self._injected = None if schedule is None else FaultInjector(schedule, faults, self)

    # --- for whoever serves the bench

    def now_ns(self) -> int:
        """Return world time."""
        return self._clock.now_ns() - self._start_ns

    def handle(self, packet: bytes) -> bytes | None:
        """Answer one SMP packet; None where a board stays silent."""
        replies = self.answers(packet)
        return replies[0] if len(replies) == 1 else b"".join(replies) or None

    def answers(self, packet: bytes) -> list[bytes]:
        """Return a reply packet for each request in an SMP packet, of which there may be several.

        The packet counts as arrived when this is called.
        """
        self._arrived_ns = self.advance()
        return self._server.answers(packet)

    def advance(self) -> int:
        """Do all that is due by now; return the world time [ns] reached."""
        now_ns = max(self._clock.now_ns() - self._start_ns, self._reached_ns)
        if self._injected is not None:
            self._injected.advance(now_ns)
        if now_ns >= self._idle_until_ns:
            self.advance_to(now_ns)
        self._reached_ns = now_ns
        return now_ns

    def next_change_ns(
        self, until_host_ns: int, channels: Collection[Channel], *, log: bool = False
    ) -> int:
        """Let the DUT go on up to its next change; return the host time of that (`Foresight`).

        The bench is then ahead of its clock, which has to follow before the next request.
        """
        until_ns = until_host_ns - self._start_ns
        if self._injected is not None:
            until_ns = min(until_ns, self._injected.next_ns(until_ns))
        log_bytes = self._shown_bytes() if log else 0
        # What nobody has read yet still counts as a change.
        while self._changed.isdisjoint(channels) and not (log and self._shown_bytes() > log_bytes):
            due = self._next_due()
            if due is None or due[0] > until_ns:
                self._idle_until_ns = until_ns if due is None else due[0]
                return self._start_ns + until_ns
            self._do(*due)
            self._reached_ns = max(self._reached_ns, due[0])
        return self._start_ns + self._reached_ns

    def set_faults(self, faults: frozenset[SimFault]) -> None:
        """Let the DUT misbehave in these ways, and no others, from now on."""
        self.advance()
        if self._injected is not None:
            self._injected.stand_by(faults)
        else:
            self.misbehave(faults)

    def supply(self, *, on: bool) -> None:
        """Cut the supply of the DUT, or give it back; a loop-back plug has none."""
        t_ns = self._touch()
        if isinstance(self._dut, SimulatedDut):
            self._dut.supply(t_ns, on)

    def has_state(self, state: SleepKind) -> bool:
        """Return whether the DUT can go into a state; S3 is what it makes of it."""
        return has_state(self._profile.behaviour.sleeps, state)

    def command_sleep(self, state: SleepKind) -> bool:
        """Command the DUT's OS into a state; return whether it runs and does so."""
        t_ns = self._touch()
        return isinstance(self._dut, SimulatedDut) and self._dut.command(t_ns, state)

    def arm_timer(self, after_ns: int | None) -> bool:
        """Let the DUT's clock wake it, or forget that (None); return whether its OS runs."""
        t_ns = self._touch()
        return isinstance(self._dut, SimulatedDut) and self._dut.arm_timer(t_ns, after_ns)

    def magic_packet(self, address: bytes) -> None:
        """A magic packet for a network adapter is on its way to the DUT."""
        t_ns = self._touch()
        mac = self._profile.mac
        if isinstance(self._dut, SimulatedDut) and mac is not None and mac_bytes(mac) == address:
            self._dut.magic_packet(t_ns)

    def os_runs(self) -> bool:
        """Return whether the DUT's OS would answer now."""
        self.advance()
        return isinstance(self._dut, SimulatedDut) and self._dut.state is PowerState.UP

    def health_report(self) -> str | None:
        """Return the health report of the DUT's OS; None where it would not answer now."""
        if not self.os_runs() or not isinstance(self._dut, SimulatedDut):
            return None
        return self._dut.health.report(self._reached_ns)

    def set_behaviour(self, behaviour: DutBehaviour) -> None:
        """Let the DUT err in this way from now on."""
        self.advance()
        if isinstance(self._dut, SimulatedDut):
            self._dut.behaviour = behaviour

    def log_document(self) -> str:
        """Return the DUT's event log up to now as one XML document."""
        self.advance()
        return self._log.document()

    # --- what is injected; the bench has been brought up to that world time

    def advance_to(self, t_ns: int) -> None:
        """Let board and DUT do what is due by a world time."""
        if t_ns < self._idle_until_ns:
            return
        while (due := self._next_due()) is not None and due[0] <= t_ns:
            self._do(*due)
        self._idle_until_ns = t_ns + 1 if due is None else due[0]

    def misbehave(self, faults: frozenset[SimFault]) -> None:
        """Let DUT and log misbehave in these ways from here on."""
        self._dut.faults = faults
        self._log.faults = faults

    def reset_board(self, t_ns: int) -> None:
        """Pull the reset pin of the board."""
        self._board.sample_light(self._panel, t_ns)
        self._restart_board(t_ns, "pin")

    def overrun_ring(self, t_ns: int) -> None:
        """Let a line flutter by more edges than the board's ring holds; it ends as it was."""
        line = self._board.channels[-1]
        level = self._dut.levels[line]
        for _ in range(EDGE_RING):
            self._board.edge(t_ns, line, 1 - level)
            self._board.edge(t_ns, line, level)

    def step_os_clock(self, t_ns: int, by_ns: int) -> None:
        """Set the OS clock of the DUT."""
        self._log.step_clock(t_ns, by_ns)

    def wrap_log(self) -> None:
        """Overwrite what stands in the DUT's log and nobody has read."""
        self._log.cut(self._read_bytes)

    def hold_log(self, *, held: bool) -> None:
        """Show nothing of what the DUT logs from here on, until it is let go."""
        self._held_bytes = self._log.size_bytes if held else None

    # --- what the SMP server asks for

    def rig_request(
        self, command: int, write: bool, payload: bytes, room: int
    ) -> tuple[int, bytes]:
        """Let the board answer a request of the rig group."""
        if command == _EDGES:
            self._changed.clear()
        if write:  # reading makes nothing due sooner
            self._idle_until_ns = 0
        if command == _POWER:
            self._board.sample_power(self._load, self._arrived_ns)
        if command not in _BLIND or self._board.light_ends_by(self._arrived_ns):
            self._board.sample_light(self._panel, self._arrived_ns)
        rx_ns = self._board.board_ns(self._arrived_ns)
        answer = self._board.request(command, write, rx_ns, payload, room)
        if self._moves:
            self._pass_moves()
        return answer

    def take_permit(self) -> bool:
        """Return whether the board permits what is hard to undo, once."""
        return self._board.take_permit(self._arrived_ns)

    def reboot(self) -> None:
        """Restart the board; the DUT notices nothing but the release of what was driven."""
        self._restart_board(self._arrived_ns, "software")

    def file_size(self, name: str) -> int | None:
        """Return the length of the DUT's log in bytes."""
        return self._shown_bytes() if name == DUT_LOG_NAME else None

    def file_bytes(self, name: str, offset: int, count: int) -> bytes:
        """Return a part of the DUT's log, as fragments: one event a line."""
        count = min(count, max(0, self._shown_bytes() - offset))
        self._read_bytes = max(self._read_bytes, offset + count)
        return self._log.text_from(offset, count) if name == DUT_LOG_NAME else b""

    def _keyboard(self) -> Keyboard:
        if isinstance(self._dut, SimulatedDut):
            return self._dut.keyboard()
        return Keyboard(KeyboardBus.DETACHED, False, 0, 0, 0)

    # --- one step after another

    def _shown_bytes(self) -> int:
        size_bytes = self._log.size_bytes
        return size_bytes if self._held_bytes is None else min(size_bytes, self._held_bytes)

    def _touch(self) -> int:
        """Do all that is due, and be ready for something that is due sooner."""
        t_ns = self.advance()
        self._idle_until_ns = 0
        return t_ns

    def _restart_board(self, t_ns: int, reason: str) -> None:
        self._idle_until_ns = 0
        self._board.release(t_ns)
        self._pass_moves()
        self._board.boot(t_ns, self._dut.levels, reason)

    def _next_due(self) -> tuple[int, bool] | None:
        """Return when something is due next, and whether it is the board's."""
        dut_ns = self._dut.next_event_ns()
        board_ns = self._board.deadline_world_ns()
        if board_ns is not None and (dut_ns is None or board_ns <= dut_ns):
            return board_ns, True
        return None if dut_ns is None else (dut_ns, False)

    def _do(self, t_ns: int, of_board: bool) -> None:
        if of_board:
            self._board.tick(t_ns)
            self._pass_moves()
            return
        for event in self._dut.advance(t_ns):
            self._take(event)
        self._load.change(t_ns, self._load_mw())

    def _load_mw(self) -> int:
        return self._dut.load_mw() if isinstance(self._dut, SimulatedDut) else 0

    def _take(self, event: DutEvent) -> None:
        if self._diary is not None:
            self._diary.take(event)
        match event:
            case WireChange(t_ns, channel, level):
                self._changed.add(channel)
                self._board.edge(t_ns, channel, level)
            case PanelChange():
                self._board.sample_light(self._panel, event.t_ns)
                self._panel.switch(event.t_ns, event.lit)
            case _:
                self._log.take(event)

    def _pass_moves(self) -> None:
        """Hand the DUT what the board drove; the core must not be called back while it drives."""
        moves, self._moves = self._moves, []
        for t_ns, actuator, driven in moves:
            self._dut.move(t_ns, actuator, driven)


@unique
class _FileCommand(IntEnum):
    """Commands of the file group that are answered."""

    DATA = 0
    STATUS = 1


_Map = Mapping[object, object]
_Answer = dict[str, object] | SmpCode | FileCode


class SmpServer:
    """The board's side of SMP: OS group, file group (the DUT's log) and rig group.

    Refusals are those of Zephyr's mcumgr: an SMP `rc` where the request is not understood, the
    group's own error where the group refuses. Nothing is kept between two requests.
    """

    def __init__(self, bench: SimulatedBench, buffer_bytes: int) -> None:
        self._bench = bench
        self._buffer_bytes = buffer_bytes

    def answers(self, data: bytes) -> list[bytes]:
        """Return one reply packet for each request in `data`.

        Requests may stand one behind another. What is too short for a header is dropped, as no
        reply could be addressed; so are replies, lest two boards talk to each other for ever.
        """
        replies: list[bytes] = []
        while len(data) >= HEADER.size:
            # Unpacked without a Header: a simulated campaign asks thousands of times a second.
            first, _, length_bytes, group, sequence, command = HEADER.unpack_from(data)
            operation = first & OPERATION_BITS
            end = HEADER.size + length_bytes
            if operation in _REQUESTS:
                whole = end <= len(data) <= self._buffer_bytes
                write, payload = operation == _WRITE, data[HEADER.size : end]
                body = (
                    self._reply(group, command, write, payload) if whole else _rc(SmpCode.CORRUPT)
                )
                first = min(first >> 3 & VERSION_BITS, VERSION_2) << 3 | operation + 1
                reply = HEADER.pack(first, 0, len(body), group, sequence, command)
                replies.append(reply + body)
            data = data[end:]
        return replies

    def _reply(self, group: int, command: int, write: bool, payload: bytes) -> bytes:
        if group == _RIG:
            code, body = self._bench.rig_request(
                command, write, payload, self._buffer_bytes - HEADER.size
            )
            return body if code == _OK else _rc(SmpCode(code))
        request = _decoded(payload)
        if request is None:
            return _rc(SmpCode.INVALID_VALUE)
        match group:
            case Group.OS:
                answer = self._os_answer(command, write, request)
            case Group.FILE:
                answer = self._file_answer(command, write, request)
            case _:
                answer = SmpCode.NOT_SUPPORTED
        return _body(answer)

    def _os_answer(self, command: int, write: bool, request: _Map) -> _Answer:
        match command, write:
            case (OsCommand.ECHO, _):  # mcumgr takes it as read and as write
                text = request.get("d")
                return {"r": text} if isinstance(text, str) else SmpCode.INVALID_VALUE
            case (OsCommand.RESET, True):
                if not self._bench.take_permit():
                    return {"err": {"group": int(Group.RIG), "rc": int(RigCode.NO_NONCE)}}
                self._bench.reboot()
                return {}
            case (OsCommand.BUFFERS, False):
                return {"buf_size": self._buffer_bytes, "buf_count": BUFFER_COUNT}
            case (OsCommand.INFO, False):
                return {"output": f"resume-rig simulated bench {__version__}"}
            case _:
                return SmpCode.NOT_SUPPORTED

    def _file_answer(self, command: int, write: bool, request: _Map) -> _Answer:
        if write or command not in (_FileCommand.DATA, _FileCommand.STATUS):
            return SmpCode.NOT_SUPPORTED
        name = request.get("name")
        if not isinstance(name, str) or not name:
            return SmpCode.INVALID_VALUE
        size = self._bench.file_size(name)
        if size is None:
            return FileCode.NOT_FOUND
        if command == _FileCommand.STATUS:
            return {"len": size}
        return self._chunk(name, size, request.get("off", 0))

    def _chunk(self, name: str, size: int, offset: object) -> _Answer:
        if not isinstance(offset, int) or isinstance(offset, bool) or offset < 0:
            return SmpCode.INVALID_VALUE
        if offset > size:
            return FileCode.OFFSET_BEYOND_FILE
        data = self._bench.file_bytes(name, offset, self._buffer_bytes - _FILE_OVERHEAD_BYTES)
        # mcumgr gives the length with offset 0 only; a log that grows is read from further on.
        return {"off": offset, "data": data, "len": size}


def _decoded(payload: bytes) -> _Map | None:
    """Return the CBOR map of a request; no bytes at all are an empty map, as for mcumgr."""
    if not payload:
        return {}
    try:
        found: object = cbor2.loads(payload, max_depth=_MAX_DEPTH)
    except (cbor2.CBORError, ValueError, OverflowError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None


def _body(answer: _Answer) -> bytes:
    match answer:
        case SmpCode():
            return _rc(answer)
        case FileCode():
            return cbor2.dumps({"err": {"group": int(Group.FILE), "rc": int(answer)}})
        case _:
            return cbor2.dumps(answer)


def _rc(code: SmpCode) -> bytes:
    return cbor2.dumps({"rc": int(code)})
