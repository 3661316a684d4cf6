"""Edges and light blocks as the board stamps them.

Tuples: a store of a week has millions, and a frozen dataclass takes five times as long to make.
"""

from typing import NamedTuple

from resume_rig.model.channel import Channel


class Edge(NamedTuple):
    """One timestamped change of one channel.

    Attributes:
        number: the board's gapless number of this edge since its boot, from 0.
        t_ns: board clock, nanoseconds since the board's boot (or capture start).
        channel: the line that changed.
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
        host_rx_ns: host clock when the reply had arrived.
    """

    host_tx_ns: int
    board_rx_ns: int
    board_tx_ns: int
    host_rx_ns: int
