"""Stores and logs of a fleet, each cycle and each sleep of them counted once."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from resume_rig.analysis.verdict.judge import first_of
from resume_rig.model.result.fleet import (
    SALVAGED,
    FleetCampaign,
    SurveyedStore,
    UnreadStore,
)
from resume_rig.model.units import NS_PER_S, count_of

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
    for place, shared in _whole_elsewhere(kept).items():
        repeated[place] = shared | repeated.get(place, {})
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


def _whole_elsewhere(found: Mapping[int, SurveyedStore]) -> dict[int, dict[int, int]]:
    """Return the logs with sleeps without times that another log of their unit has with them.

    An export ends, or begins, in a sleep; two exports may be of two zones.

    Returns:
        by the place of a log, where each of these accounts is counted.
    """
    of_unit: defaultdict[str, list[int]] = defaultdict(list)
    for place, each in found.items():
        of_unit[each.campaign.unit].append(place)
    repeated: dict[int, dict[int, int]] = {}
    for place, each in found.items():
        begun_ns = np.asarray(each.begun_ns, dtype=np.int64)
        untimed = np.flatnonzero((begun_ns > 0) & (np.asarray(each.ended_ns) == 0))
        others = of_unit[each.campaign.unit] if each.campaign.log and len(untimed) else ()
        for other in others:
            if other == place:
                continue
            inside = _inside(begun_ns[untimed] + _zones_apart_ns(each, found[other]), found[other])
            shared = {each.accounts[int(index)]: other for index in untimed[inside]}
            if shared:
                repeated[place] = shared | repeated.get(place, {})
    return repeated


def _zones_apart_ns(one: SurveyedStore, other: SurveyedStore) -> int:
    """Return what is to be added to the times of one log for those of another."""
    begun_ns = {account: ns for account, ns in zip(one.accounts, one.begun_ns, strict=False) if ns}
    pairs = zip(other.accounts, other.begun_ns, strict=False)
    return next((ns - begun_ns[account] for account, ns in pairs if ns and account in begun_ns), 0)


def _inside(at_ns: npt.NDArray[np.int64], log: SurveyedStore) -> npt.NDArray[np.bool_]:
    """Return which moments lie in a sleep that a log has with its times."""
    begun_ns = np.asarray(log.begun_ns, dtype=np.int64)
    ended_ns = np.asarray(log.ended_ns, dtype=np.int64)
    whole = np.flatnonzero((begun_ns > 0) & (ended_ns > 0))
    if not len(whole):
        return np.zeros(len(at_ns), dtype=np.bool_)
    whole = whole[np.argsort(begun_ns[whole], kind="stable")]
    last = np.searchsorted(begun_ns[whole], at_ns + NS_PER_S, side="right") - 1
    within = (last >= 0) & (ended_ns[whole[last]] + NS_PER_S >= at_ns)
    return np.asarray(within, dtype=np.bool_)


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
