"""What one record captures: edges, light and power since its beginning, read by cursor.

What was read twice is kept once, and what was lost is noted by the cursor that found it missing.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from resume_rig.model.channel import Channel
from resume_rig.model.edge import EDGES_MOST, Edge, LightBlock
from resume_rig.model.errors import LinkLost, ProtocolError
from resume_rig.model.light import LightColumns
from resume_rig.model.power import PowerSamples
from resume_rig.rig.interface import EdgeBatch, LightBatch, PowerBatch, Rig

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
        edges: read so far, in the order of their numbers.
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

        Told by its numbers, or by its count of overruns alone: an edge that found no room on the
        way into the ring never got a number.
        """
        # Not told from the numbers of `edges`: those of channels unknown to this host are no loss.
        return max(sum(self._lost.values()), self._overruns - self._first_overruns)

    @property
    def lost_light(self) -> int:
        """How many light blocks since `begin` the board overwrote before they were read."""
        return self._next_block - self._first_block - sum(map(len, self._light))

    @property
    def light(self) -> LightColumns:
        """The blocks of light read so far, in the order of their numbers."""
        if len(self._light) != 1:
            self._light = [LightColumns.joined(self._light)]
        return LightColumns.of(self._light[0])

    def begin(self) -> None:
        """Forget everything, go to the newest edge and block, and note the levels there."""
        for _ in range(QUIET_ATTEMPTS):
            # Told of the moment between the edges that were read before and those that come now.
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
