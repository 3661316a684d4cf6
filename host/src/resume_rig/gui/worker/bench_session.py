"""A rig that is open in the bench view: its wires as they come, and single actions. Free of Qt."""

from collections.abc import Callable
from typing import Final, assert_never

from resume_rig.acceptance.bench import BenchInUse
from resume_rig.campaign.run.actions import newest_edge
from resume_rig.gui.worker.events import (
    Answered,
    Connected,
    Event,
    HealthSeen,
    SelfTested,
    WiresSeen,
)
from resume_rig.gui.worker.requests import (
    BenchAction,
    MoveContact,
    MoveLid,
    Press,
    PressKey,
    RecordLight,
    ReleaseAll,
    SelfTest,
)
from resume_rig.model.channel import Actuator
from resume_rig.model.edge import ClockExchange, Edge, LightBlock
from resume_rig.model.errors import BoardRebooted, LinkLost, ProtocolError, UsageError
from resume_rig.model.units import seconds_text
from resume_rig.rig.interface import Rig, RigInfo
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
        tell: gets every event.
    """

    def __init__(self, bench: BenchInUse, tell: Callable[[Event], None]) -> None:
        self._bench = bench
        self._opened = bench.opened
        self._rig: Rig = bench.rig
        self._clock = bench.opened.clock
        self._dut = bench.dut
        self._tell = tell
        self._edge_cursor = 0
        self._light_cursor = 0
        self._light_until_ns: int | None = None
        self._recording = False
        self._polls = 0
        self._relation: ClockRelation | None = None

    def begin(self) -> None:
        """Say who the rig is, and where its wires stand."""
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
        self._tell(WiresSeen(edges, light, exchange.board_tx_ns, lost))
        self._polls += 1
        if self._polls % _HEALTH_EVERY == 1:
            self._tell_health(exchange)

    def act(self, request: BenchAction) -> None:
        """Do one thing, and tell what the board answered.

        Raises:
            DeviceFault: the board refuses; nothing was moved.
            RigError: the link went.
        """
        match request:
            case Press(duration_ns=duration_ns, force_off=force_off):
                self._press(duration_ns, force_off=force_off)
            case MoveLid(closed=closed):
                start = self._rig.lid(closed)
                done = "closes" if closed else "opens"
                self._answer("lid", f"The lid {done}, at {_at(start.start_ns)} of the board.")
            case PressKey(duration_ns=duration_ns):
                start = self._rig.press(Actuator.KEYBOARD, duration_ns)
                self._answer("key", f"The board presses its key, from {_at(start.start_ns)} on.")
            case MoveContact(closed=closed):
                start = self._rig.contact(closed)
                done = "closes" if closed else "opens"
                self._answer(
                    "contact", f"The contact {done}, at {_at(start.start_ns)} of the board."
                )
            case ReleaseAll():
                self._rig.release()
                self._answer("release", "The board has let go of everything.")
            case RecordLight(on=on):
                self._recording, self._light_until_ns = on, None
            case SelfTest():
                self._tell(SelfTested(self._rig.selftest()))
            case _:
                assert_never(request)

    def close(self) -> None:
        """Release every actuator and let go of the rig."""
        self._bench.close()

    def _press(self, duration_ns: int, *, force_off: bool) -> None:
        start = self._rig.press(Actuator.BUTTON, duration_ns, force_off=force_off)
        text = f"The board presses for {seconds_text(duration_ns)}, from {_at(start.start_ns)} on."
        self._answer("press", text)

    def _answer(self, action: str, text: str) -> None:
        self._tell(Answered(action, True, text))

    def _take(self, info: RigInfo) -> None:
        self._relation = ClockRelation(board_limits(info.clock_tolerance_ppb, info.clock_hz))
        self._light_until_ns, self._polls = None, 0
        self._recording = info.light_ring > 0
        self._edge_cursor = newest_edge(self._rig)
        levels = self._rig.levels()
        exchange = self._exchange()
        self._tell(
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

    def _tell_health(self, exchange: ClockExchange) -> None:
        found = None
        if self._relation is not None:
            found = self._relation.to_host_ns(exchange.board_rx_ns)
        board_ns = exchange.board_tx_ns - exchange.board_rx_ns
        self._tell(
            HealthSeen(
                self._rig.faults(),
                self._rig.levels(),
                None if found is None else found.bound_ns,
                exchange.host_rx_ns - exchange.host_tx_ns - board_ns,
            )
        )


def _at(board_ns: int) -> str:
    return f"{board_ns / 1e9:.3f} s"
