"""The GPIOs of Dasharo's RTE relay board, as far as a rig has them.

Its clients (osfv_cli, rtectrl-rest-api) ask `GET` and `PATCH /api/v1/gpio/N` with the keys
`state`, `direction` and `time`: 9 is the power button, 8 reset, 0 the supply's relay, 13 the power
LED. An open collector's 1 pulls low; `time` in seconds ends it. With 0 the board's stays: here it
is let go of when its client does not ask again within 1 s, and after 3 s in any case.
"""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from resume_rig.acceptance.held_line import LONGEST_NS, HeldLines
from resume_rig.acceptance.single_actions import PowerActions, SingleActions
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import DeviceFault, LinkLost, ResumeRigError, UsageError
from resume_rig.model.units import NS_PER_S
from resume_rig.rig.smp.packet import Group
from resume_rig.rig.smp.request import RigCode

SUPPLY: Final = 0
RESET: Final = 8
BUTTON: Final = 9
POWER_LED: Final = 13
GPIO_LINES: Final = (SUPPLY, RESET, BUTTON, POWER_LED)

_FOLDER: Final = "/api/v1/gpio"
_ALLOWED: Final = "0 (supply), 8 (reset), 9 (power button) and 13 (power LED)"
_BUSY_S: Final = 5.0
_NOT_NOW: Final = {(Group.RIG, RigCode.BUSY), (Group.RIG, RigCode.TOO_SOON)}


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request: an HTTP status and a JSON document."""

    status: int
    document: Any


def refusal(status: int, detail: str) -> Answer:
    """Return the answer that nothing was done, and why, in one sentence."""
    return Answer(status, {"detail": detail})


def _fault(error: ResumeRigError) -> Answer:
    if isinstance(error, DeviceFault) and (error.group, error.code) in _NOT_NOW:
        return refusal(
            503,
            "the rig is busy: the button is still held, or was let go a moment ago, so nothing was "
            "done; ask again",
        )
    return refusal(502, str(error))


class Gpios:
    """Answers requests on an open bench.

    Args:
        actions: on the bench.
        power: on the same bench.
        lines: on the same bench.
        lock: held while the rig is spoken to.

    A link that was lost is opened anew by the next request.
    """

    def __init__(
        self,
        actions: SingleActions,
        power: PowerActions,
        lines: HeldLines,
        lock: threading.RLock,
    ) -> None:
        self._actions = actions
        self._power = power
        self._lines = lines
        self._lock = lock
        self._supply_on = True
        self._is_lost = False

    def answer(self, method: str, path: str, body: bytes) -> Answer:
        """Return the answer to one request; no error passes out of here but a bug.

        Args:
            method: GET or PATCH.
            path: of the request, without host.
            body: of a PATCH, JSON.
        """
        # Nobody waits for ever, and no button moves for a client that has long given up.
        if not self._lock.acquire(timeout=_BUSY_S):
            return refusal(
                503, "the rig is busy with another request, so nothing was done; ask again"
            )
        try:
            if self._is_lost:
                self._actions.use.opened.reopen()
                self._is_lost = False
            return self._answer(method, path, body)
        except LinkLost as error:
            self._is_lost = True
            return refusal(502, str(error))
        except UsageError as error:
            return refusal(400, str(error))
        except ResumeRigError as error:
            return _fault(error)
        finally:
            self._lock.release()

    def _answer(self, method: str, path: str, body: bytes) -> Answer:
        place = path.partition("?")[0].rstrip("/")
        if place == _FOLDER and method == "GET":
            return Answer(200, [self._read(number) for number in self._present()])
        number = place.removeprefix(f"{_FOLDER}/")
        if not place.startswith(_FOLDER) or number not in map(str, GPIO_LINES):
            return refusal(404, f"there is no {path[:80]}; allowed are GPIOs {_ALLOWED}")
        if method == "PATCH":
            self._write(int(number), *_wish_of(body))
        return Answer(200, self._read(int(number)))

    def _present(self) -> list[int]:
        led = Channel.LED in self._actions.levels()
        return [number for number in GPIO_LINES if number != POWER_LED or led]

    def _read(self, number: int) -> Mapping[str, object]:
        match number:
            case 0:
                state = int(self._supply_on)
            case 9:
                state = int(self._lines.is_active(Actuator.BUTTON))
            case 13:
                levels = self._actions.levels()
                if Channel.LED not in levels:
                    raise UsageError("could not read the power LED: the DUT has no channel LED")
                state = levels[Channel.LED]
            case _:
                state = 0
        direction = "in" if number == POWER_LED else "out"
        return {"id": number, "state": state, "direction": direction, "time": 0}

    def _write(self, number: int, state: int, time_ns: int) -> None:
        match number:
            case 0:
                self._power.switch_supply(on=bool(state))
                self._supply_on = bool(state)
            case 8:
                if state:
                    self._lines.let_go(Actuator.BUTTON)
                    self._power.reset()
            case 9:
                self._move_button(state, time_ns)
            case _:
                raise UsageError(f"could not set GPIO {number}: the power LED can only be read")

    def _move_button(self, state: int, time_ns: int) -> None:
        if state == 0:
            self._lines.let_go(Actuator.BUTTON)
        elif time_ns:
            self._lines.hold_button(time_ns)
        else:
            # A relay that is set without a time stays; a button that stays cuts the power.
            self._lines.renew_button()


def _wish_of(body: bytes) -> tuple[int, int]:
    """Return state and time [ns] of a PATCH; what it leaves out is 1 and 0 s, as for the board.

    Raises:
        UsageError: it is not of that form.
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UsageError("the body of a PATCH is a JSON object with state and time") from error
    if not isinstance(found, dict):
        raise UsageError("the body of a PATCH is a JSON object with state and time")
    state, time_s = found.get("state", 1), found.get("time", 0)
    if state not in (0, 1):
        raise UsageError(f"the state {str(state)[:40]!r} is not allowed; it is 0 or 1")
    try:
        # Robot Framework sends what a suite states, often as text.
        time_ns = round(float(time_s) * NS_PER_S)
    except (TypeError, ValueError, OverflowError):
        time_ns = -1
    if not 0 <= time_ns <= LONGEST_NS:
        raise UsageError(
            f"the time {str(time_s)[:40]!r} is not allowed; it is 0 to {LONGEST_NS // NS_PER_S} s"
        )
    return int(state), time_ns
