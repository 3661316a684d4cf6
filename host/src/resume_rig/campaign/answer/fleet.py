"""What `fleet` is of: stores and OS logs, found, and judged in processes of their own."""

import hashlib
import logging
import multiprocessing
import os
import signal
import sys
import threading
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import isfinite, nan
from pathlib import Path
from typing import Final

import numpy as np

from resume_rig.analysis.compare.samples import HEADLINES, computer_of
from resume_rig.analysis.ledger.ledger import ZONE_NS, is_whole
from resume_rig.analysis.stats.figures import scaled_mad
from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.series import (
    MeasuredTimes,
    all_cycles,
    log_times,
    measured_times,
)
from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.plan.plan_file import plan_facts
from resume_rig.campaign.store.disk import is_being_written
from resume_rig.campaign.store.identity import Identity
from resume_rig.campaign.store.read_back import StoredCampaign, load_campaign
from resume_rig.campaign.store.rows import identity_to_rows
from resume_rig.campaign.store.store import Store
from resume_rig.model.errors import ResumeRigError, UsageError, shell_word
from resume_rig.model.os_record import NO_SLEEPS, UNFINISHED, LogSource, OsRecord, SleepKind
from resume_rig.model.result.cycle import Correlation, IntervalName, ReconciledCycle
from resume_rig.model.result.fleet import (
    SALVAGED,
    SIMULATED_MARK,
    FleetCampaign,
    SurveyedStore,
    TimesOf,
    Trait,
    UnitBy,
    UnreadStore,
)
from resume_rig.model.result.judgement import JudgedRecord, LogJudgement
from resume_rig.model.result.series import CycleMark, CycleTimes
from resume_rig.model.result.verdict import RESUME, Requirement, Verdict
from resume_rig.model.units import NS_PER_US, count_of
from resume_rig.oslog.reading import name_of_log, read_logs

logger = logging.getLogger(__name__)
SUFFIX: Final = ".rrs"
# A file so called that no reader recognises is a damaged log, not some other file.
_BINARY_LOGS: Final = frozenset({".evtx", ".etl"})
# Many files that are no log are called so: these are asked for their content.
_TEXT_LOGS: Final = frozenset({".xml", ".json", ".csv", ".log", ".txt", ".html", ".htm", ".gz"})
_SQLITE: Final = b"SQLite format 3\0"
_ABSENT: Final = -1
_BEGUN_BEFORE: Final = frozenset({SleepKind.DIED, SleepKind.MODERN_STANDBY})
_COMPUTER_CHARS: Final = 40


if sys.platform != "win32":
    _ENDS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class FoundStores:
    """The stores of some places, and what could not be looked into."""

    paths: tuple[Path, ...]
    unread: tuple[UnreadStore, ...]


def find_stores(places: Sequence[Path], *, logs: bool = False) -> FoundStores:
    """Return the stores that are named, and those in folders that are named; each once, sorted.

    Args:
        places: stores, and folders of them.
        logs: OS logs in folders, too.

    Raises:
        UsageError: a place is not there, or a folder without any.
    """
    what, name = "campaign", "folders of stores, or stores"
    if logs:
        what, name = "campaign or OS log", "stores, OS logs, or folders of them"
    found: dict[str, Path] = {}
    unread: dict[str, UnreadStore] = {}
    for place in places:
        if place.is_dir():
            refused = len(unread)
            inside = sorted(_stores_in(place, unread, logs=logs))
            if not inside and len(unread) == refused:
                none = f"no file named *{SUFFIX}{' and no OS log' if logs else ''}"
                raise UsageError(
                    f"could not find a {what} in {place}: there is {none} in "
                    f"it or below it; name {name}"
                )
        elif place.exists():
            inside = [place]
        else:
            raise UsageError(
                f"could not read {place}: there is no such file or folder; name campaign stores, "
                f"{'OS logs, ' if logs else ''}or folders of them"
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


def _stores_in(folder: Path, unread: dict[str, UnreadStore], *, logs: bool) -> Iterator[Path]:
    """Yield the stores in a folder and below; links to folders are not followed.

    Folders that nobody may look into, or whose names are too long for the system, are put down.
    """

    def refused(error: OSError) -> None:
        name = os.fsdecode(error.filename)
        why = f"could not look for stores in {name}: {error.strerror}"
        unread[name] = UnreadStore(name, why)

    for inside, _, names in os.walk(folder, onerror=refused):
        for name in names:
            path = Path(inside, name)
            suffix = path.suffix.lower()
            is_log = logs and (suffix in _BINARY_LOGS or (suffix in _TEXT_LOGS and _is_log(path)))
            if name.endswith(SUFFIX) or is_log:
                yield path


def _is_log(path: Path) -> bool:
    """Return whether a file is read as an OS log, by the beginning of its content."""
    if path.suffix == SUFFIX or not path.is_file():
        return False
    suffix = path.suffix.lower()
    if suffix in _BINARY_LOGS or name_of_log(path) is not None:
        return True
    return suffix == ".xml" and path.stat().st_size == 0  # an export to a full disk


def _is_no_store(path: Path) -> bool:
    """Return whether a file is called no store and is none: as a log it is refused by its kind."""
    if path.suffix == SUFFIX or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return not file.read(len(_SQLITE)).startswith(_SQLITE)
    except OSError:
        return False


def survey_stores(
    stores: Mapping[Path, Collection[int]],
    requirement: Requirement,
    unit_by: UnitBy,
    *,
    jobs: int,
    progress: Callable[[int, Path], None],
) -> Iterator[SurveyedStore | UnreadStore]:
    """Yield what each store comes to, in the order of `stores`.

    Args:
        stores: to be read, each with the accounts that do not count in it.
        requirement: what each is judged against.
        unit_by: what distinguishes units.
        jobs: processes at a time, 1 or more; with 1 it is this one.
        progress: called with how many are read, and the newest of them.
    """
    if jobs == 1 or len(stores) < 2:
        for number, (path, counted) in enumerate(stores.items(), 1):
            yield survey_store(path, requirement, unit_by, counted)
            progress(number, path)
        return
    with _workers(min(jobs, len(stores))) as pool:
        with _ends_held_back():
            asked = {
                pool.submit(survey_store, path, requirement, unit_by, counted): path
                for path, counted in stores.items()
            }
        for number, done in enumerate(as_completed(asked), 1):
            progress(number, asked[done])
        for future, path in asked.items():
            try:
                yield future.result()
            except BrokenProcessPool:
                # Of all that were waiting one had it killed, and nothing shows which.
                yield _survey_alone(path, requirement, unit_by, stores[path])


def _survey_alone(
    path: Path, requirement: Requirement, unit_by: UnitBy, counted: Collection[int]
) -> SurveyedStore | UnreadStore:
    """Return what a store comes to, read by a process that nothing else depends on."""
    with _workers(1) as pool:
        with _ends_held_back():
            asked = pool.submit(survey_store, path, requirement, unit_by, counted)
        try:
            return asked.result()
        except BrokenProcessPool:
            return UnreadStore(
                str(path),
                f"could not read {path}: the process that read it was killed, for want of memory "
                "perhaps",
            )


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

    One that strikes in between would leave a process that is half started, and that ends with a
    traceback. They are born with the same signals held back: Ctrl-C is for their parent.
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


def survey_store(
    path: Path,
    requirement: Requirement,
    unit_by: UnitBy,
    counted: Collection[int] = frozenset(),
) -> SurveyedStore | UnreadStore:
    """Return what a store or log comes to; one that cannot be read raises nothing.

    Nor does one that a mistake of this program cannot be read with: it hides no other.

    Args:
        path: of the store or log.
        requirement: what it is judged against.
        unit_by: what distinguishes units.
        counted: accounts of a log that do not count in it; one that is not of this file is the
            first transition of a log that it is a part of.
    """
    is_log = False
    try:
        is_log = _is_log(path) or _is_no_store(path)
        if is_log:
            return _survey_log(path, requirement, unit_by, counted)
        # Before it is opened here: a process loses its locks of a file with the first that closes.
        running = is_being_written(path)
        stored = load_campaign(path)
        correlation = assess(stored, requirement)
        line = campaign_line(stored, correlation, unit_by, running=running)
        accounts = accounts_of(stored.reading.records)
        spans = _spans_of(stored.reading.records)
        return SurveyedStore(line, accounts, *spans, campaign_id(stored), fingerprints_of(path))
    except ResumeRigError as error:
        return UnreadStore(str(path), str(error), is_log)
    except Exception as error:
        logger.info("could not judge %s", path, exc_info=True)
        verb = "log" if is_log else "correlate"
        return UnreadStore(
            str(path),
            f"could not judge {path}: internal error, {type(error).__name__}: {error!s:.200}; "
            f"please report it with what `resume-rig {verb} {shell_word(path)} --debug` shows",
            is_log,
        )


def _survey_log(
    path: Path, requirement: Requirement, unit_by: UnitBy, counted: Collection[int]
) -> SurveyedStore:
    reading = read_logs([path])
    first = _first_of(reading.records, requirement)
    if counted:
        own = {_account_of(each) for each in reading.records}
        if first is None or first[0] in counted or not own.issuperset(counted):
            requirement = replace(requirement, ignore_first=False)  # its log begins in another file
        rest = tuple(each for each in reading.records if _account_of(each) not in counted)
        reading = replace(reading, records=rest)
    judgement = judge_log(reading, requirement)
    records = judgement.reading.records
    line = log_line(path, judgement, unit_by)
    return SurveyedStore(line, accounts_of(records), *_spans_of(records), first=first)


def _first_of(records: Iterable[OsRecord], requirement: Requirement) -> tuple[int, OsRecord] | None:
    """Return account and record of the transition that a requirement ignores; None without one."""
    covered = (each for each in records if each.entered_kind in requirement.kinds)
    first = next(covered, None) if requirement.ignore_first else None
    account = None if first is None else _account_of(first)
    if first is None or account is None:
        return None
    return account, replace(first, components=(), figures=(), text="")


def log_line(path: Path, judgement: LogJudgement, unit_by: UnitBy) -> FleetCampaign:
    """Return what the judged log of one PC is among others."""
    requirement = judgement.requirement
    (source,) = judgement.reading.sources
    found, computers = dict(source.identity), judgement.reading.computers
    computer = computer_of(found, computers)
    maker = f"{found.get('system_manufacturer', '')} {found.get('system_product', '')}"
    kinds = _sleeps_by_kind(judgement)
    records = [cycle.record for cycle in judgement.cycles]
    times = log_times(judgement.cycles, HEADLINES)
    return FleetCampaign(
        path=str(path),
        unit=unit_of(path, unit_by, computer or str(path)),
        traits={
            **dict.fromkeys(Trait, ""),
            Trait.PRODUCT: maker.strip(),
            Trait.BIOS: found.get("bios_version", ""),
            Trait.STATE: _state_of(judgement, kinds),
            Trait.DUT: computer,
        },
        begun_utc_ns=min(filter(None, map(_began_ns, records)), default=None),
        running=False,
        marks=tuple(_log_marks(source, computers)),
        cycles=sum(kinds.values()),
        verdict=judgement.verdict,
        why=judgement.why,
        failures=judgement.failures,
        outcomes={},
        findings={},
        times={name: _times_of(name, each) for name, each in times.items() if each.numbers},
        undecided=sum(cycle.undecided for cycle in judgement.cycles),
        evidence_lacks=any(each.evidence for each in judgement.limits if each.limit.required),
        all_cycles=_all_records(judgement.cycles, requirement),
        log=source.kind,
        kinds=kinds,
    )


def _log_marks(source: LogSource, computers: Sequence[str]) -> Iterator[str]:
    if not source.integrity.ok:
        yield "log incomplete"
    if len(computers) > 1:
        first, second, *_ = (name[:_COMPUTER_CHARS] for name in computers)
        yield f"{len(computers)} computer names ({first}, {second})"


def _sleeps_by_kind(judgement: LogJudgement) -> dict[SleepKind, int]:
    """Return the sleeps of a log; boots and shutdowns where the requirement is about them."""
    others = NO_SLEEPS - frozenset(judgement.requirement.kinds)
    kinds = (cycle.record.kind for cycle in judgement.cycles)
    return dict(Counter(kind for kind in kinds if kind not in others).most_common())


def _state_of(judgement: LogJudgement, kinds: Collection[SleepKind]) -> str:
    """Return the kinds that were judged, or the commonest sleep; empty where none was completed."""
    judged = {cycle.record.kind for cycle in judgement.cycles if cycle.judged}
    if judged:
        return " and ".join(kind.value for kind in SleepKind if kind in judged)
    return next((kind.value for kind in kinds if kind not in UNFINISHED), "")


def _began_ns(record: OsRecord) -> int | None:
    return record.written_utc_ns if record.sleep_time_utc_ns is None else record.sleep_time_utc_ns


def _all_records(cycles: Sequence[JudgedRecord], requirement: Requirement) -> CycleTimes:
    """Return the sleeps that the requirement covers, and those that may have begun as one."""
    shown = [
        (number, cycle)
        for number, cycle in enumerate(cycles, 1)
        if cycle.record.kind in requirement.kinds or cycle.record.kind in UNFINISHED
    ]
    times = [cycle.record.resume_ms for _, cycle in shown]
    times_ms = array("d", (nan if time is None else time for time in times))
    marks = (
        _mark_of(cycle, timed=isfinite(time_ms))
        for (_, cycle), time_ms in zip(shown, times_ms, strict=True)
    )
    return CycleTimes(RESUME, array("q", (n for n, _ in shown)), times_ms, "".join(marks))


def _mark_of(cycle: JudgedRecord, *, timed: bool) -> CycleMark:
    if cycle.record.kind is SleepKind.DIED:
        return CycleMark.BROKEN
    if not timed:
        return CycleMark.UNKNOWN
    if not cycle.judged:
        return CycleMark.LEFT_OUT
    return CycleMark.FAILED if cycle.verdict is Verdict.FAIL else CycleMark.TIMED


def campaign_line(
    stored: StoredCampaign, correlation: Correlation, unit_by: UnitBy, *, running: bool
) -> FleetCampaign:
    """Return what a judged campaign is among others."""
    outcomes, findings = _counted(correlation)
    identity = stored.identity
    return FleetCampaign(
        path=str(stored.path),
        unit=unit_of(stored.path, unit_by, identity.dut_name),
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


def unit_of(path: Path, unit_by: UnitBy, dut: str) -> str:
    """Return the name of the unit that a store or log is of."""
    match unit_by:
        case UnitBy.DUT:
            return dut
        case UnitBy.FOLDER:
            return str(path.parent)
        case UnitBy.STORE:
            return str(path)


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
    marks = [SIMULATED_MARK] if stored.identity.is_simulated else []
    if stored.salvaged is not None:
        marks.append(SALVAGED)
    if stored.identity.faults is not None:
        marks.append("faults on purpose")
    progress = stored.progress
    if progress.left is not None:
        marks.append(f"{progress.done} of {count_of(progress.cycles, 'cycle')} done")
    if len(stored.sessions) > 1:
        marks.append(f"gone on with {count_of(len(stored.sessions) - 1, 'time')}")
    return tuple(marks)


def accounts_of(records: Iterable[OsRecord]) -> "array[int]":
    """Return a hash of each OS record that has a time, int64 [n], the same in all exports."""
    found = map(_account_of, records)
    return array("q", (account for account in found if account is not None))


def _spans_of(records: Iterable[OsRecord]) -> "tuple[array[int], array[int]]":
    """Return of each record in `accounts_of` when its sleep began and ended (`SurveyedStore`)."""
    begun_ns, ended_ns = array("q"), array("q")
    for record in records:
        if _account_of(record) is None:
            continue
        whole = is_whole(record)
        begun_ns.append(record.sleep_time_utc_ns or (not whole and record.wake_time_utc_ns) or 0)
        ended_ns.append((whole and record.wake_time_utc_ns) or 0)
    return begun_ns, ended_ns


def _account_of(record: OsRecord) -> int | None:
    """Return by what other exports of a record are recognised; None where it has no time.

    Times are cut to 1 us, which is what the evtx library keeps of them. Of whole numbers alone, as
    hashes of texts are others in each process. An export may begin between a death, or the end of
    Modern Standby, and the event that says when it began: that time is left out. What has
    durations is recognised in another zone, too.
    """
    end_ns = record.wake_time_utc_ns or record.written_utc_ns
    if end_ns is None:
        return None
    sleep_ns = None if record.kind in _BEGUN_BEFORE else record.sleep_time_utc_ns
    took = (record.sleep_ms, record.wake_ms, record.driver_init_ms, record.bios_init_ms)
    end_us, sleep_us = end_ns // NS_PER_US, None if sleep_ns is None else sleep_ns // NS_PER_US
    values: tuple[int | None, ...] = (end_us, sleep_us, *took)
    if sleep_us is not None and record.record_id is not None and None not in took:
        zone_us = ZONE_NS // NS_PER_US
        values = (record.record_id, end_us - sleep_us, sleep_us % zone_us, *took)
    return hash(tuple(_ABSENT if value is None else value for value in values))


def campaign_id(stored: StoredCampaign) -> str:
    """Return the same text for all copies of a campaign, however far each of them goes.

    It is of who took part, when it began, and the plan; two campaigns of one seed of a simulator
    that differ in any of these are two. Nothing shows that two stores without a cycle are copies.
    """
    facts = identity_to_rows(stored.identity, stored.plan)
    place = "" if stored.cycles else str(stored.path)
    return hashlib.sha256(repr((facts, place)).encode()).hexdigest()


def fingerprints_of(path: Path) -> "array[int]":
    """Return a fingerprint of each cycle of a store, int64 [n] (`Store.fingerprints`).

    Raises:
        RecordError: the store cannot be read.
    """
    with Store.open(path) as store:
        return array("q", store.fingerprints())
