"""Waits for a DUT: until its wires show it off, running or lit, its supply is switched, it settled.

A DUT that woke has settled by evidence (light, OS record, health), and not by a time alone.
"""

from collections.abc import Callable
from typing import Final

from resume_rig.analysis.cycles.health import HEALTH_WITHIN_NS, is_settled, same_links
from resume_rig.campaign.dut.log_source import LogFeed
from resume_rig.campaign.dut.user_program import PowerSwitch
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.states import (
    RUNNING,
    STATES,
    first_change,
    has_record,
    is_dark,
    is_off,
)
from resume_rig.campaign.run.bench import Bench
from resume_rig.campaign.store.rows import READINGS_MOST
from resume_rig.model.channel import Channel
from resume_rig.model.light import OnsetState
from resume_rig.model.result.cycle import HEALTH_BYTES_MAX, HealthReading
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.model.units import NS_PER_MS, NS_PER_S, seconds_text
from resume_rig.rig.interface import DutControl

# Rails go within some 10 ms of the override; an embedded controller may take its time.
_OFF_WITHIN_NS: Final = 5 * NS_PER_S
# A relay or a network socket answers within a second; a PDU behind a queue takes longer.
_SWITCH_WITHIN_NS: Final = 60 * NS_PER_S
STARTS_WITHIN_NS: Final = 5 * NS_PER_S
"""A DUT that boots by itself when its supply comes back begins within seconds."""


def goes_off(bench: Bench) -> bool:
    """Return whether the wires show a DUT without power, within seconds."""
    return bench.wait(
        bench.clock.now_ns() + _OFF_WITHIN_NS,
        lambda: is_off(bench.levels(), bench.wired),
        signs=bench.wired,
    )


def runs_within(bench: Bench, timeout_ns: int) -> bool:
    """Return whether the wires show a DUT that runs, in time."""
    until_ns = bench.clock.now_ns() + timeout_ns
    return bench.wait(until_ns, bench.is_running, fast=True, signs=RUNNING)


def lights_within(bench: Bench, timeout_ns: int) -> bool:
    """Return whether a display that is wired is lit, in time; none that is wired counts as lit."""
    return bench.wait(
        bench.clock.now_ns() + timeout_ns,
        lambda: not is_dark(bench.levels(), bench.wired),
        signs=(Channel.BACKLIGHT,),
    )


def comes_up(bench: Bench, timeout_ns: int) -> bool:
    """Return whether a DUT that runs is lit, in time; one that goes to sleep is not waited for."""
    bench.wait(
        bench.clock.now_ns() + timeout_ns,
        lambda: not (bench.is_running() and is_dark(bench.levels(), bench.wired)),
        signs={*RUNNING, Channel.BACKLIGHT},
    )
    return bench.is_running() and not is_dark(bench.levels(), bench.wired)


def switched(bench: Bench, supply: PowerSwitch | None, *, on: bool) -> bool:
    """Return whether the command that switches the supply succeeded; False without one."""
    if supply is None:
        return False
    supply.start(on=on)
    try:
        until_ns = bench.clock.now_ns() + _SWITCH_WITHIN_NS
        bench.wait(until_ns, lambda: supply.succeeded() is not None)
        return supply.succeeded() is True
    finally:
        supply.stop()


# The level of light counts as settled after a second (core, onset).
LIGHT_STILL_NS = 1 * NS_PER_S
# A log is read, and a DUT asked, no more often.
ASK_PAUSE_NS = 500 * NS_PER_MS


class Settling:
    """What one cycle waits for after its wake; a sign that came once need not come again."""

    def __init__(
        self,
        plan: Plan,
        bench: Bench,
        log: LogFeed,
        control: DutControl | None,
        *,
        expects_record: bool,
    ) -> None:
        self._bench = bench
        self._plan = plan
        self._log = log
        self._asked_ns = -ASK_PAUSE_NS
        self._greeting = False
        self._signs: dict[str, Callable[[], bool]] = {"a light that stands still": self._is_still}
        if log.present and expects_record and has_record(plan.state):
            self._signs["an OS record"] = lambda: log.has_new_records
        if log.present:
            self._signs["a log that can be read"] = lambda: log.problem is None
        if control is not None and STATES[plan.state].boots:
            self._signs["an OS that answers"] = lambda: self._answers(control)

    def done(self) -> bool:
        """Look, and return whether everything is there."""
        now_ns = self._bench.clock.now_ns()
        if now_ns - self._asked_ns >= ASK_PAUSE_NS:
            self._asked_ns = now_ns
            self._log.read()
            shown = [name for name, sign in self._signs.items() if sign()]
            for name in shown:
                del self._signs[name]
        return not self._signs

    def after_absence(self) -> None:
        """Let a DUT that runs come up, where nobody saw when it woke; it may as well go to sleep.

        One that is pressed before goes to sleep when it is up: that would be reported as time
        that its OS hides.
        """
        bench, plan = self._bench, self._plan
        if not comes_up(bench, plan.wake_timeout_ns) and not bench.is_running():
            return
        bench.wait(bench.clock.now_ns() + plan.settle_ns)
        if plan.settle_limit_ns is not None:
            bench.wait(bench.clock.now_ns() + plan.settle_limit_ns, self.done)

    def finding(self, limit_ns: int) -> Finding | None:
        """Return the finding of a DUT that did not settle in time; None of one that did."""
        if not self._signs:
            return None
        what = ", ".join(self._signs)
        return Finding(
            FindingKind.NOT_SETTLED,
            f"The DUT had not settled {seconds_text(limit_ns)} after its wake; missing: {what}.",
            {"limit_ns": limit_ns, "missing": what},
        )

    def _is_still(self) -> bool:
        bench = self._bench
        if Channel.BACKLIGHT not in bench.wired:
            return True
        if is_dark(bench.levels(), bench.wired):
            return False
        since_ns = bench.board_now_ns() - LIGHT_STILL_NS
        moved = (
            first_change(bench.capture.edges, Channel.BACKLIGHT, level, since_ns)
            for level in (0, 1)
        )
        if any(t_ns is not None for t_ns in moved):
            return False
        onset = bench.onset(wait=False)
        # Dark for so long under a backlight that is on: the photodiode sees none of it.
        return onset is None or onset.state is not OnsetState.RISING

    def _answers(self, control: DutControl) -> bool:
        if not self._greeting:
            control.greet()
            self._greeting = True
        ended = control.ended()
        self._greeting = ended is None
        return ended is not None and ended.ok


class HealthCheck:
    """Asks a DUT's OS for its health before a sleep, and after the wake until nothing is missing.

    Attributes:
        readings: what came, in order.
    """

    def __init__(self, bench: Bench, control: DutControl) -> None:
        self._bench = bench
        self._control = control
        self.readings: list[HealthReading] = []
        self._before: str | None = None
        self._after = self._over = False
        self._begun_ns: int | None = None
        self._next_ns = self._until_ns = 0
        self._why = ""

    def take_before(self) -> Finding | None:
        """Read the report from before the sleep; return a finding where none came."""
        self._begin_anew()
        self._bench.wait(self._until_ns, self.done)
        return self._finding("before the sleep")

    def begin_after(self) -> None:
        """Ask from now on whenever somebody looks (`done`)."""
        self._before = self.readings[-1].text if self.readings else None
        self._after = True
        self._begin_anew()

    def take_after(self) -> Finding | None:
        """Wait until nothing is missing, or for the rest of the time; likewise."""
        if not self._over:
            self._bench.wait(self._until_ns, self.done)
        return self._finding("after the wake")

    def done(self) -> bool:
        """Look, and return whether the last report came that is wanted."""
        now_ns = self._bench.clock.now_ns()
        if self._over or (self._begun_ns is None and now_ns < self._next_ns):
            return self._over
        if self._begun_ns is None:
            self._begun_ns = now_ns
            self._control.report()
        ended = self._control.ended()
        if ended is None:
            return False
        begun_ns, self._begun_ns = self._begun_ns, None
        self._next_ns = self._bench.clock.now_ns() + ASK_PAUSE_NS
        if ended.ok:
            self._keep(begun_ns, ended.output)
        else:
            self._why = ended.text
        return self._over

    def _begin_anew(self) -> None:
        self._over, self._begun_ns, self._why = False, None, "it gave no answer"
        self._next_ns = self._bench.clock.now_ns()
        self._until_ns = self._next_ns + HEALTH_WITHIN_NS

    def _keep(self, begun_ns: int, output: bytes) -> None:
        text = output[:HEALTH_BYTES_MAX].decode("utf-8", "replace")
        reading = HealthReading(self._after, begun_ns, self._bench.clock.now_ns(), text)
        # Of those that show the same links the first and the last are enough.
        same = [each for each in self.readings[-2:] if each.after and same_links(each.text, text)]
        if len(same) == 2 or len(self.readings) == READINGS_MOST:
            self.readings.pop()
        self.readings.append(reading)
        self._over = is_settled(self._before, text)
        self._why = "" if self._over else "its report was not whole"

    def _finding(self, when: str) -> Finding | None:
        """Return a finding where there is no report at all of that time."""
        if not self._over:
            self._control.close()
        if any(each.after == self._after for each in self.readings):
            return None
        return Finding(
            FindingKind.COMMAND_FAILED,
            f"The OS was commanded to report its devices {when}: {self._why}.",
            {"reached": "no"},
        )
