"""Campaign stores as lines of `fleet`: found, read in processes of their own, judged."""

import hashlib
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from resume_rig.analysis.compare.samples import HEADLINES
from resume_rig.analysis.stats.figures import scaled_mad
from resume_rig.analysis.verdict.series import MeasuredTimes, all_cycles, measured_times
from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.plan.plan_file import plan_facts
from resume_rig.campaign.store.disk import is_being_written
from resume_rig.campaign.store.identity import Identity
from resume_rig.campaign.store.read_back import StoredCampaign, load_campaign
from resume_rig.model.errors import ResumeRigError, UsageError, shell_word
from resume_rig.model.result.cycle import Correlation, IntervalName, ReconciledCycle
from resume_rig.model.result.fleet import FleetCampaign, TimesOf, Trait, UnitBy, UnreadStore
from resume_rig.model.result.series import CycleTimes
from resume_rig.model.result.verdict import RESUME, Requirement
from resume_rig.model.units import count_of
from resume_rig.oslog.reading import name_of_log

logger = logging.getLogger(__name__)

_EDGES_OF_ORIGIN: Final = 64


@dataclass(frozen=True, slots=True)
class SurveyedStore:
    """One store.

    Attributes:
        origin: the same of all copies of one campaign, salvaged ones among them.
    """

    campaign: FleetCampaign
    origin: str


def survey_store(
    path: Path, requirement: Requirement, unit_by: UnitBy
) -> SurveyedStore | UnreadStore:
    """Return what a store says; one that cannot be read is told of, and raises nothing.

    Nor does one that a mistake of this program cannot be read with: it hides no other.
    """
    try:
        # Before it is opened here: a process loses its locks of a file with the first that closes.
        running = is_being_written(path)
        stored = load_campaign(path)
        correlation = assess(stored, requirement)
        line = campaign_line(stored, correlation, unit_by, running=running)
        return SurveyedStore(line, origin_of(stored))
    except ResumeRigError as error:
        kind = name_of_log(path)
        hint = "" if kind is None else f"; it is an OS log ({kind}), which `resume-rig log` judges"
        return UnreadStore(str(path), f"{error}{hint}")
    except Exception as error:
        logger.info("could not judge %s", path, exc_info=True)
        return UnreadStore(
            str(path),
            f"could not judge {path}: internal error, {type(error).__name__}: {error!s:.200}; "
            f"please report it with what `resume-rig correlate {shell_word(path)} --debug` shows",
        )


def campaign_line(
    stored: StoredCampaign, correlation: Correlation, unit_by: UnitBy, *, running: bool
) -> FleetCampaign:
    """Return what a judged campaign is among others."""
    outcomes, findings = _counted(correlation)
    identity = stored.identity
    return FleetCampaign(
        path=str(stored.path),
        unit=_unit_of(stored, unit_by),
        traits=_traits_of(identity, str(plan_facts(stored.plan).get("state", ""))),
        begun_utc_ns=identity.created_utc_ns,
        running=running,
        marks=_marks_of(stored),
        cycles=len(correlation.cycles),
        verdict=correlation.verdict,
        why=correlation.why,
        failures=correlation.failures,
        outcomes=outcomes,
        findings=findings,
        times=_times(correlation.cycles),
        undecided=correlation.undecided,
        evidence_lacks=any(each.evidence for each in correlation.limits if each.limit.required),
        all_cycles=_all_cycles(correlation.cycles),
    )


def _all_cycles(cycles: Collection[ReconciledCycle]) -> CycleTimes:
    """Return every cycle by the time that `_times` has, which is of wires where none is judged."""
    light = IntervalName.PRESS_TO_LIGHT.value
    judged = any(cycle.judged for cycle in cycles)
    return all_cycles(cycles, (RESUME, light) if judged else (light, RESUME))


def _counted(correlation: Correlation) -> tuple[dict[str, int], dict[str, int]]:
    """Return cycles by outcome, and cycles by kind of finding."""
    outcomes: Counter[str] = Counter()
    findings: Counter[str] = Counter()
    for cycle in correlation.cycles:
        outcomes[cycle.outcome.value] += 1
        findings.update({finding.kind.value for finding in cycle.findings})
    return dict(outcomes), dict(findings)


def _times(cycles: Collection[ReconciledCycle]) -> dict[str, TimesOf]:
    """Return the headline times, by measure; those of the wires alone where no cycle is judged."""
    _, found = measured_times(cycles, HEADLINES)
    return {name: _times_of(name, times) for name, times in found.items() if times.numbers}


def _times_of(name: str, times: MeasuredTimes) -> TimesOf:
    times_ms = np.asarray(times.values_ms)
    median, p95 = times.quantiles(0.5, 0.95)
    return TimesOf(
        name=name,
        n=len(times_ms),
        median_ms=float(np.median(times_ms)),
        p95_ms=float(np.quantile(times_ms, 0.95, method="linear")),
        max_ms=float(times_ms.max()),
        spread_ms=scaled_mad(times_ms),
        median=median,
        p95=p95,
        common=times.common,
    )


def _unit_of(stored: StoredCampaign, unit_by: UnitBy) -> str:
    match unit_by:
        case UnitBy.DUT:
            return stored.identity.dut_name
        case UnitBy.FOLDER:
            return str(stored.path.parent)
        case UnitBy.STORE:
            return str(stored.path)


def _traits_of(identity: Identity, state: str) -> dict[Trait, str]:
    dut = identity.dut
    return {
        Trait.PRODUCT: "" if dut is None else f"{dut.manufacturer} {dut.product}".strip(),
        Trait.BIOS: "" if dut is None else dut.bios_version,
        Trait.STATE: state,
        Trait.DUT: identity.dut_name,
        Trait.RIG: identity.rig.board,
        Trait.HOST: identity.host.partition(",")[0],
    }


def _marks_of(stored: StoredCampaign) -> tuple[str, ...]:
    marks = []
    if stored.salvaged is not None:
        marks.append("salvaged")
    if stored.identity.faults is not None:
        marks.append("faults on purpose")
    if (progress := stored.progress) is not None and progress.left is not None:
        marks.append(f"{progress.done} of {count_of(progress.cycles, 'cycle')} done")
    if len(stored.sessions) > 1:
        marks.append(f"gone on with {count_of(len(stored.sessions) - 1, 'time')}")
    return tuple(marks)


def origin_of(stored: StoredCampaign) -> str:
    """Return what copies of a campaign have in common, however far each of them goes."""
    identity = stored.identity
    first = next(iter(stored.cycles), None)
    facts = (
        identity.created_utc_ns,
        identity.host,
        identity.rig.board,
        identity.rig.boot_id,
        None if first is None else (first.started_host_ns, first.edges[:_EDGES_OF_ORIGIN]),
        str(stored.path) if first is None else "",  # nothing shows that two empty ones are one
    )
    return hashlib.sha256(repr(facts).encode()).hexdigest()


SUFFIX: Final = ".rrs"

if sys.platform != "win32":
    _ENDS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class FoundStores:
    """The stores of some places, and what could not be looked into."""

    paths: tuple[Path, ...]
    unread: tuple[UnreadStore, ...]


def find_stores(places: Sequence[Path]) -> FoundStores:
    """Return the stores that are named, and those in folders that are named; each once, sorted.

    Raises:
        UsageError: a place is not there, or a folder without a store.
    """
    found: dict[str, Path] = {}
    unread: dict[str, UnreadStore] = {}
    for place in places:
        if place.is_dir():
            refused = len(unread)
            inside = sorted(_stores_in(place, unread))
            if not inside and len(unread) == refused:
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
            found.setdefault(_real_name(path), path)
    if unread and not found:
        raise UsageError(f"{next(iter(unread.values())).why}; name folders that can be read")
    return FoundStores(tuple(sorted(found.values())), tuple(unread.values()))


def _real_name(path: Path) -> str:
    try:
        return os.path.realpath(path)
    except OSError:  # Windows, of a name that is too long
        return str(path.absolute())


def survey_stores(
    stores: Sequence[Path],
    requirement: Requirement,
    unit_by: UnitBy,
    *,
    jobs: int,
    progress: Callable[[int, Path], None],
) -> Iterator[SurveyedStore | UnreadStore]:
    """Yield what each store says, in the order of `stores`.

    Args:
        stores: to be read.
        requirement: what each is judged against.
        unit_by: what tells units apart.
        jobs: processes at a time, 1 or more; with 1 it is this one.
        progress: called with how many are read, and the newest of them.
    """
    if jobs == 1 or len(stores) < 2:
        for number, path in enumerate(stores, 1):
            yield survey_store(path, requirement, unit_by)
            progress(number, path)
        return
    with _workers(min(jobs, len(stores))) as pool:
        with _ends_held_back():
            asked = {pool.submit(survey_store, path, requirement, unit_by): path for path in stores}
        for number, done in enumerate(as_completed(asked), 1):
            progress(number, asked[done])
        for future, path in asked.items():
            try:
                yield future.result()
            except BrokenProcessPool:
                # Of all that were waiting one had it killed, and nothing says which.
                yield _survey_alone(path, requirement, unit_by)


def _survey_alone(
    path: Path, requirement: Requirement, unit_by: UnitBy
) -> SurveyedStore | UnreadStore:
    """Return what a store says, read by a process that nothing else depends on."""
    with _workers(1) as pool:
        with _ends_held_back():
            asked = pool.submit(survey_store, path, requirement, unit_by)
        try:
            return asked.result()
        except BrokenProcessPool:
            return UnreadStore(
                str(path),
                f"could not read {path}: the process that read it was killed, for want of memory "
                "perhaps",
            )


def counted_once(
    surveyed: Iterable[SurveyedStore | UnreadStore],
) -> tuple[tuple[FleetCampaign, ...], tuple[UnreadStore, ...], tuple[tuple[str, str], ...]]:
    """Return the campaigns, the stores that were not read, and (copy, of what) of the copies.

    Of copies the one that has most cycles counts; the first of several.
    """
    unread = []
    by_origin: defaultdict[str, list[FleetCampaign]] = defaultdict(list)
    for each in surveyed:
        if isinstance(each, UnreadStore):
            unread.append(each)
        else:
            by_origin[each.origin].append(each.campaign)
    counted, copies = [], []
    for campaigns in by_origin.values():
        longest = max(campaigns, key=lambda campaign: campaign.cycles)
        counted.append(longest)
        copies += [(each.path, longest.path) for each in campaigns if each is not longest]
    return tuple(counted), tuple(unread), tuple(copies)


def _stores_in(folder: Path, unread: dict[str, UnreadStore]) -> Iterator[Path]:
    """Yield the stores in a folder and below; links to folders are not followed.

    Folders that nobody may look into, or whose names are too long for the system, are put down.
    """

    def refused(error: OSError) -> None:
        name = os.fsdecode(error.filename)
        why = f"could not look for stores in {name}: {error.strerror}"
        unread[name] = UnreadStore(name, why)

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
