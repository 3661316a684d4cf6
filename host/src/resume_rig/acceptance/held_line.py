"""A button or a lid that stays where it was put until it is let go, as a relay's contact would.

The board lets go by itself when its host is silent for its lease, so a thread stays in touch.
"""

import threading
from collections.abc import Callable
from typing import Final

from resume_rig.acceptance.bench import BenchInUse, need
from resume_rig.campaign.run.actions import LONGEST_FORCED_NS
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import RigError, UsageError
from resume_rig.model.units import seconds_text

LONGEST_NS: Final = LONGEST_FORCED_NS
RENEW_NS: Final = 1_000_000_000
"""After which a hold that is renewed ends, unless it was renewed."""

LONGEST_RENEWED_NS: Final = 3_000_000_000
"""How long it is at most. ACPI's power button override cuts the power after 4 s."""

_PAUSES_IN_A_LEASE: Final = 4
_RENEWAL_PAUSE_S: Final = 0.05
_ONE_AT_A_TIME: Final = (
    "the board lets go of everything together, so that a button is not held beside another; let go "
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
        self._renewed_until_ns: int | None = None
        self._held: set[Actuator] = set()  # lid and contact
        self._over = threading.Event()
        self._changed = threading.Event()
        self._keeper: threading.Thread | None = None

    def press(self, duration_ns: int, *, force_off: bool = False) -> None:
        """Close the button's contact for a time; returns at once.

        Raises:
            UsageError: the rig has no button, or the lid is held.
            DeviceFault: the board refuses, as it does for a long press without `force_off`.
        """
        need(self._use, "press the power button", Actuator.BUTTON)
        with self._lock:
            if self._held:
                raise UsageError(f"could not press the power button: {_ONE_AT_A_TIME}")
            self._use.rig.press(Actuator.BUTTON, duration_ns, force_off=force_off)
            self._pressed_until_ns = self._use.opened.clock.now_ns() + duration_ns
            self._renewed_until_ns = None
        self._keep()

    def hold_button(self, longest_ns: int | None = None) -> None:
        """Close the button's contact until `let_go`, at most for a time.

        Args:
            longest_ns: more than the board's own limit cuts the DUT's power; None: that limit.

        Raises:
            UsageError: it is above 12 s; else as `press`.
        """
        limit_ns = self._press_limit_ns()
        asked_ns = limit_ns if longest_ns is None else longest_ns
        if asked_ns > LONGEST_NS:
            raise UsageError(
                f"could not hold the power button for {seconds_text(asked_ns)}; allowed are up to "
                f"{seconds_text(LONGEST_NS)}"
            )
        self.press(asked_ns, force_off=asked_ns > limit_ns)

    def renew_button(self) -> None:
        """Close the button's contact, or keep it closed, for 1 s from now, and 3 s in all.

        The board itself ends it at 3 s, whatever becomes of this process, so that it never reaches
        the override time. One that has ended has to be let go of before the next one: whoever
        renews it late means no second press.

        Raises:
            UsageError: it has ended and was not let go of; else as `press`.
        """
        with self._lock:
            now_ns = self._use.opened.clock.now_ns()
            if self._renewed_until_ns is None:
                limit_ns = self._press_limit_ns()
                self.press(LONGEST_RENEWED_NS, force_off=limit_ns < LONGEST_RENEWED_NS)
            elif not self._is_pressed():
                raise UsageError(
                    "could not hold the power button: it was held until "
                    f"{seconds_text(RENEW_NS)} after the last request, "
                    f"{seconds_text(LONGEST_RENEWED_NS)} at most; let go of it first"
                )
            self._renewed_until_ns = now_ns + RENEW_NS
            self._changed.set()

    def hold_lid(self) -> None:
        """Close the lid until `let_go`.

        Raises:
            UsageError: the rig moves no lid, or the button is held.
        """
        self._hold(Actuator.LID, self._use.rig.lid)

    def hold_contact(self) -> None:
        """Close the dry contact until `let_go`.

        Raises:
            UsageError: the rig has none, or the button is held.
        """
        self._hold(Actuator.CONTACT, self._use.rig.contact)

    def let_go(self, actuator: Actuator) -> None:
        """Open the button, the lid or the contact; may be called twice.

        Raises:
            UsageError: the rig does not move it.
        """
        need(self._use, f"let go of the {actuator}", actuator)
        with self._lock:
            if actuator is Actuator.LID:
                self._use.rig.lid(False)
            elif actuator is Actuator.CONTACT:
                self._use.rig.contact(False)
            else:
                if self._is_pressed():
                    self._release()
                self._renewed_until_ns = None
            self._held.discard(actuator)

    def is_active(self, actuator: Actuator) -> bool:
        """Return whether the line itself shows a press, or a closed lid.

        No line shows a dry contact: it is what was asked for last.

        Raises:
            UsageError: the DUT has no such channel.
        """
        if actuator is Actuator.CONTACT:
            return actuator in self._held
        channel = Channel(actuator.value)
        need(self._use, f"read the {channel}", channel)
        with self._lock:
            return self._use.rig.levels().get(channel) == 0

    def close(self) -> None:
        """Stay in touch no longer, and let go."""
        self._over.set()
        self._changed.set()
        if self._keeper is not None:
            self._keeper.join()
        with self._lock:
            if self._held or self._is_pressed():
                self._use.rig.release()

    def _hold(self, actuator: Actuator, move: Callable[[bool], object]) -> None:
        doing = f"close the {actuator.lower()}"
        need(self._use, doing, actuator)
        with self._lock:
            if self._is_pressed():
                raise UsageError(f"could not {doing}: {_ONE_AT_A_TIME}")
            move(True)
            self._held.add(actuator)
        self._keep()

    def _press_limit_ns(self) -> int:
        """Return the longest press that is no forced off; 0 of a rig without a button."""
        actuators = self._use.info.actuators
        return next((a.max_press_ns for a in actuators if a.actuator is Actuator.BUTTON), 0)

    def _is_pressed(self) -> bool:
        return self._use.opened.clock.now_ns() < self._pressed_until_ns

    def _release(self) -> None:
        self._use.rig.release()
        self._pressed_until_ns = 0

    def _keep(self) -> None:
        if self._keeper is None or not self._keeper.is_alive():
            self._keeper = threading.Thread(target=self._stay_in_touch, daemon=True)
            self._keeper.start()

    def _stay_in_touch(self) -> None:
        lease_pause_s = self._use.info.lease_ns / _PAUSES_IN_A_LEASE / 1e9
        pause_s = min(_RENEWAL_PAUSE_S, lease_pause_s)
        while not self._over.is_set():
            self._changed.wait(pause_s)
            self._changed.clear()
            with self._lock:
                try:
                    renewed = self._keep_renewed()
                    if not renewed and (self._held or self._is_pressed()):
                        self._use.rig.exchange_clocks()
                except RigError:
                    # Whoever asks next learns it; the board lets go by itself.
                    return
            pause_s = _RENEWAL_PAUSE_S if renewed else lease_pause_s

    def _keep_renewed(self) -> bool:
        """End a hold that was not renewed; return whether there still is one."""
        until_ns = self._renewed_until_ns
        if until_ns is None or not self._is_pressed():
            return False
        if self._use.opened.clock.now_ns() < until_ns:
            return True
        self._release()
        return False
