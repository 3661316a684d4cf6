"""Pause and stop: asked for in the window's thread, obeyed in the rig's. Free of Qt."""

import threading
from collections.abc import Callable

from resume_rig.model.clock import Clock

_LOOK_EVERY_NS = 50_000_000


class Gate:
    """What somebody at the window wants of a campaign that runs."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._go = threading.Event()
        self._go.set()

    @property
    def held(self) -> bool:
        """Whether it is to wait before its next cycle."""
        return not self._go.is_set()

    @property
    def stopping(self) -> bool:
        """Whether it is to stop."""
        return self._stop.is_set()

    def hold(self) -> None:
        """Let it wait before its next cycle."""
        self._go.clear()

    def go_on(self) -> None:
        """Let it go on."""
        self._go.set()

    def stop(self) -> None:
        """Let it stop, as Ctrl-C does on the command line."""
        self._stop.set()
        self._go.set()

    def wait_while_held(self, keep_alive: Callable[[], None], every_s: float) -> None:
        """Wait until it may go on; call `keep_alive` meanwhile."""
        while not self._go.wait(every_s):
            keep_alive()


class GatedClock:
    """A clock whose waits end where somebody wants the campaign to stop.

    The runner takes a KeyboardInterrupt as "stop, and keep what was measured". It is raised once:
    what has to be done after that, such as releasing the actuators, may wait in peace.

    Args:
        clock: that is waited on.
        gate: asked before each wait, and on a real clock every 50 ms of it.
        virtual: waits on `clock` are over at once.
    """

    def __init__(self, clock: Clock, gate: Gate, *, virtual: bool) -> None:
        self._clock = clock
        self._gate = gate
        self._virtual = virtual
        self._told = False

    def now_ns(self) -> int:
        """Return monotonic time."""
        return self._clock.now_ns()

    def utc_ns(self) -> int:
        """Return wall time."""
        return self._clock.utc_ns()

    def sleep_ns(self, duration_ns: int) -> None:
        """Wait; raises KeyboardInterrupt once where the campaign is to stop."""
        self._check()
        if self._virtual:
            self._clock.sleep_ns(duration_ns)
            return
        until_ns = self._clock.now_ns() + duration_ns
        while (left_ns := until_ns - self._clock.now_ns()) > 0:
            self._clock.sleep_ns(min(left_ns, _LOOK_EVERY_NS))
            self._check()

    def _check(self) -> None:
        if self._gate.stopping and not self._told:
            self._told = True
            raise KeyboardInterrupt
