"""The interlock against intervals: when each output is driven, as a function of what was asked.

The core walks a state machine from event to event. The model has no events: an accepted action is
an interval of board time, and silence or a release cuts intervals.
"""

from dataclasses import dataclass, field

import cbor2
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from resume_rig._core import lib

MS = 1_000_000
LEASE_NS = 2000 * MS
MAX_NS = 500 * MS
FORCE_NS = 5000 * MS
FOREVER = 2**64 - 1
BUTTON, LID = 0, 1

DURATIONS = st.sampled_from([0, 1, 100 * MS, MAX_NS, MAX_NS + 1, FORCE_NS, FORCE_NS + 1, FOREVER])
OFFSETS = st.one_of(
    st.none(),
    st.sampled_from([-1, 0, 1, 50 * MS, LEASE_NS - 100 * MS, LEASE_NS, LEASE_NS + 1]),
    st.integers(-MS, LEASE_NS + MS),
)
STEPS = st.one_of(
    st.sampled_from([0, 1, 100 * MS, LEASE_NS - 1, LEASE_NS, LEASE_NS + 1]),
    st.integers(0, 3 * LEASE_NS),
)
TOKENS = st.integers(1, 4)
Passing = tuple[int, int]  # how long nothing was asked, how long the request then waited
PASSING = st.tuples(STEPS, st.sampled_from([0, 1, 10 * MS]))


@dataclass
class Interval:
    start_ns: int
    end_ns: int


@dataclass
class Line:
    """One actuator's past and future."""

    intervals: list[Interval] = field(default_factory=list)
    token: int | None = None
    answer: tuple[int, int] = (0, 0)

    def driven(self, now_ns: int) -> bool:
        return any(one.start_ns <= now_ns < one.end_ns for one in self.intervals)

    def changes_after(self, now_ns: int) -> list[int]:
        return [
            t_ns
            for one in self.intervals
            for t_ns in (one.start_ns, one.end_ns)
            if now_ns < t_ns < FOREVER
        ]

    def cut(self, at_ns: int) -> None:
        self.intervals = [one for one in self.intervals if one.start_ns < at_ns]
        for one in self.intervals:
            one.end_ns = min(one.end_ns, at_ns)


class Model:
    """Rules of the interlock, stated over intervals."""

    def __init__(self, now_ns: int) -> None:
        self.now_ns = now_ns
        self.contact_ns = now_ns
        self.lines = {BUTTON: Line(), LID: Line()}
        self.refusals = 0
        self.expiries = 0

    def _holds_something_at(self, lease_end_ns: int) -> bool:
        """Whether a lease's end takes something away; a press that ends there ends by itself."""
        button, lid = self.lines[BUTTON], self.lines[LID]
        return any(one.end_ns > lease_end_ns for one in button.intervals) or any(
            one.end_ns >= lease_end_ns for one in lid.intervals
        )

    def pass_time(self, now_ns: int) -> None:
        lease_end_ns = self.contact_ns + LEASE_NS
        if self.now_ns < lease_end_ns <= now_ns and self._holds_something_at(lease_end_ns):
            for line in self.lines.values():
                line.cut(lease_end_ns)
            self.expiries += 1
        self.now_ns = now_ns

    def hear(self, rx_ns: int, now_ns: int) -> None:
        self.pass_time(max(rx_ns, self.now_ns))
        self.contact_ns = max(self.contact_ns, rx_ns)
        self.pass_time(now_ns)

    def release(self) -> None:
        for line in self.lines.values():
            # What began at this very moment is driven and let go.
            line.intervals = [one for one in line.intervals if one.start_ns <= self.now_ns]
            for one in line.intervals:
                one.end_ns = min(one.end_ns, self.now_ns)

    def _time_error(self, at_ns: int) -> int:
        if at_ns < self.now_ns:
            return lib.RIG_ERR_TOO_LATE
        return lib.RIG_ERR_TOO_EARLY if at_ns > self.now_ns + LEASE_NS else 0

    def _press_error(self, duration_ns: int, at_ns: int, force: bool) -> int:
        if duration_ns == 0:
            return lib.RIG_ERR_TOO_SHORT
        if duration_ns > (FORCE_NS if force else MAX_NS):
            return lib.RIG_ERR_TOO_LONG
        if any(one.end_ns > self.now_ns for one in self.lines[BUTTON].intervals):
            return lib.RIG_ERR_BUSY
        return self._time_error(at_ns)

    def press(self, token: int, duration_ns: int, at_ns: int, force: bool) -> int:
        line = self.lines[BUTTON]
        if token == line.token:
            return 0
        error = self._press_error(duration_ns, at_ns, force)
        if error:
            self.refusals += 1
            return error
        line.token, line.answer = token, (at_ns, at_ns + duration_ns)
        line.intervals.append(Interval(at_ns, at_ns + duration_ns))
        return 0

    def lid(self, token: int, closed: bool, at_ns: int) -> int:
        line = self.lines[LID]
        if token == line.token:
            return 0
        busy = line.changes_after(self.now_ns)
        error = lib.RIG_ERR_BUSY if busy else self._time_error(at_ns)
        if error:
            self.refusals += 1
            return error
        line.token, line.answer = token, (at_ns, FOREVER)
        if closed and not line.driven(self.now_ns):
            line.intervals.append(Interval(at_ns, FOREVER))
        elif not closed and line.driven(self.now_ns):
            line.intervals[-1].end_ns = at_ns
        return 0

    def deadline_ns(self) -> int:
        """The next change of an output, or the end of a lease on which something depends."""
        changes = [t for line in self.lines.values() for t in line.changes_after(self.now_ns)]
        active = any(
            one.end_ns > self.now_ns for line in self.lines.values() for one in line.intervals
        )
        return min([*changes, self.contact_ns + LEASE_NS]) if active else FOREVER


class InterlockMachine(RuleBasedStateMachine):
    """Does the same to the core and to the model."""

    make_board = staticmethod(lambda **_plan: None)

    def __init__(self) -> None:
        super().__init__()
        self.board = self.make_board(
            lease_ns=LEASE_NS,
            actuators=(("BUTTON", "press", MAX_NS, FORCE_NS), ("LID", "hold", 0, 0)),
        )
        self.board.now_ns = 1000 * MS
        self.model = Model(self.board.now_ns)

    def arrive(self, step_ns: int, waited_ns: int) -> int:
        """Let time pass, and a request arrive `waited_ns` before it is handled."""
        self.board.now_ns += step_ns
        rx_ns = max(self.board.now_ns - waited_ns, self.model.now_ns)
        self.model.hear(rx_ns, self.board.now_ns)
        return rx_ns

    def do(self, command: int, request: dict, rx_ns: int):
        fields = {key: value for key, value in request.items() if value is not None}
        return self.board.request(command, cbor2.dumps(fields), write=True, rx_ns=rx_ns)

    def at(self, offset_ns: int | None) -> int | None:
        return None if offset_ns is None else self.board.now_ns + offset_ns

    def check_answer(self, reply, error: int, actuator: int) -> None:
        assert reply.error == error
        if not error:
            start_ns, end_ns = self.model.lines[actuator].answer
            assert reply.fields["start"] == start_ns
            assert reply.fields.get("end", FOREVER) == end_ns

    @rule(passing=PASSING, token=TOKENS, duration=DURATIONS, offset=OFFSETS, force=st.booleans())
    def press(
        self, *, passing: Passing, token: int, duration: int, offset: int | None, force: bool
    ) -> None:
        rx_ns = self.arrive(*passing)
        at_ns = self.at(offset)
        request = {"act": BUTTON, "tok": token, "dur": duration, "at": at_ns, "force": force}
        reply = self.do(lib.RIG_CMD_PRESS, request, rx_ns)
        start_ns = self.model.now_ns if at_ns is None else at_ns
        self.check_answer(reply, self.model.press(token, duration, start_ns, force), BUTTON)

    @rule(passing=PASSING, token=TOKENS, closed=st.booleans(), offset=OFFSETS)
    def lid(self, *, passing: Passing, token: int, closed: bool, offset: int | None) -> None:
        rx_ns = self.arrive(*passing)
        at_ns = self.at(offset)
        reply = self.do(lib.RIG_CMD_LID, {"closed": closed, "tok": token, "at": at_ns}, rx_ns)
        start_ns = self.model.now_ns if at_ns is None else at_ns
        self.check_answer(reply, self.model.lid(token, closed, start_ns), LID)

    @rule(token=TOKENS)
    def press_to_the_end_of_the_lease(self, token: int) -> None:
        self.press(
            passing=(0, 0),
            token=token,
            duration=100 * MS,
            offset=LEASE_NS - 100 * MS,
            force=False,
        )

    @rule(step=STEPS)
    def release(self, step: int) -> None:
        rx_ns = self.arrive(step, 0)
        assert self.do(lib.RIG_CMD_RELEASE, {}, rx_ns).error == 0
        self.model.release()

    @rule(step=STEPS)
    def tick(self, step: int) -> None:
        self.board.tick(self.board.now_ns + step)
        self.model.pass_time(self.board.now_ns)

    @rule()
    def tick_at_the_deadline(self) -> None:
        if self.board.deadline_ns() < FOREVER:
            self.board.tick(self.board.deadline_ns())
            self.model.pass_time(self.board.now_ns)

    @invariant()
    def outputs_agree(self) -> None:
        for actuator, line in self.model.lines.items():
            calls = [driven for which, driven in self.board.drives if which == actuator]
            assert (calls[-1] if calls else False) == line.driven(self.model.now_ns)
            begun = [one for one in line.intervals if one.start_ns <= self.model.now_ns]
            assert calls.count(True) == len(begun)

    @invariant()
    def counts_and_deadline_agree(self) -> None:
        assert self.board.core.refusals == self.model.refusals
        assert self.board.core.lease_expiries == self.model.expiries
        assert self.board.deadline_ns() == self.model.deadline_ns()


def test_outputs_are_what_the_intervals_say(make_board) -> None:
    machine = type("Machine", (InterlockMachine,), {"make_board": staticmethod(make_board)})
    run_state_machine_as_test(machine, settings=settings(stateful_step_count=40, deadline=None))
