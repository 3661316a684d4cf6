"""The edge ring against a list that forgets nothing, and light blocks against a grouping."""

import errno
from itertools import groupby

import cbor2
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from resume_rig._core import ffi, lib

LAP = 2**32


class RingModel(RuleBasedStateMachine):
    """Numbers of the model are unbounded; the ring's are the same modulo 2^32."""

    @initialize(
        capacity=st.integers(1, 9),
        start=st.sampled_from([0, 1, LAP - 5, LAP - 1, 2**31 - 3]),
    )
    def begin(self, capacity: int, start: int) -> None:
        self.slots = ffi.new("struct rig_edge[]", capacity)
        self.ring = ffi.new("struct rig_edge_ring *")
        lib.rig_edge_ring_init(self.ring, self.slots, capacity)
        self.ring.numbers.next = self.ring.numbers.read_to = start % LAP
        self.capacity = capacity
        self.start = start
        self.pushed: list[int] = []  # the time of edge number start + index
        self.read_to = start
        self.overruns = 0

    @property
    def next(self) -> int:
        return self.start + len(self.pushed)

    @property
    def oldest(self) -> int:
        return max(self.start, self.next - self.capacity)

    @rule(times=st.lists(st.integers(0, 2**64 - 1), max_size=12))
    def push(self, times: list[int]) -> None:
        for t_ns in times:
            edge = ffi.new("struct rig_edge *", {"t_ns": t_ns, "channel": 3, "level": 1})
            lib.rig_edge_ring_push(self.ring, edge)
            lost = self.next - self.capacity
            if lost >= self.start and lost >= self.read_to:
                self.overruns += 1
            self.pushed.append(t_ns)

    @rule(back=st.integers(0, 30), most=st.integers(0, 12))
    def read(self, back: int, most: int) -> None:
        cursor = self.next - back
        out = ffi.new("struct rig_edge[]", 12)
        first = ffi.new("uint32_t *")

        count = lib.rig_edge_ring_read(self.ring, cursor % LAP, out, most, first)

        self.read_to = max(self.read_to, cursor)
        expected_first = max(cursor, self.oldest)
        expected = self.pushed[expected_first - self.start :][:most]
        assert first[0] == expected_first % LAP
        assert [edge.t_ns for edge in out[0:count]] == expected

    @rule(ahead=st.integers(1, 2**31 - 1))
    def read_ahead(self, ahead: int) -> None:
        first = ffi.new("uint32_t *")
        cursor = (self.next + ahead) % LAP
        assert lib.rig_edge_ring_read(self.ring, cursor, self.slots, 0, first) == -errno.ERANGE

    @invariant()
    def numbers_agree(self) -> None:
        if not hasattr(self, "ring"):
            return
        assert self.ring.numbers.next == self.next % LAP
        assert self.ring.numbers.overruns == self.overruns
        assert lib.rig_edge_ring_oldest(self.ring) == self.oldest % LAP


RingModel.TestCase.settings = settings(deadline=None)
TestRing = RingModel.TestCase


@settings(deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.integers(0, 1_500_000), st.integers(0, 2**16 - 1)), min_size=1, max_size=60
    ),
    recorded_ns=st.integers(1, 20_000_000),
)
def test_light_blocks_are_samples_grouped_by_millisecond(
    make_board, steps: list[tuple[int, int]], recorded_ns: int
) -> None:
    board = make_board(light_capacity=64)
    assert board.request(7, cbor2.dumps({"dur": recorded_ns}), write=True).rc == 0
    times = np.cumsum([step for step, _ in steps]).tolist()
    samples = list(zip(times, (counts for _, counts in steps), strict=True))

    for t_ns, counts in samples:
        board.sample(t_ns, counts)
    board.tick(max(times[-1], recorded_ns))

    kept = [sample for sample in samples if sample[0] < recorded_ns]
    expected = []
    for _, group in groupby(kept, key=lambda sample: sample[0] // 1_000_000):
        stamps, counts = zip(*group, strict=True)
        mean = int(np.floor(np.mean(counts) + 0.5))
        expected.append((stamps[0], min(counts), mean, max(counts)))
    assert blocks(board) == expected


def blocks(board) -> list[tuple[int, int, int, int]]:
    """Return the light blocks held, all of them."""
    light = board.core.light
    return [
        (slot.t_ns, slot.min, slot.mean, slot.max) for slot in light.slots[0 : light.numbers.next]
    ]
