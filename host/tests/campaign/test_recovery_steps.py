"""Each step of a recovery by its moves and waits, on a DUT that answers as a script has it."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from resume_rig.campaign.dut.user_program import NO_HELP, OutsideHelp
from resume_rig.campaign.plan.plan import Plan, default_plan, override
from resume_rig.campaign.plan.states import dead_lines
from resume_rig.campaign.run.events import Recovering
from resume_rig.campaign.run.recovery import (
    LadderClimb,
    RecoveryRun,
    Trouble,
    levels_text,
    recovery_text,
    stayed_dark,
    step_text,
    steps_for,
    why_recover,
)
from resume_rig.campaign.store.raw import CommandName, Recovery
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import RecoveryLadder, RecoveryStep
from resume_rig.model.edge import Edge
from resume_rig.model.errors import DeviceFault, DutFault, LinkLost
from resume_rig.model.result.cycle import Outcome

S, MS = 1_000_000_000, 1_000_000
S3, OK, RST, LIT = Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST, Channel.BACKLIGHT
LINES = (S3, OK, RST, LIT)
WAIT, PRESS, FORCE_OFF, POWER_CYCLE, ASK = RecoveryStep
LADDER = RecoveryLadder(
    wait_ns=30 * S, force_off_ns=8 * S, off_ns=4 * S, boot_ns=70 * S, ask_ns=90 * S, tries=2
)
PLAN = replace(
    default_plan(),
    wake_timeout_ns=60 * S,
    sleep_timeout_ns=50 * S,
    dwell_ns=6 * S,
    settle_ns=2 * S,
)
AHEAD_NS = 7 * S
Answer = Sequence[tuple[float, int]]
ON, OFF, NOTHING = ((1, 1),), ((1, 0),), ()
"""What a DUT does some seconds after it was moved: all its lines go high, or low."""


class Supply:
    def __init__(self, bench: Any, works: bool | None = True) -> None:
        self.bench, self.works = bench, works

    def start(self, *, on: bool) -> None:
        self.bench.did("supply", on)

    def succeeded(self) -> bool | None:
        return self.works

    def stop(self) -> None:
        self.bench.log.append(("supply", "stop"))


class Person:
    def __init__(self, bench: Any, after_s: float) -> None:
        self.bench, self.after_s, self.due_ns = bench, after_s, 0

    def ask(self, text: str) -> None:
        self.bench.did("ask", text)
        self.due_ns = self.bench.now + round(self.after_s * S)

    def answered(self) -> bool:
        return self.bench.now >= self.due_ns


class ScriptedBench:
    """A bench on a virtual clock; each move is answered by the next answer of the script.

    Attributes:
        log: what was done: moves, and the longest time [s] of each wait.
    """

    slow_pause_ns = 250 * MS

    def __init__(
        self,
        *answers: Answer,
        running: bool = True,
        movable: Sequence[Actuator] = (Actuator.BUTTON,),
        wired: Sequence[Channel] = LINES,
        lid_closed: bool = False,
        lines: Sequence[Channel] = LINES,
    ) -> None:
        self.now = 1_000 * S
        self.clock = SimpleNamespace(now_ns=lambda: self.now)
        self.wired, self.movable = frozenset(wired), frozenset(movable)
        self.lid_closed = lid_closed
        self.state = dict.fromkeys(LINES, int(running))
        self.lines = lines
        self.capture = SimpleNamespace(edges=[Edge(0, AHEAD_NS, S3, 0)])
        self.commands: list[Any] = []
        self.log: list[Any] = []
        self.due: list[tuple[int, int]] = []
        self.answers = deque(answers)
        self.rig = SimpleNamespace(levels=self.levels)
        self.refuses = False
        self.waited: list[dict[str, Any]] = []

    def levels(self) -> dict[Channel, int]:
        return dict(self.state)

    def is_running(self) -> bool:
        return not dead_lines(self.levels(), self.wired)

    def board_now_ns(self) -> int:
        return self.now + AHEAD_NS

    def begin(self) -> None:
        self.log.append("begin")

    def read(self) -> None:
        self.log.append("read")

    def did(self, *what: Any) -> None:
        self.log.append(what if len(what) > 1 else what[0])
        answer = self.answers.popleft() if self.answers else ()
        self.due += [(self.now + round(at * S), level) for at, level in answer]

    def move(self, actuator: Actuator, *, closed: bool) -> None:
        if actuator is Actuator.LID:
            self.lid_closed = closed
        self.did(actuator.value, closed)

    def force_off(self, duration_ns: int) -> None:
        if self.refuses:
            raise DeviceFault(64, 1, "no")
        self.did("force-off", duration_ns / S)

    def let_go_of_lid(self) -> None:
        if self.lid_closed:
            self.move(Actuator.LID, closed=False)

    def note(self, name: CommandName) -> None:
        self.commands.append(name)

    def wait(self, until_ns: int, done: Callable[[], bool] | None = None, **how: Any) -> bool:
        self.log.append((until_ns - self.now) / S)
        self.waited.append(how)
        while True:
            for at, level in sorted(self.due):
                if at <= self.now:
                    self.due.remove((at, level))
                    for line in self.lines:
                        number = len(self.capture.edges)
                        self.capture.edges.append(Edge(number, at + AHEAD_NS, line, level))
                        self.state[line] = level
            if done is not None and done():
                return True
            if self.now >= until_ns:
                return False
            self.now = min([until_ns, self.now + S, *(at for at, _ in self.due)])


def run(
    bench: ScriptedBench,
    step: RecoveryStep,
    *,
    deaf: bool = False,
    plan: Plan = PLAN,
    helps: OutsideHelp = NO_HELP,
) -> tuple[bool, list[Any], RecoveryRun]:
    made: Any = RecoveryRun(
        bench, plan, LADDER, step, trouble=Trouble(3, 5, "Why.", deaf), helps=helps
    )
    helped = made.run()
    assert (bench.log[0], bench.log[-1]) == ("begin", "read")
    return helped, bench.log[1:-1], made


PRESSES = ("BUTTON", True)
WAKES = ("BUTTON", False)


@pytest.mark.parametrize(
    ("at_s", "helped", "log"),
    [(30, True, [30, 2]), (31, False, [30]), (None, False, [30])],
)
def test_a_dut_is_waited_for_as_long_as_its_ladder_has_it(
    at_s: float | None, helped: bool, log: list[float]
) -> None:
    bench = ScriptedBench(running=False)
    bench.due = [] if at_s is None else [(bench.now + at_s * S, 1)]

    assert run(bench, WAIT)[:2] == (helped, log)


def test_a_dut_that_goes_down_again_while_it_settles_is_not_back() -> None:
    bench = ScriptedBench(running=False)
    bench.due = [(bench.now + 5 * S, 1), (bench.now + 7 * S, 0)]

    assert run(bench, WAIT)[:2] == (False, [30, 2])


SLEEP = [PRESSES, 50, 6]
WAKE = [WAKES, 60, 2]


@pytest.mark.parametrize(
    ("running", "answers", "helped", "log"),
    [
        (False, [ON], True, WAKE),
        (False, [((61, 1),)], False, WAKE[:2]),
        (True, [OFF, ON], True, [*SLEEP, *WAKE]),
        (True, [((50, 0),), ON], True, [*SLEEP, *WAKE]),
        (True, [((51, 0),)], False, SLEEP[:2]),
        (True, [NOTHING], False, SLEEP[:2]),
        (True, [OFF, NOTHING], False, [*SLEEP, *WAKE[:2]]),
    ],
)
def test_one_more_try_sleeps_and_wakes_what_runs_and_wakes_what_does_not(
    running: bool, answers: list[Answer], helped: bool, log: list[Any]
) -> None:
    assert run(ScriptedBench(*answers, running=running), PRESS)[:2] == (helped, log)


def test_while_a_dut_falls_asleep_its_line_is_asked_for_often() -> None:
    bench = ScriptedBench(OFF, ON)
    run(bench, PRESS)
    falls, dwells, wakes, settles = bench.waited
    assert falls == {"fast": True, "signs": (S3,)}
    assert (dwells, settles) == ({}, {})
    assert wakes == {"fast": True, "signs": (S3, OK, RST)}


def test_an_edge_from_before_the_press_is_no_sleep() -> None:
    bench = ScriptedBench(NOTHING)
    bench.capture.edges = [Edge(0, bench.board_now_ns() - 1, S3, 0)]
    assert run(bench, PRESS)[0] is False
    bench = ScriptedBench(NOTHING, ON)
    bench.capture.edges = [Edge(0, bench.board_now_ns(), S3, 0)]
    assert run(bench, PRESS)[0] is True


@pytest.mark.parametrize(
    ("wired", "lines", "slept"),
    [
        ((S3, OK), (OK,), False),
        ((S3, OK), (S3,), True),
        ((OK,), (OK,), True),
        ((LIT,), (OK,), True),
    ],
)
def test_a_sleep_is_shown_by_its_line_and_by_pwr_ok_where_none_is_wired(
    wired: tuple[Channel, ...], lines: tuple[Channel, ...], slept: bool
) -> None:
    bench = ScriptedBench(OFF, ON, wired=wired, lines=lines)

    assert run(bench, PRESS)[1] == ([*SLEEP, *WAKE] if slept else SLEEP[:2])


CLOSES, OPENS = ("LID", True), ("LID", False)


@pytest.mark.parametrize(
    ("running", "closed", "answers", "log"),
    [
        (False, False, [NOTHING, ON], [CLOSES, 0.25, OPENS, 60, 2]),
        (False, True, [ON], [OPENS, 60, 2]),
        (True, False, [OFF, ON], [CLOSES, 50, 6, OPENS, 60, 2]),
        (True, False, [NOTHING], [CLOSES, 50, OPENS]),
    ],
)
def test_a_lid_is_closed_first_where_it_is_open(
    running: bool, closed: bool, answers: list[Answer], log: list[Any]
) -> None:
    plan = override(PLAN, sleep_by=Actuator.LID, wake_by=Actuator.LID)
    bench = ScriptedBench(*answers, running=running, movable=(Actuator.LID,), lid_closed=closed)

    assert run(bench, PRESS, plan=plan)[1] == log


def test_a_lid_that_is_closed_is_opened_whatever_wakes() -> None:
    assert run(ScriptedBench(ON, running=False, lid_closed=True), PRESS)[1] == [OPENS, 60, 2]


BOOT = [4, PRESSES, 60, 70]


@pytest.mark.parametrize(
    ("answers", "more", "helped", "log"),
    [
        ([OFF, ON], {}, True, [("force-off", 8), 8, 5, *BOOT]),
        ([((13, 0),), ON], {}, True, [("force-off", 8), 8, 5, *BOOT]),
        ([((14, 0),), ON], {}, False, [("force-off", 8), 8, 5]),
        ([OFF, ((61, 1),)], {}, False, [("force-off", 8), 8, 5, *BOOT[:3]]),
        ([OFF, ((1, 1), (60, 0))], {}, False, [("force-off", 8), 8, 5, *BOOT]),
        ([OFF], {"movable": (Actuator.LID,)}, False, [("force-off", 8), 8, 5, 4]),
        ([NOTHING, OFF, ON], {"lid_closed": True}, True, [OPENS, ("force-off", 8), 8, 5, *BOOT]),
    ],
)
def test_a_dut_is_forced_off_stays_off_and_boots_by_its_button(
    answers: list[Answer], more: dict[str, Any], helped: bool, log: list[Any]
) -> None:
    assert run(ScriptedBench(*answers, **more), FORCE_OFF)[:2] == (helped, log)


def test_a_board_that_holds_no_button_that_long_forces_nothing_off() -> None:
    bench = ScriptedBench()
    bench.refuses = True
    assert run(bench, FORCE_OFF)[:2] == (False, [])


def cycled(bench: ScriptedBench, works: bool | None = True) -> tuple[bool, list[Any], list[Any]]:
    helped, log, _ = run(bench, POWER_CYCLE, helps=OutsideHelp(power=Supply(bench, works)))
    return helped, [each for each in log if each != ("supply", "stop")], bench.commands


CUT, GIVEN = ("supply", False), ("supply", True)
BOTH = [CommandName.POWER_OFF, CommandName.POWER_ON]


@pytest.mark.parametrize(
    ("answers", "more", "helped", "log"),
    [
        # It starts by itself within 5 s, or is switched on at once.
        ([OFF, ((5, 1),)], {}, True, [CUT, 60, 5, 4, GIVEN, 60, 5, 70]),
        ([OFF, NOTHING, ON], {}, True, [CUT, 60, 5, 4, GIVEN, 60, 5, 0, *BOOT[1:]]),
        ([OFF, NOTHING, NOTHING], {}, False, [CUT, 60, 5, 4, GIVEN, 60, 5, 0, *BOOT[1:3]]),
        ([((6, 0),)], {}, False, [CUT, 60, 5, GIVEN, 60]),
        ([NOTHING, OFF, ON], {"lid_closed": True}, True, [OPENS, CUT, 60, 5, 4, GIVEN, 60, 5, 70]),
    ],
)
def test_a_supply_is_cut_and_given_back(
    answers: list[Answer], more: dict[str, Any], helped: bool, log: list[Any]
) -> None:
    assert cycled(ScriptedBench(*answers, **more)) == (helped, log, BOTH)


@pytest.mark.parametrize("works", [False, None])
def test_a_switch_that_fails_is_switched_on_again(works: bool | None) -> None:
    assert cycled(ScriptedBench(), works) == (False, [CUT, 60, GIVEN, 60], BOTH)


@pytest.mark.parametrize(
    ("after_s", "running", "helped"),
    [(90, True, True), (91, True, False), (5, False, False)],
)
def test_a_person_is_waited_for_and_the_wires_decide(
    after_s: float, running: bool, helped: bool
) -> None:
    bench = ScriptedBench(running=running)
    found = run(bench, ASK, helps=OutsideHelp(person=Person(bench, after_s)))

    text = (
        "Why. Bring the DUT back until its OS runs, then press Enter; the campaign waits for "
        "1.5 min."
    )
    assert found[:2] == (helped, [("ask", text), 90])
    assert bench.commands == [CommandName.ASK]
    assert run(ScriptedBench(), ASK)[:2] == (False, [])


@pytest.mark.parametrize(
    ("answers", "helped", "hung_again", "log"),
    [
        ([NOTHING, OFF, ON], True, False, [*SLEEP, *WAKE, 60]),
        ([NOTHING, NOTHING], False, False, SLEEP[:2]),
        ([NOTHING, OFF, NOTHING], False, False, [*SLEEP, *WAKE[:2]]),
    ],
)
def test_one_that_was_deaf_has_to_sleep_and_wake(
    answers: list[Answer], helped: bool, hung_again: bool, log: list[Any]
) -> None:
    bench = ScriptedBench(*answers)
    found = run(bench, ASK, deaf=True, helps=OutsideHelp(person=Person(bench, 0)))

    assert (found[0], found[2].hung_again) == (helped, hung_again)
    assert found[1][2:] == log


@pytest.mark.parametrize(
    ("lit_before", "lights_s", "hung_again"),
    [(True, 57, False), (True, 70, True), (True, None, True), (False, None, False)],
)
def test_one_that_stays_dark_in_that_wake_hangs_again(
    lit_before: bool, lights_s: float | None, hung_again: bool
) -> None:
    bench: Any = ScriptedBench(NOTHING, OFF, ON, lines=(S3, OK, RST))
    bench.state[LIT] = int(lit_before)

    def move(actuator: Actuator, *, closed: bool) -> None:
        ScriptedBench.move(bench, actuator, closed=closed)
        if closed:
            bench.state[LIT] = 0
        elif lights_s is not None:
            bench.lit_ns = bench.now + round(lights_s * S)

    def levels() -> dict[Channel, int]:
        lit = getattr(bench, "lit_ns", None)
        return bench.state | ({LIT: 1} if lit is not None and bench.now >= lit else {})

    bench.move, bench.levels = move, levels
    found = run(bench, ASK, deaf=True, helps=OutsideHelp(person=Person(bench, 0)))

    assert (found[0], found[2].hung_again) == (not hung_again, hung_again)


def test_what_is_recorded_of_a_step() -> None:
    bench: Any = ScriptedBench(ON, running=False, wired=(S3, OK))
    _, _, made = run(bench, PRESS)
    bench.commands = ["x"]
    found = made.recorded(ok=True)

    edges = tuple(bench.capture.edges)
    assert found == Recovery(3, 5, "Why.", True, ("x",), edges, PRESS, {S3: 1, OK: 1})

    def gone() -> dict[Channel, int]:
        raise LinkLost("gone")

    bench.rig.levels = gone
    assert made.recorded(ok=False).levels is None


class Kept:
    """A store, as far as a climb needs one."""

    def __init__(self, *before: Recovery, last: int = 5) -> None:
        self.identity = SimpleNamespace(dut=SimpleNamespace(recovery=LADDER), dut_name="pc")
        self.before, self.last, self.kept = before, last, []

    def recoveries(self) -> tuple[Recovery, ...]:
        return self.before

    def last_number(self) -> int:
        return self.last

    def commit_recovery(self, step: Recovery) -> None:
        self.kept.append((step.step, step.ok))


def climber(
    bench: ScriptedBench, store: Kept, ladder: RecoveryLadder = LADDER, **helps: Any
) -> tuple[LadderClimb, list[Any]]:
    store.identity.dut.recovery = ladder
    seen: list[Any] = []
    made: Any = LadderClimb(bench, store, 3, OutsideHelp(**helps), seen.append)
    return made, seen


def test_a_climb_ends_with_the_step_that_helps_and_is_observed() -> None:
    bench, store = ScriptedBench(ON, running=False), Kept()
    climb, seen = climber(bench, store)

    climb.climb(PLAN, "Why.")

    assert store.kept == [(WAIT, False), (PRESS, True)]
    assert seen[::2] == [Recovering(5, "Why.", WAIT), Recovering(5, "Why.", PRESS)]
    assert [(each.session, each.after_cycle, each.ok) for each in seen[1::2]] == [
        (3, 5, False),
        (3, 5, True),
    ]
    climb.keep()
    assert len(store.kept) == 2


@pytest.mark.parametrize(
    ("last", "power", "text"),
    [
        (
            5,
            False,
            "could not bring pc back after cycle 5 by waiting, one more try, forcing it off and "
            "booting it (the DUT is dark); it has to be looked at; `run --power-cycle COMMAND` "
            "would let the campaign cut its supply",
        ),
        (
            0,
            True,
            "could not bring pc back before the first cycle by one more try, forcing it off and "
            "booting it, cutting its supply (the DUT is dark); it has to be looked at",
        ),
    ],
)
def test_a_ladder_that_ends_says_what_was_tried(last: int, power: bool, text: str) -> None:
    bench = ScriptedBench(running=False)
    helps = {"power": Supply(bench, works=False)} if power else {}
    climb, _ = climber(bench, Kept(last=last), **helps)

    with pytest.raises(DutFault) as fault:
        climb.climb(PLAN, "The DUT is dark.")
    assert str(fault.value) == text


def test_steps_of_earlier_sessions_count_and_a_ladder_may_have_none_left() -> None:
    bench = ScriptedBench(running=False, movable=())
    before = [Recovery(1, 1, "x", False, (), (), WAIT)] * 2
    ladder = replace(LADDER, steps=(WAIT,))
    climb, _ = climber(bench, Kept(*before), ladder)

    with pytest.raises(DutFault) as fault:
        climb.climb(PLAN, "Why.")
    assert str(fault.value) == (
        "could not bring pc back after cycle 5 as no step of its ladder is left (Why); it has to "
        "be looked at"
    )
    climb, _ = climber(bench, Kept(*before[:1]), ladder)
    with pytest.raises(DutFault, match="after cycle 5 by waiting "):
        climb.climb(PLAN, "Why.")


def climbed(climb: LadderClimb, times: int, **more: bool) -> int:
    """Climb until the campaign ends; return how often that went well."""
    for done in range(times):
        try:
            climb.climb(PLAN, "Why.", **more)
        except DutFault as fault:
            return done if "once more, 3 times in a row without a cycle" in str(fault) else -1
    return times


@pytest.mark.parametrize(
    ("running", "more", "good"),
    [
        (False, {}, 3),
        (False, {"fresh": True}, 6),
        (True, {}, 3),
        (True, {"suspected": True}, 6),
        (False, {"suspected": True}, 6),
    ],
)
def test_three_recoveries_in_a_row_end_a_campaign(
    running: bool, more: dict[str, bool], good: int
) -> None:
    ladder = replace(LADDER, steps=(PRESS,), tries=99)
    answers = [OFF, ON] * 9 if running else [ON] * 9
    bench: Any = ScriptedBench(*answers, running=running)
    climb, _ = climber(bench, Kept(), ladder)

    def again(*, begin: Any = bench.begin) -> None:
        begin()
        bench.state = dict.fromkeys(LINES, int(running))

    bench.begin = again
    assert climbed(climb, 6, **more) == good
    if good == 3:
        climb.good_cycle()
        assert climbed(climb, 6, **more) == 3


def test_a_step_is_taken_as_often_as_its_ladder_has_it() -> None:
    bench = ScriptedBench(*[OFF, ON] * 3)
    climb, _ = climber(bench, Kept(), replace(LADDER, steps=(PRESS,), in_a_row=99))
    for _ in range(LADDER.tries):
        climb.climb(PLAN, "Why.")
    with pytest.raises(DutFault, match="as no step of its ladder is left"):
        climb.climb(PLAN, "Why.")


def test_one_that_hangs_again_is_climbed_for_anew() -> None:
    bench: Any = ScriptedBench(NOTHING, OFF, ON, NOTHING, OFF, ON, lines=(S3, OK, RST))
    move = bench.move

    def darken(actuator: Actuator, *, closed: bool) -> None:
        move(actuator, closed=closed)
        bench.state[LIT] = 0

    bench.move = darken
    store = Kept()
    ladder = replace(LADDER, steps=(ASK,))
    climb, seen = climber(bench, store, ladder, person=Person(bench, 0))
    climb.climb(PLAN, "Why.")
    # A display that was dark before proves nothing.
    assert store.kept == [(ASK, False), (ASK, True)]
    again = "The DUT came back, and hung in the wake that was to show that it is well."
    assert seen[::2] == [Recovering(5, "Why.", ASK), Recovering(5, again, ASK)]


def test_a_fresh_session_does_not_wait_for_what_nobody_tried_to_wake() -> None:
    store = Kept()
    climb, _ = climber(ScriptedBench(ON, running=False), store)
    climb.climb(PLAN, "Why.", fresh=True)
    assert store.kept == [(PRESS, True)]


def test_a_step_that_is_broken_off_is_kept_as_one_that_failed() -> None:
    bench: Any = ScriptedBench(running=False)
    store = Kept()
    climb, _ = climber(bench, store)

    def strike(*_: Any, **__: Any) -> bool:
        raise KeyboardInterrupt

    bench.wait = strike
    with pytest.raises(KeyboardInterrupt):
        climb.climb(PLAN, "Why.")
    climb.keep()
    climb.keep()
    assert store.kept == [(WAIT, False)]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, (WAIT, PRESS, FORCE_OFF)),
        ({"can_move": False}, (WAIT, FORCE_OFF)),
        ({"has_button": False}, (WAIT, PRESS)),
        ({"taken": {WAIT: 1, PRESS: 2, FORCE_OFF: 3}}, (WAIT,)),
        ({"deaf": True}, (PRESS, FORCE_OFF)),
        ({"after_cycle": 0}, (PRESS, FORCE_OFF)),
        ({"helps": OutsideHelp(power=Supply(None))}, (WAIT, PRESS, FORCE_OFF, POWER_CYCLE)),
        ({"helps": OutsideHelp(person=Person(None, 0))}, (WAIT, PRESS, FORCE_OFF, ASK)),
    ],
)
def test_which_steps_a_bench_can_take(more: dict[str, Any], expected: Any) -> None:
    trouble = Trouble(1, more.pop("after_cycle", 1), "Why.", more.pop("deaf", False))
    options = {"taken": {}, "has_button": True, "helps": OutsideHelp()} | more
    assert steps_for(LADDER, trouble, **options) == expected
    if not options["taken"]:
        assert steps_for(replace(LADDER, tries=1), trouble, **options) == expected


@pytest.mark.parametrize(
    ("levels", "text"),
    [
        ({}, "no line is wired"),
        ({LIT: 1}, "light"),
        ({LIT: 0}, "no light"),
        ({S3: 1, OK: 1, RST: 0}, "PWR_OK, SLP_S3# high, PLTRST# low"),
        ({RST: 0, LIT: 1}, "PLTRST# low, light"),
    ],
)
def test_levels_in_words(levels: dict[Channel, int], text: str) -> None:
    assert levels_text(levels) == text


@pytest.mark.parametrize(
    ("count", "levels", "ok", "text"),
    [
        (0, None, True, "Waiting brought it back."),
        (0, {}, False, "Waiting did not help (0 edges; then no line is wired)."),
        (1, {S3: 1}, False, "Waiting did not help (1 edge; then SLP_S3# high)."),
        (2, {S3: 1}, False, "Waiting did not help (2 edges; then SLP_S3# high)."),
    ],
)
def test_a_step_in_words(count: int, levels: Any, ok: bool, text: str) -> None:
    step = Recovery(1, 7, "Why.", ok, (), (Edge(1, 5, S3, 0),) * count, WAIT, levels)
    assert step_text(step) == text
    assert recovery_text(step) == f"After cycle 7: Why. {text}"


@pytest.mark.parametrize(
    ("outcome", "low", "silent", "dark", "why"),
    [
        (Outcome.SLEPT_AND_WOKE, (), False, False, None),
        (Outcome.SLEPT_AND_WOKE, (LIT,), True, False, None),
        (Outcome.DARK, (), False, True, None),
        (
            Outcome.DARK,
            (),
            True,
            True,
            "The DUT stayed dark and its OS wrote no record; does it hang in its resume?",
        ),
        (
            Outcome.WOKE_ALONE,
            (LIT,),
            True,
            True,
            "The DUT stayed dark and its OS wrote no record; does it hang in its resume?",
        ),
        (Outcome.WOKE_ALONE, (), True, False, None),
        (
            Outcome.NEVER_SLEPT,
            (OK,),
            False,
            False,
            "The DUT did not react to the sleep trigger; is it still alive?",
        ),
        (Outcome.NEVER_WOKE, (OK, RST), False, False, "The DUT does not run: PWR_OK, PLTRST# low."),
    ],
)
def test_why_a_dut_needs_help(
    outcome: Outcome, low: Any, silent: bool, dark: bool, why: str | None
) -> None:
    bench: Any = ScriptedBench()
    bench.state |= dict.fromkeys(low, 0)
    assert stayed_dark(bench, outcome) is dark
    assert why_recover(bench, outcome, silent=silent) == why
    assert why_recover(bench, outcome) == (None if silent else why)
