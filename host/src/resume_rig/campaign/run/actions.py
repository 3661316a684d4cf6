"""Single actions on a bench, outside of campaigns: a press, a held lid, samples of light."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.clock import Clock
from resume_rig.model.edge import Edge
from resume_rig.model.errors import RigError, UsageError
from resume_rig.model.light import OnsetState
from resume_rig.model.units import NS_PER_S, seconds_text
from resume_rig.rig.interface import ActionStart, Rig, RigInfo

# While light is recorded the oldest samples go; each page asks behind the one before, so a
# reading that is overtaken begins anew, and seldom.
_TRIES = 5
_SETTLING_NS = 20_000_000


@dataclass(frozen=True, slots=True)
class KeptSamples:
    """One unbroken row of samples.

    Attributes:
        state: of the onset in the recording.
        start_ns: board clock at sample 0. rate_hz: samples in a second.
        first: number of the first of `counts`.
    """

    state: OnsetState
    start_ns: int
    rate_hz: int
    first: int
    counts: tuple[int, ...]

    def time_ns(self, index: int) -> int:
        """Return when `counts[index]` was taken, board clock."""
        return self.start_ns + (self.first + index) * NS_PER_S // self.rate_hz


def kept_samples(rig: Rig, clock: Clock) -> KeptSamples:
    """Return all samples that the board keeps about the onset in its newest recording.

    Raises:
        DeviceFault: the board has no photodiode, or looks for no onset.
        RigError: samples were overwritten while they were read, again and again.
    """
    for _ in range(_TRIES):
        page = rig.samples(0)
        first, counts = page.first, list(page.counts)
        while page.more:
            number = first + len(counts)
            page = rig.samples(number)
            if page.first != number:
                break
            counts.extend(page.counts)
        else:
            # Without a rate there is no onset, and the board refused.
            rate_hz = rig.info().light_rate_hz or 1
            return KeptSamples(page.state, page.start_ns, rate_hz, first, tuple(counts))
        clock.sleep_ns(_SETTLING_NS)
    raise RigError(
        "could not read the samples of light: the board overwrote them while they were read, "
        f"{_TRIES} times; read them when the recording is over"
    )


def samples_csv(samples: KeptSamples) -> Iterator[str]:
    """Yield a heading and a line for each sample: its time on the board's clock, and its counts."""
    yield "t_ns,counts\n"
    for index, counts in enumerate(samples.counts):
        yield f"{samples.time_ns(index)},{counts}\n"


# The header's edge comes up to some milliseconds after the output's.
RELEASE_LAG_NS = 20_000_000


@dataclass(frozen=True, slots=True)
class MeasuredPress:
    """What was asked for and what the header saw; board clock.

    Attributes:
        commanded_ns: duration that was asked for.
        pressed_ns, released_ns: the sensed edges; None where none came.
    """

    commanded_ns: int
    start_ns: int
    pressed_ns: int | None
    released_ns: int | None

    @property
    def width_ns(self) -> int | None:
        """How long the header saw it; None where it saw no whole press."""
        if self.pressed_ns is None or self.released_ns is None:
            return None
        return self.released_ns - self.pressed_ns


LONGEST_FORCED_NS: Final = 12_000_000_000
"""What a board holds with its force-off; override timers cut the power after 4 to 10 s."""


NAMED: Final = ("the press", "force_off")


def check_press(
    info: RigInfo,
    actuator: Actuator,
    duration_ns: int,
    *,
    force_off: bool = False,
    named: tuple[str, str] = NAMED,
) -> None:
    """Check the length of a press before anything moves; a board without the actuator refuses.

    Args:
        info: of the rig.
        actuator: the button or the keyboard.
        duration_ns: how long.
        force_off: whether it may cut the power, which a button's alone can.
        named: what the sentence calls the press, and what allows a longer one.

    Raises:
        UsageError: there is no such press; the sentence has the range.
    """
    limit_ns = next((a.max_press_ns for a in info.actuators if a.actuator is actuator), None)
    if limit_ns is None:
        return
    what, longer = named
    if 0 < duration_ns <= (max(limit_ns, LONGEST_FORCED_NS) if force_off else limit_ns):
        return
    more = f", or up to {seconds_text(LONGEST_FORCED_NS)} with {longer}"
    raise UsageError(
        f"{what} is {seconds_text(duration_ns)}; allowed are more than 0 s, up to "
        f"{seconds_text(limit_ns)}{more if actuator is Actuator.BUTTON else ''}"
    )


def press_once(
    rig: Rig,
    clock: Clock,
    duration_ns: int,
    *,
    force_off: bool,
    named: tuple[str, str] = NAMED,
) -> MeasuredPress:
    """Press the button, stay in touch while it lasts, and read what the header saw.

    Raises:
        UsageError: there is no such press; see `check_press`.
        DeviceFault: the board refuses; nothing was pressed.
        RigError: the link broke; the board lets go when its lease is over.
    """
    info = rig.info()
    check_press(info, Actuator.BUTTON, duration_ns, force_off=force_off, named=named)
    pause_ns = info.lease_ns // 4
    cursor = newest_edge(rig)
    start = rig.press(Actuator.BUTTON, duration_ns, force_off=force_off)
    left_ns = duration_ns + RELEASE_LAG_NS
    while left_ns > 0:
        clock.sleep_ns(min(left_ns, pause_ns))
        left_ns -= pause_ns
        rig.exchange_clocks()
    pressed_ns, released_ns = _pulse(edges_from(rig, cursor))
    return MeasuredPress(duration_ns, start.start_ns, pressed_ns, released_ns)


@dataclass(frozen=True, slots=True)
class MeasuredHold:
    """How long a lid or a contact was closed; board clock.

    Attributes:
        start_ns: when it was closed.
        opened_ns: when it was opened, by this host or before that by the board.
        by_board: the board heard nothing for its lease, as of a host that was suspended, and opened
            it by itself.
    """

    start_ns: int
    opened_ns: int
    by_board: bool

    @property
    def held_ns(self) -> int:
        """How long it was closed."""
        return self.opened_ns - self.start_ns


def hold_closed(
    rig: Rig,
    clock: Clock,
    duration_ns: int | None,
    on_closed: Callable[[], None],
    move: Callable[[bool], ActionStart],
) -> MeasuredHold:
    """Close the lid or the contact, keep it closed, open it; return how long it was closed.

    Args:
        rig: its board opens it by itself when nobody asks for it any more.
        clock: the rig's.
        duration_ns: how long; None until a KeyboardInterrupt, which is taken as "open it".
        on_closed: called when it is closed.
        move: the rig's `lid` or `contact`.

    Raises:
        DeviceFault: the board refuses.
        KeyboardInterrupt: it came before `duration_ns` was over.
    """
    lease_ns = rig.info().lease_ns
    pause_ns = lease_ns // 4
    cursor, expiries = newest_edge(rig), rig.faults().lease_expiries
    closed = move(True)
    on_closed()
    end_ns = None if duration_ns is None else clock.now_ns() + duration_ns
    heard_ns, let_go_ns = closed.start_ns, None
    try:
        while end_ns is None or (left_ns := end_ns - clock.now_ns()) > 0:
            clock.sleep_ns(pause_ns if end_ns is None else min(pause_ns, left_ns))
            at = rig.exchange_clocks()
            if at.board_rx_ns - heard_ns > lease_ns and let_go_ns is None:
                let_go_ns = heard_ns + lease_ns
            heard_ns = at.board_tx_ns
    except KeyboardInterrupt:
        if duration_ns is not None:
            raise
    opened_ns = move(False).start_ns
    if rig.faults().lease_expiries == expiries:
        return MeasuredHold(closed.start_ns, opened_ns, by_board=False)
    if let_go_ns is None:
        let_go_ns = min(heard_ns + lease_ns, opened_ns)
    seen_ns = _opening(edges_from(rig, cursor), closed.start_ns, opened_ns)
    return MeasuredHold(closed.start_ns, let_go_ns if seen_ns is None else seen_ns, by_board=True)


def _opening(edges: list[Edge], after_ns: int, before_ns: int) -> int | None:
    """Return when the lid's line showed that it opened; None where it did not, or has no line."""
    times = (e.t_ns for e in edges if e.channel is Channel.LID and e.level == 1)
    return next((t_ns for t_ns in times if after_ns < t_ns <= before_ns), None)


def newest_edge(rig: Rig) -> int:
    """Return the cursor behind the newest edge."""
    cursor, more = 0, True
    while more:
        batch = rig.edges(cursor)
        cursor, more = batch.next_number, batch.more
    return cursor


def edges_from(rig: Rig, cursor: int) -> list[Edge]:
    """Return every edge numbered from `cursor`."""
    edges: list[Edge] = []
    more = True
    while more:
        batch = rig.edges(cursor)
        edges.extend(batch.edges)
        cursor, more = batch.next_number, batch.more
    return edges


def _pulse(edges: list[Edge]) -> tuple[int | None, int | None]:
    """Return the first press among `edges` and its release."""
    button = [edge for edge in edges if edge.channel is Channel.BUTTON]
    down = next((edge.t_ns for edge in button if edge.level == 0), None)
    if down is None:
        return None, None
    return down, next((e.t_ns for e in button if e.level == 1 and e.t_ns > down), None)
