"""The quick parts of the match done the plain way, for tests that hold one against the other."""

import math
import statistics
from itertools import product

import numpy as np

from resume_rig.analysis.match.likelihood import NEVER
from resume_rig.analysis.match.order import Choice
from resume_rig.analysis.match.times import UNKNOWN, CycleTimes, Entries, bits_of
from resume_rig.model.os_record import SleepKind

REACH_S, LATE, NEIGHBOURS, WINDOW_S = 1.3, 0.95, 4, 1.6


def near(at_s, predicted_s, reach_s):
    """Return what `match_gains.near` does, from a table of all neighbours."""
    first = np.searchsorted(at_s, predicted_s) - NEIGHBOURS // 2
    place = first[:, None] + np.arange(NEIGHBOURS)
    entry = np.clip(place, 0, len(at_s) - 1)
    away_s = at_s[entry] - predicted_s[:, None]
    of, column = np.nonzero((np.abs(away_s) <= reach_s) & (place == entry))
    return of, entry[of, column], away_s[of, column]


def fullest_windows(differences, voters, least):
    """Return what `offset_vote.fullest_windows` does, one number of votes after the other."""
    for votes in range(voters, 0, -1):
        wide = differences[votes - 1 :] - differences[: len(differences) - votes + 1]
        few = np.flatnonzero(wide <= WINDOW_S)
        if len(few) >= least:
            break
    return few


def residuals(inside, run, predicted_s, _after):
    """Return what the fit of offsets takes for residuals, each looked for in the whole log."""
    at_s = inside.at_s
    after = np.minimum(np.searchsorted(at_s, predicted_s), len(at_s) - 1)
    before = np.maximum(after - 1, 0)
    up, down = at_s[after] - predicted_s, at_s[before] - predicted_s
    is_after = np.abs(up) < np.abs(down)
    residual = np.where(is_after, up, down)
    close = np.abs(residual) <= REACH_S
    if run.reading is None:
        return residual, close, after, np.ones(1)
    told = inside.reading[np.where(is_after, after, before)]
    lag = np.where(told == UNKNOWN, 0, told - run.reading)
    return residual, close & (lag >= 0), after, LATE ** np.maximum(lag, 0)


def cycles_at(at_s, **fields):
    """Return cycles that woke then, of which nothing else is known but what is given."""
    n = len(at_s)
    unknown_s = np.full(n, np.nan)
    usual = {
        "base_ns": 0, "index": np.arange(n), "asleep_s": unknown_s, "unlike": np.zeros(n, int),
        "reading": np.zeros(n, dtype=np.int32), "readings": 0, "information": np.ones(n),
        "stated_pair": None, "silent": np.zeros(n), "awake_s": unknown_s, "to_sleep_s": unknown_s,
    }  # fmt: skip
    return CycleTimes(at_s=np.array(at_s, dtype=np.float64), **usual | _as_arrays(fields))


def entries_at(at_s, **fields):
    """Return entries of as many records of S3, of which nothing else is known but what is given."""
    m = len(at_s)
    unknown_s = np.full(m, np.nan)
    given = _as_arrays(fields)
    usual = {
        "base_ns": 0, "record": np.arange(m), "rank": given.get("record", np.arange(m)),
        "log_weight": np.zeros(m), "half_s": np.zeros(m),
        "widest_s": float(np.max(given.get("half_s", [0.0]), initial=0.0)),
        "asleep_s": unknown_s, "kind": np.full(m, bits_of([SleepKind.S3])),
        "reading": np.full(m, UNKNOWN, dtype=np.int32), "settings_s": np.zeros(m),
        "source": np.zeros(m, int), "before": np.full(m, -1), "awake_s": unknown_s,
        "took_s": unknown_s, "resume_s": unknown_s,
    }  # fmt: skip
    return Entries(at_s=np.array(at_s, dtype=np.float64), **usual | given)


def _as_arrays(fields):
    return {k: np.array(v) if isinstance(v, list) else v for k, v in fields.items()}


def density(error_s, half_s, information=1.0):
    """Return how likely an error of a wake is, per second: flat with soft edges, of area 1.

    One of twenty is anywhere within the half second of the RTC, where the others are closer.
    """
    found = 0.5516 / half_s * math.exp(-information * (error_s / half_s) ** 4)
    if half_s < 0.55:
        anywhere = 0.5516 / 0.55 * math.exp(-information * (error_s / 0.55) ** 4)
        found = 0.95 * found + 0.05 * anywhere
    return found


def worth(cycles, entries, row, entry, noise, *, likely, late_s=0.0):
    """Return what a pair is worth but for when its record came, given how likely its wake is."""
    found = math.log(max(likely, 1e-300)) + entries.log_weight[entry] - math.log(noise.others_hz)
    found += math.log((1 - noise.lost) * (1 - cycles.silent[row]))
    of_image = entries.kind[entry] & bits_of([SleepKind.S4, SleepKind.FAST_STARTUP])
    bias_s, half_s = noise.asleep_bias_s, 1.3
    if of_image:
        bias_s = noise.image_bias_s if bias_s is not None else None
        half_s = max(1.3, noise.image_half_s)
    if bias_s is not None:
        more_s = entries.asleep_s[entry] - cycles.asleep_s[row] - late_s - bias_s
        if not math.isnan(more_s):
            shape = 0.5516 / half_s * math.exp(-((more_s / half_s) ** 4))
            found += math.log(0.9 * shape * 30 + 0.1)
    if noise.length is not None:
        os_s, wires_s = (
            (entries.took_s, cycles.to_sleep_s)
            if noise.length.to_sleep
            else (entries.awake_s, cycles.awake_s)
        )
        more_s = os_s[entry] - wires_s[row] - noise.length.bias_s
        if not math.isnan(more_s):
            scale_s = noise.length.scale_s
            shape = math.exp(-abs(more_s) / scale_s) / (2 * scale_s)
            found += math.log(0.7 * shape * noise.length.range_s + 0.3)
    if cycles.unlike[row] & entries.kind[entry]:
        found += math.log(0.05)
    if lag_of(cycles, entries, row, entry) < UNKNOWN:
        return NEVER
    if cycles.stated_pair is not None:
        cycle, record = cycles.stated_pair
        if (cycles.index[row] == cycle) != (entries.record[entry] == record):
            return NEVER
    return found


def lag_of(cycles, entries, row, entry):
    """Return by how many readings a record came late, UNKNOWN where nobody knows, less if early."""
    if entries.reading[entry] == UNKNOWN:
        return UNKNOWN
    lag = int(entries.reading[entry] - cycles.reading[row])
    return lag if lag >= 0 else UNKNOWN - 1


def lag_gain(lag, usual, late):
    """Return what it says that a record came so late: each reading more is half as likely."""
    farther = abs(lag - usual)
    return math.log(late * 0.5 * 0.5 ** (farther - 1) if farther else 1 - late)


def one_of_two(likely, other):
    """Return how likely one is where it and the other exclude each other."""
    return likely * (1 - other) / (1 - likely * other) if likely * other < 1 else 0.0


def contradict(one, other):
    """Return whether two pairs of (row, rank) stand in contrary order, or share a record."""
    (row, rank), (other_row, other_rank) = sorted([one, other])
    return row < other_row and rank >= other_rank


def aligned_pairs(cycles, entries):
    """Return the pairs (row, entry) of the best assignment in order, from a table of all ways.

    Args:
        cycles: with what they lost.
        entries: one of each record, in the order of the records.
    """
    n, m = len(cycles.at_s), len(entries.at_s)
    pair, gap = math.log(3600), -math.log(300 * 16 * 3600)
    wires_s, log_s, half_s = (each.tolist() for each in (cycles.at_s, entries.at_s, entries.half_s))
    lost = np.cumsum(np.log(0.1 + 0.9 * cycles.silent)).tolist()
    best, came_from = [[0.0] * m for _ in range(n)], {}
    for row, column in product(range(n), range(m)):
        for other, before in product(range(row), range(column)):
            way = gap
            if row - other <= 3 and column - before <= 3:
                error_s = abs(log_s[column] - log_s[before] - wires_s[row] + wires_s[other])
                reach_s = max(1.2, half_s[column] + half_s[before])
                if error_s < reach_s:
                    way = max(gap, math.log((1 - error_s / reach_s) / reach_s))
            worth = best[other][before] + way + pair + lost[row - 1] - lost[other]
            worth -= column - before - 1
            if worth > best[row][column]:
                best[row][column], came_from[row, column] = worth, (other, before)
    at = divmod(int(np.argmax(best)), m)
    pairs = [at]
    while at in came_from:
        at = came_from[at]
        pairs.append(at)
    return pairs[::-1]


IMAGES = (SleepKind.S4, SleepKind.FAST_STARTUP)


def median_of(values, usual):
    return statistics.median(values) if values else usual


def wake_moments(records, chosen):
    """Return when the wires woke by each of the chosen records, and what else it says.

    Each is a dictionary; its record that may also be meant without its firmware is there twice.
    """
    own = {
        at: {
            "record": at,
            "image": records[at].kind in IMAGES,
            "wake_s": records[at].wake_time_utc_ns / 1e9,
            "took_s": None if records[at].wake_ms is None else records[at].wake_ms / 1e3,
            "before_s": _before_os(records[at]),
        }
        for at in chosen
    }
    for each in own.values():
        like = [other for other in own.values() if other["image"] == each["image"]]
        each["guessed"] = each["took_s"] is None or each["before_s"] is None
        took_s = [other["took_s"] for other in like if other["took_s"] is not None]
        before_s = [other["before_s"] for other in like if other["before_s"] is not None]
        each["os_took_s"], each["to_os_s"] = each["took_s"], each["before_s"]
        if each["took_s"] is None:
            each["os_took_s"] = median_of(took_s, 5.0 if each["image"] else 1.0)
        if each["before_s"] is None:
            each["to_os_s"] = median_of(before_s, 8.0 if each["image"] else 0.8)
    usual_s = median_of([each["to_os_s"] for each in own.values()], 0.0)
    moments = []
    for at, each in own.items():
        record, image = records[at], each["image"]
        woke_s = each["wake_s"] - each["os_took_s"] - each["to_os_s"]
        sleep_s = _fell_s(record)
        sure = [o for o in own.values() if o["image"] == image and not o["guessed"]]
        half_s = 0.0
        if each["guessed"]:
            half_s = (4.0 if image else 1.0) if len(sure) >= 3 else (8.0 if image else 1.8)
        measured = (record.sleep_ms, record.wake_ms, record.bios_init_ms) != (None,) * 3
        took_s = record.sleep_ms / 1e3 if sleep_s is not None and record.sleep_ms else math.nan
        said = {
            "record": at, "at_s": woke_s, "sleep_s": sleep_s, "log_weight": 0.0, "half_s": half_s,
            "asleep_s": math.nan if each["guessed"] or sleep_s is None else woke_s - sleep_s,
            "took_s": took_s,
            "resume_s": math.nan if each["took_s"] is None else each["took_s"],
        }  # fmt: skip
        if not measured:
            said["half_s"], said["log_weight"] = max(half_s, 1.8), math.log(0.05)
        doubtful = not each["guessed"] and abs(each["to_os_s"] - usual_s) > 0.3
        if doubtful:
            without = {**said, "at_s": each["wake_s"] - each["os_took_s"] - usual_s}
            without["log_weight"] += math.log(0.15)
            said["log_weight"] += math.log(0.85)
            moments.append(without)
        moments.append(said)
    return moments


def _before_os(record):
    """Return from SLP_S3# rising to the OS, by the record; no firmware takes more than a minute."""
    if record.bios_init_ms is None or record.bios_init_ms > 60_000:
        return None
    read_ms = (record.hiber_read_ms or 0) if record.kind in IMAGES else 0
    return (record.bios_init_ms + read_ms) / 1e3


def _fell_s(record):
    if record.sleep_time_utc_ns is None:
        return None
    return record.sleep_time_utc_ns / 1e9 + (record.sleep_ms or 0) / 1e3


def choice_of(rows, records, probability, *, entry=None, offset_s=None, residual_s=None):
    """Return a choice in which, unless something else is given, a record's entry has its number."""
    rows, records = np.array(rows, int), np.array(records, int)
    nothing = np.zeros(len(rows))
    return Choice(
        rows,
        records,
        records if entry is None else np.array(entry, int),
        np.array(probability, float),
        nothing if offset_s is None else np.array(offset_s, float),
        nothing if residual_s is None else np.array(residual_s, float),
    )
