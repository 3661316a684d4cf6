"""A campaign, run for the window as `resume-rig run` does: same parts, same store. No Qt."""

import dataclasses
from array import array
from collections.abc import Callable
from contextlib import closing

import numpy as np

from resume_rig.acceptance.opened_rig import opened_rig
from resume_rig.analysis.trend import drift_of
from resume_rig.campaign.campaign import CampaignEnd, CampaignFinished
from resume_rig.campaign.commission import Commission, Interrupted, carry_out, interrupted
from resume_rig.campaign.events import (
    CampaignBegan,
    CampaignEvent,
    CycleDone,
    CycleStarted,
    Recovered,
)
from resume_rig.campaign.foretold import foretold
from resume_rig.campaign.hook_watch import hooks_of, tell_hooks
from resume_rig.campaign.hooks import Hooks
from resume_rig.campaign.hung import hung_after
from resume_rig.campaign.identity import Identity
from resume_rig.campaign.outside import outside_cycle, pin_edges
from resume_rig.campaign.plan import Plan
from resume_rig.campaign.tally import Tally
from resume_rig.gui.state.events import (
    CampaignHeld,
    CampaignNoted,
    CampaignOver,
    CampaignStarting,
    CampaignTold,
    CycleRevised,
    CycleSeen,
    Event,
)
from resume_rig.gui.worker.gate import Gate
from resume_rig.gui.worker.opening import clock_for
from resume_rig.gui.worker.requests import RunCampaign
from resume_rig.gui.worker.window_person import WindowPerson
from resume_rig.model.cycle import IntervalName, OutsideCycle
from resume_rig.model.errors import ResumeRigError
from resume_rig.model.series import Drift
from resume_rig.rig.dut_profile import profile_for
from resume_rig.rig.open import OpenRig
from resume_rig.timing.clocks import VirtualClock

Tell = Callable[[Event], None]
_NS_PER_MS = 1e6


def run_campaign(order: RunCampaign, tell: Tell, gate: Gate) -> None:
    """Open the rig, run the campaign, close the rig, however it ends.

    Args:
        order: what to run.
        tell: gets every event; the last one is CampaignOver.
        gate: lets it wait and stop.

    Raises:
        ResumeRigError: it could not begin, and there is no store.
    """
    requirement = order.requirement
    tell(CampaignStarting(order.store, requirement.id, requirement.resume_limit_ms))
    resumed = order.plan is None
    existed = order.store.exists()
    try:
        end = _run(order, tell, gate)
    except KeyboardInterrupt:
        tell(CampaignOver(order.store, False, "stopped before its first cycle"))
    except ResumeRigError as error:
        if not resumed and (existed or not order.store.exists()):
            raise
        tell(CampaignOver(order.store, False, str(error), failed=True))
    else:
        finished = isinstance(end, CampaignFinished)
        text = (end.why or "") if isinstance(end, CampaignFinished) else end.text
        tell(CampaignOver(end.path, finished, text))


def _run(order: RunCampaign, tell: Tell, gate: Gate) -> CampaignEnd:
    place = _place(order)
    person = WindowPerson(tell, gate) if order.ask else None
    beside = dataclasses.replace(order.beside, person=person)
    commission = Commission(order.store, order.plan, order.requirement, place.dut, beside)
    hooks = hooks_of(order.hooks, order.store)
    opening = opened_rig(
        place.rig_url,
        place.dut,
        clock=clock_for(place.rig_url, gate, place.newest_utc_ns),
        not_before_utc_ns=place.newest_utc_ns,
        sessions_before=place.sessions,
    )
    try:
        with closing(hooks), opening as opened:
            for sentence in foretold(commission, opened):
                tell(CampaignNoted(sentence))
            pause = _Pause(opened, virtual=isinstance(opened.clock, VirtualClock))
            return carry_out(
                commission, opened, lambda who: CampaignWatch(who, tell, gate, pause, hooks)
            )
    finally:
        _tell_problems(hooks, tell)


def _place(order: RunCampaign) -> Interrupted:
    """Return rig, DUT and the earliest time; of the store where a campaign goes on."""
    if order.plan is not None:
        return Interrupted(order.url, profile_for(order.url, order.dut), 0, 0)
    before = interrupted(order.store)
    url = order.url or before.rig_url
    dut = before.dut if order.dut is None else profile_for(url, order.dut)
    return dataclasses.replace(before, rig_url=url, dut=dut)


def _tell_problems(hooks: Hooks, tell: Tell) -> None:
    while hooks.problems:
        tell(CampaignNoted(hooks.problems.pop(0)))


class _Pause:
    """Keeps a board's lease while its campaign waits; a virtual clock stands still meanwhile."""

    def __init__(self, opened: OpenRig, *, virtual: bool) -> None:
        self._rig = opened.rig
        self._virtual = virtual
        self.every_s = 0.25 if virtual else self._rig.info().lease_ns / 4e9

    def keep_alive(self) -> None:
        if not self._virtual:
            self._rig.exchange_clocks()


class _LightDrift:
    """Looks for a drift of press to light, again when there are 5 % more cycles than last time."""

    def __init__(self) -> None:
        self._light_ms = array("d")
        self._look_at = 0
        self._drift: Drift | None = None

    def plus(self, outside: OutsideCycle) -> Drift | None:
        light = outside.intervals.get(IntervalName.PRESS_TO_LIGHT)
        if light is not None:
            self._light_ms.append(light.value_ns / _NS_PER_MS)
            if len(self._light_ms) >= self._look_at:
                self._look_at = len(self._light_ms) * 21 // 20 + 1
                self._drift = drift_of(np.array(self._light_ms))
        return self._drift


class CampaignWatch:
    """An observer: forwards what happens, and lets the campaign wait between two cycles."""

    def __init__(
        self, identity: Identity, tell: Tell, gate: Gate, pause: _Pause, hooks: Hooks
    ) -> None:
        self._identity = identity
        self._tell = tell
        self._gate = gate
        self._pause = pause
        self._hooks = hooks
        self._plan: Plan | None = None
        self._tally: Tally | None = None
        self._newest: OutsideCycle | None = None
        self._steps: list[Recovered] = []
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
            self._tell(CampaignTold(event))
            tell_hooks(self._hooks, event, None)
        if isinstance(event, Recovered):
            self._revise(event)
        _tell_problems(self._hooks, self._tell)

    def _revise(self, step: Recovered) -> None:
        """Tell where the DUT of the newest cycle hangs, once a step after it has proven that."""
        before, tally = self._newest, self._tally
        self._steps.append(step)
        after = hung_after(before, self._steps, self._identity.wired)
        if before is not None and after is not None and tally is not None:
            self._newest = after
            tally.revise(before.outcome, after.outcome)
            self._tell(CycleRevised(after, dict(tally.outcomes)))

    def _cycle_done(self, event: CycleDone) -> None:
        plan, tally = self._plan, self._tally
        if plan is None or tally is None:
            return
        outside = outside_cycle(event.raw, plan.of_cycle(self._index), self._identity)
        self._newest, self._steps = outside, []
        tally.add(outside, event.raw)
        tell_hooks(self._hooks, event, outside)
        times_ms = (record.resume_ms for record in event.raw.records)
        wired = self._identity.wired
        self._tell(
            CycleSeen(
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
            self._tell(CampaignHeld(True))
            self._gate.wait_while_held(self._pause.keep_alive, self._pause.every_s)
            self._tell(CampaignHeld(False))
