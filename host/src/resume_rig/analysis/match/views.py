"""The likeliest record of each cycle, by the log as it is and as if its clock had never been set.

The two views are there where the log reports settings of its clock, as likely as each other before
anything was compared. Each is matched by itself, and what it explains weighs it.
"""

from dataclasses import dataclass, replace

import numpy as np

from resume_rig.analysis.match.chain import Chain, LogPrior, follow, to_learn_from
from resume_rig.analysis.match.foreign import NO_PAIRS, OffsetPrior, Origin, origins_of
from resume_rig.analysis.match.likelihood import Noise, gains, learnt, lost_cost, parts_of
from resume_rig.analysis.match.offsets import LONG_CAMPAIGN, Tracks, find_tracks
from resume_rig.analysis.match.order import Choice, doubted_by_order, in_order
from resume_rig.analysis.match.rivals import without_rivals
from resume_rig.analysis.match.times import (
    Arrivals,
    CycleTimes,
    Entries,
    Floats,
    Moments,
    RecordTimes,
    cycle_times,
    from_nearest,
    joined,
    sleep_entries,
    wake_entries,
)
from resume_rig.analysis.match.trace import traced
from resume_rig.model.result.match import LOWEST_CONFIDENCE

# A stretch of cycles; how far their readings may lie from the line (as in offset_vote.py); and what
# a reading adds at least, however near it is to those before it (assumed).
_TOGETHER = 64
_REACH_S = 1.3
_LEAST = 0.01


def with_beat(cycles: CycleTimes, entries: Entries, tracks: Tracks) -> CycleTimes:
    """Return the cycles with what each of their readings adds, by the best candidates.

    A pace that beats with whole seconds makes the error wander by a second within hours, so that
    the readings of neighbours are off by nearly the same. Counted as if each were independent, a
    candidate that lies a tenth of a second better for a while would seem certain.
    """
    rows = np.arange(len(cycles.at_s))
    stretch = np.searchsorted(tracks.first, rows, side="right") - 1
    predicted_s = cycles.at_s + tracks.offset_at(stretch, 0, cycles.at_s)
    departure_s = from_nearest(entries.at_s, predicted_s)
    departure_s = np.where(np.abs(departure_s) <= _REACH_S, departure_s, 0.0)
    starts = rows[::_TOGETHER]
    own = np.add.reduceat(departure_s**2, starts)
    shared = np.zeros(len(rows))
    shared[1:] = departure_s[1:] * departure_s[:-1]
    together = np.add.reduceat(shared, starts) / np.maximum(own, 1e-9)
    together = np.clip(together, a_min=0.0, a_max=1.0)
    information = np.maximum((1.0 - together) / (1.0 + together), _LEAST)
    return replace(cycles, information=information[rows // _TOGETHER])


# Before anything was compared one log in ten is none of these cycles (assumed).
_NO_LOG_OF_OURS = np.log(0.1)
# Another log than that of the campaign is likely from the same week (assumed).
_WEEK_S = 7 * 86_400.0


def choose(
    cycles: CycleTimes,
    entries: Entries,
    tracks: Tracks,
    chain: Chain,
    noise: Noise,
    *,
    both_utc: bool,
) -> Choice:
    """Return the likeliest record of each cycle, what is likely at all in order and once."""
    tied = related(chain.evidence, noise, entries, cycles, both_utc=both_utc)
    parts = [
        _shares(cycles, entries, tracks, chain.where(p), noise) for p in parts_of(len(chain.rows))
    ]
    each = joined(parts)
    each = each.times(np.full(len(each.rows), tied))
    options = _one_of_each_record(each)
    return doubted_by_order(in_order(_best_of_each_cycle(options), entries), options, entries)


def _shares(
    cycles: CycleTimes, entries: Entries, tracks: Tracks, chain: Chain, noise: Noise
) -> Choice:
    """Return what each record is to each cycle under each candidate, best of each first."""
    stretch = np.searchsorted(tracks.first, chain.rows, side="right") - 1
    away_s = cycles.at_s[chain.rows] - tracks.middle_s[stretch]
    offset_s = tracks.offset_s[stretch, chain.slots] + tracks.rate[stretch, chain.slots] * away_s
    found = gains(cycles, entries, chain.rows, offset_s, noise)
    lost = lost_cost(cycles, entries, chain.rows, offset_s, noise)
    share = np.exp(found.gain - found.either(lost)[found.of]) * chain.probability[found.of]
    some = np.flatnonzero(share > 1e-4)
    of, entry = found.of[some], found.entry[some]
    return Choice(
        chain.rows[of],
        entries.record[entry],
        entry,
        share[some],
        offset_s[of],
        found.residual_s[some],
    )


def related(
    evidence: float, noise: Noise, entries: Entries, cycles: CycleTimes, *, both_utc: bool
) -> float:
    """Return the probability that the log is of these cycles at all."""
    span_s = float(np.ptp(entries.at_s) + np.ptp(cycles.at_s)) + 3600.0
    around_s = max(span_s, _WEEK_S) if both_utc else span_s
    elsewhere = _NO_LOG_OF_OURS - np.log(around_s) - np.log(noise.others_hz)
    return float(1.0 / (1.0 + np.exp(np.clip(elsewhere - evidence, -700.0, 700.0))))


def _one_of_each_record(each: Choice) -> Choice:
    """Sum up what several candidates or entries add to one record of one cycle."""
    if _once(each):
        return replace(each, probability=np.minimum(each.probability, 1.0))
    order = np.lexsort([-each.probability, each.record, each.rows])
    rows, record = each.rows[order], each.record[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (rows[1:] != rows[:-1]) | (record[1:] != record[:-1])
    starts = np.flatnonzero(new)
    total = np.minimum(np.add.reduceat(each.probability[order], starts), 1.0)
    return replace(each.where(order[starts]), probability=total)


def _best_of_each_cycle(options: Choice) -> Choice:
    if _once(options):
        return options
    order = np.lexsort([-options.probability, options.rows])
    rows = options.rows[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = rows[1:] != rows[:-1]
    return options.where(order[first])


def _once(each: Choice) -> bool:
    """Return whether no cycle stands twice, and all in order."""
    return bool(np.all(each.rows[1:] > each.rows[:-1]))


LIKELY = 0.5
"""What is likelier than not."""
_ROUNDS_TO_LEARN = 2  # assumed
# A view that is less likely changes no probability that is reported.
_NEGLIGIBLE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Cycles, and the log's times as they are read.

    Attributes:
        cycles: by wake, or by sleep where no record reports a wake.
        entries: what they are held against.
        sleeps: the records that have a sleep time alone.
    """

    cycles: CycleTimes
    entries: Entries
    sleeps: Entries

    @property
    def by_wake(self) -> bool:
        """Whether wakes are held against wakes."""
        return self.entries is not self.sleeps

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to match."""
        return len(self.entries.at_s) == 0 or len(self.cycles.at_s) == 0

    def expected_s(self, both_utc: bool) -> float | None:
        """Return the offset of the arrays where both clocks agree; None if they need not."""
        # Bases differ by what two clocks that agree differ.
        return (self.cycles.base_ns - self.entries.base_ns) * 1e-9 if both_utc else None


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The match of one view.

    Attributes:
        view: the cycles and the log.
        chosen: the likeliest record of each cycle. possible: the same without rivals.
        noise: of the campaign.
        chain: the candidates. related: probability that the log is of these cycles at all.
        origin: of which unit the log is; of several logs, of those that are likeliest own.
        own: how likely it is that the log of each pair is own, float64 [k].
    """

    view: View
    chosen: Choice
    possible: Choice
    noise: Noise
    chain: Chain
    related: float
    origin: Origin
    own: Floats


def likeliest(
    moments: Moments,
    times: RecordTimes,
    arrivals: Arrivals,
    stated_pair: tuple[int, int] | None,
    *,
    both_utc: bool,
) -> Found:
    """Return the match of the likelier view, less what speaks for the other one."""
    as_is = _view(moments, times, arrivals, stated_pair)
    if as_is.is_empty:
        return _nothing(as_is)
    cycles = as_is.cycles
    about_s = float(cycles.at_s[0]) + (cycles.base_ns - times.base_ns) * 1e-9
    unset = times.without_settings(about_s)
    one = _Followed.of(as_is, both_utc=both_utc)
    if unset is None:
        return _doubted(one.found(both_utc=both_utc))
    other = _Followed.of(_view(moments, unset, arrivals, stated_pair), both_utc=both_utc)
    share = 1.0 / (1.0 + np.exp(-_log_odds(one, other)))
    if share > LIKELY:
        one, other, share = other, one, 1.0 - share
    found = one.found(both_utc=both_utc)
    if share < _NEGLIGIBLE:
        return _doubted(found)
    chosen = _weighed(found.chosen, other.found(both_utc=both_utc).chosen, share)
    return _doubted(replace(found, chosen=chosen))


def _doubted(found: Found) -> Found:
    """Return what was found with the doubt that the log may be of another unit; then nothing."""
    if not found.origin.is_foreign:
        chosen = found.chosen.times(found.own)
        certain = int((chosen.probability >= LOWEST_CONFIDENCE).sum())
        if not found.origin.agrees(certain):
            chosen = chosen.times(np.array(LIKELY))
        return replace(found, chosen=chosen)
    none = np.empty(0, dtype=np.int64)
    return replace(
        found, chosen=found.chosen.where(none), possible=found.possible.where(none), related=0.0
    )


def _view(
    moments: Moments, times: RecordTimes, arrivals: Arrivals, stated_pair: tuple[int, int] | None
) -> View:
    entries, sleeps = wake_entries(times, arrivals), sleep_entries(times, arrivals)
    cycles = cycle_times(moments, arrivals, stated_pair, by_wake=True)
    if len(entries.at_s) == 0 or len(cycles.at_s) == 0:
        return View(cycle_times(moments, arrivals, stated_pair, by_wake=False), sleeps, sleeps)
    return View(cycles, entries, sleeps)


def _nothing(view: View) -> Found:
    nothing, none = np.empty(0), np.empty(0, dtype=np.int64)
    empty = Choice(none, none, none, nothing, nothing, nothing)
    chain = Chain(none, none, nothing, 0.0)
    return Found(view, empty, empty, Noise(), chain, 0.0, NO_PAIRS, nothing)


@dataclass(frozen=True, slots=True, eq=False)
class _Followed:
    """A view with all ways through the campaign weighed.

    Attributes:
        view: the cycles and the log. cycles: with what each reading of the clock adds.
        tracks: the candidates. prior: of the offset before anything was compared.
        noise: as it was learnt. chain: the candidates' probabilities.
    """

    view: View
    cycles: CycleTimes
    tracks: Tracks
    prior: LogPrior
    noise: Noise
    chain: Chain

    @classmethod
    def of(cls, view: View, *, both_utc: bool) -> "_Followed":
        """Return the ways through a view that is not empty."""
        cycles, entries, noise = view.cycles, view.entries, Noise()
        expected_s = view.expected_s(both_utc)
        trace = traced(cycles, entries) if view.by_wake and cycles.stated_pair is None else None
        if trace is not None:
            noise = replace(noise, length=trace.length)
        nowhere = np.empty(0)
        tracks = find_tracks(
            cycles, entries, expected_s, nowhere if trace is None else trace.offset_s
        )
        if len(cycles.at_s) >= LONG_CAMPAIGN:
            cycles = with_beat(cycles, entries, tracks)
        some, of_some = to_learn_from(cycles, entries, tracks)
        prior = OffsetPrior.of(expected_s, cycles, entries).log_density
        for _ in range(_ROUNDS_TO_LEARN):
            chain = follow(some, entries, of_some, noise, prior)
            found = choose(some, entries, of_some, chain, noise, both_utc=both_utc)
            likely = found.where(found.probability > LIKELY)
            noise = learnt(
                noise,
                some,
                entries,
                residual_s=likely.residual_s,
                rows=likely.rows,
                entry=likely.entry,
            )
        chain = follow(cycles, entries, tracks, noise, prior)
        return cls(view, cycles, tracks, prior, noise, chain)

    def evidence(self, others_hz: float) -> float:
        """Return the log-likelihood of all ways together, were the rate of other records so."""
        if others_hz == self.noise.others_hz:
            return self.chain.evidence
        noise = replace(self.noise, others_hz=others_hz)
        return follow(self.cycles, self.view.entries, self.tracks, noise, self.prior).evidence

    def found(self, *, both_utc: bool) -> Found:
        """Return the likeliest record of each cycle, and how likely all others are."""
        view, cycles, noise, chain = self.view, self.cycles, self.noise, self.chain
        entries, expected_s = view.entries, view.expected_s(both_utc)
        possible = choose(cycles, entries, self.tracks, chain, noise, both_utc=both_utc)
        unshared = without_rivals(possible, cycles, entries, noise, expected_s)
        tied = related(chain.evidence, noise, entries, cycles, both_utc=both_utc)
        prior = OffsetPrior.of(expected_s, cycles, entries)
        origin, own = origins_of(possible, cycles, entries, noise, prior)
        chosen = possible.times(unshared)
        return Found(view, chosen, possible, noise, chain, tied, origin, own)


def _log_odds(as_is: _Followed, unset: _Followed) -> float:
    """Return how much more the times explain as if the clock had never been set.

    Evidence counts against "all records are of other sleeps", so both need one rate of those. At
    either's own; in doubt, that which is nearer to nothing.
    """
    rates = as_is.noise.others_hz, unset.noise.others_hz
    one, other = (unset.evidence(rate) - as_is.evidence(rate) for rate in rates)
    if one * other <= 0.0:
        return 0.0
    return float(np.clip(min(one, other, key=abs), -700.0, 700.0))


def _weighed(chosen: Choice, other: Choice, share: float) -> Choice:
    """Return pairs with the probability that both views give them together.

    Args:
        chosen: by the likelier view.
        other: by the other one.
        share: how likely that one is.
    """
    same = np.zeros(len(chosen.rows))
    if len(other.rows):
        at = np.minimum(np.searchsorted(other.rows, chosen.rows), len(other.rows) - 1)
        agree = (other.rows[at] == chosen.rows) & (other.record[at] == chosen.record)
        same = np.where(agree, other.probability[at], 0.0)
    both = (1.0 - share) * chosen.probability + share * same
    return chosen.times(both / np.maximum(chosen.probability, 1e-300))
