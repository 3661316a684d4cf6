"""True waveforms of a sleep and a wake: what happened, the edges that tell of it, and the answer.

The oracle knows the times of the waveform. It never looks at an edge.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import Edge
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideState

US = 1_000
MS = 1_000_000
S = 1_000_000_000
BUTTON, LID = Channel.BUTTON, Channel.LID
SLP_S3, SLP_S4, SLP_S5 = Channel.SLP_S3, Channel.SLP_S4, Channel.SLP_S5
PWR_OK, PLTRST, BACKLIGHT = Channel.PWR_OK, Channel.PLTRST, Channel.BACKLIGHT
TOLD = (PWR_OK, SLP_S3, SLP_S4, SLP_S5, PLTRST, BACKLIGHT, BUTTON, LID)
LOGIC = (PWR_OK, SLP_S3, SLP_S4, SLP_S5, PLTRST)

Step = tuple[int, Channel, int]


@dataclass(frozen=True)
class Truth:
    """What happened; times in ns from the waveform's beginning, None where it did not happen.

    Attributes:
        sleep_by, wake_by: what was moved; None for software, or for a wake that nobody asked for.
        resets: PLTRST# and PWR_OK rises beyond the first, as (ns after the last, power too).
    """

    sleep_by: Channel | None
    asleep_ns: int
    state: OutsideState
    doze_ns: int | None
    wake_by: Channel | None
    triggered_ns: int
    width_ns: int
    slp_s3_ns: int | None
    pwr_ok_ns: int
    pltrst_ns: int
    resets: tuple[tuple[int, bool], ...]
    light_ns: int | None

    @property
    def last_pltrst_ns(self) -> int:
        return self.pltrst_ns + sum(after for after, _ in self.resets)

    @property
    def last_pwr_ok_ns(self) -> int:
        at_ns, last_ns = self.pltrst_ns, self.pwr_ok_ns
        for after_ns, power in self.resets:
            at_ns += after_ns
            last_ns = at_ns - MS if power else last_ns
        return last_ns

    def until(self, end_ns: int) -> "Truth":
        """Return the waveform without the resets that came at `end_ns` or later."""
        kept, at_ns = 0, self.pltrst_ns
        for after_ns, _ in self.resets:
            at_ns += after_ns
            kept += at_ns < end_ns
        return replace(self, resets=self.resets[:kept])

    def steps(self) -> list[Step]:
        """Return every true change of every line, in order."""
        down: list[Step] = []
        if self.sleep_by is BUTTON:
            down += [(0, BUTTON, 0), (150 * MS, BUTTON, 1)]
        elif self.sleep_by is LID:
            down += [(0, LID, 0)]
        at_ns = self.asleep_ns
        down += [
            (at_ns - 20 * MS, BACKLIGHT, 0),
            (at_ns - MS, PLTRST, 0),
            (at_ns, SLP_S3, 0),
            (at_ns + 8 * MS, PWR_OK, 0),
        ]
        if self.state in (OutsideState.S4, OutsideState.S5):
            down += [(at_ns + (self.doze_ns or 30 * US), SLP_S4, 0)]
        if self.state is OutsideState.S5:
            down += [(at_ns + 60 * US, SLP_S5, 0)]
        return sorted([*down, *self._up()])

    def _up(self) -> list[Step]:
        up: list[Step] = []
        if self.wake_by is BUTTON:
            up += [
                (self.triggered_ns, BUTTON, 0),
                (self.triggered_ns + self.width_ns, BUTTON, 1),
            ]
        elif self.wake_by is LID:
            closed = [] if self.sleep_by is LID else [(self.asleep_ns + S, LID, 0)]
            up += [*closed, (self.triggered_ns, LID, 1)]
        if self.slp_s3_ns is None:
            return up
        if self.state is OutsideState.S5:
            up += [(self.slp_s3_ns - 60 * US, SLP_S5, 1)]
        if self.state in (OutsideState.S4, OutsideState.S5):
            up += [(self.slp_s3_ns - 30 * US, SLP_S4, 1)]
        up += [(self.slp_s3_ns, SLP_S3, 1), (self.pwr_ok_ns, PWR_OK, 1)]
        up += [(self.pltrst_ns, PLTRST, 1)]
        at_ns = self.pltrst_ns
        for after_ns, power in self.resets:
            at_ns += after_ns
            up += [(at_ns - 3 * MS, PLTRST, 0), (at_ns, PLTRST, 1)]
            if power:
                up += [(at_ns - 2 * MS, PWR_OK, 0), (at_ns - MS, PWR_OK, 1)]
        if self.light_ns is not None:
            up += [(self.light_ns, BACKLIGHT, 1)]
        return up

    def intervals(self, wired: Collection[Channel]) -> dict[IntervalName, int]:
        """Return what can be measured on these lines; one of them shows the power."""
        line = SLP_S3 if SLP_S3 in wired else PWR_OK
        woke = self.slp_s3_ns is not None
        fall_ns = self.asleep_ns if line is SLP_S3 else self.asleep_ns + 8 * MS
        rise_ns = self.slp_s3_ns if line is SLP_S3 else self.pwr_ok_ns
        press = self.triggered_ns if self.wake_by in wired else None
        slp_s3 = self.slp_s3_ns if SLP_S3 in wired else None
        pwr_ok = self.last_pwr_ok_ns if woke and PWR_OK in wired else None
        if PLTRST not in wired and pwr_ok is not None and self.resets:
            powers = [after for after, power in self.resets if power]
            pwr_ok = self.last_pwr_ok_ns if powers else self.pwr_ok_ns
        pltrst = self.last_pltrst_ns if woke and PLTRST in wired else None
        light = self.light_ns if woke and BACKLIGHT in wired else None
        before = 0 if self.sleep_by in wired and SLP_S3 in wired else None
        released = None
        if press is not None and self.wake_by is BUTTON:
            released = self.triggered_ns + self.width_ns
        ends = {
            IntervalName.TRIGGER_TO_SLP_S3: (before, self.asleep_ns),
            IntervalName.ASLEEP: (fall_ns, rise_ns if woke else None),
            IntervalName.PRESS_WIDTH: (press, released),
            IntervalName.PRESS_TO_SLP_S3: (press, slp_s3),
            IntervalName.PRESS_TO_PWR_OK: (press, pwr_ok),
            IntervalName.SLP_S3_TO_PWR_OK: (slp_s3, pwr_ok),
            IntervalName.PWR_OK_TO_PLTRST: (pwr_ok, pltrst),
            IntervalName.PRESS_TO_PLTRST: (press, pltrst),
            IntervalName.PLTRST_TO_LIGHT: (pltrst, light),
            IntervalName.PRESS_TO_LIGHT: (press, light),
        }
        return {
            name: end - start
            for name, (start, end) in ends.items()
            if start is not None and end is not None and end >= start
        }

    def outcome(self, wired: Collection[Channel], asked: Actuator | None) -> Outcome:
        """Return what became of it, for who sees these lines and asked for that wake."""
        seen = self.wake_by in wired
        if self.slp_s3_ns is None:
            return Outcome.NEVER_WOKE if seen or asked else Outcome.INTERRUPTED
        watched = BUTTON if asked is None else Channel(asked)
        if not seen and watched in wired:
            return Outcome.WOKE_ALONE
        if self.light_ns is None and BACKLIGHT in wired:
            return Outcome.DARK
        return Outcome.SLEPT_AND_WOKE

    def outside_state(self, wired: Collection[Channel]) -> OutsideState:
        """Return the state as deep as the wired lines can show it."""
        if self.state is OutsideState.S5 and SLP_S5 in wired:
            return OutsideState.S5
        deep = self.state in (OutsideState.S4, OutsideState.S5) and SLP_S4 in wired
        return OutsideState.S4 if deep else OutsideState.S3


@st.composite
def truths(draw: st.DrawFn) -> Truth:
    """Return waveforms of one sleep, with every line told."""

    def between(low_us: int, high_us: int) -> int:
        return draw(st.integers(low_us, high_us)) * US

    state = draw(st.sampled_from([OutsideState.S3, OutsideState.S4, OutsideState.S5]))
    asleep_ns = between(300_000, 25_000_000)
    wake_by = draw(st.sampled_from([BUTTON, BUTTON, LID, None]))
    triggered_ns = asleep_ns + between(8_000_000, 100_000_000)
    slp_s3_ns = triggered_ns + between(17_000, 300_000)
    pwr_ok_ns = slp_s3_ns + between(5_000, 500_000)
    pltrst_ns = pwr_ok_ns + between(1_000, 150_000)
    reset = st.tuples(st.integers(10_000, 700_000).map(lambda us: us * US), st.booleans())
    resets = tuple(draw(st.lists(reset, max_size=2)))
    last_ns = pltrst_ns + sum(after_ns for after_ns, _ in resets)
    light_ns = last_ns + between(100_000, 6_000_000)
    doze = state is OutsideState.S4 and draw(st.booleans())
    return Truth(
        sleep_by=draw(st.sampled_from([BUTTON, LID, None])),
        asleep_ns=asleep_ns,
        state=state,
        doze_ns=between(1_500_000, 6_000_000) if doze else None,
        wake_by=wake_by,
        triggered_ns=triggered_ns,
        width_ns=between(50_000, 900_000),
        slp_s3_ns=slp_s3_ns if wake_by is None or draw(st.integers(0, 9)) else None,
        pwr_ok_ns=pwr_ok_ns,
        pltrst_ns=pltrst_ns,
        resets=resets,
        light_ns=light_ns if draw(st.integers(0, 7)) else None,
    )


@st.composite
def wirings(draw: st.DrawFn) -> frozenset[Channel]:
    """Return sets of lines of which one shows the power."""
    power = draw(st.sampled_from([{SLP_S3}, {PWR_OK}, {SLP_S3, PWR_OK}]))
    rest = draw(st.sets(st.sampled_from([c for c in TOLD if c not in (SLP_S3, PWR_OK)])))
    return frozenset(power | rest)


@dataclass(frozen=True)
class Dirt:
    """What is on the wires beside the truth: bounces (edge, us apart), glitches (line, us, us)."""

    bounces: Mapping[int, tuple[int, ...]]
    glitches: tuple[tuple[Channel, int, int], ...]


@st.composite
def dirt(draw: st.DrawFn) -> Dirt:
    """Return some dirt; a glitch lasts 1 to 50 us, a contact bounces for 5 ms at most."""
    train = st.lists(st.integers(2, 600), min_size=2, max_size=8)
    trains = draw(st.dictionaries(st.integers(0, 30), train, max_size=4))
    even = {index: tuple(us[: len(us) // 2 * 2]) for index, us in trains.items()}
    pulse = st.tuples(st.sampled_from(LOGIC), st.integers(0, 120_000_000), st.integers(1, 50))
    return Dirt(even, tuple(draw(st.lists(pulse, max_size=4))))


def edges_of(
    steps: list[Step], wired: Collection[Channel], what: Dirt
) -> tuple[list[Edge], dict[Channel, int], set[Channel]]:
    """Return edges with dirt, the bounces of each line, and the lines that had a glitch."""
    told = [step for step in steps if step[1] in wired]
    dirty = list(told)
    bounces: dict[Channel, int] = {}
    for index, apart_us in what.bounces.items():
        if index < len(told) and told[index][1] in (BUTTON, LID):
            t_ns, channel, level = told[index]
            for number, us in enumerate(apart_us):
                t_ns += us * US
                dirty.append((t_ns, channel, (level + 1 + number) % 2))
            bounces[channel] = bounces.get(channel, 0) + len(apart_us)
    glitched: set[Channel] = set()
    for channel, at_us, lasts_us in what.glitches:
        t_ns = at_us * US
        near = [abs(t_ns - other[0]) < 2 * MS for other in dirty if other[1] is channel]
        if channel in wired and not any(near):
            level = level_at(told, channel, t_ns)
            dirty += [(t_ns, channel, 1 - level), (t_ns + lasts_us * US, channel, level)]
            glitched.add(channel)
    return in_edges(sorted(dirty)), bounces, glitched


def in_edges(steps: list[Step]) -> list[Edge]:
    """Return steps as numbered edges."""
    return [Edge(number, *step) for number, step in enumerate(steps)]


def level_at(steps: list[Step], channel: Channel, t_ns: int) -> int:
    """Return a line's level; every line is high when a waveform begins."""
    return next((step[2] for step in reversed(steps) if step[1] is channel and step[0] < t_ns), 1)


def later(truth: Truth, by_ns: int) -> list[Step]:
    """Return the steps of a waveform that begins later."""
    return [(t_ns + by_ns, channel, level) for t_ns, channel, level in truth.steps()]


def by_button(truth: Truth) -> Truth:
    """Return the waveform by button and to its light, as one waveform after the other needs it."""
    return replace(
        truth,
        sleep_by=BUTTON,
        wake_by=BUTTON,
        slp_s3_ns=truth.pwr_ok_ns - 5 * MS,
        light_ns=truth.light_ns or truth.last_pltrst_ns + 500 * MS,
    )
