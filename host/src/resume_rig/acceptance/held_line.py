"""A button or a lid that stays where it was put until it is let go, as a relay's contact would.

The board lets go by itself when its host is silent for its lease, so a thread stays in touch.
"""

import threading
from typing import Final

from resume_rig.acceptance.bench_in_use import BenchInUse, need
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import RigError, UsageError
from resume_rig.model.units import seconds_text

# What a board holds with its force-off; override timers cut the power after 4 to 10 s.
LONGEST_NS: Final = 12_000_000_000
_PAUSES_IN_A_LEASE: Final = 4
_ONE_AT_A_TIME: Final = (
    "the board lets go of button and lid together, so that only one of them can be held; let go "
    "of the other one first"
)


class HeldLines:
    """The actuators of an open bench; `close` lets go of them.

    Args:
        use: the bench.
        lock: held while the rig is spoken to; whoever else speaks to it holds it, too.
    """

    def __init__(self, use: BenchInUse, lock: threading.RLock) -> None:
        self._use = use
        self._lock = lock
        self._pressed_until_ns = 0
        self._lid_held = False
        self._over = threading.Event()
        self._keeper: threading.Thread | None = None

    def press(self, duration_ns: int, *, force_off: bool = False) -> None:
        """Close the button's contact for a time; returns at once.

        Raises:
            UsageError: the rig has no button, or the lid is held.
            DeviceFault: the board refuses, as it does for a long press without `force_off`.
        """
        need(self._use, "press the power button", Actuator.BUTTON)
        with self._lock:
            if self._lid_held:
                raise UsageError(f"could not press the power button: {_ONE_AT_A_TIME}")
            self._use.rig.press(Actuator.BUTTON, duration_ns, force_off=force_off)
            self._pressed_until_ns = self._use.opened.clock.now_ns() + duration_ns
        self._keep()

    def hold_button(self, longest_ns: int | None = None) -> None:
        """Close the button's contact until `let_go`, at most for a time.

        Args:
            longest_ns: more than the board's own limit cuts the DUT's power; None: that limit.

        Raises:
            UsageError: it is above 12 s; else as `press`.
        """
        limit_ns = next(
            (a.max_press_ns for a in self._use.info.actuators if a.actuator is Actuator.BUTTON), 0
        )
        asked_ns = limit_ns if longest_ns is None else longest_ns
        if asked_ns > LONGEST_NS:
            raise UsageError(
                f"could not hold the power button for {seconds_text(asked_ns)}; allowed are up to "
                f"{seconds_text(LONGEST_NS)}"
            )
        self.press(asked_ns, force_off=asked_ns > limit_ns)

    def hold_lid(self) -> None:
        """Close the lid until `let_go`.

        Raises:
            UsageError: the rig moves no lid.
        """
        need(self._use, "close the lid", Actuator.LID)
        with self._lock:
            if self._is_pressed():
                raise UsageError(f"could not close the lid: {_ONE_AT_A_TIME}")
            self._use.rig.lid(True)
            self._lid_held = True
        self._keep()

    def let_go(self, actuator: Actuator) -> None:
        """Open the contact, or the lid; may be called twice.

        Raises:
            UsageError: the rig does not move it.
        """
        need(self._use, f"let go of the {actuator}", actuator)
        with self._lock:
            if actuator is Actuator.LID:
                self._use.rig.lid(False)
                self._lid_held = False
            elif self._is_pressed():
                self._use.rig.release()
                self._pressed_until_ns = 0

    def is_active(self, actuator: Actuator) -> bool:
        """Return whether the line itself shows a press, or a closed lid.

        Raises:
            UsageError: the DUT has no such channel.
        """
        channel = Channel(actuator.value)
        need(self._use, f"read the {channel}", channel)
        with self._lock:
            return self._use.rig.levels().get(channel) == 0

    def close(self) -> None:
        """Stay in touch no longer, and let go."""
        self._over.set()
        if self._keeper is not None:
            self._keeper.join()
        with self._lock:
            if self._lid_held or self._is_pressed():
                self._use.rig.release()

    def _is_pressed(self) -> bool:
        return self._use.opened.clock.now_ns() < self._pressed_until_ns

    def _keep(self) -> None:
        if self._keeper is None:
            self._keeper = threading.Thread(target=self._stay_in_touch, daemon=True)
            self._keeper.start()

    def _stay_in_touch(self) -> None:
        pause_s = self._use.info.lease_ns / _PAUSES_IN_A_LEASE / 1e9
        while not self._over.wait(pause_s):
            with self._lock:
                try:
                    if self._lid_held or self._is_pressed():
                        self._use.rig.exchange_clocks()
                except RigError:
                    # Whoever asks next is told; the board lets go by itself.
                    return
