"""The loop-back against an oracle: statistics in exact integers, and which edge is whose."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt

import cbor2
from hypothesis import given, settings
from hypothesis import strategies as st
from resume_rig._core import ffi, lib

US = 1_000
MS = 1_000_000
GAP_NS = 2 * MS
INT32 = st.one_of(
    st.integers(-(2**31), 2**31 - 1),
    st.integers(-5, 5),
    st.integers(20 * MS, 20 * MS + 50),
    st.sampled_from([-(2**31), 2**31 - 1]),
)


def mean_of(values: list[int]) -> int:
    """The mean to the nearest, halves up."""
    return (2 * sum(values) + len(values)) // (2 * len(values)) if values else 0


def sd_of(values: list[int]) -> int:
    """The sample standard deviation, rounded up."""
    if len(values) < 2:
        return 0
    centre = Fraction(sum(values), len(values))
    variance = sum((value - centre) ** 2 for value in values) / (len(values) - 1)
    root = isqrt(variance.numerator // variance.denominator)
    while root * root < variance:
        root += 1
    return root


@settings(deadline=None)
@given(values=st.lists(INT32, max_size=60))
def test_mean_spread_and_extremes_are_exact(values: list[int]) -> None:
    moments = ffi.new("struct rig_moments *")
    for value in values:
        lib.rig_moments_add(moments, value)
    mean = mean_of(values)
    assert moments.count == len(values)
    assert lib.rig_moments_mean(moments) == mean
    assert lib.rig_moments_sd(moments) == sd_of(values)
    deviations = [abs(value - mean) for value in values]
    assert lib.rig_moments_deviation(moments) == max(deviations, default=0)
    assert (moments.min, moments.max) == (min(values, default=0), max(values, default=0))


@dataclass
class Line:
    """What the oracle knows of a channel."""

    seen: list[int] = field(default_factory=list)
    missed: int = 0
    extra: int = 0

    def row(self, number: int) -> list[int]:
        return [
            *(number, len(self.seen), self.missed, self.extra),
            *(mean_of(self.seen), sd_of(self.seen)),
            *(min(self.seen, default=0), max(self.seen, default=0)),
        ]


# What a channel does after a change: its edge's latency or none, and glitches behind it.
ANSWERS = st.tuples(st.one_of(st.none(), st.integers(-US, 900 * US)), st.integers(0, 2))


@settings(deadline=None, max_examples=60)
@given(
    answers=st.lists(st.tuples(ANSWERS, ANSWERS), min_size=1, max_size=20),
    token=st.integers(0, 2**32 - 1),
    levels=st.integers(0, 3),
)
def test_each_edge_belongs_to_the_newest_change_to_its_level(
    make_board, answers: list, token: int, levels: int
) -> None:
    board = make_board(levels=levels, lease_ns=10**12)
    count = len(answers) + len(answers) % 2
    request = {"act": 0, "ch": 0b11, "tok": token, "n": max(count, 2), "gap": GAP_NS, "boot": 7}
    start = board.request(lib.RIG_CMD_LOOPBACK, cbor2.dumps(request), write=True).fields
    assert start["end"] - start["start"] == (max(count, 2) + 2) * GAP_NS

    lines = [Line(), Line()]
    level = [levels & 1, levels >> 1 & 1]
    idle = tuple(level)
    changed_ns = 0
    waiting = [{}, {}]  # channel -> level -> time of the change that still lacks its edge
    done, stopped = max(count, 2), False
    for number in range(max(count, 2)):
        if number % 2 == 0 and any(len(pending) == 2 for pending in waiting):
            done, stopped = number, True  # neither edge of a pulse came back
            break
        board.tick(board.deadline_ns())
        changed_ns = board.now_ns
        assert board.drives[-1] == (0, number % 2 == 0)
        answer = answers[number] if number < len(answers) else ((None, 0), (None, 0))
        for channel, (latency_ns, glitches) in enumerate(answer):
            line = lines[channel]
            wanted = idle[channel] ^ (number % 2 == 0)
            line.missed += waiting[channel].pop(wanted, None) is not None
            waiting[channel][wanted] = changed_ns
            edges = [] if latency_ns is None else [(wanted, latency_ns)]
            edges += [(new, 950 * US) for _ in range(glitches) for new in (1 - wanted, wanted)]
            for new, late_ns in edges:
                board.edge(channel, new, changed_ns + late_ns)
                if new == level[channel]:
                    continue  # no change of level is no edge
                level[channel] = new
                since_ns = waiting[channel].pop(new, None)
                if since_ns is None:
                    line.extra += 1
                else:
                    line.seen.append(changed_ns + late_ns - since_ns)
    if not stopped:
        assert board.deadline_ns() - changed_ns == 2 * GAP_NS
    board.tick(board.deadline_ns())
    for line, pending in zip(lines, waiting, strict=True):
        line.missed += len(pending)

    reply = board.request(lib.RIG_CMD_LOOPBACK, cbor2.dumps({})).fields
    assert (reply["st"], reply["n"], reply["lost"]) == (3 if stopped else 2, done, 0)
    assert board.drives[-1] == (0, False)
    assert reply["ch"] == [line.row(number) for number, line in enumerate(lines)]
    assert board.deadline_ns() == 2**64 - 1


@settings(deadline=None, max_examples=60)
@given(
    first=st.integers(2, 12),
    wired=st.sampled_from([0b01, 0b10, 0b11]),
    latency_ns=st.integers(-US, 900 * US),
    front=st.tuples(st.integers(0, 2**31), st.integers(0, 2**32 - 1)),
)
def test_a_calibrated_channel_has_the_figures_of_the_contract(
    make_board, first: int, wired: int, latency_ns: int, front: tuple[int, int]
) -> None:
    channels = tuple((name, 1_000, 7, 9, *front) for name in ("PWR_OK", "SLP_S3"))
    board = make_board(channels=channels, store_name="flash", crystal=True, lease_ns=10**12)
    request = {"act": 0, "ch": wired, "tok": 1, "n": first, "gap": GAP_NS, "boot": 7}
    board.request(lib.RIG_CMD_LOOPBACK, cbor2.dumps(request), write=True)
    driven = True
    latencies = []
    while (due_ns := board.deadline_ns()) != 2**64 - 1:
        before = len(board.drives)
        board.tick(due_ns)
        if len(board.drives) == before:
            continue
        latencies.append(latency_ns + len(latencies) % 3)
        for channel in range(2):
            if wired >> channel & 1:
                board.edge(channel, driven, due_ns + latencies[-1])
        driven = not driven

    reply = board.request(
        lib.RIG_CMD_CALIBRATION, cbor2.dumps({"loop": True, "boot": 7}), write=True
    )

    mean = mean_of(latencies)
    deviation = max(abs(late - mean) for late in latencies)
    row = [mean, sd_of(latencies), deviation, len(latencies)]
    assert reply.fields["lat"] == [[n, *row] for n in range(2) if wired >> n & 1]
    assert len(board.stored) == 1
    delay_ns = max(0, front[0] + mean)
    uncertainty_ns = min(2**32 - 1, front[1] + deviation + 1_000)
    info = board.request(lib.RIG_CMD_INFO, cbor2.dumps({})).fields
    for number, channel in enumerate(info["ch"]):
        calibrated = wired >> number & 1
        assert channel[2:] == ([delay_ns, uncertainty_ns] if calibrated else [7, 9])
