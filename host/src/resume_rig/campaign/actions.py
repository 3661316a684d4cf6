"""Single actions on a bench, outside of campaigns: one press, a lid held closed."""

from collections.abc import Callable
from dataclasses import dataclass

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.clock import Clock
from resume_rig.model.edge import Edge
from resume_rig.rig.interface import ActionStart, Rig

# The header's edge comes up to some milliseconds after the output's.
RELEASE_LAG_NS = 20_000_000


@dataclass(frozen=True, slots=True)
class MeasuredPress:
    """What was asked for and what the header saw; board clock.

    Attributes:
        commanded_ns: duration that was asked for.
        start_ns: when the output was driven.
        pressed_ns, released_ns: the sensed edges; None where none came.
    """

    commanded_ns: int
    start_ns: int
    pressed_ns: int | None
    released_ns: int | None

    @property
    def width_ns(self) -> int | None:
        """How long the header saw it; None where it saw no whole press."""
        if self.pressed_ns is None or self.released_ns is None:
            return None
        return self.released_ns - self.pressed_ns


def press_once(rig: Rig, clock: Clock, duration_ns: int, *, force_off: bool) -> MeasuredPress:
    """Press the button, stay in touch while it lasts, and read what the header saw.

    Raises:
        DeviceFault: the board refuses; nothing was pressed.
        RigError: the link broke; the board lets go when its lease is over.
    """
    pause_ns = rig.info().lease_ns // 4
    cursor = newest_edge(rig)
    start = rig.press(Actuator.BUTTON, duration_ns, force_off=force_off)
    left_ns = duration_ns + RELEASE_LAG_NS
    while left_ns > 0:
        clock.sleep_ns(min(left_ns, pause_ns))
        left_ns -= pause_ns
        rig.exchange_clocks()
    pressed_ns, released_ns = _pulse(edges_from(rig, cursor))
    return MeasuredPress(duration_ns, start.start_ns, pressed_ns, released_ns)


def hold_lid(
    rig: Rig, clock: Clock, duration_ns: int | None, told: Callable[[], None]
) -> tuple[ActionStart, ActionStart]:
    """Close the lid, keep it closed, open it; return both moves.

    Args:
        rig: its board opens the lid by itself when nobody asks for it any more.
        clock: the rig's.
        duration_ns: how long; None until a KeyboardInterrupt, which is taken as "open it".
        told: called when the lid is closed.

    Raises:
        DeviceFault: the board refuses.
        KeyboardInterrupt: it came before `duration_ns` was over.
    """
    pause_ns = rig.info().lease_ns // 4
    closed = rig.lid(True)
    told()
    end_ns = None if duration_ns is None else clock.now_ns() + duration_ns
    try:
        while end_ns is None or (left_ns := end_ns - clock.now_ns()) > 0:
            clock.sleep_ns(pause_ns if end_ns is None else min(pause_ns, left_ns))
            rig.exchange_clocks()
    except KeyboardInterrupt:
        if duration_ns is not None:
            raise
    return closed, rig.lid(False)


def newest_edge(rig: Rig) -> int:
    """Return the cursor behind the newest edge."""
    cursor, more = 0, True
    while more:
        batch = rig.edges(cursor)
        cursor, more = batch.next_number, batch.more
    return cursor


def edges_from(rig: Rig, cursor: int) -> list[Edge]:
    """Return every edge numbered from `cursor`."""
    edges: list[Edge] = []
    more = True
    while more:
        batch = rig.edges(cursor)
        edges.extend(batch.edges)
        cursor, more = batch.next_number, batch.more
    return edges


def _pulse(edges: list[Edge]) -> tuple[int | None, int | None]:
    """Return the first press among `edges` and its release."""
    button = [edge for edge in edges if edge.channel is Channel.BUTTON]
    down = next((edge.t_ns for edge in button if edge.level == 0), None)
    if down is None:
        return None, None
    return down, next((e.t_ns for e in button if e.level == 1 and e.t_ns > down), None)
