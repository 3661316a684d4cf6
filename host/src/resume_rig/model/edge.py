"""Edges and light blocks as the board stamps them, one by one and as columns.

Tuples: a store of a week has millions, and a frozen dataclass takes five times as long to make.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.channel import Channel

EDGES_MOST = 2_000_000
"""In a cycle; a healthy one has dozens. As objects they take 280 MB."""


class Edge(NamedTuple):
    """One timestamped change of one channel.

    Attributes:
        number: the board's gapless number of this edge since its boot, from 0.
        t_ns: board clock, nanoseconds since the board's boot (or capture start).
        level: the electrical level after the change, 0 or 1.
    """

    number: int
    t_ns: int
    channel: Channel
    level: int


class LightBlock(NamedTuple):
    """One millisecond of the photodiode; a cycle has thousands.

    Attributes:
        number: the board's gapless number of this block since its boot, from 0.
        t_ns: board clock at the block's first sample.
        minimum, mean, maximum: ADC counts.
    """

    number: int
    t_ns: int
    minimum: int
    mean: int
    maximum: int


class ClockExchange(NamedTuple):
    """One request and reply, stamped by both sides; the raw material of the clock relation.

    Attributes:
        host_tx_ns: host clock just before the request was handed to the port.
        board_rx_ns: board clock when the request had arrived.
        board_tx_ns: board clock just before the reply left.
        host_rx_ns: host clock when the reply had arrived, at the latest: its tick is added.
    """

    host_tx_ns: int
    board_rx_ns: int
    board_tx_ns: int
    host_rx_ns: int

    @property
    def round_trip_ns(self) -> int:
        """How long it took, without the time from request to reply on the board."""
        return (self.host_rx_ns - self.host_tx_ns) - (self.board_tx_ns - self.board_rx_ns)


CHANNELS: Final = tuple(Channel)
"""The channel of each code in `EdgeColumns.codes`."""

CODE_OF: Final[Mapping[Channel, int]] = {channel: code for code, channel in enumerate(CHANNELS)}

# Below it a loop over edges is quicker than numpy's calls; above it memory must not grow.
_FEW: Final = 64
_PIECE: Final = 65_536


class EdgeColumns(Sequence[Edge]):
    """A sequence of edges in order of time that does not change; each is made when asked for.

    It equals a tuple of the same edges.

    Attributes:
        t_ns: int64 [n], never falling.
        codes: uint8 [n], places in CHANNELS.
        levels: uint8 [n], 0 or 1.
        first: number of the first edge; the others follow without a gap.
    """

    __slots__ = ("codes", "first", "levels", "t_ns")

    def __init__(
        self,
        t_ns: NDArray[np.int64],
        codes: NDArray[np.uint8],
        levels: NDArray[np.uint8],
        first: int = 0,
    ) -> None:
        self.t_ns, self.codes, self.levels, self.first = t_ns, codes, levels, first

    @classmethod
    def of(cls, edges: Sequence[Edge]) -> "EdgeColumns":
        """Return edges that are in order of time as columns, numbered anew from 0."""
        if isinstance(edges, EdgeColumns):
            return edges
        return cls(
            np.array([edge.t_ns for edge in edges], np.int64),
            np.array([CODE_OF[edge.channel] for edge in edges], np.uint8),
            np.array([edge.level for edge in edges], np.uint8),
        )

    def of_channel(self, channel: Channel) -> "EdgeColumns":
        """Return the edges of one channel, numbered anew from 0."""
        return self.where(self.codes == CODE_OF[channel])

    def where(self, kept: NDArray[np.bool_]) -> "EdgeColumns":
        """Return the edges that are `kept`, numbered anew from 0."""
        return EdgeColumns(self.t_ns[kept], self.codes[kept], self.levels[kept])

    def levels_after(self, before: Mapping[Channel, int]) -> dict[Channel, int]:
        """Return the level of each channel after the last edge; `before` are those before."""
        if len(self) <= _FEW:
            return {**before, **{edge.channel: edge.level for edge in self}}
        after = dict(before)
        for code in np.unique(self.codes).tolist():
            last = len(self) - 1 - int(np.argmax(self.codes[::-1] == code))
            after[CHANNELS[code]] = int(self.levels[last])
        return after

    def __len__(self) -> int:
        return len(self.t_ns)

    @overload
    def __getitem__(self, at: int) -> Edge: ...

    @overload
    def __getitem__(self, at: slice) -> "EdgeColumns": ...

    def __getitem__(self, at: int | slice) -> "Edge | EdgeColumns":
        if isinstance(at, slice):
            first, _, step = at.indices(len(self))
            if step != 1:
                raise ValueError("edges are taken one after another, without a step")
            return EdgeColumns(self.t_ns[at], self.codes[at], self.levels[at], self.first + first)
        place = range(len(self))[at]
        return Edge(
            self.first + place,
            int(self.t_ns[place]),
            CHANNELS[self.codes[place]],
            int(self.levels[place]),
        )

    def __iter__(self) -> Iterator[Edge]:
        for start in range(0, len(self), _PIECE):
            piece = slice(start, start + _PIECE)
            rows = zip(
                self.t_ns[piece].tolist(),
                self.codes[piece].tolist(),
                self.levels[piece].tolist(),
                strict=True,
            )
            for number, (t_ns, code, level) in enumerate(rows, start=self.first + start):
                yield Edge(number, t_ns, CHANNELS[code], level)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, EdgeColumns):
            return self.first == other.first and all(
                np.array_equal(mine, others)
                for mine, others in (
                    (self.t_ns, other.t_ns),
                    (self.codes, other.codes),
                    (self.levels, other.levels),
                )
            )
        return isinstance(other, tuple) and tuple(self) == other

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"EdgeColumns({len(self)} edges)"
