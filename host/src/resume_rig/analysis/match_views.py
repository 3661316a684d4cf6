"""The likeliest record of each cycle, by the log as it is and as if its clock had never been set.

Where the log tells of settings of its clock there are two views of it, as likely as each other
before anything was compared. Each is matched by itself, and what both explain weighs them: what the
log tells of its clock has to earn its place.
"""

from dataclasses import dataclass, replace

import numpy as np

from resume_rig.analysis.match_beat import with_beat
from resume_rig.analysis.match_chain import Chain, follow
from resume_rig.analysis.match_choice import choose, related
from resume_rig.analysis.match_foreign import NO_PAIRS, Origin, origin_of
from resume_rig.analysis.match_likelihood import Noise, learnt
from resume_rig.analysis.match_live import Seen
from resume_rig.analysis.match_order import Choice
from resume_rig.analysis.match_rivals import unrivalled
from resume_rig.analysis.match_sample import to_learn_from
from resume_rig.analysis.match_times import (
    CycleTimes,
    Entries,
    Floats,
    Moments,
    RecordTimes,
    cycle_times,
    sleep_entries,
    wake_entries,
)
from resume_rig.analysis.offset_prior import OffsetPrior
from resume_rig.analysis.offset_stretches import LONG_CAMPAIGN
from resume_rig.analysis.offset_tracks import Tracks, find_tracks
from resume_rig.model.match import LOWEST_CONFIDENCE

LIKELY = 0.5
"""What is likelier than not."""
_ROUNDS_TO_LEARN = 2
# A view that is less likely changes no probability that is told.
_NEGLIGIBLE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Cycles, and the log's times as they are read.

    Attributes:
        cycles: by wake, or by sleep where no record tells of a wake.
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

    def expected_s(self, same_epoch: bool) -> float | None:
        """Return the offset of the arrays where both clocks agree; None if they need not."""
        # Bases differ by what two clocks that agree differ.
        return (self.cycles.base_ns - self.entries.base_ns) * 1e-9 if same_epoch else None


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What one view says.

    Attributes:
        view: the cycles and the log.
        chosen: the likeliest record of each cycle. possible: the same without rivals.
        noise: of the campaign.
        chain: the candidates. related: probability that the log is of these cycles at all.
        origin: of which unit the log is.
    """

    view: View
    chosen: Choice
    possible: Choice
    noise: Noise
    chain: Chain
    related: float
    origin: Origin


def likeliest(
    moments: Moments,
    times: RecordTimes,
    seen: Seen,
    known: tuple[int, int] | None,
    *,
    same_epoch: bool,
) -> Found:
    """Return what the likelier view says, less what speaks for the other one."""
    as_is = _view(moments, times, seen, known)
    if as_is.is_empty:
        return _nothing(as_is)
    cycles = as_is.cycles
    about_s = float(cycles.at_s[0]) + (cycles.base_ns - times.base_ns) * 1e-9
    unset = times.as_if_never_set(about_s)
    one = _Followed.of(as_is, same_epoch=same_epoch)
    if unset is None:
        return _doubted(one.found(same_epoch=same_epoch))
    other = _Followed.of(_view(moments, unset, seen, known), same_epoch=same_epoch)
    share = 1.0 / (1.0 + np.exp(-_log_odds(one, other)))
    if share > LIKELY:
        one, other, share = other, one, 1.0 - share
    found = one.found(same_epoch=same_epoch)
    if share < _NEGLIGIBLE:
        return _doubted(found)
    chosen = _weighed(found.chosen, other.found(same_epoch=same_epoch).chosen, share)
    return _doubted(replace(found, chosen=chosen))


def _doubted(found: Found) -> Found:
    """Return what was found with the doubt that the log may be of another unit; then nothing."""
    if not found.origin.is_foreign:
        chosen = found.chosen.times(np.array(found.origin.own))
        certain = int((chosen.probability >= LOWEST_CONFIDENCE).sum())
        if not found.origin.agrees(certain):
            chosen = chosen.times(np.array(LIKELY))
        return replace(found, chosen=chosen)
    none = np.empty(0, dtype=np.int64)
    return replace(
        found, chosen=found.chosen.where(none), possible=found.possible.where(none), related=0.0
    )


def _view(moments: Moments, times: RecordTimes, seen: Seen, known: tuple[int, int] | None) -> View:
    entries, sleeps = wake_entries(times, seen), sleep_entries(times, seen)
    cycles = cycle_times(moments, seen, known, by_wake=True)
    if len(entries.at_s) == 0 or len(cycles.at_s) == 0:
        return View(cycle_times(moments, seen, known, by_wake=False), sleeps, sleeps)
    return View(cycles, entries, sleeps)


def _nothing(view: View) -> Found:
    nothing, none = np.empty(0), np.empty(0, dtype=np.int64)
    empty = Choice(none, none, none, nothing, nothing, nothing)
    return Found(view, empty, empty, Noise(), Chain(none, none, nothing, 0.0), 0.0, NO_PAIRS)


@dataclass(frozen=True, slots=True, eq=False)
class _Followed:
    """A view with all ways through the campaign weighed.

    Attributes:
        view: the cycles and the log. cycles: with what each reading of the clock adds.
        tracks: the candidates. prior: of those of the first stretch.
        noise: as it was learnt. chain: the candidates' probabilities.
    """

    view: View
    cycles: CycleTimes
    tracks: Tracks
    prior: Floats
    noise: Noise
    chain: Chain

    @classmethod
    def of(cls, view: View, *, same_epoch: bool) -> "_Followed":
        """Return the ways through a view that is not empty."""
        cycles, entries, noise = view.cycles, view.entries, Noise()
        expected_s = view.expected_s(same_epoch)
        tracks = find_tracks(cycles, entries, expected_s)
        if len(cycles.at_s) >= LONG_CAMPAIGN:
            cycles = with_beat(cycles, entries, tracks)
        some, of_some = to_learn_from(cycles, entries, tracks)
        prior = OffsetPrior.of(expected_s, some, entries).log_density(of_some.offset_s[0])
        for _ in range(_ROUNDS_TO_LEARN):
            chain = follow(some, entries, of_some, noise, prior)
            found = choose(some, entries, of_some, chain, noise, same_epoch=same_epoch)
            likely = found.where(found.probability > LIKELY)
            noise = learnt(
                noise,
                some,
                entries,
                residual_s=likely.residual_s,
                rows=likely.rows,
                entry=likely.entry,
            )
        prior = OffsetPrior.of(expected_s, cycles, entries).log_density(tracks.offset_s[0])
        chain = follow(cycles, entries, tracks, noise, prior)
        return cls(view, cycles, tracks, prior, noise, chain)

    def evidence(self, others_hz: float) -> float:
        """Return the log-likelihood of all ways together, were the rate of other records so."""
        if others_hz == self.noise.others_hz:
            return self.chain.evidence
        noise = replace(self.noise, others_hz=others_hz)
        return follow(self.cycles, self.view.entries, self.tracks, noise, self.prior).evidence

    def found(self, *, same_epoch: bool) -> Found:
        """Return the likeliest record of each cycle, and how likely all others are."""
        view, cycles, noise, chain = self.view, self.cycles, self.noise, self.chain
        entries, expected_s = view.entries, view.expected_s(same_epoch)
        possible = choose(cycles, entries, self.tracks, chain, noise, same_epoch=same_epoch)
        unshared = unrivalled(possible, cycles, entries, noise, expected_s)
        tied = related(chain.evidence, noise, entries, cycles, same_epoch=same_epoch)
        prior = OffsetPrior.of(expected_s, cycles, entries)
        origin = origin_of(possible, cycles, entries, noise, prior)
        chosen = possible.times(unshared)
        return Found(view, chosen, possible, noise, chain, tied, origin)


def _log_odds(as_is: _Followed, unset: _Followed) -> float:
    """Return how much more the times explain as if the clock had never been set.

    Evidence counts against "all records are of other sleeps", so both need one rate of those. At
    either's own; in doubt, what tells less.
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
