"""The state of a campaign, as a fold over its events, with its series. Free of Qt."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from pathlib import Path
from typing import Final, TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.run.events import (
    Asleep,
    CampaignBegan,
    CampaignEvent,
    CycleDone,
    CycleStarted,
    HostMaySleep,
    LinkReported,
    LogUnreadable,
    Recovering,
    RigBack,
    RigLost,
    Woke,
    note_text,
)
from resume_rig.campaign.run.recovery import DONE_BY
from resume_rig.campaign.store.raw import Recovery
from resume_rig.gui.state.store_writing import MOST_FAILURES, CampaignJudged, Failure, failure_of
from resume_rig.gui.worker.events import (
    CampaignHeld,
    CampaignJudging,
    CampaignNoted,
    CampaignOver,
    CampaignRefused,
    CampaignReported,
    CampaignStarting,
    CampaignUnjudged,
    CampaignUpdate,
    CycleRevised,
    CycleStored,
    PersonAsked,
)
from resume_rig.model.result.cycle import NO_FAILURE, IntervalName, Outcome, OutsideCycle
from resume_rig.model.result.series import Drift
from resume_rig.model.units import seconds_text
from resume_rig.report.drawing.axis import nice_step

_FIRST = 64


@dataclass(slots=True)
class _Room:
    """Memory that several states share; each sees the part that was there when it was made."""

    values: NDArray[np.int64] = field(default_factory=lambda: np.zeros(_FIRST, dtype=np.int64))
    used: int = 0


@dataclass(frozen=True, slots=True)
class Grown:
    """Values in the order that they came in; adding one costs the same however many there are."""

    _room: _Room = field(default_factory=_Room)
    _length: int = 0

    def plus(self, value: int) -> "Grown":
        """Return the series with one more value."""
        room = self._room
        if room.used != self._length:
            # Another state has gone on from here: this one goes its own way.
            room = _Room(room.values[: self._length].copy(), self._length)
        if room.used == len(room.values):
            values = np.zeros(max(2 * room.used, _FIRST), dtype=np.int64)
            values[: room.used] = room.values[: room.used]
            room = _Room(values, room.used)
        room.values[room.used] = value
        room.used += 1
        return Grown(room, self._length + 1)

    @property
    def values(self) -> NDArray[np.int64]:
        """All values, int64 [n]; not to be written to."""
        found = self._room.values[: self._length]
        found.flags.writeable = False
        return found

    def __len__(self) -> int:
        """Return how many there are."""
        return self._length


Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

_BINS: Final = 36
_FAR: Final = 1.6


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts a bin; bins are closed above, as in the report.

    Attributes:
        left_ms: lower end of each bin, float64 [n]; step_ms: width of all.
        counts: int64 [n].
        over: whether a bin lies above the limit, bool [n].
        beyond: values past the last bin, which would flatten all others.
    """

    left_ms: Floats
    step_ms: float
    counts: Ints
    over: NDArray[np.bool_]
    beyond: int


def histogram_of(values_ms: Ints, limit_ms: int | None) -> Histogram | None:
    """Return the histogram of values in ms; None of none."""
    if not len(values_ms):
        return None
    values = values_ms.astype(np.float64)
    anchor_ms = float(limit_ms) if limit_ms is not None else float(np.median(values))
    reach_ms = max(float(np.quantile(values, 0.95)), anchor_ms) * _FAR
    within = values[values <= reach_ms]
    ends = np.append(within, anchor_ms)
    step_ms = nice_step(max(float(np.ptp(ends)), anchor_ms / 10, 1.0), _BINS)
    places = np.ceil((within - anchor_ms) / step_ms - 1e-9).astype(np.int64) - 1
    first = int(places.min())
    counts = np.bincount(places - first)
    number = np.arange(first, first + len(counts))
    return Histogram(
        (anchor_ms + number * step_ms).astype(np.float64),
        step_ms,
        counts.astype(np.int64),
        (number >= 0) & (limit_ms is not None),
        len(values) - len(within),
    )


SHOWN_CYCLES: Final = 20
MOST_LINES: Final = 500


@unique
class Phase(StrEnum):
    """What the campaign does."""

    NONE = "no campaign"
    STARTING = "starting"
    RUNNING = "running"
    HELD = "paused"
    WAITING = "waiting for the rig"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"

    @property
    def active(self) -> bool:
        """Whether a campaign owns the rig."""
        return self in _ACTIVE


_ACTIVE: Final = frozenset({Phase.STARTING, Phase.RUNNING, Phase.HELD, Phase.WAITING})


@dataclass(frozen=True, slots=True)
class Answer:
    """What a campaign has come to.

    Attributes:
        judging: it is being computed.
        judged: verdict, what it rests on, the report; None before.
        problem: why there is none; empty where nothing is wrong.
    """

    judging: bool = False
    judged: CampaignJudged | None = None
    problem: str = ""


NO_ANSWER: Final = Answer()


@dataclass(frozen=True, slots=True)
class CampaignState:
    """Everything that the campaign view shows.

    Attributes:
        doing: what the cycle in flight does.
        done: cycles of the plan that are over.
        outcomes: of this session, as the wires show them at once; of the whole store, as they
            were judged, where there is an answer.
        left_ns: until the end, at the pace of the last cycles; None before any.
        limit_ms: on the total resume time; None where the requirement has none.
        resume_ms: total resume times, OS-reported.
        light_numbers, light_ns: cycles in which light was timed, and their time to display on.
        drift: of the time to display on.
        last: the newest cycles, oldest first.
        failures: that the window lists, oldest first; `failed` counts all of them.
        lines: what happened, oldest first.
        text: why it ended, or why it could not begin.
        attempt: how many campaigns were begun, or tried to be.
        asked: what the person at the window is asked to do; empty for nothing.
        answer: of the campaign that is over.
        simulated: it measures no PC, or measured none.
    """

    phase: Phase = Phase.NONE
    path: Path | None = None
    limit_ms: int | None = None
    plan: Plan | None = None
    session: int = 0
    number: int = 0
    doing: str = ""
    done: int = 0
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)
    left_ns: int | None = None
    resume_ms: Grown = field(default_factory=Grown)
    light_numbers: Grown = field(default_factory=Grown)
    light_ns: Grown = field(default_factory=Grown)
    drift: Drift | None = None
    last: tuple[OutsideCycle, ...] = ()
    failures: tuple[Failure, ...] = ()
    failed: int = 0
    lines: tuple[str, ...] = ()
    text: str = ""
    attempt: int = 0
    asked: str = ""
    answer: Answer = NO_ANSWER
    simulated: bool = False

    @property
    def provisional(self) -> bool:
        """Whether outcomes and failures may still change, as nothing is judged yet."""
        return self.answer.judged is None

    @property
    def cycles(self) -> int:
        """How many the plan has; 0 before there is one."""
        return 0 if self.plan is None else self.plan.cycles


def campaign_after(state: CampaignState, event: CampaignUpdate) -> CampaignState:
    """Return the state after one more event."""
    match event:
        case CampaignStarting(path=path, limit_ms=limit_ms):
            after = CampaignState(
                Phase.STARTING, path, limit_ms=limit_ms, attempt=state.attempt + 1
            )
        case CampaignReported(event=event_of_runner):
            after = _reported(state, event_of_runner)
        case CycleStored() | CycleRevised():
            after = _cycle(state, event)
        case CampaignHeld(held=held):
            after = _with_line(
                replace(state, phase=Phase.HELD if held else Phase.RUNNING, doing=""),
                "paused between two cycles" if held else "goes on",
            )
        case CampaignOver():
            after = _over(state, event)
        case CampaignRefused(text=text):
            kept = (
                state if state.phase is Phase.STARTING else CampaignState(attempt=state.attempt + 1)
            )
            after = replace(kept, phase=Phase.FAILED, text=text, doing="", path=None)
        case CampaignNoted(text=text):
            after = _with_line(state, text)
        case PersonAsked(text=text):
            after = _with_line(replace(state, asked=text), text)
        case CampaignJudging():
            after = replace(state, answer=Answer(judging=True))
        case CampaignJudged():
            after = replace(
                state,
                answer=Answer(judged=event),
                outcomes=event.outcomes,
                failures=event.failures,
                failed=event.failed,
            )
        case CampaignUnjudged(text=text):
            after = _with_line(replace(state, answer=Answer(problem=text)), text)
        case _:
            assert_never(event)
    return after


def _reported(state: CampaignState, event: CampaignEvent) -> CampaignState:
    match event:
        case CampaignBegan(plan=plan, done=done):
            began = replace(
                state,
                phase=Phase.RUNNING,
                plan=plan,
                session=event.session,
                done=done,
                path=event.path,
                simulated=event.simulated,
            )
            after = _with_line(began, f"{plan.cycles} {plan.state} cycles, {done} done before")
        case CycleStarted(number=number):
            after = replace(state, number=number, doing="going to sleep")
        case Asleep(after_ns=after_ns):
            after = replace(state, doing=f"asleep after {seconds_text(after_ns)}")
        case Woke():
            after = replace(state, doing="awake, settling")
        case HostMaySleep() | LogUnreadable():
            after = _with_line(state, note_text(event))
        case Recovering(after_cycle=number, why=why, step=step):
            after = _with_line(state, f"after cycle {number}: {why} Next: {DONE_BY[step]}.")
        case Recovery(after_cycle=number, ok=ok):
            after = _with_line(
                replace(state, asked=""),
                f"after cycle {number}: {'awake again' if ok else 'no success'}",
            )
        case RigLost(after_cycle=number, text=text):
            lost = replace(state, phase=Phase.WAITING, doing="waiting for the rig")
            after = _with_line(lost, f"after cycle {number}: {text}; waiting for the rig")
        case RigBack(after_cycle=number):
            back = replace(state, phase=Phase.RUNNING, doing="")
            after = _with_line(back, f"after cycle {number}: the rig is back")
        case LinkReported() | CycleDone():  # the cycle comes as CycleStored, with its outcome
            after = state
        case _:
            assert_never(event)
    return after


def _cycle(state: CampaignState, event: CycleStored | CycleRevised) -> CampaignState:
    if isinstance(event, CycleRevised):
        return _revised(state, event)
    return _cycle_stored(state, event)


def _cycle_stored(state: CampaignState, event: CycleStored) -> CampaignState:
    outside = event.outside
    resume_ms = state.resume_ms
    for time_ms in event.resume_ms:
        resume_ms = resume_ms.plus(time_ms)
    light = outside.intervals.get(IntervalName.PRESS_TO_LIGHT)
    counted = replace(
        state,
        done=event.done,
        outcomes=event.outcomes,
        left_ns=event.left_ns,
        drift=event.drift,
        resume_ms=resume_ms,
        last=(*state.last, outside)[-SHOWN_CYCLES:],
    )
    if light is not None:
        counted = replace(
            counted,
            light_numbers=state.light_numbers.plus(outside.number),
            light_ns=state.light_ns.plus(light.value_ns),
        )
    if outside.outcome in NO_FAILURE:
        return counted
    failure = failure_of(outside)
    kept = (*state.failures, failure)
    failed = replace(counted, failures=kept[:MOST_FAILURES], failed=state.failed + 1)
    return _with_line(failed, failure.sentence)


def _revised(state: CampaignState, event: CycleRevised) -> CampaignState:
    """Return the state with what was learnt of a cycle that had failed."""
    outside, outcomes = event.outside, event.outcomes
    failure = failure_of(outside)
    failures = tuple(failure if each.number == failure.number else each for each in state.failures)
    last = tuple(outside if each.number == outside.number else each for each in state.last)
    return _with_line(
        replace(state, outcomes=outcomes, failures=failures, last=last),
        f"{failure.sentence} That was found out later.",
    )


def _over(state: CampaignState, event: CampaignOver) -> CampaignState:
    phase = Phase.FINISHED if event.finished else Phase.FAILED if event.failed else Phase.STOPPED
    over = replace(state, phase=phase, text=event.text, doing="", asked="", path=event.path)
    return _with_line(over, f"{phase.value}{': ' if event.text else ''}{event.text}")


def _with_line(state: CampaignState, line: str) -> CampaignState:
    return replace(state, lines=(*state.lines, line)[-MOST_LINES:])


def no_failure_words(state: CampaignState) -> str:
    """Return what stands where failures are listed, and none is; the answer if there is one.

    That no cycle is listed is no answer: nothing may have been judged.
    """
    judged = state.answer.judged
    if judged is not None:
        return f"{judged.verdict.value}: {judged.headline}"
    return "No cycle has failed so far." if state.done else "No cycle is over yet."
