"""A rig and its DUT, as a campaign uses them: actions are recorded, waits keep the lease.

A `Capture` reads edges, light and power by cursor. An interrupt may strike anywhere: what was read
twice is kept once, and what was lost is noted by the cursor that found it missing, not in a counter
that could be left behind.
"""

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TypeVar

from resume_rig.campaign.plan.states import dead_lines
from resume_rig.campaign.store.raw import Command, CommandName
from resume_rig.model.channel import Actuator, Channel, WakeBy
from resume_rig.model.clock import Clock
from resume_rig.model.edge import EDGES_MOST, ClockExchange, Edge, LightBlock
from resume_rig.model.errors import LinkLost, ProtocolError, UsageError
from resume_rig.model.light import LightColumns, LightOnset, OnsetState
from resume_rig.model.power import PowerSamples
from resume_rig.model.result.verdict import Finding, FindingKind
from resume_rig.model.units import NS_PER_MS, seconds_text
from resume_rig.rig.interface import (
    ActionStart,
    EdgeBatch,
    Faults,
    LightBatch,
    PowerBatch,
    Rig,
    RigInfo,
)
from resume_rig.timing.hull import board_limits
from resume_rig.timing.relation import ExchangeSelection

# A line that blinks may change while levels are read; this often is enough to find a quiet moment.
QUIET_ATTEMPTS = 8
# What one reply may hold. On a link that loses bytes a short one comes through where a long one
# does not: of 1.4 KB a third is lost at 0.03 % of the bytes.
BATCH = 128
SHORT_BATCH = 16
# A cycle has thousands of blocks; a board gives as many of them as fit its reply.
LIGHT_BATCH = 1024
# Of 1 ms each: more than an hour, which is longer than any time-out of a cycle.
BLOCKS_MOST = 4_000_000

_Batch = TypeVar("_Batch", EdgeBatch, LightBatch, PowerBatch)


class Capture:
    """Edges, light blocks and initial levels since `begin`.

    Attributes:
        initial_levels: just before the first edge.
        edges: that were read, in the order of their numbers.
        levels: after the newest of the edges.
        lost_power: samples of the power monitor that the board overwrote before they were read.
    """

    def __init__(self, rig: Rig, *, has_light: bool, has_power: bool = False) -> None:
        self._rig = rig
        self._has_power = has_power
        self._next_sample = 0
        self._power: list[PowerSamples] = []
        self.lost_power = 0
        self._has_light = has_light
        self._next_edge = 0
        self._next_block = self._first_block = 0
        self.initial_levels: dict[Channel, int] = {}
        self.edges: list[Edge] = []
        self.levels: dict[Channel, int] = {}
        self._lost: dict[int, int] = {}
        self._overruns = self._first_overruns = 0
        self._light: list[Sequence[LightBlock]] = []
        self._short = False

    @property
    def lost_edges(self) -> int:
        """How many edges since `begin` the board lost before they were read.

        Its numbers show it, or its count of overruns alone: an edge that found no room on the way
        into the ring never got a number.
        """
        # The numbers of `edges` do not: those of channels that this host does not have are no loss.
        return max(sum(self._lost.values()), self._overruns - self._first_overruns)

    @property
    def lost_light(self) -> int:
        """How many light blocks since `begin` the board overwrote before they were read."""
        return self._next_block - self._first_block - sum(map(len, self._light))

    @property
    def light(self) -> LightColumns:
        """The blocks of light that were read, in the order of their numbers."""
        if len(self._light) != 1:
            self._light = [LightColumns.joined(self._light)]
        return LightColumns.of(self._light[0])

    def begin(self) -> None:
        """Forget everything, go to the newest edge and block, and note the levels there."""
        for _ in range(QUIET_ATTEMPTS):
            # Of the moment between the edges that were read before and those that come now.
            levels = self._rig.levels()
            before = self._next_edge
            self.read_edges()
            if self._next_edge == before:
                break
        self.initial_levels, self.levels = levels, dict(levels)
        self.edges, self._lost = [], {}
        self._short = False
        self._first_overruns = self._overruns
        self.begin_light()
        self.read_power()
        self._power, self.lost_power = [], 0

    def begin_light(self) -> None:
        """Forget the light, and go to the newest block."""
        self.read_light()
        self._light, self._first_block = [], self._next_block

    def read_edges(self) -> None:
        """Read every edge that the board has.

        Raises:
            ProtocolError: there are more than a cycle can have.
        """
        more = True
        while more:
            batch = self._asked(self._rig.edges, self._next_edge, BATCH)
            if batch.edges:
                newest = self.edges[-1].number if self.edges else -1
                new = [edge for edge in batch.edges if edge.number > newest]
                self.edges.extend(new)
                if len(self.edges) > EDGES_MOST:
                    self.edges = self.edges[:EDGES_MOST]
                    raise ProtocolError(
                        f"the board has more than {EDGES_MOST:,} edges of one cycle; a line that "
                        "floats or oscillates has so many: look at the wiring"
                    )
                for edge in new:
                    self.levels[edge.channel] = edge.level
            if batch.lost:
                self._lost[self._next_edge] = batch.lost
            self._next_edge = batch.next_number
            self._overruns = batch.overruns
            more = batch.more

    def read_light(self) -> None:
        """Read every light block that the board has.

        Raises:
            ProtocolError: there are more than a cycle can have.
        """
        more = self._has_light
        while more:
            batch = self._asked(self._rig.light, self._next_block, LIGHT_BATCH)
            blocks = batch.blocks
            newest = self._light[-1][-1].number if self._light and self._light[-1] else -1
            if batch.first <= newest:
                blocks = [block for block in blocks if block.number > newest]
            if blocks:
                self._light.append(blocks)
            self._next_block = batch.next_number
            if self._next_block - self._first_block > BLOCKS_MOST and self._light:
                self._light = []
                raise ProtocolError(
                    f"the board has more than {BLOCKS_MOST:,} blocks of light of one cycle, which "
                    "are of 1 ms and of an hour at most"
                )
            more = batch.more

    @property
    def power(self) -> PowerSamples | None:
        """The samples of the power monitor since `begin`; None without one."""
        if not self._has_power:
            return None
        columns = ("t_ns", "bus_uv", "current_ua")
        joined = (sum((getattr(each, name) for each in self._power), ()) for name in columns)
        return PowerSamples(*joined)

    def read_power(self) -> None:
        """Read every sample of the power monitor that the board has."""
        more = self._has_power
        while more:
            batch = self._asked(self._rig.power, self._next_sample, BATCH)
            # A page that was read twice is kept once: the cursor moves last.
            self._power.append(batch.samples)
            self.lost_power += batch.lost
            self._next_sample = batch.next_number
            more = batch.more

    def _asked(self, ask: Callable[[int, int], _Batch], cursor: int, most: int) -> _Batch:
        """Return a batch; one that does not come is asked for in short ones until `begin`."""
        if not self._short:
            try:
                return ask(cursor, most)
            except LinkLost:
                self._short = True
        return ask(cursor, SHORT_BATCH)


# While something is about to happen; an edge is stamped by the board, so this costs no accuracy.
FAST_PAUSE_NS = 10 * NS_PER_MS
SLOW_PAUSE_NS = 250 * NS_PER_MS
# At most so many at the beginning and the end of a record, and one a second while it lasts. Those
# that bound the relation of the clocks best are kept.
EXCHANGES = 5
EXCHANGE_PAUSE_NS = 1_000 * NS_PER_MS
# One whose round trip is hardly longer than the quickest of all bounds nearly as well as any: it
# ends the search at the beginning and the end. A step of the host's clock within a cycle is found
# between two of them, so the one a second stays.
QUICK_SHARE = 16
LIGHT_SPAN_NS = 2_000 * NS_PER_MS
# Behind the end of a recording the board needs its last batch of samples to decide.
ONSET_GRACE_NS = 100 * NS_PER_MS
BLOCK_NS = NS_PER_MS
_UNDECIDED = (OnsetState.DARK, OnsetState.RISING)


class Bench:
    """The one place of a campaign that speaks to the rig.

    Attributes:
        wired: the channels that count.
        commands: what was asked of the rig since `begin`, with its answers.
        lid_closed: whether the lid was closed last.
        press_ns: how long a press of the button is.
        movable: what the rig can move on this DUT.
        alarm_until_ns: until when, host clock, a timer of the DUT may still wake it.
        contact_closed: whether the dry contact was closed last.
    """

    def __init__(
        self,
        rig: Rig,
        clock: Clock,
        info: RigInfo,
        wired: Collection[Channel],
        *,
        press_ns: int,
        movable: Collection[Actuator],
        send_packet: Callable[[], None] | None = None,
    ) -> None:
        self.clock = clock
        self.wired = frozenset(wired)
        self.commands: list[Command] = []
        self.lid_closed = self.contact_closed = False
        self._send_packet = send_packet
        self.has_light = info.light_ring > 0
        self.finds_onset = self.has_light and info.light_rate_hz is not None
        self.capture = Capture(rig, has_light=self.has_light, has_power=info.power is not None)
        self._power_pause_ns = None
        if info.power is not None:
            self._power_pause_ns = info.power.ring * info.power.period_ns // 4
        self._power_read_ns = 0
        self.rig = rig
        self.press_ns = press_ns
        self.movable = frozenset(movable)
        self.alarm_until_ns = 0
        self._lease_ns = info.lease_ns
        self._faults: Faults | None = None
        self._faults_ns = 0
        self._light_wanted = self._light_armed = False
        self._kept_onset: LightOnset | None = None
        # Three requests in a lease: one may be lost and another late.
        self._silence_ns = info.lease_ns // 4
        self.slow_pause_ns = min(SLOW_PAUSE_NS, self._silence_ns)
        self.fast_pause_ns = min(FAST_PAUSE_NS, self.slow_pause_ns)
        self._light_pause_ns = min(2 * SLOW_PAUSE_NS, info.light_ring * BLOCK_NS // 4)
        self._light_read_ns = self._light_until_ns = 0
        self._read_ns: int | None = None
        self._asked_ns = 0
        self._board_minus_host_ns = 0
        self._limits = board_limits(info.clock_tolerance_ppb, info.clock_hz)
        self._exchanges = ExchangeSelection(self._limits)
        self._exchange_due_ns = 0
        self._quickest_ns: int | None = None
        self._was_quick = False

    def begin(self) -> None:
        """Start a new record with clock exchanges of its own."""
        self.commands = []
        self._light_wanted = self._light_armed = False
        self._kept_onset = None
        self._exchanges = ExchangeSelection(self._limits)
        self.exchange_clocks()
        self.capture.begin()

    def exchange_clocks(self) -> None:
        """Make exchanges until one is quick, and take the quickest for when to do what."""
        made: list[ClockExchange] = []
        while len(made) < EXCHANGES and not (made and self._was_quick):
            made.append(self._exchange())
        best = min(made, key=lambda exchange: exchange.round_trip_ns)
        self._board_minus_host_ns = (
            best.board_rx_ns - best.host_tx_ns + best.board_tx_ns - best.host_rx_ns
        ) // 2

    def exchanges(self) -> tuple[ClockExchange, ...]:
        """Return the exchanges of this record that bound the clocks best, in order."""
        return self._exchanges.kept()

    def host_time_of(self, board_ns: int) -> int:
        """Return the host time of a board time, good to half a round trip."""
        return board_ns - self._board_minus_host_ns

    def board_now_ns(self) -> int:
        """Return the board time of now, good to half a round trip."""
        return self.clock.now_ns() + self._board_minus_host_ns

    def levels(self) -> Mapping[Channel, int]:
        """Return the levels after the newest edge that was read."""
        if self.capture.lost_edges:
            # What was lost may have been the last word of a line.
            return self.rig.levels()
        return self.capture.levels

    def is_running(self) -> bool:
        """Return whether the wires show a DUT that runs."""
        return not dead_lines(self.levels(), self.wired)

    def move(self, actuator: Actuator, *, closed: bool) -> Command:
        """Press the button, or bring the lid into the position that sleeps or wakes."""
        if actuator is Actuator.BUTTON:
            return self._act(
                CommandName.PRESS,
                self.press_ns,
                lambda: self.rig.press(Actuator.BUTTON, self.press_ns),
            )
        name = CommandName.CLOSE_LID if closed else CommandName.OPEN_LID
        self.lid_closed = closed
        return self._act(name, None, lambda: self.rig.lid(closed))

    def wake(self, by: WakeBy) -> Command:
        """Wake the DUT by something, or open its lid; a contact stays closed.

        Raises:
            UsageError: by a packet, and the DUT's profile names no MAC address.
            RigError: it could not be sent.
        """
        if by is Actuator.KEYBOARD:
            press = partial(self.rig.press, Actuator.KEYBOARD, self.press_ns)
            return self._act(CommandName.PRESS_KEY, self.press_ns, press)
        if by is Actuator.CONTACT:
            return self.set_contact(closed=True)
        if isinstance(by, Actuator):
            return self.move(by, closed=False)
        return self._wake_by_packet()

    def set_contact(self, *, closed: bool) -> Command:
        """Close or open the dry contact."""
        name = CommandName.CLOSE_CONTACT if closed else CommandName.OPEN_CONTACT
        self.contact_closed = closed
        return self._act(name, None, lambda: self.rig.contact(closed))

    def let_go_of_contact(self) -> None:
        """Open a contact that is closed."""
        if self.contact_closed:
            self.set_contact(closed=False)

    def _wake_by_packet(self) -> Command:
        """Send a packet, with the host's clock read just before and just after.

        Exchanges of clocks stand around it: what is between two of them has a time on both.
        """
        if self._send_packet is None:
            raise UsageError("a magic packet needs the DUT's MAC address; its profile's key is mac")
        self._exchange()
        host_ns = self.clock.now_ns()
        self.commands.append(Command(CommandName.SEND_PACKET, host_ns))
        self._send_packet()
        # A clock that moves in steps is behind the time.
        took_ns = self.clock.now_ns() + self.clock.tick_ns - host_ns
        self.commands[-1] = Command(CommandName.SEND_PACKET, host_ns, took_ns)
        self._exchange()
        return self.commands[-1]

    def let_go_of_lid(self) -> None:
        """Open a lid that is closed."""
        if self.lid_closed:
            self.move(Actuator.LID, closed=False)

    def force_off(self, duration_ns: int) -> Command:
        """Hold the button past the override that cuts the power; it counts from now."""
        return self._act(
            CommandName.FORCE_OFF,
            duration_ns,
            lambda: self.rig.press(Actuator.BUTTON, duration_ns, force_off=True),
        )

    def note(self, name: CommandName) -> None:
        """Keep that something other than the rig was asked to act."""
        self.commands.append(Command(name, self.clock.now_ns()))

    def record_light(self, until_host_ns: int) -> None:
        """Keep the photodiode recorded for the next seconds, until a host time at most."""
        if not self.has_light:
            return
        if not self._light_wanted:
            self.capture.begin_light()
            self._light_wanted = True
        now_ns = self.clock.now_ns()
        span_ns = min(LIGHT_SPAN_NS, until_host_ns - now_ns)
        if span_ns > 0 and self._light_until_ns < min(until_host_ns, now_ns + LIGHT_SPAN_NS // 2):
            self._keep_onset(now_ns)
            self._act(CommandName.ARM_LIGHT, span_ns, partial(self.rig.arm_light, span_ns))
            self._light_until_ns, self._light_armed = now_ns + span_ns, True

    def _keep_onset(self, now_ns: int) -> None:
        """Keep the first onset of this record: the next recording makes the board forget it.

        One that goes on is made longer; one is over where a poor line held up what was asked.
        """
        over = self._light_armed and self._light_until_ns <= now_ns
        if self.finds_onset and over and self._kept_onset is None:
            onset = self.rig.onset()
            self._kept_onset = None if onset.first_ns is None else onset

    def onset(self, *, wait: bool) -> LightOnset | None:
        """Return the onset in this record's light.

        None where the board looks for none, or nothing was recorded: what the board reports then
        is of an older recording. To `wait` is until it is decided, or the recording is over.
        """
        if not (self.finds_onset and self._light_wanted):
            return None
        if self._kept_onset is not None:
            return self._kept_onset
        until_ns = self._light_until_ns + ONSET_GRACE_NS if wait else 0
        while True:
            onset = self.rig.onset()
            left_ns = until_ns - self.clock.now_ns()
            if onset.state not in _UNDECIDED or left_ns <= 0:
                return onset
            self.clock.sleep_ns(min(self.fast_pause_ns, left_ns))

    def faults(self) -> Faults:
        """Return the board's fault counters; earlier boots are none of a cycle's."""
        self._faults_ns = self.clock.now_ns()
        found = self.rig.faults()
        if found.history:
            found = dataclasses.replace(found, history=())
        self._faults = found
        return found

    def leases_before(self) -> int:
        """Return how many leases had expired when this record began."""
        # None can have expired since the counters were read, where that was less than a lease ago.
        faults = self._faults
        if faults is None or self.clock.now_ns() - self._faults_ns >= self._lease_ns // 2:
            faults = self.faults()
        return faults.lease_expiries

    def lease_expired(self) -> Finding:
        """Return the finding of a cycle in which the board let go by itself."""
        return Finding(
            FindingKind.LEASE_EXPIRED,
            f"The host was silent for longer than {seconds_text(self._lease_ns)}, so the board "
            "let go of what it held before the plan did; nothing of this cycle is judged.",
            {"lease_ns": self._lease_ns},
        )

    def release(self) -> None:
        """Let go of every actuator."""
        self.lid_closed = self.contact_closed = False
        self._act(CommandName.RELEASE, None, self.rig.release)

    def wait(
        self,
        until_host_ns: int,
        done: Callable[[], bool] | None = None,
        *,
        fast: bool = False,
        light_until_ns: int | None = None,
        signs: Collection[Channel] | None = None,
    ) -> bool:
        """Read edges until `done` or the host time comes; return whether `done` came.

        Args:
            until_host_ns: when to give up.
            done: asked before and after each reading.
            fast: ask often, because something is about to happen.
            light_until_ns: keep recording light, until this host time at most.
            signs: the lines that `done` depends on; None: anything. Of the other lines it is open
                in the end whether all was read.
        """
        pause_ns = self.fast_pause_ns if fast else self.slow_pause_ns
        if signs is None and done is None:
            signs = ()
        unread = True
        while True:
            if light_until_ns is not None:
                self.record_light(light_until_ns)
            if done is not None and done():
                return True
            if self.clock.now_ns() >= self._exchange_due_ns:
                self._exchange()
                unread = True
            left_ns = until_host_ns - self.clock.now_ns()
            if left_ns <= 0:
                unread = unread or done is None
            elif signs is None:
                self.clock.sleep_ns(min(pause_ns, left_ns))
                unread = True
            else:
                unread = self.rig.await_change(self._duty_ns(until_host_ns), pause_ns, signs)
            if unread or self.clock.now_ns() - self._asked_ns >= self._silence_ns:
                self._read_edges()
            self._read_light()
            self._read_power()
            if left_ns <= 0:
                return unread and done is not None and done()
            unread = False

    def wait_for_log(self, until_host_ns: int) -> None:
        """Read edges, and wait until the log that the board serves may have grown."""
        self.wait(self.clock.now_ns())
        self.rig.await_change(self._duty_ns(until_host_ns), self.slow_pause_ns, log=True)

    def _duty_ns(self, until_host_ns: int) -> int:
        """Return when the board has to be asked whatever happens; `until_host_ns` at most.

        That keeps its lease, the relation of the clocks, and light that its ring cannot hold for
        long.
        """
        now_ns = self.clock.now_ns()
        soonest_ns = min(until_host_ns, now_ns + self._silence_ns)
        if self._power_pause_ns is not None:
            soonest_ns = min(soonest_ns, max(self._power_read_ns + self._power_pause_ns, now_ns))
        if now_ns < self._exchange_due_ns < soonest_ns:
            soonest_ns = self._exchange_due_ns
        if self._light_wanted:
            read_ns = self._light_read_ns + self._light_pause_ns
            armed_ns = self._light_until_ns - LIGHT_SPAN_NS // 2 + 1
            for due_ns in (read_ns, armed_ns):
                if now_ns < due_ns < soonest_ns:
                    soonest_ns = due_ns
        return soonest_ns

    def read(self, *, all_light: bool = False) -> None:
        """Read what the board captured; light only now and then, for it is many blocks."""
        self._read_edges()
        self._read_light(all_light=all_light)
        self._read_power(all_power=all_light)

    def _read_edges(self) -> None:
        # On a virtual clock nothing happens between two requests.
        if self.clock.now_ns() != self._read_ns:
            self.capture.read_edges()
            self._read_ns = self._asked_ns = self.clock.now_ns()

    def _read_light(self, *, all_light: bool = False) -> None:
        if not self._light_wanted:
            return
        now_ns = self.clock.now_ns()
        if all_light or now_ns - self._light_read_ns >= self._light_pause_ns:
            self.capture.read_light()
            self._light_read_ns = now_ns

    def _read_power(self, *, all_power: bool = False) -> None:
        now_ns, pause_ns = self.clock.now_ns(), self._power_pause_ns
        if pause_ns is not None and (all_power or now_ns - self._power_read_ns >= pause_ns):
            self.capture.read_power()
            self._power_read_ns = now_ns

    def _exchange(self) -> ClockExchange:
        made = self.rig.exchange_clocks()
        self._exchanges.add(made)
        trip_ns, quickest_ns = made.round_trip_ns, self._quickest_ns
        # Against those before it: the very first one does not show what is quick.
        self._was_quick = (
            quickest_ns is not None and trip_ns <= quickest_ns + quickest_ns // QUICK_SHARE
        )
        self._quickest_ns = trip_ns if quickest_ns is None else min(quickest_ns, trip_ns)
        self._asked_ns = self.clock.now_ns()
        self._exchange_due_ns = self._asked_ns + EXCHANGE_PAUSE_NS
        return made

    def _act(
        self,
        name: CommandName,
        duration_ns: int | None,
        ask: Callable[[], ActionStart | None],
    ) -> Command:
        host_ns = self.clock.now_ns()
        # Noted before it is sent: one whose answer never came may still have been obeyed.
        self.commands.append(Command(name, host_ns, duration_ns))
        answer = ask()
        if answer is not None:
            self.commands[-1] = Command(name, host_ns, duration_ns, answer.start_ns, answer.end_ns)
        return self.commands[-1]
