"""What `compare` and `msa` take: sessions from stores, OS logs and captures, and their design."""

import csv
import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from resume_rig.analysis.compare.counted_once import copies_of
from resume_rig.analysis.compare.precision import study_session
from resume_rig.analysis.compare.samples import (
    Evidence,
    evidence_of_cycles,
    evidence_of_log,
    kinds_in,
)
from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.answer.assessment import assess, assess_capture, facts_of
from resume_rig.campaign.answer.fleet import (
    SUFFIX,
    accounts_of,
    find_stores,
    fingerprints_of,
    unit_of,
)
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.os_record import LogReading, SleepKind
from resume_rig.model.result.comparison import StudySession
from resume_rig.model.result.fleet import UnitBy
from resume_rig.model.result.verdict import USUAL_REQUIREMENT, Requirement
from resume_rig.model.units import count_of, seconds_text
from resume_rig.oslog.reading import HEAD_BYTES, format_of, is_sqlite, read_logs
from resume_rig.rig.capture.gathering import Capture
from resume_rig.rig.capture.reading import is_capture, read_capture

# What a plan sets and a time may depend on.
_SETTINGS = ("state", "sleep_by", "wake_by", "dwell_ns", "settle_ns", "press_ns", "short_dwell")
_FILES_MOST = 10_000
ALLOWED: Final = (
    "allowed are campaign stores, OS logs, a logic analyser's captures, and folders of stores or"
    " of logs"
)
_NUMBER = re.compile(r"([0-9]{1,9})")


def find_sessions(places: Sequence[Path]) -> tuple[Path, ...]:
    """Return the files that are named, and the stores in or below folders that are named.

    A folder without a store gives the OS logs that lie in it. Each file comes once.

    Raises:
        RecordError: a folder has neither.
    """
    found: dict[Path, Path] = {}
    for place in places:
        whole = not place.is_dir() or is_capture(place)
        for path in [place] if whole else _sessions_in(place):
            found.setdefault(path.resolve(), path)
    return tuple(found.values())


def _sessions_in(folder: Path) -> list[Path]:
    stores = sorted(path for path in folder.rglob(f"*{SUFFIX}") if path.is_file())
    found = stores or sorted(path for path in folder.iterdir() if path.is_file() and _is_log(path))
    if not found or len(found) > _FILES_MOST:
        what = f"{len(found)} files" if found else f"no *{SUFFIX} in it or below, and no OS log"
        raise RecordError(
            f"could not compare {folder}: found {what}; allowed is a folder of up to "
            f"{_FILES_MOST} campaign stores or OS logs"
        )
    return found


def _is_log(path: Path) -> bool:
    with path.open("rb") as stream:
        return format_of(stream.read(HEAD_BYTES)) is not None


def check_sides(base: Sequence[Path], candidate: Sequence[Path]) -> None:
    """Refuse files that stand on both sides of a comparison.

    Raises:
        UsageError: one does.
    """
    both = {path.resolve() for path in base} & {path.resolve() for path in candidate}
    if both:
        raise UsageError(
            f"could not compare {min(both).name} with itself: it is one file on both sides; name "
            "other files for base and candidate"
        )


def load_sessions(
    places: Sequence[Path], requirement: Requirement | None = None
) -> tuple[Evidence, ...]:
    """Return one side of a comparison: each file is a session, copies of one count once.

    A trace is of one transition: those of one folder are the runs of one session, in the order of
    their names and the numbers in them (xbootmgr -numRuns).

    Raises:
        RecordError: a file cannot be read, or is neither store nor log.
    """
    found = [
        load_evidence(paths[0], requirement) if len(paths) == 1 else _of_log(paths, requirement)
        for paths in _runs_together(find_sessions(places))
    ]
    copies = _copies(found)
    for copy, of in copies.items():
        note = f"{found[copy].path} is a copy of {found[of].path} and counts once."
        found[of] = replace(found[of], notes=(*found[of].notes, note))
    return tuple(each for place, each in enumerate(found) if place not in copies)


def _copies(found: Sequence[Evidence]) -> dict[int, int]:
    """Return the place of each copy, and of its original: the longest, the first of several."""
    parts = [each.parts for each in found]
    return copies_of(parts, parts, lambda place: (len(parts[place]), -place))


def _runs_together(paths: Sequence[Path]) -> list[list[Path]]:
    """Return the files of each session, in the order of its first one."""
    found: dict[Path, list[Path]] = {}
    for path in paths:
        found.setdefault(path.resolve().parent if _is_trace(path) else path.resolve(), []).append(
            path
        )
    return [sorted(runs, key=_in_order) for runs in found.values()]


def _in_order(path: Path) -> tuple[object, ...]:
    """Return what sorts boot_2 before boot_10."""
    parts = _NUMBER.split(path.name)
    return tuple(int(part) if at % 2 else part for at, part in enumerate(parts))


def _is_trace(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            entry = format_of(stream.read(HEAD_BYTES))
    except OSError:
        return False  # who reads it gets the reason
    return entry is not None and entry.single


def load_evidence(path: Path, requirement: Requirement | None = None) -> Evidence:
    """Return what a store, a log or a capture has to be compared.

    Args:
        path: of one or the other.
        requirement: what it is judged against; None judges nothing.

    Raises:
        RecordError: it cannot be read, or is neither.
    """
    if is_capture(path):
        return _of_capture(path, requirement)
    return _of_store(path, requirement) if _is_store(path) else _of_log([path], requirement)


def _is_store(path: Path) -> bool:
    try:
        if path.exists() and not path.is_file():
            raise RecordError(f"could not compare {path}: found a device; {ALLOWED}")
        with path.open("rb") as stream:
            return is_sqlite(stream.read(HEAD_BYTES))
    except OSError as error:
        raise RecordError(
            f"could not compare {path}: {error.strerror or error}; {ALLOWED}"
        ) from error


def _of_capture(path: Path, requirement: Requirement | None) -> Evidence:
    """Return what the wires alone have: without a log, no limit of the OS's times is judged."""
    capture = read_capture(path, {})
    # The usual one's limits on the OS need a log, and are not shown.
    asked = load_requirement(USUAL_REQUIREMENT) if requirement is None else requirement
    judged, facts = assess_capture(
        path, capture, LogReading((), ()), requirement=asked, dut=None, report_path=None
    )
    identity = {"wired": facts.identity["wired"], "sample rate": facts.identity["sample rate"]}
    evidence = replace(
        evidence_of_cycles(str(path), judged.cycles, identity, {}),
        parts=frozenset({_part_of_capture(capture)}),
    )
    if requirement is None:
        return evidence
    return replace(evidence, limits=judged.limits, verdict=judged.verdict)


def _part_of_capture(capture: Capture) -> int:
    """Return what copies of a capture have in common, whatever they are called."""
    edges = [(edge.t_ns, edge.channel.value, edge.level) for edge in capture.edges]
    return _digest(repr(edges).encode())


def _of_log(paths: Sequence[Path], requirement: Requirement | None) -> Evidence:
    reading, path = read_logs(paths), paths[0]
    shown = str(path) if len(paths) == 1 else f"{path.parent} ({count_of(len(paths), 'trace')})"
    begun = [r.sleep_time_utc_ns for r in reading.records if r.sleep_time_utc_ns is not None]
    evidence = replace(
        evidence_of_log(shown, reading),
        begun_utc_ns=min(begun, default=None),
        parts=frozenset({_part_of_log(path, reading)}),
    )
    if requirement is None:
        return evidence
    judged = judge_log(reading, requirement)
    return replace(evidence, limits=judged.limits, verdict=judged.verdict)


def _part_of_log(path: Path, reading: LogReading) -> int:
    """Return what copies of a log have in common, whatever they are called."""
    accounts = accounts_of(reading.records)
    return _digest(accounts.tobytes() if accounts else os.fsencode(path.resolve()))


def _of_store(path: Path, requirement: Requirement | None) -> Evidence:
    stored = load_campaign(path)
    judged = assess(stored, requirement)
    facts = facts_of(stored)
    setting = {
        name.removesuffix("_ns").replace("_", " "): _setting_text(name, facts.plan[name])
        for name in _SETTINGS
        if name in facts.plan
    }
    builds = {r.os_build for r in stored.reading.records if r.os_build is not None}
    # By which port or URL a board was reached makes it no other board.
    identity = {**facts.identity, "rig": stored.identity.rig.board}
    if builds:
        identity["os_build"] = ", ".join(str(build) for build in sorted(builds))
    evidence = replace(
        evidence_of_cycles(str(path), judged.cycles, identity, setting),
        begun_utc_ns=stored.identity.created_utc_ns,
        parts=frozenset(fingerprints_of(path)),
        # What stands behind a comma is no address: a seed, a clock.
        simulated=stored.identity.is_simulated,
        rig=f"{stored.identity.rig.board} at {stored.identity.rig_url.text.partition(',')[0]}",
    )
    if requirement is None:
        return evidence
    return replace(evidence, limits=judged.limits, verdict=judged.verdict)


def _setting_text(name: str, value: object) -> str:
    return seconds_text(value) if name.endswith("_ns") and isinstance(value, int) else str(value)


def _digest(content: bytes) -> int:
    return int.from_bytes(hashlib.sha256(content).digest())


def load_study(
    stores: Sequence[Path],
    design: Mapping[Path, tuple[str, str]],
    unit_by: UnitBy,
    kind: SleepKind | None,
    progress: Callable[[int, int, Path], None],
) -> list[StudySession]:
    """Return the sessions of a study.

    Args:
        stores: stores, and folders of them.
        design: unit and rig of further stores and logs.
        unit_by: what distinguishes units of `stores`; their rig is the URL that they were run with.
        kind: of sleep; None for the commonest.
        progress: called with how many are read, of how many, and the next.

    Raises:
        UsageError: there are fewer than two sessions.
        RecordError: one cannot be read.
    """
    found = find_stores(stores)
    if found.unread:
        raise UsageError(f"{found.unread[0].why}; name folders that can be read")
    named = dict.fromkeys(found.paths) | dict(design)
    evidence, measured = [], []
    for number, (path, who) in enumerate(named.items()):
        progress(number, len(named), path)
        each = load_evidence(path)
        evidence.append(each)
        measured.append(who or _who(path, each, unit_by))
    copies = _copies(evidence)
    sessions = [
        (each, *who)
        for place, (each, who) in enumerate(zip(evidence, measured, strict=True))
        if place not in copies
    ]
    if len(sessions) < 2:
        raise UsageError(
            f"could not study {len(sessions)} session: repeatability and reproducibility need "
            "two at least; name more stores"
        )
    kinds: Counter[SleepKind] = Counter()
    for each, _, _ in sessions:
        kinds.update(kinds_in(each))
    chosen = kind or next((each for each, _ in kinds.most_common(1)), SleepKind.S3)
    return [study_session(each, chosen, unit, rig) for each, unit, rig in sessions]


def _who(path: Path, evidence: Evidence, unit_by: UnitBy) -> tuple[str, str]:
    unit = unit_of(path, unit_by, evidence.identity.get("dut", "unknown"))
    return unit, evidence.rig or "unknown"


_COLUMNS = ("path", "unit", "rig")
_ROWS_MOST = 10_000


def read_design(path: Path) -> dict[Path, tuple[str, str]]:
    """Return unit and rig of each store or log of a design, a CSV of path, unit and rig.

    Paths in it are relative to its own folder.

    Raises:
        UsageError: it cannot be read, or is of another form.
    """
    if path.exists() and not path.is_file():  # a device never ends, a pipe never begins
        raise UsageError(
            f"could not read the design {path}: it is a folder or a device; name a CSV file"
        )
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            rows = [row for row, _ in zip(reader, range(_ROWS_MOST), strict=False)]
            columns = reader.fieldnames or []
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no CSV in UTF-8"
        raise UsageError(f"could not read the design {path}: {reason}; name a CSV file") from error
    missing = [name for name in _COLUMNS if name not in columns]
    if missing or not rows:
        what = f"no column {missing[0]}" if missing else "no row"
        raise UsageError(
            f"could not read the design {path}: it has {what}; allowed are the columns "
            f"{', '.join(_COLUMNS)}, and a row for each session"
        )
    found: dict[Path, tuple[str, str]] = {}
    for number, row in enumerate(rows, 2):
        name, unit, rig = (row[column] or "" for column in _COLUMNS)
        place = path.parent / name
        if not name or not unit or not rig or place in found:
            what = "names a file again" if name and unit and rig else "has an empty field"
            raise UsageError(f"could not read the design {path}: line {number} {what}")
        found[place] = (unit, rig)
    return found
