"""Matching with one pair that somebody knows: "this cycle is told of by that record".

It picks among offsets that are as good as each other. It does not outvote the times: where they
tie the cycle or the record elsewhere, or no other cycle bears the pair out, that is said.
"""

from collections.abc import Callable, Sequence

from resume_rig.analysis.match import Match, OutsideMoments
from resume_rig.model.errors import UsageError
from resume_rig.model.match import (
    HIGH_CONFIDENCE,
    RECORD_REASONS,
    KnownPair,
    MatchCertainty,
    RecordReason,
    percent,
)
from resume_rig.model.os_record import OsRecord
from resume_rig.model.units import count_of

# One pair, or two, may fit by chance; so may a few of many.
_BORNE_OUT_BY, _SHARE = 3, 0.5
_OF_ITSELF = (RecordReason.NO_SLEEP, RecordReason.NO_TIME, RecordReason.DOZE)


def match_with(
    pair: KnownPair,
    numbers: Sequence[int],
    moments: Sequence[OutsideMoments],
    records: Sequence[OsRecord],
    matched: Callable[[tuple[int, int] | None], Match],
) -> Match:
    """Return the match in which a known pair is one.

    Args:
        pair: the cycle's number, and the record's number in its log.
        numbers: of the cycles.
        moments: of the cycles.
        records: of the log.
        matched: gives the match with a pair of indexes that is known, or without one.

    Raises:
        UsageError: there is no such cycle or record, or the times contradict the pair.
    """
    known = (_cycle_at(pair, numbers, moments), _record_at(pair, records))
    free = matched(None)
    _refuse_what_is_tied_elsewhere(pair, known, free, numbers, records)
    if known in _certain(free):
        return free
    if free.record_reasons.get(known[1]) in _OF_ITSELF:
        reason = RECORD_REASONS[free.record_reasons[known[1]]]
        raise UsageError(f"{_attempt(pair)}: of this record no cycle can be told: {reason}")
    found = matched(known)
    sure = [cycle for cycle, _ in _certain(found)]
    span = sure[-1] - sure[0] + 1 if sure else 0
    if known not in _certain(found) or len(sure) < max(_BORNE_OUT_BY, _SHARE * span):
        raise UsageError(
            f"{_attempt(pair)}: the other cycles do not bear that out, with it"
            f" {count_of(len(sure), 'cycle')} of {len(numbers)} have a record for certain; name a"
            " pair whose neighbours have records too, or none"
        )
    return found


def _attempt(pair: KnownPair) -> str:
    return f"could not take record {pair.record} for that of cycle {pair.cycle}"


def _cycle_at(pair: KnownPair, numbers: Sequence[int], moments: Sequence[OutsideMoments]) -> int:
    """Return the index of the cycle."""
    if pair.cycle not in numbers:
        there = (
            f"there are cycles {min(numbers)} to {max(numbers)}" if numbers else "there are none"
        )
        raise UsageError(f"{_attempt(pair)}: there is no such cycle; {there}")
    at = numbers.index(pair.cycle)
    if moments[at].awake_ns is None:
        raise UsageError(
            f"{_attempt(pair)}: this cycle has no sleep and wake that a record could tell of;"
            " name one that slept and woke"
        )
    return at


def _record_at(pair: KnownPair, records: Sequence[OsRecord]) -> int:
    """Return the index of the record."""
    there = [at for at, record in enumerate(records) if record.record_id == pair.record]
    if len(there) == 1:
        return there[0]
    numbers = [record.record_id for record in records if record.record_id is not None]
    if there:
        found = f"{len(there)} records have that number; give one log only"
    elif numbers:
        found = f"no record has that number; they have {min(numbers)} to {max(numbers)}"
    else:
        found = "the records of this log have no numbers"
    raise UsageError(f"{_attempt(pair)}: {found}")


def _certain(found: Match) -> dict[tuple[int, int], float]:
    pairs = zip(found.pairs, found.probability, strict=True)
    return {each: likely for each, likely in pairs if likely >= HIGH_CONFIDENCE}


def _refuse_what_is_tied_elsewhere(
    pair: KnownPair,
    known: tuple[int, int],
    free: Match,
    numbers: Sequence[int],
    records: Sequence[OsRecord],
) -> None:
    """Raise where the times alone, for certain, tie the cycle or the record elsewhere."""
    cycle, record = known
    for (at, told), likely in _certain(free).items():
        if (at == cycle) == (told == record):
            continue
        chance = percent(MatchCertainty(likely))
        raise UsageError(
            f"{_attempt(pair)}: the times alone tie cycle {numbers[at]} to record"
            f" {records[told].record_id} ({chance}); name a pair that agrees, or none"
        )
