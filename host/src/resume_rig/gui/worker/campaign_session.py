"""A campaign, run for the window in a process of its own, as `resume-rig run` does. Free of Qt.

The rig's thread of the window takes the events of that process and passes pause, stop and a
person's answer on to it. It stops its campaign, in order, when the window is gone.
"""

import dataclasses
import signal
import sys
import threading
from array import array
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Final, cast

import numpy as np

from resume_rig.acceptance.bench import opened_rig
from resume_rig.acceptance.campaign import Campaign, Ended
from resume_rig.analysis.stats.trend import drift_of
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.run.campaign import (
    CampaignFinished,
    CampaignStopped,
    Commission,
    Interrupted,
    interrupted,
)
from resume_rig.campaign.run.events import (
    CampaignBegan,
    CampaignEvent,
    CycleDone,
    CycleStarted,
    Tally,
)
from resume_rig.campaign.run.hooks import HookEvent, Hooks, fire_end, fire_hooks, hooks_of
from resume_rig.campaign.store.identity import Identity
from resume_rig.campaign.store.measured_cycle import hung_after, outside_cycle, pin_edges
from resume_rig.campaign.store.raw import Recovery
from resume_rig.gui.worker.events import (
    CampaignHeld,
    CampaignNoted,
    CampaignOver,
    CampaignReported,
    CampaignStarting,
    CycleRevised,
    CycleStored,
    Event,
    PersonAsked,
    RunCampaign,
)
from resume_rig.gui.worker.process import (
    Gate,
    InternalFault,
    OtherProcess,
    ProcessEnded,
    Stop,
    StoppableSystemClock,
    StoppableVirtualClock,
    Wish,
    receive,
    receive_order,
    send,
    send_faults,
)
from resume_rig.model.clock import Clock
from resume_rig.model.errors import ResumeRigError, RigError
from resume_rig.model.result.cycle import IntervalName, OutsideCycle
from resume_rig.model.result.series import Drift
from resume_rig.model.result.verdict import Verdict
from resume_rig.model.units import NS_PER_MS
from resume_rig.rig.dut_profile import profile_for
from resume_rig.rig.link.open import OpenRig, parse_sim_options
from resume_rig.timing.clocks import VIRTUAL_START_UTC_NS, VirtualClock


class WindowPerson:
    """Is asked in a strip over every page, and never waited for.

    Args:
        emit: gets the question.
        gate: knows whether the strip's button was pressed.
    """

    def __init__(self, emit: Callable[[Event], None], gate: Gate) -> None:
        self._emit = emit
        self._gate = gate

    def ask(self, text: str) -> None:
        """Show a sentence; what was answered before is no answer to it."""
        self._gate.take_answer()
        self._emit(PersonAsked(text))

    def answered(self) -> bool:
        """Return whether the button was pressed since."""
        return self._gate.take_answer()


def clock_for(url: str, gate: Gate, not_before_utc_ns: int) -> Clock:
    """Return the clock that a rig's URL asks for, one that can be stopped.

    Raises:
        UsageError: options of a simulated bench that it has not.
    """
    scheme, _, options = url.partition(":")
    if scheme == "sim" and parse_sim_options(options).virtual:
        return StoppableVirtualClock(Stop(gate), max(VIRTUAL_START_UTC_NS, not_before_utc_ns))
    return StoppableSystemClock(Stop(gate))


def run_end_hook(order: RunCampaign, verdict: Verdict | None, text: str) -> list[str]:
    """Run the command, if there is one; return a sentence for each thing that went wrong.

    Args:
        order: the campaign that is over.
        verdict: of it; None where there is no answer.
        text: what the verdict rests on, or the fault that ended it.
    """
    hooks = hooks_of(order.hooks, order.store)
    with closing(hooks):
        fire_end(hooks, verdict, text)
    return hooks.problems


Emit = Callable[[Event], None]


def run_campaign(order: RunCampaign, emit: Emit, gate: Gate) -> None:
    """Open the rig, run the campaign, close the rig, however it ends.

    Args:
        order: what to run.
        emit: gets every event; the last one is CampaignOver.
        gate: lets it wait and stop.

    Raises:
        ResumeRigError: it could not begin, and there is no store.
    """
    emit(CampaignStarting(order.store, order.requirement.resume_limit_ms))
    try:
        ended = _run(order, emit, gate)
    except KeyboardInterrupt:
        emit(CampaignOver(order.store, False, "stopped before its first cycle"))
        return
    except ResumeRigError as error:
        if order.plan is not None:
            raise
        ended = RigError(str(error))
    if isinstance(ended, CampaignFinished):
        emit(CampaignOver(order.store, True, ended.why or ""))
    elif isinstance(ended, CampaignStopped):
        emit(CampaignOver(order.store, False, ended.text))
    else:
        emit(CampaignOver(order.store, False, str(ended), failed=True))


def _run(order: RunCampaign, emit: Emit, gate: Gate) -> Ended:
    place = _place(order)
    person = WindowPerson(emit, gate) if order.ask else None
    surroundings = dataclasses.replace(order.surroundings, person=person)
    commission = Commission(order.store, order.plan, order.requirement, place.dut, surroundings)
    commands = dict(order.hooks)
    # The window runs it, when it has judged the campaign.
    commands.pop(HookEvent.END, None)
    hooks = hooks_of(commands, order.store)
    rig = opened_rig(
        place.rig_url,
        place.dut,
        clock=clock_for(place.rig_url, gate, place.newest_utc_ns),
        not_before_utc_ns=place.newest_utc_ns,
        sessions_before=place.sessions,
    )
    campaign = Campaign(commission, rig, hooks=hooks, note=lambda text: emit(CampaignNoted(text)))
    try:
        with closing(hooks):
            return campaign.run(
                lambda who, opened: CampaignWatch(who, emit, gate, _Pause(opened), hooks)
            )
    finally:
        _emit_problems(hooks, emit)


def _place(order: RunCampaign) -> Interrupted:
    """Return rig, DUT and the earliest time; of the store where a campaign goes on."""
    if order.plan is not None:
        return Interrupted(order.url, profile_for(order.url, order.dut), 0, 0)
    return interrupted(order.store, order.url, order.dut)


def _emit_problems(hooks: Hooks, emit: Emit) -> None:
    while hooks.problems:
        emit(CampaignNoted(hooks.problems.pop(0)))


class _Pause:
    """Keeps a board's lease while its campaign waits; a virtual clock stands still meanwhile."""

    def __init__(self, opened: OpenRig) -> None:
        self._rig = opened.rig
        self._virtual = isinstance(opened.clock, VirtualClock)
        self.every_s = 0.25 if self._virtual else self._rig.info().lease_ns / 4e9

    def keep_alive(self) -> None:
        if not self._virtual:
            self._rig.exchange_clocks()


class _LightDrift:
    """Looks for a drift of the time to display on, again when there are 5 % more cycles."""

    def __init__(self) -> None:
        self._light_ms = array("d")
        self._look_at = 0
        self._drift: Drift | None = None

    def plus(self, outside: OutsideCycle) -> Drift | None:
        light = outside.intervals.get(IntervalName.PRESS_TO_LIGHT)
        if light is not None:
            self._light_ms.append(light.value_ns / NS_PER_MS)
            if len(self._light_ms) >= self._look_at:
                self._look_at = len(self._light_ms) * 21 // 20 + 1
                self._drift = drift_of(np.array(self._light_ms))
        return self._drift


class CampaignWatch:
    """An observer: forwards what happens, and lets the campaign wait between two cycles."""

    def __init__(
        self, identity: Identity, emit: Emit, gate: Gate, pause: _Pause, hooks: Hooks
    ) -> None:
        self._identity = identity
        self._emit = emit
        self._gate = gate
        self._pause = pause
        self._hooks = hooks
        self._plan: Plan | None = None
        self._tally: Tally | None = None
        self._newest: OutsideCycle | None = None
        self._steps: list[Recovery] = []
        self._index = 0
        self._light = _LightDrift()

    def __call__(self, event: CampaignEvent) -> None:
        """Take one event of the runner.

        Raises:
            RigError: the link went while the campaign waited.
        """
        match event:
            case CampaignBegan(plan=plan, done=done):
                self._plan, self._tally = plan, Tally(plan, done)
            case CycleStarted(done=done):
                self._index = done
        if isinstance(event, CycleDone):
            self._cycle_done(event)
        else:
            self._emit(CampaignReported(event))
            fire_hooks(self._hooks, event, None)
        if isinstance(event, Recovery):
            self._revise(event)
        _emit_problems(self._hooks, self._emit)

    def _revise(self, step: Recovery) -> None:
        """Emit where the DUT of the newest cycle hangs, once a step after it has proven that."""
        before, tally = self._newest, self._tally
        self._steps.append(step)
        after = hung_after(before, self._steps, self._identity.wired)
        if before is not None and after is not None and tally is not None:
            self._newest = after
            tally.revise(before.outcome, after.outcome)
            self._emit(CycleRevised(after, dict(tally.outcomes)))

    def _cycle_done(self, event: CycleDone) -> None:
        plan, tally = self._plan, self._tally
        if plan is None or tally is None:
            return
        outside = outside_cycle(event.raw, plan.of_cycle(self._index), self._identity)
        self._newest, self._steps = outside, []
        tally.add(outside, event.raw)
        fire_hooks(self._hooks, event, outside)
        times_ms = (record.resume_ms for record in event.raw.records)
        wired = self._identity.wired
        self._emit(
            CycleStored(
                outside=outside,
                edges=pin_edges(event.raw, self._identity),
                initial_levels={
                    channel: level
                    for channel, level in event.raw.initial_levels.items()
                    if channel in wired
                },
                resume_ms=tuple(time_ms for time_ms in times_ms if time_ms is not None),
                done=tally.done,
                outcomes=dict(tally.outcomes),
                left_ns=tally.left_ns(),
                drift=self._light.plus(outside),
            )
        )
        if self._gate.held:
            self._emit(CampaignHeld(True))
            self._gate.wait_while_held(self._pause.keep_alive, self._pause.every_s)
            self._emit(CampaignHeld(False))


_PATIENCE_S: Final = 15.0


def run_campaign_process(order: RunCampaign, emit: Emit, gate: Gate) -> None:
    """Run a campaign to its end.

    Args:
        order: what to run.
        emit: gets every event; the last one is CampaignOver.
        gate: lets it wait and stop.

    Raises:
        ResumeRigError: it could not begin, and there is no store.
    """
    existed = order.store.exists()
    process = OtherProcess(__name__, _PATIENCE_S)
    try:
        process.order((sys.argv[0], order))
        gate.follow(lambda wish: process.send(wish.encode("ascii")))
        for event in process.answers():
            emit(cast(Event, event))
            if isinstance(event, CampaignOver):
                return
    except (ProcessEnded, InternalFault) as lost:
        gone = isinstance(lost, ProcessEnded)
        why = f"the process of the campaign is gone: {lost}" if gone else str(lost)
        if not order.store.exists() or (order.plan is not None and existed):
            raise RigError(f"could not run the campaign: {why}; start it again") from lost
        text = f"{why}; what was measured is kept, and can be resumed"
        emit(CampaignOver(order.store, False, text, failed=True))
    finally:
        gate.follow(None)
        process.close()


def work() -> None:
    """Run the one campaign that comes in; the other end of the pipes is `run_campaign_process`."""
    gate = Gate()
    signal.signal(signal.SIGTERM, lambda *_: gate.stop())
    # Whoever finds the rig taken reads whose it is.
    sys.argv[0], order = cast(tuple[str, RunCampaign], receive_order())
    threading.Thread(target=_obey, args=(gate,), daemon=True).start()
    send_faults(lambda: run_campaign(order, _send_if_there, gate))


def _obey(gate: Gate) -> None:
    while word := receive(1):
        gate.obey(Wish(word.decode("ascii")))
    gate.stop()


def _send_if_there(event: Event) -> None:
    """Send an event to the window; one that is gone keeps no campaign from its end."""
    with suppress(BrokenPipeError):
        send(event)
