"""The clocks of a stored campaign: board, host and wall time, related over all its cycles."""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from resume_rig.campaign.store.raw import CycleRaw
from resume_rig.model.edge import ClockExchange
from resume_rig.model.errors import ProtocolError
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import BoardClock
from resume_rig.model.units import PPB
from resume_rig.rig.interface import RigInfo
from resume_rig.timing.hull import board_limits
from resume_rig.timing.relation import ClockRelation, RateCalibration, RateRange, calibrate
from resume_rig.timing.wall_clock import HostDiscipline, WallClock

# By so much the rate of a wall clock may change over a campaign, by its host's temperature.
_SLEW = 2e-6
_UNKNOWN_DISCIPLINE = HostDiscipline(None, 0, "a host whose time source the store does not name")


@dataclass(slots=True)
class _Run:
    """Cycles of one boot of the board and one session of the host."""

    relation: ClockRelation
    wall: WallClock
    ends: tuple[CycleRaw, CycleRaw] | None
    wall_rates: "_WallRates"


class _WallRates:
    """Rates of the wall clock against the host's counter in each of some cycles; columns."""

    def __init__(self) -> None:
        self._numbers, self._steady = array("q"), array("b")
        self._low, self._high = array("d"), array("d")

    def add(self, number: int, rate: RateRange) -> None:
        """Take in that of a cycle; numbers ascend."""
        self._numbers.append(number)
        self._low.append(rate.low)
        self._high.append(rate.high)
        self._steady.append(rate.steady)

    def of(self, number: int) -> RateRange:
        """Return that of a cycle that was taken in."""
        place = bisect_left(self._numbers, number)
        return RateRange(self._low[place], self._high[place], bool(self._steady[place]))

    @property
    def usual(self) -> float:
        """Return the rate in the median cycle."""
        return median((low + high) / 2 for low, high in zip(self._low, self._high, strict=True))


class _Stamps:
    """What is kept of the cycles of a run until all are read; numbers only, as they are many.

    Attributes:
        ends: the first and the last cycle that has exchanges; None where there is none.
    """

    def __init__(self) -> None:
        self._exchanges = array("q")
        self._times = array("q")
        self.ends: tuple[CycleRaw, CycleRaw] | None = None

    def add(self, raw: CycleRaw) -> None:
        """Take in a cycle."""
        for each in raw.exchanges:
            stamps = (each.host_tx_ns, each.board_rx_ns, each.board_tx_ns, each.host_rx_ns)
            self._exchanges.extend(stamps)
        if raw.exchanges:
            self.ends = (raw if self.ends is None else self.ends[0], raw)
        times = (raw.number, raw.started_host_ns, raw.ended_host_ns, raw.utc_minus_host_ns)
        self._times.extend(times)

    def exchanges(self) -> Iterator[ClockExchange]:
        """Yield the exchanges in the order in which they were made."""
        stamps = np.frombuffer(self._exchanges, dtype=np.int64).reshape(-1, 4)
        for place in np.argsort(stamps[:, 0], kind="stable"):
            yield ClockExchange(*stamps[place].tolist())

    def times(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield number, beginning, end and wall minus host time of each cycle, in order."""
        values = iter(self._times)
        return zip(values, values, values, values, strict=True)


def utc_alone(raw: CycleRaw, board_ns: int, rig: RigInfo) -> BoundedNs | None:
    """Return wall time at a board time of a cycle, by this cycle alone.

    Its bound is some ms, since a wall clock that was read once may be slewed; `CampaignClock` has a
    closer one, and needs all cycles. None where nothing relates the clocks.
    """
    return CampaignClock([raw], rig, None, frozenset()).utc_ns(raw, board_ns)


class CampaignClock:
    """Wall time and true rate of the board's clock in each cycle.

    Args:
        cycles: in order; they need no light.
        rig: tolerance and tick of the board's clock.
        discipline: of the host's wall clock; None where the store does not have it.
        trusted: sessions that ran on the host that `discipline` is of.
    """

    def __init__(
        self,
        cycles: Iterable[CycleRaw],
        rig: RigInfo,
        discipline: HostDiscipline | None,
        trusted: frozenset[int],
    ) -> None:
        self._rig = rig
        self._discipline = discipline or _UNKNOWN_DISCIPLINE
        self._trusted = trusted
        groups: dict[tuple[int, int], _Stamps] = defaultdict(_Stamps)
        for raw in cycles:
            groups[raw.session, raw.boot_id].add(raw)
        self._runs = {key: self._run(groups.pop(key)) for key in list(groups)}
        self._usual = {key: run.wall_rates.usual for key, run in self._runs.items()}

    def utc_ns(self, raw: CycleRaw, board_ns: int) -> BoundedNs | None:
        """Return wall time at a board time of a cycle; None where nothing relates the two."""
        run = self._runs[raw.session, raw.boot_id]
        host = run.relation.to_host_ns(board_ns)
        return None if host is None else run.wall.to_utc_ns(host, raw.started_host_ns)

    def calibration(self, raw: CycleRaw) -> RateCalibration | None:
        """Return the rate that the board's clock had all through a cycle's edges.

        None where it is not proven better than the board's stated tolerance.
        """
        if not raw.edges or not self._is_kept_right(raw.session):
            return None
        run = self._runs[raw.session, raw.boot_id]
        start_ns, end_ns = raw.edges[0].t_ns, raw.edges[-1].t_ns
        rates, wall = run.relation.rates(start_ns, end_ns), run.wall_rates.of(raw.number)
        usual = self._usual[raw.session, raw.boot_id]
        # A wall clock that is being slewed keeps no time to measure a rate by.
        if rates is None or not wall.low - _SLEW <= usual <= wall.high + _SLEW:
            return None
        return calibrate(
            rates,
            wall,
            wall_ppb=self._discipline.rate_ppb,
            tolerance_ppb=self._rig.clock_tolerance_ppb,
            source=self._discipline.source,
        )

    def summary(self, bounds_ppb: Sequence[int]) -> BoardClock:
        """Return what an answer reports of the board's clock, by the bounds of its calibrations."""
        mean = self._mean()
        return BoardClock(
            tolerance_ppb=self._rig.clock_tolerance_ppb,
            source=self._discipline.source,
            rate_ppb=None if mean is None else mean.rate_ppb,
            bound_ppb=None if mean is None else mean.bound_ppb,
            cycle_bound_ppb=max(bounds_ppb, default=None),
            corrected=len(bounds_ppb),
            breaks=tuple(
                found.text for run in self._runs.values() for found in run.relation.breaks
            ),
        )

    def _run(self, stamps: _Stamps) -> _Run:
        limits = board_limits(self._rig.clock_tolerance_ppb, self._rig.clock_hz)
        relation = ClockRelation(limits)
        try:
            for exchange in stamps.exchanges():
                relation.add(exchange)
        except ProtocolError:
            # A store that somebody wrote into: its edges stand, their wall time does not.
            relation = ClockRelation(limits)
        wall = WallClock()
        for _, started_ns, _, utc_minus_host_ns in stamps.times():
            wall.add(started_ns, utc_minus_host_ns)
        rates = _WallRates()
        for number, started_ns, ended_ns, _ in stamps.times():
            rates.add(number, wall.rates(started_ns, ended_ns, started_ns))
        return _Run(relation, wall, stamps.ends, rates)

    def _is_kept_right(self, session: int) -> bool:
        return self._discipline.synchronised is True and session in self._trusted

    def _mean(self) -> RateCalibration | None:
        """Return the mean rate over the longest run without a break of any clock."""
        found = [
            mean
            for (session, _), run in self._runs.items()
            if self._is_kept_right(session)
            for mean in [self._mean_of(run)]
            if mean is not None
        ]
        return min(found, key=lambda mean: mean.bound_ppb, default=None)

    def _mean_of(self, run: _Run) -> RateCalibration | None:
        """Return the rate between the beginnings of the first and of the last cycle of a run."""
        if run.ends is None or run.relation.breaks or run.wall.steps:
            return None
        first, last = run.ends
        start_ns, end_ns = first.exchanges[0].board_rx_ns, last.exchanges[0].board_rx_ns
        start, end = self.utc_ns(first, start_ns), self.utc_ns(last, end_ns)
        if start is None or end is None:
            return None
        true_ns, bound_ns = end.value_ns - start.value_ns, end.bound_ns + start.bound_ns
        if true_ns <= bound_ns:
            return None
        rate_ppb = round(((end_ns - start_ns) / true_ns - 1) * PPB)
        bound_ppb = bound_ns * PPB // (true_ns - bound_ns) + 1 + self._discipline.rate_ppb
        return RateCalibration(rate_ppb, bound_ppb, self._discipline.source)
