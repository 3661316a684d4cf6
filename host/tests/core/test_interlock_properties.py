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
SILENCE_NS = LEASE_NS // 3  # before something that was scheduled begins
MAX_NS = 500 * MS
FORCE_NS = 5000 * MS
RELEASE_NS = 30 * MS
HOLD_NS = 7 * LEASE_NS
KEPT = 8  # answers that the board keeps of each actuator
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
TOKENS = st.integers(1, 12)
HOSTS = st.sampled_from([None, None, None, 1, 2])
BOOT, NONCE = 7, 2**62 + 5
SIGHT = {"boot": BOOT, "nonce": NONCE}
PRESS = {"act": BUTTON, "tok": 30, "dur": MS, "boot": BOOT}
FORCED = PRESS | {"force": True}
# What nobody may do who has not asked the board who it is, and why it is refused.
BLIND = [
    *((lib.RIG_CMD_PRESS, FORCED | wrong, lib.RIG_ERR_NO_NONCE) for wrong in ({}, {"nonce": 1})),
    (lib.RIG_CMD_PRESS, FORCED | SIGHT | {"boot": 8}, lib.RIG_ERR_OTHER_BOOT),
    (lib.RIG_CMD_PRESS, PRESS | {"boot": 8}, lib.RIG_ERR_OTHER_BOOT),
    (lib.RIG_CMD_LID, {"closed": True, "tok": 30, "boot": 0}, lib.RIG_ERR_OTHER_BOOT),
    (lib.RIG_CMD_LID, {"closed": False, "tok": 30, "boot": 8}, lib.RIG_ERR_OTHER_BOOT),
    (lib.RIG_CMD_LOOPBACK, {"act": 0, "ch": 1, "tok": 30, "boot": 8}, lib.RIG_ERR_OTHER_BOOT),
    *(
        (command, SIGHT | wrong, error)
        for command in (lib.RIG_CMD_BOOTLOADER, lib.RIG_CMD_PERMIT)
        for wrong, error in (
            ({"boot": 8}, lib.RIG_ERR_OTHER_BOOT),
            ({"nonce": NONCE - 1}, lib.RIG_ERR_NO_NONCE),
        )
    ),
]
Passing = tuple[int, int]  # how long nothing was asked, how long the request then waited
PASSING = st.tuples(STEPS, st.sampled_from([0, 1, 10 * MS]))


@dataclass
class Interval:
    start_ns: int
    end_ns: int
    asked_ns: int
    opens: bool = False  # of a lid: its end was asked for


@dataclass
class Line:
    """One actuator's past and future."""

    intervals: list[Interval] = field(default_factory=list)
    answers: dict[int, tuple[int, int]] = field(default_factory=dict)
    released_ns: int = 0  # by the board's clock; its start counts as a release

    def driven(self, now_ns: int) -> bool:
        return any(one.start_ns <= now_ns < one.end_ns for one in self.intervals)

    def changes_after(self, now_ns: int) -> list[int]:
        return [
            t_ns
            for one in self.intervals
            for t_ns in (one.start_ns, one.end_ns)
            if now_ns < t_ns < FOREVER
        ]

    def keep(self, token: int, answer: tuple[int, int]) -> None:
        self.answers[token] = answer
        if len(self.answers) > KEPT:
            del self.answers[next(iter(self.answers))]

    def is_too_soon(self, at_ns: int) -> bool:
        return at_ns < self.released_ns + RELEASE_NS

    def note_releases(self, since_ns: int, now_ns: int, clock_ns: int) -> None:
        """What ended since then was released when the board did what was due."""
        if any(since_ns < one.end_ns <= now_ns for one in self.intervals):
            self.released_ns = clock_ns

    def drop_forgotten(self, since_ns: int, now_ns: int, heard_ns: int) -> int:
        """Of what begins within a time, drop what its host was silent too long before; how many."""
        begun = [one for one in self.intervals if since_ns < one.start_ns <= now_ns]
        dropped = [
            one
            for one in begun
            if one.start_ns < heard_ns + LEASE_NS
            and max(heard_ns, one.asked_ns) + SILENCE_NS < one.start_ns
        ]
        self.intervals = [one for one in self.intervals if one not in dropped]
        return len(dropped)

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
        self.owner: int | None = None
        self.refusals = 0
        self.expiries = 0

    def _holds_something_at(self, lease_end_ns: int) -> bool:
        """Whether a lease's end takes something away; a press that ends there ends by itself."""
        button, lid = self.lines[BUTTON], self.lines[LID]
        return any(one.end_ns > lease_end_ns for one in button.intervals) or any(
            one.end_ns >= lease_end_ns for one in lid.intervals
        )

    def pass_time(self, now_ns: int, clock_ns: int) -> None:
        for line in self.lines.values():
            self.expiries += line.drop_forgotten(self.now_ns, now_ns, self.contact_ns)
        lease_end_ns = self.contact_ns + LEASE_NS
        if self.now_ns < lease_end_ns <= now_ns and self._holds_something_at(lease_end_ns):
            for line in self.lines.values():
                line.cut(lease_end_ns)
            self.expiries += 1
        for line in self.lines.values():
            line.note_releases(self.now_ns, now_ns, clock_ns)
        self.now_ns = now_ns

    def hear(self, rx_ns: int, now_ns: int, host: int | None) -> None:
        self.pass_time(max(rx_ns, self.now_ns), now_ns)
        if self._is_free_for(host):
            self.contact_ns = max(self.contact_ns, rx_ns)
        self.pass_time(now_ns, now_ns)
        if self._is_free_for(host):
            self.contact_ns = max(self.contact_ns, rx_ns)

    def _is_free_for(self, host: int | None) -> bool:
        busy = any(
            one.end_ns > self.now_ns for line in self.lines.values() for one in line.intervals
        )
        return not busy or host == self.owner

    def release(self) -> None:
        for line in self.lines.values():
            # What began at this very moment is driven and let go.
            line.intervals = [one for one in line.intervals if one.start_ns <= self.now_ns]
            for one in line.intervals:
                if one.end_ns > self.now_ns:
                    one.end_ns = line.released_ns = self.now_ns

    def _time_error(self, at_ns: int) -> int:
        if at_ns < self.now_ns:
            return lib.RIG_ERR_TOO_LATE
        return lib.RIG_ERR_TOO_EARLY if at_ns > self.now_ns + LEASE_NS else 0

    def _press_error(self, duration_ns: int, at_ns: int, force: bool) -> int:
        if duration_ns == 0:
            return lib.RIG_ERR_TOO_SHORT
        if duration_ns > (FORCE_NS if force else MAX_NS):
            return lib.RIG_ERR_TOO_LONG
        line = self.lines[BUTTON]
        if any(one.end_ns > self.now_ns for one in line.intervals):
            return lib.RIG_ERR_BUSY
        error = self._time_error(at_ns)
        return error or (lib.RIG_ERR_TOO_SOON if line.is_too_soon(at_ns) else 0)

    def press(self, token: int, duration_ns: int, at_ns: int, force: bool, host: int | None) -> int:
        line = self.lines[BUTTON]
        if token in line.answers:
            return 0
        free = self._is_free_for(host)
        error = self._press_error(duration_ns, at_ns, force) if free else lib.RIG_ERR_OTHER_HOST
        if error:
            self.refusals += 1
            return error
        self.owner = host
        line.keep(token, (at_ns, at_ns + duration_ns))
        line.intervals.append(Interval(at_ns, at_ns + duration_ns, self.now_ns))
        return 0

    def _lid_error(self, closed: bool, at_ns: int, host: int | None) -> int:
        line = self.lines[LID]
        if not self._is_free_for(host):
            return lib.RIG_ERR_OTHER_HOST
        if self.moves_lid:
            return lib.RIG_ERR_BUSY
        too_soon = closed and not line.driven(self.now_ns) and line.is_too_soon(at_ns)
        return self._time_error(at_ns) or (lib.RIG_ERR_TOO_SOON if too_soon else 0)

    @property
    def moves_lid(self) -> bool:
        """Whether a move of the lid is scheduled; the end of a hold at its maximum is none."""
        return any(
            self.now_ns < one.start_ns or (self.now_ns < one.end_ns and one.opens)
            for one in self.lines[LID].intervals
        )

    def lid(self, token: int, closed: bool, at_ns: int, host: int | None) -> int:
        line = self.lines[LID]
        if token in line.answers:
            return 0
        error = self._lid_error(closed, at_ns, host)
        if error:
            self.refusals += 1
            return error
        driven = line.driven(self.now_ns)
        if closed and not driven:
            line.intervals.append(Interval(at_ns, at_ns + HOLD_NS, self.now_ns))
        elif not closed and driven:
            at_ns = min(at_ns, line.intervals[-1].end_ns)
            line.intervals[-1].end_ns, line.intervals[-1].opens = at_ns, True
            if at_ns <= self.now_ns:
                line.released_ns = self.now_ns
        if closed != driven:
            self.owner = host
        line.keep(token, (at_ns, FOREVER))
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
            boot_id=BOOT,
            nonce=NONCE,
            bootloader=True,
            lease_ns=LEASE_NS,
            actuators=(
                ("BUTTON", "press", MAX_NS, FORCE_NS, RELEASE_NS),
                ("LID", "hold", 0, 0, RELEASE_NS, 0, 0, HOLD_NS),
            ),
        )
        self.board.now_ns = 1000 * MS  # the start was at 0
        self.model = Model(self.board.now_ns)

    def arrive(self, step_ns: int, waited_ns: int, host: int | None = None) -> int:
        """Let time pass, and a request arrive `waited_ns` before it is handled."""
        self.tick_until(self.board.now_ns + step_ns - waited_ns)
        self.board.now_ns = max(self.board.now_ns, self.model.now_ns + waited_ns)
        rx_ns = max(self.board.now_ns - waited_ns, self.model.now_ns)
        self.model.hear(rx_ns, self.board.now_ns, host)
        return rx_ns

    def tick_until(self, end_ns: int) -> None:
        """Let the board do what is due, each at its time."""
        while self.board.deadline_ns() <= end_ns:
            self.board.tick(self.board.deadline_ns())
            self.model.pass_time(self.board.now_ns, self.board.now_ns)
        self.board.tick(max(end_ns, self.board.now_ns))
        self.model.pass_time(self.board.now_ns, self.board.now_ns)

    def do(self, command: int, request: dict, rx_ns: int):
        fields = {key: value for key, value in request.items() if value is not None}
        return self.board.request(command, cbor2.dumps(fields), write=True, rx_ns=rx_ns)

    def at(self, offset_ns: int | None) -> int | None:
        return None if offset_ns is None else self.board.now_ns + offset_ns

    def check_answer(self, reply, error: int, actuator: int, token: int) -> None:
        assert reply.error == error
        assert (reply.fields.get("left", 0) > 0) == (error == lib.RIG_ERR_TOO_SOON)
        if not error:
            start_ns, end_ns = self.model.lines[actuator].answers[token]
            assert reply.fields["start"] == start_ns
            assert reply.fields.get("end", FOREVER) == end_ns

    @rule(
        passing=PASSING,
        token=TOKENS,
        duration=DURATIONS,
        offset=OFFSETS,
        force=st.booleans(),
        host=HOSTS,
    )
    def press(
        self,
        *,
        passing: Passing,
        token: int,
        duration: int,
        offset: int | None,
        force: bool,
        host: int | None,
    ) -> None:
        rx_ns = self.arrive(*passing, host)
        at_ns = self.at(offset)
        request = {"act": BUTTON, "tok": token, "dur": duration, "at": at_ns, "force": force}
        sight = SIGHT if force else {"boot": BOOT}
        reply = self.do(lib.RIG_CMD_PRESS, request | sight | {"host": host}, rx_ns)
        start_ns = self.model.now_ns if at_ns is None else at_ns
        error = self.model.press(token, duration, start_ns, force, host)
        self.check_answer(reply, error, BUTTON, token)

    @rule(passing=PASSING, token=TOKENS, closed=st.booleans(), offset=OFFSETS, host=HOSTS)
    def lid(
        self,
        *,
        passing: Passing,
        token: int,
        closed: bool,
        offset: int | None,
        host: int | None,
    ) -> None:
        rx_ns = self.arrive(*passing, host)
        at_ns = self.at(offset)
        request = {"closed": closed, "tok": token, "at": at_ns, "boot": BOOT, "host": host}
        reply = self.do(lib.RIG_CMD_LID, request, rx_ns)
        start_ns = self.model.now_ns if at_ns is None else at_ns
        error = self.model.lid(token, closed, start_ns, host)
        self.check_answer(reply, error, LID, token)

    @rule(step=STEPS, payload=st.sampled_from([b"", b"\xff", b"\xa1", b"\x80"]))
    def garbage(self, step: int, payload: bytes) -> None:
        self.board.now_ns += step
        reply = self.board.request(lib.RIG_CMD_TIME, payload)
        assert reply.error == lib.RIG_ERR_BAD_REQUEST
        self.model.pass_time(self.board.now_ns, self.board.now_ns)

    @rule(passing=PASSING, asked=st.sampled_from(BLIND), host=HOSTS)
    def act_blind(self, passing: Passing, asked: tuple[int, dict, int], host: int | None) -> None:
        command, request, error = asked
        rx_ns = self.arrive(*passing, host)
        assert self.do(command, request | {"host": host}, rx_ns).error == error
        self.model.refusals += 1

    @rule(step=STEPS, asked=st.sampled_from(BLIND))
    def act_without_a_boot(self, step: int, asked: tuple[int, dict, int]) -> None:
        """That is no request at all, so it renews no lease either."""
        command, request, _ = asked
        self.board.now_ns += step
        fields = {key: value for key, value in request.items() if key != "boot"}
        assert self.do(command, fields, self.board.now_ns).error == lib.RIG_ERR_BAD_REQUEST
        self.model.pass_time(self.board.now_ns, self.board.now_ns)

    @rule(step=STEPS, host=HOSTS)
    def ask(self, step: int, host: int | None) -> None:
        rx_ns = self.arrive(step, 0, host)
        request = {} if host is None else {"host": host}
        self.board.request(lib.RIG_CMD_TIME, cbor2.dumps(request), rx_ns=rx_ns)

    @rule(token=TOKENS)
    def press_to_the_end_of_the_lease(self, token: int) -> None:
        self.press(
            passing=(0, 0),
            token=token,
            duration=100 * MS,
            offset=LEASE_NS - 100 * MS,
            force=False,
            host=None,
        )

    @rule(step=STEPS)
    def release(self, step: int) -> None:
        rx_ns = self.arrive(step, 0)
        assert self.do(lib.RIG_CMD_RELEASE, {}, rx_ns).error == 0
        self.model.release()

    @rule(step=STEPS)
    def tick(self, step: int) -> None:
        self.board.tick(self.board.now_ns + step)
        self.model.pass_time(self.board.now_ns, self.board.now_ns)

    @rule()
    def tick_at_the_deadline(self) -> None:
        if self.board.deadline_ns() < FOREVER:
            self.board.tick(self.board.deadline_ns())
            self.model.pass_time(self.board.now_ns, self.board.now_ns)

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
        assert self.board.leaves == 0
        assert self.board.core.lease_expiries == self.model.expiries
        assert self.board.deadline_ns() == self.model.deadline_ns()


def test_outputs_are_what_the_intervals_say(make_board) -> None:
    machine = type("Machine", (InterlockMachine,), {"make_board": staticmethod(make_board)})
    run_state_machine_as_test(machine, settings=settings(stateful_step_count=40, deadline=None))
