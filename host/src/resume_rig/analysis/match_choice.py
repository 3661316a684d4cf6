"""The record of each cycle, from the probabilities of the candidates: one to one and in order."""

from dataclasses import replace

import numpy as np

from resume_rig.analysis.match_chain import Chain
from resume_rig.analysis.match_likelihood import Noise, gains, lost_cost, parts_of
from resume_rig.analysis.match_order import Choice, doubted_by_order, in_order
from resume_rig.analysis.match_times import CycleTimes, Entries
from resume_rig.analysis.offset_tracks import Tracks

_NO_LOG_OF_OURS = np.log(0.1)
# Another log than that of the campaign is likely from the same week.
_WEEK_S = 7 * 86_400.0


def choose(
    cycles: CycleTimes,
    entries: Entries,
    tracks: Tracks,
    chain: Chain,
    noise: Noise,
    *,
    same_epoch: bool,
) -> Choice:
    """Return the likeliest record of each cycle, what is likely at all in order and once."""
    tied = related(chain.evidence, noise, entries, cycles, same_epoch=same_epoch)
    parts = [
        _shares(cycles, entries, tracks, chain.of(p), noise) for p in parts_of(len(chain.rows))
    ]
    each = _joined(parts)
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


def _joined(parts: list[Choice]) -> Choice:
    return Choice(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.record for part in parts]),
        np.concatenate([part.entry for part in parts]),
        np.concatenate([part.probability for part in parts]),
        np.concatenate([part.offset_s for part in parts]),
        np.concatenate([part.residual_s for part in parts]),
    )


def related(
    evidence: float, noise: Noise, entries: Entries, cycles: CycleTimes, *, same_epoch: bool
) -> float:
    """Return the probability that the log is of these cycles at all."""
    span_s = float(np.ptp(entries.at_s) + np.ptp(cycles.at_s)) + 3600.0
    around_s = max(span_s, _WEEK_S) if same_epoch else span_s
    elsewhere = _NO_LOG_OF_OURS - np.log(around_s) - np.log(noise.others_hz)
    return float(1.0 / (1.0 + np.exp(np.clip(elsewhere - evidence, -700.0, 700.0))))


def _one_of_each_record(each: Choice) -> Choice:
    """Sum up what several candidates or entries say for one record and one cycle."""
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
