"""The compiled core's light onset, fed with whole recordings."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from resume_rig._core import ffi, lib

NS_PER_S = 1_000_000_000
SLOTS = 10_000
BLOCKS = 4_096


@dataclass
class Analyser:
    """A `struct rig_light` of its own: no board, no requests."""

    rate_hz: int = 50_000
    slots: int = SLOTS
    full_scale: int = 4_095
    base_ns: int = 100_000_000
    settle_ns: int = NS_PER_S
    blocks: int = BLOCKS

    def __post_init__(self) -> None:
        self._samples = ffi.new("uint16_t[]", self.slots)
        self._blocks = ffi.new("struct rig_light_block[]", self.blocks)
        config = ffi.new(
            "struct rig_onset_config *", (self._samples, self.slots, self.rate_hz, self.full_scale)
        )
        assert lib.rig_onset_is_sound(config)
        self.light = ffi.new("struct rig_light *")
        lib.rig_light_init(self.light, self._blocks, self.blocks, config)
        self.now_ns = 0

    def arm(self, start_ns: int, end_ns: int) -> None:
        self.light.onset.plan = (self.base_ns, self.settle_ns)
        lib.rig_light_arm(self.light, start_ns, end_ns)
        self.now_ns = start_ns

    def feed(self, counts: NDArray[np.uint16], start_ns: int) -> None:
        data = np.ascontiguousarray(counts, dtype=np.uint16)
        lib.rig_light_samples(self.light, start_ns, ffi.from_buffer("uint16_t[]", data), data.size)
        self.now_ns = start_ns + data.size * NS_PER_S // self.rate_hz

    def result(self):
        found = ffi.new("struct rig_onset_result *")
        lib.rig_light_onset(self.light, self.now_ns, found)
        return found

    def measure(self, counts: NDArray[np.uint16], start_ns: int = 0):
        """Record `counts` from `start_ns` on, and nothing else; return the result."""
        end_ns = start_ns + counts.size * NS_PER_S // self.rate_hz
        self.arm(start_ns, end_ns)
        self.feed(counts, start_ns)
        self.now_ns = end_ns
        return self.result()
