"""Pause and stop: asked for in the window's thread, obeyed in the rig's. Free of Qt."""

import threading
from collections.abc import Callable
from enum import StrEnum, unique

from resume_rig.timing.clocks import SystemClock, VirtualClock

_LOOK_EVERY_NS = 50_000_000


@unique
class Wish(StrEnum):
    """What somebody at the window wants; one sign each, as it goes through a pipe."""

    HOLD = "h"
    GO_ON = "g"
    STOP = "s"
    ANSWER = "a"


class Gate:
    """What somebody at the window wants of a campaign that runs."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._follower: Callable[[Wish], None] | None = None
        self._stop = threading.Event()
        self._go = threading.Event()
        self._go.set()
        self._answer = threading.Event()

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
        self.obey(Wish.HOLD)

    def go_on(self) -> None:
        """Let it go on."""
        self.obey(Wish.GO_ON)

    def stop(self) -> None:
        """Let it stop, as Ctrl-C does on the command line."""
        self.obey(Wish.STOP)

    def answer(self) -> None:
        """Say that what a person was asked to do is done."""
        self.obey(Wish.ANSWER)

    def obey(self, wish: Wish) -> None:
        """Note a wish, and tell it to who follows."""
        with self._lock:
            if wish is Wish.HOLD:
                self._go.clear()
            elif wish is Wish.ANSWER:
                self._answer.set()
            else:
                self._go.set()
            if wish is Wish.STOP:
                self._stop.set()
            if self._follower is not None:
                self._follower(wish)

    def follow(self, follower: Callable[[Wish], None] | None) -> None:
        """Tell a gate in another process each wish from now on, and those that stand; None ends."""
        with self._lock:
            self._follower = follower
            if follower is None:
                return
            if self.held:
                follower(Wish.HOLD)
            if self.stopping:
                follower(Wish.STOP)

    def take_answer(self) -> bool:
        """Return whether that was said since the last time."""
        said = self._answer.is_set()
        self._answer.clear()
        return said

    def wait_while_held(self, keep_alive: Callable[[], None], every_s: float) -> None:
        """Wait until it may go on; call `keep_alive` meanwhile."""
        while not self._go.wait(every_s):
            keep_alive()


class Stop:
    """Tells a campaign to stop, once.

    The runner takes a KeyboardInterrupt as "stop, and keep what was measured". What has to be done
    after that, such as releasing the actuators, may wait in peace.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._told = False

    def check(self) -> None:
        """Raise KeyboardInterrupt where somebody wants it to stop, and it has not been told yet."""
        if self._gate.stopping and not self._told:
            self._told = True
            raise KeyboardInterrupt


class StoppableSystemClock(SystemClock):
    """Real time; its waits end within 50 ms where the campaign is to stop."""

    def __init__(self, stop: Stop) -> None:
        super().__init__()
        self._stop = stop

    def sleep_ns(self, duration_ns: int) -> None:
        """Wait; raises KeyboardInterrupt once where the campaign is to stop."""
        self._stop.check()
        until_ns = self.now_ns() + duration_ns
        while (left_ns := until_ns - self.now_ns()) > 0:
            super().sleep_ns(min(left_ns, _LOOK_EVERY_NS))
            self._stop.check()


class StoppableVirtualClock(VirtualClock):
    """Virtual time; a wait is over at once, or ends the campaign."""

    def __init__(self, stop: Stop, start_utc_ns: int) -> None:
        super().__init__(start_utc_ns)
        self._stop = stop

    def sleep_ns(self, duration_ns: int) -> None:
        """Let time pass; raises KeyboardInterrupt once where the campaign is to stop."""
        self._stop.check()
        super().sleep_ns(duration_ns)
