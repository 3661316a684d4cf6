"""Finds campaign stores and reads many of them at once, each in a process of its own."""

import multiprocessing
import os
import signal
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from resume_rig.campaign.fleet_line import SurveyedStore, survey_store
from resume_rig.model.errors import UsageError
from resume_rig.model.fleet import FleetCampaign, UnitBy, UnreadStore
from resume_rig.model.requirement import Requirement

SUFFIX: Final = ".rrs"

if sys.platform != "win32":
    _ENDS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def find_stores(places: Sequence[Path]) -> tuple[Path, ...]:
    """Return the stores that are named, and those in folders that are named; each once, sorted.

    Raises:
        UsageError: a place is not there, or a folder without a store.
    """
    found: dict[str, Path] = {}
    for place in places:
        if place.is_dir():
            inside = sorted(_stores_in(place))
            if not inside:
                raise UsageError(
                    f"could not find a campaign in {place}: there is no file named *{SUFFIX} in "
                    "it or below it; name folders of stores, or stores"
                )
        elif place.exists():
            inside = [place]
        else:
            raise UsageError(
                f"could not read {place}: there is no such file or folder; name campaign stores, "
                "or folders of them"
            )
        for path in inside:
            found.setdefault(os.path.realpath(path), path)
    return tuple(sorted(found.values()))


def survey_stores(
    stores: Sequence[Path],
    requirement: Requirement,
    unit_by: UnitBy,
    *,
    jobs: int,
    told: Callable[[int, Path], None],
) -> Iterator[SurveyedStore | UnreadStore]:
    """Yield what each store says, in the order of `stores`.

    Args:
        stores: to be read.
        requirement: what each is judged against.
        unit_by: what tells units apart.
        jobs: processes at a time, 1 or more; with 1 it is this one.
        told: called with how many are read, and the newest of them.
    """
    if jobs == 1 or len(stores) < 2:
        for number, path in enumerate(stores, 1):
            yield survey_store(path, requirement, unit_by)
            told(number, path)
        return
    with _workers(min(jobs, len(stores))) as pool:
        with _ends_held_back():
            asked = {pool.submit(survey_store, path, requirement, unit_by): path for path in stores}
        for number, done in enumerate(as_completed(asked), 1):
            told(number, asked[done])
        for future, path in asked.items():
            try:
                yield future.result()
            except BrokenProcessPool:
                yield UnreadStore(
                    str(path),
                    f"could not read {path}: a process that reads stores was killed, for want of "
                    "memory perhaps; try again with --jobs 1",
                )


def counted_once(
    surveyed: Iterable[SurveyedStore | UnreadStore],
) -> tuple[tuple[FleetCampaign, ...], tuple[UnreadStore, ...], tuple[tuple[str, str], ...]]:
    """Return the campaigns, the stores that were not read, and (copy, of what) of the copies.

    Of copies the one that has most cycles counts; the first of several.
    """
    unread = []
    alike: defaultdict[str, list[FleetCampaign]] = defaultdict(list)
    for each in surveyed:
        if isinstance(each, UnreadStore):
            unread.append(each)
        else:
            alike[each.origin].append(each.campaign)
    counted, copies = [], []
    for campaigns in alike.values():
        longest = max(campaigns, key=lambda campaign: campaign.cycles)
        counted.append(longest)
        copies += [(each.path, longest.path) for each in campaigns if each is not longest]
    return tuple(counted), tuple(unread), tuple(copies)


def _stores_in(folder: Path) -> Iterator[Path]:
    """Yield the stores in a folder and below; links to folders are not followed."""

    def refused(error: OSError) -> None:
        raise UsageError(
            f"could not look for stores in {error.filename}: {error.strerror}; name folders that "
            "can be read"
        ) from error

    for inside, _, names in os.walk(folder, onerror=refused):
        for name in names:
            if name.endswith(SUFFIX):
                yield Path(inside, name)


@contextmanager
def _workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """Open so many processes; they end with the block, however that ends."""
    # Not forked: what another thread holds just then would stay held in the child for ever.
    way = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, mp_context=way, initializer=_leave_ctrl_c_to_the_parent)
    before = set(multiprocessing.active_children())
    try:
        with pool:
            try:
                yield pool
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for child in set(multiprocessing.active_children()) - before:
                    child.kill()
                raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _ends_held_back() -> Iterator[None]:
    """Let a request to end wait until all processes are started.

    One that strikes in between would leave a process that is half told what to do, and that says so
    with a traceback. They are born with the same signals held back: Ctrl-C is for their parent.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    struck: list[int] = []
    # Held back in this thread alone, so that the processes inherit it; other threads take a signal
    # all the same, and leave it to what is to be done here.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)
    heeded = [number for number in _ENDS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {
        number: signal.signal(number, lambda which, _frame: struck.append(which))
        for number in heeded
    }
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            signal.signal(number, handler)
        if struck:
            signal.raise_signal(struck[0])


def _leave_ctrl_c_to_the_parent() -> None:
    """Where no signal can be held back before a process begins."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
