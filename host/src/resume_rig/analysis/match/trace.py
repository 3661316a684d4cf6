"""The trace that a unit leaves in its own log: how long it was awake, by its wires and by its OS.

From a wake to the next sleep the OS clock runs in one go, so in a unit's own log this length less
that of the wires is the same in each cycle, to milliseconds. Held against that: a log of other
sleeps has lengths of its own; that of a unit that one script sends to sleep at the same times
differs by what either unit takes for its way, half of which is in its own records.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from resume_rig.analysis.match.likelihood import Length, log_sum
from resume_rig.analysis.match.order import Choice
from resume_rig.analysis.match.times import CycleTimes, Entries, Floats, Indexes

# From what a log in whole milliseconds can show to settings of the clock without an event; no size
# is likelier than another before anything was compared.
_SCALES_S = np.geomspace(0.0015, 4.0, 14)
# Of nine units in ten it is at most 20 ms (assumed; a real laptop's clock runs on for 430 ms +- 40
# ms).
_NARROW_S, _NARROW = 0.02, 0.9
_IS_NARROW = _SCALES_S <= _NARROW_S
_OF_OWN = np.where(
    _IS_NARROW,
    np.log(_NARROW / _IS_NARROW.sum()),
    np.log((1.0 - _NARROW) / (~_IS_NARROW).sum()),
)
_OF_ANY = np.full(len(_SCALES_S), -np.log(len(_SCALES_S)))
# A clock that was set while the unit was awake, or a phase that was retried: anything within 20 s
# (assumed).
_STRAY, _STRAY_S = 0.03, 20.0
# A clock that is right again after each wake, and one that runs on in its sleep, show the time
# asleep instead; and what a log calls SleepTime may be none, and show nothing (assumed; with 1 in
# 20 the log of another unit at the same even pace was own, be it awake otherwise).
_BY_SLEEP, _MUTE = 0.1, 0.002
# The OS is awake for less than the wires: by what runs before its clock and after it, 0.1 to 2 s,
# seldom hidden seconds more. Only a BIOS time that is too long by all of that makes it longer
# (assumed).
_USUAL_S, _HIDDEN_S, _LONGER_S = (-2.0, 0.05), (-7.0, -2.0), (0.05, 3.0)
_HIDDEN, _LONGER = 0.08, 0.01  # assumed
# Of one unit in ten the trigger to sleep is heard so unevenly (a lid, a question to the user) that
# its time to sleep does not show in the wires', and in another time passes unreported in its
# firmware; both assumed.
_LATE_TRIGGER, _UNREPORTED = 0.1, 0.1
# Two units by one plan scatter by the same, within a factor of two or so, or else by any size, as
# likely.
# By one script they do so more closely, and one that hides time is rare (all assumed).
_ONE_PLAN, _OTHER_PLAN = 0.7, 0.5
_ONE_SCRIPT, _OTHER_UNIT = 0.4, 0.1
# Two units that follow equal plans: the differences of what they take, a second or so about the
# usual; or plans of their own. The OS is on its way to sleep for less than trigger to SLP_S3# by
# what accepts the trigger and what the firmware does (all assumed).
_BETWEEN_S, _ACCEPTED_S, _DIFFERENCE_S = 0.5, 0.1, 1.0
# Half of the units in a lab are of one model, whose ways differ by a tenth (assumed).
_OF_ONE_MODEL_S = 0.1
_UNLIKE, _UNLIKE_S = 0.1, 120.0  # assumed

# So many cycles in a row, of a campaign at most so many times, are slid past so many records at
# most; half a second of work. All that both have must agree, or six of ten: a record that is lost
# moves those behind it (assumed).
_RUNS, _PLACES, _CELLS, _RECORDS_MOST = (64, 12), 16, 2_000_000, 10_000
_SHARES, _LEAST = (0.6, 1.0), 4  # three differences that agree are no rarity
# A log has milliseconds. What a window holds has two thirds of its width for a scale (assumed).
_READ_S, _SPREAD = 0.002, 0.8
# A plan may have but a few lengths, so that one that agrees is no rarity: one in so many at most
# (assumed).
_RAREST = 250
# As good by chance at one alignment of all in a thousand logs: log(1000), rounded up.
_NO_CHANCE = 7.0


class Trace:
    """What the lengths of some pairs show: of being awake, and of the ways to sleep."""

    def __init__(self, pairs: Choice, cycles: CycleTimes, entries: Entries) -> None:
        follows = np.append(False, np.diff(pairs.rows) == 1)
        follows[1:] &= entries.before[pairs.entry[1:]] == pairs.record[:-1]
        difference_s = entries.awake_s[pairs.entry] - cycles.awake_s[pairs.rows]
        slept_s = entries.asleep_s[pairs.entry] - cycles.asleep_s[pairs.rows]
        follows &= ~np.isnan(difference_s + slept_s)
        rows, entry = pairs.rows[follows], pairs.entry[follows]
        took_s, to_sleep_s = entries.took_s[pairs.entry], cycles.to_sleep_s[pairs.rows]
        self._difference_s, self._slept_s = difference_s[follows], slept_s[follows]
        self._took_s = took_s[follows]
        # The same without the ways to sleep of both.
        self._difference_before_s = (difference_s - took_s + to_sleep_s)[follows]
        self._others = _others(entries.awake_s[entry], entries.asleep_s[entry], self._took_s)
        of_wires = cycles.awake_s[rows], cycles.asleep_s[rows], cycles.to_sleep_s[rows]
        self._of_wires = _others(*of_wires)
        # A script waits for each unit as long as its resumes take, but for one that goes by times.
        waits = [entries.resume_s[pairs.entry], cycles.awake_s[rows] - to_sleep_s[follows]]
        self._of_script = _like(
            min((w[~np.isnan(w)] for w in waits), key=_size), _ONE_SCRIPT, _OTHER_UNIT
        )
        both = ~np.isnan(took_s - to_sleep_s)
        self._longer_way_s = (took_s - to_sleep_s)[both]
        self._way, self._late = _evidence(took_s[both]), _evidence(self._longer_way_s)
        self._of_wires_way = _evidence(to_sleep_s[both])
        one_script = _evidence(
            to_sleep_s[both], _like(took_s[both], _ONE_SCRIPT, _LATE_TRIGGER + _UNREPORTED)
        )
        self._way_by_script = one_script - self._of_wires_way

    @property
    def has_any(self) -> bool:
        """Whether any length is known by both."""
        return len(self._difference_s) > 0

    def _own(self, way: float) -> float:
        """Return how likely the lengths are if the log is own, against the ways to sleep, log.

        Trigger and SLP_S3# bound what the OS calls its way to sleep, but for a trigger that is
        heard unevenly. What passes unreported before SLP_S3# is in both lengths of the wires.

        Args:
            way: how likely the ways to sleep are by themselves, log.
        """
        by_sleep = _evidence(self._slept_s, _OF_OWN) + np.log(_BY_SLEEP)
        awake = float(np.logaddexp(_evidence(self._difference_s, _OF_OWN), by_sleep))
        before_s = self._difference_before_s[~np.isnan(self._difference_before_s)]
        if len(before_s) < len(self._difference_s):
            return awake
        usual = np.log1p(-_LATE_TRIGGER - _UNREPORTED) + self._late - way + awake
        unreported = np.log(_UNREPORTED) + _evidence(before_s, _OF_OWN)
        return float(log_sum(np.array([usual, np.log(_LATE_TRIGGER) + awake, unreported]), axis=0))

    def against_other_sleeps(self) -> float:
        """Return how much likelier the lengths are if the log is own, log.

        Of other sleeps the time from wake to wake may stand near that of the wires; how much of
        it they were awake is their own.
        """
        if not self.has_any:
            return 0.0
        each = zip(self._others, self._of_wires, strict=True)
        others = np.array(
            [_evidence(os_s, _like(wires_s, _ONE_PLAN, _OTHER_PLAN)) for os_s, wires_s in each]
        )
        odds = self._own(self._way) - _mean(others) + self._shorter_way()
        odds += _constant(self._difference_s, _BETWEEN_S, (_DIFFERENCE_S,))
        return float(np.logaddexp(odds, np.log(_MUTE)))

    def against_one_script(self) -> float:
        """Return how much likelier the lengths are if the log is own, log.

        The other unit's time to its sleep is in the length of its log, and the time to that of this
        one in the length of the wires.
        """
        measured = ~np.isnan(self._took_s)
        took_s = self._took_s[measured]
        if len(took_s) < 2 or np.median(np.abs(took_s - np.median(took_s))) < _READ_S:
            # What does not vary shows nothing.
            return 0.0
        theirs = [_evidence((self._difference_s - self._took_s)[measured], self._of_script)]
        before_s = self._difference_before_s[~np.isnan(self._difference_before_s)]
        if len(before_s) == len(self._difference_s):
            theirs.append(_evidence(before_s, self._of_script))
        own = self._own(self._of_wires_way) + self._shorter_way()
        return own - _mean(np.array(theirs)) - self._way_by_script

    def _shorter_way(self) -> float:
        """Return how much likelier it is of an own log by how much the ways to sleep differ, log.

        An OS that the trigger sends to sleep is on its way for less than the wires, in each cycle.
        """
        longer_s = self._longer_way_s
        if len(longer_s) == 0:
            return 0.0
        impossible = int((longer_s > _USUAL_S[1]).sum())
        constant = _constant(longer_s, _ACCEPTED_S, (_DIFFERENCE_S, _OF_ONE_MODEL_S))
        return constant + impossible * float(np.log(_STRAY))


def _constant(difference_s: Floats, between_s: float, scales_s: tuple[float, ...]) -> float:
    """Return how much likelier lengths are that differ by this constant if the log is own, log.

    Args:
        difference_s: the OS's less the wires', float64 [n].
        between_s: by how much the OS's is usually the shorter.
        scales_s: of what two units differ by, each as likely.
    """
    middle_s = float(np.median(difference_s))
    own = _flat(middle_s, _HIDDEN_S, _HIDDEN) + _flat(middle_s, _LONGER_S, _LONGER)
    own += _flat(middle_s, _USUAL_S, 1.0 - _HIDDEN - _LONGER) + 1e-6
    scale_s = np.array(scales_s)
    like = float((np.exp(-abs(middle_s + between_s) / scale_s) / (2 * scale_s)).mean())
    return float(np.log(own / ((1.0 - _UNLIKE) * like + _UNLIKE / _UNLIKE_S)))


def _others(awake_s: Floats, asleep_s: Floats, to_sleep_s: Floats) -> list[Floats]:
    """Return what may be even where a unit sleeps by a plan of its own."""
    even = [awake_s, (awake_s - asleep_s) / 2, -asleep_s, awake_s - to_sleep_s]
    return [each[~np.isnan(each)] for each in even]


def _size(values_s: Floats) -> float:
    """Return the size of a scatter, at least what a log can show; endless where not known."""
    if len(values_s) < 2:
        return float("inf")
    return max(float(np.abs(values_s - np.median(values_s)).mean()), _READ_S)


def _like(values_s: Floats, within: float, other: float) -> Floats:
    """Return how likely each size of a scatter is, log: that of some values, or any other.

    Args:
        values_s: of what scatters by the same, float64 [k].
        within: how closely, as a logarithm.
        other: how likely any other size is, 0..1.
    """
    if len(values_s) < 2:
        return _OF_ANY
    near = np.exp(-np.abs(np.log(_SCALES_S / _size(values_s))) / within)
    near_density = np.log(near / near.sum()) + np.log1p(-other)
    return np.asarray(np.logaddexp(_OF_ANY + np.log(other), near_density))


def _flat(at_s: float, between_s: tuple[float, float], share: float) -> float:
    low_s, high_s = between_s
    return share / (high_s - low_s) if low_s <= at_s <= high_s else 0.0


def _evidence(values_s: Floats, log_weight: Floats = _OF_ANY) -> float:
    """Return how likely values are that scatter about an unknown constant by an unknown size, log.

    Both in the same measure for any values, so that differences count.

    Args:
        values_s: float64 [n].
        log_weight: how likely each size is before that, log.
    """
    if len(values_s) < 2:
        return 0.0
    away_s = np.abs(values_s - np.median(values_s))
    scale_s = _SCALES_S[:, None]
    density = (1 - _STRAY) * np.exp(-away_s / scale_s) / (2 * scale_s) + _STRAY / _STRAY_S
    each = np.log(density).sum(axis=1) + np.log(2 * _SCALES_S)
    return float(log_sum(each + log_weight, axis=0))


def _mean(logs: Floats) -> float:
    """Return the logarithm of the mean."""
    return float(log_sum(logs, axis=0)) - float(np.log(len(logs)))


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """Where lengths tie cycles to records.

    Attributes:
        offset_s: of the clocks there, float64 [k].
        length: the one that adds most.
    """

    offset_s: Floats
    length: Length


def traced(cycles: CycleTimes, entries: Entries) -> Traced | None:
    """Return the alignment that no chance explains; None without one.

    Cycles and the records of each document, in the order in which they were written, are slid past
    each other. Where most of the differences of a run agree by far better than anywhere else, it
    is theirs. Of the two lengths the one that adds more counts: they have the way to sleep in
    common.
    """
    some = [
        found
        for to_sleep in (False, True)
        if (found := _traced_by(Length(to_sleep, 0.0, 1.0, 1.0), cycles, entries)) is not None
    ]
    if not some:
        return None
    best = max(some, key=lambda each: each.length.information)
    return Traced(np.concatenate([each.offset_s for each in some]), best.length)


def _traced_by(length: Length, cycles: CycleTimes, entries: Entries) -> Traced | None:
    """Return the alignment that one length ties."""
    of_os_s, of_wires_s = length.both(cycles, entries)
    _, one = np.unique(entries.record, return_index=True)
    one = one[~np.isnan(of_os_s[one])]
    if len(one) > _RECORDS_MOST or np.isnan(of_wires_s).all():
        return None
    one = one[np.argsort(entries.rank[one], kind="stable")]
    logs = [one[entries.source[one] == each] for each in np.unique(entries.source[one])]
    found = [
        best
        for order in logs
        if len(order) > _LEAST
        for rows in _runs(len(cycles.at_s), len(order))
        for share in _SHARES
        if (best := _best_of(length, cycles, entries, rows, order, share=share)) is not None
    ]
    if not found:
        return None
    beyond, best_of_all = max(found, key=itemgetter(0))
    return best_of_all if beyond - float(np.log(len(found))) > _NO_CHANCE else None


def _runs(count: int, records: int) -> Iterator[Indexes]:
    """Yield cycles in a row, of a campaign of so many, to be slid past so many records."""
    for size in _RUNS:
        if size < _RUNS[0] and count < 2 * size:
            break
        most = min(-(-count // size), max(_CELLS // (size * records), 1), _PLACES)
        places = np.linspace(0, max(count - size, 0), most)
        for low in np.unique(places.astype(np.int64)).tolist():
            yield np.arange(low, min(low + size, count))


def _best_of(
    length: Length,
    cycles: CycleTimes,
    entries: Entries,
    rows: Indexes,
    order: Indexes,
    *,
    share: float,
) -> tuple[float, Traced] | None:
    """Return the best alignment of some cycles, and how far it is beyond chance.

    Args:
        length: which one.
        cycles: all of them.
        entries: all of them.
        rows: which cycles, in a row.
        order: entries in the order of the log.
        share: of the differences that must agree.
    """
    of_os_s, of_wires_s = length.both(cycles, entries)
    size, beyond = len(rows), np.full(len(rows), np.nan)
    padded_s = np.concatenate([beyond, of_os_s[order], beyond])
    difference_s = sliding_window_view(padded_s, size) - of_wires_s[rows]
    difference_s[(difference_s < _HIDDEN_S[0]) | (difference_s > _LONGER_S[1])] = np.nan
    difference_s = np.sort(difference_s, axis=1)
    measured = (~np.isnan(difference_s)).sum(axis=1)
    most = np.ceil(measured * share).astype(np.int64)
    width_s, middle_s = np.full(len(measured), np.inf), np.zeros(len(measured))
    for each in np.unique(most[measured >= _LEAST]).tolist():
        same_count = np.flatnonzero((most == each) & (measured >= _LEAST))
        wide_s = difference_s[same_count, each - 1 :] - difference_s[same_count, : size - each + 1]
        at = np.nanargmin(wide_s, axis=1)
        width_s[same_count] = wide_s[np.arange(len(same_count)), at]
        middle_s[same_count] = difference_s[same_count, at] + width_s[same_count] / 2
    tried = np.flatnonzero(np.isfinite(width_s))
    if len(tried) == 0:
        return None
    width_s = np.maximum(width_s[tried], _READ_S)
    information = (most[tried] - 2) * (np.log(np.median(width_s)) - np.log(width_s))
    first = int(information.argmax())
    best = int(tried[first])
    at = best - size + np.arange(size)
    inside = (at >= 0) & (at < len(order))
    offset_s = entries.at_s[order[at[inside]]] - cycles.at_s[rows[inside]]
    range_s = float(2 * np.ptp(np.nanquantile(of_wires_s[rows], (0.1, 0.9)))) + _READ_S
    scale_s = max(_SPREAD * float(width_s[first]), range_s / _RAREST)
    found = Length(length.to_sleep, float(middle_s[best]), scale_s, range_s)
    traced_here = Traced(np.median(offset_s, keepdims=True), found)
    return float(information[first]) - float(np.log(len(tried))), traced_here
