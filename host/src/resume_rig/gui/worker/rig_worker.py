"""The one thread that owns the rig, and its events on their way to the window."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Qt, Signal, Slot

from resume_rig.gui.worker.events import (
    Answered,
    CampaignRefused,
    Connecting,
    Disconnected,
    Event,
    LinkDown,
    PortsFound,
)
from resume_rig.gui.worker.gate import Gate
from resume_rig.gui.worker.requests import (
    BenchAction,
    Connect,
    Disconnect,
    FindPorts,
    Request,
    RunCampaign,
)
from resume_rig.model.errors import DeviceFault, ResumeRigError, RigError
from resume_rig.rig.link.ports import found_ports

if TYPE_CHECKING:
    from resume_rig.gui.worker.bench_session import BenchSession


MOST_WAITING = 2_000
MOST_A_BATCH = 64


class Outbox:
    """One thread puts events in, another one takes them out.

    Args:
        wake: called when there is something to take and nobody has been told so yet.
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
    """Takes requests in one thread, works on them in another, and tells what comes of them.

    Signals:
        told: a tuple of events in order, in the window's thread.

    Attributes:
        gate: holds and stops the campaign that was asked for last.
        order: that campaign; None before any.
    """

    told = Signal(tuple)
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
            self.told.emit(events)


class _Loop:
    """What the thread does; it alone touches the session."""

    def __init__(
        self,
        requests: "SimpleQueue[Request | None]",
        tell: Callable[[Event], None],
        gate: Callable[[], Gate],
    ) -> None:
        self._requests = requests
        self._tell = tell
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
            self._tell(LinkDown(str(error)))
        except Exception as error:
            # The last resort: a mistake of the program must not end the thread without a word.
            logger.exception("the rig's thread failed")
            self._let_go()
            what = f"internal error, {type(error).__name__}: {error}; please report it"
            self._tell(Disconnected(what))

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
                self._tell(PortsFound(found_ports()))
            case Connect(url=url, dut=dut):
                self._connect(url, dut)
            case Disconnect():
                self._let_go()
                self._tell(Disconnected())
            case RunCampaign():
                self._run(request)
            case _:
                self._act(request)

    def _connect(self, url: str, dut: str | None) -> None:
        from resume_rig.acceptance.bench import open_bench
        from resume_rig.gui.worker.bench_session import BenchSession

        self._let_go()
        self._tell(Connecting(url))
        try:
            bench = open_bench(url, dut or None)
        except ResumeRigError as error:
            self._tell(Disconnected(str(error)))
            return
        self._session = BenchSession(bench, self._tell)
        self._session.begin()

    def _act(self, request: BenchAction) -> None:
        if self._session is None or self._down:
            self._tell(Answered("action", False, "No rig is connected; connect one first."))
            return
        try:
            self._session.act(request)
        except DeviceFault as error:
            # The interlock's answer, not a fault of the link.
            self._tell(Answered(type(request).__name__, False, str(error)))

    def _run(self, order: RunCampaign) -> None:
        """Let go of the rig, which the campaign opens for itself, as the command line does."""
        from resume_rig.gui.worker.campaign_session import run_campaign_apart

        self._let_go()
        self._tell(Disconnected())
        try:
            run_campaign_apart(order, self._tell, self._gate())
        except ResumeRigError as error:
            self._tell(CampaignRefused(str(error)))

    def _let_go(self) -> None:
        session, self._session, self._down = self._session, None, False
        if session is not None:
            session.close()
