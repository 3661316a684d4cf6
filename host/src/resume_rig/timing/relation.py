"""How the board's clock stands to the host's: a guaranteed interval from stamped exchanges.

A request cannot arrive before it was sent, nor a reply, so each exchange bounds the offset
(host minus board) from both sides, whatever the delays were and however unequal (the idea of
WALT's lag interval). Between exchanges the offset moves by no more than the stated tolerance of
the clocks, so every exchange also bounds every other moment, more loosely the farther away it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resume_rig.model.edge import ClockExchange
from resume_rig.model.errors import ProtocolError, RigError, UsageError
from resume_rig.model.quantity import BoundedNs

_ROUNDING_NS = 1


class ClockStep(RigError):
    """No offset and rate fit all exchanges: one of the two clocks stepped, stopped or is worse."""


@dataclass(frozen=True, slots=True, eq=False)
class ClockRelation:
    """The offset host minus board, bounded at every board time.

    The arrays hold one entry a stamp, in order of board time, each already tightened by all other
    stamps; offsets are relative to `base_ns` so that float64 holds them to far below 1 ns.

    Attributes:
        times_ns: board clock of the stamps minus `start_ns`, float64 [n], ascending.
        low_ns, high_ns: bounds of the offset at those times minus `base_ns`, float64 [n].
        rate: how fast the offset may move, nanoseconds a nanosecond.
    """

    start_ns: int
    base_ns: int
    times_ns: NDArray[np.float64]
    low_ns: NDArray[np.float64]
    high_ns: NDArray[np.float64]
    rate: float

    def offset(self, board_ns: int) -> BoundedNs:
        """Return host minus board at a board time; the bound is guaranteed within the tolerance."""
        at = float(board_ns - self.start_ns)
        after = int(np.searchsorted(self.times_ns, at))
        near = [index for index in (after - 1, after) if 0 <= index < len(self.times_ns)]
        slack = [self.rate * abs(at - float(self.times_ns[index])) for index in near]
        low = max(float(self.low_ns[i]) - s for i, s in zip(near, slack, strict=True))
        high = min(float(self.high_ns[i]) + s for i, s in zip(near, slack, strict=True))
        middle = round((low + high) / 2)
        bound = int(np.ceil(max(high - middle, middle - low, 0.0))) + _ROUNDING_NS
        return BoundedNs(self.base_ns + middle, bound)

    def to_host_ns(self, board_ns: int) -> BoundedNs:
        """Return the host time at which the board's clock showed `board_ns`."""
        offset = self.offset(board_ns)
        return BoundedNs(board_ns + offset.value_ns, offset.bound_ns)


def relate(exchanges: Sequence[ClockExchange], tolerance_ppb: int) -> ClockRelation:
    """Return the relation that all `exchanges` of one boot of the board agree on.

    Args:
        exchanges: in any order; the relation keeps two numbers of each, O(len(exchanges)).
        tolerance_ppb: half-width of the rate error of the board's clock against the host's.

    Raises:
        ClockStep: the exchanges contradict each other.
        ProtocolError: a reply left the board before its request arrived.
        RigError: there is no exchange.
    """
    if not 0 <= tolerance_ppb < 1_000_000_000:
        raise UsageError(
            f"Relating the board's clock to the host's: a tolerance of {tolerance_ppb} ppb; "
            "allowed are 0 to 999999999 ppb."
        )
    if not exchanges:
        raise RigError("Relating the board's clock to the host's: no exchange of stamps was made.")
    stamps = np.array(
        [(e.host_tx_ns, e.board_rx_ns, e.board_tx_ns, e.host_rx_ns) for e in exchanges],
        dtype=np.int64,
    )
    _refuse_impossible(stamps)
    return _envelope(stamps, tolerance_ppb)


def _refuse_impossible(stamps: NDArray[np.int64]) -> None:
    backwards = np.flatnonzero((stamps[:, 2] < stamps[:, 1]) | (stamps[:, 3] < stamps[:, 0]))
    if len(backwards):
        tx, rx, board_tx, host_rx = (int(value) for value in stamps[backwards[0]])
        raise ProtocolError(
            f"Relating the board's clock to the host's: a reply left at {board_tx} ns for a "
            f"request that arrived at {rx} ns and "
            f"came back at {host_rx} ns for one sent at {tx} ns; "
            "a reply comes after its request."
        )


def _envelope(stamps: NDArray[np.int64], tolerance_ppb: int) -> ClockRelation:
    """Tighten each stamp's bound by all others: a running maximum in either direction."""
    # A board that runs at 1 +/- tol of the host's rate moves the offset by at most tol / (1 - tol)
    # for each of its own nanoseconds.
    rate = tolerance_ppb / (1_000_000_000 - tolerance_ppb)
    start, base = int(stamps[:, 1].min()), int(stamps[0, 0] - stamps[0, 1])
    count = len(stamps)
    times = np.concatenate([stamps[:, 1], stamps[:, 2]]) - start
    low = np.full(2 * count, -np.inf)
    high = np.full(2 * count, np.inf)
    low[:count] = stamps[:, 0] - stamps[:, 1] - base
    high[count:] = stamps[:, 3] - stamps[:, 2] - base
    order = np.argsort(times, kind="stable")
    at = times[order].astype(np.float64)
    low, high = _running_max(low[order], at, rate), -_running_max(-high[order], at, rate)
    gap = low - high
    worst = int(np.argmax(gap))
    if gap[worst] > _ROUNDING_NS:
        raise ClockStep(
            "Relating the board's clock to the host's: a clock step: around board time "
            f"{start + int(at[worst])} ns the exchanges contradict each other by "
            f"{int(np.ceil(gap[worst]))} ns; the stated tolerance allows "
            f"{tolerance_ppb} ppb and no step."
        )
    return ClockRelation(start, base, at, low, high, rate)


def _running_max(
    value: NDArray[np.float64], at: NDArray[np.float64], rate: float
) -> NDArray[np.float64]:
    """Return max over j of value[j] - rate * |at - at[j]|, for ascending `at`."""
    slope = rate * at
    forward = np.maximum.accumulate(value + slope) - slope
    backward = np.maximum.accumulate((value - slope)[::-1])[::-1] + slope
    return np.maximum(forward, backward)
