"""The one thread that owns the rig: requests go in by a queue, events come back by an outbox.

It keeps the rig of the bench page open and polls it, or runs a campaign; only `RigWorker` is Qt's.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final, assert_never

from PySide6.QtCore import QObject, Qt, Signal, Slot

from resume_rig.acceptance.bench import BenchInUse
from resume_rig.campaign.run.actions import newest_edge
from resume_rig.gui.worker.events import (
    Answered,
    BenchAction,
    CampaignRefused,
    Connect,
    Connected,
    Connecting,
    Disconnect,
    Disconnected,
    Event,
    FindPorts,
    HealthRead,
    LinkDown,
    Move,
    PortsFound,
    Press,
    RecordLight,
    ReleaseAll,
    Request,
    RunCampaign,
    SelfTest,
    SelfTested,
    WiresRead,
)
from resume_rig.gui.worker.process import Gate
from resume_rig.model.channel import Actuator
from resume_rig.model.edge import ClockExchange, Edge, LightBlock
from resume_rig.model.errors import (
    BoardRebooted,
    DeviceFault,
    LinkLost,
    ProtocolError,
    ResumeRigError,
    RigError,
    UsageError,
)
from resume_rig.model.rig_url import RigUrl
from resume_rig.model.units import seconds_text
from resume_rig.rig.interface import Rig, RigInfo
from resume_rig.rig.link.claim import found_ports
from resume_rig.timing.clocks import VirtualClock
from resume_rig.timing.hull import board_limits
from resume_rig.timing.relation import ClockRelation

_POLL_NS: Final = 20_000_000
_HEALTH_EVERY: Final = 25
_LIGHT_SPAN_NS: Final = 10_000_000_000
_SEGMENTS_KEPT: Final = 2


class BenchSession:
    """One open rig.

    Args:
        bench: closed by `close`.
        emit: gets every event.
    """

    def __init__(self, bench: BenchInUse, emit: Callable[[Event], None]) -> None:
        self._bench = bench
        self._opened = bench.opened
        self._rig: Rig = bench.rig
        self._clock = bench.opened.clock
        self._dut = bench.dut
        self._emit = emit
        self._edge_cursor = 0
        self._light_cursor = 0
        self._light_until_ns: int | None = None
        self._recording = False
        self._polls = 0
        self._relation: ClockRelation | None = None

    def begin(self) -> None:
        """Emit who the rig is, and where its wires stand."""
        self._take(self._rig.info())

    def come_back(self) -> bool:
        """Look for a rig whose link went; return whether it is there again."""
        try:
            info = self._opened.reopen()
        except (LinkLost, ProtocolError, BoardRebooted, UsageError):
            return False
        self._take(info)
        return True

    def poll(self) -> None:
        """Read what the board captured since the last time.

        Raises:
            RigError: the link went, or the board started anew.
        """
        if isinstance(self._clock, VirtualClock):
            # Nobody else lets time pass on a bench that is only looked at.
            self._clock.sleep_ns(_POLL_NS)
        exchange = self._exchange()
        edges, lost = self._read_edges()
        light = self._read_light()
        self._emit(WiresRead(edges, light, exchange.board_tx_ns, lost))
        self._polls += 1
        if self._polls % _HEALTH_EVERY == 1:
            self._report_health(exchange)

    def act(self, request: BenchAction) -> None:
        """Do one thing, and emit what the board answered.

        Raises:
            DeviceFault: the board refuses; nothing was moved.
            RigError: the link went.
        """
        match request:
            case Press(actuator=actuator, duration_ns=duration_ns, force_off=force_off):
                start = self._rig.press(actuator, duration_ns, force_off=force_off)
                key = actuator is Actuator.KEYBOARD
                what = "its key" if key else f"for {seconds_text(duration_ns)}"
                self._answer(f"The board presses {what}, from {_at(start.start_ns)} on.")
            case Move(actuator=actuator, closed=closed):
                move = self._rig.lid if actuator is Actuator.LID else self._rig.contact
                start = move(closed)
                done = f"{actuator.lower()} {'closes' if closed else 'opens'}"
                self._answer(f"The {done}, at {_at(start.start_ns)} of the board.")
            case ReleaseAll():
                self._rig.release()
                self._answer("The board has let go of everything.")
            case RecordLight(on=on):
                self._recording, self._light_until_ns = on, None
            case SelfTest():
                self._emit(SelfTested(self._rig.selftest()))
            case _:
                assert_never(request)

    def close(self) -> None:
        """Release every actuator and let go of the rig."""
        self._bench.close()

    def _answer(self, text: str) -> None:
        self._emit(Answered(True, text))

    def _take(self, info: RigInfo) -> None:
        self._relation = ClockRelation(board_limits(info.clock_tolerance_ppb, info.clock_hz))
        self._light_until_ns, self._polls = None, 0
        self._recording = info.light_ring > 0
        self._edge_cursor = newest_edge(self._rig)
        levels = self._rig.levels()
        exchange = self._exchange()
        self._emit(
            Connected(
                self._opened.url,
                info,
                self._dut,
                self._opened.simulated,
                levels,
                exchange.board_tx_ns,
            )
        )

    def _exchange(self) -> ClockExchange:
        exchange = self._rig.exchange_clocks()
        if self._relation is not None:
            self._relation.add(exchange)
            self._relation.keep_newest(_SEGMENTS_KEPT)
        return exchange

    def _read_edges(self) -> tuple[tuple[Edge, ...], int]:
        edges: list[Edge] = []
        lost, more = 0, True
        while more:
            batch = self._rig.edges(self._edge_cursor)
            edges += batch.edges
            lost += batch.lost
            self._edge_cursor, more = batch.next_number, batch.more
        return tuple(edges), lost

    def _read_light(self) -> tuple[LightBlock, ...]:
        if not self._recording:
            return ()
        now_ns = self._clock.now_ns()
        if self._light_until_ns is None or self._light_until_ns - now_ns < _LIGHT_SPAN_NS // 2:
            self._rig.arm_light(_LIGHT_SPAN_NS)
            self._light_until_ns = now_ns + _LIGHT_SPAN_NS
        blocks: list[LightBlock] = []
        more = True
        while more:
            batch = self._rig.light(self._light_cursor)
            blocks += batch.blocks
            self._light_cursor, more = batch.next_number, batch.more
        return tuple(blocks)

    def _report_health(self, exchange: ClockExchange) -> None:
        found = None
        if self._relation is not None:
            found = self._relation.to_host_ns(exchange.board_rx_ns)
        board_ns = exchange.board_tx_ns - exchange.board_rx_ns
        self._emit(
            HealthRead(
                self._rig.faults(),
                self._rig.levels(),
                None if found is None else found.bound_ns,
                exchange.host_rx_ns - exchange.host_tx_ns - board_ns,
            )
        )


def _at(board_ns: int) -> str:
    return f"{board_ns / 1e9:.3f} s"


MOST_WAITING = 2_000
MOST_A_BATCH = 64


class Outbox:
    """One thread puts events in, another one takes them out.

    Args:
        wake: called when there is something to take, once until it is taken.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._events: deque[Event] = deque()
        self._room = threading.Condition()
        self._wake = wake
        self._woken = False
        self._closed = False

    def put(self, event: Event) -> None:
        """Put an event in; waits while the window is behind, so that memory stays bounded."""
        with self._room:
            self._room.wait_for(lambda: len(self._events) < MOST_WAITING or self._closed)
            self._events.append(event)
            wake, self._woken = not self._woken, True
        if wake:
            self._wake()

    def take(self) -> tuple[Event, ...]:
        """Return the oldest events; whoever called is woken again where more are waiting."""
        with self._room:
            count = min(len(self._events), MOST_A_BATCH)
            taken = tuple(self._events.popleft() for _ in range(count))
            self._woken = bool(self._events)
            self._room.notify_all()
            more = self._woken
        if more:
            self._wake()
        return taken

    def close(self) -> None:
        """Let nobody wait any more."""
        with self._room:
            self._closed = True
            self._room.notify_all()


# Rigs and campaigns are imported where they are used: the window is there sooner.
logger = logging.getLogger(__name__)

POLL_S: Final = 0.02
_BACK_EVERY_S: Final = 1.0


class RigWorker(QObject):
    """Takes requests in one thread, works on them in another, and reports what comes of them.

    Signals:
        reported: a tuple of events in order, in the window's thread.

    Attributes:
        gate: holds and stops the campaign that was asked for last.
        order: that campaign; None before any.
    """

    reported = Signal(tuple)
    _woken = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.gate = Gate()
        self.order: RunCampaign | None = None
        self._outbox = Outbox(self._woken.emit)
        self._requests: SimpleQueue[Request | None] = SimpleQueue()
        self._woken.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._loop = _Loop(self._requests, self._outbox.put, lambda: self.gate)
        self._thread = threading.Thread(target=self._loop.run, name="rig", daemon=True)
        self._thread.start()

    def ask(self, request: Request) -> None:
        """Put a request behind those that wait."""
        if isinstance(request, RunCampaign):
            self.gate, self.order = Gate(), request
        self._requests.put(request)

    def close(self, patience_s: float = 15.0) -> bool:
        """Stop a campaign, release the rig and end the thread; return whether it ended in time."""
        self.gate.stop()
        self._outbox.close()
        self._requests.put(None)
        self._thread.join(patience_s)
        return not self._thread.is_alive()

    @Slot()
    def _deliver(self) -> None:
        events = self._outbox.take()
        if events:
            self.reported.emit(events)


class _Loop:
    """What the thread does; it alone touches the session."""

    def __init__(
        self,
        requests: "SimpleQueue[Request | None]",
        emit: Callable[[Event], None],
        gate: Callable[[], Gate],
    ) -> None:
        self._requests = requests
        self._emit = emit
        self._gate = gate
        self._session: BenchSession | None = None
        self._down = False

    def run(self) -> None:
        while True:
            try:
                request = self._requests.get(timeout=self._pause_s())
            except Empty:
                self._guarded(self._poll)
                continue
            if request is None:
                break
            self._guarded(partial(self._do, request))
        self._let_go()

    def _pause_s(self) -> float | None:
        if self._session is None:
            return None
        return _BACK_EVERY_S if self._down else POLL_S

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except RigError as error:
            # The session stays: its link may come back.
            self._down = True
            self._emit(LinkDown(str(error)))
        except Exception as error:
            # The last resort: a mistake of the program must not end the thread without a word.
            logger.exception("the rig's thread failed")
            self._let_go()
            what = f"internal error, {type(error).__name__}: {error}; please report it"
            self._emit(Disconnected(what))

    def _poll(self) -> None:
        if self._session is None:
            return
        if self._down:
            if not self._session.come_back():
                return
            self._down = False
        self._session.poll()

    def _do(self, request: Request) -> None:
        match request:
            case FindPorts():
                self._emit(PortsFound(found_ports()))
            case Connect(url=url, dut=dut):
                self._connect(url, dut)
            case Disconnect():
                self._let_go()
                self._emit(Disconnected())
            case RunCampaign():
                self._run(request)
            case _:
                self._act(request)

    def _connect(self, url: RigUrl, dut: str | None) -> None:
        from resume_rig.acceptance.bench import open_bench

        self._let_go()
        self._emit(Connecting(url))
        try:
            bench = open_bench(url, dut or None)
        except ResumeRigError as error:
            self._emit(Disconnected(str(error)))
            return
        self._session = BenchSession(bench, self._emit)
        self._session.begin()

    def _act(self, request: BenchAction) -> None:
        if self._session is None or self._down:
            self._emit(Answered(False, "No rig is connected; connect one first."))
            return
        try:
            self._session.act(request)
        except DeviceFault as error:
            # The interlock's answer, not a fault of the link.
            self._emit(Answered(False, str(error)))

    def _run(self, order: RunCampaign) -> None:
        """Let go of the rig, which the campaign opens for itself, as the command line does."""
        from resume_rig.gui.worker.campaign_session import run_campaign_process

        self._let_go()
        self._emit(Disconnected())
        try:
            run_campaign_process(order, self._emit, self._gate())
        except ResumeRigError as error:
            self._emit(CampaignRefused(str(error)))

    def _let_go(self) -> None:
        session, self._session, self._down = self._session, None, False
        if session is not None:
            session.close()
