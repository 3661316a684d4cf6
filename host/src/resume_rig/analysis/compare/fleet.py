"""Many campaigns in one answer: each counted once, groups, units, and the units unlike the others.

docs/reference/fleet.md has the methods.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from resume_rig.analysis.answer.headline import first_short
from resume_rig.analysis.stats.dependence import pooled_tau
from resume_rig.analysis.stats.figures import beta_below, failure_rate, undecided_text
from resume_rig.analysis.stats.trend import fisher_p, holm
from resume_rig.analysis.verdict.judge import first_of
from resume_rig.model.os_record import SleepKind, state_words
from resume_rig.model.result.fleet import (
    SALVAGED,
    Fleet,
    FleetCampaign,
    FleetGroup,
    GroupTimes,
    OutlyingUnit,
    SurveyedStore,
    TimesOf,
    Trait,
    UnreadStore,
)
from resume_rig.model.result.series import CommonTerm, FailureRate
from resume_rig.model.result.verdict import WORST_FIRST, Requirement, Verdict
from resume_rig.model.units import count_of, percent_up

UNITS_LEAST: Final = 5
"""With fewer, one that is far from the others cannot be distinguished from a wide spread.
Assumed."""

# Of units that are equal, one study in a hundred names one. Assumed: decides what is named.
ALPHA: Final = 0.01
_CERTAIN: Final = 1.5
"""A unit whose middle is so many times as far from the others' as its own interval reaches needs
no other evidence. Assumed; benchmarks/dependence.py holds the rate of false names."""
_OUTLIERS_MOST: Final = 5  # assumed: of one unit in so many; more are another kind


class OwnReach(NamedTuple):
    """How far a unit's own cycles leave its median open.

    Attributes:
        low_ms, high_ms: interval of its median that holds whatever the distribution is; None where
            too few cycles give none.
        longest_ms: how far its slowest cycle is above its median.
    """

    low_ms: float | None
    high_ms: float | None
    longest_ms: float


def outlying_medians(
    medians_ms: Mapping[str, Mapping[str, float]],
    matters: float,
    reaches: Mapping[str, Mapping[str, OwnReach]] | None = None,
) -> tuple[OutlyingUnit, ...]:
    """Return the units whose median is unlike that of the others.

    By the generalised extreme Studentised deviate (Rosner, 1983), so that two outliers do not hide
    each other; with one it is Grubbs' test. It takes the medians of equal units as normal, which
    medians of few heavy-tailed cycles are not: so what a unit's own cycles show of its median has
    to exclude the others' middle, too.

    Args:
        medians_ms: by measure, each unit's.
        matters: the smallest difference that matters, as a share of the others' middle.
        reaches: by measure, what each unit's own cycles leave open; None: the medians are exact.
    """
    tried = [name for name, units in medians_ms.items() if len(units) >= UNITS_LEAST]
    found = []
    for name in tried:
        for unit, p in _extremes(medians_ms[name]):
            others = [ms for each, ms in medians_ms[name].items() if each != unit]
            middle = float(np.median(others))
            value = medians_ms[name][unit]
            p_any = min(1.0, p * len(tried))
            own = None if reaches is None else reaches[name]
            if (
                p_any <= ALPHA
                and abs(value - middle) >= matters * abs(middle)
                and (own is None or _excludes(own, unit, value, middle))
            ):
                found.append(OutlyingUnit(unit, name, value, middle, p_any))
    return tuple(sorted(found, key=lambda outlier: (outlier.p, outlier.unit)))


def _excludes(own: Mapping[str, OwnReach], unit: str, value: float, middle: float) -> bool:
    """Return whether a unit's own cycles exclude that its median is the others' middle.

    It has to lie beyond its own interval, and beyond that, farther from the middle than a single
    cycle of any other unit is above its own: chance puts half of the cycles of one unit there
    only where it puts single ones of many there.
    """
    reach = own[unit]
    bound_ms = reach.low_ms if value > middle else reach.high_ms
    if bound_ms is not None and abs(value - middle) <= abs(value - bound_ms):
        return False
    if bound_ms is not None and _CERTAIN * abs(value - bound_ms) < abs(value - middle):
        return True
    farthest = max((each.longest_ms for name, each in own.items() if name != unit), default=0.0)
    return abs(value - middle) > farthest


def outlying_failures(counts: Mapping[str, tuple[int, int]]) -> tuple[OutlyingUnit, ...]:
    """Return the units that fail more often than all others together, by Fisher's test.

    Args:
        counts: failed and judged cycles of each unit; those without a judged one do not count.
    """
    judged = {unit: each for unit, each in counts.items() if each[1]}
    if len(judged) < 2:
        return ()
    failed, tried = (sum(each[i] for each in judged.values()) for i in (0, 1))
    ps = [fisher_p(f, n, failed - f, tried - n) for f, n in judged.values()]
    found = []
    for (unit, (f, n)), p in zip(judged.items(), holm(ps), strict=True):
        others = (failed - f) / (tried - n)
        if p <= ALPHA and f / n > others:
            found.append(OutlyingUnit(unit, None, f / n, others, p))
    return tuple(sorted(found, key=lambda outlier: (outlier.p, outlier.unit)))


def _extremes(medians_ms: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the outliers with the chance of so extreme a one; the most extreme first."""
    left = dict(medians_ms)
    stages: list[tuple[str, float]] = []
    for _ in range(max(1, len(left) // _OUTLIERS_MOST)):
        values = np.asarray(list(left.values()))
        spread = float(values.std(ddof=1))
        if spread == 0.0:
            break
        away = np.abs(values - values.mean())
        place = int(away.argmax())
        unit = list(left)[place]
        stages.append((unit, _grubbs_p(float(away[place]) / spread, len(values))))
        del left[unit]
    last = max((i for i, (_, p) in enumerate(stages, 1) if p <= ALPHA), default=0)
    # One that hides behind another is as extreme as the last that shows.
    return [(unit, min(p for _, p in stages[i:last])) for i, (unit, _) in enumerate(stages[:last])]


def _grubbs_p(g: float, n: int) -> float:
    """Return the chance that the most extreme of `n` is `g` deviations away or more (two-sided)."""
    most = (n - 1) ** 2 - n * g * g
    if most <= 0.0:
        return 0.0
    t_squared = n * (n - 2) * g * g / most
    freedom = n - 2
    tails = beta_below(freedom / (freedom + t_squared), freedom / 2, 0.5)
    return min(1.0, n * tails) if math.isfinite(tails) else 1.0


_DO: Final = {
    Verdict.FAIL: ("fails", "fail"),
    Verdict.MARGINAL: ("is marginal", "are marginal"),
    Verdict.NO_EVIDENCE: ("gives no evidence", "give no evidence"),
    Verdict.PASS: ("passes", "pass"),
}
# Assumed: names that a sentence holds; the document has all.
_NAMED_MOST: Final = 3
_MEDIAN_ERROR: Final = math.sqrt(math.pi / 2)
"""The standard error of a median of n normal values is this times their deviation over root n."""


def survey(
    campaigns: Iterable[FleetCampaign],
    requirement: Requirement,
    by: Sequence[Trait],
    *,
    matters: float = 0.05,
    unread: Sequence[UnreadStore] = (),
    copies: Sequence[tuple[str, str]] = (),
) -> Fleet:
    """Return the answer over many campaigns.

    Args:
        campaigns: any number, in any order.
        requirement: what all of them were judged against.
        by: traits that campaigns of one group have in common; none makes one group of all.
        matters: the smallest difference between units that matters, as a share, 0..1.
        unread: stores that could not be taken in.
        copies: stores that were counted once.
    """
    sorted_in: defaultdict[tuple[str, ...], list[FleetCampaign]] = defaultdict(list)
    for campaign in campaigns:
        sorted_in[tuple(campaign.traits[trait] for trait in by)].append(campaign)
    groups = [
        _group(dict(zip(by, values, strict=True)), found, matters)
        for values, found in sorted(sorted_in.items())
    ]
    groups.sort(key=lambda group: WORST_FIRST.index(group.verdict))
    found = [each for group in groups for each in group.campaigns]
    verdict, why = _answer(found)
    why = f"{_without_s3(found, requirement)}{why}"
    if unread:
        why += f"; {count_of(len(unread), noun_of_unread(unread))} could not be read"
    return Fleet(
        requirement=requirement,
        by=tuple(by),
        groups=tuple(groups),
        verdict=verdict,
        headline=_headline(found),
        why=why,
        unread=tuple(unread),
        copies=tuple(copies),
    )


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst; what gives no evidence is worse than a PASS. NO-EVIDENCE of none."""
    return min(verdicts, key=WORST_FIRST.index, default=Verdict.NO_EVIDENCE)


def _headline(campaigns: Sequence[FleetCampaign]) -> str:
    """Return how many campaigns have which verdict, none of them left out."""
    if not campaigns:
        return "There is no campaign to judge."
    counts, total = Counter(each.verdict for each in campaigns), len(campaigns)
    first, *others = [each for each in WORST_FIRST if counts[each]]
    rest = "".join(f", {counts[each]} {_DO[each][counts[each] > 1]}" for each in others)
    did = f"{_DO[first][counts[first] > 1]}{rest}."
    noun = counted_campaigns(campaigns).partition(" ")[2]
    forms = (f"{counts[first]} of {total} {noun} {did}", f"{counts[first]} of {total} {did}")
    return first_short(forms)


def _answer(campaigns: Sequence[FleetCampaign]) -> tuple[Verdict, str]:
    verdict = worst(each.verdict for each in campaigns)
    if not campaigns:
        return verdict, "there is no campaign to judge"
    all_of = f"{counted_campaigns(campaigns)} of {count_of(_units(campaigns), 'unit')}"
    if verdict is Verdict.PASS:
        rate = _failures(campaigns)
        bound = "" if rate is None else f"; {percent_of_these(rate)}"
        passes = "passes" if len(campaigns) == 1 else "pass"
        return verdict, f"{all_of} {passes}{bound}"
    those = [each.path for each in campaigns if each.verdict is verdict]
    named = ", ".join(those[:_NAMED_MOST])
    more = len(those) - _NAMED_MOST
    do = _DO[verdict][len(those) > 1]
    return (
        verdict,
        f"{len(those)} of {all_of} {do}: {named}{f' and {more} more' if more > 0 else ''}",
    )


def counted_campaigns(campaigns: Sequence[FleetCampaign]) -> str:
    """Return how many campaigns and OS logs there are, e.g. "5 logs"."""
    logs = sum(bool(each.log) for each in campaigns)
    if 0 < logs < len(campaigns):
        return f"{len(campaigns)} campaigns and logs"
    return count_of(len(campaigns), "log" if logs else "campaign")


def _without_s3(campaigns: Sequence[FleetCampaign], requirement: Requirement) -> str:
    """Say how the PCs sleep whose logs have no S3, where S3 is what is asked for; or ""."""
    logs = [each for each in campaigns if each.log]
    without = [each for each in logs if SleepKind.S3 not in each.kinds]
    if not without or SleepKind.S3 not in requirement.kinds:
        return ""
    states = Counter(each.traits[Trait.STATE] for each in without)
    covered = {kind.value for kind in requirement.kinds}
    ways = [
        f"{n} {'uses' if n == 1 else 'use'} {state_words(state)}"
        f" ({'covered' if state in covered else 'not covered'})"
        for state, n in states.most_common()
        if state
    ]
    if none := states[""]:
        ways.append(f"{none} {'has' if none == 1 else 'have'} no completed sleep")
    return f"No S3 in {len(without)} of {count_of(len(logs), 'log')}: {', '.join(ways)}. "


def noun_of_unread(unread: Sequence[UnreadStore]) -> str:
    """Return what those that were not read are called, for one of them."""
    logs = sum(each.is_log for each in unread)
    return "store" if not logs else "log" if logs == len(unread) else "file"


def percent_of_these(rate: FailureRate) -> str:
    """Return how often cycles fail, and for what that holds."""
    return (
        f"{rate.failures} of {count_of(rate.n, 'judged resume')} failed; upper 95 % "
        f"confidence limit of the failure rate of these units {percent_up(rate.upper)}"
        f"{undecided_text(rate)}"
    )


def _group(
    traits: Mapping[Trait, str], campaigns: list[FleetCampaign], matters: float
) -> FleetGroup:
    campaigns.sort(key=lambda c: (WORST_FIRST.index(c.verdict), c.begun_utc_ns or 0, c.path))
    units: defaultdict[str, list[FleetCampaign]] = defaultdict(list)
    for campaign in campaigns:
        units[campaign.unit].append(campaign)
    counts = {unit: _counted(found) for unit, found in units.items()}
    worth = {unit: _worth(counts[unit], found) for unit, found in units.items()}
    failed = sum(1 for f, n in counts.values() if f)
    tried = sum(1 for f, n in counts.values() if n)
    # Too few cycles of it are judged to say that none failed.
    unclear = sum(
        1
        for unit, (f, n) in counts.items()
        if n and not f and any(each.evidence_lacks for each in units[unit])
    )
    names = dict.fromkeys(name for campaign in campaigns for name in campaign.times)
    medians: dict[str, dict[str, float]] = {}
    reaches: dict[str, dict[str, OwnReach]] = {}
    times = []
    for name in names:
        of_units = {
            unit: middle
            for unit, found in units.items()
            if (middle := _middle(name, found)) is not None
        }
        medians[name] = {unit: middle.median_ms for unit, middle in of_units.items()}
        reaches[name] = {unit: middle.reach for unit, middle in of_units.items()}
        times.append(_times(name, list(of_units.values())))
    return FleetGroup(
        traits=traits,
        campaigns=tuple(campaigns),
        units=len(units),
        verdict=worst(each.verdict for each in campaigns),
        failures=_failures(campaigns),
        units_failed=failed,
        units_share=failure_rate(failed, tried - unclear, unclear),
        times=tuple(times),
        outliers=(*outlying_failures(worth), *outlying_medians(medians, matters, reaches)),
    )


class _Middle(NamedTuple):
    """Median, deviation and number of values of one unit, what its values share, and its reach."""

    median_ms: float
    spread_ms: float
    n: int
    common: CommonTerm
    reach: OwnReach


def _times(name: str, units: Sequence[_Middle]) -> GroupTimes:
    """Return a measure over units."""
    medians = np.asarray([each.median_ms for each in units])
    shared = np.asarray([each.common.common_ms for each in units])
    errors = np.asarray([_MEDIAN_ERROR * each.spread_ms / math.sqrt(each.n) for each in units])
    count = len(units)
    between = None
    if count >= 3:
        between = math.sqrt(max(0.0, float(medians.var(ddof=1) - np.mean(errors**2))))
    return GroupTimes(
        name=name,
        units=count,
        median_ms=float(np.median(medians)),
        low_ms=float((medians - shared).min()),
        high_ms=float((medians + shared).max()),
        # One more of count + 1 equal values is the lowest or the highest with 2 in count + 1.
        next_within=None if count < 2 else (count - 1) / (count + 1),
        between_ms=between,
        within_ms=float(np.median([each.spread_ms for each in units])),
        common=_widest([each.common for each in units]),
    )


def _widest(terms: Sequence[CommonTerm]) -> CommonTerm:
    return CommonTerm(max(each.rig_ms for each in terms), max(each.campaign_ms for each in terms))


def _middle(name: str, campaigns: Sequence[FleetCampaign]) -> _Middle | None:
    """Return what one unit shows of a measure, over its campaigns."""
    found = [campaign.times[name] for campaign in campaigns if name in campaign.times]
    n = sum(each.n for each in found)
    if not n:
        return None
    median = sum(each.median_ms * each.n for each in found) / n
    spread = sum(each.spread_ms * each.n for each in found) / n
    return _Middle(median, spread, n, _widest([each.common for each in found]), _reach(found))


def _reach(found: Sequence[TimesOf]) -> OwnReach:
    """Return the reach of a unit: its campaigns' ends by their cycles; none where one has none."""
    n = sum(each.n for each in found)
    lows = [each.median.low_ms for each in found if each.median is not None]
    highs = [each.median.high_ms for each in found if each.median is not None]
    ends = [
        None
        if len(side) < len(found) or None in side
        else sum(ms * each.n for ms, each in zip(side, found, strict=True) if ms is not None) / n
        for side in (lows, highs)
    ]
    longest = max(each.max_ms - each.median_ms for each in found)
    return OwnReach(ends[0], ends[1], longest)


def _counted(campaigns: Iterable[FleetCampaign]) -> tuple[int, int]:
    """Return how many judged cycles failed, and how many there are."""
    rates = [each.failures for each in campaigns if each.failures is not None]
    return sum(rate.failures for rate in rates), sum(rate.n for rate in rates)


def _worth(counted: tuple[int, int], campaigns: Iterable[FleetCampaign]) -> tuple[int, int]:
    """Return counts of one unit as so many independent cycles: failures in a run are about one."""
    tau = max((each.failures.tau for each in campaigns if each.failures is not None), default=1.0)
    failed, judged = (math.floor(count / tau) for count in counted)
    return (max(1, failed) if counted[0] else 0), max(1, judged) if counted[1] else 0


def _failures(campaigns: Sequence[FleetCampaign]) -> FailureRate | None:
    units: defaultdict[str, list[FailureRate]] = defaultdict(list)
    for each in campaigns:
        if each.failures is not None:
            units[each.unit].append(each.failures)
    undecided = sum(each.undecided for each in campaigns)
    return failure_rate(*_counted(campaigns), undecided, pooled_tau(list(units.values())))


def _units(campaigns: Iterable[FleetCampaign]) -> int:
    return len({each.unit for each in campaigns})


Resurvey = Callable[[Mapping[Path, Collection[int]]], Iterable[SurveyedStore | UnreadStore]]
"""Reads logs again, in their order, each without some accounts."""


def counted_once(
    surveyed: Iterable[SurveyedStore | UnreadStore], again: Resurvey
) -> tuple[tuple[FleetCampaign, ...], tuple[UnreadStore, ...], tuple[tuple[str, str], ...]]:
    """Return the campaigns, the stores that were not read, and (copy, of what) of the copies.

    A store is a copy of one that has all its cycles: of the whole file, of one that went on after
    it was copied, of one that it was salvaged from. A log is a copy of what holds all its sleeps:
    another export of it, or a store that keeps it. Of copies the longest counts; the first of
    several. Logs of one unit may overlap in part: what one counts is left out of the others. They
    are one log then, of which one transition is the first.

    Args:
        surveyed: what each store and log comes to.
        again: reads logs again without the accounts that are given for each.
    """
    found: list[SurveyedStore] = []
    unread: list[UnreadStore] = []
    for each in surveyed:
        if isinstance(each, UnreadStore):
            unread.append(each)
        else:
            found.append(each)
    found, store_copies = _stores_once(found)
    found, log_copies = _logs_once(found, again, unread)
    copies = (*store_copies, *log_copies)
    return tuple(each.campaign for each in found), tuple(unread), copies


_Once = tuple[list[SurveyedStore], list[tuple[str, str]]]
_Rank = Callable[[int], tuple[int, ...]]


def _stores_once(found: Sequence[SurveyedStore]) -> _Once:
    """Return what is left without stores that are copies, and (copy, of what) of these."""
    # Only stores of one campaign can be copies, and what holds each cycle is a set of 216 bytes.
    stores = Counter(each.campaign_id for each in found)
    cycles = [frozenset(each.cycles if stores[each.campaign_id] > 1 else ()) for each in found]

    def rank(place: int) -> tuple[int, ...]:
        return len(cycles[place]), SALVAGED not in found[place].campaign.marks, -place

    copy_of = copies_of(cycles, cycles, rank)
    kept = [place for place in range(len(found)) if place not in copy_of]
    parts = [cycles[place] for place in kept]
    return _marked([found[place] for place in kept], parts, parts, "cycle"), _named(found, copy_of)


def _logs_once(found: Sequence[SurveyedStore], again: Resurvey, unread: list[UnreadStore]) -> _Once:
    """Return what is left without logs that are copies, and (copy, of what) of these."""
    held, logs = _accounts(found)

    def rank(place: int) -> tuple[int, ...]:
        return not found[place].campaign.log, len(held[place]), -place

    copy_of = copies_of(logs, held, rank)
    kept = {place: each for place, each in enumerate(found) if place not in copy_of}
    repeated = _repeated_in_units(kept, sorted(kept, key=rank, reverse=True))
    wanted = _begun_elsewhere(kept, repeated)
    counted = {Path(found[place].campaign.path): without for place, without in wanted.items()}
    for place, rest in zip(wanted, again(counted), strict=True):
        shared = repeated.get(place, {})
        most = Counter(shared.values()).most_common(1)[0][0] if shared else place
        whole = kept.pop(place)
        if isinstance(rest, UnreadStore):
            unread.append(rest)
        elif not shared:
            kept[place] = rest
        elif rest.campaign.failures is None and whole.campaign.failures is not None:
            copy_of[place] = most  # what is left of it is no evidence for or against its unit
        else:
            mark = f"{count_of(len(shared), 'sleep')} counted in {_file_name(found[most])}"
            kept[place] = _with_mark(rest, mark)
    left = [kept[place] for place in sorted(kept)]
    held, logs = _accounts(left)
    return _marked(left, logs, held, "sleep"), _named(found, copy_of)


def _accounts(found: Sequence[SurveyedStore]) -> tuple[list[frozenset[int]], list[frozenset[int]]]:
    """Return the accounts that each holds, and those that each log is made of."""
    held = [frozenset(each.accounts) for each in found]
    return held, [
        own if each.campaign.log else frozenset() for own, each in zip(held, found, strict=True)
    ]


def _repeated_in_units(
    found: Mapping[int, SurveyedStore], order: Iterable[int]
) -> dict[int, dict[int, int]]:
    """Return the logs that share accounts with what comes before in `order` and is of their unit.

    Returns:
        by the place of a log, where each of these accounts is counted.
    """
    counted: defaultdict[str, dict[int, int]] = defaultdict(dict)
    repeated: dict[int, dict[int, int]] = {}
    for place in order:
        of_unit, own = counted[found[place].campaign.unit], found[place].accounts
        shared = {account: of_unit[account] for account in own if account in of_unit}
        if shared and found[place].campaign.log:
            repeated[place] = shared
        for account in own:
            of_unit.setdefault(account, place)
    return repeated


def _begun_elsewhere(
    found: Mapping[int, SurveyedStore], repeated: Mapping[int, Mapping[int, int]]
) -> dict[int, frozenset[int]]:
    """Return the logs that must be read again, with the accounts that do not count in each.

    Where the first transition of logs that overlap counts in one of them, it is among those of each
    other.
    """
    groups = {place: frozenset({place}) for place, each in found.items() if each.campaign.log}
    for place, shared in repeated.items():
        for other in set(shared.values()) & groups.keys():
            whole = groups[place] | groups[other]
            groups.update(dict.fromkeys(whole, whole))
    wanted = {place: frozenset(shared) for place, shared in repeated.items()}
    for group in set(groups.values()):
        firsts = [each for place in sorted(group) if (each := found[place].first) is not None]
        if len(group) < 2 or not firsts:
            continue
        first, _ = firsts[first_of([record for _, record in firsts])]
        for place in group:
            without = wanted.get(place, frozenset())
            if first not in found[place].accounts or first in without:
                wanted[place] = without | {first}
    return dict(sorted(wanted.items()))


def _marked(
    found: Sequence[SurveyedStore],
    parts: Sequence[Set[int]],
    held: Sequence[Set[int]],
    noun: str,
) -> list[SurveyedStore]:
    """Return all; two of which each has parts that the other lacks stay both, marked.

    Neither may hide a failure of the other.
    """
    holders = _holders(held)
    marked = []
    for place, own in enumerate(parts):
        each = found[place]
        shared = Counter(other for part in own for other in holders[part] if other != place)
        if shared:
            most = max(shared, key=lambda other: (shared[other], -other))
            mark = f"{count_of(shared[most], noun)} also in {_file_name(found[most])}"
            each = _with_mark(each, mark)
        marked.append(each)
    return marked


def _with_mark(store: SurveyedStore, mark: str) -> SurveyedStore:
    campaign = store.campaign
    return replace(store, campaign=replace(campaign, marks=(*campaign.marks, mark)))


def _file_name(store: SurveyedStore) -> str:
    return Path(store.campaign.path).name


def _named(found: Sequence[SurveyedStore], copy_of: Mapping[int, int]) -> list[tuple[str, str]]:
    """Return the paths of each copy and of its original."""
    return [(found[copy].campaign.path, found[of].campaign.path) for copy, of in copy_of.items()]


def copies_of(parts: Sequence[Set[int]], held: Sequence[Set[int]], rank: _Rank) -> dict[int, int]:
    """Return the place of each copy, and the place of what it is a copy of.

    A copy is what has parts, and all of them are held by another one.

    Args:
        parts: hashes of what each is made of; empty of what is no copy of anything.
        held: hashes of all that each holds, its parts among them.
        rank: of a place; of those that hold all parts the greatest is the original.
    """
    holders = _holders(held)
    copies = {}
    for place, own in enumerate(parts):
        if own:
            whole = set.intersection(*(holders[part] for part in own))
            if (best := max(whole, key=rank)) != place:
                copies[place] = best
    return copies


def _holders(held: Sequence[Set[int]]) -> Mapping[int, set[int]]:
    """Return the places that hold each part."""
    holders: defaultdict[int, set[int]] = defaultdict(set)
    for place, each in enumerate(held):
        for part in each:
            holders[part].add(place)
    return holders
